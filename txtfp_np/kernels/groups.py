"""Equal values: spreading results over their rows, joining rows into components."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .linkage import root_of

_HALF = np.uint64(32)
_LOW_HALF = np.uint64(0xFFFFFFFF)


@kernel
def group_starts(low, high, out_low, out_high, starts):
    """Where each run of equal values begins in sorted ones; returns how many runs there are.

    Parameters
    ----------
    low, high : uint64[n], read-only
        ``high`` may be empty.
    out_low, out_high : uint64[n]
        Written: one value a run; ``out_high`` only if ``high`` is not empty.
    starts : int64[n + 1]
        Written, and ``n`` after the last.
    """
    wide = len(high) > 0
    n_groups = 0
    for i in range(len(low)):
        if i == 0 or low[i] != low[i - 1] or (wide and high[i] != high[i - 1]):
            starts[n_groups] = i
            out_low[n_groups] = low[i]
            if wide:
                out_high[n_groups] = high[i]
            n_groups += 1
    starts[n_groups] = len(low)
    return n_groups


@kernel
def count_spread(pairs, starts):
    """Number of pairs of rows: all of equal values, and all of the groups of each pair."""
    total = np.int64(0)
    for group in range(len(starts) - 1):
        size = starts[group + 1] - starts[group]
        total += size * (size - 1) // 2
    for pair in pairs:
        a, b = np.int64(pair >> _HALF), np.int64(pair & _LOW_HALF)
        total += (starts[a + 1] - starts[a]) * (starts[b + 1] - starts[b])
    return total


@helper
def _ordered(a, b):
    return (np.uint64(min(a, b)) << _HALF) | np.uint64(max(a, b))


@kernel
def spread_pairs(pairs, distances, starts, order, out, out_distances):
    """Pairs of groups as pairs of rows.

    Parameters
    ----------
    pairs : uint64[p], read-only
        Two groups each, in the upper and the lower half.
    distances : uint8[p], read-only
    starts, order : int64[groups + 1], uint32[n], read-only
        Rows of group ``g`` are ``order[starts[g]:starts[g + 1]]``.
    out : uint64[count_spread]
        Written: smaller row in the upper half.
    out_distances : uint32[count_spread]
        Written.
    """
    written = 0
    for group in range(len(starts) - 1):
        for i in range(starts[group], starts[group + 1]):
            for j in range(i + 1, starts[group + 1]):
                out[written] = _ordered(order[i], order[j])
                out_distances[written] = 0
                written += 1
    for pair in range(len(pairs)):
        a, b = np.int64(pairs[pair] >> _HALF), np.int64(pairs[pair] & _LOW_HALF)
        for i in range(starts[a], starts[a + 1]):
            for j in range(starts[b], starts[b + 1]):
                out[written] = _ordered(order[i], order[j])
                out_distances[written] = distances[pair]
                written += 1


@kernel
def spread_hits(hits, starts, order, alive, base, out, counts):
    """Groups that probes have hit as rows, ascending for each probe; returns how many rows.

    Parameters
    ----------
    hits : tuple of uint32[h], uint8[h]
        Groups, in the order of the probes, and distances.
    starts, order : int64[groups + 1], uint32[n], read-only
        As in :func:`spread_pairs`.
    alive : bool[:], read-only
        Rows that count, by number; empty: all.
    base : int
        Added to the numbers in ``order``.
    out : tuple of int64[:], uint8[:]
        Written: rows and distances; as long as the groups together.
    counts : int64[n_probes]
        In: groups of each probe. Out: rows of each.
    """
    ranks, distances = hits
    out_rows, out_distances = out
    hit = 0
    written = 0
    for probe in range(len(counts)):
        begin = written
        for _ in range(counts[probe]):
            group = np.int64(ranks[hit])
            for i in range(starts[group], starts[group + 1]):
                row = np.int64(order[i]) + base
                if len(alive) == 0 or alive[row]:
                    out_rows[written] = row
                    out_distances[written] = distances[hit]
                    written += 1
            hit += 1
        counts[probe] = written - begin
        if written - begin > 1:
            _sort_rows(out_rows[begin:written], out_distances[begin:written])
    return written


@helper
def _sort_rows(rows, distances):
    """Few are inserted one by one; many are merged: they come in ascending runs, for which quicksort is quadratic."""
    n = len(rows)
    if n > 32:
        place = 1
        while place < n and rows[place - 1] <= rows[place]:
            place += 1
        if place == n:
            return
        order = np.argsort(rows, kind="mergesort")
        rows[:] = rows[order]
        distances[:] = distances[order]
        return
    for i in range(1, n):
        row, distance = rows[i], distances[i]
        place = i
        while place > 0 and rows[place - 1] > row:
            rows[place] = rows[place - 1]
            distances[place] = distances[place - 1]
            place -= 1
        rows[place] = row
        distances[place] = distance


@kernel
def component_labels(pairs, starts, order, labels):
    """Number of the component of each row, by first row; -1 for a row that is alone. Returns their number.

    Parameters
    ----------
    pairs, starts, order
        As in :func:`spread_pairs`; rows of one group belong together.
    labels : int64[n]
        Written.
    """
    n_groups = len(starts) - 1
    parents = np.arange(n_groups)
    sizes = np.empty(n_groups, np.int64)
    for group in range(n_groups):
        sizes[group] = starts[group + 1] - starts[group]
    for pair in pairs:
        a, b = root_of(parents, np.int64(pair >> _HALF)), root_of(parents, np.int64(pair & _LOW_HALF))
        if a != b:
            if sizes[a] < sizes[b]:
                a, b = b, a
            parents[b] = a
            sizes[a] += sizes[b]
    for group in range(n_groups):
        root = root_of(parents, group)
        for i in range(starts[group], starts[group + 1]):
            labels[order[i]] = root if sizes[root] > 1 else -1
    numbers = np.full(n_groups, -1)
    n_components = 0
    for row in range(len(labels)):
        root = labels[row]
        if root >= 0:
            if numbers[root] < 0:
                numbers[root] = n_components
                n_components += 1
            labels[row] = numbers[root]
    return n_components
