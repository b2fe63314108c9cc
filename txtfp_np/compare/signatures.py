"""How alike signatures are: estimated Jaccard similarity, Hamming distance, estimated cosine."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError
from ..schema.signatures import Words, signature_slots, signature_words
from .arrays import as_array
from .broadcasting import Comparison, Indices, Shape, WorkTile, compare_all, compare_pairs

Fingerprints: TypeAlias = int | np.unsignedinteger[Any] | NDArray[np.unsignedinteger[Any]]
Integers: TypeAlias = int | np.integer[Any] | NDArray[np.integer[Any]] | list[int]

_WIDTHS = (32, 64, 128, 256)
_PI = np.float32(np.pi)
# Pairs that take a few ms: long beside the cost of a thread switch
_JACCARD_TILE = 1 << 18
_HAMMING_TILE = 1 << 22


# ── MinHash ─────────────────────────────────────────────────────────────────────────────────────
def jaccard(a: NDArray[np.void] | np.void, b: NDArray[np.void] | np.void, *, threads: int | None = None) -> Any:
    """Estimated Jaccard similarity of the shingle sets: the share of equal slots.

    Parameters
    ----------
    a, b : records or arrays of minhash_dtype(h)
        Broadcast like operands of a ufunc: ``jaccard(sigs[:, None], sigs)`` is the matrix of all
        pairs. Schema and padding are not looked at; signatures made under different
        configurations give numbers without meaning.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape

    Raises
    ------
    InvalidInputError
        If something is not a signature, or the shapes do not broadcast.
    DimensionMismatchError
        If the numbers of slots differ.

    Notes
    -----
    The standard error is ``sqrt(J * (1 - J) / h)``: at most 0.044 for 128 slots. All pairs are
    worked off in tiles that stay in the cache; besides the result a few MB are taken at most.

    References
    ----------
    A. Z. Broder, "On the resemblance and containment of documents", SEQUENCES 1997, section 3.

    Examples
    --------
    >>> from txtfp_np.schema import minhash_dtype
    >>> sigs = np.zeros(3, minhash_dtype(4))
    >>> sigs["hashes"] = [[1, 2, 3, 4], [1, 2, 3, 5], [6, 2, 3, 5]]
    >>> jaccard(sigs[0], sigs[1])
    np.float32(0.75)
    >>> jaccard(sigs[:, None], sigs)
    array([[1.  , 0.75, 0.5 ],
           [0.75, 1.  , 0.75],
           [0.5 , 0.75, 1.  ]], dtype=float32)
    """
    words_a, shape_a = _minhash_words("a", a)
    words_b, shape_b = _minhash_words("b", b)
    if words_a.shape[1] != words_b.shape[1]:
        raise DimensionMismatchError(words_a.shape[1] - 1, words_b.shape[1] - 1)
    return compare_all(_jaccard_of(words_a, words_b), shape_a, shape_b, threads)


def jaccard_pairs(sigs: NDArray[np.void], i: Integers, j: Integers, *, threads: int | None = None) -> Any:
    """Estimated Jaccard similarity of chosen pairs of one column of signatures.

    Parameters
    ----------
    sigs : array of minhash_dtype(h), one axis
    i, j : integers
        Rows of ``sigs``, counted from 0; broadcast against each other.
    threads : int, optional
        As in :func:`jaccard`.

    Returns
    -------
    np.float32, or float32 array

    Raises
    ------
    InvalidInputError
        If a row is out of range (the text names the first one), or no whole number.

    Examples
    --------
    >>> from txtfp_np.schema import minhash_dtype
    >>> sigs = np.zeros(3, minhash_dtype(4))
    >>> sigs["hashes"] = [[1, 2, 3, 4], [1, 2, 3, 5], [6, 2, 3, 5]]
    >>> jaccard_pairs(sigs, [0, 0, 1], [1, 2, 1])
    array([0.75, 0.5 , 1.  ], dtype=float32)
    """
    words, shape = _minhash_words("sigs", sigs)
    _check_one_axis("sigs", shape)
    return compare_pairs(_jaccard_of(words, words), len(words), i, j, threads)


def _minhash_words(argument: str, sigs: object) -> tuple[Words, Shape]:
    array = as_array(argument, sigs)
    if signature_slots(array.dtype) is None:
        raise InvalidInputError(f"{argument} must hold MinHash signatures, got dtype {array.dtype}", argument=argument)
    return read_only(signature_words(array)), array.shape


def _check_one_axis(argument: str, shape: Shape) -> None:
    if len(shape) != 1:
        raise InvalidInputError(f"{argument} must have one axis, got shape {shape}", argument=argument)


def _jaccard_of(a: Words, b: Words) -> Comparison:
    from ..kernels.compare import jaccard_pairs, jaccard_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        jaccard_pairs(a, b, i, j, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: jaccard_tile(rows, columns, tile.rows, tile.columns, out)

    return Comparison(pairs, all_pairs, np.float32, _JACCARD_TILE)


# ── SimHash ─────────────────────────────────────────────────────────────────────────────────────
def hamming(a: Fingerprints, b: Fingerprints, *, bits: int = 64, threads: int | None = None) -> Any:
    """Number of bits in which fingerprints differ.

    Parameters
    ----------
    a, b : int, uint64 or array
        Broadcast like operands of a ufunc: ``hamming(fps[:, None], fps)`` is the matrix of all
        pairs.
    bits : {64, 32, 128, 256}
        Width. 64: ``uint64``, or Python ints. 32: ``uint32``, or Python ints. 128 and 256: ``uint64``
        whose last axis holds the 2 or 4 words of a fingerprint, and takes no part in broadcasting.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.uint32, or uint32 array of the broadcast shape

    Raises
    ------
    InvalidInputError
        If something is not a fingerprint of that width, or the shapes do not broadcast.
    ConfigError
        If there is no such width.

    Examples
    --------
    >>> hamming(0b1100, 0b1010)
    np.uint32(2)
    >>> hamming(np.array([0, 1, 3], np.uint64), 1)
    array([1, 0, 1], dtype=uint32)
    """
    return _compare(a, b, bits, None, threads)


def hamming_pairs(
    fps: NDArray[np.unsignedinteger[Any]], i: Integers, j: Integers, *, bits: int = 64, threads: int | None = None
) -> Any:
    """Number of differing bits of chosen pairs of one column of fingerprints.

    Parameters
    ----------
    fps : uint64 (n,), uint32 (n,) or uint64 (n, words)
        As ``bits`` says, see :func:`hamming`.
    i, j : integers
        Rows of ``fps``, counted from 0; broadcast against each other.
    bits, threads
        As in :func:`hamming`.

    Returns
    -------
    np.uint32, or uint32 array

    Raises
    ------
    InvalidInputError
        If a row is out of range (the text names the first one), or no whole number.

    Examples
    --------
    >>> hamming_pairs(np.array([0, 1, 3], np.uint64), [0, 0], [1, 2])
    array([1, 2], dtype=uint32)
    """
    return _compare_chosen(fps, i, j, bits, None, threads)


def hamming_similarity(a: Fingerprints, b: Fingerprints, *, bits: int = 64, threads: int | None = None) -> Any:
    """Share of bits in which fingerprints agree: ``1 - hamming / bits``.

    Parameters
    ----------
    a, b, bits, threads
        As in :func:`hamming`.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape

    Examples
    --------
    >>> hamming_similarity(0, 0xFFFF)
    np.float32(0.75)
    """
    return _compare(a, b, bits, _similarities(_check_bits(bits)), threads)


def cosine_estimate(a: Fingerprints, b: Fingerprints, *, bits: int = 64, threads: int | None = None) -> Any:
    """Estimated cosine of the angle between weighted token sets: ``cos(pi * hamming / bits)``.

    Parameters
    ----------
    a, b, bits, threads
        As in :func:`hamming`.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape

    Notes
    -----
    A random hyperplane separates two vectors with probability angle / pi, and every bit is such a
    hyperplane. The values are the crate's bits; half of all bits give -4.37e-08, not 0.

    References
    ----------
    M. S. Charikar, "Similarity estimation techniques from rounding algorithms", STOC 2002, section 3.

    Examples
    --------
    >>> cosine_estimate(0, np.array([0, 0xFFFF], np.uint64))
    array([1.        , 0.70710677], dtype=float32)
    """
    return _compare(a, b, bits, _cosines(_check_bits(bits)), threads)


def hamming_similarity_pairs(
    fps: NDArray[np.unsignedinteger[Any]], i: Integers, j: Integers, *, bits: int = 64, threads: int | None = None
) -> Any:
    """:func:`hamming_similarity` of chosen pairs of one column.

    Parameters
    ----------
    fps, i, j, bits, threads
        As in :func:`hamming_pairs`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> hamming_similarity_pairs(np.array([0, 0xFFFF], np.uint64), [0, 0], [0, 1])
    array([1.  , 0.75], dtype=float32)
    """
    return _compare_chosen(fps, i, j, bits, _similarities(_check_bits(bits)), threads)


def cosine_estimate_pairs(
    fps: NDArray[np.unsignedinteger[Any]], i: Integers, j: Integers, *, bits: int = 64, threads: int | None = None
) -> Any:
    """:func:`cosine_estimate` of chosen pairs of one column.

    Parameters
    ----------
    fps, i, j, bits, threads
        As in :func:`hamming_pairs`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> cosine_estimate_pairs(np.array([0, 0xFFFF], np.uint64), 0, 1)
    np.float32(0.70710677)
    """
    return _compare_chosen(fps, i, j, bits, _cosines(_check_bits(bits)), threads)


@cache
def _cosines(bits: int) -> NDArray[np.float32]:
    """Cosine for every distance. The cosine itself in double precision: that gives the crate's bits."""
    angles = np.arange(bits + 1, dtype=np.float32) / np.float32(bits) * _PI
    return read_only(np.cos(angles.astype(np.float64)).astype(np.float32))


@cache
def _similarities(bits: int) -> NDArray[np.float32]:
    return read_only(np.float32(1) - np.arange(bits + 1, dtype=np.float32) / np.float32(bits))


def _check_bits(bits: object) -> int:
    if isinstance(bits, (int, np.integer)) and not isinstance(bits, bool) and bits in _WIDTHS:
        return int(bits)
    raise ConfigError(f"bits must be 32, 64, 128 or 256, got {bits!r}", argument="bits")


def _simhash_words(argument: str, fingerprints: object, bits: int) -> tuple[Words, Shape]:
    """Fingerprints as a matrix of words, and their shape without the axis of words."""
    itemsize, n_words = (4, 1) if bits == 32 else (8, bits // 64)
    array: NDArray[Any]
    if hasattr(fingerprints, "__array__"):  # of NumPy, pandas, Arrow ...
        array = as_array(argument, fingerprints)
    else:
        array = _from_ints(argument, fingerprints, bits)
    if array.dtype.kind != "u" or array.dtype.itemsize != itemsize:
        raise InvalidInputError(
            f"{argument} must be uint{8 * itemsize} for bits = {bits}, got {array.dtype}",
            argument=argument,
            advice="The keyword bits names the width of the fingerprints.",
        )
    shape = array.shape
    if n_words > 1:
        if not shape or shape[-1] != n_words:
            raise InvalidInputError(
                f"the last axis of {argument} must have {n_words} words for bits = {bits}, got shape {shape}",
                argument=argument,
            )
        shape = shape[:-1]
    words = np.require(array, np.uint64, ["C", "A"]).reshape(-1, n_words)
    return read_only(words), shape


def _from_ints(argument: str, value: object, bits: int) -> NDArray[Any]:
    dtype = np.uint32 if bits == 32 else np.uint64
    items: Sequence[Any] = value if isinstance(value, (list, tuple)) else [value]
    if bits > 64 or not all(isinstance(item, (int, np.integer)) and not isinstance(item, bool) for item in items):
        raise InvalidInputError(
            f"{argument} must be {'an array of words' if bits > 64 else 'an int or an array'}, "
            f"got {type(value).__name__}",
            argument=argument,
        )
    try:
        array = np.array([int(item) for item in items], dtype)
    except OverflowError:
        wrong = next(item for item in items if not 0 <= item < 1 << bits)
        raise InvalidInputError(
            f"{argument} must lie between 0 and 2**{bits} - 1, got {wrong}", argument=argument
        ) from None
    return array if items is value else array.reshape(())


def _compare(a: object, b: object, bits: object, table: NDArray[np.float32] | None, threads: int | None) -> Any:
    width = _check_bits(bits)
    words_a, shape_a = _simhash_words("a", a, width)
    words_b, shape_b = _simhash_words("b", b, width)
    return compare_all(_hamming_of(words_a, words_b, table), shape_a, shape_b, threads)


def _compare_chosen(
    fps: object, i: object, j: object, bits: object, table: NDArray[np.float32] | None, threads: int | None
) -> Any:
    words, shape = _simhash_words("fps", fps, _check_bits(bits))
    _check_one_axis("fps", shape)
    return compare_pairs(_hamming_of(words, words, table), len(words), i, j, threads)


def _hamming_of(a: Words, b: Words, table: NDArray[np.float32] | None = None) -> Comparison:
    """Distances of fingerprints of any number of words, or what ``table`` has for each of them."""
    from ..kernels.compare import hamming_pairs, hamming_tile, hamming_values_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        hamming_pairs(a, b, i, j, out.view(np.uint32))
        if table is not None:  # distances stand where the result belongs: both have 4 bytes
            out[...] = table[out.view(np.uint32)]

    def all_pairs(swapped: bool) -> WorkTile:
        rows, others = (b, a) if swapped else (a, b)
        columns = read_only(np.ascontiguousarray(others.T))
        if table is None:
            return lambda tile, out: hamming_tile(rows, columns, tile.rows, tile.columns, out)
        return lambda tile, out: hamming_values_tile(rows, columns, tile.rows, tile.columns, table, out)

    return Comparison(pairs, all_pairs, np.uint32 if table is None else np.float32, _HAMMING_TILE)
