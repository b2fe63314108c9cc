"""The methods that are put side by side: what each makes of texts, and the measures that suit it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..columns import TextColumn
from ..compare import (
    Measure,
    SketchKind,
    jaccard_pairs,
    measures_for,
    set_jaccard_pairs,
    similarity_pairs,
)
from ..compare.ragged import Ragged
from ..sketch import (
    FlyHashFingerprinter,
    FuzzyFingerprinter,
    IdfTable,
    MinHashFingerprinter,
    SimHashFingerprinter,
    TlshFingerprinter,
    WinnowFingerprinter,
    fingerprint_many,
)
from ..tokenize import CharShingleTokenizer, Tokenizer, WordTokenizer

Rows = NDArray[np.int64]

_SEEDS_A_TURN = 1 << 16  # a method may take a few, one after another


class Corpus:
    """Texts of a collection from which weights are learnt, without any label, once for each tokenizer."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.texts = TextColumn(texts)
        self._tables: dict[str, IdfTable] = {}

    def idf(self, tokenizer: Tokenizer) -> IdfTable:
        """Inverse document frequencies of tokens."""
        if tokenizer.name not in self._tables:
            self._tables[tokenizer.name] = IdfTable.fit(self.texts, tokenizer)
        return self._tables[tokenizer.name]


class Made(NamedTuple):
    """What a method made of a column of texts."""

    fingerprints: Any
    n_bytes: float  # of one fingerprint, on average
    seconds: float = 0.0  # of what was at hand from another method, and would be needed without it


class Printed(NamedTuple):
    """MAP and "NDCG@20" that the H3D paper prints for a measure of a method."""

    measure: str
    mean_average_precision: float
    ndcg: float


#: Makes fingerprints of texts, in the n-th turn; a method with a seed takes another one in every turn.
Make: TypeAlias = Callable[[TextColumn, Corpus, int], Made]
Scores: TypeAlias = dict[str, Callable[[Any, Rows, Rows], Any]]


class Method(NamedTuple):
    """A way to fingerprint, what its fingerprints are, and which text of a paper it wants."""

    name: str
    text: str  # "facet", or "paper": title and abstract
    make: Make
    scores: Scores
    printed: tuple[Printed, ...] = ()
    has_seed: bool = True


def measures_of(kind: SketchKind) -> Scores:
    """All measures that make sense for a sketch."""

    def score(measure: Measure) -> Callable[[Any, Rows, Rows], Any]:
        return lambda made, i, j: similarity_pairs(made, i, j, kind=kind, measure=measure)

    return {str(measure): score(measure) for measure, reason in measures_for(kind).items() if reason is None}


def _fixed(fingerprinter: Any) -> Make:
    """A fingerprinter that learns nothing from the corpus."""
    return lambda texts, corpus, turn: _made(_in_turn(fingerprinter, turn).fingerprint(texts, on_empty="mask")[0])


def _in_turn(fingerprinter: Any, turn: int) -> Any:
    """The fingerprinter with the seed of a turn."""
    return fingerprinter.replace(seed=fingerprinter.seed + _SEEDS_A_TURN * turn) if turn else fingerprinter


def _made(fingerprints: Any) -> Made:
    if hasattr(fingerprints, "offsets"):
        return Made(fingerprints, fingerprints.values.nbytes / max(len(fingerprints.offsets) - 1, 1))
    return Made(fingerprints, fingerprints.nbytes / max(len(fingerprints), 1))


def _simhash(bits: int, tokenizer: Tokenizer) -> Make:
    """SimHash with IDF weights, of at least 128 bits; more than 256 are those of several seeds side by side."""

    def make(texts: TextColumn, corpus: Corpus, turn: int) -> Made:
        first = SimHashFingerprinter(tokenizer=tokenizer, weighting=corpus.idf(tokenizer), bits=min(bits, 256))
        first = _in_turn(first, turn)
        parts = fingerprint_many(
            texts,
            [first.replace(seed=first.seed + 2 * part) for part in range(-(-bits // 256))],
            on_empty="mask",
        )
        return _made(np.concatenate([words for words, _ in parts], axis=1))

    return make


def _flyhash(tokenizer: Tokenizer) -> Make:
    def make(texts: TextColumn, corpus: Corpus, turn: int) -> Made:
        fingerprinter = FlyHashFingerprinter(tokenizer=tokenizer, weighting=corpus.idf(tokenizer))
        return _made(_in_turn(fingerprinter, turn).fingerprint(texts, on_empty="mask")[0])

    return make


def _heaviest(size: int) -> Make:
    """The heaviest words of a text; those of every paper weigh nothing."""

    def make(texts: TextColumn, corpus: Corpus, turn: int) -> Made:
        weights = IdfTable({token: weight - 1 for token, weight in corpus.idf(WordTokenizer()).items()})
        fingerprinter = FlyHashFingerprinter(weighting=weights, bits=65_472, active=size, fan=1, form="winners")
        return _made(_in_turn(fingerprinter, turn).fingerprint(texts, on_empty="mask")[0])

    return make


def _exact(tokenizer: WordTokenizer | CharShingleTokenizer) -> Make:
    def make(texts: TextColumn, corpus: Corpus, turn: int) -> Made:
        rows = Ragged.of(tokenizer.tokens(Canonicalizer().canonicalize(texts)))
        return Made(rows, rows.values.nbytes / max(len(texts), 1))

    return make


_CHAR3, _CHAR4, _CHAR5 = (CharShingleTokenizer(k=k) for k in (3, 4, 5))
_WORDS = WordTokenizer()
_JACCARD: Scores = {"jaccard": jaccard_pairs}
_SET: Scores = {"jaccard": set_jaccard_pairs}
BITS, _LISTS = measures_of(SketchKind.BITS), measures_of(SketchKind.WINNOWING)
_FUZZY, _WINNERS, _TLSH = (measures_of(kind) for kind in (SketchKind.FUZZY, SketchKind.WINNERS, SketchKind.TLSH))
# What Table 5 has, over all facets, beside the row that comes nearest. Its texts are contaminated and its NDCG is
# another one: ``python -m benchmarks h3d`` says how. Ours are not to be equal.
_MINHASH = (Printed("jaccard", 0.2451, 0.4167),)
_SIMHASH = (Printed("manhattan", 0.1770, 0.3601),)
_WINNOWING = (
    Printed("jaccard", 0.2678, 0.4337),
    Printed("multiset_jaccard", 0.2522, 0.4344),
    Printed("levenshtein", 0.2401, 0.4095),
)
_SSDEEP = (Printed("levenshtein", 0.1497, 0.2963),)
_FLYHASH = (Printed("jaccard", 0.1325, 0.2520),)  # the order of the pool: no two documents had the same features there

METHODS = (
    Method("minhash 128, 3 characters", "facet", _fixed(MinHashFingerprinter(tokenizer=_CHAR3)), _JACCARD, _MINHASH),
    Method("minhash 128, 5 characters", "facet", _fixed(MinHashFingerprinter(tokenizer=_CHAR5)), _JACCARD),
    Method("minhash 128, words", "paper", _fixed(MinHashFingerprinter(tokenizer=_WORDS)), _JACCARD),
    Method("simhash 64, 4 characters", "facet", _fixed(SimHashFingerprinter(tokenizer=_CHAR4)), BITS),
    Method(
        "simhash 128, 4 characters", "facet", _fixed(SimHashFingerprinter(tokenizer=_CHAR4, bits=128)), BITS, _SIMHASH
    ),
    Method("simhash 128, idf, 4 characters", "paper", _simhash(128, _CHAR4), BITS),
    Method("simhash 1024, idf, 4 characters", "paper", _simhash(1024, _CHAR4), BITS),
    Method(
        "winnowing 3, window 5",
        "facet",
        _fixed(WinnowFingerprinter(tokenizer=_CHAR3, k=1, window=5)),
        _LISTS,
        _WINNOWING,
    ),
    Method("winnowing 5, window 5", "facet", _fixed(WinnowFingerprinter(tokenizer=_CHAR5, k=1, window=5)), _LISTS),
    Method("flyhash 1024, 4 characters", "facet", _fixed(FlyHashFingerprinter(tokenizer=_CHAR4)), BITS, _FLYHASH),
    Method("flyhash 1024, idf, words", "paper", _flyhash(_WORDS), BITS),
    Method("ssdeep", "facet", _fixed(FuzzyFingerprinter(Canonicalizer())), _FUZZY, _SSDEEP, has_seed=False),
    Method("tlsh", "facet", _fixed(TlshFingerprinter(packed=True)), _TLSH, has_seed=False),
    Method("flyhash 64 winners, idf - 1, words", "paper", _heaviest(64), _WINNERS),
    Method("all words (no sketch)", "paper", _exact(_WORDS), _SET, has_seed=False),
    Method("all 5 characters (no sketch)", "paper", _exact(_CHAR5), _SET, has_seed=False),
)
