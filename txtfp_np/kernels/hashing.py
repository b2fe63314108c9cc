"""XXH3 (64 and 128 bits) and XXH64, and spans of bytes hashed by them or by MurmurHash3, each with a 64-bit seed.

Written from the specification of the xxHash family; the oracles are the packages
``xxhash`` and ``mmh3`` and the vectors of the Rust crate.

All take the address of the bytes, their number, and the address of :func:`secrets` of the seed.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .intrinsics import address, multiply_high, peek_u8, peek_u32, peek_u64, swap_bytes
from .murmur import murmur3_128, rotate

XXH3_128, MURMUR3_128, XXH64 = 0, 1, 2  # the families

_P32_1 = np.uint64(0x9E3779B1)
_P32_2 = np.uint64(0x85EBCA77)
_P32_3 = np.uint64(0xC2B2AE3D)
_P64_1 = np.uint64(0x9E3779B185EBCA87)
_P64_2 = np.uint64(0xC2B2AE3D27D4EB4F)
_P64_3 = np.uint64(0x165667B19E3779F9)
_P64_4 = np.uint64(0x85EBCA77C2B2AE63)
_P64_5 = np.uint64(0x27D4EB2F165667C5)
_MX1 = np.uint64(0x165667919E3779F9)
_MX2 = np.uint64(0x9FB21C651E98DF25)
_LOW = np.uint64(0xFFFFFFFF)

# The default secret of XXH3: 192 bytes fixed by its specification.
SECRET = np.frombuffer(
    bytes.fromhex(
        "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
        "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
        "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
        "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364"
        "eac5ac8334d3ebc3c581a0fffa1363eb170ddd51b7f0da49d316552629d4689e"
        "2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e"
    ),
    np.uint8,
)


SEEDED = 192  # where the second secret begins
_SEED = 384  # where the seed itself stands


def secrets(seed):
    """The default secret, the one of XXH3's long form (its words plus and minus the seed in turn), the seed."""
    words = SECRET.view("<u8").reshape(-1, 2).copy()
    words[:, 0] += np.uint64(seed)
    words[:, 1] -= np.uint64(seed)
    parts = [SECRET, words.ravel().view(np.uint8), np.array([seed], "<u8").view(np.uint8)]
    everything = np.concatenate(parts)
    everything.flags.writeable = False
    return everything


@helper
def _fold(a, b):
    """Both halves of the 128-bit product, xored."""
    return (a * b) ^ multiply_high(a, b)


@helper
def _avalanche(h):
    h ^= h >> np.uint64(37)
    h *= _MX1
    return h ^ (h >> np.uint64(32))


@helper
def _avalanche_xxh64(h):
    h ^= h >> np.uint64(33)
    h *= _P64_2
    h ^= h >> np.uint64(29)
    h *= _P64_3
    return h ^ (h >> np.uint64(32))


@helper
def _mix16(at, secret, seed):
    return _fold(peek_u64(at) ^ (peek_u64(secret) + seed), peek_u64(at + 8) ^ (peek_u64(secret + 8) - seed))


@helper
def _sum16(at):
    return peek_u64(at) + peek_u64(at + 8)


@helper
def _swap32(value):
    """Byte order of the low 32 bits reversed."""
    return swap_bytes(value) >> np.uint64(32)


@helper
def _short_bytes(at, length):
    """What 1 to 3 bytes become: first, middle and last byte and the length."""
    first, middle, last = peek_u8(at), peek_u8(at + (length >> 1)), peek_u8(at + length - 1)
    return (first << np.uint64(16)) | (middle << np.uint64(24)) | last | (np.uint64(length) << np.uint64(8))


# ── XXH3, 128 bits ──────────────────────────────────────────────────────────────────────────────
@helper
def _xxh3_128_tiny(at, length, seed, secret):
    """0 to 16 bytes."""
    size = np.uint64(length)
    if length > 8:
        low = peek_u64(at)
        high = peek_u64(at + length - 8)
        key = low ^ high ^ ((peek_u64(secret + 32) ^ peek_u64(secret + 40)) - seed)
        high ^= (peek_u64(secret + 48) ^ peek_u64(secret + 56)) + seed
        product_low = key * _P64_1 + ((size - np.uint64(1)) << np.uint64(54))
        product_high = multiply_high(key, _P64_1)
        product_high += high + (high & _LOW) * (_P32_2 - np.uint64(1))
        product_low ^= swap_bytes(product_high)
        result_high = multiply_high(product_low, _P64_2) + product_high * _P64_2
        return _avalanche(product_low * _P64_2), _avalanche(result_high)
    if length >= 4:
        seed ^= _swap32(seed) << np.uint64(32)
        word = peek_u32(at) | (peek_u32(at + length - 4) << np.uint64(32))
        key = word ^ ((peek_u64(secret + 16) ^ peek_u64(secret + 24)) + seed)
        factor = _P64_1 + (size << np.uint64(2))
        low, high = key * factor, multiply_high(key, factor)
        high += low << np.uint64(1)
        low ^= high >> np.uint64(3)
        low ^= low >> np.uint64(35)
        low *= _MX2
        low ^= low >> np.uint64(28)
        return low, _avalanche(high)
    if length > 0:
        low = _short_bytes(at, length)
        swapped = _swap32(low)
        high = ((swapped << np.uint64(13)) | (swapped >> np.uint64(19))) & _LOW
        flip_low = peek_u32(secret) ^ peek_u32(secret + 4)
        flip_high = peek_u32(secret + 8) ^ peek_u32(secret + 12)
        return _avalanche_xxh64(low ^ (flip_low + seed)), _avalanche_xxh64(high ^ (flip_high - seed))
    return (
        _avalanche_xxh64(seed ^ peek_u64(secret + 64) ^ peek_u64(secret + 72)),
        _avalanche_xxh64(seed ^ peek_u64(secret + 80) ^ peek_u64(secret + 88)),
    )


@helper
def _mix32(low, high, first, second, secret, seed):
    low = (low + _mix16(first, secret, seed)) ^ _sum16(second)
    high = (high + _mix16(second, secret + 16, seed)) ^ _sum16(first)
    return low, high


@helper
def _finish_128(low, high, length, seed):
    mixed = low * _P64_1 + high * _P64_4 + (np.uint64(length) - seed) * _P64_2
    return _avalanche(low + high), np.uint64(0) - _avalanche(mixed)


@helper
def _xxh3_128_short(at, length, seed, secret):
    """17 to 128 bytes."""
    low, high = np.uint64(length) * _P64_1, np.uint64(0)
    end = at + length
    if length > 32:
        if length > 64:
            if length > 96:
                low, high = _mix32(low, high, at + 48, end - 64, secret + 96, seed)
            low, high = _mix32(low, high, at + 32, end - 48, secret + 64, seed)
        low, high = _mix32(low, high, at + 16, end - 32, secret + 32, seed)
    low, high = _mix32(low, high, at, end - 16, secret, seed)
    return _finish_128(low, high, length, seed)


@routine
def _xxh3_128_middle(at, length, seed, secret):
    """129 to 240 bytes."""
    low, high = np.uint64(length) * _P64_1, np.uint64(0)
    for i in range(4):
        low, high = _mix32(low, high, at + 32 * i, at + 32 * i + 16, secret + 32 * i, seed)
    low, high = _avalanche(low), _avalanche(high)
    for i in range(4, length // 32):
        low, high = _mix32(low, high, at + 32 * i, at + 32 * i + 16, secret + 3 + 32 * (i - 4), seed)
    end = at + length
    low, high = _mix32(low, high, end - 16, end - 32, secret + 103, np.uint64(0) - seed)
    return _finish_128(low, high, length, seed)


# ── XXH3, long form ─────────────────────────────────────────────────────────────────────────────
@helper
def _lane(at, secret):
    """A word of input, and what it adds to its own lane; the word itself goes to the neighbour."""
    value = peek_u64(at)
    key = value ^ peek_u64(secret)
    return value, (key & _LOW) * (key >> np.uint64(32))


@helper
def _pair(even, odd, at, secret):
    value, product = _lane(at, secret)
    neighbour, neighbour_product = _lane(at + 8, secret + 8)
    return even + product + neighbour, odd + neighbour_product + value


@helper
def _scramble(lane, key):
    return ((lane ^ (lane >> np.uint64(47))) ^ key) * _P32_1


@helper
def _merge(a, b, c, d, e, f, g, i, secret, h):
    h += _fold(a ^ peek_u64(secret), b ^ peek_u64(secret + 8))
    h += _fold(c ^ peek_u64(secret + 16), d ^ peek_u64(secret + 24))
    h += _fold(e ^ peek_u64(secret + 32), f ^ peek_u64(secret + 40))
    h += _fold(g ^ peek_u64(secret + 48), i ^ peek_u64(secret + 56))
    return _avalanche(h)


@routine
def _xxh3_long(at, length, secret):
    """More than 240 bytes; both halves of the 128-bit form, the low one being the 64-bit form."""
    secret += SEEDED
    # Eight lanes as eight variables: they stay in registers, and nothing is allocated.
    a, b, c, d = _P32_3, _P64_1, _P64_2, _P64_3
    e, f, g, i = _P64_4, _P32_2, _P64_5, _P32_1
    stripes = (length - 1) // 64
    for stripe in range(stripes + 1):
        last = stripe == stripes
        position = at + length - 64 if last else at + 64 * stripe
        key = secret + 121 if last else secret + 8 * (stripe & 15)
        a, b = _pair(a, b, position, key)
        c, d = _pair(c, d, position + 16, key + 16)
        e, f = _pair(e, f, position + 32, key + 32)
        g, i = _pair(g, i, position + 48, key + 48)
        if stripe & 15 == 15 and not last:
            a, b = _scramble(a, peek_u64(secret + 128)), _scramble(b, peek_u64(secret + 136))
            c, d = _scramble(c, peek_u64(secret + 144)), _scramble(d, peek_u64(secret + 152))
            e, f = _scramble(e, peek_u64(secret + 160)), _scramble(f, peek_u64(secret + 168))
            g, i = _scramble(g, peek_u64(secret + 176)), _scramble(i, peek_u64(secret + 184))
    size = np.uint64(length)
    low = _merge(a, b, c, d, e, f, g, i, secret + 11, size * _P64_1)
    return low, _merge(a, b, c, d, e, f, g, i, secret + 117, ~(size * _P64_2))


@helper
def xxh3_128(at, length, seed, secret):
    """(low, high) of XXH3-128."""
    if length <= 16:
        return _xxh3_128_tiny(at, length, seed, secret)
    if length <= 128:
        return _xxh3_128_short(at, length, seed, secret)
    if length <= 240:
        return _xxh3_128_middle(at, length, seed, secret)
    return _xxh3_long(at, length, secret)


@routine
def xxh3_64(at, length, seed, secret):
    """XXH3-64."""
    size = np.uint64(length)
    end = at + length
    if length > 240:
        return _xxh3_long(at, length, secret)[0]
    if length > 16:
        h = size * _P64_1
        if length <= 128:
            for i in range((length - 1) // 32, -1, -1):
                h += _mix16(at + 16 * i, secret + 32 * i, seed)
                h += _mix16(end - 16 * (i + 1), secret + 32 * i + 16, seed)
            return _avalanche(h)
        for i in range(8):
            h += _mix16(at + 16 * i, secret + 16 * i, seed)
        h = _avalanche(h)
        for i in range(8, length // 16):
            h += _mix16(at + 16 * i, secret + 3 + 16 * (i - 8), seed)
        return _avalanche(h + _mix16(end - 16, secret + 119, seed))
    if length > 8:
        low = peek_u64(at) ^ ((peek_u64(secret + 24) ^ peek_u64(secret + 32)) + seed)
        high = peek_u64(end - 8) ^ ((peek_u64(secret + 40) ^ peek_u64(secret + 48)) - seed)
        return _avalanche(size + swap_bytes(low) + high + _fold(low, high))
    if length >= 4:
        seed ^= _swap32(seed) << np.uint64(32)
        word = peek_u32(end - 4) | (peek_u32(at) << np.uint64(32))
        h = word ^ ((peek_u64(secret + 8) ^ peek_u64(secret + 16)) - seed)
        h ^= rotate(h, 49) ^ rotate(h, 24)
        h *= _MX2
        h ^= (h >> np.uint64(35)) + size
        h *= _MX2
        return h ^ (h >> np.uint64(28))
    if length > 0:
        flip = peek_u32(secret) ^ peek_u32(secret + 4)
        return _avalanche_xxh64(_short_bytes(at, length) ^ (flip + seed))
    return _avalanche_xxh64(seed ^ peek_u64(secret + 56) ^ peek_u64(secret + 64))


# ── XXH64 ───────────────────────────────────────────────────────────────────────────────────────
@helper
def _round_xxh64(lane, value):
    return rotate(lane + value * _P64_2, 31) * _P64_1


@routine
def xxh64(at, length, seed):
    """XXH64."""
    position, end = at, at + length
    if length >= 32:
        a, b = seed + _P64_1 + _P64_2, seed + _P64_2
        c, d = seed, seed - _P64_1
        while position + 32 <= end:
            a = _round_xxh64(a, peek_u64(position))
            b = _round_xxh64(b, peek_u64(position + 8))
            c = _round_xxh64(c, peek_u64(position + 16))
            d = _round_xxh64(d, peek_u64(position + 24))
            position += 32
        h = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)
        for lane in (a, b, c, d):
            h = (h ^ _round_xxh64(np.uint64(0), lane)) * _P64_1 + _P64_4
    else:
        h = seed + _P64_5
    h += np.uint64(length)
    while position + 8 <= end:
        h = rotate(h ^ _round_xxh64(np.uint64(0), peek_u64(position)), 27) * _P64_1 + _P64_4
        position += 8
    if position + 4 <= end:
        h = rotate(h ^ (peek_u32(position) * _P64_1), 23) * _P64_2 + _P64_3
        position += 4
    while position < end:
        h = rotate(h ^ (peek_u8(position) * _P64_5), 11) * _P64_1
        position += 1
    return _avalanche_xxh64(h)


# One kernel a family: most programs need one of them, and compiling is what a first call waits for.
@kernel
def xxh3_spans(data, base, starts, ends, secret, low, high):
    """XXH3-128 of spans; see :func:`hash_spans`."""
    text, key = address(data, base), address(secret, 0)
    seed = peek_u64(key + _SEED)
    for i in range(len(starts)):
        length = np.int64(ends[i]) - np.int64(starts[i])
        low[i], high[i] = xxh3_128(text + np.int64(starts[i]), length, seed, key)


@kernel
def murmur3_spans(data, base, starts, ends, secret, low, high):
    """MurmurHash3 x64-128 of spans; see :func:`hash_spans`."""
    text, seed = address(data, base), peek_u64(address(secret, 0) + _SEED)
    for i in range(len(starts)):
        length = np.int64(ends[i]) - np.int64(starts[i])
        low[i], high[i] = murmur3_128(text + np.int64(starts[i]), length, seed)


@kernel
def xxh64_spans(data, base, starts, ends, secret, low, high):
    """XXH64 of spans, the high half being 0; see :func:`hash_spans`."""
    text, seed = address(data, base), peek_u64(address(secret, 0) + _SEED)
    for i in range(len(starts)):
        length = np.int64(ends[i]) - np.int64(starts[i])
        low[i], high[i] = xxh64(text + np.int64(starts[i]), length, seed), np.uint64(0)


def hash_spans(data, base, starts, ends, family, secret, low, high):
    """128-bit hashes of spans.

    Parameters
    ----------
    data : uint8[:], read-only
    base : int
        Added to every span.
    starts, ends : int32[n], read-only
    family : int
        ``XXH3_128``, ``MURMUR3_128`` or ``XXH64``.
    secret : uint8[392], read-only
        :func:`secrets` of the seed.
    low, high : uint64[n]
        Written.
    """
    (xxh3_spans, murmur3_spans, xxh64_spans)[family](data, base, starts, ends, secret, low, high)


@kernel
def xxh3_64_rows(data, starts, length, secret, out):
    """XXH3-64 of ``data[start:start + length]`` for every start; ``int64`` starts, ``uint64`` out."""
    key = address(secret, 0)
    for i in range(len(starts)):
        out[i] = xxh3_64(address(data, starts[i]), length, peek_u64(key + _SEED), key)
