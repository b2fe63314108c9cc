"""Which edits a sketch survives: kinds of edit at several strengths, from ladder.jsonl.gz."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np

import txtfp_np as tx

from .timing import print_table

HELP = "share of edited documents that each sketch still finds, by kind and strength of the edit"
SECONDS = 0.0
FALSE_ALARMS = 0.001  # of unrelated pairs of one language, that may score as high

# What the numbers count, in per cent.
UNITS = {
    "boilerplate": "% of the text added",
    "del_sent": "% of sentences",
    "fullwidth": "% of characters",
    "homoglyph": "% of characters",
    "ocr": "% of characters",
    "sent_shuffle": "% of sentences",
    "swap_words": "% of words",
    "truncate": "% kept",
    "word_sub": "% of words",
    "zero_width": "% of characters",
}

NOTES = """\
An edited document counts as found if its score with the original is above that of 99.9 % of the pairs of an original
with an edit of another document in the same language. Documents of which a sketch makes nothing are not found.
Embeddings are no part of it: their codes are as good as the model is."""

Scores = Callable[[np.ndarray[Any, Any], np.ndarray[Any, Any]], np.ndarray[Any, Any]]


def read(folder: Path) -> list[dict[str, Any]]:
    with gzip.open(folder / "ladder.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def masked(fingerprinter: Any, texts: tx.TextColumn, score: Callable[..., Any]) -> Scores:
    """Scores of pairs of which both have a fingerprint; all others are below them."""
    fingerprints, ok = fingerprinter.fingerprint(texts, on_empty="mask")
    place = np.cumsum(ok) - 1
    rows = fingerprints[ok] if isinstance(fingerprints, np.ndarray) else fingerprints
    place = place if isinstance(fingerprints, np.ndarray) else np.arange(len(texts))

    def scores(i: np.ndarray[Any, Any], j: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        both = ok[i] & ok[j]
        found = np.full(len(i), -np.inf)
        found[both] = score(rows, place[i[both]], place[j[both]])
        return found

    return scores


def heaviest(corpus: tx.TextColumn) -> tx.FlyHashFingerprinter:
    """The heaviest words of a text, those of every document weighing nothing."""
    weights = tx.IdfTable({token: weight - 1 for token, weight in tx.IdfTable.fit(corpus).items()})
    return tx.FlyHashFingerprinter(weighting=weights, bits=65_472, active=64, fan=1, form="winners")


def ranked_overlap(winners: Any, i: Any, j: Any) -> Any:
    return tx.flyhash_overlap_pairs(winners, i, j, ranked=True)


def sketches(texts: tx.TextColumn, originals: tx.TextColumn) -> Iterable[tuple[str, Scores]]:
    """Every sketch with the measure that is meant for it."""
    characters = tx.CharShingleTokenizer(k=5)
    minhash, simhash, winnowing = tx.MinHashFingerprinter(), tx.SimHashFingerprinter(), tx.WinnowFingerprinter()
    yield "minhash, 5 words", masked(minhash, texts, tx.jaccard_pairs)
    yield "minhash, 5 characters", masked(minhash.replace(tokenizer=characters), texts, tx.jaccard_pairs)
    yield "simhash, words", masked(simhash, texts, lambda *pair: -tx.hamming_pairs(*pair).astype(int))
    yield "winnowing, 5 words", masked(winnowing, texts, tx.set_jaccard_pairs)
    yield "flyhash, words", masked(tx.FlyHashFingerprinter(), texts, tx.flyhash_overlap_pairs)
    yield "flyhash, 64 winners", masked(heaviest(originals), texts, ranked_overlap)
    yield "tlsh", masked(tx.TlshFingerprinter(packed=True), texts, lambda *pair: -tx.tlsh_distance_pairs(*pair))
    fuzzy = tx.FuzzyFingerprinter()
    yield "ssdeep, levenshtein", masked(fuzzy, texts, tx.levenshtein_similarity_pairs)
    yield "ssdeep, own score", masked(fuzzy, texts, tx.ssdeep_compare_pairs)


def deletions(documents: list[dict[str, Any]], most: int = 400) -> dict[str, tuple[list[float], list[float]]]:
    """Mean similarity of English originals with what is left of them as more and more of their sentences go."""
    english = [row["text"] for row in documents if row["kind"] == "base" and row["lang"] == "en"]
    originals = tx.TextColumn(english[:most])
    lines = {}
    for name, score in _by_similarity(originals).items():
        ladder = tx.evaluate.deletion_ladder(originals, score)
        lines[name] = [rung.strength for rung in ladder], [rung.similarity for rung in ladder]
        similarity, areas = (" ".join(f"{value:.3f}" for value in values) for values in _columns(ladder))
        print(f"{name}: similarity {similarity}; AUC {areas} at 0, 20, 40, 60, 80 % of sentences gone", flush=True)
    return lines


def _columns(ladder: list[tx.evaluate.Rung]) -> tuple[list[float], list[float]]:
    return [rung.similarity for rung in ladder], [rung.auc for rung in ladder]


def _by_similarity(originals: tx.TextColumn) -> dict[str, Callable[[tx.TextColumn, tx.TextColumn], Any]]:
    makers = {
        "minhash, 5 words": (tx.MinHashFingerprinter(), "minhash"),
        "simhash, words": (tx.SimHashFingerprinter(), "bits"),
        "winnowing, 5 words": (tx.WinnowFingerprinter(), "winnowing"),
        "flyhash, words": (tx.FlyHashFingerprinter(), "bits"),
        "flyhash, 64 winners": (heaviest(originals), "winners"),
        "ssdeep": (tx.FuzzyFingerprinter(), "fuzzy"),
    }

    def scorer(fingerprinter: Any, kind: str) -> Callable[[tx.TextColumn, tx.TextColumn], Any]:
        measure = "cosine" if kind == "bits" and isinstance(fingerprinter, tx.FlyHashFingerprinter) else None
        return lambda a, b: tx.similarity(
            fingerprinter.fingerprint(a), fingerprinter.fingerprint(b), kind=kind, measure=measure
        )

    return {name: scorer(*made) for name, made in makers.items()}


def strangers(rows: list[dict[str, Any]], originals: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each edited document the original of another one in its language."""
    rng = np.random.default_rng(1)
    out = np.empty(len(rows), np.int64)
    languages = np.array([row["lang"] for row in rows])
    for language in np.unique(languages):
        own = np.flatnonzero(languages == language)
        pool = np.unique(originals[own])
        pick = rng.integers(1, len(pool), len(own))
        out[own] = pool[(np.searchsorted(pool, originals[own]) + pick) % len(pool)]
    return out


def run_folder(folder: Path) -> dict[str, Any]:
    """Share found of every sketch, kind and strength."""
    documents = read(folder)
    texts = tx.TextColumn([row["text"] for row in documents])
    number_of = {row["id"]: number for number, row in enumerate(documents)}
    edited = np.array([number for number, row in enumerate(documents) if row["kind"] != "base"])
    rows = [documents[number] for number in edited]
    originals = np.array([number_of[row["base_id"]] for row in rows])
    others = strangers(rows, originals)
    languages = np.array([row["lang"] for row in rows])
    edits = np.array([f"{row['kind']} {row['strength']}" for row in rows])
    steps = _steps(rows)
    table: dict[str, dict[str, float]] = {}
    for name, scores in sketches(texts, texts.take(np.unique(originals))):
        own, unrelated = scores(originals, edited), scores(others, edited)
        found = np.zeros(len(edited), bool)
        for language in np.unique(languages):
            here = languages == language
            # "higher": a value that was reached, so that nothing between two of them is made up
            threshold = np.quantile(unrelated[here], 1 - FALSE_ALARMS, method="higher")
            found[here] = own[here] > threshold
        table[name] = {
            f"{kind} {strength}": float(found[edits == f"{kind} {strength}"].mean())
            for kind, strengths in steps.items()
            for strength in strengths
        }
        print(f"{name}: {found.mean():.3f} of all edits found", flush=True)
    print()
    names = list(table)
    body = [[edit, *(f"{table[name][edit]:.3f}" for name in names)] for edit in table[names[0]]]
    print_table(["edit", *names], body)
    print(NOTES + "\n")
    lines = deletions(documents)
    kinds = {kind: list(map(str, strengths)) for kind, strengths in steps.items()}
    return {"found": table, "steps": kinds, "deletions": lines}


def _steps(rows: list[dict[str, Any]]) -> dict[str, list[Any]]:
    """Strengths of each kind, weak ones first where they are numbers; of a truncation less is kept."""
    steps: dict[str, set[Any]] = {}
    for row in rows:
        steps.setdefault(row["kind"], set()).add(row["strength"])
    ordered = {
        kind: sorted(strengths, key=lambda strength: (isinstance(strength, str), strength))
        for kind, strengths in sorted(steps.items())
    }
    ordered.get("truncate", []).reverse()
    return ordered


def plot(results: dict[str, Any], machine: dict[str, Any], path: Path) -> None:
    """A panel a kind of edit, a line a sketch; a second picture of the deletions."""
    from matplotlib.figure import Figure

    found, steps = results["found"], results["steps"]
    figure = Figure(figsize=(11, 9.5), layout="constrained")
    panels = figure.subplots(4, 4, sharey=True).reshape(-1)
    for panel in panels[len(steps) :]:
        panel.axis("off")
    for panel, (kind, strengths) in zip(panels, steps.items(), strict=False):
        graded = strengths[0].replace(".", "").isdigit()
        lines = {
            # ways that are no steps have no order: points side by side instead of a line
            name: (
                [at + (0 if graded else 0.08 * (number - len(found) / 2)) for at in range(len(strengths))],
                [shares[f"{kind} {strength}"] for strength in strengths],
            )
            for number, (name, shares) in enumerate(found.items())
        }
        tx.evaluate.plot_ladder(lines, panel, strength="", quality="")
        for line in panel.lines:
            line.set_linestyle("-" if graded else "none")
        panel.set_title(f"{kind}, {UNITS[kind]}" if kind in UNITS else kind, fontsize=10)
        panel.set_ylim(-0.03, 1.05)
        labels = [strength.replace("+2%accents", "\n+accents") for strength in strengths]
        panel.set_xticks(range(len(strengths)), labels, fontsize=8)
        panel.margins(x=0.08)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside lower center", ncols=4, fontsize=9, frameon=False)
    figure.supylabel("share of edited documents found, at 1 false alarm in 1,000")
    figure.savefig(path.with_suffix(".svg"))
    figure.savefig(path.with_suffix(".png"), dpi=110)
    figure = Figure(figsize=(6, 4), layout="constrained")
    panel = tx.evaluate.plot_ladder(results["deletions"], figure.add_subplot(), quality="similarity")
    panel.legend(fontsize=8)
    beside = path.with_name(f"{path.stem}-deletions")
    figure.savefig(beside.with_suffix(".svg"))
    figure.savefig(beside.with_suffix(".png"), dpi=110)
