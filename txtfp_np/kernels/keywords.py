"""The heaviest tokens of documents."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel


@helper
def _is_before(weight, value, other_weight, other_value):
    """Heavier first, then the smaller hash: whatever order the tokens come in."""
    return weight > other_weight or (weight == other_weight and value < other_value)


@kernel
def heaviest_rows(hashes, weights, offsets, values, held, out):
    """Lowest 16 bits of the hashes of each document's heaviest tokens, ascending.

    Parameters
    ----------
    hashes : uint64[:], read-only
        Of distinct tokens.
    weights : float32[:], read-only
    offsets : int64[n + 1], read-only
        Tokens of document ``d`` are those from ``offsets[d]`` to ``offsets[d + 1]``.
    values : uint64[size]
        Room for the hashes that are held.
    held : float32[size]
        Room for their weights.
    out : uint16[n, size]
        Written. With fewer tokens the largest value is repeated; without any, a row is 0.

    Notes
    -----
    Oracle: ``tests/oracles/keywords.py``.
    """
    size = len(values)
    for d in range(len(offsets) - 1):
        n = 0
        for token in range(offsets[d], offsets[d + 1]):
            weight, value = weights[token], hashes[token]
            if n == size and not _is_before(weight, value, held[n - 1], values[n - 1]):
                continue
            at = min(n, size - 1)
            while at > 0 and _is_before(weight, value, held[at - 1], values[at - 1]):
                held[at], values[at] = held[at - 1], values[at - 1]
                at -= 1
            held[at], values[at] = weight, value
            n = min(n + 1, size)
        row = out[d]
        for k in range(n):
            value = np.uint16(values[k] & np.uint64(0xFFFF))
            at = k
            while at > 0 and row[at - 1] > value:
                row[at] = row[at - 1]
                at -= 1
            row[at] = value
        row[n:] = row[n - 1] if n > 0 else np.uint16(0)
