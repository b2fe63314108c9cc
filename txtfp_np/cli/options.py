"""Options that several subcommands have, said once."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidInputError
from ..options import check_count

if TYPE_CHECKING:
    import txtfp_np as tx

FORMATS = (
    ".txt (a document a line), .jsonl, .csv, .tsv (each also .gz, .zst), .parquet, .arrow, "
    "a folder of .txt files, or a pattern of such files"
)


def add_inputs(parser: argparse.ArgumentParser, *, ids: bool = True) -> None:
    """Files with documents, and what is read of them."""
    parser.add_argument("inputs", nargs="+", metavar="INPUT", help=FORMATS)
    parser.add_argument("--column", default="text", metavar="NAME", help="column of the texts (default: %(default)s)")
    if ids:
        parser.add_argument("--id-column", metavar="NAME", help="column of ids (default: rows, counted from 0)")
    parser.add_argument("--skip-bad", action="store_true", help="leave out lines that are no records, and count them")


def add_sketch(parser: argparse.ArgumentParser) -> None:
    """What a MinHash signature is made of."""
    parser.add_argument("-k", type=int, default=5, metavar="WORDS", help="words a shingle (default: %(default)s)")
    parser.add_argument("--slots", type=int, default=128, help="slots of a signature (default: %(default)s)")


def add_linking(parser: argparse.ArgumentParser) -> None:
    """What makes a pair, and what is kept."""
    parser.add_argument(
        "-t", "--threshold", type=float, default=0.7, help="least similarity of a pair (default: %(default)s)"
    )
    parser.add_argument(
        "--keep",
        default="first",
        metavar="WHICH",
        help="first, last, longest, shortest, or column:NAME for the highest number there (default: %(default)s)",
    )
    parser.add_argument(
        "--linkage",
        choices=("star", "components"),
        default="star",
        help="star: nothing is removed that is less alike than the threshold; components: transitively",
    )
    parser.add_argument(
        "--verify",
        choices=("exact", "signature", "none"),
        help="what makes a candidate a pair (default: exact; against an index, which has no texts: signature)",
    )
    parser.add_argument(
        "--recall", type=float, default=0.99, help="of pairs at the threshold, to be found (default: %(default)s)"
    )


def add_output(parser: argparse.ArgumentParser, help: str, *, required: bool = True) -> None:
    """Where to."""
    parser.add_argument("-o", "--output", required=required, metavar="FILE", help=help)
    parser.add_argument("--overwrite", action="store_true", help="replace files that exist")


def add_run(parser: argparse.ArgumentParser) -> None:
    """How to run, and how to tell about it."""
    parser.add_argument("--threads", type=int, metavar="N", help="default: every core")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")


def minhash_of(options: argparse.Namespace) -> tx.MinHashFingerprinter:
    """The fingerprinter that the options ask for."""
    import txtfp_np as tx

    return tx.MinHashFingerprinter(tokenizer=shingles_of(options), h=options.slots)


def shingles_of(options: argparse.Namespace) -> tx.ShingleTokenizer:
    """The tokenizer that the options ask for."""
    import txtfp_np as tx

    return tx.ShingleTokenizer(k=check_count("k", options.k, 1))


def title_of(inputs: Sequence[str]) -> str:
    """Heading of a report.

    Examples
    --------
    >>> title_of(["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"])
    'Near-duplicates in a.txt, b.txt, c.txt and 2 more'
    """
    more = f" and {len(inputs) - 3:,} more" if len(inputs) > 3 else ""
    return f"Near-duplicates in {', '.join(inputs[:3])}{more}"


def read_document(argument: str) -> str:
    """The text of a file, or the argument itself where no file has that name.

    Raises
    ------
    InvalidInputError
        If it looks like a path but is none, is a folder, or holds no UTF-8.
    """
    if not argument:  # a path of no letters would be the folder one is in
        return argument
    path = Path(argument)
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError):  # too long for a name, or with a NUL: a text
        return argument
    if is_folder:
        raise InvalidInputError(f"{path} is a folder", advice="Name a file, or give the text itself.")
    if is_file:
        return _decoded(path)
    if " " not in argument and (path.suffix or "/" in argument):
        raise InvalidInputError(f"there is no file {path}", advice="A text without a space is taken for a path.")
    return argument


def _decoded(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{path} is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}",
            advice="Convert it, for instance with: iconv -f latin1 -t utf-8",
        ) from None
