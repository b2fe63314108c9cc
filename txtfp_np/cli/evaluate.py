"""``txtfp evaluate``: how good sketches and measures are, on a benchmark."""

from __future__ import annotations

import argparse
import io
import json
import sys
import time
from pathlib import Path
from typing import Any

EXAMPLES = """\
examples:
  txtfp evaluate h3d --data csfcube
  txtfp evaluate h3d --data csfcube --only winners --only minhash
  txtfp evaluate h3d --data csfcube --queries queries.csv --plots pictures
"""

PICTURES = ("pareto.png", "heat_map.png")

NOTES = """\
Ties count as their mean over all orders. A candidate is relevant from grade 2 on; NDCG discounts by log2(rank + 1).
fp s: seconds for the fingerprints of all texts; sim s: for the similarities of all pairs. "a = b" are measures that
rank all candidates alike (and the quickest one's seconds). "paper" is what the H3D paper prints for all facets; its
texts and its NDCG are not quite these."""


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
        "--only", action="append", metavar="WORD", help="only methods whose name has this word; may be given again"
    )
    parser.add_argument("--queries", type=Path, metavar="FILE", help="write the figures of every query as CSV")
    parser.add_argument("--plots", type=Path, metavar="DIR", help="draw pareto.png and heat_map.png (needs matplotlib)")
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    return parser


def run(options: argparse.Namespace) -> int:
    """Run the benchmark and print its table."""
    from txtfp_np import evaluate

    from ..errors import ConfigError
    from .files import check_output

    methods = [
        method for method in evaluate.METHODS if not options.only or any(word in method.name for word in options.only)
    ]
    if not methods:
        raise ConfigError(
            f"no method has {' or '.join(map(repr, options.only))} in its name",
            argument="only",
            advice="There are: " + "; ".join(method.name for method in evaluate.METHODS),
        )
    if options.queries is not None:
        check_output(options.queries, options.overwrite)
    if options.plots is not None:
        for name in PICTURES:
            check_output(options.plots / name, options.overwrite)
    begin = time.perf_counter()
    collection = evaluate.read_collection(options.data)
    rows = evaluate.run_h3d(collection, methods, progress=_say if sys.stderr.isatty() else lambda name: None)
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
                    group: {metric: round(row.mean(metric, members), 4) for metric in row.metrics}
                    for group, members in groups.items()
                },
                "printed": row.printed,
                "split_gap": _gap(row, collection),
            }
            for row in rows
        ],
    }


def _gap(row: Any, collection: Any) -> dict[str, Any] | None:
    """Dev against test, where there are both."""
    from txtfp_np.evaluate import split_gap

    if not {"dev", "test"} <= {unit.split for unit in collection.units}:
        return None
    found = split_gap(row, collection)
    low, high = round(found.difference.low, 4), round(found.difference.high, 4)
    return {"dev": round(found.first, 4), "test": round(found.second, 4), "low": low, "high": high}


def _print_table(collection: Any, rows: Any, seconds: float) -> None:
    groups = {group: collection.members(group) for group in collection.groups}
    width = max(len(row.name) for row in rows)
    print(f"{'':{width}}  {'text':6} {'bytes':>6} {'fp s':>6} {'sim s':>6}", end="")
    print("".join(f"  {group:>11}" for group in groups) + "        paper")
    print(f"{'':{width + 29}}" + "    MAP  NDCG" * len(groups) + "    MAP  NDCG")
    for row in rows:
        print(f"{row.name:{width}}  {row.text:6} {row.n_bytes:6,.0f}", end="")
        print(f" {row.fingerprint_seconds:6.2f} {row.similarity_seconds:6.3f}", end="")
        for members in groups.values():
            print(f"  {_short(row.mean('average_precision', members))} {_short(row.mean('ndcg@20', members))}", end="")
        print("" if row.printed is None else f"  {_short(row.printed[0])} {_short(row.printed[1])}")
    for row in rows:
        gap = _gap(row, collection)
        if gap is not None:
            print(f"{row.name}: MAP dev - test {gap['dev'] - gap['test']:+.4f} [{gap['low']:+.4f}, {gap['high']:+.4f}]")
    print(f"\n{len(collection.papers):,} papers, {len(collection.units):,} queries, {seconds:.1f} s in all")
    for what, n in collection.skipped.items():
        print(f"left out: {n:,} {what}")
    print(NOTES)


def _short(value: float) -> str:
    return f"{value:.4f}".removeprefix("0").rjust(5)


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
    for name, axes in zip(PICTURES, drawings, strict=True):
        image = io.BytesIO()
        figure: Any = axes.figure
        figure.savefig(image, format="png", dpi=150)
        _write(folder / name, image.getvalue())


def _write(path: Path, content: bytes) -> None:
    from .files import write_file

    write_file(path, lambda file: file.write(content))
