"""The command ``txtfp``: arguments and printing only, one file a subcommand."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import txtfp_np

from ..errors import TxtfpError
from . import info, warmup

SUBCOMMANDS = (info, warmup)


def build_parser() -> argparse.ArgumentParser:
    """The parser with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="txtfp", description="Fingerprints of text columns, byte for byte those of the Rust crate txtfp."
    )
    parser.add_argument("--version", action="version", version=f"txtfp_np {txtfp_np.VERSION}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for subcommand in SUBCOMMANDS:
        subcommand.add_parser(commands).set_defaults(run=subcommand.run)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = build_parser().parse_args(arguments)
    try:
        code: int = options.run(options)
    except (TxtfpError, OSError) as error:
        print(f"txtfp: {error}", file=sys.stderr)
        for note in getattr(error, "__notes__", ()):
            print(f"  {note}", file=sys.stderr)
        return 1
    return code
