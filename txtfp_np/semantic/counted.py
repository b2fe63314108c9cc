"""Chunks measured by a model's own tokenizer: pieces of the text as it stands, none too long.

Units are nested: paragraphs, sentences, words. A chunk takes as many units as fit; a unit that does not
fit by itself gives way to the units inside it.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, TextColumn
from ..columns.checks import read_only
from ..errors import TokenizerError
from ..tokenize import WordTokenizer
from .chunk_blocks import Units, paragraphs_of, sentences_of

Span = tuple[int, int]

_WORDS = 2
_LEVELS = {"recursive": 0, "sentence_bounded": 1, "fixed_tokens": _WORDS}  # paragraphs, sentences, words


def counted_chunks(
    column: TextColumn,
    count_tokens: Callable[[str], int],
    max_tokens: int,
    overlap: int,
    mode: str,
    first_row: int | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Spans of chunks in bytes of the block, and how many chunks each document has."""
    raw = column.data[column.offsets[0] : column.offsets[-1]].tobytes()
    bounds = (column.offsets - column.offsets[0]).tolist()
    spans: list[Span] = []
    counts = [0]
    for row, (begin, end) in enumerate(pairwise(bounds)):
        counter = _Counter(raw[begin:end], count_tokens, None if first_row is None else first_row + row)
        document = _Document(counter, max_tokens, overlap)
        spans += [(begin + first, begin + last) for first, last in document.chunks(_LEVELS[mode])]
        counts.append(len(spans))
    return np.array(spans, np.int64).reshape(-1, 2), np.array(counts, np.int64)


class _Counter:
    """Asks for the tokens of a span of bytes; what comes back is checked."""

    def __init__(self, raw: bytes, count_tokens: Callable[[str], int], row: int | None) -> None:
        self.raw = raw
        self.count_tokens = count_tokens
        self.row = row

    def __call__(self, begin: int, end: int) -> int:
        try:
            n_tokens = self.count_tokens(self.raw[begin:end].decode())
        except Exception as error:
            raise TokenizerError(f"count_tokens failed: {error!r}", row=self.row, argument="texts") from error
        if isinstance(n_tokens, bool) or not isinstance(n_tokens, (int, np.integer)) or n_tokens < 0:
            raise TokenizerError(
                f"count_tokens must give an int >= 0, got {n_tokens!r}", row=self.row, argument="count_tokens"
            )
        return int(n_tokens)


class _Document:
    """One document and its units, as spans of bytes."""

    def __init__(self, counter: _Counter, max_tokens: int, overlap: int) -> None:
        self.count = counter
        self.max_tokens = max_tokens
        self.overlap = overlap
        self.size = 0  # bytes of the last chunk: where the search for the end of the next one begins
        data = read_only(np.frombuffer(counter.raw, np.uint8))
        offsets = read_only(np.array([0, len(data)], np.int64))
        self.levels = [_spans_of(units_of(data, offsets)) for units_of in (paragraphs_of, sentences_of)]
        words = WordTokenizer()._block(data, offsets, Scratch())
        self.words, self.word_ends = words.starts.tolist(), words.ends.tolist()

    def chunks(self, level: int) -> Iterator[Span]:
        """Chunks in the order of the text."""
        if not self.words:
            return iter(())
        return self._nested(self._units_in(0, len(self.count.raw), level), level)

    def _nested(self, units: list[Span], level: int) -> Iterator[Span]:
        run: list[Span] = []
        for unit in units:
            if level == _WORDS or self.fits(*unit):
                run.append(unit)
            else:
                yield from self._packed(run)
                run = []
                yield from self._nested(self._units_in(*unit, level + 1), level + 1)
        yield from self._packed(run)

    def _units_in(self, begin: int, end: int, level: int) -> list[Span]:
        if level < _WORDS:
            units = self.levels[level]
            return units[bisect_left(units, (begin, begin)) : bisect_left(units, (end, end))]
        # A word takes along what stands between it and the next one, and the first one what stands before it. A
        # sentence may begin inside a word ("했다.그리고"): then what is left of that is the first one.
        first = bisect_left(self.words, begin)
        is_inside = first > 0 and self.word_ends[first - 1] > begin
        cuts = self.words[first if is_inside else first + 1 : bisect_left(self.words, end)]
        return [self._trimmed(a, b) for a, b in pairwise([begin, *cuts, end])]

    def _trimmed(self, begin: int, end: int) -> Span:
        text = self.count.raw[begin:end].decode()
        begin += len(text.encode()) - len(text.lstrip().encode())
        return begin, begin + len(text.strip().encode())

    def fits(self, begin: int, end: int) -> bool:
        return self.count(begin, end) <= self.max_tokens

    def _packed(self, units: list[Span]) -> Iterator[Span]:
        """As many units a chunk as fit, one at least, and before them what is repeated."""
        first = 0
        begin = units[0][0] if units else 0
        while first < len(units):
            if begin < units[first][0] and not self.fits(begin, units[first][1]):
                begin = units[first][0]  # no room for repeating anything
            stop = self._reach(begin, units, first)
            yield begin, units[stop - 1][1]
            if stop < len(units):
                begin = self._overlap_begin(begin, units[stop - 1][1], units[stop][0])
            first = stop

    def _reach(self, begin: int, units: list[Span], first: int) -> int:
        """Number of the first unit that does not fit any more.

        Looked for where it would be if tokens were spread evenly. That is mostly right at once; where it is
        not, steps double until the limit is passed, and what is left is halved.
        """
        low, high = first + 1, len(units)  # units before ``low`` are in, and from ``high`` on they are not
        step, is_bounded = 1, False
        guess = bisect_right(units, begin + self.size, low, high, key=_end)
        while low < high:
            left = high - low
            place = min(max(guess, low + step), high)
            size = units[place - 1][1] - begin
            n_tokens = self.count(begin, units[place - 1][1])
            if n_tokens <= self.max_tokens:
                low, step = place, 2 * step
            else:
                high, step, is_bounded = place - 1, 1, True
            # At most twice as far, so that a text of any length is counted in pieces of the size of a chunk.
            even = begin + min(size * self.max_tokens // max(n_tokens, 1), 2 * size)
            guess = bisect_right(units, even, low, high, key=_end)
            if is_bounded and high - low > left // 2:
                guess = (low + high + 1) // 2
        self.size = units[low - 1][1] - begin
        return low

    def _overlap_begin(self, begin: int, end: int, following: int) -> int:
        """First word of the chunk ``begin`` to ``end`` from which on no more than ``overlap`` tokens remain."""
        if self.overlap == 0:
            return following
        low, high = bisect_left(self.words, begin + 1), bisect_left(self.words, end)
        place = bisect_left(range(low, high), True, key=lambda i: self.count(self.words[i], end) <= self.overlap)
        return self.words[low + place] if low + place < high else following


def _end(span: Span) -> int:
    return span[1]


def _spans_of(units: Units) -> list[Span]:
    lengths = np.diff(units.offsets)
    return list(zip(units.starts.tolist(), (units.starts + lengths).tolist(), strict=True))
