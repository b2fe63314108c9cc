"""Probes of a snapshot, in blocks on threads: candidates, verification, ids."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, run_blocks
from ..columns.checks import read_only
from .snapshot import Snapshot
from .tables import Ids, Positions, Words, seedless

_FEW_PROBES = 32  # up to which it pays to search an unsorted tail instead of sorting it
_BLOCK_PROBES = 1 << 13  # some milliseconds of work
_MIN_ROOM = 1 << 17


class Question(NamedTuple):
    """What is asked of every probe.

    ``needed`` is the number of slots that must be equal, None: any candidate will do. ``exact`` asks for
    the number of equal slots, ``best`` for at most so many rows, the most similar first.
    """

    bands: int
    n_rows: int
    needed: int | None = None
    exact: bool = False
    best: int | None = None


class Answer(NamedTuple):
    """Rows of the index by probe: number for each probe, ids, and equal slots if they were asked for."""

    counts: Positions
    ids: Ids
    equal: NDArray[np.int64] | None


def ask(snapshot: Snapshot, probes: Words, question: Question, threads: int) -> Answer:
    """Answer of every probe (``(n, 1 + h)`` words, read-only), in the order of the Rust crate."""
    n = len(probes)
    tables, alive = snapshot.sorted_tables() if n > _FEW_PROBES else (snapshot.tables, snapshot.segments)
    if n == 0 or len(tables) == 0:
        none = np.empty(0, np.int64)
        return Answer(np.zeros(n, np.int64), np.empty(0, np.uint64), none if question.exact else None)
    per_block = max(64, min(_BLOCK_PROBES, -(-n // threads)))
    blocks = (range(begin, min(begin + per_block, n)) for begin in range(0, n, per_block))
    parts: list[Answer] = []

    def work(block: range, scratch: Scratch) -> Answer:
        return _ask_block(snapshot, tables, probes[block.start : block.stop], question, scratch)

    run_blocks(blocks, work, parts.append, threads=threads)
    del alive  # until here kernels used addresses inside it
    if len(parts) == 1:
        return parts[0]
    equal = np.concatenate([p.equal for p in parts if p.equal is not None]) if question.exact else None
    return Answer(np.concatenate([p.counts for p in parts]), np.concatenate([p.ids for p in parts]), equal)


def _ask_block(
    snapshot: Snapshot, tables: NDArray[np.int64], probes: Words, question: Question, scratch: Scratch
) -> Answer:
    from ..kernels.lsh import collect_rows, gather_ids, verify_rows

    n, bands, n_rows = len(probes), question.bands, question.n_rows
    room = _MIN_ROOM
    rows = scratch.take("rows", room, np.int64)
    equal = scratch.take("equal", room, np.int64)
    seen = scratch.take("seen", 2 * room, np.int64)
    wanted = (bands, n_rows, question.needed or 0, question.exact)
    counts = np.empty(n, np.int64)
    ids_parts: list[Ids] = []
    equal_parts: list[NDArray[np.int64]] = []
    first = 0
    while first < n:
        shape = (bands, n_rows, first)
        stop, used, most = collect_rows(tables, probes, shape, seedless(), snapshot.dead, seen, rows, counts)
        if stop == first:  # one probe that may have more rows than there is room for
            room = 1 << (most - 1).bit_length()
            rows = scratch.take("rows", room, np.int64)
            equal = scratch.take("equal", room, np.int64)
            seen = scratch.take("seen", 2 * room, np.int64)
            continue
        used = verify_rows(snapshot.words_at, probes, (first, stop), counts, rows, wanted, equal)
        if question.best is not None:
            used = _keep_best(counts[first:stop], rows[:used], equal[:used], question.best)
        ids = np.empty(used, np.uint64)
        gather_ids(snapshot.ids_at, read_only(rows[:used]), ids)
        ids_parts.append(ids)
        equal_parts.append(equal[:used].copy())
        first = stop
    joined = ids_parts[0] if len(ids_parts) == 1 else np.concatenate(ids_parts)
    if not question.exact:
        return Answer(counts, joined, None)
    return Answer(counts, joined, equal_parts[0] if len(equal_parts) == 1 else np.concatenate(equal_parts))


def _keep_best(counts: Positions, rows: Positions, equal: Positions, best: int) -> int:
    """Sort the rows of each probe by falling similarity, keep ``best`` of each; how many are left."""
    owner = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((-equal, owner))  # stable: equally similar ones stay in the order of the crate
    starts = np.cumsum(counts) - counts
    order = order[np.arange(len(order)) - starts[owner] < best]
    rows[: len(order)], equal[: len(order)] = rows[order], equal[order]
    np.minimum(counts, best, out=counts)
    return len(order)
