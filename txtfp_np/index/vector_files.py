"""An index of vectors in a folder: which arrays a segment consists of, and what a save writes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..columns.checks import read_only
from .cosine import Directions
from .nearest import Part
from .storage import Array, Attachment, Blocks, Contents, Json, Store

_KIND = "embedding"


@dataclass(frozen=True)
class Stored(Attachment):
    """Of the folder an index belongs to: names of the segments of removed rows, and how many these are."""

    removed: tuple[str, ...]
    n_removed: int


def merged(parts: Sequence[Part]) -> Part:
    """One part, in memory, of what is left of several; at least one."""
    codes = [part.codes[:, part.living()] for part in parts if part.codes is not None]
    return Part(
        read_only(np.concatenate([part.ids[part.living()] for part in parts])),
        Directions(read_only(np.concatenate([part.held.vectors[part.living()] for part in parts]))),
        read_only(np.ascontiguousarray(np.concatenate(codes, axis=1))) if codes else None,
    )


def save_parts(
    folder: str | os.PathLike[str], meta: Json, parts: Sequence[Part], known: Stored | None, *, whole: bool = False
) -> tuple[tuple[Part, ...], Stored]:
    """Write what the folder lacks, or with ``whole`` everything anew; the parts as they are there."""
    store = Store(folder, _KIND)
    if known is not None and not known.is_at(store.folder):
        known = None
    kept = [part for part in parts if part.name is not None] if known is not None and not whole else []
    rest = list(parts)[len(kept) :]
    new: list[dict[str, Array | Blocks]] = []
    fresh = merged(rest) if rest else None
    if fresh is not None and len(fresh):
        arrays: dict[str, Array | Blocks] = {"ids": fresh.ids, "vectors": fresh.held.vectors}
        new.append(arrays if fresh.codes is None else {**arrays, "codes": fresh.codes})
    names = [part.name for part in kept if part.name is not None]
    n_removed = sum(part.n_dead for part in kept)
    same_removed = known is not None and not whole and known.n_removed == n_removed
    if same_removed and known is not None:
        names += known.removed
        if not new and store.exists():
            return tuple(kept), known
    elif n_removed:
        new.append({"removed": np.flatnonzero(~np.concatenate([_alive(part) for part in kept]))})
    contents = store.save_segments(meta, new, keep=names, generation=None if known is None else known.generation)
    return _mapped(store, contents)


def open_parts(folder: str | os.PathLike[str]) -> tuple[tuple[Part, ...], Stored, Json]:
    """Map everything."""
    store = Store(folder, _KIND)
    contents = store.open()
    return *_mapped(store, contents), contents.meta


def _alive(part: Part) -> Array:
    return np.ones(len(part), np.bool_) if part.alive is None else part.alive


def _mapped(store: Store, contents: Contents) -> tuple[tuple[Part, ...], Stored]:
    gone = [segment for segment in contents.segments if "removed" in segment.arrays]
    removed = gone[0].arrays["removed"] if gone else np.empty(0, np.int64)
    parts: list[Part] = []
    first = 0
    for segment in contents.segments:
        if "vectors" not in segment.arrays:
            continue
        arrays = {name: read_only(array) for name, array in segment.arrays.items()}
        n, alive = len(arrays["ids"]), None
        own = removed[(removed >= first) & (removed < first + n)] - first
        if len(own):
            alive = np.ones(n, np.bool_)
            alive[own] = False
            alive = read_only(alive)
        held = Directions(arrays["vectors"])
        parts.append(Part(arrays["ids"], held, arrays.get("codes"), alive, segment.name))
        first += n
    stored = Stored(store, contents.generation, tuple(segment.name for segment in gone), len(removed))
    return tuple(parts), stored
