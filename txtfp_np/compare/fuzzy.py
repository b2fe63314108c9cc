"""How alike ssdeep's strings are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn, as_text_column, is_single
from ..columns.checks import read_only
from ..errors import InvalidInputError
from .arrays import as_array
from .broadcasting import Comparison, Indices, Shape, WorkTile, compare_all, compare_pairs

_TILE = 1 << 16  # pairs that take a few ms: long beside the cost of a thread switch


def ssdeep_compare(a: Any, b: Any, *, threads: int | None = None) -> Any:
    """How alike texts are by their ssdeep strings: 0 for strangers to 100.

    Parameters
    ----------
    a, b : str, bytes, or column of strings
        ``blocksize:letters:letters``, and maybe a comma and a file name, as ssdeep writes them. They broadcast like
        operands of a ufunc: ``ssdeep_compare(s[:, None], s)`` is the matrix of all pairs.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.int32, or int32 array of the broadcast shape

    Raises
    ------
    InvalidInputError
        If something is no such string (with ``.row``), for example a masked row; or if the shapes do not broadcast.

    Notes
    -----
    The score of ssdeep 2.14. Block sizes must be equal, or one twice the other; the strings of a block size, runs of a
    letter cut to three, must have seven letters in a row in common; their edit distance, a change counting two, is
    scaled to their lengths; and for small block sizes the score is kept below what a few bytes can tell. 0 is no proof
    of difference. Comparing is a matter of two machine words: about 5 million pairs a second and core.

    References
    ----------
    J. Kornblum, "Identifying almost identical files using context triggered piecewise hashing", DFRWS 2006.

    Examples
    --------
    >>> a = "3:AXGBicFlgVNhBGcL6wCrFQEv:AXGHsNhxLsr2C"
    >>> b = "3:AXGBicFlIHBGcL6wCrFQEv:AXGH6xLsr2C"
    >>> ssdeep_compare(a, [a, b, "12:AXGBicFlIHBGcL6wCrFQEv:AXGH6xLsr2C"])
    array([100,  22,   0], dtype=int32)
    """
    first, second = _strings("a", a), _strings("b", b)
    return compare_all(_ssdeep_of(first, second), first.shape, second.shape, threads)


def ssdeep_compare_pairs(strings: Any, i: Any, j: Any, *, threads: int | None = None) -> Any:
    """Scores of chosen pairs of one column of ssdeep strings.

    Parameters
    ----------
    strings : column of strings
        As in :func:`ssdeep_compare`, with one axis.
    i, j : integers
        Rows of ``strings``, counted from 0; broadcast against each other.
    threads : int, optional
        As in :func:`ssdeep_compare`.

    Returns
    -------
    np.int32, or int32 array

    Raises
    ------
    InvalidInputError
        If a row holds no such string, or is out of range (the text names the first one).

    Examples
    --------
    >>> strings = ["3:AXGBicFlgVNhBGcL6wCrFQEv:AXGHsNhxLsr2C", "3:AXGBicFlIHBGcL6wCrFQEv:AXGH6xLsr2C"]
    >>> ssdeep_compare_pairs(strings, [0, 0], [1, 0])
    array([ 22, 100], dtype=int32)
    """
    column = _strings("strings", strings)
    if len(column.shape) != 1:
        raise InvalidInputError(f"strings must have one axis, got shape {column.shape}", argument="strings")
    return compare_pairs(_ssdeep_of(column, column), len(column.blocks), i, j, threads)


class _Strings(NamedTuple):
    """Strings taken apart, and the shape that they came in."""

    blocks: NDArray[np.int64]
    sizes: NDArray[np.uint8]
    letters: NDArray[np.uint8]
    grams: NDArray[np.uint16]
    shape: Shape


def _strings(argument: str, given: Any) -> _Strings:
    array: NDArray[Any] | None = as_array(argument, given) if isinstance(given, (np.ndarray, np.bytes_)) else None
    if array is not None and array.dtype.kind == "S" and array.dtype.itemsize:
        text = np.ascontiguousarray(array).reshape(-1)
        size = text.dtype.itemsize
        offsets = np.arange(0, size * len(text) + 1, size, dtype=np.int64)
        return _parsed(argument, TextColumn._trusted(text.view(np.uint8), offsets), array.shape)
    single = is_single(given)
    rows = [given] if single else given if array is None else array.reshape(-1)
    try:
        column = as_text_column(rows)
    except InvalidInputError as error:
        error.argument = argument
        error.row = None if single else error.row
        raise
    return _parsed(argument, column, () if single else (len(column),) if array is None else array.shape)


def _parsed(argument: str, column: TextColumn, shape: Shape) -> _Strings:
    from ..kernels.ssdeep import LONGEST, parse_rows

    n = len(column)
    blocks, sizes = np.empty(n, np.int64), np.empty((n, 2), np.uint8)
    letters, grams = np.empty((n, 2, LONGEST), np.uint8), np.empty((n, 2, LONGEST - 6), np.uint16)
    row = int(parse_rows(column.data, column.offsets, blocks, sizes, letters, grams))
    if row < n:
        text = column.data[column.offsets[row] : column.offsets[row + 1]].tobytes().rstrip(b"\0")
        shown = repr(text.decode("utf-8", "replace")[:40])
        raise InvalidInputError(
            f"{shown} is no ssdeep string",
            row=row if shape else None,
            argument=argument,
            advice="It is blocksize:letters:letters, each with at most 64 of A-Z, a-z, 0-9, + and /.",
        )
    return _Strings(read_only(blocks), read_only(sizes), read_only(letters), read_only(grams), shape)


def _ssdeep_of(one: _Strings, other: _Strings) -> Comparison:
    from ..kernels import ssdeep

    a, b = one[:4], other[:4]

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        ssdeep.compare_pairs(a, b, i, j, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, columns = (b, a) if swapped else (a, b)
        return lambda tile, out: ssdeep.compare_tile(rows, columns, tile.rows, tile.columns, out)

    return Comparison(pairs, all_pairs, np.int32, _TILE)
