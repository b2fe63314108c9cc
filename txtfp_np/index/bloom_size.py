"""How large the Bloom filters of an index must be for a chosen rate of mistakes."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..errors import ConfigError

_LINE_BITS = 512


class Size(NamedTuple):
    """Words of a filter, and bits a key."""

    words: int
    probes: int


def check_rate(value: object) -> float:
    """``value`` if it is a rate between 0 and 1."""
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if number and 0 < float(value) < 1:  # type: ignore[arg-type]
        return float(value)  # type: ignore[arg-type]
    raise ConfigError(f"error_rate must be a number in (0.0, 1.0), got {value!r}", argument="error_rate")


def size_for(capacity: int, error_rate: float, bands: int) -> Size:
    """The smallest filter, of whole cache lines, with the rate of one band at capacity.

    Examples
    --------
    >>> size = size_for(1_000_000, 1e-5, 16)
    >>> size.probes, round(size.words * 64 / 1_000_000, 2)
    (21, 29.74)
    """
    rate = -math.expm1(math.log1p(-error_rate) / bands)
    ideal = -math.log2(rate)
    choices = []
    for probes in {max(1, math.floor(ideal)), max(1, math.ceil(ideal))}:
        # a probe finds its bit set with 1 - exp(-probes * n / bits), and all of them by mistake with rate
        bits = -probes * capacity / math.log1p(-(rate ** (1 / probes)))
        choices.append((bits, probes))
    bits, probes = min(choices)
    return Size(math.ceil(bits / _LINE_BITS) * _LINE_BITS // 64, probes)
