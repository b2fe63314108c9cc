"""How sure a mean is."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compare.arrays import as_array
from ..errors import ConfigError, InvalidInputError
from ..options import check_count

_DRAWS_AT_ONCE = 1 << 22
_MOST_SUMMED = 1e290


class Interval(NamedTuple):
    """A mean, and the bounds it lies between."""

    mean: float
    low: float
    high: float


def bootstrap_interval(
    values: ArrayLike, *, confidence: float = 0.95, resamples: int = 10_000, seed: int = 0
) -> Interval:
    """Mean of figures (one a query, say), with its bootstrap confidence interval.

    Parameters
    ----------
    values : numbers (n,)
        NaN are left out: queries for which a figure is not defined. For the difference of two methods
        give the differences query by query.
    confidence : float
        Between 0 and 1.
    resamples : int
        How often as many values are drawn, with replacement.
    seed : int
        Of the draws, at least 0: the same seed, the same interval.

    Returns
    -------
    Interval
        Percentiles of the means of the resamples.

    Raises
    ------
    InvalidInputError
        If no value is left, or one is infinite.
    ConfigError
        If the confidence is not between 0 and 1, or the number of resamples or the seed is no count.

    References
    ----------
    B. Efron, R. Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.

    Examples
    --------
    >>> bootstrap_interval([0.2, 0.4, 0.9, float("nan")], seed=1)
    Interval(mean=0.5, low=0.2..., high=0.9)
    """
    if not isinstance(confidence, (float, np.floating)) or not 0 < confidence < 1:
        raise ConfigError(f"confidence must be between 0 and 1, got {confidence!r}", argument="confidence")
    n_resamples = check_count("resamples", resamples, least=1)
    rng = np.random.default_rng(check_count("seed", seed))
    figures = _figures(values)
    largest = np.abs(figures).max()
    if largest > _MOST_SUMMED:  # else their sum may be infinite, though their mean is not
        scaled = bootstrap_interval(figures / largest, confidence=confidence, resamples=n_resamples, seed=seed)
        return Interval(*(float(bound * largest) for bound in scaled))
    at_once = max(1, _DRAWS_AT_ONCE // len(figures))
    means = [
        figures[rng.integers(0, len(figures), (min(at_once, n_resamples - begin), len(figures)))].mean(axis=1)
        for begin in range(0, n_resamples, at_once)
    ]
    low, high = np.quantile(np.concatenate(means), [(1 - confidence) / 2, (1 + confidence) / 2])
    return Interval(float(figures.mean()), float(low), float(high))


def _figures(values: ArrayLike) -> NDArray[np.float64]:
    """Those that are there."""
    given = as_array("values", values)
    if given.dtype.kind not in "iufb":
        raise InvalidInputError(
            f"values must hold numbers, got {given.dtype} of shape {given.shape}", argument="values"
        )
    figures = given.astype(np.float64).reshape(-1)
    infinite = np.isinf(figures)
    if infinite.any():
        raise InvalidInputError("values must be finite, or NaN", row=int(infinite.argmax()), argument="values")
    figures = figures[~np.isnan(figures)]
    if len(figures) == 0:
        raise InvalidInputError("values must have a number that is not NaN", argument="values")
    return figures
