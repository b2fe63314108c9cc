"""The Hamming index against comparing everything with everything.

1. find_all gives exactly the pairs within max_distance, for every number of blocks, masks and width.
2. distinct=True gives the same over first positions of values, without distance 0.
3. query gives exactly the neighbours of each probe, for every k up to max_distance; so does the scan.
4. find_clusters gives the connected components of these pairs.
5. Inserting in steps and removing gives what building from the rest gives.
6. All permuted tables together find what the index finds; a shard answers like its table.
"""

from itertools import pairwise

import numpy as np
import pytest
from oracles import hamming as oracle

from txtfp_np.index import HammingIndex, PermutedTable, hamming_scan

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st

ALL = (1 << 64) - 1


def as_array(values, bits):
    if bits == 128:
        return np.array([[value & ALL, value >> 64] for value in values], np.uint64).reshape(-1, 2)
    return np.array(values, np.uint64 if bits == 64 else np.uint32)


def listed(found):
    return list(zip(*(part.tolist() for part in found), strict=True))


def answers(found):
    indptr, positions, distances = (part.tolist() for part in found)
    return [list(zip(positions[a:b], distances[a:b], strict=True)) for a, b in pairwise(indptr)]


@st.composite
def columns(draw, bits):
    """Values, each new or 0 to 10 bits away from one before; extremes are likely."""
    values = []
    fresh = st.one_of(st.integers(0, (1 << bits) - 1), st.sampled_from([0, (1 << bits) - 1, 1 << (bits - 1)]))
    for _ in range(draw(st.integers(0, 25))):
        if values and draw(st.booleans()):
            flips = draw(st.sets(st.integers(0, bits - 1), max_size=10))
            values.append(draw(st.sampled_from(values)) ^ sum(1 << bit for bit in flips))
        else:
            values.append(draw(fresh))
    return values


@st.composite
def problems(draw):
    """(values, width, max_distance, options)."""
    bits = draw(st.sampled_from([32, 64, 128]))
    k = draw(st.integers(0, 8))
    kind = draw(st.sampled_from(["chosen", "blocks", "masks"]))
    options = {}
    if kind == "blocks":
        options["blocks"] = draw(st.integers(k + 1, k + 4))
    elif kind == "masks":
        count = draw(st.integers(k + 1, k + 3))
        cuts = sorted(draw(st.sets(st.integers(1, bits - 1), min_size=count - 1, max_size=count - 1)))
        bounds = [0, *cuts, bits]
        masks = [(1 << end) - (1 << begin) for begin, end in pairwise(bounds)]
        options["masks"] = draw(st.permutations(masks))
    return draw(columns(bits)), bits, k, options


@settings(max_examples=150)
@given(problems())
def test_pairs_and_clusters(problem):
    values, bits, k, options = problem
    index = HammingIndex(as_array(values, bits), k, bits=bits, **options)
    expected = oracle.find_all(values, k)
    assert listed(index.find_all()) == expected
    assert listed(index.find_all(distinct=True, threads=2)) == oracle.find_all(values, k, distinct=True)
    clusters = index.find_clusters()
    parts = [clusters.positions[a:b].tolist() for a, b in pairwise(clusters.indptr)]
    assert parts == oracle.clusters(len(values), expected)
    for number, members in enumerate(parts):
        assert (clusters.labels[members] == number).all()
    assert (clusters.labels >= 0).sum() == sum(map(len, parts))


@settings(max_examples=150)
@given(problems(), st.data())
def test_neighbours(problem, data):
    values, bits, max_distance, options = problem
    probes = data.draw(columns(bits)) + values[:5]
    k = data.draw(st.integers(0, max_distance))
    expected = oracle.query(values, probes, k)
    index = HammingIndex(as_array(values, bits), max_distance, bits=bits, **options)
    assert answers(index.query(as_array(probes, bits), k=k)) == expected
    assert answers(hamming_scan(as_array(values, bits), as_array(probes, bits), k, bits)) == expected


@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("k", range(9))
def test_planted_neighbours_at_every_distance(bits, k):
    """One value, and others 0 to k + 1 bits away, in all places of the word; all numbers of blocks."""
    rng = np.random.default_rng(k)
    base = int.from_bytes(rng.bytes(bits // 8), "little")
    values = [base]
    for distance in range(k + 2):
        for _ in range(12):
            values.append(base ^ sum(1 << bit for bit in rng.choice(bits, distance, replace=False).tolist()))
    expected = oracle.find_all(values, k)
    for blocks in [None, *range(k + 1, min(k + 6, 13))]:
        index = HammingIndex(as_array(values, bits), k, blocks, bits=bits)
        assert listed(index.find_all()) == expected
        assert answers(index.query(as_array(values, bits))) == oracle.query(values, values, k)


@pytest.mark.parametrize("blocks", range(2, 65))
def test_every_number_of_blocks(blocks):
    rng = np.random.default_rng(blocks)
    values = [int(value) for value in rng.integers(0, ALL, 60, np.uint64)]
    values += [value ^ 1 << int(bit) for value, bit in zip(values, rng.integers(0, 64, 60), strict=True)]
    assert listed(HammingIndex(values, 1, blocks).find_all()) == oracle.find_all(values, 1)


@given(columns(64), st.data())
def test_insert_in_steps_and_remove(values, data):
    index = HammingIndex(max_distance=4)
    position = 0
    while position < len(values):
        size = data.draw(st.integers(1, len(values) - position))
        index.insert(as_array(values[position : position + size], 64))
        position += size
        if data.draw(st.booleans()):
            index.query([0])
    gone = data.draw(st.sets(st.integers(0, len(values) - 1))) if values else set()
    assert index.remove(sorted(gone)) == len(gone)
    assert len(index) == len(values) - len(gone)
    assert listed(index.find_all()) == [p for p in oracle.find_all(values, 4) if p[0] not in gone and p[1] not in gone]
    expected = [[hit for hit in hits if hit[0] not in gone] for hits in oracle.query(values, values, 4)]
    assert answers(index.query(as_array(values, 64))) == expected


@given(columns(64), st.integers(0, 3), st.integers(1, 3))
def test_tables_and_shards(values, k, more):
    tables = PermutedTable.tables(k + more, k, as_array(values, 64))
    for probe in values[:5]:
        expected = {value for value in values if oracle.distance(value, probe) <= k}
        found = [set(table.find(probe).tolist()) for table in tables]
        assert set().union(*found) == expected
        for table, here in zip(tables, found, strict=True):
            if table.search_mask.bit_count() >= 8:
                shard = table.shards().get(int(table.shard_of(probe)))
                assert (set() if shard is None else set(shard.find(probe).tolist())) == here
