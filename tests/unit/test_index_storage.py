"""Indexes on disk: what is written, and what is not written again. Faults are in tests/protocol."""

import numpy as np
import pytest

from txtfp_np.index import HammingIndex, LshIndex, npy
from txtfp_np.index.storage import Blocks, Store
from txtfp_np.schema import minhash_dtype

H = 16


def make(n, seed=0):
    array = np.zeros(n, minhash_dtype(H))
    array["schema"] = 1
    array["hashes"] = np.random.default_rng(seed).integers(0, 50, (n, H), dtype=np.uint64)
    return array


def stored(folder, n=1500, seed=0):
    index = LshIndex(8, 2, H, config_hash=77)
    index.insert(range(n), make(n, seed))
    index.save(folder)
    return index


def files(folder):
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.glob("*.npy")}


def same(a, b, probes):
    assert list(a) == list(b)
    for left, right in zip(a.query(probes), b.query(probes), strict=True):
        assert np.array_equal(left, right)


# ── segments ────────────────────────────────────────────────────────────────────────────────────
def test_open_gives_the_same_index(tmp_path):
    index = stored(tmp_path / "a" / "b")
    again = LshIndex.open(tmp_path / "a" / "b")
    again.verify()
    assert (again.bands, again.rows, again.h, again.config_hash, len(again)) == (8, 2, H, 77, 1500)
    same(index, again, make(100, 1))
    assert again.get(3) == make(1500)[3]


def test_an_insert_writes_one_more_segment_only(tmp_path):
    stored(tmp_path)
    before = files(tmp_path)
    index = LshIndex.open(tmp_path)
    index.insert(range(1400, 1600), make(200, 2))
    assert index.remove(5) is not None
    index.save(tmp_path)
    after = files(tmp_path)
    assert before.items() <= after.items()
    assert len(after) == 2 * len(before) + 1  # a segment, and the bitmap of what was removed
    again = LshIndex.open(tmp_path)
    again.verify()
    same(index, again, make(100, 1))
    assert 5 not in again
    index.save(tmp_path)  # nothing new, nothing written
    assert files(tmp_path) == after
    index.compact()
    assert len(files(tmp_path)) == len(before)
    same(index, again, make(100, 1))  # maps of removed files stay readable
    same(index, LshIndex.open(tmp_path), make(100, 1))


def test_hamming_writes_what_is_new_only(tmp_path):
    values = np.random.default_rng(0).integers(0, 1 << 64, 3000, np.uint64, endpoint=False)
    index = HammingIndex(values[:2000])
    index.save(tmp_path)
    before = files(tmp_path)
    index.insert(values[2000:2500])
    index.remove([5, 7])
    index.save(tmp_path)
    after = files(tmp_path)
    assert before.items() <= after.items()
    assert len(after) == 2 * len(before) + 1  # values and tables, and what was removed
    index.save(tmp_path)  # nothing new, nothing written
    assert files(tmp_path) == after
    again = HammingIndex.open(tmp_path)
    again.verify()
    again.insert(values[2500:])  # too many for a segment of their own: the second one is written again
    again.remove([5])  # known
    again.save(tmp_path)
    assert before.items() <= files(tmp_path).items()
    assert len(again._segments) == 2
    again.compact()
    assert len(files(tmp_path)) == len(after) - len(before)
    for same in (again, HammingIndex.open(tmp_path)):
        assert np.array_equal(same.fingerprints, values)
        assert len(same) == 2998
        indptr, positions, _ = same.query(values)
        assert np.array_equal(positions, np.delete(np.arange(3000), [5, 7]))
        assert np.diff(indptr)[[5, 7]].tolist() == [0, 0]


def test_save_elsewhere_writes_everything(tmp_path):
    index = stored(tmp_path / "a")
    index.remove(0)
    index.save(tmp_path / "b")
    same(index, LshIndex.open(tmp_path / "b"), make(100, 1))
    assert 0 in LshIndex.open(tmp_path / "a")


def test_an_empty_index(tmp_path):
    LshIndex(8, 2, H).save(tmp_path)
    index = LshIndex.open(tmp_path)
    assert len(index) == 0
    index.insert(1, make(1)[0])
    index.save(tmp_path)
    assert list(LshIndex.open(tmp_path)) == [1]
    index.remove(1)
    index.save(tmp_path)
    assert list(LshIndex.open(tmp_path)) == []
    index.compact()
    assert list(LshIndex.open(tmp_path)) == []


# ── several at once ─────────────────────────────────────────────────────────────────────────────
def test_readers_retry_when_files_vanish(tmp_path, monkeypatch):
    index = stored(tmp_path)
    index.insert(5000, make(1)[0])
    read = Store._read_manifest
    seen = []

    def read_then_compact(self):
        manifest = read(self)
        if not seen:
            seen.append(True)
            index.compact()  # unlinks what this manifest names
        return manifest

    reader = Store(tmp_path, "lsh")
    monkeypatch.setattr(Store, "_read_manifest", read_then_compact)
    assert reader.open().generation == read(reader)["generation"]
    assert seen
    seen.clear()
    index.remove(3)
    reader.verify()
    assert seen


# ── the store itself ────────────────────────────────────────────────────────────────────────────
def test_blocks(tmp_path):
    store = Store(tmp_path, "x")
    rows = np.arange(12, dtype="<u4").reshape(4, 3)
    contents = store.save_segments({"a": [1]}, [{"m": Blocks("<u4", (4, 3), (rows[i : i + 2] for i in (0, 2)))}])
    assert (contents.segments[0].arrays["m"] == rows).all()
    assert not contents.segments[0].arrays["m"].flags.writeable
    with pytest.raises(AssertionError):
        store.save_segments({}, [{"m": Blocks("<u4", (5, 3), [rows])}])
    assert store.open().meta == {"a": [1]}
    assert len(list(tmp_path.glob("*.npy"))) == 1


def test_folders_are_on_the_disk_before_what_is_in_them(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(npy, "sync_folder", synced.append)
    Store(tmp_path / "a" / "b" / "c", "x").save_segments({}, [])
    assert synced == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
