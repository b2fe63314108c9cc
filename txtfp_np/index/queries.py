"""Probes of a snapshot, in blocks on threads: keys, buckets, candidates, verification."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch, run_blocks
from ..columns.checks import read_only
from .snapshot import Snapshot
from .tables import Ids, Positions, Words, seedless

_FEW_PROBES = 32  # up to which it pays to search an unsorted tail instead of sorting it
_BLOCK_ENTRIES = 1 << 17  # buckets of a block, 8 bytes each: probes times bands times segments; the L2 cache holds them
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
    per_block = max(64, min(_BLOCK_ENTRIES // (question.bands * len(tables)), -(-n // threads)))
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
    from ..kernels.bands import BITS, SIZE, band_keys, find_buckets
    from ..kernels.lsh import collect_rows, gather_ids, verify_rows

    n, bands = len(probes), question.bands
    keys = scratch.take("keys", bands * n, np.uint64).reshape(bands, n)
    band_keys(probes, question.n_rows, seedless(), 0, keys)
    keys = read_only(keys)
    # eight more than needed: bands at distances of a power of two would compete for the same cache lines
    shape = (len(tables), bands, n + 8, 2)
    buckets = scratch.take("buckets", int(np.prod(shape)), np.uint32).reshape(shape)
    scanned = 0
    for s, table in enumerate(tables):
        if table[BITS] < 0:
            scanned += bands * int(table[SIZE])
            buckets[s] = 0
        else:
            find_buckets(table, 0, keys, buckets[s])
    fullest = min(int(buckets[:, :, :n, 1].sum((0, 1), np.int64).max()) + scanned, snapshot.n_rows)
    room = max(_MIN_ROOM, fullest)
    rows = scratch.take("rows", room, np.int64)
    equal = scratch.take("equal", room, np.int64)
    seen = scratch.take("seen", 1 << (2 * fullest + 1).bit_length(), np.int64)
    counts = np.empty(n, np.int64)
    ids_parts: list[Ids] = []
    equal_parts: list[NDArray[np.int64]] = []
    first = 0
    while first < n:
        stop, used = collect_rows(tables, keys, read_only(buckets), snapshot.dead, first, seen, rows, counts)
        if question.needed is not None or question.exact:
            span, needed = (first, stop), question.needed or 0
            used = verify_rows(snapshot.words_at, probes, span, counts, rows, needed, question.exact, equal)
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
