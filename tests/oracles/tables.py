"""Tables of entries, and candidates from them, in plain Python. Imports neither NumPy nor the package."""

NOTHING = 2**64 - 1
_MASK = 2**64 - 1


def fragment(key):
    return min(key >> 32, 2**32 - 2)


def entries(keys):
    """Of keys in the order of their rows."""
    return sorted(fragment(key) << 32 | row for row, key in enumerate(keys))


def table(entries, homes):
    """The words of a table, its last line being one that is not full."""
    words = []
    for entry in entries:
        home = 8 * ((entry >> 32) * homes >> 32)
        words += [NOTHING] * (home - len(words)) + [entry]
    lines = max(homes, len(words) // 8 + 1)
    return words + [NOTHING] * (8 * lines - len(words))


def candidates(segments, probe_keys, dead):
    """(band, row) of a probe: bands ascending, then rows, each row once.

    ``segments`` are (first row, keys of each row), oldest first.
    """
    found = {}
    for band, key in enumerate(probe_keys):
        for base, rows in segments:
            for i, keys in enumerate(rows):
                if fragment(keys[band]) == fragment(key) and base + i not in dead:
                    found.setdefault(base + i, band)
    return [(band, row) for row, band in found.items()]


def mixed(value):
    """The key of an id: MurmurHash3's finaliser."""
    value ^= value >> 33
    value = value * 0xFF51AFD7ED558CCD & _MASK
    value ^= value >> 33
    value = value * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ value >> 33


def unmixed(key):
    """The id that has a key."""
    key ^= key >> 33
    key = key * pow(0xC4CEB9FE1A85EC53, -1, 2**64) & _MASK
    key ^= key >> 33
    key = key * pow(0xFF51AFD7ED558CCD, -1, 2**64) & _MASK
    return key ^ key >> 33
