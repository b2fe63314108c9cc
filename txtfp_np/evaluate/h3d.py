"""The H3D benchmark: how well fingerprints find papers that are alike, by facet."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn
from ..errors import ConfigError
from ..options import check_count
from .bootstrap import Interval
from .collections import RELEVANT, Collection
from .methods import METHODS, Corpus, Method, Printed, Rows
from .ranking import at_rank, average_precision, ndcg, rank_equivalent

Doubles = NDArray[np.float64]

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
    metrics: dict[str, Doubles]  # one value a unit: the mean over all seeds
    by_seed: dict[str, Doubles]  # (seeds, units)
    printed: tuple[float, float] | None  # MAP and NDCG of CSFCube in the paper

    @property
    def name(self) -> str:
        """Method and measures."""
        return f"{self.method}: {' = '.join(self.measures)}"

    def mean(self, metric: str, members: NDArray[np.bool_]) -> float:
        """Mean over some units; those for which the metric is not defined are left out."""
        return float(_mean_of(self.metrics[metric][members]))

    def spread(self, metric: str, members: NDArray[np.bool_]) -> float | None:
        """Standard deviation, over the seeds, of the mean over some units; None of a single seed."""
        means = [_mean_of(values[members]) for values in self.by_seed[metric]]
        return float(np.std(means, ddof=1)) if len(means) > 1 else None


def _mean_of(values: Doubles) -> Any:
    known = values[~np.isnan(values)]
    return known.mean() if len(known) else np.nan


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
    seeds: int = 1,
    progress: Callable[[str], object] = lambda name: None,
) -> list[Row]:
    """Every method with every measure that suits it.

    Parameters
    ----------
    collection : Collection
        From :func:`read_collection`.
    methods : sequence of Method
    seeds : int
        How many seeds a method that has one is given, one after another; figures are means over them.
    progress : callable
        Called with the name of each method before its turn.

    Returns
    -------
    list of Row
        Measures that rank all candidates alike are one row. Ties count as their mean over all orders; a candidate is
        relevant from a grade of 2 on. Kernels are compiled, or loaded, before anything is timed.
    """
    check_count("seeds", seeds, 1)
    corpus = Corpus([paper.whole for paper in collection.papers.values()])
    tasks = {text: make_task(collection, text) for text in dict.fromkeys(method.text for method in methods)}
    rows = []
    is_table_5 = collection.name == "csfcube"
    for method in methods:
        progress(method.name)
        task = tasks[method.text]
        _warm_up(method, task, corpus)
        turns = [_turn(method, task, corpus, turn) for turn in range(seeds if method.has_seed else 1)]
        rows += _rows_of(method, task, turns, method.printed if is_table_5 else ())
    return rows


class _Turn(NamedTuple):
    """What a method scored with one seed."""

    n_bytes: float
    fingerprint_seconds: float
    found: dict[str, Doubles]
    seconds: dict[str, float]


def _warm_up(method: Method, task: Task, corpus: Corpus) -> None:
    few, first = task.texts[:2], np.zeros(1, np.int64)
    made = method.make(few, corpus, 0)
    for score in method.scores.values():
        score(made.fingerprints, first, first)


def _turn(method: Method, task: Task, corpus: Corpus, turn: int) -> _Turn:
    begin = time.perf_counter()
    made = method.make(task.texts, corpus, turn)
    fingerprint_seconds = time.perf_counter() - begin + made.seconds
    found, seconds = {}, {}
    for measure, score in method.scores.items():
        begin = time.perf_counter()
        found[measure] = np.asarray(score(made.fingerprints, task.i, task.j), np.float64)
        seconds[measure] = time.perf_counter() - begin
    return _Turn(made.n_bytes, fingerprint_seconds, found, seconds)


def _rows_of(method: Method, task: Task, turns: Sequence[_Turn], known: Sequence[Printed]) -> list[Row]:
    rows = []
    for alike in _alike(task, turns):
        judged = [judge(task, turn.found[alike[0]]) for turn in turns]
        by_seed = {metric: np.array([figures[metric] for figures in judged]) for metric in _METRICS}
        printed = next((entry for entry in known if entry.measure in alike), None)
        row = Row(
            method=method.name,
            measures=tuple(alike),
            text=method.text,
            n_bytes=turns[0].n_bytes,
            fingerprint_seconds=min(turn.fingerprint_seconds for turn in turns),
            similarity_seconds=min(turn.seconds[measure] for turn in turns for measure in alike),
            metrics={metric: values.mean(axis=0) for metric, values in by_seed.items()},
            by_seed=by_seed,
            printed=None if printed is None else (printed.mean_average_precision, printed.ndcg),
        )
        rows.append(row)
    return rows


def _alike(task: Task, turns: Sequence[_Turn]) -> list[list[str]]:
    """Measures that rank all candidates alike whatever the seed: with one, a few texts may do so by chance."""
    n_units = int(task.unit.max()) + 1
    queries = np.concatenate([task.unit + number * n_units for number in range(len(turns))])
    scores = {measure: np.concatenate([turn.found[measure] for turn in turns]) for measure in turns[0].found}
    return rank_equivalent(scores, queries)


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
