"""MinHash: the smallest of ``low + i * high`` over a document's shingles, slot by slot."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import address
from .lanes import minima_8, minima_32, minima_128


@helper
def _lower_slots(low, high, n, out, n_slots):
    """Lower ``n_slots`` slots at address ``out`` by ``n`` hashes at ``low`` and ``high``."""
    slot = np.int64(0)
    while slot + 128 <= n_slots:
        minima_128(low, high, n, slot, out + 8 * slot)
        slot += 128
    while slot + 32 <= n_slots:
        minima_32(low, high, n, slot, out + 8 * slot)
        slot += 32
    while slot + 8 <= n_slots:
        minima_8(low, high, n, slot, out + 8 * slot)
        slot += 8
    return slot


@kernel
def minhash_rows(low, high, offsets, out):
    """Lower the slots of every row by the hashes of its shingles.

    Parameters
    ----------
    low, high : uint64[n_shingles], read-only
        Halves of the 128-bit hashes.
    offsets : int64[n + 1], read-only
        Shingles of row ``i`` are ``offsets[i]:offsets[i + 1]``.
    out : uint64[n, 1 + h]
        Records as words: one of header, then the slots, which start at 2**64 - 1 or hold what
        earlier shingles left.

    Notes
    -----
    Oracle: ``tests/oracles/sketches.py``.
    """
    n_slots = out.shape[1] - 1
    for row in range(len(offsets) - 1):
        first, n = offsets[row], offsets[row + 1] - offsets[row]
        words = address(out, row * out.shape[1] + 1)
        slot = _lower_slots(address(low, first), address(high, first), n, words, n_slots)
        for rest in range(slot, n_slots):
            least = out[row, 1 + rest]
            for shingle in range(first, first + n):
                least = min(least, low[np.uint64(shingle)] + np.uint64(rest) * high[np.uint64(shingle)])
            out[row, 1 + rest] = least
