"""Table 5 of the H3D paper (unsupervised text hashing, CSFCube) with everything it really did.

The printed figures come from a protocol with mistakes. This file has all of them, and nothing else in the project has
any; the honest protocol is ``txtfp evaluate h3d``. ``--protocol clean`` judges the paper's own fingerprints honestly:
what its methods are worth, and what ours have to reach: each facet has its own texts, sums do not overflow, distances
rank as distances do, and a cosine is one. What to know to get the printed figures:

- **Texts**: sentences of the wanted facet (objective counts as background) without the title, joined with the empty
  string; a facet of at most one character is replaced by the whole abstract.
- **One cache for all facets** (background, method, result, in this order): a paper keeps the text that it had when it
  was first seen, so that method and result are judged with texts of other facets.
- **"NDCG@20"** is cut at 20 % of the pool, and ranks 1 and 2 are not discounted: ``gain_1 + sum gain_i / log2(i)``.
- **Ties keep the order of the pool**, which is not random: it alone scores .1325 MAP and .2520 NDCG.
- **MinHash** is datasketch 1.5.9; its "cosine" is that of the raw slots. Its Manhattan distances overflow 32 bits; the
  row "without overflow" is not in the table, and says what this costs.
- **SimHash** is that of the package simhash with 128 bits; its "cosine" is that of the character codes of "0" and "1".
- **Winnowing** gives lists; vectors are padded with zeros.
- **FuzzyHash** compares whole strings, block size included; "cosine" is the Jaccard similarity of sets of characters.
- **Mahalanobis** is ``exp(-d**2 / 2)``, which is 0 unless two fingerprints are equal.

Left out: FlyHash, whose random projections start from a vocabulary made for each document alone. Its Jaccard row is
the order of the pool, which is printed here as such.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import txtfp_np as tx

from .timing import print_table

HELP = "Table 5 of the H3D paper, mistakes and all"
SECONDS = 0.0

FACETS = ("background", "method", "result")
LABELS = {
    "background": {"background_label", "objective_label"},
    "method": {"method_label"},
    "result": {"result_label"},
}
# As printed: MAP and "NDCG@20" of all 50 units. What no printed figure is known of has none here.
PRINTED = {
    "MinHash jaccard": (0.2451, 0.4167),
    "MinHash manhattan": (0.1523, 0.2867),
    "SimHash manhattan": (0.1770, 0.3601),
    "Winnowing jaccard": (0.2678, 0.4337),
    "Winnowing multiset jaccard": (0.2522, 0.4344),
    "Winnowing levenshtein": (0.2401, 0.4095),
    "FuzzyHash levenshtein": (0.1497, 0.2963),
    "order of the pool": (0.1325, 0.2520),
}
# The same fingerprints without the mistakes, as measured elsewhere: MAP, "ndcg%20", and NDCG@20 discounted by
# log2(rank + 1); ties in the order of the pool.
REFERENCES = {
    "MinHash jaccard": (0.2464, 0.4142, 0.4145),
    "SimHash manhattan": (0.1822, 0.3560, 0.3593),
    "Winnowing jaccard": (0.2663, 0.4412, 0.4432),
    "Winnowing multiset jaccard": (0.2621, 0.4492, 0.4463),
    "FuzzyHash levenshtein": (0.1443, 0.2783, 0.2687),
    "order of the pool": (0.1325, 0.2520, 0.2504),
}


class Unit(NamedTuple):
    """A query under a facet."""

    query: str
    candidates: list[str]
    relevance: np.ndarray[Any, np.dtype[np.int64]]


Pools = dict[str, list[Unit]]
Scores = Callable[[np.ndarray[Any, Any], np.ndarray[Any, Any]], np.ndarray[Any, Any]]


# ── data ────────────────────────────────────────────────────────────────────────────────────────
def read_papers(folder: Path) -> dict[str, dict[str, Any]]:
    with gzip.open(folder / "csfcube.jsonl.gz", "rt", encoding="utf-8") as lines:
        return {paper["id"]: paper for paper in map(json.loads, lines)}


def read_pools(folder: Path) -> Pools:
    pools = {}
    for facet in FACETS:
        found = json.loads((folder / f"test-pid2anns-csfcube-{facet}.json").read_text(encoding="utf-8"))
        pools[facet] = [Unit(query, pool["cands"], np.array(pool["relevance_adju"])) for query, pool in found.items()]
    return pools


def cached_texts(papers: dict[str, dict[str, Any]], pools: Pools) -> dict[str, str]:
    """The text of each paper under the facet under which it was seen first."""
    texts: dict[str, str] = {}
    for facet in FACETS:
        for unit in pools[facet]:
            for name in [unit.query, *unit.candidates]:
                if name not in texts:
                    texts[name] = facet_text(papers[name], facet)
    return texts


def facet_text(paper: dict[str, Any], facet: str) -> str:
    wanted = LABELS[facet]
    pairs = zip(paper["sentences"], paper["labels"], strict=True)
    text = "".join(sentence for sentence, label in pairs if label in wanted)
    return text if len(text) > 1 else "".join(paper["sentences"])


# ── figures ─────────────────────────────────────────────────────────────────────────────────────
def average_precision(relevant: np.ndarray[Any, Any]) -> float:
    ranks = np.flatnonzero(relevant) + 1
    return float((np.arange(1, len(ranks) + 1) / ranks).mean()) if len(ranks) else 0.0


def gain_of(relevance: np.ndarray[Any, Any]) -> float:
    return float(relevance[0] + (relevance[1:] / np.log2(np.arange(2, len(relevance) + 1))).sum())


def ndcg_of_a_fifth(relevance: np.ndarray[Any, Any]) -> float:
    depth = int(0.20 * len(relevance))
    best = np.sort(relevance)[::-1]
    return gain_of(relevance[:depth]) / gain_of(best[:depth])


def judge(pools: Pools, numbers: dict[str, int], scores: Scores) -> list[float]:
    """MAP and NDCG by facet, and of all units."""
    figures: list[list[tuple[float, float]]] = []
    for facet in FACETS:
        figures.append([])
        for unit in pools[facet]:
            j = np.array([numbers[name] for name in unit.candidates])
            found = scores(np.full(len(j), numbers[unit.query]), j)
            relevance = unit.relevance[np.argsort(-found, kind="stable")]
            figures[-1].append((average_precision(relevance >= 2), ndcg_of_a_fifth(relevance)))
    figures.append([pair for facet in figures for pair in facet])
    return [float(value) for group in figures for value in np.mean(group, axis=0)]


# ── fingerprints ────────────────────────────────────────────────────────────────────────────────
def grams(text: str, n: int) -> list[str]:
    return [text[at : at + n] for at in range(max(len(text) - n + 1, 1))]


def minhashes(texts: list[str]) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """datasketch 1.5.9: 128 permutations, seed 1, 32-bit SHA-1."""
    prime, most = np.uint64((1 << 61) - 1), np.uint64((1 << 32) - 1)
    draw = np.random.RandomState(1).randint
    pairs = [(draw(1, (1 << 61) - 1, dtype=np.uint64), draw(0, (1 << 61) - 1, dtype=np.uint64)) for _ in range(128)]
    a, b = np.array(pairs, np.uint64).T
    known: dict[str, int] = {}
    rows = []
    for text in texts:
        distinct = set(grams(text, 3))
        for gram in distinct - known.keys():
            known[gram] = int.from_bytes(hashlib.sha1(gram.encode()).digest()[:4], "little")
        hashes = np.array([known[gram] for gram in distinct], np.uint64)
        rows.append((((hashes[:, None] * a + b) % prime) & most).min(axis=0))  # the product wraps, as there
    return np.array(rows)


def simhashes(texts: list[str]) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """The package simhash with f = 128: bits as 0 and 1, the highest first."""
    rows = []
    for text in texts:
        content = "".join(re.findall(r"[\w一-鿌]+", text.lower()))
        counts = Counter(grams(content, 4))
        digests = b"".join(hashlib.md5(gram.encode()).digest() for gram in counts)
        bits = np.unpackbits(np.frombuffer(digests, np.uint8).reshape(-1, 16), axis=1).astype(np.int64)
        weights = np.array(list(counts.values()))
        rows.append(weights @ bits > weights.sum() / 2)
    return np.array(rows, np.uint8)


def winnowings(texts: list[str]) -> list[list[int]]:
    """16 bits of SHA-1 of character 3-grams, windows of 5, the rightmost minimum, when its position changes."""
    known: dict[str, int] = {}
    rows = []
    for text in texts:
        hashes = []
        for gram in grams(text, 3):
            if gram not in known:
                known[gram] = int.from_bytes(hashlib.sha1(gram.encode()).digest()[-2:], "big")
            hashes.append(known[gram])
        row, last = [], -1
        for begin in range(max(len(hashes) - 4, 1)):
            window = hashes[begin : begin + 5]
            smallest = min(window)
            at = begin + len(window) - 1 - window[::-1].index(smallest)
            if at != last:
                row.append(smallest)
                last = at
        rows.append(row)
    return rows


def fuzzy_hashes(texts: list[str]) -> list[str]:
    """ssdeep's strings, which the paper has from pyssdeep."""
    return [string.decode() for string in tx.FuzzyFingerprinter().fingerprint(texts).tolist()]


# ── measures ────────────────────────────────────────────────────────────────────────────────────
def padded(lists: Iterable[Iterable[int]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    rows = [list(row) for row in lists]
    out = np.zeros((len(rows), max(map(len, rows))), np.int64)
    for row, values in zip(out, rows, strict=True):
        row[: len(values)] = values
    return out


def cosine_of(vectors: np.ndarray[Any, Any]) -> Scores:
    """As scikit-learn does it: each divided by its length, then multiplied; the noise of that decides ties."""
    values = vectors.astype(np.float64)
    values /= np.sqrt(np.einsum("ij,ij->i", values, values))[:, None]
    return lambda i, j: np.array([(values[x : x + 1] @ values[y : y + 1].T)[0, 0] for x, y in zip(i, j, strict=True)])


def manhattan_of(vectors: np.ndarray[Any, Any]) -> Scores:
    return lambda i, j: 1 / (1 + np.abs(vectors[i] - vectors[j]).sum(axis=1))


def manhattan_32_of(vectors: np.ndarray[Any, Any]) -> Scores:
    """Sums that overflow 32 bits, as NumPy 1 made them on Windows."""

    def score(i: np.ndarray[Any, Any], j: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return 1 / (1 + np.abs(vectors[i] - vectors[j]).sum(axis=1).astype(np.int32).astype(np.float64))

    return score


def equal_first(vectors: np.ndarray[Any, Any]) -> Scores:
    """``exp(-d**2 / 2)``, of which nothing was left unless two fingerprints are equal."""
    return lambda i, j: (vectors[i] == vectors[j]).all(axis=1).astype(float)


def euclidean_of(vectors: np.ndarray[Any, Any]) -> Scores:
    values = vectors.astype(np.float64)
    return lambda i, j: -np.sqrt(((values[i] - values[j]) ** 2).sum(axis=1))


def levenshtein_of(rows: object) -> Scores:
    ragged = tx.Ragged.of(rows)
    lengths = ragged.lengths
    return lambda i, j: 1 - tx.levenshtein_pairs(ragged, i, j) / np.maximum(lengths[i], lengths[j])


def jaccard_of(rows: object) -> Scores:
    ragged = tx.Ragged.of(rows)
    return lambda i, j: tx.set_jaccard_pairs(ragged, i, j)


def multiset_jaccard_of(rows: object) -> Scores:
    ragged = tx.Ragged.of(rows)
    return lambda i, j: tx.multiset_jaccard_pairs(ragged, i, j)


def rows_of_the_table(texts: list[str], mistakes: bool = True) -> Iterable[tuple[str, Scores]]:
    slots = minhashes(texts)
    numbers = slots.astype(np.int64)
    yield "MinHash jaccard", jaccard_of(slots)
    yield "MinHash multiset jaccard", multiset_jaccard_of(slots)
    yield "MinHash levenshtein", levenshtein_of(slots)
    yield "MinHash cosine", cosine_of(slots)
    if mistakes:
        yield "MinHash manhattan", manhattan_32_of(numbers)
    yield "MinHash manhattan" + ", without overflow" * mistakes, manhattan_of(numbers)
    mahalanobis_of = equal_first if mistakes else euclidean_of
    yield "MinHash mahalanobis", mahalanobis_of(numbers)
    bits = simhashes(texts)
    yield "SimHash manhattan", manhattan_of(bits.astype(np.int64))
    yield "SimHash levenshtein", levenshtein_of(bits)
    yield "SimHash multiset jaccard", multiset_jaccard_of(bits)
    yield "SimHash cosine", cosine_of(bits + ord("0"))
    yield "SimHash mahalanobis", mahalanobis_of(bits.astype(np.int64))
    lists = winnowings(texts)
    yield "Winnowing jaccard", jaccard_of(lists)
    yield "Winnowing multiset jaccard", multiset_jaccard_of(lists)
    yield "Winnowing levenshtein", levenshtein_of(lists)
    yield "Winnowing cosine", cosine_of(padded(lists))
    yield "Winnowing manhattan", manhattan_of(padded(lists))
    strings = fuzzy_hashes(texts)
    yield "FuzzyHash levenshtein", levenshtein_of(strings)
    yield "FuzzyHash jaccard", jaccard_of(strings)
    yield "FuzzyHash multiset jaccard", multiset_jaccard_of(strings)
    letters = padded(map(ord, string) for string in strings)
    yield "FuzzyHash cosine", jaccard_of(strings) if mistakes else cosine_of(letters)
    yield "FuzzyHash manhattan", manhattan_of(letters)
    yield "order of the pool", lambda i, j: np.zeros(len(j))


def run_folder(folder: Path, protocol: str = "paper") -> dict[str, Any]:
    """All rows; ``folder`` has the files of CSFCube, or a folder ``csfcube`` with them."""
    folder = folder / "csfcube" if (folder / "csfcube").is_dir() else folder
    for name in ("csfcube.jsonl.gz", *(f"test-pid2anns-csfcube-{facet}.json" for facet in FACETS)):
        if not (folder / name).is_file():
            raise SystemExit(f"there is no {name} in {folder}")
    begin = time.perf_counter()
    rows = paper_rows(folder) if protocol == "paper" else clean_rows(folder)
    print(f"\n{time.perf_counter() - begin:.1f} s")
    return {"protocol": protocol, "rows": rows}


def paper_rows(folder: Path) -> dict[str, Any]:
    """Table 5 as it was made."""
    papers, pools = read_papers(folder), read_pools(folder)
    texts = cached_texts(papers, pools)
    numbers = {name: number for number, name in enumerate(texts)}
    table, results = [], {}
    for name, scores in rows_of_the_table(list(texts.values())):
        figures = judge(pools, numbers, scores)
        printed = PRINTED.get(name)
        same = None if printed is None else as_printed(figures[-2:]) == printed
        results[name] = {"figures": figures, "printed": printed, "same": same}
        table.append([name, *map(four_digits, figures), *beside(printed, same)])
    header = [f"{facet} {what}" for facet in ("bg", "meth", "res", "all") for what in ("MAP", "NDCG")]
    print_table(["row", *header, "printed (all)", "same"], table)
    return results


def clean_rows(folder: Path) -> dict[str, Any]:
    """The same fingerprints, of the text that each facet has; figures of all units.

    Ties count twice: in the order of the pool, as in the references, and as their mean over all orders, as everywhere
    else in this project.
    """
    papers, pools = read_papers(folder), read_pools(folder)
    units = [(facet, unit) for facet in FACETS for unit in pools[facet]]
    wanted = dict.fromkeys((name, facet) for facet, unit in units for name in (unit.query, *unit.candidates))
    numbers = {key: number for number, key in enumerate(wanted)}
    table, results = [], {}
    for name, scores in rows_of_the_table([facet_text(papers[name], facet) for name, facet in wanted], mistakes=False):
        by_unit = []
        for facet, unit in units:
            j = np.array([numbers[candidate, facet] for candidate in unit.candidates])
            found = scores(np.full(len(j), numbers[unit.query, facet]), j)
            by_unit.append(honest_figures(unit.relevance, np.asarray(found, np.float64)))
        figures = [float(value) for value in np.mean(by_unit, axis=0)]
        reference = REFERENCES.get(name)
        same = None if reference is None else as_printed(figures[:3]) == reference
        results[name] = {"figures": figures, "reference": reference, "same": same}
        table.append([name, *map(four_digits, figures), *beside(reference, same)])
    header = ["MAP", "ndcg%20", "NDCG@20", "MAP, ties as means", "NDCG@20, ties as means"]
    print_table(["row", *header, "reference", "same"], table)
    return results


def honest_figures(relevance: np.ndarray[Any, Any], scores: np.ndarray[Any, Any]) -> list[float]:
    """MAP, both NDCGs with ties in the order of the pool; MAP and NDCG@20 with ties as means over all orders."""
    in_order = relevance[np.argsort(-scores, kind="stable")]
    ranks = -np.arange(len(relevance), dtype=np.float64)  # scores without ties
    return [
        average_precision(in_order >= 2),
        ndcg_of_a_fifth(in_order),
        float(tx.evaluate.ndcg(in_order, ranks, k=20)),
        float(tx.evaluate.average_precision(relevance >= 2, scores)),
        float(tx.evaluate.ndcg(relevance, scores, k=20)),
    ]


def four_digits(value: float) -> str:
    return f"{value:.4f}"


def as_printed(figures: list[float]) -> tuple[float, ...]:
    return tuple(round(value, 4) for value in figures)


def beside(expected: tuple[float, ...] | None, same: bool | None) -> list[str]:
    return ["-", ""] if expected is None else [" ".join(map(four_digits, expected)), "yes" if same else "NO"]
