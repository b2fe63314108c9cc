"""Tokens of a column of documents: one byte buffer, a span a token, and which tokens are whose."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InvalidInputError
from .blocks import block_bounds
from .checks import Bytes, Offsets, gather, read_only
from .text import TextColumn, row_positions

if TYPE_CHECKING:
    import pyarrow as pa

Positions = NDArray[np.int32] | NDArray[np.int64]

_ITERATION_TOKENS = 1 << 15
_ITERATION_ROWS = 1 << 12


class TokenColumn:
    """Tokens as spans of one UTF-8 buffer; immutable.

    Spans may overlap: a shingle is the slice from its first word to its last.

    Parameters
    ----------
    documents : iterable of iterables of str
        The tokens of each document.

    Raises
    ------
    InvalidInputError
        If a token is not text; names the document.

    Attributes
    ----------
    data : uint8 (any,), read-only
        Bytes of the tokens, with anything between them.
    starts, ends : int32 or int64 (any,), read-only
        Token ``t`` is ``data[starts[t]:ends[t]]``. ``int64`` if ``data`` has 2**31 bytes or more.
    offsets : int64 (n + 1,), read-only
        Document ``d`` has the tokens ``offsets[d]`` to ``offsets[d + 1]``. Need not start at 0.

    Examples
    --------
    >>> column = TokenColumn([["the", "cat"], [], ["sat"]])
    >>> column
    TokenColumn(3 documents, 3 tokens: [['the', 'cat'], [], ['sat']])
    >>> column[0], column.counts
    (['the', 'cat'], array([2, 0, 1]))
    """

    __slots__ = ("data", "ends", "offsets", "starts")

    data: Bytes
    starts: Positions
    ends: Positions
    offsets: Offsets

    def __new__(cls, documents: Iterable[Iterable[str]]) -> Self:  # noqa: D102
        lists = [_tokens(document, row) for row, document in enumerate(documents)]
        offsets = np.zeros(len(lists) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, lists), np.int64, len(lists)), out=offsets[1:])
        try:
            tokens = TextColumn(chain.from_iterable(lists))
            if tokens.validity is not None:
                raise InvalidInputError("expected a str for a token, got null", row=int(tokens.is_null.argmax()))
        except InvalidInputError as error:
            # Its row is that of a token; the caller counts documents.
            raise error.at_row(int(offsets.searchsorted(error.row or 0, side="right")) - 1, "documents") from None
        kind = _position_dtype(len(tokens.data))
        borders = (tokens.offsets - tokens.offsets[0]).astype(kind, copy=False)
        return cls._trusted(tokens._bytes(), borders[:-1], borders[1:], offsets)

    @classmethod
    def _trusted(cls, data: Bytes, starts: Positions, ends: Positions, offsets: Offsets) -> Self:
        """Make a column of arrays that are known to be right: no check, no copy."""
        self = object.__new__(cls)
        object.__setattr__(self, "data", read_only(data))
        object.__setattr__(self, "starts", read_only(starts))
        object.__setattr__(self, "ends", read_only(ends))
        object.__setattr__(self, "offsets", read_only(offsets))
        return self

    @classmethod
    def concat(cls, columns: Iterable[TokenColumn]) -> Self:
        """One column of the documents of several.

        Parameters
        ----------
        columns : iterable of TokenColumn
            In this order. Columns over the same bytes, such as slices of one, go on sharing them.

        Returns
        -------
        TokenColumn

        Examples
        --------
        >>> TokenColumn.concat([TokenColumn([["a"]]), TokenColumn([["b", "c"]])]).to_list()
        [['a'], ['b', 'c']]
        """
        parts = list(columns)
        if len(parts) == 1:
            return cls._trusted(parts[0].data, parts[0].starts, parts[0].ends, parts[0].offsets)
        offsets = np.zeros(sum(map(len, parts)) + 1, np.int64)
        np.cumsum(np.concatenate([np.empty(0, np.int64), *(part.counts for part in parts)]), out=offsets[1:])
        if parts and all(part.data is parts[0].data for part in parts):
            starts, ends = zip(*(part._spans() for part in parts), strict=True)
            return cls._trusted(parts[0].data, np.concatenate(starts), np.concatenate(ends), offsets)
        parts = [part._narrowed() for part in parts]
        n_bytes = sum(len(part.data) for part in parts)
        kind = _position_dtype(n_bytes)
        all_starts, all_ends = np.empty(offsets[-1], kind), np.empty(offsets[-1], kind)
        token = position = 0
        for part in parts:
            stop = token + part.n_tokens
            np.add(part.starts, position, out=all_starts[token:stop], casting="unsafe", dtype=np.int64)
            np.add(part.ends, position, out=all_ends[token:stop], casting="unsafe", dtype=np.int64)
            token, position = stop, position + len(part.data)
        data = np.concatenate([np.empty(0, np.uint8), *(part.data for part in parts)])
        return cls._trusted(data, all_starts, all_ends, offsets)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a TokenColumn is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a TokenColumn is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        # A slice travels with its own bytes only, not with the buffer that it shares.
        own = self._narrowed()
        return (_rebuild, (type(self), own.data, own.starts, own.ends, own.offsets))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, index: int) -> list[str]: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> list[str] | Self:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                return self.take(np.arange(start, stop, step))
            return self._trusted(self.data, self.starts, self.ends, self.offsets[start : max(start, stop) + 1])
        try:
            position = index.__index__()
        except AttributeError:
            raise TypeError(
                f"a TokenColumn is indexed by an int or a slice, got {type(index).__name__}; documents: take()"
            ) from None
        row = position + len(self) if position < 0 else position
        if not 0 <= row < len(self):
            raise IndexError(f"row {position} is out of range for a column of {len(self)} documents")
        first, last = self.offsets[row], self.offsets[row + 1]
        spans = zip(self.starts[first:last].tolist(), self.ends[first:last].tolist(), strict=True)
        return [self.data[start:end].tobytes().decode() for start, end in spans]

    def __iter__(self) -> Iterator[list[str]]:
        for first, stop in block_bounds(self.offsets, _ITERATION_TOKENS, _ITERATION_ROWS):
            block = self[first:stop]
            tokens = list(block.to_text_column())
            borders = (block.offsets - block.offsets[0]).tolist()
            for a, b in pairwise(borders):
                yield tokens[a:b]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenColumn):
            return NotImplemented
        return (
            len(self) == len(other)
            and np.array_equal(self.counts, other.counts)
            and self.to_text_column() == other.to_text_column()
        )

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        shown = [self._brief(row) for row in range(min(len(self), 3))]
        if len(self) > 3:
            shown.append("…")
        documents = "document" if len(self) == 1 else "documents"
        tokens = "token" if self.n_tokens == 1 else "tokens"
        return f"TokenColumn({len(self):,} {documents}, {self.n_tokens:,} {tokens}: [{', '.join(shown)}])"

    def _brief(self, row: int) -> str:
        first, last = int(self.offsets[row]), int(self.offsets[row + 1])
        few = self._trusted(self.data, self.starts, self.ends, np.array([first, min(last, first + 4)]))
        column = few.to_text_column()
        shown = [column._brief(token) for token in range(len(column))]
        return f"[{', '.join([*shown, '…'] if last > first + 4 else shown)}]"

    @property
    def n_tokens(self) -> int:
        """Number of tokens of all documents."""
        return int(self.offsets[-1] - self.offsets[0])

    @property
    def counts(self) -> Offsets:
        """Number of tokens of each document, int64."""
        return np.diff(self.offsets)

    def take(self, indices: ArrayLike) -> Self:
        """Documents by position, or by a mask.

        Parameters
        ----------
        indices : int array, or bool array (n,)
            Positions, negative ones counted from the end; or which documents to keep.

        Returns
        -------
        TokenColumn
            Sharing the bytes.

        Raises
        ------
        IndexError
            If a position is out of range, or a mask has another length.

        Examples
        --------
        >>> TokenColumn([["a"], ["b", "c"]]).take([1, 0]).to_list()
        [['b', 'c'], ['a']]
        """
        rows = row_positions(indices, len(self))
        firsts, counts = self.offsets[:-1][rows], self.counts[rows]
        offsets = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(counts, out=offsets[1:])
        # Token numbers of all documents one after another: a run of consecutive ones for each.
        tokens = np.arange(offsets[-1]) + np.repeat(firsts - offsets[:-1], counts)
        return self._trusted(self.data, self.starts[tokens], self.ends[tokens], offsets)

    def to_text_column(self) -> TextColumn:
        """All tokens, one after another, as the rows of one :class:`TextColumn`.

        Returns
        -------
        TextColumn
            Row ``t`` is token ``offsets[0] + t``; it has its own bytes.

        Examples
        --------
        >>> TokenColumn([["a"], ["b", "c"]]).to_text_column().to_list()
        ['a', 'b', 'c']
        """
        starts, ends = self._spans()
        wide = np.int64
        data, offsets = gather(self.data, starts.astype(wide, copy=False), ends.astype(wide, copy=False))
        return TextColumn._trusted(data, offsets)

    def to_list(self) -> list[list[str]]:
        """Tokens as one list of ``str`` a document."""
        return list(self)

    def to_arrow(self) -> pa.LargeListArray:
        """Tokens as a ``pyarrow.LargeListArray`` of ``large_string``.

        Raises
        ------
        FeatureDisabledError
            If pyarrow is not installed.
        """
        from .arrow import tokens_to_arrow

        return tokens_to_arrow(self)

    def _spans(self) -> tuple[Positions, Positions]:
        return self.starts[self.offsets[0] : self.offsets[-1]], self.ends[self.offsets[0] : self.offsets[-1]]

    def _narrowed(self) -> Self:
        """The same tokens over no more bytes than they need, numbered from 0."""
        starts, ends = self._spans()
        low, high = (int(starts.min()), int(ends.max())) if len(starts) else (0, 0)
        kind = _position_dtype(high - low)
        return self._trusted(
            self.data[low:high],
            (starts - low).astype(kind, copy=False),
            (ends - low).astype(kind, copy=False),
            self.offsets - self.offsets[0],
        )


def _position_dtype(n_bytes: int) -> np.dtype[Any]:
    return np.dtype(np.int32 if n_bytes < 1 << 31 else np.int64)


def _tokens(document: Iterable[str], row: int) -> list[str]:
    if isinstance(document, (str, bytes)) or not isinstance(document, Iterable):
        raise InvalidInputError(
            f"expected a list of tokens, got {type(document).__name__}",
            row=row,
            argument="documents",
            advice="A tokenizer makes tokens of text.",
        )
    return list(document)


def _rebuild(cls: type[TokenColumn], data: Bytes, starts: Positions, ends: Positions, offsets: Offsets) -> TokenColumn:
    return cls._trusted(data, starts, ends, offsets)
