"""``txtfp fingerprint``: signatures of a file's documents as a NumPy file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

EXAMPLES = """\
examples:
  txtfp fingerprint pages.jsonl -o pages.npy
  txtfp fingerprint pages.csv -o pages.npy --column body --method simhash
  python -c "import numpy as np; print(np.load('pages.npy').shape)"
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    from .inputs import FORMATS

    parser: argparse.ArgumentParser = commands.add_parser(
        "fingerprint",
        help="signatures of documents, as a .npy file",
        description="Signatures of all documents, one record each, in the order of the input. "
        "A document without any token gets the signature of an empty one and is counted.",
        epilog=EXAMPLES,
    )
    parser.add_argument("input", type=Path, metavar="INPUT", help=FORMATS)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE", help="NumPy file (.npy) to write")
    parser.add_argument("--method", choices=("minhash", "simhash"), default="minhash", help="default: %(default)s")
    parser.add_argument("-k", type=int, default=5, help="words a shingle, for minhash (default: %(default)s)")
    parser.add_argument("--slots", type=int, default=128, help="slots, for minhash (default: %(default)s)")
    parser.add_argument("--bits", type=int, default=64, help="bits, for simhash (default: %(default)s)")
    parser.add_argument("--column", default="text", help="column of the texts (default: %(default)s)")
    parser.add_argument("--skip-bad", action="store_true", help="leave out lines that are not JSON, and count them")
    parser.add_argument("--threads", type=int, help="default: every core")
    parser.add_argument("--overwrite", action="store_true", help="replace the output if it exists")
    parser.add_argument("--json", action="store_true", help="the summary as one JSON object")
    return parser


def run(options: argparse.Namespace) -> int:
    """Sign the documents and write the signatures."""
    import numpy as np

    import txtfp_np as tx

    from .files import check_output, write_file
    from .inputs import read_documents
    from .terminal import progress_bar

    check_output(options.output, options.overwrite)
    fp: tx.MinHashFingerprinter | tx.SimHashFingerprinter
    if options.method == "minhash":
        fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=options.k), h=options.slots)
    else:
        fp = tx.SimHashFingerprinter(bits=options.bits)
    found = read_documents(options.input, options.column, skip_bad=options.skip_bad)
    bar = progress_bar()
    try:
        signatures, signed = fp.fingerprint(
            found.texts, on_empty="mask", threads=options.threads, progress=bar if bar is not None else False
        )
    finally:
        if bar is not None:
            bar.close()
    write_file(options.output, lambda file: np.save(file, signatures))
    facts = {
        "documents": len(found.texts),
        "empty": int(len(signed) - np.count_nonzero(signed)),
        "skipped": found.skipped,
        "dtype": options.method,
        "config_hash": f"{fp.config_hash:016x}",
        "output": str(options.output),
    }
    if options.json:
        print(json.dumps(facts))
    else:
        print(f"{facts['documents']:,} documents signed ({facts['empty']:,} empty, {facts['skipped']:,} lines skipped)")
        print(f"{options.output}: {signatures.nbytes:,} bytes, config_hash {facts['config_hash']}")
    return 0
