"""Pairs of vectors, all of them or those of a star, by whatever search was asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..columns import Progress
from ..columns.checks import read_only
from ..index.ann import near_graph_pairs
from ..index.codes import radius
from ..index.cosine import Directions, Similar, near_code_pairs, near_pairs
from ..index.nearest import CODE_BITS, Part, Question, nearest
from ..index.vector_parts import grown
from ..semantic import HyperplaneHash
from .settings import Search, Settings

Rows = NDArray[np.int64]


class VectorSearch:
    """Pairs among the rows of a matrix; a :class:`~txtfp_np.dedup.waves.Finder`, too.

    Parameters
    ----------
    vectors : float32 (n, d), C-contiguous
        None of them zero.
    settings : Settings
    threads : int
    """

    def __init__(self, vectors: NDArray[np.float32], settings: Settings, threads: int) -> None:
        self._vectors, self._settings, self._threads = vectors, settings, threads
        self._codes: NDArray[np.uint64] | None = None
        if settings.search == Search.CODES and len(vectors):
            self._codes = read_only(HyperplaneHash(CODE_BITS).fingerprint(vectors).view(np.uint64))
            self._radius = radius(settings.threshold, CODE_BITS, settings.recall)
        self._kept: tuple[Part, ...] = ()

    def all_pairs(self, n_probes: int, progress: Progress, most: int | None = None) -> Similar:
        """Pairs of which one is among the first ``n_probes`` rows."""
        vectors, threshold, threads = self._vectors, self._settings.threshold, self._threads
        if self._settings.search == Search.USEARCH and len(vectors) > 1:
            return near_graph_pairs(vectors, threshold, n_probes=n_probes, threads=threads)
        if self._codes is None:
            return near_pairs(vectors, threshold, n_probes=n_probes, most=most, threads=threads, progress=progress)
        return near_code_pairs(
            vectors,
            self._codes,
            self._radius,
            threshold,
            n_probes=n_probes,
            most=most,
            threads=threads,
            progress=progress,
        )

    def near_kept(self, wave: Rows) -> Similar:
        """Pairs of a kept row with one of the wave."""
        settings = self._settings
        codes = None if self._codes is None else self._codes[wave]
        question = Question(None, settings.threshold, settings.recall)
        found = nearest(self._kept, self._vectors[wave], codes, None, question, self._threads)
        return found.ids.astype(np.int64), np.repeat(wave, found.counts), found.similarity

    def within(self, wave: Rows) -> Similar:
        """Pairs of two rows of the wave."""
        vectors, threshold = self._vectors[wave], self._settings.threshold
        if self._codes is None:
            i, j, share = near_pairs(vectors, threshold, threads=self._threads)
        else:
            i, j, share = near_code_pairs(vectors, self._codes[wave], self._radius, threshold, threads=self._threads)
        return wave[i], wave[j], share

    def keep(self, rows: Rows) -> None:
        """Rows that are kept from now on."""
        if len(rows):
            codes = None if self._codes is None else read_only(np.ascontiguousarray(self._codes[rows].T))
            part = Part(rows.astype(np.uint64), Directions(self._vectors[rows]), codes)
            self._kept = grown((*self._kept, part))
