"""Bloom filters of band keys, one a band: setting the bits of a key, and asking for them.

The bits of a key are numbered by double hashing: of the key come a start and an odd step, and probe
``i`` is ``start + i * step``, scrambled and then scaled to the size. Without the scrambling, probes would
be an arithmetic progression, of which small filters have so few that they decide the error rate.
Scaling by a multiplication allows any size, not only powers of two.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import address, multiply_high
from .murmur import scrambled
from .scan import prefetch

_ONE = np.uint64(1)
_AHEAD = 12  # keys between fetching a line and using it: as long as a trip to the memory takes


@helper
def _step_of(key):
    return scrambled(key ^ np.uint64(0x9E3779B97F4A7C15)) | _ONE


@helper
def _bit_of(key, step, i, n_bits):
    """Number of the bit that probe ``i`` of a key asks for."""
    return multiply_high(scrambled(key + np.uint64(i) * step), n_bits)


@helper
def _set(filter, key, probes):
    n_bits = np.uint64(64 * len(filter))
    step = _step_of(key)
    for i in range(probes):
        bit = _bit_of(key, step, i, n_bits)
        filter[bit >> np.uint64(6)] |= _ONE << (bit & np.uint64(63))


@helper
def _is_set(filter, key, probes):
    n_bits = np.uint64(64 * len(filter))
    step = _step_of(key)
    for i in range(probes):
        bit = _bit_of(key, step, i, n_bits)
        if (filter[bit >> np.uint64(6)] >> (bit & np.uint64(63))) & _ONE == np.uint64(0):
            return False
    return True


@helper
def _fetch(filter, key, probes):
    """Start fetching what the first probes of a key ask for."""
    n_bits = np.uint64(64 * len(filter))
    step = _step_of(key)
    at = address(filter, 0)
    for i in range(probes):
        prefetch(at + 8 * np.int64(_bit_of(key, step, i, n_bits) >> np.uint64(6)))


@kernel
def bloom_add(filter, keys, probes):
    """Set the bits of keys.

    Parameters
    ----------
    filter : uint64[words]
        Filter of one band.
    keys : uint64[n], read-only
        Keys of that band.
    probes : int
        Bits a key.

    Notes
    -----
    Oracle: ``tests/unit/test_bloom.py``.
    """
    for i in range(len(keys)):
        _set(filter, keys[i], probes)


@kernel
def bloom_contains(filters, keys, probes, out):
    """Whether all bits of a signature's key are set, in any band.

    Parameters
    ----------
    filters : uint64[bands, words], read-only
    keys : uint64[bands, n], read-only
    probes : int
        Bits a key.
    out : bool[n]
        Written.
    """
    n = keys.shape[1]
    out[:] = False
    for band in range(len(filters)):
        filter, mine = filters[band], keys[band]
        for i in range(n):
            # half of all bits are set, so most keys that are not there need two probes
            if i + _AHEAD < n and not out[i + _AHEAD]:
                _fetch(filter, mine[i + _AHEAD], 2)
            if not out[i]:
                out[i] = _is_set(filter, mine[i], probes)


@kernel
def bloom_add_new(filters, keys, probes, out):
    """One signature after another: whether any band knows it, and if none does, add it to all.

    Parameters
    ----------
    filters : uint64[bands, words]
    keys : uint64[bands, n], read-only
    probes : int
        Bits a key.
    out : bool[n]
        Written: whether it was known.
    """
    n_bands, n = keys.shape
    for i in range(n):
        if i + 1 < n:
            for band in range(n_bands):
                _fetch(filters[band], keys[band, i + 1], probes)
        known = False
        for band in range(n_bands):
            if _is_set(filters[band], keys[band, i], probes):
                known = True
                break
        out[i] = known
        if not known:
            for band in range(n_bands):
                _set(filters[band], keys[band, i], probes)
