"""What every tokenizer is, and the way from blocks of spans to a column of tokens."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import NamedTuple, Protocol, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from ..columns import (
    Appender,
    Document,
    NumberedBlock,
    Progress,
    Scratch,
    TextColumn,
    Texts,
    TokenColumn,
    as_text_column,
    document_bytes,
    is_single,
    iter_text_blocks,
    numbered,
    resolve_threads,
    run_blocks,
)
from ..columns.checks import read_only
from ..errors import TokenizerError

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]


@runtime_checkable
class Tokenizer(Protocol):
    """What can be plugged in where a tokenizer is wanted.

    ``name`` is part of the identity of every signature: two tokenizers that differ in a single
    token must differ in name.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> isinstance(tx.WordTokenizer(), Tokenizer)
    True
    """

    @property
    def name(self) -> str:
        """Stable name, such as ``'word-uax29'``."""
        ...

    def tokens(self, texts: str, /) -> Iterable[str]:
        """Tokens of one document."""
        ...


class Spans(NamedTuple):
    """Tokens of a block: ``data[base + starts[i] : base + ends[i]]``.

    ``data`` is the block's own text, or a buffer that the tokenizer wrote (``base`` is 0 then). Where
    tokens cover the text without gaps, ``starts`` and ``ends`` are the same array, one place apart.
    """

    data: Bytes
    base: int
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    offsets: Offsets


class BlockTokenizer(ABC):
    """A tokenizer that works on blocks of UTF-8."""

    #: Python code must not run on several threads at once unless its author says so.
    _threadable = True
    #: Whether spans lie in the text itself, not in a buffer of the tokenizer's own.
    _in_place = True
    #: Whether every token begins where the one before it ends.
    _gapless = False

    @property
    @abstractmethod
    def name(self) -> str:
        """Stable name, part of every config hash."""

    @abstractmethod
    def _block(self, data: Bytes, offsets: Offsets, scratch: Scratch, key: str = "") -> Spans:
        """Spans of one block; arrays may be views into ``scratch``, under names that end in ``key``."""

    @overload
    def tokens(self, texts: Document, /, *, errors: str = ...) -> list[str]: ...
    @overload
    def tokens(
        self, texts: Texts, /, *, errors: str = ..., threads: int | None = ..., progress: Progress = ...
    ) -> TokenColumn: ...
    def tokens(
        self,
        texts: Document | Texts,
        /,
        *,
        errors: str = "strict",
        threads: int | None = None,
        progress: Progress = False,
    ) -> list[str] | TokenColumn:
        """Tokens of one document or of a column.

        Parameters
        ----------
        texts : str, bytes or column
            One document, or anything that :class:`TextColumn` takes. It is tokenised as it is:
            canonicalise first where that is wanted.
        errors : {"strict", "replace"}
            Whether bad UTF-8 is an error or becomes U+FFFD.
        threads : int, optional
            Threads to use; None: every core this process may use.
        progress : bool or callable
            True: a line on stderr. A callable gets (documents done, documents in all).

        Returns
        -------
        list of str, or TokenColumn

        Raises
        ------
        InvalidInputError
            If something is not text, or not UTF-8 (with ``.row``).
        """
        if threads is not None:
            resolve_threads(threads)  # refuse nonsense even where one thread is enough
        if is_single(texts):
            return self._tokens_of_one(texts, errors)  # type: ignore[arg-type]
        n_threads = resolve_threads(threads)
        column = as_text_column(texts, errors=errors)
        parts = _Parts(column, self._in_place, self._gapless)
        run_blocks(
            numbered(iter_text_blocks(column)),
            self._numbered_block,
            parts.add,
            threads=n_threads if self._threadable else 1,
            progress=progress,
            total=len(column),
        )
        return parts.column()

    def for_each_token(self, text: Document, f: Callable[[str], object], /) -> None:
        """Call ``f`` with each token of one document, in order.

        Examples
        --------
        >>> import txtfp_np as tx
        >>> tx.WordTokenizer().for_each_token("one two", print)
        one
        two
        """
        for token in self._tokens_of_one(text, "strict"):
            f(token)

    def _tokens_of_one(self, text: Document, errors: str) -> list[str]:
        data = read_only(np.frombuffer(document_bytes(text, errors), np.uint8))
        offsets = read_only(np.array([0, len(data)], np.int64))
        try:
            spans = self._block(data, offsets, Scratch())
        except TokenizerError as error:
            error.row = None  # there is one document
            raise
        raw = spans.data.tobytes()
        return [raw[start:end].decode() for start, end in zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)]

    def _numbered_block(self, block: NumberedBlock[TextColumn], scratch: Scratch) -> Spans:
        try:
            return self._block(block.column.data, block.column.offsets, scratch)
        except TokenizerError as error:
            if error.row is not None:  # it counts from the begin of the block
                error.row += block.first_row
            raise


class _Parts:
    """Blocks of spans on their way into one column of tokens."""

    def __init__(self, column: TextColumn, in_place: bool, gapless: bool) -> None:
        self.text = column.data if in_place else None
        self.end = column.offsets[-1:]  # of the last token, if there are no gaps
        wide = in_place and len(column.data) > np.iinfo(np.int32).max
        self.position_type: type[np.int32 | np.int64] = np.int64 if wide else np.int32
        # A grapheme a byte, or an English word, its space and some punctuation; the appenders grow otherwise.
        expected = column.nbytes + 1 if gapless else column.nbytes // 7
        self.starts = Appender(self.position_type, expected)
        self.ends = None if gapless else Appender(self.position_type, expected)
        self.offsets = Appender(np.int64, len(column) + 1)
        self.offsets.append(np.zeros(1, np.int64))
        self.data = Appender(np.uint8, 0 if in_place else column.nbytes)

    def add(self, spans: Spans) -> None:
        if self.text is None and len(self.data) + len(spans.data) > np.iinfo(np.int32).max:
            self._widen()
        base = self.position_type(spans.base if self.text is not None else len(self.data))
        self.offsets.append(spans.offsets[1:] + len(self.starts))
        self.starts.append(spans.starts, shift=base)
        if self.ends is not None:
            self.ends.append(spans.ends, shift=base)
        if self.text is None:
            self.data.append(spans.data)

    def _widen(self) -> None:
        """Go on with 64-bit positions: shingles of shingles, or a user's tokens, can outgrow the text."""
        if self.position_type == np.int64:
            return
        self.position_type = np.int64
        self.starts = self.starts.cast(np.int64)
        self.ends = None if self.ends is None else self.ends.cast(np.int64)

    def column(self) -> TokenColumn:
        data = self.data.finish() if self.text is None else self.text
        if self.ends is not None:
            return TokenColumn._trusted(data, self.starts.finish(), self.ends.finish(), self.offsets.finish())
        self.starts.append(self.end.astype(self.position_type))
        bounds = self.starts.finish()
        return TokenColumn._trusted(data, bounds[:-1], bounds[1:], self.offsets.finish())
