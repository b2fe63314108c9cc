"""A result as a small table for notebooks, and as a picture."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ConfigError, FeatureDisabledError
from .settings import Method

if TYPE_CHECKING:
    from .result import DedupResult

_SHOWN = 5  # clusters
_TEXT = 90  # characters of a text
_BARS = 40
_CURVE_POINTS = 256

# Colours are mixed from the text's own, so that light and dark notebooks both show them.
_STYLE = (
    "<style>.txtfp td,.txtfp th{text-align:left!important;padding:.15em .7em!important}"
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
        least = np.nanmin(result.similarity[others]) if not np.isnan(result.similarity[others]).all() else np.nan
        text = result._column._brief(kept) if len(result._column[kept : kept + 1]) else ""
        rows.append(
            f'<tr><td class="n">{len(members):,}</td><td class="n">{kept}</td><td class="n">{least:.2f}</td>'
            f"<td>{escape(text)}</td></tr>"
        )
    if not rows:
        return "<small>no near-duplicates</small>"
    more = int((sizes > 1).sum()) - len(rows)
    tail = f"<small>and {more:,} smaller clusters</small>" if more > 0 else ""
    head = "<tr><th>rows</th><th>kept row</th><th>least similar</th><th>text</th></tr>"
    return f"<table>{head}{''.join(rows)}</table>{tail}"
