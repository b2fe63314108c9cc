"""Cosines of vectors in plain Python. Imports neither NumPy nor the package."""

import math


def cosine(a, b):
    """Of two vectors of numbers; 0 if one is zero. Exact up to the last rounding."""
    lengths = math.fsum(x * x for x in a), math.fsum(y * y for y in b)
    if 0 in lengths:
        return 0.0
    return math.fsum(x * y for x, y in zip(a, b, strict=True)) / math.sqrt(lengths[0]) / math.sqrt(lengths[1])


def near_pairs(vectors, threshold):
    """All pairs at or above the threshold, with their cosines."""
    n = len(vectors)
    found = {(i, j): cosine(vectors[i], vectors[j]) for i in range(n) for j in range(i + 1, n)}
    return {pair: share for pair, share in found.items() if share >= threshold}
