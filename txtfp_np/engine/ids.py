"""Ids of documents, on disk."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInputError
from .sorting import sorted_parts
from .work import MappedFile, WorkFolder


class Ids:
    """Ids of rows: as a column of the input holds them, else the numbers of the rows."""

    def __init__(self, work: WorkFolder) -> None:
        self.numeric: bool = work.state["scan"]["numeric_ids"]
        self._ends = self._bytes = None
        if work.path("ids").exists():
            self._ends, self._bytes = (
                MappedFile(work.path("id-ends"), np.int64),
                MappedFile(work.path("ids"), np.uint8),
            )

    def of(self, rows: NDArray[np.int64]) -> list[str] | list[int]:
        """Ids of some rows."""
        if self._ends is None or self._bytes is None:
            numbers: list[int] = rows.tolist()
            return numbers
        ends, data = self._ends.array, self._bytes.array
        starts = np.where(rows > 0, ends[np.maximum(rows - 1, 0)], 0).tolist()
        found = [data[a:b].tobytes().decode() for a, b in zip(starts, ends[rows].tolist(), strict=True)]
        self._ends.forget()
        self._bytes.forget()
        return [int(one) for one in found] if self.numeric else found


def check_ids(work: WorkFolder, budget: int | None) -> None:
    """Refuse an id that two documents have."""
    n = work.state["scan"]["rows"]
    if not work.path("ids").exists():
        return
    ids = Ids(work)
    for part in sorted_parts(work.path("id-keys"), n, None, budget):
        for place in np.flatnonzero(part.keys[1:] == part.keys[:-1]).tolist():
            a, b = part.rows[place : place + 2].astype(np.int64).tolist()
            first, second = ids.of(np.array([a, b]))
            if first == second:
                raise InvalidInputError(
                    f"rows {a} and {b} have the same id {first!r}",
                    argument="id_column",
                    advice="Ids must differ; leave id_column out to have rows named by their numbers.",
                )
