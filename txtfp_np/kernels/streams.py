"""Linking of pairs that come in blocks: what ``kernels.linkage`` does for pairs that are all in memory."""

from __future__ import annotations

from ._jit import kernel
from .linkage import root_of, unite


@kernel
def star_stream(better, other, share, representative, similarity):
    """Go on with a star linkage: pairs in the keep order of their better rows, over all blocks.

    Parameters
    ----------
    better, other : uint32[m], read-only
        Rows of the pairs.
    share : float32[m], read-only
        Similarity of the pairs.
    representative : int64[n]
        At first each row itself. Written: the kept row that a row stands by.
    similarity : float32[n]
        Written for those that are removed.

    Notes
    -----
    Oracle: ``tests/oracles/dedup.py``, for all of this file.
    """
    for pair in range(len(better)):
        row, neighbour = better[pair], other[pair]
        # all pairs with better rows have been seen: whether this row is kept is settled
        if representative[row] == row and representative[neighbour] == neighbour and row != neighbour:
            representative[neighbour] = row
            similarity[neighbour] = share[pair]


@kernel
def unite_stream(i, j, rank, representative):
    """Go on with connected components: pairs in any order; ``rank`` ``int64[n]``, else as in :func:`star_stream`.

    Afterwards rows lead to the best row of their component, step by step: :func:`end_components`.
    """
    unite(i, j, rank, representative)


@kernel
def end_components(representative):
    """Let every row lead to the best row of its component at once."""
    for row in range(len(representative)):
        representative[row] = root_of(representative, row)


@kernel
def share_stream(i, j, share, representative, similarity):
    """Similarity of rows with their representatives, from the pairs that say it."""
    for pair in range(len(i)):
        a, b = i[pair], j[pair]
        if a != b:
            if representative[b] == a:
                similarity[b] = share[pair]
            elif representative[a] == b:
                similarity[a] = share[pair]
