"""Which sets are in which others: exactly, by their rarest values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..index.join import sort_in_place
from .verify import ShingleSets, set_shares

Rows = NDArray[np.int64]
Matches = tuple[Rows, Rows, NDArray[np.float64]]

_PAIRS_A_BLOCK = 1 << 16


def take_sets(sets: ShingleSets, chosen: Rows) -> ShingleSets:
    """Some of the sets."""
    if len(chosen) == len(sets.offsets) - 1:
        return sets
    mask = np.zeros(len(sets.offsets) - 1, np.bool_)
    mask[chosen] = True
    sizes = sets.sizes
    offsets = np.zeros(len(chosen) + 1, np.int64)
    np.cumsum(sizes[chosen], out=offsets[1:])
    return ShingleSets(read_only(sets.values[np.repeat(mask, sizes)]), read_only(offsets))


def contained(
    sets: ShingleSets, threshold: float, threads: int | None = 1, fresh: NDArray[np.bool_] | None = None
) -> Matches:
    """Pairs of distinct sets of which the smaller is in the larger one, up to the threshold.

    ``fresh`` marks sets of interest: pairs of two others are left out.

    Exact: a set that shares ``c`` of its ``n`` values cannot differ in all of any ``n - c + 1`` of them, so
    the sets that hold one of its rarest ``n - c + 1`` values are all that need be looked at.
    """
    from ..kernels.containment import contained_pairs, fill_postings, number_shared

    values, offsets = sets
    n_values = len(values)
    numbers, starts = np.empty(n_values, np.uint32), np.empty(n_values + 1, np.int64)
    keys = values.copy()
    order = sort_in_place(keys)
    n_shared = number_shared(read_only(keys), order, numbers, starts)
    del keys, order
    numbers, ends = read_only(numbers), starts[: n_shared + 1].copy()
    del starts
    postings = np.empty(ends[-1], np.uint32)
    fill_postings(numbers, offsets, ends, postings)
    needed = least_shared(sets.sizes, threshold)
    cursor, stamps = np.zeros(2, np.int64), np.full(len(needed), -1)
    out = np.empty((_PAIRS_A_BLOCK, 2), np.int64)
    kept: list[Matches] = []
    while cursor[0] < len(needed):
        n = contained_pairs(
            numbers, offsets, read_only(postings), read_only(ends), read_only(needed), cursor, stamps, out
        )
        i, j = (out[:n] if fresh is None else out[:n][fresh[out[:n]].any(axis=1)]).T.copy()
        share = set_shares(sets, i, j, "containment", threads)
        enough = share >= threshold
        kept.append((i[enough], j[enough], share[enough]))
    if not kept:
        return np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)
    return tuple(np.concatenate(side) for side in zip(*kept, strict=True))  # type: ignore[return-value]


def least_shared(sizes: Rows, threshold: float) -> Rows:
    """Least number of values whose share of a set is at least the threshold, as floats compare.

    Examples
    --------
    >>> least_shared(np.array([10, 3, 0]), 0.7)
    array([7, 3, 0])
    """
    whole = np.maximum(sizes, 1)
    needed: Rows = np.ceil(threshold * sizes).astype(np.int64)
    needed -= (needed > 0) & ((needed - 1) / whole >= threshold)
    needed += (sizes > 0) & (needed / whole < threshold)
    return needed
