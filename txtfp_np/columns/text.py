"""A column of documents: one UTF-8 buffer and the offsets of its rows, the layout of Arrow's ``large_string``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from .blocks import block_bounds
from .checks import (
    Bytes,
    Mask,
    Offsets,
    check_errors_option,
    check_lengths,
    check_offsets,
    check_utf8,
    gather,
    read_only,
)

if TYPE_CHECKING:
    import pyarrow as pa

    from .sources import Texts

# Iteration decodes so many bytes at a time: enough to make the set-up disappear, and no more.
_ITERATION_BYTES = 1 << 18
_ITERATION_ROWS = 1 << 12


class TextColumn:
    """Documents as one UTF-8 buffer plus offsets; immutable.

    Parameters
    ----------
    texts : str, bytes, iterable of them, NumPy array, Arrow / pandas / Polars column
        See :func:`~txtfp_np.columns.as_text_column` for all that is accepted.
    errors : {"strict", "replace"}
        What to do about bytes that are not UTF-8 and about lone surrogates: refuse them, or put
        U+FFFD in their place.

    Attributes
    ----------
    data : uint8 (any,), read-only
        The text of the rows, and after slicing that of others.
    offsets : int64 (n + 1,), read-only
        Row ``i`` is ``data[offsets[i]:offsets[i + 1]]``. Need not start at 0.
    validity : bool (n,), read-only, or None
        False marks a null, which is an empty document. None: there are none.

    Raises
    ------
    InvalidInputError
        If a row is not text, or not valid UTF-8 under ``errors="strict"``.

    Examples
    --------
    >>> column = TextColumn(["naïve", None, "text"])
    >>> column
    TextColumn(3 documents, 10 bytes: ['naïve', None, 'text'])
    >>> column[0], column[-1], column.offsets
    ('naïve', 'text', array([ 0,  6,  6, 10]))
    >>> column[1:].to_list()
    [None, 'text']
    """

    __slots__ = ("data", "offsets", "validity")

    data: Bytes
    offsets: Offsets
    validity: Mask | None

    def __new__(cls, texts: Texts, *, errors: str = "strict") -> Self:  # noqa: D102
        from .sources import as_text_column

        column = as_text_column(texts, errors=errors)
        return cls._trusted(column.data, column.offsets, column.validity)

    @classmethod
    def _trusted(cls, data: Bytes, offsets: Offsets, validity: Mask | None = None) -> Self:
        """Make a column of arrays that are known to be right: no check, no copy."""
        self = object.__new__(cls)
        object.__setattr__(self, "data", read_only(data))
        object.__setattr__(self, "offsets", read_only(offsets))
        object.__setattr__(self, "validity", None if validity is None else read_only(validity))
        return self

    @classmethod
    def from_buffers(
        cls, data: Any, offsets: ArrayLike, validity: ArrayLike | None = None, *, errors: str = "strict"
    ) -> Self:
        """Make a column of a UTF-8 buffer and offsets, after checking them.

        Parameters
        ----------
        data : buffer or uint8 array
            Shared, not copied: it must not be written to as long as the column lives.
        offsets : int array (n + 1,)
            Nondecreasing, within ``data``. Shared if ``int64``.
        validity : bool array (n,), optional
            False marks a null.
        errors : {"strict", "replace"}
            What to do about documents that are not UTF-8.

        Returns
        -------
        TextColumn

        Raises
        ------
        InvalidInputError
            If the offsets or the bytes are not as described.

        Examples
        --------
        >>> TextColumn.from_buffers(b"onetwo", [0, 3, 6]).to_list()
        ['one', 'two']
        """
        check_errors_option(errors)
        array = data if isinstance(data, np.ndarray) else np.frombuffer(data, np.uint8)
        if array.ndim != 1 or array.dtype != np.uint8:
            raise InvalidInputError(
                f"data must be a 1-D uint8 array, got {array.ndim}-D {array.dtype}", argument="data"
            )
        given = np.asarray(offsets)
        if given.ndim != 1 or given.dtype.kind not in "iu":
            raise InvalidInputError(
                f"offsets must be a 1-D integer array, got {given.ndim}-D {given.dtype}", argument="offsets"
            )
        mask = None
        if validity is not None:
            mask = np.ascontiguousarray(validity)
            if mask.dtype != np.bool_ or mask.shape != (max(len(given) - 1, 0),):
                raise InvalidInputError(
                    f"validity must be a bool array of {len(given) - 1} elements, got {mask.dtype} {mask.shape}",
                    argument="validity",
                )
        raw = raw_column(np.ascontiguousarray(array), np.require(given, np.int64, ["C", "A"]), mask)
        column = checked(raw, errors)
        return cls._trusted(column.data, column.offsets, column.validity)

    @classmethod
    def concat(cls, columns: Iterable[TextColumn]) -> Self:
        """One column of the rows of several.

        Parameters
        ----------
        columns : iterable of TextColumn
            In this order.

        Returns
        -------
        TextColumn

        Examples
        --------
        >>> TextColumn.concat([TextColumn(["a"]), TextColumn(["b", None])]).to_list()
        ['a', 'b', None]
        """
        parts = list(columns)
        if len(parts) == 1:
            return cls._trusted(parts[0].data, parts[0].offsets, parts[0].validity)
        offsets = np.zeros(sum(map(len, parts)) + 1, np.int64)
        data = np.empty(sum(part.nbytes for part in parts), np.uint8)
        row = position = 0
        for part in parts:
            stop = row + len(part)
            np.add(part.offsets[1:], position - part.offsets[0], out=offsets[row + 1 : stop + 1])
            data[position : position + part.nbytes] = part._bytes()
            row, position = stop, position + part.nbytes
        validity = None
        if any(part.validity is not None for part in parts):
            validity = ~np.concatenate([part.is_null for part in parts])
        return cls._trusted(data, offsets, validity)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TextColumn is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a TextColumn is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        # A slice travels with its own bytes only, not with the buffer that it shares.
        return (_rebuild, (type(self), self._bytes(), self.offsets - self.offsets[0], self.validity))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> str | Self:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            return self._rows(start, max(start, stop))
        try:
            position = index.__index__()
        except AttributeError:
            raise TypeError(
                f"a TextColumn is indexed by an int or a slice, got {type(index).__name__}; rows: take()"
            ) from None
        row = position + len(self) if position < 0 else position
        if not 0 <= row < len(self):
            raise IndexError(f"row {position} is out of range for a column of {len(self)} documents")
        return self.data[self.offsets[row] : self.offsets[row + 1]].tobytes().decode()

    def _rows(self, start: int, stop: int) -> Self:
        validity = None if self.validity is None else self.validity[start:stop]
        return self._trusted(self.data, self.offsets[start : stop + 1], validity)

    def _bytes(self) -> Bytes:
        return self.data[self.offsets[0] : self.offsets[-1]]

    def __iter__(self) -> Iterator[str]:
        for start, stop in block_bounds(self.offsets, _ITERATION_BYTES, _ITERATION_ROWS):
            yield from self._strings(start, stop)

    def _strings(self, start: int, stop: int) -> list[str]:
        offsets = self.offsets[start : stop + 1]
        block = self.data[offsets[0] : offsets[-1]].tobytes()
        borders = (offsets - offsets[0]).tolist()
        pairs = pairwise(borders)
        if block.isascii():
            text = block.decode("ascii")  # a byte is a character: slicing does it
            return [text[a:b] for a, b in pairs]
        return [block[a:b].decode() for a, b in pairs]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TextColumn):
            return NotImplemented
        return (
            len(self) == len(other)
            and self.nbytes == other.nbytes
            and np.array_equal(self.offsets - self.offsets[0], other.offsets - other.offsets[0])
            and np.array_equal(self.is_null, other.is_null)
            and np.array_equal(self._bytes(), other._bytes())
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [self._brief(row) for row in range(min(len(self), 3))]
        if len(self) > 3:
            shown.append("…")
        documents = "document" if len(self) == 1 else "documents"
        return f"TextColumn({len(self):,} {documents}, {self.nbytes:,} bytes: [{', '.join(shown)}])"

    def _brief(self, row: int) -> str:
        if self.validity is not None and not self.validity[row]:
            return "None"
        start, stop = int(self.offsets[row]), int(self.offsets[row + 1])
        # Four bytes a character at most; a document may have gigabytes.
        text = self.data[start : min(stop, start + 100)].tobytes().decode("utf-8", "ignore")
        return repr(text if len(text) <= 24 else text[:23] + "…")

    @property
    def nbytes(self) -> int:
        """Bytes of text in the rows of this column."""
        return int(self.offsets[-1] - self.offsets[0])

    @property
    def is_null(self) -> Mask:
        """Bool array: True where the row is null."""
        return np.zeros(len(self), np.bool_) if self.validity is None else ~self.validity

    def take(self, indices: ArrayLike) -> Self:
        """Rows by position, or by a mask.

        Parameters
        ----------
        indices : int array, or bool array (n,)
            Positions, negative ones counted from the end; or which rows to keep.

        Returns
        -------
        TextColumn
            With its own bytes.

        Raises
        ------
        IndexError
            If a position is out of range, or a mask has another length.

        Examples
        --------
        >>> TextColumn(["a", "b", "c"]).take([2, 0, 0]).to_list()
        ['c', 'a', 'a']
        """
        rows = row_positions(indices, len(self))
        data, offsets = gather(self.data, self.offsets[:-1][rows], self.offsets[1:][rows])
        return self._trusted(data, offsets, None if self.validity is None else self.validity[rows])

    def to_list(self) -> list[str | None]:
        """Documents as a list of ``str``, nulls as None."""
        texts: list[str | None] = list(self)
        if self.validity is not None:
            for row in np.flatnonzero(~self.validity).tolist():
                texts[row] = None
        return texts

    def to_numpy(self) -> NDArray[np.object_]:
        """Documents as an object array of ``str``, nulls as None."""
        array = np.empty(len(self), object)
        array[:] = self.to_list()
        return array

    def to_arrow(self) -> pa.LargeStringArray:
        """Documents as a ``pyarrow.LargeStringArray`` that shares the text.

        Raises
        ------
        FeatureDisabledError
            If pyarrow is not installed.
        """
        from .arrow import text_to_arrow

        return text_to_arrow(self)

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]:
        capsules: tuple[object, object] = self.to_arrow().__arrow_c_array__(requested_schema)
        return capsules


def row_positions(indices: ArrayLike, n_rows: int) -> NDArray[np.int64]:
    """Row numbers 0..n-1 of what ``take`` was given."""
    given = np.asarray(indices)
    if given.ndim != 1:
        raise IndexError(f"indices must be one-dimensional, got {given.ndim}-D")
    if given.dtype == np.bool_:
        if len(given) != n_rows:
            raise IndexError(f"a mask must have {n_rows} elements, got {len(given)}")
        return np.flatnonzero(given)
    if len(given) == 0:
        return np.empty(0, np.int64)
    if given.dtype.kind not in "iu":
        raise IndexError(f"indices must be integers or a bool mask, got {given.dtype}")
    rows = given.astype(np.int64)
    rows[rows < 0] += n_rows
    outside = (rows < 0) | (rows >= n_rows)
    if outside.any():
        row = given[int(outside.argmax())]
        raise IndexError(f"row {row} is out of range for a column of {n_rows} documents")
    return rows


def raw_column(data: Bytes, offsets: Offsets, validity: Mask | None) -> TextColumn:
    """Column whose offsets are checked and whose bytes are not yet."""
    check_offsets(offsets, len(data))
    return TextColumn._trusted(data, offsets, validity)


def checked(raw: TextColumn, errors: str, first_row: int = 0) -> TextColumn:
    """Column that keeps its promises: nulls are empty, documents are UTF-8 and not too long."""
    data, offsets, validity = raw.data, raw.offsets, raw.validity
    if validity is not None:
        if validity.all():
            validity = None
        elif (offsets[1:] > offsets[:-1])[~validity].any():
            # Arrow lets the slot of a null hold anything.
            starts = offsets[:-1]
            data, offsets = gather(data, starts, np.where(validity, offsets[1:], starts))
            data, offsets = read_only(data), read_only(offsets)
    check_lengths(offsets, first_row)
    data, repaired = check_utf8(data, offsets, errors, first_row)
    if repaired is not offsets:
        check_lengths(repaired, first_row)  # U+FFFD has three bytes
    return TextColumn._trusted(data, repaired, validity)


def _rebuild(cls: type[TextColumn], data: Bytes, offsets: Offsets, validity: Mask | None) -> TextColumn:
    return cls._trusted(data, offsets, validity)
