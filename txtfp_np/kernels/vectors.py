"""Products and distances of vectors: for chosen pairs and for all pairs."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel

#: What ``kind`` may be.
DOT, MANHATTAN, EUCLIDEAN = 0, 1, 2

# Columns of a panel: so many vectors of ``b`` are turned, to be read a dimension at a time
_PANEL = 64

_ONE, _TWO, _THREE, _FOUR = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)


@helper
def _product(x, y):
    return x * y


@helper
def _apart(x, y):
    return abs(x - y)


@helper
def _apart_squared(x, y):
    return (x - y) * (x - y)


def _summing(term):
    """Sum of ``term`` over all dimensions, for a pair and for a panel.

    Four sums side by side, always in the same order, so that pairs and tiles agree to the last bit.
    """

    @helper
    def sum_pair(a, row, b, column):
        n = np.uint64(a.shape[1])
        whole = n - n % _FOUR
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for at in range(np.uint64(0), whole, _FOUR):
            s0 += term(a[row, at], b[column, at])
            s1 += term(a[row, at + _ONE], b[column, at + _ONE])
            s2 += term(a[row, at + _TWO], b[column, at + _TWO])
            s3 += term(a[row, at + _THREE], b[column, at + _THREE])
        for at in range(whole, n):
            s0 += term(a[row, at], b[column, at])
        return (s0 + s1) + (s2 + s3)

    @helper
    def sum_panel(a, row, panel, sums):
        """Into ``sums[0]``, for every column of the panel; all are as long, so that LLVM vectorises them."""
        n = np.uint64(a.shape[1])
        whole = n - n % _FOUR
        sums[:] = 0.0
        for at in range(np.uint64(0), whole, _FOUR):
            x0, x1, x2, x3 = a[row, at], a[row, at + _ONE], a[row, at + _TWO], a[row, at + _THREE]
            for column in range(_PANEL):
                sums[0, column] += term(x0, panel[at, column])
                sums[1, column] += term(x1, panel[at + _ONE, column])
                sums[2, column] += term(x2, panel[at + _TWO, column])
                sums[3, column] += term(x3, panel[at + _THREE, column])
        for at in range(whole, n):
            x = a[row, at]
            for column in range(_PANEL):
                sums[0, column] += term(x, panel[at, column])
        for column in range(_PANEL):
            sums[0, column] = (sums[0, column] + sums[1, column]) + (sums[2, column] + sums[3, column])

    return sum_pair, sum_panel


_dot, _dots = _summing(_product)
_manhattan, _manhattans = _summing(_apart)
_square, _squares = _summing(_apart_squared)


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
        row, column = np.uint64(i[pair]), np.uint64(j[pair])
        if kind == DOT:
            total = _dot(a, row, b, column)
        elif kind == MANHATTAN:
            total = _manhattan(a, row, b, column)
        else:
            total = np.sqrt(_square(a, row, b, column))
        out[pair] = np.float32(total)


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
    panel, sums = np.empty((b.shape[1], _PANEL)), np.empty((4, _PANEL))
    for begin in range(columns[0], columns[1], _PANEL):
        n = min(_PANEL, columns[1] - begin)
        panel[:, n:] = 0.0
        for column in range(n):
            for at in range(b.shape[1]):
                panel[at, column] = b[begin + column, at]
        for row in range(np.uint64(rows[0]), np.uint64(rows[1])):
            if kind == DOT:
                _dots(a, row, panel, sums)
            elif kind == MANHATTAN:
                _manhattans(a, row, panel, sums)
            else:
                _squares(a, row, panel, sums)
                for column in range(n):
                    sums[0, column] = np.sqrt(sums[0, column])
            for column in range(n):
                out[row, begin + column] = np.float32(sums[0, column])


@kernel
def direction_rows(vectors, out):
    """Vectors of length 1; zero stays zero.

    Divided by the largest number first: squares neither overflow nor vanish.

    Parameters
    ----------
    vectors : float64[n, d], read-only
    out : float64[n, d]
        Written.
    """
    for row in range(np.uint64(len(vectors))):
        largest = 0.0
        for at in range(np.uint64(vectors.shape[1])):
            largest = max(largest, abs(vectors[row, at]))
        divisor = largest if largest > 0.0 else 1.0
        for at in range(np.uint64(vectors.shape[1])):
            out[row, at] = vectors[row, at] / divisor
        square = _dot(out, row, out, row)
        length = np.sqrt(square) if square > 0.0 else 1.0
        for at in range(np.uint64(vectors.shape[1])):
            out[row, at] /= length
