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
from .decode import classify, code_point_starts, decode_sequence, encode_code_point, encode_word, load_sequence
from .intrinsics import copy64, load_u64, store_u32, store_u64, trailing_zeros
from .normalize import (
    DECOMPOSITION,
    MAPPING,
    N_COUNTERS,
    N_PARTS,
    SPARE,
    TEXT,
    compose,
    compose_pair,
    order_marks,
    replace_sequences,
    replaced_length,
)

OUT_FULL, WORK_FULL = np.int64(-1), np.int64(-2)  # what has to grow before a row can be done
OUT_SLACK = 1024  # bytes of ``out`` that a kernel wants free before a step: 64 bytes of text, replaced

_PLAIN, _PLAIN_FORWARD = layout.PLAIN, layout.PLAIN_FORWARD
_DROP_FORMAT, _DROP_BIDI = layout.DROP_FORMAT, layout.DROP_BIDI
_MAYBE, _MAYBE_FORWARD = layout.MAYBE, layout.MAYBE_FORWARD
_COMPLEX = layout.COMPLEX
_MARK, _MAYBE_MARK, _MAPPED = layout.MARK, layout.MAYBE_MARK, layout.MAPPED
_LENGTH, _TANGLED = layout.REPLACEMENT_LENGTH, layout.REPLACEMENT_TANGLED
_OFFSET_SHIFT = layout.REPLACEMENT_OFFSET_SHIFT
_LANES = 64
_ONE = np.uint64(1)
_TWO = np.uint64(3)  # the first two bytes of a window
_NOT_LAST = np.uint64(0x7FFFFFFFFFFFFFFF)
_MOST_EXPANSION = 18  # code points that one becomes at the most: U+FDFA decomposed, U+FDFA's prototype
WORK_SIZE = N_PARTS * 1024 + N_COUNTERS
_UNORDERED = 255  # a "last combining class" that no mark may follow without the full algorithm


class Tables(NamedTuple):
    """Everything a pipeline looks up."""

    codes: Any  # uint16 UTF-8 trie: the quick codes
    words: Any  # uint64: first 8 bytes of each replacement
    descriptions: Any  # uint32
    pool: Any  # uint8: the long replacements
    full: Any  # uint32: what the full algorithm needs, see normalize.py


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


@helper
def _lacks_room(work, part, n, full, table, room):
    """Whether replacing ``n`` code points may overrun a part of ``work``."""
    return _MOST_EXPANSION * n > room and replaced_length(work, part * room, n, full, table) > room


@routine
def _normalize(work, n, full, composes, room):
    """Normalise the first part of ``work`` by way of the second. Returns the length, or -1: no room."""
    if _lacks_room(work, TEXT, n, full, DECOMPOSITION, room):
        return np.int64(-1)
    n = replace_sequences(work, TEXT * room, n, full, DECOMPOSITION, SPARE * room)
    order_marks(work, SPARE * room, n, full, room)
    if composes != 0:
        n = compose(work, SPARE * room, n, full, room)
    for i in range(n):
        work[i] = work[SPARE * room + i]
    return n


@routine
def _rewrite_segment(data, begin, stop, codes, full, options, work, out, out_position):
    """The full algorithm on the segment that begins at ``begin``.

    Returns (its end, the new ``out`` position), the latter ``OUT_FULL`` or ``WORK_FULL`` on failure.
    """
    room = (len(work) - N_COUNTERS) // N_PARTS
    position, n = begin, np.int64(0)
    while position < stop:
        word = load_sequence(data, position)
        code, width = classify(codes, word)
        if not _is_dropped(code, options):
            if position > begin and (code < _COMPLEX or code >= _MAPPED):
                break  # the next segment
            if n == room:
                return position, WORK_FULL
            work[np.uint64(n)] = np.uint32(decode_sequence(word)[0])
            n += 1
        position += width
    n = _normalize(work, n, full, options.composes, room)
    if n >= 0 and options.maps != 0:
        if _lacks_room(work, TEXT, n, full, MAPPING, room):
            return position, WORK_FULL
        n = replace_sequences(work, TEXT * room, n, full, MAPPING, SPARE * room)
        for i in range(n):
            work[i] = work[SPARE * room + i]
        n = _normalize(work, n, full, options.composes, room)
    if n < 0:
        return position, WORK_FULL
    if out_position + 4 * n + OUT_SLACK > len(out):
        return position, OUT_FULL
    for i in range(n):
        out_position = encode_code_point(np.int64(work[np.uint64(i)]), out, out_position)
    return position, out_position


@routine
def _compose_behind(data, begin, known, known_end, position, full):
    """What the starter at ``begin`` and the mark at ``position`` compose to, or -1.

    ``known`` is what the starter and the marks up to ``known_end`` have already become, or -1. Nothing
    may stand between it and the mark.
    """
    if known < 0:
        known, width = decode_sequence(load_sequence(data, begin))
        known_end = begin + width
    if known_end != position:
        return np.int64(-1)
    return compose_pair(known, decode_sequence(load_sequence(data, position))[0], full)


@routine
def _canonicalize_row(data, position, stop, tables, options, work, out, out_position):
    """One document. Returns the new ``out`` position, or ``OUT_FULL`` or ``WORK_FULL``."""
    limit = len(out) - OUT_SLACK
    vector_stop = len(data) - _LANES if options.ascii_copies != 0 else np.int64(-1)
    codes, words, descriptions, pool, full = tables
    case_bit = np.uint8(options.case_bit)
    begin, out_begin = position, out_position  # of the current segment
    composite, composite_begin, composite_end = np.int64(0), np.int64(-1), np.int64(0)  # the last one made
    last_class = 0  # combining class of the last code point written
    previous = _PLAIN  # PLAIN only if nothing composes with the last starter
    while position < stop:
        if out_position > limit:
            return OUT_FULL
        starts = code_point_starts(data, position, stop)
        if position <= vector_stop:
            beyond = copy64(data, position, out, out_position, case_bit)
            if beyond & _TWO == np.uint64(0):
                run = min(trailing_zeros(beyond), stop - position)
                position += run
                out_position += run
                begin, out_begin = position - 1, out_position - 1
                last_class, previous = 0, _PLAIN_FORWARD
                continue
            # One by one up to the next two ASCII bytes: a lone separator between words of another
            # script is not worth a vector.
            pairs = ~(beyond | (beyond >> _ONE)) & _NOT_LAST
            starts &= (pairs & (np.uint64(0) - pairs)) - _ONE
        window = position
        while starts != np.uint64(0):
            position = window + trailing_zeros(starts)
            starts &= starts - _ONE
            word = load_sequence(data, position)
            code, width = classify(codes, word)
            if code <= _PLAIN_FORWARD:
                begin, out_begin = position, out_position
                last_class, previous = 0, code
            elif code >= _MAPPED:
                begin, out_begin = position, out_position
                number = np.uint64(code - _MAPPED)
                description = np.int64(descriptions[number])
                length = description & _LENGTH
                store_u64(out, out_position, words[number])
                if length > 8:
                    offset = description >> _OFFSET_SHIFT
                    for byte in range(8, length, 8):
                        store_u64(out, out_position + byte, load_u64(pool, offset + byte))
                position += width
                out_position += length
                last_class, previous = (0 if description & _TANGLED == 0 else _UNORDERED), _PLAIN_FORWARD
                if out_position > limit:
                    break
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
                # A starter and a mark that compose are equivalent to the composite, which then goes the
                # quick way, too: decomposed text need not take the full algorithm.
                if options.composes != 0:
                    known = composite if composite_begin == begin else np.int64(-1)
                    composite = _compose_behind(data, begin, known, composite_end, position, full)
                    composite_begin, composite_end = begin, position + width
                    if composite >= 0:
                        word = encode_word(composite)
                        code, length = classify(codes, word)
                        if code >= _MAPPED:
                            description = np.int64(descriptions[np.uint64(code - _MAPPED)])
                            length = description & _LENGTH
                            store_u64(out, out_begin, words[np.uint64(code - _MAPPED)])
                            last_class, previous = (0 if description & _TANGLED == 0 else _UNORDERED), _PLAIN_FORWARD
                        else:
                            store_u32(out, out_begin, np.uint32(word))
                            last_class, previous = 0, code
                        if length <= 8:  # no composite has a longer replacement; else the full algorithm
                            position, out_position = composite_end, out_begin + length
                            continue
                position, out_position = _rewrite_segment(data, begin, stop, codes, full, options, work, out, out_begin)
                if out_position < 0:
                    return out_position
                begin, out_begin = position, out_position
                last_class, previous = _UNORDERED, _PLAIN_FORWARD
                break
            store_u32(out, out_position, np.uint32(word))
            position += width
            out_position += width
    return out_position


@kernel
def canonicalize_rows(data, offsets, row, tables, options, work, out, out_offsets):
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
    work : uint32[:]
        Room for the code points of one segment; ``WORK_SIZE`` is enough for any natural text.
    out : uint8[:]
        Needs ``OUT_SLACK`` bytes more than the text written.
    out_offsets : int64[n + 1]
        Written from ``row + 1`` on.

    Returns
    -------
    (int, int)
        The row that could not be finished, or ``n`` when all are done; and 0, ``OUT_FULL`` or
        ``WORK_FULL``: which array to double before calling again with that row.

    Notes
    -----
    Oracle: ``tests/oracles/canonical.py``.
    """
    n_rows = len(offsets) - 1
    while row < n_rows:
        out_position = _canonicalize_row(
            data, offsets[row], offsets[row + 1], tables, options, work, out, out_offsets[row]
        )
        if out_position < 0:
            return row, out_position
        row += 1
        out_offsets[row] = out_position
    return row, np.int64(0)
