"""compare, tune and fingerprint, as a user runs them."""

import json

import numpy as np
import pytest

from txtfp_np import LshIndexBuilder, MinHashFingerprinter, SimHashFingerprinter
from txtfp_np.cli import main

A = "the quick brown fox jumps over the lazy dog and runs away"
B = "the quick brown fox jumps over the lazy dog and hides"
ROWS = [A, B, "something else altogether, of which nobody spoke"]


def run(capsys, *arguments):
    status = main(list(arguments))
    captured = capsys.readouterr()
    return status, captured.out, captured.err


def shingles(text, k=5):
    words = text.split()
    return {" ".join(words[i : i + k]) for i in range(len(words) - k + 1)}


def test_compare_two_texts(capsys):
    status, out, _ = run(capsys, "compare", A, B, "--json")
    one, other = shingles(A), shingles(B)
    assert status == 0
    expected = len(one & other) / len(one | other)
    assert any(abs(v - expected) < 1e-4 for v in json.loads(out).values() if isinstance(v, float))


def test_tune_says_what_the_builder_chooses(capsys):
    status, out, _ = run(capsys, "tune", "0.7", "--json")
    assert status == 0
    json.loads(out)
    for builder in (LshIndexBuilder.for_threshold(0.7, 128), LshIndexBuilder.for_recall(0.7, 128, recall=0.99)):
        assert f'"bands": {builder.bands}' in out.replace('":', '": ').replace("  ", " ")


@pytest.mark.parametrize(
    ("method", "fingerprinter"), [("minhash", MinHashFingerprinter()), ("simhash", SimHashFingerprinter())]
)
def test_fingerprint_writes_the_signatures_of_the_rows(capsys, tmp_path, method, fingerprinter):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.npy"
    source.write_text("".join(json.dumps({"text": row}) + "\n" for row in ROWS))
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(target), "--method", method)
    assert status == 0, err
    assert np.load(target).tobytes() == fingerprinter.fingerprint(ROWS).tobytes()
    assert [path.name for path in tmp_path.iterdir() if path.suffix not in (".jsonl", ".npy")] == []


def test_what_exists_is_not_overwritten(capsys, tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.npy"
    source.write_text(json.dumps({"text": A}) + "\n")
    target.write_bytes(b"mine")
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(target))
    assert status == 1
    assert "out.npy" in err
    assert target.read_bytes() == b"mine"


def test_a_line_that_is_not_json_is_named(capsys, tmp_path):
    source = tmp_path / "in.jsonl"
    source.write_text(json.dumps({"text": A}) + "\nnot json\n")
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(tmp_path / "out.npy"))
    assert status == 1
    assert "2" in err
    assert "Traceback" not in err
    assert not (tmp_path / "out.npy").exists()


def test_a_missing_file_is_one_line(capsys, tmp_path):
    status, _, err = run(capsys, "fingerprint", str(tmp_path / "no.jsonl"), "-o", str(tmp_path / "out.npy"))
    assert status == 1
    assert "no.jsonl" in err
    assert "Traceback" not in err
