"""Third pass: the texts of candidates alone are read again, and compared by their exact sets of shingles."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress, Scratch, TextColumn, block_bounds, run_blocks
from ..columns.checks import read_only
from ..dedup.settings import Verify
from ..sketch.run import SKETCH_BLOCK_BYTES
from ..sketch.stages import BlockStages
from . import scan as scanning
from .batches import Batch, Position
from .crowds import crowds_of
from .job import Job
from .pairing import Said, pair_file
from .readers import Input
from .work import MappedFile, RowFile, WorkFolder, read_rows

_PAIRS_A_BLOCK = 1 << 6  # each touches two sets, and the system maps 64 kB around either
_PAIRS_READ = 1 << 18

NEAR = np.dtype([("i", "<u4"), ("j", "<u4"), ("share", "<f4")])
"""A verified pair."""


def near_file(band: int) -> str:
    """Name of the file of a band's verified pairs."""
    return f"near-{band:03}"


def read_pairs(work: WorkFolder, band: int) -> Iterator[NDArray[np.uint32]]:
    """Blocks of a band's candidates."""
    path = work.path(pair_file(band))
    for first in range(0, path.stat().st_size // 12, _PAIRS_READ):
        yield read_rows(path, np.uint32, first, _PAIRS_READ, 3).reshape(-1, 3)


def near_pairs(work: WorkFolder, job: Job) -> Iterator[NDArray[np.void]]:
    """Blocks of all pairs that count."""
    for band in range(0 if job.bands is None else job.bands.bands):
        if job.settings.verify != Verify.EXACT:
            for block in read_pairs(work, band):
                pairs = np.empty(len(block), NEAR)
                pairs["i"], pairs["j"] = block[:, 0], block[:, 1]
                pairs["share"] = block[:, 2] / np.float64(job.settings.fingerprinter.h)
                yield pairs
            continue
        path = work.path(near_file(band))
        for first in range(0, path.stat().st_size // NEAR.itemsize, _PAIRS_READ):
            yield read_rows(path, NEAR, first, _PAIRS_READ)


# ── sets ────────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class _Piece:
    texts: TextColumn
    batch: Batch
    is_last: bool

    def __len__(self) -> int:
        return len(self.texts)


class _Sets(NamedTuple):
    piece: _Piece
    values: NDArray[np.uint64]
    sizes: NDArray[np.int64]


def candidates(work: WorkFolder, job: Job) -> NDArray[np.bool_]:
    """Which documents are in a candidate pair, or in a crowd."""
    wanted = np.zeros(work.state["scan"]["rows"], np.bool_)
    for band in range(0 if job.bands is None else job.bands.bands):
        for block in read_pairs(work, band):
            wanted[block[:, 0]] = True
            wanted[block[:, 1]] = True
    for rows in crowds_of(work, job):
        wanted[rows] = True
    return wanted


class SetFile:
    """The sets of all candidates.

    Attributes
    ----------
    values : MappedFile of uint64
        Sets one after another, sorted.
    offsets : int64 (m + 1,), read-only
        Where each begins.
    number : uint32 (n,), read-only
        Which set a document has, if it is a candidate.
    """

    def __init__(self, work: WorkFolder, job: Job) -> None:
        number = np.cumsum(candidates(work, job), dtype=np.uint32)
        number -= 1
        offsets = np.zeros(work.state["sets"]["sets"] + 1, np.int64)
        np.cumsum(read_rows(work.path("set-sizes"), np.int64), out=offsets[1:])
        self.values = MappedFile(work.path("sets"), np.uint64)
        self.offsets, self.number = read_only(offsets), read_only(number)


def make_sets(source: Input, work: WorkFolder, job: Job, progress: Progress) -> None:
    """Write the sets of shingles of all candidates: ``sets``, one after another, and ``set-sizes``."""
    state = work.state.setdefault("sets", {"rows": 0, "sets": 0, "values": 0, "position": list(Position())})
    if state.get("done"):
        return
    wanted = candidates(work, job)
    values = RowFile(work.path("sets"), np.uint64, 1, state["values"])
    sizes = RowFile(work.path("set-sizes"), np.int64, 1, state["sets"])
    n_sets, n_values, rows = state["sets"], state["values"], state["rows"]
    checked = time.monotonic()
    fingerprinter = job.settings.fingerprinter

    def work_on(piece: _Piece, scratch: Scratch) -> _Sets:
        if not len(piece.texts):
            return _Sets(piece, np.empty(0, np.uint64), np.empty(0, np.int64))
        found, offsets = scanning.block_sets(BlockStages(piece.texts, scratch), fingerprinter, scratch)
        return _Sets(piece, found[: offsets[-1]].copy(), np.diff(offsets))

    def consume(result: _Sets) -> None:
        nonlocal n_sets, n_values, rows, checked
        values.append(result.values)
        sizes.append(result.sizes)
        n_values += len(result.values)
        n_sets += len(result.sizes)
        if not result.piece.is_last:
            return
        batch = result.piece.batch
        rows = batch.first_row + len(batch)
        if time.monotonic() >= checked + scanning.CHECKPOINT_SECONDS:
            state.update(rows=rows, sets=n_sets, values=n_values, position=list(batch.after))
            work.save(within_stage=True)
            checked = time.monotonic()

    try:
        if wanted[rows:].any():
            run_blocks(
                _pieces(source.batches(Position(*state["position"]), first_row=rows), wanted),
                work_on,
                consume,
                threads=job.threads if fingerprinter._threadable else 1,
                detached=True,
                progress=progress,
                total=int(np.count_nonzero(wanted[rows:])),
            )
        values.sync()
        sizes.sync()
    finally:
        values.close()
        sizes.close()
    state.update(rows=rows, sets=n_sets, values=n_values, done=True)
    work.save()


def _pieces(batches: Iterator[Batch], wanted: NDArray[np.bool_]) -> Iterator[_Piece]:
    for batch in batches:
        texts = batch.texts.take(wanted[batch.first_row : batch.first_row + len(batch)])
        bounds = block_bounds(texts.offsets, SKETCH_BLOCK_BYTES) or [(0, 0)]
        for first, stop in bounds:
            yield _Piece(texts[first:stop], batch, stop == len(texts))


# ── similarities ────────────────────────────────────────────────────────────────────────────────
def verify(work: WorkFolder, job: Job, said: Said) -> None:
    """Write the pairs whose exact similarity reaches the threshold, for each band."""
    bands = 0 if job.bands is None else job.bands.bands
    done = work.state.get("verified", 0)
    if done == bands:
        return
    sets = SetFile(work, job)
    for band in range(done, bands):
        file = RowFile(work.path(near_file(band)), NEAR)
        try:
            for block in read_pairs(work, band):
                file.append(_verified(block, sets, job))
            file.sync()
        finally:
            file.close()
        work.state["verified"] = band + 1
        work.save()
        said(band + 1, bands)


def _verified(block: NDArray[np.uint32], sets: SetFile, job: Job) -> NDArray[np.void]:
    from ..kernels.sets import common_pairs

    block = block[np.argsort(block[:, 0], kind="stable")]  # sets of neighbours lie in the same pages
    i, j = (read_only(sets.number[block[:, side]].astype(np.int64)) for side in (0, 1))
    common = np.empty(len(i), np.int64)
    values, offsets = read_only(sets.values.array), sets.offsets

    def work(some: range, scratch: Scratch) -> None:
        part = slice(some.start, some.stop)
        common_pairs(values, offsets, i[part], j[part], common[part])
        sets.values.forget()

    blocks = (range(first, min(first + _PAIRS_A_BLOCK, len(i))) for first in range(0, len(i), _PAIRS_A_BLOCK))
    run_blocks(blocks, work, lambda _: None, threads=job.threads)
    sizes_i, sizes_j = offsets[i + 1] - offsets[i], offsets[j + 1] - offsets[j]
    share = common / np.maximum(sizes_i + sizes_j - common, 1)
    enough = share >= job.settings.threshold
    pairs = np.empty(int(np.count_nonzero(enough)), NEAR)
    pairs["i"], pairs["j"], pairs["share"] = block[enough, 0], block[enough, 1], share[enough]
    return pairs
