"""Small pieces that every text kernel uses: reading UTF-8, looking up tries.

All text that reaches a kernel is valid UTF-8 (the doors check), so decoding never fails.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper
from .intrinsics import byte_mask, load_u32
from .layout import UTF8_DEEPER, UTF8_INDEX

_DEEPER_INDEX = UTF8_INDEX - (UTF8_DEEPER << 6)  # takes the mark off a block number, too
_LANES = 64
_ONE = np.uint64(1)


@helper
def load_sequence(data, position):
    """Up to 4 bytes of a UTF-8 sequence as a little-endian word, never reading past ``data``."""
    if position + 4 <= len(data):
        return np.int64(load_u32(data, position))
    word = np.int64(0)
    for byte in range(position, len(data)):
        word |= np.int64(data[byte]) << (8 * (byte - position))
    return word


@helper
def code_point_starts(data, position, stop):
    """Bit ``i`` set where ``data[position + i]`` begins a code point, for at most 64 bytes before ``stop``.

    Walking along these bits, the place of the next code point does not hang on decoding this one: the
    CPU works on several at once.
    """
    n = min(stop - position, _LANES)
    if position + _LANES <= len(data):
        starts = ~byte_mask(data, position, np.uint8(0x80), np.uint8(0x40))
        return starts if n == _LANES else starts & ((_ONE << np.uint64(n)) - _ONE)
    starts = np.uint64(0)
    for i in range(n):
        starts |= np.uint64((data[position + i] & 0xC0) != 0x80) << np.uint64(i)
    return starts


@helper
def decode_sequence(word):
    """Code point and width of the UTF-8 sequence that starts in the low byte of ``word``."""
    lead = word & 0xFF
    if lead < 0x80:
        return lead, np.int64(1)
    second = (word >> 8) & 0x3F
    if lead < 0xE0:
        return ((lead & 0x1F) << 6) | second, np.int64(2)
    third = (word >> 16) & 0x3F
    if lead < 0xF0:
        return ((lead & 0x0F) << 12) | (second << 6) | third, np.int64(3)
    return ((lead & 0x07) << 18) | (second << 12) | (third << 6) | ((word >> 24) & 0x3F), np.int64(4)


@helper
def classify(trie, word):
    """Value in a UTF-8 trie, and width, of the sequence that starts in the low byte of ``word``."""
    lead = word & 0xFF
    value = np.int64(trie[np.uint64((lead << 6) | ((word >> 8) & 0x3F))])
    if value < UTF8_DEEPER:
        return value, 1 + (lead >> 7)
    value = np.int64(trie[np.uint64(_DEEPER_INDEX + (value << 6) + ((word >> 16) & 0x3F))])
    if value < UTF8_DEEPER:
        return value, np.int64(3)
    return np.int64(trie[np.uint64(_DEEPER_INDEX + (value << 6) + ((word >> 24) & 0x3F))]), np.int64(4)


@helper
def encode_code_point(code_point, out, position):
    """Write one code point as UTF-8 and return the position after it."""
    if code_point < 0x80:
        out[position] = np.uint8(code_point)
        return position + 1
    if code_point < 0x800:
        out[position] = np.uint8(0xC0 | (code_point >> 6))
        out[position + 1] = np.uint8(0x80 | (code_point & 0x3F))
        return position + 2
    if code_point < 0x10000:
        out[position] = np.uint8(0xE0 | (code_point >> 12))
        out[position + 1] = np.uint8(0x80 | ((code_point >> 6) & 0x3F))
        out[position + 2] = np.uint8(0x80 | (code_point & 0x3F))
        return position + 3
    out[position] = np.uint8(0xF0 | (code_point >> 18))
    out[position + 1] = np.uint8(0x80 | ((code_point >> 12) & 0x3F))
    out[position + 2] = np.uint8(0x80 | ((code_point >> 6) & 0x3F))
    out[position + 3] = np.uint8(0x80 | (code_point & 0x3F))
    return position + 4


@helper
def encode_word(code_point):
    """UTF-8 of one code point as a little-endian word: what :func:`load_sequence` would read."""
    if code_point < 0x80:
        return code_point
    if code_point < 0x800:
        return (0xC0 | (code_point >> 6)) | ((0x80 | (code_point & 0x3F)) << 8)
    low, middle = 0x80 | (code_point & 0x3F), 0x80 | ((code_point >> 6) & 0x3F)
    if code_point < 0x10000:
        return (0xE0 | (code_point >> 12)) | (middle << 8) | (low << 16)
    high = 0x80 | ((code_point >> 12) & 0x3F)
    return (0xF0 | (code_point >> 18)) | (high << 8) | (middle << 16) | (low << 24)
