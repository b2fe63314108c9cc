"""Counts of a deduplication."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass


@dataclass(frozen=True)
class Summary:
    """Counts of a deduplication.

    Attributes
    ----------
    documents : int
        Rows in all.
    kept, removed : int
        Together all rows.
    copies : int
        Removed rows that are equal to the row they stand by.
    near : int
        Removed rows that are similar to it, or to others of their cluster.
    against : int
        Removed rows that the other side has.
    empty : int
        Kept rows without a single token.
    clusters : int
        Clusters of two rows or more.
    largest : int
        Rows of the largest cluster.
    pairs : int
        Pairs found, equal documents counted as stars.
    """

    documents: int
    kept: int
    removed: int
    copies: int
    near: int
    against: int
    empty: int
    clusters: int
    largest: int
    pairs: int

    def as_dict(self) -> dict[str, int]:
        """The counts by name."""
        return dataclasses.asdict(self)

    def __str__(self) -> str:
        share = f" ({self.removed / self.documents:.1%})" if self.documents else ""
        lines = [
            f"{self.documents:,} documents: {self.kept:,} kept, {self.removed:,} removed{share}",
            f"removed: {self.copies:,} equal, {self.near:,} similar",
            f"clusters of two or more: {self.clusters:,}, the largest of {self.largest:,}",
        ]
        if self.against:
            lines[1] += f", {self.against:,} known on the other side"
        if self.empty:
            lines.append(f"empty, and kept: {self.empty:,}")
        return "\n".join(lines)
