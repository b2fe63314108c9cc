"""Vectors that point nearly the same way: exact, by matrix products in tiles, without all products at once.

A product in single precision only proposes; what it proposes, with a margin for its rounding, is computed again by
:func:`~txtfp_np.compare.cosine_pairs`. So the size of tiles and the threads of NumPy's BLAS change no result.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress, Scratch, run_blocks
from ..compare import cosine_pairs
from ..compare.vectors import directions
from .codes import block_rows, near_codes, ranges, transposed

Vectors = NDArray[np.float32]
Rows = NDArray[np.int64]
Similar = tuple[Rows, Rows, NDArray[np.float32]]

TILE_ROWS, TILE_COLUMNS = 1 << 10, 1 << 12  # products of a tile: 16 MB
_PAIR_BYTES = 1 << 26  # vectors, in double precision, of pairs that are verified at a time
_LEAST_LENGTH, _MOST_LENGTH = 1e-9, 1e9  # between them no product leaves the range of float32


class TooManyPairs(Exception):  # noqa: N818  it asks for another way
    """There are more pairs than the caller would list."""


class Directions:
    """Vectors, and what makes products of them cosines.

    Parameters
    ----------
    vectors : float32 (n, d), C-contiguous
        Finite. One of length 0 has cosine 0 with everything.
    """

    def __init__(self, vectors: Vectors) -> None:
        self.vectors = vectors
        self._scales: NDArray[np.float32] | None = None  # until a product is asked for; empty: elements are extreme

    def __len__(self) -> int:
        return len(self.vectors)

    def units(self, part: range) -> Vectors:
        """Some of the vectors, at length 1."""
        return directions(self.vectors[part.start : part.stop].astype(np.float64)).astype(np.float32)

    def products(self, units: Vectors, part: range) -> NDArray[np.float32]:
        """Cosines of vectors of length 1 with some of these, up to :func:`margin`."""
        scales = self._scales
        if scales is None:
            scales = self._scales = self._made_scales()
        if len(scales) == 0:
            found: NDArray[np.float32] = units @ self.units(part).T
            return found
        found = units @ self.vectors[part.start : part.stop].T
        found *= scales[part.start : part.stop]
        return found

    def _made_scales(self) -> NDArray[np.float32]:
        lengths = np.empty(len(self))
        for part in ranges(0, len(self), TILE_COLUMNS):
            doubles = self.vectors[part.start : part.stop].astype(np.float64)
            lengths[part.start : part.stop] = np.sqrt((doubles * doubles).sum(axis=1))
        known = lengths > 0
        if not ((lengths > _LEAST_LENGTH) & (lengths < _MOST_LENGTH))[known].all():
            return np.empty(0, np.float32)
        return np.divide(1, lengths, out=np.zeros(len(self)), where=known).astype(np.float32)


def margin(dim: int) -> float:
    """By how much a product of two vectors of length 1 in single precision can be wrong, at most and rounded up."""
    return (dim + 16) * 2.0**-23  # twice the bound for a sum in any order, and for the lengths


def near_pairs(
    vectors: Vectors,
    threshold: float,
    *,
    n_probes: int | None = None,
    most: int | None = None,
    threads: int = 1,
    progress: Progress = False,
) -> Similar:
    """All pairs of vectors whose cosine, as a ``float32``, is at least the threshold.

    Parameters
    ----------
    vectors : float32 (n, d), C-contiguous
    threshold : float
        Compared in single precision.
    n_probes : int, optional
        Only pairs of which one is among the first so many vectors.
    most : int, optional
        Pairs, about, beyond which :class:`TooManyPairs` is raised.
    threads : int
        For verification. Products use the threads of NumPy's BLAS.
    progress : bool or callable
        As everywhere.

    Returns
    -------
    i, j : int64 (m,)
        ``i < j``, in no particular order.
    similarity : float32 (m,)

    Examples
    --------
    >>> near_pairs(np.array([[1, 0], [0, 1], [3, 4], [0, 0]], np.float32), 0.6)
    (array([0, 1]), array([2, 2]), array([0.6, 0.8], dtype=float32))
    """
    held = Directions(vectors)
    n = len(vectors)
    last = n if n_probes is None else n_probes
    limit = np.float32(threshold - margin(vectors.shape[1]))
    found = _Found(most)

    def work(rows: range, scratch: Scratch) -> None:
        units = held.units(rows)
        for columns in ranges(rows.start, n, TILE_COLUMNS):
            places = np.flatnonzero(held.products(units, columns) >= limit)
            i, j = rows.start + places // len(columns), columns.start + places % len(columns)
            upper = i < j
            found.append(above(vectors, i[upper], j[upper], threshold, threads))

    run_blocks(ranges(0, last, TILE_ROWS), work, lambda none: None, threads=1, progress=progress, total=last)
    return found.joined()


def near_code_pairs(
    vectors: Vectors,
    codes: NDArray[np.uint64],
    radius: int,
    threshold: float,
    *,
    n_probes: int | None = None,
    most: int | None = None,
    threads: int = 1,
    progress: Progress = False,
) -> Similar:
    """As :func:`near_pairs`, but only of vectors whose codes differ in at most ``radius`` bits.

    Parameters
    ----------
    vectors : float32 (n, d), C-contiguous
    codes : uint64 (n, words)
    radius : int
    threshold, n_probes, most, threads, progress
        As in :func:`near_pairs`; here all work is on these threads.

    Returns
    -------
    i, j : int64 (m,)
    similarity : float32 (m,)

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [3, 4]], np.float32)
    >>> near_code_pairs(vectors, np.array([[0], [1], [3]], np.uint64), 1, 0.6)
    (array([1]), array([2]), array([0.8], dtype=float32))
    """
    columns = transposed(codes)
    n = len(vectors)
    last = n if n_probes is None else n_probes
    found = _Found(most)

    def work(rows: range, scratch: Scratch) -> Similar:
        own = np.arange(rows.start, rows.stop)
        limits = np.full(len(rows), radius, np.uint64)
        hits = near_codes(codes[rows.start : rows.stop], columns, own + 1, limits, scratch)
        return above(vectors, np.repeat(own, hits.counts), hits.positions, threshold)

    blocks = ranges(0, last, block_rows(n))
    run_blocks(blocks, work, found.append, threads=threads, progress=progress, total=last)
    return found.joined()


class _Found:
    """Pairs, part by part, as long as they are not too many."""

    def __init__(self, most: int | None) -> None:
        self._parts: list[Similar] = [(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))]
        self._most, self._n = most, 0

    def append(self, part: Similar) -> None:
        self._parts.append(part)
        self._n += len(part[0])
        if self._most is not None and self._n > self._most:
            raise TooManyPairs

    def joined(self) -> Similar:
        return tuple(np.concatenate(side) for side in zip(*self._parts, strict=True))  # type: ignore[return-value]


def above(vectors: Vectors, i: Rows, j: Rows, threshold: float, threads: int = 1) -> Similar:
    """Those of some pairs whose cosine is at least the threshold, and their cosines.

    Examples
    --------
    >>> i, j = np.array([0, 0]), np.array([1, 2])
    >>> above(np.array([[1, 0], [0, 1], [3, 4]], np.float32), i, j, 0.5)
    (array([0]), array([2]), array([0.6], dtype=float32))
    """
    similarity = cosines(vectors, i, vectors, j, threads)
    enough = similarity >= np.float32(threshold)
    return i[enough], j[enough], similarity[enough]


def cosines(a: Vectors, i: Rows, b: Vectors, j: Rows, threads: int = 1) -> NDArray[np.float32]:
    """:func:`~txtfp_np.compare.cosine` of rows of one matrix with rows of another.

    Examples
    --------
    >>> vectors = np.array([[1, 0], [0, 1], [3, 4]], np.float32)
    >>> cosines(vectors, np.array([0, 1]), vectors, np.array([2, 2]))
    array([0.6, 0.8], dtype=float32)
    """
    similarity = np.empty(len(i), np.float32)
    step = max(1, _PAIR_BYTES // (16 * a.shape[1]))
    for part in ranges(0, len(i), step):
        block = slice(part.start, part.stop)
        rows_a, places_a = np.unique(i[block], return_inverse=True)
        rows_b, places_b = np.unique(j[block], return_inverse=True)
        both = np.concatenate([a[rows_a], b[rows_b]])
        similarity[block] = cosine_pairs(both, places_a, len(rows_a) + places_b, threads=threads)
    return similarity
