"""Where canonical text comes from: segments that canonicalise apart, and positions traced back through them."""

from __future__ import annotations

import numpy as np

from . import layout
from ._jit import helper, kernel
from .decode import classify, load_sequence

RUN, WHOLE = 1, 2  # bytes that keep their places; a row that is not to be cut


@helper
def _is_ascii(data, begin, end):
    seen = np.uint8(0)
    for position in range(begin, end):
        seen |= data[np.uint64(position)]
    return seen < 0x80


@helper
def _begins_segment(code, drop_format, drop_bidi):
    """Whether a code point with this quick code is canonicalised without looking at what is before it."""
    if code == layout.DROP_FORMAT:
        return drop_format == 0
    if code == layout.DROP_BIDI:
        return drop_format == 0 and drop_bidi == 0
    return code < layout.COMPLEX or code >= layout.MAPPED


@helper
def _classified(data, position, end, codes):
    """Quick code and bytes of a code point; below 0 for ASCII, and at the end."""
    if position >= end:
        return np.int64(-1), np.int64(0)
    word = load_sequence(data, position)
    if word & 0xFF < 0x80:
        return np.int64(-1), np.int64(1)
    code, width = classify(codes, word)
    return np.int64(code), np.int64(width)


@kernel
def segments_rows(data, offsets, codes, options, rows, begins, kinds, out_offsets):
    """Cut rows where canonicalising takes no notice of what is on the other side.

    Parameters
    ----------
    data : uint8[:], read-only
        Valid UTF-8, the text as given.
    offsets : int64[n + 1], read-only
    codes : uint16[:], read-only
        UTF-8 trie of the pipeline.
    options : (int, int, int)
        Whether format characters and bidirectional controls are dropped, and whether ASCII stays ASCII byte by byte.
    rows : uint8[n], read-only
        ``RUN`` for rows whose bytes keep their places, ``WHOLE`` for those that are not to be cut, else 0.
    begins : int64[:]
        Written: where segments begin; then the end of the last one. Needs a place more than there are bytes, and
        one more for each row.
    kinds : uint8[:]
        Written: ``RUN`` where bytes may keep their places.
    out_offsets : int64[n + 1]
        Written: segments of each row.

    Notes
    -----
    A run of what keeps its bytes (ASCII keeps their number) is one segment, without its last code point if what follows
    may be a mark.
    """
    drop_format, drop_bidi, keeps_ascii = options
    n = np.int64(0)
    out_offsets[0] = 0
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        position = begin
        if rows[row] != 0 and begin < end:
            begins[n], kinds[n] = begin, rows[row]
            n += 1
            position = end
        in_run = False
        code, width = _classified(data, position, end, codes)
        while position < end:
            following, its_width = _classified(data, position + width, end, codes)
            stays = code < 0 or code == layout.PLAIN or code == layout.PLAIN_FORWARD
            if keeps_ascii != 0 and stays and _begins_segment(following, drop_format, drop_bidi):
                if not in_run:
                    begins[n], kinds[n] = position, RUN
                    n += 1
                in_run = True
            else:
                if position == begin or _begins_segment(code, drop_format, drop_bidi):
                    begins[n], kinds[n] = position, 0
                    n += 1
                in_run = False
            position += width
            code, width = following, its_width
        out_offsets[row + 1] = n
    begins[n] = offsets[len(offsets) - 1]


@kernel
def kept_rows(data, offsets, canonical, canonical_offsets, keeps_ascii, rows):
    """Rows whose bytes keep their places: those that do not change, and ASCII that stays as long as it is.

    Parameters
    ----------
    data, offsets : uint8[:], int64[n + 1], read-only
        The text as given.
    canonical, canonical_offsets : uint8[:], int64[n + 1], read-only
    keeps_ascii : int
        Whether ASCII stays ASCII byte by byte.
    rows : uint8[n]
        Written: ``RUN`` or 0.
    """
    for row in range(len(offsets) - 1):
        begin, end = offsets[row], offsets[row + 1]
        first, last = canonical_offsets[row], canonical_offsets[row + 1]
        rows[row] = 0
        if end - begin == last - first:
            differs = np.uint8(0)
            for byte in range(end - begin):
                differs |= data[np.uint64(begin + byte)] ^ canonical[np.uint64(first + byte)]
            if differs == 0 or (keeps_ascii != 0 and _is_ascii(data, begin, end)):
                rows[row] = RUN


@kernel
def trace_rows(data, offsets, segments, spans, positions, ends):
    """Positions in the text as given, in code points, of spans of canonical text.

    Parameters
    ----------
    data, offsets : uint8[:], int64[n + 1], read-only
        The text as given.
    segments : (int64[s + 1], int64[s + 1], uint8[s], int64[n + 1]), read-only
        Where segments begin in it and in the canonical text, their kinds, and whose they are.
    spans : (int64[m], int64[m], int64[n + 1]), read-only
        Begins and ends of spans in the canonical text, neither ever falling within a row, and whose they are.
    positions, ends : int64[m]
        Written: begin and end of each span, counted from the begin of its row.
    """
    begins, canonical, kinds, segment_offsets = segments
    span_begins, span_ends, span_offsets = spans
    for row in range(len(offsets) - 1):
        last = segment_offsets[row + 1] - 1
        for side in range(2):
            segment = segment_offsets[row]
            at, n_points = offsets[row], np.int64(0)  # byte of the given text, and code points before it
            for span in range(span_offsets[row], span_offsets[row + 1]):
                # the byte whose origin is asked for: the first of the span, or the last
                byte = span_begins[span] if side == 0 else span_ends[span] - 1
                while segment < last and canonical[segment + 1] <= byte:
                    segment += 1
                size = canonical[segment + 1] - canonical[segment]
                if kinds[segment] == RUN and begins[segment + 1] - begins[segment] == size:
                    origin = begins[segment] + byte - canonical[segment] + side
                else:
                    origin = begins[segment + side]
                while at < origin:
                    n_points += np.int64((data[np.uint64(at)] & 0xC0) != 0x80)
                    at += 1
                if side == 0:
                    positions[span] = n_points
                else:
                    ends[span] = n_points
