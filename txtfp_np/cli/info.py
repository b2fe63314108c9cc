"""``txtfp info``: versions, and where compiled kernels are kept."""

from __future__ import annotations

import argparse
import json
from typing import Any

PACKAGES = ("numpy", "numba", "scipy", "xxhash", "pyarrow", "pandas", "polars")


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "info", help="versions, and the identity of the default fingerprinters"
    )
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print what is installed and what the defaults are."""
    import txtfp_np as tx

    facts = {
        "txtfp_np": tx.VERSION,
        "unicode": tx.UNICODE_VERSION,
        "format": tx.FORMAT_VERSION,
        "minhash config_hash": f"{tx.MinHashFingerprinter().config_hash:016x}",
        "simhash config_hash": f"{tx.SimHashFingerprinter().config_hash:016x}",
        **{name: _version(name) for name in PACKAGES},
    }
    if options.json:
        print(json.dumps(facts))
    else:
        for name, value in facts.items():
            print(f"{name:20} {value if value is not None else 'not installed'}")
    return 0


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(name)
    except PackageNotFoundError:
        return None
