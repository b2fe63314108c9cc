"""The command line: one subcommand a file, all with the same options."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import conftest  # noqa: F401  keys Numba's cache on the text of all kernels, before anything imports Numba

from . import corpora, hamming, index, text, timing

# A benchmark is a module with HELP, SECONDS (what it takes to measure well) and run(loaded, seconds) -> dict.
BENCHMARKS = {
    "text": text,
    "hamming": hamming,
    "index": index,
}


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
    for name, module in BENCHMARKS.items():
        commands.add_parser(name, parents=[shared], help=module.HELP, description=module.HELP)
    options = parser.parse_args()
    if options.mb <= 0:
        parser.error("--mb must be positive")

    module = BENCHMARKS[options.command]
    machine = timing.machine()
    print(timing.describe(machine))
    loaded = corpora.load(options.data, int(options.mb * 1e6))
    for corpus in loaded:
        print(corpus.describe())
    print(flush=True)
    results = module.run(loaded, module.SECONDS if options.seconds is None else options.seconds)
    if options.json is not None:
        described = {corpus.name: corpus.as_dict() for corpus in loaded}
        timing.write_json(
            options.json, {"benchmark": options.command, "machine": machine, "corpora": described, **results}
        )
        print(f"\nwritten to {options.json}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
