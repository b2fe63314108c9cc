"""Codes of any multiple of 64 bits, compared one by one: where blocks of bits would narrow nothing down."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Appender, Scratch, run_blocks
from ..columns.checks import read_only

Words = NDArray[np.uint64]
Rows = NDArray[np.int64]

_COMPARISONS_A_BLOCK = 1 << 23  # some ms
_ROOM = 1 << 14


class NearCodes(NamedTuple):
    """Hits of a block of probes: how many each has, where they are, how far."""

    counts: Rows
    positions: Rows
    distances: NDArray[np.uint16]


def ranges(begin: int, end: int, step: int) -> Iterator[range]:
    """Consecutive ranges of numbers.

    Examples
    --------
    >>> list(ranges(1, 6, 3))
    [range(1, 4), range(4, 6)]
    """
    for first in range(begin, end, step):
        yield range(first, min(first + step, end))


def transposed(words: Words) -> Words:
    """Codes ``(n, words)`` as kernels take them."""
    return read_only(np.ascontiguousarray(words.T))


def block_rows(n_codes: int) -> int:
    """Probes that are worked off at a time."""
    return max(16, _COMPARISONS_A_BLOCK // max(n_codes, 1))


def near_codes(probes: Words, columns: Words, first: Rows, limits: NDArray[np.uint64], scratch: Scratch) -> NearCodes:
    """Codes within ``limits`` bits of each probe, from number ``first`` on; views into the scratch."""
    from ..kernels.codes import near_codes as find

    counts, state, room = np.zeros(len(probes), np.int64), np.zeros(2, np.int64), _ROOM
    where, how_far = scratch.take("positions", room, np.int64), scratch.take("distances", room, np.uint16)
    while True:
        find(probes, columns, read_only(first), read_only(limits), state, where, how_far, counts)
        used = state[1]
        if state[0] == len(probes):
            return NearCodes(counts, where[:used], how_far[:used])
        room *= 4
        larger = np.empty(room, np.int64), np.empty(room, np.uint16)
        larger[0][:used], larger[1][:used] = where[:used], how_far[:used]
        where, how_far = larger


def limits_of_nearest(probes: Words, columns: Words, wanted: int) -> NDArray[np.uint64]:
    """Distance within which each probe has ``wanted`` codes, or all if there are fewer.

    Examples
    --------
    >>> limits_of_nearest(np.array([[0]], np.uint64), transposed(np.array([[7], [1], [3]], np.uint64)), 2)
    array([2], dtype=uint64)
    """
    from ..kernels.codes import nearest_limits

    limits = np.empty(len(probes), np.uint64)
    nearest_limits(probes, columns, wanted, limits)
    return limits


def scan_codes(words: Words, probes: Words, limit: int, threads: int) -> NearCodes:
    """All codes within ``limit`` bits of each probe."""
    columns = transposed(words)
    counts = Appender(np.int64, len(probes))
    positions, distances = Appender(np.int64, len(probes)), Appender(np.uint16, len(probes))

    def work(rows: range, scratch: Scratch) -> NearCodes:
        first = np.zeros(len(rows), np.int64)
        limits = np.full(len(rows), limit, np.uint64)
        return near_codes(probes[rows.start : rows.stop], columns, first, limits, scratch)

    def consume(hits: NearCodes) -> None:
        counts.append(hits.counts)
        positions.append(hits.positions)
        distances.append(hits.distances)

    run_blocks(ranges(0, len(probes), block_rows(len(words))), work, consume, threads=threads)
    return NearCodes(counts.values(), positions.finish(), distances.finish())


def radius(threshold: float, bits: int, recall: float) -> int:
    """Differing bits that codes of random hyperplanes have at most, with probability ``recall``, at a cosine.

    A plane parts two vectors with probability angle / pi, so the bits that differ are binomially distributed.

    Examples
    --------
    >>> radius(0.9, 256, 0.99), radius(0.9, 256, 0.5), radius(1.0, 256, 0.99)
    (50, 37, 1)
    """
    from scipy.special import bdtr

    angle = np.arccos(min(threshold, 1 - 1e-6))  # rounding may turn a bit of vectors of one direction
    below = bdtr(np.arange(bits + 1), bits, angle / np.pi)
    return int((below >= recall).argmax())
