"""``txtfp tune``: bands and rows for a threshold, and what they find."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

EXAMPLES = """\
examples:
  txtfp tune 0.7
  txtfp tune 0.8 --slots 256 --recall 0.999
  txtfp tune 0.7 --plot curve.png
"""

_COLUMNS, _LINES = 61, 11


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "tune",
        help="bands and rows for a threshold, with the S-curve",
        description="Two choices of bands: the balanced one, and the cheapest that finds pairs at the threshold.",
        epilog=EXAMPLES,
    )
    parser.add_argument("threshold", type=float, metavar="THRESHOLD", help="Jaccard similarity between 0 and 1")
    parser.add_argument("--slots", type=int, default=128, help="slots of the signatures (default: %(default)s)")
    parser.add_argument(
        "--recall", type=float, default=0.99, help="to be reached at the threshold (default: %(default)s)"
    )
    parser.add_argument(
        "--plot", type=Path, metavar="FILE", help="draw the curves: .png, .svg, .pdf (needs matplotlib)"
    )
    parser.add_argument("--overwrite", action="store_true", help="replace the drawing if it exists")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print both choices, and the curve of the second."""
    import txtfp_np as tx

    threshold = options.threshold
    balanced = tx.LshIndexBuilder.for_threshold(threshold, options.slots)
    sure = tx.LshIndexBuilder.for_recall(threshold, options.slots, recall=options.recall)
    choices = {"for_threshold": balanced, "for_recall": sure}
    if options.plot is not None:
        _plot(options.plot, options.overwrite, choices, threshold)
    if options.json:
        facts = {
            name: {"bands": b.bands, "rows": b.rows, "recall": round(float(b.collision_probability(threshold)), 6)}
            for name, b in choices.items()
        }
        print(json.dumps({"threshold": threshold, "slots": options.slots, **facts}))
        return 0
    print(f"{'':15}bands  rows   found at {threshold:g}   at {threshold - 0.2:.2g}   at {threshold - 0.4:.2g}")
    for name, b in choices.items():
        at, below, far = (b.collision_probability(max(0.0, threshold - less)) for less in (0, 0.2, 0.4))
        print(f"{name:15}{b.bands:5}{b.rows:6}{at:14.2%}{below:10.2%}{far:9.2%}")
    print(f"\nprobability to be found, {sure.bands} bands of {sure.rows} rows; ┊ is the threshold")
    print(curve(sure, threshold))
    return 0


def curve(builder: Any, threshold: float) -> str:
    """The S-curve in characters."""
    grid = [[" "] * _COLUMNS for _ in range(_LINES)]
    at = round(threshold * (_COLUMNS - 1))
    for line in grid:
        line[at] = "┊"
    for x in range(_COLUMNS):
        p = float(builder.collision_probability(x / (_COLUMNS - 1)))
        grid[round((1 - p) * (_LINES - 1))][x] = "•"
    lines = [f"{1 - i / (_LINES - 1):4.1f} │{''.join(line).rstrip()}" for i, line in enumerate(grid)]
    ticks = "".join(f"{x / 5:<12.1f}" for x in range(6)).rstrip()
    return "\n".join([*lines, "     └" + "─" * _COLUMNS, f"      {ticks}", f"{'Jaccard similarity':>44}"])


def _plot(path: Path, overwrite: bool, choices: dict[str, Any], threshold: float) -> None:
    from ..errors import FeatureDisabledError, InvalidInputError
    from .files import check_output, write_file

    try:
        from matplotlib.figure import Figure  # no window, no display
    except ImportError:
        raise FeatureDisabledError("plot") from None
    check_output(path, overwrite)
    kinds = ("png", "svg", "pdf")
    kind = path.suffix.lower().lstrip(".")
    if kind not in kinds:
        raise InvalidInputError(f"{path}: a drawing is {', '.join(kinds)}", argument="plot")
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.add_subplot()
    for number, builder in enumerate(choices.values()):
        builder.plot(axes, threshold=threshold if number == 0 else None)
    write_file(path, lambda file: figure.savefig(file, format=kind, dpi=150))
