"""An LSH index in a folder: which arrays a segment consists of, and what a save writes."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from .arguments import Geometry
from .snapshot import Extent, Snapshot
from .storage import Array, Attachment, Blocks, Contents, Json, Store
from .tables import CHUNK, Segment, key_rows, sort_bands

KIND = "lsh"
_BLOCK = 1 << 14


@dataclass(frozen=True)
class Stored(Attachment):
    """What is known of the files of an index, its removed rows among it."""

    dead: NDArray[np.uint64]


def rewrite(snapshot: Snapshot, geometry: Geometry, threads: int) -> Snapshot:
    """The living rows alone, in one segment, in memory."""
    blocks = list(snapshot.live(_BLOCK))
    if not blocks:
        return Snapshot.empty()
    ids, words = np.concatenate([ids for ids, _ in blocks]), np.concatenate([words for _, words in blocks])
    del blocks
    return Snapshot.empty().with_rows(ids, read_only(words), geometry.rows, geometry.bands, threads)


def attach(folder: str | os.PathLike[str]) -> tuple[Snapshot, Stored, Json]:
    """Snapshot of a stored index."""
    store = Store(folder, KIND)
    contents = store.open()
    snapshot = _mapped(contents)
    return snapshot, Stored(store, contents.generation, snapshot.dead), contents.meta


def save_changes(
    snapshot: Snapshot,
    geometry: Geometry,
    config_hash: int | None,
    folder: str | os.PathLike[str],
    attachment: Stored | None,
    threads: int,
    *,
    whole: bool = False,
) -> tuple[Snapshot, Stored]:
    """Write what the folder lacks, or with ``whole`` everything as one segment; the snapshot of the files."""
    store = Store(folder, KIND)
    same = attachment is not None and attachment.is_at(store.folder)
    snapshot = snapshot.without_tail(threads)
    kept = tuple(s for s in snapshot.segments if s.name is not None) if same and not whole else ()
    first_new = kept[-1].base + kept[-1].span if kept else 0
    new = _rows_from(snapshot, first_new)
    dead = _bits_before(snapshot.dead, first_new)
    unchanged = attachment is not None and not len(new) and np.array_equal(dead, attachment.dead)
    if attachment is not None and same and not whole and unchanged and store.exists():
        return snapshot, attachment
    segments: list[dict[str, Array | Blocks]] = []
    if len(new):
        segments.append(_arrays(new, first_new, geometry, threads))
    if dead.any():
        segments.append({"dead": dead})
    bands, rows, h = geometry
    meta = {"bands": bands, "rows": rows, "h": h, "config_hash": config_hash, "n": len(snapshot)}
    generation = attachment.generation if same and attachment is not None else None
    names = [segment.name for segment in kept if segment.name is not None]
    contents = store.save_segments(meta, segments, keep=names, generation=generation)
    mapped = _mapped(contents)
    return mapped, Stored(store, contents.generation, mapped.dead)


def _rows_from(snapshot: Snapshot, first: int) -> Snapshot:
    """The rows from number ``first`` on, for reading only: its tables are those of all rows."""
    extents = tuple(extent for extent in snapshot.extents if extent.base >= first)
    part = replace(snapshot, extents=extents, n_rows=sum(len(extent.ids) for extent in extents))
    n_dead = int(np.bitwise_count(snapshot.dead[first >> 6 :]).sum()) if snapshot.n_dead else 0
    return replace(part, n_dead=n_dead)


def _bits_before(dead: NDArray[np.uint64], end: int) -> NDArray[np.uint64]:
    """The bitmap of rows before ``end``, a multiple of 64, without zeros at its end."""
    part = dead[: end >> 6]
    used = np.flatnonzero(part)
    return part[: int(used[-1]) + 1] if len(used) else part[:0]


def _arrays(new: Snapshot, first: int, geometry: Geometry, threads: int) -> dict[str, Array | Blocks]:
    """The arrays of one segment of the living rows of ``new``."""
    n, n_words = len(new), 1 + geometry.h
    segment = _ready(new, first)
    if segment is None:
        keys = np.empty((geometry.bands + 1, n), np.uint64)
        begin = 0
        for ids, words in new.live(_BLOCK):
            part = np.empty((geometry.bands + 1, len(ids)), np.uint64)
            key_rows(read_only(np.ascontiguousarray(words)), np.ascontiguousarray(ids), geometry.rows, part, None, 1)
            keys[:, begin : begin + len(ids)] = part
            begin += len(ids)
        segment = sort_bands(keys, 0, n, threads)
    return {
        "ids": Blocks("<u8", (n,), (ids for ids, _ in new.live(_BLOCK))),
        "words": Blocks("<u8", (n, n_words), (words for _, words in new.live(_BLOCK))),
        "lines": segment.lines,
    }


def _ready(new: Snapshot, first: int) -> Segment | None:
    """The segment of exactly these rows, if there is one and none of them is dead."""
    segments = [segment for segment in new.segments if segment.base >= first]
    if new.n_dead or len(segments) != 1 or len(new.extents) != 1 or segments[0].base != new.extents[0].base:
        return None
    return segments[0]


def _mapped(contents: Contents) -> Snapshot:
    snapshot = Snapshot.empty()
    dead = snapshot.dead
    for stored in contents.segments:
        arrays: Any = stored.arrays
        if "dead" in arrays:
            dead = arrays["dead"]
            continue
        base, n = CHUNK * len(snapshot.words_at), len(arrays["ids"])
        span = -(-n // CHUNK) * CHUNK
        snapshot = snapshot.with_extent(Extent(base, arrays["ids"], arrays["words"]))
        snapshot = snapshot.with_stored(Segment(arrays["lines"], n, base, span, stored.name))
    # the bitmap is small, and a copy of it is aligned and native whatever wrote the file
    dead = read_only(np.array(dead, np.uint64))
    return replace(snapshot, dead=dead, n_dead=int(np.bitwise_count(dead).sum()))
