"""Longest common subsequences in plain Python. Imports neither NumPy nor the package."""

from itertools import pairwise


def longest_common(a, b):
    """Length of the longest common subsequence."""
    above = [0] * (len(b) + 1)
    for item in a:
        row = [0]
        for j, other in enumerate(b):
            row.append(above[j] + 1 if item == other else max(above[j + 1], row[j]))
        above = row
    return above[-1]


def is_matching(a, b, partner):
    """Whether equal items are matched, in order, each once."""
    matched = [(i, j) for i, j in enumerate(partner) if j >= 0]
    rising = all(first[1] < second[1] for first, second in pairwise(matched))
    return rising and all(a[i] == b[j] for i, j in matched)


def once_in_both(a, b):
    """Items that either side has exactly once."""
    return [item for item in a if a.count(item) == 1 and b.count(item) == 1]
