"""``txtfp compare``: how alike two texts are, estimated and exact."""

from __future__ import annotations

import argparse
import json
from typing import Any

EXAMPLES = """\
examples:
  txtfp compare old.txt new.txt
  txtfp compare -k 2 "to be or not to be" "to be or not to be, that is"
  txtfp compare --json old.txt new.txt | jq .jaccard
"""


def add_parser(commands: Any) -> argparse.ArgumentParser:
    """Arguments of the subcommand."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compare",
        help="how alike two texts are",
        description="Jaccard similarity of two texts, exact and estimated by MinHash, and their SimHash distance.",
        epilog=EXAMPLES,
    )
    parser.add_argument("a", metavar="A", help="a file, or a text")
    parser.add_argument("b", metavar="B", help="a file, or a text")
    parser.add_argument("-k", type=int, default=5, help="words a shingle (default: %(default)s)")
    parser.add_argument("--slots", type=int, default=128, help="slots of the MinHash signature (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="as one JSON object")
    return parser


def run(options: argparse.Namespace) -> int:
    """Print the similarities."""
    import txtfp_np as tx

    from .options import read_document, shingles_of

    tokenizer = shingles_of(options)
    texts = [read_document(options.a), read_document(options.b)]
    minhash = tx.MinHashFingerprinter(tokenizer=tokenizer, h=options.slots)
    first, second = minhash.fingerprint(texts)
    one, other = tx.SimHashFingerprinter().fingerprint(texts)
    a, b = (set(shingles) for shingles in tokenizer.tokens(minhash.canonicalizer.canonicalize(texts)))
    shared = len(a & b)
    facts = {
        "jaccard": round(shared / len(a | b), 6),
        "jaccard_estimate": round(float(tx.jaccard(first, second)), 6),
        "containment": round(shared / min(len(a), len(b)), 6),
        "shingles_a": len(a),
        "shingles_b": len(b),
        "shingles_shared": shared,
        "simhash_distance": int(tx.hamming(one, other)),
        "cosine_estimate": round(float(tx.cosine_estimate(one, other)), 6),
    }
    if options.json:
        print(json.dumps(facts))
        return 0
    print(f"Jaccard, exact      {facts['jaccard']:.4f}   {shared:,} of {len(a | b):,} shingles of {options.k} words")
    print(f"Jaccard, estimated  {facts['jaccard_estimate']:.4f}   MinHash, {options.slots} slots")
    print(f"containment         {facts['containment']:.4f}   of the smaller, {min(len(a), len(b)):,} shingles")
    print(
        f"SimHash distance    {facts['simhash_distance']:6}   of 64 bits; cosine about {facts['cosine_estimate']:.2f}"
    )
    return 0
