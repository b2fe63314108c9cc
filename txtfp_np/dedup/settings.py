"""What a deduplication is asked to do, checked once."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from ..canonical import Canonicalizer
from ..errors import ConfigError
from ..index import LshIndex, LshIndexBuilder
from ..index.ann import graph_type
from ..options import check_choice, check_count
from ..sketch import MinHashFingerprinter, SimHashFingerprinter
from .linkage import check_linkage
from .verify import check_scope

MAX_DISTANCE = 3
READ = Canonicalizer(strip_soft_hyphen=True)
"""Texts as they are read: whether a word may be broken does not make it another. The crate's own keeps soft hyphens."""


class Method(StrEnum):
    """What pairs are found by."""

    MINHASH = "minhash"
    SIMHASH = "simhash"
    EMBEDDING = "embedding"


THRESHOLDS = {Method.MINHASH: 0.7, Method.EMBEDDING: 0.9}
"""What is near if nobody says otherwise."""


class Search(StrEnum):
    """How pairs of embeddings are found."""

    EXACT = "exact"
    CODES = "codes"
    USEARCH = "usearch"


class Verify(StrEnum):
    """What decides whether a candidate is a pair."""

    EXACT = "exact"
    SIGNATURE = "signature"
    NONE = "none"


@dataclass(frozen=True)
class Settings:
    """Options that decide which pairs there are, and how they are linked.

    ``bands`` are those by which pairs are found; None: other ways are. ``fingerprinter`` explains pairs of embeddings.
    """

    method: Method
    fingerprinter: Any
    threshold: float
    scope: str
    verify: Verify
    linkage: str
    recall: float
    max_distance: int
    bands: LshIndexBuilder | None = None
    search: Search = Search.EXACT


def fingerprinter_of(index: LshIndex) -> MinHashFingerprinter:
    """The default whose signatures an index holds, as far as it says so; else the one without options."""
    read = MinHashFingerprinter(READ, h=index.h)
    return read if index.config_hash == read.config_hash else MinHashFingerprinter(h=index.h)


def check_similarity(argument: str, value: object) -> float:
    """A similarity above 0 and at most 1."""
    is_number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not is_number or not 0 < value <= 1:  # type: ignore[operator]
        raise ConfigError(f"{argument} must be a number in (0.0, 1.0], got {value!r}", argument=argument)
    return float(value)  # type: ignore[arg-type]


def check_settings(
    threshold: object,
    method: object,
    fingerprinter: Any,
    scope: str,
    verify: object,
    linkage: str,
    recall: object,
    max_distance: object,
    search: object = None,
) -> Settings:
    """Settings of these options, or what is wrong with them."""
    kind = check_choice("method", method, Method)
    check_linkage(linkage)
    check_scope(scope)
    wanted = check_similarity("recall", recall)
    if wanted == 1:
        raise ConfigError(
            "recall must be below 1.0: bands find pairs with a probability", argument="recall", advice="0.999 is fine."
        )
    if search is not None and kind != Method.EMBEDDING:
        raise ConfigError(f"search is for method='embedding', got {search!r}", argument="search")
    if kind == Method.SIMHASH:
        if threshold is not None:
            raise ConfigError(
                f"threshold is for methods 'minhash' and 'embedding', got {threshold!r}",
                argument="threshold",
                advice="With method='simhash' it is max_distance that decides: the similarity is 1 - distance / bits.",
            )
        if fingerprinter is None:
            fingerprinter = SimHashFingerprinter(READ)
        return _simhash(fingerprinter, scope, verify, linkage, wanted, max_distance)
    if max_distance is not None:
        raise ConfigError(
            f"max_distance is for method='simhash', got {max_distance!r}",
            argument="max_distance",
            advice=f"With method={str(kind)!r} it is the threshold that decides.",
        )
    limit = check_similarity("threshold", THRESHOLDS[kind] if threshold is None else threshold)
    if kind == Method.EMBEDDING:
        return _embedding(limit, fingerprinter, scope, verify, linkage, wanted, search)
    if fingerprinter is None:
        fingerprinter = MinHashFingerprinter(READ)
    if not isinstance(fingerprinter, MinHashFingerprinter):
        raise _wrong_fingerprinter(fingerprinter, kind, "MinHashFingerprinter")
    how = Verify.EXACT if verify is None else check_choice("verify", verify, Verify)
    if scope == "containment" and how != Verify.EXACT:
        raise ConfigError(
            f"scope='containment' is always verified exactly, got verify={str(how)!r}",
            argument="verify",
            advice="Leave verify out: MinHash signatures estimate resemblance, not containment.",
        )
    settings = Settings(kind, fingerprinter, limit, scope, how, linkage, wanted, MAX_DISTANCE)
    return with_limit(settings, limit)


def with_limit(settings: Settings, threshold: float) -> Settings:
    """The same for another threshold, with its own bands."""
    bands = None
    if settings.method == Method.MINHASH and settings.scope == "resemblance" and threshold < 1:
        # at 1 equal sets alone count
        below_one = float(np.nextafter(np.float32(1), np.float32(0)))  # bands are chosen in single precision
        bands = LshIndexBuilder.for_recall(min(threshold, below_one), settings.fingerprinter.h, recall=settings.recall)
    return dataclasses.replace(settings, threshold=threshold, bands=bands)


def _simhash(
    fingerprinter: Any, scope: str, verify: object, linkage: str, recall: float, max_distance: object
) -> Settings:
    if not isinstance(fingerprinter, SimHashFingerprinter):
        raise _wrong_fingerprinter(fingerprinter, Method.SIMHASH, "SimHashFingerprinter")
    if fingerprinter.bits > 128:
        raise ConfigError(
            f"method='simhash' takes fingerprints of 32, 64 or 128 bits, got {fingerprinter.bits}",
            argument="fingerprinter",
        )
    if scope != "resemblance":
        raise ConfigError("scope='containment' needs method='minhash'", argument="scope")
    if verify is not None and check_choice("verify", verify, Verify) != Verify.SIGNATURE:
        raise ConfigError(
            f"method='simhash' compares signatures: verify must be 'signature', got {verify!r}",
            argument="verify",
            advice="Leave it out, or take method='minhash'.",
        )
    most = fingerprinter.bits - 1
    distance = MAX_DISTANCE if max_distance is None else check_count("max_distance", max_distance, 0, min(most, 63))
    limit = 1 - distance / fingerprinter.bits
    return Settings(Method.SIMHASH, fingerprinter, limit, scope, Verify.SIGNATURE, linkage, recall, distance)


def _embedding(
    limit: float, fingerprinter: object, scope: str, verify: object, linkage: str, recall: float, search: object
) -> Settings:
    if fingerprinter is not None:
        raise ConfigError(
            "method='embedding' takes no fingerprinter", argument="fingerprinter", advice="It takes a provider."
        )
    if scope != "resemblance":
        raise ConfigError("scope='containment' needs method='minhash'", argument="scope")
    if verify is not None and check_choice("verify", verify, Verify) != Verify.EXACT:
        raise ConfigError(
            f"method='embedding' compares embeddings: verify must be 'exact', got {verify!r}", argument="verify"
        )
    how = Search.EXACT if search is None else check_choice("search", search, Search)
    if how == Search.USEARCH:
        graph_type()  # before embeddings are made
    shown = MinHashFingerprinter(READ)
    return Settings(Method.EMBEDDING, shown, limit, scope, Verify.EXACT, linkage, recall, MAX_DISTANCE, search=how)


def _wrong_fingerprinter(fingerprinter: object, method: Method, wanted: str) -> ConfigError:
    return ConfigError(
        f"method={str(method)!r} takes a {wanted}, got a {type(fingerprinter).__name__}", argument="fingerprinter"
    )
