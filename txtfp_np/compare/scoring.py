"""How alike fingerprints are, by the measure that suits them."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import ConfigError, DimensionMismatchError, ModelMismatchError
from ..options import check_choice
from .adapt import (
    DEFAULT_MEASURES,
    FORM_OF,
    OWNERS,
    Codes,
    Measure,
    SketchKind,
    adapt,
    bytes_of,
    measures_for,
    slots_of,
    words_of,
)
from .arrays import as_array, model_of
from .broadcasting import compare_all, compare_pairs
from .fuzzy import ssdeep_compare, ssdeep_compare_pairs
from .overlap import flyhash_overlap, flyhash_overlap_pairs
from .ragged import Ragged
from .sets import multiset_jaccard, multiset_jaccard_pairs, set_jaccard, set_jaccard_pairs
from .signatures import Integers, _hamming_of, jaccard, jaccard_pairs
from .strings import levenshtein_similarity, levenshtein_similarity_pairs
from .tlsh import tlsh_distance, tlsh_distance_pairs
from .vectors import cosine, cosine_pairs, inverse_score, mahalanobis, mahalanobis_pairs, manhattan, manhattan_pairs

_EMPTY_SLOT = np.uint64(0xFFFFFFFFFFFFFFFF)  # of the signature of no shingles at all
_LEAST_BYTES = 4  # of a code that is not by chance without a one


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
        For "mahalanobis" only, see :func:`mahalanobis`.
    threads : int, optional
        None: every core this process may use. Never changes the result.

    Returns
    -------
    float32 array

    Raises
    ------
    ConfigError
        If the measure makes no sense for the sketch; the text says why. If a covariance is given to a measure that has
        no use for it.
    DimensionMismatchError
        If codes, or vectors, differ in length.
    ModelMismatchError
        If embeddings say that they are of different models.

    Notes
    -----
    **What has no fingerprint is like nothing**: 0, also with its like. That is what ``on_empty="mask"`` puts in the
    place of one: a MinHash of all-ones slots, a code of at least 32 bits without a one, no winners, an empty list, an
    empty string, a TLSH of zero bytes. Shorter codes may well be without a one and are compared as they are.

    Examples
    --------
    >>> codes = np.array([[0b1111], [0b0111], [0]], np.uint8)
    >>> similarity(codes[:1], codes, kind="bits")
    array([1.   , 0.875, 0.5  ], dtype=float32)
    >>> similarity(codes[:1], codes, kind="bits", measure="jaccard")
    array([1.  , 0.75, 0.  ], dtype=float32)
    """
    scorer, prepare = _scorer(kind, measure)
    options = _options(scorer, covariance)
    if None not in (model_of(a), model_of(b)) and model_of(a) != model_of(b):
        raise ModelMismatchError(model_of(a), model_of(b))
    one, other = prepare(a), prepare(b)
    found = scorer.as_similarity(scorer.columns(one, other, threads=threads, **options), a)
    missing, others = _missing(kind, a, one), _missing(kind, b, other)
    return found if missing is None or others is None else _blanked(found, missing | others)


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
    options = _options(scorer, covariance)
    column = prepare(fingerprints)
    found = scorer.as_similarity(scorer.pairs(column, i, j, threads=threads, **options), fingerprints)
    missing = _missing(kind, fingerprints, column)
    return found if missing is None else _blanked(found, missing[_rows(i)] | missing[_rows(j)])


def _options(scorer: _Scorer, covariance: ArrayLike | None) -> dict[str, ArrayLike]:
    if covariance is None:
        return {}
    if not scorer.takes_covariance:
        raise ConfigError("covariance is for measure 'mahalanobis' only", argument="covariance")
    return {"covariance": covariance}


def _missing(kind: SketchKind | str, fingerprints: Any, prepared: Any) -> NDArray[np.bool_] | None:
    """Which fingerprints stand for documents that have none; None for sketches that score those 0."""
    if kind == SketchKind.MINHASH:
        slots: NDArray[np.uint64] = prepared["hashes"]
        missing = np.asarray(slots[..., 0] == _EMPTY_SLOT)
        return np.asarray((slots == _EMPTY_SLOT).all(axis=-1)) if missing.any() else missing
    if kind == SketchKind.BITS:
        packed = bytes_of(fingerprints)
        if packed.shape[1] < _LEAST_BYTES:
            return None
        together = reduce(np.bitwise_or, words_of(packed).T)  # a column at a time: rows are short
        return np.asarray(together == 0)
    if isinstance(prepared, Ragged):
        return np.asarray(prepared.lengths == 0)
    return _vacant(fingerprints) if kind in _STAND_INS else None


def _vacant(strings: Any) -> NDArray[np.bool_] | None:
    """Which strings are empty, or packed digests zeros; None of what is no array of them."""
    if not isinstance(strings, np.ndarray) or strings.dtype.kind not in "SV" or strings.dtype.names is not None:
        return None
    return np.asarray(as_array("fingerprints", strings) == np.zeros((), strings.dtype))


def _without_vacancies(strings: Any, stand_in: bytes) -> Any:
    """Strings with something valid where there is none, which is scored for nothing."""
    vacant = _vacant(strings)
    if vacant is None or not vacant.any():
        return strings
    if strings.dtype.kind == "S":
        return np.where(vacant, np.bytes_(stand_in), strings)
    filled = np.array(strings)
    filled[vacant] = np.ones(filled.dtype.itemsize, np.uint8).view(filled.dtype)[0]
    return filled


def _rows(given: Integers) -> NDArray[np.int64]:
    return np.asarray(given).astype(np.int64)  # an empty list has no dtype of its own


def _blanked(found: Any, missing: NDArray[np.bool_]) -> Any:
    return np.where(missing, np.float32(0), found)[()] if missing.any() else found


def _differing(a: Codes, b: Codes, *, threads: int | None) -> Any:
    """Bits in which codes of any width differ."""
    if a.shape[1] != b.shape[1]:
        raise DimensionMismatchError(8 * a.shape[1], 8 * b.shape[1])
    return compare_all(_hamming_of(words_of(a), words_of(b)), a.shape[:1], b.shape[:1], threads)


def _differing_pairs(codes: Codes, i: Integers, j: Integers, *, threads: int | None) -> Any:
    words = words_of(codes)
    return compare_pairs(_hamming_of(words, words), len(words), i, j, threads)


def _ranked_overlap(a: Any, b: Any, *, threads: int | None) -> Any:
    return flyhash_overlap(a, b, ranked=True, threads=threads)


def _ranked_overlap_pairs(winners: Any, i: Integers, j: Integers, *, threads: int | None) -> Any:
    return flyhash_overlap_pairs(winners, i, j, ranked=True, threads=threads)


def _as_it_is(found: Any, fingerprints: Any) -> Any:
    return found


def _as_inverse(found: Any, fingerprints: Any) -> Any:
    return inverse_score(found)


def _as_share(found: Any, fingerprints: Any) -> Any:
    n_bits = 8 * bytes_of(fingerprints).shape[1]
    shares = (1 - np.arange(n_bits + 1, dtype=np.uint32) / np.float32(n_bits)).astype(np.float32)
    return shares[found]


def _as_hundredth(found: Any, fingerprints: Any) -> Any:
    return (found / np.float32(100)).astype(np.float32)


class _Scorer(NamedTuple):
    """Functions of columns and of pairs, and what makes a similarity of their result and the fingerprints."""

    columns: Callable[..., Any]
    pairs: Callable[..., Any]
    as_similarity: Callable[[Any, Any], Any] = _as_it_is
    takes_covariance: bool = False


_SCORERS = {
    Measure.JACCARD: _Scorer(set_jaccard, set_jaccard_pairs),
    Measure.MULTISET_JACCARD: _Scorer(multiset_jaccard, multiset_jaccard_pairs),
    Measure.LEVENSHTEIN: _Scorer(levenshtein_similarity, levenshtein_similarity_pairs),
    Measure.HAMMING: _Scorer(_differing, _differing_pairs, _as_share),
    Measure.COSINE: _Scorer(cosine, cosine_pairs),
    Measure.MANHATTAN: _Scorer(manhattan, manhattan_pairs, _as_inverse),
    Measure.MAHALANOBIS: _Scorer(mahalanobis, mahalanobis_pairs, _as_inverse, True),
    Measure.SSDEEP: _Scorer(ssdeep_compare, ssdeep_compare_pairs, _as_hundredth),
    Measure.OVERLAP: _Scorer(_ranked_overlap, _ranked_overlap_pairs),
    Measure.TLSH: _Scorer(tlsh_distance, tlsh_distance_pairs, _as_inverse),
}
_SLOTS_BY_PLACE = _Scorer(jaccard, jaccard_pairs)
_STAND_INS = {SketchKind.FUZZY: b"3::", SketchKind.TLSH: b"T1" + b"01" * 35}


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
        return _SLOTS_BY_PLACE, slots_of
    if wanted is Measure.HAMMING:
        return _SCORERS[wanted], bytes_of
    if wanted in OWNERS:
        stand_in = _STAND_INS.get(chosen)
        return _SCORERS[wanted], lambda given: given if stand_in is None else _without_vacancies(given, stand_in)
    return _SCORERS[wanted], lambda fingerprints: adapt(fingerprints, kind=chosen, form=FORM_OF[wanted])
