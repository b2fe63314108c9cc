"""Winnowing: hashes of k tokens that roll along, the smallest of each window, and passages two texts share."""

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


@kernel
def extend_seeds(a, b, i, j, k, runs):
    """Longest runs of equal tokens around seeds, each once.

    Parameters
    ----------
    a, b : uint64[:], read-only
        Hashes of the tokens of two texts.
    i, j : int64[n], read-only
        Where a seed begins in ``a`` and in ``b``; sorted by ``i - j``, then by ``i``.
    k : int
        Tokens of a seed. They are looked at again: equal hashes may lie.
    runs : int64[n, 3]
        Written: begin in ``a``, begin in ``b``, length.

    Returns
    -------
    int
        Number of runs.
    """
    n = 0
    for seed in range(len(i)):
        begin, other = i[seed], j[seed]
        if n > 0 and runs[n - 1, 0] - runs[n - 1, 1] == begin - other:
            if begin + k <= runs[n - 1, 0] + runs[n - 1, 2]:
                continue
        end = begin
        while end < len(a) and end - begin + other < len(b) and a[end] == b[end - begin + other]:
            end += 1
        if end - begin < min(k, len(a), len(b)):
            continue
        while begin > 0 and other > 0 and a[begin - 1] == b[other - 1]:
            begin -= 1
            other -= 1
        runs[n, 0], runs[n, 1], runs[n, 2] = begin, other, end - begin
        n += 1
    return n


@kernel
def join_runs(runs, gap, passages):
    """Passages: runs that lie close to each other in both texts.

    Parameters
    ----------
    runs : int64[n, 3], read-only
        Begin in the first text, begin in the second, length; sorted by the first.
    gap : int
        Tokens that may lie between two runs, in either text.
    passages : int64[n, 5]
        Written: begin and end in the first text, begin and end in the second, tokens of the first that are in runs.

    Returns
    -------
    int
        Number of passages.
    """
    n = 0
    open_from = 0  # passages before this one end too early for any run to come
    for run in range(len(runs)):
        begin, other, length = runs[run, 0], runs[run, 1], runs[run, 2]
        while open_from < n and passages[open_from, 1] + gap < begin:
            open_from += 1
        found = -1
        for place in range(n - 1, open_from - 1, -1):
            near = begin <= passages[place, 1] + gap
            if near and other <= passages[place, 3] + gap and other + length >= passages[place, 2] - gap:
                found = place
                break
        if found < 0:
            passages[n, 0], passages[n, 1] = begin, begin + length
            passages[n, 2], passages[n, 3], passages[n, 4] = other, other + length, length
            n += 1
            continue
        passage = passages[found]
        passage[4] += max(np.int64(0), begin + length - max(begin, passage[1]))
        passage[1] = max(passage[1], begin + length)
        passage[2], passage[3] = min(passage[2], other), max(passage[3], other + length)
    return n
