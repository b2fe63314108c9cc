"""From verified pairs to clusters, and to the row that each row stands by."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import ConfigError

Rows = NDArray[np.int64]
LINKAGES = ("star", "components")


class Links(NamedTuple):
    """Clusters of rows.

    Attributes
    ----------
    cluster : int64 (n,)
        Number of the cluster, consecutive by first row; a row that is alone has one, too.
    representative : int64 (n,)
        The kept row that each row stands by, itself if it is kept.
    similarity : float32 (n,)
        With the representative: 1 for itself, NaN if the two were not compared (components only).
    """

    cluster: Rows
    representative: Rows
    similarity: NDArray[np.float32]


def link(
    n: int,
    i: Rows,
    j: Rows,
    similarity: NDArray[np.float32],
    rank: Rows,
    linkage: str = "star",
    copy_of: Rows | None = None,
) -> Links:
    """Clusters of verified pairs.

    Parameters
    ----------
    n : int
        Number of rows.
    i, j : int64 (m,)
        Verified pairs of rows.
    similarity : float32 (m,)
        Of the pairs.
    rank : int64 (n,)
        From :func:`~txtfp_np.dedup.policies.keep_order`.
    linkage : {"star", "components"}
        Star: rows are gone through in keep order; one that is not removed yet is kept, and removes its
        neighbours that are not decided. So every removed row forms a verified pair with its
        representative, and no two kept rows form one. A cluster is a kept row with those that stand by it.
        Components: a cluster is everything that hangs together, its best row is kept.
    copy_of : int64 (n,), optional
        First row of the group of equal documents that each row belongs to (itself if there is no other).
        Then pairs count for all members of a group. Without it, give every pair of equal documents.

    Returns
    -------
    Links

    Notes
    -----
    Time O(n + m) (components: nearly); about 44 bytes a row with the result and ``rank``, 8 bytes a pair.

    Examples
    --------
    A chain 0 - 1 - 2: as a star, 2 is not like 0 and survives.

    >>> i, j, s = np.array([0, 1]), np.array([1, 2]), np.array([0.8, 0.7], np.float32)
    >>> link(3, i, j, s, np.arange(3), "star").representative
    array([0, 0, 2])
    >>> link(3, i, j, s, np.arange(3), "components")
    Links(cluster=array([0, 0, 0]), representative=array([0, 0, 0]), similarity=array([1. , 0.8, nan], dtype=float32))
    """
    from ..kernels.linkage import best_copies, component_rows, label_rows, star_rows

    check_linkage(linkage)
    rank = read_only(np.ascontiguousarray(rank, np.int64))
    best = None
    if copy_of is not None:
        best = np.empty(n, np.int64)
        best_copies(read_only(np.ascontiguousarray(copy_of, np.int64)), rank, best)
        i, j = best[i], best[j]
    i, j = (read_only(np.ascontiguousarray(rows, np.int64)) for rows in (i, j))
    representative, chosen = np.empty(n, np.int64), np.empty(n, np.int64)
    scratch = np.empty(n, np.int64)
    if linkage == "star":
        starts, places = np.empty(n + 1, np.int64), np.empty(len(i), np.int64)
        star_rows(i, j, rank, starts, places, scratch, representative, chosen)
        del starts, places
    else:
        component_rows(i, j, rank, representative, chosen)
    with_whom = np.ones(n, np.float32)
    removed = np.flatnonzero(representative != np.arange(n))
    decided = chosen[removed]
    with_whom[removed] = np.where(decided >= 0, similarity[decided], np.nan) if len(similarity) else np.nan
    if best is not None:
        copies = np.flatnonzero(best != np.arange(n))
        models = best[copies]
        representative[copies] = representative[models]
        with_whom[copies] = with_whom[models]  # 1 if the model is kept
    label_rows(read_only(representative), scratch, chosen)
    return Links(chosen, representative, with_whom)


def check_linkage(linkage: object) -> None:
    """Refuse any linkage but the two there are."""
    if not isinstance(linkage, str) or linkage not in LINKAGES:
        raise ConfigError(f"linkage must be 'star' or 'components', got {linkage!r}", argument="linkage")
