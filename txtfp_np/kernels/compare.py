"""Equal slots of MinHash signatures, differing bits of SimHashes: for chosen pairs and for all pairs."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import popcount

_ONE = np.uint64(1)
_TILE_WORDS = 4096  # 32 KB of one side stay in the L1 cache while the other side passes by


@helper
def _share_of_slots(a, b, row_a, row_b):
    """Equal slots over all slots. Unsigned indexes: no test for negative ones, so LLVM vectorises."""
    n_words = np.uint64(a.shape[1])
    equal = np.uint64(0)
    for word in range(_ONE, n_words):
        equal += np.uint64(a[row_a, word] == b[row_b, word])
    return np.float32(equal) / np.float32(n_words - _ONE)


@kernel
def jaccard_pairs(a, b, i, j, out):
    """Share of equal slots of pairs of signatures.

    Parameters
    ----------
    a, b : uint64[:, 1 + h], read-only
        Records as words; the first word, the header, is not looked at.
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    out : float32[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/compare.py``.
    """
    for pair in range(len(i)):
        out[pair] = _share_of_slots(a, b, np.uint64(i[pair]), np.uint64(j[pair]))


@helper
def _four_shares(a, b, rows, columns, out):
    """:func:`_share_of_slots` of two rows with two columns; each word is loaded once for two pairs."""
    n_words = np.uint64(a.shape[1])
    row_0, row_1 = np.uint64(rows[0]), np.uint64(rows[1])
    column_0, column_1 = np.uint64(columns[0]), np.uint64(columns[1])
    equal_00, equal_01 = np.uint64(0), np.uint64(0)
    equal_10, equal_11 = np.uint64(0), np.uint64(0)
    for word in range(_ONE, n_words):
        a_0, a_1 = a[row_0, word], a[row_1, word]
        b_0, b_1 = b[column_0, word], b[column_1, word]
        equal_00 += np.uint64(a_0 == b_0)
        equal_01 += np.uint64(a_0 == b_1)
        equal_10 += np.uint64(a_1 == b_0)
        equal_11 += np.uint64(a_1 == b_1)
    n_slots = np.float32(n_words - _ONE)
    out[row_0, column_0] = np.float32(equal_00) / n_slots
    out[row_0, column_1] = np.float32(equal_01) / n_slots
    out[row_1, column_0] = np.float32(equal_10) / n_slots
    out[row_1, column_1] = np.float32(equal_11) / n_slots


@kernel
def jaccard_tile(a, b, rows, columns, out):
    """Share of equal slots of every row of ``a`` with every row of ``b``, for a part of them.

    Parameters
    ----------
    a, b : uint64[:, 1 + h], read-only
        As in :func:`jaccard_pairs`.
    rows, columns : (int, int)
        First row of ``a`` and the one after the last; the same of ``b``.
    out : float32[len(a), len(b)]
        Written at these rows and columns.
    """
    step = max(np.int64(2), _TILE_WORDS // a.shape[1] // 2 * 2)
    for begin in range(columns[0], columns[1], step):
        end = min(begin + step, columns[1])
        for row in range(rows[0], rows[1], 2):
            # without a partner at the edge, a row or column is its own
            two_rows = (row, min(row + 1, rows[1] - 1))
            for column in range(begin, end, 2):
                _four_shares(a, b, two_rows, (column, min(column + 1, end - 1)), out)


@kernel
def hamming_pairs(a, b, i, j, out):
    """Number of differing bits of pairs of fingerprints.

    Parameters
    ----------
    a, b : uint64[:, words], read-only
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    out : uint32[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/compare.py``.
    """
    for pair in range(len(i)):
        row_a, row_b = np.uint64(i[pair]), np.uint64(j[pair])
        distance = np.int64(0)
        for word in range(np.uint64(a.shape[1])):
            distance += popcount(a[row_a, word] ^ b[row_b, word])
        out[pair] = np.uint32(distance)


@helper
def _hamming_row(fingerprint, b, begin, distances):
    """Distances of one fingerprint from ``len(distances)`` columns of ``b``, the first being ``begin``."""
    n = len(distances)
    first, others = fingerprint[0], b[0, begin : begin + n]
    for column in range(n):
        distances[column] = np.uint32(popcount(first ^ others[column]))
    for word in range(1, len(fingerprint)):
        mine, others = fingerprint[word], b[word, begin : begin + n]
        for column in range(n):
            distances[column] += np.uint32(popcount(mine ^ others[column]))


@kernel
def hamming_tile(a, b, rows, columns, out):
    """Differing bits of every row of ``a`` with every column of ``b``, for a part of them.

    Parameters
    ----------
    a : uint64[n, words], read-only
    b : uint64[words, m], read-only
        Word by word, so that neighbouring fingerprints are neighbouring numbers.
    rows, columns : (int, int)
        First row of ``a`` and the one after the last; the same of the columns of ``b``.
    out : uint32[n, m]
        Written at these rows and columns.
    """
    for begin in range(columns[0], columns[1], _TILE_WORDS):
        end = min(begin + _TILE_WORDS, columns[1])
        for row in range(rows[0], rows[1]):
            _hamming_row(a[row], b, begin, out[row, begin:end])


@kernel
def hamming_values_tile(a, b, rows, columns, table, out):
    """As :func:`hamming_tile`, but writes ``table[distance]`` (``float32``) instead of the distance."""
    distances = np.empty(_TILE_WORDS, np.uint32)
    for begin in range(columns[0], columns[1], _TILE_WORDS):
        end = min(begin + _TILE_WORDS, columns[1])
        for row in range(rows[0], rows[1]):
            _hamming_row(a[row], b, begin, distances[: end - begin])
            values = out[row, begin:end]
            for column in range(end - begin):
                values[column] = table[np.uint64(distances[column])]
