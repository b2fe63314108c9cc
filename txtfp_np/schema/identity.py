"""What identifies a signature: the hash of the configuration that made it, names, metadata.

Two signatures may be compared only if everything that decided their bytes was the same. The crate
leaves that to its caller; the config hash makes it one comparison of two integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Protocol, cast

import numpy as np
import xxhash

from ..errors import ConfigError, InvalidInputError
from ..options import check_choice, check_count
from .embedding import Embedding
from .signatures import (
    SIMHASH_SCHEMA,
    check_word,
    one_signature,
    signature_display,
    simhash_display,
)

UNCOMPUTED_CONFIG_HASH = 0
"""Config hash of metadata that was made without knowing the configuration; agrees with nothing."""

_TLSH_CHARACTERS = 72
_MAX_U64 = (1 << 64) - 1


class HashFamily(StrEnum):
    """Hash functions. Wherever one is asked for, its name will do, also in the crate's spelling.

    Examples
    --------
    >>> HashFamily("mmh3-x64-128"), HashFamily.XXH3_64.as_str()
    (<HashFamily.MURMUR3_X64_128: 'murmur3_x64_128'>, 'xxh3-64')
    """

    XXH3_64 = "xxh3_64"
    """XXH3-128 with a seed, split into two halves; "64" is the crate's name for it."""
    MURMUR3_X64_128 = "murmur3_x64_128"
    """MurmurHash3 x64 128; both lanes start from the whole 64-bit seed."""
    XXH64 = "xxh64"
    """XXH64; not in the crate."""

    def as_str(self) -> str:
        """The crate's spelling, part of every config hash."""
        return _CRATE_SPELLINGS[self]

    @classmethod
    def _missing_(cls, value: object) -> HashFamily | None:
        return next((member for member, name in _CRATE_SPELLINGS.items() if name == value), None)


_CRATE_SPELLINGS = {
    HashFamily.XXH3_64: "xxh3-64",
    HashFamily.MURMUR3_X64_128: "mmh3-x64-128",
    HashFamily.XXH64: "xxh64",
}


class Configured(Protocol):
    """Anything with a ``config_string``, as :class:`Canonicalizer` has."""

    def config_string(self) -> str:
        """Text that names the configuration."""
        ...


def config_hash(canon: Configured | str, tokenizer_name: str, algo_cfg: str) -> int:
    """Number that stands for a canonicaliser, a tokenizer and an algorithm's options.

    Parameters
    ----------
    canon : Canonicalizer or str
        Or the text of its ``config_string()``.
    tokenizer_name : str
        ``name`` of the tokenizer.
    algo_cfg : str
        Any text that tells the algorithm and its options; the crate fixes no form.

    Returns
    -------
    int
        XXH3-64 of the three, joined by ``|``.

    See Also
    --------
    config_hash_classical : Adds the hash function and the seed.

    Examples
    --------
    >>> hex(config_hash("nfkc-cf-simple-bidi-fmt", "word-uax29", "h128-mmh3"))
    '0xfdcb1c70a47c7649'
    """
    return config_hash_of(_config_string(canon), _text("tokenizer_name", tokenizer_name), _text("algo_cfg", algo_cfg))


def config_hash_classical(
    canon: Configured | str, tokenizer_name: str, algo_cfg: str, hasher: HashFamily | str, seed: int
) -> int:
    """:func:`config_hash` with the hash function and its seed, for MinHash and SimHash.

    Parameters
    ----------
    canon, tokenizer_name, algo_cfg
        As in :func:`config_hash`.
    hasher : HashFamily or str
        In either spelling.
    seed : int
        0 to 2**64 - 1.

    Returns
    -------
    int

    Raises
    ------
    ConfigError
        If there is no such hash function, or the seed has no 64 bits.

    Examples
    --------
    >>> hex(config_hash_classical("nfkc-cf-simple-bidi-fmt", "word-uax29", "h128-mmh3", "xxh3_64", 828927532781))
    '0x713f9ce9aa7b4e5d'
    """
    family = check_choice("hasher", hasher, HashFamily)
    number = check_count("seed", seed, least=0, most=_MAX_U64)
    parts = [_config_string(canon), _text("tokenizer_name", tokenizer_name), _text("algo_cfg", algo_cfg)]
    return config_hash_of(*parts, family.as_str(), f"{number:016x}")


def config_hash_of(*parts: str) -> int:
    """XXH3-64 of ``parts`` joined by ``|``: what both config hashes are."""
    return int(xxhash.xxh3_64_intdigest("|".join(parts).encode()))


def _config_string(canon: object) -> str:
    describe = getattr(canon, "config_string", None)
    return _text("canon", describe() if callable(describe) else canon, "a Canonicalizer or a str")


def _text(argument: str, value: object, wanted: str = "a str") -> str:
    if isinstance(value, str):
        return value
    raise ConfigError(f"{argument} must be {wanted}, got {value!r}", argument=argument)


@dataclass(frozen=True)
class FingerprintMetadata:
    """What to keep beside a stored fingerprint.

    Parameters
    ----------
    algorithm : str
        ``minhash-h128``, ``simhash-b64``, ``tlsh`` or ``embedding``.
    config_hash : int
        From :func:`config_hash`, or :data:`UNCOMPUTED_CONFIG_HASH`.
    model_id : str or None
        Model of an embedding.
    schema_version : int
        Schema version of the signature.
    byte_size : int
        Bytes that the signature takes.

    Examples
    --------
    >>> Fingerprint.simhash(7).metadata().with_config_hash(42)
    FingerprintMetadata(algorithm='simhash-b64', config_hash=42, model_id=None, schema_version=1, byte_size=8)
    """

    algorithm: str
    config_hash: int
    model_id: str | None
    schema_version: int
    byte_size: int

    def with_config_hash(self, config_hash: int) -> FingerprintMetadata:
        """A copy with another config hash."""
        return replace(self, config_hash=check_count("config_hash", config_hash, least=0, most=_MAX_U64))


class Fingerprint:
    """One signature of any kind, for places that hold several kinds.

    Made by :meth:`minhash`, :meth:`simhash`, :meth:`tlsh` or :meth:`embedding`; frozen.

    Attributes
    ----------
    kind : {"minhash", "simhash", "tlsh", "embedding"}
    value : np.void, np.uint64, str or Embedding
        The signature itself.

    Examples
    --------
    >>> from txtfp_np.schema import empty_signature
    >>> fingerprint = Fingerprint.minhash(empty_signature(128))
    >>> fingerprint.name(), fingerprint.metadata().byte_size
    ('minhash-h128-v1', 1032)
    >>> Fingerprint.simhash(0xFF)
    Fingerprint.simhash(SimHash64(00000000000000ff))
    """

    __slots__ = ("_algorithm", "_byte_size", "_kind", "_schema_version", "_value")

    _kind: str
    _value: Any
    _algorithm: str
    _schema_version: int
    _byte_size: int

    def __init__(self) -> None:
        raise TypeError("use Fingerprint.minhash, .simhash, .tlsh or .embedding")

    @classmethod
    def _make(cls, kind: str, value: object, algorithm: str, schema_version: int, byte_size: int) -> Fingerprint:
        self = object.__new__(cls)
        parts = (algorithm, byte_size, kind, schema_version, value)
        for name, part in zip(cls.__slots__, parts, strict=True):
            object.__setattr__(self, name, part)
        return self

    @classmethod
    def minhash(cls, sig: np.void) -> Fingerprint:
        """A MinHash signature.

        Parameters
        ----------
        sig : record of minhash_dtype(h)
            The crate has this for ``h`` = 128 only; other sizes are named likewise
            (``minhash-h256-v1``).
        """
        words = one_signature(sig)
        # A frozen value must not change with the array it came from; np.array(record) would share its memory.
        record = np.asarray(sig).copy()
        record.flags.writeable = False
        schema = int(record["schema"])
        return cls._make("minhash", record[()], f"minhash-h{len(words) - 1}", schema, words.nbytes)

    @classmethod
    def simhash(cls, value: int | np.uint64) -> Fingerprint:
        """A 64-bit SimHash."""
        return cls._make("simhash", np.uint64(check_word(value)), "simhash-b64", SIMHASH_SCHEMA, 8)

    @classmethod
    def tlsh(cls, text: str | bytes) -> Fingerprint:
        """A TLSH digest: ``T1`` and 70 hexadecimal digits.

        The crate's own constructor asks for 70 characters in all and so refuses what the crate
        makes; here the digests that it makes are taken.
        """
        digest = _check_tlsh(text)
        return cls._make("tlsh", digest, "tlsh", 1, len(digest))

    @classmethod
    def embedding(cls, embedding: Embedding) -> Fingerprint:
        """An embedding. It is kept as it is, not copied."""
        if not isinstance(embedding, Embedding):
            raise InvalidInputError(f"expected an Embedding, got {type(embedding).__name__}", argument="embedding")
        return cls._make("embedding", embedding, "embedding", 1, embedding.vector.nbytes)

    @property
    def kind(self) -> str:
        """Which of the four it is."""
        return self._kind

    @property
    def value(self) -> Any:
        """The signature itself."""
        return self._value

    def name(self) -> str:
        """Stable name for storage keys; says nothing about the configuration.

        Examples
        --------
        >>> Fingerprint.embedding(Embedding([1.0], model_id="minilm")).name()
        'embedding/minilm-v1'
        """
        model = self._model_id()
        infix = "" if model is None else f"/{model}"
        return f"{self._algorithm}{infix}-v{self._schema_version}"

    def metadata(self) -> FingerprintMetadata:
        """Metadata with the config hash left open (:data:`UNCOMPUTED_CONFIG_HASH`)."""
        return self._metadata(UNCOMPUTED_CONFIG_HASH)

    def metadata_with(self, canon: Configured | str, tokenizer_name: str, algo_cfg: str) -> FingerprintMetadata:
        """Metadata with the :func:`config_hash` of what is given.

        Examples
        --------
        >>> hex(Fingerprint.simhash(7).metadata_with("nfc-cf-simple-bidi-fmt", "grapheme-uax29", "b64").config_hash)
        '0xf0c7c558259f2005'
        """
        return self._metadata(config_hash(canon, tokenizer_name, algo_cfg))

    def _metadata(self, number: int) -> FingerprintMetadata:
        return FingerprintMetadata(self._algorithm, number, self._model_id(), self._schema_version, self._byte_size)

    def _model_id(self) -> str | None:
        return cast(Embedding, self._value).model_id if self._kind == "embedding" else None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"a Fingerprint is frozen: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Fingerprint is frozen: cannot delete {name}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Fingerprint):
            return NotImplemented
        if self._algorithm != other._algorithm:
            return False
        if self._kind == "minhash":  # every byte counts, the padding too
            return bool(self._value.tobytes() == other._value.tobytes())
        return bool(self._value == other._value)

    __hash__ = None  # type: ignore[assignment]  # an embedding can be changed in place

    def __reduce__(self) -> tuple[Any, ...]:
        return (getattr(Fingerprint, self._kind), (self._value,))

    def __repr__(self) -> str:
        shown = _DISPLAYS.get(self._kind, repr)(self._value)
        return f"Fingerprint.{self._kind}({shown})"


_DISPLAYS: dict[str, Callable[[Any], str]] = {"minhash": signature_display, "simhash": simhash_display}


def _check_tlsh(text: str | bytes) -> str:
    if isinstance(text, bytes):
        text = text.decode("latin-1")
    if not isinstance(text, str):
        raise InvalidInputError(f"TLSH hex must be a str or bytes, got {type(text).__name__}", argument="text")
    if len(text) != _TLSH_CHARACTERS:
        raise InvalidInputError(f"TLSH hex must be {_TLSH_CHARACTERS} chars, got {len(text)}", argument="text")
    if not text.startswith("T1"):
        raise InvalidInputError("TLSH hex must start with 'T1'", argument="text")
    if not re.fullmatch("[0-9A-Fa-f]*", text[2:]):
        raise InvalidInputError("TLSH hex contains non-hex characters", argument="text")
    return str(text)
