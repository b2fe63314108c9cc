"""``txtfp explain``: what two documents share, and where they differ."""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from ..errors import ConfigError, InvalidInputError
from .options import add_sketch, minhash_of, read_document

EXAMPLES = """\
examples:
  txtfp explain old.txt new.txt
  txtfp explain "to be or not to be" "to be, or perhaps not to be"
  txtfp explain pages.jsonl --rows 3 17
  txtfp explain old.txt new.txt --html > difference.html
"""

_CONTEXT = 120


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "explain",
        help="what two documents share, and where they differ",
        description="Words that only the first has are [-marked-], those that only the second has {+so+}; "
        "on a terminal in red and green. Words are equal if they are so in canonical text.",
        epilog=EXAMPLES,
    )
    parser.add_argument("a", metavar="A", help="a file, or a text; with --rows a file with documents")
    parser.add_argument("b", metavar="B", nargs="?", help="a file, or a text")
    parser.add_argument("--rows", type=int, nargs=2, metavar=("I", "J"), help="rows of A, counted from 0")
    parser.add_argument("--column", default="text", metavar="NAME", help="with --rows: column of the texts")
    parser.add_argument("--full", action="store_true", help="show all of both texts, not only what is near differences")
    parser.add_argument("--color", choices=("auto", "always", "never"), default="auto", help="default: %(default)s")
    add_sketch(parser)
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--html", action="store_true", help="as HTML")
    form.add_argument("--json", action="store_true", help="as one JSON object")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print the differences."""
    from ..dedup.explain import explain_texts
    from .terminal import is_coloured

    if (options.b is None) == (options.rows is None):
        raise ConfigError("explain takes two texts, or one file and --rows I J", argument="rows")
    if options.rows is None:
        a, b = read_document(options.a), read_document(options.b)
    else:
        a, b = _rows(options.a, options.column, *options.rows)
    found = explain_texts(a, b, minhash_of(options))
    context = None if options.full else _CONTEXT
    if options.json:
        runs = [run._asdict() if run.kind == "both" else {"kind": run.kind, "text": run.text} for run in found.runs]
        facts = {"similarity": found.similarity, "unit": found.unit, "shared": found.shared}
        print(json.dumps({**facts, "only_a": found.only_a, "only_b": found.only_b, "runs": runs}))
    elif options.html:
        print(found.to_html(context=context))
    else:
        print(found.to_text(colour=is_coloured(sys.stdout, options.color), context=context))
    return 0


def _rows(path: str, column: str, *rows: int) -> list[str]:
    """Texts of some rows; no more of the file is read than is needed."""
    from ..engine import open_input

    if min(rows) < 0:
        raise InvalidInputError(f"rows are counted from 0, got {min(rows)}", argument="rows")
    texts: dict[int, str] = {}
    end = 0
    for batch in open_input(path, column):
        end = batch.first_row + len(batch)
        texts |= {row: batch.texts[row - batch.first_row] for row in rows if batch.first_row <= row < end}
        if len(texts) == len(set(rows)):
            return [texts[row] for row in rows]
    raise InvalidInputError(f"{path} has {end:,} rows, there is no row {max(rows)}", argument="rows")
