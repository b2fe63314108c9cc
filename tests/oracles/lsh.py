"""The banded index of the Rust crate as a dict of lists. Imports neither NumPy nor the package."""

import struct

import xxhash


def band_keys(slots, bands, rows):
    """XXH3-64 of each band's slots as little-endian bytes."""
    return [
        xxhash.xxh3_64_intdigest(struct.pack(f"<{rows}Q", *slots[band * rows : (band + 1) * rows]))
        for band in range(bands)
    ]


class NaiveLsh:
    """Same methods, signatures being lists of slots."""

    def __init__(self, bands, rows):
        self.bands, self.rows = bands, rows
        self.tables = [{} for _ in range(bands)]
        self.slots = {}

    def insert(self, id, slots):
        self.remove(id)
        self.slots[id] = list(slots)
        for table, key in zip(self.tables, band_keys(slots, self.bands, self.rows), strict=True):
            table.setdefault(key, []).append(id)

    def remove(self, id):
        slots = self.slots.pop(id, None)
        if slots is not None:
            for table, key in zip(self.tables, band_keys(slots, self.bands, self.rows), strict=True):
                table[key].remove(id)
        return slots

    def query(self, slots):
        seen = {}
        for table, key in zip(self.tables, band_keys(slots, self.bands, self.rows), strict=True):
            for id in table.get(key, []):
                seen.setdefault(id)
        return list(seen)

    def equal(self, id, slots):
        return sum(x == y for x, y in zip(self.slots[id], slots, strict=True))

    def query_with(self, slots, needed):
        return [id for id in self.query(slots) if self.equal(id, slots) >= needed]

    def pairs(self, needed):
        """All pairs that share a band and are similar enough, as sets of two."""
        return {frozenset((a, b)) for a, slots in self.slots.items() for b in self.query_with(slots, needed) if a != b}
