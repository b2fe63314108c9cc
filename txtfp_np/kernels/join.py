"""Pairs of rows that share a bucket, without the pairs of equal signatures. Layout of rows: ``kernels.lsh``."""

from __future__ import annotations

import numpy as np

from ._jit import kernel
from .bands import band_key
from .intrinsics import address
from .lsh import all_equal, equal_slots, slots_at
from .scan import prefetch


@kernel
def hash_slots(words_at, rows, n_words, first_slot, n_slots, secret, out):
    """XXH3-64, seed 0, of slots ``first_slot`` to ``first_slot + n_slots`` of rows.

    ``words_at`` ``int64[:]``, ``rows`` ``int64[n]``, ``out`` ``uint64[n]``.
    """
    at_secret, chunks = address(secret, 0), address(words_at, 0)
    for i in range(len(rows)):
        if i + 8 < len(rows):
            prefetch(slots_at(chunks, rows[i + 8], n_words) + 8 * first_slot)
        at = slots_at(chunks, rows[i], n_words) + 8 * first_slot
        out[i] = band_key(at, 8 * n_slots, at_secret)


@kernel
def find_equal(words_at, rows, n_words, keys, order, out):
    """The first row that is equal in all slots, for every row.

    Parameters
    ----------
    words_at : int64[:], read-only
    rows : int64[n], read-only
        Row numbers.
    n_words : int
        Words a record.
    keys : uint64[n], order : uint32[n], read-only
        Hashes of all slots, sorted, and which of ``rows`` has them.
    out : int64[n]
        Position in ``rows`` of the first equal one; its own if there is none before it.
    """
    begin = 0
    chunks = address(words_at, 0)
    for i in range(len(keys)):
        if keys[i] != keys[begin]:
            begin = i
        mine = np.int64(order[i])
        out[mine] = mine
        at = slots_at(chunks, rows[mine], n_words)
        for j in range(begin, i):
            other = np.int64(order[j])
            # a hash shared by unlike rows is looked through to its end; equal rows end at the first
            if out[other] == other and all_equal(at, slots_at(chunks, rows[other], n_words), n_words - 1):
                out[mine] = other
                break


@kernel
def join_band(words_at, rows, keys, order, shape, cursor, out):
    """Pairs of rows that share a band, share none before it, and have enough slots in common.

    Parameters
    ----------
    words_at : int64[:], read-only
    rows : int64[n], read-only
        Row numbers, ascending.
    keys : uint64[n], order : uint32[n], read-only
        Keys of the band, sorted, and which of ``rows`` has them.
    shape : (int, int, int, int)
        The band, slots a band, words a record, slots that must be equal.
    cursor : int64[2]
        Where to go on, as the last call left it; zeros at first.
    out : int64[:, 3]
        Written: both rows, and slots that are equal.

    Returns
    -------
    int
        Pairs written. Another call may find more if ``out`` is full.
    """
    band, n_rows, n_words, needed = shape
    chunks = address(words_at, 0)
    written = 0
    i, j = cursor[0], cursor[1]
    while i < len(keys):
        row = rows[order[i]]
        at = slots_at(chunks, row, n_words)
        j = max(j, i + 1)
        while j < len(keys) and keys[j] == keys[i]:
            if written == len(out):
                cursor[0], cursor[1] = i, j
                return written
            other = rows[order[j]]
            j += 1
            other_at = slots_at(chunks, other, n_words)
            if not all_equal(at + 8 * band * n_rows, other_at + 8 * band * n_rows, n_rows):
                continue  # the hash alone is equal
            found_before = False
            for earlier in range(band):
                if all_equal(at + 8 * earlier * n_rows, other_at + 8 * earlier * n_rows, n_rows):
                    found_before = True
                    break
            if found_before:
                continue
            equal = equal_slots(at, other_at, n_words - 1, needed, True)
            if equal >= 0:
                out[written, 0], out[written, 1], out[written, 2] = row, other, equal
                written += 1
        i += 1
        j = 0
    cursor[0], cursor[1] = i, 0
    return written
