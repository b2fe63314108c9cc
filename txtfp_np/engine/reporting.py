"""The report page about a deduplication of files, from its table of removed rows."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn
from ..dedup.copies import equal_bytes
from ..dedup.report import MAX_CHARACTERS, MAX_CLUSTERS, MAX_MEMBERS, write_page
from ..dedup.report_data import Chosen, Group, Member, ReportData, choose_groups
from ..dedup.report_page import page_html
from ..dedup.settings import check_settings
from ..errors import InvalidInputError
from ..sketch import MinHashFingerprinter
from .batches import Wanted
from .inputs import find_files
from .readers import Input
from .writers import REMOVED_COLUMNS


class Removed(NamedTuple):
    """The table of removed rows; ids as text."""

    ids: TextColumn
    kept: TextColumn
    similarity: NDArray[np.float64]
    reasons: TextColumn

    def count_reasons(self) -> Counter[str]:
        """How many rows there are of each."""
        labels, counts = np.unique(equal_bytes(self.reasons), return_counts=True)
        return Counter({self.reasons[label]: n for label, n in zip(labels.tolist(), counts.tolist(), strict=True)})

    def within(self) -> Removed:
        """Without those that another side has."""
        same = equal_bytes(self.reasons)
        labels = [label for label in np.unique(same).tolist() if self.reasons[label] == "against"]
        if not labels:
            return self
        places = np.flatnonzero(~np.isin(same, labels))
        ids, kept, reasons = (column.take(places) for column in (self.ids, self.kept, self.reasons))
        return Removed(ids, kept, self.similarity[places], reasons)


def read_removed(path: str | os.PathLike[str]) -> Removed:
    """A table that :func:`dedup_files` has written as ``removed``.

    Raises
    ------
    InvalidInputError
        If it is no such table.
    """
    files = find_files([path])
    ids, _ = _column(path, Input(files, Wanted("reason", "id")))
    kept, _ = _column(path, Input(files, Wanted("reason", "kept_id")))
    similarity, reasons = _column(path, Input(files, Wanted("reason", "similarity")))
    try:
        shares = np.fromiter((float(share or "nan") for share in similarity), np.float64, len(similarity))
    except ValueError as error:
        raise InvalidInputError(f"{path} is no table of removed rows: {error}", argument="removed") from None
    return Removed(ids, kept, shares, reasons)


def _column(path: str | os.PathLike[str], source: Input) -> tuple[TextColumn, TextColumn]:
    """What is read as ids, and the reasons: as text, whatever the format."""
    missing = set(REMOVED_COLUMNS) - set(source.columns)
    if missing and (source.columns or source.kind != "jsonl"):
        raise InvalidInputError(
            f"{path} is no table of removed rows: it has no column {min(missing)!r}", argument="removed"
        )
    values, reasons = [], []
    for batch in source:
        values.append(batch.ids if batch.ids is not None else TextColumn([]))
        reasons.append(batch.texts)
    return TextColumn.concat(values), TextColumn.concat(reasons)


def report_files(
    source: Input,
    removed: Removed,
    path: str | os.PathLike[str],
    *,
    title: str = "Near-duplicates",
    threshold: float = 0.7,
    recall: float = 0.99,
    fingerprinter: MinHashFingerprinter | None = None,
    max_clusters: int = MAX_CLUSTERS,
) -> None:
    """Write a page about a deduplication of files; one that exists is replaced.

    Parameters
    ----------
    source : Input
        The documents, with the ids that the table has.
    removed : Removed
        From :func:`read_removed`.
    path : path
        Of the page.
    title, threshold, recall, fingerprinter
        As they were for the deduplication.
    max_clusters : int
        Clusters to show.

    Raises
    ------
    InvalidInputError
        If the inputs have no document that the table names.

    Notes
    -----
    The inputs are read once. Held in memory are the table and the texts that are shown.
    """
    reasons, n = removed.count_reasons(), len(removed.ids)
    removed = removed.within()
    # a kept document is known by the first row of the table that names it
    chosen, sizes = choose_groups(equal_bytes(removed.kept), removed.similarity, max_clusters, MAX_MEMBERS)
    wanted = {removed.kept[group.kept] for group in chosen}
    wanted |= {removed.ids[position] for group in chosen for position in group.positions.tolist()}
    texts, documents = _find_texts(source, wanted)
    missing = sorted(wanted - texts.keys())
    if missing:
        raise InvalidInputError(
            f"the inputs have no document with the id {missing[0]!r}, which the table of removed rows names",
            argument="removed",
            advice="Give the inputs, and the --id-column, of the run that wrote the table.",
        )
    settings = check_settings(threshold, "minhash", fingerprinter, "resemblance", None, "star", recall, None)
    data = ReportData(
        title=title,
        counts={
            "documents": documents,
            "kept": documents - n,
            "removed": n,
            "copies": reasons["copy"],
            "near": reasons["near"],
            "against": reasons["against"],
            "clusters": len(sizes),
            "largest": int(sizes.max(initial=0)),
        },
        threshold=settings.threshold,
        similarities=removed.similarity,
        measured="removed documents and the kept ones they stand by",
        sizes=sizes,
        bands=settings.bands,
        fingerprinter=settings.fingerprinter,
        groups=list(_groups(chosen, removed, texts)),
    )
    write_page(Path(path), page_html(data, MAX_CHARACTERS))


def _find_texts(source: Input, wanted: set[str]) -> tuple[dict[str, str], int]:
    texts: dict[str, str] = {}
    documents = 0
    for batch in source:
        documents += len(batch)
        if batch.ids is None:
            rows = range(batch.first_row, batch.first_row + len(batch))
            numbers = [(name, int(name)) for name in wanted if name.isdecimal()]
            found = [(name, number - rows.start) for name, number in numbers if number in rows]
        else:
            found = [(name, place) for place, name in enumerate(map(str, batch.id_list())) if name in wanted]
        texts |= {name: batch.texts[place] for name, place in found}
    return texts, documents


def _groups(chosen: Iterable[Chosen], removed: Removed, texts: dict[str, str]) -> Iterable[Group]:
    for group in chosen:
        members = tuple(
            Member(
                removed.ids[position],
                texts[removed.ids[position]],
                float(removed.similarity[position]),
                removed.reasons[position],
            )
            for position in group.positions.tolist()
        )
        name = removed.kept[group.kept]
        yield Group(name, texts[name], group.size, members)
