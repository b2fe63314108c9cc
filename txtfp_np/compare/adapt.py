"""Which measure suits which sketch, and the form in which each of them wants it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns.checks import read_only
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError
from ..options import check_choice
from ..schema.signatures import Words, signature_slots
from .broadcasting import compare_all, compare_pairs
from .fuzzy import ssdeep_compare, ssdeep_compare_pairs
from .overlap import flyhash_overlap, flyhash_overlap_pairs
from .ragged import Ragged
from .sets import multiset_jaccard, multiset_jaccard_pairs, set_jaccard, set_jaccard_pairs
from .signatures import Integers, _hamming_of, jaccard, jaccard_pairs
from .strings import levenshtein_similarity, levenshtein_similarity_pairs
from .tlsh import tlsh_distance, tlsh_distance_pairs
from .vectors import cosine, cosine_pairs, inverse_score, mahalanobis, mahalanobis_pairs, manhattan, manhattan_pairs


class SketchKind(StrEnum):
    """What fingerprints are, which their dtype alone does not say."""

    MINHASH = "minhash"  # minhash_dtype(h)
    BITS = "bits"  # SimHash, FlyHash, binary codes: words (u4, u8), or packed bytes (n, bytes)
    WINNOWING = "winnowing"  # values and offsets
    WINNERS = "winners"  # numbers of FlyHash's winners (n, active)
    FUZZY = "fuzzy"  # strings of ssdeep
    TLSH = "tlsh"  # digests, as text or packed
    EMBEDDING = "embedding"  # real numbers (n, d)


class Form(StrEnum):
    """What measures compare."""

    STRING = "string"
    SET = "set"
    MULTISET = "multiset"
    VECTOR = "vector"


class Measure(StrEnum):
    """How alike two fingerprints are."""

    JACCARD = "jaccard"
    MULTISET_JACCARD = "multiset_jaccard"
    LEVENSHTEIN = "levenshtein"
    HAMMING = "hamming"
    COSINE = "cosine"
    MANHATTAN = "manhattan"
    MAHALANOBIS = "mahalanobis"
    SSDEEP = "ssdeep"  # the score of ssdeep itself, over 100
    TLSH = "tlsh"  # the distance of TLSH itself
    OVERLAP = "overlap"  # the ranked overlap of FlyHash's winners


#: The measure to take for a sketch if nothing speaks for another; after Table 4 of the H3D paper.
DEFAULT_MEASURES: Mapping[SketchKind, Measure] = MappingProxyType(
    {
        SketchKind.MINHASH: Measure.JACCARD,
        SketchKind.BITS: Measure.HAMMING,
        SketchKind.WINNOWING: Measure.JACCARD,
        SketchKind.WINNERS: Measure.OVERLAP,
        SketchKind.FUZZY: Measure.LEVENSHTEIN,
        SketchKind.TLSH: Measure.TLSH,
        SketchKind.EMBEDDING: Measure.COSINE,
    }
)

_FORM_OF = {
    Measure.JACCARD: Form.SET,
    Measure.MULTISET_JACCARD: Form.MULTISET,
    Measure.LEVENSHTEIN: Form.STRING,
    Measure.HAMMING: Form.VECTOR,
    Measure.COSINE: Form.VECTOR,
    Measure.MANHATTAN: Form.VECTOR,
    Measure.MAHALANOBIS: Form.VECTOR,
}

# Measures that are part of a sketch.
_OWNERS = {Measure.SSDEEP: SketchKind.FUZZY, Measure.TLSH: SketchKind.TLSH, Measure.OVERLAP: SketchKind.WINNERS}

_SLOTS = "the slots of a MinHash are smallest hashes: "
_NO_WINNER = 65535  # as FlyHash marks the places that no unit has won
_CHARACTERS = "a character of an ssdeep string is 6 bits of a hash: "
_WINNERS = "the winners of a FlyHash are numbers of units, the most excited first: "
_BITS = "each bit of a code is an answer to a question of its own: "
#: Why a sketch is not turned into a form.
_REFUSED = {
    (SketchKind.MINHASH, Form.STRING): _SLOTS + "a slot says nothing about its neighbours, nothing can shift",
    (SketchKind.MINHASH, Form.MULTISET): _SLOTS + "that two slots hold the same one tells nothing about the text",
    (SketchKind.MINHASH, Form.VECTOR): _SLOTS + "whether two are near as numbers is chance",
    (SketchKind.BITS, Form.STRING): _BITS + "a shift compares answers to different questions",
    (SketchKind.BITS, Form.MULTISET): _BITS + "counting them only compares how many are set",
    (SketchKind.WINNOWING, Form.VECTOR): "the k-th values of two documents are hashes from different places: "
    "whether they are near as numbers is chance",
    (SketchKind.WINNERS, Form.STRING): _WINNERS + "what stands beside what tells nothing about the text",
    (SketchKind.WINNERS, Form.MULTISET): _WINNERS + "each is there once, so that this is the set",
    (SketchKind.WINNERS, Form.VECTOR): _WINNERS + "whether two are near as numbers is chance",
    (SketchKind.FUZZY, Form.SET): _CHARACTERS + "every longer string has them all",
    (SketchKind.FUZZY, Form.MULTISET): _CHARACTERS + "how often it occurs is chance",
    (SketchKind.FUZZY, Form.VECTOR): _CHARACTERS + "whether two are near is chance",
    **{
        (SketchKind.TLSH, form): "a TLSH digest is a header and 128 counts of two bits, which only its own distance "
        "weighs as they are meant"
        for form in Form
    },
    (SketchKind.EMBEDDING, Form.STRING): "the dimensions of an embedding have no order",
    (SketchKind.EMBEDDING, Form.SET): "real numbers are hardly ever equal",
    (SketchKind.EMBEDDING, Form.MULTISET): "real numbers are hardly ever equal",
}


def measures_for(kind: SketchKind | str) -> dict[Measure, str | None]:
    """Every measure, with the reason why it makes no sense for a sketch, or None if it does.

    Parameters
    ----------
    kind : {"minhash", "bits", "winnowing", "winners", "fuzzy", "tlsh", "embedding"}

    Returns
    -------
    dict

    Examples
    --------
    >>> [str(measure) for measure, reason in measures_for("winnowing").items() if reason is None]
    ['jaccard', 'multiset_jaccard', 'levenshtein']
    >>> measures_for("embedding")[Measure.JACCARD]
    'real numbers are hardly ever equal'
    """
    chosen = check_choice("kind", kind, SketchKind)
    reasons = {measure: _REFUSED.get((chosen, form)) for measure, form in _FORM_OF.items()}
    if chosen is SketchKind.EMBEDDING:
        reasons[Measure.HAMMING] = _REFUSED[chosen, Form.SET]
    for measure, own in _OWNERS.items():
        reasons[measure] = None if chosen is own else f"it is defined for '{own}' only"
    return reasons


def adapt(fingerprints: Any, *, kind: SketchKind | str, form: Form | str, bits: int | None = None) -> Any:
    """Fingerprints as strings, sets, multisets or vectors.

    Parameters
    ----------
    fingerprints : array, Ragged or column
        As the fingerprinter gives them.
    kind : {"minhash", "bits", "winnowing", "winners", "fuzzy", "tlsh", "embedding"}
        What they are. "bits": ``uint32`` or ``uint64`` along one axis, ``uint64 (n, words)``, or packed ``uint8
        (n, bytes)``; a lowest bit comes first.
    form : {"string", "set", "multiset", "vector"}
        What to make of them.
    bits : int, optional
        Only the first so many bits of a code count, if the last byte is not full.

    Returns
    -------
    Ragged, or float64 (n, d) for vectors
        The set of a code is that of the positions of its ones, its vector holds 0 and 1. The set of a MinHash is
        that of its slots, each with its position.

    Raises
    ------
    ConfigError
        If the form makes no sense for the sketch; the text says why.
    InvalidInputError
        If the fingerprints are not of that kind.

    Examples
    --------
    >>> adapt(np.array([0b1011, 0], np.uint8)[:, None], kind="bits", form="set").tolist()
    [[0, 1, 3], []]
    >>> adapt(np.array([0b01], np.uint8)[:, None], kind="bits", form="vector", bits=3)
    array([[1., 0., 0.]])
    >>> adapt(["3:abc:de"], kind="fuzzy", form="vector")
    Traceback (most recent call last):
    txtfp_np.errors.ConfigError: config error: no vector is made of 'fuzzy': a character of an ssdeep string is \
6 bits of a hash: whether two are near is chance
    """
    chosen, wanted = check_choice("kind", kind, SketchKind), check_choice("form", form, Form)
    reason = _REFUSED.get((chosen, wanted))
    if reason is not None:
        raise ConfigError(f"no {wanted} is made of '{chosen}': {reason}", argument="form")
    if chosen is SketchKind.MINHASH:
        return Ragged.of(np.asarray(_slots(fingerprints)["hashes"]))._with_positions()
    if chosen is SketchKind.BITS:
        unpacked = _unpacked(fingerprints, bits)
        return _ones(unpacked) if wanted is Form.SET else unpacked.astype(np.float64)
    if chosen is SketchKind.EMBEDDING:
        return np.asarray(fingerprints, np.float64)
    if chosen is SketchKind.WINNERS:
        return _without_vacancies(fingerprints)
    return Ragged.of(fingerprints)


def similarity(
    a: Any,
    b: Any,
    *,
    kind: SketchKind | str,
    measure: Measure | str | None = None,
    covariance: ArrayLike | None = None,
    threads: int | None = None,
) -> Any:
    """How alike fingerprints are: larger is more alike, whatever the measure.

    Parameters
    ----------
    a, b : fingerprints
        Columns of one length, or one fingerprint (a column of length 1) and a column.
    kind : {"minhash", "bits", "winnowing", "winners", "fuzzy", "tlsh", "embedding"}
        What they are, see :func:`adapt`.
    measure : Measure or str, optional
        "jaccard", "multiset_jaccard", "levenshtein", "hamming", "cosine", "manhattan", "mahalanobis", "ssdeep", "tlsh",
        "overlap". None: that of ``DEFAULT_MEASURES``. Distances ``d`` become ``1 / (1 + d)``; Levenshtein ``1 - d /
        length of the longer one``; Hamming ``1 - d / bits``.
    covariance : real numbers (d,) or (d, d), optional
        For "mahalanobis", see :func:`mahalanobis`.
    threads : int, optional
        None: every core this process may use. Never changes the result.

    Returns
    -------
    float32 array

    Raises
    ------
    ConfigError
        If the measure makes no sense for the sketch; the text says why.

    Examples
    --------
    >>> codes = np.array([[0b1111], [0b0111], [0]], np.uint8)
    >>> similarity(codes[:1], codes, kind="bits")
    array([1.   , 0.875, 0.5  ], dtype=float32)
    >>> similarity(codes[:1], codes, kind="bits", measure="jaccard")
    array([1.  , 0.75, 0.  ], dtype=float32)
    """
    scorer, prepare = _scorer(kind, measure)
    options = {"covariance": covariance} if covariance is not None and scorer.takes_covariance else {}
    return scorer.as_similarity(scorer.columns(prepare(a), prepare(b), threads=threads, **options), a)


def similarity_pairs(
    fingerprints: Any,
    i: Integers,
    j: Integers,
    *,
    kind: SketchKind | str,
    measure: Measure | str | None = None,
    covariance: ArrayLike | None = None,
    threads: int | None = None,
) -> Any:
    """:func:`similarity` of chosen pairs of one column.

    Parameters
    ----------
    fingerprints : column
    i, j : integers
        Rows, counted from 0; broadcast against each other.
    kind, measure, covariance, threads
        As in :func:`similarity`.

    Returns
    -------
    np.float32, or float32 array

    Examples
    --------
    >>> similarity_pairs(["3:abcd:e", "3:abcf:e"], 0, 1, kind="fuzzy")
    np.float32(0.875)
    """
    scorer, prepare = _scorer(kind, measure)
    options = {"covariance": covariance} if covariance is not None and scorer.takes_covariance else {}
    return scorer.as_similarity(scorer.pairs(prepare(fingerprints), i, j, threads=threads, **options), fingerprints)


def _differing(a: Words, b: Words, *, threads: int | None) -> Any:
    """Bits in which codes of any width differ."""
    if a.shape[1] != b.shape[1]:
        raise DimensionMismatchError(64 * a.shape[1], 64 * b.shape[1])
    return compare_all(_hamming_of(a, b), a.shape[:1], b.shape[:1], threads)


def _differing_pairs(words: Words, i: Integers, j: Integers, *, threads: int | None) -> Any:
    return compare_pairs(_hamming_of(words, words), len(words), i, j, threads)


def _ranked_overlap(a: Any, b: Any, *, threads: int | None) -> Any:
    return flyhash_overlap(a, b, ranked=True, threads=threads)


def _ranked_overlap_pairs(winners: Any, i: Integers, j: Integers, *, threads: int | None) -> Any:
    return flyhash_overlap_pairs(winners, i, j, ranked=True, threads=threads)


class _Scorer(NamedTuple):
    """Functions of columns and of pairs, and what makes a similarity of their result and the fingerprints."""

    columns: Callable[..., Any]
    pairs: Callable[..., Any]
    as_similarity: Callable[[Any, Any], Any]
    takes_covariance: bool = False


def _as_it_is(found: Any, fingerprints: Any) -> Any:
    return found


def _as_inverse(found: Any, fingerprints: Any) -> Any:
    return inverse_score(found)


def _as_share(found: Any, fingerprints: Any) -> Any:
    return (1 - found / np.float32(8 * _bytes_of(fingerprints).shape[1])).astype(np.float32)


def _as_hundredth(found: Any, fingerprints: Any) -> Any:
    return (found / np.float32(100)).astype(np.float32)


_SCORERS = {
    Measure.JACCARD: _Scorer(set_jaccard, set_jaccard_pairs, _as_it_is),
    Measure.MULTISET_JACCARD: _Scorer(multiset_jaccard, multiset_jaccard_pairs, _as_it_is),
    Measure.LEVENSHTEIN: _Scorer(levenshtein_similarity, levenshtein_similarity_pairs, _as_it_is),
    Measure.HAMMING: _Scorer(_differing, _differing_pairs, _as_share),
    Measure.COSINE: _Scorer(cosine, cosine_pairs, _as_it_is),
    Measure.MANHATTAN: _Scorer(manhattan, manhattan_pairs, _as_inverse),
    Measure.MAHALANOBIS: _Scorer(mahalanobis, mahalanobis_pairs, _as_inverse, True),
    Measure.SSDEEP: _Scorer(ssdeep_compare, ssdeep_compare_pairs, _as_hundredth),
    Measure.OVERLAP: _Scorer(_ranked_overlap, _ranked_overlap_pairs, _as_it_is),
    Measure.TLSH: _Scorer(tlsh_distance, tlsh_distance_pairs, _as_inverse),
}
_SLOTS_BY_PLACE = _Scorer(jaccard, jaccard_pairs, _as_it_is)


def _scorer(kind: object, measure: object) -> tuple[_Scorer, Callable[[Any], Any]]:
    """How fingerprints are compared, and what is done to them before."""
    chosen = check_choice("kind", kind, SketchKind)
    wanted = DEFAULT_MEASURES[chosen] if measure is None else check_choice("measure", measure, Measure)
    reason = measures_for(chosen)[wanted]
    if reason is not None:
        raise ConfigError(
            f"measure '{wanted}' makes no sense for '{chosen}': {reason}",
            argument="measure",
            advice=f"The measure of this sketch is '{DEFAULT_MEASURES[chosen]}'.",
        )
    if chosen is SketchKind.MINHASH:
        return _SLOTS_BY_PLACE, _slots
    if wanted is Measure.HAMMING:
        return _SCORERS[wanted], _words_of
    if wanted in _OWNERS:
        return _SCORERS[wanted], lambda fingerprints: fingerprints
    return _SCORERS[wanted], lambda fingerprints: adapt(fingerprints, kind=chosen, form=_FORM_OF[wanted])


def _slots(fingerprints: Any) -> NDArray[Any]:
    array = np.asarray(fingerprints)
    if signature_slots(array.dtype) is None:
        raise InvalidInputError(
            f"fingerprints must hold MinHash signatures, got dtype {array.dtype}", argument="fingerprints"
        )
    return array


def _bytes_of(fingerprints: Any) -> NDArray[np.uint8]:
    """Codes as bytes (n, n_bytes), the lowest first."""
    array = np.asarray(fingerprints)
    if array.dtype.kind != "u" or array.ndim not in (1, 2) or (array.dtype == np.uint8 and array.ndim == 1):
        raise InvalidInputError(
            f"fingerprints must hold codes, unsigned (n,), (n, words) or bytes (n, bytes), got {array.dtype} of shape "
            f"{array.shape}",
            argument="fingerprints",
        )
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return little.reshape(len(array), -1).view(np.uint8)


def _words_of(fingerprints: Any) -> Words:
    """Codes as whole words, zeros behind them."""
    packed = _bytes_of(fingerprints)
    whole = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return read_only(whole.view("<u8").astype(np.uint64, copy=False))


def _unpacked(fingerprints: Any, bits: int | None) -> NDArray[np.uint8]:
    packed = _bytes_of(fingerprints)
    if bits is not None and not 0 < bits <= 8 * packed.shape[1]:
        raise ConfigError(f"bits must be between 1 and {8 * packed.shape[1]}, got {bits}", argument="bits")
    return np.unpackbits(packed, axis=1, count=bits, bitorder="little")


def _without_vacancies(winners: Any) -> Ragged:
    """Winners of every row; documents of few tokens have fewer."""
    array = np.asarray(winners)
    if array.dtype != np.uint16 or array.ndim != 2:
        raise InvalidInputError(
            f"fingerprints must hold winners, uint16 (n, active), got {array.dtype} of shape {array.shape}",
            argument="fingerprints",
        )
    there = array != _NO_WINNER
    return Ragged(array[there], np.concatenate([[0], np.cumsum(there.sum(axis=1))]))


def _ones(unpacked: NDArray[np.uint8]) -> Ragged:
    rows, positions = np.nonzero(unpacked)
    return Ragged(positions, np.searchsorted(rows, np.arange(len(unpacked) + 1)))
