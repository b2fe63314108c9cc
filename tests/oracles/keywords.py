"""The heaviest tokens of a document in plain Python."""

from math import log


def heaviest(tokens, weight_of, hash_of, size):
    """16-bit values of the heaviest distinct tokens: (1 + ln count) * weight, the smaller hash first among equals.

    ``weight_of(token)`` and the products are taken in double precision; tests choose weights whose order that decides.
    """
    counts = {}
    for token in tokens:
        counts[token] = counts.get(token, 0) + 1
    order = sorted(counts, key=lambda token: (-(1 + log(counts[token])) * weight_of(token), hash_of(token)))
    values = sorted(hash_of(token) % 65536 for token in order[:size])
    return values + [values[-1] if values else 0] * (size - len(values))
