"""Approximate neighbours by usearch's graph; what it finds is verified, what it misses is missed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FeatureDisabledError
from .cosine import Similar, above, margin

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
    graph = graph_type()(ndim=vectors.shape[1], metric="cos", dtype="f32")
    graph.add(np.arange(n, dtype=np.uint64), vectors, threads=threads)
    # of one row it answers in another shape
    found = graph.search(np.concatenate([vectors[:last], vectors[:1]]), min(NEIGHBOURS, n), threads=threads)
    keys, distances = np.asarray(found.keys)[:last], np.asarray(found.distances)[:last]
    given = np.arange(keys.shape[1]) < np.asarray(found.counts)[:last, np.newaxis]
    near = given & (1 - distances >= threshold - 2 * margin(vectors.shape[1]))
    rows, places = np.nonzero(near)
    others = keys[rows, places].astype(np.int64)
    i, j = np.minimum(rows, others), np.maximum(rows, others)
    pairs = np.unique((i * n + j)[i < j])
    return above(vectors, pairs // n, pairs % n, threshold, threads)
