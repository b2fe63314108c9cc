"""Files of a million documents: time and memory of dedup_files beside other ways to the same end.

Everyone reads one JSONL file and writes the lines that are kept, in a process of their own. Peers are called as
their users call them, shingling in Python where they have none, with 32 bands of 4 slots; they get a part of the
documents, for they hold everything in memory and take minutes.

The documents are made of sentences of the corpora, drawn at random: seven of ten are new, one is a copy of an
earlier one, two are edits of one (a few words in a hundred changed). One new document of twenty begins with one of
fifty boilerplates. The same seed gives the same bytes.
"""

from __future__ import annotations

import json
import random
import re
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from .child import ask, resident_peak
from .corpora import Corpus
from .timing import print_table

SECONDS = 0.0  # every contender runs once
DOCUMENTS = 1_000_000
PEER_DOCUMENTS = 50_000
THRESHOLD = 0.7
H, BANDS, ROWS, K = 128, 32, 4, 5
SEED = 1

_SENTENCES = (4, 24)  # of a document
_WORDS = (8, 30)  # of a sentence that is used
_COPIES, _EDITS, _BOILERPLATE = 0.1, 0.2, 0.05
_CHANGED = (0.005, 0.08)  # share of the words of an edit
_RECENT = 100_000  # documents that copies and edits are made of


def sentences(texts: Sequence[str]) -> list[str]:
    """What texts consist of, cut where a sentence may end, or after so many words."""
    found: dict[str, None] = {}
    for text in texts:
        for part in re.split(r"(?<=[.!?;:])\s+|\n+", text):
            words = part.split()
            for first in range(0, len(words), _WORDS[1]):
                some = words[first : first + _WORDS[1]]
                if len(some) >= _WORDS[0]:
                    found[" ".join(some)] = None
    return list(found)


def documents(texts: Sequence[str], n: int = DOCUMENTS, seed: int = SEED) -> Iterator[str]:
    """The documents, one after another."""
    rng = random.Random(seed)
    pool = sentences(texts)
    words = list(dict.fromkeys(word for sentence in pool[:20_000] for word in sentence.split()))
    boilerplates = [" ".join(rng.choices(pool, k=3)) for _ in range(50)]
    recent: list[str] = []
    for number in range(n):
        kind = rng.random()
        if not recent or kind >= _COPIES + _EDITS:
            text = " ".join(rng.choices(pool, k=rng.randint(*_SENTENCES)))
            if rng.random() < _BOILERPLATE:
                text = f"{rng.choice(boilerplates)} {text}"
        elif kind < _COPIES:
            text = rng.choice(recent)
        else:
            text = _edited(rng.choice(recent), words, rng)
        if len(recent) < _RECENT:
            recent.append(text)
        else:
            recent[number % _RECENT] = text
        yield text


def _edited(text: str, words: Sequence[str], rng: random.Random) -> str:
    own = text.split(" ")
    for _ in range(max(1, round(len(own) * rng.uniform(*_CHANGED)))):
        place = rng.randrange(len(own))
        kind = rng.random()
        if kind < 0.6:
            own[place] = rng.choice(words)
        elif kind < 0.8:
            own.insert(place, rng.choice(words))
        elif len(own) > 1:
            del own[place]
    return " ".join(own)


def write_jsonl(path: Path, texts: Iterator[str]) -> int:
    """A line a document, with its number as ``id``; bytes written."""
    size = 0
    with path.open("w", encoding="utf-8", buffering=1 << 20) as file:
        for number, text in enumerate(texts):
            line = json.dumps({"id": number, "text": text}, ensure_ascii=False)
            size += len(line) + 1
            file.write(line + "\n")
    return size


# ── the race ────────────────────────────────────────────────────────────────────────────────────
def run(corpora: list[Corpus], seconds: float, n: int = DOCUMENTS) -> dict[str, Any]:
    texts = [text for corpus in corpora for text in corpus.texts]
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="million-") as folder:
        whole, part = Path(folder, "whole.jsonl"), Path(folder, "part.jsonl")
        size = write_jsonl(whole, documents(texts, n))
        with whole.open("rb") as lines, part.open("wb") as some:
            for _, line in zip(range(PEER_DOCUMENTS), lines, strict=False):
                some.write(line)
        ask("contend", contender=OURS, path=str(part))  # compiles
        turns = [(OURS, whole, {}), (f"{OURS}, memory='1GB'", whole, {"memory": "1GB"})]
        turns += [(name, part, {}) for name in CONTENDERS if _is_there(name)]
        for name, path, options in turns:
            done = ask("contend", contender=name.partition(",")[0], path=str(path), **options)
            rows.append({"contender": name, **done})
            print(f"{name}: {done}", flush=True)
    print_table(
        ["contender", "documents", "s", "documents/s", "peak MB", "kept"],
        [[r["contender"], *_cells(r)] for r in rows if "error" not in r],
    )
    return {"rows": rows, "bytes": size}


def _cells(row: dict[str, Any]) -> tuple[str, ...]:
    n, seconds = row["documents"], row["seconds"]
    return f"{n:,}", f"{seconds:.1f}", f"{n / seconds:,.0f}", f"{row['peak'] / 1e6:,.0f}", f"{row['kept']:,}"


def contend(contender: str, path: str, **options: Any) -> dict[str, Any]:
    """One contender's run, imports included; in a process of its own."""
    source = Path(path)
    begin = time.perf_counter()
    n, kept = CONTENDERS[contender](source, source.with_suffix(".out.jsonl"), **options)
    return {"seconds": time.perf_counter() - begin, "peak": resident_peak(), "documents": n, "kept": kept}


def _is_there(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True


OURS = "txtfp_np"
Outcome = tuple[int, int]


def _ours(source: Path, target: Path, **options: Any) -> Outcome:
    from txtfp_np.engine import dedup_files

    report = dedup_files(source, target, threshold=THRESHOLD, overwrite=True, **options)
    return report.documents, report.kept


def _one_by_one(source: Path, target: Path, is_new: Callable[[int, str], bool]) -> Outcome:
    """What most people write: each document is looked up, and added if there is nothing like it."""
    n = kept = 0
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        for line in lines:
            if is_new(n, json.loads(line)["text"]):
                out.write(line)
                kept += 1
            n += 1
    return n, kept


def _shingles(text: str) -> list[str]:
    words = re.findall(r"\w+", text.casefold())
    return [" ".join(words[i : i + K]) for i in range(max(1, len(words) - K + 1))]


def _rensa(source: Path, target: Path) -> Outcome:
    from rensa import RMinHash, RMinHashLSH

    index, known = RMinHashLSH(threshold=THRESHOLD, num_perm=H, num_bands=BANDS), {}

    def is_new(number: int, text: str) -> bool:
        sketch = RMinHash(num_perm=H, seed=SEED)
        sketch.update(_shingles(text))
        if any(sketch.jaccard(known[other]) >= THRESHOLD for other in index.query(sketch)):
            return False
        known[number] = sketch
        index.insert(number, sketch)
        return True

    return _one_by_one(source, target, is_new)


def _datasketch(source: Path, target: Path) -> Outcome:
    from datasketch import MinHash, MinHashLSH

    index, known = MinHashLSH(num_perm=H, params=(BANDS, ROWS)), {}

    def is_new(number: int, text: str) -> bool:
        sketch = MinHash(num_perm=H)
        sketch.update_batch([shingle.encode() for shingle in _shingles(text)])
        if any(sketch.jaccard(known[other]) >= THRESHOLD for other in index.query(sketch)):
            return False
        known[number] = sketch
        index.insert(number, sketch)
        return True

    return _one_by_one(source, target, is_new)


def _gaoya(source: Path, target: Path) -> Outcome:
    from gaoya.minhash import MinHashStringIndex

    index = MinHashStringIndex(
        hash_size=64,
        jaccard_threshold=THRESHOLD,
        num_bands=BANDS,
        band_size=ROWS,
        analyzer="word",
        lowercase=True,
        ngram_range=(K, K),
    )

    def is_new(number: int, text: str) -> bool:
        if index.query(text):  # verified by the estimate
            return False
        index.insert_document(number, text)
        return True

    return _one_by_one(source, target, is_new)


def _polars(source: Path, target: Path) -> Outcome:
    """A job by hand: MinHash by expressions, one row a shingle; whoever is like an earlier one goes."""
    import polars as pl

    table = pl.read_ndjson(source).with_row_index("row")
    words = table.select("row", pl.col("text").str.to_lowercase().str.extract_all(r"\w+").alias("word")).explode("word")
    words = words.select("row", pl.col("word").hash(SEED))
    run = pl.struct(pl.col("word").shift(-k).alias(f"{k}") for k in range(K))
    inside = pl.col("row").shift(1 - K) == pl.col("row")
    shingles = words.select("row", run.hash(SEED).alias("shingle"), inside.alias("inside")).filter("inside")
    shingles = shingles.select("row", "shingle").unique()
    slots = shingles.group_by("row").agg(
        pl.col("shingle").hash(slot).min().alias(f"{slot}") for slot in range(BANDS * ROWS)
    )
    pairs = []
    for band in range(BANDS):
        key = pl.struct(f"{band * ROWS + slot}" for slot in range(ROWS)).hash()
        bucket = slots.select("row", key.alias("key"))
        pairs.append(bucket.join(bucket, on="key").filter(pl.col("row") < pl.col("row_right")).drop("key"))
    candidates = pl.concat(pairs).unique()
    sets = shingles.group_by("row").agg("shingle")
    both = candidates.join(sets, on="row").join(sets, left_on="row_right", right_on="row")
    shared = pl.col("shingle").list.set_intersection("shingle_right").list.len()
    union = pl.col("shingle").list.set_union("shingle_right").list.len()
    alike = both.filter(shared / union >= THRESHOLD).select(pl.col("row_right").alias("row")).unique()
    kept = table.join(alike, on="row", how="anti").drop("row")
    kept.write_ndjson(target)
    return len(table), len(kept)


CONTENDERS: dict[str, Callable[..., Outcome]] = {
    OURS: _ours,
    "rensa": _rensa,
    "gaoya": _gaoya,
    "datasketch": _datasketch,
    "polars": _polars,
}
