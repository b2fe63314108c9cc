"""Sentences (UAX #29) and paragraphs of UTF-8 rows."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .decode import classify, load_sequence
from .layout import SENTENCE_ALPHANUMERIC, SENTENCE_WHITE_SPACE
from .segment_rules import BREAK, CLASS_BITS, RESOLVE, WAIT
from .sentence_rules import BREAK_AT_WAIT, sentence_transitions

_TRANSITIONS = sentence_transitions()
_CLASS_MASK = (1 << CLASS_BITS) - 1
_EMPTY = 0
_LINE_FEED = 0x0A


@helper
def _emit(begin, end, base, every, first, last, alphanumeric, starts, ends, n):
    """Append a segment: whole if ``every``, else trimmed, and only if it holds a letter or a number."""
    starts[n] = np.int32((begin if every else first) - base)
    ends[n] = np.int32((end if every else last) - base)
    return n + np.int64(every or alphanumeric)


@routine
def _sentences_row(data, position, stop, base, trie, every, starts, ends, n):
    """Append the sentences of one document; returns the new count."""
    if position >= stop:
        return n
    state, begin = _EMPTY, position
    # Of what stands behind ``begin``: whether there is a letter or number, and what trimming leaves.
    alphanumeric, first, last = False, np.int64(-1), np.int64(-1)
    # Where a wait began, and the same of what stands before it.
    wait = np.int64(-1)
    left_alphanumeric, left_first, left_last = False, np.int64(-1), np.int64(-1)
    while position < stop:
        code, width = classify(trie, load_sequence(data, position))
        entry = np.int64(_TRANSITIONS[np.uint64((state << CLASS_BITS) | (code & _CLASS_MASK))])
        action = entry & 7
        state = entry >> 3
        if action == BREAK:
            n = _emit(begin, position, base, every, first, last, alphanumeric, starts, ends, n)
            begin, alphanumeric, first, last = position, False, np.int64(-1), np.int64(-1)
        elif action == WAIT:
            wait = position
            left_alphanumeric, left_first, left_last = alphanumeric, first, last
            alphanumeric, first, last = False, np.int64(-1), np.int64(-1)
        elif action == RESOLVE:
            wait = np.int64(-1)
            alphanumeric |= left_alphanumeric
            first = left_first if left_first >= 0 else first
            last = max(last, left_last)
        elif action == BREAK_AT_WAIT:
            n = _emit(begin, wait, base, every, left_first, left_last, left_alphanumeric, starts, ends, n)
            begin, wait = wait, np.int64(-1)
        alphanumeric |= (code & SENTENCE_ALPHANUMERIC) != 0
        if (code & SENTENCE_WHITE_SPACE) == 0:
            first = first if first >= 0 else position
            last = position + width
        position += width
    if wait >= 0:
        n = _emit(begin, wait, base, every, left_first, left_last, left_alphanumeric, starts, ends, n)
        begin = wait
    return _emit(begin, stop, base, every, first, last, alphanumeric, starts, ends, n)


@kernel
def sentences_rows(data, offsets, trie, every, starts, ends, unit_offsets):
    """Sentence spans of all rows.

    Parameters
    ----------
    data : uint8[:], read-only
        Valid UTF-8.
    offsets : int64[n + 1], read-only
    trie : uint16[:], read-only
        The UTF-8 trie ``sentences``.
    every : bool
        True: all sentences, as they stand. False: those that hold a letter or a number, without the
        white space at their ends.
    starts, ends : int32[:]
        Written: spans relative to ``offsets[0]``. A sentence ends behind a terminator or a line feed,
        so ``n_bytes + n + 1`` places are enough, half of them without ``every``.
    unit_offsets : int64[n + 1]
        Written: sentences of row ``i`` are ``unit_offsets[i]:unit_offsets[i + 1]``.

    Notes
    -----
    Oracle: ``tests/oracles/sentences.py``.
    """
    base = offsets[0]
    n = np.int64(0)
    unit_offsets[0] = 0
    for row in range(len(offsets) - 1):
        n = _sentences_row(data, offsets[row], offsets[row + 1], base, trie, every, starts, ends, n)
        unit_offsets[row + 1] = n


@routine
def _paragraphs_row(data, position, stop, base, trie, starts, ends, n):
    first, last = np.int64(-1), np.int64(-1)
    while position < stop:
        if data[position] == _LINE_FEED and position + 1 < stop and data[position + 1] == _LINE_FEED:
            if first >= 0:
                starts[n], ends[n] = np.int32(first - base), np.int32(last - base)
                n += 1
            first, last = np.int64(-1), np.int64(-1)
            position += 2
            continue
        code, width = classify(trie, load_sequence(data, position))
        if (code & SENTENCE_WHITE_SPACE) == 0:
            first = first if first >= 0 else position
            last = position + width
        position += width
    if first >= 0:
        starts[n], ends[n] = np.int32(first - base), np.int32(last - base)
        n += 1
    return n


@kernel
def paragraphs_rows(data, offsets, trie, starts, ends, unit_offsets):
    """Spans of all rows between two line feeds, trimmed, without empty ones.

    Arguments as in :func:`sentences_rows`; there are at most ``n_bytes // 3 + n + 1`` paragraphs.

    Notes
    -----
    Oracle: ``tests/oracles/sentences.py``.
    """
    base = offsets[0]
    n = np.int64(0)
    unit_offsets[0] = 0
    for row in range(len(offsets) - 1):
        n = _paragraphs_row(data, offsets[row], offsets[row + 1], base, trie, starts, ends, n)
        unit_offsets[row + 1] = n
