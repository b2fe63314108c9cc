"""How many winners two fingerprints share: the measure of winner-take-all codes."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError
from ..options import check_flag
from .arrays import as_array
from .broadcasting import Comparison, Indices, Shape, WorkTile, compare_all, compare_pairs

Fingerprints: TypeAlias = NDArray[np.uint64] | NDArray[np.uint16]

_TILE = 1 << 18  # pairs that take a few ms: long beside the cost of a thread switch


def flyhash_overlap(a: Fingerprints, b: Fingerprints, *, ranked: bool = False, threads: int | None = None) -> Any:
    """Share of winners that FlyHash fingerprints have in common.

    Parameters
    ----------
    a, b : uint64 (..., words) or uint16 (..., winners)
        As :class:`FlyHashFingerprinter` makes them, both of one form. The last axis holds a fingerprint; the others
        broadcast: ``flyhash_overlap(bits[:, None], bits)`` is the matrix of all pairs.
    ranked : bool
        Winners only: count those that were excited most five times as much as the last, evenly falling.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        Shared ones over the geometric mean of the ones of both: the cosine of the bits, from 0 to 1. That is shared
        over ``active`` unless a document is too short to have so many. Without any ones: 0. Ranked, the cosine of the
        vectors of weights.

    Raises
    ------
    InvalidInputError
        If something is not such an array, or the shapes do not broadcast.
    DimensionMismatchError
        If the numbers of words, or of winners, differ.
    ConfigError
        If bits are to be ranked.

    Examples
    --------
    >>> a, b = np.array([0b1110], np.uint64), np.array([[0b0111], [0b1000], [0]], np.uint64)
    >>> flyhash_overlap(a, b)
    array([0.6666667 , 0.57735026, 0.        ], dtype=float32)
    >>> winners = np.array([[7, 3, 9], [9, 3, 65535], [5, 6, 8]], np.uint16)
    >>> flyhash_overlap(winners[0], winners)
    array([1.       , 0.8164966, 0.       ], dtype=float32)
    >>> flyhash_overlap(winners[0], winners, ranked=True)
    array([1.        , 0.61132455, 0.        ], dtype=float32)
    """
    is_ranked = check_flag("ranked", ranked)
    one, shape = _codes("a", a)
    other, other_shape = _codes("b", b)
    if one.dtype != other.dtype:
        raise InvalidInputError(f"b must hold {one.dtype} as a does, got {other.dtype}", argument="b")
    if one.shape[1] != other.shape[1]:
        raise DimensionMismatchError(one.shape[1], other.shape[1])
    return compare_all(_overlap_of(one, other, is_ranked), shape, other_shape, threads)


def flyhash_overlap_pairs(
    fingerprints: Fingerprints, i: Any, j: Any, *, ranked: bool = False, threads: int | None = None
) -> Any:
    """:func:`flyhash_overlap` of chosen pairs of one column.

    Parameters
    ----------
    fingerprints : uint64 (n, words) or uint16 (n, winners)
    i, j : integers
        Rows, counted from 0; broadcast against each other.
    ranked, threads
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
    is_ranked = check_flag("ranked", ranked)
    codes, shape = _codes("fingerprints", fingerprints)
    if len(shape) != 1:
        raise InvalidInputError(
            f"fingerprints must have two axes, got shape {np.shape(fingerprints)}", argument="fingerprints"
        )
    return compare_pairs(_overlap_of(codes, codes, is_ranked), len(codes), i, j, threads)


def _codes(argument: str, given: object) -> tuple[NDArray[Any], Shape]:
    """Fingerprints as a matrix, and their shape without the last axis."""
    fits = isinstance(given, np.ndarray) and given.dtype.kind == "u" and given.dtype.itemsize in (2, 8)
    if not isinstance(given, np.ndarray) or not fits or given.ndim == 0 or given.shape[-1] == 0:
        got = f"{given.dtype} of shape {given.shape}" if isinstance(given, np.ndarray) else type(given).__name__
        raise InvalidInputError(
            f"{argument} must hold FlyHash fingerprints (words of uint64 or winners of uint16 last), got {got}",
            argument=argument,
        )
    given = as_array(argument, given)
    native = np.uint64 if given.dtype.itemsize == 8 else np.uint16
    return read_only(np.require(given, native, ["C", "A"]).reshape(-1, given.shape[-1])), given.shape[:-1]


def _overlap_of(a: NDArray[Any], b: NDArray[Any], ranked: bool) -> Comparison:
    if a.dtype == np.uint16:
        return _winners_of(a, b, int(ranked))
    if ranked:
        raise ConfigError("ranked needs winners, bits have no ranks", argument="ranked", advice='form="winners"')
    from ..kernels.flyhash import shared_pairs, shared_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        shared_pairs(a, b, i, j, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: shared_tile(rows, columns, tile.rows, tile.columns, out)

    return Comparison(pairs, all_pairs, np.float32, _TILE)


def _winners_of(a: NDArray[Any], b: NDArray[Any], ranked: int) -> Comparison:
    from ..kernels.flyhash import winners_pairs, winners_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        winners_pairs(a, b, i, j, ranked, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: winners_tile(rows, columns, (*tile.rows, *tile.columns), ranked, out)

    return Comparison(pairs, all_pairs, np.float32, _TILE)
