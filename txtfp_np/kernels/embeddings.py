"""Sums over vectors of ``float32``, added up from the first element to the last, as the crate does.

Another order gives other bits. Several vectors side by side keep that order and still fill the lanes.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel

_ZERO = np.float32(0)
_LOWEST = np.float32(-3.4028234663852886e38)  # f32::MIN, where the crate's maximum begins
_TILE_COLUMNS = 512  # sums of so many pairs stay in the L1 cache while the elements pass by

CLS = 0
MEAN = 1
MAX = 2


@helper
def _dot(a, b, row_a, row_b):
    total = _ZERO
    for element in range(np.uint64(a.shape[1])):
        total += a[row_a, element] * b[row_b, element]
    return total


@kernel
def norms_rows(vectors, out):
    """Euclidean length of every row.

    Parameters
    ----------
    vectors : float32[:, dim], read-only
    out : float32[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/embeddings.py``.
    """
    for row in range(len(vectors)):
        out[row] = np.sqrt(_dot(vectors, vectors, np.uint64(row), np.uint64(row)))


@kernel
def cosine_pairs(a, b, norms_a, norms_b, i, j, out):
    """Cosine of pairs of rows; not clamped, so that it may pass 1 by the last bit.

    Parameters
    ----------
    a, b : float32[:, dim], read-only
    norms_a, norms_b : float32[:], read-only
        Their lengths, from :func:`norms_rows`; none is 0.
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    out : float32[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/embeddings.py``.
    """
    for pair in range(len(i)):
        row_a, row_b = np.uint64(i[pair]), np.uint64(j[pair])
        out[pair] = _dot(a, b, row_a, row_b) / (norms_a[row_a] * norms_b[row_b])


@kernel
def cosine_tile(rows, columns, norms_rows, norms_columns, row_range, column_range, out):
    """Cosine of all pairs of a tile.

    Parameters
    ----------
    rows : float32[n, dim], read-only
    columns : float32[dim, m], read-only
        The other side, transposed.
    norms_rows, norms_columns : float32[:], read-only
    row_range, column_range : (int64, int64)
        First and last but one.
    out : float32[n, m]
        Written inside the ranges.

    Notes
    -----
    Oracle: ``tests/oracles/embeddings.py``.
    """
    for first in range(column_range[0], column_range[1], _TILE_COLUMNS):
        last = min(first + _TILE_COLUMNS, column_range[1])
        norms = norms_columns[first:last]
        width = np.uint64(last - first)
        for row in range(row_range[0], row_range[1]):
            sums = out[row, first:last]
            sums[:] = _ZERO
            for element in range(rows.shape[1]):
                factor = rows[row, element]
                others = columns[element, first:last]
                for column in range(width):
                    sums[column] += factor * others[column]
            norm = norms_rows[row]
            for column in range(width):
                sums[column] /= norm * norms[column]


@helper
def _scale_to_unit(vector):
    total = _ZERO
    for element in range(len(vector)):
        total += vector[element] * vector[element]
    norm = np.sqrt(total)
    if norm > _ZERO and np.isfinite(norm):
        for element in range(len(vector)):
            vector[element] /= norm


@kernel
def pool_rows(hidden, mask, kind, unit, out):
    """One vector a text out of one vector a token.

    Parameters
    ----------
    hidden : float32[n, n_tokens, dim], read-only
    mask : bool[n, n_tokens], read-only
        Tokens that count; the first one does in any case with ``CLS``.
    kind : int64
        ``CLS``, ``MEAN`` or ``MAX``.
    unit : bool
        Whether the result is divided by its length.
    out : float32[n, dim]
        Written; zeros where no token counts.

    Notes
    -----
    Oracle: ``tests/oracles/embeddings.py``.
    """
    for row in range(len(hidden)):
        vector = out[row]
        count = 0
        vector[:] = _LOWEST if kind == MAX else _ZERO
        for token in range(hidden.shape[1]):
            if kind == CLS and token > 0:
                break
            if not (mask[row, token] or kind == CLS):
                continue
            count += 1
            elements = hidden[row, token]
            if kind == MAX:
                for element in range(len(vector)):
                    if elements[element] > vector[element]:
                        vector[element] = elements[element]
            elif kind == CLS:
                vector[:] = elements
            else:
                for element in range(len(vector)):
                    vector[element] += elements[element]
        if count == 0:
            vector[:] = _ZERO
        elif kind == MEAN:
            share = np.float32(1) / np.float32(count)
            for element in range(len(vector)):
                vector[element] *= share
        if unit:
            _scale_to_unit(vector)
