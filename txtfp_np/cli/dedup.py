"""``txtfp dedup``: files without their near-duplicates."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from ..errors import ConfigError
from .options import add_inputs, add_linking, add_output, add_run, add_sketch, minhash_of, shingles_of, title_of

EXAMPLES = """\
examples:
  txtfp dedup pages.jsonl -o unique.jsonl --removed removed.jsonl --report report.html
  txtfp dedup 'part-*.parquet' -o unique/ --column body --id-column url --memory 4GB
  txtfp dedup pages.csv --dry-run --threshold 0.8
  txtfp dedup train.jsonl -o clean.jsonl --against test.jsonl
  txtfp dedup today.jsonl -o new.jsonl --against seen-index --update

Rows that are kept are written as they were read, with all their columns. A run that was stopped goes on where it
was when the same command is given again.
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "dedup",
        help="files without their near-duplicates",
        description="Find near-duplicates in files, keep one of each, and write the rows that are kept.",
        epilog=EXAMPLES,
    )
    add_inputs(parser)
    add_output(parser, "file for what is kept, in the format of the inputs; or a folder for several", required=False)
    parser.add_argument("--removed", metavar="FILE", help="table of what was removed: id, kept_id, similarity, reason")
    parser.add_argument("--report", type=Path, metavar="FILE.html", help="page that shows the largest clusters")
    add_linking(parser)
    add_sketch(parser)
    parser.add_argument(
        "--against",
        nargs="+",
        metavar="INPUT",
        help="drop what these files have, too; or an index (a folder made by txtfp index). Works in memory",
    )
    parser.add_argument("--update", action="store_true", help="with --against an index: add to it what is kept")
    parser.add_argument("--memory", metavar="SIZE", help="memory to use, about, as 4GB (default: as needed)")
    parser.add_argument("--work-dir", metavar="FOLDER", help="for intermediate files (default: beside the output)")
    parser.add_argument("--dry-run", action="store_true", help="find, count and report, but write no rows and no table")
    add_run(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Deduplicate, and say what was removed."""
    _check(options)
    if options.against:
        return _run_against(options)
    from ..engine import dedup_files, open_input
    from .terminal import expect, progress_bar

    with _places(options) as (output, removed):
        try:
            with progress_bar() as bar:
                expect(open_input(options.inputs, options.column, options.id_column, skip_bad=options.skip_bad), bar)
                done = dedup_files(
                    options.inputs,
                    output,
                    column=options.column,
                    id_column=options.id_column,
                    threshold=options.threshold,
                    fingerprinter=minhash_of(options),
                    verify=options.verify or "exact",
                    linkage=options.linkage,
                    keep=options.keep,
                    recall=options.recall,
                    removed=removed,
                    work_dir=options.work_dir,
                    memory=options.memory,
                    skip_bad=options.skip_bad,
                    overwrite=options.overwrite,
                    threads=options.threads,
                    progress=bar,
                )
        except KeyboardInterrupt:
            if not options.dry_run:
                print("\ntxtfp: what was done so far is kept: the same command goes on from there", file=sys.stderr)
            raise
        if options.report is not None:
            _report(options, str(removed))
    facts = done.as_dict()
    if options.dry_run:
        facts |= {"outputs": [], "removed_table": None}
    elif options.removed is None:
        facts["removed_table"] = None
    facts["report"] = None if options.report is None else str(options.report)
    if options.json:
        print(json.dumps(facts))
        return 0
    print(done)
    _print_files(options, facts["outputs"])
    seconds = sum(done.seconds.values())
    rate = done.documents / max(seconds, 1e-9)
    print(f"{seconds:,.1f} s, {rate:,.0f} documents a second, {done.peak_bytes / 1e6:,.0f} MB of memory")
    return 0


def _check(options: argparse.Namespace) -> None:
    from .files import check_output

    shingles_of(options)
    if options.output is None and not options.dry_run:
        raise ConfigError("where to write is missing", argument="output", advice="Give -o FILE, or --dry-run.")
    if options.update and not options.against:
        raise ConfigError("--update adds to the index that --against names", argument="update")
    if options.against and (options.memory or options.work_dir or options.dry_run or options.report):
        raise ConfigError(
            "--against works in memory and in one go: it excludes --memory, --work-dir, --dry-run and --report",
            argument="against",
        )
    if options.report is not None:
        check_output(options.report, options.overwrite, argument="report")
    _check_apart(options)


def _check_apart(options: argparse.Namespace) -> None:
    """Refuse to write to what is read, or twice to one place."""
    from ..engine.inputs import find_files
    from ..engine.outputs import check_apart, check_targets, find_targets
    from .files import input_paths

    files = find_files(options.inputs)
    if options.against:  # which reads both sides before it looks at its outputs
        targets = find_targets(files, options.output, options.removed)
        check_targets(targets, files, options.overwrite, input_paths(options.against))
        return
    written = [] if options.dry_run else find_targets(files, options.output, options.removed).named
    if options.report is not None:
        written.append((options.report, "report"))
    check_apart(written, [file.path for file in files])


@contextmanager
def _places(options: argparse.Namespace) -> Iterator[tuple[str, str | None]]:
    """Where rows and the table of removed ones go: a folder that vanishes, for what nobody asked for."""
    output, removed = options.output, options.removed
    if options.dry_run:
        from ..engine.inputs import find_files

        files = find_files(options.inputs)
        with tempfile.TemporaryDirectory(prefix="txtfp-", dir=options.work_dir) as folder:
            several = len(files) > 1 or files[0].kind == "folder"
            name = "kept" if several else files[0].path.name
            if several:
                Path(folder, name).mkdir()
            options.work_dir = str(Path(folder, "work"))
            yield str(Path(folder, name)), str(Path(folder, "removed.jsonl"))
        return
    hidden = None
    if options.report is not None and removed is None:
        # a name that is the same in every run: a job that was stopped is known by its outputs
        hidden = options.report.absolute().parent / f".{options.report.name}.removed.jsonl"
        removed = str(hidden)
        work = Path(options.work_dir or Path(output).absolute().parent / f".txtfp-{Path(output).name}")
        if not work.exists():
            hidden.unlink(missing_ok=True)  # of a run that was killed while it wrote its report
    yield output, removed
    if hidden is not None:
        with suppress(OSError):
            hidden.unlink()


def _report(options: argparse.Namespace, removed: str) -> None:
    from ..engine import open_input
    from ..engine.reporting import read_removed, report_files

    report_files(
        open_input(options.inputs, options.column, options.id_column, skip_bad=options.skip_bad),
        read_removed(removed),
        options.report,
        title=title_of(options.inputs),
        threshold=options.threshold,
        recall=options.recall,
        fingerprinter=minhash_of(options),
    )


def _run_against(options: argparse.Namespace) -> int:
    from ..engine.against import drop_known, is_index, read_corpus
    from .terminal import progress_bar

    new = read_corpus(options.inputs, options.column, options.id_column, keep=options.keep, skip_bad=options.skip_bad)
    against: Any = options.against[0]
    if len(options.against) > 1 or not is_index(against):
        against = read_corpus(options.against, options.column, options.id_column, skip_bad=options.skip_bad)
    with progress_bar() as bar:
        result = drop_known(
            new,
            against,
            options.output,
            removed=options.removed,
            update=options.update,
            overwrite=options.overwrite,
            progress=bar,
            threshold=options.threshold,
            fingerprinter=minhash_of(options),
            verify=options.verify,
            linkage=options.linkage,
            recall=options.recall,
            threads=options.threads,
        )
    counts = result.summary()
    if options.json:
        facts = {**counts.as_dict(), "skipped": new.source.skipped, "removed_table": options.removed}
        print(json.dumps({**facts, "output": options.output}))
        return 0
    print(counts)
    if new.source.skipped:
        print(f"bad rows, left out: {new.source.skipped:,}")
    _print_files(options, [options.output])
    return 0


def _print_files(options: argparse.Namespace, outputs: list[str]) -> None:
    if options.dry_run:
        print("no rows were written (--dry-run)")
    for name, what in ((", ".join(outputs), "kept"), (options.removed, "removed"), (options.report, "report")):
        if name and not (options.dry_run and what == "removed"):
            print(f"{what}: {name}")
