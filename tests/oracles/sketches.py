"""MinHash and SimHash the slow and obvious way: Python ints, one token after another, an explicit mask.

Imports neither NumPy nor the package. XXH3 and XXH64 are those of ``xxhash``; MurmurHash3 x64-128 is
written out, because ``mmh3`` has 32 bits of seed and the Rust crate starts both lanes from 64.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import xxhash

MASK = (1 << 64) - 1
MOST, LEAST = (1 << 63) - 1, -(1 << 63)
DEFAULT_SEED = 0x00C0FFEE5EED


# ── hashes ──────────────────────────────────────────────────────────────────────────────────────
def _rotate(value: int, count: int) -> int:
    return ((value << count) | (value >> (64 - count))) & MASK


def _final(h: int) -> int:
    h ^= h >> 33
    h = h * 0xFF51AFD7ED558CCD & MASK
    h ^= h >> 33
    h = h * 0xC4CEB9FE1A85EC53 & MASK
    return h ^ (h >> 33)


def murmur3_x64_128(data: bytes, seed: int) -> tuple[int, int]:
    """(h1, h2), both lanes starting from the whole seed."""
    c1, c2 = 0x87C37B91114253D5, 0x4CF5AD432745937F
    h1 = h2 = seed
    whole = len(data) - len(data) % 16
    for at in range(0, whole, 16):
        k1, k2 = struct.unpack_from("<QQ", data, at)
        h1 ^= _rotate(k1 * c1 & MASK, 31) * c2 & MASK
        h1 = ((_rotate(h1, 27) + h2) * 5 + 0x52DCE729) & MASK
        h2 ^= _rotate(k2 * c2 & MASK, 33) * c1 & MASK
        h2 = ((_rotate(h2, 31) + h1) * 5 + 0x38495AB5) & MASK
    tail = data[whole:]
    k1, k2 = int.from_bytes(tail[:8], "little"), int.from_bytes(tail[8:], "little")
    h2 ^= _rotate(k2 * c2 & MASK, 33) * c1 & MASK
    h1 ^= _rotate(k1 * c1 & MASK, 31) * c2 & MASK
    h1, h2 = h1 ^ len(data), h2 ^ len(data)
    h1 = (h1 + h2) & MASK
    h2 = (h2 + h1) & MASK
    h1, h2 = _final(h1), _final(h2)
    h1 = (h1 + h2) & MASK
    return h1, (h2 + h1) & MASK


def halves(token: str, family: str | Callable[[bytes], int], seed: int) -> tuple[int, int]:
    """Low and high half of a token's hash."""
    data = token.encode()
    if callable(family):
        value = family(data)
    elif family == "xxh3_64":
        value = xxhash.xxh3_128_intdigest(data, seed)
    elif family == "xxh64":
        value = xxhash.xxh64_intdigest(data, seed)
    elif family == "murmur3_x64_128":
        return murmur3_x64_128(data, seed)
    else:
        raise ValueError(family)
    return value & MASK, value >> 64


# ── MinHash ─────────────────────────────────────────────────────────────────────────────────────
def minhash(tokens: Iterable[str], h: int = 128, family: str = "xxh3_64", seed: int = DEFAULT_SEED) -> list[int]:
    """Slots; all ones if there is no token."""
    slots = [MASK] * h
    for token in tokens:
        low, high = halves(token, family, seed)
        for i in range(h):
            slots[i] = min(slots[i], (low + i * high) & MASK)
    return slots


def merge(*signatures: Sequence[int]) -> list[int]:
    """Slots of the union."""
    return [min(slots) for slots in zip(*signatures, strict=True)]


def record(slots: Sequence[int]) -> bytes:
    """The bytes of a signature."""
    return struct.pack(f"<H6x{len(slots)}Q", 1, *slots)


# ── SimHash ─────────────────────────────────────────────────────────────────────────────────────
def single(value: float) -> float:
    """``value`` rounded to single precision."""
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def weight(count: int, idf: float) -> int:
    """What a token adds or takes: a product in double precision, 1 if not finite, clamped, cut toward zero."""
    product = count * single(idf)
    if not math.isfinite(product):
        product = 1.0
    return math.trunc(max(-1e15, min(1e15, product)))


def _weighted(tokens: Sequence[str], weighting: str, idf: Mapping[str, float]) -> list[tuple[str, int]]:
    if weighting == "tf":
        return [(token, 1) for token in tokens]
    counts = Counter(tokens)
    if weighting == "uniform":
        return [(token, 1) for token in counts]
    return [(token, weight(count, idf.get(token, 1.0))) for token, count in counts.items()]


def simhash(
    tokens: Sequence[str],
    weighting: str = "tf",
    bits: int = 64,
    tie: str = "zero",
    family: str | Callable[[bytes], int] = "xxh3_64",
    seed: int = DEFAULT_SEED,
    idf: Mapping[str, float] | None = None,
) -> list[int]:
    """Words of the fingerprint, the lowest first; 32 bits are the low half of the only word."""
    weighted = _weighted(tokens, weighting, idf or {})
    words = []
    for number in range(max(bits // 64, 1)):
        sums = [0] * 64
        for token, worth in weighted:
            value = halves(token, family, (seed + number // 2) & MASK)[number % 2]
            for bit in range(64):
                total = sums[bit] + (worth if value >> bit & 1 else -worth)
                sums[bit] = max(LEAST, min(MOST, total))
        wins = [total > 0 or (total == 0 and tie == "one" and bool(tokens)) for total in sums]
        words.append(sum(1 << bit for bit in range(64) if wins[bit]))
    return [words[0] & 0xFFFFFFFF] if bits == 32 else words


# ── inverse document frequencies ────────────────────────────────────────────────────────────────
def fit_idf(documents: Iterable[Sequence[str]]) -> dict[str, float]:
    """``ln((1 + n) / (1 + df)) + 1`` in double precision, tokens in order of first appearance."""
    frequencies: dict[str, int] = {}
    n = 0
    for tokens in documents:
        n += 1
        for token in dict.fromkeys(tokens):
            frequencies[token] = frequencies.get(token, 0) + 1
    return {token: math.log((1 + n) / (1 + df)) + 1 for token, df in frequencies.items()}
