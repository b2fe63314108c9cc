"""Where a text that is still growing may be cut without changing anything."""

from __future__ import annotations

import numpy as np

from . import layout
from ._jit import kernel
from .decode import classify, load_sequence
from .segment_rules import BREAK, CLASS_BITS, GIVE_UP

_CLASS_MASK = (1 << CLASS_BITS) - 1


@kernel
def last_segment_begin(data, codes):
    """Position of the last code point that begins a canonical segment, or 0.

    ``data`` (uint8, read-only) is valid UTF-8; ``codes`` is the UTF-8 trie of a pipeline. What stands before
    the position is canonicalised the same way whatever follows.
    """
    position = len(data)
    while position > 0:
        position -= 1
        while position > 0 and (data[position] & 0xC0) == 0x80:
            position -= 1
        code, _ = classify(codes, load_sequence(data, position))
        # Dropped or plain, depending on options that are not known here: not a place to cut.
        if code < layout.DROP_FORMAT or code >= layout.MAPPED:
            return position
    return np.int64(0)


@kernel
def open_segment_begin(data, trie, transitions):
    """Begin of the last segment of ``data``, the only one that what follows can still change.

    ``trie`` and ``transitions`` are those of words or of graphemes. At a boundary the rules forget what
    was before, so segmentation can be taken up again there.
    """
    position, begin = np.int64(0), np.int64(0)
    state = np.int64(0)
    while position < len(data):
        code, width = classify(trie, load_sequence(data, position))
        entry = np.int64(transitions[np.uint64((state << CLASS_BITS) | (code & _CLASS_MASK))])
        if entry & 7 == BREAK or entry & 7 == GIVE_UP:
            begin = position
        state = entry >> 3
        position += width
    return begin
