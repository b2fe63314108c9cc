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


def least_containment(size, threshold):
    """Least number of shared values at which a set of this size is contained to the threshold."""
    return next((c for c in range(size + 1) if size == 0 or c / size >= threshold), size)


def first_equal(items):
    """First place of an equal item, for each."""
    return [items.index(item) for item in items]


def number_shared(sets):
    """For each value that several sets hold, which hold it; values in ascending order."""
    values = sorted(set().union(*sets)) if sets else []
    holders = [[d for d, one in enumerate(sets) if value in one] for value in values]
    return [who for who in holders if len(who) > 1]


def contained(sets, threshold):
    """Pairs (smaller, larger) of sets of which the smaller is in the larger one, up to the threshold."""
    pairs = []
    for a, one in enumerate(sets):
        for b, other in enumerate(sets):
            larger = (len(other), b) > (len(one), a)
            if larger and one and len(one & other) / len(one) >= threshold:
                pairs.append((a, b))
    return pairs


def dedup(texts, sets, threshold, rank, linkage="star", scope="resemblance"):
    """Pairs and representatives by comparing everything with everything.

    ``sets`` are the shingles of each text. Equal texts, or sets, stand by the one that is kept first.
    """
    n = len(texts)
    group = []
    for row in range(n):
        equal = [other for other in range(row) if sets[row] and sets[other] == sets[row]]
        group.append(equal[0] if equal else row)
    pairs = {}
    for i in range(n):
        for j in range(i + 1, n):
            if sets[i] and sets[j] and group[i] != group[j] and group[i] == i and group[j] == j:
                jaccard, containment = shares(sets[i], sets[j])
                share = jaccard if scope == "resemblance" else containment
                if share >= threshold:
                    pairs[i, j] = share
    best = {g: min((r for r in range(n) if group[r] == g), key=lambda r: rank[r]) for g in set(group)}
    linked = [(best[i], best[j]) for i, j in pairs]
    stands_by = (star if linkage == "star" else components)(n, linked, rank)
    stands_by = [stands_by[best[group[row]]] for row in range(n)]
    stars = {(group[row], row): 1.0 for row in range(n) if group[row] != row}
    return {**pairs, **stars}, stands_by
