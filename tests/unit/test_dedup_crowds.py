"""Files in which very many documents are alike: their pairs are not listed, and what is kept is the same."""

import numpy as np
import pytest
from engine_support import corpus, read_rows_of, write_corpus

import txtfp_np as tx
from txtfp_np.engine import dedup_files, linking, pairing
from txtfp_np.engine.crowds import LEAST_CROWD
from txtfp_np.kernels import streams


def pages(n, seed=0):
    """Of two templates, with a few words of their own; a few equal ones, and others of no template."""
    rng = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(3000)])
    templates = rng.choice(words, (2, 400))
    texts = []
    for row in range(n):
        own = templates[row % 2].copy()
        own[rng.integers(0, 400, 2)] = rng.choice(words, 2)
        texts.append(" ".join(own) if row % 7 else " ".join(rng.choice(words, 30)))
        if row % 50 == 49:
            texts[-1] = texts[row // 2]
    return texts


def assert_as_in_memory(folder, texts, source, **options):
    options = {"keep": "first", "verify": "exact", **options}
    result = tx.dedup(texts, **{name: options[name] for name in ("keep", "verify")})
    report = dedup_files(source, folder / "out.jsonl", removed=folder / "gone.jsonl", overwrite=True, **options)
    assert [int(row["id"][1:]) for row in read_rows_of(folder / "out.jsonl")] == np.flatnonzero(result.keep).tolist()
    rows = read_rows_of(folder / "gone.jsonl")
    assert [(row["id"], row["kept_id"]) for row in rows] == [
        (row, int(result.representative[row])) for row in np.flatnonzero(~result.keep).tolist()
    ]
    assert [row["similarity"] for row in rows] == pytest.approx(result.similarity[~result.keep].tolist(), abs=1e-6)
    return result, report


@pytest.mark.parametrize("verify", ["exact", "signature", "none"])
@pytest.mark.parametrize("keep", ["first", "longest"])
def test_the_same_as_in_memory(tmp_path, monkeypatch, keep, verify):
    texts = corpus(500, seed=3)
    path = write_corpus(tmp_path / "a.jsonl", texts)
    monkeypatch.setattr(pairing, "LEAST_CROWD", 2)  # every bucket of three is a crowd
    assert_as_in_memory(tmp_path, texts, path, keep=keep, verify=verify)


def test_pages_of_a_template(tmp_path):
    texts = pages(4 * LEAST_CROWD)
    path = write_corpus(tmp_path / "a.jsonl", texts)
    result, report = assert_as_in_memory(tmp_path, texts, path, keep="longest")
    assert report.removed > LEAST_CROWD
    assert report.pairs < len(result.pairs) / 4  # those of crowds that decide, alone


def test_memory_and_blocks_change_nothing(tmp_path, monkeypatch):
    texts = pages(4 * LEAST_CROWD, seed=1)
    path = write_corpus(tmp_path / "a.jsonl", texts)
    monkeypatch.setattr(linking, "_LEAST_PAIRS", 1000)
    monkeypatch.setattr(linking, "_PAIR_BYTES", 1 << 20)
    monkeypatch.setattr(linking, "_CROWD_ROWS", 100)
    assert_as_in_memory(tmp_path, texts, path, memory="600MB", threads=1)


def test_linking_begins_anew(tmp_path, monkeypatch):
    texts = pages(4 * LEAST_CROWD, seed=2)
    path = write_corpus(tmp_path / "a.jsonl", texts)
    kernel, calls = streams.star_stream, []

    def failing(*args):
        calls.append(kernel(*args))
        if len(calls) == 2:
            raise OSError("disk gone")
        return calls[-1]

    monkeypatch.setattr(streams, "star_stream", failing)
    with pytest.raises(OSError, match="disk gone"):
        dedup_files(path, tmp_path / "out.jsonl", removed=tmp_path / "gone.jsonl", threshold=0.7)
    assert_as_in_memory(tmp_path, texts, path)
    assert calls.count(False) > 1  # memory was given back in the middle of a crowd


def test_components_list_all_pairs(tmp_path, monkeypatch):
    texts = pages(LEAST_CROWD, seed=4)
    path = write_corpus(tmp_path / "a.jsonl", texts)
    monkeypatch.setattr(pairing, "LEAST_CROWD", 2)
    report = dedup_files(path, tmp_path / "out.jsonl", linkage="components")
    result = tx.dedup(texts, linkage="components")
    assert (report.kept, report.pairs) == (int(result.keep.sum()), len(result.pairs))
