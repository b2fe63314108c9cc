"""What two documents have in common, and where they differ, in their own words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import document_bytes
from ..columns.checks import read_only
from ..sketch.base import SketchFingerprinter
from ..tokenize import GraphemeTokenizer
from .verify import set_shares, shingle_sets
from .words import Units, find_units, unit_tokenizer

_DIFFERENCES = 1 << 10  # up to so many in a stretch, the differences shown are the fewest possible
_CONTEXT = 120  # characters shown at either end of a long run
_MOST_RUNS = 400
_COLOURS = {"a": "\x1b[31m", "b": "\x1b[32m", "both": ""}
_MARKS = {"a": ("[-", "-]"), "b": ("{+", "+}"), "both": ("", "")}
# a text may hold what a terminal would obey and a page would refuse: show pictures of it
_PICTURES = {code: 0x2400 + code for code in range(32) if chr(code) not in "\n\t"}
_PICTURES |= {code: 0xFFFD for code in range(0x7F, 0xA0)} | {0x7F: 0x2421}
# transparent colours: readable on a light page and on a dark one
_STYLES = {
    "a": "background:rgba(230,70,60,.28);text-decoration:line-through;text-decoration-color:rgba(230,70,60,.8)",
    "b": "background:rgba(50,170,90,.30);text-decoration:none",
}
_TAGS = {"a": "del", "b": "ins", "both": "span"}


class Run(NamedTuple):
    """A stretch of text.

    Attributes
    ----------
    kind : {"both", "a", "b"}
        Who has it.
    text : str
        As it is written there, with the spaces and the punctuation that follow; in the first text for "both".
    other : str
        For "both", as the second text writes it.
    """

    kind: str
    text: str
    other: str = ""


@dataclass(frozen=True)
class Explanation:
    """What two documents have in common, and where they differ.

    Attributes
    ----------
    similarity : float
        Jaccard similarity of their sets of shingles, exact; in a result by embeddings, their cosine.
    runs : tuple of Run
        In order. Those of "both" and "a" are the first text, those of "both" (its ``other``) and "b" the second.
    shared, only_a, only_b : int
        Words that both have in this order, and those that one has.
    unit : str
        What was counted: ``"words"``, or ``"characters"`` if shingles are made of these.

    Examples
    --------
    >>> from txtfp_np.sketch import MinHashFingerprinter
    >>> explanation = explain_texts("To be, or not to be.", "to be or perhaps not", MinHashFingerprinter())
    >>> print(explanation)
    similarity 0.000: 4 words shared, 2 only in the first, 1 only in the second
    To be, or {+perhaps+} not [-to be.-]
    >>> [run.kind for run in explanation.runs]
    ['both', 'b', 'both', 'a']
    """

    similarity: float
    runs: tuple[Run, ...] = field(repr=False)
    shared: int
    only_a: int
    only_b: int
    unit: str = "words"

    def _head(self) -> str:
        counts = f"{self.shared:,} {self.unit} shared, {self.only_a:,} only in the first, {self.only_b:,} only in the"
        return f"similarity {self.similarity:.3f}: {counts} second"

    def __str__(self) -> str:
        return self.to_text(context=_CONTEXT)

    def _repr_html_(self) -> str:
        return self.to_html(context=_CONTEXT)

    def to_text(self, *, colour: bool = False, context: int | None = None) -> str:
        """As plain text: ``[-only in the first-]``, ``{+only in the second+}``.

        Parameters
        ----------
        colour : bool
            Red and green for a terminal.
        context : int, optional
            Characters to show at either end of a run, with "…" in place of what is between; and no more than
            400 runs. None: everything.

        Returns
        -------
        str
            Control characters are shown as pictures: a terminal has nothing to obey.
        """
        parts = []
        for run in self._shown(context):
            body = run.text.rstrip()
            tail = run.text[len(body) :]
            begin, end = _MARKS[run.kind] if body else ("", "")
            body = f"{begin}{body.translate(_PICTURES)}{end}"
            if colour and _COLOURS[run.kind]:
                body = f"{_COLOURS[run.kind]}{body}\x1b[0m"
            parts += [body, tail.translate(_PICTURES)]
            if not tail and run.kind != "both":
                parts.append(" ")
        more = self._left_out(context)
        return f"{self._head()}\n{''.join(parts).rstrip()}" + (f"\n… {more:,} more runs" if more else "")

    def to_html(self, *, context: int | None = None) -> str:
        """As coloured HTML that is safe to put into a page, light or dark.

        Parameters
        ----------
        context : int, optional
            As for :meth:`to_text`.

        Returns
        -------
        str
            One ``<div>``.
        """
        parts = []
        for run in self._shown(context):
            tag, style = _TAGS[run.kind], _STYLES.get(run.kind)
            attribute = f' style="{style}"' if style else ""
            parts.append(f"<{tag}{attribute}>{escape(run.text.translate(_PICTURES))}</{tag}>")
        more = self._left_out(context)
        tail = f"<div>… {more:,} more runs</div>" if more else ""
        return (
            f'<div class="txtfp-explanation"><div style="opacity:.7">{escape(self._head())}</div>'
            f'<div dir="auto" style="white-space:pre-wrap;overflow-wrap:anywhere">{"".join(parts)}</div>{tail}</div>'
        )

    def _shown(self, context: int | None) -> Iterator[Run]:
        if context is None:
            yield from self.runs
            return
        for run in self.runs[:_MOST_RUNS]:
            if len(run.text) > 3 * context:
                end = run.text[-context:] if context else ""
                run = run._replace(text=f"{run.text[:context]} … {end}")
            yield run

    def _left_out(self, context: int | None) -> int:
        return 0 if context is None else max(0, len(self.runs) - _MOST_RUNS)


def explain_texts(a: str | bytes, b: str | bytes, fingerprinter: SketchFingerprinter) -> Explanation:
    """What two texts have in common, and where they differ.

    Parameters
    ----------
    a, b : str or bytes
        The texts as they are; bad UTF-8 becomes U+FFFD.
    fingerprinter : MinHashFingerprinter or SimHashFingerprinter
        Words are equal if its canonicaliser makes them so, and similarity is that of its tokens.

    Returns
    -------
    Explanation

    Notes
    -----
    The differences are the fewest possible where there are at most 1,024 of them; longer stretches are cut
    at words that both have once, or one after the other, so that time stays linear: seconds for texts of 1 MB.

    Examples
    --------
    >>> from txtfp_np.sketch import MinHashFingerprinter
    >>> print(explain_texts("WARNING: disk full", "warning, disk is full", MinHashFingerprinter()))
    similarity 0.000: 3 words shared, 0 only in the first, 1 only in the second
    WARNING: disk {+is+} full
    """
    from ..kernels.diff import match_items

    tokenizer = unit_tokenizer(fingerprinter)
    raw = [document_bytes(text, "replace") for text in (a, b)]
    one, other = (find_units(data, fingerprinter.canonicalizer, tokenizer) for data in raw)
    numbers: dict[str, int] = {}
    first, second = (
        read_only(np.array([numbers.setdefault(key, len(numbers)) for key in units.keys], np.int64))
        for units in (one, other)
    )
    partner = np.empty(len(first), np.int64)
    match_items(first, second, len(numbers), _DIFFERENCES, partner)
    sets = shingle_sets(raw, fingerprinter, 1)
    share = float(set_shares(sets, np.array([0]), np.array([1]))[0])
    shared = int((partner >= 0).sum())
    return Explanation(
        share,
        tuple(_runs(one, other, partner)),
        shared,
        len(first) - shared,
        len(second) - shared,
        "characters" if isinstance(tokenizer, GraphemeTokenizer) else "words",
    )


def _runs(one: Units, other: Units, partner: NDArray[np.int64]) -> Iterator[Run]:
    matched = np.flatnonzero(partner >= 0)
    places = partner[matched]
    # a run of both ends where either text has something of its own in between
    ends = np.flatnonzero((np.diff(matched) != 1) | (np.diff(places) != 1)) + 1
    bounds = [0, *ends.tolist(), len(matched)] if len(matched) else [0]
    at_a = at_b = 0
    for begin, end in pairwise(bounds):
        first_a, first_b = int(matched[begin]), int(places[begin])
        yield from _own(one, other, (at_a, first_a), (at_b, first_b))
        at_a, at_b = int(matched[end - 1]) + 1, int(places[end - 1]) + 1
        yield Run("both", _text(one, first_a, at_a), _text(other, first_b, at_b))
    yield from _own(one, other, (at_a, len(one.keys)), (at_b, len(other.keys)))


def _own(one: Units, other: Units, in_a: tuple[int, int], in_b: tuple[int, int]) -> Iterator[Run]:
    for kind, units, (begin, end) in (("a", one, in_a), ("b", other, in_b)):
        text = _text(units, begin, end)
        if text:
            yield Run(kind, text)


def _text(units: Units, begin: int, end: int) -> str:
    """Units ``begin`` to ``end``, with what follows each, and what precedes the first of all."""
    n = len(units.keys)
    if begin == end and n:
        return ""
    start = int(units.starts[begin]) if begin else 0
    stop = int(units.starts[end]) if end < n else len(units.data)
    return units.data[start:stop].decode()
