"""Parts of a Hamming index: equal values grouped, tables for probes, and the join that finds all pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, run_blocks
from ..columns.checks import read_only
from ..errors import InvalidInputError
from .blocks import Plan, plan_for_pairs, plan_for_probes

Words: TypeAlias = NDArray[np.uint64]

PAD = 8  # fingerprints that kernels read beyond the last one
MAX_ROWS = (1 << 32) - 2  # positions are 32-bit inside
_PART_ROWS = 12  # log2: what is sorted and compared at once stays in the L1 cache
_MAX_PART_BITS = 11  # more streams than that at once, and the writes miss the TLB
_CHUNK = 1 << 16  # pairs or hits handed over at once


class Groups(NamedTuple):
    """Distinct values in ascending order, and the rows that hold each.

    ``low`` and ``high`` are the words of the values (``high`` is empty up to 64 bits), and rows
    ``order[starts[g]:starts[g + 1]]``, ascending, hold value ``g``.
    """

    low: Words
    high: Words
    starts: NDArray[np.int64]
    order: NDArray[np.uint32]


def group_equal(words: Words) -> Groups:
    """Groups of equal rows of ``uint64[n, 1 or 2]``."""
    from ..kernels.groups import group_starts
    from ..kernels.sorting import sort_keys

    n = len(words)
    if n > MAX_ROWS:
        raise InvalidInputError(f"at most {MAX_ROWS} fingerprints are possible, got {n}", argument="fingerprints")
    order = np.empty(n, np.uint32)
    low = words[:, 0].copy()
    spare, spare_order = np.empty(n, np.uint64), np.empty(n, np.uint32)
    sort_keys(low, order, False, spare, spare_order)
    if words.shape[1] == 1:
        high = np.empty(0, np.uint64)
    else:
        high = words[order, 1]
        sort_keys(high, order, True, spare, spare_order)
        low = words[order, 0]
    distinct_low, distinct_high = np.empty(n, np.uint64), np.empty(len(high), np.uint64)
    starts = np.empty(n + 1, np.int64)
    n_groups = group_starts(read_only(low), read_only(high), distinct_low, distinct_high, starts)
    return Groups(
        read_only(distinct_low[:n_groups]),
        read_only(distinct_high[:n_groups] if len(high) else distinct_high),
        read_only(starts[: n_groups + 1]),
        read_only(order),
    )


class HammingClusters(NamedTuple):
    """Connected components of at least two fingerprints.

    Attributes
    ----------
    labels : int64 (n,)
        Cluster of each position, counted by first position; -1: in none.
    indptr : int64 (clusters + 1,)
        Cluster ``c`` is ``positions[indptr[c]:indptr[c + 1]]``.
    positions : int64 (m,)
        Ascending inside each cluster.
    """

    labels: NDArray[np.int64]
    indptr: NDArray[np.int64]
    positions: NDArray[np.int64]


def clusters_of(labels: NDArray[np.int64], n_clusters: int) -> HammingClusters:
    """Members of each cluster, from the cluster of each position."""
    members = np.flatnonzero(labels >= 0)
    members = members[labels[members].argsort(kind="stable")]
    indptr = np.zeros(n_clusters + 1, np.int64)
    np.cumsum(np.bincount(labels[members], minlength=n_clusters), out=indptr[1:])
    return HammingClusters(labels, indptr, members)


# ── all pairs ───────────────────────────────────────────────────────────────────────────────────
class _Task(NamedTuple):
    """One combination, one slice of its parts."""

    combination: int
    slice: int


def join(
    groups: Groups, plan: Plan | None, max_distance: int, bits: int, threads: int
) -> tuple[Words, NDArray[np.uint8]]:
    """Pairs of groups within ``max_distance``: numbers in both halves of a word, smaller first; distances.

    In no particular order, each once.
    """
    n = len(groups.low)
    if n < 2 or max_distance == 0:
        return np.empty(0, np.uint64), np.empty(0, np.uint8)
    plan = plan or plan_for_pairs(groups.low, groups.high, max_distance, bits)
    n_slices = 1 if threads == 1 else max(ceil(2 * threads / len(plan.rows)), ceil(threads / 4))
    work = _Join(groups, plan, n_slices)
    tasks = (_Task(number, part) for number in range(len(plan.rows)) for part in range(n_slices))
    pairs: list[Words] = []
    distances: list[NDArray[np.uint8]] = []

    def consume(found: list[tuple[Words, NDArray[np.uint8]]]) -> None:
        pairs.extend(part for part, _ in found)
        distances.extend(part for _, part in found)

    run_blocks(tasks, work.run, consume, threads=threads)
    if not pairs:
        return np.empty(0, np.uint64), np.empty(0, np.uint8)
    return np.concatenate(pairs), np.concatenate(distances)


class _Join:
    """What a thread does with a task."""

    def __init__(self, groups: Groups, plan: Plan, n_slices: int) -> None:
        log_n = len(groups.low).bit_length()
        self.groups, self.plan = groups, plan
        self.bits = min(plan.key_bits, log_n)
        self.part_bits = min(max(log_n - _PART_ROWS, 1), self.bits, _MAX_PART_BITS)
        self.n_slices = n_slices

    def run(self, task: _Task, scratch: Scratch) -> list[tuple[Words, NDArray[np.uint8]]]:
        from ..kernels.hamming import count_parts, join_parts, scatter_parts

        low, high = self.groups.low, self.groups.high
        combination = self.plan.rows[task.combination]
        n_parts = 1 << self.part_bits
        first, last = (n_parts * (task.slice + step) // self.n_slices for step in (0, 1))
        if first == last:
            return []
        bounds = scratch.take("bounds", n_parts + 1, np.int64)
        count_parts(low, high, combination, self.part_bits, bounds)
        n = int(bounds[last] - bounds[first])
        parts = (
            scratch.take("low", n, np.uint64),
            scratch.take("high", n if len(high) else 0, np.uint64),
            scratch.take("rank", n, np.uint32),
        )
        scatter_parts(low, high, combination, self.part_bits, bounds, (first, last), parts)
        inner = bounds[first : last + 1] - bounds[first]
        shape = (self.bits, self.part_bits, self.plan.max_distance)
        state = np.zeros(3, np.int64)
        room = _CHUNK
        found = []
        while state[0] < last - first:
            pairs, distances = scratch.take("pairs", room, np.uint64), scratch.take("distances", room, np.uint8)
            join_parts(parts, inner, combination, self.plan.blocks, shape, state, pairs, distances)
            if state[2]:
                found.append((pairs[: state[2]].copy(), distances[: state[2]].copy()))
            elif state[0] < last - first:
                room *= 4  # not even the pairs of one fingerprint had room
            state[2] = 0
        return found


# ── probes ──────────────────────────────────────────────────────────────────────────────────────
@dataclass(frozen=True)
class Segment:
    """Fingerprints at positions ``begin`` to ``end``, ready for probes.

    ``low``, ``high``, ``rank`` and ``bounds`` hold one table a row, each with one combination of blocks.
    ``name`` is that of the files they were mapped from, None in memory.
    """

    begin: int
    end: int
    plan: Plan
    starts: NDArray[np.int64]
    order: NDArray[np.uint32]
    low: Words
    high: Words
    rank: NDArray[np.uint32]
    bounds: NDArray[np.uint32]
    name: str | None = None

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        arrays = (self.starts, self.order, self.low, self.high, self.rank, self.bounds)
        return sum(array.nbytes for array in arrays)

    @classmethod
    def build(
        cls,
        words: Words,
        rows: NDArray[np.int64] | None,
        span: tuple[int, int],
        plan: Plan | None,
        limits: tuple[int, int],
        threads: int = 1,
    ) -> Segment:
        """Tables of words and of their rows, which count from ``span[0]`` (None: all); ``limits``: distance, bits."""
        from ..kernels.hamming import build_table

        groups = group_equal(words)
        n = len(groups.low)
        plan = plan or plan_for_probes(groups.low, groups.high, *limits)
        n_tables = len(plan.rows)
        wide = words.shape[1] > 1
        table_bits = max(1, min(plan.key_bits, n.bit_length() - 2))
        low = np.zeros((n_tables, n + PAD), np.uint64)
        high = np.zeros((n_tables, n + PAD if wide else 0), np.uint64)
        rank = np.empty((n_tables, n), np.uint32)
        bounds = np.empty((n_tables, (1 << table_bits) + 1), np.uint32)

        def work(number: range, scratch: Scratch) -> None:
            table = number.start
            out = bounds[table], low[table], high[table], rank[table]
            build_table(groups.low, groups.high, plan.rows[table], table_bits, *out)

        # as many copies of the column are in work as there are threads
        run_blocks((range(table, table + 1) for table in range(n_tables)), work, _ignore, threads=threads)
        order = groups.order if rows is None else rows[groups.order].astype(np.uint32)
        tables = (read_only(low), read_only(high), read_only(rank), read_only(bounds))
        return cls(*span, plan, read_only(groups.starts), read_only(order), *tables)

    def query(
        self, probes: Words, k: int, alive: NDArray[np.bool_], scratch: Scratch
    ) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]:
        """Number of hits of each probe, their positions and distances."""
        from ..kernels.groups import spread_hits
        from ..kernels.hamming import query_tables

        counts = np.zeros(len(probes), np.int64)
        if len(self.order) == 0:
            return counts, np.empty(0, np.int64), np.empty(0, np.uint8)
        tables = (self.low, self.high, self.rank, self.bounds)
        state = np.zeros(2, np.int64)
        room = 2 * len(probes) + 64
        hits = scratch.take("ranks", room, np.uint32), scratch.take("distances", room, np.uint8)
        while True:
            query_tables(probes, tables, self.plan.rows, self.plan.blocks, k, state, hits, counts)
            if state[0] == len(probes):
                break
            room *= 4
            # what is found already moves to the larger room
            larger = np.empty(room, np.uint32), np.empty(room, np.uint8)
            larger[0][: state[1]], larger[1][: state[1]] = hits[0][: state[1]], hits[1][: state[1]]
            hits = larger
        found = hits[0][: state[1]], hits[1][: state[1]]
        n_rows = int((self.starts[found[0] + np.int64(1)] - self.starts[found[0]]).sum())
        out = np.empty(n_rows, np.int64), np.empty(n_rows, np.uint8)
        n_rows = spread_hits(found, self.starts, self.order, alive, self.begin, out, counts)
        return counts, out[0][:n_rows], out[1][:n_rows]


class Hits(NamedTuple):
    """Answers to some probes."""

    counts: NDArray[np.int64]
    positions: NDArray[np.int64]
    distances: NDArray[np.uint8]


def query_segments(
    segments: Sequence[Segment], probes: Words, k: int, alive: NDArray[np.bool_], scratch: Scratch
) -> Hits:
    """Answers of all segments; positions of a probe ascend, because those of the segments do."""
    parts = [segment.query(probes, k, alive, scratch) for segment in segments]
    if not parts:
        return Hits(np.zeros(len(probes), np.int64), np.empty(0, np.int64), np.empty(0, np.uint8))
    if len(parts) == 1:
        return Hits(*parts[0])
    owners = np.concatenate([np.repeat(np.arange(len(probes)), counts) for counts, _, _ in parts])
    order = owners.argsort(kind="stable")
    return Hits(
        np.sum([counts for counts, _, _ in parts], axis=0),
        np.concatenate([positions for _, positions, _ in parts])[order],
        np.concatenate([distances for _, _, distances in parts])[order],
    )


def cut(probes: Words, size: int) -> Iterator[Any]:
    """Blocks of probes."""
    return (read_only(probes[begin : begin + size]) for begin in range(0, len(probes), size))


def _ignore(result: None) -> None:
    """Results are written where they belong by the workers."""
