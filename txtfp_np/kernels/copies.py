"""Runs of bytes that are equal: documents, or sets of hashes."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .hashing import xxh3_64
from .intrinsics import address, peek_u8, peek_u64

_ZERO = np.uint64(0)


@kernel
def hash_runs(data, offsets, width, secret, out):
    """XXH3-64, seed 0, of every run.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
        Run ``d`` is ``data[width * offsets[d] : width * offsets[d + 1]]``.
    width : int
        Bytes an item.
    secret : uint8[:], read-only
        Of seed 0.
    out : uint64[n]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/dedup.py``, for all of this file.
    """
    at, at_secret = address(data, 0), address(secret, 0)
    for d in range(len(offsets) - 1):
        length = width * (offsets[d + 1] - offsets[d])
        out[d] = xxh3_64(at + width * offsets[d], length, _ZERO, at_secret)


@helper
def _same_bytes(a, b, n):
    for i in range(n // 8):
        if peek_u64(a + 8 * i) != peek_u64(b + 8 * i):
            return False
    for i in range(n // 8 * 8, n):
        if peek_u8(a + i) != peek_u8(b + i):
            return False
    return True


@kernel
def first_equal_runs(data, offsets, width, keys, order, out):
    """The first run that equals each.

    Parameters
    ----------
    data, offsets, width
        As in :func:`hash_runs`.
    keys : uint64[n], order : uint32[n], read-only
        Hashes, sorted, and whose they are; equal hashes in ascending order of these.
    out : int64[n]
        Written: number of the first equal run, its own if there is none before it.
    """
    at = address(data, 0)
    begin = 0
    for i in range(len(keys)):
        if keys[i] != keys[begin]:
            begin = i
        mine = np.int64(order[i])
        out[mine] = mine
        length = width * (offsets[mine + 1] - offsets[mine])
        for j in range(begin, i):
            other = np.int64(order[j])
            # unlike runs of one hash are looked through to the end; equal ones end at the first
            if out[other] != other or width * (offsets[other + 1] - offsets[other]) != length:
                continue
            if _same_bytes(at + width * offsets[mine], at + width * offsets[other], length):
                out[mine] = other
                break
