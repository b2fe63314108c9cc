"""Vectors of single precision in plain Python. Imports neither NumPy nor the package.

A double holds the product of two singles exactly, and rounding a double sum, quotient or root of singles
to a single is the same as computing it in single precision (53 >= 2 * 24 + 2).
"""

from __future__ import annotations

import math
import struct


def f32(value):
    """Nearest single-precision number."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def dot(a, b):
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total = f32(total + f32(x * y))
    return total


def norm(a):
    return f32(math.sqrt(dot(a, a)))


def cosine(a, b):
    return f32(dot(a, b) / f32(norm(a) * norm(b)))


def unit(vector):
    length = norm(vector)
    return [f32(x / length) for x in vector] if length > 0 and math.isfinite(length) else vector


def pool(tokens, mask, kind):
    """``tokens``: one list of numbers a token; a mask that is too short drops what it does not name."""
    if kind == "cls":
        return unit(tokens[0]) if tokens else []
    dim = len(tokens[0])
    kept = [token for position, token in enumerate(tokens) if position < len(mask) and mask[position]]
    if not kept:
        return [0.0] * dim
    if kind == "max":
        return unit([max(column) for column in zip(*kept, strict=True)])
    sums = [0.0] * dim
    for token in kept:
        sums = [f32(total + x) for total, x in zip(sums, token, strict=True)]
    share = f32(1 / len(kept))
    mean = [f32(total * share) for total in sums]
    return mean if kind == "mean_no_norm" else unit(mean)
