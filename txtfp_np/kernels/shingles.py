"""Shingles as spans: tokens are written once, one space between them, and every shingle is a slice."""

from __future__ import annotations

import numpy as np

from ._jit import kernel
from .intrinsics import load_u64, store_u64

JOIN_SLACK = 16  # bytes of ``out`` that may be overwritten past the text
_SPACE = np.uint8(32)


@kernel
def join_rows(data, base, starts, ends, token_offsets, out, out_starts, out_ends):
    """Write the tokens of all rows one after another, with one space between those of a row.

    Parameters
    ----------
    data : uint8[:], read-only
    base : int
        Added to every span.
    starts, ends : int32[n_tokens], read-only
    token_offsets : int64[n + 1], read-only
    out : uint8[:]
        Needs the bytes of all tokens, one more for each, and ``JOIN_SLACK``.
    out_starts, out_ends : int32[n_tokens]
        Written: the spans in ``out``.

    Returns
    -------
    int
        Bytes written.
    """
    safe = len(data) - 16
    position = np.int64(0)
    for row in range(len(token_offsets) - 1):
        first, last = token_offsets[row], token_offsets[row + 1]
        for token in range(first, last):
            source = base + np.int64(starts[token])
            length = np.int64(ends[token]) - np.int64(starts[token])
            if length <= 16 and source <= safe:
                store_u64(out, position, load_u64(data, source))
                store_u64(out, position + 8, load_u64(data, source + 8))
            else:
                for byte in range(length):
                    out[np.uint64(position + byte)] = data[np.uint64(source + byte)]
            out_starts[token] = np.int32(position)
            position += length
            out_ends[token] = np.int32(position)
            out[np.uint64(position)] = _SPACE
            position += np.int64(token + 1 < last)
    return position


@kernel
def windows_rows(starts, ends, token_offsets, k, out_starts, out_ends, out_offsets):
    """Spans from the start of each token to the end of the one ``k - 1`` places on, within a row.

    A row of fewer than ``k`` tokens, but one at least, gives a single window over all of them.

    Parameters
    ----------
    starts, ends : int32[n_tokens], read-only
    token_offsets : int64[n + 1], read-only
    k : int
        At least 1.
    out_starts, out_ends : int32[n_tokens]
        Written.
    out_offsets : int64[n + 1]
        Written: windows of each row.
    """
    n = np.int64(0)
    out_offsets[0] = 0
    for row in range(len(token_offsets) - 1):
        first, last = token_offsets[row], token_offsets[row + 1]
        n_tokens = last - first
        width = min(k, n_tokens)
        n_windows = n_tokens - width + 1 if n_tokens > 0 else 0
        for window in range(n_windows):
            out_starts[np.uint64(n + window)] = starts[np.uint64(first + window)]
            out_ends[np.uint64(n + window)] = ends[np.uint64(first + window + width - 1)]
        n += n_windows
        out_offsets[row + 1] = n
