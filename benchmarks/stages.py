"""What each stage of a signature costs: ns a token and ns a byte, beside what the machine could do."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import txtfp_np as tx
from txtfp_np.canonical.pipeline import canonicalize_block
from txtfp_np.columns import Scratch, iter_text_blocks
from txtfp_np.schema.identity import HashFamily
from txtfp_np.sketch.hashing import Hasher
from txtfp_np.sketch.run import SKETCH_BLOCK_BYTES
from txtfp_np.tokenize.shingle import joined_spans, window_spans

from .contenders import H, K
from .corpora import Corpus
from .timing import pin, print_table, unpin

SECONDS = 30.0

# Stage -> in which sketch it has a part.
STAGES = {
    "canonicalise": "both",
    "words": "both",
    "join": "MinHash",
    "windows": "MinHash",
    "hash shingles": "MinHash",
    "min-update": "MinHash",
    "hash words": "SimHash",
    "simhash": "SimHash",
}
# 128 slots are 16 registers of 8 lanes; one multiplication, one addition and one minimum of each a shingle.
LIMIT_MIN_UPDATE = 1.9


def run(corpora: list[Corpus], seconds: float) -> dict[str, Any]:
    copied = copy_bandwidth()
    rows = []
    for corpus in corpora:
        print(f"\r{corpus.name} ...".ljust(40), end="", file=sys.stderr, flush=True)
        rows.append(_measure(corpus, seconds / len(corpora)))
    print("\r".ljust(40), end="\r", file=sys.stderr, flush=True)
    _show(rows, copied)
    return {"rows": rows, "copy_bytes_per_second": copied, "limit_min_update_ns": LIMIT_MIN_UPDATE}


def copy_bandwidth(size: int = 256_000_000, runs: int = 5) -> float:
    """Bytes a second of ``dst[:] = src`` on arrays far larger than the caches (read once, written once)."""
    source, target = np.ones(size, np.uint8), np.ones(size, np.uint8)
    best = float("inf")
    for turn in range(runs):
        pin(turn)
        begin = time.perf_counter()
        np.copyto(target, source)
        best = min(best, time.perf_counter() - begin)
    unpin()
    return size / best


def _measure(corpus: Corpus, seconds: float) -> dict[str, Any]:
    column = tx.TextColumn(corpus.texts)
    blocks = list(iter_text_blocks(column, block_bytes=SKETCH_BLOCK_BYTES))
    sketches = {"MinHash": tx.MinHashFingerprinter(), "SimHash": tx.SimHashFingerprinter()}
    whole = dict.fromkeys(sketches, float("inf"))
    best = dict.fromkeys(STAGES, float("inf"))
    one_block(blocks[0], Scratch(), dict.fromkeys(STAGES, 0.0))
    counts = (0, 0)
    end, turn = time.perf_counter() + seconds, 0
    while time.perf_counter() < end or turn < 3:
        pin(turn)
        spent = dict.fromkeys(STAGES, 0.0)
        scratch = Scratch()
        found = [one_block(block, scratch, spent) for block in blocks]
        counts = sum(tokens for tokens, _ in found), sum(windows for _, windows in found)
        best = {stage: min(best[stage], spent[stage]) for stage in STAGES}
        for sketch, fingerprinter in sketches.items():
            begin = time.perf_counter()
            fingerprinter.fingerprint(column, threads=1, on_empty="mask")
            whole[sketch] = min(whole[sketch], time.perf_counter() - begin)
        turn += 1
    unpin()
    tokens, windows = counts
    return {
        "corpus": corpus.name,
        "bytes": corpus.nbytes,
        "tokens": tokens,
        "shingles": windows,
        "seconds": best,
        "whole_seconds": whole,
        "turns": turn,
    }


def one_block(block: tx.TextColumn, scratch: Scratch, spent: dict[str, float]) -> tuple[int, int]:
    """Every stage of a block once, the times added up; gives how many words and shingles there are."""
    from txtfp_np.kernels.minhash import minhash_rows
    from txtfp_np.kernels.simhash import simhash_rows

    hasher = Hasher(HashFamily.XXH3_64, tx.DEFAULT_SEED)
    n = len(block)
    slots = scratch.take("bench-minhash", n * (1 + H), np.uint64).reshape(n, 1 + H)
    slots.fill(np.iinfo(np.uint64).max)
    votes = scratch.take("bench-simhash", n, np.uint64)
    marks = [time.perf_counter()]

    def mark() -> None:
        marks.append(time.perf_counter())

    data, offsets = canonicalize_block(block.data, block.offsets, tx.Canonicalizer().passes, scratch)
    mark()
    words = tx.WordTokenizer()._block(data, offsets, scratch)
    mark()
    joined = joined_spans(words, scratch, "")
    mark()
    windows = window_spans(joined, K, scratch, "")
    mark()
    low, high = hasher.hash_spans(windows, scratch)
    mark()
    minhash_rows(low, high, windows.offsets, slots)
    mark()
    low, high = hasher.hash_spans(words, scratch, "-words")
    mark()
    simhash_rows(low, words.offsets, 0, votes, 1)
    mark()
    for stage, begin, end in zip(STAGES, marks[:-1], marks[1:], strict=True):
        spent[stage] += end - begin
    return len(words.starts), len(windows.starts)


def _show(rows: list[dict[str, Any]], copied: float) -> None:
    print("ns a token (ns a byte of raw text), one core, blocks as in a real call, best of the turns\n")
    table = []
    for stage, part in STAGES.items():
        cells = [
            f"{1e9 * row['seconds'][stage] / row['tokens']:.2f} ({1e9 * row['seconds'][stage] / row['bytes']:.2f})"
            for row in rows
        ]
        table.append([stage, part, *cells])
    for sketch in ("MinHash", "SimHash"):
        sums = [
            sum(row["seconds"][stage] for stage, part in STAGES.items() if part in (sketch, "both")) for row in rows
        ]
        table.append([f"sum, {sketch}", sketch, *(_cell(spent, row) for spent, row in zip(sums, rows, strict=True))])
        table.append(
            [f"the call itself, {sketch}", sketch, *(_cell(row["whole_seconds"][sketch], row) for row in rows)]
        )
    print_table(["stage", "part of", *(row["corpus"] for row in rows)], table, left=2)
    print()
    table = [
        [
            row["corpus"],
            f"{row['bytes'] / row['tokens']:.2f}",
            f"{1e9 * row['seconds']['min-update'] / row['shingles']:.2f}",
            f"{LIMIT_MIN_UPDATE}",
            *(f"{row['bytes'] / row['whole_seconds'][sketch] / 1e6:,.0f}" for sketch in ("MinHash", "SimHash")),
        ]
        for row in rows
    ]
    header = ["corpus", "bytes a token", "min-update, ns a shingle", "its limit", "MinHash MB/s", "SimHash MB/s"]
    print_table(header, table)
    print(f"\nmemory: a NumPy copy of 256 MB runs at {copied / 1e9:.1f} GB/s, {1e9 / copied:.2f} ns a byte")


def _cell(seconds: float, row: dict[str, Any]) -> str:
    return f"{1e9 * seconds / row['tokens']:.2f} ({1e9 * seconds / row['bytes']:.2f})"
