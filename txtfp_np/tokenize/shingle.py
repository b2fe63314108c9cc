"""Shingles: runs of ``k`` tokens, and runs of ``k`` code points."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..columns import Scratch
from ..columns.checks import read_only
from ..errors import TokenizerError
from ..options import check_count
from .base import BlockTokenizer, Bytes, Offsets, Spans, Tokenizer
from .callables import as_block_tokenizer, check_tokenizer
from .segment import WordTokenizer


def window_spans(spans: Spans, k: int, scratch: Scratch, key: str) -> Spans:
    """Spans over ``k`` tokens each."""
    from ..kernels.shingles import windows_rows

    n = len(spans.starts)
    starts = scratch.take(f"window-starts{key}", n, np.int32)
    ends = scratch.take(f"window-ends{key}", n, np.int32)
    offsets = scratch.take(f"window-offsets{key}", len(spans.offsets), np.int64)
    if k == 0:
        offsets[:] = 0
    else:
        # A window is never wider than the block; k itself may be any int.
        windows_rows(spans.starts, spans.ends, spans.offsets, min(k, n + 1), starts, ends, offsets)
    n = offsets[-1]
    return Spans(spans.data, spans.base, read_only(starts[:n]), read_only(ends[:n]), read_only(offsets))


def joined_spans(spans: Spans, scratch: Scratch, key: str) -> Spans:
    """The same tokens in a buffer of their own, one space between those of a document."""
    from ..kernels.shingles import JOIN_SLACK, join_rows

    n = len(spans.starts)
    n_bytes = int(spans.ends.sum(dtype=np.int64) - spans.starts.sum(dtype=np.int64))
    if n_bytes + n > np.iinfo(np.int32).max - JOIN_SLACK:
        raise TokenizerError(
            "the shingles of one block of text take more than 2 GiB",
            advice="use a smaller k for the inner shingles, or shorter documents",
        )
    out = scratch.take(f"joined{key}", n_bytes + n + JOIN_SLACK, np.uint8)
    starts = scratch.take(f"joined-starts{key}", n, np.int32)
    ends = scratch.take(f"joined-ends{key}", n, np.int32)
    written = join_rows(spans.data, spans.base, spans.starts, spans.ends, spans.offsets, out, starts, ends)
    return Spans(read_only(out[:written]), 0, read_only(starts), read_only(ends), spans.offsets)


@dataclass(frozen=True)
class ShingleTokenizer(BlockTokenizer):
    """Every run of ``k`` tokens of another tokenizer, joined by single spaces.

    Parameters
    ----------
    k : int
        Tokens a shingle. A document of fewer tokens gives one shingle of them all; ``k = 0`` gives
        none at all, as in the Rust crate.
    inner : Tokenizer
        Where the tokens come from. Shingles of shingles are possible.

    Notes
    -----
    Tokens are written once; every shingle is a span of that buffer.

    Examples
    --------
    >>> ShingleTokenizer(k=2).tokens("to be or not")
    ['to be', 'be or', 'or not']
    >>> ShingleTokenizer(k=5).name
    'shingle-k=5/word-uax29'
    """

    k: int = 5
    inner: Tokenizer = field(default_factory=WordTokenizer)

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_count("k", self.k))
        check_tokenizer("inner", self.inner)

    @property
    def name(self) -> str:
        """``'shingle-k=<k>/<name of inner>'``."""
        return f"shingle-k={self.k}/{self.inner.name}"

    @property
    def _threadable(self) -> bool:  # type: ignore[override]
        return as_block_tokenizer(self.inner)._threadable

    @property
    def _in_place(self) -> bool:  # type: ignore[override]
        # A shingle of one token is that token.
        return self.k <= 1 and as_block_tokenizer(self.inner)._in_place

    def _block(self, data: Bytes, offsets: Offsets, scratch: Scratch, key: str = "") -> Spans:
        spans = as_block_tokenizer(self.inner)._block(data, offsets, scratch, f"{key}/")
        if self.k == 1:
            return window_spans(spans, 1, scratch, key)
        return window_spans(joined_spans(spans, scratch, key) if self.k else spans, self.k, scratch, key)


@dataclass(frozen=True)
class CharShingleTokenizer(BlockTokenizer):
    """Every run of ``k`` code points, nothing between them.

    Parameters
    ----------
    k : int
        Code points a shingle. A shorter document gives one shingle, ``k = 0`` none at all.

    Examples
    --------
    >>> CharShingleTokenizer(k=3).tokens("héllo")
    ['hél', 'éll', 'llo']
    >>> CharShingleTokenizer(k=3).name
    'char-k=3'
    """

    k: int = 3

    def __post_init__(self) -> None:
        object.__setattr__(self, "k", check_count("k", self.k))

    @property
    def name(self) -> str:
        """``'char-k=<k>'``."""
        return f"char-k={self.k}"

    def _block(self, data: Bytes, offsets: Offsets, scratch: Scratch, key: str = "") -> Spans:
        from ..kernels.graphemes import code_points_rows

        bounds = scratch.take(f"char-bounds{key}", int(offsets[-1] - offsets[0]) + 2, np.int32)
        counts = scratch.take(f"char-offsets{key}", len(offsets), np.int64)
        code_points_rows(data, offsets, bounds, counts)
        n = counts[-1]
        spans = Spans(data, int(offsets[0]), read_only(bounds[:n]), read_only(bounds[1 : n + 1]), read_only(counts))
        return window_spans(spans, self.k, scratch, key)
