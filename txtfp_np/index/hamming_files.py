"""A Hamming index as a folder: its values, then one segment of tables after another."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import read_only
from .blocks import Plan
from .segments import Segment, Words
from .storage import Store

_KIND = "hamming"
_TABLES = ("starts", "order", "low", "high", "rank", "bounds")


@dataclass(frozen=True)
class Parts:
    """Everything an index consists of."""

    bits: int
    max_distance: int
    plan: Plan | None
    words: Words
    removed: NDArray[np.int64]
    segments: list[Segment]


def save_parts(folder: str | os.PathLike[str], parts: Parts) -> None:
    """Write them in one step."""
    meta = {
        "bits": parts.bits,
        "max_distance": parts.max_distance,
        "masks": None if parts.plan is None else _texts(parts.plan),
        "segments": [{"begin": s.begin, "end": s.end, "masks": _texts(s.plan)} for s in parts.segments],
    }
    values = {"words": parts.words, "removed": parts.removed}
    tables = [{name: getattr(segment, name) for name in _TABLES} for segment in parts.segments]
    Store(folder, _KIND).save_segments(meta, [values, *tables])


def open_parts(folder: str | os.PathLike[str]) -> Parts:
    """Map them."""
    contents = Store(folder, _KIND).open()
    meta = contents.meta
    bits, max_distance = meta["bits"], meta["max_distance"]

    def plan(masks: list[str]) -> Plan:
        return Plan(tuple(int(mask, 16) for mask in masks), max_distance, bits)

    values, *tables = (segment.arrays for segment in contents.segments)
    segments = []
    for said, arrays in zip(meta["segments"], tables, strict=True):
        starts, order, low, high, rank, bounds = (read_only(arrays[name]) for name in _TABLES)
        segments.append(
            Segment(said["begin"], said["end"], plan(said["masks"]), starts, order, low, high, rank, bounds)
        )
    chosen = None if meta["masks"] is None else plan(meta["masks"])
    return Parts(bits, max_distance, chosen, read_only(values["words"]), values["removed"], segments)


def verify_parts(folder: str | os.PathLike[str]) -> None:
    """Read everything."""
    Store(folder, _KIND).verify()


def _texts(plan: Plan) -> list[str]:
    return [hex(mask) for mask in plan.masks]
