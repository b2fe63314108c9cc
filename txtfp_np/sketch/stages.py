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
        self._canonical: dict[Canonicalizer, tuple[NDArray[np.uint8], NDArray[np.int64]]] = {}
        self._spans: dict[tuple[Canonicalizer, Tokenizer], Spans] = {}
        self._hashes: dict[tuple[Canonicalizer, Tokenizer, Hasher], Hashes] = {}

    def canonical(self, canonicalizer: Canonicalizer) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """Canonical text as ``(data, offsets)``."""
        if canonicalizer not in self._canonical:
            key = f"#{len(self._canonical)}"
            text = canonicalize_block(self.block.data, self.block.offsets, canonicalizer.passes, self.scratch, key)
            self._canonical[canonicalizer] = text
        return self._canonical[canonicalizer]

    def spans(self, canonicalizer: Canonicalizer, tokenizer: Tokenizer) -> Spans:
        """Tokens of the canonical text."""
        wanted = canonicalizer, tokenizer
        if wanted not in self._spans:
            data, offsets = self.canonical(canonicalizer)
            key = f"#{len(self._spans)}"
            self._spans[wanted] = as_block_tokenizer(tokenizer)._block(data, offsets, self.scratch, key)
        return self._spans[wanted]

    def hashes(self, canonicalizer: Canonicalizer, tokenizer: Tokenizer, hasher: Hasher) -> Hashes:
        """128-bit hashes of the tokens."""
        wanted = canonicalizer, tokenizer, hasher
        if wanted not in self._hashes:
            spans = self.spans(canonicalizer, tokenizer)
            low, high = hasher.hash_spans(spans, self.scratch, f"#{len(self._hashes)}")
            self._hashes[wanted] = Hashes(low, high, spans.offsets)
        return self._hashes[wanted]
