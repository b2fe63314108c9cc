"""seomoz/simhash's text hash of 2012-2016, bit by bit, with Jenkins' lookup3.c."""

import re

M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def _rot(x: int, k: int) -> int:
    return ((x << k) | (x >> (32 - k))) & M32


def hashlittle2(key: bytes) -> int:
    """``(c << 32) | b`` for seeds 0."""
    a = b = c = (0xDEADBEEF + len(key)) & M32
    while len(key) > 12:
        a, b, c = ((x + int.from_bytes(key[4 * i : 4 * i + 4], "little")) & M32 for i, x in enumerate((a, b, c)))
        for shift in (4, 6, 8, 16, 19, 4):
            # one step of mix(), and the roles move on: a -= c; a ^= rot(c, shift); c += b
            a = ((a - c) & M32) ^ _rot(c, shift)
            c = (c + b) & M32
            a, b, c = b, c, a
        key = key[12:]
    if key:
        a, b, c = ((x + int.from_bytes(key[4 * i : 4 * i + 4], "little")) & M32 for i, x in enumerate((a, b, c)))
        for shift in (14, 11, 25, 16, 4, 14, 24):
            # one step of final(): c ^= b; c -= rot(b, shift)
            c = ((c ^ b) - _rot(b, shift)) & M32
            a, b, c = b, c, a
        # seven steps turn the roles once and a third
        a, b, c = c, a, b
    return (c << 32) | b


def simhash(text: str) -> int:
    states, window, current = [], [0, 0, 0], 0
    for token in re.findall(r"[A-Za-z]+", text):
        new, oldest = hashlittle2(token.encode()), window.pop(0)
        window.append(new)
        current = ((current << 1 | current >> 63) ^ (oldest << 3 | oldest >> 61) ^ new) & M64
        states.append(current)
    bits = [sum(state >> bit & 1 for state in states) > len(states) // 2 for bit in range(64)]
    return int("".join("01"[bit] for bit in bits), 2)
