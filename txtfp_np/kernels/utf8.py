"""UTF-8 at the door: find the first ill-formed sequence, and move documents together.

Every other kernel trusts its text: it steps over a lead byte without asking whether the rest of
the sequence is there. ``first_invalid`` is what earns that trust.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._jit import kernel, routine
from .intrinsics import byte_mask, copy64, trailing_zeros

_NONE = np.uint64(0)
_ALL = np.uint64(0xFFFFFFFFFFFFFFFF)
_ONE = np.uint64(1)
_TWO = np.uint64(2)
_THREE = np.uint64(3)
# Lanes from which a sequence of two, three or four bytes leaves a block of 64.
_LAST_1 = np.uint64(1 << 63)
_LAST_2 = np.uint64(3 << 62)
_LAST_3 = np.uint64(7 << 61)


@routine
def _first_invalid_bytewise(data: Any, start: int, stop: int) -> int:
    """Table 3-7 of the Unicode standard, one sequence at a time."""
    position = start
    while position < stop:
        lead = data[position]
        if lead < 0x80:
            position += 1
            continue
        low, high = 0x80, 0xBF
        if lead < 0xC2:
            return position
        if lead < 0xE0:
            length = 2
        elif lead < 0xF0:
            length = 3
            if lead == 0xE0:
                low = 0xA0  # below: overlong
            elif lead == 0xED:
                high = 0x9F  # above: surrogates
        elif lead < 0xF5:
            length = 4
            if lead == 0xF0:
                low = 0x90  # below: overlong
            elif lead == 0xF4:
                high = 0x8F  # above: past U+10FFFF
        else:
            return position
        if position + length > stop:
            return position
        if data[position + 1] < low or data[position + 1] > high:
            return position
        for following in range(position + 2, position + length):
            if data[following] < 0x80 or data[following] > 0xBF:
                return position
        position += length
    return position if position < stop else -1


@kernel
def first_invalid(data: Any, start: int, stop: int) -> int:
    """Position of the first byte of the first ill-formed sequence in ``data[start:stop]``, or -1.

    Parameters
    ----------
    data : uint8 (n,), read-only
    start, stop : int64
        A sequence that ``stop`` cuts is ill-formed.

    Returns
    -------
    int64
        Absolute position, the ``start`` of Python's ``UnicodeDecodeError``; -1 when all is well.

    Notes
    -----
    Sixty-four bytes a step: the lead bytes say which lanes have to hold continuation bytes, and
    those have to be the continuation bytes there are. The lead bytes with a narrower second byte
    are looked at apart. A sequence that leaves the block starts the next one, so nothing is
    carried over; where a block fails, its bytes are visited one by one. Oracle: ``bytes.decode``.
    """
    position = start
    last = len(data) - 64
    while position < stop and position <= last:
        inside = _ALL
        if stop - position < 64:
            # What follows stop reads as ASCII, so that a sequence which stop cuts stands out.
            inside = (_ONE << np.uint64(stop - position)) - _ONE
        high = byte_mask(data, position, 0x80, 0x80) & inside
        if high == _NONE:
            position += 64
            continue
        continuation = byte_mask(data, position, 0x80, 0x40) & inside
        lead = byte_mask(data, position, 0xC2, 0x33) & inside  # C2..F4: all there are
        lead_3 = byte_mask(data, position, 0xE0, 0x15) & inside  # E0..F4: three bytes or four
        lead_4 = byte_mask(data, position, 0xF0, 0x05) & inside  # F0..F4: four bytes
        expected = (lead << _ONE) | (lead_3 << _TWO) | (lead_4 << _THREE)
        wrong = (expected ^ continuation) | (high ^ (continuation | lead))
        if lead_3 != _NONE:
            overlong = byte_mask(data, position, 0xE0, 0x01) << _ONE
            surrogate = byte_mask(data, position, 0xED, 0x01) << _ONE
            wrong |= overlong & byte_mask(data, position, 0x80, 0x20) & inside
            wrong |= surrogate & byte_mask(data, position, 0xA0, 0x20) & inside
        if lead_4 != _NONE:
            overlong = byte_mask(data, position, 0xF0, 0x01) << _ONE
            too_large = byte_mask(data, position, 0xF4, 0x01) << _ONE
            wrong |= overlong & byte_mask(data, position, 0x80, 0x10) & inside
            wrong |= too_large & byte_mask(data, position, 0x90, 0x30) & inside
        if wrong != _NONE:
            break
        # At most one sequence leaves the block; 64 when none does.
        position += trailing_zeros((lead & _LAST_1) | (lead_3 & _LAST_2) | (lead_4 & _LAST_3))
    if position < stop:
        return _first_invalid_bytewise(data, position, stop)
    return -1


@kernel
def gather_spans(data: Any, starts: Any, ends: Any, out: Any, out_offsets: Any) -> None:
    """Copy ``data[starts[i]:ends[i]]`` to ``out[out_offsets[i]:]`` for every i.

    Parameters
    ----------
    data : uint8 (n,), read-only
    starts, ends : int64 (m,), read-only
        Spans may overlap, repeat and come in any order.
    out : uint8 (>= out_offsets[-1],), writable
        Written from left to right; bytes behind a span are scribbled on before the next span
        lands there, so two calls must not share one output. No slack is needed.
    out_offsets : int64 (m + 1,), read-only
        Running sum of the lengths.
    """
    last_in = len(data) - 64
    last_out = min(len(out), out_offsets[len(starts)]) - 64
    for span in range(len(starts)):
        position, end, target = starts[span], ends[span], out_offsets[span]
        while position < end and position <= last_in and target <= last_out:
            copy64(data, position, out, target, 0)
            position += 64
            target += 64
        while position < end:
            out[target] = data[position]
            position += 1
            target += 1
