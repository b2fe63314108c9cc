"""Distances of TLSH digests, as text or packed."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn, as_text_column, is_single
from ..columns.checks import Bytes, read_only
from ..errors import InvalidInputError
from .arrays import as_array
from .broadcasting import Comparison, Indices, Shape, WorkTile, compare_all, compare_pairs

_PACKED = np.dtype("V35")
_TEXT = np.dtype("S72")
_HEX_DIGITS = b"0123456789abcdefABCDEF"
_TILE = 1 << 20  # pairs that take a few ms: long beside the cost of a thread switch


def tlsh_distance(a: Any, b: Any, *, threads: int | None = None) -> Any:
    """How far TLSH digests are apart: 0 for equal ones, below 50 for close relatives, about 300 for strangers.

    Parameters
    ----------
    a, b : str, bytes, or column of digests
        ``T1`` and 70 hexadecimal digits of either case (``S72``, a list of ``str``, an Arrow, pandas or Polars column),
        or packed digests (``V35``). They broadcast like operands of a ufunc: ``tlsh_distance(d[:, None], d)`` is the
        matrix of all pairs. One may be text and the other packed.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.int32, or int32 array of the broadcast shape

    Raises
    ------
    InvalidInputError
        If something is no digest (with ``.row``), for example a masked row; or if the shapes do not broadcast.

    Notes
    -----
    The sum of the differences of all 128 two-bit codes (3 counts as 6), of the length classes and the ratios of the
    quartiles (on a circle; more than 1 counts twelvefold), and 1 if the checksums differ: the crate's
    ``tlsh_distance``, which is the reference's with the length counted in.

    References
    ----------
    J. Oliver, C. Cheng, Y. Chen, "TLSH - A Locality Sensitive Hash", 2013, section 3.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> text = "the quick brown fox jumps over the lazy dog at noon"
    >>> digests = tx.TlshFingerprinter().fingerprint([text, text.replace("noon", "dawn"), text[::-1]])
    >>> tlsh_distance(digests[0], digests)
    array([  0,  24, 199], dtype=int32)
    >>> tlsh_distance("T1", digests)
    Traceback (most recent call last):
    txtfp_np.errors.InvalidInputError: invalid input: invalid TLSH hex string of length 2
    A digest is T1 and 70 hexadecimal digits.
    """
    first, second = _given("a", a), _given("b", b)
    if isinstance(first, _Texts) and isinstance(second, _Texts) and first.shape == second.shape and first.n_rows > 1:
        return compare_all(_tlsh_of_texts(first, second), first.shape, second.shape, threads)
    one, other = first.packed(), second.packed()
    return compare_all(_tlsh_of(one, other), first.shape, second.shape, threads)


def tlsh_distance_pairs(digests: Any, i: Any, j: Any, *, threads: int | None = None) -> Any:
    """Distances of chosen pairs of one column of TLSH digests.

    Parameters
    ----------
    digests : column of digests
        As in :func:`tlsh_distance`, with one axis.
    i, j : integers
        Rows of ``digests``, counted from 0; broadcast against each other.
    threads : int, optional
        As in :func:`tlsh_distance`.

    Returns
    -------
    np.int32, or int32 array

    Raises
    ------
    InvalidInputError
        If a row holds no digest, or is out of range (the text names the first one).

    Examples
    --------
    >>> import txtfp_np as tx
    >>> text = "the quick brown fox jumps over the lazy dog at noon"
    >>> digests = tx.TlshFingerprinter().fingerprint([text, text.replace("noon", "dawn"), text[::-1]])
    >>> tlsh_distance_pairs(digests, [0, 1], [1, 2])
    array([ 24, 203], dtype=int32)
    """
    given = _given("digests", digests)
    packed = given.packed()
    if len(given.shape) != 1:
        raise InvalidInputError(f"digests must have one axis, got shape {given.shape}", argument="digests")
    return compare_pairs(_tlsh_of(packed, packed), len(packed) // _PACKED.itemsize, i, j, threads)


class _Packed(NamedTuple):
    """Packed digests one after another, and the shape that they came in."""

    data: Bytes
    shape: Shape

    def packed(self) -> Bytes:
        return self.data


class _Texts(NamedTuple):
    """Texts that should be digests, and the shape that they came in."""

    argument: str
    column: TextColumn
    shape: Shape

    @property
    def n_rows(self) -> int:
        return len(self.column)

    def packed(self) -> Bytes:
        """The digests that these spell; raises at the first text that is none."""
        from ..kernels.tlsh_distance import packed_of_text

        column = self.column
        packed = np.empty(_PACKED.itemsize * len(column), np.uint8)
        row = int(packed_of_text(column.data, column.offsets, packed))
        if row < len(column):
            text = column.data[column.offsets[row] : column.offsets[row + 1]].tobytes().rstrip(b"\0")
            raise InvalidInputError(
                f"invalid TLSH hex string of length {len(text)}",
                row=row if self.shape else None,
                argument=self.argument,
                advice=f"A digest is T1 and 70 hexadecimal digits{_what_is_wrong(text)}.",
            )
        return read_only(packed)


def _given(argument: str, given: Any) -> _Packed | _Texts:
    array: NDArray[Any] | None = None
    if isinstance(given, (np.ndarray, np.void, np.bytes_)):
        array = as_array(argument, given)
    if array is not None and array.dtype == _PACKED:
        return _checked(argument, array)
    if array is not None and array.dtype == _TEXT:
        text = np.ascontiguousarray(array).reshape(-1)
        offsets = np.arange(0, _TEXT.itemsize * len(text) + 1, _TEXT.itemsize, dtype=np.int64)
        return _Texts(argument, TextColumn._trusted(text.view(np.uint8), offsets), array.shape)
    single = is_single(given)
    rows = [given] if single else given if array is None else array.reshape(-1)
    try:
        column = as_text_column(rows)
    except InvalidInputError as error:
        error.argument = argument
        error.row = None if single else error.row
        raise
    return _Texts(argument, column, () if single else (len(column),) if array is None else array.shape)


def _checked(argument: str, array: NDArray[Any]) -> _Packed:
    from ..kernels.tlsh_distance import first_empty

    packed = read_only(np.ascontiguousarray(array).reshape(-1).view(np.uint8))
    row = int(first_empty(packed, array.size))
    if row < array.size:
        raise InvalidInputError(
            f"{argument} holds 35 zero bytes, which is no TLSH digest",
            row=row if array.ndim else None,
            argument=argument,
            advice='on_empty="mask" gives them to documents without a digest; leave those out.',
        )
    return _Packed(packed, array.shape)


def _what_is_wrong(text: bytes) -> str:
    if text[:2] != b"T1":
        missing = ": put T1 before the 70 there are" if len(text) == 70 else ""
        return missing or f", got {text[:2].decode('utf-8', 'replace')!r} in place of T1 (its T is upper case)"
    place = next((at for at, byte in enumerate(text) if at > 1 and byte not in _HEX_DIGITS), None)
    return "" if place is None else f", got {chr(text[place])!r} at {place}"


def _tlsh_of(a: Bytes, b: Bytes) -> Comparison:
    from ..kernels.tlsh_distance import tlsh_pairs, tlsh_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        tlsh_pairs(a, b, i, j, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: tlsh_tile(rows, columns, tile.rows, tile.columns, out)

    return Comparison(pairs, all_pairs, np.int32, _TILE)


def _tlsh_of_texts(one: _Texts, other: _Texts) -> Comparison:
    """Row against row: every text is looked at once, so packing all of them first would be a detour."""
    from ..kernels.tlsh_distance import tlsh_text_pairs

    a, b = ((side.column.data, side.column.offsets) for side in (one, other))

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        if not tlsh_text_pairs(a, b, i, j, out):
            one.packed(), other.packed()  # says which text is no digest

    def all_pairs(swapped: bool) -> WorkTile:
        return _tlsh_of(one.packed(), other.packed()).all_pairs(swapped)

    return Comparison(pairs, all_pairs, np.int32, _TILE)
