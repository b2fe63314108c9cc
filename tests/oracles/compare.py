"""Similarities of signatures in plain Python. Imports neither NumPy nor the package."""


def jaccard(a, b):
    """Share of equal slots of two lists of slots, as a double; exact, so also the nearest float32 is known."""
    return sum(x == y for x, y in zip(a, b, strict=True)) / len(a)


def hamming(a, b):
    """Differing bits of two fingerprints given as lists of words."""
    distance = 0
    for x, y in zip(a, b, strict=True):
        difference = x ^ y
        while difference:
            distance += difference & 1
            difference >>= 1
    return distance
