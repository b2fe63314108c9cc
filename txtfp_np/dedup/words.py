"""The words of a text where they stand in it, and what the fingerprinter takes them for."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..columns import TextColumn
from ..columns.checks import gather, read_only
from ..sketch.base import SketchFingerprinter
from ..tokenize import CharShingleTokenizer, GraphemeTokenizer, ShingleTokenizer, WordTokenizer

Unit = tuple[int, int, str]

_RUN = re.compile(rb"[^\t-\r ]+")


class Units(NamedTuple):
    """Words of a text; number ``u`` is ``data[starts[u]:ends[u]]``, and counts as ``keys[u]``."""

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    keys: list[str]


def unit_tokenizer(fingerprinter: SketchFingerprinter) -> WordTokenizer | GraphemeTokenizer:
    """What a text is cut into to be compared: graphemes if shingles are made of these or of characters."""
    tokenizer: Any = fingerprinter.tokenizer
    while isinstance(tokenizer, ShingleTokenizer):
        tokenizer = tokenizer.inner
    return GraphemeTokenizer() if isinstance(tokenizer, (GraphemeTokenizer, CharShingleTokenizer)) else WordTokenizer()


def find_units(data: bytes, canonicalizer: Canonicalizer, tokenizer: WordTokenizer | GraphemeTokenizer) -> Units:
    """Units of a UTF-8 text as it was written.

    A word of the canonical text is sought in the original: usually the words of both correspond one by one.
    Where they do not, several words of the original may be one (an invisible character in a word); if that
    does not explain it, what stands between two spaces is one unit.
    """
    text = TextColumn.from_buffers(data, [0, len(data)])
    column = tokenizer.tokens(text)
    starts, ends = column.starts.astype(np.int64), column.ends.astype(np.int64)
    keys = list(_spelled(data, starts, ends, canonicalizer))
    if keys == tokenizer.tokens(canonicalizer.canonicalize(text))[0]:
        return Units(data, starts, ends, keys)
    runs = np.array([match.span() for match in _RUN.finditer(data)], np.int64).reshape(-1, 2)
    canonical = tokenizer.tokens(_spelled(data, runs[:, 0].copy(), runs[:, 1].copy(), canonicalizer)).to_list()
    firsts = np.searchsorted(starts, np.append(runs[:, 0], len(data))).tolist()
    units: list[Unit] = []
    for number, ((start, end), tokens) in enumerate(zip(runs.tolist(), canonical, strict=True)):
        mine = slice(firsts[number], firsts[number + 1])
        spans = list(zip(starts[mine].tolist(), ends[mine].tolist(), keys[mine], strict=True))
        if tokens:
            units += _joined(spans, tokens) or [(start, end, " ".join(tokens))]
    placed = np.array([unit[:2] for unit in units], np.int64).reshape(-1, 2)
    return Units(data, placed[:, 0], placed[:, 1], [unit[2] for unit in units])


def _joined(spans: list[Unit], tokens: list[str]) -> list[Unit]:
    """Spans put together to these tokens, in order; none if that cannot be."""
    units: list[Unit] = []
    begin, written = 0, ""
    for start, end, key in spans:
        if not written:
            begin = start
        written += key or ""
        if len(units) < len(tokens) and written == tokens[len(units)]:
            units.append((begin, end, written))
            written = ""
    return units if len(units) == len(tokens) and not written else []


def _spelled(
    data: bytes, starts: NDArray[np.int64], ends: NDArray[np.int64], canonicalizer: Canonicalizer
) -> TextColumn:
    pieces, offsets = gather(read_only(np.frombuffer(data, np.uint8)), starts, ends)
    return canonicalizer.canonicalize(TextColumn._trusted(pieces, offsets))
