"""Winnowing: hashes of k tokens that roll along, and the smallest of each window."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import multiply_high

_PRIME = np.uint64((1 << 61) - 1)  # a Mersenne prime: its remainders need no division
_PRIME_BITS, _FREE_BITS = np.uint64(61), np.uint64(3)
#: Base of the polynomial: digits of pi. Tokens are hashed with a seed before they come here.
_BASE = np.uint64(0x243F6A8885A308D3 & ((1 << 61) - 1))


@helper
def _reduce(x):
    """``x`` modulo the prime."""
    x = (x & _PRIME) + (x >> _PRIME_BITS)
    return min(x, x - _PRIME)  # wraps around below the prime; a branch would be mispredicted half the time


@helper
def _times(a, b):
    """Product modulo the prime, of numbers below it."""
    high, low = multiply_high(a, b), a * b
    return _reduce((low & _PRIME) + (high << _FREE_BITS | low >> _PRIME_BITS))


@helper
def _mix(x):
    """A permutation of 64 bits (the last steps of MurmurHash3), so that the smallest hash is an arbitrary one."""
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xFF51AFD7ED558CCD)
    x ^= x >> np.uint64(33)
    x *= np.uint64(0xC4CEB9FE1A85EC53)
    return x ^ x >> np.uint64(33)


@kernel
def roll_rows(tokens, offsets, k, out, out_offsets):
    """Karp-Rabin hash of every run of ``k`` tokens.

    Parameters
    ----------
    tokens : uint64[m], read-only
        Hashes of single tokens.
    offsets : int64[n + 1], read-only
        Whose they are.
    k : int
        At least 2. A row of fewer tokens, but one at least, gives one hash of them all.
    out : uint64[m]
        Written from its begin on.
    out_offsets : int64[n + 1]
        Written: whose hashes they are.

    Notes
    -----
    Oracle: ``tests/oracles/winnowing.py``.
    """
    leaving = np.uint64(1)  # what the first token of a full run is multiplied with, once one more has come
    for _ in range(k):
        leaving = _times(leaving, _BASE)
    n = np.int64(0)
    out_offsets[0] = 0
    for row in range(len(offsets) - 1):
        text = tokens[offsets[row] : offsets[row + 1]]
        rolled = np.uint64(0)
        width = min(k, len(text))
        for place in range(width):
            rolled = _reduce(_times(rolled, _BASE) + _reduce(text[place]))
        if width > 0:
            out[np.uint64(n)] = _mix(rolled)
            n += 1
        for place in range(width, len(text)):
            gone = _times(_reduce(text[np.uint64(place - k)]), leaving)
            rolled = _reduce(_times(rolled, _BASE) + _reduce(text[np.uint64(place)]) + (_PRIME - gone))
            out[np.uint64(n)] = _mix(rolled)
            n += 1
        out_offsets[row + 1] = n


@helper
def _last_smallest(values, begin, end):
    """Place of the smallest of ``values[begin:end]``, the last one if there are several."""
    best, least = begin, values[np.uint64(begin)]
    for place in range(begin + 1, end):
        value = values[np.uint64(place)]
        best = place if value <= least else best
        least = min(value, least)
    return best


@kernel
def winnow_rows(values, offsets, window, picks, out_offsets):
    """Places that hold the smallest hash of a window, of equal ones the last.

    Parameters
    ----------
    values : uint64[m], read-only
    offsets : int64[n + 1], read-only
        Whose they are.
    window : int
        Hashes a window. A row of fewer, but one at least, is a window by itself.
    picks : int64[m]
        Written: chosen places among the row's, each once.
    out_offsets : int64[n + 1]
        Written: whose places they are.

    Notes
    -----
    Oracle: ``tests/oracles/winnowing.py``.
    """
    n = np.int64(0)
    out_offsets[0] = 0
    for row in range(len(offsets) - 1):
        mine = values[offsets[row] : offsets[row + 1]]
        if len(mine) > 0:
            best = _last_smallest(mine, np.int64(0), min(window, len(mine)))
            picks[n] = best
            n += 1
            for place in range(window, len(mine)):
                if mine[np.uint64(place)] <= mine[np.uint64(best)]:
                    best = np.int64(place)
                elif best <= place - window:
                    best = _last_smallest(mine, place - window + 1, place + 1)
                else:
                    continue
                picks[n] = best
                n += 1
        out_offsets[row + 1] = n
