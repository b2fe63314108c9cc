"""Pairs of similar signatures, band by band; of one snapshot of an index, or of any array of signatures."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from .arguments import Geometry
from .snapshot import Snapshot
from .tables import CHUNK, Positions, Rows, Words, seedless

PAIR = np.dtype([("a", "<u8"), ("b", "<u8"), ("similarity", "<f4")])
"""dtype of a pair of ids."""

_PAIRS_A_BLOCK = 1 << 16


class Candidates(NamedTuple):
    """A block of pairs of rows, the earlier one first, and in how many slots they are equal."""

    i: Positions
    j: Positions
    equal: Positions


def words_at(words: Words) -> Positions:
    """Where each chunk of rows of a C-contiguous array of signature words lies: what kernels take.

    The array must outlive the result.
    """
    n_chunks = -(-len(words) // CHUNK)
    return read_only(words.ctypes.data + np.arange(n_chunks, dtype=np.int64) * (CHUNK * words.strides[0]))


def banded_pairs(at: Positions, rows: Positions, geometry: Geometry, needed: int) -> Iterator[Candidates]:
    """Pairs of rows that share a band and ``needed`` slots, each once, by the first band they share.

    Parameters
    ----------
    at : int64
        From :func:`words_at`.
    rows : int64 (m,)
        Rows to be paired, ascending; best without equal signatures (:func:`first_equal`), of which n make
        n * (n - 1) / 2 pairs.
    geometry : Geometry
        Bands, rows a band, slots.
    needed : int
        Slots that must be equal.

    Yields
    ------
    Candidates
        Of 65,536 pairs at most.
    """
    from ..kernels.join import hash_slots, join_band

    bands, n_rows, h = geometry
    rows = read_only(np.ascontiguousarray(rows, np.int64))
    keys = np.empty(len(rows), np.uint64)
    out = np.empty((_PAIRS_A_BLOCK, 3), np.int64)
    for band in range(bands):
        hash_slots(at, rows, 1 + h, band * n_rows, n_rows, seedless(), keys)
        order = sort_in_place(keys)
        cursor = np.zeros(2, np.int64)
        while cursor[0] < len(rows):
            shape = (band, n_rows, 1 + h, needed)
            n = join_band(at, rows, read_only(keys), order, shape, cursor, out)
            if n:
                i, j, equal = out[:n].T.copy()
                yield Candidates(i, j, equal)


def first_equal(at: Positions, rows: Positions, h: int) -> Positions:
    """Position in ``rows`` of the first row that is equal in all slots, for every row."""
    from ..kernels.join import find_equal, hash_slots

    keys, out = np.empty(len(rows), np.uint64), np.empty(len(rows), np.int64)
    hash_slots(at, rows, 1 + h, 0, h, seedless(), keys)
    order = sort_in_place(keys)
    find_equal(at, rows, 1 + h, read_only(keys), order, out)
    return out


def sort_in_place(keys: NDArray[np.uint64]) -> Rows:
    """Sort; where each key came from, equal ones in their order."""
    from ..kernels.sorting import sort_keys

    order = np.empty(len(keys), np.uint32)
    sort_keys(keys, order, False, np.empty_like(keys), np.empty_like(order))
    return read_only(order)


def join_blocks(snapshot: Snapshot, geometry: Geometry, needed: int) -> Iterator[NDArray[np.void]]:
    """Blocks of pairs of ids: those of equal signatures first, then those that each band finds first."""
    rows = _live_rows(snapshot)
    first = first_equal(snapshot.words_at, rows, geometry.h)
    copies = np.flatnonzero(first != np.arange(len(rows)))
    for begin in range(0, len(copies), _PAIRS_A_BLOCK):
        part = copies[begin : begin + _PAIRS_A_BLOCK]
        yield _pairs(snapshot, rows[first[part]], rows[part], np.ones(len(part), np.float32))
    rows = read_only(np.delete(rows, copies))
    del first, copies
    for i, j, equal in banded_pairs(snapshot.words_at, rows, geometry, needed):
        yield _pairs(snapshot, i, j, equal.astype(np.float32) / np.float32(geometry.h))


def _live_rows(snapshot: Snapshot) -> Positions:
    """Numbers of all living rows, ascending."""
    parts = [np.empty(0, np.int64)]
    for extent in snapshot.all_extents():
        mask = snapshot.alive(extent)
        numbers = np.arange(extent.base, extent.base + len(extent.ids))
        parts.append(numbers if mask is None else numbers[mask])
    return read_only(np.concatenate(parts))


def _pairs(snapshot: Snapshot, a: Positions, b: Positions, similarity: NDArray[np.float32]) -> NDArray[np.void]:
    from ..kernels.lsh import gather_ids

    pairs = np.empty(len(a), PAIR)
    for name, rows in (("a", a), ("b", b)):
        ids = np.empty(len(rows), np.uint64)
        gather_ids(snapshot.ids_at, read_only(np.ascontiguousarray(rows)), ids)
        pairs[name] = ids
    pairs["similarity"] = similarity
    return pairs
