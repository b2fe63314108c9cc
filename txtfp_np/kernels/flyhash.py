"""FlyHash: tokens excite units, the most excited units win; and how many winners two documents share."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel
from .intrinsics import popcount

_STEP = np.uint64(0x9E3779B97F4A7C15)  # SplitMix64 (Steele, Lea, Flood, OOPSLA 2014), as are the numbers of _mix
_HALF = np.uint64(32)
NOBODY = 0xFFFF  # a place without a winner
_ONE, _WORD = np.uint64(1), np.uint64(63)


@helper
def _mix(x):
    x = (x ^ x >> np.uint64(30)) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ x >> np.uint64(27)) * np.uint64(0x94D049BB133111EB)
    return x ^ x >> np.uint64(31)


@helper
def _excite(low, high, weights, fan, activity):
    """Add the weight of every token to its units, of which the low half of a random number is as good as any."""
    n_units = np.uint64(len(activity))
    for token in range(np.uint64(len(low))):
        state = low[token] ^ _mix(high[token])
        weight = weights[token]
        for _ in range(fan):
            state += _STEP
            unit = (_mix(state) >> _HALF) * n_units >> _HALF
            activity[unit] += weight


@helper
def _threshold(activity, n_winners):
    """The largest number that at least ``n_winners`` units reach, or 0 if so few are excited at all."""
    low, high = np.int64(0), np.int64(0)
    for unit in range(len(activity)):
        high = max(high, activity[unit])
    while low < high:
        middle = high - (high - low) // 2
        n = np.int64(0)
        for unit in range(len(activity)):
            n += np.int64(activity[unit] >= middle)
        if n >= n_winners:
            low = middle
        else:
            high = middle - 1
    return low


@helper
def _set_winners(activity, n_winners, out):
    """Bits of the most excited units; of equally excited ones at the edge, those of the lowest numbers."""
    threshold = max(_threshold(activity, n_winners), np.int64(1))  # a unit that is not excited does not win
    n_above = np.int64(0)
    for unit in range(len(activity)):
        n_above += np.int64(activity[unit] > threshold)
    room = n_winners - n_above
    out[:] = 0
    for unit in range(np.uint64(len(activity))):
        wins = activity[unit] > threshold
        if activity[unit] == threshold and room > 0:
            wins = True
            room -= 1
        out[unit >> np.uint64(6)] |= np.uint64(wins) << (unit & _WORD)


@kernel
def flyhash_rows(low, high, weights, offsets, options, activity, out):
    """Winners of every row.

    Parameters
    ----------
    low, high : uint64[m], read-only
        Halves of the hashes of the distinct tokens of a row.
    weights : int64[m], read-only
    offsets : int64[n + 1], read-only
        Whose they are.
    options : (int, int)
        Units that a token excites; units that win.
    activity : int64[units]
        Room.
    out : uint64[n, units / 64]
        Written: unit ``u`` is bit ``u % 64`` of word ``u // 64``.

    Notes
    -----
    Sums of whole numbers: the order of tokens never matters. Oracle: ``tests/oracles/flyhash.py``.
    """
    fan, n_winners = options
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        activity[:] = 0
        _excite(low[begin:end], high[begin:end], weights[begin:end], fan, activity)
        _set_winners(activity, n_winners, out[row])


@helper
def _insert(unit, excited, best, ranked, n, most):
    """Put a unit into a list of ``n``, at most ``most``, the most excited first, of equal ones the lowest.

    Returns its new length.
    """
    if n == most and (excited < best[n - 1] or (excited == best[n - 1] and unit > ranked[n - 1])):
        return n
    place = min(n, most - 1)
    while place > 0 and (excited > best[place - 1] or (excited == best[place - 1] and unit < ranked[place - 1])):
        best[place], ranked[place] = best[place - 1], ranked[place - 1]
        place -= 1
    best[place], ranked[place] = excited, unit
    return min(n + 1, most)


@kernel
def winners_rows(low, high, weights, offsets, fan, activity, out):
    """Winners of every row by number, the most excited one first.

    Parameters
    ----------
    low, high, weights, offsets
        As in :func:`flyhash_rows`.
    fan : int
        Units that a token excites.
    activity : int64[units]
        Zeros, and zeros again afterwards: few units of many are excited by one document.
    out : uint16[n, winners]
        Written; ``NOBODY`` behind the last winner.

    Notes
    -----
    Oracle: ``tests/oracles/flyhash.py``.
    """
    n_units = np.uint64(len(activity))
    best = np.empty(out.shape[1], np.int64)
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        mine, others = low[begin:end], high[begin:end]
        _excite(mine, others, weights[begin:end], fan, activity)
        ranked = out[row]
        ranked[:] = NOBODY
        n = 0
        for token in range(np.uint64(len(mine))):
            state = mine[token] ^ _mix(others[token])
            for _ in range(fan):
                state += _STEP
                unit = (_mix(state) >> _HALF) * n_units >> _HALF
                if activity[unit] > 0:
                    n = _insert(np.uint16(unit), activity[unit], best, ranked, n, len(ranked))
                activity[unit] = 0  # looked at


@helper
def _weight(rank, n_places, is_ranked):
    """What a winner counts: all the same, or from the first to the last evenly from 5 down to 1."""
    return 5 * n_places - 4 * rank if is_ranked else np.int64(1)


@helper
def _enter_ranks(winners, ranks):
    """Note the ranks of winners, plus 1, by unit; returns their number."""
    n = 0
    while n < len(winners) and winners[n] != NOBODY:
        ranks[np.uint64(winners[n])] = n + 1
        n += 1
    return n


@helper
def _leave(winners, ranks):
    for place in range(len(winners)):
        ranks[np.uint64(winners[place])] = 0


@helper
def _squares(n, n_places, is_ranked):
    total = np.int64(0)
    for rank in range(n):
        weight = _weight(rank, n_places, is_ranked)
        total += weight * weight
    return total


@helper
def _common_weight(ranks, others, is_ranked):
    """Sum over shared winners of the product of their weights, and how many winners the others are."""
    n_places = len(others)
    total, n = np.int64(0), 0
    while n < n_places and others[n] != NOBODY:
        rank = np.int64(ranks[np.uint64(others[n])])
        if rank > 0:
            total += _weight(rank - 1, n_places, is_ranked) * _weight(n, n_places, is_ranked)
        n += 1
    return total, n


@kernel
def winners_pairs(a, b, i, j, is_ranked, out):
    """Cosine of pairs of rows of winners, each winner counting the same or by its rank.

    Parameters
    ----------
    a, b : uint16[:, winners], read-only
        From :func:`winners_rows`.
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    is_ranked : int
        0 or 1.
    out : float32[n]
        Written; 0 where a row has no winners.

    Notes
    -----
    Sums of whole numbers. Oracle: ``tests/oracles/flyhash.py``.
    """
    ranks = np.zeros(NOBODY + 1, np.uint16)
    for pair in range(len(i)):
        mine, others = a[i[pair]], b[j[pair]]
        n_mine = _enter_ranks(mine, ranks)
        total, n_others = _common_weight(ranks, others, is_ranked)
        _leave(mine, ranks)
        norms = _squares(n_mine, len(mine), is_ranked), _squares(n_others, len(mine), is_ranked)
        out[pair] = np.float32(total / np.sqrt(np.float64(max(norms[0], 1)) * np.float64(max(norms[1], 1))))


@kernel
def winners_tile(a, b, tile, is_ranked, out):
    """As :func:`winners_pairs`, every row of ``a`` with every row of ``b``, for a part of them.

    Parameters
    ----------
    a, b : uint16[:, winners], read-only
    tile : (int, int, int, int)
        First row of ``a`` and the one after the last; the same of ``b``.
    is_ranked : int
        0 or 1.
    out : float32[len(a), len(b)]
        Written at these rows and columns.
    """
    first, last, begin, end = tile
    ranks = np.zeros(NOBODY + 1, np.uint16)
    n_places = a.shape[1]
    squares = np.empty(n_places + 1, np.float64)
    for n in range(n_places + 1):
        squares[n] = max(_squares(n, n_places, is_ranked), 1)
    for row in range(first, last):
        mine = squares[_enter_ranks(a[row], ranks)]
        for column in range(begin, end):
            total, n_others = _common_weight(ranks, b[column], is_ranked)
            out[row, column] = np.float32(total / np.sqrt(mine * squares[n_others]))
        _leave(a[row], ranks)


@kernel
def shared_pairs(a, b, i, j, out):
    """Cosine of pairs of rows of bits: the ones they share, over the geometric mean of the ones they have.

    Parameters
    ----------
    a, b : uint64[:, words], read-only
    i, j : int64[n], read-only
        Rows of ``a`` and of ``b``.
    out : float32[n]
        Written; 0 where a row has no ones.
    """
    for pair in range(len(i)):
        row, other = np.uint64(i[pair]), np.uint64(j[pair])
        shared, ones, others = np.int64(0), np.int64(0), np.int64(0)
        for word in range(np.uint64(a.shape[1])):
            x, y = a[row, word], b[other, word]
            shared += popcount(x & y)
            ones += popcount(x)
            others += popcount(y)
        out[pair] = np.float32(shared / np.sqrt(np.float64(max(ones * others, 1))))


@kernel
def shared_tile(a, b, rows, columns, out):
    """As :func:`shared_pairs`, every row of ``a`` with every row of ``b``, for a part of them.

    Parameters
    ----------
    a, b : uint64[:, words], read-only
    rows, columns : (int, int)
        First row of ``a`` and the one after the last; the same of ``b``.
    out : float32[len(a), len(b)]
        Written at these rows and columns.
    """
    n_words = np.uint64(a.shape[1])
    n_ones = np.empty(columns[1] - columns[0], np.int64)
    for column in range(len(n_ones)):
        n_ones[column] = 0
        for word in range(n_words):
            n_ones[column] += popcount(b[columns[0] + column, word])
    for row in range(rows[0], rows[1]):
        mine = a[row]
        ones = np.int64(0)
        for word in range(n_words):
            ones += popcount(mine[word])
        for column in range(columns[0], columns[1]):
            theirs = b[column]
            shared = np.int64(0)
            for word in range(n_words):
                shared += popcount(mine[word] & theirs[word])
            product = np.float64(max(ones * n_ones[column - columns[0]], 1))
            out[row, column] = np.float32(shared / np.sqrt(product))
