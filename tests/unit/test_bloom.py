"""Bloom filters of bands: nothing is forgotten, mistakes are as rare as asked for, files are checked."""

import pickle
import threading

import numpy as np
import pytest
from oracles.lsh import band_keys

from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index import BloomLsh, LshIndex
from txtfp_np.index.storage import Store
from txtfp_np.schema import minhash_dtype

H = 16
MASK = 2**64 - 1


def make(n, seed=0, values=2**64, h=H):
    sigs = np.zeros(n, minhash_dtype(h))
    sigs["schema"] = 1
    sigs["hashes"] = np.random.default_rng(seed).integers(0, values, (n, h), dtype=np.uint64)
    return sigs


def index_of(n=0, seed=0, *, capacity=1000, **options):
    index = BloomLsh(8, 2, H, capacity=capacity, **options)
    index.add(make(n, seed))
    return index


def mixed(value):
    for factor in (0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53, 1):
        value = (value ^ (value >> 33)) * factor & MASK
    return value


def bits_by_hand(key, probes, n_bits):
    step = mixed(key ^ 0x9E3779B97F4A7C15) | 1
    return [mixed((key + i * step) & MASK) * n_bits >> 64 for i in range(probes)]


class ExactBands:
    """The same with sets in place of filters."""

    def __init__(self, bands, rows):
        self.geometry = bands, rows
        self.seen = [set() for _ in range(bands)]

    def add_if_new(self, slots):
        keys = band_keys(slots, *self.geometry)
        known = any(key in seen for key, seen in zip(keys, self.seen, strict=True))
        if not known:
            for key, seen in zip(keys, self.seen, strict=True):
                seen.add(key)
        return known


# ── what is found ───────────────────────────────────────────────────────────────────────────────
def test_bits_are_those_of_plain_python():
    index = index_of(5, capacity=100)
    wanted = np.zeros((8, 64 * index._filters.shape[1]), bool)
    for slots in make(5)["hashes"].tolist():
        for band, key in enumerate(band_keys(slots, 8, 2)):
            wanted[band, bits_by_hand(key, index._probes, wanted.shape[1])] = True
    assert np.array_equal(np.unpackbits(index._filters.view(np.uint8), axis=1, bitorder="little"), wanted)


@pytest.mark.parametrize(("n", "capacity", "rate"), [(1, 1, 1e-5), (5000, 5000, 0.1), (20_000, 100, 0.5)])
def test_nothing_is_forgotten(n, capacity, rate):
    """Also far beyond the capacity."""
    index = index_of(n, capacity=capacity, error_rate=rate)
    sigs = make(n)
    assert index.contains(sigs).all()
    assert index.add_if_new(sigs).all()
    assert len(index) == n


def test_one_shared_band_suffices():
    index = index_of(300)
    probes = make(300, seed=9)
    for row in range(300):
        band = row % 8
        probes["hashes"][row, 2 * band : 2 * band + 2] = make(300)["hashes"][row, 2 * band : 2 * band + 2]
    assert index.contains(probes).all()
    # the same slots in another band are none
    probes["hashes"] = np.roll(make(300)["hashes"], 2, axis=1)
    assert not index.contains(probes).any()


def test_what_lsh_index_finds_is_contained():
    sigs, probes = make(2000, values=30), make(2000, seed=1, values=30)
    lsh, bloom = LshIndex(8, 2, H), BloomLsh(8, 2, H, capacity=2000)
    lsh.insert(range(2000), sigs)
    bloom.add(sigs)
    indptr, _ = lsh.query(probes)
    assert np.array_equal(np.diff(indptr) > 0, bloom.contains(probes))


@pytest.mark.parametrize(("capacity", "rate"), [(20, 0.01), (1000, 0.05), (30_000, 0.01), (3000, 0.001)])
def test_mistakes_are_as_rare_as_asked_for(capacity, rate):
    """Also in small filters, where plain double hashing has few different probes."""
    index = index_of(capacity, capacity=capacity, error_rate=rate)
    found = index.contains(make(200_000, seed=5)).mean()
    assert found <= 2 * rate
    assert found <= index.current_error_rate() + 5 * np.sqrt(rate / 200_000)
    assert index.current_error_rate() <= 1.5 * rate


def test_small_rates_by_the_share_of_bits_that_are_set():
    index = index_of(20_000, capacity=20_000)
    assert 0.5e-5 < index.current_error_rate() < 1.2e-5
    assert not index.contains(make(20_000, seed=5)).any()


# ── order ───────────────────────────────────────────────────────────────────────────────────────
def test_the_second_of_two_equal_ones_is_known():
    sigs = make(3)[[0, 1, 0, 2, 1]]
    index = index_of()
    assert index.add_if_new(sigs).tolist() == [False, False, True, False, True]
    assert len(index) == 3
    assert index.contains(sigs).all()


def test_one_after_another_is_the_same_as_all_at_once():
    sigs = make(9000, values=60)
    naive, whole, single = ExactBands(8, 2), index_of(capacity=9000), index_of(capacity=9000)
    found = whole.add_if_new(sigs)  # more than two blocks
    assert found.tolist() == [naive.add_if_new(slots) for slots in sigs["hashes"].tolist()]
    assert 0 < found.sum() < 9000
    assert [bool(single.add_if_new(sig)) for sig in sigs[:500]] == found[:500].tolist()
    assert len(whole) == 9000 - found.sum()


def test_what_is_known_is_not_added():
    a, b, c = make(3)
    b["hashes"][:2] = a["hashes"][:2]
    c["hashes"][4:6] = b["hashes"][4:6]
    sigs = np.array([a, b, c], minhash_dtype(H))
    assert index_of().add_if_new(sigs).tolist() == [False, True, False]


def test_one_record_gives_one_answer():
    index, sig = index_of(), make(1)[0]
    assert index.contains(sig) is np.False_
    assert index.add_if_new(sig) is np.False_
    assert index.add_if_new(sig) is np.True_
    assert index.contains(sig) is np.True_
    index.add(sig)
    assert len(index) == 2
    assert index.contains(make(0)).shape == index.add_if_new(make(0)).shape == (0,)


def test_threads_change_nothing():
    sigs, probes = make(40_000), np.concatenate([make(10_000), make(10_000, seed=1)])
    one, two = BloomLsh(8, 2, H, capacity=40_000), BloomLsh(8, 2, H, capacity=40_000)
    one.add(sigs, threads=1)
    two.add(sigs, threads=2)
    assert np.array_equal(one._filters, two._filters)
    assert np.array_equal(one.contains(probes, threads=1), two.contains(probes, threads=2))


def test_additions_at_the_same_time_are_all_kept():
    index, parts = index_of(capacity=20_000), [make(5000, seed) for seed in range(4)]
    workers = [threading.Thread(target=index.add, args=(part,)) for part in parts]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(index) == 20_000
    assert all(index.contains(part).all() for part in parts)


# ── size ────────────────────────────────────────────────────────────────────────────────────────
def test_size():
    index = BloomLsh(capacity=1_000_000)
    assert (index.bands, index.rows, index.h, index.capacity, index.error_rate) == (16, 8, 128, 1_000_000, 1e-5)
    assert 59 < index.nbytes / 1_000_000 < 60
    assert index.nbytes % (16 * 64) == 0
    assert BloomLsh(capacity=1).nbytes == 16 * 64
    assert repr(index) == "BloomLsh(bands=16, rows=8, h=128, n=0, capacity=1000000)"


# ── keeping it ──────────────────────────────────────────────────────────────────────────────────
def test_open_gives_the_same_index(tmp_path):
    index = index_of(500, config_hash=77, error_rate=0.01)
    index.save(tmp_path / "a")
    again = BloomLsh.open(tmp_path / "a")
    again.verify()
    assert (again.bands, again.rows, again.h, again.config_hash, len(again)) == (8, 2, H, 77, 500)
    assert (again.capacity, again.error_rate, again.nbytes) == (1000, 0.01, index.nbytes)
    probes = np.concatenate([make(500), make(5000, seed=1)])
    assert np.array_equal(again.contains(probes), index.contains(probes))


def test_an_opened_one_grows_without_touching_its_files(tmp_path):
    index_of(100).save(tmp_path)
    first, second = BloomLsh.open(tmp_path), BloomLsh.open(tmp_path)
    first.add(make(50, seed=1))
    assert not second.contains(make(50, seed=1)).any()
    first.verify()
    first.save(tmp_path)
    first.add(make(5, seed=2))
    first.save(tmp_path)
    assert len(BloomLsh.open(tmp_path)) == 155
    assert BloomLsh.open(tmp_path).contains(make(50, seed=1)).all()
    assert second.contains(make(100)).all()  # its files are gone, its map is not
    with pytest.raises(ConfigError, match="somebody else"):
        second.save(tmp_path)
    second.save(tmp_path / "elsewhere")


def test_filters_that_do_not_fit_are_refused(tmp_path):
    meta = {"bands": 3, "rows": 2, "h": H}
    Store(tmp_path / "odd", "bloom").save_segments(meta, [{"filters": np.zeros((2, 8), np.uint64)}])
    with pytest.raises(InvalidInputError, match="damaged"):
        BloomLsh.open(tmp_path / "odd")


def test_pickle(tmp_path):
    index = index_of(100, config_hash=5)
    index.save(tmp_path)
    for source in (index, BloomLsh.open(tmp_path)):
        again = pickle.loads(pickle.dumps(source))
        assert (len(again), again.config_hash, again.capacity) == (100, 5, 1000)
        assert again.contains(make(100)).all()
        assert not again.add_if_new(make(10, seed=1)).any()
        again.verify()
    assert not index.contains(make(10, seed=1)).any()


# ── errors ──────────────────────────────────────────────────────────────────────────────────────
def test_options_that_are_refused():
    for capacity in (0, -1, 1.5, True, None):
        with pytest.raises(ConfigError, match="capacity"):
            BloomLsh(capacity=capacity)
    for rate in (0, 1, -0.1, 2.0, float("nan"), "0.1", True, None):
        with pytest.raises(ConfigError, match="error_rate"):
            BloomLsh(capacity=10, error_rate=rate)
    with pytest.raises(ConfigError, match="must equal H"):
        BloomLsh(8, 8, 128, capacity=10)
    assert BloomLsh(8, 8, 128, capacity=10, partial=True).h == 128
    with pytest.raises(ConfigError, match="partial"):
        BloomLsh(8, 8, 128, capacity=10, partial=1)
    with pytest.raises(TypeError):
        BloomLsh()


@pytest.mark.parametrize("method", ["add", "contains", "add_if_new"])
def test_signatures_that_are_refused(method):
    index = index_of(config_hash=7)
    call = getattr(index, method)
    with pytest.raises(InvalidInputError, match="h = 16, got h = 32"):
        call(make(3, h=32))
    with pytest.raises(InvalidInputError, match="one axis"):
        call(make(4).reshape(2, 2))
    with pytest.raises(InvalidInputError, match="dtype"):
        call(np.zeros(3, np.uint64))
    with pytest.raises(ConfigError, match="config_hash"):
        call(make(3), config_hash=8)
    assert len(index) == 0
    call(make(3), config_hash=7)
    call(make(3))
