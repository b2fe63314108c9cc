"""Passages that two texts share: runs of equal tokens around equal k-grams, and what lies close together.

A text is ``(hashes, starts, ends, data)``: uint64[m], int32[m], int32[m] and uint8[:], all read-only; token ``i`` is
``data[starts[i]:ends[i]]``. Tokens are equal if their bytes are: hashes may lie.

A seed is a row ``(place, first, count, rank, times)`` of int64[n, 5]: the token of its text at which a k-gram begins;
where in ``places`` those of the other text with the same hash begin, and how many they are; the how manyth of its own
text it is, and of how many. Rows ascend by place, and so does each group of ``places``.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel

CANDIDATES = 16  # partners that are looked at where there are too many
MOST_LOOKS = 256  # comparisons a token for which seeds may overlap with runs


@helper
def _is_same(a, i, b, j):
    """Whether two tokens are the same text."""
    if a[0][np.uint64(i)] != b[0][np.uint64(j)]:
        return False
    at, other = np.int64(a[1][np.uint64(i)]), np.int64(b[1][np.uint64(j)])
    size = np.int64(a[2][np.uint64(i)]) - at
    if np.int64(b[2][np.uint64(j)]) - other != size:
        return False
    for place in range(size):
        if a[3][np.uint64(at + place)] != b[3][np.uint64(other + place)]:
            return False
    return True


@helper
def _equal_ahead(a, i, b, j):
    """Tokens from these on that are equal."""
    most = min(len(a[0]) - i, len(b[0]) - j)
    n = np.int64(0)
    while n < most and _is_same(a, i + n, b, j + n):
        n += 1
    return n


@helper
def _equal_behind(a, i, b, j, most):
    """Tokens before these that are equal, no more than ``most``."""
    most = min(most, i, j)
    n = np.int64(0)
    while n < most and _is_same(a, i - n - 1, b, j - n - 1):
        n += 1
    return n


@helper
def _with_room(runs, n):
    """The same rows, and room for one more."""
    if n < len(runs):
        return runs
    larger = np.empty((2 * len(runs), 3), np.int64)
    larger[:n] = runs
    return larger


@kernel
def extend_seeds(a, b, seeds, places, k):
    """Longest runs of equal tokens around seeds and each of their partners, each run once.

    Parameters
    ----------
    a, b : text
    seeds : int64[n, 5], read-only
        Of ``a``.
    places : int64[:], read-only
        Of ``b``.
    k : int
        Tokens of a seed.

    Returns
    -------
    int64[:, 3]
        Begin in ``a``, begin in ``b``, length.

    Notes
    -----
    No token is compared twice on a diagonal, so that the work is bounded by the diagonals that a place lies on: for
    seeds of no more than ``m`` pairs a k-gram, ``2 * sqrt(m)``. Oracle: ``tests/oracles/winnowing.py``.
    """
    least = min(k, len(a[0]), len(b[0]))
    reach = np.zeros(len(a[0]) + len(b[0]), np.int64)  # of each diagonal: where its last run ends in a
    runs, n = np.empty((16, 3), np.int64), 0
    for seed in range(len(seeds)):
        i = seeds[seed, 0]
        for partner in range(seeds[seed, 1], seeds[seed, 1] + seeds[seed, 2]):
            j = places[partner]
            diagonal = np.uint64(i - j + len(b[0]))
            if i + least <= reach[diagonal]:
                continue
            ahead = _equal_ahead(a, i, b, j)
            if ahead < least:
                continue
            behind = _equal_behind(a, i, b, j, i)
            reach[diagonal] = i + ahead
            runs = _with_room(runs, n)
            runs[n, 0], runs[n, 1], runs[n, 2] = i - behind, j - behind, behind + ahead
            n += 1
    return runs[:n]


@helper
def _candidate(which, seed, near):
    """Number of a partner: four near the expected place, those of the same rank, and some from all over."""
    count, rank, times = seed[2], seed[3], seed[4]
    if which < 4:
        number = near + (0, -1, 1, -2)[which]
    elif which == 4:
        number = rank
    elif which == 5:
        number = count - times + rank
    elif which == 6:
        number = rank * count // times
    elif which == 7:
        number = count - 1
    else:
        number = (which - 8) * count // (CANDIDATES - 8)
    return min(max(number, np.int64(0)), count - 1)


@helper
def _first_from(places, begin, end, least):
    """First of the ascending ``places[begin:end]`` that is ``least`` or more."""
    while begin < end:
        middle = (begin + end) // 2
        if places[middle] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def extend_refrains(a, b, seeds, places, k, reach):
    """One run of equal tokens around each seed that lies in none yet: of seeds with too many partners for all pairs.

    Parameters
    ----------
    a, b : text
    seeds : int64[n, 5], read-only
        Of ``a``.
    places : int64[:], read-only
        Of ``b``.
    k : int
        Tokens of a seed.
    reach : int64[len(a) + 1], read-only
        Of each place in ``a``: where the farthest run that begins there or before ends.

    Returns
    -------
    int64[:, 3]
        Begin in ``a``, begin in ``b``, length.

    Notes
    -----
    Of ``CANDIDATES`` partners the one is taken with which most tokens are equal of those ahead and those behind that
    are in no run. Seeds that lie in a run are passed by. Those that reach a little beyond one cost again what is
    known, so there is a bound to it, ``MOST_LOOKS`` comparisons a token of ``a``: from then on a seed must begin where
    the last one that was looked at ended. Oracle: the properties in ``tests/property/test_passages_properties.py``.
    """
    least = min(k, len(a[0]), len(b[0]))
    runs, n = np.empty((16, 3), np.int64), 0
    covered, looked_at, shift = np.int64(0), np.int64(0), np.int64(0)
    patience = MOST_LOOKS * len(a[0])
    for number in range(len(seeds)):
        seed = seeds[number]
        i, first, count = seed[0], seed[1], seed[2]
        covered = max(covered, reach[np.uint64(i)])
        if i + least <= covered or (patience < 0 and i < looked_at):
            continue
        near = _first_from(places, first, first + count, i - shift) - first
        best, ahead, longest = np.int64(-1), least, least - 1
        bare = max(i - covered, np.int64(0))  # tokens before the seed that are in no run
        for which in range(CANDIDATES):
            j = places[first + _candidate(which, seed, near)]
            found = _equal_ahead(a, i, b, j)
            length = found + _equal_behind(a, i, b, j, bare)
            patience -= length + 1
            if found >= least and length > longest:
                best, ahead, longest = j, found, length
            if longest == len(a[0]) - i + bare:
                break
        looked_at = i + ahead
        if best < 0:
            continue
        # back to what is covered, or as far again as was gone ahead: all the way would be quadratic
        behind = _equal_behind(a, i, b, best, max(bare, ahead))
        runs = _with_room(runs, n)
        runs[n, 0], runs[n, 1], runs[n, 2] = i - behind, best - behind, behind + ahead
        n += 1
        covered, shift = i + ahead, i - best
    return runs[:n]


@helper
def _drop_closed(joined, live, n_live, begin):
    """Leave out what ends before ``begin``."""
    kept = 0
    for place in range(n_live):
        if joined[live[place], 1] >= begin:
            live[kept] = live[place]
            kept += 1
    return kept


@helper
def _first_near(joined, live, n_live, column, least):
    """First of the live boxes, which ascend by that column, where it is ``least`` or more."""
    begin, end = 0, n_live
    while begin < end:
        middle = (begin + end) // 2
        if joined[live[middle], column] < least:
            begin = middle + 1
        else:
            end = middle
    return begin


@kernel
def join_boxes(boxes, gap, joined, numbers):
    """Boxes around boxes that lie close to each other in both texts; one sweep over the first text.

    Parameters
    ----------
    boxes : int64[n, 4], read-only
        Begin and end in the first text, begin and end in the second; ascending by the first column.
    gap : int
        Tokens that may lie between two, in either text.
    joined : int64[n, 4]
        Written.
    numbers : int64[n]
        Written: the joined box of each.

    Returns
    -------
    int
        Number of joined boxes.

    Notes
    -----
    A joined box reaches farther back than its parts, where others have been passed by: joined boxes may be joined
    once more, until nothing changes. Of those that a box may still come close to no two are close in the second
    text (else they were one), so that they are kept in its order. Oracle: ``tests/oracles/winnowing.py``.
    """
    into = np.empty(len(boxes), np.int64)  # what a joined box went into, or itself
    live, n_live, n = np.empty(len(boxes), np.int64), 0, 0
    for number in range(len(boxes)):
        box = boxes[number]
        if number == 0 or box[0] != boxes[number - 1, 0]:
            n_live = _drop_closed(joined, live, n_live, box[0] - gap)
        first = _first_near(joined, live, n_live, 3, box[2] - gap)
        last = _first_near(joined, live, n_live, 2, box[3] + gap + 1)
        if first == last:
            for place in range(n_live, first, -1):
                live[place] = live[place - 1]
            n_live += 1
            joined[n] = box
            into[n], live[first] = n, n
            n += 1
        target = live[first]
        for place in range(first, last):
            other = live[place]
            into[other] = target
            joined[target, 0] = min(joined[target, 0], joined[other, 0])
            joined[target, 1] = max(joined[target, 1], joined[other, 1])
            joined[target, 3] = max(joined[target, 3], joined[other, 3])
        joined[target, 1] = max(joined[target, 1], box[1])
        joined[target, 2] = min(joined[target, 2], box[2])
        joined[target, 3] = max(joined[target, 3], box[3])
        for place in range(last, n_live if last > first + 1 else 0):
            live[place - (last - first - 1)] = live[place]
        n_live -= max(last - first - 1, 0)
        numbers[number] = target
    return _close_up(joined, numbers, into, n)


@helper
def _close_up(joined, numbers, into, n):
    """Leave out joined boxes that went into others, of the ``n`` there are; returns how many are left."""
    root = np.empty(n, np.int64)
    kept = 0
    for box in range(n):
        if into[box] == box:
            root[box] = kept
            joined[kept] = joined[box]
            kept += 1
    for box in range(n):
        end = box
        while into[end] != end:
            into[end] = into[into[end]]  # halves the way of those that come after
            end = into[end]
        if into[box] != box:
            root[box] = root[end]
    for number in range(len(numbers)):
        numbers[number] = root[numbers[number]]
    return kept
