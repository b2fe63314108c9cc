"""Counting 128-bit keys: a set of tokens that grows, in arrays."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..columns import Appender
from ..columns.checks import read_only

Words = NDArray[np.uint64]


def open_table(n_keys: int) -> tuple[Words, Words, NDArray[np.int64]]:
    """Empty open-addressed table (low halves, high halves, numbers), at most half full with ``n_keys``."""
    size = 1 << max(4, (2 * n_keys).bit_length())
    return np.zeros(size, np.uint64), np.zeros(size, np.uint64), np.zeros(size, np.int64)


class KeyCounter:
    """Numbers distinct keys in order of appearance and counts them.

    Examples
    --------
    >>> counter = KeyCounter()
    >>> low = read_only(np.array([7, 8, 7], np.uint64))
    >>> counter.add(low, read_only(np.zeros(3, np.uint64)))
    array([0, 1])
    >>> counter.counts
    array([2, 1])
    """

    def __init__(self) -> None:
        self._table = open_table(1 << 10)
        self._counts = np.zeros(1 << 10, np.int64)
        self._low = Appender(np.uint64, 1 << 10)
        self._high = Appender(np.uint64, 1 << 10)
        self.n_keys = 0

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each key came."""
        return self._counts[: self.n_keys]

    @property
    def keys(self) -> tuple[Words, Words]:
        """Low and high halves, by number."""
        return read_only(self._low.values()), read_only(self._high.values())

    def add(self, low: Words, high: Words) -> NDArray[np.int64]:
        """Count keys; returns the positions of those that had not come before."""
        from ..kernels.simhash import tally_keys

        self._reserve(len(low))
        new = np.empty(len(low), np.int64)
        n_keys = tally_keys(low, high, *self._table, self._counts, self.n_keys, new)
        new = new[: n_keys - self.n_keys]
        self._low.append(low[new])
        self._high.append(high[new])
        self.n_keys = n_keys
        return new

    def _reserve(self, n_more: int) -> None:
        from ..kernels.simhash import number_keys

        wanted = self.n_keys + n_more
        if 2 * wanted > len(self._table[0]):
            self._table = open_table(2 * wanted)
            number_keys(*self.keys, *self._table)
        if wanted > len(self._counts):
            grown = np.zeros(2 * wanted, np.int64)
            grown[: self.n_keys] = self.counts
            self._counts = grown
