"""Pictures of what was measured; needs matplotlib (``pip install 'txtfp-np[plot]'``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..errors import FeatureDisabledError, InvalidInputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pareto_front(costs: ArrayLike, qualities: ArrayLike) -> list[int]:
    """Positions of what nothing else beats in both cost and quality, cheapest first.

    Examples
    --------
    >>> pareto_front([1, 2, 3, 4], [0.5, 0.9, 0.7, 0.9])
    [0, 1]
    """
    cost, quality = np.asarray(costs, np.float64), np.asarray(qualities, np.float64)
    front: list[int] = []
    for at in np.lexsort((-quality, cost)).tolist():
        if not front or quality[at] > quality[front[-1]]:
            front.append(at)
    return front


def plot_pareto(
    points: Mapping[str, tuple[float, float]], axes: Axes | None = None, *, quality: str = "MAP", cost: str = "seconds"
) -> Axes:
    """Quality over cost, a point a method, and the line of those that nothing beats in both.

    Parameters
    ----------
    points : mapping of name to (cost, quality)
        Costs are positive: their axis is logarithmic.
    axes : matplotlib Axes, optional
        Where to draw; None: a new figure.
    quality, cost : str
        Names of the axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> axes = plot_pareto({"minhash": (0.2, 0.25), "simhash": (0.1, 0.18)})
    >>> axes.get_xlabel(), len(axes.texts)
    ('seconds', 2)
    """
    drawn = _axes(axes, (9, 4.5))
    names = list(points)
    values = np.array([points[name] for name in names], np.float64).reshape(-1, 2)
    if not len(values) or not (values[:, 0] > 0).all():
        raise InvalidInputError("points must have positive costs, and at least one", argument="points")
    front = pareto_front(values[:, 0], values[:, 1])
    drawn.plot(*values[front].T, color="0.6", linewidth=1, zorder=1, drawstyle="steps-post")
    for number, at in enumerate(np.argsort(-values[:, 1], kind="stable").tolist(), 1):
        x, y = values[at]
        # names of neighbours would cover one another: a number at the point, the name beside the picture
        label = f"{number:2} {names[at]}"
        drawn.scatter(x, y, s=24, zorder=2, color="C0" if at in front else "C7", label=label)
        drawn.annotate(str(number), (x, y), xytext=(4, 3), textcoords="offset points", fontsize=7)
    drawn.legend(
        loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7, frameon=False, handlelength=0, handletextpad=0.6
    )
    drawn.set_xscale("log")
    drawn.set_xlabel(cost)
    drawn.set_ylabel(quality)
    drawn.grid(True, alpha=0.3)
    return drawn


def plot_heat_map(
    values: ArrayLike, rows: Sequence[str], columns: Sequence[str], axes: Axes | None = None, *, digits: int = 3
) -> Axes:
    """A table in colours, the figure in every cell; NaN is a combination that makes no sense, and stays blank.

    Parameters
    ----------
    values : numbers (rows, columns)
    rows, columns : sequence of str
        Their names: methods and measures, say.
    axes : matplotlib Axes, optional
        Where to draw; None: a new figure.
    digits : int
        Behind the point.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> axes = plot_heat_map([[0.25, float("nan")]], ["minhash"], ["jaccard", "cosine"])
    >>> [text.get_text() for text in axes.texts]
    ['0.250']
    """
    table = np.asarray(values, np.float64)
    if table.shape != (len(rows), len(columns)):
        raise InvalidInputError(
            f"values must have shape ({len(rows)}, {len(columns)}), got {table.shape}", argument="values"
        )
    drawn = _axes(axes, (1.5 + 0.9 * len(columns), 1.2 + 0.34 * len(rows)))
    drawn.imshow(np.ma.masked_invalid(table), aspect="auto", cmap="viridis")
    middle = (np.nanmin(table) + np.nanmax(table)) / 2
    for row, column in np.argwhere(~np.isnan(table)).tolist():
        value = table[row, column]
        colour = "white" if value < middle else "black"
        drawn.text(column, row, f"{value:.{digits}f}", ha="center", va="center", fontsize=7, color=colour)
    drawn.set_xticks(range(len(columns)), columns, rotation=30, ha="right", fontsize=8)
    drawn.set_yticks(range(len(rows)), rows, fontsize=8)
    return drawn


def plot_ladder(
    lines: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    axes: Axes | None = None,
    *,
    strength: str = "share of sentences deleted",
    quality: str = "AUC",
) -> Axes:
    """How a figure falls as edits grow stronger, a line a sketch.

    Parameters
    ----------
    lines : mapping of name to (strengths, figures)
    axes : matplotlib Axes, optional
        Where to draw; None: a new figure.
    strength, quality : str
        Names of the axes.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> axes = plot_ladder({"minhash": ([0, 0.5], [1, 0.8])})
    >>> len(axes.lines)
    1
    """
    drawn = _axes(axes, (6, 4))
    for number, (name, (strengths, figures)) in enumerate(lines.items()):
        drawn.plot(strengths, figures, "osv^Dph*X+"[number % 10] + "-", label=name, markersize=4, linewidth=1.2)
    drawn.set_xlabel(strength)
    drawn.set_ylabel(quality)
    drawn.grid(True, alpha=0.3)
    return drawn


def _axes(axes: Axes | None, size: tuple[float, float]) -> Axes:
    if axes is not None:
        return axes
    try:
        from matplotlib.figure import Figure  # no window, no display
    except ImportError:
        raise FeatureDisabledError("plot") from None
    return Figure(figsize=size, layout="constrained").add_subplot()
