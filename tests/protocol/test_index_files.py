"""Files of every stored kind of index: damaged, missing, of another kind or a later version; used by several."""

import json
import pickle

import numpy as np
import pytest
from index_faults import must_succeed, started
from index_kinds import STORED
from stored_case import Case, N, files, named

from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index.storage import STORE_FORMAT, Store

every_kind = pytest.mark.parametrize("kind", STORED, ids=str)


@pytest.fixture(params=STORED, ids=str)
def case(request, tmp_path):
    return Case(request.param, tmp_path / "index")


# ── damaged files ───────────────────────────────────────────────────────────────────────────────
def test_damage_is_named(case):
    case.changed().save(case.folder)
    for name, good in files(case.folder).items():
        path = case.folder / name
        for bad in (good[:-1], good + b"\0", b"", good[: len(good) // 2]):
            path.write_bytes(bad)
            with pytest.raises(InvalidInputError, match=name):
                case.opened()
        path.unlink()
        with pytest.raises(InvalidInputError, match=name):
            case.opened()
        for place in (0, 8, len(good) // 2, len(good) - 1):
            bad = bytearray(good)
            bad[place] ^= 1
            path.write_bytes(bad)
            with pytest.raises(InvalidInputError, match=name):
                case.opened().verify()
        path.write_bytes(good)
    case.opened().verify()
    case.check(case.opened(), case.after)


def test_an_opened_index_verifies_its_files(case):
    index = case.opened()
    index.verify()
    path = case.folder / sorted(named(case.folder))[0]
    path.write_bytes(path.read_bytes()[:-1] + b"\x55")
    with pytest.raises(InvalidInputError, match=path.name):
        index.verify()
    path.unlink()
    with pytest.raises(InvalidInputError, match=path.name):
        index.verify()


def test_in_memory_there_is_nothing_to_verify(case):
    case.kind.filled(case.items).verify()
    pickle.loads(pickle.dumps(case.opened())).verify()


def test_no_altered_header_escapes(tmp_path):
    """Whatever NumPy thinks of it, the error is ours and names the file."""
    store = Store(tmp_path, "x")
    store.save_segments({}, [{"a": np.arange(6, dtype=np.uint64).reshape(2, 3)}])
    path = tmp_path / "s000001.a.npy"
    good = path.read_bytes()
    for place in range(128):
        for bit in range(8):
            bad = bytearray(good)
            bad[place] ^= 1 << bit
            path.write_bytes(bad)
            with pytest.raises(InvalidInputError, match=path.name):
                store.verify()
    path.write_bytes(b"PK\x03\x04" + good[4:])  # the beginning of a zip archive
    with pytest.raises(InvalidInputError, match=path.name):
        store.open()


# ── folders of something else ───────────────────────────────────────────────────────────────────
@every_kind
def test_folders_that_are_no_index(kind, tmp_path):
    (tmp_path / "file").write_text("text")
    for name in ("nowhere", "", "file"):
        with pytest.raises(InvalidInputError, match=r"is not an index: it has no manifest\.json"):
            kind.cls.open(tmp_path / name)
    index = kind.filled(kind.items(3))
    with pytest.raises(OSError):
        index.save(tmp_path / "file")
    with pytest.raises(InvalidInputError, match="is not an index and not empty"):
        index.save(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


@every_kind
@pytest.mark.parametrize("name", ["signatures.npy", "s000001.npy", "notes.tmp", "s1.ids.npy"])
def test_files_of_others_are_left_alone(kind, name, tmp_path):
    (tmp_path / name).write_text("mine")
    index = kind.filled(kind.items(3))
    with pytest.raises(InvalidInputError, match="not empty"):
        index.save(tmp_path)
    (tmp_path / name).unlink()
    index.save(tmp_path)
    (tmp_path / name).write_text("mine")
    kind.insert(index, kind.items(3), 3)
    index.save(tmp_path)
    index.compact()
    assert (tmp_path / name).read_text() == "mine"
    kind.cls.open(tmp_path).verify()


@every_kind
def test_an_index_of_another_kind(kind, tmp_path):
    for other in STORED:
        if other.cls is kind.cls:
            continue
        other.filled(other.items(3)).save(tmp_path / other.name)
        with pytest.raises(InvalidInputError, match="is an index of kind"):
            kind.cls.open(tmp_path / other.name)
        with pytest.raises(InvalidInputError, match="is an index of kind"):
            kind.filled(kind.items(3)).save(tmp_path / other.name)
        other.cls.open(tmp_path / other.name).verify()


def test_another_format(case):
    path = case.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    later = json.dumps({**manifest, "format": STORE_FORMAT + 1, "checksum": "of another kind"})
    store = Store(case.folder, manifest["kind"])
    store._write_manifest({**store._read_manifest(), "format": STORE_FORMAT - 1})
    for text, version in ((path.read_text(), STORE_FORMAT - 1), (later, STORE_FORMAT + 1)):
        path.write_text(text)
        for call in (case.opened, lambda: case.kind.new().save(case.folder)):
            with pytest.raises(InvalidInputError, match=rf"json has format {version}, .* reads {STORE_FORMAT}"):
                call()
    for odd in (0, "1", None, 1.5):
        path.write_text(json.dumps({**manifest, "format": odd}))
        with pytest.raises(InvalidInputError, match=r"manifest\.json is damaged"):
            case.opened()
    for text in ("", "[]", "7", '{"format": 1}', "\xff", "{" * 100_000):
        path.write_bytes(text.encode("latin-1"))
        with pytest.raises(InvalidInputError, match=r"manifest\.json is damaged"):
            case.opened()


# ── several at once ─────────────────────────────────────────────────────────────────────────────
def test_a_stale_index_does_not_overwrite(case, tmp_path):
    one, two = case.opened(), case.changed()
    case.kind.insert(one, case.items[:5], N)
    one.save(case.folder)
    before = files(case.folder)
    for write in (lambda: two.save(case.folder), two.compact):
        with pytest.raises(ConfigError, match="saved by somebody else"):
            write()
    assert files(case.folder) == before
    case.check(two, case.after)
    two.save(tmp_path / "elsewhere")
    case.check(case.kind.cls.open(tmp_path / "elsewhere"), case.after)


def test_a_folder_by_another_name(case, tmp_path):
    """It is still the folder the index was opened from: what is there is built on, and not written again."""
    (tmp_path / "link").symlink_to(case.folder)
    stale, index = case.changed(), case.changed()
    index.save(tmp_path / "link")
    case.check(case.opened(), case.after)
    with pytest.raises(ConfigError, match="saved by somebody else"):
        stale.save(tmp_path / "link")


def test_an_index_that_is_gone(case, tmp_path):
    index = case.changed()
    for path in case.folder.iterdir():
        path.unlink()
    with pytest.raises(ConfigError, match="the index is gone"):
        index.save(case.folder)
    index.save(tmp_path / "elsewhere")  # its maps outlive the files
    case.check(case.kind.cls.open(tmp_path / "elsewhere"), case.after)


def test_one_writer(case):
    fcntl = pytest.importorskip("fcntl")
    index = case.changed()
    with open(case.folder / "lock", "ab") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        for write in (lambda: index.save(case.folder), index.compact):
            with pytest.raises(BlockingIOError, match="another process is writing"):
                write()
    case.check(case.opened(), case.before)
    index.save(case.folder)
    case.check(case.opened(), case.after)


def test_two_readers_and_a_writer(kind_with_batches):
    kind, folder, batches = kind_with_batches
    done = folder.parent / "done"

    def write():
        index = kind.cls.open(folder)
        for number, batch in enumerate(batches[1:], 1):
            kind.insert(index, batch, number * len(batch))
            index.save(folder)
            if number % 3 == 0:
                index.compact()
        done.touch()

    def read():
        seen, opened, first = 0, 0, kind.cls.open(folder)
        while not done.exists():
            index = kind.cls.open(folder)
            opened += 1
            if opened % 4 == 0:
                index.verify()
            assert len(index) % len(batches[0]) == 0
            n = len(index) // len(batches[0])
            assert n >= seen
            seen = n
            for batch in (batches[n - 1], batches[0]):
                assert all(kind.ask(index, batch[:10]))
            assert all(kind.ask(first, batches[0][:10]))  # its files are gone, its maps are not
        assert opened > 1

    must_succeed(*[started(work) for work in (write, read, read)])
    index = kind.cls.open(folder)
    index.verify()
    assert len(index) == sum(map(len, batches))


@pytest.fixture(params=STORED, ids=str)
def kind_with_batches(request, tmp_path):
    kind = request.param
    items = kind.items(25 * 40)
    batches = [items[begin : begin + 40] for begin in range(0, len(items), 40)]
    index = kind.filled(batches[0])
    kind.ask(index, items[:100])
    index.save(tmp_path / "index")
    return kind, tmp_path / "index", batches
