"""Codes of any number of words compared with all others. Codes lie side by side, word by word, so that lanes fill."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import popcount

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_TILE = 512  # 16 KB of codes of 256 bits stay in the L1 cache while a group of probes passes by
_GROUP = 16


@helper
def _distances(probe, columns, begin, end, out):
    """Differing bits of one code with those of a tile, the first ``end - begin`` of ``out``."""
    n = np.uint64(end - begin)
    words = np.uint64(len(probe))
    four, two, three = np.uint64(4), np.uint64(2), np.uint64(3)
    for j in range(n):
        out[j] = _ZERO
    whole = words - words % four
    for word in range(_ZERO, whole, four):
        p, q, r, s = probe[word], probe[word + _ONE], probe[word + two], probe[word + three]
        a, b = columns[word, begin:end], columns[word + _ONE, begin:end]
        c, d = columns[word + two, begin:end], columns[word + three, begin:end]
        for j in range(n):
            out[j] += popcount(p ^ a[j]) + popcount(q ^ b[j]) + popcount(r ^ c[j]) + popcount(s ^ d[j])
    for word in range(whole, words):
        p, a = probe[word], columns[word, begin:end]
        for j in range(n):
            out[j] += popcount(p ^ a[j])


@helper
def _count_near(distances, n, limit):
    near = _ZERO
    for j in range(np.uint64(n)):
        near += np.uint64(distances[j] <= limit)
    return near


@kernel
def near_codes(probes, columns, first, limits, state, positions, distances, counts):
    """Codes within so many bits of each probe.

    Parameters
    ----------
    probes : uint64[m, words], read-only
    columns : uint64[words, n], read-only
        The codes, transposed.
    first : int64[m], read-only
        Number of the first code that a probe is compared with.
    limits : uint64[m], read-only
        Largest distance for each probe.
    state : int64[2]
        In and out: the probe to go on with, hits written. If the probe is not ``m`` on return, the
        output is full and must be made larger before the next call.
    positions, distances : int64[:], uint16[:]
        Written: the hits, in the order of the probes, ascending.
    counts : int64[m]
        Written: hits of each probe.

    Notes
    -----
    Oracle: ``tests/oracles/hamming.py``.
    """
    n_codes = columns.shape[1]
    written = np.uint64(state[1])
    n_tiles = (n_codes + _TILE - 1) // _TILE
    near = np.zeros((_GROUP, n_tiles), np.uint64)
    held = np.empty(_TILE, np.uint64)
    for group in range(state[0], len(probes), _GROUP):
        last = min(group + _GROUP, len(probes))
        for tile in range(n_tiles):
            end = min(tile * _TILE + _TILE, n_codes)
            for probe in range(group, last):
                begin = max(tile * _TILE, first[probe])
                near[probe - group, tile] = _ZERO
                if begin < end:
                    _distances(probes[probe], columns, begin, end, held)
                    near[probe - group, tile] = _count_near(held, end - begin, limits[probe])
        for probe in range(group, last):
            total = near[probe - group].sum()
            if written + total > np.uint64(len(positions)):
                state[0], state[1] = probe, np.int64(written)
                return
            counts[probe] = np.int64(total)
            for tile in range(n_tiles):
                if near[probe - group, tile] == _ZERO:
                    continue
                begin, end = max(tile * _TILE, first[probe]), min(tile * _TILE + _TILE, n_codes)
                _distances(probes[probe], columns, begin, end, held)
                for j in range(np.uint64(end - begin)):
                    if held[j] <= limits[probe]:
                        positions[written] = np.int64(begin) + np.int64(j)
                        distances[written] = np.uint16(held[j])
                        written += _ONE
    state[0], state[1] = len(probes), np.int64(written)


@kernel
def nearest_limits(probes, columns, wanted, limits):
    """Distance within which each probe has so many codes, at least.

    Parameters
    ----------
    probes : uint64[m, words], read-only
    columns : uint64[words, n], read-only
        The codes, transposed.
    wanted : int64
        At least 1; if there are fewer codes, all are meant.
    limits : uint64[m]
        Written.

    Notes
    -----
    Oracle: sorting all distances, in ``tests/parity/test_code_kernels.py``.
    """
    n_codes, n_words = columns.shape[1], columns.shape[0]
    held = np.empty(_TILE, np.uint64)
    counts = np.empty(64 * n_words + 1, np.int64)
    for probe in range(len(probes)):
        counts[:] = 0
        for begin in range(0, n_codes, _TILE):
            end = min(begin + _TILE, n_codes)
            _distances(probes[probe], columns, begin, end, held)
            for j in range(np.uint64(end - begin)):
                counts[held[j]] += 1
        distance, total = 0, counts[0]
        while total < wanted and distance < 64 * n_words:
            distance += 1
            total += counts[distance]
        limits[probe] = np.uint64(distance)
