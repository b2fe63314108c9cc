"""Chunks of a block of documents: units (sentences, paragraphs), their words, a plan, the text."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch
from ..columns.checks import gather, read_only
from ..tokenize import WordTokenizer
from ..unicode.frozen import table

Bytes = NDArray[np.uint8]
Offsets = NDArray[np.int64]
Records = NDArray[np.int64]

_SPACE = read_only(np.frombuffer(b" ", np.uint8))
_EMPTY_LINE = read_only(np.frombuffer(b"\n\n", np.uint8))


class Size(NamedTuple):
    """How large a chunk may be: in estimated tokens, in words, and how many words it repeats."""

    max_tokens: int
    words: int
    overlap: int

    @classmethod
    def of(cls, max_tokens: int, overlap: int) -> Size:
        """The crate's arithmetic, in single precision."""
        ratio = np.float32(1.3)
        in_words = [math.floor(np.float32(tokens) / ratio) for tokens in (max_tokens, overlap)]
        return cls(max_tokens, max(1, in_words[0]), in_words[1])


class Chunks(NamedTuple):
    """Chunks of a block: their text, where they stand in it, and how many each document has.

    ``spans`` are bytes from the begin of the block.
    """

    data: Bytes
    offsets: Offsets
    spans: NDArray[np.int64]
    of_document: Offsets


class Units(NamedTuple):
    """Parts of documents, one after another in ``data``, and where they came from."""

    data: Bytes
    offsets: Offsets
    starts: Offsets
    of_document: Offsets

    def __len__(self) -> int:
        return len(self.offsets) - 1


class _Words(NamedTuple):
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]
    of_unit: Offsets


def sentences_of(data: Bytes, offsets: Offsets, every: bool = False) -> Units:
    """Sentences of a block; see the kernel for ``every``."""
    from ..kernels.sentences import sentences_rows

    most = int(offsets[-1] - offsets[0]) + len(offsets)
    starts, ends = np.empty(most, np.int32), np.empty(most, np.int32)
    of_document = np.empty(len(offsets), np.int64)
    sentences_rows(data, offsets, table("sentences"), every, starts, ends, of_document)
    return _units(data, offsets, starts, ends, of_document)


def paragraphs_of(data: Bytes, offsets: Offsets) -> Units:
    """What stands between empty lines, trimmed."""
    from ..kernels.sentences import paragraphs_rows

    most = int(offsets[-1] - offsets[0]) // 3 + len(offsets)
    starts, ends = np.empty(most, np.int32), np.empty(most, np.int32)
    of_document = np.empty(len(offsets), np.int64)
    paragraphs_rows(data, offsets, table("sentences"), starts, ends, of_document)
    return _units(data, offsets, starts, ends, of_document)


def _units(
    data: Bytes, offsets: Offsets, starts: NDArray[np.int32], ends: NDArray[np.int32], of_document: Offsets
) -> Units:
    n = of_document[-1]
    begins = starts[:n].astype(np.int64)
    packed, packed_offsets = gather(data, begins + offsets[0], ends[:n].astype(np.int64) + offsets[0])
    return Units(read_only(packed), read_only(packed_offsets), begins, read_only(of_document))


def _words_of(units: Units) -> _Words:
    spans = WordTokenizer()._block(units.data, units.offsets, Scratch())
    return _Words(read_only(spans.starts), read_only(spans.ends), read_only(spans.offsets))


def fixed_tokens(data: Bytes, offsets: Offsets, size: Size) -> Chunks:
    """Windows of words."""
    from ..kernels.chunks import RECORD, plan_windows

    text = read_only(data[offsets[0] : offsets[-1]])
    bounds = read_only(offsets - offsets[0])
    documents = Units(text, bounds, bounds[:-1], read_only(np.arange(len(offsets))))
    words = _words_of(documents)
    records = np.empty((len(words.starts), RECORD), np.int64)
    of_document = np.empty(len(offsets), np.int64)
    plan_windows(words.of_unit, size.words, size.overlap, records, of_document)
    return _write(documents, words, records[: of_document[-1]], _SPACE, of_document)


def sentence_bounded(data: Bytes, offsets: Offsets, size: Size) -> Chunks:
    """Whole sentences, as many as fit."""
    from ..kernels.chunks import RECORD, plan_sentences

    sentences = sentences_of(data, offsets)
    words = _words_of(sentences)
    records = np.empty((len(words.starts) + len(sentences), RECORD), np.int64)
    of_document = np.empty(len(offsets), np.int64)
    plan_sentences(sentences.of_document, words.of_unit, *size, records, of_document)
    return _write(sentences, words, records[: of_document[-1]], _SPACE, of_document)


def recursive(data: Bytes, offsets: Offsets, size: Size) -> Chunks:
    """Whole paragraphs, as many as fit; longer ones by sentences."""
    from ..kernels.chunks import FIRST_UNIT, RECORD, plan_paragraphs

    paragraphs = paragraphs_of(data, offsets)
    words = _words_of(paragraphs)
    records = np.empty((len(paragraphs), RECORD), np.int64)
    too_long = np.empty(len(paragraphs), np.bool_)
    of_document = np.empty(len(offsets), np.int64)
    plan_paragraphs(paragraphs.of_document, words.of_unit, size.max_tokens, records, too_long, of_document)
    records, too_long = records[: of_document[-1]], too_long[: of_document[-1]]
    whole = _write(paragraphs, words, records[~too_long], _EMPTY_LINE, of_document)
    if not too_long.any():
        return whole

    long = records[too_long, FIRST_UNIT]
    text, bounds = gather(paragraphs.data, paragraphs.offsets[long], paragraphs.offsets[long + 1])
    parts = sentence_bounded(read_only(text), read_only(bounds), size)
    moved = paragraphs.starts[long] - bounds[:-1]
    n_parts = np.diff(parts.of_document)
    part_spans = parts.spans + np.repeat(moved, n_parts)[:, np.newaxis]

    # Chunks of whole paragraphs, then parts of long ones; ``chosen`` brings them into the order of the text.
    n_whole = len(whole.offsets) - 1
    counts = np.ones(len(records), np.int64)
    counts[too_long] = n_parts
    firsts = np.cumsum(~too_long) - 1
    firsts[too_long] = n_whole + parts.of_document[:-1]
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    chosen = np.repeat(firsts, counts) + within
    both = read_only(np.concatenate([whole.data, parts.data]))
    all_offsets = np.concatenate([whole.offsets, parts.offsets[1:] + whole.offsets[-1]])
    text, text_offsets = gather(both, all_offsets[chosen], all_offsets[chosen + 1])
    before = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return Chunks(text, text_offsets, np.concatenate([whole.spans, part_spans])[chosen], before[of_document])


def _write(units: Units, words: _Words, records: Records, separator: Bytes, of_document: Offsets) -> Chunks:
    from ..kernels.chunks import chunk_sizes, write_chunks

    records = read_only(np.ascontiguousarray(records))
    sizes = np.empty(len(records), np.int64)
    chunk_sizes(records, words.starts, words.ends, units.offsets, separator, sizes)
    offsets = np.zeros(len(records) + 1, np.int64)
    np.cumsum(sizes, out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    write_chunks(units.data, records, words.starts, words.ends, units.offsets, separator, read_only(offsets), out)
    return Chunks(out, offsets, _spans(units, words, records), of_document)


def _spans(units: Units, words: _Words, records: Records) -> NDArray[np.int64]:
    """From the first word or unit of a chunk to the end of the last, in bytes of the block."""
    from ..kernels.chunks import FIRST_UNIT, FIRST_WORD, LAST_UNIT, LAST_WORD

    first_word, last_word = records[:, FIRST_WORD], records[:, LAST_WORD]
    first_unit, last_unit = records[:, FIRST_UNIT], records[:, LAST_UNIT]
    has_words, has_units = last_word > first_word, last_unit > first_unit
    begin, end = np.empty(len(records), np.int64), np.empty(len(records), np.int64)
    begin[~has_words] = units.offsets[first_unit[~has_words]]
    begin[has_words] = words.starts[first_word[has_words]]
    end[~has_units] = words.ends[last_word[~has_units] - 1]
    end[has_units] = units.offsets[last_unit[has_units]]
    in_unit = [np.searchsorted(units.offsets, place, side="right") - 1 for place in (begin, end - 1)]
    moved = units.starts - units.offsets[:-1]
    return np.stack([begin + moved[in_unit[0]], end + moved[in_unit[1]]], axis=1)
