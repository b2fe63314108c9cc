"""Words and graphemes of UAX #29, Unicode 17.0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..columns import Scratch
from ..columns.checks import read_only
from ..unicode.frozen import table
from .base import BlockTokenizer, Bytes, Offsets, Spans


@dataclass(frozen=True)
class WordTokenizer(BlockTokenizer):
    """Words: the segments of UAX #29 that hold a letter or a number.

    Notes
    -----
    Han and Hiragana give one token a character, Thai, Lao, Khmer and Myanmar one a cluster. Two
    departures from UAX #29, both of the Rust crate and only where U+200D is in the text (the default
    canonicaliser removes it): an emoji behind it is never a letter, and a middle character that
    waits for its right neighbour stays in the word.

    References
    ----------
    UAX #29, section 4, revision for Unicode 17.0.

    Examples
    --------
    >>> WordTokenizer().tokens("Don't pay $3.14 for e-mail!")
    ["Don't", 'pay', '3.14', 'for', 'e', 'mail']
    >>> WordTokenizer().tokens(["a b", None, "日本"]).to_list()
    [['a', 'b'], [], ['日', '本']]
    """

    @property
    def name(self) -> str:
        """``'word-uax29'``."""
        return "word-uax29"

    def _block(self, data: Bytes, offsets: Offsets, scratch: Scratch, key: str = "") -> Spans:
        from ..kernels.words import words_rows

        n_rows, n_bytes = len(offsets) - 1, int(offsets[-1] - offsets[0])
        most = 2 * n_bytes // 3 + n_rows + 2
        starts = scratch.take(f"word-starts{key}", most, np.int32)
        ends = scratch.take(f"word-ends{key}", most, np.int32)
        counts = scratch.take(f"word-offsets{key}", n_rows + 1, np.int64)
        words_rows(data, offsets, table("words"), starts, ends, counts)
        n = counts[-1]
        return Spans(data, int(offsets[0]), read_only(starts[:n]), read_only(ends[:n]), read_only(counts))


@dataclass(frozen=True)
class GraphemeTokenizer(BlockTokenizer):
    r"""Extended grapheme clusters: what a reader takes for one character. Nothing is dropped.

    References
    ----------
    UAX #29, section 3, revision for Unicode 17.0.

    Examples
    --------
    >>> GraphemeTokenizer().tokens("né\r\n")
    ['n', 'é', '\r\n']
    """

    _gapless = True

    @property
    def name(self) -> str:
        """``'grapheme-uax29'``."""
        return "grapheme-uax29"

    def _block(self, data: Bytes, offsets: Offsets, scratch: Scratch, key: str = "") -> Spans:
        from ..kernels.graphemes import graphemes_rows

        bounds = scratch.take(f"grapheme-bounds{key}", int(offsets[-1] - offsets[0]) + 2, np.int32)
        counts = scratch.take(f"grapheme-offsets{key}", len(offsets), np.int64)
        graphemes_rows(data, offsets, table("graphemes"), bounds, counts)
        n = counts[-1]
        return Spans(data, int(offsets[0]), read_only(bounds[:n]), read_only(bounds[1 : n + 1]), read_only(counts))
