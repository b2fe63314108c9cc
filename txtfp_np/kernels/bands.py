"""Band keys and keys of ids, and sorting keys."""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .hashing import _P64_1, _avalanche, _mix16, xxh3_64
from .intrinsics import address

_MAX_DIGIT = 11  # 2048 counters and as many write positions stay in the L1 cache
_SHORT = 32
_FAR = 64  # places that a key may be away from its own after sorting by its upper bits
_ZERO, _ONE = np.uint64(0), np.uint64(1)


# ── keys ────────────────────────────────────────────────────────────────────────────────────────
@helper
def band_key(at, n_bytes, secret):
    """XXH3-64, seed 0. Bands of 3 to 16 slots are hashed in place: a call would cost more than the hash."""
    if n_bytes <= 16 or n_bytes > 128:
        return xxh3_64(at, n_bytes, _ZERO, secret)
    h = np.uint64(n_bytes) * _P64_1
    end = at + n_bytes
    for i in range((n_bytes - 1) >> 5, -1, -1):
        h += _mix16(at + 16 * i, secret + 32 * i, _ZERO)
        h += _mix16(end - 16 * (i + 1), secret + 32 * i + 16, _ZERO)
    return _avalanche(h)


@kernel
def band_keys(words, n_rows, secret, first, out):
    """XXH3-64, seed 0, of every band of every signature.

    Parameters
    ----------
    words : uint64[n, 1 + h], read-only
        Records as words; the first word is not looked at.
    n_rows : int
        Slots a band.
    secret : uint8[:], read-only
        Of seed 0, as :func:`.hashing.secrets` gives it.
    first : int
        Column of ``out`` that belongs to the first signature.
    out : uint64[bands, :]
        Columns ``first`` to ``first + n`` are written.

    Notes
    -----
    Oracle: ``tests/oracles/lsh.py``; the crate's vectors.
    """
    at_secret = address(secret, 0)
    stride = 8 * words.shape[1]
    n_bytes = 8 * n_rows
    # eight signatures at a time: one by one, a key a band would be written to as many far places
    keys = np.empty((8, out.shape[0]), np.uint64)
    for begin in range(0, len(words), 8):
        n = min(8, len(words) - begin)
        for row in range(n):
            at = address(words, 0) + 8 + stride * (begin + row)
            for band in range(out.shape[0]):
                keys[row, band] = band_key(at, n_bytes, at_secret)
                at += n_bytes
        for band in range(out.shape[0]):
            for row in range(n):
                out[band, first + begin + row] = keys[row, band]


@helper
def _mixed(value):
    """A one-to-one scrambling of 64 bits (MurmurHash3's finaliser), so that any ids spread like hashes."""
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xFF51AFD7ED558CCD)
    value ^= value >> np.uint64(33)
    value *= np.uint64(0xC4CEB9FE1A85EC53)
    return value ^ (value >> np.uint64(33))


@kernel
def id_keys(ids, out):
    """Keys under which ids are looked up. ``uint64[n]``, read-only, to ``uint64[n]``."""
    for i in range(len(ids)):
        out[i] = _mixed(ids[i])


# ── sorting ─────────────────────────────────────────────────────────────────────────────────────
@helper
def _log2(n):
    """Smallest number of bits that can number ``n`` things."""
    bits = 0
    while (1 << bits) < n:
        bits += 1
    return bits


@routine
def _scatter(keys, rows, numbered, shift, counts, out_keys, out_rows):
    """Stable pass of a radix sort; ``counts[digit]`` is where the digit's keys begin."""
    mask = np.uint64(len(counts) - 1)
    shift = np.uint64(shift)
    for i in range(np.uint64(len(keys))):
        key = keys[i]
        digit = (key >> shift) & mask
        place = np.uint64(counts[digit])
        counts[digit] = place + _ONE
        out_keys[place] = key
        out_rows[place] = rows[i] if numbered else np.uint32(i)


@routine
def _count(keys, shift, counts):
    mask = np.uint64(len(counts) - 1)
    shift = np.uint64(shift)
    counts[:] = 0
    for i in range(np.uint64(len(keys))):
        counts[(keys[i] >> shift) & mask] += 1
    total = 0
    for digit in range(len(counts)):
        n = counts[digit]
        counts[digit] = total
        total += n


@helper
def _insert_sorted(keys, rows, limit):
    """Insertion sort, stable. False if some key was farther than ``limit`` from its place."""
    for i in range(1, len(keys)):
        key = keys[i]
        if keys[i - 1] > key:
            row = rows[i]
            j = i
            while j > 0 and keys[j - 1] > key:
                keys[j] = keys[j - 1]
                rows[j] = rows[j - 1]
                j -= 1
            keys[j] = key
            rows[j] = row
            if i - j > limit:
                return False
    return True


@routine
def _sort(keys, rows, numbered, spare_keys, spare_rows, from_bit):
    """Stable radix sort by the bits from ``from_bit`` up; an even number of passes, so that it ends in place."""
    n = len(keys)
    width = min(_MAX_DIGIT, (64 - from_bit + 1) // 2)
    passes = (64 - from_bit + width - 1) // width
    passes += passes % 2
    counts = np.empty(1 << width, np.int64)
    for step in range(passes):
        # digits from the top down to from_bit; those below bit 0 in a full sort overlap, which is harmless
        shift = max(0, 64 - (passes - step) * width)
        _count(keys, shift, counts)
        if step % 2 == 0:
            _scatter(keys, rows, numbered or step > 0, shift, counts, spare_keys[:n], spare_rows[:n])
        else:
            _scatter(spare_keys[:n], spare_rows[:n], True, shift, counts, keys, rows)


@kernel
def sort_keys(keys, rows, spare_keys, spare_rows):
    """Sort keys, and say where each came from; equal keys keep their order.

    Parameters
    ----------
    keys : uint64[n]
        Sorted in place.
    rows : uint32[n]
        Written: ``rows[i]`` is where ``keys[i]`` stood.
    spare_keys, spare_rows : uint64[>= n], uint32[>= n]
        Scratch.

    Notes
    -----
    Keys are hashes: after sorting by a few more upper bits than number the keys, hardly any is out of
    place, and an insertion sort ends it. Keys that share their upper bits by intent cost a full sort.
    """
    n = len(keys)
    if n <= _SHORT:
        for i in range(n):
            rows[i] = np.uint32(i)
        _insert_sorted(keys, rows, n)
        return
    _sort(keys, rows, False, spare_keys, spare_rows, max(0, 64 - (_log2(n) + 2)))
    if not _insert_sorted(keys, rows, _FAR):
        _sort(keys, rows, True, spare_keys, spare_rows, 0)
