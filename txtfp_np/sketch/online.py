"""Tokens of a text that is still growing, in memory that does not grow with it.

Text flows through the same stages as a block does. Each stage keeps back what the next bytes could
still change: the canonicaliser its last segment, the tokenizer its last token, shingles their last
``k - 1`` tokens. What they let go is what the offline call would have given.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..canonical.pipeline import Pass, canonicalize_block
from ..columns import Scratch
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError
from ..tokenize import CharShingleTokenizer, GraphemeTokenizer, ShingleTokenizer, Tokenizer, WordTokenizer
from ..tokenize.base import BlockTokenizer, Spans
from ..tokenize.shingle import joined_spans, window_spans
from ..unicode.frozen import table

#: A token, or a run of combining marks, that is longer than this cannot be taken online.
MOST_HELD_BYTES = 16 * 1024 * 1024


def _array(data: bytes) -> NDArray[np.uint8]:
    return read_only(np.frombuffer(data, np.uint8))


def whole(data: NDArray[Any]) -> NDArray[np.int64]:
    """Offsets that make ``data`` one document."""
    return read_only(np.array([0, len(data)], np.int64))


def _check_held(held: bytes, what: str) -> None:
    if len(held) > MOST_HELD_BYTES:
        raise InvalidInputError(
            f"{what} is longer than {MOST_HELD_BYTES} bytes",
            argument="chunk",
            advice="no boundary was found in it; raise max_bytes to buffer the document as a whole",
        )


class OnlineCanonicalizer:
    """Canonical text, as far as it is settled."""

    def __init__(self, canonicalizer: Canonicalizer) -> None:
        self.passes = canonicalizer.passes
        self.held = [b"" for _ in self.passes]

    def push(self, data: bytes, final: bool) -> bytes:
        """Take more text; give what it settles."""
        for number, step in enumerate(self.passes):
            data = self._push_pass(number, step, self.held[number] + data, final)
        return data

    def _push_pass(self, number: int, step: Pass, data: bytes, final: bool) -> bytes:
        from ..kernels.online import last_segment_begin

        text = _array(data)
        cut = len(data) if final else int(last_segment_begin(text, table(f"{step.pipeline}.codes")))
        self.held[number] = data[cut:]
        _check_held(self.held[number], "a run of combining marks")
        settled = text[:cut]
        out, _ = canonicalize_block(settled, whole(settled), (step,), Scratch())
        return out.tobytes()


class OnlineTokens(ABC):
    """Tokens, as far as they are settled."""

    @abstractmethod
    def push(self, data: bytes, final: bool) -> Spans:
        """Take more canonical text; give the tokens that it settles."""

    @property
    @abstractmethod
    def held_bytes(self) -> int:
        """Bytes kept back."""


class _Segments(OnlineTokens):
    """Words or graphemes."""

    def __init__(self, tokenizer: BlockTokenizer, trie: str, transitions: NDArray[Any]) -> None:
        self.tokenizer, self.trie, self.transitions = tokenizer, trie, read_only(transitions)
        self.held = b""

    def push(self, data: bytes, final: bool) -> Spans:
        from ..kernels.online import open_segment_begin

        data = self.held + data
        text = _array(data)
        cut = len(data) if final else int(open_segment_begin(text, table(self.trie), self.transitions))
        self.held = data[cut:]
        _check_held(self.held, "a single token")
        settled = text[:cut]
        return self.tokenizer._block(settled, whole(settled), Scratch())

    @property
    def held_bytes(self) -> int:
        return len(self.held)


class _CodePoints(OnlineTokens):
    """Single code points: nothing can change them."""

    def push(self, data: bytes, final: bool) -> Spans:
        text = _array(data)
        return CharShingleTokenizer(1)._block(text, whole(text), Scratch())

    @property
    def held_bytes(self) -> int:
        return 0


class _Windows(OnlineTokens):
    """Runs of ``k`` tokens of another source; the last ``k - 1`` are kept for the next runs."""

    def __init__(self, k: int, inner: OnlineTokens, spaced: bool) -> None:
        self.k, self.inner, self.spaced = k, inner, spaced
        self.tail: list[bytes] = []
        self.n_given = 0

    def push(self, data: bytes, final: bool) -> Spans:
        spans = self._with_tail(self.inner.push(data, final))
        n = len(spans.starts)
        last_word = final and self.n_given == 0  # of a document with fewer than k tokens: one run of all
        keep = 0 if self.k == 0 else min(n, self.k - 1)
        raw = spans.data.tobytes()
        ends = zip(spans.starts[n - keep :].tolist(), spans.ends[n - keep :].tolist(), strict=True)
        self.tail = [raw[spans.base + start : spans.base + end] for start, end in ends]
        if sum(map(len, self.tail)) > MOST_HELD_BYTES:
            raise InvalidInputError(
                f"{self.k - 1} tokens are longer than {MOST_HELD_BYTES} bytes",
                argument="chunk",
                advice="use a smaller k, or raise max_bytes to buffer the document as a whole",
            )
        if self.k == 0 or (n < self.k and not last_word):
            return _no_spans()
        if self.spaced and self.k > 1:
            spans = joined_spans(spans, Scratch(), "")
        windows = window_spans(spans, self.k, Scratch(), "")
        self.n_given += len(windows.starts)
        return windows

    def _with_tail(self, spans: Spans) -> Spans:
        if not self.tail:
            return spans
        lengths = np.array([len(token) for token in self.tail])
        ends = np.cumsum(lengths)
        shift = int(ends[-1])
        text = spans.data[spans.base :]
        return Spans(
            read_only(np.concatenate([np.frombuffer(b"".join(self.tail), np.uint8), text])),
            0,
            read_only(np.concatenate([ends - lengths, spans.starts + shift]).astype(np.int32)),
            read_only(np.concatenate([ends, spans.ends + shift]).astype(np.int32)),
            read_only(np.array([0, len(self.tail) + len(spans.starts)], np.int64)),
        )

    @property
    def held_bytes(self) -> int:
        return self.inner.held_bytes + sum(map(len, self.tail))


def _no_spans() -> Spans:
    nothing = read_only(np.empty(0, np.int32))
    return Spans(_array(b""), 0, nothing, nothing, read_only(np.zeros(2, np.int64)))


def online_tokens(tokenizer: Tokenizer) -> OnlineTokens:
    """The online form of a tokenizer."""
    from ..kernels.segment_rules import grapheme_transitions, word_transitions

    if isinstance(tokenizer, WordTokenizer):
        return _Segments(tokenizer, "words", word_transitions())
    if isinstance(tokenizer, GraphemeTokenizer):
        return _Segments(tokenizer, "graphemes", grapheme_transitions())
    if isinstance(tokenizer, CharShingleTokenizer):
        return _Windows(tokenizer.k, _CodePoints(), spaced=False)
    if isinstance(tokenizer, ShingleTokenizer):
        return _Windows(tokenizer.k, online_tokens(tokenizer.inner), spaced=True)
    raise ConfigError(
        f"the tokenizer {tokenizer.name!r} needs the whole document",
        argument="max_bytes",
        advice="give a number of bytes: the document is buffered then",
    )
