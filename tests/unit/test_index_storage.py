"""Indexes on disk: what is written, what is refused, and what survives being killed at any point."""

import json
import os
import subprocess
import sys
import textwrap

import numpy as np
import pytest

from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index import LshIndex
from txtfp_np.index.storage import STORE_FORMAT, Blocks, Store
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


# ── damage ──────────────────────────────────────────────────────────────────────────────────────
def every_file(folder):
    return sorted(path.name for path in folder.iterdir() if path.suffix in (".npy", ".json"))


def test_damage_is_named(tmp_path):
    stored(tmp_path)
    for name in every_file(tmp_path):
        path = tmp_path / name
        good = path.read_bytes()
        path.write_bytes(good[:-1])
        with pytest.raises(InvalidInputError, match=name):
            LshIndex.open(tmp_path)
        path.unlink()
        with pytest.raises(InvalidInputError, match=name):
            LshIndex.open(tmp_path)
        for place in (8, len(good) // 2, len(good) - 1):
            bad = bytearray(good)
            bad[place] ^= 1
            path.write_bytes(bad)
            with pytest.raises(InvalidInputError, match=name):
                LshIndex.open(tmp_path).verify()
        path.write_bytes(good)
    LshIndex.open(tmp_path).verify()


def test_what_is_not_an_index(tmp_path):
    with pytest.raises(InvalidInputError, match="is not an index"):
        LshIndex.open(tmp_path)
    with pytest.raises(InvalidInputError, match="is not an index"):
        LshIndex.open(tmp_path / "nowhere")
    Store(tmp_path / "other", "other").save_segments({}, [])
    with pytest.raises(InvalidInputError, match="of kind 'other', not 'lsh'"):
        LshIndex.open(tmp_path / "other")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(InvalidInputError, match="not empty"):
        stored(tmp_path / "mine")
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError):
        stored(tmp_path / "file")


def test_another_format_is_refused(tmp_path):
    store = Store(tmp_path, "x")
    store.save_segments({}, [])
    manifest = store._read_manifest()
    for other in (STORE_FORMAT - 1, STORE_FORMAT + 1):
        store._write_manifest({**manifest, "format": other})
        with pytest.raises(InvalidInputError, match=f"index format {other}, this version reads {STORE_FORMAT}"):
            store.open()


# ── several at once ─────────────────────────────────────────────────────────────────────────────
def test_a_stale_index_does_not_overwrite(tmp_path):
    stored(tmp_path)
    one, two = LshIndex.open(tmp_path), LshIndex.open(tmp_path)
    one.insert(5000, make(1)[0])
    one.save(tmp_path)
    two.insert(6000, make(1)[0])
    with pytest.raises(ConfigError, match="saved by somebody else"):
        two.save(tmp_path)
    assert 6000 in two  # still usable, and can be saved elsewhere
    assert list(LshIndex.open(tmp_path)) == list(one)


def test_one_writer(tmp_path):
    fcntl = pytest.importorskip("fcntl")
    index = stored(tmp_path)
    index.insert(5000, make(1)[0])
    with open(tmp_path / "lock", "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        with pytest.raises(BlockingIOError, match="another process is writing"):
            index.save(tmp_path)
    index.save(tmp_path)
    assert 5000 in LshIndex.open(tmp_path)


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
    contents = reader.open()
    assert seen
    assert contents.generation == read(reader)["generation"]


# ── faults ──────────────────────────────────────────────────────────────────────────────────────
PRELUDE = """
    import os, sys
    import numpy as np
    from txtfp_np.index import LshIndex, storage
    from txtfp_np.schema import minhash_dtype
    sigs = np.zeros(40, minhash_dtype(16))
    sigs["hashes"] = np.random.default_rng(9).integers(0, 50, (40, 16), dtype=np.uint64)
    folder = sys.argv[1]
    index = LshIndex.open(folder)
    index.insert(range(2000, 2040), sigs)
    index.remove(1)
    calls = 0
    def die_at(n, function):
        def call(*arguments, **options):
            global calls
            calls += 1
            if calls == n:
                os._exit(9)
            return function(*arguments, **options)
        return call
"""
FAULTS = {
    "first write": ("storage._write_npy = die_at(1, storage._write_npy)", "save", False),
    "third write": ("storage._write_npy = die_at(3, storage._write_npy)", "save", False),
    "second fsync": ("os.fsync = die_at(2, os.fsync)", "save", False),
    "manifest not yet replaced": ("os.replace = die_at(5, os.replace)", "save", False),
    "manifest replaced, old files there": ("storage._sync_folder = die_at(2, storage._sync_folder)", "compact", True),
}


def run(code, *arguments):
    text = textwrap.dedent(PRELUDE) + textwrap.dedent(code)
    command = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("fault", FAULTS)
def test_killed(tmp_path, fault):
    patch, method, done = FAULTS[fault]
    before = stored(tmp_path)
    call = "index.save(folder)" if method == "save" else "index.compact()"
    killed = run(f"{patch}\n{call}\n", tmp_path)
    assert killed.returncode == 9, killed.stderr
    index = LshIndex.open(tmp_path)
    index.verify()
    expected = [*range(1500), *range(2000, 2040)]
    expected.remove(1)
    assert list(index) == (expected if done else list(before))
    # the next save works, and clears away what was left behind
    index.insert(9000, make(1)[0])
    index.save(tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    named = {entry["file"] for segment in manifest["segments"] for entry in segment["arrays"].values()}
    assert set(every_file(tmp_path)) == named | {"manifest.json"}
    assert not list(tmp_path.glob("*.tmp"))
    LshIndex.open(tmp_path).verify()


@pytest.mark.parametrize("method", ["save(folder)", "compact()"])
def test_full_disk(tmp_path, method):
    """A limit on file size stands for a full disk: a write fails halfway."""
    pytest.importorskip("resource")
    before = stored(tmp_path)
    names = every_file(tmp_path)
    code = f"""
        import resource, signal
        index.query(sigs)  # compiled before files are limited
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            index.{method}
        except OSError as error:
            print("OSError", len(index), 2005 in index, 1 in index, list(index.query(sigs[5:6])[1]).count(2005))
    """
    done = run(code, tmp_path)
    assert done.stdout.split() == ["OSError", "1539", "True", "False", "1"], done.stderr
    assert every_file(tmp_path) == names
    again = LshIndex.open(tmp_path)
    again.verify()
    same(before, again, make(50, 1))


def test_read_only_folder(tmp_path):
    index = stored(tmp_path)
    index.insert(5000, make(1)[0])
    os.chmod(tmp_path, 0o500)
    try:
        if os.access(tmp_path, os.W_OK):
            pytest.skip("this user may write anywhere")
        with pytest.raises(PermissionError):
            index.save(tmp_path)
        assert 5000 not in LshIndex.open(tmp_path)
    finally:
        os.chmod(tmp_path, 0o700)


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
