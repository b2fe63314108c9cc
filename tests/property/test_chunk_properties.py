"""Chunks of any text, in every mode, by any way of counting.

1. Offsets rise, stay within the text, and lead to the chunk: exactly if tokens are counted.
2. Every letter and every number of the text is in a chunk.
3. Counted chunks keep the limit, unless they are a single word and what follows it.
4. A column gives what its texts give one by one.
"""

import zlib
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st

import txtfp_np as tx

PIECES = [
    "a",
    "B",
    "1",
    ".",
    "!",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\r\n",
    "\r\n\r\n",
    "\t",
    "\u2028",
    "Mr. ",
    "can't ",
    "é",
    "e\u0301",
]
PIECES += [
    "日本。",
    "다.그",
    "𝒜",
    "😀",
    "👩\u200d👩",
    "\u200b",
    "\u00ad",
    "\x1f",
    "\x00",
    "ß",
    "(",
    '"',
    "...",
    "word " * 20,
    "x" * 50,
]
TEXTS = st.lists(st.sampled_from(PIECES), max_size=60).map("".join) | st.text(max_size=80)
COUNTS = {
    "none": None,
    "characters": len,
    "words": lambda text: len(text.split()),
    "bytes": lambda text: 2 + -(-len(text.encode()) // 3),
    "nothing": lambda text: 0,
    "much": lambda text: 10**9,
    "at random": lambda text: zlib.crc32(text.encode()) % 40,
    "NumPy": lambda text: np.int32(len(text)),
}


@settings(max_examples=150, deadline=None)
@given(
    texts=st.lists(TEXTS, min_size=1, max_size=4),
    max_tokens=st.integers(1, 40),
    overlap=st.integers(0, 60),
    mode=st.sampled_from(list(tx.ChunkMode)),
    count=st.sampled_from(sorted(COUNTS)),
)
def test_chunks(texts, max_tokens, overlap, mode, count):
    count_tokens = COUNTS[count]
    strategy = tx.ChunkingStrategy(max_tokens=max_tokens, overlap=overlap, mode=mode, count_tokens=count_tokens)
    chunks, offsets = tx.chunk_for_model(texts, strategy, return_offsets=True)
    assert offsets.shape == (chunks.counts.sum(), 2)
    place = 0
    for row, text in enumerate(texts):
        own = chunks[row]
        spans = offsets[place : place + len(own)].tolist()
        place += len(own)
        alone, alone_spans = tx.chunk_for_model(text, strategy, return_offsets=True)
        assert (alone, alone_spans.tolist()) == (own, spans)
        assert all(0 <= begin < end <= len(text) for begin, end in spans)
        words = tx.WordTokenizer().tokens(text)
        covered = set()
        for begin, end in spans:
            covered.update(range(begin, end))
        seen = 0
        for word in words:
            seen = text.index(word, seen)
            assert covered.issuperset(range(seen, seen + len(word)))
            seen += len(word)
        for (begin, end), (next_begin, next_end) in pairwise(spans):
            assert begin <= next_begin
            assert end <= next_end
        if count_tokens is None:
            continue
        assert [text[begin:end] for begin, end in spans] == own
        for chunk in own:
            assert count_tokens(chunk) <= max_tokens or len(tx.WordTokenizer().tokens(chunk)) <= 1
