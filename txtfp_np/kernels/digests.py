"""128-bit digests of runs of bytes: two runs with one digest are taken for equal."""

from __future__ import annotations

import numpy as np

from ._jit import kernel
from .hashing import xxh3_128
from .intrinsics import address

_ZERO = np.uint64(0)


@kernel
def digest_runs(data, offsets, width, secret, out):
    """XXH3-128, seed 0, of every run.

    Parameters
    ----------
    data : uint8[:], read-only
    offsets : int64[n + 1], read-only
        Run ``d`` is ``data[width * offsets[d] : width * offsets[d + 1]]``.
    width : int
        Bytes an item.
    secret : uint8[:], read-only
        Of seed 0.
    out : uint64[n, 2]
        Written: low and high half.

    Notes
    -----
    Oracle: the package xxhash.
    """
    at, at_secret = address(data, 0), address(secret, 0)
    for d in range(len(offsets) - 1):
        length = width * (offsets[d + 1] - offsets[d])
        out[d, 0], out[d, 1] = xxh3_128(at + width * offsets[d], length, _ZERO, at_secret)
