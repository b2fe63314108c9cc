"""Band tables of many rows: building them, merging two, describing them to kernels.

A segment holds ``bands + 1`` tables over the same rows. The last one is that of the ids, which are
looked up as band keys are. All are of the kind that ``kernels.tables`` describes: 8 bytes a row, and
as much room between them as makes it about 11.5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, run_blocks
from ..columns.checks import read_only

Keys: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.uint32]
Lines: TypeAlias = NDArray[np.uint64]
Ids: TypeAlias = NDArray[np.uint64]
Words: TypeAlias = NDArray[np.uint64]
Positions: TypeAlias = NDArray[np.int64]

CHUNK = 1 << 10
"""Rows of which one address is kept. ``kernels.tables.CHUNK_BITS`` is its logarithm."""
MAX_SPAN = (1 << 32) - 1
"""Most rows that one segment numbers."""
_KEYED_ROWS = 1 << 10  # a block of signatures that stays in the L2 cache between copying and hashing
_WORDS_A_LINE = 8
# Entries to 16 lines: 5.6 a line of 8. Fewer cost memory; with more, more entries stand behind their home.
_A_16_LINES = 90
_BEHIND = 8  # lines behind the last home, enough unless many keys are equal


@dataclass(frozen=True)
class Segment:
    """Tables over rows ``base`` to ``base + span``; rows in them count from ``base``.

    ``n`` is the number of rows, ``name`` that of the files it was mapped from, None in memory.
    """

    lines: Lines
    n: int
    base: int
    span: int
    name: str | None = None

    def __len__(self) -> int:
        return self.n

    def describe(self) -> list[int]:
        """Fields that ``kernels.tables`` names."""
        stride = int(self.lines.shape[1])
        return [int(self.lines.ctypes.data), stride, home_lines(self.n), stride // _WORDS_A_LINE, self.n, self.base]


class _Bands:
    """Bands as the blocks of a parallel run: each is one piece of work."""

    def __init__(self, number: int, size: int) -> None:
        self.number, self.size = number, size

    def __len__(self) -> int:
        return self.size


def home_lines(n: int) -> int:
    """Lines over which the fragments of ``n`` keys are dealt; part of the format of the files."""
    return max(1, -(-16 * n // _A_16_LINES))


def _empty_lines(n_tables: int, lines: int) -> Lines:
    """Memory for tables, whose lines are lines of the cache."""
    words = n_tables * lines * _WORDS_A_LINE
    room: Lines = np.empty(words + _WORDS_A_LINE - 1, np.uint64)
    first = -(room.ctypes.data // 8) % _WORDS_A_LINE
    return room[first : first + words].reshape(n_tables, -1)


def _written(n_tables: int, n: int, write: Callable[[int, Lines, Scratch], int], threads: int) -> Lines:
    """Tables that ``write`` fills, given the number and the memory of one; it returns the lines it needs."""
    room = home_lines(n) + _BEHIND
    while True:
        lines = _empty_lines(n_tables, room)
        needed = np.empty(n_tables, np.int64)

        def work(band: _Bands, scratch: Scratch, lines: Lines = lines, needed: Positions = needed) -> None:
            needed[band.number] = write(band.number, lines[band.number], scratch)

        run_blocks((_Bands(i, n) for i in range(n_tables)), work, _ignore, threads=threads)
        if needed.max() <= room:
            return read_only(lines)
        room = int(needed.max())


def sort_bands(keys: Keys, base: int, span: int, threads: int) -> Segment:
    """Segment of rows whose keys are given in the order of the rows, as ``(bands + 1, n)``.

    ``keys`` becomes the entries of the tables, sorted.
    """
    from ..kernels.tables import place_entries, sort_entries

    n_tables, n = keys.shape
    is_sorted = [False] * n_tables

    def write(i: int, out: Lines, scratch: Scratch) -> int:
        if not is_sorted[i]:
            sort_entries(keys[i], scratch.take("keys", n, np.uint64))
            is_sorted[i] = True
        return int(place_entries(keys[i], home_lines(n), out))

    return Segment(_written(n_tables, n, write, threads), n, base, span)


def merge(a: Segment, b: Segment, threads: int) -> Segment:
    """Segment of the rows of both; ``b`` has the newer ones."""
    from ..kernels.tables import merge_entries, place_entries

    n, shift = len(a) + len(b), b.base - a.base

    def write(i: int, out: Lines, scratch: Scratch) -> int:
        entries = scratch.take("entries", n, np.uint64)
        merge_entries(a.lines[i], b.lines[i], shift, entries)
        return int(place_entries(entries, home_lines(n), out))

    return Segment(_written(len(a.lines), n, write, threads), n, a.base, shift + b.span)


def key_rows(words: Words, ids: Ids, n_rows: int, keys: Keys, out: Words | None, threads: int) -> None:
    """Band and id keys of signatures into ``keys`` (``(bands + 1, n)``); a copy of the words into ``out``."""
    from ..kernels.bands import band_keys, id_keys

    secret = seedless()

    def work(block: range, scratch: Scratch) -> None:
        source = words[block.start : block.stop]
        if out is not None:
            np.copyto(out[block.start : block.stop], source)
            source = out[block.start : block.stop]  # now in the cache
        band_keys(read_only(source), n_rows, secret, block.start, keys[:-1])

    n = len(words)
    blocks = (range(begin, min(begin + _KEYED_ROWS, n)) for begin in range(0, n, _KEYED_ROWS))
    run_blocks(blocks, work, _ignore, threads=threads)
    id_keys(read_only(ids), keys[-1])


_secrets: list[NDArray[np.uint8]] = []


def seedless() -> NDArray[np.uint8]:
    """Secret of XXH3 for seed 0."""
    from ..kernels.hashing import secrets

    if not _secrets:
        _secrets.append(secrets(0))
    return _secrets[0]


def _ignore(result: Any) -> None:
    pass
