"""How alike ssdeep's strings are: taken apart once, then compared by bits.

After the behaviour of ssdeep 2.14. Strings are compared if they share seven letters in a row, which a map of hashes
rules out for most.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import popcount
from .ssdeep import COLON, LEAST_BLOCK, LONGEST, WINDOW

_COMMA = 44
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SEVEN_LETTERS = np.uint64((1 << 42) - 1)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio: Fibonacci hashing
_MAP_WORDS = 1024  # a bit for each hash of seven letters


@helper
def _number_of(letter):
    """Number of a letter, 64 for anything else."""
    value = np.int64(letter)
    if 65 <= value <= 90:
        return value - 65
    if 97 <= value <= 122:
        return value - 71
    if 48 <= value <= 57:
        return value + 4
    return np.int64(62) if value == 43 else np.int64(63) if value == 47 else np.int64(64)


@helper
def _read_string(text, at, letters):
    """Letters up to a colon, a comma or the end, runs cut to three; returns their number or -1, and where it ends."""
    n, n_all = 0, 0
    while at < len(text) and text[at] != COLON and text[at] != _COMMA:
        number = _number_of(text[at])
        n_all += 1
        if number == 64 or n_all > LONGEST:
            return -1, at
        if n < 3 or letters[n - 1] != number or letters[n - 2] != number or letters[n - 3] != number:
            letters[n] = number
            n += 1
        at += 1
    return n, at


@helper
def _hash_sevens(letters, size, grams):
    """16 bits for every seven letters in a row, of the 42 bits that they are."""
    seven = np.uint64(0)
    for place in range(size):
        seven = (seven << np.uint64(6) | np.uint64(letters[place])) & _SEVEN_LETTERS
        if place >= WINDOW - 1:
            grams[place - WINDOW + 1] = np.uint16(seven * _GOLDEN >> np.uint64(48))


@kernel
def parse_rows(data, offsets, blocks, sizes, letters, grams):
    """Take strings apart, up to the first one that is none.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
        A zero ends a row early.
    blocks : int64[n]
        Written: block sizes.
    sizes : uint8[n, 2]
        Written: letters of the two strings, of equal ones in a row no more than three.
    letters : uint8[n, 2, 64]
        Written: their numbers.
    grams : uint16[n, 2, 58]
        Written: a hash of every seven letters in a row.

    Returns
    -------
    int
        Row of the first text that is no such string; ``n`` if all are.
    """
    for row in range(len(offsets) - 1):
        text = data[offsets[row] : offsets[row + 1]]
        end = len(text)
        while end > 0 and text[end - 1] == 0:
            end -= 1
        text = text[:end]
        block, at = np.int64(0), 0
        while at < min(len(text), 12) and 48 <= text[at] <= 57:
            block = 10 * block + np.int64(text[at]) - 48
            at += 1
        if at == 0 or block < LEAST_BLOCK or at == len(text) or text[at] != COLON:
            return row
        first, at = _read_string(text, at + 1, letters[row, 0])
        if first < 0 or at == len(text) or text[at] != COLON:
            return row
        second, at = _read_string(text, at + 1, letters[row, 1])
        if second < 0 or (at < len(text) and text[at] != _COMMA):
            return row
        blocks[row], sizes[row, 0], sizes[row, 1] = block, first, second
        for which in range(2):
            _hash_sevens(letters[row, which], np.int64(sizes[row, which]), grams[row, which])
    return len(offsets) - 1


@helper
def _mark_letters(letters, size, marks):
    """Bit ``i`` of ``marks[letter]`` says that ``letters[i]`` is that letter."""
    marks[:] = 0
    for place in range(size):
        marks[np.uint64(letters[place])] |= np.uint64(1) << np.uint64(place)


@helper
def _share_seven(marks, letters, size, pairs, fours):
    """Whether seven letters in a row are those of the string that was marked, somewhere.

    ``pairs`` and ``fours`` are room for 64 words: bit ``i`` at ``place`` says that two, or four, letters that end at
    ``place`` are those that end at ``i``.
    """
    for place in range(1, size):
        before = marks[np.uint64(letters[place - 1])]
        pairs[place] = marks[np.uint64(letters[place])] & before << np.uint64(1)
    for place in range(3, size):
        fours[place] = pairs[place] & pairs[place - 2] << np.uint64(2)
    seen = np.uint64(0)
    for place in range(6, size):
        seen |= fours[place] & fours[place - 3] << np.uint64(3)
    return seen != np.uint64(0)


@helper
def _common_letters(marks, letters, size):
    """Length of the longest common subsequence (Allison, Dix 1986; in the form of Hyyrö, 2004)."""
    state = _ALL
    for place in range(size):
        kept = state & marks[np.uint64(letters[place])]
        state = (state + kept) | (state - kept)
    return popcount(~state)


@helper
def _score(marks, n_marked, letters, size, block, room):
    """0 to 100 for two strings of one block size; changing a letter is as dear as removing and inserting one."""
    if not _share_seven(marks, letters, size, room[0], room[1]):
        return np.int64(0)
    distance = n_marked + size - 2 * _common_letters(marks, letters, size)
    score = 100 - 100 * (distance * LONGEST // (n_marked + size)) // LONGEST
    if block < (99 + WINDOW) // WINDOW * LEAST_BLOCK:  # a match of a few bytes must not look like one of many
        score = min(score, block // LEAST_BLOCK * min(n_marked, size))
    return score


@helper
def _is_equal(a, row, b, other):
    for which in range(2):
        if a[1][row, which] != b[1][other, which]:
            return False
        for place in range(np.int64(a[1][row, which])):
            if a[2][row, which, place] != b[2][other, which, place]:
                return False
    return True


@helper
def _enter(strings, row, bits, values):
    """Put the hashes of both strings of a row into its maps, or take them out again."""
    for which in range(2):
        for place in range(np.int64(strings[1][row, which]) - WINDOW + 1):
            gram = np.uint64(strings[3][row, which, place])
            word = gram >> np.uint64(6)
            bit = np.uint64(1) << (gram & np.uint64(63))
            bits[which, word] = bits[which, word] | bit if values else bits[which, word] & ~bit


@helper
def _may_share(bits, strings, row, which):
    """Whether a string has seven letters whose hash is in the map: if not, it shares none."""
    found = np.uint64(0)
    grams = strings[3][row, which]
    for place in range(np.int64(strings[1][row, which]) - WINDOW + 1):
        gram = np.uint64(grams[place])
        found |= bits[gram >> np.uint64(6)] >> (gram & np.uint64(63))
    return found & np.uint64(1) != np.uint64(0)


@helper
def _score_of(a, row, mine, b, other, its, bits, block, room):
    """Score of one string of a row and one of another; ``bits`` is the map of the former."""
    if not _may_share(bits[mine], b, other, its):
        return np.int64(0)
    n_mine, n_its = np.int64(a[1][row, mine]), np.int64(b[1][other, its])
    _mark_letters(a[2][row, mine], n_mine, room[0])
    return _score(room[0], n_mine, b[2][other, its], n_its, block, room[1:])


@helper
def _compare(a, row, b, other, bits, room):
    """Score of two rows; ``bits`` are the maps of the first."""
    block, other_block = a[0][row], b[0][other]
    if block == other_block:
        if _is_equal(a, row, b, other):
            return np.int64(100)
        first = _score_of(a, row, 0, b, other, 0, bits, block, room)
        return max(first, _score_of(a, row, 1, b, other, 1, bits, 2 * block, room))
    if 2 * block == other_block:
        return _score_of(a, row, 1, b, other, 0, bits, other_block, room)
    return _score_of(a, row, 0, b, other, 1, bits, block, room)


@helper
def _are_comparable(block, other):
    return block == other or 2 * block == other or block == 2 * other


@kernel
def compare_pairs(a, b, i, j, out):
    """Scores of pairs.

    Parameters
    ----------
    a, b : (int64[:], uint8[:, 2], uint8[:, 2, 64], uint16[:, 2, 58]), read-only
        From :func:`parse_rows`.
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    out : int32[n]
        Written: 0 to 100.

    Notes
    -----
    Oracle: ``tests/oracles/ssdeep.py``.
    """
    bits, room = np.zeros((2, _MAP_WORDS), np.uint64), np.empty((3, LONGEST), np.uint64)
    for pair in range(len(i)):
        row, other = i[pair], j[pair]
        out[pair] = 0
        if _are_comparable(a[0][row], b[0][other]):
            _enter(a, row, bits, True)
            out[pair] = _compare(a, row, b, other, bits, room)
            _enter(a, row, bits, False)


@kernel
def compare_tile(a, b, rows, columns, out):
    """As :func:`compare_pairs`, every row of ``a`` with every row of ``b``, for a part of them.

    Parameters
    ----------
    a, b : (int64[:], uint8[:, 2], uint8[:, 2, 64], uint16[:, 2, 58]), read-only
    rows, columns : (int, int)
        First row of ``a`` and the one after the last; the same of ``b``.
    out : int32[len(a), len(b)]
        Written at these rows and columns.
    """
    bits, room = np.zeros((2, _MAP_WORDS), np.uint64), np.empty((3, LONGEST), np.uint64)
    for row in range(rows[0], rows[1]):
        _enter(a, row, bits, True)
        for column in range(columns[0], columns[1]):
            out[row, column] = 0
            if _are_comparable(a[0][row], b[0][column]):
                out[row, column] = _compare(a, row, b, column, bits, room)
        _enter(a, row, bits, False)
