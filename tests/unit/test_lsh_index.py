"""The index at its edges: ids, signatures, thresholds, orders, threads, batches."""

import pickle
import threading

import numpy as np
import pytest
from oracles.lsh import NaiveLsh, band_keys

from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index import LshIndex
from txtfp_np.index.tables import seedless
from txtfp_np.kernels import bands as kernels
from txtfp_np.schema import minhash_dtype


def make(n, h=16, values=4, seed=0):
    array = np.zeros(n, minhash_dtype(h))
    array["schema"] = 1
    array["hashes"] = np.random.default_rng(seed).integers(0, values, (n, h), dtype=np.uint64)
    return array


def naive_of(sigs, ids, bands, rows):
    naive = NaiveLsh(bands, rows)
    for id, sig in zip(ids, sigs, strict=True):
        naive.insert(int(id), sig["hashes"].tolist())
    return naive


def filled(n=3000, **options):
    sigs = make(n, **options)
    index = LshIndex(8, 2, 16)
    index.insert(range(n), sigs)
    return index, sigs


@pytest.mark.parametrize("rows", [1, 2, 3, 8, 16, 17, 40])
def test_band_keys(rows):
    words = np.random.default_rng(rows).integers(0, 2**64, (21, 81), dtype=np.uint64)
    words.flags.writeable = False
    out = np.zeros((80 // rows, 25), np.uint64)
    kernels.band_keys(words, rows, seedless(), 3, out)
    expected = [band_keys(row[1:].tolist(), 80 // rows, rows) for row in words]
    assert out[:, 3:24].T.tolist() == expected
    assert not out[:, :3].any()


def test_against_the_naive_index_in_batches():
    sigs = make(3000, values=3)
    ids = np.random.default_rng(1).integers(0, 2500, 3000).astype(np.uint64) << np.uint64(50)
    naive = naive_of(sigs, ids, 8, 2)
    probes = make(200, values=3, seed=5)
    for cuts in ([3000], [1, 2, 3000], [1000, 1024, 2048, 3000], range(7, 3001, 7)):
        index = LshIndex(8, 2, 16)
        begin = 0
        for end in [*cuts, 3000]:
            index.insert(ids[begin:end], sigs[begin:end])
            begin = end
        assert list(index) == list(naive.slots)
        for threads in (1, 3):
            indptr, found = index.query(probes, threads=threads)
            expected = [naive.query(probe["hashes"].tolist()) for probe in probes]
            assert [row.tolist() for row in np.split(found, indptr[1:-1])] == expected
        indptr, found, similar = index.query_with_threshold(probes, 0.5, return_similarity=True)
        rows = [naive.query_with(probe["hashes"].tolist(), 8) for probe in probes]
        assert [row.tolist() for row in np.split(found, indptr[1:-1])] == rows
        shares = [naive.equal(id, p["hashes"].tolist()) / 16 for p, row in zip(probes, rows, strict=True) for id in row]
        assert similar.tolist() == shares
        best_ptr, best = index.query(probes, k=3)
        for i, probe in enumerate(probes):
            slots = probe["hashes"].tolist()
            ranked = sorted(naive.query(slots), key=lambda id: -naive.equal(id, slots))[:3]
            assert best[best_ptr[i] : best_ptr[i + 1]].tolist() == ranked


def test_full_buckets_in_small_memory():
    """All signatures alike: every probe finds every row, in more than one go."""
    sigs = np.repeat(make(1), 3000)
    index = LshIndex(8, 2, 16)
    index.insert(range(3000), sigs)
    indptr, ids = index.query(sigs[:200])
    assert (np.diff(indptr) == 3000).all()
    assert (ids.reshape(200, 3000) == np.arange(3000)).all()
    assert len(index.self_join(0.9)) == 2999


def test_results_by_shape():
    index, sigs = filled(50)
    one = index.query(sigs[3])
    assert one.dtype == np.uint64
    indptr, ids = index.query(sigs[3:4])
    assert (indptr.dtype, ids.dtype, indptr.tolist()) == (np.int64, np.uint64, [0, len(one)])
    assert ids.tolist() == one.tolist()
    assert [part.tolist() for part in index.query(sigs[:0])] == [[0], []]
    ids, similarity = index.query(sigs[3], return_similarity=True)
    assert similarity.dtype == np.float32
    assert index.query(sigs[3], k=0).tolist() == []
    empty = LshIndex(8, 2, 16)
    assert empty.query(sigs[0]).tolist() == []
    assert [part.tolist() for part in empty.query(sigs[:2], return_similarity=True)] == [[0, 0, 0], [], []]
    assert len(empty.self_join(0)) == 0
    empty.compact()
    assert len(empty) == 0


def test_threshold_edges():
    index, sigs = filled(300)
    everything = index.query(sigs[0]).tolist()
    for t in (-1, 0, 0.0, -np.inf, np.float32(0)):
        assert index.query_with_threshold(sigs[0], t).tolist() == everything
    for t in (1, 7, np.inf):
        found, similarity = index.query_with_threshold(sigs[0], t, return_similarity=True)
        assert (similarity == 1).all()
        assert found[0] == 0
    assert index.query_with_threshold(sigs[0], float("nan")).tolist() == []
    assert len(index.self_join(float("nan"))) == 0
    with pytest.raises(ConfigError, match="threshold must be a number"):
        index.query_with_threshold(sigs[0], "0.5")


@pytest.mark.parametrize(
    ("ids", "row"),
    [([0, -1], 1), ([0, 2**64], 1), ([0, 1.5], 1), (np.array([1, -5]), 1), (np.array([1.0, 2.0]), 0), (["a", 1], 0)],
)
def test_bad_ids(ids, row):
    index, sigs = filled(10)
    with pytest.raises(InvalidInputError, match="ids must be whole numbers") as caught:
        index.insert(ids, sigs[:2])
    assert caught.value.row == row
    assert len(index) == 10


def test_bad_input_changes_nothing():
    index, sigs = filled(10)
    for ids, bad, message in [
        ([1, 2], sigs[:1], "2 ids for 1 signatures"),
        ([1], make(1, h=8), "sigs must be MinHash signatures of h = 16, got h = 8"),
        ([1], np.zeros(1), "got dtype float64"),
        (np.zeros((1, 1), int), sigs[:1], "one axis"),
        ("7", sigs[:1], "whole numbers"),
    ]:
        with pytest.raises(InvalidInputError, match=message):
            index.insert(ids, bad)
    assert list(index) == list(range(10))
    index.insert([], sigs[:0])
    with pytest.raises(InvalidInputError, match="remove takes one id"):
        index.remove([1, 2])


def test_ids_of_every_kind():
    index, sigs = filled(4)
    for id in (2**64 - 1, np.uint64(2**64 - 2), np.int8(7), np.array(9)):
        index.insert(id, sigs[0])
        assert id in index
        assert index.get(id) == sigs[0]
    index.insert(np.array([100, 101], ">i4"), sigs[:2])
    assert list(index) == [0, 1, 2, 3, 2**64 - 1, 2**64 - 2, 7, 9, 100, 101]
    assert "x" not in index
    assert -1 not in index
    assert index.get(55) is None
    assert index.remove(55) is None


def test_stored_signatures_are_copies():
    index, sigs = filled(2000)
    kept = sigs.copy()
    sigs["hashes"] = 0
    assert index.get(1500) == kept[1500]
    assert 1500 in index.query(kept[1500])
    record = index.get(1500)
    record["hashes"] = 1
    assert index.get(1500) == kept[1500]


def test_partial_uses_the_first_slots():
    index = LshIndex(3, 4, 16, partial=True)
    sigs = make(2, values=2**60)
    sigs["hashes"][1, :4] = sigs["hashes"][0, :4]
    index.insert([0, 1], sigs)
    assert index.query(sigs[0]).tolist() == [0, 1]
    sigs["hashes"][1, :12] = 7
    sigs["hashes"][1, 12:] = sigs["hashes"][0, 12:]
    index.insert(1, sigs[1])
    assert index.query(sigs[0]).tolist() == [0]
    with pytest.raises(ConfigError, match=r"\(3 \* 4 = 12\) must equal H = 16"):
        LshIndex(3, 4, 16)


def test_config_hash():
    sigs = make(1)
    index = LshIndex(8, 2, 16, config_hash=5)
    index.insert(1, sigs[0], config_hash=5)
    index.insert(2, sigs[0])
    for call in (index.query, lambda sig, config_hash: index.insert(3, sig, config_hash=config_hash)):
        with pytest.raises(ConfigError, match="0x0000000000000005, these have 0x0000000000000006"):
            call(sigs[0], config_hash=6)
    with pytest.raises(ConfigError, match="config_hash must be"):
        LshIndex(8, 2, 16, config_hash=-1)


def test_replacing_over_and_over_stays_small():
    index, sigs = filled(2000)
    for _ in range(12):
        index.insert(range(2000), sigs)
    assert len(index) == 2000
    assert index._snapshot.n_rows <= 9000
    assert list(index) == list(range(2000))


def test_pickle():
    index, sigs = filled(2000)
    index.remove(7)
    twin = pickle.loads(pickle.dumps(index))
    assert list(twin) == list(index)
    assert twin.query(sigs[8]).tolist() == index.query(sigs[8]).tolist()
    assert repr(twin) == "LshIndex(bands=8, rows=2, h=16, n=1999)"
    assert twin.nbytes > 0


def test_queries_beside_a_writer():
    """Id 0 is replaced all the time and must be found exactly once at any moment."""
    index, sigs = filled(1500, values=2**40)
    stop, wrong = threading.Event(), []

    def read():
        while not stop.is_set():
            found = index.query(sigs[0]).tolist()
            many = index.query(np.repeat(sigs[:1], 50))[1].tolist()
            if found != [0] or many != [0] * 50:
                wrong.append((found, many[:60]))

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    for i in range(1500):
        index.insert(0, sigs[0])
        index.insert(10_000 + i, sigs[1])
    stop.set()
    for reader in readers:
        reader.join()
    assert not wrong[:1]


def test_kernels_compile_once():
    from txtfp_np.kernels import lsh, sorting, tables

    index, sigs = filled(2000)
    index.insert(range(1000, 4000), make(3000))
    index.query_with_threshold(sigs, 0.5)
    index.query(sigs, k=2)
    index.remove(5)
    made = [kernels.band_keys, sorting.sort_keys, tables.sort_entries, tables.place_entries, tables.merge_entries]
    for kernel in (*made, tables.find_ids, lsh.collect_rows, lsh.verify_rows, lsh.gather_ids):
        assert len(getattr(kernel, "signatures", [0])) <= 1
