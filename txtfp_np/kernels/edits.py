"""Edit distances of sequences, 64 rows of the dynamic programme at a time."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine

_ZERO, _ONE = np.uint64(0), np.uint64(1)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: neighbouring symbols part (Knuth, vol. 3, 6.4)
_PLACES = 128  # of the table of a strip's symbols, of which there are 64 at most
_SHIFT = np.uint64(57)  # 64 - log2(_PLACES)
_COMMON = np.uint64(256)  # symbols below it need no hashing: bytes, and letters of most texts


@helper
def _slot_of(keys, places, symbol):
    """Where ``symbol`` stands in an open-addressed table, or the free slot for it. A place is never 0."""
    slot = np.int64((symbol * _SPREAD) >> _SHIFT)
    while places[slot] != _ZERO and keys[slot] != symbol:
        slot = (slot + 1) & (_PLACES - 1)
    return slot


@helper
def _enter(pattern, common, keys, places):
    """Put the symbols of 64 rows or fewer into zeroed tables; returns how many are not common."""
    n_hashed = 0
    for place in range(len(pattern)):
        symbol, bit = pattern[place], _ONE << np.uint64(place)
        if symbol < _COMMON:
            common[symbol] |= bit
            continue
        if n_hashed == 0:
            places[:] = _ZERO
        n_hashed += 1
        slot = _slot_of(keys, places, symbol)
        keys[slot] = symbol
        places[slot] |= bit
    return n_hashed


@helper
def _leave(pattern, common):
    for place in range(len(pattern)):
        if pattern[place] < _COMMON:
            common[pattern[place]] = _ZERO


@helper
def _next_column(equal, above, plus, minus, last):
    """Differences down the next column, and the one along its last row; ``above`` is that along the row above."""
    at_left = equal | minus
    equal |= np.uint64(above < 0)
    across = (((equal & plus) + plus) ^ plus) | equal
    rises = minus | ~(across | plus)
    falls = plus & across
    step = np.int8((rises >> last) & _ONE) - np.int8((falls >> last) & _ONE)
    rises = (rises << _ONE) | np.uint64(above > 0)
    falls = (falls << _ONE) | np.uint64(above < 0)
    return step, falls | ~(at_left | rises), rises & at_left


@routine
def _strip(pattern, text, tables, steps):
    """64 rows or fewer, from the first column to the last; returns how much their last row rises on the whole.

    ``steps`` has the differences along the row above (-1, 0, 1) and gets those along the last row. In ``tables``, the
    common symbols are zeros before and after.
    """
    common, keys, places = tables[0][0], tables[1][0], tables[2][0]
    n_hashed = _enter(pattern, common, keys, places)
    last = np.uint64(len(pattern) - 1)
    plus, minus = _ALL, _ZERO
    change = np.int64(0)
    for column in range(len(text)):
        symbol = text[column]
        if symbol < _COMMON:
            equal = common[symbol]
        else:
            equal = places[_slot_of(keys, places, symbol)] if n_hashed > 0 else _ZERO
        step, plus, minus = _next_column(equal, steps[column], plus, minus, last)
        steps[column] = step
        change += step
    _leave(pattern, common)
    return change


@routine
def _two_strips(upper, lower, text, tables, steps):
    """As :func:`_strip`, for 64 rows and the 64 or fewer below them, which follow a column behind.

    A column waits for the one before it; two that do not wait for each other take hardly longer than one.
    """
    common, keys, places = tables[0][0], tables[1][0], tables[2][0]
    common_below, keys_below, places_below = tables[0][1], tables[1][1], tables[2][1]
    n_upper = _enter(upper, common, keys, places)
    n_lower = _enter(lower, common_below, keys_below, places_below)
    bottom, last = np.uint64(63), np.uint64(len(lower) - 1)
    plus, minus = _ALL, _ZERO
    plus_below, minus_below = _ALL, _ZERO
    between, equal_below = np.int8(0), _ZERO
    change = np.int64(0)
    for column in range(len(text)):
        symbol = text[column]
        if symbol < _COMMON:
            equal, equal_next = common[symbol], common_below[symbol]
        else:
            equal = places[_slot_of(keys, places, symbol)] if n_upper > 0 else _ZERO
            equal_next = places_below[_slot_of(keys_below, places_below, symbol)] if n_lower > 0 else _ZERO
        step, plus, minus = _next_column(equal, steps[column], plus, minus, bottom)
        if column > 0:
            below, plus_below, minus_below = _next_column(equal_below, between, plus_below, minus_below, last)
            steps[column - 1] = below
            change += below
        equal_below, between = equal_next, step
    below, plus_below, minus_below = _next_column(equal_below, between, plus_below, minus_below, last)
    steps[len(text) - 1] = below
    _leave(upper, common)
    _leave(lower, common_below)
    return change + below


@helper
def _apart(one, other):
    """Both without what they begin and end with alike, which no edit touches."""
    n = min(len(one), len(other))
    begin = 0
    while begin < n and one[begin] == other[begin]:
        begin += 1
    end = 0
    while end < n - begin and one[len(one) - 1 - end] == other[len(other) - 1 - end]:
        end += 1
    return one[begin : len(one) - end], other[begin : len(other) - end]


@kernel
def levenshtein_pairs(values_a, offsets_a, values_b, offsets_b, i, j, out):
    """Insertions, deletions and substitutions that turn one sequence into the other, for pairs of them.

    Parameters
    ----------
    values_a, offsets_a : uint64[:], int64[n + 1], read-only
        Sequence ``d`` is ``values_a[offsets_a[d]:offsets_a[d + 1]]``.
    values_b, offsets_b : uint64[:], int64[m + 1], read-only
    i, j : int64[p], read-only
        Rows of ``a`` and of ``b``.
    out : uint32[p]
        Written.

    Notes
    -----
    G. Myers, A fast bit-vector algorithm for approximate string matching, JACM 1999, with the blocks of
    H. Hyyrö, A bit-vector algorithm for computing Levenshtein and Damerau edit distances, 2003. A block runs
    over all columns before the next one does, so that memory is one byte a column.
    Oracle: ``tests/oracles/measures.py``.
    """
    longest = np.int64(0)
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        longest = max(longest, offsets_a[a + 1] - offsets_a[a], offsets_b[b + 1] - offsets_b[b])
    common = np.zeros((2, 256), np.uint64)
    tables = common, np.empty((2, _PLACES), np.uint64), np.empty((2, _PLACES), np.uint64)
    row = np.empty(longest, np.int8)
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        pattern, text = _apart(values_a[offsets_a[a] : offsets_a[a + 1]], values_b[offsets_b[b] : offsets_b[b + 1]])
        if (len(pattern) + 63) // 64 * len(text) > (len(text) + 63) // 64 * len(pattern):
            pattern, text = text, pattern  # fewer columns in all strips together
        steps = row[: len(text)]
        steps[:] = 1  # the row above the first one grows by one a column
        change = np.int64(len(text))
        begin = 0
        while begin < len(pattern) and len(text) > 0:
            if len(pattern) - begin > 64:
                halves = pattern[begin : begin + 64], pattern[begin + 64 : begin + 128]
                change = _two_strips(*halves, text, tables, steps)
                begin += 128
            else:
                change = _strip(pattern[begin:], text, tables, steps)
                begin += 64
        out[pair] = np.uint32(len(pattern) + change)
