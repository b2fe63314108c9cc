"""The stages before a sketch, each done once for a block however many sketches ask for it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..canonical.pipeline import canonicalize_block
from ..columns import Scratch, TextColumn
from ..tokenize.base import Spans, Tokenizer
from ..tokenize.callables import as_block_tokenizer
from .hashing import Hasher, Words

Text = tuple[NDArray[np.uint8], NDArray[np.int64]]


class Hashes(NamedTuple):
    """Hashes of a block's tokens; document ``i`` has ``offsets[i]:offsets[i + 1]``."""

    low: Words
    high: Words
    offsets: NDArray[np.int64]


class BlockStages:
    """Canonical text, tokens and hashes of one block, made when first asked for."""

    def __init__(self, block: TextColumn, scratch: Scratch) -> None:
        self.block = block
        self.scratch = scratch
        # Short lists, searched by "is" before "==": hashing configurations takes longer than a short text.
        self._canonical: list[tuple[Canonicalizer, Text]] = []
        self._spans: list[tuple[Canonicalizer, Tokenizer, Spans]] = []
        self._hashes: list[tuple[Canonicalizer, Tokenizer, Hasher, Hashes]] = []

    def canonical(self, canonicalizer: Canonicalizer) -> Text:
        """Canonical text as ``(data, offsets)``."""
        for known, text in self._canonical:
            if _same(known, canonicalizer):
                return text
        key = f"#{len(self._canonical)}"
        text = canonicalize_block(self.block.data, self.block.offsets, canonicalizer.passes, self.scratch, key)
        self._canonical.append((canonicalizer, text))
        return text

    def spans(self, canonicalizer: Canonicalizer, tokenizer: Tokenizer) -> Spans:
        """Tokens of the canonical text."""
        for known, known_tokenizer, spans in self._spans:
            if _same(known, canonicalizer) and _same(known_tokenizer, tokenizer):
                return spans
        data, offsets = self.canonical(canonicalizer)
        spans = as_block_tokenizer(tokenizer)._block(data, offsets, self.scratch, f"#{len(self._spans)}")
        self._spans.append((canonicalizer, tokenizer, spans))
        return spans

    def hashes(self, canonicalizer: Canonicalizer, tokenizer: Tokenizer, hasher: Hasher) -> Hashes:
        """128-bit hashes of the tokens."""
        for known, known_tokenizer, known_hasher, hashes in self._hashes:
            if _same(known, canonicalizer) and _same(known_tokenizer, tokenizer) and known_hasher == hasher:
                return hashes
        spans = self.spans(canonicalizer, tokenizer)
        low, high = hasher.hash_spans(spans, self.scratch, f"#{len(self._hashes)}")
        hashes = Hashes(low, high, spans.offsets)
        self._hashes.append((canonicalizer, tokenizer, hasher, hashes))
        return hashes


def _same(one: object, other: object) -> bool:
    return one is other or one == other
