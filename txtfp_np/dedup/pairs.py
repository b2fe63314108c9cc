"""Pairs of documents that are alike: candidates, and which of them are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import Appender, Progress, TextColumn, TextRows
from ..columns.checks import read_only
from ..errors import InvalidInputError, TokenizerError
from ..index import HammingIndex
from ..index.arguments import Geometry, slots_needed
from ..index.join import banded_pairs, first_equal, sort_in_place, words_at
from .containment import contained, take_sets
from .copies import equal_bytes, equal_sets, refine
from .settings import Method, Settings, Verify
from .verify import set_shares, shingle_sets
from .waves import Matches, Shares, SignatureFinder, Signatures, star_pairs

Rows = NDArray[np.int64]

# How far below the threshold an estimate may be before a pair is not verified. Slots of one document are not quite
# independent (two hashes make them all): at the threshold one pair of 1,000 is lost by this if sets are of a few
# shingles, one of 3,000 if they are of a hundred.
_SIGMAS = 6
_SET_BYTES = 1 << 28  # text of documents whose sets are in memory at a time
_MOST_PAIRS = 1 << 24  # candidates, 10 bytes each, above which a star is made without listing all
_MOST_A_ROW = 16  # unless there are so many rows that these are few
_FEW_PAIRS = 8  # a row of the column, at least: then numbering all rows costs less than sorting


class Found(NamedTuple):
    """Pairs of rows that are alike.

    Attributes
    ----------
    equal : int64 (n,)
        First row with an equal document: equal bytes, and with exact verification equal sets.
    group : int64 (n,)
        Row that stands for each one in ``i`` and ``j``: the first whose signature, at least, is equal.
    empty : bool (n,)
        Documents without a single token.
    i, j : int64 (m,)
        Pairs, the earlier row first, in ascending order; of different groups.
    share : float64 (m,), or float32 (m,)
        Their similarity. Compared with a ``float`` it is so in its own precision: that of cosines is single.
    complete : bool
        Whether these are all pairs; else those that decide a star in keep order.
    """

    equal: Rows
    group: Rows
    empty: NDArray[np.bool_]
    i: Rows
    j: Rows
    share: Shares
    complete: bool = True


class Signed(NamedTuple):
    """Signatures of the documents that differ in their bytes: ``rows``; ``ok``: which have a token at all."""

    rows: Rows
    records: NDArray[Any]
    ok: NDArray[np.bool_]


class Positions(NamedTuple):
    """Groups of equal documents, as in :class:`Found`, among the rows that differ in their bytes."""

    equal: Rows
    group: Rows
    empty: NDArray[np.bool_]


class Task(NamedTuple):
    """What to find pairs in: rows of a column that differ in their bytes.

    ``fresh`` marks those of interest: pairs of two others are left out. None: all are. ``rank`` is their
    keep order, lower first; None: all pairs are needed, whatever their number. ``dropped`` marks those that take no
    part in a star, as all with their signature.
    """

    column: TextColumn
    rows: Rows
    settings: Settings
    threads: int | None
    progress: Progress
    fresh: NDArray[np.bool_] | None = None
    signed: Signed | None = None
    rank: Rows | None = None
    dropped: NDArray[np.bool_] | None = None

    def of_interest(self, group: Rows) -> NDArray[np.bool_]:
        """Groups, by their first position, that hold a row of interest."""
        fresh = np.ones(len(group), np.bool_)
        if self.fresh is not None:
            fresh[:] = False
            fresh[group[self.fresh]] = True
        return fresh


def find_pairs(
    column: TextColumn,
    settings: Settings,
    threads: int | None,
    progress: Progress = False,
    *,
    n_known: int = 0,
    signed: Signed | None = None,
    rank: Rows | None = None,
    dropped: NDArray[np.bool_] | None = None,
) -> Found:
    """All pairs within a column, but for those whose documents are both among the first ``n_known`` rows only.

    If they are very many, and ``rank`` tells the keep order, those alone that decide a star of the rows that are not
    ``dropped``.
    """
    same = equal_bytes(column)
    rows = np.flatnonzero(same == np.arange(len(column)))
    fresh = None
    if n_known:
        fresh = np.zeros(len(column), np.bool_)
        fresh[same[n_known:]] = True
        fresh = fresh[rows]
    if rank is not None and settings.linkage == "star":
        least = np.full(len(column), len(column))
        np.minimum.at(least, same, rank)
        rank = least[rows]
    else:
        rank = None
    gone = None if dropped is None else dropped[rows]
    task = Task(column, rows, settings, threads, progress, fresh, signed, rank, gone)
    complete = True
    if settings.scope == "containment":
        positions, found = _contained(task)
    else:
        # signatures live inside these calls only
        if settings.method == Method.SIMHASH:
            positions, found = _near_bits(task)
        else:
            positions, found, complete = _near_sets(task)
        if settings.verify == Verify.EXACT and complete:
            found = verified(column, *found[:2], settings, threads)
    equal, group, empty = (rows[positions.equal], rows[positions.group], positions.empty)
    return of_all_rows(same, rows, Found(equal, group, empty, *found, complete))


def most_pairs(n_rows: int) -> int:
    """Pairs above which a star is made without listing all."""
    return max(_MOST_PAIRS, _MOST_A_ROW * n_rows)


def of_all_rows(same: Rows, rows: Rows, found: Found) -> Found:
    """What was found among ``rows``, said of all rows; ``same`` is the first row of equal bytes of each."""
    place = np.empty(len(same), np.int64)
    place[rows] = np.arange(len(rows))
    place = place[same]
    empty = found.empty[place]
    own = np.arange(len(same))
    equal = np.where(empty, own, found.equal[place])
    group = np.where(empty, own, found.group[place])
    i, j = np.minimum(found.i, found.j), np.maximum(found.i, found.j)
    keys = (i.astype(np.uint64) << np.uint64(32)) | j.astype(np.uint64)
    order = sort_in_place(keys)
    return Found(equal, group, empty, i[order], j[order], found.share[order], found.complete)


def sign_rows(task: Task) -> Signed:
    """Signatures of the rows."""
    if task.signed is not None:
        return task.signed
    column, rows, settings, threads, progress, *_ = task
    try:
        records, ok = settings.fingerprinter.fingerprint(
            TextRows(column, rows), on_empty="mask", threads=threads, progress=progress
        )
    except (TokenizerError, InvalidInputError) as error:  # a user's tokenizer, or hasher
        if error.row is not None:
            error.row = int(rows[error.row])
        raise
    return Signed(rows, records, ok)


# ── MinHash ─────────────────────────────────────────────────────────────────────────────────────
def _near_sets(task: Task) -> tuple[Positions, Matches, bool]:
    """Candidates by bands, their similarity being the estimate; or if they are too many, the pairs of a star."""
    settings, rows = task.settings, task.rows
    signed = sign_rows(task)
    groups = equal_signatures(task.column, signed, settings, task.threads)
    fresh = task.of_interest(groups.group)
    chosen = np.flatnonzero(signed.ok & (groups.group == np.arange(len(rows))))
    bands = settings.bands
    if bands is None or len(chosen) < 2:
        return groups, (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0)), True
    words, at = signature_rows(signed.records)
    geometry, least = Geometry(bands.bands, bands.rows, bands.h), least_slots(settings)
    i, j, equal = (Appender(kind, 0) for kind in (np.uint32, np.uint32, np.uint16))
    for block in banded_pairs(at, chosen, geometry, least):
        wanted = fresh[block.i] | fresh[block.j]
        for out, values in zip((i, j, equal), block, strict=True):
            out.append(values[wanted])
        if task.rank is not None and len(i) > most_pairs(len(rows)):
            del i, j, equal
            return groups, _star(task, Signatures(words, geometry, least), groups.group, chosen), False
    first, second = (rows[side.values().astype(np.int64)] for side in (i, j))
    return groups, (first, second, equal.values() / np.float64(bands.h)), True


def _star(task: Task, signatures: Signatures, group: Rows, chosen: Rows) -> Matches:
    assert task.rank is not None
    column, rows, settings, threads, *_ = task
    rank = task.rank.copy()
    np.minimum.at(rank, group, task.rank)
    place = np.full(len(column), -1)
    place[rows] = np.arange(len(rows))

    def verify(pairs: Matches) -> Matches:
        if settings.verify != Verify.EXACT:
            return pairs
        i, j, share = verified(column, rows[pairs[0]], rows[pairs[1]], settings, threads)
        return place[i], place[j], share

    if task.dropped is not None:
        chosen = chosen[~task.dropped[chosen]]
    i, j, share = star_pairs(SignatureFinder(signatures, verify, threads), chosen[np.argsort(rank[chosen])])
    return rows[i], rows[j], share


def signature_rows(records: NDArray[Any]) -> tuple[NDArray[np.uint64], Rows]:
    """Words of MinHash signatures, and where they lie, for kernels; the words must outlive the addresses."""
    words = read_only(np.ascontiguousarray(records)).view(np.uint64).reshape(len(records), records.itemsize // 8)
    return words, words_at(words)


def equal_signatures(column: TextColumn, signed: Signed, settings: Settings, threads: int | None) -> Positions:
    """Groups of documents whose signatures are equal; with exact verification, whose sets are."""
    rows, records, ok = signed
    _words, at = signature_rows(records)
    live = read_only(np.flatnonzero(ok))
    group = np.arange(len(rows))
    group[live] = live[first_equal(at, live, settings.fingerprinter.h)]
    if settings.verify == Verify.EXACT:
        group = refine(group, TextRows(column, rows), settings.fingerprinter, threads)
        return Positions(group, group, ~ok)
    return Positions(np.arange(len(rows)), group, ~ok)


def least_slots(settings: Settings) -> int:
    """Equal slots without which a candidate is not looked at any further."""
    t, h = settings.threshold, settings.fingerprinter.h
    if settings.verify == Verify.NONE:
        return 0
    if settings.verify == Verify.SIGNATURE:
        return slots_needed(t, h) or 0
    return max(0, int(h * (t - _SIGMAS * np.sqrt(t * (1 - t) / h))))


def verified(column: TextColumn, i: Rows, j: Rows, settings: Settings, threads: int | None) -> Matches:
    """Those candidates whose exact similarity is at least the threshold."""
    kept: list[Matches] = []
    for part in _batches(column, i, j):
        mine, other = i[part], j[part]
        rows, places = _numbered(len(column), mine, other)
        sets = shingle_sets(TextRows(column, rows), settings.fingerprinter, threads)
        share = set_shares(sets, places[: len(mine)], places[len(mine) :], settings.scope, threads)
        enough = share >= settings.threshold
        kept.append((mine[enough], other[enough], share[enough]))
    if not kept:
        return i[:0], j[:0], np.empty(0)
    return tuple(np.concatenate(side) for side in zip(*kept, strict=True))  # type: ignore[return-value]


def _numbered(n: int, i: Rows, j: Rows) -> tuple[Rows, Rows]:
    """Rows that are in a pair, ascending, and which of them ``i`` and then ``j`` are; of ``n`` rows in all."""
    both = np.concatenate([i, j])
    if len(both) * _FEW_PAIRS < n:
        return np.unique(both, return_inverse=True)
    mask = np.zeros(n, np.bool_)
    mask[both] = True
    rows = np.flatnonzero(mask)
    place = np.empty(n, np.int64)
    place[rows] = np.arange(len(rows))
    return rows, place[both]


def _batches(column: TextColumn, i: Rows, j: Rows) -> Iterator[Rows | slice]:
    """Pairs in portions whose documents are not too much text; documents that hang together stay together."""
    from ..kernels.linkage import component_rows

    if len(i) == 0:
        return
    rows, places = _numbered(len(column), i, j)
    lengths = column.offsets[rows + 1] - column.offsets[rows]
    if int(lengths.sum()) <= _SET_BYTES:
        yield slice(None)
        return
    n = len(rows)
    i, j = places[: len(i)], places[len(i) :]
    component, decided = np.empty(n, np.int64), np.empty(n, np.int64)
    component_rows(read_only(i), read_only(j), read_only(np.arange(n)), component, decided)
    sizes = np.bincount(component, weights=lengths, minlength=n)
    batch = (np.cumsum(sizes) // _SET_BYTES).astype(np.int64)  # of the component that begins with a row
    of_pair = batch[component[i]]
    order = np.argsort(of_pair, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(of_pair[order])) + 1)


# ── containment ─────────────────────────────────────────────────────────────────────────────────
def _contained(task: Task) -> tuple[Positions, Matches]:
    column, rows, settings, threads, progress, *_ = task
    sets = shingle_sets(TextRows(column, rows), settings.fingerprinter, threads, progress=progress)
    empty = sets.sizes == 0
    equal = equal_sets(sets)
    chosen = np.flatnonzero(~empty & (equal == np.arange(len(rows))))
    fresh = task.of_interest(equal)[chosen]
    i, j, share = contained(take_sets(sets, chosen), settings.threshold, threads, fresh)
    return Positions(equal, equal, empty), (rows[chosen[i]], rows[chosen[j]], share)


# ── SimHash ─────────────────────────────────────────────────────────────────────────────────────
def _near_bits(task: Task) -> tuple[Positions, Matches]:
    rows, settings = task.rows, task.settings
    _, records, ok = sign_rows(task)
    bits = settings.fingerprinter.bits
    live = np.flatnonzero(ok)
    group = np.arange(len(rows))
    if len(live) == 0:
        return Positions(group, group, ~ok), (live, live, np.empty(0))
    group[live] = live[first_equal_fingerprints(records[live])]
    i, j, distance = HammingIndex(records[live], settings.max_distance, bits=bits).find_all(True, task.threads)
    i, j, fresh = live[i], live[j], task.of_interest(group)
    wanted = fresh[i] | fresh[j]
    found = rows[i[wanted]], rows[j[wanted]], 1 - distance[wanted] / bits
    return Positions(np.arange(len(rows)), group, ~ok), found


def first_equal_fingerprints(fingerprints: NDArray[Any]) -> Rows:
    """Position of the first equal fingerprint."""
    axis = 0 if fingerprints.ndim > 1 else None
    _, first, inverse = np.unique(fingerprints, return_index=True, return_inverse=True, axis=axis)
    places: Rows = first[inverse.reshape(-1)]
    return places
