"""Measures of sequences, sets and vectors in plain Python. Imports neither NumPy nor the package."""

from collections import Counter
from fractions import Fraction
from math import fsum, sqrt


def levenshtein(a, b):
    """The table, a row at a time."""
    above = list(range(len(b) + 1))
    for row, x in enumerate(a, 1):
        here = [row]
        for column, y in enumerate(b, 1):
            here.append(min(above[column] + 1, here[column - 1] + 1, above[column - 1] + (x != y)))
        above = here
    return above[-1]


def set_jaccard(a, b):
    """Exact; 0 for two empty sets."""
    a, b = set(a), set(b)
    return Fraction(len(a & b), len(a | b)) if a | b else Fraction(0)


def multiset_jaccard(a, b):
    """Smaller counts over larger counts, exact; 0 for two empty multisets."""
    a, b = Counter(a), Counter(b)
    union = sum((a | b).values())
    return Fraction(sum((a & b).values()), union) if union else Fraction(0)


def cosine(a, b):
    """0 where a vector is zero."""
    norms = sqrt(fsum(x * x for x in a)) * sqrt(fsum(y * y for y in b))
    return fsum(x * y for x, y in zip(a, b, strict=True)) / norms if norms else 0.0


def manhattan(a, b):
    """Sum of the absolute differences."""
    return fsum(abs(x - y) for x, y in zip(a, b, strict=True))


def mahalanobis(a, b, inverse):
    """Root of the quadratic form of the difference, for the *inverse* of the covariance."""
    d = [x - y for x, y in zip(a, b, strict=True)]
    return sqrt(fsum(d[r] * inverse[r][c] * d[c] for r in range(len(d)) for c in range(len(d))))
