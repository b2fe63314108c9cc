"""``txtfp report``: a page about the near-duplicates in files."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .options import add_inputs, add_linking, add_output, add_run, add_sketch, minhash_of, title_of

EXAMPLES = """\
examples:
  txtfp report pages.jsonl -o report.html
  txtfp report pages.jsonl -o report.html --threshold 0.5 --id-column url
  txtfp report pages.jsonl -o report.html --removed removed.jsonl     # of an earlier txtfp dedup

The page is one file and needs no network: counts, plots, and the largest clusters with their differences.
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "report",
        help="a page about the near-duplicates in files",
        description="Show near-duplicates as an HTML page. Finds them in memory, unless a table tells which they are.",
        epilog=EXAMPLES,
    )
    add_inputs(parser)
    add_output(parser, "page to write (.html)")
    parser.add_argument("--removed", metavar="FILE", help="table that txtfp dedup --removed wrote for these inputs")
    parser.add_argument("--title", help="heading of the page (default: names of the inputs)")
    parser.add_argument("--clusters", type=int, default=200, metavar="N", help="to show (default: %(default)s)")
    add_linking(parser)
    add_sketch(parser)
    add_run(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Write the page."""
    from .files import check_output

    output = Path(options.output)
    check_output(output, options.overwrite, options.inputs, options.removed)
    title = options.title or title_of(options.inputs)
    if options.removed is not None:
        _from_table(options, output, title)
    else:
        _from_texts(options, output, title)
    if options.json:
        print(json.dumps({"report": str(output), "bytes": output.stat().st_size}))
    else:
        print(f"report: {output}, {output.stat().st_size:,} bytes")
    return 0


def _from_table(options: argparse.Namespace, output: Path, title: str) -> None:
    from ..engine import open_input
    from ..engine.reporting import read_removed, report_files

    report_files(
        open_input(options.inputs, options.column, options.id_column, skip_bad=options.skip_bad),
        read_removed(options.removed),
        output,
        title=title,
        threshold=options.threshold,
        recall=options.recall,
        fingerprinter=minhash_of(options),
        max_clusters=options.clusters,
    )


def _from_texts(options: argparse.Namespace, output: Path, title: str) -> None:
    import txtfp_np as tx

    from ..dedup.report import write_report
    from ..engine.against import read_corpus
    from .terminal import progress_bar

    corpus = read_corpus(
        options.inputs, options.column, options.id_column, keep=options.keep, skip_bad=options.skip_bad
    )
    with progress_bar() as bar:
        result = tx.dedup(
            corpus.texts,
            options.threshold,
            fingerprinter=minhash_of(options),
            verify=options.verify,
            linkage=options.linkage,
            keep=corpus.keep,
            recall=options.recall,
            threads=options.threads,
            progress=bar,
        )
    write_report(output, corpus.texts, result, ids=corpus.ids, title=title, max_clusters=options.clusters)
    if not options.json:
        print(result.summary())
