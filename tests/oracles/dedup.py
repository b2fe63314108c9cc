"""Linking of near-duplicates in plain Python. Imports neither NumPy nor the package."""


def numbered(labels):
    """The same partition with labels counted by first row."""
    seen = {}
    return [seen.setdefault(label, len(seen)) for label in labels]


def star(n, pairs, rank):
    """Representative of each row: in keep order, whoever is left takes the neighbours that are left."""
    neighbours = {row: set() for row in range(n)}
    for i, j in pairs:
        neighbours[i].add(j)
        neighbours[j].add(i)
    stands_by = [None] * n
    for row in sorted(range(n), key=lambda row: rank[row]):
        if stands_by[row] is None:
            stands_by[row] = row
            for other in neighbours[row]:
                if stands_by[other] is None:
                    stands_by[other] = row
    return stands_by


def components(n, pairs, rank):
    """Representative of each row: the best rank that can be reached over pairs."""
    stands_by = list(range(n))
    changed = True
    while changed:
        changed = False
        for i, j in pairs:
            best = min(stands_by[i], stands_by[j], key=lambda row: rank[row])
            if stands_by[i] != best or stands_by[j] != best:
                stands_by[i] = stands_by[j] = best
                changed = True
    return stands_by


def shares(a, b):
    """Jaccard similarity and containment of two sets."""
    common = len(a & b)
    return common / len(a | b), common / min(len(a), len(b))
