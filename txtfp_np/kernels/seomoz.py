"""The text hash of the first seomoz/simhash: letters, Jenkins' lookup3, a cyclic window, a strict majority."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel

_U32 = np.uint64(0xFFFFFFFF)
_SEED = np.uint64(0xDEADBEEF)
_WORD = np.uint64(32)
_ONE = np.uint64(1)
WINDOW = 3


@helper
def _rotate_32(x, by):
    return ((x << np.uint64(by)) | (x >> np.uint64(32 - by))) & _U32


@helper
def _mix(a, b, c):
    """``mix`` of lookup3.c, 32-bit arithmetic in 64-bit words."""
    a = ((a - c) & _U32) ^ _rotate_32(c, 4)
    c = (c + b) & _U32
    b = ((b - a) & _U32) ^ _rotate_32(a, 6)
    a = (a + c) & _U32
    c = ((c - b) & _U32) ^ _rotate_32(b, 8)
    b = (b + a) & _U32
    a = ((a - c) & _U32) ^ _rotate_32(c, 16)
    c = (c + b) & _U32
    b = ((b - a) & _U32) ^ _rotate_32(a, 19)
    a = (a + c) & _U32
    c = ((c - b) & _U32) ^ _rotate_32(b, 4)
    b = (b + a) & _U32
    return a, b, c


@helper
def _final(a, b, c):
    """``final`` of lookup3.c."""
    c = ((c ^ b) - _rotate_32(b, 14)) & _U32
    a = ((a ^ c) - _rotate_32(c, 11)) & _U32
    b = ((b ^ a) - _rotate_32(a, 25)) & _U32
    c = ((c ^ b) - _rotate_32(b, 16)) & _U32
    a = ((a ^ c) - _rotate_32(c, 4)) & _U32
    b = ((b ^ a) - _rotate_32(a, 14)) & _U32
    c = ((c ^ b) - _rotate_32(b, 24)) & _U32
    return b, c


@helper
def _word_at(data, begin, end):
    """Up to four bytes, little-endian; what lies beyond the end counts as zero."""
    word = np.uint64(0)
    for place in range(min(np.int64(4), end - begin)):
        word |= np.uint64(data[begin + place]) << np.uint64(8 * place)
    return word


@helper
def _jenkins(data, begin, end):
    """``hashlittle2`` of lookup3.c with both seeds 0; ``c`` in the upper half, ``b`` in the lower."""
    a = (_SEED + np.uint64(end - begin)) & _U32
    b, c = a, a
    while end - begin > 12:
        a = (a + _word_at(data, begin, end)) & _U32
        b = (b + _word_at(data, begin + 4, end)) & _U32
        c = (c + _word_at(data, begin + 8, end)) & _U32
        a, b, c = _mix(a, b, c)
        begin += 12
    if end > begin:
        a = (a + _word_at(data, begin, end)) & _U32
        b = (b + _word_at(data, begin + 4, end)) & _U32
        c = (c + _word_at(data, begin + 8, end)) & _U32
        b, c = _final(a, b, c)
    return (c << _WORD) | b


@kernel
def jenkins_rows(data, offsets, out):
    """Jenkins' 64-bit hash of whole documents.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
    out : uint64[n]
        Written.
    """
    for row in range(len(out)):
        out[row] = _jenkins(data, offsets[row], offsets[row + 1])


@helper
def _rotate(x, by):
    return (x << np.uint64(by)) | (x >> np.uint64(64 - by))


@helper
def _is_letter(byte):
    """A-Z and a-z, which differ in one bit; one unsigned comparison covers both ends."""
    return (np.uint64(byte) | np.uint64(32)) - np.uint64(97) < np.uint64(26)


@kernel
def seomoz_rows(data, offsets, out):
    """Fingerprints of documents.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
    out : uint64[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/seomoz.py``.
    """
    counts = np.empty(64, np.int64)
    window = np.empty(WINDOW, np.uint64)
    for row in range(len(out)):
        counts[:] = 0
        window[:] = np.uint64(0)
        current = np.uint64(0)
        n_tokens = 0
        position, end = offsets[row], offsets[row + 1]
        while position < end:
            if not _is_letter(data[position]):
                position += 1
                continue
            begin = position
            while position < end and _is_letter(data[position]):
                position += 1
            token = _jenkins(data, begin, position)
            slot = n_tokens % WINDOW
            current = _rotate(current, 1) ^ _rotate(window[slot], WINDOW) ^ token
            window[slot] = token
            n_tokens += 1
            for bit in range(np.uint64(64)):
                counts[bit] += np.int64((current >> bit) & _ONE)
        fingerprint = np.uint64(0)
        for bit in range(np.uint64(64)):
            if counts[bit] > n_tokens // 2:
                fingerprint |= _ONE << (np.uint64(63) - bit)  # the original stores its bits in reverse
        out[row] = fingerprint
