"""How good rankings are. Ties are never broken: every figure is the mean over all orders of what is tied."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compare.arrays import as_array
from ..errors import InvalidInputError
from ..options import check_count

Doubles = NDArray[np.float64]

# Numbers of queries may have gaps, but a result that is nearly all gaps is a mistake.
_NUMBERS_AT_LEAST, _NUMBERS_A_CANDIDATE = 1 << 20, 16


class Ranked(NamedTuple):
    """Candidates of all queries, best first within each; what is tied is one group."""

    query: NDArray[np.int64]  # number of the query of each candidate
    order: NDArray[np.int64]  # where it stood in what was given
    group: NDArray[np.int64]  # number of its group of ties
    rank: NDArray[np.int64]  # within the query, from 1
    n_queries: int


def ranked(scores: ArrayLike, queries: ArrayLike | None = None) -> Ranked:
    """Candidates by falling score.

    Parameters
    ----------
    scores : numbers (n,)
        Larger is better.
    queries : integers (n,), optional
        Number of the query that each candidate belongs to, from 0. None: all to one.

    Returns
    -------
    Ranked

    Raises
    ------
    InvalidInputError
        If a score is NaN, or lengths differ.

    Examples
    --------
    >>> found = ranked([0.2, 0.9, 0.2])
    >>> found.order.tolist(), found.group.tolist()
    ([1, 0, 2], [0, 1, 1])
    """
    values = as_array("scores", scores)
    if values.ndim != 1 or values.dtype.kind not in "iufb":
        raise InvalidInputError(
            f"scores must hold numbers along one axis, got {values.dtype} of shape {values.shape}", argument="scores"
        )
    if np.isnan(values).any():
        raise InvalidInputError("scores must not be NaN", row=int(np.isnan(values).argmax()), argument="scores")
    numbers = np.zeros(len(values), np.int64) if queries is None else _query_numbers(queries, len(values))
    # ranks instead of negated scores: unsigned numbers have no negative
    place = np.unique(values, return_inverse=True)[1]
    order = np.lexsort((-place, numbers))
    query, sorted_place = numbers[order], place[order]
    new_query = np.diff(query, prepend=-1) != 0
    group = np.cumsum(new_query | (np.diff(sorted_place, prepend=-1) != 0)) - 1
    begin = np.flatnonzero(new_query)
    rank = np.arange(len(order)) - np.repeat(begin, np.diff(begin, append=len(order))) + 1
    return Ranked(query, order, group, rank, int(numbers.max(initial=-1)) + 1)


def average_precision(relevant: ArrayLike, scores: ArrayLike, queries: ArrayLike | None = None) -> Any:
    """Mean of the precision at the rank of each relevant candidate.

    Parameters
    ----------
    relevant : bool (n,)
        Whether each candidate is relevant.
    scores : numbers (n,)
        Larger is better.
    queries : integers (n,), optional
        Number of the query that each candidate belongs to, from 0. None: all to one.

    Returns
    -------
    float, or float64 (queries,) if ``queries`` are given
        NaN for a query without any relevant candidate: it has no precision.

    Notes
    -----
    Exact mean over all orders of tied candidates. In a group of ``n`` with ``r`` relevant ones, behind ``N`` candidates
    of which ``R`` are relevant, the p-th place holds a relevant one with probability ``r / n``, and then the places
    before it in the group hold ``(p - 1) * (r - 1) / (n - 1)`` more on average: the precision there is ``R + 1`` plus
    this, over ``N + p``.

    References
    ----------
    F. McSherry, M. Najork, Computing information retrieval performance measures efficiently in the presence of
    tied scores, ECIR 2008.

    Examples
    --------
    >>> round(average_precision([1, 0, 1], [0.9, 0.8, 0.1]), 4)
    0.8333
    >>> average_precision([1, 0], [0.5, 0.5])  # either may be first
    0.75
    """
    found, gains = _ranked(relevant, scores, queries)
    hits = (gains > 0).astype(np.float64)
    n_in_group, hits_in_group, before = _groups(found, hits)
    place = found.rank - _first_rank(found)
    others = (hits_in_group - 1) / np.maximum(n_in_group - 1, 1)
    precision = (before + 1 + place * others) / found.rank
    total = _by_query(found, hits)
    with np.errstate(invalid="ignore"):  # 0 / 0 is NaN, as promised
        values = _by_query(found, hits_in_group / n_in_group * precision) / total
    return _result(values, queries)


def mean_average_precision(relevant: ArrayLike, scores: ArrayLike, queries: ArrayLike) -> float:
    """MAP: mean of :func:`average_precision` over the queries that have a relevant candidate.

    Parameters
    ----------
    relevant, scores, queries
        As in :func:`average_precision`.

    Returns
    -------
    float
        NaN if no query has a relevant candidate.

    Examples
    --------
    >>> mean_average_precision([1, 0, 0, 1, 0], [0.9, 0.1, 0.8, 0.3, 0.5], [0, 0, 1, 1, 2])
    0.75
    """
    values = np.asarray(average_precision(relevant, scores, queries))
    defined = values[~np.isnan(values)]
    return float(defined.mean()) if len(defined) else float("nan")


def ndcg(relevance: ArrayLike, scores: ArrayLike, queries: ArrayLike | None = None, *, k: int | None = 20) -> Any:
    """Normalised discounted cumulative gain of the first ``k`` candidates: gains over ``log2(rank + 1)``.

    Parameters
    ----------
    relevance : numbers (n,), at least 0
        Gain of each candidate, taken as it is.
    scores, queries
        As in :func:`average_precision`.
    k : int, optional
        Ranks that count; None: all.

    Returns
    -------
    float, or float64 (queries,) if ``queries`` are given
        Over that of the best order. NaN for a query without any gain. Mean over all orders of tied candidates.

    Examples
    --------
    >>> ndcg([3, 2, 0], [0.9, 0.8, 0.1])
    1.0
    >>> round(ndcg([0, 1], [0.9, 0.1], k=1), 4), round(ndcg([0, 1], [0.9, 0.1]), 4)
    (0.0, 0.6309)
    """
    found, gains = _ranked(relevance, scores, queries)
    gains = _scaled(found, gains)
    depth = len(gains) if k is None else check_count("k", k, least=1)
    n_in_group, gain_in_group, _ = _groups(found, gains)
    weights = np.where(found.rank <= depth, 1 / np.log2(found.rank + 1.0), 0)
    reached = _by_query(found, gain_in_group / n_in_group * weights)
    best = np.lexsort((-gains, found.query))
    with np.errstate(invalid="ignore"):
        values = reached / _by_query(found, gains[best] * weights)
    return _result(values, queries)


class AtRank(NamedTuple):
    """Figures of the first ``k`` candidates."""

    precision: Any
    recall: Any
    f1: Any


def at_rank(relevant: ArrayLike, scores: ArrayLike, queries: ArrayLike | None = None, *, k: int = 20) -> AtRank:
    """Precision, recall and F1 of the first ``k`` candidates.

    Parameters
    ----------
    relevant, scores, queries
        As in :func:`average_precision`.
    k : int
        Candidates that are looked at; a query that has fewer is as if the rest were irrelevant.

    Returns
    -------
    AtRank
        Of floats, or of float64 (queries,) if ``queries`` are given. Recall and F1 are NaN for a query without any
        relevant candidate. Means over all orders of tied candidates.

    Examples
    --------
    >>> at_rank([1, 0, 1, 0], [4, 3, 2, 1], k=2)
    AtRank(precision=0.5, recall=0.5, f1=0.5)
    """
    depth = check_count("k", k, least=1)
    found, gains = _ranked(relevant, scores, queries)
    hits = (gains > 0).astype(np.float64)
    n_in_group, hits_in_group, _ = _groups(found, hits)
    reached = _by_query(found, np.where(found.rank <= depth, hits_in_group / n_in_group, 0))
    total = _by_query(found, hits)
    with np.errstate(invalid="ignore"):
        recall = reached / total
    f1 = np.where(total > 0, 2 * reached / (depth + total), np.nan)
    return AtRank(*(_result(values, queries) for values in (reached / depth, recall, f1)))


def rank_equivalent(
    scores: Mapping[str, ArrayLike], queries: ArrayLike | None = None, *, digits: int = 6
) -> list[list[str]]:
    """Names of scores that rank all candidates alike, ties included.

    Parameters
    ----------
    scores : mapping of name to numbers (n,)
        Of several methods for the same candidates.
    queries : integers (n,), optional
        As in :func:`average_precision`.
    digits : int
        Significant digits, at most 17: scores that follow one another are tied if they differ by no more than
        ``10**-digits`` of the larger one. The last digits of a sum are noise, above all in single precision.

    Returns
    -------
    list of lists of str
        In the order given; a name that is like no other is alone.

    Examples
    --------
    >>> rank_equivalent({"hamming": [1, 2, 2], "manhattan": [0.1, 0.4, 0.4], "cosine": [1, 2, 3]})
    [['hamming', 'manhattan'], ['cosine']]
    """
    tolerance = 10.0 ** -check_count("digits", digits, least=1, most=17)
    if not isinstance(scores, Mapping):
        raise InvalidInputError(
            f"scores must be a mapping of name to numbers, got {type(scores).__name__}", argument="scores"
        )
    groups: dict[bytes, list[str]] = {}
    n: int | None = None
    for name, values in scores.items():
        found = ranked(values, queries)
        n = len(found.order) if n is None else n
        if len(found.order) != n:
            raise InvalidInputError(
                f"scores must be as many for every name, got {n} and {len(found.order)} for {name!r}",
                argument="scores",
            )
        numbers = np.asarray(values, np.float64)
        group = np.empty(len(found.order), np.int64)
        group[found.order] = _groups_within(found, numbers[found.order], tolerance)
        groups.setdefault(group.tobytes(), []).append(name)
    return list(groups.values())


def _groups_within(found: Ranked, values: Doubles, tolerance: float) -> NDArray[np.int64]:
    """Number of the group of ties of each candidate: by gaps, not by rounding, which parts what is near its borders."""
    above, below = values[:-1], values[1:]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):  # too large a gap is infinite, and a gap
        apart = above - below > tolerance * np.maximum(np.abs(above), np.abs(below))
    is_new = np.diff(found.query, prepend=-1) != 0
    is_new[1:] |= apart | ((np.isinf(above) | np.isinf(below)) & (above != below))
    return np.cumsum(is_new) - 1


def _query_numbers(queries: ArrayLike, n: int) -> NDArray[np.int64]:
    numbers = as_array("queries", queries)
    if numbers.shape != (n,) or (n and numbers.dtype.kind not in "iu") or (n and numbers.min() < 0):
        raise InvalidInputError(
            f"queries must hold the number of a query, from 0, for each of {n} candidates, got {numbers.dtype} of "
            f"shape {numbers.shape}",
            argument="queries",
        )
    if n and numbers.max() >= max(_NUMBERS_AT_LEAST, _NUMBERS_A_CANDIDATE * n):
        raise InvalidInputError(
            f"queries must be numbered from 0 without large gaps, got {numbers.max()} among {n} candidates: there is "
            "a figure for each number up to the largest",
            row=int(numbers.argmax()),
            argument="queries",
            advice="np.unique(queries, return_inverse=True) numbers them.",
        )
    return numbers.astype(np.int64)


def _ranked(relevance: ArrayLike, scores: ArrayLike, queries: ArrayLike | None) -> tuple[Ranked, Doubles]:
    found = ranked(scores, queries)
    gains = as_array("relevance", relevance)
    if gains.shape != found.order.shape or gains.dtype.kind not in "iufb" or not (gains >= 0).all():
        raise InvalidInputError(
            f"relevance must be a number of at least 0 for each of {len(found.order)} candidates, got {gains.dtype} of "
            f"shape {gains.shape}",
            argument="relevance",
        )
    doubles = gains[found.order].astype(np.float64)
    if not np.isfinite(doubles).all():
        row = int(found.order[np.isinf(doubles)].min())
        raise InvalidInputError("relevance must be finite", row=row, argument="relevance")
    return found, doubles


def _scaled(found: Ranked, gains: Doubles) -> Doubles:
    """Gains over a power of two near the largest of their query: sums neither overflow nor vanish, bits stay."""
    largest = np.zeros(found.n_queries)
    np.maximum.at(largest, found.query, gains)
    return np.asarray(np.ldexp(gains, -np.frexp(largest)[1][found.query]), np.float64)


def _groups(found: Ranked, gains: Doubles) -> tuple[Doubles, Doubles, Doubles]:
    """For each candidate: size of its group, gain of its group, and gain of the groups before it in the query."""
    size = np.bincount(found.group).astype(np.float64)
    gain: Doubles = np.asarray(np.bincount(found.group, gains), np.float64)
    until = np.cumsum(gain) - gain
    first_group = found.group[np.searchsorted(found.query, found.query)]
    before = until[found.group] - until[first_group]
    return size[found.group], gain[found.group], before


def _first_rank(found: Ranked) -> NDArray[np.int64]:
    return found.rank[np.searchsorted(found.group, found.group)]


def _by_query(found: Ranked, values: Doubles) -> Doubles:
    return np.asarray(np.bincount(found.query, values, max(found.n_queries, 1)), np.float64)


def _result(values: Doubles, queries: ArrayLike | None) -> Any:
    return float(values[0]) if queries is None else values
