"""FlyHash the slow and obvious way: Python ints, one unit after another. Imports neither NumPy nor the package."""

import math
from collections import Counter

from .sketches import MASK, halves


def mix(x):
    """SplitMix64's output function."""
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def units(token, family, seed, fan, bits):
    """The units that a token excites."""
    low, high = halves(token, family, seed)
    state = low ^ mix(high)
    return [(mix(state + (step + 1) * 0x9E3779B97F4A7C15 & MASK) >> 32) * bits >> 32 for step in range(fan)]


def winners(tokens, weighting, bits, active, fan, family, seed):
    """The set of ones."""
    activity = Counter()
    for token, count in Counter(tokens).items():
        if weighting == "uniform":
            weight = 1
        elif weighting == "tf":
            weight = count
        else:
            weight = round(count * weighting.get(token, 1.0) * 65536)
        for unit in units(token, family, seed, fan, bits):
            activity[unit] += weight
    excited = [unit for unit in activity if activity[unit] > 0]
    return set(sorted(excited, key=lambda unit: (-activity[unit], unit))[:active])


def overlap(a, b):
    """Cosine of two sets of ones."""
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0
