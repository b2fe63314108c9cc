"""Passages found by winnowing beside those that PAN 2013 says one document has of another."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import txtfp_np as tx

from .timing import print_table

HELP = "span F1 of shared passages: precision, recall, granularity and plagdet on PAN 2013"
SECONDS = 0.0

NOTES = """\
After M. Potthast and others, "An Evaluation Framework for Plagiarism Detection", COLING 2010. A passage found detects a
labelled one if it overlaps with it in both documents; what they have in common there is right. Micro: characters of
both documents, of all pairs, each counted once; pairs without a labelled passage count as well. Macro: mean over
passages found (precision) and over labelled ones (recall). Granularity: passages found for one labelled one that is
found at all. Plagdet: macro F1 / log2(1 + granularity)."""

Spans = list[tuple[int, int, int, int]]  # begin and end in one document, begin and end in the other
Finder = Callable[[str, str], Spans]


class Pair(NamedTuple):
    """Two documents, and the passages of the second that the first has."""

    a: str
    b: str
    labelled: Spans


class Figures(NamedTuple):
    """How well passages were found."""

    precision: float
    recall: float
    macro_precision: float
    macro_recall: float
    granularity: float
    pairs_found: int  # of pairs with a labelled passage those in which any is found
    pairs_made_up: int  # the others in which one is

    @property
    def f1(self) -> float:
        return harmonic(self.precision, self.recall)

    @property
    def plagdet(self) -> float:
        return harmonic(self.macro_precision, self.macro_recall) / float(np.log2(1 + self.granularity))


def harmonic(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


def read(folder: Path) -> list[Pair]:
    with gzip.open(folder / "pan13_docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        texts = {row["id"]: row["text"] for row in map(json.loads, lines)}
    with gzip.open(folder / "pan13_pairs.jsonl.gz", "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [
        Pair(texts[row["a"]], texts[row["b"]], [(i, i + m, j, j + n) for i, m, j, n in row.get("spans", ())])
        for row in rows
    ]


def common(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, int, int, int] | None:
    """What two passages have in common, if they have in both documents."""
    i, end, j, stop = ((max if at % 2 == 0 else min)(one[at], other[at]) for at in range(4))
    return (i, end, j, stop) if i < end and j < stop else None


def size(spans: Iterable[tuple[int, ...]]) -> int:
    """Characters of both documents, each counted once."""
    total = 0
    for side in (0, 2):
        reached = 0
        for begin, end in sorted((span[side], span[side + 1]) for span in spans):
            total += max(0, end - max(begin, reached))
            reached = max(reached, end)
    return total


def judge(pairs: list[Pair], found: list[Spans]) -> Figures:
    """Figures of the passages found in each pair."""
    right = is_found = is_labelled = 0
    precisions, recalls, detections = [], [], []
    for pair, spans in zip(pairs, found, strict=True):
        parts = [[common(span, label) for label in pair.labelled] for span in spans]
        right += size([part for row in parts for part in row if part])
        is_found, is_labelled = is_found + size(spans), is_labelled + size(pair.labelled)
        precisions += [size(filter_out(row)) / size([span]) for span, row in zip(spans, parts, strict=True)]
        for number, label in enumerate(pair.labelled):
            own = filter_out([row[number] for row in parts])
            recalls.append(size(own) / size([label]))
            detections += [len(own)] if own else []
    any_found = [bool(spans) for spans in found]
    return Figures(
        right / max(is_found, 1),
        right / max(is_labelled, 1),
        float(np.mean(precisions or [0])),
        float(np.mean(recalls or [0])),
        float(np.mean(detections or [1])),
        sum(any_one for any_one, pair in zip(any_found, pairs, strict=True) if pair.labelled),
        sum(any_one for any_one, pair in zip(any_found, pairs, strict=True) if not pair.labelled),
    )


def filter_out(parts: Iterable[tuple[int, ...] | None]) -> list[tuple[int, ...]]:
    return [part for part in parts if part is not None]


def shared_words(pair: Pair) -> list[float]:
    """Of each labelled passage the share of its words that its counterpart has as well: labels are not all right."""
    shares = []
    for i, end, j, stop in pair.labelled:
        words, others = set(pair.a[i:end].split()), set(pair.b[j:stop].split())
        shares.append(len(words & others) / max(min(len(words), len(others)), 1))
    return shares


def finder(**options: Any) -> Finder:
    def find(a: str, b: str) -> Spans:
        return [tuple(passage)[:4] for passage in tx.winnow_match(a, b, **options).tolist()]

    return find


def finders() -> Iterable[tuple[str, Finder]]:
    winnow, characters = tx.WinnowFingerprinter, tx.CharShingleTokenizer(k=1)
    yield "words, k=5 window=4 (defaults)", finder()
    for gap, least in ((4, 12), (8, 12), (20, 12), (12, 20), (20, 20), (30, 20), (20, 30), (30, 40)):
        yield f"gap={gap}, least={least}", finder(gap=gap, least=least)
    for k, window in ((3, 4), (4, 4), (8, 4), (5, 1), (5, 8)):
        shape = winnow(k=k, window=window)
        yield f"k={k} window={window}, gap=20, least=20", finder(fingerprinter=shape, gap=20, least=20)
    shape = winnow(tokenizer=characters, k=16, window=16)
    for gap, least in ((40, 80), (80, 120)):
        yield (
            f"code points, k=16 window=16, gap={gap}, least={least}",
            finder(fingerprinter=shape, gap=gap, least=least),
        )


def run_folder(folder: Path) -> dict[str, Any]:
    """Figures of the defaults and of other options."""
    pairs = read(folder)
    shares = [share for pair in pairs for share in shared_words(pair)]
    n_labelled = sum(bool(pair.labelled) for pair in pairs)
    print(f"{len(pairs):,} pairs, {n_labelled} of them with {len(shares)} labelled passages")
    print(f"{sum(share < 0.5 for share in shares)} of these share less than half of their words\n")
    table, results = [], {}
    for name, find in finders():
        find(pairs[0].a, pairs[0].b)  # compiles
        begin = time.perf_counter()
        found = [find(pair.a, pair.b) for pair in pairs]
        milliseconds = (time.perf_counter() - begin) / len(pairs) * 1e3
        figures = judge(pairs, found)
        results[name] = {**figures._asdict(), "f1": figures.f1, "plagdet": figures.plagdet, "ms": milliseconds}
        scores = (figures.precision, figures.recall, figures.f1, *figures[2:5], figures.plagdet)
        counts = f"{figures.pairs_found}", f"{figures.pairs_made_up}", f"{milliseconds:.2f}"
        table.append([name, *(f"{score:.3f}" for score in scores), *counts])
    header = [
        "precision",
        "recall",
        "F1",
        "macro P",
        "macro R",
        "granularity",
        "plagdet",
        "found",
        "made up",
        "ms a pair",
    ]
    print_table(["options", *header], table)
    print("\n" + NOTES)
    return {"rows": results}
