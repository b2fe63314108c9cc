"""Plots of a report, as SVG that takes its colours from the page."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..index import LshIndexBuilder

_WIDTH, _HEIGHT = 460, 250
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 44, 14, 42
_INNER_WIDTH, _INNER_HEIGHT = _WIDTH - _LEFT - _RIGHT, _HEIGHT - _TOP - _BOTTOM
_BINS_A_TENTH = 5
_CURVE_POINTS = 81


class Plot(NamedTuple):
    """A drawing, and the same numbers as rows of a table."""

    svg: str
    heads: tuple[str, str]
    rows: list[tuple[str, str]]


def similarity_plot(similarities: NDArray[Any], threshold: float, bands: LshIndexBuilder | None) -> Plot:
    """Histogram of similarities below 1, over it the probability that bands find a pair."""
    first = max(0, int(threshold * 10 + 1e-9) - 2)  # tenths; some room to the left, where the curve falls
    n_bins = (10 - first) * _BINS_A_TENTH
    unequal = np.asarray(similarities, np.float64)
    unequal = unequal[unequal < 1]  # drops NaN, too
    bins = np.clip(np.floor((unequal * 10 - first) * _BINS_A_TENTH + 1e-6), 0, n_bins - 1).astype(np.int64)
    heights = np.bincount(bins, minlength=n_bins)
    top = _round_up(int(heights.max(initial=0)))

    def x_of(similarity: float) -> float:
        return _LEFT + _INNER_WIDTH * (similarity * 10 - first) / (10 - first)

    def edge(number: int) -> float:
        return (first + number / _BINS_A_TENTH) / 10

    parts = [_frame([(x_of(tenth / 10), f"{tenth / 10:.1f}") for tenth in range(first, 11)], top)]
    rows = []
    for number, height in enumerate(heights.tolist()):
        if not height:
            continue
        name = f"{edge(number):.2f} to {edge(number + 1):.2f}"
        rows.append((name, f"{height:,}"))
        parts.append(_bar(x_of(edge(number)), x_of(edge(number + 1)), height / top, f"{name}: {height:,}"))
    if bands is not None:
        grid = np.linspace(first / 10, 1, _CURVE_POINTS)
        found = bands.collision_probability(grid)
        points = " ".join(f"{x_of(s):.1f},{_y_of(p):.1f}" for s, p in zip(grid, found, strict=True))
        parts.append(f'<polyline class="curve" points="{points}"/>')
        parts += [
            f'<text class="tick right" x="{_WIDTH - _RIGHT + 6}" y="{_y_of(p) + 4:.1f}">{p:.0%}</text>'
            for p in (0.0, 0.5, 1.0)
        ]
    at = x_of(threshold)
    parts.append(f'<line class="threshold" x1="{at:.1f}" x2="{at:.1f}" y1="{_TOP}" y2="{_HEIGHT - _BOTTOM}"/>')
    parts.append(_axis_name("similarity"))
    label = f"Histogram of similarities from {first / 10:.1f} to 1"
    return Plot(_svg(label, parts), ("similarity", "pairs"), rows)


def sizes_plot(sizes: NDArray[np.int64]) -> Plot:
    """How many clusters there are of each size; larger sizes are taken together."""
    ranges = _size_ranges(int(sizes.max(initial=0)))
    counts = [int(((first <= sizes) & (sizes <= last)).sum()) for first, last in ranges]
    top = _round_up(max(counts, default=0))
    step = _INNER_WIDTH / max(len(ranges), 1)
    names = [str(first) if first == last else f"{first}–{last}" for first, last in ranges]
    every = 1 + len(names) // 10  # names that would overlap are left out
    ticks = [(_LEFT + step * (i + 0.5), name if i % every == 0 else "") for i, name in enumerate(names)]
    parts = [_frame(ticks, top)]
    rows = []
    for i, (name, count) in enumerate(zip(names, counts, strict=True)):
        if not count:
            continue
        rows.append((name, f"{count:,}"))
        parts.append(_bar(_LEFT + step * (i + 0.12), _LEFT + step * (i + 0.88), count / top, f"{name}: {count:,}"))
        middle = _LEFT + step * (i + 0.5)
        parts.append(f'<text class="value" x="{middle:.1f}" y="{_y_of(count / top) - 4:.1f}">{count:,}</text>')
    parts.append(_axis_name("documents in the cluster"))
    return Plot(_svg("Clusters by their size", parts), ("documents", "clusters"), rows)


def _size_ranges(largest: int) -> list[tuple[int, int]]:
    """2, 3, 4, then 5 to 8, 9 to 16 and so on."""
    ranges = [(size, size) for size in (2, 3, 4) if size <= largest]
    last = 4
    while last < largest:
        ranges.append((last + 1, 2 * last))
        last *= 2
    return ranges


def _round_up(value: int) -> int:
    """1, 2 or 5 times a power of ten, at least 1 and at least the value."""
    power = 1
    while True:
        for factor in (1, 2, 5):
            if factor * power >= value:
                return factor * power
        power *= 10


def _y_of(share: float) -> float:
    return _TOP + _INNER_HEIGHT * (1 - share)


def _bar(begin: float, end: float, share: float, name: str) -> str:
    height = max(_INNER_HEIGHT * share, 1.5)  # a single one is seen beside a million
    y = _HEIGHT - _BOTTOM - height
    return (
        f'<rect class="bar" x="{begin + 0.5:.1f}" y="{y:.1f}" width="{end - begin - 1:.1f}" height="{height:.1f}">'
        f"<title>{escape(name)}</title></rect>"
    )


def _frame(ticks: Iterable[tuple[float, str]], top: int) -> str:
    lines = []
    for share in (0.0, 0.5, 1.0):
        y, value = _y_of(share), top * share
        lines.append(f'<line class="grid" x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>')
        if value == int(value):
            lines.append(f'<text class="tick left" x="{_LEFT - 6}" y="{y + 4:.1f}">{_short(int(value))}</text>')
    y = _HEIGHT - _BOTTOM + 16
    lines += [f'<text class="tick" x="{x:.1f}" y="{y}">{name}</text>' for x, name in ticks if name]
    return "".join(lines)


def _short(value: int) -> str:
    """At most five characters: 20,000,000 is 20M."""
    for unit, name in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if value >= 10 * unit:
            return f"{value / unit:g}{name}"
    return f"{value:,}"


def _axis_name(name: str) -> str:
    return f'<text class="axis" x="{_LEFT + _INNER_WIDTH / 2:.0f}" y="{_HEIGHT - 6}">{name}</text>'


def _svg(label: str, parts: Iterable[str]) -> str:
    return f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{escape(label)}">{"".join(parts)}</svg>'
