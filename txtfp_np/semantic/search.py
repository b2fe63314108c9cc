"""What can be asked of an index of embeddings: the half of :class:`EmbeddingIndex` that changes nothing."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import Document, TextColumn, Texts, as_text_column, is_single, resolve_threads
from ..columns.checks import read_only
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError, ModelMismatchError
from ..index.ann import Graph
from ..index.arguments import check_ids
from ..index.codes import Words
from ..index.nearest import CODE_BITS, Ids, Question, nearest
from ..index.vector_parts import State
from ..options import check_count, check_flag
from ..schema import Embedding
from .codes import HyperplaneHash
from .column import EmbeddingColumn
from .provider import EmbeddingProvider
from .sources import as_embeddings, embed_texts


class EmbeddingSearch:
    """Embeddings by ids, and those that are nearest to others; each call sees one moment."""

    _state: State
    _search: str
    _provider: EmbeddingProvider | None
    _lock: threading.RLock
    _graph: tuple[int, Graph] | None  # of an epoch

    # ── what is there ───────────────────────────────────────────────────────────────────────────
    def __len__(self) -> int:
        return sum(len(part) - part.n_dead for part in self._state.parts)

    def __contains__(self, id: object) -> bool:
        try:
            ids, alone = check_ids(id)
        except InvalidInputError:
            return False
        return alone and bool((self.ids == ids[0]).any())

    def __repr__(self) -> str:
        dim = "" if self.dim is None else f", dim={self.dim}"
        model = "" if self.model_id is None else f", model_id={self.model_id!r}"
        return f"EmbeddingIndex({len(self)} embeddings{dim}{model}, search={self._search!r})"

    @property
    def ids(self) -> Ids:
        """All ids, in the order of their insertion."""
        return np.concatenate([np.empty(0, np.uint64), *(part.ids[part.living()] for part in self._state.parts)])

    @property
    def dim(self) -> int | None:
        """Elements of an embedding; None until there is one."""
        return self._state.dim

    @property
    def model_id(self) -> str | None:
        """Model of the embeddings, if it is known."""
        return self._state.model_id

    @property
    def search(self) -> str:
        """How candidates are found."""
        return self._search

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, those that are mapped from files included; without the graph of usearch."""
        total = 0
        for part in self._state.parts:
            arrays = (part.ids, part.held.vectors, part.codes, part.alive)
            total += sum(array.nbytes for array in arrays if array is not None)
        return total

    # ── asking it ───────────────────────────────────────────────────────────────────────────────
    def query(
        self,
        embeddings: EmbeddingColumn | Embedding | ArrayLike | Document | Texts,
        *,
        k: int | None = 10,
        threshold: float | None = None,
        return_similarity: bool = False,
        threads: int | None = None,
    ) -> Any:
        """Ids of the nearest embeddings, the nearest first; equally near ones in the order of insertion.

        Parameters
        ----------
        embeddings : Embedding, EmbeddingColumn, real numbers (dim,) or (n, dim), text or column of texts
            Texts need a provider, and are queries to it.
        k : int, optional
            So many at most. None: all that the threshold allows, or that the graph of usearch names.
        threshold : float, optional
            Least cosine, compared in single precision.
        return_similarity : bool
            Give the cosines, too.
        threads : int, optional
            None: every core this process may use. Never changes the result. Exact products use the threads
            of NumPy's BLAS.

        Returns
        -------
        uint64 (m,)
            For one embedding, or one text.
        indptr : int64 (n + 1,), ids : uint64 (m,)
            For several, even for a column of one: those of row i are ``ids[indptr[i]:indptr[i + 1]]``.
        similarity : float32 (m,)
            Last, if asked for.

        Raises
        ------
        ConfigError
            If neither ``k`` nor ``threshold`` limits the answer.
        InvalidInputError, ModelMismatchError, DimensionMismatchError
            As of :meth:`insert`.
        """
        question = Question(None if k is None else check_count("k", k, 0), _check_threshold(threshold))
        if question.k is None and question.threshold is None:
            raise ConfigError("k or threshold must limit the answer, both are None", argument="k")
        check_flag("return_similarity", return_similarity)
        n_threads = resolve_threads(threads)
        column, alone = self._embeddings(embeddings, "embeddings", queries=True)
        state = self._state
        check_comparable(state, column, "embeddings")
        if question.k == 0 or len(self) == 0:
            state = state._replace(parts=())
        codes = codes_of(column.vectors) if self._search == "codes" and state.parts else None
        graph = self._graph_of(state, n_threads) if self._search == "usearch" and state.parts else None
        found = nearest(state.parts, column.vectors, codes, graph, question, n_threads)
        extra = (found.similarity,) if return_similarity else ()
        if alone:
            return (found.ids, *extra) if extra else found.ids
        return np.concatenate([[0], np.cumsum(found.counts)]), found.ids, *extra

    def _graph_of(self, state: State, threads: int) -> Graph:
        assert state.dim is not None
        with self._lock:
            if self._graph is None or self._graph[0] != state.epoch:
                self._graph = state.epoch, Graph(state.dim)
            graph, first = self._graph[1], 0
            for part in state.parts:
                if first + len(part) > graph.n:
                    graph.add(part.held.vectors[graph.n - first :], threads)
                first += len(part)
        return graph

    def _embeddings(self, given: Any, argument: str, *, queries: bool) -> tuple[EmbeddingColumn, bool]:
        """What was given as a column, without zeros; and whether it was one alone."""
        if _are_texts(given):
            return self._embedded(given, argument, queries)
        if isinstance(given, Embedding):
            column, alone = EmbeddingColumn.from_embeddings([given]), True
        elif isinstance(given, EmbeddingColumn):
            column, alone = as_embeddings(argument, given), False
        else:
            given = given if isinstance(given, (list, tuple)) else np.asarray(given)
            alone = np.ndim(given) == 1 and len(given) > 0 and not isinstance(given[0], Embedding)
            if np.size(given) == 0 and self.dim is not None:
                given = np.empty((0, self.dim), np.float32)
            column = as_embeddings(argument, [given] if alone else given)
        zero = (column.vectors == 0).all(axis=1)
        if zero.any():
            row = None if alone else int(zero.argmax())
            raise InvalidInputError("cannot compute cosine for a zero-norm embedding", row=row, argument=argument)
        return column, alone

    def _embedded(self, given: Any, argument: str, queries: bool) -> tuple[EmbeddingColumn, bool]:
        if self._provider is None:
            raise ConfigError(
                "texts need a provider", argument=argument, advice="EmbeddingIndex(provider=...), or give embeddings."
            )
        alone = is_single(given)
        texts = as_text_column([given] if alone else given)
        try:
            column = embed_texts(self._provider, texts, queries=queries)
        except InvalidInputError as error:
            error.row = None if alone else error.row
            raise
        return self._embeddings(column, argument, queries=queries)[0], alone


def _are_texts(given: Any) -> bool:
    if isinstance(given, (list, tuple)):
        return bool(given) and (given[0] is None or isinstance(given[0], (str, bytes)))
    if isinstance(given, np.ndarray):
        return given.dtype.kind in "OUST"
    if isinstance(given, (str, bytes, TextColumn)):
        return True
    return not isinstance(given, (Embedding, EmbeddingColumn, int, float)) and not _are_numbers(given)


def _are_numbers(given: Any) -> bool:
    """Whether a table, a tensor or a column holds numbers, by its axes or its first row."""
    if getattr(given, "ndim", 1) == 2:
        return True
    return hasattr(given, "__array__") and np.asarray(given[:1]).dtype.kind in "iuf"


def _check_threshold(threshold: object) -> float | None:
    if threshold is None:
        return None
    is_number = isinstance(threshold, (int, float, np.integer, np.floating)) and not isinstance(threshold, bool)
    if not is_number or not -1 <= threshold <= 1:  # type: ignore[operator]
        raise ConfigError(f"threshold must be a number in [-1.0, 1.0], got {threshold!r}", argument="threshold")
    return float(threshold)  # type: ignore[arg-type]


def check_comparable(state: State, column: EmbeddingColumn, argument: str) -> None:
    """Refuse embeddings that cannot be compared with those that are there."""
    if state.model_id is not None and column.model_id is not None and state.model_id != column.model_id:
        raise ModelMismatchError(state.model_id, column.model_id, argument=argument)
    if state.dim is not None and state.dim != column.dim:
        raise DimensionMismatchError(state.dim, column.dim, argument=argument)


def codes_of(vectors: NDArray[np.float32]) -> Words:
    """Codes of vectors, ``(n, words)``."""
    return read_only(HyperplaneHash(CODE_BITS).fingerprint(vectors).view(np.uint64))
