"""Running fingerprinters over texts: blocks through stages into arrays of records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError, TokenizerError
from .base import Accumulator, BlockFingerprinter, Signed, SketchFingerprinter
from .giant import GIANT_BYTES, Piece, piece_hashes, splitter, with_pieces
from .stages import BlockStages, Hashes

#: Smaller blocks fit the caches better but let threads quarrel about the interpreter more often: with a
#: quarter of this, two threads are only 1.4 times as fast as one.
SKETCH_BLOCK_BYTES = 1 << 20


def sign(
    texts: Document | Texts,
    fingerprinters: Sequence[BlockFingerprinter],
    on_empty: str,
    errors: str,
    threads: int | None,
    progress: Progress,
    outs: Sequence[NDArray[Any]] | None = None,
) -> list[Any]:
    """Signatures by several fingerprinters in one pass over the texts."""
    if on_empty not in ("raise", "mask"):
        raise ConfigError(f"on_empty must be 'raise' or 'mask', got {on_empty!r}", argument="on_empty")
    if threads is not None:
        resolve_threads(threads)  # refuse nonsense even where one thread is enough
    job = _Job(fingerprinters, on_empty == "raise")
    if is_single(texts):
        if outs is not None:
            raise ConfigError("out is for columns, one document was given", argument="out")
        column = TextColumn._trusted(*_one_document(document_bytes(texts, errors)))  # type: ignore[arg-type]
        job.single = True
        if column.nbytes < GIANT_BYTES:
            signed = job.sign_block(NumberedBlock(column, 0), Scratch())
            results = [(part.records[0], part.ok[0]) for part in signed]
        else:
            collectors = _run(job, column, "strict", threads, progress, None)
            results = [tuple(part[0] for part in collector.finish(True)) for collector in collectors]
        return [pair if on_empty == "mask" else pair[0] for pair in results]
    collectors = _run(job, texts, errors, threads, progress, outs)
    return [collector.finish(on_empty == "mask") for collector in collectors]


def _one_document(data: bytes) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    return np.frombuffer(data, np.uint8), np.array([0, len(data)], np.int64)


def _run(
    job: _Job,
    texts: Any,
    errors: str,
    threads: int | None,
    progress: Progress,
    outs: Sequence[NDArray[Any]] | None,
) -> list[_Collector]:
    n_threads = resolve_threads(threads)
    if not all(f._threadable for f in job.fingerprinters):
        n_threads = 1
    total = known_length(texts)
    collectors = [
        _Collector(f, total, None if outs is None else outs[number]) for number, f in enumerate(job.fingerprinters)
    ]
    giant = _Giant(job)

    def consume(result: list[Signed] | _PieceResult) -> None:
        signed = giant.add(result) if isinstance(result, _PieceResult) else result
        for collector, part in zip(collectors, signed, strict=bool(signed)):
            collector.add(part)

    blocks = numbered(iter_text_blocks(texts, errors=errors, block_bytes=SKETCH_BLOCK_BYTES))
    run_blocks(
        with_pieces(blocks, splitter(job.fingerprinters)),
        job.work,
        consume,
        threads=n_threads,
        detached=True,
        progress=progress,
        total=total,
    )
    return collectors


class _PieceResult(NamedTuple):
    """Hashes of the tokens that begin in a piece, for each fingerprinter and each of its hashers."""

    piece: Piece
    hashes: list[list[Hashes]]


class _Job:
    """What a worker does with a block."""

    def __init__(self, fingerprinters: Sequence[BlockFingerprinter], refuse_empty: bool) -> None:
        self.fingerprinters = fingerprinters
        # documents are cut into pieces only where every fingerprinter is one of these
        self.sketches = [f for f in fingerprinters if isinstance(f, SketchFingerprinter)]
        self.refuse_empty = refuse_empty
        self.single = False  # one document, not a column: errors name no row

    def work(self, block: NumberedBlock[TextColumn] | Piece, scratch: Scratch) -> list[Signed] | _PieceResult:
        if isinstance(block, Piece):
            hashes = piece_hashes(block, self.sketches, scratch)
            return _PieceResult(block, [[_copied(part) for part in parts] for parts in hashes])
        return [Signed(part.records.copy(), part.ok) for part in self.sign_block(block, scratch)]

    def sign_block(self, block: NumberedBlock[TextColumn], scratch: Scratch) -> list[Signed]:
        stages = BlockStages(block.column, scratch)
        try:
            signed = [f._sign(stages, f"@{number}") for number, f in enumerate(self.fingerprinters)]
        except (TokenizerError, InvalidInputError) as error:  # a user's tokenizer, or hasher
            if error.row is not None:
                error.row = None if self.single else error.row + block.first_row
            raise
        for fingerprinter, part in zip(self.fingerprinters, signed, strict=True):
            if self.refuse_empty and not part.ok.all():
                row = int(np.argmin(part.ok))
                raise InvalidInputError(
                    fingerprinter._refusal(stages, row),
                    row=None if self.single else block.first_row + row,
                    argument="texts",
                    advice='on_empty="mask" signs the others and says which are empty',
                )
        return signed


def _copied(hashes: Hashes) -> Hashes:
    low, high, offsets = (read_only(part.copy()) for part in hashes)
    return Hashes(low, high, offsets)


class _Giant:
    """Puts the pieces of a document together again."""

    def __init__(self, job: _Job) -> None:
        self.job = job
        self.accumulators: list[Accumulator] = []

    def add(self, result: _PieceResult) -> list[Signed]:
        """Signatures of the document if this was its last piece, else nothing."""
        fingerprinters = self.job.sketches
        if not self.accumulators:
            self.accumulators = [f._accumulator() for f in fingerprinters]
        for accumulator, hashes in zip(self.accumulators, result.hashes, strict=True):
            accumulator.add(hashes)
        if not result.piece.is_last:
            return []
        accumulators, self.accumulators = self.accumulators, []
        if not all(accumulator.is_signed for accumulator in accumulators):
            # Too few tokens for a single full shingle, say: the rules for short documents apply.
            whole = TextColumn._trusted(result.piece.data, np.array([0, len(result.piece.data)], np.int64))
            return self.job.sign_block(NumberedBlock(whole, result.piece.row), Scratch())
        return [
            Signed(np.array([accumulator.signature()], f.dtype), np.ones(1, np.bool_))
            for f, accumulator in zip(fingerprinters, accumulators, strict=True)
        ]


class _Collector:
    """Signatures on their way into the array that is returned."""

    def __init__(self, fingerprinter: BlockFingerprinter, total: int | None, out: NDArray[Any] | None) -> None:
        shape, dtype = fingerprinter._item_shape, fingerprinter.dtype
        self.given = out is not None
        if out is not None:
            _check_out(out, total, shape, dtype)
        # Without ``out`` the number of documents is a hint: iterables may lie about their length.
        self.records = np.empty((total or 0, *shape), dtype) if out is None else out
        self.ok: list[NDArray[np.bool_]] = []
        self.n = 0

    def add(self, signed: Signed) -> None:
        needed = self.n + len(signed.records)
        if needed > len(self.records):
            if self.given:
                raise InvalidInputError(f"out has {len(self.records)} places, there are more documents", argument="out")
            grown = np.empty((max(needed, 3 * len(self.records) // 2), *self.records.shape[1:]), self.records.dtype)
            grown[: self.n] = self.records[: self.n]
            self.records = grown
        self.records[self.n : needed] = signed.records
        self.ok.append(signed.ok)
        self.n = needed

    def finish(self, with_mask: bool) -> Any:
        if self.given and self.n < len(self.records):
            places = len(self.records)
            raise InvalidInputError(f"out has {places} places, there are {self.n} documents", argument="out")
        records = self.records if self.n == len(self.records) else self.records[: self.n].copy()
        if not with_mask:
            return records
        return records, np.concatenate(self.ok) if self.ok else np.empty(0, np.bool_)


def _check_out(out: object, total: int | None, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape[1:] != shape or out.ndim != 1 + len(shape):
        got = f"{out.dtype} {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        wanted = ", ".join(["n", *map(str, shape)])
        raise InvalidInputError(f"out must be an array of {dtype} with shape ({wanted}), got {got}", argument="out")
    if not out.flags.writeable:
        raise InvalidInputError("out must be writeable", argument="out")
    if total is not None and len(out) != total:
        raise InvalidInputError(f"out has {len(out)} places, there are {total} documents", argument="out")
