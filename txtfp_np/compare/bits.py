"""b-bit MinHash: signatures of a few bits a slot, and the Jaccard similarity they still tell."""

from __future__ import annotations

from functools import cache
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError
from ..options import check_count
from ..schema.signatures import MAX_SLOTS, Signatures, Words, signature_slots, signature_words
from .arrays import as_array
from .broadcasting import Comparison, Indices, Shape, WorkTile, compare_all, compare_pairs
from .signatures import Integers

Packed: TypeAlias = NDArray[np.uint8]

_WIDTHS = (1, 2, 4, 8, 16)
_WORD_BYTES = 8
_TILE = 1 << 20  # pairs that take a few ms: long beside the cost of a thread switch


def pack_bits(sigs: Signatures | np.void, b: int) -> Packed:
    """The lowest bits of every slot, packed: a signature in ``h * b / 8`` bytes instead of ``8 + 8 * h``.

    Parameters
    ----------
    sigs : record or array of minhash_dtype(h)
        Of any shape.
    b : {1, 2, 4, 8, 16}
        Bits a slot.

    Returns
    -------
    uint8 (..., ceil(h * b / 8))
        The axes of ``sigs``, then the bytes of a signature. Little-endian: slot ``i`` has the bits from
        ``i * b`` on, counted from the lowest bit of the first byte. Bits behind the last slot are 0.

    Raises
    ------
    ConfigError
        If there is no such ``b``.
    InvalidInputError
        If it is not an array of signatures.

    See Also
    --------
    jaccard_bits : Compares them.

    Examples
    --------
    >>> from txtfp_np.schema import minhash_dtype
    >>> sigs = np.zeros(2, minhash_dtype(4))
    >>> sigs["hashes"] = [[0x11, 0x22, 0x33, 0x44], [0xF1, 0xF2, 0xF3, 0xF5]]
    >>> [row.tobytes().hex() for row in pack_bits(sigs, 4)]
    ['2143', '2153']
    >>> pack_bits(sigs[0], 1)
    array([5], dtype=uint8)
    """
    from ..kernels.bits import pack_fields

    bits = _check_bits(b)
    array = as_array("sigs", sigs)
    slots = signature_slots(array.dtype)
    if slots is None:
        raise InvalidInputError(f"sigs must hold MinHash signatures, got dtype {array.dtype}", argument="sigs")
    words = read_only(signature_words(array))
    packed = np.empty((len(words), -(-slots * bits // 64)), np.uint64)
    pack_fields(words, bits, packed)
    stored = packed.astype("<u8", copy=False).view(np.uint8)
    n_bytes = _row_bytes(slots, bits)
    return np.ascontiguousarray(stored[:, :n_bytes]).reshape(*array.shape, n_bytes)


def jaccard_bits(a: Packed, b_: Packed, *, h: int, b: int, threads: int | None = None) -> Any:
    """Estimated Jaccard similarity of the shingle sets from packed signatures.

    Parameters
    ----------
    a, b_ : uint8 (..., ceil(h * b / 8))
        As :func:`pack_bits` gives them. The last axis holds the bytes of a signature; the others
        broadcast: ``jaccard_bits(rows[:, None], rows, h=h, b=b)`` is the matrix of all pairs. Bits
        behind the last slot are not looked at.
    h : int
        Slots of a signature.
    b : {1, 2, 4, 8, 16}
        Bits a slot.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape
        From 0 to 1.

    Raises
    ------
    ConfigError
        If there is no such ``b`` or ``h``.
    DimensionMismatchError
        If a signature has not ``ceil(h * b / 8)`` bytes.
    InvalidInputError
        If something is not ``uint8``, or the shapes do not broadcast.

    Notes
    -----
    Slots that differ agree in their lowest ``b`` bits by chance, with probability ``C = 2**-b`` for sets
    that are small beside the universe of shingles, as hashed ones are. The share of equal fields is
    then ``C + (1 - C) * J`` on average, and the estimate is ``(share - C) / (1 - C)``. It is clipped to 0
    to 1, so that for sets with next to nothing in common its mean is above the true value: shares below
    ``C`` count as 0. With ``P = C + (1 - C) * J`` the standard error is ``sqrt(P * (1 - P) / h) / (1 - C)``; at
    ``J = 0.5`` that is 1.73, 1.29, 1.06 and 1.004 times that of whole slots for 1, 2, 4 and 8 bits.

    References
    ----------
    P. Li, A. C. König, "b-Bit Minwise Hashing", WWW 2010, section 2.

    Examples
    --------
    >>> from txtfp_np.schema import minhash_dtype
    >>> sigs = np.zeros(3, minhash_dtype(4))
    >>> sigs["hashes"] = [[1, 2, 3, 4], [1, 2, 3, 5], [6, 7, 8, 9]]
    >>> rows = pack_bits(sigs, 8)
    >>> jaccard_bits(rows[0], rows, h=4, b=8)
    array([1.       , 0.7490196, 0.       ], dtype=float32)
    """
    bits, slots = _check_bits(b), check_count("h", h, least=1, most=MAX_SLOTS)
    shapes = _check_packed("a", a, slots, bits), _check_packed("b_", b_, slots, bits)
    comparison = _bits_of(_words(a, slots * bits), _words(b_, slots * bits), slots, bits)
    return compare_all(comparison, *shapes, threads)


def jaccard_bits_pairs(rows: Packed, i: Integers, j: Integers, *, h: int, b: int, threads: int | None = None) -> Any:
    """:func:`jaccard_bits` of chosen pairs of one column.

    Parameters
    ----------
    rows : uint8 (n, ceil(h * b / 8))
        As :func:`pack_bits` gives them.
    i, j : integers
        Rows, counted from 0; broadcast against each other.
    h, b, threads
        As in :func:`jaccard_bits`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> from txtfp_np.schema import minhash_dtype
    >>> sigs = np.zeros(3, minhash_dtype(4))
    >>> sigs["hashes"] = [[1, 2, 3, 4], [1, 2, 3, 5], [6, 7, 8, 9]]
    >>> jaccard_bits_pairs(pack_bits(sigs, 8), [0, 0], [1, 2], h=4, b=8)
    array([0.7490196, 0.       ], dtype=float32)
    """
    bits, slots = _check_bits(b), check_count("h", h, least=1, most=MAX_SLOTS)
    shape = _check_packed("rows", rows, slots, bits)
    if len(shape) != 1:
        raise InvalidInputError(f"rows must have two axes, got shape {rows.shape}", argument="rows")
    words = _words(rows, slots * bits)
    return compare_pairs(_bits_of(words, words, slots, bits), len(words), i, j, threads)


def _check_bits(b: object) -> int:
    if isinstance(b, (int, np.integer)) and not isinstance(b, bool) and b in _WIDTHS:
        return int(b)
    raise ConfigError(f"b must be 1, 2, 4, 8 or 16, got {b!r}", argument="b")


def _row_bytes(slots: int, bits: int) -> int:
    return -(-slots * bits // 8)


def _check_packed(argument: str, packed: object, slots: int, bits: int) -> Shape:
    """Shape without the axis of bytes."""
    if not isinstance(packed, np.ndarray) or packed.dtype != np.uint8 or packed.ndim == 0:
        got = f"{packed.dtype} of shape {packed.shape}" if isinstance(packed, np.ndarray) else type(packed).__name__
        raise InvalidInputError(
            f"{argument} must hold packed signatures (uint8, bytes of a signature last), got {got}",
            argument=argument,
            advice="pack_bits makes them.",
        )
    wanted = _row_bytes(slots, bits)
    if packed.shape[-1] != wanted:
        raise DimensionMismatchError(
            packed.shape[-1],
            wanted,
            argument=argument,
            advice=f"Signatures of h = {slots} and b = {bits} have {wanted} bytes.",
        )
    shape: Shape = as_array(argument, packed).shape[:-1]
    return shape


def _words(packed: Packed, n_bits: int) -> Words:
    """Packed signatures as words that end in zeros; a view if they are whole words."""
    rows = packed.reshape(-1, packed.shape[-1])
    if n_bits % 64:
        padded = np.zeros((len(rows), -(-n_bits // 64) * _WORD_BYTES), np.uint8)
        padded[:, : rows.shape[1]] = rows
        if n_bits % 8:
            padded[:, rows.shape[1] - 1] &= (1 << n_bits % 8) - 1
        rows = padded
    # aligned: a buffer may begin at any byte, and kernels are compiled for aligned words only
    words = np.ascontiguousarray(rows).view("<u8")
    return read_only(np.require(words, np.uint64, ["C", "A"]))


@cache
def _estimates(slots: int, bits: int) -> NDArray[np.float32]:
    """Estimate for every number of slots that differ."""
    by_chance = 2.0**-bits
    share = np.arange(slots, -1, -1) / slots
    return read_only(np.clip((share - by_chance) / (1 - by_chance), 0, 1).astype(np.float32))


def _fields(bits: int) -> tuple[np.uint64, np.uint64]:
    """All bits of every field but its highest, and its highest bit."""
    lowest = ((1 << 64) - 1) // ((1 << bits) - 1)
    high = lowest << (bits - 1)
    return np.uint64(high - lowest), np.uint64(high)


def _bits_of(a: Words, b: Words, slots: int, bits: int) -> Comparison:
    from ..kernels.bits import bits_pairs, bits_tile

    fields, table = _fields(bits), _estimates(slots, bits)

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        bits_pairs(a, b, i, j, fields, table, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: bits_tile(rows, columns, tile.rows, tile.columns, fields, table, out)

    return Comparison(pairs, all_pairs, np.float32, _TILE)
