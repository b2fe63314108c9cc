"""The full normalisation algorithm, for the few segments that a quick check cannot pass.

Works on code points: decompose, put marks in canonical order, compose (Unicode Standard, 3.11).
The oracle is ``unicodedata2`` 17.0.
"""

from __future__ import annotations

import numpy as np

from ._jit import routine
from .decode import lookup

_L, _V, _T, _S = 0x1100, 0x1161, 0x11A7, 0xAC00
_N_V, _N_T, _N_S = 21, 28, 11172
_INSERTION_SORT = 16  # above this many marks in a row, counting keeps hostile input linear


@routine
def replace_sequences(source, n_source, trie, offsets, sequences, hangul):
    """Replace every code point by its sequence in ``trie`` (0: itself). Returns (array, length)."""
    total = 0
    for i in range(n_source):
        number = lookup(trie, np.int64(source[i]))
        if number != 0:
            total += offsets[number + 1] - offsets[number]
        else:
            total += 3 if hangul and _S <= source[i] < _S + _N_S else 1
    out = np.empty(total, np.uint32)
    n = 0
    for i in range(n_source):
        code_point = np.int64(source[i])
        number = lookup(trie, code_point)
        if number != 0:
            for j in range(offsets[number], offsets[number + 1]):
                out[n] = sequences[j]
                n += 1
        elif hangul and _S <= code_point < _S + _N_S:
            syllable = code_point - _S
            out[n] = np.uint32(_L + syllable // (_N_V * _N_T))
            out[n + 1] = np.uint32(_V + syllable % (_N_V * _N_T) // _N_T)
            n += 2
            if syllable % _N_T != 0:
                out[n] = np.uint32(_T + syllable % _N_T)
                n += 1
        else:
            out[n] = np.uint32(code_point)
            n += 1
    return out, n


@routine
def _order_run(text, classes, start, stop):
    """Stable sort of one run of marks by combining class."""
    if stop - start <= _INSERTION_SORT:
        for i in range(start + 1, stop):
            code_point, combining = text[i], classes[i]
            j = i
            while j > start and classes[j - 1] > combining:
                text[j], classes[j] = text[j - 1], classes[j - 1]
                j -= 1
            text[j], classes[j] = code_point, combining
        return
    places = np.zeros(257, np.int64)
    for i in range(start, stop):
        places[np.int64(classes[i]) + 1] += 1
    for combining in range(256):
        places[combining + 1] += places[combining]
    sorted_text = np.empty(stop - start, np.uint32)
    sorted_classes = np.empty(stop - start, np.uint8)
    for i in range(start, stop):
        place = places[classes[i]]
        places[classes[i]] += 1
        sorted_text[place], sorted_classes[place] = text[i], classes[i]
    text[start:stop] = sorted_text
    classes[start:stop] = sorted_classes


@routine
def order_marks(text, n, class_trie):
    """Canonical ordering in place. Returns the combining classes, in the new order."""
    classes = np.empty(n, np.uint8)
    for i in range(n):
        classes[i] = np.uint8(lookup(class_trie, np.int64(text[i])))
    start = 0
    while start < n:
        if classes[start] == 0:
            start += 1
            continue
        stop = start + 1
        while stop < n and classes[stop] != 0:
            stop += 1
        _order_run(text, classes, start, stop)
        start = stop
    return classes


@routine
def _compose_pair(first, second, keys, values):
    """Primary composite of two code points, or -1."""
    if _L <= first < _L + 19 and _V <= second < _V + _N_V:
        return _S + ((first - _L) * _N_V + (second - _V)) * _N_T
    if _S <= first < _S + _N_S and (first - _S) % _N_T == 0 and _T < second < _T + _N_T:
        return first + (second - _T)
    key = (np.uint64(first) << np.uint64(32)) | np.uint64(second)
    low, high = 0, len(keys)
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    if low < len(keys) and keys[low] == key:
        return np.int64(values[low])
    return np.int64(-1)


@routine
def compose(text, classes, n, keys, values):
    """Canonical composition in place. Returns the new length."""
    starter = -1
    last_class = 0  # class of the last mark kept since the starter; a mark behind an equal one is blocked
    length = 0
    for i in range(n):
        combining = np.int64(classes[i])
        adjacent = starter == length - 1
        if starter >= 0 and (adjacent or last_class < combining):
            composite = _compose_pair(np.int64(text[starter]), np.int64(text[i]), keys, values)
            if composite >= 0:
                text[starter] = np.uint32(composite)
                continue
        if combining == 0:
            starter = length
            last_class = 0
        else:
            last_class = combining
        text[length] = text[i]
        length += 1
    return length
