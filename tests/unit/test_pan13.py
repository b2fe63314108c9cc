"""Passages of PAN 2013, and the figures by which they are judged."""

import gzip
import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def benchmark():
    """``benchmarks/passages.py``, which is no part of the package."""
    if not (ROOT / "benchmarks").is_dir():
        pytest.skip("benchmarks are not beside these tests")
    files = [("benchmarks", "__init__"), ("benchmarks.timing", "timing"), ("benchmarks.passages", "passages")]
    for name, file in files:
        if name not in sys.modules:
            spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{file}.py")
            sys.modules[name] = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(sys.modules[name])
    return sys.modules["benchmarks.passages"]


@pytest.mark.data
def test_passages_of_pan13(shared_data, benchmark):
    if not (shared_data / "pan13_docs.jsonl.gz").is_file():
        pytest.skip(f"no pan13_docs.jsonl.gz in {shared_data}")
    pairs = benchmark.read(shared_data)
    figures = benchmark.judge(pairs, [benchmark.finder()(pair.a, pair.b) for pair in pairs])
    assert (len(pairs), figures.pairs_found, figures.pairs_made_up) == (1250, 250, 7)
    assert figures.precision > 0.91
    assert figures.recall > 0.93
    assert figures.f1 > 0.925
    assert figures.granularity < 1.01
    assert figures.plagdet > 0.89


def test_figures_by_hand(benchmark):
    """Right are 10 of 30 characters found in the first pair, of 40 labelled; 0 of 20 found in the other."""
    labelled = [(0, 10, 100, 110), (50, 60, 0, 10)]
    pairs = [benchmark.Pair("", "", labelled), benchmark.Pair("", "", [])]
    found = [[(5, 10, 100, 105), (5, 15, 200, 210)], [(0, 10, 0, 10)]]
    figures = benchmark.judge(pairs, found)
    # characters 5 to 10 of the first document are found twice and count once
    assert (figures.precision, figures.recall) == (10 / (25 + 20), 10 / 40)
    assert (figures.macro_precision, figures.macro_recall) == ((1 + 0 + 0) / 3, (0.5 + 0) / 2)
    assert (figures.granularity, figures.pairs_found, figures.pairs_made_up) == (1, 1, 1)
    assert figures.f1 == pytest.approx(2 * 10 / (25 + 20 + 40))
    assert figures.plagdet == pytest.approx(2 / 7)


def test_two_passages_for_one_cost_plagdet(benchmark):
    pairs = [benchmark.Pair("", "", [(0, 20, 0, 20)])]
    whole, halves = [(0, 20, 0, 20)], [(0, 10, 0, 10), (10, 20, 10, 20)]
    one, two = benchmark.judge(pairs, [whole]), benchmark.judge(pairs, [halves])
    assert (one.f1, one.plagdet) == (1, 1)
    assert (two.f1, two.granularity) == (1, 2)
    assert two.plagdet == pytest.approx(1 / 1.584962500721156)
    none = benchmark.judge(pairs, [[]])
    assert (none.f1, none.plagdet) == (0, 0)


def test_a_folder_of_pairs(benchmark, tmp_path, capsys):
    shared = " ".join(f"w{number}" for number in range(40))
    documents = [{"id": "a", "text": "x y z " + shared}, {"id": "b", "text": shared}, {"id": "c", "text": "other"}]
    n = len(shared)
    pairs = [
        {"a": "a", "b": "b", "label": 1, "spans": [[6, n, 0, n]]},
        {"a": "a", "b": "c", "label": 0},
    ]
    for name, rows in (("docs", documents), ("pairs", pairs)):
        with gzip.open(tmp_path / f"pan13_{name}.jsonl.gz", "wt", encoding="utf-8") as lines:
            lines.writelines(json.dumps(row) + "\n" for row in rows)
    rows = benchmark.run_folder(tmp_path)["rows"]
    assert rows["words, k=5 window=4 (defaults)"]["f1"] == 1
    assert "2 pairs, 1 of them with 1 labelled passages" in capsys.readouterr().out
