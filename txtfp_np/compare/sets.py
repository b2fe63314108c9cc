"""Jaccard similarity of sets and multisets themselves, not of sketches of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .broadcasting import Indices
from .ragged import Numbers, Offsets, Ragged, Sides, Values, compare_ragged, compare_ragged_pairs
from .signatures import Integers

_TILE = 1 << 13  # pairs of sets of a few hundred values that take a few ms


def set_jaccard(a: object, b: object, *, threads: int | None = None) -> Any:
    """Values in both sets over values in at least one.

    Parameters
    ----------
    a, b : TokenColumn, Ragged, list of lists of int, array of integers, or texts
        As :meth:`Ragged.of` takes them; repetitions do not count. A text is the set of its characters. Rows
        broadcast like operands of a ufunc; for all pairs of two columns give ``Ragged.of(x)[:, None]``.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        From 0 to 1; **0 for two empty sets**: nothing speaks for their being alike.

    Raises
    ------
    InvalidInputError
        If something is neither text nor whole numbers, or the shapes do not broadcast.

    See Also
    --------
    jaccard : Estimates it from MinHash signatures.

    Examples
    --------
    >>> set_jaccard([1, 2, 3, 3], [[3, 4], [1, 2, 3], []])
    array([0.25, 1.  , 0.  ], dtype=float32)
    >>> import txtfp_np as tx
    >>> words = tx.WordTokenizer().tokens(["to be or not to be", "or not"])
    >>> set_jaccard(Ragged.of(words)[0], words)
    array([1. , 0.5], dtype=float32)
    """
    return compare_ragged(_sets(a), _sets(b), _shares, np.float32, _TILE, threads)


def set_jaccard_pairs(rows: object, i: Integers, j: Integers, *, threads: int | None = None) -> Any:
    """:func:`set_jaccard` of chosen pairs of one column.

    Parameters
    ----------
    rows : column
        As in :func:`set_jaccard`.
    i, j : integers
        Rows, counted from 0; broadcast against each other.
    threads : int, optional
        As in :func:`set_jaccard`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> set_jaccard_pairs([[1, 2], [2, 2, 3], []], [0, 0], [1, 2])
    array([0.33333334, 0.        ], dtype=float32)
    """
    return compare_ragged_pairs(_sets(rows), i, j, _shares, np.float32, threads)


def multiset_jaccard(a: object, b: object, *, threads: int | None = None) -> Any:
    """Smaller counts over larger counts: Jaccard similarity that minds how often a value occurs.

    Parameters
    ----------
    a, b, threads
        As in :func:`set_jaccard`.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        From 0 to 1; 0 for two empty multisets.

    Examples
    --------
    >>> multiset_jaccard([1, 1, 2], [[1, 2], [1, 1, 2], [3]])
    array([0.6666667, 1.       , 0.       ], dtype=float32)
    """
    return compare_ragged(_multisets(a), _multisets(b), _shares, np.float32, _TILE, threads)


def multiset_jaccard_pairs(rows: object, i: Integers, j: Integers, *, threads: int | None = None) -> Any:
    """:func:`multiset_jaccard` of chosen pairs of one column.

    Parameters
    ----------
    rows, i, j, threads
        As in :func:`set_jaccard_pairs`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> multiset_jaccard_pairs([[1, 1], [1]], 0, 1)
    np.float32(0.5)
    """
    return compare_ragged_pairs(_multisets(rows), i, j, _shares, np.float32, threads)


def _sets(rows: object) -> Ragged:
    from ..kernels.sets import distinct_sets

    def run(values: Values, offsets: Offsets, out: Values) -> Offsets:
        own = np.empty_like(offsets)
        distinct_sets(values, offsets, out, own)
        return own

    return _sorted(rows, run)


def _multisets(rows: object) -> Ragged:
    from ..kernels.sets import sorted_runs

    def run(values: Values, offsets: Offsets, out: Values) -> Offsets:
        sorted_runs(values, offsets, out)
        return offsets

    return _sorted(rows, run)


def _sorted(rows: object, run: Callable[[Values, Offsets, Values], Offsets]) -> Ragged:
    given = Ragged.of(rows)
    out = np.empty(len(given.values), np.uint64)
    offsets = run(given.values.view(np.uint64), given.offsets, out)
    found: Numbers = out[: offsets[-1]]
    return given.with_runs(found.view(np.int64) if given.values.dtype == np.int64 else found, offsets)


def _shares(sides: Sides, i: Indices, j: Indices, out: NDArray[Any]) -> None:
    from ..kernels.sets import common_of_two

    common = np.empty(len(i), np.int64)
    common_of_two(*sides, i, j, common)
    _, offsets_a, _, offsets_b = sides
    together = offsets_a[i + 1] - offsets_a[i] + offsets_b[j + 1] - offsets_b[j] - common
    out[:] = common / np.maximum(together, 1)
