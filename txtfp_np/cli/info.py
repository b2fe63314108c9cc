"""``txtfp info``: versions, and what is not installed."""

from __future__ import annotations

import argparse
import json
from typing import Any

PACKAGES = ("numpy", "numba", "scipy", "xxhash")

# as in pyproject.toml, and a test says so
EXTRAS = {
    "arrow": ("pyarrow",),
    "pandas": ("pandas",),
    "polars": ("polars",),
    "markup": ("selectolax", "markdown-it-py"),
    "pdf": ("pypdfium2",),
    "cjk": ("rjieba", "fugashi", "ipadic", "kiwipiepy"),
    "cloud": ("httpx",),
    "semantic": ("onnxruntime", "tokenizers", "huggingface_hub"),
    "ann": ("usearch",),
    "plot": ("matplotlib",),
}


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

    extra_of = {package: extra for extra, packages in EXTRAS.items() for package in packages}
    facts = {
        "txtfp_np": tx.VERSION,
        "unicode": tx.UNICODE_VERSION,
        "format": tx.FORMAT_VERSION,
        "minhash config_hash": f"{tx.MinHashFingerprinter().config_hash:016x}",
        "simhash config_hash": f"{tx.SimHashFingerprinter().config_hash:016x}",
        **{name: _version(name) for name in (*PACKAGES, *extra_of)},
    }
    if options.json:
        print(json.dumps(facts))
        return 0
    for name, value in facts.items():
        missing = f'not installed: pip install "txtfp-np[{extra_of[name]}]"' if name in extra_of else "not installed"
        print(f"{name:20} {missing if value is None else value}")
    return 0


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version  # slow to import

    try:
        return version(name)
    except PackageNotFoundError:
        return None
