"""TLSH, ssdeep, FlyHash, winnowing, and what compares sketches, texts and vectors. One core, beside the peers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np

import txtfp_np as tx

from .corpora import Corpus
from .timing import pin, print_table, race, unpin

SECONDS = 90.0
OURS = "txtfp_np"
SAMPLE_BYTES = 100_000  # for what is written in Python
SAMPLE_PAIRS = 2_000
N_PAIRS = 200_000
N_ALL = 1_000
DIMENSIONS = (16, 384)
LENGTHS = (20, 100, 1000)  # of texts whose edit distance is measured

# What is owed on one core: MB/s, and millions of distances a second.
FLOORS = {"TLSH": 250.0, "tlsh_distance, row by row, text": 50.0, "tlsh_distance, row by row, packed": 50.0}

NOTES = """\
Sketches are made of a list of new strings; canonicalising, where the default does, is part of our time and not done by
peers, which get the same strings and encode them. Peers that take one pair at a time are called in a list
comprehension, which is how Python users call them. ppdeep is Python, so it gets a sample. Vectors are float64; NumPy's
cosine is one product of matrices (BLAS), scipy's distances are its cdist. The best of repeated turns counts."""


@dataclass
class Job:
    """What is measured, how much of it there is for each contender, and the calls."""

    name: str
    unit: str
    calls: dict[str, tuple[float, Callable[[], object]]] = field(default_factory=dict)

    def add(self, name: str, amount: float, call: Callable[[], object]) -> None:
        self.calls[name] = (amount, call)

    def speeds(self, seconds: float) -> dict[str, float]:
        """Millions of bytes, or of pairs, a second."""
        timings = race({name: call for name, (_, call) in self.calls.items()}, seconds, before_turn=pin)
        unpin()
        return {name: self.calls[name][0] / timing.best / 1e6 for name, timing in timings.items()}


def run(corpora: Sequence[Corpus], seconds: float) -> dict[str, Any]:
    """Figures of all jobs."""
    todo = [(corpus.name, job) for corpus in corpora for job in hashing(corpus.texts)]
    todo += [("", job) for job in (*comparing(corpora[0].texts), *edits(corpora[0].texts), *vectors())]
    for _, job in todo:
        job.calls[OURS][1]()  # compiled, or loaded
    rows = []
    for corpus, job in todo:
        print(f"\r{corpus} {job.name} ...".ljust(60), end="", file=sys.stderr, flush=True)
        speeds = job.speeds(seconds / len(todo))
        floor = FLOORS.get(job.name)
        rows.append({"job": job.name, "corpus": corpus, "unit": job.unit, "speeds": speeds, "owed": floor})
    print("\r".ljust(60), end="\r", file=sys.stderr, flush=True)
    _show(rows)
    return {"rows": rows, "notes": NOTES}


# ── the jobs ────────────────────────────────────────────────────────────────────────────────────
def hashing(texts: list[str]) -> list[Job]:
    """Making sketches, MB/s of UTF-8."""
    encoded = [text.encode() for text in texts]
    n_bytes = sum(map(len, encoded))
    few = _sample(texts, SAMPLE_BYTES)
    few_bytes = sum(len(text.encode()) for text in few)
    points = tx.CharShingleTokenizer(k=1)
    jobs = []
    for name, fp in (
        ("TLSH", tx.TlshFingerprinter(packed=True)),
        ("ssdeep", tx.FuzzyFingerprinter()),
        ("FlyHash, 1,024 bits, words", tx.FlyHashFingerprinter()),
        ("FlyHash, 64 winners, words", tx.FlyHashFingerprinter(bits=65_472, active=64, fan=1, form="winners")),
        ("winnowing, words, k=5, window=4", tx.WinnowFingerprinter()),
        (
            "winnowing, code points, k=16",
            tx.WinnowFingerprinter(tokenizer=points, k=16, window=16),
        ),
    ):
        job = Job(name, "MB/s")
        job.add(OURS, n_bytes, lambda fp=fp: fp.fingerprint(_new(encoded), on_empty="mask", threads=1))
        jobs.append(job)
    tlsh, ppdeep, pydeep = _module("tlsh"), _module("ppdeep"), _module("pydeep")
    if tlsh is not None:
        jobs[0].add("py-tlsh", n_bytes, lambda: [tlsh.hash(text.encode()) for text in _new(encoded)])
    if pydeep is not None:
        jobs[1].add("pydeep", n_bytes, lambda: [pydeep.hash_buf(text.encode()) for text in _new(encoded)])
    if ppdeep is not None:
        jobs[1].add("ppdeep", few_bytes, lambda: [ppdeep.hash(text) for text in few])
    return jobs


def comparing(texts: list[str]) -> list[Job]:
    """Comparing sketches, millions of pairs a second."""
    tlsh_jobs = _comparing_tlsh(texts)
    strings = tx.FuzzyFingerprinter().fingerprint(texts[:N_ALL], on_empty="mask")[0]
    strings = strings[strings != b""]
    ssdeep = Job("ssdeep_compare, all pairs", "M/s")
    ssdeep.add(OURS, len(strings) ** 2, lambda: tx.ssdeep_compare(strings[:, None], strings, threads=1))
    rng = np.random.default_rng(1)
    chosen = [tuple(string.decode() for string in strings[pair]) for pair in rng.integers(0, len(strings), (200, 2))]
    for name, function in (("pydeep", "compare"), ("ppdeep", "compare")):
        compare = getattr(_module(name), function, None)
        if compare is not None:
            ssdeep.add(name, len(chosen), lambda compare=compare: [compare(a, b) for a, b in chosen])
    bits = tx.FlyHashFingerprinter().fingerprint(texts[:N_ALL], on_empty="mask")[0]
    fly = Job("flyhash_overlap, all pairs, 1,024 bits", "M/s")
    fly.add(OURS, len(bits) ** 2, lambda: tx.flyhash_overlap(bits[:, None], bits, threads=1))
    fly.add("NumPy", 100 * len(bits), lambda: np.bitwise_count(bits[:100, None] & bits).sum(axis=-1))
    return [*tlsh_jobs, ssdeep, fly]


def _comparing_tlsh(texts: list[str]) -> list[Job]:
    packed, ok = tx.TlshFingerprinter(packed=True).fingerprint(texts, on_empty="mask")
    text, _ = tx.TlshFingerprinter().fingerprint(texts, on_empty="mask")
    packed, text = packed[ok], text[ok]
    every = packed[:N_ALL]
    rng = np.random.default_rng(2)
    i, j = rng.integers(0, len(packed), (2, N_PAIRS))
    all_pairs = Job("tlsh_distance, all pairs, packed", "M/s")
    all_pairs.add(OURS, len(every) ** 2, lambda: tx.tlsh_distance(every[:, None], every, threads=1))
    jobs = [all_pairs]
    for form, digests in (("packed", packed), ("text", text)):
        job = Job(f"tlsh_distance, row by row, {form}", "M/s")
        a, b = digests[i], digests[j]
        job.add(OURS, N_PAIRS, lambda a=a, b=b: tx.tlsh_distance(a, b, threads=1))
        jobs.append(job)
    tlsh = _module("tlsh")
    if tlsh is not None:
        one, other = text[i[:SAMPLE_PAIRS]].astype("U").tolist(), text[j[:SAMPLE_PAIRS]].astype("U").tolist()
        for job in (all_pairs, jobs[2]):
            job.add("py-tlsh", SAMPLE_PAIRS, lambda: [tlsh.diff(a, b) for a, b in zip(one, other, strict=True)])
    return jobs


def edits(texts: list[str]) -> list[Job]:
    """Edit distance of strings, and of strings that were taken apart before."""
    joined = " ".join(texts)
    rapidfuzz = _module("rapidfuzz")
    jobs = []
    for length in LENGTHS:
        n = min(len(joined) // (2 * length), N_PAIRS // length)
        pieces = [joined[length * at : length * (at + 1)] for at in range(2 * n)]
        one, other = pieces[:n], pieces[n:]
        for name, a, b in (("list", one, other), ("Ragged", tx.Ragged.of(one), tx.Ragged.of(other))):
            job = Job(f"levenshtein, {length} characters, {name}", "M/s")
            job.add(OURS, n, lambda a=a, b=b: tx.levenshtein(a, b, threads=1))
            if rapidfuzz is not None:
                job.add("rapidfuzz cpdist", n, lambda a=one, b=other: _all_at_once(rapidfuzz, a, b))
                job.add("rapidfuzz", n, lambda a=one, b=other: _one_by_one(rapidfuzz, a, b))
            jobs.append(job)
    return jobs


def _all_at_once(rapidfuzz: Any, a: list[str], b: list[str]) -> object:
    return rapidfuzz.process.cpdist(a, b, scorer=rapidfuzz.distance.Levenshtein.distance, workers=1, dtype=np.uint32)


def _one_by_one(rapidfuzz: Any, a: list[str], b: list[str]) -> object:
    distance = rapidfuzz.distance.Levenshtein.distance
    return [distance(x, y) for x, y in zip(a, b, strict=True)]


def vectors() -> list[Job]:
    """Measures of vectors, millions of pairs a second."""
    rng = np.random.default_rng(3)
    scipy = _module("scipy.spatial.distance")
    jobs = []
    for dim in DIMENSIONS:
        a, b = rng.normal(size=(2, N_ALL, dim))
        variances = rng.uniform(1, 2, dim)
        for name, function, options, metric in (
            ("cosine", tx.cosine, {}, {"metric": "cosine"}),
            ("manhattan", tx.manhattan, {}, {"metric": "cityblock"}),
            ("mahalanobis", tx.mahalanobis, {"covariance": variances}, {"metric": "seuclidean", "V": variances}),
        ):
            job = Job(f"{name}, all pairs, {dim} dimensions", "M/s")
            job.add(OURS, N_ALL**2, lambda f=function, a=a, b=b, o=options: f(a[:, None], b, threads=1, **o))
            if scipy is not None:
                job.add("scipy", N_ALL**2, lambda a=a, b=b, m=metric: scipy.cdist(a, b, **m))
            if name == "cosine":
                job.add("NumPy", N_ALL**2, lambda a=a, b=b: _directions(a) @ _directions(b).T)
            jobs.append(job)
    return jobs


def _directions(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def _new(encoded: list[bytes]) -> list[str]:
    """A ``str`` remembers its UTF-8 once somebody has asked for it."""
    return [data.decode() for data in encoded]


def _sample(texts: list[str], most_bytes: int) -> list[str]:
    totals = np.cumsum([len(text.encode()) for text in texts])
    return texts[: max(1, int(np.searchsorted(totals, most_bytes)))]


def _module(name: str) -> Any:
    try:
        return import_module(name)
    except ImportError:
        return None


# ── output ──────────────────────────────────────────────────────────────────────────────────────
def _show(rows: list[dict[str, Any]]) -> None:
    table = []
    for row in rows:
        ours, owed = row["speeds"][OURS], row["owed"]
        peers = [
            f"{name} {_rounded(speed)} ({_rounded(ours / speed)}x)"
            for name, speed in row["speeds"].items()
            if name != OURS
        ]
        name = f"{row['job']} ({row['corpus']})" if row["corpus"] else row["job"]
        table.append([name, row["unit"], _rounded(ours), "-" if owed is None else f"{owed:g}", ", ".join(peers) or "-"])
    print_table(["one core", "unit", OURS, "owed", "peers (how many times as fast we are)"], table, left=2)
    print(NOTES)


def _rounded(value: float) -> str:
    """Three digits."""
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
