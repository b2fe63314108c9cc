"""A result as a small table for notebooks, and as a picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..columns import TextColumn
from ..errors import ConfigError, FeatureDisabledError

if TYPE_CHECKING:
    from .result import DedupResult

_SHOWN = 5  # clusters
_TEXT = 90  # characters of a text
_BARS = 50
_CURVE_POINTS = 256
_MOST_LABELS = 15

# Colours are mixed from the text's own, so that light and dark notebooks both show them.
_STYLE = (
    "<style>.txtfp table{color:inherit;font-size:inherit}"
    ".txtfp td,.txtfp th{text-align:left!important;padding:.15em .7em!important}"
    ".txtfp td.n{text-align:right!important}.txtfp small{opacity:.65}"
    ".txtfp .bar{display:flex;height:.6em;width:24em;max-width:100%;margin:.4em 0;"
    "background:color-mix(in srgb,currentColor 15%,transparent)}</style>"
)


def result_html(result: DedupResult) -> str:
    """Counts and the largest clusters."""
    counts = result.summary()
    parts = [("kept", counts.kept, "#3a9a5b"), ("equal", counts.copies, "#c2803a"), ("similar", counts.near, "#c2503a")]
    if result.against is not None:
        parts.append(("known", counts.against, "#7a5ac2"))
    whole = max(counts.documents, 1)
    bar = "".join(
        f'<span title="{name}: {n:,}" style="width:{100 * n / whole:.2f}%;background:{colour}"></span>'
        for name, n, colour in parts
    )
    listed = ", ".join(f"{n:,} {name}" for name, n, _ in parts)
    head = f"<b>{counts.documents:,} documents</b>: {listed}; threshold {result.threshold:g}"
    if counts.empty:
        head += f"; {counts.empty:,} empty (kept)"
    return f'<div class="txtfp">{_STYLE}{head}<div class="bar">{bar}</div>{_clusters(result)}</div>'


def _clusters(result: DedupResult) -> str:
    sizes = np.bincount(result.cluster, minlength=1)
    largest = np.argsort(-sizes, kind="stable")[:_SHOWN]
    rows = []
    for number in largest[sizes[largest] > 1].tolist():
        members = np.flatnonzero(result.cluster == number)
        kept = int(result.representative[members[0]])
        others = members[members != kept]
        known = result.similarity[others][~np.isnan(result.similarity[others])]
        shown = f"{known.min():.2f}" if len(known) else "–"
        text = "" if result._column is None else _brief(result._column, kept)
        rows.append(
            f'<tr><td class="n">{len(members):,}</td><td class="n">{kept}</td><td class="n">{shown}</td>'
            f"<td>{escape(text)}</td></tr>"
        )
    if not rows:
        return "<small>no near-duplicates</small>"
    more = int((sizes > 1).sum()) - len(rows)
    tail = f"<small>and {more:,} smaller clusters</small>" if more > 0 else ""
    head = "<tr><th>rows</th><th>kept row</th><th>least similar</th><th>text</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>{tail}"


def _brief(column: TextColumn, row: int) -> str:
    """The begin of a text, on one line."""
    start, stop = int(column.offsets[row]), int(column.offsets[row + 1])
    words = column.data[start : min(stop, start + 4 * _TEXT)].tobytes().decode("utf-8", "ignore").split()
    text = " ".join(words)
    return text if len(text) <= _TEXT and stop - start <= 4 * _TEXT else f"{text[:_TEXT]}…"


def plot_result(result: DedupResult, axes: Any = None) -> Any:
    """Similarities of pairs with the curve of the bands, and sizes of clusters."""
    try:
        import matplotlib.pyplot as plt
        from matplotlib.ticker import MaxNLocator
    except ImportError:
        raise FeatureDisabledError("plot") from None
    if axes is None:
        axes = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained")[1]
    axes = np.asarray(axes).reshape(-1)
    if len(axes) != 2:
        raise ConfigError(f"plot draws on two axes, got {len(axes)}", argument="axes")
    left, right = axes
    _similarities(result, left)
    sizes = np.bincount(np.bincount(result.cluster, minlength=1))
    present = np.flatnonzero(sizes)
    present = present[present > 1]
    right.bar(present.astype(str), sizes[present], color="C1")
    right.set(xlabel="rows in a cluster", ylabel="clusters", title="Clusters of two or more")
    right.yaxis.set_major_locator(MaxNLocator(integer=True))
    if len(present) > _MOST_LABELS:
        right.xaxis.set_major_locator(MaxNLocator(_MOST_LABELS, integer=True))
    return axes


def _similarities(result: DedupResult, ax: Any) -> None:
    share = result._found.share
    n_equal = len(result.pairs) - len(share)
    ax.hist(share, bins=np.linspace(0, 1, _BARS + 1), color="C0")
    ax.axvline(result.threshold, linestyle="--", linewidth=1, color="0.5")
    equal = f" (and {n_equal:,} of equal documents)" if n_equal else ""
    ax.set(xlabel="similarity", ylabel="pairs", xlim=(0, 1), title=f"{len(share):,} pairs{equal}")
    bands = result._settings.bands
    if bands is not None:
        curve = ax.twinx()
        similarity = np.linspace(0, 1, _CURVE_POINTS)
        curve.plot(similarity, bands.collision_probability(similarity), color="C3", linewidth=1.5)
        curve.set_ylim(0, 1.03)
        curve.set_ylabel(f"found by {bands.bands} × {bands.rows} bands", color="C3")
