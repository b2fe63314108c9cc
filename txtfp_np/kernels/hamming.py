"""Exact Hamming search: pairs within a column and neighbours of probes.

Two fingerprints that differ in at most ``k`` bits agree in at least ``m - k`` of any ``m`` blocks of
bits. For each choice of ``m - k`` blocks (a *combination*) fingerprints are put into buckets by a
hash of these blocks, and compared inside the bucket. A pair may meet in several combinations; it is
reported only in the first of them, which its differing bits name, so nothing is ever looked up twice.

A fingerprint is ``low[i]`` and, if it has more than 64 bits, ``high[i]``; ``high`` is empty otherwise.
A combination is a row ``uint64[5]``: bits of the low word, bits of the high word, rotation of each,
and the set of its blocks. ``blocks`` is ``uint64[m, 2]``, the bits of each block.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import address, near_mask, near_mask_wide, popcount, trailing_zeros

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: Knuth, TAOCP 3, section 6.4
_SECOND = np.uint64(0xD6E8FEB86659FD93)  # odd, otherwise arbitrary
_ONE = np.uint64(1)
_WORD = np.uint64(64)
_LAST = np.uint64(63)
LANES = 8  # fingerprints compared at once; as many are read beyond the end of a table
_BATCH = 32  # probes whose buckets are looked up together, so that the loads overlap


@helper
def _rotate(word, by):
    return (word << by) | (word >> ((_WORD - by) & _LAST))


@helper
def _hash(low, high, wide, masks):
    """Its top bits are the bucket. One field rotated to the top keeps its values apart: odd factor."""
    mixed = _rotate(low & masks[0], masks[2]) * _GOLDEN
    if wide:
        mixed += _rotate(high & masks[1], masks[3]) * _SECOND
    return mixed


@helper
def _masks_of(combination):
    """Numbers instead of an array: each use of an array in a helper counts its references."""
    return combination[0], combination[1], combination[2], combination[3]


@helper
def _meets_first(low, high, wide, blocks, combination):
    """Whether a pair with these differing bits meets in this combination, and in none before it."""
    chosen = combination[4]
    for block in range(blocks.shape[0]):
        differs = (low & blocks[block, 0]) != np.uint64(0)
        if wide:
            differs = differs or (high & blocks[block, 1]) != np.uint64(0)
        bit = _ONE << np.uint64(block)
        if chosen & bit:
            if differs:
                return False
            chosen ^= bit
            if chosen == np.uint64(0):
                return True
        elif not differs:
            return False  # an earlier combination has this block
    return True


@helper
def _near(x, y, wide, low, high, position, k):
    """Which of the eight fingerprints from ``position`` on are at most ``k`` bits away; words by address."""
    if wide:
        return np.uint64(near_mask_wide(low + 8 * position, high + 8 * position, x, y, k))
    return np.uint64(near_mask(low + 8 * position, x, k))


# ── all pairs of a column ───────────────────────────────────────────────────────────────────────
@kernel
def count_parts(low, high, combination, bits, bounds):
    """How many fingerprints fall into each of ``2**bits`` parts.

    Parameters
    ----------
    low, high : uint64[n], read-only
    combination : uint64[5], read-only
    bits : int
        1 to 63.
    bounds : int64[2**bits + 1]
        Written: ``bounds[p]`` is where part ``p`` begins.
    """
    wide = len(high) > 0
    masks = _masks_of(combination)
    shift = _WORD - np.uint64(bits)
    bounds[:] = 0
    for i in range(np.uint64(len(low))):
        y = high[i] if wide else np.uint64(0)
        bounds[(_hash(low[i], y, wide, masks) >> shift) + _ONE] += 1
    for part in range(1, len(bounds)):
        bounds[part] += bounds[part - 1]


@kernel
def scatter_parts(low, high, combination, bits, bounds, parts, out):
    """Copy the fingerprints of some parts, part by part.

    Parameters
    ----------
    low, high, combination, bits, bounds
        As in :func:`count_parts`.
    parts : (int, int)
        First part, and the one after the last.
    out : tuple of uint64[:], uint64[:], uint32[:]
        Written: words and positions in ``low``; high words only if there are any. The first element
        belongs to the first part.
    """
    out_low, out_high, out_rank = out
    wide = len(high) > 0
    masks = _masks_of(combination)
    shift = _WORD - np.uint64(bits)
    first, n_parts = np.uint64(parts[0]), np.uint64(parts[1] - parts[0])
    ends = bounds[parts[0] : parts[1]] - bounds[parts[0]]
    for i in range(np.uint64(len(low))):
        x = low[i]
        y = high[i] if wide else np.uint64(0)
        part = (_hash(x, y, wide, masks) >> shift) - first
        if part < n_parts:
            place = np.uint64(ends[part])
            ends[part] += 1
            out_low[place] = x
            out_rank[place] = np.uint32(i)
            if wide:
                out_high[place] = y


@helper
def _sort_part(low, high, rank, wide, masks, bits, n_buckets, ends, local_low, local_high, local_rank):
    """Order one part by the last bits of the hash; ``ends[b]`` is where bucket ``b`` ends. Returns the longest."""
    shift = _WORD - np.uint64(bits)
    mask = np.uint64(n_buckets - 1)
    ends[: n_buckets + 1] = 0
    for i in range(np.uint64(len(low))):
        y = high[i] if wide else np.uint64(0)
        ends[((_hash(low[i], y, wide, masks) >> shift) & mask) + _ONE] += np.uint32(1)
    longest = np.uint32(0)
    for bucket in range(n_buckets):
        longest = max(longest, ends[bucket + 1])
        ends[bucket + 1] += ends[bucket]
    for i in range(np.uint64(len(low))):
        x = low[i]
        y = high[i] if wide else np.uint64(0)
        bucket = (_hash(x, y, wide, masks) >> shift) & mask
        place = np.uint64(ends[bucket])
        ends[bucket] += np.uint32(1)
        local_low[place] = x
        local_rank[place] = rank[i]
        if wide:
            local_high[place] = y
    return longest


@kernel
def join_parts(parts, bounds, combination, blocks, shape, state, pairs, distances):
    """Pairs within ``k`` bits inside the buckets of some parts.

    Parameters
    ----------
    parts : tuple of uint64[n], uint64[n] or uint64[0], uint32[n]
        Words and positions as :func:`scatter_parts` left them.
    bounds : int64[n_parts + 1], read-only
        Where each part begins in them.
    combination, blocks : uint64[5], uint64[m, 2], read-only
    shape : (int, int, int)
        Bits of the hash that name a bucket, how many of these name its part, and ``k``.
    state : int64[3]
        In and out: the part and the fingerprint in it to go on with, and pairs written. On return
        ``state[0] == n_parts``, or the output is full; then ``state[2]`` is to be set to 0 once its
        pairs are taken, and the output to be made longer if there were none.
    pairs : uint64[:]
        Written: smaller position in the upper half, larger in the lower.
    distances : uint8[:]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/hamming.py``.
    """
    all_low, all_high, all_rank = parts
    bits, part_bits, k = shape
    wide = len(all_high) > 0
    n_buckets = np.int64(1) << (bits - part_bits)
    largest = np.int64(0)
    for part in range(len(bounds) - 1):
        largest = max(largest, bounds[part + 1] - bounds[part])
    ends = np.empty(n_buckets + 1, np.uint32)
    low = np.zeros(largest + LANES, np.uint64)
    high = np.zeros(largest + LANES if wide else 0, np.uint64)
    rank = np.empty(largest, np.uint32)
    masks = _masks_of(combination)
    low_at, high_at = address(low, 0), address(high, 0)
    written = state[2]
    for part in range(state[0], len(bounds) - 1):
        begin, end = bounds[part], bounds[part + 1]
        size = end - begin
        if size < 2:
            continue
        part_high = all_high[begin:end] if wide else all_high
        longest = _sort_part(
            all_low[begin:end], part_high, all_rank[begin:end], wide, masks, bits, n_buckets, ends,
            low, high, rank,
        )  # fmt: skip
        row = state[1] if part == state[0] else np.int64(0)
        # Short buckets: eight neighbours are compared whatever their bucket, at no cost of finding
        # its end. Who is of another bucket does not meet in this combination, so that is no error.
        flat = longest <= LANES + 1
        bucket = np.int64(0)
        stop = size
        while row < size - 1:
            if not flat:
                while ends[bucket] <= row:
                    bucket += 1
                stop = np.int64(ends[bucket])
            x = low[row]
            y = high[row] if wide else np.uint64(0)
            before = written
            last = min(row + 1 + LANES, stop) if flat else stop
            for column in range(row + 1, last, LANES):
                mask = _near(x, y, wide, low_at, high_at, column, k)
                while mask != np.uint64(0):
                    j = column + trailing_zeros(mask)
                    mask &= mask - _ONE
                    if j >= stop:
                        break
                    differ_low = x ^ low[j]
                    differ_high = y ^ high[j] if wide else np.uint64(0)
                    if not _meets_first(differ_low, differ_high, wide, blocks, combination):
                        continue
                    if written == len(pairs):
                        state[0], state[1], state[2] = part, row, before
                        return
                    a, b = np.uint64(rank[row]), np.uint64(rank[j])
                    pairs[written] = (min(a, b) << np.uint64(32)) | max(a, b)
                    distances[written] = np.uint8(popcount(differ_low) + popcount(differ_high))
                    written += 1
            row += 1
    state[0], state[1], state[2] = len(bounds) - 1, 0, written


# ── neighbours of probes ────────────────────────────────────────────────────────────────────────
@kernel
def build_table(low, high, combination, bits, bounds, out_low, out_high, out_rank):
    """One table for :func:`query_tables`: fingerprints ordered by bucket, each with its position.

    Parameters
    ----------
    low, high, combination, bits
        As in :func:`count_parts`.
    bounds : uint32[2**bits + 1]
        Written: where each bucket begins.
    out_low, out_high : uint64[n + 8]
        Written but for the last eight; ``out_high`` only if ``high`` is not empty.
    out_rank : uint32[n]
        Written.
    """
    wide = len(high) > 0
    masks = _masks_of(combination)
    shift = _WORD - np.uint64(bits)
    bounds[:] = 0
    for i in range(np.uint64(len(low))):
        y = high[i] if wide else np.uint64(0)
        bounds[(_hash(low[i], y, wide, masks) >> shift) + _ONE] += np.uint32(1)
    for bucket in range(1, len(bounds)):
        bounds[bucket] += bounds[bucket - 1]
    for i in range(np.uint64(len(low))):
        x = low[i]
        y = high[i] if wide else np.uint64(0)
        bucket = _hash(x, y, wide, masks) >> shift
        place = bounds[bucket]
        bounds[bucket] += np.uint32(1)
        out_low[place] = x
        out_rank[place] = np.uint32(i)
        if wide:
            out_high[place] = y
    for bucket in range(len(bounds) - 1, 0, -1):  # every bound has moved on by one bucket
        bounds[bucket] = bounds[bucket - 1]
    bounds[0] = 0


@kernel
def query_tables(probes, tables, combinations, blocks, k, state, hits, counts):
    """Fingerprints within ``k`` bits of each probe.

    Parameters
    ----------
    probes : uint64[n, words], read-only
    tables : tuple of uint64[t, u + 8], uint64[t, u + 8 or 0], uint32[t, u], uint32[t, 2**bits + 1], read-only
        Words, positions and bounds as :func:`build_table` made them, one row a combination.
    combinations, blocks : uint64[t, 5], uint64[m, 2], read-only
    k : int
    state : int64[2]
        In and out: the probe to go on with, hits written. If the probe is not ``n`` on return, the
        output is full and must be made larger, or emptied, before the next call.
    hits : tuple of uint32[:], uint8[:]
        Written: positions of the hits, in the order of the probes, and distances.
    counts : int64[n]
        Written: hits of each probe.
    """
    low, high, rank, bounds = tables
    ranks, distances = hits
    wide = probes.shape[1] > 1
    n_tables = low.shape[0]
    shift = np.uint64(64)
    size = bounds.shape[1] - 1
    while size > 1:
        size >>= 1
        shift -= _ONE
    begins = np.empty((_BATCH, n_tables), np.uint32)
    ends = np.empty((_BATCH, n_tables), np.uint32)
    touched = np.uint64(0)
    written = state[1]
    for first in range(state[0], len(probes), _BATCH):
        last = min(first + _BATCH, len(probes))
        # All bounds first, then the first entry of all buckets: misses of the cache overlap.
        for probe in range(first, last):
            x = probes[probe, 0]
            y = probes[probe, 1] if wide else np.uint64(0)
            for table in range(n_tables):
                masks = (combinations[table, 0], combinations[table, 1], combinations[table, 2], combinations[table, 3])
                bucket = _hash(x, y, wide, masks) >> shift
                begins[probe - first, table] = bounds[table, bucket]
                ends[probe - first, table] = bounds[table, bucket + _ONE]
        for probe in range(last - first):
            for table in range(n_tables):
                if begins[probe, table] < ends[probe, table]:
                    touched += low[table, begins[probe, table]]
        for probe in range(first, last):
            x = probes[probe, 0]
            y = probes[probe, 1] if wide else np.uint64(0)
            before = written
            for table in range(n_tables):
                low_at, high_at = address(low, table * low.shape[1]), address(high, table * high.shape[1])
                begin, end = np.int64(begins[probe - first, table]), np.int64(ends[probe - first, table])
                for column in range(begin, end, LANES):
                    mask = _near(x, y, wide, low_at, high_at, column, k)
                    while mask != np.uint64(0):
                        j = column + trailing_zeros(mask)
                        mask &= mask - _ONE
                        if j >= end:
                            break
                        differ_low = x ^ low[table, j]
                        differ_high = y ^ high[table, j] if wide else np.uint64(0)
                        if not _meets_first(differ_low, differ_high, wide, blocks, combinations[table]):
                            continue
                        if written == len(ranks):
                            state[0], state[1] = probe, before
                            return touched
                        ranks[written] = rank[table, j]
                        distances[written] = np.uint8(popcount(differ_low) + popcount(differ_high))
                        written += 1
            counts[probe] = written - before
    state[0], state[1] = len(probes), written
    return touched
