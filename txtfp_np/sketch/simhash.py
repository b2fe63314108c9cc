"""SimHash fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..canonical import Canonicalizer
from ..columns.checks import read_only
from ..errors import ConfigError
from ..options import check_choice
from ..schema.identity import HashFamily
from ..schema.signatures import DEFAULT_SEED
from ..tokenize import Tokenizer, WordTokenizer
from .base import Accumulator, Signed, SketchFingerprinter
from .distinct import distinct_tokens
from .hashing import Hasher
from .idf import IdfTable
from .keys import KeyCounter
from .stages import BlockStages, Hashes

WIDTHS = (32, 64, 128, 256)


class Weighting(StrEnum):
    """How much a token weighs, if there is no table of weights."""

    TF = "tf"
    UNIFORM = "uniform"


class Tie(StrEnum):
    """What a bit becomes when as much speaks for it as against it."""

    ZERO = "zero"
    ONE = "one"


@dataclass(frozen=True)
class SimHashFingerprinter(SketchFingerprinter):
    """SimHash: similar documents get fingerprints that differ in few bits.

    Parameters
    ----------
    canonicalizer : Canonicalizer
        Stage 1.
    tokenizer : Tokenizer
        Stage 2; words by default.
    weighting : {"tf", "uniform"} or IdfTable
        A token counts as often as it occurs, once, or as often as it occurs times its weight in the
        table (1 if it is not there), cut to a whole number.
    bits : {32, 64, 128, 256}
        Width. The Rust crate has 64 only.
    tie : {"zero", "one"}
        What a bit becomes when as much speaks for it as against it.
    hasher : {"xxh3_64", "murmur3_x64_128", "xxh64"} or callable
        Hash family, or a function from ``bytes`` to an int of 64 or 128 bits.
    seed : int
        64 bits.

    Notes
    -----
    Fingerprints are ``<u8``; 32 bits are ``<u4``; 128 and 256 bits are ``<u8`` with 2 and 4 words in the
    last axis, words ``2p`` and ``2p + 1`` being those of the low and the high half of the hash with seed
    ``seed + p``.

    References
    ----------
    M. Charikar, Similarity estimation techniques from rounding algorithms, 2002.

    Examples
    --------
    >>> fp = SimHashFingerprinter()
    >>> hex(fp.fingerprint("Supercalifragilisticexpialidocious"))
    '0x110dd3523510aac0'
    >>> fp.fingerprint(["one text", "another text"]).dtype
    dtype('uint64')
    """

    canonicalizer: Canonicalizer = field(default_factory=Canonicalizer)
    tokenizer: Tokenizer = field(default_factory=WordTokenizer)
    weighting: Weighting | IdfTable | str = field(default=Weighting.TF, kw_only=True)
    bits: int = field(default=64, kw_only=True)
    tie: Tie | str = field(default=Tie.ZERO, kw_only=True)
    hasher: Any = field(default=HashFamily.XXH3_64, kw_only=True)
    seed: int = field(default=DEFAULT_SEED, kw_only=True)

    def __post_init__(self) -> None:
        self._check()
        if not isinstance(self.weighting, IdfTable):
            object.__setattr__(self, "weighting", check_choice("weighting", self.weighting, Weighting))
        object.__setattr__(self, "tie", check_choice("tie", self.tie, Tie))
        if not isinstance(self.bits, (int, np.integer)) or self.bits not in WIDTHS:
            raise ConfigError(f"bits must be 32, 64, 128 or 256, got {self.bits!r}", argument="bits")
        object.__setattr__(self, "bits", int(self.bits))
        if self.bits > 64 and self.hasher == HashFamily.XXH64:
            raise ConfigError(f"hasher 'xxh64' has 64 bits, bits is {self.bits}", argument="hasher")
        if self.bits > 128 and not isinstance(self.hasher, HashFamily):
            raise ConfigError(f"a function gives 128 bits at the most, bits is {self.bits}", argument="hasher")

    @property
    def algorithm(self) -> str:
        """``'simhash-b<bits>-<weighting>'``, and the tie if it is not the crate's."""
        weighting = f"idf:{self.weighting.digest}" if isinstance(self.weighting, IdfTable) else self.weighting
        return f"simhash-b{self.bits}-{weighting}{'' if self.tie == Tie.ZERO else '-tie-one'}"

    @property
    def dtype(self) -> np.dtype[Any]:
        """``<u4`` for 32 bits, else ``<u8``."""
        return np.dtype("<u4" if self.bits == 32 else "<u8")

    @property
    def _item_shape(self) -> tuple[int, ...]:
        return (self.bits // 64,) if self.bits > 64 else ()

    def _sign(self, stages: BlockStages, key: str) -> Signed:
        n_words = self._n_words
        first = self._hashes(stages, 0)
        tally = _Tally(self, first, stages, key)
        n_rows = len(first.offsets) - 1
        words = stages.scratch.take(f"simhash{key}", n_rows * n_words, np.uint64)
        for word in range(n_words):
            hashes = self._hashes(stages, word // 2)
            tally.vote(hashes.high if word % 2 else hashes.low, words[word:], n_words)
        ok = first.offsets[1:] > first.offsets[:-1]
        words.reshape(n_rows, n_words)[~ok] = 0
        if self.bits == 32:
            return Signed(words.astype(np.uint32), ok)
        return Signed(words.reshape(n_rows, *self._item_shape), ok)

    def _accumulator(self) -> Accumulator:
        return SimHashAccumulator(self)

    @property
    def _n_words(self) -> int:
        return max(self.bits // 64, 1)

    @property
    def _hashers(self) -> list[Hasher]:
        return [self._hasher(number) for number in range((self._n_words + 1) // 2)]

    def _hasher(self, number: int) -> Hasher:
        """What gives words ``2 * number`` and ``2 * number + 1``."""
        return Hasher(self.hasher, (self.seed + number) & 0xFFFFFFFFFFFFFFFF)

    def _hashes(self, stages: BlockStages, number: int) -> Hashes:
        return stages.hashes(self.canonicalizer, self.tokenizer, self._hasher(number))


class SimHashAccumulator(Accumulator):
    """Bit counts for term frequencies; with other weights, every distinct token."""

    def __init__(self, fingerprinter: SimHashFingerprinter) -> None:
        super().__init__()
        self.fingerprinter = fingerprinter
        n_words = fingerprinter._n_words
        self.ones = np.zeros((n_words, 64), np.uint64)
        self.distinct = None if fingerprinter.weighting == Weighting.TF else KeyCounter()
        self.kept: list[list[NDArray[np.uint64]]] = [[] for _ in range(n_words)]

    def _add(self, hashes: Sequence[Hashes]) -> None:
        from ..kernels.simhash import add_bit_counts

        new = None if self.distinct is None else self.distinct.add(hashes[0].low, hashes[0].high)
        for word in range(len(self.ones)):
            half = hashes[word // 2].high if word % 2 else hashes[word // 2].low
            if new is None:
                add_bit_counts(half, self.ones[word])
            else:
                self.kept[word].append(half[new])

    def signature(self) -> Any:
        """The fingerprint."""
        bits = self.fingerprinter.bits
        words = np.array([self._word(word) for word in range(len(self.ones))], np.uint64)
        if bits == 32:
            return words.astype(np.uint32)[0]
        return words if bits > 64 else words[0]

    def _word(self, word: int) -> int:
        tie = self.fingerprinter.tie
        if self.distinct is None:
            balance = 2 * self.ones[word].astype(np.int64) - self.n_tokens
            wins = balance >= 0 if tie == Tie.ONE else balance > 0
            return int(np.packbits(wins, bitorder="little").view("<u8")[0])
        hashes = read_only(np.concatenate(self.kept[word]))
        out = np.empty(1, np.uint64)
        vote(hashes, self._weights(self.distinct), read_only(np.array([0, len(hashes)])), tie, out)
        return int(out[0])

    def _weights(self, distinct: KeyCounter) -> NDArray[np.int64] | None:
        table = self.fingerprinter.weighting
        if not isinstance(table, IdfTable):
            return None
        return read_only(token_weights(distinct.counts, table.look_up(*distinct.keys, self.fingerprinter._hash)))


class _Tally:
    """Who votes in a block, with which weight; each word of the fingerprint is one ballot."""

    def __init__(self, fingerprinter: SimHashFingerprinter, hashes: Hashes, stages: BlockStages, key: str) -> None:
        self.tie = fingerprinter.tie
        self.offsets = hashes.offsets
        self.voters: NDArray[np.int64] | None = None  # all tokens
        self.weights: NDArray[np.int64] | None = None  # all equal
        if fingerprinter.weighting == Weighting.TF:
            return
        distinct = distinct_tokens(hashes, stages.scratch, key)
        self.voters, self.offsets = distinct.positions, distinct.offsets
        if isinstance(fingerprinter.weighting, IdfTable):
            idf = fingerprinter.weighting.look_up(distinct.low, distinct.high, fingerprinter._hash)
            self.weights = read_only(token_weights(distinct.counts, idf))

    def vote(self, hashes: NDArray[np.uint64], out: NDArray[np.uint64], stride: int) -> None:
        if self.voters is not None:
            hashes = read_only(hashes[self.voters])
        vote(hashes, self.weights, self.offsets, self.tie, out, stride)


def vote(
    hashes: NDArray[np.uint64],
    weights: NDArray[np.int64] | None,
    offsets: NDArray[np.int64],
    tie: str,
    out: NDArray[np.uint64],
    stride: int = 1,
) -> None:
    """One word of the fingerprint of every document into ``out[::stride]``."""
    from ..kernels.simhash import simhash_rows, weighted_simhash_rows

    if weights is None:
        simhash_rows(hashes, offsets, int(tie == Tie.ONE), out, stride)
    else:
        weighted_simhash_rows(hashes, weights, offsets, int(tie == Tie.ONE), out, stride)


def token_weights(counts: NDArray[np.int64], idf: NDArray[np.float32]) -> NDArray[np.int64]:
    """The crate's arithmetic: 64-bit product, 1 if it is not finite, clamped, cut toward zero."""
    weights = counts.astype(np.float64) * idf.astype(np.float64)
    weights[~np.isfinite(weights)] = 1.0
    return np.clip(weights, -1e15, 1e15).astype(np.int64)
