"""Approximate neighbours by usearch's graph; what it finds is verified, what it misses is missed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..compare.vectors import directions
from ..errors import FeatureDisabledError
from .cosine import Rows, Similar, above

Vectors = NDArray[np.float32]

NEIGHBOURS = 64  # that each vector is asked for


def graph_type() -> Any:
    """``usearch.index.Index``.

    Raises
    ------
    FeatureDisabledError
        If usearch is not installed.
    """
    try:
        from usearch.index import Index
    except ImportError:
        raise FeatureDisabledError("ann") from None
    return Index


def near_graph_pairs(vectors: Vectors, threshold: float, *, n_probes: int | None = None, threads: int = 1) -> Similar:
    """Pairs of vectors whose cosine is at least the threshold, as far as a graph of neighbours finds them.

    Parameters
    ----------
    vectors : float32 (n, d), C-contiguous
    threshold, n_probes
        As in :func:`~txtfp_np.index.cosine.near_pairs`.
    threads : int
        With more than one, the graph, and so what it misses, is another one in every run.

    Returns
    -------
    i, j : int64 (m,)
    similarity : float32 (m,)
    """
    n = len(vectors)
    last = n if n_probes is None else n_probes
    graph = Graph(vectors.shape[1])
    graph.add(vectors, threads)
    rows, others = graph.search(vectors[:last], None, threads)
    i, j = np.minimum(rows, others), np.maximum(rows, others)
    pairs = np.unique((i * n + j)[i < j])
    return above(vectors, pairs // n, pairs % n, threshold, threads)


class Graph:
    """Rows that were added one after another, and candidates for the neighbours of others.

    Parameters
    ----------
    dim : int
    """

    def __init__(self, dim: int) -> None:
        self._graph = graph_type()(ndim=dim, metric="cos", dtype="f32")
        self.n = 0

    def add(self, vectors: Vectors, threads: int) -> None:
        """Add rows, under the numbers that follow."""
        if len(vectors):
            keys = np.arange(self.n, self.n + len(vectors), dtype=np.uint64)
            self._graph.add(keys, directions(vectors.astype(np.float64)).astype(np.float32), threads=threads)
        self.n += len(vectors)

    def search(self, probes: Vectors, k: int | None, threads: int = 1) -> tuple[Rows, Rows]:
        """Probes, and rows that may be their neighbours; ``k`` of each, if the graph has its best day."""
        if self.n == 0 or len(probes) == 0:
            return np.empty(0, np.int64), np.empty(0, np.int64)
        units = directions(probes.astype(np.float64)).astype(np.float32)
        # of one row it answers in another shape
        asked = np.concatenate([units, units[:1]])
        found = self._graph.search(asked, min(max(NEIGHBOURS, 2 * (k or 0)), self.n), threads=threads)
        keys = np.asarray(found.keys)[:-1]
        given = np.arange(keys.shape[1]) < np.asarray(found.counts)[:-1, np.newaxis]
        owners, places = np.nonzero(given)
        return owners, keys[owners, places].astype(np.int64)
