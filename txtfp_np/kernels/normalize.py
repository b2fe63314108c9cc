"""The full normalisation algorithm, for the few segments that a quick check cannot pass.

Works on code points: decompose, put marks in canonical order, compose (Unicode Standard, 3.11).
The oracle is ``unicodedata2`` 17.0.

Everything it looks up is one ``uint32`` array, and everything it writes is another, each cut into
parts at known places. Numba counts references for every array that is sliced, put into a tuple or
taken out of one; here that would cost more than the work itself.
"""

from __future__ import annotations

import numpy as np

from ._jit import routine
from .layout import TRIE_BLOCK, TRIE_INDEX, TRIE_SHIFT

# Parts of the lookup array; its first entries say where each begins.
CLASSES, DECOMPOSITION, MAPPING, OFFSETS, SEQUENCES, FIRSTS, SECONDS, COMPOSITES, END = range(9)
# Parts of the work array, each ``room`` long, then the counters of a counting sort.
TEXT, SPARE, MARK_CLASSES, SORTED = range(4)
N_PARTS = 4
N_COUNTERS = 257

_TRIE_MASK = TRIE_BLOCK - 1
_L, _V, _T, _S = 0x1100, 0x1161, 0x11A7, 0xAC00
_N_L, _N_V, _N_T, _N_S = 19, 21, 28, 11172
_INSERTION_SORT = 16  # above this many marks in a row, counting keeps hostile input linear


@routine
def lookup_full(full, part, code_point):
    """Value of a code point in one of the tries."""
    base = np.int64(full[np.uint64(part)])
    block = np.int64(full[np.uint64(base + (code_point >> TRIE_SHIFT))])
    return np.int64(full[np.uint64(base + TRIE_INDEX + (block << TRIE_SHIFT) + (code_point & _TRIE_MASK))])


@routine
def replaced_length(work, begin, n, full, part):
    """How long :func:`replace_sequences` would make the text."""
    offsets = np.int64(full[OFFSETS])
    total = np.int64(0)
    for i in range(begin, begin + n):
        number = lookup_full(full, part, np.int64(work[np.uint64(i)]))
        if number != 0:
            total += np.int64(full[np.uint64(offsets + number + 1)]) - np.int64(full[np.uint64(offsets + number)])
        else:
            total += 3  # a Hangul syllable at the most
    return total


@routine
def replace_sequences(work, begin, n_source, full, part, out):
    """Write every code point's sequence (none: itself) from ``out`` on; returns the length."""
    offsets, sequences = np.int64(full[OFFSETS]), np.int64(full[SEQUENCES])
    n = out
    for i in range(begin, begin + n_source):
        code_point = np.int64(work[np.uint64(i)])
        number = lookup_full(full, part, code_point)
        if number != 0:
            first = np.int64(full[np.uint64(offsets + number)])
            last = np.int64(full[np.uint64(offsets + number + 1)])
            for j in range(sequences + first, sequences + last):
                work[np.uint64(n)] = full[np.uint64(j)]
                n += 1
        elif part == DECOMPOSITION and _S <= code_point < _S + _N_S:
            syllable = code_point - _S
            work[np.uint64(n)] = np.uint32(_L + syllable // (_N_V * _N_T))
            work[np.uint64(n + 1)] = np.uint32(_V + syllable % (_N_V * _N_T) // _N_T)
            n += 2
            if syllable % _N_T != 0:
                work[np.uint64(n)] = np.uint32(_T + syllable % _N_T)
                n += 1
        else:
            work[np.uint64(n)] = np.uint32(code_point)
            n += 1
    return n - out


@routine
def _order_run(work, text, classes, n, room):
    """Stable sort of one run of marks by combining class."""
    if n <= _INSERTION_SORT:
        for i in range(1, n):
            code_point, combining = work[text + i], work[classes + i]
            j = i
            while j > 0 and work[classes + j - 1] > combining:
                work[text + j], work[classes + j] = work[text + j - 1], work[classes + j - 1]
                j -= 1
            work[text + j], work[classes + j] = code_point, combining
        return
    # Places for the classes, then code points go to their places; classes are read off the counters.
    into, places = SORTED * room, N_PARTS * room
    for i in range(N_COUNTERS):
        work[places + i] = 0
    for i in range(n):
        work[places + np.int64(work[classes + i]) + 1] += np.uint32(1)
    for i in range(1, N_COUNTERS):
        work[places + i] += work[places + i - 1]
    for i in range(n):
        place = places + np.int64(work[classes + i])
        work[into + np.int64(work[place])] = work[text + i]
        work[place] += np.uint32(1)
    for i in range(n):
        work[text + i] = work[into + i]
    i = 0
    for combining in range(N_COUNTERS - 1):
        while i < np.int64(work[places + combining]):
            work[classes + i] = np.uint32(combining)
            i += 1


@routine
def order_marks(work, text, n, full, room):
    """Canonical ordering in place; the combining classes go to their part of ``work``."""
    classes = MARK_CLASSES * room
    start, in_order, last_class = 0, True, np.int64(0)  # of the current run of marks
    for i in range(n):
        combining = lookup_full(full, CLASSES, np.int64(work[np.uint64(text + i)]))
        work[np.uint64(classes + i)] = np.uint32(combining)
        if combining == 0:
            if not in_order:
                _order_run(work, text + start, classes + start, i - start, room)
            start, in_order = i + 1, True
        elif combining < last_class:
            in_order = False
        last_class = combining
    if not in_order:
        _order_run(work, text + start, classes + start, n - start, room)


@routine
def compose_pair(first, second, full):
    """Primary composite of two code points, or -1."""
    if _L <= first < _L + _N_L and _V <= second < _V + _N_V:
        return _S + ((first - _L) * _N_V + (second - _V)) * _N_T
    if _S <= first < _S + _N_S and (first - _S) % _N_T == 0 and _T < second < _T + _N_T:
        return first + (second - _T)
    key = (first << 32) | second
    firsts, seconds = np.int64(full[FIRSTS]), np.int64(full[SECONDS])
    low, high = np.int64(0), seconds - firsts
    while low < high:
        middle = (low + high) >> 1
        found = (np.int64(full[np.uint64(firsts + middle)]) << 32) | np.int64(full[np.uint64(seconds + middle)])
        if found == key:
            return np.int64(full[np.uint64(np.int64(full[COMPOSITES]) + middle)])
        if found < key:
            low = middle + 1
        else:
            high = middle
    return np.int64(-1)


@routine
def compose(work, text, n, full, room):
    """Canonical composition in place. Returns the new length."""
    classes = MARK_CLASSES * room
    starter = np.int64(-1)
    last_class = np.int64(0)  # class of the last mark kept since the starter; an equal one behind it is blocked
    length = np.int64(0)
    for i in range(n):
        combining = np.int64(work[np.uint64(classes + i)])
        code_point = np.int64(work[np.uint64(text + i)])
        if starter >= 0 and (starter == length - 1 or last_class < combining):
            composite = compose_pair(np.int64(work[np.uint64(text + starter)]), code_point, full)
            if composite >= 0:
                work[np.uint64(text + starter)] = np.uint32(composite)
                continue
        if combining == 0:
            starter = length
        last_class = combining
        work[np.uint64(text + length)] = np.uint32(code_point)
        length += 1
    return length
