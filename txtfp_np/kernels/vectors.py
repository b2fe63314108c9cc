"""Products and distances of vectors: for chosen pairs and for all pairs."""

from __future__ import annotations

import numpy as np

from ._jit import kernel, routine

#: What ``kind`` may be.
DOT, MANHATTAN, EUCLIDEAN = 0, 1, 2


@routine
def _measure(a, b, kind):
    """Four sums side by side, always in the same order, so that pairs and tiles agree to the last bit."""
    n = np.uint64(len(a))
    four = np.uint64(4)
    whole = n - n % four
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    one, two, three = np.uint64(1), np.uint64(2), np.uint64(3)
    if kind == DOT:
        for at in range(np.uint64(0), whole, four):
            s0 += a[at] * b[at]
            s1 += a[at + one] * b[at + one]
            s2 += a[at + two] * b[at + two]
            s3 += a[at + three] * b[at + three]
        for at in range(whole, n):
            s0 += a[at] * b[at]
    elif kind == MANHATTAN:
        for at in range(np.uint64(0), whole, four):
            s0 += abs(a[at] - b[at])
            s1 += abs(a[at + one] - b[at + one])
            s2 += abs(a[at + two] - b[at + two])
            s3 += abs(a[at + three] - b[at + three])
        for at in range(whole, n):
            s0 += abs(a[at] - b[at])
    else:
        for at in range(np.uint64(0), whole, four):
            d0, d1 = a[at] - b[at], a[at + one] - b[at + one]
            d2, d3 = a[at + two] - b[at + two], a[at + three] - b[at + three]
            s0 += d0 * d0
            s1 += d1 * d1
            s2 += d2 * d2
            s3 += d3 * d3
        for at in range(whole, n):
            s0 += (a[at] - b[at]) * (a[at] - b[at])
    total = (s0 + s1) + (s2 + s3)
    return np.sqrt(total) if kind == EUCLIDEAN else total


@kernel
def vector_pairs(a, b, i, j, kind, out):
    """A measure of pairs of vectors.

    Parameters
    ----------
    a, b : float64[:, d], read-only
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    kind : int
        ``DOT``, ``MANHATTAN`` or ``EUCLIDEAN``.
    out : float32[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/measures.py``.
    """
    for pair in range(len(i)):
        out[pair] = np.float32(_measure(a[i[pair]], b[j[pair]], kind))


@kernel
def vector_tile(a, b, rows, columns, kind, out):
    """A measure of every row of ``a`` with every row of ``b``, for a part of them.

    Parameters
    ----------
    a, b : float64[:, d], read-only
    rows, columns : (int, int)
        First row of ``a`` and the one after the last; the same of ``b``.
    kind : int
        As in :func:`vector_pairs`.
    out : float32[len(a), len(b)]
        Written at these rows and columns.
    """
    for row in range(rows[0], rows[1]):
        for column in range(columns[0], columns[1]):
            out[row, column] = np.float32(_measure(a[row], b[column], kind))
