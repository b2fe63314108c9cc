"""Writers on a disk that is full: every file is closed, and the first error is the one that is raised."""

import errno

import pytest
from engine_support import corpus, write_corpus

from txtfp_np.engine import dedup_files, writers
from txtfp_np.engine.against import drop_known, read_corpus
from txtfp_np.engine.inputs import find_files

TEXTS = corpus(60, seed=2)


class Full:
    """A stream onto a disk that is full."""

    def write(self, data):
        raise OSError(errno.ENOSPC, "disk full")


@pytest.mark.parametrize("kind", ["kept", "removed"])
def test_a_flush_that_fails_leaves_no_file_open(tmp_path, kind):
    path = write_corpus(tmp_path / "a.csv", TEXTS)
    target = tmp_path / "b.csv"
    if kind == "kept":
        writer = writers.open_writer(target, target, find_files(path)[0])
    else:
        writer = writers.open_removed(target, target, True)
    writer._text.buffer.raw._stream = Full()
    with pytest.raises(OSError, match="disk full"):
        writer.close()
    assert writer._file.closed


class Failing:
    """A writer that cannot be closed, nor, if it is told so, written to."""

    closed = ()

    def __init__(self, path, fails_at_once):
        self.path, self.fails_at_once = path, fails_at_once

    def write(self, *batch):
        if self.fails_at_once:
            raise OSError("cannot write")

    def close(self):
        Failing.closed += (self.path.name,)
        raise OSError(f"cannot close {len(Failing.closed)}")


@pytest.mark.parametrize("fails_at_once", [False, True])
@pytest.mark.parametrize("against", [False, True])
def test_all_are_closed_and_the_first_error_is_raised(tmp_path, monkeypatch, fails_at_once, against):
    files = [write_corpus(tmp_path / f"{name}.jsonl", TEXTS) for name in "ab"]
    (tmp_path / "out").mkdir()
    module = f"txtfp_np.engine.{'against' if against else 'outputs'}"
    monkeypatch.setattr(f"{module}.open_writer", lambda path, target, source: Failing(target, fails_at_once))
    monkeypatch.setattr(f"{module}.open_removed", lambda path, target, numeric: Failing(target, False))
    monkeypatch.setattr(Failing, "closed", ())
    removed = tmp_path / "r.jsonl"

    def run():
        if against:
            return drop_known(read_corpus(files), read_corpus(files[0]), tmp_path / "out", removed=removed)
        return dedup_files(files, tmp_path / "out", removed=removed)

    with pytest.raises(OSError, match="cannot write" if fails_at_once else "cannot close 1"):
        run()
    expected = {"a.jsonl"} if fails_at_once else {"a.jsonl", "b.jsonl", "r.jsonl"}
    assert expected <= set(Failing.closed) <= {"a.jsonl", "b.jsonl", "r.jsonl"}
