"""Every stored kind of index under faults: what a save has confirmed is there again, and nothing half-done is.

Killed at fixed points (random ones: ``make soak``); disk full; folder read-only; files damaged, missing,
of another kind or a later version; two readers and a writer at once.
"""

import errno
import json
import os
import pickle
import tempfile
from pathlib import Path

import numpy as np
import pytest
from index_faults import (
    become_nobody,
    calls_into,
    fill,
    kill_me,
    killing_at,
    make_read_only,
    must_be_killed,
    must_succeed,
    small_disk,
    started,
)
from index_kinds import STORED, check_answers

import txtfp_np.index
from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.index import storage
from txtfp_np.index.storage import Store

N, MORE = 500, 150
CODE = os.path.dirname(txtfp_np.index.__file__)

every_kind = pytest.mark.parametrize("kind", STORED, ids=str)


def files(folder):
    """Everything but the lock, which is empty."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "lock"}


def named(folder):
    manifest = json.loads((folder / "manifest.json").read_text())
    return {entry["file"] for segment in manifest["segments"] for entry in segment["arrays"].values()}


class Case:
    """An index that was saved, the change that is to follow, and naive indexes of before and after it."""

    def __init__(self, kind, folder):
        self.kind, self.folder = kind, folder
        self.items = kind.items(N + MORE)
        self.before, self.after = kind.naive(), kind.naive()
        for naive in (self.before, self.after):
            naive.put(self.items[:N], 0)
        self.after.put(self.items[N:], N)
        if kind.removes:
            self.after.drop(7)
        index = kind.new()
        for first in range(0, N, 125):  # several saves, so that there are several segments to merge
            kind.insert(index, self.items[first : first + 125], first)
            index.save(folder)
        kind.ask(index, self.items[:100])  # compiles, before processes are made of this one

    def opened(self):
        return self.kind.cls.open(self.folder)

    def change(self, index):
        self.kind.insert(index, self.items[N:], N)
        if self.kind.removes:
            assert self.kind.remove(index, [7]) == 1

    def changed(self):
        index = self.opened()
        self.change(index)
        return index

    def check(self, index, naive):
        probes = self.items[:40] + self.items[N : N + 40] + self.kind.items(40, seed=5)
        check_answers(self.kind, index, naive, probes)
        assert len(index) == len(naive)

    def check_files(self, naive):
        """What is there is whole; and the next change can be saved, and clears away what was left behind."""
        index = self.opened()
        index.verify()
        self.check(index, naive)
        if naive is self.before:
            self.change(index)
        index.save(self.folder)
        index.compact()
        assert files(self.folder).keys() == named(self.folder) | {"manifest.json"}
        again = self.opened()
        again.verify()
        self.check(again, self.after)


@pytest.fixture(params=STORED, ids=str)
def case(request, tmp_path):
    return Case(request.param, tmp_path / "index")


# ── killed ──────────────────────────────────────────────────────────────────────────────────────
class Dying:
    """A file of which the process dies half-way."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        self.file.close()

    def write(self, data):
        self.file.write(data[: len(data) // 2])
        self.file.flush()
        if len(data) > 200:  # not the header
            kill_me()


def die_inserting(case):
    index, twin = case.opened(), case.opened()

    def insert(index):
        case.kind.insert(index, case.items[N:], N)

    n_calls = calls_into(CODE, lambda: insert(twin))
    assert n_calls > 4
    calls_into(CODE, lambda: insert(index), stop=n_calls // 2)


def dying_open(path, mode):
    file = open(path, mode)  # noqa: SIM115 (the caller closes it)
    return Dying(file) if mode == "wb" else file


def die_in_a_file(folder, work):
    storage.open = dying_open
    work()


def die_before_the_manifest(folder, work):
    replace = os.replace
    os.replace = lambda source, target: kill_me() if "manifest" in str(target) else replace(source, target)
    work()


def die_after_the_manifest(folder, work):
    storage.sync_folder = killing_at(2, storage.sync_folder)
    work()


def die_clearing_away(folder, work):
    Path.unlink = killing_at(max(1, len(named(folder)) // 2), Path.unlink)
    work()


FAULTS = {
    "save, half of a file": ("save", die_in_a_file, False),
    "save, before the manifest": ("save", die_before_the_manifest, False),
    "save, after the manifest": ("save", die_after_the_manifest, True),
    "compact, half of a file": ("compact", die_in_a_file, False),
    "compact, old files half removed": ("compact", die_clearing_away, True),
}


def test_killed_during_insert(case):
    must_be_killed(lambda: die_inserting(case))
    case.check_files(case.before)


@pytest.mark.parametrize("fault", FAULTS)
def test_killed(case, fault):
    method, die, done = FAULTS[fault]

    def work():
        index = case.changed()
        die(case.folder, lambda: index.save(case.folder) if method == "save" else index.compact())

    must_be_killed(work)
    case.check_files(case.after if done else case.before)


def test_killed_during_the_first_save(case, tmp_path):
    """There was no index, so there is none; and the folder can be used."""

    def work():
        index = case.changed()
        die_in_a_file(case.folder, lambda: index.save(tmp_path / "new"))

    must_be_killed(work)
    assert any(name.endswith(".tmp") for name in files(tmp_path / "new"))
    with pytest.raises(InvalidInputError, match="is not an index"):
        case.kind.cls.open(tmp_path / "new")
    case.changed().save(tmp_path / "new")
    assert files(tmp_path / "new").keys() == named(tmp_path / "new") | {"manifest.json"}
    case.check(case.kind.cls.open(tmp_path / "new"), case.after)


def error_of(write, *arguments):
    try:
        write(*arguments)
    except OSError as error:
        return error
    return None


# ── no room ─────────────────────────────────────────────────────────────────────────────────────
@every_kind
@pytest.mark.parametrize("method", ["save", "compact", "save elsewhere"])
def test_full_disk(kind, method, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        case = Case(kind, disk / "index")
        elsewhere = disk / "elsewhere"
        target = case.folder if method == "save" else elsewhere
        before = files(case.folder)
        failures = 0
        for pages in (0, 1, 2, 3, 5, 8, 13, 21, 34):
            fill(disk / "filler", pages)
            index = case.changed()
            error = error_of(index.compact) if method == "compact" else error_of(index.save, target)
            if error is None:
                break
            failures += 1
            assert error.errno == errno.ENOSPC
            assert files(case.folder) == before
            assert not elsewhere.exists() or not files(elsewhere)
            case.check(index, case.after)  # still usable
            (disk / "filler").unlink()
        assert failures >= 3
        (disk / "filler").unlink(missing_ok=True)
        index.save(elsewhere)
        index = kind.cls.open(elsewhere)
        index.verify()
        case.check(index, case.after)


def test_files_that_may_not_grow(case, tmp_path):
    """A limit on their size makes a write fail half-way, for users who are not root, too."""
    resource = pytest.importorskip("resource")
    signal = pytest.importorskip("signal")
    before = files(case.folder)

    def work():
        index = case.changed()
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (900, 900))
        for write in (lambda: index.save(case.folder), index.compact, lambda: index.save(tmp_path / "new")):
            with pytest.raises(OSError):
                write()
            case.check(index, case.after)
        with pytest.raises(InvalidInputError, match="is not an index"):
            case.kind.cls.open(tmp_path / "new")

    must_succeed(started(work))
    assert files(case.folder) == before
    assert not files(tmp_path / "new")
    case.check_files(case.before)


class Failing:
    """Whatever a save asks of the disk; the ``n``-th time it fails."""

    def __init__(self, patch, n):
        self.left = n
        for owner, name in [(os, "replace"), (os, "fsync"), (Path, "unlink"), (storage, "open")]:
            patch.setattr(owner, name, self.failing(getattr(owner, name, open)), raising=False)

    def failing(self, function):
        def call(*arguments, **options):
            self.left -= 1
            if self.left == 0:
                raise OSError(errno.EIO, "the disk is broken")
            return function(*arguments, **options)

        return call


@pytest.mark.parametrize("method", ["save", "compact"])
def test_every_request_to_the_disk_may_fail(case, method, monkeypatch):
    before = files(case.folder)
    confirmed, n = False, 0
    while not confirmed:
        n += 1
        index = case.changed()
        with monkeypatch.context() as patch:
            failing = Failing(patch, n)
            error = error_of(index.compact) if method == "compact" else error_of(index.save, case.folder)
        case.check(index, case.after)
        confirmed = error is None
        if json.loads((case.folder / "manifest.json").read_text()) == json.loads(before["manifest.json"]):
            assert error is not None
            assert files(case.folder) == before
        else:  # only the last flush can fail then, or what clears away
            break
    assert n > 8
    assert failing.left >= 0
    case.check(case.opened(), case.after)
    case.check_files(case.after)


# ── read-only ───────────────────────────────────────────────────────────────────────────────────
@every_kind
def test_read_only_disk(kind, tmp_path):
    with small_disk(tmp_path / "disk") as disk:
        case = Case(kind, disk / "index")
        before = files(case.folder)
        make_read_only(disk)
        index = case.changed()
        for write in (lambda: index.save(case.folder), index.compact, lambda: index.save(disk / "new")):
            with pytest.raises(OSError) as caught:
                write()
            assert caught.value.errno == errno.EROFS
            case.check(index, case.after)
        assert files(case.folder) == before
        index = case.opened()
        index.verify()
        case.check(index, case.before)
        index.save(tmp_path / "new")
        case.check(kind.cls.open(tmp_path / "new"), case.before)


@every_kind
def test_read_only_folder(kind):
    """Of somebody else, for a user who has no rights there."""
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)  # the way there is open
        case = Case(kind, Path(name) / "index")
        before = files(case.folder)
        os.chmod(case.folder, 0o555)

        def work():
            become_nobody()
            index = case.changed()
            for write in (lambda: index.save(case.folder), index.compact, lambda: index.save(case.folder / "new")):
                with pytest.raises(PermissionError):
                    write()
                case.check(index, case.after)
            index = case.opened()
            index.verify()
            case.check(index, case.before)

        must_succeed(started(work))
        os.chmod(case.folder, 0o755)
        assert files(case.folder) == before


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


def test_a_later_format(case):
    path = case.folder / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({**manifest, "format": 2, "checksum": "of another kind"}))
    for call in (case.opened, lambda: case.kind.new().save(case.folder)):
        with pytest.raises(InvalidInputError, match=r"manifest\.json has format 2, this version .* reads 1"):
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
