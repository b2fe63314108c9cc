"""Linking of pairs that come in blocks: what ``kernels.linkage`` does for pairs that are all in memory."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import address
from .linkage import root_of, unite
from .lsh import equal_slots, slots_at
from .sets import in_common

LOOKS = 1 << 8  # rows of crowds that a call compares: the system maps 64 kB around each


@helper
def _likeness(row, other, rows, shape):
    """Similarity of two rows, as they are verified one by one; below 0 if they are no pair."""
    words_at, values, offsets, number = rows
    n_words, needed, threshold, is_exact = shape
    chunks = address(words_at, 0)
    equal = equal_slots(slots_at(chunks, row, n_words), slots_at(chunks, other, n_words), n_words - 1, needed, True)
    if equal < 0 or not is_exact:
        return equal / np.float64(n_words - 1)
    a, b = np.int64(number[row]), np.int64(number[other])
    n_a, n_b = offsets[a + 1] - offsets[a], offsets[b + 1] - offsets[b]
    common = in_common(values[offsets[a] : offsets[a + 1]], values[offsets[b] : offsets[b + 1]])
    share = common / np.float64(max(n_a + n_b - common, 1))
    return share if share >= threshold else -1.0


@kernel
def star_stream(better, other, share, best, crowds, rows, shape, cursor, representative, similarity):
    """Go on with a star linkage: pairs in the keep order of their better rows, over all blocks.

    A pair without a share is a row and a crowd that it is in: if the row is kept, it is compared with all of the
    crowd that is not decided yet.

    Parameters
    ----------
    better, other : uint32[m], read-only
        Rows of the pairs.
    share : float32[m], read-only
        Similarity of the pairs; NaN: ``other`` is the number of a crowd.
    best : int64[n], read-only
        Which of equal rows stands for a member of a crowd.
    crowds : (uint32[:], int64[c, 2])
        Members of all crowds, and where each begins and ends. Overwritten: those that are decided are left out.
    rows : (int64[:], uint64[:], int64[:], uint32[n]), read-only
        Signatures as in ``kernels.lsh``; sets as :func:`.sets.distinct_sets` writes them, and which one a row has.
    shape : (int, int, float, bool)
        Words a record, slots that must be equal, the threshold, and whether sets are compared.
    cursor : int64[4]
        Zeros at first. The pair to go on with, the place and the end of what is left of its crowd, if it is in the
        middle of one (else 0, 0), and how many rows crowds have removed.
    representative : int64[n]
        At first each row itself. Written: the kept row that a row stands by.
    similarity : float32[n]
        Written for those that are removed.

    Returns
    -------
    bool
        Whether all is done. If not, so much memory was looked at that some may be given back.

    Notes
    -----
    Oracle: ``tests/oracles/dedup.py``, for all of this file.
    """
    members, bounds = crowds
    n_looks = 0
    for pair in range(cursor[0], len(better)):
        row, neighbour = np.int64(better[pair]), np.int64(other[pair])
        # all pairs with better rows have been seen: whether this row is kept is settled
        if not np.isnan(share[pair]):
            if representative[row] == row and representative[neighbour] == neighbour and row != neighbour:
                representative[neighbour] = row
                similarity[neighbour] = share[pair]
            continue
        kept = best[row]
        if representative[kept] != kept:
            continue
        # better members have had their turn here: what is left of the crowd is worse
        begin, end = bounds[neighbour, 0], bounds[neighbour, 1]
        place, left = begin, begin
        if cursor[1]:
            place, left = cursor[1], cursor[2]
            cursor[1] = 0
        while place < end:
            if n_looks == LOOKS:
                cursor[0], cursor[1], cursor[2] = pair, place, left
                return False
            member = np.int64(members[place])
            place += 1
            if member == row or representative[best[member]] != best[member]:
                continue
            n_looks += 1
            alike = _likeness(row, member, rows, shape)
            if alike >= 0:
                representative[best[member]] = kept
                similarity[best[member]] = alike
                cursor[3] += 1
            else:
                members[left] = member
                left += 1
        bounds[neighbour, 1] = left
    cursor[0] = len(better)
    return True


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
