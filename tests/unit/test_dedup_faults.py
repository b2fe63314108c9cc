"""A job on files that is killed (SIGKILL, at fixed points) and started again gives the same bytes."""

import signal
import sys

import pytest
from engine_support import corpus, write_corpus
from kill_support import start

from txtfp_np.engine import dedup_files

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL and fcntl are of POSIX systems")

FAULTS = [
    ("scan", 2),
    ("copies", 0),
    ("candidates", 5),
    ("sets", 1),
    ("verify", 3),
    ("link", 0),
    ("output", 1),
    ("publish", 0),
    ("publish", 1),
    ("remove", 0),
]
STAGES = ["scan", "copies", "candidates", "sets", "verify", "link", "output"]


@pytest.fixture(scope="module")
def job(tmp_path_factory):
    """Inputs, options, and what an undisturbed run writes."""
    folder = tmp_path_factory.mktemp("faults")
    texts = corpus(9000, seed=3, words=90)
    paths = [write_corpus(folder / f"part-{n}.jsonl", texts[n * 3000 : n * 3000 + 3000]) for n in range(3)]
    options = {"threshold": 0.6, "keep": "longest", "id_column": None, "memory": "500MB"}
    dedup_files(paths, folder / "kept.jsonl", removed=folder / "removed.jsonl", **options)
    expected = [(folder / name).read_bytes() for name in ("kept.jsonl", "removed.jsonl")]
    assert all(len(data) > 10_000 for data in expected)
    return paths, options, expected


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault[0]}-{fault[1]}")
def test_killed_and_started_again(tmp_path, job, fault):
    paths, options, expected = job
    removed = tmp_path / "removed.jsonl"
    inputs = str(paths[0].parent / "part-*.jsonl")
    child = start([inputs, tmp_path / "kept.jsonl"], {**options, "removed": str(removed)}, fault)
    assert child.communicate()[0] == ""
    assert child.returncode == -signal.SIGKILL
    assert (tmp_path / ".txtfp-kept.jsonl").is_dir()
    assert (tmp_path / "kept.jsonl").exists() == (fault in [("publish", 1), ("remove", 0)])

    class Heard:
        calls, name = (), None

        def stage(self, name):
            self.name = name

        def __call__(self, done, total):
            self.calls += ((self.name, done, total),)

    heard = Heard()
    report = dedup_files(inputs, tmp_path / "kept.jsonl", removed=removed, progress=heard, **options)
    assert [(tmp_path / name).read_bytes() for name in ("kept.jsonl", "removed.jsonl")] == expected
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kept.jsonl", "removed.jsonl"]
    assert report.documents == 9000
    # what had been done is not done again
    done_again = {name: max(done for stage, done, _ in heard.calls if stage == name) for name, _, _ in heard.calls}
    reached = STAGES.index(fault[0]) if fault[0] in STAGES else len(STAGES)
    assert set(done_again) <= set(STAGES[reached:])
    if fault[0] == "scan":
        assert done_again["scan"] < 9000
    if fault[0] in ("candidates", "verify"):
        assert sum(stage == fault[0] for stage, _, _ in heard.calls) == report.bands - fault[1]


def test_another_job_begins_anew(tmp_path, job):
    paths, options, _ = job
    out = tmp_path / "kept.jsonl"
    child = start([paths[0], out], options, ("link", 0))
    child.communicate()
    report = dedup_files(paths[0], out, **{**options, "threshold": 0.9})
    (tmp_path / "again").mkdir()
    fresh = dedup_files(paths[0], tmp_path / "again" / "kept.jsonl", **{**options, "threshold": 0.9})
    assert (report.kept, report.pairs) == (fresh.kept, fresh.pairs)
    assert out.read_bytes() == (tmp_path / "again" / "kept.jsonl").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "kept.jsonl"]
