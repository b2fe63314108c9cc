"""Sorting 64-bit keys, and what belongs to them."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .intrinsics import leading_zeros

_MAX_DIGIT = 8  # 256 counters and as many places to write keys and rows at stay in the L1 cache
_SHORT = 32
_FAR = 64  # places that a key may be away from its own after sorting by its upper bits
_ONE = np.uint64(1)


@helper
def _log2(n):
    """Smallest number of bits that can number ``n`` things."""
    bits = 0
    while (1 << bits) < n:
        bits += 1
    return bits


@routine
def _scatter(keys, rows, shift, counts, out_keys, out_rows):
    """Stable pass of a radix sort; ``counts[digit]`` is where the digit's keys begin."""
    mask = np.uint64(len(counts) - 1)
    shift = np.uint64(shift)
    for i in range(np.uint64(len(keys))):
        key = keys[i]
        digit = (key >> shift) & mask
        place = np.uint64(counts[digit])
        counts[digit] = place + _ONE
        out_keys[place] = key
        out_rows[place] = rows[i]


@routine
def _count(keys, shift, counts):
    mask = np.uint64(len(counts) - 1)
    shift = np.uint64(shift)
    counts[:] = 0
    for i in range(np.uint64(len(keys))):
        counts[(keys[i] >> shift) & mask] += 1
    total = 0
    for digit in range(len(counts)):
        n = counts[digit]
        counts[digit] = total
        total += n


@helper
def _insert_sorted(keys, rows, limit):
    """Insertion sort, stable. False if some key was farther than ``limit`` from its place."""
    for i in range(1, len(keys)):
        key = keys[i]
        if keys[i - 1] > key:
            row = rows[i]
            j = i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                rows[j] = rows[j - 1]
                j -= 1
            keys[j] = key
            rows[j] = row
            if i - j > limit:
                return False
    return True


@routine
def _sort(keys, rows, spare_keys, spare_rows, from_bit, to_bit):
    """Stable radix sort by the bits from ``from_bit`` to below ``to_bit``, which are all above it that differ.

    It takes an even number of passes, so that it ends in place.
    """
    n = len(keys)
    width = max(1, min(_MAX_DIGIT, (to_bit - from_bit + 1) // 2))
    passes = (to_bit - from_bit + width - 1) // width
    passes += passes % 2
    counts = np.empty(1 << width, np.int64)
    for step in range(passes):
        # digits from the top down to from_bit; those below bit 0 in a full sort overlap, which is harmless
        shift = max(0, to_bit - (passes - step) * width)
        _count(keys, shift, counts)
        if step % 2 == 0:
            _scatter(keys, rows, shift, counts, spare_keys[:n], spare_rows[:n])
        else:
            _scatter(spare_keys[:n], spare_rows[:n], shift, counts, keys, rows)


@kernel
def sort_keys(keys, rows, numbered, spare_keys, spare_rows):
    """Sort keys, and take numbers along or say where each came from; equal keys keep their order.

    Parameters
    ----------
    keys : uint64[n]
        Sorted in place.
    rows : uint32[n]
        Moves with the keys if it is ``numbered``; else written: ``rows[i]`` is where ``keys[i]`` stood.
    numbered : bool
    spare_keys, spare_rows : uint64[>= n], uint32[>= n]
        Scratch.

    Notes
    -----
    Most keys are hashes: after sorting by a few more upper bits than number the keys, hardly any is out of
    place, and an insertion sort ends it. Keys that share their upper bits by intent cost a full sort.
    """
    n = len(keys)
    differing = np.uint64(0)
    for i in range(n):
        differing |= keys[i] ^ keys[0]
        if not numbered:
            rows[i] = np.uint32(i)
    if n <= _SHORT:
        _insert_sorted(keys, rows, n)
        return
    to_bit = 64 - leading_zeros(differing)
    _sort(keys, rows, spare_keys, spare_rows, max(0, to_bit - (_log2(n) + 2)), to_bit)
    if not _insert_sorted(keys, rows, _FAR):
        _sort(keys, rows, spare_keys, spare_rows, 0, to_bit)
