"""Band tables of many rows: building them, merging two, describing them to kernels.

A segment holds ``bands + 1`` tables over the same rows. The last one is that of the ids, which are
looked up as band keys are. All are sorted arrays of 12 bytes a row (8 of key, 4 of row number) and a
directory of half a byte to one byte a row.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, run_blocks
from ..columns.checks import read_only

Keys: TypeAlias = NDArray[np.uint64]
Rows: TypeAlias = NDArray[np.uint32]
Ids: TypeAlias = NDArray[np.uint64]
Words: TypeAlias = NDArray[np.uint64]
Positions: TypeAlias = NDArray[np.int64]

CHUNK = 1 << 10
"""Rows of which one address is kept. ``kernels.lsh.CHUNK_BITS`` is its logarithm."""
_KEYED_ROWS = 1 << 10  # a block of signatures that stays in the L2 cache between copying and hashing
_KEYS_A_SLOT = 3  # binary logarithm: one cache line of keys an entry of the directory


@dataclass(frozen=True)
class Segment:
    """Sorted tables over rows ``base`` to ``base + span``; rows in them count from ``base``.

    ``name`` is that of the files it was mapped from, None in memory.
    """

    keys: Keys
    rows: Rows
    directory: Rows
    base: int
    span: int
    name: str | None = None

    def __len__(self) -> int:
        return int(self.keys.shape[1])

    def describe(self) -> list[int]:
        """Fields that ``kernels.bands`` names."""
        n = len(self)
        bits = (self.directory.shape[1] - 1).bit_length() - 1
        return [*(int(a.ctypes.data) for a in (self.keys, self.rows, self.directory)), n, n, bits, self.base]


class _Bands:
    """Bands as the blocks of a parallel run: each is one piece of work."""

    def __init__(self, number: int, size: int) -> None:
        self.number, self.size = number, size

    def __len__(self) -> int:
        return self.size


def directory_bits(n: int) -> int:
    """Binary logarithm of the directory's length for ``n`` keys."""
    return max(1, (max(n, 1) - 1).bit_length() - _KEYS_A_SLOT)


def sort_bands(keys: Keys, base: int, span: int, threads: int) -> Segment:
    """Segment of rows whose keys are given in the order of the rows, as ``(bands + 1, n)``. Sorts ``keys``."""
    from ..kernels.bands import fill_directory, sort_keys

    n_tables, n = keys.shape
    rows = np.empty((n_tables, n), np.uint32)
    directory = np.empty((n_tables, (1 << directory_bits(n)) + 1), np.uint32)

    def work(band: _Bands, scratch: Scratch) -> None:
        spare_keys = scratch.take("keys", n, np.uint64)
        spare_rows = scratch.take("rows", n, np.uint32)
        sort_keys(keys[band.number], rows[band.number], spare_keys, spare_rows)
        fill_directory(read_only(keys[band.number]), directory[band.number])

    run_blocks((_Bands(b, n) for b in range(n_tables)), work, _ignore, threads=threads)
    return Segment(read_only(keys), read_only(rows), read_only(directory), base, span)


def merge(a: Segment, b: Segment, threads: int) -> Segment:
    """Segment of the rows of both; ``b`` has the newer ones."""
    from ..kernels.bands import fill_directory, merge_sorted

    n_tables, n = len(a.keys), len(a) + len(b)
    keys, rows = np.empty((n_tables, n), np.uint64), np.empty((n_tables, n), np.uint32)
    directory = np.empty((n_tables, (1 << directory_bits(n)) + 1), np.uint32)
    shift = b.base - a.base

    def work(band: _Bands, scratch: Scratch) -> None:
        i = band.number
        merge_sorted(a.keys[i], a.rows[i], b.keys[i], b.rows[i], shift, keys[i], rows[i])
        fill_directory(read_only(keys[i]), directory[i])

    run_blocks((_Bands(i, n) for i in range(n_tables)), work, _ignore, threads=threads)
    return Segment(read_only(keys), read_only(rows), read_only(directory), a.base, shift + b.span)


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
