"""Canonicalisation of UTF-8 rows: strip, normalise, map, normalise again, in one pass.

Text is copied while its code points are harmless: ASCII 64 bytes at a time, others one by one after
a look at their code (``layout.py``). A code that may interact with its neighbours sends just its
*segment*, from the last code point that begins one to the next, through ``normalize.py``. Dropped
code points are invisible to all of this, so the quick check sees the stripped stream.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from . import layout
from ._jit import helper, kernel, routine
from .decode import decode_sequence, encode_code_point, load_sequence, lookup
from .intrinsics import copy64, load_u64, store_u32, store_u64, trailing_zeros
from .normalize import compose, order_marks, replace_sequences

OUT_SLACK = 128  # bytes of ``out`` that a kernel may overwrite past the text, and wants free before a step

_PLAIN, _PLAIN_FORWARD = layout.PLAIN, layout.PLAIN_FORWARD
_DROP_FORMAT, _DROP_BIDI = layout.DROP_FORMAT, layout.DROP_BIDI
_MAYBE, _MAYBE_FORWARD = layout.MAYBE, layout.MAYBE_FORWARD
_MARK, _MAYBE_MARK, _MAPPED = layout.MARK, layout.MAYBE_MARK, layout.MAPPED
_LENGTH, _TANGLED = layout.REPLACEMENT_LENGTH, layout.REPLACEMENT_TANGLED
_OFFSET_SHIFT = layout.REPLACEMENT_OFFSET_SHIFT
_LANES = 64
_UNORDERED = 255  # a "last combining class" that no mark may follow without the full algorithm


class Tables(NamedTuple):
    """Everything a pipeline looks up: the quick codes first, then what the full algorithm needs."""

    codes: Any  # uint16 trie
    words: Any  # uint64: first 8 bytes of each replacement
    descriptions: Any  # uint32
    pool: Any  # uint8: the long replacements
    combining_class: Any  # uint16 trie
    decomposition: Any  # uint16 trie of sequence numbers
    mapping: Any  # uint16 trie of sequence numbers
    sequence_offsets: Any  # int64
    sequences: Any  # uint32
    composition_keys: Any  # uint64, sorted
    composition_values: Any  # uint32


class Options(NamedTuple):
    """What a pipeline does; plain integers, so that one compiled kernel serves all."""

    drop_format: int
    drop_bidi: int
    ascii_copies: int  # 1: ASCII needs no table
    case_bit: int  # 0x20: ASCII letters are lower-cased, 0: kept
    composes: int
    maps: int  # 1: map, then normalise again


@helper
def _is_dropped(code, options):
    return (code == _DROP_BIDI and (options.drop_bidi | options.drop_format) != 0) or (
        code == _DROP_FORMAT and options.drop_format != 0
    )


@routine
def _normalize(text, n, tables, options):
    decomposed, n = replace_sequences(
        text, n, tables.decomposition, tables.sequence_offsets, tables.sequences, True
    )
    classes = order_marks(decomposed, n, tables.combining_class)
    if options.composes != 0:
        n = compose(decomposed, classes, n, tables.composition_keys, tables.composition_values)
    return decomposed, n


@routine
def _segment_end(data, position, stop, tables, options):
    """End of the segment that begins at ``position``, and how many of its code points are kept."""
    kept = 0
    begin = position
    while position < stop:
        code_point, width = decode_sequence(load_sequence(data, position))
        code = lookup(tables.codes, code_point)
        if not _is_dropped(code, options):
            begins = code < layout.COMPLEX or code >= _MAPPED
            if begins and position > begin:
                break
            kept += 1
        position += width
    return position, kept


@routine
def _rewrite_segment(data, begin, end, kept, tables, options, out, out_position):
    """The full algorithm on one segment. Returns the new ``out`` position, or -1 if it does not fit."""
    text = np.empty(kept, np.uint32)
    n = 0
    position = begin
    while position < end:
        code_point, width = decode_sequence(load_sequence(data, position))
        if not _is_dropped(lookup(tables.codes, code_point), options):
            text[n] = np.uint32(code_point)
            n += 1
        position += width
    text, n = _normalize(text, n, tables, options)
    if options.maps != 0:
        text, n = replace_sequences(text, n, tables.mapping, tables.sequence_offsets, tables.sequences, False)
        text, n = _normalize(text, n, tables, options)
    if out_position + 4 * n + OUT_SLACK > len(out):
        return np.int64(-1)
    for i in range(n):
        out_position = encode_code_point(np.int64(text[i]), out, out_position)
    return out_position


@helper
def _copy_replacement(tables, number, out, position):
    """Write replacement ``number``; returns (position after it, whether it is tangled)."""
    description = np.int64(tables.descriptions[number])
    length = description & _LENGTH
    if length <= 8:
        store_u64(out, position, tables.words[number])
    else:
        offset = description >> _OFFSET_SHIFT
        for byte in range(0, length, 8):
            store_u64(out, position + byte, load_u64(tables.pool, offset + byte))
    return position + length, (description & _TANGLED) != 0


@routine
def _canonicalize_row(data, position, stop, tables, options, out, out_position):
    """One document. Returns the new ``out`` position, or -1 if ``out`` is too small."""
    n_data = len(data)
    limit = len(out) - OUT_SLACK
    case_bit = np.uint8(options.case_bit)
    begin, out_begin = position, out_position  # of the current segment
    last_class = 0  # combining class of the last code point written
    previous = _PLAIN  # PLAIN only if nothing composes with the last starter
    while position < stop:
        if out_position > limit:
            return np.int64(-1)
        if data[position] < 0x80 and options.ascii_copies != 0:
            if position + _LANES <= n_data:
                beyond = copy64(data, position, out, out_position, case_bit)
                run = min(trailing_zeros(beyond), stop - position)
            else:
                byte = data[position]
                if np.uint8(byte - np.uint8(65)) < np.uint8(26):
                    byte |= case_bit
                out[out_position] = byte
                run = 1
            position += run
            out_position += run
            begin, out_begin = position - 1, out_position - 1
            last_class, previous = 0, _PLAIN_FORWARD
            continue
        word = load_sequence(data, position)
        code_point, width = decode_sequence(word)
        code = lookup(tables.codes, code_point)
        if code <= _PLAIN_FORWARD:
            begin, out_begin = position, out_position
            last_class, previous = 0, code
        elif code >= _MAPPED:
            begin, out_begin = position, out_position
            out_position, tangled = _copy_replacement(tables, code - _MAPPED, out, out_position)
            position += width
            last_class, previous = (_UNORDERED if tangled else 0), _PLAIN_FORWARD
            continue
        elif code <= _DROP_BIDI:
            if _is_dropped(code, options):
                position += width
                continue
            begin, out_begin = position, out_position
            last_class, previous = 0, _PLAIN
        elif _MARK <= code < _MAYBE_MARK and code - _MARK >= last_class:
            last_class = code - _MARK
        elif previous == _PLAIN and last_class == 0 and code >= _MAYBE:
            if code >= _MAYBE_MARK:
                last_class = code - _MAYBE_MARK
            elif code == _MAYBE_FORWARD:
                previous = _PLAIN_FORWARD
        else:
            position, kept = _segment_end(data, begin, stop, tables, options)
            out_position = _rewrite_segment(data, begin, position, kept, tables, options, out, out_begin)
            if out_position < 0:
                return out_position
            begin, out_begin = position, out_position
            last_class, previous = _UNORDERED, _PLAIN_FORWARD
            continue
        store_u32(out, out_position, np.uint32(word))
        position += width
        out_position += width
    return out_position


@kernel
def canonicalize_rows(data, offsets, row, tables, options, out, out_offsets):
    """Canonicalise rows ``row`` and following into ``out``.

    Parameters
    ----------
    data : uint8[:], read-only
        Valid UTF-8.
    offsets : int64[n + 1], read-only
        Row ``i`` is ``data[offsets[i]:offsets[i + 1]]``.
    row : int
        First row to do; ``out_offsets[row]`` says where it is written.
    tables, options : Tables, Options
    out : uint8[:]
        Needs ``OUT_SLACK`` bytes more than the text written.
    out_offsets : int64[n + 1]
        Written from ``row + 1`` on.

    Returns
    -------
    int
        The row that did not fit into ``out``, or ``n`` when all are done.

    Notes
    -----
    Oracle: ``tests/oracles/canonical.py``.
    """
    n_rows = len(offsets) - 1
    while row < n_rows:
        out_position = _canonicalize_row(
            data, offsets[row], offsets[row + 1], tables, options, out, out_offsets[row]
        )
        if out_position < 0:
            return row
        row += 1
        out_offsets[row] = out_position
    return row
