"""How good a classifier of pairs is: a score for each, and whether it is a duplicate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compare.arrays import as_array
from ..errors import InvalidInputError


class BestF1(NamedTuple):
    """The threshold with the highest F1, and what it gives."""

    f1: float
    threshold: float
    precision: float
    recall: float


class PrecisionRecall(NamedTuple):
    """What was found: how much of it is right, and how much of what is right it is."""

    precision: float
    recall: float
    f1: float


def best_f1(labels: ArrayLike, scores: ArrayLike) -> BestF1:
    """Highest F1 of all thresholds; a pair counts as found if its score is *at least* the threshold.

    Parameters
    ----------
    labels : bool (n,)
        Whether each pair is a duplicate.
    scores : numbers (n,)
        Larger is more alike. Equal scores stand on one side of every threshold.

    Returns
    -------
    BestF1
        Of thresholds that are equally good, the highest.

    Raises
    ------
    InvalidInputError
        If there is no duplicate, a score is NaN, or lengths differ.

    Examples
    --------
    >>> best_f1([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1])
    BestF1(f1=0.8, threshold=0.4, precision=0.6666666666666666, recall=1.0)
    """
    truth, values = _checked(labels, scores)
    if not truth.any():
        raise InvalidInputError("labels must have a duplicate, else there is no F1", argument="labels")
    levels, place = np.unique(values, return_inverse=True)
    found = np.cumsum(np.bincount(place)[::-1])
    right = np.cumsum(np.bincount(place, truth)[::-1])
    f1 = 2 * right / (found + truth.sum())
    best = int(f1.argmax())
    return BestF1(
        float(f1[best]),
        float(levels[::-1][best]),
        float(right[best] / found[best]),
        float(right[best] / truth.sum()),
    )


def auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """Probability that a duplicate scores higher than another pair; ties count one half.

    Parameters
    ----------
    labels, scores
        As in :func:`best_f1`.

    Returns
    -------
    float

    Raises
    ------
    InvalidInputError
        If all pairs are duplicates, or none is.

    Examples
    --------
    >>> auc([1, 1, 0, 0], [0.9, 0.4, 0.5, 0.1]), auc([1, 0], [0.5, 0.5])
    (0.75, 0.5)
    """
    truth, values = _checked(labels, scores)
    n_right, n_wrong = int(truth.sum()), int((~truth).sum())
    if n_right == 0 or n_wrong == 0:
        raise InvalidInputError("labels must have duplicates and others", argument="labels")
    place = np.unique(values, return_inverse=True)[1]
    wrong = np.bincount(place, ~truth, minlength=place.max() + 1)
    below = np.cumsum(wrong) - wrong
    return float((below[place] + wrong[place] / 2)[truth].sum() / n_right / n_wrong)


def all_pairs_precision_recall(labels: ArrayLike, i: ArrayLike, j: ArrayLike) -> PrecisionRecall:
    """What found pairs are worth, if documents with equal labels are duplicates of one another.

    Parameters
    ----------
    labels : integers or strings (n,)
        Of each document.
    i, j : integers (m,)
        Pairs that were found, in any order; a pair that is there twice counts once.

    Returns
    -------
    PrecisionRecall
        Precision is 1 if nothing was found, recall is 1 if there was nothing to find.

    Examples
    --------
    >>> all_pairs_precision_recall(["a", "a", "a", "b"], [0, 2, 0], [1, 3, 1])
    PrecisionRecall(precision=0.5, recall=0.3333333333333333, f1=0.4)
    """
    group = _groups(labels)
    first, second = _rows("i", i, len(group)), _rows("j", j, len(group))
    if first.shape != second.shape:
        raise InvalidInputError(f"i and j must have one length, got {len(first)} and {len(second)}", argument="j")
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    keys = np.unique((lower * max(len(group), 1) + upper)[lower != upper])
    found = len(keys)
    right = int((group[keys // max(len(group), 1)] == group[keys % max(len(group), 1)]).sum())
    sizes = np.bincount(group)
    wanted = int((sizes * (sizes - 1) // 2).sum())
    return PrecisionRecall(
        right / found if found else 1.0,
        right / wanted if wanted else 1.0,
        2 * right / (found + wanted) if found + wanted else 1.0,
    )


def _checked(labels: ArrayLike, scores: ArrayLike) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    truth, values = as_array("labels", labels), as_array("scores", scores)
    if truth.ndim != 1 or truth.shape != values.shape or values.dtype.kind not in "iufb":
        raise InvalidInputError(
            f"labels and scores must be as many, along one axis, got shapes {truth.shape} and {values.shape}",
            argument="scores",
        )
    if truth.dtype.kind not in "iufbO" or not np.isin(truth, (0, 1)).all():
        raise InvalidInputError("labels must be True or False (1 or 0)", argument="labels")
    if np.isnan(values).any():
        raise InvalidInputError("scores must not be NaN", row=int(np.isnan(values).argmax()), argument="scores")
    return truth.astype(np.bool_), values.astype(np.float64)


def _groups(labels: ArrayLike) -> NDArray[np.int64]:
    """Number of the group of each document."""
    given = as_array("labels", labels)
    if given.ndim != 1:
        raise InvalidInputError(f"labels must have one axis, got shape {given.shape}", argument="labels")
    if given.dtype.kind in "fO":
        missing = np.array([label is None or label != label for label in given.tolist()], np.bool_)
        if missing.any():  # whether two of them are the same document nobody knows
            raise InvalidInputError("labels must not be missing", row=int(missing.argmax()), argument="labels")
    try:
        return np.unique(given, return_inverse=True)[1].reshape(-1)
    except TypeError:
        raise InvalidInputError("labels must be of one kind: numbers, or strings", argument="labels") from None


def _rows(argument: str, given: ArrayLike, n: int) -> NDArray[np.int64]:
    rows = as_array(argument, given)
    if n == 0 and rows.size:
        raise InvalidInputError(f"{argument} must be empty, there are no labels", argument=argument)
    if rows.ndim != 1 or (rows.size and (rows.dtype.kind not in "iu" or rows.min() < 0 or rows.max() >= n)):
        got = f"{rows.dtype} of shape {rows.shape}"
        if rows.dtype.kind in "iu" and rows.size:
            got += f" from {rows.min()} to {rows.max()}"
        raise InvalidInputError(f"{argument} must hold rows from 0 to {n - 1}, got {got}", argument=argument)
    return rows.astype(np.int64)
