"""FlyHash: sparse random projection of weighted tokens, of which the largest components win."""

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
from ..options import check_choice, check_count
from ..schema.identity import HashFamily
from ..schema.signatures import DEFAULT_SEED
from ..tokenize import Tokenizer, WordTokenizer
from .base import EMPTY, Accumulator, Signed, SketchFingerprinter
from .distinct import distinct_tokens
from .idf import IdfTable
from .keys import KeyCounter
from .simhash import Weighting
from .stages import BlockStages, Hashes

_MOST_BITS = 1 << 20
_MOST_NUMBERED = (1 << 16) - 64  # units that 16 bits number, and one number is left for nobody
_MOST_WINNERS = 1 << 12
_FRACTION = 1 << 16  # weights are whole numbers of this part of one, so that sums do not depend on their order
_MOST_WEIGHT = 1 << 40
NOBODY = 65535  # a place that no unit has won; as in the kernels


class FlyForm(StrEnum):
    """What a FlyHash fingerprint is."""

    BITS = "bits"
    WINNERS = "winners"


@dataclass(frozen=True)
class FlyHashFingerprinter(SketchFingerprinter):
    """FlyHash: every token excites some units, and the units that are excited most are the ones of the fingerprint.

    Parameters
    ----------
    canonicalizer : Canonicalizer
        Stage 1.
    tokenizer : Tokenizer
        Stage 2; words by default.
    weighting : {"tf", "uniform"} or IdfTable
        A token counts as often as it occurs, once, or as often as it occurs times its weight in the table
        (1 if it is not there).
    bits : int
        Units, and bits of a fingerprint; a multiple of 64.
    active : int
        Units that win.
    fan : int
        Units that a token excites. One may come twice and is excited twice then.
    form : {"bits", "winners"}
        Bits, a 1 for each winner; or the numbers of the winners, the most excited first, which takes two bytes each
        however many units there are.
    hasher : {"xxh3_64", "murmur3_x64_128", "xxh64"} or callable
        Hash family, or a function from ``bytes`` to an int of 64 or 128 bits.
    seed : int
        64 bits.

    Notes
    -----
    Fingerprints are ``<u8`` with ``bits / 64`` words in the last axis; unit ``u`` is bit ``u % 64`` of word
    ``u // 64``. Winners are ``<u2`` with ``active`` places in the last axis, 65535 where there is no winner; up to
    65,472 units can be numbered so.

    Many units, few winners and ``fan=1`` keep the heaviest tokens of a text apart from each other: with weights of a
    corpus (:meth:`IdfTable.fit`) the best of all sketches of 128 bytes for telling what texts are about.

    Which units a token excites comes from its hash, so all documents, of all corpora, live in one space of features;
    no vocabulary is fitted. Weights are rounded to 1/65536 and added as whole numbers: the same bits on every machine.
    Of equally excited units those of the lowest numbers win. A unit that is not excited never wins, so that
    short documents may have fewer ones than ``active``.

    A weight of 0 leaves a token out, one below 0 calms its units, and one that is not finite counts as 1 for all
    occurrences together. **A document in which no unit is excited has no fingerprint**, just as one without a token:
    ``on_empty`` decides what becomes of it.

    References
    ----------
    S. Dasgupta, C. Stevens, S. Navlakha, "A neural algorithm for a fundamental computing problem", Science 358, 2017.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> fp = FlyHashFingerprinter(bits=256, active=16)
    >>> bits = fp.fingerprint(["the quick brown fox", "the quick brown dog", "something else altogether"])
    >>> bits.shape, bits.dtype
    ((3, 4), dtype('uint64'))
    >>> tx.flyhash_overlap(bits[0], bits)
    array([1.        , 0.75      , 0.07216878], dtype=float32)
    >>> fp.replace(form="winners", active=4, fan=1).fingerprint("fox fox fox dog dog")
    array([  101,    79, 65535, 65535], dtype=uint16)
    """

    canonicalizer: Canonicalizer = field(default_factory=Canonicalizer)
    tokenizer: Tokenizer = field(default_factory=WordTokenizer)
    weighting: Weighting | IdfTable | str = field(default=Weighting.TF, kw_only=True)
    bits: int = field(default=1024, kw_only=True)
    active: int = field(default=128, kw_only=True)
    fan: int = field(default=4, kw_only=True)
    form: FlyForm | str = field(default=FlyForm.BITS, kw_only=True)
    hasher: Any = field(default=HashFamily.XXH3_64, kw_only=True)
    seed: int = field(default=DEFAULT_SEED, kw_only=True)

    def __post_init__(self) -> None:
        self._check()
        if not isinstance(self.weighting, IdfTable):
            object.__setattr__(self, "weighting", check_choice("weighting", self.weighting, Weighting))
        object.__setattr__(self, "form", check_choice("form", self.form, FlyForm))
        numbered = self.form == FlyForm.WINNERS
        bits = check_count("bits", self.bits, 64, _MOST_NUMBERED if numbered else _MOST_BITS)
        if bits % 64:
            raise ConfigError(f"bits must be a multiple of 64, got {bits}", argument="bits")
        most = min(bits, _MOST_WINNERS) if numbered else bits
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "active", check_count("active", self.active, 1, most))
        object.__setattr__(self, "fan", check_count("fan", self.fan, 1, bits))

    @property
    def algorithm(self) -> str:
        """``'flyhash-b<bits>-a<active>-f<fan>-<weighting>'``, and the form if it is not bits."""
        weighting = f"idf:{self.weighting.digest}" if isinstance(self.weighting, IdfTable) else self.weighting
        form = "" if self.form == FlyForm.BITS else f"-{self.form}"
        return f"flyhash-b{self.bits}-a{self.active}-f{self.fan}-{weighting}{form}"

    @property
    def dtype(self) -> np.dtype[Any]:
        """``<u8``, or ``<u2`` for winners."""
        return np.dtype("<u8" if self.form == FlyForm.BITS else "<u2")

    @property
    def _item_shape(self) -> tuple[int, ...]:
        return (self.bits // 64 if self.form == FlyForm.BITS else self.active,)

    def _sign(self, stages: BlockStages, key: str) -> Signed:
        hashes = stages.hashes(self.canonicalizer, self.tokenizer, self._hash)
        distinct = distinct_tokens(hashes, stages.scratch, key)
        records = self._winners(distinct.low, distinct.high, distinct.counts, distinct.offsets)
        return Signed(records, self._have_winners(records))

    def _have_winners(self, records: NDArray[Any]) -> NDArray[np.bool_]:
        """Which records (n, ...) have one."""
        return np.asarray(records.any(axis=1) if self.form == FlyForm.BITS else records[:, 0] != NOBODY)

    def _refusal(self, stages: BlockStages, row: int) -> str:
        """Without a token, or with none that excites a unit."""
        offsets = stages.hashes(self.canonicalizer, self.tokenizer, self._hash).offsets
        return EMPTY if offsets[row] == offsets[row + 1] else "no token has a weight above 0, so that no unit wins"

    def _winners(
        self,
        low: NDArray[np.uint64],
        high: NDArray[np.uint64],
        counts: NDArray[np.int64],
        offsets: NDArray[np.int64],
    ) -> NDArray[Any]:
        from ..kernels.flyhash import flyhash_rows, winners_rows

        weights = read_only(self._weights(low, high, counts))
        out = np.empty((len(offsets) - 1, *self._item_shape), self.dtype)
        activity = np.zeros(self.bits, np.int64)
        if self.form == FlyForm.BITS:
            flyhash_rows(low, high, weights, offsets, (self.fan, self.active), activity, out)
        else:
            winners_rows(low, high, weights, offsets, self.fan, activity, out)
        return out

    def _weights(
        self, low: NDArray[np.uint64], high: NDArray[np.uint64], counts: NDArray[np.int64]
    ) -> NDArray[np.int64]:
        if self.weighting == Weighting.UNIFORM:
            return np.ones(len(counts), np.int64)
        if not isinstance(self.weighting, IdfTable):
            return counts.copy()
        idf = self.weighting.look_up(low, high, self._hash).astype(np.float64)
        weights = np.rint(counts * idf * _FRACTION)
        weights[~np.isfinite(weights)] = _FRACTION
        return np.clip(weights, -_MOST_WEIGHT, _MOST_WEIGHT).astype(np.int64)

    def _accumulator(self) -> Accumulator:
        return FlyHashAccumulator(self)


class FlyHashAccumulator(Accumulator):
    """Every distinct token, and how often it came."""

    def __init__(self, fingerprinter: FlyHashFingerprinter) -> None:
        super().__init__()
        self.fingerprinter = fingerprinter
        self.distinct = KeyCounter()

    def _add(self, hashes: Sequence[Hashes]) -> None:
        self.distinct.add(hashes[0].low, hashes[0].high)

    @property
    def is_signed(self) -> bool:
        """Whether a unit wins."""
        return super().is_signed and bool(self.fingerprinter._have_winners(self.signature()[None])[0])

    def signature(self) -> Any:
        """The fingerprint."""
        low, high = self.distinct.keys
        offsets = read_only(np.array([0, len(low)], np.int64))
        return self.fingerprinter._winners(low, high, self.distinct.counts, offsets)[0]
