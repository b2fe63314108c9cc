"""Band keys and keys of ids."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .hashing import _P64_1, _avalanche, _mix16, xxh3_64
from .intrinsics import address
from .murmur import scrambled

_ZERO = np.uint64(0)


@helper
def band_key(at, n_bytes, secret):
    """XXH3-64, seed 0. Bands of 3 to 16 slots are hashed in place: a call would cost more than the hash."""
    if n_bytes <= 16 or n_bytes > 128:
        return xxh3_64(at, n_bytes, _ZERO, secret)
    h = np.uint64(n_bytes) * _P64_1
    end = at + n_bytes
    for i in range((n_bytes - 1) >> 5, -1, -1):
        h += _mix16(at + 16 * i, secret + 32 * i, _ZERO)
        h += _mix16(end - 16 * (i + 1), secret + 32 * i + 16, _ZERO)
    return _avalanche(h)


@kernel
def band_keys(words, n_rows, secret, first, out):
    """XXH3-64, seed 0, of every band of every signature.

    Parameters
    ----------
    words : uint64[n, 1 + h], read-only
        Records as words; the first word is not looked at.
    n_rows : int
        Slots a band.
    secret : uint8[:], read-only
        Of seed 0, as :func:`.hashing.secrets` gives it.
    first : int
        Column of ``out`` that belongs to the first signature.
    out : uint64[bands, :]
        Columns ``first`` to ``first + n`` are written.

    Notes
    -----
    Oracle: ``tests/oracles/lsh.py``; the crate's vectors.
    """
    at_secret = address(secret, 0)
    stride = 8 * words.shape[1]
    n_bytes = 8 * n_rows
    # eight signatures at a time: one by one, a key a band would be written to as many far places
    keys = np.empty((8, out.shape[0]), np.uint64)
    for begin in range(0, len(words), 8):
        n = min(8, len(words) - begin)
        for row in range(n):
            at = address(words, 0) + 8 + stride * (begin + row)
            for band in range(out.shape[0]):
                keys[row, band] = band_key(at, n_bytes, at_secret)
                at += n_bytes
        for band in range(out.shape[0]):
            for row in range(n):
                out[band, first + begin + row] = keys[row, band]


@kernel
def id_keys(ids, out):
    """Keys under which ids are looked up. ``uint64[n]``, read-only, to ``uint64[n]``."""
    for i in range(len(ids)):
        out[i] = scrambled(ids[i])
