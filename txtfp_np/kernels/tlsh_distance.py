"""TLSH digests read from their text, and how far they are apart."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import load_u64, popcount, read_hex64
from .tlsh import PACKED_BYTES

TEXT_BYTES = 72

_ONE, _EIGHT = np.uint64(1), np.uint64(8)
_LOW_BITS = np.uint64(0x5555555555555555)  # the lower one of every two bits
_EVERY, _HIGHEST = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)  # of every byte
_TILE_COLUMNS = 512


@helper
def _read_digest(data, offsets, row, packed, out):
    """Packed digest that a text spells, written from ``packed[out]`` on; whether it spells one."""
    begin = offsets[row]
    if offsets[row + 1] - begin != TEXT_BYTES or data[begin] != 84 or data[begin + 1] != 49:
        return False
    # all on eight bytes at once, T1 made 00: adding 128 - n to a byte below 128 sets its highest bit where
    # the byte is at least n, and carries nowhere
    text = load_u64(data, begin) & ~np.uint64(0xFFFF) | np.uint64(0x3030)
    lower = text | _EVERY * np.uint64(0x20)
    number = (text + _EVERY * np.uint64(0x50)) & ~(text + _EVERY * np.uint64(0x46))  # 0 to 9
    letter = (lower + _EVERY * np.uint64(0x1F)) & ~(lower + _EVERY * np.uint64(0x19))  # a to f
    good = text & _HIGHEST == np.uint64(0) and (number | letter) & _HIGHEST == _HIGHEST
    digits = (text & _EVERY * np.uint64(15)) + (text >> np.uint64(6) & _EVERY) * np.uint64(9)
    for byte in range(3):
        high, low = digits >> np.uint64(16 * byte + 16), digits >> np.uint64(16 * byte + 24)
        packed[out + byte] = np.uint8(high << np.uint64(4) & np.uint64(0xF0) | low & np.uint64(15))
    return read_hex64(data, begin + 8, packed, out + 3) and good


@kernel
def packed_of_text(data, offsets, packed):
    """Packed digests of texts, up to the first text that is none.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
    packed : uint8[35 * n]
        Written.

    Returns
    -------
    int64
        Row of the first text that is not ``T1`` and 70 hexadecimal digits; ``n`` if all are.
    """
    for row in range(len(offsets) - 1):
        if not _read_digest(data, offsets, row, packed, PACKED_BYTES * row):
            return row
    return len(offsets) - 1


@kernel
def first_empty(packed, n_rows):
    """First of ``n_rows`` packed digests (``uint8[35 * n]``, read-only) that is nothing but zeros; or ``n_rows``."""
    for row in range(n_rows):
        begin = PACKED_BYTES * row
        if packed[begin + 2] == 0:  # a document with a digest always has ratios
            seen = np.uint64(packed[begin] | packed[begin + 1])
            for word in range(4):
                seen |= load_u64(packed, begin + 3 + 8 * word)
            if seen == np.uint64(0):
                return row
    return n_rows


@helper
def _head(packed, begin):
    """Checksum, length class and ratios of quartiles, a byte each from the lowest on."""
    length, ratios = np.uint64(packed[begin + 1]), np.uint64(packed[begin + 2])
    return (
        np.uint64(packed[begin])
        | ((length & np.uint64(15)) << np.uint64(4) | length >> np.uint64(4)) << _EIGHT
        | (ratios >> np.uint64(4)) << np.uint64(16)
        | (ratios & np.uint64(15)) << np.uint64(24)
    )


@helper
def _around(a, b, shift, mask, size):
    """Distance of two small numbers on a circle of ``size``."""
    apart = abs(np.int64(a >> shift & mask) - np.int64(b >> shift & mask))
    return min(apart, size - apart)


@helper
def _header_distance(a, b):
    length = _around(a, b, _EIGHT, np.uint64(255), 256)
    q1 = _around(a, b, np.uint64(16), np.uint64(15), 16)
    q2 = _around(a, b, np.uint64(24), np.uint64(15), 16)
    distance = length if length <= 1 else 12 * length
    distance += q1 if q1 <= 1 else 12 * (q1 - 1)
    distance += q2 if q2 <= 1 else 12 * (q2 - 1)
    return distance + np.int64((a ^ b) & np.uint64(255) != np.uint64(0))


@helper
def _code_distance(a, b):
    """Sum over 32 codes of two bits: 0, 1 or 2 for how far they are apart, 6 for 3.

    A code that differs in its lower bit counts 1; in its higher bit only, 2. Where both differ it is 1 for
    1 and 2, and 6 for 0 and 3, whose own bits are equal.
    """
    differ = a ^ b
    low, high = differ & _LOW_BITS, differ >> _ONE & _LOW_BITS
    extremes = low & high & ~(a ^ a >> _ONE)
    return popcount(low) + 2 * popcount(high & ~low) + 5 * popcount(extremes)


@helper
def _distance(a, at, b, other):
    """Distance of the digests from ``a[at]`` and ``b[other]`` on."""
    distance = _header_distance(_head(a, at), _head(b, other))
    for word in range(3, PACKED_BYTES, 8):
        distance += _code_distance(load_u64(a, at + word), load_u64(b, other + word))
    return distance


@kernel
def tlsh_pairs(a, b, i, j, out):
    """Distances of pairs of digests.

    Parameters
    ----------
    a, b : uint8[35 * :], read-only
        Packed, one after another.
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    out : int32[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/tlsh.py``.
    """
    for pair in range(len(i)):
        out[pair] = _distance(a, PACKED_BYTES * i[pair], b, PACKED_BYTES * j[pair])


@kernel
def tlsh_text_pairs(a, b, i, j, out):
    """As :func:`tlsh_pairs`, of texts: quicker than packing them first where each is looked at once.

    Parameters
    ----------
    a, b : (uint8[:], int64[: + 1]), read-only
        Texts and where each begins and the last one ends.
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    out : int32[n]
        Written.

    Returns
    -------
    bool
        Whether all of these texts are ``T1`` and 70 hexadecimal digits; if not, ``out`` is of no use.
    """
    (text_a, offsets_a), (text_b, offsets_b) = a, b
    packed = np.empty(2 * PACKED_BYTES, np.uint8)
    for pair in range(len(i)):
        if not _read_digest(text_a, offsets_a, i[pair], packed, 0):
            return False
        if not _read_digest(text_b, offsets_b, j[pair], packed, PACKED_BYTES):
            return False
        out[pair] = _distance(packed, 0, packed, PACKED_BYTES)
    return True


@kernel
def tlsh_tile(a, b, rows, columns, out):
    """As :func:`tlsh_pairs`, every one of ``a`` with every one of ``b``, for a part of them.

    Parameters
    ----------
    a, b : uint8[35 * :], read-only
    rows, columns : (int, int)
        First row of ``a`` and the one after the last; the same of ``b``.
    out : int32[n, m]
        Written at these rows and columns.
    """
    # word by word, so that neighbouring digests are neighbouring numbers and LLVM vectorises
    part = np.empty((5, _TILE_COLUMNS), np.uint64)
    heads, first, second, third, fourth = part[0], part[1], part[2], part[3], part[4]
    for begin in range(columns[0], columns[1], _TILE_COLUMNS):
        n = min(_TILE_COLUMNS, columns[1] - begin)
        for column in range(n):
            at = PACKED_BYTES * (begin + column)
            heads[column] = _head(b, at)
            for word in range(4):
                part[1 + word, column] = load_u64(b, at + 3 + 8 * word)
        for row in range(rows[0], rows[1]):
            at = PACKED_BYTES * row
            head = _head(a, at)
            a_first, a_second = load_u64(a, at + 3), load_u64(a, at + 11)
            a_third, a_fourth = load_u64(a, at + 19), load_u64(a, at + 27)
            distances = out[row, begin : begin + n]
            for column in range(n):
                distances[column] = (
                    _header_distance(head, heads[column])
                    + _code_distance(a_first, first[column])
                    + _code_distance(a_second, second[column])
                    + _code_distance(a_third, third[column])
                    + _code_distance(a_fourth, fourth[column])
                )
