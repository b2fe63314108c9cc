"""Winnowing the slow and obvious way: every window looked at from its begin to its end.

Imports neither NumPy nor the package. After Schleimer, Wilkerson, Aiken, SIGMOD 2003.
"""

PRIME = 2**61 - 1
BASE = 0x243F6A8885A308D3 % 2**61
MASK = 2**64 - 1


def mix(x):
    x ^= x >> 33
    x = x * 0xFF51AFD7ED558CCD & MASK
    x ^= x >> 33
    x = x * 0xC4CEB9FE1A85EC53 & MASK
    return x ^ x >> 33


def grams(tokens, k):
    """Hashes of all runs of ``k`` token hashes; of one run of all if there are fewer."""
    if k == 1:
        return list(tokens)
    width = min(k, len(tokens))
    runs = [tokens[at : at + width] for at in range(len(tokens) - width + 1)] if tokens else []
    return [mix(sum(token * pow(BASE, width - 1 - at, PRIME) for at, token in enumerate(run)) % PRIME) for run in runs]


def winnow(values, window):
    """Places of the smallest value of each window, the last of equal ones; each once."""
    picks = []
    width = min(window, len(values))
    for begin in range(len(values) - width + 1) if values else ():
        best = max(range(begin, begin + width), key=lambda place: (-values[place], place))
        if not picks or picks[-1] != best:
            picks.append(best)
    return picks


def common_runs(a, b, least):
    """All (begin in a, begin in b, length) of longest runs of equal items, of at least ``least``."""
    found = []
    for i in range(len(a)):
        for j in range(len(b)):
            if a[i] != b[j] or (i and j and a[i - 1] == b[j - 1]):
                continue
            n = 0
            while i + n < len(a) and j + n < len(b) and a[i + n] == b[j + n]:
                n += 1
            if n >= least:
                found.append((i, j, n))
    return sorted(found)


def join(boxes, gap):
    """Boxes (begin, end, begin, end) around boxes that are near in both texts, until no two are; sorted."""
    boxes = sorted(set(boxes))
    for one in boxes:
        for other in boxes:
            if one < other and all(max(one[at], other[at]) - min(one[at + 1], other[at + 1]) <= gap for at in (0, 2)):
                both = tuple((max if at % 2 else min)(one[at], other[at]) for at in range(4))
                return join([box for box in boxes if box not in (one, other)] + [both], gap)
    return boxes
