"""The lowest bits of MinHash slots, packed; and how many of them are equal, whole words at a time.

Fields of ``b`` bits lie side by side in a word, the first in its lowest bits. In the difference
``x = u ^ v`` of two words a field is zero where both agree. With ``low`` all bits of every field but
its highest, and ``high`` its highest bit, ``(x & low) + low`` carries into ``high`` of a field unless
its lower bits are zero, and never beyond: so ``(((x & low) + low) | x) & high`` has one bit a field that
differs. For ``b = 1``, ``low`` is 0 and the whole is ``x``. One form serves every width, without a branch.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import popcount

_TILE_WORDS = 4096  # 32 KB of one side stay in the L1 cache while the other side passes by
_LEAST_COLUMNS = 64


@kernel
def pack_fields(words, bits, out):
    """The lowest bits of all slots, side by side.

    Parameters
    ----------
    words : uint64[n, 1 + h], read-only
        Records as words; the first word is not looked at.
    bits : int
        Bits a slot, a divisor of 64.
    out : uint64[n, ceil(h * bits / 64)]
        Written; bits behind the last field are 0.

    Notes
    -----
    Oracle: ``tests/unit/test_bits.py``.
    """
    n_slots = words.shape[1] - 1
    a_word = 64 // bits
    mask = (np.uint64(1) << np.uint64(bits)) - np.uint64(1)
    for row in range(len(words)):
        for place in range(out.shape[1]):
            begin = place * a_word
            packed = np.uint64(0)
            for slot in range(begin, min(begin + a_word, n_slots)):
                packed |= (words[row, 1 + slot] & mask) << np.uint64(bits * (slot - begin))
            out[row, place] = packed


@helper
def _differing(u, v, low, high):
    """Number of fields that differ in two words."""
    x = u ^ v
    return popcount((((x & low) + low) | x) & high)


@kernel
def bits_pairs(a, b, i, j, fields, table, out):
    """What ``table`` has for the number of differing fields of pairs of rows.

    Parameters
    ----------
    a, b : uint64[:, words], read-only
        Packed; bits behind the last field are the same in both.
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    fields : (uint64, uint64)
        All bits of every field but its highest; its highest bit.
    table : float32[h + 1], read-only
    out : float32[n]
        Written.
    """
    low, high = fields
    for pair in range(len(i)):
        row_a, row_b = np.uint64(i[pair]), np.uint64(j[pair])
        differing = np.int64(0)
        for word in range(np.uint64(a.shape[1])):
            differing += _differing(a[row_a, word], b[row_b, word], low, high)
        out[pair] = table[np.uint64(differing)]


@kernel
def bits_tile(a, b, rows, columns, fields, table, out):
    """As :func:`bits_pairs`, for every row of ``a`` with every row of ``b``, for a part of them.

    Parameters
    ----------
    a, b, fields, table
        As in :func:`bits_pairs`.
    rows, columns : (int, int)
        First row of ``a`` and the one after the last; the same of ``b``.
    out : float32[len(a), len(b)]
        Written at these rows and columns.
    """
    low, high = fields
    n_words = a.shape[1]
    step = max(_LEAST_COLUMNS, _TILE_WORDS // n_words)
    # word by word, so that neighbouring signatures are neighbouring numbers and LLVM vectorises
    part = np.empty((n_words, step), np.uint64)
    differing = np.empty(step, np.uint32)
    for begin in range(columns[0], columns[1], step):
        n = min(step, columns[1] - begin)
        for column in range(n):
            for word in range(n_words):
                part[word, column] = b[begin + column, word]
        for row in range(rows[0], rows[1]):
            differing[:n] = 0
            for word in range(n_words):
                mine, others = a[row, word], part[word]
                for column in range(n):
                    differing[column] += np.uint32(_differing(mine, others[column], low, high))
            values = out[row, begin : begin + n]
            for column in range(n):
                values[column] = table[np.uint64(differing[column])]
