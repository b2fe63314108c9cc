"""``txtfp fingerprint``: signatures of documents as a NumPy file."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ConfigError, InvalidInputError
from .options import add_inputs, add_output, add_run, minhash_of

if TYPE_CHECKING:
    import txtfp_np as tx

# options of each method, and their defaults
METHODS: dict[str, dict[str, Any]] = {
    "minhash": {"k": 5, "slots": 128},
    "simhash": {"bits": 64},
    "tlsh": {"packed": False},
    "ssdeep": {},
    "flyhash": {"bits": 1024, "active": 128},
    "winnowing": {"k": 5, "window": 4},
}

EXAMPLES = """\
examples:
  txtfp fingerprint pages.jsonl -o pages.npy
  txtfp fingerprint 'part-*.parquet' -o pages.npy --column body --method simhash
  txtfp fingerprint pages.jsonl -o pages.npz --method winnowing -k 8
  python -c "import numpy as np; print(np.load('pages.npy').shape)"
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "fingerprint",
        help="signatures of documents, as a .npy file",
        description="Signatures of all documents, one record each, in the order of the input. Winnowing, of which "
        "documents have more or fewer, makes an .npz file of values, positions, ends and offsets. "
        "A document that has no signature of its own gets that of an empty one and is counted.",
        epilog=EXAMPLES,
    )
    add_inputs(parser, ids=False)
    add_output(parser, "NumPy file to write: .npy, for winnowing .npz")
    parser.add_argument("--method", choices=METHODS, default="minhash", help="default: %(default)s")
    # None: not given, so that options which a method does not have can be refused
    parser.add_argument("-k", type=int, metavar="WORDS", help="words a shingle, for minhash and winnowing (default: 5)")
    parser.add_argument("--slots", type=int, help="slots of minhash (default: 128)")
    parser.add_argument("--bits", type=int, help="bits, for simhash (default: 64) and flyhash (default: 1024)")
    parser.add_argument("--active", type=int, help="ones among the bits of flyhash (default: 128)")
    parser.add_argument("--window", type=int, help="k-grams a window of winnowing (default: 4)")
    parser.add_argument("--packed", action="store_true", default=None, help="tlsh as 35 bytes, not 72 characters")
    add_run(parser)
    return parser


def run(options: argparse.Namespace) -> int:
    """Sign the documents and write the signatures."""
    import numpy as np

    from ..engine import open_input
    from .files import check_output, write_file
    from .terminal import batches, progress_bar

    _settle(options)
    output = Path(options.output)
    check_output(output, options.overwrite, options.inputs)
    ragged = options.method == "winnowing"
    if ragged and output.suffix != ".npz":
        raise InvalidInputError(
            f"winnowing makes several arrays, which {output.name} cannot hold",
            argument="output",
            advice="Name a .npz file.",
        )
    if not ragged and output.suffix == ".npz":
        raise InvalidInputError(
            f"{options.method} makes one array, and {output.name} is the name of several",
            argument="output",
            advice="Name a .npy file.",
        )
    fp = _fingerprinter(options)
    source = open_input(options.inputs, options.column, skip_bad=options.skip_bad)
    parts, n_signed = [fp.fingerprint([])], 0
    with progress_bar() as bar:
        for batch in batches(source, bar):
            part, ok = fp.fingerprint(batch.texts, on_empty="mask", threads=options.threads)
            parts.append(part)
            n_signed += int(np.count_nonzero(ok))
    arrays: dict[str, Any] = _joined(parts) if ragged else {"signatures": np.concatenate(parts)}
    if ragged:
        write_file(output, lambda file: np.savez(file, **arrays))
    else:
        write_file(output, lambda file: np.save(file, arrays["signatures"]))
    n_documents = sum(map(len, parts))
    facts = {
        "documents": n_documents,
        "empty": n_documents - n_signed,
        "skipped": source.skipped,
        "method": options.method,
        "config_hash": f"{fp.config_hash:016x}",
        "output": str(output),
    }
    if options.json:
        print(json.dumps(facts))
    else:
        unsigned = "too short or too uniform" if options.method == "tlsh" else "empty"
        print(f"{n_documents:,} documents signed ({facts['empty']:,} {unsigned}, {facts['skipped']:,} lines skipped)")
        n_bytes = sum(array.nbytes for array in arrays.values())
        print(f"{output}: {n_bytes:,} bytes, config_hash {facts['config_hash']}")
    return 0


def _settle(options: argparse.Namespace) -> None:
    """Refuse options of other methods; put defaults in the place of those that were not given."""
    own = METHODS[options.method]
    for name in dict.fromkeys(name for options_of in METHODS.values() for name in options_of):
        if name not in own and getattr(options, name) is not None:
            flags = ", ".join(map(_flag, own)) or "none"
            raise ConfigError(
                f"{_flag(name)} is no option of {options.method}",
                argument=name,
                advice=f"Options of {options.method}: {flags}.",
            )
    for name, default in own.items():
        if getattr(options, name) is None:
            setattr(options, name, default)


def _flag(name: str) -> str:
    return f"-{name}" if len(name) == 1 else f"--{name}"


def _fingerprinter(options: argparse.Namespace) -> Any:
    """What the options ask for."""
    import txtfp_np as tx

    match options.method:
        case "minhash":
            return minhash_of(options)
        case "simhash":
            return tx.SimHashFingerprinter(bits=options.bits)
        case "tlsh":
            return tx.TlshFingerprinter(packed=options.packed)
        case "ssdeep":
            return tx.FuzzyFingerprinter()
        case "flyhash":
            return tx.FlyHashFingerprinter(bits=options.bits, active=options.active)
    return tx.WinnowFingerprinter(k=options.k, window=options.window)


def _joined(parts: list[tx.WinnowColumn]) -> dict[str, Any]:
    """The arrays of columns one after another, by the names they have in :class:`txtfp_np.WinnowColumn`."""
    import numpy as np

    counts = np.concatenate([np.diff(part.offsets) for part in parts])
    arrays = {name: np.concatenate([getattr(part, name) for part in parts]) for name in ("values", "positions", "ends")}
    return {**arrays, "offsets": np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])}
