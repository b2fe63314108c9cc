"""Candidates of probes from band tables, and their verification against the signatures.

Signatures and ids lie in chunks of ``2**CHUNK_BITS`` rows. ``words_at`` and ``ids_at`` hold the address
of each chunk: row ``r`` is number ``r % 2**CHUNK_BITS`` of chunk ``r >> CHUNK_BITS``.

A candidate is a row, and above ``ROW_BITS`` the band in which it was met first: candidates of a probe that
ascend as numbers are in the order of results.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .bands import band_key
from .intrinsics import address, peek_u64
from .scan import equal_words, prefetch
from .tables import (
    AT,
    BASE,
    CHUNK_BITS,
    HOMES,
    LINES,
    SIZE,
    STRIDE,
    UNSORTED,
    closer,
    find_entries,
    fragment,
    home,
    id_at,
    is_dead,
)

ROW_BITS = 48
_ROW = (1 << ROW_BITS) - 1
_IN_CHUNK = (1 << CHUNK_BITS) - 1
_LOW = np.uint64(0xFFFFFFFF)
_FEW = 24  # candidates up to which a look through all of them is quicker than a hash table
_RING = 4  # probes under way; a power of two
_ROWS_AHEAD, _BANDS_AHEAD = 2, 8  # signatures, and bands of them, that are fetched before they are compared


@helper
def _is_among(row, at, n):
    """Whether ``row`` is one of ``n`` candidates at an address."""
    for i in range(n):
        if np.int64(peek_u64(at + 8 * i)) & _ROW == row:
            return True
    return False


@routine
def _fill(out, first, n, table, mask):
    """Put the candidates ``out[first:n]`` into an empty table."""
    for i in range(mask + 1):
        table[i] = -1
    for i in range(first, n):
        _put(out[i] & _ROW, table, mask)


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
def collect_rows(tables, probes, shape, secret, dead, seen, out, counts):
    """Rows that may share a band with each probe: bands ascending, then by age, each row once.

    Parameters
    ----------
    tables : int64[s, FIELDS], read-only
        Descriptions of the tables, oldest first.
    probes : uint64[n, 1 + h], read-only
    shape : (int, int, int)
        Bands, rows a band, probe to begin with.
    secret : uint8[:], read-only
        Of seed 0, as :func:`.hashing.secrets` gives it.
    dead : uint64[:], read-only
        Bitmap of rows that are no longer there.
    seen : int64[power of two]
        Scratch: twice the length of ``out`` or more.
    out : int64[:]
        Candidates, written one probe after another.
    counts : int64[n]
        Candidates of each probe, written.

    Returns
    -------
    (int, int, int)
        Probe at which ``out`` might have become too small (``n``: all done), candidates written, and
        the most that this probe may have.

    Notes
    -----
    Several probes are under way: of one the lines of the tables are fetched, of the one before it those
    behind full lines, and of one two before that entries are looked for. Oracle: ``tests/oracles/tables.py``.
    """
    bands, n_rows, first = shape
    n_tables, (n_probes, n_words) = len(tables), probes.shape
    n_bands, n_lookups = np.uint64(bands), np.uint64(n_tables * bands)
    begins = np.empty(n_tables * bands, np.int64)
    n_all = 0
    for s in range(n_tables):
        n_all += tables[s, SIZE]
        for band in range(bands):
            begins[s * bands + band] = tables[s, AT] + 8 * tables[s, STRIDE] * band
    keys = np.empty(_RING * bands, np.uint64)
    fragments = np.empty(_RING * bands, np.uint64)
    lines = np.empty(_RING * n_tables * bands, np.int64)
    hits = np.empty((n_tables * bands, 4), np.int64)  # address of entries, how many (keys: below 0), first row, band
    at_dead, at_out, at_secret = address(dead, 0), address(out, 0), address(secret, 0)
    used = 0
    for step in range(first, n_probes + 3):
        if step < n_probes:
            turn = np.uint64(step & (_RING - 1))
            mine, ours = turn * n_bands, turn * n_lookups
            at = address(probes, step * n_words) + 8
            for band in range(n_bands):
                key = band_key(at, 8 * n_rows, at_secret)
                at += 8 * n_rows
                keys[mine + band] = key
                fragments[mine + band] = fragment(key)
            for s in range(np.uint64(n_tables)):
                homes, table = tables[s, HOMES], s * n_bands
                for band in range(n_bands):
                    line = begins[table + band] + 64 * home(fragments[mine + band], homes)
                    lines[ours + table + band] = line
                    prefetch(line)
        probe = step - 1
        if first <= probe < n_probes:
            turn = np.uint64(probe & (_RING - 1))
            mine, ours = turn * n_bands, turn * n_lookups
            for s in range(np.uint64(n_tables)):
                if tables[s, HOMES] != UNSORTED:
                    for band in range(n_bands):
                        slot = ours + s * n_bands + band
                        lines[slot] = closer(lines[slot], fragments[mine + band])
        probe = step - 3
        if probe < first:
            continue
        turn = np.uint64(probe & (_RING - 1))
        mine, ours = turn * n_bands, turn * n_lookups
        n_hits, most, latest = 0, 0, -1
        for band in range(n_bands):
            for s in range(np.uint64(n_tables)):
                found = lines[ours + s * n_bands + band]
                if tables[s, HOMES] == UNSORTED:
                    n = -tables[s, SIZE]
                else:
                    last = begins[s * n_bands + band] + 64 * (tables[s, LINES] - 1)
                    found, n = find_entries(found, last, fragments[mine + band])
                    if n == 1:  # mostly the row that was met in the band before
                        row = tables[s, BASE] + np.int64(peek_u64(found) & _LOW)
                        if row == latest:
                            continue
                        latest = row
                if n != 0:
                    hits[n_hits, 0], hits[n_hits, 1], hits[n_hits, 2], hits[n_hits, 3] = found, n, tables[s, BASE], band
                    n_hits += 1
                    most += abs(n)
        most = min(most, n_all)
        if used + most > len(out):
            return probe, used, most
        mask = 1
        while mask < 2 * most:
            mask <<= 1
        mask = min(mask, len(seen)) - 1
        begin, filled = used, False
        for hit in range(n_hits):
            at, n, base, band = hits[hit, 0], hits[hit, 1], hits[hit, 2], hits[hit, 3]
            key = keys[mine + np.uint64(band)]
            for i in range(abs(n)):
                word = peek_u64(at + 8 * i)
                if n < 0:
                    if word != key:
                        continue
                    row = base + i
                else:
                    row = base + np.int64(word & _LOW)
                if is_dead(at_dead, len(dead), row):
                    continue
                if used - begin < _FEW:
                    if _is_among(row, at_out + 8 * begin, used - begin):
                        continue
                else:
                    if not filled:
                        _fill(out, begin, used, seen, mask)
                        filled = True
                    if not _put(row, seen, mask):
                        continue
                out[used] = band << ROW_BITS | row
                used += 1
        counts[probe] = used - begin
    return n_probes, used, 0


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


@helper
def all_equal(a, b, n):
    """Whether ``n`` words at two addresses are the same."""
    for i in range(n):
        if peek_u64(a + 8 * i) != peek_u64(b + 8 * i):
            return False
    return True


@helper
def _fetch_candidate(chunks, candidate, n_words, n_rows, whole):
    """Begin to fetch the signature of a candidate, or only the band by which it came."""
    at = slots_at(chunks, candidate & _ROW, n_words)
    if whole:
        _fetch(at, n_words - 1)
    else:
        _fetch(at + 8 * n_rows * (candidate >> ROW_BITS), n_rows)


@helper
def _sort_candidates(rows, equal, begin, end):
    """Sort the few candidates of one probe."""
    for i in range(begin + 1, end):
        row, n = rows[i], equal[i]
        j = i
        while j > begin and rows[j - 1] > row:
            rows[j], equal[j] = rows[j - 1], equal[j - 1]
            j -= 1
        rows[j], equal[j] = row, n


@kernel
def verify_rows(words_at, probes, span, counts, rows, question, equal):
    """Keep the candidates that do share a band with their probe, and enough slots.

    Parameters
    ----------
    words_at : int64[:], read-only
        Addresses of chunks of signatures.
    probes : uint64[n, 1 + h], read-only
    span : (int, int)
        First probe whose candidates are given, and the one after the last.
    counts : int64[n]
        Candidates of each probe; lowered to those kept.
    rows : int64[:]
        Candidates, one probe after another; the rows of those kept are written to the front.
    question : (int, int, int, bool)
        Bands, rows a band, slots that must be equal, whether ``equal`` must be exact.
    equal : int64[:]
        Equal slots of those kept; unless exact, a lower bound.

    Returns
    -------
    int
        Rows kept.

    Notes
    -----
    A candidate that owes its first band to a fragment that two keys share may share a later one: it then
    moves back to where that band belongs. Oracle: ``tests/oracles/lsh.py``.
    """
    bands, n_rows, needed, exact = question
    n_words = probes.shape[1]
    chunks = address(words_at, 0)
    counted = exact or needed > 0
    ahead = _ROWS_AHEAD if counted else _BANDS_AHEAD
    total = 0
    for probe in range(span[0], span[1]):
        total += counts[probe]
    for i in range(min(total, ahead)):
        _fetch_candidate(chunks, rows[i], n_words, n_rows, counted)
    read, kept = 0, 0
    for probe in range(span[0], span[1]):
        mine = address(probes, probe * n_words) + 8
        before = kept
        moved = False
        for _ in range(counts[probe]):
            candidate = rows[read]
            if read + ahead < total:
                _fetch_candidate(chunks, rows[read + ahead], n_words, n_rows, counted)
            read += 1
            at = slots_at(chunks, candidate & _ROW, n_words)
            n = equal_slots(mine, at, n_words - 1, needed, exact) if counted else 0
            if n < 0:
                continue
            band = candidate >> ROW_BITS
            if not all_equal(mine + 8 * n_rows * band, at + 8 * n_rows * band, n_rows):
                band += 1
                while band < bands and not all_equal(mine + 8 * n_rows * band, at + 8 * n_rows * band, n_rows):
                    band += 1
                if band == bands:
                    continue
                moved = True
            rows[kept] = band << ROW_BITS | (candidate & _ROW)
            equal[kept] = n
            kept += 1
        if moved:
            _sort_candidates(rows, equal, before, kept)
        for i in range(before, kept):
            rows[i] &= _ROW
        counts[probe] = kept - before
    return kept


@kernel
def gather_ids(ids_at, rows, out):
    """Ids of rows."""
    chunks = address(ids_at, 0)
    for i in range(len(rows)):
        out[i] = id_at(chunks, rows[i])
