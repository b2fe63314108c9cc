"""The vectors nearest to each probe, of several matrices: by all products, by codes, or by a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, run_blocks
from .ann import Graph
from .codes import Words, block_rows, limits_of_nearest, near_codes, radius, ranges
from .cosine import Directions, Rows, Vectors, cosines, margin

Ids = NDArray[np.uint64]
Similarities = NDArray[np.float32]

CODE_BITS = 256
_OVERSAMPLE = 16  # candidates by codes for each neighbour that is asked for
_PROBES, _TILE = 1 << 8, 1 << 12


@dataclass(frozen=True, eq=False)
class Part:
    """Some vectors of an index.

    ``codes`` are transposed, ``(words, n)``; ``alive`` is None if nothing was removed; ``name`` that of its files.
    """

    ids: Ids
    held: Directions
    codes: Words | None = None
    alive: NDArray[np.bool_] | None = None
    name: str | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def n_dead(self) -> int:
        """How many were removed."""
        return 0 if self.alive is None else len(self) - int(self.alive.sum())

    def living(self) -> slice | NDArray[np.bool_]:
        """What was not removed, as an index."""
        return slice(None) if self.alive is None else self.alive


class Question(NamedTuple):
    """What is asked of every probe: so many at most, so similar at least; None: any number, any similarity.

    ``recall`` is that of codes at the threshold.
    """

    k: int | None
    threshold: float | None
    recall: float = 0.99


class Answer(NamedTuple):
    """Neighbours by probe, the most similar first: how many each has, their ids, their cosines."""

    counts: Rows
    ids: Ids
    similarity: Similarities


class _Best:
    """The best candidates so far of a block of probes, verified; equally similar ones in the order of their rows."""

    def __init__(self, n: int, question: Question) -> None:
        self._n, self._k = n, question.k
        self._least = np.float32(-2 if question.threshold is None else question.threshold)
        self.bounds = np.full(n, self._least)  # below them, nothing can be an answer
        self._owners, self._rows = np.empty(0, np.int64), np.empty(0, np.int64)
        self._ids, self._similarity = np.empty(0, np.uint64), np.empty(0, np.float32)

    def add(self, owners: Rows, rows: Rows, ids: Ids, similarity: Similarities) -> None:
        enough = similarity >= self._least
        owners = np.concatenate([self._owners, owners[enough]])
        rows = np.concatenate([self._rows, rows[enough]])
        ids = np.concatenate([self._ids, ids[enough]])
        similarity = np.concatenate([self._similarity, similarity[enough]])
        order = np.lexsort((rows, -similarity, owners))
        if self._k is not None:
            counts = np.bincount(owners, minlength=self._n)
            starts = np.cumsum(counts) - counts
            place = np.arange(len(order)) - starts[owners[order]]
            last = order[place == self._k - 1]
            self.bounds[owners[last]] = similarity[last]
            order = order[place < self._k]
        self._owners, self._rows = owners[order], rows[order]
        self._ids, self._similarity = ids[order], similarity[order]

    def answer(self) -> Answer:
        return Answer(np.bincount(self._owners, minlength=self._n), self._ids, self._similarity)


def nearest(
    parts: Sequence[Part], probes: Vectors, codes: Words | None, graph: Graph | None, question: Question, threads: int
) -> Answer:
    """Neighbours of each probe.

    Parameters
    ----------
    parts : sequence of Part
        One after another, they are the rows of the index.
    probes : float32 (n, d), C-contiguous
        None of them zero.
    codes : uint64 (n, words), optional
        Of the probes: then candidates are those that are near by codes.
    graph : Graph, optional
        Of all rows: then candidates are those that it finds.
    question : Question
    threads : int
        Products use the threads of NumPy's BLAS instead.

    Returns
    -------
    Answer

    Examples
    --------
    >>> part = Part(np.array([7, 8, 9], np.uint64), Directions(np.array([[1, 0], [0, 1], [3, 4]], np.float32)))
    >>> nearest([part], np.array([[0, 2]], np.float32), None, None, Question(2, None), 1)
    Answer(counts=array([2]), ids=array([8, 9], dtype=uint64), similarity=array([1. , 0.8], dtype=float32))
    """
    answers: list[Answer] = []
    step = _PROBES if codes is None else min(_PROBES, block_rows(max(map(len, parts), default=1)))

    def work(rows: range, scratch: Scratch) -> Answer:
        block, best = probes[rows.start : rows.stop], _Best(len(rows), question)
        if graph is not None:
            _ask_graph(parts, block, graph, question, best)
            return best.answer()
        first = 0
        for part in parts:
            if codes is None:
                _ask_products(part, first, block, question, best)
            else:
                _ask_codes(part, first, block, codes[rows.start : rows.stop], question, best, scratch)
            first += len(part)
        return best.answer()

    run_blocks(ranges(0, len(probes), step), work, answers.append, threads=1 if codes is None else threads)
    none = Answer(np.empty(0, np.int64), np.empty(0, np.uint64), np.empty(0, np.float32))
    return Answer(*(np.concatenate(side) for side in zip(none, *answers, strict=True)))


def _ask_products(part: Part, first: int, probes: Vectors, question: Question, best: _Best) -> None:
    wrong = np.float32(margin(probes.shape[1]))
    units = Directions(probes).units(range(len(probes)))
    for tile in ranges(0, len(part), _TILE):
        products = part.held.products(units, tile)
        if part.alive is not None:
            products[:, ~part.alive[tile.start : tile.stop]] = -4
        near = products >= (best.bounds - wrong)[:, np.newaxis]
        if question.k and question.k < len(tile) and near.sum() > 4 * question.k * len(probes):
            # the k best products of a tile: what is further behind than both can be wrong is not among the k best
            place = len(tile) - question.k
            near &= products >= (np.partition(products, place, axis=1)[:, place] - 2 * wrong)[:, np.newaxis]
        if part.alive is not None:
            near &= part.alive[tile.start : tile.stop]
        owners, columns = np.divmod(np.flatnonzero(near), len(tile))
        _verify(part, first, probes, owners, tile.start + columns, best)


def _ask_codes(
    part: Part, first: int, probes: Vectors, codes: Words, question: Question, best: _Best, scratch: Scratch
) -> None:
    assert part.codes is not None
    limits = np.full(len(probes), CODE_BITS, np.uint64)
    if question.threshold is not None:
        limits[:] = radius(max(-1.0, question.threshold), CODE_BITS, question.recall)
    if question.k is not None:
        wanted = _OVERSAMPLE * question.k + part.n_dead
        limits = np.minimum(limits, limits_of_nearest(codes, part.codes, wanted))
    hits = near_codes(codes, part.codes, np.zeros(len(codes), np.int64), limits, scratch)
    owners, rows = np.repeat(np.arange(len(codes)), hits.counts), hits.positions
    if part.alive is not None:
        alive = part.alive[rows]
        owners, rows = owners[alive], rows[alive]
    _verify(part, first, probes, owners, rows, best)


def _ask_graph(parts: Sequence[Part], probes: Vectors, graph: Graph, question: Question, best: _Best) -> None:
    owners, rows = graph.search(probes, question.k)
    first = 0
    for part in parts:
        own = (rows >= first) & (rows < first + len(part))
        if part.alive is not None:
            own[own] = part.alive[rows[own] - first]
        _verify(part, first, probes, owners[own], rows[own] - first, best)
        first += len(part)


def _verify(part: Part, first: int, probes: Vectors, owners: Rows, rows: Rows, best: _Best) -> None:
    if len(owners):
        best.add(owners, first + rows, part.ids[rows], cosines(probes, owners, part.held.vectors, rows))
