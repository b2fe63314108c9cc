"""MurmurHash3 x64-128."""

from __future__ import annotations

import numpy as np

from ._jit import helper, routine
from .intrinsics import peek_u8, peek_u64

_C1 = np.uint64(0x87C37B91114253D5)
_C2 = np.uint64(0x4CF5AD432745937F)


@helper
def rotate(value, count):
    """Bits turned to the left, by fewer than 64 places."""
    return (value << np.uint64(count)) | (value >> np.uint64(64 - count))


@helper
def scrambled(h):
    """A one-to-one scrambling of 64 bits, so that any numbers spread like hashes: the finaliser of MurmurHash3."""
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xFF51AFD7ED558CCD)
    h ^= h >> np.uint64(33)
    h *= np.uint64(0xC4CEB9FE1A85EC53)
    return h ^ (h >> np.uint64(33))


@helper
def _tail_word(start, stop):
    """Bytes of a last, incomplete word."""
    word = np.uint64(0)
    for position in range(start, stop):
        word |= peek_u8(position) << np.uint64(8 * (position - start))
    return word


@routine
def murmur3_128(at, length, seed):
    """(h1, h2) of MurmurHash3 x64-128; both lanes start from the whole 64-bit seed."""
    h1, h2 = seed, seed
    position, end = at, at + length
    while position + 16 <= end:
        h1 ^= rotate(peek_u64(position) * _C1, 31) * _C2
        h1 = (rotate(h1, 27) + h2) * np.uint64(5) + np.uint64(0x52DCE729)
        h2 ^= rotate(peek_u64(position + 8) * _C2, 33) * _C1
        h2 = (rotate(h2, 31) + h1) * np.uint64(5) + np.uint64(0x38495AB5)
        position += 16
    if position + 8 < end:
        h2 ^= rotate(_tail_word(position + 8, end) * _C2, 33) * _C1
    if position < end:
        h1 ^= rotate(_tail_word(position, min(position + 8, end)) * _C1, 31) * _C2
    h1 ^= np.uint64(length)
    h2 ^= np.uint64(length)
    h1 += h2
    h2 += h1
    h1, h2 = scrambled(h1), scrambled(h2)
    h1 += h2
    return h1, h1 + h2
