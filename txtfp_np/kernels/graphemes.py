"""Extended grapheme clusters of UTF-8 rows (UAX #29), and code points.

Clusters cover the text without gaps, so one array of boundaries holds them: cluster ``i`` of a block
is ``bounds[i]:bounds[i + 1]``.
"""

from __future__ import annotations

import numpy as np

from ._jit import kernel, routine
from .decode import classify, code_point_starts, load_sequence
from .intrinsics import byte_mask, trailing_zeros
from .segment_rules import BREAK, CLASS_BITS, grapheme_transitions

_TRANSITIONS = grapheme_transitions()
_EMPTY = 0
_AFTER_ASCII = np.int64(_TRANSITIONS[0]) >> 3  # the state behind any ASCII letter: class 0 from empty
_LANES = 64
_ONE = np.uint64(1)


@routine
def _graphemes_row(data, position, stop, base, trie, bounds, n):
    """Append the start of every cluster of one document; returns the new count."""
    vector_stop = len(data) - _LANES
    state = _EMPTY
    if position < stop:
        bounds[n] = np.int32(position - base)
        n += 1
    while position < stop:
        if state == _AFTER_ASCII and data[position] < 0x80 and position <= vector_stop:
            # Bytes that always stand alone behind each other: all of ASCII but controls, whose
            # carriage return may take a line feed along.
            other = ~byte_mask(data, position, np.uint8(32), np.uint8(95))
            run = min(trailing_zeros(other), stop - position)
            relative = position - base
            if run == _LANES:
                for lane in range(_LANES):
                    bounds[n + lane] = np.int32(relative + lane)
            else:
                for lane in range(run):
                    bounds[n + lane] = np.int32(relative + lane)
            n += run
            position += run
            if run > 0:
                continue
        window = position
        code_points = code_point_starts(data, window, stop)
        while code_points != np.uint64(0):
            position = window + trailing_zeros(code_points)
            code_points &= code_points - _ONE
            code, width = classify(trie, load_sequence(data, position))
            entry = np.int64(_TRANSITIONS[np.uint64((state << CLASS_BITS) | code)])
            bounds[n] = np.int32(position - base)
            n += np.int64((entry & 7) == BREAK)
            state = entry >> 3
            position += width
    return n


@kernel
def graphemes_rows(data, offsets, trie, bounds, token_offsets):
    """Cluster boundaries of all rows.

    Parameters
    ----------
    data : uint8[:], read-only
        Valid UTF-8.
    offsets : int64[n + 1], read-only
    trie : uint16[:], read-only
        The UTF-8 trie ``graphemes``.
    bounds : int32[:]
        Written: the start of every cluster relative to ``offsets[0]``, then the end of the last one.
        Needs ``offsets[n] - offsets[0] + 2`` places.
    token_offsets : int64[n + 1]
        Written: clusters of row ``i`` are ``token_offsets[i]:token_offsets[i + 1]``.

    Notes
    -----
    Oracle: ``tests/oracles/segmentation.py``.
    """
    base = offsets[0]
    n = np.int64(0)
    token_offsets[0] = 0
    for row in range(len(offsets) - 1):
        n = _graphemes_row(data, offsets[row], offsets[row + 1], base, trie, bounds, n)
        token_offsets[row + 1] = n
    bounds[n] = np.int32(offsets[len(offsets) - 1] - base)


@kernel
def code_points_rows(data, offsets, bounds, token_offsets):
    """Code-point boundaries of all rows; arguments as in :func:`graphemes_rows`."""
    base = offsets[0]
    n = np.int64(0)
    token_offsets[0] = 0
    for row in range(len(offsets) - 1):
        for position in range(offsets[row], offsets[row + 1]):
            bounds[n] = np.int32(position - base)
            n += np.int64((data[np.uint64(position)] & 0xC0) != 0x80)
        token_offsets[row + 1] = n
    bounds[n] = np.int32(offsets[len(offsets) - 1] - base)
