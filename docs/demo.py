"""What is in a folder of texts: words, graphemes, shingles, and which two files say the same.

    python docs/demo.py [FOLDER]

Uses nothing but the public names of ``txtfp_np``.
"""

from __future__ import annotations

import argparse
import sys
import time
from itertools import combinations
from pathlib import Path

import txtfp_np as tx

SAMPLE = Path(__file__).resolve().parent / "sample"
SPEED_BYTES = 8_000_000  # a few small files say nothing about speed: they are repeated up to this size
MAX_PAIRED = 300  # every pair is compared, so not more files than this


class DemoError(Exception):
    """Something the user can put right."""


def read_folder(folder: Path) -> dict[str, bytes]:
    """Contents of the text files, by name."""
    if not folder.is_dir():
        raise DemoError(f"no such folder: {folder}")
    contents = {path.name: path.read_bytes() for path in sorted(folder.glob("*.txt")) if path.is_file()}
    if not contents:
        raise DemoError(f"no .txt files in {folder}")
    return contents


def jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


def closest_pair(sets: list[set[str]]) -> tuple[int, int]:
    return max(combinations(range(len(sets)), 2), key=lambda pair: jaccard(sets[pair[0]], sets[pair[1]]))


def table(names: list[str], rows: list[list[int]], heads: list[str]) -> None:
    width = max(len("total"), *map(len, names))
    print(f"{'file':<{width}}" + "".join(f"{head:>12}" for head in heads))
    print("─" * (width + 12 * len(heads)))
    for name, row in zip(names, rows, strict=True):
        print(f"{name:<{width}}" + "".join(f"{value:>12,}" for value in row))
    print("─" * (width + 12 * len(heads)))
    print(f"{'total':<{width}}" + "".join(f"{sum(column):>12,}" for column in zip(*rows, strict=True)))


def speed(texts: list[str]) -> None:
    n_bytes = sum(len(text.encode()) for text in texts)
    if not n_bytes:
        return
    repeats = max(1, SPEED_BYTES // n_bytes)
    many, megabytes = texts * repeats, repeats * n_bytes / 1e6
    canonical = tx.Canonicalizer().canonicalize(many)
    stages = {
        "canonicalize": lambda: tx.Canonicalizer().canonicalize(many),
        "words": lambda: tx.WordTokenizer().tokens(canonical),
        "graphemes": lambda: tx.GraphemeTokenizer().tokens(canonical),
        "5-shingles": lambda: tx.ShingleTokenizer(k=5).tokens(canonical),
        "MinHash": lambda: tx.MinHashFingerprinter().fingerprint(many, on_empty="mask"),
        "SimHash": lambda: tx.SimHashFingerprinter().fingerprint(many, on_empty="mask"),
    }
    print(f"\nspeed, on these texts repeated to {megabytes:.1f} MB (best of 3, all cores, kernels already compiled)")
    for name, run in stages.items():
        run()  # compiles what is not compiled yet
        seconds = []
        for _ in range(3):
            started = time.perf_counter()
            run()
            seconds.append(time.perf_counter() - started)
        print(f"  {name:<14}{megabytes / min(seconds):>8,.0f} MB/s")


def report(folder: Path) -> None:
    contents = read_folder(folder)
    names = list(contents)
    texts = [data.decode("utf-8", errors="replace") for data in contents.values()]
    print(f"txtfp_np {tx.VERSION}, Unicode {tx.UNICODE_VERSION}: {len(names)} files in {folder}\n")

    canonical = tx.Canonicalizer().canonicalize(texts)
    words = tx.WordTokenizer().tokens(canonical)
    graphemes = tx.GraphemeTokenizer().tokens(canonical)
    shingles = tx.ShingleTokenizer(k=5).tokens(canonical)
    shingle_sets = [set(document) for document in shingles]

    columns = (words.counts, graphemes.counts, shingles.counts)
    rows = [
        [len(data), *(int(counts[i]) for counts in columns), len(shingle_sets[i])]
        for i, data in enumerate(contents.values())
    ]
    table(names, rows, ["bytes", "words", "graphemes", "5-shingles", "distinct"])

    print("\nthe first canonical words")
    width = max(map(len, names))
    for name, document in zip(names, words, strict=True):
        print(f"  {name:<{width}}  {' · '.join(document[:7]) or '(none)'}")

    if 2 <= len(names) <= MAX_PAIRED:
        i, j = closest_pair(shingle_sets)
        similarity = jaccard(shingle_sets[i], shingle_sets[j])
        if similarity > 0:
            raw = [set(document) for document in tx.ShingleTokenizer(k=5).tokens([texts[i], texts[j]])]
            print(f"\nthe closest two files: {names[i]} and {names[j]}")
            print(
                f"  5-shingles in common (Jaccard): {similarity:.2f} of canonical text, {jaccard(*raw):.2f} of raw text"
            )
            (signatures, _), (fingerprints, _) = tx.fingerprint_many(
                [texts[i], texts[j]], [tx.MinHashFingerprinter(), tx.SimHashFingerprinter()], on_empty="mask"
            )
            print(f"  estimated from their MinHash signatures: {tx.jaccard(*signatures):.2f}")
            print(f"  bits in which their SimHash fingerprints differ: {tx.hamming(*fingerprints)} of 64")

    speed(texts)
    for name, text, data in zip(names, texts, contents.values(), strict=True):
        if text.encode() != data:
            print(f"\nnote: {name} is not UTF-8; what could not be read counts as U+FFFD")


def main() -> int:
    parser = argparse.ArgumentParser(description="Summarise a folder of UTF-8 text files.")
    parser.add_argument("folder", nargs="?", type=Path, default=SAMPLE, help="folder with .txt files")
    try:
        report(parser.parse_args().folder)
    except (DemoError, tx.Error, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
