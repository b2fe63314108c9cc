"""Rows in the order of their 64-bit hashes, as many at once as memory allows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..index.join import sort_in_place
from .work import read_rows

_CHUNK = 1 << 18
_BINS = 1 << 10
SORT_BYTES = 28
"""Memory that sorting takes, a row: key, row, order, and as much scratch as key and order."""


class SortedRows(NamedTuple):
    """Keys, ascending, and whose they are; equal keys in the order of their rows."""

    keys: NDArray[np.uint64]
    rows: NDArray[np.uint32]


def sorted_parts(
    path: Path, n: int, alive: NDArray[np.bool_] | None, budget: int | None, shared: bool = False
) -> Iterator[SortedRows]:
    """All rows by key, in one or more parts; equal keys are in one part.

    Parameters
    ----------
    path : Path
        File of hashes, one a row.
    n : int
        Rows.
    alive : bool (n,), optional
        Which rows to take.
    budget : int, optional
        Bytes to use, about; None: as many as it takes to have one part.
    shared : bool
        Only rows whose key another row has, too.

    Yields
    ------
    SortedRows
    """
    total = n if alive is None else int(np.count_nonzero(alive))
    if budget is None or total * SORT_BYTES <= budget:
        if total:
            yield _sorted(path, n, alive, None, total, shared)
        return
    # by lower bits: sorting relies on the upper ones being spread
    sizes = np.zeros(_BINS, np.int64)
    for _, keys in _chunks(path, n, alive):
        sizes += np.bincount((keys & np.uint64(_BINS - 1)).astype(np.int64), minlength=_BINS)
    for bins in portions(sizes, max(1, budget // SORT_BYTES)):
        size = int(sizes[bins].sum())
        if size:
            yield _sorted(path, n, alive, bins, size, shared)


def portions(sizes: NDArray[np.int64], most: int) -> Iterator[slice]:
    """Runs of bins of at most so many things together, or of one bin."""
    first, held = 0, 0
    for place, size in enumerate(sizes.tolist()):
        if held and held + size > most:
            yield slice(first, place)
            first, held = place, 0
        held += size
    yield slice(first, len(sizes))


def _sorted(
    path: Path, n: int, alive: NDArray[np.bool_] | None, bins: slice | None, size: int, shared: bool
) -> SortedRows:
    keys, rows = np.empty(size, np.uint64), np.empty(size, np.uint32)
    at = 0
    for some_rows, some_keys in _chunks(path, n, alive):
        if bins is not None:
            bin_of = some_keys & np.uint64(_BINS - 1)
            chosen = (bin_of >= np.uint64(bins.start)) & (bin_of < np.uint64(bins.stop))
            some_rows, some_keys = some_rows[chosen], some_keys[chosen]
        keys[at : at + len(some_keys)], rows[at : at + len(some_keys)] = some_keys, some_rows
        at += len(some_keys)
    order = sort_in_place(keys)
    if shared:
        mask = in_groups(keys)
        return SortedRows(keys[mask], rows[order[mask]])
    return SortedRows(keys, rows[order])


def _chunks(
    path: Path, n: int, alive: NDArray[np.bool_] | None
) -> Iterator[tuple[NDArray[np.uint32], NDArray[np.uint64]]]:
    for first in range(0, n, _CHUNK):
        keys = read_rows(path, np.uint64, first, min(_CHUNK, n - first))
        rows = np.arange(first, first + len(keys), dtype=np.uint32)
        if alive is not None:
            chosen = alive[first : first + len(keys)]
            rows, keys = rows[chosen], keys[chosen]
        yield rows, keys


def in_groups(keys: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which of sorted keys have an equal one."""
    mask = np.zeros(len(keys), np.bool_)
    same = keys[1:] == keys[:-1]
    mask[1:] = same
    mask[:-1] |= same
    return mask
