"""Where a text that is still growing may be cut without changing anything."""

from __future__ import annotations

import numpy as np

from . import layout
from ._jit import kernel
from .decode import classify, load_sequence
from .segment_rules import BREAK, CLASS_BITS, GIVE_UP

_OTHER = 0  # in both lists of classes
_SPACE = layout.WORD_CLASSES.index("WSegSpace")
_PREPEND = layout.GRAPHEME_CLASSES.index("Prepend")
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
def last_safe_cut(data, start, stop, codes, words, graphemes):
    """Last position in ``data[start:stop]`` where a text may be cut into two that are signed apart.

    Before it and behind it stands a code point that canonicalising does not change (``codes``: UTF-8
    trie of the pipeline), and both words and graphemes (their UTF-8 tries) have a boundary there
    whatever is around: before a code point of class Other, or before the first of some spaces.
    Returns -1 if there is none.
    """
    behind = np.int64(-1)  # the code point after the one looked at
    position = stop
    while position > start:
        position -= 1
        while position > start and (data[position] & 0xC0) == 0x80:
            position -= 1
        word = load_sequence(data, position)
        plain = classify(codes, word)[0] <= layout.PLAIN_FORWARD
        word_class = classify(words, word)[0] & _CLASS_MASK
        grapheme_class = classify(graphemes, word)[0]
        parts = behind >= 0 and plain and grapheme_class != _PREPEND
        if parts and (behind == _OTHER or word_class != _SPACE):
            return position + classify(codes, word)[1]
        is_candidate = plain and grapheme_class == _OTHER and (word_class == _OTHER or word_class == _SPACE)
        behind = word_class if is_candidate else np.int64(-1)
    return np.int64(-1)


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
