"""Sets of hashes as sorted runs: making them, and what two of them have in common."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine

_ONE = np.uint64(1)
_FEW = 24


@routine
def _sort_run(values):
    if len(values) > _FEW:
        values.sort()
        return
    for i in range(1, len(values)):
        value = values[i]
        j = i
        while j > 0 and values[j - 1] > value:
            values[j] = values[j - 1]
            j -= 1
        values[j] = value


@kernel
def distinct_sets(values, offsets, out, out_offsets):
    """Sorted distinct values of every run.

    Parameters
    ----------
    values : uint64[:], read-only
    offsets : int64[n + 1], read-only
        Run ``d`` is ``values[offsets[d]:offsets[d + 1]]``.
    out : uint64[:]
        As long as the runs together; the sets are written one after another.
    out_offsets : int64[n + 1]
        Written; the first is 0.

    Notes
    -----
    Oracle: ``tests/oracles/dedup.py``, for all of this file.
    """
    written = 0
    out_offsets[0] = 0
    for d in range(len(offsets) - 1):
        run = values[offsets[d] : offsets[d + 1]]
        own = out[written : written + len(run)]
        own[:] = run
        _sort_run(own)
        n = 0
        for at in range(len(own)):
            if at == 0 or own[at] != own[n - 1]:
                own[n] = own[at]
                n += 1
        written += n
        out_offsets[d + 1] = written


@helper
def in_common(a, b):
    """Number of values in both sorted sets; no branch that depends on the values."""
    n_a, n_b = np.uint64(len(a)), np.uint64(len(b))
    at_a, at_b, common = np.uint64(0), np.uint64(0), np.uint64(0)
    while at_a < n_a and at_b < n_b:
        mine, other = a[at_a], b[at_b]
        common += np.uint64(mine == other)
        at_a += np.uint64(mine <= other)
        at_b += np.uint64(other <= mine)
    return np.int64(common)


@kernel
def common_pairs(values, offsets, i, j, out):
    """Values that the two sets of each pair have in common.

    Parameters
    ----------
    values, offsets : uint64[:], int64[n + 1], read-only
        Sets as :func:`distinct_sets` writes them.
    i, j : int64[m], read-only
    out : int64[m]
        Written.
    """
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        out[pair] = in_common(values[offsets[a] : offsets[a + 1]], values[offsets[b] : offsets[b + 1]])


@kernel
def sorted_runs(values, offsets, out):
    """Values of every run in ascending order, repetitions kept: multisets.

    Parameters
    ----------
    values, offsets : uint64[:], int64[n + 1], read-only
        Runs as in :func:`distinct_sets`; the first begins at 0.
    out : uint64[:]
        As long as the runs together. Written.
    """
    for d in range(len(offsets) - 1):
        own = out[offsets[d] : offsets[d + 1]]
        own[:] = values[offsets[d] : offsets[d + 1]]
        _sort_run(own)


@kernel
def common_of_two(values_a, offsets_a, values_b, offsets_b, i, j, out):
    """As :func:`common_pairs`, of sets in two columns; of multisets, as often as both have a value.

    Parameters
    ----------
    values_a, offsets_a, values_b, offsets_b : uint64[:], int64[:], read-only
        As :func:`distinct_sets` or :func:`sorted_runs` writes them.
    i, j : int64[m], read-only
        Rows of ``a`` and of ``b``.
    out : int64[m]
        Written.
    """
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        out[pair] = in_common(values_a[offsets_a[a] : offsets_a[a + 1]], values_b[offsets_b[b] : offsets_b[b + 1]])
