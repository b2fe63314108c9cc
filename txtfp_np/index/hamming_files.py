"""A Hamming index in a folder: its values in as many parts as there were saves, tables, and what was removed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ..columns.checks import read_only
from .blocks import Plan
from .rows import Rows
from .segments import Segment, Words
from .storage import Array, Attachment, Blocks, Contents, Json, Store

_KIND = "hamming"
_TABLES = ("starts", "order", "low", "high", "rank", "bounds")


@dataclass(frozen=True)
class Options:
    """What an index was made with; ``plan`` is None if the choice is ours."""

    bits: int
    max_distance: int
    plan: Plan | None
    config_hash: int | None


@dataclass(frozen=True)
class Stored(Attachment):
    """Of the folder an index belongs to: names of its segments of values and of removals, and what they hold."""

    values: tuple[str, ...]
    removed: tuple[str, ...]
    n: int
    n_removed: int


@dataclass(frozen=True)
class Parts:
    """A stored index, memory-mapped."""

    options: Options
    values: list[Words]
    removed: Array
    segments: tuple[Segment, ...]
    stored: Stored


def save_changes(
    folder: str | os.PathLike[str],
    options: Options,
    rows: Rows,
    segments: tuple[Segment, ...],
    known: Stored | None,
    *,
    whole: bool = False,
) -> Parts | None:
    """Write what the folder lacks, or with ``whole`` everything anew; None if it lacks nothing."""
    store = Store(folder, _KIND)
    if known is not None and not known.is_at(store.folder):
        known = None
    keep = None if whole else known
    removals_known = keep is not None and keep.n_removed == rows.n_removed
    new: list[Mapping[str, Array | Blocks]] = []
    names: list[str] = []
    if keep is not None:
        names += [*keep.values, *(segment.name for segment in segments if segment.name is not None)]
        names += keep.removed * removals_known
    first = 0 if keep is None else keep.n
    if len(rows) > first or keep is None:
        new.append({"words": Blocks("<u8", (len(rows) - first, rows.n_words), rows.parts_since(first))})
    for segment in segments:
        if keep is None or segment.name is None:
            new.append({name: getattr(segment, name) for name in _TABLES})
    if rows.n_removed and not removals_known:
        new.append({"removed": rows.removed()})
    if keep is not None and not new and store.exists():
        return None
    meta = {
        "bits": options.bits,
        "max_distance": options.max_distance,
        "masks": None if options.plan is None else _texts(options.plan),
        "config_hash": options.config_hash,
        "tables": [{"begin": s.begin, "end": s.end, "masks": _texts(s.plan)} for s in segments],
    }
    generation = None if known is None else known.generation
    return _mapped(store, store.save_segments(meta, new, keep=names, generation=generation))


def open_parts(folder: str | os.PathLike[str]) -> Parts:
    """Map everything."""
    store = Store(folder, _KIND)
    return _mapped(store, store.open())


def _mapped(store: Store, contents: Contents) -> Parts:
    meta: Json = contents.meta
    bits, max_distance = meta["bits"], meta["max_distance"]

    def plan(masks: list[str]) -> Plan:
        return Plan(tuple(int(mask, 16) for mask in masks), max_distance, bits)

    values = [segment for segment in contents.segments if "words" in segment.arrays]
    removed = [segment for segment in contents.segments if "removed" in segment.arrays]
    tables = [segment for segment in contents.segments if "rank" in segment.arrays]
    segments = []
    for said, table in zip(meta["tables"], tables, strict=True):
        starts, order, low, high, rank, bounds = (read_only(table.arrays[name]) for name in _TABLES)
        span, arrays = (said["begin"], said["end"]), (starts, order, low, high, rank, bounds)
        segments.append(Segment(*span, plan(said["masks"]), *arrays, table.name))
    words = [segment.arrays["words"] for segment in values]
    gone = removed[0].arrays["removed"] if removed else np.empty(0, np.int64)
    stored = Stored(
        store,
        contents.generation,
        tuple(segment.name for segment in values),
        tuple(segment.name for segment in removed),
        sum(map(len, words)),
        len(gone),
    )
    chosen = None if meta["masks"] is None else plan(meta["masks"])
    return Parts(Options(bits, max_distance, chosen, meta["config_hash"]), words, gone, tuple(segments), stored)


def _texts(plan: Plan) -> list[str]:
    return [hex(mask) for mask in plan.masks]
