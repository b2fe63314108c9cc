"""Candidates of probes from band tables, and their verification against the signatures.

Signatures and ids lie in chunks of ``2**CHUNK_BITS`` rows. ``words_at`` and ``ids_at`` hold the address
of each chunk: row ``r`` is number ``r % 2**CHUNK_BITS`` of chunk ``r >> CHUNK_BITS``.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .bands import BASE, BITS, KEYS, ROWS, SIZE, STRIDE, is_dead
from .intrinsics import address, peek_u32, peek_u64
from .scan import equal_words, prefetch

CHUNK_BITS = 10
_IN_CHUNK = (1 << CHUNK_BITS) - 1
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_FEW = 24  # candidates up to which a look through all of them is quicker than a hash table


@helper
def _is_among(row, at, n):
    """Whether ``row`` is one of ``n`` words at an address."""
    for i in range(n):
        if peek_u64(at + 8 * i) == np.uint64(row):
            return True
    return False


@routine
def _is_new(row, out, first, n, table, mask):
    """Whether ``row`` is not among ``out[first:n]``, which stand in ``table``, too, once they are ``_FEW``."""
    if n - first == _FEW:
        for i in range(mask + 1):
            table[i] = -1
        for i in range(first, n):
            _put(out[i], table, mask)
    return _put(row, table, mask)


@helper
def _put(row, table, mask):
    """Put ``row`` into an open hash table; False if it is there."""
    slot = np.int64((np.uint64(row) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(20)) & mask
    while table[slot] >= 0:
        if table[slot] == row:
            return False
        slot = (slot + 1) & mask
    table[slot] = row
    return True


@kernel
def collect_rows(tables, keys, buckets, dead, first, seen, out, counts):
    """Rows that share a bucket with each probe: bands ascending, then by age, each row once.

    Parameters
    ----------
    tables : int64[s, FIELDS], read-only
        Descriptions of the tables, oldest first. Those that are not sorted are searched here.
    keys : uint64[bands, n], read-only
        Keys of the probes.
    buckets : uint32[s, bands, >= n, 2], read-only
        What :func:`.bands.find_buckets` found; not looked at for tables that are not sorted.
    dead : uint64[:], read-only
        Bitmap of rows that are no longer there.
    first : int
        Probe to begin with.
    seen : int64[power of two]
        Scratch: twice the length of ``out`` or more.
    out : int64[:]
        Rows, written one probe after another.
    counts : int64[n]
        Rows of each probe, written.

    Returns
    -------
    (int, int)
        Probe at which ``out`` might have become too small (``n``: all done), and rows written.

    Notes
    -----
    ``out`` must have room for all rows of the index, or for the fullest probe. Oracle: ``tests/oracles/lsh.py``.
    """
    n_bands, n_probes = keys.shape
    room = buckets.shape[2]
    at_buckets = address(buckets, 0)  # position or row in the low half of a word, number in the high half
    at_dead, at_out = address(dead, 0), address(out, 0)
    used = 0
    for probe in range(first, n_probes):
        most = 0
        for s in range(len(tables)):
            if tables[s, BITS] < 0:
                most += n_bands * tables[s, SIZE]
            else:
                for band in range(n_bands):
                    most += np.int64(peek_u64(at_buckets + 8 * ((s * n_bands + band) * room + probe)) >> _HALF)
        if most == 0:
            counts[probe] = 0
            continue
        most = min(most, len(out))
        if used + most > len(out):
            return probe, used
        mask = 1
        while mask < 2 * most:
            mask <<= 1
        mask = min(mask, len(seen)) - 1
        begin = used
        for band in range(n_bands):
            key = keys[band, probe]
            for s in range(len(tables)):
                base = tables[s, BASE]
                stride = tables[s, STRIDE] * band
                if tables[s, BITS] < 0:
                    at = tables[s, KEYS] + 8 * stride
                    for i in range(tables[s, SIZE]):
                        row = base + i
                        if peek_u64(at + 8 * i) != key or is_dead(at_dead, len(dead), row):
                            continue
                        if used - begin < _FEW:
                            if _is_among(row, at_out + 8 * begin, used - begin):
                                continue
                        elif not _is_new(row, out, begin, used, seen, mask):
                            continue
                        out[used] = row
                        used += 1
                    continue
                bucket = peek_u64(at_buckets + 8 * ((s * n_bands + band) * room + probe))
                n = np.int64(bucket >> _HALF)
                if n == 0:
                    continue
                found = np.int64(bucket & _LOW)
                at = tables[s, ROWS] + 4 * (stride + found)
                for i in range(n):
                    row = base + (found if n == 1 else np.int64(peek_u32(at + 4 * i)))
                    if is_dead(at_dead, len(dead), row):
                        continue
                    if used - begin < _FEW:
                        if _is_among(row, at_out + 8 * begin, used - begin):
                            continue
                    elif not _is_new(row, out, begin, used, seen, mask):
                        continue
                    out[used] = row
                    used += 1
        counts[probe] = used - begin
    return n_probes, used


@helper
def slots_at(chunks, row, n_words):
    """Address of the slots of a row; ``chunks`` is the address of the addresses of chunks."""
    return np.int64(peek_u64(chunks + 8 * (row >> CHUNK_BITS))) + 8 * (n_words * (row & _IN_CHUNK) + 1)


@helper
def _fetch(at, n_slots):
    for line in range((n_slots + 7) >> 3):
        prefetch(at + 64 * line)


@helper
def equal_slots(a, b, n_slots, needed, exact):
    """Equal slots, or -1 as soon as they cannot be ``needed`` any more.

    Unless ``exact``, also ends as soon as they are enough.
    """
    equal = 0
    done = 0
    while done < n_slots:
        step = min(32, n_slots - done)
        equal += equal_words(a + 8 * done, b + 8 * done, step >> 3)
        for i in range(done + (step & ~7), done + step):
            equal += np.int64(peek_u64(a + 8 * i) == peek_u64(b + 8 * i))
        done += step
        if equal + n_slots - done < needed:
            return -1
        if not exact and equal >= needed:
            return equal
    return equal


@kernel
def verify_rows(words_at, probes, first, counts, rows, needed, exact, equal):
    """Keep the rows that have enough slots in common with their probe.

    Parameters
    ----------
    words_at : int64[:], read-only
        Addresses of chunks of signatures.
    probes : uint64[n, 1 + h], read-only
    first : (int, int)
        First probe whose rows are given, and the one after the last.
    counts : int64[n]
        Rows of each probe; lowered to those kept.
    rows : int64[:]
        One probe after another; those kept move to the front.
    needed : int
        Slots that must be equal.
    exact : bool
        Whether ``equal`` must be exact.
    equal : int64[:]
        Equal slots of those kept; without ``exact`` a lower bound.

    Returns
    -------
    int
        Rows kept.
    """
    n_words = probes.shape[1]
    chunks = address(words_at, 0)
    total = 0
    for probe in range(first[0], first[1]):
        total += counts[probe]
    for i in range(min(total, 2)):
        _fetch(slots_at(chunks, rows[i], n_words), n_words - 1)
    read = 0
    kept = 0
    for probe in range(first[0], first[1]):
        mine = address(probes, probe * n_words) + 8
        before = kept
        for _ in range(counts[probe]):
            row = rows[read]
            read += 1
            if read + 1 < total:
                _fetch(slots_at(chunks, rows[read + 1], n_words), n_words - 1)
            at = slots_at(chunks, row, n_words)
            n = equal_slots(mine, at, n_words - 1, needed, exact)
            if n >= 0:
                rows[kept] = row
                equal[kept] = n
                kept += 1
        counts[probe] = kept - before
    return kept


@kernel
def gather_ids(ids_at, rows, out):
    """Ids of rows."""
    for i in range(len(rows)):
        out[i] = peek_u64(ids_at[rows[i] >> CHUNK_BITS] + 8 * (rows[i] & _IN_CHUNK))
