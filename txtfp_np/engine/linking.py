"""Fourth pass, over verified pairs: who stands by whom."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..dedup.pairs import least_slots
from ..dedup.policies import keep_order
from ..dedup.settings import Verify
from ..index.join import words_at
from .crowds import CrowdFile, crowds_of
from .job import Job
from .sorting import portions
from .verifying import SetFile, near_pairs
from .work import MappedFile, RowFile, WorkFolder, read_rows

Rows = NDArray[np.int64]
Rows32 = NDArray[np.uint32]

_PAIR_BYTES = 44  # of a pair that is sorted: rank, rows, similarity, order, and the sorted ones
_LEAST_PAIRS = 1 << 18
_MOST_PAIRS = 1 << 21  # that are sorted at once if nothing was said about memory
_CROWD_ROWS = 1 << 18


def link_rows(work: WorkFolder, job: Job, keep: str) -> None:
    """Write ``representative`` and ``similarity`` of every row, and count.

    As :func:`txtfp_np.dedup.linkage.link`, but pairs come from files, as many at once as memory allows.
    """
    from ..kernels.linkage import best_copies

    if "counts" in work.state:
        return
    n = work.state["scan"]["rows"]
    rank = read_only(_ranks(work, keep, n))
    best = np.empty(n, np.int64)
    best_copies(read_only(read_rows(work.path("copy_of"), np.uint32).astype(np.int64)), rank, best)
    representative, similarity = np.arange(n), np.ones(n, np.float32)
    links = _Links(best, rank, representative, similarity)
    n_pairs = links.star(work, job) if job.settings.linkage == "star" else links.components(work, job)
    copies = np.flatnonzero(best != np.arange(n))
    representative[copies], similarity[copies] = representative[best[copies]], similarity[best[copies]]
    n_pairs += len(copies)
    del links, rank, best, copies
    for name, values in (("representative", representative.astype(np.uint32)), ("similarity", similarity)):
        file = RowFile(work.path(name), values.dtype)
        file.append(values)
        file.sync()
        file.close()
    del similarity
    work.state["counts"] = _counts(work, job, representative, n_pairs)
    work.save()


def _ranks(work: WorkFolder, keep: str, n: int) -> Rows:
    if keep.startswith("column:"):
        return keep_order(read_rows(work.path("priorities"), np.float64), n)
    lengths = read_rows(work.path("lengths"), np.int64) if keep in ("longest", "shortest") else None
    return keep_order(keep, n, lengths)


@dataclass(frozen=True)
class _Links:
    """Arrays of a linkage under way; ``best``: which of equal documents pairs are about."""

    best: Rows
    rank: Rows
    representative: Rows
    similarity: NDArray[np.float32]

    def _pairs(self, work: WorkFolder, job: Job) -> Iterator[tuple[Rows, Rows, NDArray[np.float32]]]:
        for block in near_pairs(work, job):
            yield self.best[block["i"]], self.best[block["j"]], np.ascontiguousarray(block["share"])

    def _events(self, work: WorkFolder, job: Job) -> Iterator[tuple[Rows, Rows, Rows, NDArray[np.float32]]]:
        """Rank of the better row, that row, the other one and their similarity; NaN: the other is a crowd."""
        for i, j, share in self._pairs(work, job):
            rank_i, rank_j = self.rank[i], self.rank[j]
            is_i = rank_i <= rank_j
            yield np.minimum(rank_i, rank_j), np.where(is_i, i, j), np.where(is_i, j, i), share
        for number, rows in enumerate(crowds_of(work, job)):
            for first in range(0, len(rows), _CROWD_ROWS):
                some = rows[first : first + _CROWD_ROWS].astype(np.int64)
                none = np.full(len(some), np.nan, np.float32)
                yield self.rank[self.best[some]], some, np.full(len(some), number), none

    def star(self, work: WorkFolder, job: Job) -> int:
        n = len(self.rank)
        width = max(1, n >> 10)  # ranks that are counted together
        sizes = np.zeros(-(-n // width), np.int64)
        n_pairs = 0
        for ranks, *_, share in self._events(work, job):
            sizes += np.bincount(ranks // width, minlength=len(sizes))
            n_pairs += len(share) - int(np.count_nonzero(np.isnan(share)))
        crowds = _Crowds(work, job)
        spare = job.sort_bytes((6 if crowds.is_needed else 4) * n)
        most = _MOST_PAIRS if spare is None else max(_LEAST_PAIRS, spare // _PAIR_BYTES)
        for bins in portions(sizes, most):
            size = int(sizes[bins].sum())
            better, other = np.empty(size, np.uint32), np.empty(size, np.uint32)
            ranks, share = np.empty(size, np.uint32), np.empty(size, np.float32)
            at = 0
            for some_ranks, rows, others, shares in self._events(work, job):
                chosen = (some_ranks // width >= bins.start) & (some_ranks // width < bins.stop)
                end = at + int(np.count_nonzero(chosen))
                better[at:end], other[at:end] = rows[chosen], others[chosen]
                ranks[at:end], share[at:end] = some_ranks[chosen], shares[chosen]
                at = end
            order = np.argsort(ranks, kind="stable")
            del ranks
            better, other, share = better[order], other[order], share[order]
            n_pairs += crowds.star(better, other, share, self)
        return n_pairs

    def components(self, work: WorkFolder, job: Job) -> int:
        from ..kernels.streams import end_components, share_stream, unite_stream

        n_pairs = 0
        for i, j, _ in self._pairs(work, job):
            unite_stream(read_only(i), read_only(j), self.rank, self.representative)
            n_pairs += len(i)
        end_components(self.representative)
        self.similarity[self.representative != np.arange(len(self.rank))] = np.nan
        for i, j, share in self._pairs(work, job):
            share_stream(read_only(i), read_only(j), read_only(share), self.representative, self.similarity)
        return n_pairs


class _Crowds:
    """What a star needs of the members of crowds: nothing, if there are none."""

    def __init__(self, work: WorkFolder, job: Job) -> None:
        self._file, settings = CrowdFile(work, job), job.settings
        self.is_needed = len(self._file) > 0
        h, is_exact = settings.fingerprinter.h, settings.verify == Verify.EXACT
        self._shape = (1 + h, least_slots(settings), settings.threshold, is_exact)
        self._mapped: list[MappedFile] = []
        none = read_only(np.empty(0, np.int64))
        self._rows = none, read_only(np.empty(0, np.uint64)), none, read_only(np.empty(0, np.uint32))
        if self.is_needed:
            signatures = MappedFile(work.path("signatures"), np.uint64)
            self._mapped.append(signatures)
            at = words_at(signatures.array.reshape(-1, 1 + h))
            self._rows = at, *self._rows[1:]
            if is_exact:
                sets = SetFile(work, job)
                self._mapped.append(sets.values)
                self._rows = at, read_only(sets.values.array), sets.offsets, sets.number

    def star(self, better: Rows32, other: Rows32, share: NDArray[np.float32], links: _Links) -> int:
        """Go on with a star; how many rows crowds have removed."""
        from ..kernels.streams import star_stream

        pairs = read_only(better), read_only(other), read_only(share)
        crowds, cursor = (self._file.members, self._file.bounds), np.zeros(4, np.int64)
        decided = links.representative, links.similarity
        while not star_stream(*pairs, read_only(links.best), crowds, self._rows, self._shape, cursor, *decided):
            for mapped in self._mapped:
                mapped.forget()
        return int(cursor[3])


def _counts(work: WorkFolder, job: Job, representative: Rows, n_pairs: int) -> dict[str, int]:
    n = len(representative)
    removed = np.flatnonzero(representative != np.arange(n))
    sizes = np.bincount(representative, minlength=1)
    copies = sum(
        int(np.count_nonzero(same_text(work, job, rows, representative[rows])))
        for rows in np.array_split(removed, 1 + len(removed) // 10**6)
    )
    return {
        "documents": n,
        "kept": n - len(removed),
        "removed": len(removed),
        "copies": copies,
        "near": len(removed) - copies,
        "empty": int(np.count_nonzero(read_rows(work.path("empty"), np.bool_))),
        "clusters": int(np.count_nonzero(sizes > 1)),
        "largest": int(sizes.max()),
        "pairs": n_pairs,
    }


def same_text(work: WorkFolder, job: Job, rows: Rows, others: Rows) -> NDArray[np.bool_]:
    """Which rows are equal to others: by their sets if these are known, else by their bytes."""
    if len(rows) == 0:
        return np.zeros(0, np.bool_)
    if job.settings.verify == Verify.EXACT:
        copy_of = np.memmap(work.path("copy_of"), np.uint32, "r")
        return np.asarray(copy_of[rows] == copy_of[others])
    raw = np.memmap(work.path("raw"), np.uint64, "r").reshape(-1, 2)
    return np.asarray((raw[rows] == raw[others]).all(axis=1))
