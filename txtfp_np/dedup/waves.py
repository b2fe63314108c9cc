"""Star linkage without all the pairs: where very many documents are alike, pairs among them are never listed.

In a star, a document is decided by those that are kept before it. So rows are gone through in keep order, some
thousands at a time: what forms a pair with a row kept before is removed, and only what is left is paired with
itself. The pairs found this way link just as all pairs do; n documents that are all alike cost n pairs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from ..index import LshIndex
from ..index.arguments import Geometry
from ..index.join import banded_pairs, words_at
from ..schema.signatures import minhash_dtype
from .linkage import link

Rows = NDArray[np.int64]
Matches = tuple[Rows, Rows, NDArray[np.float64]]

_FIRST, _MOST = 1 << 8, 1 << 11  # rows a wave: few at first, when nothing is kept that they could stand by


class Signatures(NamedTuple):
    """Signatures as words, ``(n, 1 + h)``, and which slots make a candidate."""

    words: NDArray[np.uint64]
    geometry: Geometry
    least_slots: int


def star_pairs(
    signatures: Signatures, rows: Rows, verify: Callable[[Matches], Matches], threads: int | None
) -> Matches:
    """The pairs that decide a star.

    Parameters
    ----------
    signatures : Signatures
    rows : int64 (m,)
        Numbers of signatures, in keep order.
    verify : callable
        Those of some candidates that are pairs, with their similarity.
    threads : int, optional

    Returns
    -------
    i, j : int64, share : float64
        Of a kept row with each row that it may remove.
    """
    words, (bands, n_rows, h), least = signatures
    kept = LshIndex(bands, n_rows, h, partial=True)
    found: list[Matches] = [(rows[:0], rows[:0], np.empty(0))]
    for wave in _waves(rows):
        probes = words[wave].view(minhash_dtype(h))[:, 0]
        if len(kept):
            indptr, ids, share = kept.query_with_threshold(probes, least / h, return_similarity=True, threads=threads)
            owners = np.repeat(np.arange(len(wave)), np.diff(indptr))
            pairs = verify((ids.astype(np.int64), wave[owners], np.rint(share.astype(np.float64) * h) / h))
            found.append(pairs)
            left = ~np.isin(wave, pairs[1])
            wave, probes = wave[left], probes[left]
        i, j, share = verify(_candidates(signatures, wave))
        stays = _kept_of(wave, i, j)
        deciding = np.isin(i, wave[stays]) | np.isin(j, wave[stays])
        found.append((i[deciding], j[deciding], share[deciding]))
        kept.insert(wave[stays], probes[stays], threads=threads)
    return tuple(np.concatenate(side) for side in zip(*found, strict=True))  # type: ignore[return-value]


def _waves(rows: Rows) -> Iterator[Rows]:
    begin, size = 0, _FIRST
    while begin < len(rows):
        yield rows[begin : begin + size]
        begin, size = begin + size, min(2 * size, _MOST)


def _candidates(signatures: Signatures, wave: Rows) -> Matches:
    """Candidate pairs within a wave."""
    words, geometry, least = signatures
    held = read_only(words[wave])
    local = read_only(np.arange(len(wave), dtype=np.int64))
    blocks = list(banded_pairs(words_at(held), local, geometry, least))
    i, j, equal = (np.concatenate([np.empty(0, np.int64), *(b[side] for b in blocks)]) for side in range(3))
    return wave[i], wave[j], equal / np.float64(geometry.h)


def _kept_of(wave: Rows, i: Rows, j: Rows) -> NDArray[np.bool_]:
    """Which rows of a wave stay, by the pairs within it."""
    order = np.argsort(wave)
    i, j = (order[np.searchsorted(wave, side, sorter=order)] for side in (i, j))
    own = np.arange(len(wave))
    kept: NDArray[np.bool_] = link(len(wave), i, j, np.ones(len(i), np.float32), own).representative == own
    return kept
