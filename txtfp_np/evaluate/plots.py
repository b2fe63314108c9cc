"""Pictures of what was measured; needs matplotlib (``pip install 'txtfp-np[plot]'``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..compare.arrays import as_array
from ..errors import FeatureDisabledError, InvalidInputError
from ..options import check_count

_FIGURE_SPACE = "\u2007"  # as wide as a digit
_LUMINANCE = 0.2126, 0.7152, 0.0722  # of red, green and blue (ITU-R BT.709)
_DARK = 0.4

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def pareto_front(costs: ArrayLike, qualities: ArrayLike) -> list[int]:
    """Positions of what nothing else beats in both cost and quality, cheapest first.

    Parameters
    ----------
    costs, qualities : numbers (n,)
        Lower costs and higher qualities are better; what is NaN is not on the front.

    Returns
    -------
    list of int
        Of equal ones only the first.

    Examples
    --------
    >>> pareto_front([1, 2, 3, 4], [0.5, 0.9, 0.7, 0.9])
    [0, 1]
    """
    cost, quality = _numbers("costs", costs), _numbers("qualities", qualities)
    if cost.ndim != 1 or cost.shape != quality.shape:
        raise InvalidInputError(
            f"costs and qualities must be as many, along one axis, got shapes {cost.shape} and {quality.shape}",
            argument="qualities",
        )
    front: list[int] = []
    for at in np.lexsort((-quality, cost)).tolist():
        if np.isnan(cost[at]) or np.isnan(quality[at]):
            continue
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
    names = list(_mapping("points", points))
    values = _numbers("points", [points[name] for name in names])
    if values.shape != (len(names), 2) or not len(names) or not np.isfinite(values).all() or (values[:, 0] <= 0).any():
        raise InvalidInputError(
            "points must have positive costs and finite qualities, and be at least one", argument="points"
        )
    drawn = _axes(axes, (9, max(4.5, 0.5 + 0.17 * len(names))))
    front = pareto_front(values[:, 0], values[:, 1])
    drawn.plot(*values[front].T, color="0.6", linewidth=1, zorder=1, drawstyle="steps-post")
    numbers: dict[tuple[float, float], list[str]] = {}
    for number, at in enumerate(np.argsort(-values[:, 1], kind="stable").tolist(), 1):
        x, y = values[at].tolist()
        # names of neighbours would cover one another: a number at the point, the name beside the picture
        label = f"{number:{_FIGURE_SPACE}>{len(str(len(names)))}} {names[at]}"
        drawn.scatter(x, y, s=24, zorder=2, color="C0" if at in front else "C7", label=label)
        numbers.setdefault((x, y), []).append(str(number))
    for place, own in numbers.items():
        drawn.annotate(", ".join(own), place, xytext=(4, 3), textcoords="offset points", fontsize=7)
    _legend_beside(drawn, handlelength=0.5, handletextpad=0.8)
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
    table, places = _numbers("values", values), check_count("digits", digits, most=17)
    if table.shape != (len(rows), len(columns)):
        raise InvalidInputError(
            f"values must have shape ({len(rows)}, {len(columns)}), got {table.shape}", argument="values"
        )
    if np.isinf(table).any() or np.isnan(table).all():
        raise InvalidInputError("values must be finite or NaN, and at least one a number", argument="values")
    drawn = _axes(axes, (1.5 + 0.9 * len(columns), 1.2 + 0.34 * len(rows)))
    image = drawn.imshow(np.ma.masked_invalid(table), aspect="auto", cmap="viridis")
    for row, column in np.argwhere(~np.isnan(table)).tolist():
        value = table[row, column]
        colour = "white" if np.dot(image.to_rgba(value)[:3], _LUMINANCE) < _DARK else "black"
        drawn.text(column, row, f"{value:.{places}f}", ha="center", va="center", fontsize=7, color=colour)
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

    A new figure gets a legend; whoever gives axes draws one where there is room (``axes.legend()``).

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
    >>> len(axes.lines), [text.get_text() for text in axes.get_legend().get_texts()]
    (1, ['minhash'])
    """
    _mapping("lines", lines)
    drawn = _axes(axes, (6 + 0.075 * max(map(len, lines), default=0), max(4, 0.5 + 0.17 * len(lines))))
    for number, (name, line) in enumerate(lines.items()):
        numbers = [_numbers("lines", part) for part in line]
        if len(numbers) != 2 or numbers[0].ndim != 1 or numbers[0].shape != numbers[1].shape:
            shapes = " and ".join(str(part.shape) for part in numbers)
            raise InvalidInputError(
                f"lines must have a strength and a figure for each step, got shapes {shapes} of {name!r}",
                argument="lines",
            )
        marker = "osv^Dph*X+"[(number + number // 10) % 10]  # colours come again after ten lines, with other markers
        drawn.plot(*numbers, f"{marker}-", label=name, markersize=4, linewidth=1.2)
    if axes is None and lines:
        _legend_beside(drawn)
    drawn.set_xlabel(strength)
    drawn.set_ylabel(quality)
    drawn.grid(True, alpha=0.3)
    return drawn


def _mapping(argument: str, given: object) -> Mapping[str, Any]:
    if not isinstance(given, Mapping):
        raise InvalidInputError(f"{argument} must be a mapping by name, got {type(given).__name__}", argument=argument)
    return given


def _numbers(argument: str, given: object) -> NDArray[np.float64]:
    array = as_array(argument, given)
    if array.dtype == object and array.ndim:
        array = as_array(argument, array.tolist())
    if array.dtype.kind not in "iufb":
        raise InvalidInputError(f"{argument} must hold numbers, got {array.dtype}", argument=argument)
    return array.astype(np.float64)


def _legend_beside(drawn: Axes, **options: float) -> None:
    drawn.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), fontsize=7, frameon=False, **options)


def _axes(axes: Axes | None, size: tuple[float, float]) -> Axes:
    if axes is not None:
        return axes
    try:
        from matplotlib.figure import Figure  # no window, no display
    except ImportError:
        raise FeatureDisabledError("plot") from None
    return Figure(figsize=size, layout="constrained").add_subplot()
