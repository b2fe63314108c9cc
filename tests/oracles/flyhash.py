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


def ranked_winners(tokens, weighting, bits, active, fan, family, seed):
    """The units that win, the most excited first."""
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
    return sorted(excited, key=lambda unit: (-activity[unit], unit))[:active]


def winners(*arguments):
    """The set of ones."""
    return set(ranked_winners(*arguments))


def overlap(a, b):
    """Cosine of two sets of ones."""
    return len(a & b) / math.sqrt(len(a) * len(b)) if a and b else 0.0


def ranked_overlap(a, b, places):
    """Cosine of two lists of winners, the first counting 5, and one behind the last 1."""
    weights = [5 * places - 4 * rank for rank in range(places)]
    shared = sum(weights[a.index(unit)] * weights[b.index(unit)] for unit in set(a) & set(b))
    norms = (sum(weight * weight for weight in weights[: len(units)]) for units in (a, b))
    return shared / math.sqrt(math.prod(norms)) if a and b else 0.0
