"""What can be asked of a Hamming index: the half of :class:`HammingIndex` that changes nothing."""

from __future__ import annotations

import threading
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import Appender, Scratch, resolve_threads, run_blocks
from ..columns.checks import read_only
from ..options import check_count, check_flag
from .arguments import check_config_hash
from .hamming_files import Options
from .rows import Rows
from .scan import as_words
from .segments import Groups, HammingClusters, Hits, Segment, Words, clusters_of, cut, group_equal, join, query_segments

Pairs: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]
Neighbours: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint8]]

_PROBES_A_BLOCK = 1 << 14


class HammingSearch:
    """Fingerprints, and all pairs of them, or all neighbours of others, within a Hamming distance."""

    _options: Options
    _rows: Rows
    _segments: tuple[Segment, ...]
    _lock: threading.RLock

    # ── what is there ───────────────────────────────────────────────────────────────────────────
    def __len__(self) -> int:
        return len(self._rows) - self._rows.n_removed

    def __repr__(self) -> str:
        blocks = "" if self.blocks is None else f", blocks={self.blocks}"
        return f"HammingIndex({len(self)} fingerprints, max_distance={self.max_distance}{blocks}, bits={self.bits})"

    @property
    def bits(self) -> int:
        """Width of a fingerprint."""
        return self._options.bits

    @property
    def max_distance(self) -> int:
        """Largest number of differing bits that can be asked for."""
        return self._options.max_distance

    @property
    def blocks(self) -> int | None:
        """Number of blocks that was asked for; None: chosen for each task."""
        return None if self._options.plan is None else len(self._options.plan.masks)

    @property
    def config_hash(self) -> int | None:
        """Identity of the configuration that made the fingerprints, if it was given."""
        return self._options.config_hash

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, those that are mapped from files included."""
        return self._rows.nbytes + sum(segment.nbytes for segment in self._segments)

    @property
    def fingerprints(self) -> NDArray[Any]:
        """Every value given, removed ones too, by position; read-only, in the layout they came in."""
        with self._lock:
            words = self._rows.all()
        if self.bits == 32:
            return read_only(words[:, 0].astype(np.uint32))
        return words if self.bits > 64 else words[:, 0]

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
        >>> from txtfp_np.index import HammingIndex
        >>> HammingIndex([8, 9, 9], max_distance=1).find_all(distinct=True)
        (array([0]), array([1]), array([1], dtype=uint8))
        """
        from ..kernels.groups import count_spread, spread_pairs
        from ..kernels.sorting import sort_keys

        check_flag("distinct", distinct)
        groups, rows, _ = self._groups()
        pairs, distances = self._join(groups, threads)
        if distinct:
            groups = groups._replace(
                starts=read_only(np.arange(len(groups.low) + 1)), order=read_only(groups.order[groups.starts[:-1]])
            )
        n_pairs = count_spread(pairs, groups.starts)
        keys, payload = np.empty(n_pairs, np.uint64), np.empty(n_pairs, np.uint32)
        spread_pairs(pairs, distances, groups.starts, groups.order, keys, payload)
        sort_keys(keys, payload, True, np.empty_like(keys), np.empty_like(payload))
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
        >>> from txtfp_np.index import HammingIndex
        >>> HammingIndex([0, 255, 1, 3, 254, 0xF0F0], max_distance=1).find_clusters()
        HammingClusters(labels=array([ 0,  1,  0,  0,  1, -1]), indptr=array([0, 3, 5]),
                        positions=array([0, 2, 3, 1, 4]))
        """
        from ..kernels.groups import component_labels

        groups, rows, n = self._groups()
        pairs, _ = self._join(groups, threads)
        found = np.empty(len(groups.order), np.int64)
        n_clusters = component_labels(pairs, groups.starts, groups.order, found)
        labels = np.full(n, -1)
        labels[slice(None) if rows is None else rows] = found
        return clusters_of(labels, n_clusters)

    def _groups(self) -> tuple[Groups, NDArray[np.int64] | None, int]:
        """Equal values among those that are there; their positions, if some were removed; how many were given."""
        with self._lock:
            words, rows = self._rows.all(), self._rows.living()
        return group_equal(words if rows is None else words[rows]), rows, len(words)

    def _join(self, groups: Groups, threads: int | None) -> tuple[Words, NDArray[np.uint8]]:
        return join(groups, self._options.plan, self.max_distance, self.bits, resolve_threads(threads))

    # ── probes ──────────────────────────────────────────────────────────────────────────────────
    def query(
        self,
        fingerprints: ArrayLike,
        k: int | None = None,
        threads: int | None = None,
        *,
        config_hash: int | None = None,
    ) -> Neighbours:
        """Everything near each probe.

        Parameters
        ----------
        fingerprints : as for the class, or a single one
        k : int, optional
            Largest number of differing bits, at most ``max_distance``, which is the default.
        threads : int, optional
            As in :meth:`find_all`.
        config_hash : int, optional
            Of the fingerprinter that made them; checked against that of the index.

        Returns
        -------
        indptr : int64 (probes + 1,)
            Probe ``p`` has the neighbours ``positions[indptr[p]:indptr[p + 1]]``, as in a CSR matrix.
        positions : int64 (m,)
            Ascending for each probe.
        distances : uint8 (m,)

        Examples
        --------
        >>> from txtfp_np.index import HammingIndex
        >>> HammingIndex([8, 9, 11], max_distance=2).query([10, 0], k=1)
        (array([0, 2, 3]), array([0, 2, 0]), array([1, 1, 1], dtype=uint8))
        """
        limit = self.max_distance if k is None else check_count("k", k, 0, self.max_distance)
        check_config_hash(self.config_hash, config_hash)
        probes = as_words("fingerprints", fingerprints, self.bits)
        n_threads = resolve_threads(threads)
        segments = self._segments
        if (segments[-1].end if segments else 0) < len(self._rows) or not self._rows.is_ready:
            with self._lock:
                self._index_new(n_threads)
                segments = self._segments
                self._rows.alive()
        alive = self._rows.alive()  # after the segments: of at least as many rows
        counts = Appender(np.int64, len(probes) + 1)
        positions, distances = Appender(np.int64, len(probes)), Appender(np.uint8, len(probes))
        counts.append(np.zeros(1, np.int64))

        def work(block: Words, scratch: Scratch) -> Hits:
            return query_segments(segments, block, limit, alive, scratch)

        def consume(hits: Hits) -> None:
            counts.append(hits.counts)
            positions.append(hits.positions)
            distances.append(hits.distances)

        run_blocks(cut(probes, _PROBES_A_BLOCK), work, consume, threads=n_threads)
        return np.cumsum(counts.values()), positions.finish(), distances.finish()

    def _index_new(self, threads: int) -> None:
        """Tables for what came since the last time. Segments of about one size are merged, so there are few."""
        segments, end = [*self._segments], len(self._rows)
        begin = segments[-1].end if segments else 0
        if begin == end:
            return
        while segments and segments[-1].end - segments[-1].begin < 2 * (end - begin):
            begin = segments.pop().begin
        segments.append(self._tables(begin, threads))
        self._segments = tuple(segments)

    def _tables(self, begin: int, threads: int) -> Segment:
        """Tables of everything from a position on."""
        words, rows = self._rows.since(begin), self._rows.living(begin)
        limits, span = (self.max_distance, self.bits), (begin, len(self._rows))
        return Segment.build(words if rows is None else words[rows], rows, span, self._options.plan, limits, threads)
