"""Words of UTF-8 rows (UAX #29, segments that hold a letter or a number).

Two gears. Where the next 64 bytes are ASCII, comparisons give one bit a byte and words are runs of
bits. Elsewhere a transition table (``segment_rules.py``) takes one code point at a time. Every
boundary right before an ASCII byte is a place to change up.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .decode import classify, code_point_starts, load_sequence
from .intrinsics import byte_mask, leading_zeros, load_u64, trailing_zeros
from .layout import WORD_FLAG_SHIFT
from .segment_rules import BREAK, CLASS_BITS, RESOLVE, WAIT, word_transitions

_TRANSITIONS = word_transitions()
_CLASS_MASK = (1 << CLASS_BITS) - 1
_EMPTY = 0
_LANES = 64
_APPROACH = 12
_ONE = np.uint64(1)
_HIGH_BITS = np.uint64(0x8080808080808080)


@helper
def _one(data, position, character):
    return byte_mask(data, position, np.uint8(character), np.uint8(1))


@routine
def _ascii_words(data, position, stop, base, starts, ends, n):
    """Words from ``position``, a boundary, to the last sure boundary among the next 64 ASCII bytes.

    Returns (new position, new count); the position is unchanged where that boundary is missing.
    """
    beyond = byte_mask(data, position, np.uint8(128), np.uint8(128))
    limit = min(trailing_zeros(beyond), stop - position)
    # Bits from ``limit`` on belong to other text, perhaps the next document.
    below = ~np.uint64(0) if limit >= _LANES else (_ONE << np.uint64(limit)) - _ONE
    letters = byte_mask(data, position, np.uint8(65), np.uint8(26))
    letters |= byte_mask(data, position, np.uint8(97), np.uint8(26))
    letters &= below
    digits = byte_mask(data, position, np.uint8(48), np.uint8(10)) & below
    word = letters | digits | _one(data, position, 95)
    both = _one(data, position, 46) | _one(data, position, 39)  # . ' between letters or digits
    mid_letter = both | _one(data, position, 58)  # :
    mid_number = both | _one(data, position, 44) | _one(data, position, 59)  # , ;
    joined = mid_letter & (letters << _ONE) & (letters >> _ONE)
    joined |= mid_number & (digits << _ONE) & (digits >> _ONE)

    # Sure boundaries: before whatever is neither of a word nor in the middle of one, save a space
    # after a space (WB3d) and a line feed after a carriage return (WB3); and the end of the document.
    spaces = _one(data, position, 32)
    sure = ~(word | mid_letter | mid_number | beyond)
    sure &= ~((spaces & (spaces << _ONE)) | (_one(data, position, 10) & (_one(data, position, 13) << _ONE)))
    sure &= below
    if limit < _LANES and limit == stop - position:
        sure |= _ONE << np.uint64(limit)
    sure &= ~_ONE
    if sure == np.uint64(0):
        return position, n
    boundary = 63 - leading_zeros(sure)
    word = (word | joined) & ((_ONE << np.uint64(boundary)) - _ONE)
    alphanumeric = letters | digits
    first = word & ~(word << _ONE)
    after = ~word & (word << _ONE)
    relative = position - base
    while first != np.uint64(0):
        start, end = trailing_zeros(first), trailing_zeros(after)
        starts[n] = np.int32(relative + start)
        ends[n] = np.int32(relative + end)
        # Underscores alone are a segment but not a word.
        inside = (alphanumeric >> np.uint64(start)) & ((_ONE << np.uint64(end - start)) - _ONE)
        n += np.int64(inside != np.uint64(0))
        first &= first - _ONE
        after &= after - _ONE
    return position + boundary, n


@helper
def _emit(start, end, base, is_word, starts, ends, n):
    starts[n] = np.int32(start - base)
    ends[n] = np.int32(end - base)
    return n + np.int64(is_word)


@helper
def _any_bit(mask, start, end):
    """1 if one of the bits ``start`` to ``end - 1`` (at most 63 of them) is set."""
    return np.int64((mask >> np.uint64(start)) & ((_ONE << np.uint64(end - start)) - _ONE) != np.uint64(0))


@helper
def _change_up_window(data, position):
    """Where among the next 64 bytes eight ASCII bytes follow each other, and how far to go by the table.

    Near the end of ``data`` there is no changing up.
    """
    if position + _LANES > len(data):
        return np.uint64(0), np.int64(_LANES)
    runs = byte_mask(data, position, np.uint8(0), np.uint8(128))
    runs &= runs >> _ONE
    runs &= runs >> np.uint64(2)
    runs &= runs >> np.uint64(4)
    # A word or so into the ASCII, for a boundary to show up.
    return runs, min(trailing_zeros(runs & ~_ONE) + _APPROACH, _LANES)


@routine
def _words_row(data, position, stop, base, trie, starts, ends, n):
    """Append the words of one document; returns the new count."""
    vector_stop = len(data) - _LANES
    state, begin, is_word = _EMPTY, position, 0
    wait, was_word = np.int64(-1), 0  # where a wait began, and ``is_word`` of what stands before it
    at_boundary = True
    while position < stop:
        if at_boundary:
            at_boundary = False
            while position <= vector_stop and (load_u64(data, position) & _HIGH_BITS) == np.uint64(0):
                following, n = _ascii_words(data, position, stop, base, starts, ends, n)
                if following == position:
                    break
                position = following
            state, begin, is_word = _EMPTY, position, 0
            if position >= stop:
                break

        # First the rules, for a window of at most 64 bytes: one bit a boundary, one an alphanumeric.
        window = position
        runs, reach = _change_up_window(data, window)
        position = min(window + reach, stop)
        code_points = code_point_starts(data, window, position)
        breaks, alphanumeric = np.uint64(0), np.uint64(0)
        while code_points != np.uint64(0):
            place = trailing_zeros(code_points)
            code_points &= code_points - _ONE
            code, _ = classify(trie, load_sequence(data, window + place))
            entry = np.int64(_TRANSITIONS[np.uint64((state << CLASS_BITS) | (code & _CLASS_MASK))])
            action = entry & 7
            state = entry >> 3
            breaks |= np.uint64(action & BREAK) << np.uint64(place)
            alphanumeric |= np.uint64(code >> WORD_FLAG_SHIFT) << np.uint64(place)
            if action >= WAIT:
                if action == WAIT:
                    wait, was_word = window + place, -1
                elif action == RESOLVE:
                    is_word |= max(was_word, 0)
                    wait = np.int64(-1)
                else:  # GIVE_UP
                    if wait >= window:
                        breaks |= _ONE << np.uint64(wait - window)
                    else:
                        n = _emit(begin, wait, base, was_word, starts, ends, n)
                        begin = wait
                    breaks |= _ONE << np.uint64(place)
                    wait = np.int64(-1)

        # Then the words between boundaries, up to one where ASCII goes on for a while.
        changes = breaks & runs
        if changes != np.uint64(0):
            place = trailing_zeros(changes)
            breaks &= (_ONE << np.uint64(place)) | ((_ONE << np.uint64(place)) - _ONE)
            position, at_boundary, wait = window + place, True, np.int64(-1)
        last = np.int64(0)
        while breaks != np.uint64(0):
            place = trailing_zeros(breaks)
            breaks &= breaks - _ONE
            is_word |= _any_bit(alphanumeric, last, place)
            n = _emit(begin, window + place, base, is_word, starts, ends, n)
            begin, is_word, last = window + place, 0, place
        if wait >= window:  # it goes on waiting in the next window
            was_word = is_word | _any_bit(alphanumeric, last, wait - window)
            is_word, last = 0, wait - window
        is_word |= np.int64(alphanumeric >> np.uint64(last) != np.uint64(0))
    if at_boundary:
        return n
    if wait >= 0:
        n = _emit(begin, wait, base, was_word, starts, ends, n)
        begin = wait
    return _emit(begin, stop, base, is_word, starts, ends, n)


@kernel
def words_rows(data, offsets, trie, starts, ends, token_offsets):
    """Word spans of all rows.

    Parameters
    ----------
    data : uint8[:], read-only
        Valid UTF-8.
    offsets : int64[n + 1], read-only
    trie : uint16[:], read-only
        The UTF-8 trie ``words``.
    starts, ends : int32[:]
        Written: spans relative to ``offsets[0]``. No two words of one byte touch, so there are at
        most two words in three bytes ("a½"): they need ``2 * n_bytes // 3 + n + 2`` places.
    token_offsets : int64[n + 1]
        Written: words of row ``i`` are ``token_offsets[i]:token_offsets[i + 1]``.

    Notes
    -----
    Oracle: ``tests/oracles/segmentation.py``.
    """
    base = offsets[0]
    n = np.int64(0)
    token_offsets[0] = 0
    for row in range(len(offsets) - 1):
        n = _words_row(data, offsets[row], offsets[row + 1], base, trie, starts, ends, n)
        token_offsets[row + 1] = n
