"""Exact search among SimHashes: everything within a few differing bits, nothing missed."""

from __future__ import annotations

import os
import threading
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import resolve_threads
from ..options import check_count
from .arguments import check_config_hash
from .blocks import MAX_BLOCKS, resolve_plan
from .hamming_files import Options, Stored, open_parts, save_changes
from .hamming_search import HammingSearch
from .rows import Rows
from .scan import as_words, check_width
from .segments import Segment, Words


class HammingIndex(HammingSearch):
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
    config_hash : int, optional
        That of the fingerprinter whose fingerprints are to be indexed. Fingerprints that are given with
        another one are refused.

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
    first called, and after :meth:`insert` for what is new: about 60 bytes a fingerprint at distance 3.
    Any number of threads may ask while others insert, remove or save; these wait for each other.

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
        *,
        config_hash: int | None = None,
    ) -> None:
        width = check_width(bits)
        limit = check_count("max_distance", max_distance, 0, min(MAX_BLOCKS, width) - 1)
        plan = resolve_plan(blocks, masks, limit, width)
        check_config_hash(None, config_hash)
        words = as_words("fingerprints", fingerprints, width).copy()
        options = Options(width, limit, plan, None if config_hash is None else int(config_hash))
        self._begin(options, Rows(words.shape[1], [words]))

    def _begin(self, options: Options, rows: Rows) -> None:
        self._options, self._rows = options, rows
        self._segments = ()
        self._n_swept = 0  # of those removed, not in any segment any more
        self._lock = threading.RLock()
        self._stored: Stored | None = None

    # ── changing it ─────────────────────────────────────────────────────────────────────────────
    def insert(self, fingerprints: ArrayLike, *, config_hash: int | None = None) -> NDArray[np.int64]:
        """Add fingerprints.

        Parameters
        ----------
        fingerprints : as for the class
        config_hash : int, optional
            Of the fingerprinter that made them; checked against that of the index.

        Returns
        -------
        int64 (m,)
            Their positions, which follow those given so far.

        Raises
        ------
        InvalidInputError
            If these are not fingerprints of that width. Nothing is added then.
        ConfigError
            If ``config_hash`` is not that of the index.

        Examples
        --------
        >>> HammingIndex([7]).insert([6, 5])
        array([1, 2])
        """
        check_config_hash(self.config_hash, config_hash)
        new = as_words("fingerprints", fingerprints, self.bits)
        with self._lock:
            begin = len(self._rows)
            self._rows.append(new)
        return np.arange(begin, begin + len(new))

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
        with self._lock:
            there = self._rows.remove(positions)
            if self._rows.n_removed - self._n_swept > len(self):
                # most of what the tables hold is gone: probes would wade through it
                self._segments, self._n_swept = (), self._rows.n_removed
        return there

    # ── keeping it ──────────────────────────────────────────────────────────────────────────────
    def save(self, folder: str | os.PathLike[str], *, threads: int | None = None) -> None:
        """Write the index, tables included, to a folder.

        Into the folder it was opened from, or saved to last, only what is new is written. Elsewhere all
        of it is. From then on the index uses the files.

        Parameters
        ----------
        folder : path
            Made if it does not exist. Another index of this kind there is replaced.
        threads : int, optional
            As in :meth:`find_all`.

        Raises
        ------
        OSError
            If it cannot be written; what was in the folder before stays valid.
        ConfigError
            If another process saved to it since it was opened from there, or saved to last.
        InvalidInputError
            If the folder holds something else.
        """
        n_threads = resolve_threads(threads)
        with self._lock:
            self._index_new(n_threads)
            self._save(folder, self._segments)

    def _save(self, folder: str | os.PathLike[str], segments: tuple[Segment, ...], whole: bool = False) -> None:
        parts = save_changes(folder, self._options, self._rows, segments, self._stored, whole=whole)
        if parts is not None:
            self._rows.stored(parts.values)
            self._segments, self._stored = parts.segments, parts.stored

    @classmethod
    def open(cls, folder: str | os.PathLike[str]) -> Self:
        """Open a saved index: memory-mapped, at once, whatever its size.

        Sizes of files, headers and the manifest are checked, :meth:`verify` checks the rest.

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
            If the folder is no such index, or a file is missing or cut short; the text names it.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     HammingIndex([7, 8]).save(folder)
        ...     HammingIndex.open(folder)
        HammingIndex(2 fingerprints, max_distance=3, bits=64)
        """
        parts = open_parts(folder)
        index = cls.__new__(cls)
        index._begin(parts.options, Rows(2 if parts.options.bits > 64 else 1, parts.values, parts.removed))
        index._segments, index._stored = parts.segments, parts.stored
        index._n_swept = len(index._rows) - sum(len(segment.order) for segment in parts.segments)
        return index

    def verify(self) -> None:
        """Read all files and compare them with their checksums; nothing to do for an index in memory.

        Raises
        ------
        InvalidInputError
            If a file was altered; the text names it.
        """
        stored = self._stored
        if stored is not None:
            stored.store.verify()

    def compact(self, *, threads: int | None = None) -> None:
        """Merge all tables into one segment, without what was removed. A stored index is saved by that.

        Positions stay, and so do the values at them.

        Parameters
        ----------
        threads : int, optional
            As in :meth:`find_all`.
        """
        n_threads = resolve_threads(threads)
        with self._lock:
            segments = (self._tables(0, n_threads),) if len(self._rows) else ()
            if self._stored is None:
                self._segments = segments
            else:
                self._save(self._stored.store.folder, segments, whole=True)
            self._n_swept = self._rows.n_removed

    def __reduce__(self) -> tuple[Any, ...]:
        with self._lock:  # neither it nor a folder travels; tables are built again
            return _rebuild, (self._options, self._rows.all().copy(), self._rows.removed())


def _rebuild(options: Options, words: Words, removed: NDArray[np.int64]) -> HammingIndex:
    index = HammingIndex.__new__(HammingIndex)
    index._begin(options, Rows(words.shape[1], [words], removed))
    return index
