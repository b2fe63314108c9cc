"""Rows of different length for the measures of strings and sets: one array of values, and offsets."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import Scratch, TextColumn, TokenColumn, as_text_column, is_single
from ..columns.checks import check_offsets, read_only
from ..errors import InvalidInputError
from .arrays import as_array
from .broadcasting import Comparison, Indices, Tile, WorkTile, compare_all, compare_pairs

Values: TypeAlias = NDArray[np.uint64]
Numbers: TypeAlias = NDArray[np.uint64] | NDArray[np.int64]
Offsets: TypeAlias = NDArray[np.int64]
Sides: TypeAlias = tuple[Values, Offsets, Values, Offsets]
PairsKernel: TypeAlias = Callable[[Sides, Indices, Indices, NDArray[Any]], object]

_SHOWN = 2  # rows, and numbers of a row, at either end
TEXT = (str, bytes, bytearray, memoryview)
_MOST_SIGNED = (1 << 63) - 1


class Ragged:
    """Sequences of whole numbers, one a row, that broadcast as the elements of an array do.

    Parameters
    ----------
    values : integers (m,)
        Of all rows, one after another. From ``-2**63`` to ``2**64 - 1``, and compared by their value, whatever their
        dtype; but what is below 0 is not compared with what is above ``2**63 - 1``.
    offsets : integers (n + 1,)
        Row ``d`` is ``values[offsets[d]:offsets[d + 1]]``.

    Raises
    ------
    InvalidInputError
        If they are not whole numbers of one axis, or the offsets leave the values or decrease.

    Attributes
    ----------
    values : uint64 (m,), or int64 if one is below 0
    offsets : int64 (n + 1,)

    Examples
    --------
    >>> rows = Ragged.of([[3, 1, 2], [], [3, 1]])
    >>> rows
    Ragged([[3, 1, 2], [], [3, 1]], shape=(3,))
    >>> Ragged.of(np.arange(4000).reshape(40, 100))[:, None]
    Ragged([[0, 1, ..., 98, 99], [100, 101, ..., 198, 199], ..., [3900, 3901, ..., 3998, 3999]], shape=(40, 1))
    >>> rows[:, None].shape, rows[0].tolist(), rows[1:].lengths
    ((3, 1), [3, 1, 2], array([0, 2]))
    """

    __slots__ = ("_places", "offsets", "values")

    values: Numbers
    offsets: Offsets

    def __init__(self, values: ArrayLike, offsets: ArrayLike) -> None:
        borders = _integers("offsets", offsets).astype(np.int64)
        words = _integers("values", values)
        check_offsets(borders, len(words))
        first, last = int(borders[0]), int(borders[-1])
        self.values = read_only(_in_64_bits(words[first:last]))
        self.offsets = read_only(borders - first)
        self._places: NDArray[np.int64] = np.arange(len(borders) - 1)

    @classmethod
    def of(cls, rows: object) -> Self:
        """Rows of whatever has them.

        Parameters
        ----------
        rows : Ragged, texts, TokenColumn, array, or iterable of sequences of int
            A text is the sequence of its code points; the tokens of a document are the sequence of their
            64-bit hashes; of an array of integers the last axis is a row, so that ``uint8 (n, bytes)`` are byte
            strings. A set of int is the sequence of its numbers from the lowest up. Columns of lists are taken from
            Arrow, pandas and Polars. What has ``values`` and ``offsets`` is taken by these.

        Returns
        -------
        Ragged
            A single ``str``, a list or set of int, or an array of one axis, gives one without an axis.

        Examples
        --------
        >>> Ragged.of(["tea", "chai ☕"]).lengths
        array([3, 6])
        >>> Ragged.of(np.array([[1, 2], [3, 4]], np.uint8))[1].tolist()
        [3, 4]
        >>> Ragged.of("tea").shape
        ()
        """
        if isinstance(rows, cls):
            return rows
        if isinstance(rows, TokenColumn):
            return cls(*_hashes_of(rows))
        if hasattr(rows, "values") and hasattr(rows, "offsets") and not callable(rows.values):
            return cls(rows.values, rows.offsets)
        if isinstance(rows, np.bytes_):
            rows = bytes(rows)
        first = first_of(rows)
        if isinstance(rows, (set, frozenset)) or is_whole(first):
            rows = rows if hasattr(rows, "__array__") else _integers("rows", rows)
        if hasattr(rows, "__array__") and (is_whole(first) or getattr(rows, "ndim", 1) > 1):
            rows = as_array("rows", rows)
        if isinstance(rows, np.ndarray) and rows.dtype.kind in "iub":
            return cls._of_array(as_array("rows", rows))
        if isinstance(first, Iterable) and not isinstance(first, TEXT):
            lists: Any = as_array("rows", rows) if hasattr(rows, "__array__") else rows
            return cls._of_lists([*lists])
        if isinstance(rows, np.ndarray) and rows.dtype.kind == "S":
            rows = rows.tolist()
        texts = as_text_column([rows] if is_single(rows) else rows)  # type: ignore[arg-type]
        made = cls(*_code_points(texts))
        return made[0] if is_single(rows) else made

    @classmethod
    def _of_array(cls, rows: NDArray[Any]) -> Self:
        if rows.ndim == 0:
            raise InvalidInputError("rows must have an axis, got a single number", argument="rows")
        n = int(np.prod(rows.shape[:-1]))
        made = cls(rows.reshape(-1), np.arange(n + 1) * rows.shape[-1])
        return made._at(made._places.reshape(rows.shape[:-1]))

    @classmethod
    def _of_lists(cls, rows: list[Any]) -> Self:
        parts = [_integers("rows", row, number) for number, row in enumerate(rows)]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return cls(_joined(parts), offsets)

    def _at(self, places: NDArray[np.int64]) -> Self:
        made = object.__new__(type(self))
        made.values, made.offsets, made._places = self.values, self.offsets, places
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the rows, as of the elements of an array."""
        return self._places.shape

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Number of values of every row."""
        return self.offsets[self._places + 1] - self.offsets[self._places]

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, key: Any) -> Self:
        """Rows chosen as the elements of an array are; ``[:, None]`` for all pairs."""
        return self._at(np.asarray(self._places[key]))

    def tolist(self) -> Any:
        """The rows as lists."""
        flat = [self.values[self.offsets[at] : self.offsets[at + 1]].tolist() for at in self._places.reshape(-1)]
        return flat if self.shape else flat[0]

    def with_runs(self, values: Numbers, offsets: Offsets) -> Ragged:
        """Other values for the same rows at the same places."""
        made = object.__new__(Ragged)
        made.values, made.offsets, made._places = read_only(values), read_only(offsets), self._places
        return made

    def _with_positions(self) -> Ragged:
        """Values told apart by their place in the row, too: equal ones at other places are others."""
        places = np.arange(len(self.values)) - np.repeat(self.offsets[:-1], np.diff(self.offsets))
        spread = np.uint64(0x9E3779B97F4A7C15)  # odd, so that no two places are taken for one
        return self.with_runs(self.values.view(np.uint64) ^ (places.astype(np.uint64) * spread), self.offsets)

    def __repr__(self) -> str:
        places = self._places.reshape(-1)
        ends = [*places[:_SHOWN], None, *places[-_SHOWN:]] if len(places) > 2 * _SHOWN else list(places)
        shown = ", ".join(
            "..." if at is None else _shown(self.values[slice(*self.offsets[at : at + 2])]) for at in ends
        )
        return f"{type(self).__name__}({f'[{shown}]' if self.shape else shown}, shape={self.shape})"


def compare_ragged(
    a: Ragged, b: Ragged, kernel: PairsKernel, dtype: type[np.generic], tile_pairs: int, threads: int | None
) -> Any:
    """Result of a kernel of pairs for rows that broadcast."""
    return compare_all(_comparison(a, b, kernel, dtype, tile_pairs), a.shape, b.shape, threads)


def compare_ragged_pairs(
    rows: Ragged, i: object, j: object, kernel: PairsKernel, dtype: type[np.generic], threads: int | None
) -> Any:
    """Result of a kernel of pairs for chosen rows of one column."""
    if len(rows.shape) != 1:
        raise InvalidInputError(f"rows must have one axis, got shape {rows.shape}", argument="rows")
    return compare_pairs(_comparison(rows, rows, kernel, dtype, 1), len(rows), i, j, threads)


def _comparison(a: Ragged, b: Ragged, kernel: PairsKernel, dtype: type[np.generic], tile_pairs: int) -> Comparison:
    for one, other in ((a, b), (b, a)):
        if one.values.dtype == np.int64 and _is_large(other.values):
            raise _both_ends(None, "one side", "the other")
    at_a, at_b = a._places.reshape(-1), b._places.reshape(-1)
    sides = a.values.view(np.uint64), a.offsets, b.values.view(np.uint64), b.offsets

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        kernel(sides, read_only(at_a[i]), read_only(at_b[j]), out)

    def all_pairs(swapped: bool) -> WorkTile:
        def work(tile: Tile, out: NDArray[Any]) -> None:
            rows, columns = (np.arange(*borders) for borders in tile)
            i, j = np.repeat(rows, len(columns)), np.tile(columns, len(rows))
            part = np.empty(len(i), dtype)
            pairs(j, i, part) if swapped else pairs(i, j, part)
            out[slice(*tile.rows), slice(*tile.columns)] = part.reshape(len(rows), len(columns))

        return work

    return Comparison(pairs, all_pairs, dtype, tile_pairs)


def _integers(argument: str, given: Any, row: int | None = None) -> NDArray[Any]:
    try:
        given = sorted(given) if isinstance(given, (set, frozenset)) else given
    except TypeError:  # of different kinds
        given = None
    array = as_array(argument, given)
    if array.size == 0 and array.ndim == 1:
        return array.astype(np.int64)
    if array.dtype.kind in "fO" and not isinstance(given, np.ndarray):
        array = _large_integers(argument, given, array, row)
    if array.ndim != 1 or array.dtype.kind not in "iub":
        got = f"{array.dtype} of shape {array.shape}" if array.dtype != object else type(given).__name__
        raise InvalidInputError(
            f"{argument} must hold whole numbers of at most 64 bits along one axis, got {got}",
            row=row,
            argument=argument,
            advice="TokenColumn takes lists of tokens." if array.dtype.kind == "U" else None,
        )
    return array


def _large_integers(argument: str, given: Any, array: NDArray[Any], row: int | None) -> NDArray[Any]:
    """Ints of which some are above 2**63 - 1: NumPy makes floats or objects of those beside smaller ones."""
    if array.ndim != 1 or not all(isinstance(value, (int, np.integer)) for value in given):
        return array
    numbers = [int(value) for value in given]
    try:
        return np.array(numbers, np.uint64)
    except OverflowError:
        raise InvalidInputError(
            f"{argument} must lie between 0 and 2**64 - 1, or between -2**63 and 2**63 - 1, got numbers from "
            f"{min(numbers)} to {max(numbers)}",
            row=row,
            argument=argument,
        ) from None


def _in_64_bits(integers: NDArray[Any]) -> Numbers:
    """As int64 if one is below 0, else as uint64; so that equal bits are equal values within one dtype."""
    if integers.dtype.kind == "i" and integers.size and integers.min() < 0:
        return np.ascontiguousarray(integers, np.int64)
    return np.ascontiguousarray(integers).astype(np.uint64, copy=False)


def _joined(parts: list[NDArray[Any]]) -> Numbers:
    """Rows one after another, by value; NumPy would make floats of int64 and uint64 together."""
    if len({part.dtype for part in parts}) == 1:
        return _in_64_bits(np.concatenate(parts))
    words: list[NDArray[Any]] = [_in_64_bits(part) for part in parts]
    below = next((row for row, part in enumerate(words) if part.dtype == np.int64), None)
    if below is None:
        return np.concatenate(words)
    above = next((row for row, part in enumerate(words) if _is_large(part)), None)
    if above is not None:
        raise _both_ends(max(below, above), f"row {below}", f"row {above}")
    return np.concatenate([part.view(np.int64) for part in words])


def _is_large(values: Numbers) -> bool:
    """Whether a value does not fit in int64."""
    return values.dtype == np.uint64 and bool(values.size) and int(values.max()) > _MOST_SIGNED


def _both_ends(row: int | None, below: str, above: str) -> InvalidInputError:
    return InvalidInputError(
        f"{below} has numbers below 0 and {above} has some above 2**63 - 1, which 64 bits do not tell apart",
        row=row,
        advice="If the ones below 0 are hashes that were stored as signed numbers: array.view(np.uint64).",
    )


def _shown(values: Numbers) -> str:
    if len(values) <= 4 * _SHOWN:
        return str(values.tolist())
    first, last = (", ".join(map(str, part.tolist())) for part in (values[:_SHOWN], values[-_SHOWN:]))
    return f"[{first}, ..., {last}]"


def first_of(rows: Any) -> Any:
    """The first row of a list or a column, which says what the others are; None of anything else."""
    is_column = hasattr(rows, "__array__") and getattr(rows, "ndim", 1) == 1 and not isinstance(rows, np.generic)
    if not is_column and not isinstance(rows, (list, tuple)):
        return None
    first: Any = next(iter(rows), None)
    return first.as_py() if hasattr(first, "as_py") else first  # a scalar of Arrow


def is_whole(number: object) -> bool:
    """Whether this is one whole number."""
    return isinstance(number, (int, np.integer, np.bool_))


def _code_points(texts: TextColumn) -> tuple[NDArray[np.uint32], Offsets]:
    data = texts.data[texts.offsets[0] : texts.offsets[-1]]
    values = np.frombuffer(data.tobytes().decode().encode("utf-32-le"), "<u4")
    before = np.zeros(len(data) + 1, np.int64)
    np.cumsum((data & 0xC0) != 0x80, out=before[1:])  # every code point has one byte that continues none
    return values, before[texts.offsets - texts.offsets[0]]


def _hashes_of(tokens: TokenColumn) -> tuple[Values, Offsets]:
    from ..schema.identity import HashFamily
    from ..sketch.hashing import Hasher
    from ..tokenize.base import Spans

    starts: Any = tokens.starts  # 64-bit if there are so many bytes; the kernel takes both
    ends: Any = tokens.ends
    spans = Spans(tokens.data, 0, starts, ends, tokens.offsets)
    low, _ = Hasher(HashFamily.XXH3_64, 0).hash_spans(spans, Scratch())
    return low.copy(), tokens.offsets
