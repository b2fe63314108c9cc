"""Memory of a job on files: within 256 MB and 40 bytes a document, and within the limit that it was given."""

import json
import subprocess
import sys

import pytest
from engine_support import corpus, write_corpus

import txtfp_np as tx
from txtfp_np.engine import dedup_files
from txtfp_np.engine.job import BASE_BYTES, ROW_BYTES, Job, check_memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and limits the data segment")

N = 60_000
CHILD = """
import json, resource, sys
limit, source, output, memory = json.loads(sys.argv[1])
if limit:
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
import numpy as np
from txtfp_np.engine import dedup_files

report = dedup_files(source, output, memory=memory, threads=2, overwrite=True)
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
refused = False
if limit:
    try:
        np.ones(limit, np.uint8)
    except MemoryError:
        refused = True
print(json.dumps({"kept": report.kept, "peak": 1024 * int(status["VmHWM"].split()[0]), "refused": refused}))
"""


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    folder = tmp_path_factory.mktemp("memory")
    texts = corpus(3000, seed=8, words=12)
    small = write_corpus(folder / "small.jsonl", texts)
    dedup_files(small, folder / "small-out.jsonl")  # kernels: compiling takes memory, too
    numbered = [f"{number} {text}" for number in range(N // len(texts)) for text in texts]
    return write_corpus(folder / "many.jsonl", numbered)


def run(source, folder, limit=0, memory=None):
    given = json.dumps([limit, str(source), str(folder / "out.jsonl"), memory])
    done = subprocess.run([sys.executable, "-c", CHILD, given], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_memory_without_a_limit(tmp_path, source):
    found = run(source, tmp_path)
    assert 0 < found["kept"] < N
    assert found["peak"] < (256 << 20) + 40 * N


def test_a_limit_is_obeyed(tmp_path, source):
    """The system refuses whatever goes beyond it: such a request is made at the end, to be sure."""
    limit = 500_000_000
    assert limit > BASE_BYTES + ROW_BYTES * N
    found = run(source, tmp_path, limit, "500MB")
    assert found["refused"]
    assert found["kept"] == run(source, tmp_path)["kept"]


def job(memory):
    return Job(None, None, 1, memory)


def test_what_a_limit_leaves():
    assert job(None).sort_bytes(10**9) is None
    less, more = job(10**9).sort_bytes(10**6), job(2 * 10**9).sort_bytes(10**6)
    assert more - less == 10**9
    assert job(10**9).sort_bytes(10**6) - job(10**9).sort_bytes(2 * 10**6) == 8 * 10**6
    job(10**9).check_memory(10**7)
    with pytest.raises(
        tx.ConfigError, match=r"memory must be at least 4,\d\d\d MB for 100,000,000 documents, got 1,000"
    ):
        job(10**9).check_memory(10**8)


def test_a_limit_that_is_too_low_before_documents_are_counted():
    with pytest.raises(tx.ConfigError, match=r"memory must be at least 470 MB, got 400 MB\n") as caught:
        job(4 * 10**8).check_memory(0)
    assert "reserves (stacks, compiled code), 470 MB, and 40 bytes a document" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    ("text", "expected"), [("1GB", 10**9), ("1.5 gib", 3 << 29), ("700m", 7 * 10**8), ("12", 12), (5, 5), (None, None)]
)
def test_sizes(text, expected):
    assert check_memory(text) == expected


@pytest.mark.parametrize("text", ["", "GB", "-1GB", "1TB!", 0, -5, True, 1.5])
def test_no_sizes(text):
    with pytest.raises(tx.ConfigError, match="memory must be a number of bytes"):
        check_memory(text)
