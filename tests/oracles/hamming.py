"""Close pairs and neighbours by comparing everything with everything. Fingerprints are Python ints."""


def distance(a: int, b: int) -> int:
    return (a ^ b).bit_count()


def find_all(values: list[int], k: int, distinct: bool = False) -> list[tuple[int, int, int]]:
    """(i, j, distance) of every pair within ``k`` bits, i < j, sorted."""
    rows = [i for i, value in enumerate(values) if not distinct or value not in values[:i]]
    return [
        (i, j, distance(values[i], values[j]))
        for place, i in enumerate(rows)
        for j in rows[place + 1 :]
        if distance(values[i], values[j]) <= k
    ]


def query(values: list[int], probes: list[int], k: int) -> list[list[tuple[int, int]]]:
    """(position, distance) of everything within ``k`` bits of each probe."""
    return [[(i, distance(v, probe)) for i, v in enumerate(values) if distance(v, probe) <= k] for probe in probes]


def clusters(n: int, pairs: list[tuple[int, int, int]]) -> list[list[int]]:
    """Connected components of two or more, each ascending, in order of their first members."""
    component = list(range(n))
    changed = True
    while changed:
        changed = False
        for i, j, _ in pairs:
            low = min(component[i], component[j])
            if component[i] != low or component[j] != low:
                component[i] = component[j] = low
                changed = True
    found: dict[int, list[int]] = {}
    for row in range(n):
        found.setdefault(component[row], []).append(row)
    return [members for members in found.values() if len(members) > 1]
