"""The H3D benchmark: how well fingerprints find papers that are alike, by facet."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn
from ..errors import ConfigError
from .bootstrap import Interval
from .collections import RELEVANT, Collection
from .methods import METHODS, Corpus, Made, Method, Rows
from .ranking import at_rank, average_precision, ndcg, rank_equivalent

Doubles = NDArray[np.float64]

#: MAP and "NDCG@20" of all facets of CSFCube as Table 5 of the paper prints them, for what comes nearest. Its texts are
#: contaminated and its NDCG is another one: ``python -m benchmarks h3d`` says how. Ours are not to be equal.
PRINTED = {
    "minhash 128, 3 characters": (0.2451, 0.4167),
    "simhash 128, 4 characters": (0.1770, 0.3601),
    "winnowing 3, window 5": (0.2678, 0.4337),
    "ssdeep": (0.1497, 0.2963),
    "flyhash 1024, 4 characters": (0.1325, 0.2520),
}
_PRINTED_MEASURE = {
    "minhash": "jaccard",
    "simhash": "hamming",  # printed as Manhattan, which ranks alike
    "winnowing": "jaccard",
    "ssdeep": "levenshtein",
    "flyhash": "jaccard",  # printed is the order of the pool: the features of two documents were not the same there
}

_METRICS = ("average_precision", "ndcg@20", "precision@20", "recall@20", "f1@20")


class Task(NamedTuple):
    """Texts, and the pairs of them whose similarity is wanted: a query and a candidate of a unit each."""

    texts: TextColumn
    i: Rows
    j: Rows
    unit: Rows
    relevance: NDArray[np.int64]


class Row(NamedTuple):
    """A method with a measure, or with several that rank alike."""

    method: str
    measures: tuple[str, ...]
    text: str
    n_bytes: float
    fingerprint_seconds: float
    similarity_seconds: float
    metrics: dict[str, Doubles]  # one value a unit

    @property
    def name(self) -> str:
        """Method and measures."""
        return f"{self.method}: {' = '.join(self.measures)}"

    @property
    def printed(self) -> tuple[float, float] | None:
        """What the paper has for its measure of this method."""
        return PRINTED.get(self.method) if _PRINTED_MEASURE.get(self.method.split()[0]) in self.measures else None

    def mean(self, metric: str, members: NDArray[np.bool_]) -> float:
        """Mean over some units; those for which the metric is not defined are left out."""
        values = self.metrics[metric][members]
        return float(np.nanmean(values)) if (~np.isnan(values)).any() else float("nan")


def make_task(collection: Collection, text: str) -> Task:
    """Texts and pairs of a collection.

    Parameters
    ----------
    collection : Collection
    text : {"facet", "paper"}
        Sentences of the facet of a unit (all sentences, where a paper has none of it), or title and abstract.

    Returns
    -------
    Task
        Each text once, even if several units want it: a text never depends on what was seen before.
    """
    if text not in ("facet", "paper"):
        raise ConfigError(f"text must be 'facet' or 'paper', got {text!r}", argument="text")
    numbers: dict[tuple[str, str | None], int] = {}
    for unit in collection.units:
        for name in (unit.query, *unit.candidates):
            numbers.setdefault((name, unit.facet if text == "facet" else None), len(numbers))
    papers = collection.papers
    texts = [papers[name].text_of(facet) if text == "facet" else papers[name].whole for name, facet in numbers]
    i, j, owner = [], [], []
    for number, unit in enumerate(collection.units):
        facet = unit.facet if text == "facet" else None
        i += [numbers[unit.query, facet]] * len(unit.candidates)
        j += [numbers[name, facet] for name in unit.candidates]
        owner += [number] * len(unit.candidates)
    relevance = np.concatenate([unit.relevance for unit in collection.units])
    return Task(TextColumn(texts), np.array(i), np.array(j), np.array(owner), relevance)


def run(
    collection: Collection,
    methods: Sequence[Method] = METHODS,
    *,
    progress: Callable[[str], object] = lambda name: None,
) -> list[Row]:
    """Every method with every measure that suits it.

    Parameters
    ----------
    collection : Collection
        From :func:`read_collection`.
    methods : sequence of Method
    progress : callable
        Called with the name of each method before its turn.

    Returns
    -------
    list of Row
        Measures that rank all candidates alike are one row. Ties count as their mean over all orders; a candidate is
        relevant from a grade of 2 on. Kernels are compiled, or loaded, before anything is timed.
    """
    corpus = Corpus([paper.whole for paper in collection.papers.values()])
    tasks = {text: make_task(collection, text) for text in dict.fromkeys(method.text for method in methods)}
    rows = []
    for method in methods:
        progress(method.name)
        _warm_up(method, corpus)
        task = tasks[method.text]
        begin = time.perf_counter()
        made = method.make(task.texts, corpus)
        seconds = time.perf_counter() - begin
        rows += _rows_of(method, made, task, seconds)
    return rows


def _warm_up(method: Method, corpus: Corpus) -> None:
    few, first = corpus.texts[:2], np.zeros(1, np.int64)
    made = method.make(few, corpus)
    for score in method.scores.values():
        score(made.fingerprints, first, first)


def _rows_of(method: Method, made: Made, task: Task, seconds: float) -> list[Row]:
    found, times = {}, {}
    for measure, score in method.scores.items():
        begin = time.perf_counter()
        found[measure] = np.asarray(score(made.fingerprints, task.i, task.j), np.float64)
        times[measure] = time.perf_counter() - begin
    rows = []
    for alike in rank_equivalent(found, task.unit):
        metrics = judge(task, found[alike[0]])
        quickest = min(times[measure] for measure in alike)
        rows.append(Row(method.name, tuple(alike), method.text, made.n_bytes, seconds, quickest, metrics))
    return rows


def judge(task: Task, scores: Doubles) -> dict[str, Doubles]:
    """All metrics of every unit."""
    relevant = task.relevance >= RELEVANT
    first = at_rank(relevant, scores, task.unit, k=20)
    figures = (
        average_precision(relevant, scores, task.unit),
        ndcg(task.relevance, scores, task.unit, k=20),
        *first,
    )
    return dict(zip(_METRICS, figures, strict=True))


def queries_csv(collection: Collection, rows: Sequence[Row]) -> str:
    """Metrics of every unit of every row, as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["method", "measures", "text", "facet", "split", "query", *_METRICS])
    for row in rows:
        for number, unit in enumerate(collection.units):
            values = [f"{row.metrics[metric][number]:.6f}" for metric in _METRICS]
            facet = unit.facet or ""
            writer.writerow([row.method, " = ".join(row.measures), row.text, facet, unit.split, unit.query, *values])
    return text.getvalue()


class SplitGap(NamedTuple):
    """How a figure differs between two splits."""

    first: float
    second: float
    difference: Interval  # of the means, first minus second


def split_gap(
    row: Row, collection: Collection, metric: str = "average_precision", splits: tuple[str, str] = ("dev", "test")
) -> SplitGap:
    """Whether a figure is the same on both splits, or depends on which queries are in them.

    Parameters
    ----------
    row : Row
    collection : Collection
        One with splits.
    metric : {"average_precision", "ndcg@20", "precision@20", "recall@20", "f1@20"}
    splits : (str, str)

    Returns
    -------
    SplitGap
        With the 95 % bootstrap interval of the difference; each split is resampled on its own.

    Raises
    ------
    ConfigError
        If there is no such metric or split.
    """
    if metric not in row.metrics:
        raise ConfigError(f"metric must be one of {', '.join(_METRICS)}, got {metric!r}", argument="metric")
    own = np.array([unit.split for unit in collection.units])
    values = []
    for split in splits:
        chosen = row.metrics[metric][own == split]
        chosen = chosen[~np.isnan(chosen)]
        if not len(chosen):
            raise ConfigError(f"no query of split {split!r} has a figure", argument="splits")
        values.append(chosen)
    first, second = values
    rng = np.random.default_rng(0)
    means = [rng.choice(part, (4000, len(part))).mean(axis=1) for part in values]
    low, high = np.quantile(means[0] - means[1], [0.025, 0.975])
    gap = float(first.mean() - second.mean())
    return SplitGap(float(first.mean()), float(second.mean()), Interval(gap, float(low), float(high)))
