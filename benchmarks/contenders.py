"""Who is measured: our fingerprinters, and those that a Python user would take instead.

A contender says what it starts from and gives a call; the harness makes that input anew for every run. A
``str`` remembers its UTF-8 once somebody has asked for it, so lists of strings must be new ones.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

H = 128
K = 5
SEED = 1

Call = Callable[[Any], object]
# list: new Python strings; arrow: a large_string column; sets: lists of distinct tokens, made by Python beforehand
Start = Literal["list", "arrow", "sets"]


@dataclass(frozen=True)
class Contender:
    """One way to sketches of a corpus."""

    name: str
    sketch: str  # MinHash, SimHash, or something else altogether
    start: Start
    module: str  # what must be installed
    make: Callable[[int], Call]  # threads -> what is measured
    remark: str = ""
    most_bytes: int | None = None  # slow ones, and those that need much memory: a prefix of the corpus

    @property
    def ours(self) -> bool:
        return self.module == "txtfp_np"

    @property
    def end_to_end(self) -> bool:
        """Whether it starts from raw text."""
        return self.start != "sets"

    @property
    def installed(self) -> bool:
        return find_spec(self.module) is not None and (self.start != "arrow" or find_spec("pyarrow") is not None)

    def sample(self, texts: list[str]) -> list[str]:
        """As much of a corpus as this one gets."""
        if self.most_bytes is None:
            return texts
        totals = itertools.accumulate(len(text.encode()) for text in texts)
        return [text for text, total in zip(texts, totals, strict=True) if total <= self.most_bytes] or texts[:1]

    def inputs(self, texts: list[str]) -> Callable[[], tuple[Any, ...]]:
        """What makes the arguments of a run."""
        if self.start == "arrow":
            import pyarrow as pa

            array = pa.array(texts, pa.large_string())
            return lambda: (array,)
        if self.start == "sets":
            features = words if self.sketch == "SimHash" else shingles
            ready = [list(features(text)) for text in texts]
            return lambda: (ready,)
        encoded = [text.encode() for text in texts]
        return lambda: ([data.decode() for data in encoded],)


# ── what Python users write themselves ──────────────────────────────────────────────────────────

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def shingles(text: str) -> set[str]:
    found = words(text)
    return {" ".join(found[first : first + K]) for first in range(max(len(found) - K + 1, 1))}


# ── ours ────────────────────────────────────────────────────────────────────────────────────────


def _our_minhash(threads: int) -> Call:
    import txtfp_np as tx

    sketch = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=K), h=H)
    return lambda texts: sketch.fingerprint(texts, threads=threads, on_empty="mask")


def _our_simhash(threads: int) -> Call:
    import txtfp_np as tx

    sketch = tx.SimHashFingerprinter(weighting="tf", bits=64)
    return lambda texts: sketch.fingerprint(texts, threads=threads, on_empty="mask")


# ── theirs ──────────────────────────────────────────────────────────────────────────────────────


def _daft(threads: int) -> Call:
    import daft

    return lambda array: daft.Series.from_arrow(array).minhash(H, K, SEED)


def _daft_normalized(threads: int) -> Call:
    import daft
    from daft.functions import minhash, normalize

    def call(array: Any) -> object:
        frame = daft.from_pydict({"text": daft.Series.from_arrow(array)})
        text = normalize(daft.col("text"), remove_punct=True, lowercase=True, nfd_unicode=True, white_space=True)
        return frame.select(minhash(text, num_hashes=H, ngram_size=K, seed=SEED)).to_arrow()

    return call


def _gaoya_minhash(threads: int) -> Call:
    from gaoya.minhash import MinHashStringIndex

    def call(texts: list[str]) -> object:
        index = MinHashStringIndex(
            hash_size=64, num_bands=16, band_size=8, analyzer="word", lowercase=True, ngram_range=(K, K)
        )
        for number, text in enumerate(texts):
            index.insert_document(number, text)
        return index

    return call


def _gaoya_simhash(threads: int) -> Call:
    from gaoya.simhash import SimHashStringIndex

    def call(texts: list[str]) -> object:
        index = SimHashStringIndex(hash_size=64, analyzer="word", lowercase=True, ngram_range=(1, 1))
        for number, text in enumerate(texts):
            index.insert_document(number, text)
        return index

    return call


def _rensa(threads: int) -> Call:
    from rensa import RMinHash

    return lambda sets: RMinHash.digest_matrix_from_token_sets(sets, H, SEED)


def _fastsketch(threads: int) -> Call:
    from FastSketchLSH import FastSimilaritySketch

    sketch = FastSimilaritySketch(H, SEED)
    return lambda sets: sketch.batch(sets, num_threads=threads)


def _datasketch(threads: int) -> Call:
    from datasketch import MinHash

    return lambda sets: MinHash.bulk([[token.encode() for token in tokens] for tokens in sets], num_perm=H)


def _with_shingling(make: Callable[[int], Call]) -> Callable[[int], Call]:
    def made(threads: int) -> Call:
        call = make(threads)
        return lambda texts: call([list(shingles(text)) for text in texts])

    return made


def _simhash_words(threads: int) -> Call:
    from simhash import Simhash

    return lambda texts: [Simhash(words(text)).value for text in texts]


def _tlsh(threads: int) -> Call:
    tlsh = import_module("tlsh")
    return lambda texts: [tlsh.hash(text.encode()) for text in texts]


MB = 1_000_000
OURS = "txtfp_np"

CONTENDERS = [
    Contender(f"{OURS}, Arrow", "MinHash", "arrow", OURS, _our_minhash),
    Contender(f"{OURS}, list of str", "MinHash", "list", OURS, _our_minhash),
    Contender("daft", "MinHash", "arrow", "daft", _daft, "splits at white space, u32 slots"),
    Contender("daft, normalised", "MinHash", "arrow", "daft", _daft_normalized, "strips punctuation, NFD, lower case"),
    Contender("gaoya", "MinHash", "list", "gaoya", _gaoya_minhash, "own shingling; inserting into its index included"),
    *(
        contender
        for name, module, make in (
            ("rensa", "rensa", _rensa),
            ("FastSketchLSH", "FastSketchLSH", _fastsketch),
            ("datasketch", "datasketch", _datasketch),
        )
        for contender in (
            Contender(
                f"{name}, Python shingling", "MinHash", "list", module, _with_shingling(make), r"\w+", most_bytes=4 * MB
            ),
            Contender(
                f"{name}, ready-made sets",
                "MinHash",
                "sets",
                module,
                make,
                "lists of distinct shingles exist already",
                most_bytes=4 * MB,
            ),
        )
    ),
    Contender(f"{OURS}, Arrow", "SimHash", "arrow", OURS, _our_simhash),
    Contender(f"{OURS}, list of str", "SimHash", "list", OURS, _our_simhash),
    Contender("gaoya", "SimHash", "list", "gaoya", _gaoya_simhash, "inserting into its index included"),
    Contender("simhash, words by Python", "SimHash", "list", "simhash", _simhash_words, r"\w+, MD5", most_bytes=MB),
    Contender("py-tlsh", "TLSH", "list", "tlsh", _tlsh, "for reference: a byte hash in C, no tokens"),
]


def by_name(sketch: str, name: str) -> Contender:
    return next(contender for contender in CONTENDERS if (contender.sketch, contender.name) == (sketch, name))
