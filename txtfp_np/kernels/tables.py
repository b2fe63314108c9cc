"""Tables that say which rows have a key: one cache line is read to find a key or to know it is not there.

A table is a number of lines of eight words. A word is an entry: in its upper half the fragment of a key
(its upper half), in its lower half a row, counted from the first row of the table. Entries ascend through
the table; those of equal fragments thereby stand in the order of their rows. Fragments are dealt evenly
over the first ``HOMES`` lines. An entry stands in the line that its fragment is dealt to, or if that is
full right behind the entry before, so that some lines are needed behind the last home. Words that no entry
stands in are ``NOTHING``; they fill the end of a line, and the last line of a table has one.

Two keys of unlike values may have the same fragment: whoever looks up must look at what the row is.
"""

from __future__ import annotations

import numpy as np

from ._jit import helper, kernel, routine
from .intrinsics import address, peek_u64, popcount
from .murmur import scrambled
from .scan import compare_8, prefetch

# Fields of the description of the tables of a segment that kernels get as int64: address of the first
# table, distance of tables in words, home lines, all lines of a table, rows, and the number of the first row.
AT, STRIDE, HOMES, LINES, SIZE, BASE, FIELDS = 0, 1, 2, 3, 4, 5, 6
# HOMES of what is no table but the keys themselves, in the order of the rows
UNSORTED = 0

CHUNK_BITS = 10
"""Ids and signatures lie in chunks of so many rows, as a power of two; kernels get the address of each."""
_IN_CHUNK = (1 << CHUNK_BITS) - 1

NOTHING = np.uint64(0xFFFFFFFFFFFFFFFF)
_LAST_FRAGMENT = np.uint64(0xFFFFFFFE)  # that of NOTHING is never one of a key
_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_ONE, _EIGHT_BITS = np.uint64(1), np.uint64(0xFF)
_LINE = 64

_MAX_DIGIT = 9  # 512 write positions stay in the L1 cache, whoever shares the others
_FAR = 64  # places that an entry may be away from its own after sorting by its upper bits


@helper
def fragment(key):
    """What a table keeps of a key."""
    return min(key >> _HALF, _LAST_FRAGMENT)


@helper
def home(key_fragment, homes):
    """Number of the line that a fragment is dealt to."""
    return np.int64((key_fragment * np.uint64(homes)) >> _HALF)


# ── making them ─────────────────────────────────────────────────────────────────────────────────
@routine
def _pass(source, shift, width, fresh, counts, out):
    """Stable pass of a radix sort; from ``fresh`` keys it makes entries."""
    mask = np.uint64((1 << width) - 1)
    shift = np.uint64(shift)
    counts[:] = 0
    for i in range(np.uint64(len(source))):
        entry = fragment(source[i]) << _HALF if fresh else source[i]
        counts[(entry >> shift) & mask] += 1
    total = 0
    for digit in range(1 << width):
        n = counts[digit]
        counts[digit] = total
        total += n
    for i in range(np.uint64(len(source))):
        entry = fragment(source[i]) << _HALF | np.uint64(i) if fresh else source[i]
        digit = (entry >> shift) & mask
        place = np.uint64(counts[digit])
        counts[digit] = place + _ONE
        out[place] = entry


@routine
def _sort(keys, spare, from_bit, fresh):
    """Radix sort by the bits from ``from_bit`` up; an even number of passes, so that it ends in place."""
    width = min(_MAX_DIGIT, (64 - from_bit + 1) // 2)
    passes = (64 - from_bit + width - 1) // width
    passes += passes % 2
    counts = np.empty(1 << width, np.int64)
    for step in range(passes):
        # the lower half is none of the key: a digit that would reach into it overlaps the one above, which is harmless
        shift = max(32, 64 - (passes - step) * width)
        if step % 2 == 0:
            _pass(keys, shift, width, fresh and step == 0, counts, spare)
        else:
            _pass(spare, shift, width, False, counts, keys)


@kernel
def sort_entries(keys, spare):
    """Keys, in the order of the rows, become entries in the order of a table.

    Parameters
    ----------
    keys : uint64[n]
        Overwritten by the entries.
    spare : uint64[n]
        Scratch.

    Notes
    -----
    Keys are hashes: after sorting by a few more upper bits than number the keys, hardly any is out of
    place, and an insertion sort ends it. Keys that share their upper bits by intent cost a full sort.
    Oracle: ``tests/oracles/tables.py``.
    """
    n = len(keys)
    bits = 3
    while (1 << (bits - 2)) < n:
        bits += 1
    _sort(keys, spare, 64 - min(bits, 32), True)
    for i in range(1, n):
        entry = keys[i]
        if keys[i - 1] > entry:
            j = i
            while j > 0 and keys[j - 1] > entry:
                keys[j] = keys[j - 1]
                j -= 1
            keys[j] = entry
            if i - j > _FAR:
                _sort(keys, spare, 32, False)
                return


@kernel
def place_entries(entries, homes, out):
    """Write a table.

    Parameters
    ----------
    entries : uint64[n]
        Ascending.
    homes : int
        Lines to deal the fragments over.
    out : uint64[8 * lines]
        The table.

    Returns
    -------
    int
        Lines that are needed; if they are more than ``out`` has, it is not complete.
    """
    n_words = len(out)
    out[:8] = NOTHING
    place = 0  # of the next entry, unless it is at home farther on; from here on 8 words are clear
    for i in range(len(entries)):
        entry = entries[np.uint64(i)]
        begin = 8 * home(entry >> _HALF, homes)
        if begin > place + 8:
            for rest in range(place + 8, min(begin, n_words)):
                out[rest] = NOTHING
        place = max(place, begin)
        if place + 8 < n_words:
            out[np.uint64(place)] = entry
            for rest in range(8):  # one vector: cheaper than to ask how many words stay unused
                out[np.uint64(place + 1 + rest)] = NOTHING
        elif place < n_words:
            out[place] = entry
            out[place + 1 :] = NOTHING
        place += 1
    for rest in range(place + 8, n_words):
        out[rest] = NOTHING
    return max(homes, (place >> 3) + 1)


@kernel
def merge_entries(a, b, shift, out):
    """The entries of two tables in one order, in ``out``; ``shift`` is added to the rows of ``b``, the newer ones.

    ``a`` and ``b`` ``uint64[:]``, read-only.
    """
    shift = np.uint64(shift)
    i, j = np.uint64(0), np.uint64(0)
    n_a, n_b = np.uint64(len(a)), np.uint64(len(b))
    for k in range(np.uint64(len(out))):
        while i < n_a and a[i] == NOTHING:
            i += _ONE
        while j < n_b and b[j] == NOTHING:
            j += _ONE
        if i < n_a and (j == n_b or a[i] <= b[j] + shift):
            out[k] = a[i]
            i += _ONE
        else:
            out[k] = b[j] + shift
            j += _ONE


# ── looking up ──────────────────────────────────────────────────────────────────────────────────
@helper
def _is_below(line, key_fragment):
    """Whether all entries of a line are below a fragment."""
    return peek_u64(line + 56) >> _HALF < key_fragment


@routine
def _leap(line, last, key_fragment):
    """The first line behind ``line``, all of whose entries are below, that has another entry or an unused word.

    ``last`` is the address of the table's last line, which has one.
    """
    step = _LINE
    while line + step <= last and _is_below(line + step, key_fragment):
        line += step
        step *= 2
    while step > _LINE:
        step >>= 1
        if line + step <= last and _is_below(line + step, key_fragment):
            line += step
    return line + _LINE


@helper
def closer(line, key_fragment):
    """The line, or the next one if all its entries are below; without a branch, for it is hard to foretell.

    The next one is fetched if it will be looked at.
    """
    last_fragment = peek_u64(line + 56) >> _HALF
    prefetch(line + _LINE * np.int64(last_fragment <= key_fragment))
    return line + _LINE * np.int64(last_fragment < key_fragment)


@helper
def find_entries(line, last, key_fragment):
    """Address of the first entry with a fragment, and how many have it; ``line`` is its home or behind it."""
    masks = compare_8(line, key_fragment)
    if masks < _EIGHT_BITS:  # mostly: none is equal, and one is above
        return line, 0
    if masks & _EIGHT_BITS == _EIGHT_BITS:
        line = _leap(line, last, key_fragment)
        masks = compare_8(line, key_fragment)
    found = line + 8 * np.int64(popcount(masks & _EIGHT_BITS))
    n = np.int64(popcount(masks >> np.uint64(8)))
    if masks >> np.uint64(15) != np.uint64(0):  # they may go on in the lines behind
        line += _LINE
        if _is_below(line, key_fragment + _ONE):
            line = _leap(line, last, key_fragment + _ONE)
        end = line + 8 * np.int64(popcount(compare_8(line, key_fragment + _ONE) & _EIGHT_BITS))
        n = (end - found) >> 3
    return found, n


@kernel
def find_ids(tables, ids, ids_at, dead, out):
    """Row that has each id and is alive, or -1; at most one has it.

    Parameters
    ----------
    tables : int64[s, FIELDS], read-only
        The last table of each segment is that of the ids.
    ids : uint64[n], read-only
    ids_at : int64[:], read-only
        Addresses of chunks of ids.
    dead : uint64[:], read-only
        Bitmap of rows that are no longer there.
    out : int64[n]
        Written.
    """
    out[:] = -1
    n = len(ids)
    at_dead = address(dead, 0)
    at_ids = address(ids_at, 0)
    for s in range(len(tables)):
        at, size, base, homes = tables[s, AT], tables[s, SIZE], tables[s, BASE], tables[s, HOMES]
        last = at + _LINE * (tables[s, LINES] - 1)
        for i in range(n):
            key = scrambled(ids[i])
            if homes == UNSORTED:
                for row in range(size):
                    if peek_u64(at + 8 * row) == key and not is_dead(at_dead, len(dead), base + row):
                        out[i] = base + row
                continue
            if i + 16 < n:
                prefetch(at + _LINE * home(fragment(scrambled(ids[i + 16])), homes))
            key = fragment(key)
            found, count = find_entries(at + _LINE * home(key, homes), last, key)
            for j in range(count):
                row = base + np.int64(peek_u64(found + 8 * j) & _LOW)
                if not is_dead(at_dead, len(dead), row) and id_at(at_ids, row) == ids[i]:
                    out[i] = row


@helper
def id_at(chunks, row):
    """Id of a row; ``chunks`` is the address of the addresses of chunks."""
    return peek_u64(np.int64(peek_u64(chunks + 8 * (row >> CHUNK_BITS))) + 8 * (row & _IN_CHUNK))


@helper
def is_dead(at, n_words, row):
    """Bit ``row`` of the bitmap of ``n_words`` at an address; rows behind its end are alive."""
    word = row >> 6
    return word < n_words and (peek_u64(at + 8 * word) >> np.uint64(row & 63)) & _ONE != np.uint64(0)
