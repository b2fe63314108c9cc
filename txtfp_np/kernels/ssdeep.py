"""ssdeep: pieces of text that end where a rolling hash says so, a letter for each.

A text has a string at block size 3 * 2**level and one at twice that. A rolling hash ``r`` of the last seven bytes
ends a piece of a level where ``r + 1`` is divisible by its block size, so that what ends one at a level ends one at all
lower levels as well. A first pass finds these places; they tell which level is wanted; a second hashes the pieces of
this and the next level. After J. Kornblum's paper and the behaviour of ssdeep 2.14.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .intrinsics import trailing_zeros

TEXT_BYTES = 108  # ten digits, a colon, 64 letters, a colon, 32 letters
LONGEST = 64  # letters of a string
WINDOW = 7  # bytes that decide whether a piece ends; letters that strings must share
LEAST_BLOCK = 3
COLON = 58
_LEVELS = 31
_LEVELS_AT_FIRST = 2
_START, _PRIME = np.uint32(0x28021967), np.uint32(0x01000193)  # FNV's prime, and a start of ssdeep's own
_LETTERS = np.frombuffer(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", np.uint8)
_THIRD, _MOST_THIRD = np.uint32(0xAAAAAAAB), np.uint32(0x55555555)  # x is divisible by 3 if x * a <= b, modulo 2**32


@helper
def _take_end(place, after, mask, places, ends, n):
    """Note a place if a piece ends there; written without a branch, which would often be mispredicted."""
    places[np.uint64(n)] = place
    ends[np.uint64(n)] = after
    # 2**32, which is 0 here, is not divisible by 3
    return n + np.int64(
        (after & mask == np.uint32(0)) & (np.uint32(after * _THIRD) <= _MOST_THIRD) & (after != np.uint32(0))
    )


@routine
def _find_ends(text, least, places, ends):
    """Places where pieces of level ``least`` or higher end, and the rolling hashes there, plus 1.

    Returns their number, and the rolling hash of the end of the text.
    """
    mask = np.uint32((1 << least) - 1)
    # Numba makes 64 bits of what 32-bit numbers add up to
    a, b, c, after = np.uint32(0), np.uint32(0), np.uint32(0), np.uint32(1)
    n = np.int64(0)
    for place in range(np.uint64(min(WINDOW, len(text)))):
        byte = np.uint32(text[place])
        b = np.uint32(b + np.uint32(WINDOW) * byte - a)
        a = np.uint32(a + byte)
        c = np.uint32(c << np.uint32(5) ^ byte)
        after = np.uint32(a + b + c + np.uint32(1))
        n = _take_end(np.int64(place), after, mask, places, ends, n)
    for place in range(np.uint64(WINDOW), np.uint64(len(text))):
        byte = np.uint32(text[place])
        b = np.uint32(b + np.uint32(WINDOW) * byte - a)
        a = np.uint32(a + byte - np.uint32(text[place - np.uint64(WINDOW)]))
        c = np.uint32(c << np.uint32(5) ^ byte)
        after = np.uint32(a + b + c + np.uint32(1))
        n = _take_end(np.int64(place), after, mask, places, ends, n)
    return n, np.uint32(after - np.uint32(1))


@helper
def _level(end):
    """Highest level at which a piece ends where the rolling hash, plus 1, is this."""
    return min(trailing_zeros(np.uint64(end)), _LEVELS - 1)


@helper
def _first_level(n_bytes):
    """Level at which pieces of the expected size make up no more than a string."""
    level = 0
    while (LEAST_BLOCK << level) * LONGEST < n_bytes:
        level += 1
    return level


@helper
def _chosen_level(ends, n_places, first):
    """The level of the string, or a lower bound for what it is not above; and whether there is one above it."""
    counts = np.zeros(_LEVELS, np.int64)
    highest = -1
    for place in range(n_places):
        level = _level(ends[place])
        counts[level] += 1
        highest = max(highest, level)
    for level in range(_LEVELS - 2, -1, -1):
        counts[level] += counts[level + 1]
    level = min(first, highest + 1, _LEVELS - 1)
    while level > 0 and counts[level] < LONGEST // 2:
        level -= 1
    return level, highest >= level


@helper
def _write_number(number, out):
    n_digits, power = 1, 10
    while power <= number:
        n_digits += 1
        power *= 10
    for place in range(n_digits - 1, -1, -1):
        out[place] = 48 + number % 10
        number //= 10
    return n_digits


@routine
def _write_strings(text, places, ends, n_places, level, has_second, is_open, out):
    """The two strings of a text, the second one made beside the first. Returns how many bytes of ``out`` are used."""
    second = np.empty(LONGEST // 2, np.uint8)
    at = _write_number(LEAST_BLOCK << level, out)
    out[at] = COLON
    at += 1
    n_first, n_second = 0, 0
    tail_first, tail_second = -1, -1  # letters of pieces for which there is no room
    a, b = _START, _START
    begin = 0
    for number in range(n_places + 1):
        end = places[number] + 1 if number < n_places else len(text)
        mine = _level(ends[number]) if number < n_places else np.int64(_LEVELS)
        if mine < level:
            continue
        for place in range(begin, end):
            byte = np.uint32(text[np.uint64(place)])
            a = np.uint32(a * _PRIME ^ byte)
            b = np.uint32(b * _PRIME ^ byte)
        begin = end
        if number == n_places:
            break
        if n_first < LONGEST - 1:
            out[at + n_first] = _LETTERS[np.uint64(a & np.uint32(63))]
            n_first += 1
            a = _START
        else:
            tail_first = np.int64(a & np.uint32(63))
        if mine > level:
            if n_second < LONGEST // 2 - 1:
                second[n_second] = _LETTERS[np.uint64(b & np.uint32(63))]
                n_second += 1
                b = _START
            else:
                tail_second = np.int64(b & np.uint32(63))
    if is_open:
        tail_first, tail_second = np.int64(a & np.uint32(63)), np.int64(b & np.uint32(63))
    at += n_first
    if tail_first >= 0:
        out[at] = _LETTERS[tail_first]
        at += 1
    out[at] = COLON
    at += 1
    for place in range(n_second if has_second else 0):
        out[at] = second[place]
        at += 1
    if tail_second >= 0:
        out[at] = _LETTERS[tail_second]
        at += 1
    return at


@kernel
def ssdeep_rows(data, offsets, places, ends, out):
    """The string of every row.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
    places, ends : int64[:], uint32[:]
        Room, for one more than the longest row has bytes.
    out : uint8[n, 108]
        Written; zeros behind the string.

    Notes
    -----
    Oracle: ``tests/oracles/ssdeep.py``.
    """
    for row in range(len(offsets) - 1):
        text = data[offsets[row] : offsets[row + 1]]
        first = _first_level(len(text))
        least = max(0, first - _LEVELS_AT_FIRST + 1)
        while True:
            n_places, rolling = _find_ends(text, least, places, ends)
            level, has_second = _chosen_level(ends, n_places, first)
            if level >= least:
                break
            least = max(0, least - 2 * _LEVELS_AT_FIRST)  # a dull text: few pieces, so a lower level is wanted
        record = out[row]
        used = _write_strings(text, places, ends, n_places, level, has_second, rolling != np.uint32(0), record)
        record[used:] = 0
