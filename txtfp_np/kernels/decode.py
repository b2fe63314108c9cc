"""Small pieces that every text kernel uses: reading UTF-8, looking up tries.

All text that reaches a kernel is valid UTF-8 (the doors check), so decoding never fails.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper
from .intrinsics import load_u32
from .layout import TRIE_BLOCK, TRIE_INDEX, TRIE_SHIFT

_TRIE_MASK = TRIE_BLOCK - 1


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
def lookup(trie, code_point):
    """Value of a code point in a trie (see ``layout.py``)."""
    block = np.int64(trie[np.uint64(code_point >> TRIE_SHIFT)])
    return np.int64(trie[np.uint64(TRIE_INDEX + (block << TRIE_SHIFT) + (code_point & _TRIE_MASK))])


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
