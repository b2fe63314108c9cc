"""How many ones two fingerprints share: the measure of winner-take-all codes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import DimensionMismatchError, InvalidInputError
from ..schema.signatures import Words
from .broadcasting import Comparison, Indices, Shape, WorkTile, compare_all, compare_pairs

_TILE = 1 << 18  # pairs that take a few ms: long beside the cost of a thread switch


def flyhash_overlap(a: NDArray[np.uint64], b: NDArray[np.uint64], *, threads: int | None = None) -> Any:
    """Share of winners that FlyHash fingerprints have in common.

    Parameters
    ----------
    a, b : uint64 (..., words)
        As :class:`FlyHashFingerprinter` makes them. The last axis holds the words of a fingerprint; the others
        broadcast: ``flyhash_overlap(bits[:, None], bits)`` is the matrix of all pairs.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        Shared ones over the geometric mean of the ones of both: the cosine of the bits, from 0 to 1. That is shared
        over ``active`` unless a document is too short to have so many. Without any ones: 0.

    Raises
    ------
    InvalidInputError
        If something is not ``uint64`` words, or the shapes do not broadcast.
    DimensionMismatchError
        If the numbers of words differ.

    Examples
    --------
    >>> a, b = np.array([0b1110], np.uint64), np.array([[0b0111], [0b1000], [0]], np.uint64)
    >>> flyhash_overlap(a, b)
    array([0.6666667 , 0.57735026, 0.        ], dtype=float32)
    """
    words_a, shape_a = _words("a", a)
    words_b, shape_b = _words("b", b)
    if words_a.shape[1] != words_b.shape[1]:
        raise DimensionMismatchError(words_a.shape[1], words_b.shape[1])
    return compare_all(_overlap_of(words_a, words_b), shape_a, shape_b, threads)


def flyhash_overlap_pairs(bits: NDArray[np.uint64], i: Any, j: Any, *, threads: int | None = None) -> Any:
    """:func:`flyhash_overlap` of chosen pairs of one column.

    Parameters
    ----------
    bits : uint64 (n, words)
    i, j : integers
        Rows of ``bits``, counted from 0; broadcast against each other.
    threads : int, optional
        As in :func:`flyhash_overlap`.

    Returns
    -------
    np.float32, or float32 array

    Raises
    ------
    InvalidInputError
        If a row is out of range (the text names the first one), or no whole number.

    Examples
    --------
    >>> flyhash_overlap_pairs(np.array([[0b0111], [0b1110], [0]], np.uint64), [0, 1], [1, 1])
    array([0.6666667, 1.       ], dtype=float32)
    """
    words, shape = _words("bits", bits)
    if len(shape) != 1:
        raise InvalidInputError(f"bits must have two axes, got shape {np.shape(bits)}", argument="bits")
    return compare_pairs(_overlap_of(words, words), len(words), i, j, threads)


def _words(argument: str, given: object) -> tuple[Words, Shape]:
    if not isinstance(given, np.ndarray) or given.dtype.kind != "u" or given.dtype.itemsize != 8 or given.ndim == 0:
        got = f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        raise InvalidInputError(
            f"{argument} must hold uint64, words of a fingerprint last, got {got}", argument=argument
        )
    words = np.require(given, np.uint64, ["C", "A"]).reshape(-1, given.shape[-1])
    return read_only(words), given.shape[:-1]


def _overlap_of(a: Words, b: Words) -> Comparison:
    from ..kernels.flyhash import shared_pairs, shared_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        shared_pairs(a, b, i, j, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: shared_tile(rows, columns, tile.rows, tile.columns, out)

    return Comparison(pairs, all_pairs, np.float32, _TILE)
