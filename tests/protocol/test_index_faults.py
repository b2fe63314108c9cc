"""Every stored kind of index under faults: what a save has confirmed is there again, and nothing half-done is.

Killed at fixed points (random ones: ``make soak``), disk full or broken, folder read-only.
"""

import errno
import json
import os
import tempfile
from pathlib import Path

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
from index_kinds import STORED
from stored_case import Case, N, files, named

import txtfp_np.index
from txtfp_np.errors import InvalidInputError
from txtfp_np.index import storage

CODE = os.path.dirname(txtfp_np.index.__file__)

every_kind = pytest.mark.parametrize("kind", STORED, ids=str)


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
