"""Every probe compared with every fingerprint."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import popcount

_ONE = np.uint64(1)
_TILE = 2048  # 16 KB of fingerprints stay in the L1 cache while a group of probes passes by
_GROUP = 16  # so memory is read once for so many probes


@helper
def _count_near(x, y, wide, low, high, begin, end, k):
    """Number of fingerprints at most ``k`` bits away; no branch, so LLVM vectorises it."""
    near = np.uint64(0)
    if wide:
        for j in range(np.uint64(begin), np.uint64(end)):
            near += np.uint64(popcount(x ^ low[j]) + popcount(y ^ high[j]) <= k)
    else:
        for j in range(np.uint64(begin), np.uint64(end)):
            near += np.uint64(popcount(x ^ low[j]) <= k)
    return near


@kernel
def scan(low, high, probes, k, state, positions, distances, counts):
    """Fingerprints within ``k`` bits of each probe.

    Parameters
    ----------
    low, high : uint64[n], read-only
        Words of the fingerprints; ``high`` is empty up to 64 bits.
    probes : uint64[m, words], read-only
    k : int
    state : int64[2]
        In and out: the probe to go on with, hits written. If the probe is not ``m`` on return, the
        output is full and must be made larger before the next call.
    positions, distances : int64[:], uint8[:]
        Written: the hits, in the order of the probes.
    counts : int64[m]
        Written: hits of each probe.

    Notes
    -----
    Oracle: ``tests/oracles/hamming.py``.
    """
    wide = len(high) > 0
    written = np.uint64(state[1])
    n_tiles = (len(low) + _TILE - 1) // _TILE
    near = np.empty((_GROUP, n_tiles), np.uint64)
    for first in range(state[0], len(probes), _GROUP):
        last = min(first + _GROUP, len(probes))
        for tile in range(n_tiles):
            begin, end = tile * _TILE, min(tile * _TILE + _TILE, len(low))
            for probe in range(first, last):
                y = probes[probe, 1] if wide else np.uint64(0)
                near[probe - first, tile] = _count_near(probes[probe, 0], y, wide, low, high, begin, end, k)
        for probe in range(first, last):
            x = probes[probe, 0]
            y = probes[probe, 1] if wide else np.uint64(0)
            total = near[probe - first].sum()
            if written + total > np.uint64(len(positions)):
                state[0], state[1] = probe, np.int64(written)
                return
            counts[probe] = np.int64(total)
            for tile in range(n_tiles):
                if near[probe - first, tile] == np.uint64(0):
                    continue
                for j in range(np.uint64(tile * _TILE), np.uint64(min(tile * _TILE + _TILE, len(low)))):
                    distance = popcount(x ^ low[j])
                    if wide:
                        distance += popcount(y ^ high[j])
                    if distance <= k:
                        positions[written] = np.int64(j)
                        distances[written] = np.uint8(distance)
                        written += _ONE
    state[0], state[1] = len(probes), np.int64(written)
