"""The state of an LSH index at one moment: what readers see while writers prepare the next one.

Rows are numbered in the order of their insertion and never move or change; a row that is removed gets
a bit in a bitmap. A writer makes a new :class:`Snapshot` and publishes it with one assignment, so that
any number of threads may read without a lock.

The newest rows stand in a tail of one chunk, whose tables are not sorted: adding one row there costs
nothing but the row. A writer writes only behind the rows that published snapshots count.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from .tables import CHUNK, MAX_SPAN, Ids, Keys, Positions, Segment, Words, key_rows, merge, sort_bands

Bitmap = NDArray[np.uint64]

_SMALL = 1 << 14  # rows below which threads cost more than they bring


class Extent(NamedTuple):
    """Rows that lie one after another: the number of the first, their ids and their signatures."""

    base: int
    ids: Ids
    words: Words


@dataclass(frozen=True)
class Tail:
    """Room for the newest rows, filled from the front."""

    base: int
    ids: Ids
    words: Words
    keys: Keys
    sorted: list[tuple[int, Segment]] = field(default_factory=list)  # a cache: rows it covers, their tables

    @classmethod
    def new(cls, base: int, n_tables: int, n_words: int) -> Tail:
        """Room for one chunk."""
        return cls(
            base,
            np.empty(CHUNK, np.uint64),
            np.empty((CHUNK, n_words), np.uint64),
            np.empty((n_tables, CHUNK), np.uint64),
        )

    def describe(self, size: int) -> list[int]:
        """Fields that ``kernels.tables`` names, of the first ``size`` rows."""
        return [int(self.keys.ctypes.data), CHUNK, 0, 0, size, self.base]

    def segment(self, size: int) -> Segment:
        """Sorted tables of the first ``size`` rows."""
        for covered, segment in self.sorted:
            if covered == size:
                return segment
        segment = sort_bands(self.keys[:, :size].copy(), self.base, CHUNK, 1)
        self.sorted[:] = [(size, segment)]
        return segment


@dataclass(frozen=True)
class Snapshot:
    """Everything that a query reads; nothing in it ever changes.

    Attributes
    ----------
    segments : tuple of Segment
        Oldest first.
    tail : Tail or None
    tail_size : int
        Rows of the tail that belong to this snapshot.
    extents : tuple of Extent
        All rows but those of the tail.
    words_at, ids_at : int64
        Address of each chunk of signatures and of ids.
    dead : uint64
        Bitmap of rows that were removed or replaced.
    n_dead, n_rows : int
        Dead rows, and all.
    """

    segments: tuple[Segment, ...]
    tail: Tail | None
    tail_size: int
    extents: tuple[Extent, ...]
    words_at: Positions
    ids_at: Positions
    dead: Bitmap
    n_dead: int
    n_rows: int
    tables: NDArray[np.int64]

    @classmethod
    def empty(cls) -> Snapshot:
        """No rows."""
        none = read_only(np.empty(0, np.int64))
        return cls((), None, 0, (), none, none, read_only(np.empty(0, np.uint64)), 0, 0, _tables([], None, 0))

    def __len__(self) -> int:
        return self.n_rows - self.n_dead

    # ── reading ─────────────────────────────────────────────────────────────────────────────────
    def sorted_tables(self) -> tuple[NDArray[np.int64], tuple[Segment, ...]]:
        """Tables with those of the tail sorted, for many probes at once; and what must be kept alive meanwhile."""
        if self.tail is None or not self.tail_size:
            return self.tables, self.segments
        segments = (*self.segments, self.tail.segment(self.tail_size))
        return _tables(segments, None, 0), segments

    def find(self, ids: Ids) -> Positions:
        """Row of each id, or -1."""
        from ..kernels.tables import AT, STRIDE, find_ids

        tables, alive = self.sorted_tables() if len(ids) > 32 else (self.tables, self.segments)
        of_ids = tables.copy()
        of_ids[:, AT] += 8 * of_ids[:, STRIDE] * (self._n_tables() - 1)
        out = np.empty(len(ids), np.int64)
        find_ids(read_only(of_ids), read_only(ids), self.ids_at, self.dead, out)
        del alive
        return out

    def _n_tables(self) -> int:
        if self.segments:
            return len(self.segments[0].lines)
        return 0 if self.tail is None else len(self.tail.keys)

    def row_words(self, row: int) -> Words:
        """The words of one row."""
        for extent in self.all_extents():
            if extent.base <= row < extent.base + len(extent.ids):
                words: Words = extent.words[row - extent.base]
                return words
        raise AssertionError(f"no row {row}")

    def all_extents(self) -> Iterator[Extent]:
        """Extents in the order of the rows, the tail's included."""
        yield from self.extents
        if self.tail is not None and self.tail_size:
            size = self.tail_size
            yield Extent(self.tail.base, self.tail.ids[:size], self.tail.words[:size])

    def alive(self, extent: Extent) -> NDArray[np.bool_] | None:
        """Which rows of an extent are alive; None: all."""
        if not self.n_dead:
            return None
        rows = np.arange(extent.base, extent.base + len(extent.ids))
        inside = rows[rows >> 6 < len(self.dead)]
        mask = np.ones(len(rows), np.bool_)
        mask[: len(inside)] = self.dead[inside >> 6] >> (inside & 63).astype(np.uint64) & np.uint64(1) == 0
        return mask

    def live(self, block_rows: int) -> Iterator[tuple[Ids, Words]]:
        """Ids and signatures that are alive, in the order of their insertion, in blocks."""
        for extent in self.all_extents():
            for begin in range(0, len(extent.ids), block_rows):
                part = slice(begin, begin + block_rows)
                block = Extent(extent.base + begin, extent.ids[part], extent.words[part])
                mask = self.alive(block)
                if mask is None or mask.all():
                    yield block.ids, block.words
                else:
                    yield block.ids[mask], block.words[mask]

    # ── the next snapshot ───────────────────────────────────────────────────────────────────────
    def without(self, rows: Positions) -> Snapshot:
        """The same with ``rows``, all of them alive, marked dead."""
        if not len(rows):
            return self
        dead = np.zeros(max(len(self.dead), int(rows.max() >> 6) + 1), np.uint64)
        dead[: len(self.dead)] = self.dead
        np.bitwise_or.at(dead, rows >> 6, np.uint64(1) << (rows & 63).astype(np.uint64))
        return replace(self, dead=read_only(dead), n_dead=self.n_dead + len(rows))

    def with_small(self, ids: Ids, words: Words, n_rows: int, bands: int) -> Snapshot:
        """A few rows added at the end of the tail; they must fit. Equal ids among them: the last one lives."""
        from ..kernels.bands import band_keys, id_keys
        from .tables import seedless

        snapshot, n = self, len(ids)
        if snapshot.tail is None:
            snapshot = snapshot._with_tail(bands + 1, words.shape[1])
        tail = snapshot.tail
        assert tail is not None
        begin, end = snapshot.tail_size, snapshot.tail_size + n
        tail.ids[begin:end] = ids
        tail.words[begin:end] = words
        band_keys(read_only(tail.words[begin:end]), n_rows, seedless(), begin, tail.keys[:-1])
        id_keys(read_only(tail.ids[begin:end]), tail.keys[-1, begin:end])
        tables = snapshot.tables.copy()
        tables[-1] = tail.describe(end)
        added = replace(snapshot, tail_size=end, n_rows=snapshot.n_rows + n, tables=read_only(tables))
        if n > 1:
            _, last = np.unique(ids[::-1], return_index=True)
            if len(last) < n:
                doomed = np.setdiff1d(np.arange(n), n - 1 - last)
                return added.without(tail.base + begin + doomed)
        return added

    def _with_tail(self, n_tables: int, n_words: int) -> Snapshot:
        tail = Tail.new(CHUNK * len(self.words_at), n_tables, n_words)
        return replace(
            self,
            tail=tail,
            tail_size=0,
            words_at=_appended(self.words_at, [tail.words.ctypes.data]),
            ids_at=_appended(self.ids_at, [tail.ids.ctypes.data]),
            tables=_tables(self.segments, tail, 0),
        )

    def without_tail(self, threads: int) -> Snapshot:
        """The same rows, those of the tail in sorted tables."""
        if self.tail is None:
            return self
        tail, size = self.tail, self.tail_size
        if not size:
            return replace(self, tail=None, tables=_tables(self.segments, None, 0))
        extent = Extent(tail.base, read_only(tail.ids[:size]), read_only(tail.words[:size]))
        closed = replace(self, tail=None, tail_size=0, extents=(*self.extents, extent))
        return closed._with_segment(tail.segment(size), threads)

    def with_rows(self, ids: Ids, words: Words, n_rows: int, bands: int, threads: int) -> Snapshot:
        """Many rows added, in tables of their own. There must be no tail."""
        n = len(ids)
        n_threads = threads if n > _SMALL else 1
        base = CHUNK * len(self.words_at)
        kept_ids, kept = ids.copy(), np.empty(words.shape, np.uint64)
        keys = np.empty((bands + 1, n), np.uint64)
        key_rows(words, kept_ids, n_rows, keys, kept, n_threads)
        span = -(-n // CHUNK) * CHUNK
        segment = sort_bands(keys, base, span, n_threads)
        added = self.with_extent(Extent(base, read_only(kept_ids), read_only(kept)))._with_segment(segment, threads)
        return added.without(base + _replaced(keys[-1], kept_ids))

    def with_extent(self, extent: Extent) -> Snapshot:
        """Rows added that no table knows yet; ``extent.base`` must be the next chunk's."""
        firsts = np.arange(0, len(extent.ids), CHUNK)
        stride = 8 * extent.words.shape[1]
        words, ids = extent.words.ctypes.data, extent.ids.ctypes.data
        return replace(
            self,
            extents=(*self.extents, extent),
            n_rows=self.n_rows + len(extent.ids),
            words_at=_appended(self.words_at, words + stride * firsts),
            ids_at=_appended(self.ids_at, ids + 8 * firsts),
        )

    def _with_segment(self, segment: Segment, threads: int) -> Snapshot:
        """A segment added; merged with older ones of about its size, unless they are files."""
        segments = [*self.segments, segment]
        while len(segments) > 1 and _to_be_merged(*segments[-2:]):
            newer, older = segments.pop(), segments.pop()
            n_threads = threads if len(older) + len(newer) > _SMALL else 1
            segments.append(merge(older, newer, n_threads))
        return replace(self, segments=tuple(segments), tables=_tables(segments, None, 0))

    def with_stored(self, segment: Segment) -> Snapshot:
        """A segment of files added as it is."""
        segments = (*self.segments, segment)
        return replace(self, segments=segments, tables=_tables(segments, None, 0))


def _to_be_merged(older: Segment, newer: Segment) -> bool:
    fit = newer.base + newer.span - older.base <= MAX_SPAN
    return fit and older.name is None and len(older) < 2 * len(newer)


def _replaced(entries: Keys, ids: Ids) -> Positions:
    """Rows whose id comes again behind them; ``entries`` those of the ids, sorted."""
    fragments = entries >> np.uint64(32)
    same = fragments[1:] == fragments[:-1]
    if not same.any():
        return np.empty(0, np.int64)
    suspects = np.append(same, False) | np.insert(same, 0, False)
    rows = np.sort((entries[suspects] & np.uint64(0xFFFFFFFF)).astype(np.int64))
    _, last = np.unique(ids[rows[::-1]], return_index=True)
    return np.delete(rows, len(rows) - 1 - last)


def _tables(segments: Sequence[Segment], tail: Tail | None, tail_size: int) -> NDArray[np.int64]:
    described = [segment.describe() for segment in segments]
    if tail is not None:
        described.append(tail.describe(tail_size))
    return read_only(np.array(described, np.int64).reshape(-1, 6))


def _appended(addresses: Positions, more: Sequence[int] | Positions) -> Positions:
    return read_only(np.concatenate([addresses, np.asarray(more, np.int64)]))
