"""From verified pairs to who stands by whom: star linkage, connected components, cluster labels."""

from __future__ import annotations

from ._jit import helper, kernel


@kernel
def best_copies(copy_of, rank, out):
    """The member of each group of copies that is kept before the others.

    Parameters
    ----------
    copy_of : int64[n], read-only
        First row of the group of each row.
    rank : int64[n], read-only
        Lower is better.
    out : int64[n]
        Written, for every row.

    Notes
    -----
    Oracle: ``tests/oracles/dedup.py``, for all of this file.
    """
    for row in range(len(copy_of)):
        out[row] = row
    for row in range(len(copy_of)):
        first = copy_of[row]
        if rank[row] < rank[out[first]]:
            out[first] = row
    for row in range(len(copy_of)):
        if copy_of[row] != row:
            out[row] = out[copy_of[row]]


@kernel
def star_rows(i, j, rank, starts, places, in_order, representative, chosen):
    """Who stands by whom: rows in keep order, each kept one takes its neighbours that are not decided yet.

    Parameters
    ----------
    i, j : int64[m], read-only
        Pairs; those of a row with itself are ignored.
    rank : int64[n], read-only
        A permutation, lower is better.
    starts : int64[n + 1], places : int64[m], in_order : int64[n]
        Overwritten.
    representative : int64[n]
        Written: the kept row, itself if it is kept.
    chosen : int64[n]
        Written: the pair that decided it, -1 if it is kept.
    """
    n = len(rank)
    # A row is decided by better ones only, so a pair is needed only where its better row is looked at.
    for row in range(n):
        starts[row] = 0
        in_order[rank[row]] = row
        representative[row] = row
        chosen[row] = -1
    starts[n] = 0
    for pair in range(len(i)):
        if i[pair] != j[pair]:
            starts[min(rank[i[pair]], rank[j[pair]])] += 1
    total = 0
    for place in range(n + 1):
        total, starts[place] = total + starts[place], total
    for pair in range(len(i)):
        if i[pair] != j[pair]:
            better = min(rank[i[pair]], rank[j[pair]])
            places[starts[better]] = pair
            starts[better] += 1
    begin = 0
    for place in range(n):
        row = in_order[place]
        end = starts[place]  # filling has moved it to where the next begins
        if representative[row] == row:
            for at in range(begin, end):
                pair = places[at]
                other = i[pair] + j[pair] - row
                if representative[other] == other:
                    representative[other] = row
                    chosen[other] = pair
        begin = end


@helper
def root_of(parents, node):
    """Where a chain of parents ends."""
    while parents[node] != node:
        parents[node] = parents[parents[node]]  # halves the path for the next time
        node = parents[node]
    return node


@helper
def unite(i, j, rank, representative):
    """Join the components of pairs; chains of representatives end at the best row."""
    for pair in range(len(i)):
        a, b = root_of(representative, i[pair]), root_of(representative, j[pair])
        if a != b:
            # the better one becomes the root, so that roots are the answer
            if rank[a] < rank[b]:
                representative[b] = a
            else:
                representative[a] = b


@kernel
def component_rows(i, j, rank, representative, chosen):
    """Who stands by whom: the best row of its connected component.

    Arguments as in :func:`star_rows`; ``chosen`` is the first pair of a row with its representative, -1 if
    there is none.
    """
    for row in range(len(rank)):
        representative[row] = row
        chosen[row] = -1
    unite(i, j, rank, representative)
    for row in range(len(rank)):
        representative[row] = root_of(representative, row)
    for pair in range(len(i) - 1, -1, -1):
        a, b = i[pair], j[pair]
        if a != b:
            if representative[b] == a:
                chosen[b] = pair
            elif representative[a] == b:
                chosen[a] = pair


@kernel
def label_rows(representative, numbers, labels):
    """Number the groups by their first row; returns how many there are.

    ``representative`` ``int64[n]``, read-only; ``numbers`` ``int64[n]``, overwritten; ``labels`` ``int64[n]``, written.
    """
    for row in range(len(representative)):
        numbers[row] = -1
    n_labels = 0
    for row in range(len(representative)):
        of = representative[row]
        if numbers[of] < 0:
            numbers[of] = n_labels
            n_labels += 1
        labels[row] = numbers[of]
    return n_labels
