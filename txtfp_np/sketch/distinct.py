"""Distinct tokens of documents, with how often they occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch
from ..columns.checks import read_only
from .stages import Hashes


@dataclass(frozen=True)
class Distinct:
    """Distinct tokens of every document of a block, in order of first appearance."""

    low: NDArray[np.uint64]
    high: NDArray[np.uint64]
    positions: NDArray[np.int64]  # among all tokens of the block
    counts: NDArray[np.int64]
    offsets: NDArray[np.int64]


def distinct_tokens(hashes: Hashes, scratch: Scratch, key: str) -> Distinct:
    """Tokens with equal 128-bit hashes are taken for equal."""
    from ..kernels.simhash import distinct_rows

    n = len(hashes.low)
    longest = int(np.diff(hashes.offsets).max(initial=0))
    places = scratch.take(f"distinct-places{key}", 1 << max(4, (2 * longest).bit_length()), np.int32)
    positions, counts = (scratch.take(f"distinct-{what}{key}", n, np.int64) for what in ("positions", "counts"))
    offsets = scratch.take(f"distinct-offsets{key}", len(hashes.offsets), np.int64)
    distinct_rows(hashes.low, hashes.high, hashes.offsets, places, positions, counts, offsets)
    positions, counts = read_only(positions[: offsets[-1]]), read_only(counts[: offsets[-1]])
    low, high = read_only(hashes.low[positions]), read_only(hashes.high[positions])
    return Distinct(low, high, positions, counts, read_only(offsets))
