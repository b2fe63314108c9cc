"""Which items two sequences have in common, in order: Myers' algorithm, with anchors where they differ too much."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine


@helper
def _row(d):
    """Where the d + 1 furthest points of d differences begin."""
    return d * (d + 1) // 2


@routine
def _shortest_edit(a, b, a0, a1, b0, b1, most, trace, partner):
    """Match by the fewest differences; False, and nothing written, if there are more than ``most`` of them.

    E. W. Myers, An O(ND) difference algorithm and its variations, 1986. ``trace`` keeps, for each number of
    differences d and each diagonal k = -d, -d + 2, ... d, how far along ``a`` one gets.
    """
    n_a, n_b = a1 - a0, b1 - b0
    for d in range(min(most, n_a + n_b) + 1):
        for at in range(d + 1):
            k = 2 * at - d
            if d == 0:
                x = 0
            elif at == 0 or (at < d and trace[_row(d - 1) + at - 1] < trace[_row(d - 1) + at]):
                x = trace[_row(d - 1) + at]  # from diagonal k + 1: an item of b is new
            else:
                x = trace[_row(d - 1) + at - 1] + 1  # from k - 1: an item of a is gone
            while x < n_a and x - k < n_b and x - k >= 0 and a[a0 + x] == b[b0 + x - k]:
                x += 1
            trace[_row(d) + at] = x
            if x >= n_a and x - k >= n_b:
                _walk_back(d, at, n_a, a0, b0, trace, partner)
                return True
    return False


@helper
def _walk_back(d, at, n_a, a0, b0, trace, partner):
    x = n_a
    while True:
        k = 2 * at - d
        if d == 0:
            begin = 0
        elif at == 0 or (at < d and trace[_row(d - 1) + at - 1] < trace[_row(d - 1) + at]):
            begin = trace[_row(d - 1) + at]
            before, x_before = at, begin
        else:
            begin = trace[_row(d - 1) + at - 1] + 1
            before, x_before = at - 1, begin - 1
        while x > begin:
            x -= 1
            partner[a0 + x] = b0 + x - k
        if d == 0:
            return
        d -= 1
        at, x = before, x_before


@routine
def _furthest(n_a, n_b, most, trace):
    """Where among the ways of ``most`` differences the one is that got furthest; -1: nowhere."""
    best, found = 0, -1
    for at in range(most + 1):
        x = trace[_row(most) + at]
        y = x - (2 * at - most)
        if x <= n_a and y <= n_b and x + y > best:
            best, found = x + y, at
    return found


@routine
def _anchors(a, b, a0, a1, b0, b1, seen, chain, partner):
    """Match items that either side has once, as many as are in the same order; how many these are.

    ``seen`` ``int32[:, 3]``, zeros: occurrences in both, and where in ``b``; zeros again when this returns.
    ``chain`` ``int32[:, 3]``: overwritten.
    """
    for i in range(a0, a1):
        seen[a[i], 0] += 1
    for j in range(b0, b1):
        seen[b[j], 1] += 1
        seen[b[j], 2] = j
    # patience: chain[l, 0] is the candidate that ends the best run of l + 1, [c, 1] its item, [c, 2] the one before
    n_runs = 0
    n_candidates = 0
    for i in range(a0, a1):
        if seen[a[i], 0] != 1 or seen[a[i], 1] != 1:
            continue
        at = seen[a[i], 2]
        lo, hi = 0, n_runs
        while lo < hi:
            mid = (lo + hi) // 2
            if seen[a[chain[chain[mid, 0], 1]], 2] < at:
                lo = mid + 1
            else:
                hi = mid
        chain[n_candidates, 1] = i
        chain[n_candidates, 2] = chain[lo - 1, 0] if lo else -1
        chain[lo, 0] = n_candidates
        n_runs = max(n_runs, lo + 1)
        n_candidates += 1
    candidate = chain[n_runs - 1, 0] if n_runs else -1
    while candidate >= 0:
        i = chain[candidate, 1]
        partner[i] = seen[a[i], 2]
        candidate = chain[candidate, 2]
    for i in range(a0, a1):
        seen[a[i], 0] = 0
    for j in range(b0, b1):
        seen[b[j], 1] = 0
    return n_runs


@kernel
def match_items(a, b, n_items, most, partner):
    """Where each item of ``a`` is in ``b``, both read in order.

    Parameters
    ----------
    a, b : int64[:], read-only
        Items, numbered from 0 to ``n_items``.
    n_items : int
    most : int
        Differences up to which a stretch is matched as well as can be. One with more is cut at items that both
        sides have once in it; if there are none, where the way of so many differences that gets furthest ends.
    partner : int64[len(a)]
        Written: position in ``b``, ascending; -1 where there is none.

    Notes
    -----
    Time about O((len(a) + len(b)) * most). Oracle: ``tests/oracles/diff.py``.
    """
    partner[:] = -1
    trace = np.empty((most + 1) * (most + 2) // 2, np.int32)
    seen = np.zeros((n_items, 3), np.int32)
    chain = np.empty((len(a) + 1, 3), np.int32)
    todo = np.empty((len(a) + 2, 4), np.int64)
    todo[0, 0], todo[0, 1], todo[0, 2], todo[0, 3] = 0, len(a), 0, len(b)
    n_todo = 1
    while n_todo:
        n_todo -= 1
        a0, a1, b0, b1 = todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2], todo[n_todo, 3]
        while a0 < a1 and b0 < b1 and a[a0] == b[b0]:
            partner[a0] = b0
            a0 += 1
            b0 += 1
        while a0 < a1 and b0 < b1 and a[a1 - 1] == b[b1 - 1]:
            a1 -= 1
            b1 -= 1
            partner[a1] = b1
        if a0 == a1 or b0 == b1 or _shortest_edit(a, b, a0, a1, b0, b1, most, trace, partner):
            continue
        if _anchors(a, b, a0, a1, b0, b1, seen, chain, partner) == 0:
            at = _furthest(a1 - a0, b1 - b0, most, trace)
            if at >= 0:
                x = trace[_row(most) + at]
                _walk_back(most, at, x, a0, b0, trace, partner)
                y = x - (2 * at - most)
                todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2], todo[n_todo, 3] = a0 + x, a1, b0 + y, b1
                n_todo += 1
            continue
        begin_a, begin_b = a0, b0
        for i in range(a0, a1 + 1):
            at = b1 if i == a1 else partner[i]
            if at >= 0:
                if i > begin_a and at > begin_b:
                    todo[n_todo, 0], todo[n_todo, 1], todo[n_todo, 2], todo[n_todo, 3] = begin_a, i, begin_b, at
                    n_todo += 1
                begin_a, begin_b = i + 1, at + 1
