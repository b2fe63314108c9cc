"""A report about a deduplication: one HTML page to look at, with the differences side by side."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ..columns import TextColumn, Texts, as_text_column
from ..errors import InvalidInputError
from ..options import check_count
from .report_data import Group, Member, ReportData, choose_groups
from .report_page import page_html
from .result import DedupResult
from .whole_file import whole_file

MAX_CLUSTERS, MAX_MEMBERS, MAX_CHARACTERS = 200, 12, 6000


def report_html(
    texts: Texts,
    result: DedupResult,
    *,
    ids: Sequence[Any] | None = None,
    title: str = "Near-duplicates",
    max_clusters: int = MAX_CLUSTERS,
    max_members: int = MAX_MEMBERS,
    max_characters: int = MAX_CHARACTERS,
) -> str:
    """A page about a deduplication: counts, plots, and the largest clusters with their differences.

    Parameters
    ----------
    texts : column
        The documents that were deduplicated.
    result : DedupResult
        From :func:`~txtfp_np.dedup`.
    ids : sequence, optional
        A name for each document; None: its row.
    title : str
        Heading of the page.
    max_clusters : int
        Clusters to show; the largest ones.
    max_members : int
        Removed documents to show of each; those least like the kept one.
    max_characters : int
        Text to show of each pair; stretches that are equal are shortened first.

    Returns
    -------
    str
        HTML that needs nothing else: no network, no other file. Whatever the texts hold, it is shown as
        text. What was left out is said in the page, which has 12 MB at most, or thereabouts.

    Raises
    ------
    InvalidInputError
        If texts, ids and result are not of the same length.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> texts = ["one two three four five six", "One two three four five six!", "something else"]
    >>> page = report_html(texts, tx.dedup(texts), title="Three texts")
    >>> page[:15], "Three texts" in page
    ('<!doctype html>', True)
    """
    column = as_text_column(texts)
    _check_length("texts", len(column), len(result))
    if ids is not None:
        _check_length("ids", len(ids), len(result))
    limit = check_count("max_characters", max_characters, 1)
    counts = (check_count("max_clusters", max_clusters, 0), check_count("max_members", max_members, 1))
    return page_html(_report_data(column, result, ids, title, *counts), limit)


def write_report(
    path: str | os.PathLike[str],
    texts: Texts,
    result: DedupResult,
    *,
    ids: Sequence[Any] | None = None,
    title: str = "Near-duplicates",
    max_clusters: int = MAX_CLUSTERS,
    max_members: int = MAX_MEMBERS,
    max_characters: int = MAX_CHARACTERS,
) -> None:
    """Write what :func:`report_html` gives to a file; one that exists is replaced.

    Parameters
    ----------
    path : path
        The file; its folder must exist. It is complete, or not there.
    texts, result, ids, title, max_clusters, max_members, max_characters
        As for :func:`report_html`.

    Raises
    ------
    InvalidInputError
        As :func:`report_html`.
    OSError
        If the file cannot be written.
    """
    page = report_html(
        texts,
        result,
        ids=ids,
        title=title,
        max_clusters=max_clusters,
        max_members=max_members,
        max_characters=max_characters,
    )
    write_page(Path(path), page)


def write_page(path: Path, page: str) -> None:
    """Write a page, so that nobody ever sees half of it."""
    with whole_file(path) as file:
        file.write(page.encode())


def _check_length(argument: str, given: int, expected: int) -> None:
    if given != expected:
        raise InvalidInputError(
            f"{argument} must be as long as the result, {expected:,}; got {given:,}",
            argument=argument,
            advice="Give the documents that were deduplicated, all of them, in the same order.",
        )


def _report_data(
    column: TextColumn,
    result: DedupResult,
    ids: Sequence[Any] | None,
    title: str,
    max_clusters: int,
    max_members: int,
) -> ReportData:
    removed = np.flatnonzero(result.representative != np.arange(len(result)))
    removed = removed[result.representative[removed] >= 0]  # the others are known on another side
    chosen, sizes = choose_groups(result.representative[removed], result.similarity[removed], max_clusters, max_members)
    reasons = result.reason

    def name(row: int) -> str:
        return str(row if ids is None else ids[row])

    groups = [
        Group(
            name(kept),
            column[kept],
            size,
            tuple(
                Member(name(row), column[row], float(result.similarity[row]), str(reasons[row]))
                for row in removed[positions].tolist()
            ),
        )
        for kept, size, positions in chosen
    ]
    settings = result._settings
    return ReportData(
        title=title,
        counts=result.summary().as_dict(),
        threshold=result.threshold,
        similarities=result.pairs["similarity"],
        measured="pairs",
        sizes=sizes,
        bands=settings.bands,
        fingerprinter=settings.fingerprinter,
        groups=groups,
    )
