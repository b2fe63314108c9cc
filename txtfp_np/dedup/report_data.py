"""What a report shows: counts, numbers to plot, and the clusters that are looked at closely."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..index import LshIndexBuilder

Rows = NDArray[np.int64]


class Member(NamedTuple):
    """A removed document beside the kept one: ``similarity`` is NaN if the two were not compared."""

    id: str
    text: str
    similarity: float
    reason: str


class Group(NamedTuple):
    """A kept document with some of those that were removed for it; ``size`` counts all of them, and itself."""

    id: str
    text: str
    size: int
    members: tuple[Member, ...]


@dataclass(frozen=True)
class ReportData:
    """Everything a report needs.

    Attributes
    ----------
    title : str
        Heading of the page.
    counts : dict
        ``documents``, ``kept``, ``removed``, and others as in ``DedupResult.summary()``.
    threshold : float
        Least similarity of a pair.
    similarities : float (m,)
        To be drawn; equal documents have 1.
    measured : str
        What they are the similarities of.
    sizes : int64 (c,)
        Of all clusters of two documents or more.
    bands : LshIndexBuilder or None
        By which pairs were found, if bands were used.
    fingerprinter : fingerprinter
        Whose tokens decide what is a difference.
    groups : sequence of Group
        Clusters to be shown, in order.
    """

    title: str
    counts: dict[str, int]
    threshold: float
    similarities: NDArray[Any]
    measured: str
    sizes: Rows
    bands: LshIndexBuilder | None
    fingerprinter: Any
    groups: Sequence[Group]


class Chosen(NamedTuple):
    """A cluster to be shown: its kept document, its size, and positions of the removed ones to be shown."""

    kept: int
    size: int
    positions: Rows


def choose_groups(
    kept: Rows, similarity: NDArray[Any], max_clusters: int, max_members: int
) -> tuple[list[Chosen], Rows]:
    """The largest clusters, and of each the removed documents that are least like the kept one.

    Parameters
    ----------
    kept : int64 (m,)
        For each removed document the one that it stands by.
    similarity : float (m,)
        Of the two; NaN counts as least.
    max_clusters, max_members : int
        How many to show.

    Returns
    -------
    list of Chosen
        The largest first; as large ones by their kept document.
    int64 (c,)
        Sizes of all clusters.

    Examples
    --------
    >>> chosen, sizes = choose_groups(np.array([0, 5, 5]), np.array([0.8, 1.0, 0.9]), 1, 9)
    >>> chosen, sizes
    ([Chosen(kept=5, size=3, positions=array([2, 1]))], array([2, 3]))
    """
    labels, places, counts = np.unique(kept, return_inverse=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:max_clusters]
    wanted = np.zeros(len(labels), np.bool_)
    wanted[order] = True
    positions = np.flatnonzero(wanted[places])
    by_cluster = np.lexsort((positions, np.nan_to_num(similarity[positions], nan=-1.0), places[positions]))
    positions = positions[by_cluster]
    begins = np.searchsorted(places[positions], order, "left")
    chosen = [
        Chosen(int(labels[label]), int(counts[label]) + 1, positions[begin : begin + min(counts[label], max_members)])
        for label, begin in zip(order, begins, strict=True)
    ]
    return chosen, counts.astype(np.int64) + 1
