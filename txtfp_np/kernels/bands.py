"""Band keys, and tables of them sorted for looking up.

A table is ``keys`` (``uint64``, ascending) and ``rows`` (``uint32``: which row has the key; rows of
equal keys ascend), with a ``directory`` (``uint32``): entry ``j`` is the position of the first key
whose upper bits are at least ``j``. Keys are hashes, so a directory of a quarter to an eighth as many
entries as keys leaves four to eight neighbours to look at.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .hashing import _P64_1, _avalanche, _mix16, xxh3_64
from .intrinsics import address, peek_u32, peek_u64, popcount
from .scan import compare_16, prefetch

# Fields of the description of a table that kernels get as int64: addresses of keys, rows and
# directory of the first band, keys a band, distance of bands in keys, bits of the directory, and the
# number of the first row.
KEYS, ROWS, DIRECTORY, SIZE, STRIDE, BITS, BASE, FIELDS = 0, 1, 2, 3, 4, 5, 6, 7
SCANNED = -1  # BITS of a table that is not sorted

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
    for begin in range(0, len(words), 8):
        end = min(begin + 8, len(words))
        at = address(words, 0) + 8 + stride * begin
        for band in range(out.shape[0]):
            for row in range(begin, end):
                out[band, first + row] = band_key(at + stride * (row - begin), n_bytes, at_secret)
            at += n_bytes


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


@kernel
def merge_sorted(keys_a, rows_a, keys_b, rows_b, shift, keys, rows):
    """Merge two tables; of equal keys, those of ``a`` come first. ``shift`` is added to rows of ``b``."""
    i, j = np.uint64(0), np.uint64(0)
    n_a, n_b = np.uint64(len(keys_a)), np.uint64(len(keys_b))
    for k in range(n_a + n_b):
        if j == n_b or (i < n_a and keys_a[i] <= keys_b[j]):
            keys[k], rows[k] = keys_a[i], rows_a[i]
            i += _ONE
        else:
            keys[k], rows[k] = keys_b[j], rows_b[j] + np.uint32(shift)
            j += _ONE


@kernel
def fill_directory(keys, out):
    """Directory of sorted keys: ``out`` has ``2**bits + 1`` entries, bits at least 1."""
    bits = _log2(len(out) - 1)
    shift = np.uint64(64 - bits)
    slot = np.uint64(0)
    for i in range(np.uint64(len(keys))):
        upper = keys[i] >> shift
        while slot <= upper:
            out[slot] = np.uint32(i)
            slot += _ONE
    while slot < np.uint64(len(out)):
        out[slot] = np.uint32(len(keys))
        slot += _ONE


# ── looking up ──────────────────────────────────────────────────────────────────────────────────
@helper
def _first_at_least(keys, low, high, key):
    """Position of the first key at least ``key`` within ``low..high``, or ``high``."""
    while high - low > 16:
        middle = (low + high) >> 1
        if peek_u64(keys + 8 * middle) < key:
            low = middle + 1
        else:
            high = middle
    while low < high and peek_u64(keys + 8 * low) < key:
        low += 1
    return low


@helper
def _bucket(keys, n, directory, shift, key):
    """First position of ``key`` among ``n`` sorted ones and how often it occurs."""
    slot = directory + 4 * np.int64(key >> shift)
    low = np.int64(peek_u32(slot))
    if n >= 16:
        # All keys before the slot are smaller, all behind it larger: no need to know where it ends,
        # and no branch that depends on the keys.
        low = min(low, n - 16)
        masks = compare_16(keys + 8 * low, key)
        low += popcount(masks & np.uint64(0xFFFF))
        if masks >> np.uint64(31) == _ZERO and masks & np.uint64(0x8000) == _ZERO:
            return low, popcount(masks >> np.uint64(16))
    high = np.int64(peek_u32(slot + 4))
    low = _first_at_least(keys, low, max(low, high), key)
    end = low
    while end < high and end - low < 4 and peek_u64(keys + 8 * end) == key:
        end += 1
    if end - low == 4:
        end = high if key == np.uint64(0xFFFFFFFFFFFFFFFF) else _first_at_least(keys, end, high, key + _ONE)
    return low, end - low


@kernel
def find_buckets(table, first_band, keys, out):
    """Where the keys of probes are in a sorted table.

    Parameters
    ----------
    table : int64[FIELDS], read-only
        Description of the table.
    first_band : int
        Band of the table that belongs to the first row of ``keys``.
    keys : uint64[bands, n], read-only
        Keys of the probes.
    out : uint32[bands, >= n, 2]
        The row if only one has the key, else the first position of the key in its band; and the
        number of rows that have it. Written.
    """
    n = keys.shape[1]
    shift = np.uint64(64 - table[BITS])
    directory_bytes = 4 * ((1 << table[BITS]) + 1)
    for band in range(keys.shape[0]):
        at_keys = table[KEYS] + 8 * table[STRIDE] * (first_band + band)
        at_rows = table[ROWS] + 4 * table[STRIDE] * (first_band + band)
        directory = table[DIRECTORY] + directory_bytes * (first_band + band)
        probes, found = keys[band], out[band]
        for i in range(n):
            # two steps ahead of the search, each as long as a trip to the memory takes
            if i + 32 < n:
                prefetch(directory + 4 * np.int64(probes[i + 32] >> shift))
            if i + 16 < n:
                begin = np.int64(peek_u32(directory + 4 * np.int64(probes[i + 16] >> shift)))
                prefetch(at_keys + 8 * begin)
                prefetch(at_keys + 8 * begin + 63)  # the keys of a slot mostly lie in two lines
                prefetch(at_rows + 4 * begin)
            begin, count = _bucket(at_keys, table[SIZE], directory, shift, probes[i])
            found[i, 0] = np.uint32(peek_u32(at_rows + 4 * begin)) if count == 1 else np.uint32(begin)
            found[i, 1] = np.uint32(count)


@kernel
def find_rows(tables, band, keys, dead, out):
    """Row that has each key in ``band`` and is alive, or -1; for keys that at most one living row has.

    ``tables`` as in :func:`.lsh.collect_rows`, ``keys`` ``uint64[n]``, ``dead`` a bitmap of rows, ``out``
    ``int64[n]``.
    """
    out[:] = -1
    n = len(keys)
    at_dead = address(dead, 0)
    for s in range(len(tables)):
        table = tables[s]
        at_keys = table[KEYS] + 8 * table[STRIDE] * band
        if table[BITS] < 0:
            for i in range(n):
                for j in range(table[SIZE]):
                    if peek_u64(at_keys + 8 * j) == keys[i] and not is_dead(at_dead, len(dead), table[BASE] + j):
                        out[i] = table[BASE] + j
            continue
        rows = table[ROWS] + 4 * table[STRIDE] * band
        directory = table[DIRECTORY] + 4 * ((1 << table[BITS]) + 1) * band
        shift = np.uint64(64 - table[BITS])
        for i in range(n):
            if i + 16 < n:
                prefetch(directory + 4 * np.int64(keys[i + 16] >> shift))
            if i + 8 < n:
                prefetch(at_keys + 8 * np.int64(peek_u32(directory + 4 * np.int64(keys[i + 8] >> shift))))
            begin, count = _bucket(at_keys, table[SIZE], directory, shift, keys[i])
            for j in range(begin, begin + count):
                row = table[BASE] + np.int64(peek_u32(rows + 4 * j))
                if not is_dead(at_dead, len(dead), row):
                    out[i] = row


@helper
def is_dead(at, n_words, row):
    """Bit ``row`` of the bitmap of ``n_words`` at an address; rows behind its end are alive."""
    word = row >> 6
    return word < n_words and (peek_u64(at + 8 * word) >> np.uint64(row & 63)) & _ONE != _ZERO
