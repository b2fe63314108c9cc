"""HammingIndex: doors, options, insert and remove, the folder on disk. Exactness is in tests/property."""

import pickle
import threading
from itertools import pairwise

import numpy as np
import pytest
from oracles import hamming as oracle

import txtfp_np as tx
from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index import HammingIndex, hamming_scan, npy, storage
from txtfp_np.index.blocks import Plan, check_masks, equal_masks, plan_for_pairs, plan_for_probes

ALL = (1 << 64) - 1


def planted(n, seed=0, k=4, bits=64):
    """Random values of which a third are some bits away from others, and some are equal, as Python ints."""
    rng = np.random.default_rng(seed)
    values = [int.from_bytes(rng.bytes(bits // 8), "little") for _ in range(n)]
    for target in range(0, n, 3):
        flips = rng.choice(bits, int(rng.integers(0, k + 2)), replace=False).tolist()
        values[target] = values[int(rng.integers(0, n))] ^ sum(1 << bit for bit in flips)
    return values


def as_array(values, bits=64):
    if bits == 128:
        return np.array([[value & ALL, value >> 64] for value in values], np.uint64).reshape(-1, 2)
    return np.array(values, np.uint64 if bits == 64 else np.uint32)


def listed(found):
    return list(zip(*(part.tolist() for part in found), strict=True))


def answers(found):
    indptr, positions, distances = (part.tolist() for part in found)
    return [list(zip(positions[a:b], distances[a:b], strict=True)) for a, b in pairwise(indptr)]


@pytest.mark.parametrize(("width", "dtype"), [(128, np.uint64), (32, np.uint8)])
def test_codes_of_another_width_are_told_how(width, dtype):
    codes = np.zeros((3, width // (8 * np.dtype(dtype).itemsize)), dtype)
    with pytest.raises(InvalidInputError) as caught:
        HammingIndex(codes)
    assert f"give bits={width}" in caught.value.__notes__[0]


def test_types():
    index = HammingIndex(as_array(planted(50)))
    assert [part.dtype for part in index.find_all()] == [np.int64, np.int64, np.uint8]
    assert [part.dtype for part in index.query(as_array(planted(5)))] == [np.int64, np.int64, np.uint8]
    assert [part.dtype for part in index.find_clusters()] == [np.int64] * 3
    assert [part.dtype for part in hamming_scan([1], [2], 3)] == [np.int64, np.int64, np.uint8]


@pytest.mark.parametrize("bits", [32, 64, 128])
def test_nothing_and_one(bits):
    empty = HammingIndex(bits=bits)
    assert len(empty) == 0
    assert listed(empty.find_all()) == []
    assert empty.find_clusters().indptr.tolist() == [0]
    probe = as_array([5], bits)
    assert answers(empty.query(probe)) == [[]]
    assert answers(HammingIndex(probe, bits=bits).query(probe)) == [[(0, 0)]]
    assert answers(HammingIndex(probe, bits=bits).query(probe[0])) == [[(0, 0)]]
    assert answers(HammingIndex(probe, bits=bits).query(probe[:0])) == []
    assert listed(HammingIndex(probe, bits=bits).find_all()) == []


def test_all_ones_and_zero():
    values = [0, ALL, 0, ALL ^ 1, 1]
    index = HammingIndex(values, 1)
    assert listed(index.find_all()) == oracle.find_all(values, 1)
    assert answers(index.query(values)) == oracle.query(values, values, 1)


@pytest.mark.parametrize("threads", [1, 2, 3, 7])
def test_threads_change_nothing(threads):
    values = as_array(planted(3000))
    index = HammingIndex(values, 4)
    for one, many in zip(index.find_all(threads=1), index.find_all(threads=threads), strict=True):
        assert np.array_equal(one, many)
    for one, many in zip(index.query(values, threads=1), index.query(values, threads=threads), strict=True):
        assert np.array_equal(one, many)
    for one, many in zip(
        hamming_scan(values, values, 4, threads=1), hamming_scan(values, values, 4, threads=threads), strict=True
    ):
        assert np.array_equal(one, many)


def test_large_columns_agree_with_the_scan():
    """Sizes at which parts, batches of probes and the sample come into play."""
    rng = np.random.default_rng(5)
    values = rng.integers(0, 1 << 63, 70_000, dtype=np.uint64)
    values[::7] = values[rng.integers(0, 70_000, 10_000)] ^ (
        np.uint64(1) << rng.integers(0, 64, 10_000).astype(np.uint64)
    )
    probes = values[:3000] ^ np.uint64(0b101)
    index = HammingIndex(values)
    for fast, slow in zip(index.query(probes), hamming_scan(values, probes, 3), strict=True):
        assert np.array_equal(fast, slow)
    indptr, positions, distances = hamming_scan(values, values[:4000], 3)
    i = np.repeat(np.arange(4000), np.diff(indptr))
    later = positions > i
    found = index.find_all(threads=2)
    ours = found[0] < 4000
    for fast, slow in zip(found, (i, positions, distances), strict=True):
        assert np.array_equal(fast[ours], slow[later])


def test_equal_values_cost_their_output_only():
    values = np.full(200_000, 77, np.uint64)
    values[100] = 76
    index = HammingIndex(values)
    assert listed(index.find_all(distinct=True)) == [(0, 100, 1)]
    assert index.find_clusters().indptr.tolist() == [0, 200_000]
    indptr, positions, _ = index.query([77])
    assert np.array_equal(positions, np.arange(200_000))
    assert indptr.tolist() == [0, 200_000]


def test_a_crowd_larger_than_the_output_buffers():
    """All values within 3 bits of each other: every pair is a hit, and so is every probe."""
    values = [1 << a | 1 << b for a in range(40) for b in range(a)]
    array = as_array(values)
    index = HammingIndex(array, 4)
    n = len(values)
    assert len(index.find_all()[0]) == n * (n - 1) // 2
    assert len(index.query(array)[1]) == n * n
    assert len(hamming_scan(array, array, 4)[1]) == n * n


def test_values_given_are_copied():
    values = as_array([1, 1])
    index = HammingIndex(values)
    values[0] = ALL
    assert listed(index.find_all()) == [(0, 1, 0)]


# ── insert and remove ───────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("bits", [64, 128])
def test_insert_and_remove(bits):
    values = planted(400, seed=3, bits=bits)
    index = HammingIndex(as_array(values[:100], bits), bits=bits)
    probes = values[:30]
    position = 100
    for size in (1, 1, 50, 3, 245):
        index.query(as_array(probes, bits))  # tables of what there is so far
        assert index.insert(as_array(values[position : position + size], bits)).tolist() == list(
            range(position, position + size)
        )
        position += size
        assert answers(index.query(as_array(probes, bits))) == oracle.query(values[:position], probes, 3)
    assert listed(index.find_all()) == oracle.find_all(values, 3)
    gone = {0, 7, 250, 399}
    assert index.remove(sorted(gone)) == 4
    assert index.remove([7, 8]) == 1
    gone.add(8)
    assert len(index) == 395
    there = [(i, j, d) for i, j, d in oracle.find_all(values, 3) if not {i, j} & gone]
    assert listed(index.find_all()) == there
    expected = [[hit for hit in hits if hit[0] not in gone] for hits in oracle.query(values, probes, 3)]
    assert answers(index.query(as_array(probes, bits))) == expected
    clusters = index.find_clusters()
    parts = [clusters.positions[a:b].tolist() for a, b in pairwise(clusters.indptr)]
    assert parts == oracle.clusters(400, there)
    index.insert(as_array(values[:1], bits))
    assert answers(index.query(as_array(values[:1], bits)))[0][-1] == (400, 0)


def test_many_small_inserts_make_few_segments():
    index = HammingIndex()
    for value in planted(200):
        index.insert([value])
        index.query([0])
    assert len(index._segments) < 12


def test_removing_most_drops_them_from_the_tables(tmp_path):
    values = planted(300)
    index = HammingIndex(values)
    index.query([0])
    index.remove(np.arange(0, 280))
    assert index._segments == ()
    expected = [[hit for hit in hits if hit[0] >= 280] for hits in oracle.query(values, values[250:], 3)]
    assert answers(index.query(values[250:])) == expected
    assert len(index._segments[0].order) == 20
    index.save(tmp_path)
    assert answers(HammingIndex.open(tmp_path).query(values[250:])) == expected
    index.remove(np.arange(300))
    assert len(index) == 0
    assert answers(index.query(values[:2])) == [[], []]
    assert listed(index.find_all()) == []


@pytest.mark.parametrize("position", [-1, 3, [0, 99], 1.5, "0"])
def test_remove_refuses_positions_never_given(position):
    with pytest.raises(InvalidInputError, match="positions"):
        HammingIndex([1, 2, 3]).remove(position)


# ── doors ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("given", "bits"),
    [
        ([1.5], 64),
        ([float("nan")], 64),
        (np.array([1, 2], np.int64), 64),
        (np.array([1.0]), 64),
        ([-1], 64),
        ([1 << 64], 64),
        (["1"], 64),
        ([None], 64),
        (np.zeros((2, 2), np.uint64), 64),
        (np.zeros(3, np.uint64), 128),
        (np.zeros((3, 3), np.uint64), 128),
        (np.zeros(3, np.uint64), 32),
        ([1 << 32], 32),
    ],
)
def test_what_is_no_fingerprint_is_refused(given, bits):
    with pytest.raises(InvalidInputError, match="fingerprints"):
        HammingIndex(given, bits=bits)
    with pytest.raises(InvalidInputError):
        HammingIndex(bits=bits).query(given)
    with pytest.raises(InvalidInputError):
        HammingIndex(bits=bits).insert(given)


@pytest.mark.parametrize(
    "options",
    [
        {"blocks": 65},
        {"blocks": 3},
        {"blocks": 0},
        {"blocks": 4.0},
        {"max_distance": -1},
        {"max_distance": 64},
        {"max_distance": True},
        {"bits": 63},
        {"bits": "64"},
        {"masks": [ALL]},
        {"masks": 5},
        {"masks": [0xFFFF, 0xFFFF0000, 0xFFFF << 32]},
        {"masks": equal_masks(4), "blocks": 5},
        {"max_distance": 32, "blocks": 64},
    ],
)
def test_options_that_cannot_be(options):
    with pytest.raises(ConfigError):
        HammingIndex([1, 2], **options)


@pytest.mark.parametrize("k", [-1, 4, 2.0])
def test_k_up_to_max_distance(k):
    with pytest.raises(ConfigError, match="k must be"):
        HammingIndex([1, 2]).query([1], k=k)


def test_masks():
    assert check_masks(equal_masks(6), 3, 64) == equal_masks(6)
    with pytest.raises(ConfigError, match="one run"):
        check_masks([0b101, ALL ^ 0b101], 1, 64)
    with pytest.raises(ConfigError, match="overlap"):
        check_masks([0xFF, ALL], 1, 64)
    with pytest.raises(ConfigError, match="is in none"):
        check_masks([0xFF, 0xFF00], 1, 64)


def test_distinct_must_be_a_flag():
    with pytest.raises(ConfigError, match="distinct"):
        HammingIndex([1]).find_all(3)


# ── choice of blocks ────────────────────────────────────────────────────────────────────────────
def test_blocks_grow_with_the_column():
    rng = np.random.default_rng(0)
    empty = np.empty(0, np.uint64)
    few = plan_for_pairs(np.sort(rng.integers(0, ALL, 1000, np.uint64)), empty, 8, 64)
    many = plan_for_pairs(np.sort(rng.integers(0, ALL, 1_000_000, np.uint64)), empty, 8, 64)
    assert 8 < len(few.masks) < len(many.masks)
    assert len(plan_for_probes(empty, empty, 3, 64, 10**6).masks) == 4
    assert len(plan_for_probes(empty, empty, 3, 64, 10**9).masks) == 5


def test_crowded_values_get_more_blocks():
    """Half of the bits are always the same: blocks of these say nothing."""
    rng = np.random.default_rng(0)
    values = np.unique(rng.integers(0, 1 << 36, 200_000, np.uint64))
    empty = np.empty(0, np.uint64)
    assert len(plan_for_pairs(values, empty, 3, 64).masks) > 5
    assert len(plan_for_probes(values, empty, 3, 64).masks) > 4


def test_a_plan_covers_its_combinations():
    plan = Plan(equal_masks(6, 128), 3, 128)
    assert plan.rows.shape == (20, 5)
    assert plan.key_bits == 21 * 3
    for row, chosen in zip(plan.rows.tolist(), plan.combinations, strict=True):
        assert row[0] | row[1] << 64 == sum(plan.masks[block] for block in chosen)


# ── on disk ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("bits", [64, 128])
@pytest.mark.parametrize("blocks", [None, 6])
def test_saved_and_opened_again(tmp_path, bits, blocks):
    values = planted(300, seed=9, bits=bits)
    index = HammingIndex(as_array(values[:200], bits), 3, blocks, bits=bits)
    index.query(as_array(values[:1], bits))
    index.insert(as_array(values[200:], bits))
    index.remove([5, 6])
    index.save(tmp_path / "index")
    opened = HammingIndex.open(tmp_path / "index")
    assert (opened.bits, opened.max_distance, opened.blocks, len(opened)) == (bits, 3, blocks, 298)
    assert not opened._segments[0].low.flags.writeable
    probes = as_array(values[:50], bits)
    assert answers(opened.query(probes)) == answers(index.query(probes))
    assert listed(opened.find_all()) == listed(index.find_all())
    opened.verify()
    assert opened.insert(probes[:1]).tolist() == [300]
    opened.remove(0)
    assert answers(opened.query(probes[:1]))[0][-1] == (300, 0)
    opened.save(tmp_path / "index")
    again = HammingIndex.open(tmp_path / "index")
    assert len(again) == 298
    assert np.array_equal(again.fingerprints, opened.fingerprints)


def test_empty_index_on_disk(tmp_path):
    HammingIndex().save(tmp_path)
    assert len(HammingIndex.open(tmp_path)) == 0


def test_repr():
    assert repr(HammingIndex([1, 2], blocks=6)) == "HammingIndex(2 fingerprints, max_distance=3, blocks=6, bits=64)"


def test_queries_beside_a_writer():
    """All that is there from the start is found exactly once, whatever other threads do."""
    values = as_array(planted(3000, k=0))
    index = HammingIndex(values[:2000])
    expected = [part.tolist() for part in hamming_scan(values[:2000], values[:300], 3)]
    stop, wrong = threading.Event(), []

    def read():
        while not stop.is_set():
            indptr, positions, distances = index.query(values[:300], threads=1)
            old = positions < 2000
            rows = np.repeat(np.arange(300), np.diff(indptr))[old]
            counts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=300))])
            if [counts.tolist(), positions[old].tolist(), distances[old].tolist()] != expected:
                wrong.append(indptr)
            index.find_clusters(threads=1)

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for first in range(2000, 3000, 10):
        positions = index.insert(values[first : first + 10])
        index.remove(positions[::2])
        index.query(values[first : first + 3])
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong
    assert len(index) == 2500


def test_queries_do_not_wait_for_a_save(tmp_path, monkeypatch):
    index = HammingIndex(planted(100))
    index.remove(3)
    index.query([1])
    writing, answered = threading.Event(), threading.Event()

    def write_npy(*arguments):
        writing.set()
        assert answered.wait(60)
        return npy.write_npy(*arguments)

    monkeypatch.setattr(storage, "write_npy", write_npy)
    saver = threading.Thread(target=index.save, args=(tmp_path,))
    saver.start()
    assert writing.wait(60)
    found = index.query(planted(100))
    answered.set()
    saver.join()
    assert answers(found) == answers(HammingIndex.open(tmp_path).query(planted(100)))


def test_a_column_that_was_given_in_any_way():
    values = planted(60)
    array = as_array(values)
    expected = listed(HammingIndex(values).find_all())
    frozen = array.copy()
    frozen.flags.writeable = False
    for given in (tuple(values), array.astype(">u8"), np.repeat(array, 2)[::2], frozen, array.view(np.ndarray)):
        index = HammingIndex(given)
        assert listed(index.find_all()) == expected
        assert answers(index.query(given)) == oracle.query(values, values, 3)
    wide = planted(60, bits=128)
    pairs = as_array(wide, 128)
    for given in (np.asfortranarray(pairs), pairs.astype(">u8"), np.repeat(pairs, 2, axis=1)[:, ::2], pairs.tolist()):
        assert listed(HammingIndex(given, bits=128).find_all()) == oracle.find_all(wide, 3)


def test_config_hash_from_the_fingerprinter(tmp_path):
    texts = ["a text about one thing", "a text about another thing", "a text about one thing"]
    ours, other = tx.SimHashFingerprinter(), tx.SimHashFingerprinter(weighting="uniform")
    index = HammingIndex(ours.fingerprint(texts), config_hash=ours.config_hash)
    index.save(tmp_path)
    for same in (index, HammingIndex.open(tmp_path)):
        assert same.config_hash == ours.config_hash
        assert 2 in same.query(ours.fingerprint(texts[0]), config_hash=ours.config_hash)[1]
        with pytest.raises(ConfigError, match=f"{ours.config_hash:#018x}, these have {other.config_hash:#018x}"):
            same.insert(other.fingerprint(texts), config_hash=other.config_hash)
        assert len(same) == 3


def test_nbytes(tmp_path):
    index = HammingIndex(planted(1000))
    assert index.nbytes == 8000
    index.query([1])
    built = index.nbytes
    assert 30_000 < built < 80_000
    index.save(tmp_path)
    assert index.nbytes == HammingIndex.open(tmp_path).nbytes == built


def test_kernels_are_compiled_once(tmp_path):
    """One layout and mutability of every argument, whatever the way in: built, inserted into, opened."""
    from txtfp_np.kernels import groups, hamming, hamming_scan, sorting

    index = HammingIndex(planted(50))
    index.query(planted(5))
    index.insert(planted(9))
    index.find_all(distinct=True)
    index.remove(3)
    index.find_clusters()
    index.save(tmp_path)
    opened = HammingIndex.open(tmp_path)
    opened.query(planted(5))
    opened.find_all()
    opened.insert(planted(7))
    opened.compact()
    for copy in (pickle.loads(pickle.dumps(opened)), HammingIndex(planted(50), blocks=6)):
        copy.query(planted(5))
        copy = pickle.loads(pickle.dumps(copy))
        copy.find_all()
        copy.query(planted(5))
    wide = HammingIndex(as_array(planted(50, bits=128), 128), bits=128)
    wide.find_all()
    wide.query(as_array(planted(5, bits=128), 128))
    kernels = [
        *(hamming.count_parts, hamming.scatter_parts, hamming.join_parts, hamming.build_table, hamming.query_tables),
        *(sorting.sort_keys, groups.group_starts, groups.count_spread, groups.spread_pairs, groups.spread_hits),
        groups.component_labels,
        hamming_scan.scan,
    ]
    compiled = {kernel.__name__: kernel.signatures for kernel in kernels if hasattr(kernel, "signatures")}
    assert {name: found for name, found in compiled.items() if len(found) > 1} == {}


@pytest.mark.parametrize(("bits", "advice"), [(64, ".view(np.uint64).ravel()"), (32, ".view(np.uint32).ravel()")])
@pytest.mark.parametrize("make", [tx.HammingIndex, lambda codes, bits: hamming_scan(codes, codes, 3, bits=bits)])
def test_codes_in_bytes(make, bits, advice):
    codes = tx.HyperplaneHash(bits).fingerprint(np.random.default_rng(1).normal(size=(5, 20)))
    with pytest.raises(InvalidInputError, match=r"fingerprints must have shape \(n,\), got \(5, ") as caught:
        make(codes, bits=bits)
    assert caught.value.advice == f"{advice} makes words of codes in bytes."
    assert make(codes.view(f"u{bits // 8}").ravel(), bits=bits) is not None
    with pytest.raises(InvalidInputError) as caught:
        make(codes[:, 1:], bits=bits)
    assert caught.value.advice is None


def test_wide_codes_in_bytes():
    codes = tx.BinaryHash(384).fingerprint(np.random.default_rng(1).normal(size=(5, 384)))
    with pytest.raises(InvalidInputError, match=r"must have shape \(n, 6\), got \(5, 48\)") as caught:
        hamming_scan(codes, codes, 3, bits=384)
    assert caught.value.advice == ".view(np.uint64) makes words of codes in bytes."
    indptr, positions, _ = hamming_scan(codes.view(np.uint64), codes.view(np.uint64), 3, bits=384)
    assert positions.tolist() == list(range(len(indptr) - 1))
