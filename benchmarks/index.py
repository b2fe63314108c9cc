"""The banded index beside those of rensa and datasketch: filling it, and asking it for near-duplicates.

Signatures are random numbers, a tenth of them altered copies of others (nine slots of ten the same), so
that the corpora do not matter. Peers get the same slots, in objects made beforehand. One core.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from txtfp_np.index import LshIndex
from txtfp_np.schema import minhash_dtype

from .corpora import Corpus
from .timing import pin, print_table, race, unpin

HELP = "LSH insert and query, 16 bands of 8 rows, beside rensa and datasketch"
SECONDS = 120.0

H, BANDS, ROWS, THRESHOLD = 128, 16, 8, 0.7
OURS = 1_000_000
PEERS = 50_000  # objects of Python: a tenth of a million takes minutes


def run(corpora: list[Corpus], seconds: float) -> dict[str, Any]:
    sigs = signatures(OURS)
    fresh = signatures(OURS // 4, seed=1)
    rows: list[dict[str, Any]] = []
    for job, n, calls in [
        ("insert", OURS, {"txtfp_np": _insert(sigs)}),
        ("query those inserted", OURS, {"txtfp_np": _query(sigs, sigs)}),
        ("query others", len(fresh), {"txtfp_np": _query(sigs, fresh)}),
        ("insert", PEERS, _peer_inserts(sigs[:PEERS])),
        ("query those inserted", PEERS, _peer_queries(sigs[:PEERS])),
    ]:
        if not calls:
            continue
        try:
            timings = race(calls, seconds / 5, before_turn=pin)
        finally:
            unpin()
        for name, timing in timings.items():
            rows.append({"job": job, "n": n, "contender": name, "per_second": n / timing.best, "runs": timing.runs})
    print_table(
        ["job", "signatures", "contender", "million/s"],
        [[r["job"], f"{r['n']:,}", r["contender"], f"{r['per_second'] / 1e6:.3f}"] for r in rows],
        left=1,
    )
    return {"rows": rows}


def signatures(n: int, seed: int = 0) -> NDArray[np.void]:
    """Random signatures; the last tenth are copies of the first, with one slot of ten changed."""
    rng = np.random.default_rng(seed)
    words = rng.integers(0, 1 << 64, (n, 1 + H), dtype=np.uint64)
    words[:, 0] = 1
    copies = n // 10
    same = rng.random((copies, H)) < 0.9
    np.copyto(words[n - copies :, 1:], words[:copies, 1:], where=same)
    return words.view(minhash_dtype(H))[:, 0]


def _insert(sigs: NDArray[np.void]) -> Callable[[], object]:
    ids = np.arange(len(sigs), dtype=np.uint64)

    def call() -> object:
        index = LshIndex(BANDS, ROWS, H)
        index.insert(ids, sigs, threads=1)
        return index

    return call


def _query(sigs: NDArray[np.void], probes: NDArray[np.void]) -> Callable[[], object]:
    index = LshIndex(BANDS, ROWS, H)
    index.insert(np.arange(len(sigs)), sigs)
    return lambda: index.query_with_threshold(probes, THRESHOLD, threads=1)


def _peers(sigs: NDArray[np.void]) -> dict[str, tuple[Callable[[], Any], list[Any]]]:
    """Empty index and signatures of every peer that is installed."""
    found: dict[str, tuple[Callable[[], Any], list[Any]]] = {}
    datasketch = _optional("datasketch")
    if datasketch is not None:
        low = sigs["hashes"] & np.uint64(0xFFFFFFFF)  # its slots have 32 bits
        hashed = [datasketch.MinHash(num_perm=H, hashvalues=row, scheme="legacy") for row in low]
        found["datasketch"] = (lambda: datasketch.MinHashLSH(num_perm=H, params=(BANDS, ROWS)), hashed)
    rensa = _optional("rensa")
    if rensa is not None:
        # its sketches cannot be made from slots: sets of 64 random words each
        sketched = []
        for row in sigs["hashes"][:, :64]:
            sketch = rensa.RMinHash(num_perm=H, seed=42)
            sketch.update([f"{slot:x}" for slot in row.tolist()])
            sketched.append(sketch)
        found["rensa"] = (lambda: rensa.RMinHashLSH(threshold=THRESHOLD, num_perm=H, num_bands=BANDS), sketched)
    return found


def _fill(make: Callable[[], Any], sketches: list[Any]) -> Any:
    index = make()
    for id, sketch in enumerate(sketches):
        index.insert(id, sketch)
    return index


def _peer_inserts(sigs: NDArray[np.void]) -> dict[str, Callable[[], object]]:
    calls = {name: (lambda m=make, s=made: _fill(m, s)) for name, (make, made) in _peers(sigs).items()}
    return {"txtfp_np": _insert(sigs), **calls}


def _peer_queries(sigs: NDArray[np.void]) -> dict[str, Callable[[], object]]:
    calls: dict[str, Callable[[], object]] = {"txtfp_np": _query(sigs, sigs)}
    for name, (make, made) in _peers(sigs).items():
        index = _fill(make, made)
        calls[name] = lambda index=index, made=made: [
            # verified, as ours are; rensa's index does not keep sketches, so the caller does
            [id for id in index.query(sketch) if sketch.jaccard(made[id]) >= THRESHOLD]
            for sketch in made
        ]
    return calls


def _optional(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None
