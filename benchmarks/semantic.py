"""Embeddings: all pairs above a cosine, and the nearest of probes, beside NumPy, faiss and usearch.

Vectors are made up, in clusters of about five, 384 elements; so the corpora do not matter. All cores. Recall is the
share of what exact search finds. All pairs are searched from nothing; indexes that are asked are built beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import txtfp_np as tx

from .corpora import Corpus
from .index import _optional
from .timing import print_table, race

HELP = "near-duplicates and search by embeddings, beside NumPy, faiss and usearch"
SECONDS = 120.0

DIM, THRESHOLD, K = 384, 0.9, 10
PAIRS, HELD, PROBES = 10_000, 20_000, 500
_BLOCK = 1_024
_RERANKED = 16 * K  # candidates by codes, as ours takes

Vectors = NDArray[np.float32]
Found = tuple[str, Callable[[], Any], Callable[[Any], "set[tuple[int, int]]"]]


def run(corpora: list[Corpus], seconds: float) -> dict[str, Any]:
    rows = []
    held = clustered(HELD)
    probes = held[:PROBES] + np.random.default_rng(9).normal(size=(PROBES, DIM)).astype(np.float32) / 10
    for job, make, given in (
        (f"all pairs of {PAIRS:,} at {THRESHOLD}", _pairs, (held[:PAIRS],)),
        (f"{K} nearest of {HELD:,}, {PROBES:,} probes", _nearest, (held, probes)),
    ):
        contenders = make(*given)
        answers = {name: read(call()) for name, call, read in contenders}
        timings = race({name: call for name, call, _ in contenders}, seconds / 2)
        exact = answers[contenders[0][0]]
        for name, timing in timings.items():
            recall = len(answers[name] & exact) / len(exact) if exact else None
            rows.append({"job": job, "contender": name, "seconds": timing.best, "runs": timing.runs, "recall": recall})
    print_table(
        ["job", "contender", "seconds", "of the first", "recall"],
        [
            [
                r["job"],
                r["contender"],
                f"{r['seconds']:.3f}",
                f"{r['seconds'] / next(o['seconds'] for o in rows if o['job'] == r['job']):.3f}",
                "-" if r["recall"] is None else f"{r['recall']:.4f}",
            ]
            for r in rows
        ],
        left=2,
    )
    return {"rows": rows}


def clustered(n: int, seed: int = 0) -> Vectors:
    """Vectors in clusters of about five, some tight, some loose."""
    rng = np.random.default_rng(seed)
    middles = rng.normal(size=(n // 5, DIM))
    spread = rng.uniform(0, 0.6, (n, 1))
    return (middles[rng.integers(len(middles), size=n)] + rng.normal(size=(n, DIM)) * spread).astype(np.float32)


def units(vectors: Vectors) -> Vectors:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


# ── all pairs ───────────────────────────────────────────────────────────────────────────────────
def _pairs(vectors: Vectors) -> list[Found]:
    def ours(search: str) -> Found:
        def call() -> Any:
            return tx.dedup(method="embedding", embeddings=vectors, threshold=THRESHOLD, search=search)

        return f"txtfp_np {search}", call, lambda result: set(zip(result.pairs["i"], result.pairs["j"], strict=True))

    def numpy() -> Any:
        own = units(vectors)
        parts = []
        for first in range(0, len(own), _BLOCK):
            i, j = np.nonzero(own[first : first + _BLOCK] @ own[first:].T >= THRESHOLD)
            parts.append(np.stack([i + first, j + first]))
        return np.concatenate(parts, axis=1)

    found: list[Found] = [ours("exact"), ours("codes"), ("NumPy, tiles", numpy, _upper)]
    if _optional("usearch") is not None:
        found.append(ours("usearch"))
    faiss = _optional("faiss")
    if faiss is not None:

        def flat() -> Any:
            own = units(vectors)
            index = faiss.IndexFlatIP(DIM)
            index.add(own)
            bounds, _, rows = index.range_search(own, THRESHOLD)
            return np.stack([np.repeat(np.arange(len(own)), np.diff(bounds.astype(np.int64))), rows])

        found.append(("faiss IndexFlatIP", flat, _upper))
    return found


def _upper(pairs: NDArray[np.int64]) -> set[tuple[int, int]]:
    return {(i, j) for i, j in zip(*pairs.tolist(), strict=True) if i < j}


# ── the nearest ─────────────────────────────────────────────────────────────────────────────────
def _searches() -> list[str]:
    return ["exact", "codes", *(["usearch"] if _optional("usearch") is not None else [])]


def _nearest(held: Vectors, probes: Vectors) -> list[Found]:
    def ours(search: str) -> Found:
        index = tx.EmbeddingIndex(held, search=search)
        index.query(probes[:1])  # builds the graph of usearch
        return f"txtfp_np {search}", lambda: index.query(probes, k=K)[1].reshape(-1, K), _ranked

    own, asked = units(held), units(probes)

    def numpy() -> Any:
        parts = []
        for first in range(0, len(asked), 128):
            products = asked[first : first + 128] @ own.T
            parts.append(np.argpartition(products, -K, axis=1)[:, -K:])
        return np.concatenate(parts)

    found: list[Found] = [ours(search) for search in _searches()]
    found.append(("NumPy, argpartition", numpy, _ranked))
    usearch = _optional("usearch.index")
    if usearch is not None:
        graph = usearch.Index(ndim=DIM, metric="cos", dtype="f32")
        graph.add(np.arange(len(own), dtype=np.uint64), own)
        found.append(("usearch", lambda: graph.search(asked, K).keys, _ranked))
    faiss = _optional("faiss")
    if faiss is not None:
        flat = faiss.IndexFlatIP(DIM)
        flat.add(own)
        found.append(("faiss IndexFlatIP", lambda: flat.search(asked, K)[1], _ranked))
        hasher = tx.HyperplaneHash(256)
        binary = faiss.IndexBinaryFlat(256)
        binary.add(hasher.fingerprint(held))

        def reranked() -> Any:
            near = binary.search(hasher.fingerprint(probes), _RERANKED)[1]
            shares = np.einsum("pd,pcd->pc", asked, own[near])
            return np.take_along_axis(near, np.argsort(-shares, axis=1)[:, :K], axis=1)

        found.append(("faiss IndexBinaryFlat, the same codes, reranked", reranked, _ranked))
    return found


def _ranked(rows: NDArray[Any]) -> set[tuple[int, int]]:
    return {(probe, int(row)) for probe, near in enumerate(rows.tolist()) for row in near}
