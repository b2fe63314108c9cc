"""MinHash signatures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..canonical import Canonicalizer
from ..errors import ConfigError, DimensionMismatchError, InvalidInputError
from ..options import check_count
from ..schema.identity import HashFamily
from ..schema.signatures import DEFAULT_SEED, MAX_SLOTS, MINHASH_SCHEMA, minhash_dtype, signature_slots
from ..tokenize import ShingleTokenizer, Tokenizer
from .base import Accumulator, Signed, SketchFingerprinter
from .stages import BlockStages, Hashes


@dataclass(frozen=True)
class MinHashFingerprinter(SketchFingerprinter):
    """MinHash: the share of equal slots of two signatures estimates the Jaccard similarity of their token sets.

    Parameters
    ----------
    canonicalizer : Canonicalizer
        Stage 1.
    tokenizer : Tokenizer
        Stage 2; word 5-shingles by default.
    h : int
        Slots, 1 to 4,096. The standard error of the estimate is ``sqrt(j * (1 - j) / h)``.
    hasher : {"xxh3_64", "murmur3_x64_128"} or callable
        Hash family, or a function from ``bytes`` to an int of 128 bits.
    seed : int
        64 bits.

    Notes
    -----
    Slot ``i`` is the minimum over tokens of ``low + i * high`` modulo 2**64, ``low`` and ``high`` being
    the halves of the token's 128-bit hash. The order and number of equal tokens do not matter.

    A record is ``schema`` (``<u2``, 1), six bytes of padding, and ``h`` slots (``<u8``): the byte layout
    of the Rust crate's ``MinHashSig``.

    References
    ----------
    A. Broder, On the resemblance and containment of documents, 1997.
    A. Kirsch, M. Mitzenmacher, Less hashing, same performance, 2006 (two hashes in place of ``h``).

    Examples
    --------
    >>> fp = MinHashFingerprinter(h=4)
    >>> fp.fingerprint("the quick brown fox jumps over the lazy dog")["hashes"]
    array([ 468808173492136610, 7015534033698314465, 4207479573891120926,
           4095002725402557851], dtype=uint64)
    >>> fp.fingerprint(["one text", "another text"]).shape
    (2,)
    """

    canonicalizer: Canonicalizer = field(default_factory=Canonicalizer)
    tokenizer: Tokenizer = field(default_factory=ShingleTokenizer)
    h: int = field(default=128, kw_only=True)
    hasher: Any = field(default=HashFamily.XXH3_64, kw_only=True)
    seed: int = field(default=DEFAULT_SEED, kw_only=True)

    def __post_init__(self) -> None:
        self._check()
        object.__setattr__(self, "h", check_count("h", self.h, 1, MAX_SLOTS))
        if self.hasher == HashFamily.XXH64:
            raise ConfigError(
                "hasher 'xxh64' has 64 bits, MinHash needs 128",
                argument="hasher",
                advice="use 'xxh3_64' (128 bits, in spite of its name) or 'murmur3_x64_128'",
            )

    @property
    def algorithm(self) -> str:
        """``'minhash-h<h>'``."""
        return f"minhash-h{self.h}"

    @property
    def dtype(self) -> np.dtype[Any]:
        """``minhash_dtype(h)``."""
        return minhash_dtype(self.h)

    def _sign(self, stages: BlockStages, key: str) -> Signed:
        from ..kernels.minhash import minhash_rows

        hashes = stages.hashes(self.canonicalizer, self.tokenizer, self._hash)
        n_rows, width = len(hashes.offsets) - 1, 1 + self.h
        words = stages.scratch.take(f"minhash{key}", n_rows * width, np.uint64).reshape(n_rows, width)
        words.fill(np.uint64(0xFFFFFFFFFFFFFFFF))
        words[:, 0] = MINHASH_SCHEMA  # little-endian: two bytes of schema, six of padding
        minhash_rows(hashes.low, hashes.high, hashes.offsets, words)
        return Signed(words.view(self.dtype).reshape(n_rows), hashes.offsets[1:] > hashes.offsets[:-1])

    def _accumulator(self) -> Accumulator:
        return MinHashAccumulator(self)


class MinHashAccumulator(Accumulator):
    """Slots that only ever fall."""

    def __init__(self, fingerprinter: MinHashFingerprinter) -> None:
        super().__init__()
        self.dtype = fingerprinter.dtype
        self.words = np.full((1, 1 + fingerprinter.h), 0xFFFFFFFFFFFFFFFF, np.uint64)
        self.words[0, 0] = MINHASH_SCHEMA

    def _add(self, hashes: Sequence[Hashes]) -> None:
        from ..kernels.minhash import minhash_rows

        low, high, offsets = hashes[0]
        minhash_rows(low, high, offsets, self.words)

    def signature(self) -> Any:
        """The record."""
        return self.words.view(self.dtype)[0, 0]


def merge(*signatures: Any) -> Any:
    """Signature of the union of documents: the slot-wise minimum.

    Parameters
    ----------
    *signatures : record or array of records
        Two or more, all of one ``h``; they broadcast against each other.

    Returns
    -------
    record or array of records
        What a fingerprinter gives for the union of the token sets.

    Raises
    ------
    DimensionMismatchError
        If they differ in ``h``.

    Examples
    --------
    >>> import txtfp_np as tx
    >>> fp = MinHashFingerprinter(tokenizer=tx.WordTokenizer(), h=16)
    >>> one, other, both = fp.fingerprint(["red fox", "brown dog", "brown red dog fox"])
    >>> bool(merge(one, other) == both)
    True
    """
    if len(signatures) < 2:
        raise InvalidInputError(f"merge needs two signatures at least, got {len(signatures)}", argument="signatures")
    arrays = [np.asarray(signature) for signature in signatures]
    slots = [signature_slots(array.dtype) for array in arrays]
    for array, h in zip(arrays, slots, strict=True):
        if h is None:
            raise InvalidInputError(f"expected MinHash signatures, got {array.dtype}", argument="signatures")
        if h != slots[0]:
            raise DimensionMismatchError(slots[0], h, argument="signatures")
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        shapes = ", ".join(str(array.shape) for array in arrays)
        raise InvalidInputError(f"shapes {shapes} do not broadcast", argument="signatures") from None
    out = np.zeros(shape, minhash_dtype(slots[0]))  # type: ignore[arg-type]
    out["schema"] = MINHASH_SCHEMA
    least = out["hashes"]
    least[...] = arrays[0]["hashes"]
    for array in arrays[1:]:
        np.minimum(least, array["hashes"], out=least)
    return out[()]
