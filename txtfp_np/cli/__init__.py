"""The command ``txtfp``: arguments and printing only, one file a subcommand.

Exit codes: 0 done, 1 the data or a file would not do, 2 wrong usage, 70 a mistake in this package, 130 interrupted,
141 whoever read the output went away.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

import txtfp_np

from ..errors import TxtfpError
from . import compare, completion, dedup, explain, fingerprint, index, info, report, tune, warmup

SUBCOMMANDS = (dedup, report, compare, explain, index, fingerprint, tune, completion, warmup, info)

DONE, FAILED, USAGE, MISTAKE, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 70, 130, 141

EXAMPLES = """\
examples:
  txtfp dedup pages.jsonl -o unique.jsonl --report report.html
  txtfp explain old.txt new.txt
  txtfp index build seen pages.jsonl
  txtfp dedup --help
"""


def build_parser() -> argparse.ArgumentParser:
    """The parser with all subcommands."""
    parser = argparse.ArgumentParser(
        prog="txtfp",
        description="Near-duplicates in files of text: found, shown, removed. Fingerprints of texts, "
        "byte for byte those of the Rust crate txtfp.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"txtfp_np {txtfp_np.VERSION}")
    parser.add_argument("--debug", action="store_true", help="show the traceback of an error")
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    for subcommand in SUBCOMMANDS:
        made = subcommand.add_parser(commands)
        made.formatter_class = argparse.RawDescriptionHelpFormatter
        made.set_defaults(run=subcommand.run)
        # after the command too; suppressed, so that its absence does not undo one before the command
        made.add_argument(
            "--debug", action="store_true", default=argparse.SUPPRESS, help="show the traceback of an error"
        )
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; returns the exit code."""
    options = build_parser().parse_args(arguments)
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal without Unicode is no reason to fail
    try:
        code: int = options.run(options)
        sys.stdout.flush()  # a reader that went away is noticed here, not when Python exits
    except KeyboardInterrupt:
        print("\ntxtfp: interrupted", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        _silence_output()
        return PIPE_CLOSED
    except Exception as error:
        if options.debug:
            raise
        return _explain_failure(error)
    return code


def _explain_failure(error: Exception) -> int:
    expected = isinstance(error, (TxtfpError, OSError, MemoryError))
    text = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, MemoryError):
        text = f"out of memory: {text}"
    elif not expected:
        text = f"unexpected {type(error).__name__}: {text}"
    print(f"txtfp: {text}", file=sys.stderr)
    for note in getattr(error, "__notes__", ()):
        print(f"  {note}", file=sys.stderr)
    if not expected:
        print("  This is a mistake in txtfp: please report it with what --debug prints.", file=sys.stderr)
    return FAILED if expected else MISTAKE


def _silence_output() -> None:
    """Let Python's own flush at exit go nowhere; it would complain a second time."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError, AttributeError):
        return
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
