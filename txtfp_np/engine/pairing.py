"""Second pass, over the work files alone: equal documents, and candidate pairs band by band."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, run_blocks
from ..columns.checks import read_only
from ..dedup.pairs import least_slots
from ..index.join import words_at
from .crowds import LEAST_CROWD, crowd_file, write_crowd
from .job import Job
from .scan import band_file
from .sorting import SortedRows, sorted_parts
from .work import MappedFile, RowFile, WorkFolder, read_rows

Rows32 = NDArray[np.uint32]

_JOINED_ROWS = 1 << 12  # signatures that a thread holds: 4 MB at 128 slots
_GATHERED_ROWS = 1 << 7  # the system maps 64 kB around each that is touched
_PAIRS_A_CALL = 1 << 14
_RUN = 1 << 18

Said = Callable[[int, int], object]


# ── equal documents ─────────────────────────────────────────────────────────────────────────────
def find_copies(work: WorkFolder, job: Job) -> None:
    """Write ``copy_of``: the first row that counts as equal, for every row; itself for one without tokens."""
    if work.state.get("copies"):
        return
    n = work.state["scan"]["rows"]
    out = np.arange(n, dtype=np.uint32)
    if n:
        upper = MappedFile(work.path("group2"), np.uint64)
        for part in sorted_parts(work.path("group"), n, alive_rows(work), job.sort_bytes(n)):
            _mark_copies(part, upper, out)
    file = RowFile(work.path("copy_of"), np.uint32)
    file.append(out)
    file.sync()
    file.close()
    work.state["copies"] = True
    work.save()


def alive_rows(work: WorkFolder) -> NDArray[np.bool_]:
    """Documents that have tokens."""
    empty: NDArray[np.bool_] = read_rows(work.path("empty"), np.bool_)
    return ~empty


def _mark_copies(part: SortedRows, upper: MappedFile, out: Rows32) -> None:
    """Compare the upper halves of digests whose lower halves are equal, a run of rows at a time."""
    keys, rows = part
    leader_key, leader = keys[0] ^ np.uint64(1), rows[0]
    odd: list[Rows32] = []
    for first in range(0, len(keys), _RUN):
        some_keys, some_rows = keys[first : first + _RUN], rows[first : first + _RUN]
        begins = np.ones(len(some_keys), np.bool_)
        begins[1:] = some_keys[1:] != some_keys[:-1]
        begins[0] = some_keys[0] != leader_key
        place = np.maximum.accumulate(np.where(begins, np.arange(len(begins)), -1))
        leaders = np.where(place >= 0, some_rows[place], leader)
        others = np.flatnonzero(~begins)
        same = upper.array[some_rows[others]] == upper.array[leaders[others]]
        out[some_rows[others[same]]] = leaders[others[same]]
        odd.append(some_rows[others[~same]])
        leader_key, leader = some_keys[-1], leaders[-1]
        upper.forget()
    left = np.concatenate(odd)
    while len(left):  # half a digest is equal by chance: once in a thousand million documents, if that
        values = upper.array[left]
        alike = left[values == values[0]]
        out[alike] = alike.min()
        left = left[values != values[0]]


# ── candidates ──────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True, slots=True)
class _Buckets:
    """Rows in buckets of two or more."""

    keys: NDArray[np.uint64]
    rows: Rows32
    is_large: bool

    def __len__(self) -> int:
        return len(self.rows)


def pair_file(band: int) -> str:
    """Name of the file of a band's candidates: both rows and how many slots are equal, three ``uint32``."""
    return f"pairs-{band:03}"


def find_candidates(work: WorkFolder, job: Job, said: Said) -> None:
    """Write the pairs that each band finds first, and for a star its crowds in place of theirs, one band at a time.

    ``said(done, bands)`` is called after each.
    """
    if job.bands is None:
        return
    n = work.state["scan"]["rows"]
    done = work.state.get("bands", 0)
    if done == job.bands.bands:
        return
    copy_of = read_rows(work.path("copy_of"), np.uint32)
    alive = alive_rows(work)
    for first in range(0, n, _RUN):
        some = copy_of[first : first + _RUN]
        alive[first : first + _RUN] &= some == np.arange(first, first + len(some), dtype=np.uint32)
    del copy_of
    signatures = MappedFile(work.path("signatures"), np.uint64)
    for band in range(done, job.bands.bands):
        pairs = RowFile(work.path(pair_file(band)), np.uint32, 3)
        crowds = RowFile(work.path(crowd_file(band)), np.uint32)
        try:
            for part in sorted_parts(work.path(band_file(band)), n, alive, job.sort_bytes(n), True):
                _join(part, band, job, signatures, pairs, crowds)
            pairs.sync()
            crowds.sync()
        finally:
            pairs.close()
            crowds.close()
        work.state["bands"] = band + 1
        work.save()
        said(band + 1, job.bands.bands)


def _join(part: SortedRows, band: int, job: Job, signatures: MappedFile, file: RowFile, crowds: RowFile) -> None:
    assert job.bands is not None
    h, n_rows = job.bands.h, job.bands.rows
    words = signatures.array.reshape(-1, 1 + h)
    shape = (band, n_rows, 1 + h, least_slots(job.settings))

    def work(buckets: _Buckets, scratch: Scratch) -> Iterable[NDArray[np.uint32]]:
        if buckets.is_large:
            return _pairs_in_place(buckets, words, shape, signatures)  # worked off where it is consumed
        ascending = np.argsort(buckets.rows)
        order = np.empty(len(ascending), np.uint32)
        order[ascending] = np.arange(len(ascending), dtype=np.uint32)
        mine = buckets.rows[ascending]
        held = scratch.take("signatures", len(mine) * (1 + h), np.uint64).reshape(-1, 1 + h)
        for first in range(0, len(mine), _GATHERED_ROWS):
            some = slice(first, first + _GATHERED_ROWS)
            np.take(words, mine[some], axis=0, out=held[some], mode="clip")
            signatures.forget()
        local = np.arange(len(mine), dtype=np.int64)
        found = list(_pairs_of(words_at(held), local, buckets.keys, order, shape))
        for block in found:
            block[:, :2] = mine[block[:, :2]]
        return found

    def consume(found: Iterable[NDArray[np.uint32]]) -> None:
        for block in found:
            file.append(block)

    def to_join() -> Iterator[_Buckets]:
        for buckets in _cut(*part):
            if buckets.is_large and job.settings.linkage == "star":
                write_crowd(crowds, buckets.rows)
            else:
                yield buckets

    run_blocks(to_join(), work, consume, threads=job.threads, detached=True)


def _cut(keys: NDArray[np.uint64], rows: Rows32) -> Iterator[_Buckets]:
    """Whole buckets, so many that a thread can hold their signatures and pairs; large ones apart."""
    last = np.flatnonzero(keys[1:] != keys[:-1])
    starts = np.concatenate([[0], last + 1, [len(keys)]])
    large = np.flatnonzero(np.diff(starts) > LEAST_CROWD)
    begin = 0
    for first, stop in [*zip(starts[large].tolist(), starts[large + 1].tolist(), strict=True), (len(keys), len(keys))]:
        while begin < first:
            # the last bucket that still ends within the limit
            end = int(starts[np.searchsorted(starts, begin + _JOINED_ROWS, "right") - 1])
            end = min(end, first)
            yield _Buckets(keys[begin:end], rows[begin:end], False)
            begin = end
        if stop > first:
            yield _Buckets(keys[first:stop], rows[first:stop], True)
        begin = stop


def _pairs_of(
    at: NDArray[np.int64],
    rows: NDArray[np.int64],
    keys: NDArray[np.uint64],
    order: Rows32,
    shape: tuple[int, int, int, int],
) -> Iterator[NDArray[np.uint32]]:
    """Blocks of pairs of ``rows``, with the number of slots that are equal."""
    from ..kernels.join import join_band

    cursor, out = np.zeros(2, np.int64), np.empty((_PAIRS_A_CALL, 3), np.int64)
    while cursor[0] < len(keys):
        n = join_band(at, read_only(rows), read_only(keys), read_only(order), shape, cursor, out)
        if n:
            yield out[:n].astype(np.uint32)


def _pairs_in_place(
    buckets: _Buckets, words: NDArray[np.uint64], shape: tuple[int, int, int, int], signatures: MappedFile
) -> Iterator[NDArray[np.uint32]]:
    order = np.arange(len(buckets), dtype=np.uint32)
    rows = buckets.rows.astype(np.int64)
    for block in _pairs_of(words_at(words), rows, buckets.keys, order, shape):
        yield block
        signatures.forget()
