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


@kernel
def jaccard_tile(a, b, rows, columns, out):
    """Share of equal slots of every row of ``a`` with every row of ``b``, for a part of them.

    Parameters
    ----------
    a, b : uint64[:, 1 + h], read-only
        As in :func:`jaccard_pairs`.
    rows, columns : (int, int)
        First and last but one of the rows of ``a``, and of ``b``.
    out : float32[len(a), len(b)]
        Written at these rows and columns.
    """
    step = max(np.int64(1), _TILE_WORDS // a.shape[1])
    for begin in range(columns[0], columns[1], step):
        end = min(begin + step, columns[1])
        for row in range(rows[0], rows[1]):
            for column in range(begin, end):
                out[row, column] = _share_of_slots(a, b, np.uint64(row), np.uint64(column))


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


@kernel
def hamming_tile(a, b, rows, columns, out):
    """Differing bits of every row of ``a`` with every column of ``b``, for a part of them.

    Parameters
    ----------
    a : uint64[n, words], read-only
    b : uint64[words, m], read-only
        Word by word, so that neighbouring fingerprints are neighbouring numbers.
    rows, columns : (int, int)
        First and last but one of the rows of ``a``, and of the columns of ``b``.
    out : uint32[n, m]
        Written at these rows and columns.
    """
    for begin in range(columns[0], columns[1], _TILE_WORDS):
        end = min(begin + _TILE_WORDS, columns[1])
        for row in range(rows[0], rows[1]):
            distances = out[row, begin:end]
            first, others = a[row, 0], b[0, begin:end]
            for column in range(len(distances)):
                distances[column] = np.uint32(popcount(first ^ others[column]))
            for word in range(1, a.shape[1]):
                first, others = a[row, word], b[word, begin:end]
                for column in range(len(distances)):
                    distances[column] += np.uint32(popcount(first ^ others[column]))
