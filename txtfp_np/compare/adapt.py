"""Which measure suits which sketch, and the form in which each of them wants it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn, is_single
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError
from ..options import check_choice, check_count
from ..schema.signatures import Words, signature_slots
from .arrays import as_array, as_vectors
from .ragged import TEXT, Ragged, first_of, is_whole

Codes: TypeAlias = NDArray[np.uint8]


class SketchKind(StrEnum):
    """What fingerprints are, which their dtype alone does not say."""

    MINHASH = "minhash"  # minhash_dtype(h)
    BITS = "bits"  # SimHash, FlyHash, binary codes: words (u4, u8), or packed bytes (n, bytes)
    WINNOWING = "winnowing"  # values and offsets
    WINNERS = "winners"  # numbers of FlyHash's winners (n, active)
    FUZZY = "fuzzy"  # strings of ssdeep
    TLSH = "tlsh"  # digests, as text or packed
    EMBEDDING = "embedding"  # real numbers (n, d)

    @classmethod
    def _missing_(cls, value: object) -> SketchKind | None:
        return cls.BITS if value in ("simhash", "flyhash") else None  # what others call their bits


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

FORM_OF = {
    Measure.JACCARD: Form.SET,
    Measure.MULTISET_JACCARD: Form.MULTISET,
    Measure.LEVENSHTEIN: Form.STRING,
    Measure.HAMMING: Form.VECTOR,
    Measure.COSINE: Form.VECTOR,
    Measure.MANHATTAN: Form.VECTOR,
    Measure.MAHALANOBIS: Form.VECTOR,
}

# Measures that are part of a sketch.
OWNERS = {Measure.SSDEEP: SketchKind.FUZZY, Measure.TLSH: SketchKind.TLSH, Measure.OVERLAP: SketchKind.WINNERS}

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
    reasons = {measure: _REFUSED.get((chosen, form)) for measure, form in FORM_OF.items()}
    if chosen is SketchKind.EMBEDDING:
        reasons[Measure.HAMMING] = _REFUSED[chosen, Form.SET]
    for measure, own in OWNERS.items():
        reasons[measure] = None if chosen is own else f"it is defined for '{own}' only"
    return reasons


def adapt(fingerprints: Any, *, kind: SketchKind | str, form: Form | str, bits: int | None = None) -> Any:
    """Fingerprints as strings, sets, multisets or vectors.

    Parameters
    ----------
    fingerprints : array, Ragged or column
        As the fingerprinter gives them; embeddings also as Embedding, a list of these, or EmbeddingColumn.
    kind : {"minhash", "bits", "winnowing", "winners", "fuzzy", "tlsh", "embedding"}
        What they are. "bits": ``uint32`` or ``uint64`` along one axis, ``uint64 (n, words)``, or packed ``uint8
        (n, bytes)``; a lowest bit comes first.
    form : {"string", "set", "multiset", "vector"}
        What to make of them.
    bits : int, optional
        Of a code, that only the first so many bits count, if the last byte is not full.

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
    if bits is not None and chosen is not SketchKind.BITS:
        raise ConfigError(f"bits is for kind 'bits' only, got {bits!r} for '{chosen}'", argument="bits")
    if chosen is SketchKind.MINHASH:
        return Ragged.of(np.asarray(slots_of(fingerprints)["hashes"]))._with_positions()
    if chosen is SketchKind.BITS:
        unpacked = _unpacked(fingerprints, bits)
        return _ones(unpacked) if wanted is Form.SET else unpacked.astype(np.float64)
    if chosen is SketchKind.EMBEDDING:
        return np.ascontiguousarray(as_vectors("fingerprints", fingerprints), np.float64)
    if chosen is SketchKind.WINNERS:
        return _without_vacancies(fingerprints)
    return _as_rows(fingerprints, chosen)


def _as_rows(fingerprints: Any, kind: SketchKind) -> Ragged:
    """Strings of ssdeep, or values of Winnowing; not the one for the other."""
    first = first_of(fingerprints)
    is_text = isinstance(fingerprints, TextColumn) or is_single(fingerprints) or isinstance(first, TEXT)
    is_numbers = not is_text and (is_whole(first) or isinstance(first, Iterable))
    if is_text if kind is SketchKind.WINNOWING else is_numbers:
        wanted = "values and offsets" if kind is SketchKind.WINNOWING else "strings of ssdeep"
        raise InvalidInputError(
            f"fingerprints must hold {wanted}, got {type(fingerprints).__name__} of {'text' if is_text else 'numbers'}",
            argument="fingerprints",
        )
    return Ragged.of(fingerprints)


def slots_of(fingerprints: Any) -> NDArray[Any]:
    """MinHash signatures, checked."""
    array = as_array("fingerprints", fingerprints)
    if signature_slots(array.dtype) is None:
        raise InvalidInputError(
            f"fingerprints must hold MinHash signatures, got dtype {array.dtype}", argument="fingerprints"
        )
    return array


def bytes_of(fingerprints: Any) -> Codes:
    """Codes as bytes (n, n_bytes), the lowest first."""
    array = as_array("fingerprints", fingerprints)
    is_code = array.dtype.kind == "u" and array.ndim in (1, 2) and (array.dtype != np.uint8 or array.ndim == 2)
    if not is_code or 0 in array.shape[1:]:
        raise InvalidInputError(
            f"fingerprints must hold codes, unsigned (n,), (n, words) or bytes (n, bytes), got {array.dtype} of shape "
            f"{array.shape}",
            argument="fingerprints",
        )
    little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
    return little.reshape(len(array), *(array.shape[1:] or (1,))).view(np.uint8)


def words_of(packed: Codes) -> Words:
    """Bytes of codes as whole words, zeros behind them; a view if there is nothing to add."""
    if packed.shape[1] % 8 == 0:
        return read_only(np.require(packed.view("<u8"), np.uint64, ["C", "A"]))
    whole = np.zeros((len(packed), -(-packed.shape[1] // 8) * 8), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return read_only(whole.view("<u8").astype(np.uint64, copy=False))


def _unpacked(fingerprints: Any, bits: int | None) -> Codes:
    packed = bytes_of(fingerprints)
    count = None if bits is None else check_count("bits", bits, 1, 8 * packed.shape[1])
    return np.unpackbits(packed, axis=1, count=count, bitorder="little")


def _without_vacancies(winners: Any) -> Ragged:
    """Winners of every row; documents of few tokens have fewer."""
    array = as_array("fingerprints", winners)
    if array.dtype != np.uint16 or array.ndim != 2:
        raise InvalidInputError(
            f"fingerprints must hold winners, uint16 (n, active), got {array.dtype} of shape {array.shape}",
            argument="fingerprints",
        )
    there = array != _NO_WINNER
    return Ragged(array[there], np.concatenate([[0], np.cumsum(there.sum(axis=1))]))


def _ones(unpacked: Codes) -> Ragged:
    rows, positions = np.nonzero(unpacked)
    return Ragged(positions, np.searchsorted(rows, np.arange(len(unpacked) + 1)))
