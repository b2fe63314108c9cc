"""``txtfp fingerprint``: signatures of documents as a NumPy file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from .options import add_inputs, add_output, add_run, add_sketch, minhash_of

EXAMPLES = """\
examples:
  txtfp fingerprint pages.jsonl -o pages.npy
  txtfp fingerprint 'part-*.parquet' -o pages.npy --column body --method simhash
  python -c "import numpy as np; print(np.load('pages.npy').shape)"
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "fingerprint",
        help="signatures of documents, as a .npy file",
        description="Signatures of all documents, one record each, in the order of the input. "
        "A document without any token gets the signature of an empty one and is counted.",
        epilog=EXAMPLES,
    )
    add_inputs(parser, ids=False)
    add_output(parser, "NumPy file (.npy) to write")
    parser.add_argument("--method", choices=("minhash", "simhash"), default="minhash", help="default: %(default)s")
    add_sketch(parser)
    parser.add_argument("--bits", type=int, default=64, help="bits, for simhash (default: %(default)s)")
    add_run(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Sign the documents and write the signatures."""
    import numpy as np

    import txtfp_np as tx

    from ..engine import open_input
    from .files import check_output, write_file
    from .terminal import batches, progress_bar

    output = Path(options.output)
    check_output(output, options.overwrite, options.inputs)
    fp: tx.MinHashFingerprinter | tx.SimHashFingerprinter
    fp = minhash_of(options) if options.method == "minhash" else tx.SimHashFingerprinter(bits=options.bits)
    source = open_input(options.inputs, options.column, skip_bad=options.skip_bad)
    parts, n_signed = [fp.fingerprint([])], 0
    with progress_bar() as bar:
        for batch in batches(source, bar):
            part, ok = fp.fingerprint(batch.texts, on_empty="mask", threads=options.threads)
            parts.append(part)
            n_signed += int(np.count_nonzero(ok))
    signatures = np.concatenate(parts)
    write_file(output, lambda file: np.save(file, signatures))
    facts = {
        "documents": len(signatures),
        "empty": len(signatures) - n_signed,
        "skipped": source.skipped,
        "method": options.method,
        "config_hash": f"{fp.config_hash:016x}",
        "output": str(output),
    }
    if options.json:
        print(json.dumps(facts))
    else:
        print(f"{facts['documents']:,} documents signed ({facts['empty']:,} empty, {facts['skipped']:,} lines skipped)")
        print(f"{output}: {signatures.nbytes:,} bytes, config_hash {facts['config_hash']}")
    return 0
