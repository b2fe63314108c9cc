"""Which documents may contain another: their sets share one of its rarest shingles."""

from __future__ import annotations

import numpy as np

from ._jit import kernel


@kernel
def number_shared(keys, order, numbers, starts):
    """Number the values that several sets hold.

    Parameters
    ----------
    keys : uint64[m], order : uint32[m], read-only
        All values of all sets, sorted, and where each came from.
    numbers : uint32[m]
        Written: at each place, 1 + the number of its value; 0 if one set alone has it.
    starts : int64[m + 1]
        Written as far as it is used: where the occurrences of each number begin among those in ``keys``
        that are shared; their number behind the last.

    Returns
    -------
    int
        How many values are shared.

    Notes
    -----
    Oracle: ``tests/oracles/dedup.py``, for all of this file.
    """
    n_shared = 0
    total = 0
    begin = 0
    while begin < len(keys):
        end = begin + 1
        while end < len(keys) and keys[end] == keys[begin]:
            end += 1
        if end - begin == 1:
            numbers[order[begin]] = np.uint32(0)
        else:
            starts[n_shared] = total
            n_shared += 1
            for i in range(begin, end):
                numbers[order[i]] = np.uint32(n_shared)
            total += end - begin
        begin = end
    starts[n_shared] = total
    return n_shared


@kernel
def fill_postings(numbers, offsets, starts, postings):
    """Sets that hold each shared value, ascending.

    ``numbers`` from :func:`number_shared`, ``offsets`` ``int64[n + 1]`` of the sets, both read-only; ``starts`` from
    there, too: moved on to where the postings of each value end. ``postings`` ``uint32[:]``, written.
    """
    for d in range(len(offsets) - 1):
        for at in range(offsets[d], offsets[d + 1]):
            if numbers[at]:
                value = np.int64(numbers[at]) - 1
                postings[starts[value]] = np.uint32(d)
                starts[value] += 1


@kernel
def contained_pairs(numbers, offsets, postings, ends, needed, cursor, stamps, out):
    """Pairs of a set and one at least as large that shares one of its rarest values.

    Parameters
    ----------
    numbers : uint32[m], offsets : int64[n + 1], postings : uint32[:], read-only
        From the functions above.
    ends : int64[:], read-only
        Where the postings of each value end.
    needed : int64[n], read-only
        How many values of each set must be in the other.
    cursor : int64[2]
        Set and neighbour to go on with; zeros at first.
    stamps : int64[n]
        Which set was last compared with each; -1 at first.
    out : int64[:, 2]
        Written: both sets, the smaller one first; of equal size the earlier one.

    Returns
    -------
    int
        Pairs written. Fewer than fit: there are no more.
    """
    n = len(offsets) - 1
    written = 0
    chosen = np.empty(64, np.int64)
    d = cursor[0]
    while d < n:
        size = offsets[d + 1] - offsets[d]
        # Two sets that share `needed` of these cannot differ in all of any `prefix` of them.
        prefix = size - needed[d] + 1
        run = numbers[offsets[d] : offsets[d + 1]]
        n_shared = 0
        if len(chosen) < size:
            chosen = np.empty(2 * size, np.int64)
        for number in run:
            if number:
                chosen[n_shared] = np.int64(number) - 1
                n_shared += 1
        prefix -= size - n_shared  # those of its own come first: nothing is rarer
        if size > 0 and prefix > 0:
            own = chosen[:n_shared]
            counts = np.empty(n_shared, np.int64)
            for i in range(n_shared):
                counts[i] = ends[own[i]] - (ends[own[i] - 1] if own[i] else 0)
            by_rarity = np.argsort(counts, kind="mergesort") if prefix < n_shared else np.arange(n_shared)
            place = 0
            for i in range(min(prefix, n_shared)):
                value = own[by_rarity[i]]
                for at in range(ends[value - 1] if value else 0, ends[value]):
                    place += 1
                    if place <= cursor[1]:
                        continue
                    other = np.int64(postings[at])
                    other_size = offsets[other + 1] - offsets[other]
                    if other_size < size or (other_size == size and other <= d) or stamps[other] == d:
                        continue
                    if written == len(out):
                        cursor[0], cursor[1] = d, place - 1
                        return written
                    stamps[other] = d
                    out[written, 0], out[written, 1] = d, other
                    written += 1
        cursor[1] = 0
        d += 1
    cursor[0] = n
    return written
