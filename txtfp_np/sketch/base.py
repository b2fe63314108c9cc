"""What all fingerprinters share: the way from texts through blocks of stages to arrays of records."""

from __future__ import annotations

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol, Self, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..columns import (
    Document,
    NumberedBlock,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    document_bytes,
    is_single,
    iter_text_blocks,
    known_length,
    numbered,
    resolve_threads,
    run_blocks,
)
from ..errors import ConfigError, InvalidInputError, TokenizerError
from ..schema.identity import FingerprintMetadata, config_hash_of
from ..tokenize import Tokenizer
from ..tokenize.callables import as_block_tokenizer, check_tokenizer
from .hashing import Hasher, check_hasher, check_seed
from .stages import BlockStages

#: Everything that a block of this size needs on its way stays in a core's L2 cache.
SKETCH_BLOCK_BYTES = 1 << 18

EMPTY = "empty document"


@runtime_checkable
class Fingerprinter(Protocol):
    """What can be plugged in where a fingerprinter is wanted.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> isinstance(tx.MinHashFingerprinter(), Fingerprinter)
    True
    """

    @property
    def config_hash(self) -> int:
        """Identity of what makes the signatures."""
        ...

    def fingerprint(self, texts: Any, /) -> Any:
        """One record for a ``str``, an array of records for a column."""
        ...


class Signed(NamedTuple):
    """Signatures of a block, and which of its documents had a token at all."""

    records: NDArray[Any]
    ok: NDArray[np.bool_]


@dataclasses.dataclass(frozen=True)
class SketchFingerprinter(ABC):
    """A fingerprinter of hashed tokens."""

    canonicalizer: Canonicalizer
    tokenizer: Tokenizer
    hasher: Any
    seed: int

    def _check(self) -> None:
        """Validate the fields that every sketch has; called from ``__post_init__``."""
        canonicalizer: object = self.canonicalizer
        if not isinstance(canonicalizer, Canonicalizer):
            given = type(canonicalizer).__name__
            raise ConfigError(f"canonicalizer must be a Canonicalizer, got {given}", argument="canonicalizer")
        check_tokenizer("tokenizer", self.tokenizer)
        object.__setattr__(self, "hasher", check_hasher(self.hasher))
        object.__setattr__(self, "seed", check_seed(self.seed))

    @property
    @abstractmethod
    def algorithm(self) -> str:
        """Name of the sketch and of every option that changes its bytes, for config hashes."""

    @property
    @abstractmethod
    def dtype(self) -> np.dtype[Any]:
        """Dtype of the signatures."""

    @property
    def _item_shape(self) -> tuple[int, ...]:
        """Shape of one signature."""
        return ()

    @abstractmethod
    def _sign(self, stages: BlockStages, key: str) -> Signed:
        """Signatures of one block; arrays may be views into the stages' scratch."""

    @property
    def _hash(self) -> Hasher:
        return Hasher(self.hasher, self.seed)

    @property
    def config_hash(self) -> int:
        """Hash of everything that decides the bytes of a signature.

        Signatures whose hashes differ must not be compared.
        """
        stages = self.canonicalizer.config_string(), self.tokenizer.name, self.algorithm
        return config_hash_of(*stages, self._hash.name, f"{self.seed:016x}")

    def metadata(self) -> FingerprintMetadata:
        """Identity and size of the signatures that this makes."""
        size = self.dtype.itemsize * int(np.prod(self._item_shape, dtype=np.int64))
        return FingerprintMetadata(
            algorithm=self.algorithm, config_hash=self.config_hash, model_id=None, schema_version=1, byte_size=size
        )

    def replace(self, **changes: Any) -> Self:
        """A copy with other options.

        Examples
        --------
        >>> import txtfp_np as tx
        >>> tx.MinHashFingerprinter().replace(h=256).h
        256
        """
        return dataclasses.replace(self, **changes)

    def fingerprint(
        self,
        texts: Document | Texts,
        *,
        on_empty: str = "raise",
        errors: str = "strict",
        threads: int | None = None,
        progress: Progress = False,
        out: NDArray[Any] | None = None,
    ) -> Any:
        """Signature of one document, or signatures of a column.

        Parameters
        ----------
        texts : str, bytes or column
            One document, or anything that :class:`TextColumn` takes.
        on_empty : {"raise", "mask"}
            What to do about documents without a single token: raise, or return a mask as well.
        errors : {"strict", "replace"}
            Whether bad UTF-8 is an error or becomes U+FFFD.
        threads : int, optional
            Threads to use; None: every core this process may use.
        progress : bool or callable
            True: a line on stderr. A callable gets (documents done, documents in all or None).
        out : ndarray, optional
            Array of the right dtype and length to write into, for example a memory map.

        Returns
        -------
        record, or array of records
            With ``on_empty="mask"`` a pair of it and ``ok``, True where a document was signed.

        Raises
        ------
        InvalidInputError
            If a document is empty, not text or not UTF-8 (with ``.row``).
        """
        (result,) = sign(texts, [self], on_empty, errors, threads, progress, None if out is None else [out])
        return result


def sign(
    texts: Document | Texts,
    fingerprinters: Sequence[SketchFingerprinter],
    on_empty: str,
    errors: str,
    threads: int | None,
    progress: Progress,
    outs: Sequence[NDArray[Any]] | None = None,
) -> list[Any]:
    """Signatures by several fingerprinters in one pass over the texts."""
    if on_empty not in ("raise", "mask"):
        raise ConfigError(f"on_empty must be 'raise' or 'mask', got {on_empty!r}", argument="on_empty")
    job = _Job(fingerprinters, on_empty == "raise")
    if is_single(texts):
        block = TextColumn._trusted(*_one_document(document_bytes(texts, errors)))  # type: ignore[arg-type]
        signed = job.work(NumberedBlock(block, 0), Scratch(), single=True)
        results = [(part.records[0], part.ok[0]) for part in signed]
        for out, (record, _) in zip(outs or [], results, strict=False):
            out[...] = record
        return [pair if on_empty == "mask" else pair[0] for pair in results]
    n_threads = resolve_threads(threads)
    if not all(as_block_tokenizer(f.tokenizer)._threadable for f in fingerprinters):
        n_threads = 1
    total = known_length(texts)
    collectors = [
        _Collector(f, total, None if outs is None else outs[number]) for number, f in enumerate(fingerprinters)
    ]

    def consume(signed: list[Signed]) -> None:
        for collector, part in zip(collectors, signed, strict=True):
            collector.add(part)

    run_blocks(
        numbered(iter_text_blocks(texts, errors=errors, block_bytes=SKETCH_BLOCK_BYTES)),
        job.work,
        consume,
        threads=n_threads,
        progress=progress,
        total=total,
    )
    return [collector.finish(on_empty == "mask") for collector in collectors]


def _one_document(data: bytes) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return np.frombuffer(data, np.uint8), np.array([0, len(data)], np.int64)


class _Job:
    """What a worker does with a block."""

    def __init__(self, fingerprinters: Sequence[SketchFingerprinter], refuse_empty: bool) -> None:
        self.fingerprinters = fingerprinters
        self.refuse_empty = refuse_empty

    def work(self, block: NumberedBlock[TextColumn], scratch: Scratch, single: bool = False) -> list[Signed]:
        stages = BlockStages(block.column, scratch)
        try:
            signed = [f._sign(stages, f"@{number}") for number, f in enumerate(self.fingerprinters)]
        except TokenizerError as error:
            if error.row is not None:
                error.row = None if single else error.row + block.first_row
            raise
        for part in signed:
            if self.refuse_empty and not part.ok.all():
                row = block.first_row + int(np.argmin(part.ok))
                raise InvalidInputError(
                    EMPTY,
                    row=None if single else row,
                    argument="texts",
                    advice='on_empty="mask" signs the others and says which are empty',
                )
        return signed


class _Collector:
    """Signatures on their way into the array that is returned."""

    def __init__(self, fingerprinter: SketchFingerprinter, total: int | None, out: NDArray[Any] | None) -> None:
        shape, dtype = fingerprinter._item_shape, fingerprinter.dtype
        if out is not None:
            _check_out(out, total, shape, dtype)
        elif total is not None:
            out = np.empty((total, *shape), dtype)
        self.out = out
        self.empty = np.empty((0, *shape), dtype)
        self.parts: list[NDArray[Any]] = []
        self.ok: list[NDArray[np.bool_]] = []
        self.n = 0

    def add(self, signed: Signed) -> None:
        n = len(signed.records)
        if self.out is None:
            self.parts.append(signed.records.copy())
        else:
            if self.n + n > len(self.out):
                raise InvalidInputError(
                    f"out has {len(self.out)} places, there are more documents", argument="out"
                )
            self.out[self.n : self.n + n] = signed.records
        self.ok.append(signed.ok.copy())
        self.n += n

    def finish(self, with_mask: bool) -> Any:
        if self.out is None:
            records = np.concatenate(self.parts) if self.parts else self.empty
        elif self.n < len(self.out):
            raise InvalidInputError(f"out has {len(self.out)} places, there are {self.n} documents", argument="out")
        else:
            records = self.out
        if not with_mask:
            return records
        return records, np.concatenate(self.ok) if self.ok else np.empty(0, np.bool_)


def _check_out(out: object, total: int | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape[1:] != shape or out.ndim != 1 + len(shape):
        got = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        raise InvalidInputError(f"out must be an array of {dtype} with shape (n, {shape}), got {got}", argument="out")
    if not out.flags.writeable:
        raise InvalidInputError("out must be writeable", argument="out")
    if total is not None and len(out) != total:
        raise InvalidInputError(f"out has {len(out)} places, there are {total} documents", argument="out")
