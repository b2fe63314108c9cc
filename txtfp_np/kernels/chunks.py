"""Which words and which units (sentences or paragraphs) make a chunk, and the text of chunks.

A chunk is a record of four numbers: words ``first:last``, then units ``first:last``, both counted over a
whole block. Everything is written one after another with a separator in between.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine

_RATIO = np.float32(1.3)  # the crate's guess of tokens a word

RECORD = 4
FIRST_WORD = 0
LAST_WORD = 1
FIRST_UNIT = 2
LAST_UNIT = 3


@helper
def _estimate(n_words):
    return np.int64(np.ceil(np.float32(n_words) * _RATIO))


@helper
def _put(records, n, first_word, last_word, first_unit, last_unit):
    records[n, FIRST_WORD], records[n, LAST_WORD] = first_word, last_word
    records[n, FIRST_UNIT], records[n, LAST_UNIT] = first_unit, last_unit
    return n + 1


@routine
def _windows(first, last, size, overlap, records, n):
    """Windows of ``size`` words, up to the one that touches the end."""
    stride = size - min(overlap, size - 1)
    while first < last:
        n = _put(records, n, first, min(first + size, last), 0, 0)
        if first + size >= last:
            break
        first += stride
    return n


@kernel
def plan_windows(word_offsets, size, overlap, records, chunk_offsets):
    """Windows of words over every document.

    Parameters
    ----------
    word_offsets : int64[n + 1], read-only
        Words of a document.
    size, overlap : int64
        Words of a window, at least 1, and words that it shares with the next one.
    records : int64[:, 4]
        Written; one place a word is enough.
    chunk_offsets : int64[n + 1]
        Written: chunks of a document.

    Notes
    -----
    Oracle: ``tests/oracles/sentences.py``.
    """
    n = np.int64(0)
    chunk_offsets[0] = 0
    for row in range(len(word_offsets) - 1):
        n = _windows(word_offsets[row], word_offsets[row + 1], size, overlap, records, n)
        chunk_offsets[row + 1] = n


@kernel
def plan_sentences(unit_offsets, word_offsets, max_tokens, size, overlap, records, chunk_offsets):
    """Whole sentences up to ``max_tokens``; one that is longer is cut into windows of words.

    Parameters
    ----------
    unit_offsets : int64[n + 1], read-only
        Sentences of a document.
    word_offsets : int64[n_units + 1], read-only
        Words of a sentence.
    max_tokens : int64
        In estimated tokens.
    size, overlap : int64
        In words, as in :func:`plan_windows`.
    records : int64[:, 4]
        Written; one place a word and one a sentence are enough.
    chunk_offsets : int64[n + 1]
        Written: chunks of a document.

    Notes
    -----
    Oracle: ``tests/oracles/sentences.py``.
    """
    n = np.int64(0)
    chunk_offsets[0] = 0
    for row in range(len(unit_offsets) - 1):
        first_unit = last_unit = unit_offsets[row]
        first_word = last_word = word_offsets[first_unit]  # repeated from the chunk before
        held = np.int64(0)
        for unit in range(unit_offsets[row], unit_offsets[row + 1]):
            begin, end = word_offsets[unit], word_offsets[unit + 1]
            tokens = _estimate(end - begin)
            if tokens > max_tokens:
                if last_unit > first_unit:
                    n = _put(records, n, first_word, last_word, first_unit, last_unit)
                n = _windows(begin, end, size, overlap, records, n)
                first_unit = last_unit = unit + 1
                first_word = last_word = end
                held = np.int64(0)
                continue
            if last_unit > first_unit and held + tokens > max_tokens:
                n = _put(records, n, first_word, last_word, first_unit, last_unit)
                first_word, last_word = max(first_word, begin - overlap), begin
                first_unit = unit
                held = _estimate(last_word - first_word)
            last_unit = unit + 1
            held += tokens
        if last_unit > first_unit:
            n = _put(records, n, first_word, last_word, first_unit, last_unit)
        chunk_offsets[row + 1] = n


@kernel
def plan_paragraphs(unit_offsets, word_offsets, max_tokens, records, too_long, chunk_offsets):
    """Whole paragraphs up to ``max_tokens``; one that is longer gets a record of its own and a mark.

    Parameters
    ----------
    unit_offsets, word_offsets, max_tokens
        As in :func:`plan_sentences`, of paragraphs.
    records : int64[:, 4]
        Written; one place a paragraph is enough.
    too_long : bool[:]
        Written, for each record.
    chunk_offsets : int64[n + 1]
        Written: records of a document.

    Notes
    -----
    Oracle: ``tests/oracles/sentences.py``.
    """
    n = np.int64(0)
    chunk_offsets[0] = 0
    for row in range(len(unit_offsets) - 1):
        first = unit_offsets[row]
        held = np.int64(0)
        for unit in range(unit_offsets[row], unit_offsets[row + 1]):
            tokens = _estimate(word_offsets[unit + 1] - word_offsets[unit])
            if unit > first and held + tokens > max_tokens:
                too_long[n] = False
                n = _put(records, n, 0, 0, first, unit)
                first, held = unit, np.int64(0)
            if tokens > max_tokens:
                too_long[n] = True
                n = _put(records, n, 0, 0, unit, unit + 1)
                first = unit + 1
            else:
                held += tokens
        if first < unit_offsets[row + 1]:
            too_long[n] = False
            n = _put(records, n, 0, 0, first, unit_offsets[row + 1])
        chunk_offsets[row + 1] = n


@kernel
def chunk_sizes(records, word_starts, word_ends, unit_offsets, separator, out):
    """Bytes of every chunk; arguments as in :func:`write_chunks`.

    Notes
    -----
    Oracle: ``tests/oracles/sentences.py``.
    """
    for chunk in range(len(records)):
        first_word, last_word = records[chunk, FIRST_WORD], records[chunk, LAST_WORD]
        first_unit, last_unit = records[chunk, FIRST_UNIT], records[chunk, LAST_UNIT]
        n_bytes = unit_offsets[last_unit] - unit_offsets[first_unit]
        for word in range(first_word, last_word):
            n_bytes += word_ends[word] - word_starts[word]
        out[chunk] = n_bytes + (last_word - first_word + last_unit - first_unit - 1) * len(separator)


@helper
def _append(data, begin, end, separator, is_first, out, position):
    if not is_first:
        for byte in range(len(separator)):
            out[position + byte] = separator[byte]
        position += len(separator)
    for byte in range(end - begin):
        out[position + byte] = data[begin + byte]
    return position + end - begin


@kernel
def write_chunks(data, records, word_starts, word_ends, unit_offsets, separator, chunk_offsets, out):
    """Text of chunks.

    Parameters
    ----------
    data : uint8[:], read-only
        All units, one after another, and nothing else.
    records : int64[n, 4], read-only
    word_starts, word_ends : int32[:], read-only
        Of all words in ``data``.
    unit_offsets : int64[n_units + 1], read-only
        Of all units in ``data``.
    separator : uint8[:], read-only
    chunk_offsets : int64[n + 1], read-only
        Sums of :func:`chunk_sizes`.
    out : uint8[:]
        Written.

    Notes
    -----
    Oracle: ``tests/oracles/sentences.py``.
    """
    for chunk in range(len(records)):
        position = chunk_offsets[chunk]
        is_first = True
        for word in range(records[chunk, FIRST_WORD], records[chunk, LAST_WORD]):
            begin, end = np.int64(word_starts[word]), np.int64(word_ends[word])
            position = _append(data, begin, end, separator, is_first, out, position)
            is_first = False
        for unit in range(records[chunk, FIRST_UNIT], records[chunk, LAST_UNIT]):
            begin, end = unit_offsets[unit], unit_offsets[unit + 1]
            position = _append(data, begin, end, separator, is_first, out, position)
            is_first = False
