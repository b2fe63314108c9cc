"""Embeddings by a model on this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray

from ..columns import (
    Document,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    as_text_column,
    block_bounds,
    is_single,
    run_blocks,
)
from ..errors import ConfigError, InvalidInputError, OnnxError, TxtfpError
from ..options import check_choice, check_count
from ..schema import Embedding
from .column import EmbeddingColumn
from .hub import find_files
from .models import document_prefix_of, pooling_of, query_prefix_of
from .pooling import Pooling
from .session import Session, library

# Texts whose tokens are held at a time, so that they can be sorted by length. The tokenizer's records of them take
# some fifty times the bytes of the texts, what is cut off included.
_WINDOW = 4096
_WINDOW_BYTES = 1 << 22


class LocalProvider:
    """A model in ONNX form and its tokenizer: :meth:`from_onnx`, :meth:`from_pretrained`.

    Notes
    -----
    Which inputs are given, and which output is taken, depends on the graph: ``sentence_embedding``, else
    ``last_hidden_state``, else ``pooler_output``, else the first. A vector a token is pooled, a vector a text
    only divided by its length. Texts that are too long lose their end, but not the special token that
    closes them.

    A provider may be shared by threads. For other processes it is pickled as the paths of its files, which are loaded
    again there. The same text can differ in the last bits from batch to batch and from machine to machine.
    """

    def __init__(
        self, session: Session, *, model_id: str, pooling: Pooling, query_prefix: str, document_prefix: str
    ) -> None:
        self._session = session
        self.model_id = model_id
        self.pooling = pooling
        self.query_prefix = query_prefix
        self.document_prefix = document_prefix
        self.dimension = session.dimension()

    @classmethod
    def from_onnx(
        cls,
        onnx_path: str | os.PathLike[str],
        tokenizer_path: str | os.PathLike[str],
        *,
        model_id: str = "local-onnx",
        pooling: Pooling | str | None = None,
        max_seq_len: int = 512,
        intra_threads: int | None = None,
        **options: Any,
    ) -> Self:
        """A provider of two files.

        Parameters
        ----------
        onnx_path, tokenizer_path : path
            The graph, and ``tokenizer.json``.
        model_id : str
            Goes into every embedding. A known name brings its pooling and prefixes.
        pooling : {"cls", "mean", "mean_no_norm", "max"}, optional
            None: as known of ``model_id``, else ``"mean"``.
        max_seq_len : int
            Tokens of a text that are read, special ones included.
        intra_threads : int, optional
            Threads for one batch; None: as onnxruntime likes.
        execution_providers : sequence of str
            Where it runs: ``"cpu"`` (default), ``"cuda"``, ``"tensorrt"``, ``"rocm"``, ``"migraphx"``,
            ``"directml"``, ``"coreml"``, ``"openvino"``, or onnxruntime's own names. What is not there is an
            error, never something else.
        query_prefix, document_prefix : str, optional
            What is put before texts. None: as known of ``model_id``, else nothing; ``""``: nothing.

        Returns
        -------
        LocalProvider

        Raises
        ------
        FeatureDisabledError
            If onnxruntime or tokenizers is not installed.
        OnnxError, TokenizerError
            If a file cannot be used.
        FileNotFoundError
            If there is none.
        """
        how, where = _checked(model_id, pooling, max_seq_len, intra_threads, **options)
        session = Session(Path(onnx_path), Path(tokenizer_path), max_seq_len, intra_threads, where)
        return cls(session, **how)

    @classmethod
    def from_pretrained(
        cls,
        name: str | os.PathLike[str],
        *,
        onnx_path: str | None = None,
        tokenizer_path: str = "tokenizer.json",
        fp16: bool = False,
        revision: str | None = None,
        cache_dir: str | os.PathLike[str] | None = None,
        local_files_only: bool = False,
        **options: Any,
    ) -> Self:
        """A provider of a model on the Hugging Face hub, or of a folder laid out like one.

        Parameters
        ----------
        name : str or path
            Name on the hub, such as ``"sentence-transformers/all-MiniLM-L6-v2"``, or a folder.
        onnx_path : str, optional
            File of the graph. None: the first of ``onnx/model.onnx``, ``onnx/model_quantized.onnx`` and
            ``model.onnx`` that there is; with ``fp16``, of ``onnx/model_fp16.onnx`` and ``model_fp16.onnx``.
            Not together with ``fp16``.
        tokenizer_path : str
            File of the tokenizer.
        fp16 : bool
            Take the half-precision graph: half the memory, and faster where the hardware has it.
        revision : str, optional
            Branch, tag or commit.
        cache_dir : path, optional
            Where downloaded files are kept; None: where the hub's library keeps them.
        local_files_only : bool
            Never ask the network. The environment's ``HF_HUB_OFFLINE=1`` says the same.
        **options
            As in :meth:`from_onnx`. ``model_id`` is ``name`` unless given.

        Returns
        -------
        LocalProvider

        Raises
        ------
        OnnxError
            If the files are not there, or cannot be had.
        """
        name = os.fspath(name) if isinstance(name, os.PathLike) else name
        for module in ("onnxruntime", "tokenizers"):
            library(module)
        options = {"model_id": name, **options}
        if not isinstance(name, str) or not name:
            raise ConfigError(f"name must be a non-empty str, got {name!r}", argument="name")
        _checked(**options)  # before anything is fetched
        onnx_file, tokenizer_file = find_files(
            name,
            onnx_path=onnx_path,
            tokenizer_path=tokenizer_path,
            fp16=fp16,
            hub={"revision": revision, "cache_dir": cache_dir, "local_files_only": local_files_only},
        )
        return cls.from_onnx(onnx_file, tokenizer_file, **options)

    @overload
    def embed(self, texts: Document, /) -> Embedding: ...
    @overload
    def embed(self, texts: Texts, /, *, batch_size: int = ..., progress: Progress = ...) -> EmbeddingColumn: ...
    def embed(
        self, texts: Document | Texts, /, *, batch_size: int = 32, progress: Progress = False
    ) -> Embedding | EmbeddingColumn:
        """Embeddings of documents; the same as :meth:`embed_document`."""
        return self._embed(texts, self.document_prefix, batch_size, progress)

    @overload
    def embed_document(self, texts: Document, /) -> Embedding: ...
    @overload
    def embed_document(
        self, texts: Texts, /, *, batch_size: int = ..., progress: Progress = ...
    ) -> EmbeddingColumn: ...
    def embed_document(
        self, texts: Document | Texts, /, *, batch_size: int = 32, progress: Progress = False
    ) -> Embedding | EmbeddingColumn:
        """Embeddings of documents, the prefix for documents put before them.

        Parameters
        ----------
        texts : str, bytes or column
            None of them empty.
        batch_size : int
            Texts that run through the model together. They are sorted by length first, so that little is padded.
        progress : bool or callable
            True: a line on stderr. A callable gets (texts done, texts in all).

        Returns
        -------
        Embedding, or EmbeddingColumn for a column
            In the order of the texts.

        Raises
        ------
        InvalidInputError
            If a text is empty (with ``.row``).
        OnnxError, TokenizerError
            If the model or its tokenizer fails.
        """
        return self._embed(texts, self.document_prefix, batch_size, progress)

    @overload
    def embed_query(self, texts: Document, /) -> Embedding: ...
    @overload
    def embed_query(self, texts: Texts, /, *, batch_size: int = ..., progress: Progress = ...) -> EmbeddingColumn: ...
    def embed_query(
        self, texts: Document | Texts, /, *, batch_size: int = 32, progress: Progress = False
    ) -> Embedding | EmbeddingColumn:
        """Embeddings of queries, the prefix for queries put before them; else as :meth:`embed_document`."""
        return self._embed(texts, self.query_prefix, batch_size, progress)

    def count_tokens(self, text: str, /) -> int:
        """Number of tokens of a text, special ones included; of all of it, also beyond ``max_seq_len``.

        Made for ``ChunkingStrategy(count_tokens=provider.count_tokens)``, with ``max_tokens`` not above
        ``max_seq_len``, less what a prefix takes.
        """
        if not isinstance(text, str):
            raise InvalidInputError(f"text must be a str, got {type(text).__name__}", argument="text")
        return self._session.count(text)

    def __repr__(self) -> str:
        return f"LocalProvider({self.model_id!r}, dimension={self.dimension}, pooling={str(self.pooling)!r})"

    def _embed(
        self, texts: Document | Texts, prefix: str, batch_size: int, progress: Progress
    ) -> Embedding | EmbeddingColumn:
        check_count("batch_size", batch_size, 1)
        if not is_single(texts):
            return self._embed_column(as_text_column(texts), prefix, batch_size, progress)
        try:
            return self._embed_column(as_text_column([texts]), prefix, batch_size, progress)[0]
        except TxtfpError as error:
            error.row = None  # there is one text
            raise

    def _embed_column(self, column: TextColumn, prefix: str, batch_size: int, progress: Progress) -> EmbeddingColumn:
        empty = np.diff(column.offsets) == 0
        if empty.any():
            raise InvalidInputError("empty document", row=int(empty.argmax()), argument="texts")
        vectors = np.empty((len(column), self.dimension), np.float32)

        def work(batch: _Batch, scratch: Scratch) -> None:
            vectors[batch.rows] = self._vectors(batch.encodings)

        batches = _batches(self._session, column, prefix, batch_size)
        run_blocks(batches, work, lambda done: None, threads=1, progress=progress, total=len(column))
        finite = np.isfinite(vectors).all(axis=1)
        if not finite.all():
            raise OnnxError("the model gave non-finite values", row=int((~finite).argmax()))
        return EmbeddingColumn(vectors, self.model_id)

    def _vectors(self, encodings: list[Any]) -> NDArray[np.float32]:
        output, mask = self._session.run(encodings)
        if output.shape[-1] != self.dimension:
            raise OnnxError(f"the model gave vectors of {output.shape[-1]} elements, {self.dimension} were expected")
        if output.ndim == 3:
            return self.pooling.apply(output, attention_mask=mask)
        if self.pooling is Pooling.MEAN_NO_NORM:
            return output
        return Pooling.CLS.apply(output[:, np.newaxis])  # only divides by the length


class _Batch:
    """Texts that run through the model together."""

    def __init__(self, rows: NDArray[np.int64], encodings: list[Any]) -> None:
        self.rows = rows
        self.encodings = encodings

    def __len__(self) -> int:
        return len(self.rows)


def _batches(session: Session, column: TextColumn, prefix: str, batch_size: int) -> Iterator[_Batch]:
    for first, last in block_bounds(column.offsets, _WINDOW_BYTES, _WINDOW):
        encodings = session.encode([prefix + text for text in column[first:last]])
        order = np.argsort([len(encoding.ids) for encoding in encodings], kind="stable")
        for begin in range(0, len(order), batch_size):
            chosen = order[begin : begin + batch_size]
            yield _Batch(first + chosen, [encodings[place] for place in chosen])


def _checked(
    model_id: str,
    pooling: Pooling | str | None = None,
    max_seq_len: int = 512,
    intra_threads: int | None = None,
    **options: Any,
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What a provider is made with, and where its graph is to run."""
    if not isinstance(model_id, str) or not model_id:
        raise ConfigError(f"model_id must be a non-empty str, got {model_id!r}", argument="model_id")
    check_count("max_seq_len", max_seq_len, 1)
    if intra_threads is not None:
        check_count("intra_threads", intra_threads, 1, 1 << 15)
    chosen = pooling_of(model_id) if pooling is None else check_choice("pooling", pooling, Pooling)
    where = _execution_providers(options.pop("execution_providers", ("cpu",)))
    query_prefix, document_prefix = _prefixes(model_id, options)
    how = {
        "model_id": model_id,
        "pooling": chosen,
        "query_prefix": query_prefix,
        "document_prefix": document_prefix,
    }
    return how, where


def _execution_providers(given: Sequence[str]) -> tuple[str, ...]:
    if isinstance(given, str) or not given or not all(isinstance(name, str) for name in given):
        raise ConfigError(
            f"execution_providers must be a sequence of names, got {given!r}", argument="execution_providers"
        )
    return tuple(given)


def _prefixes(model_id: str, options: dict[str, Any]) -> tuple[str, str]:
    found = []
    for argument, known in (("query_prefix", query_prefix_of), ("document_prefix", document_prefix_of)):
        given = options.pop(argument, None)
        if given is not None and not isinstance(given, str):
            raise ConfigError(f"{argument} must be a str or None, got {given!r}", argument=argument)
        found.append(known(model_id) if given is None else given)
    if options:
        raise TypeError(
            f"unexpected options: {', '.join(sorted(options))}; there are also execution_providers, query_prefix and "
            "document_prefix"
        )
    return found[0], found[1]
