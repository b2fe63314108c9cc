"""``txtfp evaluate``: how good sketches and measures are, on a benchmark."""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from typing import Any

from . import embeddings

EXAMPLES = """\
examples:
  txtfp evaluate h3d --data csfcube
  txtfp evaluate h3d --data csfcube --only winners --only minhash
  txtfp evaluate h3d --data csfcube --queries queries.csv --plots pictures
  txtfp evaluate h3d --data csfcube --seeds 1
  txtfp evaluate h3d --data csfcube --model all-MiniLM-L6-v2/onnx/model.onnx --max-tokens 256 --only model
"""

PICTURES = ("pareto.png", "heat_map.png")
SHOWN = ("average_precision", "ndcg@20")

NOTES = """\
Ties count as their mean over all orders. A candidate is relevant from grade 2 on; NDCG discounts by log2(rank + 1).
fp s: seconds for the fingerprints of all texts; sim s: for the similarities of all pairs. "a = b" are measures that
rank all candidates alike (and the quickest one's seconds)."""
PRINTED = """\
"paper" is what the H3D paper prints for all facets, of embeddings for BGE small; its texts and its NDCG are not quite
these."""
SPREAD = """\
+-: standard deviation over the seeds, of MAP and NDCG of all queries; the figures are means over the seeds."""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "evaluate",
        help="quality of every method and measure on a benchmark",
        description="Fingerprints the texts of a benchmark with every method, scores its pairs with every measure that "
        "suits, and prints mean average precision and NDCG@20.",
        epilog=EXAMPLES,
    )
    parser.add_argument("benchmark", choices=("h3d",), help="h3d: CSFCube or RELISH, as the H3D paper uses them")
    parser.add_argument(
        "--data", type=Path, required=True, metavar="DIR", help="folder with the files of CSFCube or RELISH"
    )
    parser.add_argument(
        "--protocol",
        choices=("clean", "paper"),
        default="clean",
        help="clean: the honest one (default); paper: what the H3D paper printed, which is not part of the package",
    )
    parser.add_argument(
        "--only", action="append", metavar="WORD", help="only methods whose name has this word; may be given again"
    )
    parser.add_argument(
        "--seeds", type=int, default=5, metavar="N", help="means over so many seeds of all that has one (default: 5)"
    )
    parser.add_argument("--queries", type=Path, metavar="FILE", help="write the figures of every query as CSV")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw pareto.png and heat_map.png (needs matplotlib)")
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    embeddings.add_options(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Run the benchmark and print its table."""
    from txtfp_np import evaluate

    from ..errors import ConfigError, FeatureDisabledError
    from .files import check_output

    if options.protocol == "paper":
        raise ConfigError(
            "protocol must be 'clean' here, got 'paper', whose mistakes are not part of the package",
            argument="protocol",
            advice="In a clone of the project, python -m benchmarks h3d --data DIR repeats the printed figures.",
        )
    begin = time.perf_counter()
    for path, argument in [(options.queries, "queries"), (options.texts, "texts"), *_pictures(options.plots)]:
        if path is not None:
            check_output(path, options.overwrite, argument=argument)
    if options.plots is not None and find_spec("matplotlib") is None:  # else it would be told when all is done
        raise FeatureDisabledError("plot")
    collection = evaluate.read_collection(options.data)
    if options.texts is not None:
        print(f"{embeddings.write_texts(collection, options.texts):,} texts written to {options.texts}")
        return 0
    methods = _chosen(options, [*evaluate.METHODS, *embeddings.methods_of(options, collection)])
    progress = _say if sys.stderr.isatty() else lambda name: None
    rows = evaluate.run_h3d(collection, methods, seeds=options.seeds, progress=progress)
    seconds = time.perf_counter() - begin
    if options.queries is not None:
        _write(options.queries, evaluate.queries_csv(collection, rows).encode())
    if options.plots is not None:
        _draw(options.plots, collection, rows)
    if options.json:
        print(json.dumps(_facts(collection, rows, seconds)))
    else:
        _print_table(collection, rows, seconds)
    return 0


def _pictures(folder: Path | None) -> list[tuple[Path | None, str]]:
    """What will be written for --plots: the pictures, or a folder for them, too."""
    if folder is None or not folder.exists():
        return [(folder, "plots")]
    return [(folder / name, "plots") for name in PICTURES]


def _chosen(options: argparse.Namespace, methods: list[Any]) -> list[Any]:
    from ..errors import ConfigError

    chosen = [method for method in methods if not options.only or any(word in method.name for word in options.only)]
    if not chosen:
        raise ConfigError(
            f"no method has {' or '.join(map(repr, options.only))} in its name",
            argument="only",
            advice="There are: " + "; ".join(dict.fromkeys(method.name for method in methods)),
        )
    return chosen


def _say(name: str) -> None:
    print(f"\r\x1b[K{name} ...", end="\r", file=sys.stderr, flush=True)


def _facts(collection: Any, rows: Any, seconds: float) -> dict[str, Any]:
    groups = {group: collection.members(group) for group in collection.groups}
    return {
        "benchmark": collection.name,
        "papers": len(collection.papers),
        "queries": len(collection.units),
        "skipped": collection.skipped,
        "seconds": round(seconds, 2),
        "rows": [
            {
                "method": row.method,
                "measures": list(row.measures),
                "text": row.text,
                "bytes": round(row.n_bytes, 1),
                "fingerprint_seconds": round(row.fingerprint_seconds, 4),
                "similarity_seconds": round(row.similarity_seconds, 4),
                "metrics": {
                    group: {metric: _rounded(row.mean(metric, members)) for metric in row.metrics}
                    for group, members in groups.items()
                },
                "seeds": len(row.by_seed["average_precision"]),
                "spread": {metric: _rounded(row.spread(metric, groups["all"])) for metric in row.metrics},
                "printed": row.printed,
                "split_gap": _gap(row, collection),
            }
            for row in rows
        ],
    }


def _rounded(value: float | None) -> float | None:
    return None if value is None or isnan(value) else round(value, 4)  # JSON has no NaN


def _gap(row: Any, collection: Any) -> dict[str, Any] | None:
    """Dev against test, where both have figures."""
    from txtfp_np.evaluate import split_gap

    figures = row.metrics["average_precision"].tolist()
    judged = {unit.split for unit, figure in zip(collection.units, figures, strict=True) if not isnan(figure)}
    if not {"dev", "test"} <= judged:
        return None
    found = split_gap(row, collection)
    low, high = round(found.difference.low, 4), round(found.difference.high, 4)
    return {"dev": round(found.first, 4), "test": round(found.second, 4), "low": low, "high": high}


def _print_table(collection: Any, rows: Any, seconds: float) -> None:
    groups = {group: collection.members(group) for group in collection.groups}
    width = max(len(row.name) for row in rows)
    has_printed = any(row.printed is not None for row in rows)
    spreads = any(row.spread("ndcg@20", groups["all"]) is not None for row in rows)
    print(f"{'':{width}}  {'text':6} {'bytes':>6} {'fp s':>6} {'sim s':>6}", end="")
    print("".join(f"  {group:>11}" for group in (*groups, *["+-"] * spreads, *["paper"] * has_printed)))
    print(f"{'':{width + 29}}" + "    MAP  NDCG" * (len(groups) + spreads + has_printed))
    for row in rows:
        print(f"{row.name:{width}}  {row.text:6} {row.n_bytes:6,.0f}", end="")
        print(f" {row.fingerprint_seconds:6.2f} {row.similarity_seconds:6.3f}", end="")
        pairs = [[row.mean(metric, members) for metric in SHOWN] for members in groups.values()]
        pairs += [[row.spread(metric, groups["all"]) for metric in SHOWN]] * spreads
        pairs += [row.printed] * (row.printed is not None)
        print("".join(f"  {_short(first)} {_short(second)}" for first, second in pairs).rstrip())
    for row in rows:
        gap = _gap(row, collection)
        if gap is not None:
            print(f"{row.name}: MAP dev - test {gap['dev'] - gap['test']:+.4f} [{gap['low']:+.4f}, {gap['high']:+.4f}]")
    print(f"\n{len(collection.papers):,} papers, {len(collection.units):,} queries, {seconds:.1f} s in all")
    for what, n in collection.skipped.items():
        print(f"left out: {n:,} {what}")
    print(NOTES)
    if has_printed:
        print(PRINTED)
    if spreads:
        print(SPREAD)


def _short(value: float | None) -> str:
    if value is None:
        return " " * 5
    return "    -" if isnan(value) else f"{value:.4f}".removeprefix("0").rjust(5)


def _draw(folder: Path, collection: Any, rows: Any) -> None:
    """Quality over seconds, and MAP of every method by every measure."""
    from txtfp_np import evaluate

    every = collection.members("all")
    points: dict[str, tuple[float, float]] = {}
    for row in sorted(rows, key=lambda row: row.mean("average_precision", every)):  # the best measure comes last
        cost = max(row.fingerprint_seconds + row.similarity_seconds, 1e-4)
        points[row.method] = (cost, row.mean("average_precision", every))
    methods = list(dict.fromkeys(row.method for row in rows))
    measures = list(dict.fromkeys(measure for row in rows for measure in row.measures))
    table = [[float("nan")] * len(measures) for _ in methods]
    for row in rows:
        for measure in row.measures:
            value = row.mean("average_precision", every)
            table[methods.index(row.method)][measures.index(measure)] = value
    drawings = (
        evaluate.plot_pareto(points, cost="seconds for fingerprints and similarities"),
        evaluate.plot_heat_map(table, methods, measures),
    )
    drawings[1].set_title("MAP of all queries", fontsize=9)
    folder.mkdir(exist_ok=True)
    for name, axes in zip(PICTURES, drawings, strict=True):
        image = io.BytesIO()
        figure: Any = axes.figure
        figure.savefig(image, format="png", dpi=150)
        _write(folder / name, image.getvalue())


def _write(path: Path, content: bytes) -> None:
    from .files import write_file

    write_file(path, lambda file: file.write(content))
