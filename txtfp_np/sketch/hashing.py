"""Hashing tokens: a family and a seed, or a user's own function."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import Scratch
from ..columns.checks import read_only
from ..errors import ConfigError, InvalidInputError, TokenizerError
from ..schema.identity import HashFamily
from ..tokenize.base import Spans

Words = NDArray[np.uint64]
HashFunction = Callable[[bytes], int]

_MOST_64 = (1 << 64) - 1
_MOST_128 = (1 << 128) - 1


def check_hasher(hasher: object) -> HashFamily | HashFunction:
    """A member of :class:`HashFamily`, or a function."""
    if isinstance(hasher, str):
        try:
            return HashFamily(hasher)
        except ValueError:
            pass
    elif callable(hasher):
        _check_function(hasher)
        return hasher
    names = ", ".join(repr(str(family)) for family in HashFamily)
    raise ConfigError(f"hasher must be {names} or a function bytes -> int, got {hasher!r}", argument="hasher")


def _check_function(hasher: HashFunction) -> None:
    """A function is part of an identity: it needs a name, and a hash that does not change."""
    if not isinstance(getattr(hasher, "name", None), str) and not hasattr(hasher, "__qualname__"):
        raise ConfigError(
            f"hasher {hasher!r} has no name",
            argument="hasher",
            advice="give it an attribute `name`: it goes into the config hash",
        )
    try:
        hash(hasher)
    except TypeError:
        raise ConfigError(f"hasher {hasher!r} is not hashable", argument="hasher") from None


def check_seed(seed: object) -> int:
    """``seed`` as an int of 64 bits."""
    if isinstance(seed, (int, np.integer)) and not isinstance(seed, bool) and 0 <= seed <= _MOST_64:
        return int(seed)
    raise ConfigError(f"seed must be an int of 64 bits, got {seed!r}", argument="seed")


_FAMILIES = {family: number for number, family in enumerate(HashFamily)}  # as the kernel numbers them


@lru_cache(maxsize=64)
def _secrets(seed: int) -> NDArray[np.uint8]:
    from ..kernels.hashing import secrets

    keys: NDArray[np.uint8] = secrets(seed)
    return keys


@dataclass(frozen=True)
class Hasher:
    """What turns tokens into 128-bit hashes."""

    function: HashFamily | HashFunction
    seed: int

    @property
    def name(self) -> str:
        """Name for config hashes: the crate's; of a function its attribute ``name``, or where it was defined."""
        if isinstance(self.function, HashFamily):
            return self.function.as_str()
        own = getattr(self.function, "name", None)
        if isinstance(own, str):
            return own
        return f"{self.function.__module__}.{getattr(self.function, '__qualname__', type(self.function).__name__)}"

    def hash_spans(self, spans: Spans, scratch: Scratch, key: str = "") -> tuple[Words, Words]:
        """Low and high half of every token's hash, views into ``scratch``."""
        n = len(spans.starts)
        low = scratch.take(f"hash-low{key}", n, np.uint64)
        high = scratch.take(f"hash-high{key}", n, np.uint64)
        if isinstance(self.function, HashFamily):
            from ..kernels.hashing import hash_spans

            family, secrets = _FAMILIES[self.function], _secrets(self.seed)
            hash_spans(spans.data, spans.base, spans.starts, spans.ends, family, secrets, low, high)
        else:
            self._call_function(spans, low, high)
        return read_only(low), read_only(high)

    def _call_function(self, spans: Spans, low: Words, high: Words) -> None:
        raw, base = spans.data.tobytes(), spans.base
        for i, (start, end) in enumerate(zip(spans.starts.tolist(), spans.ends.tolist(), strict=True)):
            token = raw[base + start : base + end]
            row = int(np.searchsorted(spans.offsets, i, "right")) - 1
            try:
                value: Any = self.function(token)  # type: ignore[operator]
            except Exception as error:
                raise TokenizerError(f"hasher failed on {token!r}: {error!r}", row=row, argument="hasher") from error
            if not isinstance(value, (int, np.integer)) or not 0 <= value <= _MOST_128:
                raise InvalidInputError(
                    f"hasher gave {value!r} for {token!r}, not an int of at most 128 bits", row=row, argument="hasher"
                )
            low[i], high[i] = int(value) & _MOST_64, int(value) >> 64
