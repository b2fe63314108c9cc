"""Which of several alike documents is kept."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigError, InvalidInputError

Ranks = NDArray[np.int64]
POLICIES = ("first", "last", "longest", "shortest")


def keep_order(keep: str | ArrayLike, n: int, lengths: NDArray[np.int64] | None = None) -> Ranks:
    """Rank of every row in the order in which rows are kept.

    Parameters
    ----------
    keep : {"first", "last", "longest", "shortest"} or array (n,)
        Which row to prefer; or a number for each, the highest being preferred. Ties by position.
    n : int
        Number of rows.
    lengths : int64 (n,), optional
        Needed for ``"longest"`` and ``"shortest"``.

    Returns
    -------
    int64 (n,)
        A permutation; the row of rank 0 is preferred to all others.

    Raises
    ------
    ConfigError
        If ``keep`` is none of these words.
    InvalidInputError
        If priorities are not ``n`` numbers.

    Examples
    --------
    >>> keep_order("last", 3)
    array([2, 1, 0])
    >>> keep_order([0.5, 2, 2], 3)
    array([2, 0, 1])
    """
    if isinstance(keep, str):
        if keep not in POLICIES:
            listed = ", ".join(map(repr, POLICIES))
            raise ConfigError(f"keep must be {listed} or an array of priorities, got {keep!r}", argument="keep")
        if keep == "first":
            return np.arange(n, dtype=np.int64)
        if keep == "last":
            return np.arange(n - 1, -1, -1, dtype=np.int64)
        if lengths is None:
            raise ConfigError(f"keep={keep!r} needs the lengths of the documents", argument="keep")
        return _ranks(lengths if keep == "shortest" else -lengths)
    return _ranks(_worth_least_first(_check_priorities(keep, n)))


def _check_priorities(keep: ArrayLike, n: int) -> NDArray[Any]:
    try:
        priorities = np.asarray(keep)
    except ValueError:  # a ragged list
        priorities = np.empty(0, object)
    if priorities.size == 0 and n == 0 and priorities.ndim == 1:
        return np.empty(0, np.int64)
    if priorities.dtype.kind not in "biuf" or priorities.ndim != 1:
        raise InvalidInputError(
            f"keep must be a policy or one number a row, got {priorities.ndim}-D {priorities.dtype}", argument="keep"
        )
    if len(priorities) != n:
        raise InvalidInputError(f"keep has {len(priorities)} priorities for {n} rows", argument="keep")
    if priorities.dtype.kind == "f" and np.isnan(priorities).any():
        row = int(np.isnan(priorities).argmax())
        raise InvalidInputError("a priority is NaN", row=row, argument="keep", advice="-inf stands for the lowest.")
    return priorities


def _worth_least_first(priorities: NDArray[Any]) -> NDArray[Any]:
    """Numbers that fall where priorities rise, without leaving their type's range."""
    # inverting is -1 - x for signed numbers: the smallest of all has no negative
    falling: NDArray[Any] = -priorities if priorities.dtype.kind == "f" else np.invert(priorities)
    return falling


def _ranks(keys: NDArray[Any]) -> Ranks:
    ranks = np.empty(len(keys), np.int64)
    ranks[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return ranks
