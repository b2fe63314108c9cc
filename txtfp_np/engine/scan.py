"""First pass: a signature, digests and band keys of every document, into the work directory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress, Scratch, TextColumn, block_bounds, run_blocks
from ..columns.checks import read_only
from ..dedup.settings import Verify
from ..errors import InvalidInputError, TokenizerError
from ..index.tables import seedless
from ..sketch.run import SKETCH_BLOCK_BYTES
from ..sketch.stages import BlockStages
from .batches import Batch, Position
from .job import Job
from .readers import Input
from .work import RowFile, WorkFolder

CHECKPOINT_SECONDS = 2.0
"""Work that is done again, at most, after a job was killed."""

_BLOCK_ROWS = 1 << 11  # of short documents; with their signatures, a few of these blocks are in memory
_MOST_ROWS = (1 << 32) - 2  # rows are numbered in 32 bits


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block of a batch."""

    texts: TextColumn
    batch: Batch
    first: int
    is_last: bool

    def __len__(self) -> int:
        return len(self.texts)


class _Rows(NamedTuple):
    """What is written of a piece."""

    piece: _Piece
    words: NDArray[np.uint64]
    keys: NDArray[np.uint64]
    digests: NDArray[np.uint64]
    groups: NDArray[np.uint64]
    empty: NDArray[np.bool_]


class RowStore:
    """The files of a scan.

    ``signatures``: records; ``raw``, ``group``, ``group2``: digest of the bytes (128 bits), digest by which
    documents count as equal (lower and upper half); ``empty``; ``lengths``; ``band-000`` and so on: keys;
    ``ids``, ``id-ends``, ``id-keys``; ``priorities``.
    """

    def __init__(self, work: WorkFolder, job: Job, source: Input, n_rows: int, id_bytes: int) -> None:
        h, bands = job.settings.fingerprinter.h, job.bands
        kinds: dict[str, tuple[str, int]] = {
            "raw": ("<u8", 2),
            "group": ("<u8", 1),
            "group2": ("<u8", 1),
            "empty": ("?", 1),
            "lengths": ("<i8", 1),
        }
        self.bands = 0 if bands is None else bands.bands
        self.width = 0 if bands is None else bands.rows
        if self.bands:
            kinds["signatures"] = ("<u8", 1 + h)
        kinds |= {band_file(band): ("<u8", 1) for band in range(self.bands)}
        self.has_ids = source.wanted.id_column is not None or source.kind == "folder"
        if self.has_ids:
            kinds |= {"id-ends": ("<i8", 1), "id-keys": ("<u8", 1)}
        if source.wanted.priority is not None:
            kinds["priorities"] = ("<f8", 1)
        self.files = {name: RowFile(work.path(name), dtype, width, n_rows) for name, (dtype, width) in kinds.items()}
        if self.has_ids:
            self.files["ids"] = RowFile(work.path("ids"), "u1", 1, id_bytes)
        self.id_bytes = id_bytes

    def append(self, rows: _Rows) -> None:
        """Write what is known of a piece."""
        files, piece = self.files, rows.piece
        part = slice(piece.first, piece.first + len(piece))
        files["raw"].append(rows.digests)
        files["group"].append(rows.groups[:, 0])
        files["group2"].append(rows.groups[:, 1])
        files["empty"].append(rows.empty)
        files["lengths"].append(np.diff(piece.texts.offsets))
        if self.bands:
            files["signatures"].append(rows.words)
        for band in range(self.bands):
            files[band_file(band)].append(rows.keys[band])
        if self.has_ids and piece.batch.ids is not None:
            self._append_ids(piece.batch.ids[part])
        if "priorities" in files and piece.batch.priorities is not None:
            files["priorities"].append(piece.batch.priorities[part])

    def _append_ids(self, ids: TextColumn) -> None:
        start, stop = ids.offsets[0], ids.offsets[-1]
        self.files["ids"].append(ids.data[start:stop])
        self.files["id-ends"].append(ids.offsets[1:] - start + self.id_bytes)
        self.id_bytes += int(stop - start)
        self.files["id-keys"].append(_digests(ids.data, ids.offsets, 1)[:, 0])

    def sync(self) -> None:
        """Flush all files to the disk."""
        for file in self.files.values():
            file.sync()

    def close(self) -> None:
        """Let go of the files."""
        for file in self.files.values():
            file.close()


def band_file(band: int) -> str:
    """Name of the file of a band's keys."""
    return f"band-{band:03}"


def scan(source: Input, work: WorkFolder, job: Job, progress: Progress, total: int | None) -> None:
    """Sign all documents, from where an earlier run was stopped on.

    ``work.state["scan"]`` then has their number, and that of bad rows.
    """
    state = work.state.setdefault(
        "scan", {"rows": 0, "id_bytes": 0, "position": list(Position()), "skipped": 0, "numeric_ids": True}
    )
    if state.get("done"):
        return
    store = RowStore(work, job, source, state["rows"], state["id_bytes"])
    fingerprinter = job.settings.fingerprinter
    checked = time.monotonic()
    rows = state["rows"]

    def consume(result: _Rows | _Piece) -> None:
        nonlocal rows, checked
        piece = result if isinstance(result, _Piece) else result.piece
        if not isinstance(result, _Piece):
            store.append(result)
        rows += len(piece)
        if rows > _MOST_ROWS:
            raise InvalidInputError(f"more than {_MOST_ROWS:,} documents", argument="inputs", advice="Split the job.")
        if not piece.is_last:
            return
        if len(piece):
            state["numeric_ids"] = state["numeric_ids"] and piece.batch.numeric_ids
        state["skipped"] += piece.batch.skipped
        state.update(rows=rows, id_bytes=store.id_bytes, position=list(piece.batch.after))
        if time.monotonic() >= checked + CHECKPOINT_SECONDS:
            store.sync()
            work.save()
            checked = time.monotonic()

    def work_on(piece: _Piece, scratch: Scratch) -> _Rows | _Piece:
        return _sign(piece, job, scratch) if len(piece) else piece

    try:
        run_blocks(
            _pieces(source.batches(Position(*state["position"]), first_row=rows)),
            work_on,
            consume,
            threads=job.threads if fingerprinter._threadable else 1,
            detached=True,
            progress=progress,
            total=total,
        )
        store.sync()
    finally:
        store.close()
    state["done"] = True
    work.save()


def _pieces(batches: Iterator[Batch]) -> Iterator[_Piece]:
    for batch in batches:
        bounds = block_bounds(batch.texts.offsets, SKETCH_BLOCK_BYTES, _BLOCK_ROWS) or [(0, 0)]
        for first, stop in bounds:
            yield _Piece(batch.texts[first:stop], batch, first, stop == len(batch))


def _sign(piece: _Piece, job: Job, scratch: Scratch) -> _Rows:
    from ..kernels.bands import band_keys

    fingerprinter, bands = job.settings.fingerprinter, job.bands
    stages = BlockStages(piece.texts, scratch)
    try:
        signed = fingerprinter._sign(stages, "@0")
    except (TokenizerError, InvalidInputError) as error:  # a user's tokenizer, or hasher
        if error.row is not None:
            error.row += piece.batch.first_row + piece.first
        raise
    words = signed.records.view(np.uint64).reshape(len(piece), -1).copy()
    raw = _digests(piece.texts.data, piece.texts.offsets, 1)
    if job.settings.verify == Verify.EXACT:
        values, offsets = block_sets(stages, fingerprinter, scratch)
        groups = _digests(values.view(np.uint8), offsets, 8)
    else:
        offsets = np.arange(len(words) + 1, dtype=np.int64)
        groups = _digests(words.reshape(-1).view(np.uint8), offsets, 8 * words.shape[1])
    keys = np.empty((0 if bands is None else bands.bands, len(words)), np.uint64)
    if bands is not None:
        band_keys(read_only(words), bands.rows, seedless(), 0, keys)
    return _Rows(piece, words, keys, raw, groups, ~signed.ok)


def block_sets(
    stages: BlockStages, fingerprinter: Any, scratch: Scratch
) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Sets of shingle hashes of a block's documents, and where each begins; the values are views of scratch."""
    from ..kernels.sets import distinct_sets

    hashes = stages.hashes(fingerprinter.canonicalizer, fingerprinter.tokenizer, fingerprinter._hashers[0])
    values = scratch.take("sets", len(hashes.low), np.uint64)
    offsets = np.empty(len(hashes.offsets), np.int64)
    distinct_sets(hashes.low, hashes.offsets, values, offsets)
    return values, offsets


def _digests(data: NDArray[np.uint8], offsets: NDArray[np.int64], width: int) -> NDArray[np.uint64]:
    from ..kernels.digests import digest_runs

    out = np.empty((len(offsets) - 1, 2), np.uint64)
    digest_runs(read_only(data), read_only(offsets), width, seedless(), out)
    return out
