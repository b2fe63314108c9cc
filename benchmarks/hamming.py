"""Exact Hamming search: all pairs within 3 bits, neighbours of probes, the plain scan. One core."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from txtfp_np.index import HammingIndex, hamming_scan

from .timing import print_table, race

HELP = "pairs and neighbours of 64-bit fingerprints within 3 bits, one core, beside simhash-pybind and faiss"
SECONDS = 60.0
K = 3
SIZES = (1_000_000, 10_000_000)
N_PROBES = 100_000
OURS = "txtfp_np"

# What is owed on one core: seconds for all pairs by size, queries a second against a million.
MOST_SECONDS = {1_000_000: 0.5, 10_000_000: 6.0}
LEAST_QUERIES = 500_000

# Measured elsewhere: seomoz/simhash-cpp, -O3, one quiet core of a Zen 5, 6 blocks.
SEOMOZ_SECONDS = {1_000_000: 2.55, 10_000_000: 36.9}

NOTES = """\
Random fingerprints, of which 1 % are within 3 bits of others. "all pairs" begins with the bare array; tables for
queries are built before ("build"), and one probe in two has a neighbour. simhash-pybind is seomoz' C++, 5 blocks;
faiss is its IndexBinaryMultiHash of 4 x 16 bits, which misses nothing within 3 bits either."""


def planted(n: int, seed: int = 1) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """Random fingerprints; every hundredth is another one with up to three bits changed."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 1 << 64, n, np.uint64, endpoint=False)
    targets = rng.choice(n, n // 100, replace=False)
    near = values[rng.integers(0, n, n // 100)]
    for _ in range(K):
        near ^= np.uint64(1) << rng.integers(0, 64, n // 100).astype(np.uint64)
    values[targets] = near
    return values


def run(loaded: Sequence[object], seconds: float) -> dict[str, Any]:
    """Figures of all races; texts are not needed."""
    results: dict[str, Any] = {"notes": NOTES}
    rows = []
    for n in SIZES:
        values = planted(n)
        contenders: dict[str, Callable[..., object]] = {
            OURS: lambda values=values: HammingIndex(values, K).find_all(threads=1)
        }
        peer = _module("simhash")
        if peer is not None and n == SIZES[0] and hasattr(peer, "find_all"):
            contenders["simhash-pybind"] = lambda values=values, peer=peer: peer.find_all(values.tolist(), 5, K)
        timings = race(contenders, seconds / 4)
        best = {name: timing.best for name, timing in timings.items()}
        results[f"pairs {n}"] = best
        peer_time = best.get("simhash-pybind")
        rows.append(
            [
                f"{n:,}",
                f"{best[OURS]:.3f}",
                "-" if peer_time is None else f"{peer_time:.2f}",
                f"{SEOMOZ_SECONDS[n]:.2f}",
                f"{MOST_SECONDS[n]:.1f}",
                "yes" if best[OURS] <= MOST_SECONDS[n] else "NO",
            ]
        )
    _table("all pairs, s", ["n", OURS, "simhash-pybind", "seomoz C++ (elsewhere)", "owed", "met"], rows)

    rows = []
    for n in SIZES:
        values = planted(n)
        rng = np.random.default_rng(2)
        probes = rng.integers(0, 1 << 64, N_PROBES, np.uint64, endpoint=False)
        probes[::2] = values[rng.integers(0, n, len(probes[::2]))] ^ np.uint64(0b101)
        index = HammingIndex(values, K)
        begin = time.perf_counter()
        index.query(probes[:1], threads=1)
        build = time.perf_counter() - begin
        contenders = {OURS: lambda index=index, probes=probes: index.query(probes, threads=1)}
        faiss = _module("faiss")
        if faiss is not None and n == SIZES[0]:
            faiss.omp_set_num_threads(1)
            tables = faiss.IndexBinaryMultiHash(64, 4, 16)
            tables.add(values.view(np.uint8).reshape(-1, 8))
            few = probes[: N_PROBES // 10].view(np.uint8).reshape(-1, 8)
            contenders["faiss"] = lambda tables=tables, few=few: tables.range_search(few, K + 1)
        timings = race(contenders, seconds / 4)
        rates = {OURS: N_PROBES / timings[OURS].best}
        if "faiss" in timings:
            rates["faiss"] = N_PROBES / 10 / timings["faiss"].best
        scanned = race({OURS: lambda v=values, p=probes: hamming_scan(v, p[:64], K, threads=1)}, seconds / 20)
        scan = 64 * n / scanned[OURS].best / 1e9
        results[f"queries {n}"] = {"build": build, "rates": rates, "scan": scan}
        rows.append(
            [
                f"{n:,}",
                f"{build:.2f}",
                f"{rates[OURS]:,.0f}",
                f"{rates['faiss']:,.0f}" if "faiss" in rates else "-",
                f"{LEAST_QUERIES:,}" if n == SIZES[0] else "-",
                f"{scan:.1f}",
            ]
        )
    _table("queries a second", ["n", "build, s", OURS, "faiss", "owed", "scan, 10^9/s"], rows)
    print(NOTES)
    return results


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


def _table(title: str, header: list[str], rows: list[list[str]]) -> None:
    print(f"\n{title}")
    print_table(header, rows)
