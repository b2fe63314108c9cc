"""The methods that are put side by side: what each makes of texts, and the measures that suit it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

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
    tlsh_distance_pairs,
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


class Method(NamedTuple):
    """A way to fingerprint, what its fingerprints are, and which text of a paper it wants."""

    name: str
    text: str  # "facet", or "paper": title and abstract
    make: Callable[[TextColumn, Corpus], Made]
    scores: dict[str, Callable[[Any, Rows, Rows], Any]]


def _measures(kind: SketchKind) -> dict[str, Callable[[Any, Rows, Rows], Any]]:
    """All measures that make sense for a sketch."""

    def score(measure: Measure) -> Callable[[Any, Rows, Rows], Any]:
        return lambda made, i, j: similarity_pairs(made, i, j, kind=kind, measure=measure)

    return {str(measure): score(measure) for measure, reason in measures_for(kind).items() if reason is None}


def _fixed(fingerprinter: Any) -> Callable[[TextColumn, Corpus], Made]:
    """A fingerprinter that learns nothing from the corpus."""
    return lambda texts, corpus: _made(fingerprinter.fingerprint(texts, on_empty="mask")[0])


def _made(fingerprints: Any) -> Made:
    if hasattr(fingerprints, "offsets"):
        return Made(fingerprints, fingerprints.values.nbytes / max(len(fingerprints.offsets) - 1, 1))
    return Made(fingerprints, fingerprints.nbytes / max(len(fingerprints), 1))


def _wide_simhash(bits: int, tokenizer: Tokenizer) -> Callable[[TextColumn, Corpus], Made]:
    """SimHash with IDF weights; more than 256 bits are those of several seeds side by side."""

    def make(texts: TextColumn, corpus: Corpus) -> Made:
        first = SimHashFingerprinter(tokenizer=tokenizer, weighting=corpus.idf(tokenizer), bits=min(bits, 256))
        parts = fingerprint_many(
            texts,
            [first.replace(seed=first.seed + 2 * part) for part in range(max(bits // 256, 1))],
            on_empty="mask",
        )
        return _made(np.concatenate([words for words, _ in parts], axis=1))

    return make


def _flyhash(tokenizer: Tokenizer) -> Callable[[TextColumn, Corpus], Made]:
    def make(texts: TextColumn, corpus: Corpus) -> Made:
        fingerprinter = FlyHashFingerprinter(tokenizer=tokenizer, weighting=corpus.idf(tokenizer))
        return _made(fingerprinter.fingerprint(texts, on_empty="mask")[0])

    return make


def _heaviest(size: int) -> Callable[[TextColumn, Corpus], Made]:
    """The heaviest words of a text; those of every paper weigh nothing."""

    def make(texts: TextColumn, corpus: Corpus) -> Made:
        weights = IdfTable({token: weight - 1 for token, weight in corpus.idf(WordTokenizer()).items()})
        fingerprinter = FlyHashFingerprinter(weighting=weights, bits=65_472, active=size, fan=1, form="winners")
        return _made(fingerprinter.fingerprint(texts, on_empty="mask")[0])

    return make


def _tlsh(texts: TextColumn, corpus: Corpus) -> Made:
    digests, ok = TlshFingerprinter(packed=True).fingerprint(texts, on_empty="mask")
    return Made((digests, ok), digests.dtype.itemsize)


def _tlsh_scores(made: tuple[NDArray[Any], NDArray[np.bool_]], i: Rows, j: Rows) -> NDArray[np.int64]:
    """Negative distances; texts too short for a digest are farther than all others."""
    digests, ok = made
    known = ok[i] & ok[j]
    scores = np.full(len(i), np.iinfo(np.int32).min, np.int64)
    place = np.cumsum(ok) - 1  # among those that have one
    scores[known] = -tlsh_distance_pairs(digests[ok], place[i[known]], place[j[known]]).astype(np.int64)
    return scores


def _exact(tokenizer: WordTokenizer | CharShingleTokenizer) -> Callable[[TextColumn, Corpus], Made]:
    def make(texts: TextColumn, corpus: Corpus) -> Made:
        rows = Ragged.of(tokenizer.tokens(Canonicalizer().canonicalize(texts)))
        return Made(rows, rows.values.nbytes / max(len(texts), 1))

    return make


_CHAR3, _CHAR4, _CHAR5 = (CharShingleTokenizer(k=k) for k in (3, 4, 5))
_JACCARD: dict[str, Callable[[Any, Rows, Rows], Any]] = {"jaccard": jaccard_pairs}
_SET: dict[str, Callable[[Any, Rows, Rows], Any]] = {"jaccard": set_jaccard_pairs}
_BITS, _LISTS = _measures(SketchKind.BITS), _measures(SketchKind.WINNOWING)
_FUZZY = _measures(SketchKind.FUZZY)
_HAMMING = {"hamming": _BITS["hamming"]}

METHODS = (
    Method("minhash 128, 3 characters", "facet", _fixed(MinHashFingerprinter(tokenizer=_CHAR3)), _JACCARD),
    Method("minhash 128, 5 characters", "facet", _fixed(MinHashFingerprinter(tokenizer=_CHAR5)), _JACCARD),
    Method("minhash 128, words", "paper", _fixed(MinHashFingerprinter(tokenizer=WordTokenizer())), _JACCARD),
    Method("simhash 64, 4 characters", "facet", _fixed(SimHashFingerprinter(tokenizer=_CHAR4)), _BITS),
    Method("simhash 128, 4 characters", "facet", _fixed(SimHashFingerprinter(tokenizer=_CHAR4, bits=128)), _BITS),
    Method("simhash 1024, idf, 4 characters", "paper", _wide_simhash(1024, _CHAR4), _HAMMING),
    Method("winnowing 3, window 5", "facet", _fixed(WinnowFingerprinter(tokenizer=_CHAR3, k=1, window=5)), _LISTS),
    Method("winnowing 5, window 5", "facet", _fixed(WinnowFingerprinter(tokenizer=_CHAR5, k=1, window=5)), _LISTS),
    Method("flyhash 1024, 4 characters", "facet", _fixed(FlyHashFingerprinter(tokenizer=_CHAR4)), _BITS),
    Method("flyhash 1024, idf, words", "paper", _flyhash(WordTokenizer()), _BITS),
    Method("ssdeep", "facet", _fixed(FuzzyFingerprinter()), _FUZZY),
    Method("tlsh", "facet", _tlsh, {"tlsh": _tlsh_scores}),
    Method("flyhash 64 winners, idf - 1, words", "paper", _heaviest(64), _measures(SketchKind.WINNERS)),
    Method("all words (no sketch)", "paper", _exact(WordTokenizer()), _SET),
    Method("all 5 characters (no sketch)", "paper", _exact(_CHAR5), _SET),
)
