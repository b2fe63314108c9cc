"""Pairs of similar signatures within one snapshot, band by band."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from .arguments import Geometry
from .snapshot import Snapshot
from .tables import Positions, Rows, seedless

PAIR = np.dtype([("a", "<u8"), ("b", "<u8"), ("similarity", "<f4")])
"""dtype of a pair of ids."""

_PAIRS_A_BLOCK = 1 << 16


def join_blocks(snapshot: Snapshot, geometry: Geometry, needed: int) -> Iterator[NDArray[np.void]]:
    """Blocks of pairs: those of equal signatures first, then those that each band finds first."""
    from ..kernels.join import hash_slots, join_band

    bands, n_rows, h = geometry
    rows = _live_rows(snapshot)
    first = _first_equal(snapshot, rows, h)
    copies = np.flatnonzero(first != np.arange(len(rows)))
    for begin in range(0, len(copies), _PAIRS_A_BLOCK):
        part = copies[begin : begin + _PAIRS_A_BLOCK]
        yield _pairs(snapshot, rows[first[part]], rows[part], np.ones(len(part), np.float32))
    rows = read_only(np.delete(rows, copies))
    del first, copies
    keys = np.empty(len(rows), np.uint64)
    out = np.empty((_PAIRS_A_BLOCK, 3), np.int64)
    for band in range(bands):
        hash_slots(snapshot.words_at, rows, 1 + h, band * n_rows, n_rows, seedless(), keys)
        order = _sorted(keys)
        cursor = np.zeros(2, np.int64)
        while cursor[0] < len(rows):
            shape = (band, n_rows, 1 + h, needed)
            n = join_band(snapshot.words_at, rows, read_only(keys), order, shape, cursor, out)
            if n:
                similarity = out[:n, 2].astype(np.float32) / np.float32(h)
                yield _pairs(snapshot, out[:n, 0], out[:n, 1], similarity)


def _live_rows(snapshot: Snapshot) -> Positions:
    """Numbers of all living rows, ascending."""
    parts = [np.empty(0, np.int64)]
    for extent in snapshot.all_extents():
        mask = snapshot.alive(extent)
        numbers = np.arange(extent.base, extent.base + len(extent.ids))
        parts.append(numbers if mask is None else numbers[mask])
    return read_only(np.concatenate(parts))


def _first_equal(snapshot: Snapshot, rows: Positions, h: int) -> Positions:
    """Position in ``rows`` of the first row that equals each."""
    from ..kernels.join import find_equal, hash_slots

    keys, out = np.empty(len(rows), np.uint64), np.empty(len(rows), np.int64)
    hash_slots(snapshot.words_at, rows, 1 + h, 0, h, seedless(), keys)
    order = _sorted(keys)
    find_equal(snapshot.words_at, rows, 1 + h, read_only(keys), order, out)
    return out


def _sorted(keys: NDArray[np.uint64]) -> Rows:
    """Sort in place; where each key came from."""
    from ..kernels.bands import sort_keys

    order = np.empty(len(keys), np.uint32)
    sort_keys(keys, order, np.empty_like(keys), np.empty_like(order))
    return read_only(order)


def _pairs(snapshot: Snapshot, a: Positions, b: Positions, similarity: NDArray[np.float32]) -> NDArray[np.void]:
    from ..kernels.lsh import gather_ids

    pairs = np.empty(len(a), PAIR)
    for name, rows in (("a", a), ("b", b)):
        ids = np.empty(len(rows), np.uint64)
        gather_ids(snapshot.ids_at, read_only(np.ascontiguousarray(rows)), ids)
        pairs[name] = ids
    pairs["similarity"] = similarity
    return pairs
