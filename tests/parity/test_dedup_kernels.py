"""Kernels of near-duplicate removal against plain Python."""

import numpy as np
import pytest
import xxhash
from oracles import dedup as oracle

from txtfp_np.dedup.containment import contained, least_shared
from txtfp_np.dedup.copies import equal_sets
from txtfp_np.dedup.verify import ShingleSets
from txtfp_np.index.join import sort_in_place
from txtfp_np.index.tables import seedless
from txtfp_np.kernels.containment import contained_pairs, fill_postings, number_shared
from txtfp_np.kernels.copies import first_equal_runs, hash_runs

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

EXTREMES = [0, 1, 2**63, 2**64 - 1]
value_sets = st.lists(st.sets(st.sampled_from([*EXTREMES, *range(5, 12)]), max_size=8), max_size=9)


def fixed(array):
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array


def runs(items):
    offsets = np.cumsum([0, *map(len, items)]).astype(np.int64)
    return fixed(np.frombuffer(b"".join(items), np.uint8)), fixed(offsets)


def packed(sets):
    values = np.array([value for one in sets for value in sorted(one)], np.uint64)
    return ShingleSets(fixed(values), fixed(np.cumsum([0, *map(len, sets)]).astype(np.int64)))


@given(st.lists(st.binary(max_size=40) | st.sampled_from([b"", b"a", b"b" * 300]), max_size=9))
def test_hashes_of_runs(items):
    data, offsets = runs(items)
    out = np.empty(len(items), np.uint64)
    hash_runs(data, offsets, 1, seedless(), out)
    assert out.tolist() == [xxhash.xxh3_64_intdigest(item) for item in items]


@given(st.lists(st.sampled_from([b"", b"a", b"b", b"ab", b"12345678", b"123456789", b"12345679" * 3]), max_size=12))
def test_equal_runs(items):
    data, offsets = runs(items)
    keys = np.empty(len(items), np.uint64)
    hash_runs(data, offsets, 1, seedless(), keys)
    order = sort_in_place(keys)
    out = np.empty(len(items), np.int64)
    first_equal_runs(data, offsets, 1, fixed(keys), order, out)
    assert out.tolist() == oracle.first_equal(items)


@given(st.lists(st.sampled_from([b"", b"a", b"b", b"ab", b"12345678", b"12345679"]), max_size=12))
def test_an_equal_hash_is_no_proof(items):
    """All hashes the same: the bytes decide."""
    data, offsets = runs(items)
    out = np.empty(len(items), np.int64)
    order = fixed(np.arange(len(items), dtype=np.uint32))
    first_equal_runs(data, offsets, 1, fixed(np.zeros(len(items), np.uint64)), order, out)
    assert out.tolist() == oracle.first_equal(items)


@given(value_sets)
def test_equal_sets(sets):
    assert equal_sets(packed(sets)).tolist() == oracle.first_equal(sets)


@given(value_sets)
def test_shared_values(sets):
    values, offsets = packed(sets)
    keys, numbers = values.copy(), np.empty(len(values), np.uint32)
    starts = np.empty(len(values) + 1, np.int64)
    order = sort_in_place(keys)
    n_shared = number_shared(fixed(keys), order, numbers, starts)
    ends = starts[: n_shared + 1].copy()
    postings = np.empty(ends[-1], np.uint32)
    fill_postings(fixed(numbers), offsets, ends, postings)
    expected = oracle.number_shared(sets)
    assert [part.tolist() for part in np.split(postings, starts[1:n_shared])[:n_shared]] == expected
    alone = [sum(value in one for one in sets) == 1 for value in values.tolist()]
    assert (numbers == 0).tolist() == alone


@settings(max_examples=300, deadline=None)
@given(value_sets, st.sampled_from([0.01, 0.3, 0.5, 2 / 3, 0.7, 0.9, 1.0]))
def test_containment(sets, threshold):
    """The prefixes that are looked at miss nothing; equal sets are found before, so they are left out here."""
    sets = [one for row, one in enumerate(sets) if one not in sets[:row]]
    i, j, share = contained(packed(sets), threshold)
    found = dict(zip(zip(i.tolist(), j.tolist(), strict=True), share.tolist(), strict=True))
    assert len(found) == len(i)
    assert sorted(found) == sorted(oracle.contained(sets, threshold))
    assert all(found[a, b] == len(sets[a] & sets[b]) / len(sets[a]) for a, b in found)


@settings(max_examples=100, deadline=None)
@given(value_sets, st.sampled_from([0.3, 0.5, 1.0]), st.integers(1, 4))
def test_containment_goes_on_where_it_stopped(sets, threshold, room):
    values, offsets = packed(sets)
    keys, numbers = values.copy(), np.empty(len(values), np.uint32)
    ends = np.empty(len(values) + 1, np.int64)
    order = sort_in_place(keys)
    n_shared = number_shared(fixed(keys), order, numbers, ends)
    ends = ends[: n_shared + 1].copy()
    postings = np.empty(ends[-1], np.uint32)
    fill_postings(fixed(numbers), offsets, ends, postings)
    needed = fixed(least_shared(np.diff(offsets), threshold))

    def every_pair(room):
        cursor, stamps, pairs = np.zeros(2, np.int64), np.full(len(sets), -1), []
        out = np.empty((room, 2), np.int64)
        while cursor[0] < len(sets):
            n = contained_pairs(fixed(numbers), offsets, fixed(postings), fixed(ends), needed, cursor, stamps, out)
            pairs += out[:n].tolist()
        return pairs

    assert every_pair(room) == every_pair(1000)


@given(st.integers(0, 60), st.floats(0.001, 1))
def test_least_shared(size, threshold):
    assert least_shared(np.array([size]), threshold).tolist() == [oracle.least_containment(size, threshold)]
