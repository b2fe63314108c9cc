"""Star linkage without all the pairs: where very many documents are alike, pairs among them are never listed.

In a star, a document is decided by those that are kept before it. So rows are gone through in keep order, some
thousands at a time: what forms a pair with a row kept before is removed, and only what is left is paired with
itself. The pairs found this way link just as all pairs do; n documents that are all alike cost n pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..index import LshIndex
from ..index.arguments import Geometry
from ..index.join import banded_pairs, words_at
from ..schema.signatures import minhash_dtype
from .linkage import link

Rows = NDArray[np.int64]
Shares = NDArray[np.float64] | NDArray[np.float32]
Matches = tuple[Rows, Rows, Shares]

_FIRST, _MOST = 1 << 8, 1 << 11  # rows a wave: few at first, when nothing is kept that they could stand by


class Signatures(NamedTuple):
    """Signatures as words, ``(n, 1 + h)``, and which slots make a candidate."""

    words: NDArray[np.uint64]
    geometry: Geometry
    least_slots: int


class Finder(Protocol):
    """What finds pairs for a star, of rows by their numbers."""

    def near_kept(self, wave: Rows) -> Matches:
        """Pairs of a kept row with one of the wave."""

    def within(self, wave: Rows) -> Matches:
        """Pairs of two rows of the wave."""

    def keep(self, rows: Rows) -> None:
        """Rows that are kept from now on."""


def star_pairs(finder: Finder, rows: Rows) -> Matches:
    """The pairs that decide a star.

    Parameters
    ----------
    finder : Finder
    rows : int64 (m,)
        In keep order.

    Returns
    -------
    i, j : int64, share : float64 or float32
        Of a kept row with each row that it may remove.
    """
    found = [finder.within(rows[:0])]
    for wave in _waves(rows):
        pairs = finder.near_kept(wave)
        found.append(pairs)
        left = wave[~np.isin(wave, pairs[1])]
        i, j, share = finder.within(left)
        stays = _kept_of(left, i, j)
        deciding = np.isin(i, left[stays]) | np.isin(j, left[stays])
        found.append((i[deciding], j[deciding], share[deciding]))
        finder.keep(left[stays])
    return tuple(np.concatenate(side) for side in zip(*found, strict=True))  # type: ignore[return-value]


class SignatureFinder:
    """Pairs by the bands of MinHash signatures.

    Parameters
    ----------
    signatures : Signatures
    verify : callable
        Those of some candidates that are pairs, with their similarity.
    threads : int, optional
    """

    def __init__(self, signatures: Signatures, verify: Callable[[Matches], Matches], threads: int | None) -> None:
        self._signatures, self._verify, self._threads = signatures, verify, threads
        self._kept = LshIndex(*signatures.geometry, partial=True)

    def _records(self, rows: Rows) -> NDArray[np.void]:
        records: NDArray[np.void] = self._signatures.words[rows].view(minhash_dtype(self._kept.h))[:, 0]
        return records

    def near_kept(self, wave: Rows) -> Matches:
        """Pairs of a kept row with one of the wave."""
        h, least = self._kept.h, self._signatures.least_slots
        indptr, ids, share = self._kept.query_with_threshold(
            self._records(wave), least / h, return_similarity=True, threads=self._threads
        )
        owners = np.repeat(np.arange(len(wave)), np.diff(indptr))
        return self._verify((ids.astype(np.int64), wave[owners], np.rint(share.astype(np.float64) * h) / h))

    def within(self, wave: Rows) -> Matches:
        """Pairs of two rows of the wave."""
        return self._verify(_candidates(self._signatures, wave))

    def keep(self, rows: Rows) -> None:
        """Rows that are kept from now on."""
        self._kept.insert(rows, self._records(rows), threads=self._threads)


def _candidates(signatures: Signatures, wave: Rows) -> Matches:
    """Candidate pairs within a wave."""
    words, geometry, least = signatures
    held = read_only(words[wave])
    local = read_only(np.arange(len(wave), dtype=np.int64))
    blocks = list(banded_pairs(words_at(held), local, geometry, least))
    i, j, equal = (np.concatenate([np.empty(0, np.int64), *(b[side] for b in blocks)]) for side in range(3))
    return wave[i], wave[j], equal / np.float64(geometry.h)


def _waves(rows: Rows) -> Iterator[Rows]:
    begin, size = 0, _FIRST
    while begin < len(rows):
        yield rows[begin : begin + size]
        begin, size = begin + size, min(2 * size, _MOST)


def _kept_of(wave: Rows, i: Rows, j: Rows) -> NDArray[np.bool_]:
    """Which rows of a wave stay, by the pairs within it."""
    order = np.argsort(wave)
    i, j = (order[np.searchsorted(wave, side, sorter=order)] for side in (i, j))
    own = np.arange(len(wave))
    kept: NDArray[np.bool_] = link(len(wave), i, j, np.ones(len(i), np.float32), own).representative == own
    return kept
