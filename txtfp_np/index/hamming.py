"""Exact search among SimHashes: everything within a few differing bits, nothing missed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import Appender, Scratch, resolve_threads, run_blocks
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError
from ..options import check_count, check_flag
from .blocks import MAX_BLOCKS, resolve_plan
from .hamming_files import Parts, open_parts, save_parts, verify_parts
from .scan import as_words, check_width
from .segments import Groups, HammingClusters, Hits, Segment, Words, clusters_of, cut, group_equal, join, query_segments

Pairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]
Neighbours: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]

_PROBES_A_BLOCK = 1 << 14


class HammingIndex:
    """Fingerprints, and all pairs of them, or all neighbours of others, within a Hamming distance.

    Parameters
    ----------
    fingerprints : uint64 (n,), uint32 (n,), or uint64 (n, 2) for 128 bits
        Any may be there several times. Positions in this array name them for good.
    max_distance : int
        Largest number of differing bits that will be asked for.
    blocks : int, optional
        Number of blocks that the bits are cut into, more than ``max_distance``, at most 64. It decides
        about speed and memory, never about results. None: as many as are expected to be fastest.
    masks : sequence of int, optional
        Blocks of one's own: each a run of bits, together all bits.
    bits : {64, 128, 32}
        Width of a fingerprint.

    Raises
    ------
    ConfigError
        If the options contradict each other.
    InvalidInputError
        If these are not fingerprints of that width.

    Notes
    -----
    Fingerprints that differ in ``k`` bits agree in at least ``m - k`` of ``m`` blocks. For each choice
    of ``m - k`` blocks they are put into buckets, and compared inside them; each pair is reported for
    the first choice in which it meets. Equal values are grouped before, and cost only their output.
    All pairs of 10 million take about 2 s on one core. For :meth:`query`, tables are built when it is
    first called, and after :meth:`insert` for what is new: about 50 bytes a fingerprint at distance 3.

    References
    ----------
    G. S. Manku, A. Jain, A. Das Sarma, "Detecting near-duplicates for web crawling", WWW 2007, section 3.

    Examples
    --------
    >>> index = HammingIndex(np.array([0b1111, 0b1110, 0b0000, 0b1111], np.uint64), max_distance=1)
    >>> index.find_all()
    (array([0, 0, 1]), array([1, 3, 3]), array([1, 0, 1], dtype=uint8))
    >>> indptr, positions, distances = index.query(np.array([1, 15], np.uint64))
    >>> positions[indptr[0]:indptr[1]], positions[indptr[1]:indptr[2]]
    (array([2]), array([0, 1, 3]))
    """

    def __init__(
        self,
        fingerprints: ArrayLike = (),
        max_distance: int = 3,
        blocks: int | None = None,
        masks: Sequence[int] | None = None,
        bits: int = 64,
    ) -> None:
        self.bits = check_width(bits)
        self.max_distance = check_count("max_distance", max_distance, 0, min(MAX_BLOCKS, self.bits) - 1)
        self._plan = resolve_plan(blocks, masks, self.max_distance, self.bits)
        self._words = as_words("fingerprints", fingerprints, self.bits).copy()
        self._n = len(self._words)
        self._alive: NDArray[np.bool_] | None = None  # all
        self._n_removed = 0
        self._n_swept = 0  # of these, not in any segment any more
        self._segments: list[Segment] = []
        self._folder: str | None = None

    # ── what is there ───────────────────────────────────────────────────────────────────────────
    def __len__(self) -> int:
        return self._n - self._n_removed

    def __repr__(self) -> str:
        blocks = "" if self._plan is None else f", blocks={len(self._plan.masks)}"
        return f"HammingIndex({len(self)} fingerprints, max_distance={self.max_distance}{blocks}, bits={self.bits})"

    @property
    def blocks(self) -> int | None:
        """Number of blocks that was asked for; None: chosen for each task."""
        return None if self._plan is None else len(self._plan.masks)

    @property
    def fingerprints(self) -> NDArray[Any]:
        """Every value given, removed ones too, by position; read-only, in the layout they came in."""
        words = self._words[: self._n]
        if self.bits == 32:
            return read_only(words[:, 0].astype(np.uint32))
        return read_only(words if self.bits > 64 else words[:, 0])

    def insert(self, fingerprints: ArrayLike) -> NDArray[np.int64]:
        """Add fingerprints.

        Parameters
        ----------
        fingerprints : as for the class

        Returns
        -------
        int64 (m,)
            Their positions, which follow those given so far.

        Examples
        --------
        >>> HammingIndex([7]).insert([6, 5])
        array([1, 2])
        """
        new = as_words("fingerprints", fingerprints, self.bits)
        n = self._n + len(new)
        if n > len(self._words) or not self._words.flags.writeable:  # half as much again: few moves a value
            grown = np.empty((max(n, self._n + self._n // 2), new.shape[1]), np.uint64)
            grown[: self._n] = self._words[: self._n]
            self._words = grown
        self._words[self._n : n] = new
        if self._alive is not None:
            self._alive = np.concatenate([self._alive, np.ones(len(new), np.bool_)])
        positions = np.arange(self._n, n)
        self._n = n
        return positions

    def remove(self, positions: ArrayLike) -> int:
        """Take fingerprints out; their positions are not given away again.

        Parameters
        ----------
        positions : int or ints

        Returns
        -------
        int
            How many were there; those removed before are not counted.

        Raises
        ------
        InvalidInputError
            If a position was never given.

        Examples
        --------
        >>> index = HammingIndex([7, 7, 7])
        >>> index.remove([0, 0]), index.remove(0), index.find_all()[0]
        (1, 0, array([1]))
        """
        given = np.atleast_1d(np.asarray(positions))
        if given.size == 0:
            return 0
        if given.dtype.kind not in "iu":
            raise InvalidInputError(f"positions must hold integers, got dtype {given.dtype}", argument="positions")
        if given.min() < 0 or given.max() >= self._n:
            raise InvalidInputError(
                f"positions must lie between 0 and {self._n - 1}, got {given.min()} to {given.max()}",
                argument="positions",
            )
        alive = self._living()
        there = int(alive[np.unique(given)].sum())
        alive[given] = False
        self._alive = alive
        self._n_removed += there
        if self._n_removed - self._n_swept > len(self):
            # most of what the tables hold is gone: probes would wade through it
            self._segments, self._n_swept = [], self._n_removed
        return there

    def _living(self) -> NDArray[np.bool_]:
        return np.ones(self._n, np.bool_) if self._alive is None else self._alive

    # ── all pairs ───────────────────────────────────────────────────────────────────────────────
    def find_all(self, distinct: bool = False, threads: int | None = None) -> Pairs:
        """Every pair within ``max_distance``.

        Parameters
        ----------
        distinct : bool
            Count equal fingerprints as one, which stands at its first position; then no pair has
            distance 0. That is the rule of seomoz' ``find_all``.
        threads : int, optional
            Threads to use; None: every core this process may use. Never changes the result.

        Returns
        -------
        i, j : int64 (pairs,)
            Positions, ``i < j``, in ascending order of ``(i, j)``; every pair once.
        distances : uint8 (pairs,)

        Examples
        --------
        >>> HammingIndex([8, 9, 9], max_distance=1).find_all(distinct=True)
        (array([0]), array([1]), array([1], dtype=uint8))
        """
        from ..kernels.groups import count_spread, sort_words, spread_pairs

        check_flag("distinct", distinct)
        groups, rows = self._groups()
        pairs, distances = self._join(groups, threads)
        if distinct:
            groups = groups._replace(
                starts=read_only(np.arange(len(groups.low) + 1)), order=read_only(groups.order[groups.starts[:-1]])
            )
        n_pairs = count_spread(pairs, groups.starts)
        keys, payload = np.empty(n_pairs, np.uint64), np.empty(n_pairs, np.uint32)
        spread_pairs(pairs, distances, groups.starts, groups.order, keys, payload)
        sort_words(keys, payload, np.empty_like(keys), np.empty_like(payload))
        i, j = (keys >> np.uint64(32)).astype(np.int64), (keys & np.uint64(0xFFFFFFFF)).astype(np.int64)
        if rows is not None:
            i, j = rows[i], rows[j]
        return i, j, payload.astype(np.uint8)

    def find_clusters(self, threads: int | None = None) -> HammingClusters:
        """Connected components of the pairs that :meth:`find_all` gives, without ever listing these.

        Parameters
        ----------
        threads : int, optional
            As in :meth:`find_all`.

        Returns
        -------
        HammingClusters
            ``labels``, ``indptr``, ``positions``.

        Examples
        --------
        >>> HammingIndex([0, 255, 1, 3, 254, 0xF0F0], max_distance=1).find_clusters()
        HammingClusters(labels=array([ 0,  1,  0,  0,  1, -1]), indptr=array([0, 3, 5]),
                        positions=array([0, 2, 3, 1, 4]))
        """
        from ..kernels.groups import component_labels

        groups, rows = self._groups()
        pairs, _ = self._join(groups, threads)
        found = np.empty(len(groups.order), np.int64)
        n_clusters = component_labels(pairs, groups.starts, groups.order, found)
        labels = np.full(self._n, -1)
        labels[slice(None) if rows is None else rows] = found
        return clusters_of(labels, n_clusters)

    def _groups(self) -> tuple[Groups, NDArray[np.int64] | None]:
        """Equal values among those that are there; their positions, if some were removed."""
        if self._n_removed == 0:
            return group_equal(self._words[: self._n]), None
        rows = np.flatnonzero(self._living())
        return group_equal(self._words[rows]), rows

    def _join(self, groups: Groups, threads: int | None) -> tuple[Words, NDArray[np.uint8]]:
        return join(groups, self._plan, self.max_distance, self.bits, resolve_threads(threads))

    # ── probes ──────────────────────────────────────────────────────────────────────────────────
    def query(self, fingerprints: ArrayLike, k: int | None = None, threads: int | None = None) -> Neighbours:
        """Everything near each probe.

        Parameters
        ----------
        fingerprints : as for the class, or a single one
        k : int, optional
            Largest number of differing bits, at most ``max_distance``, which is the default.
        threads : int, optional
            As in :meth:`find_all`.

        Returns
        -------
        indptr : int64 (probes + 1,)
            Probe ``p`` has the neighbours ``positions[indptr[p]:indptr[p + 1]]``, as in a CSR matrix.
        positions : int64 (m,)
            Ascending for each probe.
        distances : uint8 (m,)

        Examples
        --------
        >>> HammingIndex([8, 9, 11], max_distance=2).query([10, 0], k=1)
        (array([0, 2, 3]), array([0, 2, 0]), array([1, 1, 1], dtype=uint8))
        """
        limit = self.max_distance if k is None else check_count("k", k, 0, self.max_distance)
        probes = as_words("fingerprints", fingerprints, self.bits)
        n_threads = resolve_threads(threads)
        self._index_new()
        alive = read_only(self._living())
        counts = Appender(np.int64, len(probes) + 1)
        positions, distances = Appender(np.int64, len(probes)), Appender(np.uint8, len(probes))
        counts.append(np.zeros(1, np.int64))

        def work(block: Words, scratch: Scratch) -> Hits:
            return query_segments(self._segments, block, limit, alive, scratch)

        def consume(hits: Hits) -> None:
            counts.append(hits.counts)
            positions.append(hits.positions)
            distances.append(hits.distances)

        run_blocks(cut(probes, _PROBES_A_BLOCK), work, consume, threads=n_threads)
        return np.cumsum(counts.values()), positions.finish(), distances.finish()

    def _index_new(self) -> None:
        """Tables for what came since the last time. Segments of about one size are merged, so there are few."""
        begin = self._segments[-1].end if self._segments else 0
        if begin == self._n:
            return
        while self._segments and self._segments[-1].end - self._segments[-1].begin < 2 * (self._n - begin):
            begin = self._segments.pop().begin
        words, rows = self._words[begin : self._n], None
        if self._n_removed:
            rows = np.flatnonzero(self._living()[begin:])
            words = words[rows]
        limits = (self.max_distance, self.bits)
        self._segments.append(Segment.build(words, rows, (begin, self._n), self._plan, limits))

    # ── on disk ─────────────────────────────────────────────────────────────────────────────────
    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write the index, tables included, into a folder; an index that is there is replaced in one step.

        Parameters
        ----------
        folder : path
            Made if missing.

        Raises
        ------
        OSError
            If it cannot be written; what was there before is then still there.
        InvalidInputError
            If the folder holds something else.
        """
        self._index_new()
        removed = np.flatnonzero(~self._living())
        save_parts(
            folder, Parts(self.bits, self.max_distance, self._plan, self._words[: self._n], removed, self._segments)
        )
        self._folder = os.fspath(folder)

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """Open a saved index: memory-mapped, at once, whatever its size.

        Parameters
        ----------
        folder : path

        Returns
        -------
        HammingIndex
            Changes of it stay in memory until it is saved.

        Raises
        ------
        InvalidInputError
            If the folder is no such index, or a file is missing or cut short.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     HammingIndex([7, 8]).save(folder)
        ...     HammingIndex.open(folder)
        HammingIndex(2 fingerprints, max_distance=3, bits=64)
        """
        parts = open_parts(folder)
        index = cls(max_distance=parts.max_distance, bits=parts.bits)
        index._plan, index._words, index._segments = parts.plan, parts.words, parts.segments
        index._n = len(index._words)
        if len(parts.removed):
            index.remove(parts.removed)
            index._segments = parts.segments  # whatever was removed, they are as they were saved
        index._folder = os.fspath(folder)
        return index

    def verify(self) -> None:
        """Read every file of the saved index and compare it with its checksum.

        Raises
        ------
        InvalidInputError
            If a file is not what was written; the text names it.
        ConfigError
            If the index was neither saved nor opened.
        """
        if self._folder is None:
            raise ConfigError("the index is in memory only: there are no files to verify")
        verify_parts(self._folder)
