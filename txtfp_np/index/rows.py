"""The fingerprints of a Hamming index by position, and which of them were removed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns.checks import read_only
from ..errors import InvalidInputError
from .segments import Words

_ALL = read_only(np.empty(0, np.bool_))


class Rows:
    """Values that are never moved or changed, and bits that say which still count.

    Parameters
    ----------
    n_words : int
        Words of a value.
    parts : sequence of uint64 (n, n_words)
        Values from the start; they may be mapped from files, and stay so until all are needed at once.
    removed : int64 (m,)
        Positions that do not count, each once.
    """

    def __init__(self, n_words: int, parts: Sequence[Words] = (), removed: NDArray[np.int64] | None = None) -> None:
        self.n_words = n_words
        self._n = sum(map(len, parts))
        self._adopt(parts)
        self._removed = np.empty(0, np.int64) if removed is None else removed  # until bits are made of it
        self._alive: NDArray[np.bool_] | None = None  # longer than there are rows; None: see _removed
        self.n_removed = len(self._removed)

    def _adopt(self, parts: Sequence[Words]) -> None:
        self._parts = [read_only(part) for part in parts]
        self._n_parts = self._n
        self._tail = np.empty((0, self.n_words), np.uint64)
        self._n_tail = 0

    def __len__(self) -> int:
        return self._n

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays, those that are mapped from files included."""
        bits = self._removed if self._alive is None else self._alive
        return sum(part.nbytes for part in self._parts) + self._tail.nbytes + bits.nbytes

    def stored(self, parts: Sequence[Words]) -> None:
        """Take the same values from files from now on."""
        self._adopt(parts)

    # ── values ──────────────────────────────────────────────────────────────────────────────────
    def append(self, new: Words) -> None:
        """Add values at the end."""
        end = self._n_tail + len(new)
        if end > len(self._tail):  # half as much again: few moves a value
            self._grow(max(end, self._n_tail + self._n_tail // 2))
        n = self._n_parts + end
        if self._alive is not None and n > len(self._alive):
            grown = np.ones(n + n // 2, np.bool_)
            grown[: len(self._alive)] = self._alive
            self._alive = grown
        self._tail[self._n_tail : end] = new
        self._n_tail = end
        self._n = n  # last: nobody ever sees rows without bits

    def _grow(self, room: int) -> None:
        grown = np.empty((room, self.n_words), np.uint64)
        grown[: self._n_tail] = self._tail[: self._n_tail]
        self._tail = grown

    def all(self) -> Words:
        """Every value, removed ones too, as one array."""
        tail = self._tail[: self._n_tail]
        if len(self._parts) + bool(len(tail)) > 1:
            self._tail = np.concatenate([*self._parts, tail])
            self._parts, self._n_parts, self._n_tail = [], 0, len(self._tail)
        elif self._parts:
            return self._parts[0]
        return read_only(self._tail[: self._n_tail])

    def parts_since(self, begin: int) -> list[Words]:
        """The values from a position on, in as many arrays as they are in."""
        found, end = [read_only(self._tail[max(begin - self._n_parts, 0) : self._n_tail])], self._n_parts
        for part in reversed(self._parts):
            if end <= begin:
                break
            end -= len(part)
            found.append(part[max(begin - end, 0) :])
        return found[::-1]

    def since(self, begin: int) -> Words:
        """The values from a position on, as one array."""
        parts = [part for part in self.parts_since(begin) if len(part)]
        return parts[0] if len(parts) == 1 else read_only(np.concatenate([self._tail[:0], *parts]))

    # ── removal ─────────────────────────────────────────────────────────────────────────────────
    @property
    def is_ready(self) -> bool:
        """Whether :meth:`alive` only looks, and needs no lock."""
        return not self.n_removed or self._alive is not None

    def alive(self) -> NDArray[np.bool_]:
        """Which rows count; empty: all of them. Rows that come later count, too."""
        if not self.n_removed:
            return _ALL
        return read_only(self._bits()[: len(self)])

    def living(self, begin: int = 0) -> NDArray[np.int64] | None:
        """Positions that count, from ``begin`` on and as distances from it; None: all."""
        return np.flatnonzero(self.alive()[begin:]) if self.n_removed else None

    def removed(self) -> NDArray[np.int64]:
        """Positions that do not count, ascending."""
        return np.flatnonzero(~self.alive())

    def remove(self, positions: ArrayLike) -> int:
        """Mark rows; how many of them counted until then."""
        try:
            given: NDArray[Any] = np.atleast_1d(np.asarray(positions))
        except ValueError as error:  # rows of different length
            raise InvalidInputError(f"positions must be an array: {error}", argument="positions") from None
        if given.size == 0:
            return 0
        if given.dtype.kind not in "iu":
            shown = given.reshape(-1)[:1].tolist()[0]
            raise InvalidInputError(f"positions must be whole numbers, got {shown!r}", argument="positions")
        if given.min() < 0 or given.max() >= len(self):
            wrong = given.min() if given.min() < 0 else given.max()
            raise InvalidInputError(
                f"positions must be those of the {len(self)} fingerprints given, from 0 on, got {wrong}",
                argument="positions",
            )
        bits = self._bits()
        there = int(bits[np.unique(given)].sum())
        bits[given] = False
        self.n_removed += there
        return there

    def _bits(self) -> NDArray[np.bool_]:
        if self._alive is None:
            alive = np.ones(len(self), np.bool_)
            alive[self._removed] = False
            self._alive = alive  # complete before readers without the lock can see it
            self._removed = np.empty(0, np.int64)
        return self._alive
