"""SimHash: for each bit, whether tokens that have it outweigh those that have not."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .intrinsics import address
from .lanes import count_bits

_MOST = np.int64(0x7FFFFFFFFFFFFFFF)
_LEAST = np.int64(-0x8000000000000000)
_ONE = np.uint64(1)


@kernel
def simhash_rows(hashes, offsets, tie_is_one, out, stride):
    """SimHash of rows whose tokens all weigh 1.

    Parameters
    ----------
    hashes : uint64[n_tokens], read-only
        One 64-bit hash a token.
    offsets : int64[n + 1], read-only
    tie_is_one : int
        1: as many for as against a bit set it.
    out : uint64[:]
        Written at ``row * stride``.
    stride : int

    Notes
    -----
    Oracle: ``tests/oracles/sketches.py``.
    """
    counts = np.empty(64, np.uint64)
    for row in range(len(offsets) - 1):
        n = offsets[row + 1] - offsets[row]
        counts[:] = np.uint64(0)
        count_bits(address(hashes, offsets[row]), n, address(counts, 0))
        bits = np.uint64(0)
        least = n + 1 - tie_is_one  # twice the ones must reach it
        for bit in range(64):
            bits |= np.uint64(2 * np.int64(counts[bit]) >= least) << np.uint64(bit)
        out[row * stride] = bits


@helper
def _saturating_add(a, b):
    # Tested before adding: signed sums may not overflow in LLVM, which drops a test afterwards.
    if b > 0 and a > _MOST - b:
        return _MOST
    if b < 0 and a < _LEAST - b:
        return _LEAST
    return a + b


@kernel
def weighted_simhash_rows(hashes, weights, offsets, tie_is_one, out, stride):
    """SimHash of rows whose tokens have weights (``int64``); otherwise as :func:`simhash_rows`.

    Sums saturate, as in the crate: 9,224 tokens of the largest weight reach the limit.
    """
    sums = np.empty(64, np.int64)
    for row in range(len(offsets) - 1):
        sums[:] = 0
        for token in range(offsets[row], offsets[row + 1]):
            value, weight = hashes[token], weights[token]
            if weight != 0:
                for bit in range(64):
                    signed = weight if (value >> np.uint64(bit)) & _ONE != np.uint64(0) else -weight
                    sums[bit] = _saturating_add(sums[bit], signed)
        bits = np.uint64(0)
        for bit in range(64):
            bits |= np.uint64(sums[bit] > 0 or (sums[bit] == 0 and tie_is_one != 0)) << np.uint64(bit)
        out[row * stride] = bits


@routine
def _place_of(low, high, table_low, table_high, table_numbers, mask):
    """Place of a key in an open-addressed table, or the empty place where it belongs.

    Keys are numbered from 1; the number of an empty place is 0.
    """
    place = low & mask
    while table_numbers[place] != 0 and (table_low[place] != low or table_high[place] != high):
        place = (place + _ONE) & mask
    return place


@kernel
def distinct_rows(low, high, offsets, places, positions, counts, out_offsets):
    """Distinct tokens of every row, in order of first appearance, with how often they occur.

    Parameters
    ----------
    low, high : uint64[n_tokens], read-only
        Tokens count as equal when their 128-bit hashes are.
    offsets : int64[n + 1], read-only
    places : int32[:]
        Scratch; a power of two long, at least twice the tokens of the longest row.
    positions, counts : int64[n_tokens]
        Written: first position among all tokens, occurrences.
    out_offsets : int64[n + 1]
        Written: distinct tokens of row ``i`` are ``out_offsets[i]:out_offsets[i + 1]``.
    """
    n = np.int64(0)
    out_offsets[0] = 0
    for row in range(len(offsets) - 1):
        first, last = offsets[row], offsets[row + 1]
        size = np.int64(16)
        while size < 2 * (last - first):
            size *= 2
        mask = np.uint64(size - 1)
        for place in range(size):
            places[place] = -1
        for token in range(first, last):
            place = low[token] & mask
            while True:
                found = np.int64(places[place])
                if found < 0:
                    places[place] = np.int32(n - out_offsets[row])
                    positions[n], counts[n] = token, 1
                    n += 1
                    break
                found += out_offsets[row]
                if low[positions[found]] == low[token] and high[positions[found]] == high[token]:
                    counts[found] += 1
                    break
                place = (place + _ONE) & mask
        out_offsets[row + 1] = n


@kernel
def look_up_keys(low, high, table_low, table_high, table_numbers, values, missing, out):
    """Values of 128-bit keys, by the numbers that an open-addressed table gives them.

    The size of the table is a power of two; ``missing`` stands for keys that are not in it.
    """
    mask = np.uint64(len(table_low) - 1)
    for i in range(len(low)):
        number = table_numbers[_place_of(low[i], high[i], table_low, table_high, table_numbers, mask)]
        out[i] = values[number - 1] if number != 0 else missing


@kernel
def number_keys(low, high, table_low, table_high, table_numbers):
    """Fill an open-addressed table with keys, numbered from 1; of equal keys the last number counts."""
    mask = np.uint64(len(table_low) - 1)
    for i in range(len(low)):
        place = _place_of(low[i], high[i], table_low, table_high, table_numbers, mask)
        table_low[place], table_high[place], table_numbers[place] = low[i], high[i], i + 1


@kernel
def tally_keys(low, high, table_low, table_high, table_numbers, counts, n_keys, new):
    """Count keys, numbering those that are new.

    Parameters
    ----------
    low, high : uint64[n], read-only
    table_low, table_high : uint64[size], table_numbers : int64[size]
        Open-addressed table with room for all.
    counts : int64[:]
        One more for each key, by its number less one.
    n_keys : int
        Keys numbered so far.
    new : int64[n]
        Written: positions of the new keys.

    Returns
    -------
    int
        Keys numbered now.
    """
    mask = np.uint64(len(table_low) - 1)
    before = n_keys
    for i in range(len(low)):
        place = _place_of(low[i], high[i], table_low, table_high, table_numbers, mask)
        if table_numbers[place] == 0:
            new[n_keys - before] = i
            n_keys += 1
            table_low[place], table_high[place], table_numbers[place] = low[i], high[i], n_keys
        counts[table_numbers[place] - 1] += 1
    return n_keys


@kernel
def add_bit_counts(hashes, counts):
    """Add to ``counts`` (uint64[64]) how many of ``hashes`` (uint64, read-only) have each bit set."""
    count_bits(address(hashes, 0), len(hashes), address(counts, 0))
