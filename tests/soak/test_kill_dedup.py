"""A job on files survives kill -9 at any moment: ``make soak``. Too long for every day."""

import random
import signal
import subprocess
import time

import pytest
from engine_support import corpus, write_corpus
from kill_support import start

from txtfp_np.engine import dedup_files

pytestmark = [pytest.mark.soak, pytest.mark.slow]

N_KILLS = 20


def test_killed_at_random_moments(tmp_path):
    """Killed again and again until it ends: the same bytes as without."""
    path = write_corpus(tmp_path / "texts.jsonl", corpus(30_000, seed=4, words=200))
    options = {"threshold": 0.6, "linkage": "components"}
    whole = tmp_path / "whole"
    whole.mkdir()
    dedup_files(path, whole / "kept.jsonl", removed=whole / "removed.jsonl", **options)
    names = ("kept.jsonl", "removed.jsonl")
    expected = [(whole / name).read_bytes() for name in names]
    moments = random.Random(11)
    given = {**options, "removed": str(tmp_path / "removed.jsonl")}

    begin = time.monotonic()
    child = start([path, tmp_path / "kept.jsonl"], given)
    assert child.communicate()[0] == "finished\n"
    seconds = time.monotonic() - begin
    kills = 0
    while kills < N_KILLS:
        for name in names:
            (tmp_path / name).unlink()
        while True:
            child = start([path, tmp_path / "kept.jsonl"], given)
            try:
                child.wait(moments.uniform(0, 1.2 * seconds))
            except subprocess.TimeoutExpired:
                child.send_signal(signal.SIGKILL)
                kills += 1
            said = child.communicate()[0]
            if child.returncode == 0:
                assert said == "finished\n"
                break
            assert child.returncode == -signal.SIGKILL
            # killed after its last file was named: the same command would find its output there
            if (tmp_path / names[1]).exists() and not (tmp_path / ".txtfp-kept.jsonl").exists():
                break
        assert [(tmp_path / name).read_bytes() for name in names] == expected
        assert sorted(item.name for item in tmp_path.iterdir()) == sorted([*names, "texts.jsonl", "whole"])
