"""compare, tune and fingerprint, as a user runs them."""

import json

import numpy as np
import pytest

import txtfp_np as tx
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
    for builder in (tx.LshIndexBuilder.for_threshold(0.7, 128), tx.LshIndexBuilder.for_recall(0.7, 128, recall=0.99)):
        assert f'"bands": {builder.bands}' in out.replace('":', '": ').replace("  ", " ")


@pytest.mark.parametrize(
    ("flags", "fingerprinter"),
    [
        ("minhash", tx.MinHashFingerprinter()),
        ("simhash", tx.SimHashFingerprinter()),
        ("simhash --bits 128", tx.SimHashFingerprinter(bits=128)),
        ("tlsh", tx.TlshFingerprinter()),
        ("tlsh --packed", tx.TlshFingerprinter(packed=True)),
        ("ssdeep", tx.FuzzyFingerprinter()),
        ("flyhash", tx.FlyHashFingerprinter()),
        ("flyhash --bits 256 --active 16", tx.FlyHashFingerprinter(bits=256, active=16)),
    ],
)
def test_fingerprint_writes_the_signatures_of_the_rows(capsys, tmp_path, flags, fingerprinter):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.npy"
    source.write_text("".join(json.dumps({"text": row}) + "\n" for row in ROWS))
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(target), "--method", *flags.split())
    assert status == 0, err
    expected, _ = fingerprinter.fingerprint(ROWS, on_empty="mask")
    found = np.load(target)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tobytes() == expected.tobytes()
    assert [path.name for path in tmp_path.iterdir() if path.suffix not in (".jsonl", ".npy")] == []


def test_fingerprint_writes_ragged_ones_as_npz(capsys, tmp_path):
    texts = [*ROWS, ""] * 9000  # more than a batch
    source, target = tmp_path / "in.jsonl", tmp_path / "out.npz"
    source.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    flags = ["--method", "winnowing", "-k", "2", "--window", "3"]
    status, out, err = run(capsys, "fingerprint", str(source), "-o", str(target), *flags)
    assert status == 0, err
    fingerprinter = tx.WinnowFingerprinter(k=2, window=3)
    expected, ok = fingerprinter.fingerprint(texts, on_empty="mask")
    found = tx.WinnowColumn(**np.load(target))
    for name in ("values", "positions", "ends", "offsets"):
        assert getattr(found, name).dtype == getattr(expected, name).dtype
        assert np.array_equal(getattr(found, name), getattr(expected, name))
    assert f"{len(ok):,} documents signed ({np.count_nonzero(~ok):,} empty" in out
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(tmp_path / "out.npy"), *flags)
    assert (status, "Name a .npz file" in err) == (1, True)
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(tmp_path / "one.npz"), "--method", "tlsh")
    assert (status, "Name a .npy file" in err) == (1, True)
    assert not any((tmp_path / name).exists() for name in ("out.npy", "one.npz"))


def test_fingerprint_refuses_a_name_that_is_for_several_arrays(capsys, tmp_path):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.npz"
    source.write_text(json.dumps({"text": A}) + "\n")
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(target))
    assert (status, "Name a .npy file" in err) == (1, True)
    assert not target.exists()


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        ("minhash --bits 128", "--bits is no option of minhash\n  Options of minhash: -k, --slots."),
        ("simhash -k 3", "-k is no option of simhash\n  Options of simhash: --bits."),
        ("simhash --packed", "--packed is no option of simhash"),
        ("ssdeep --window 3", "--window is no option of ssdeep\n  Options of ssdeep: none."),
        ("winnowing --active 3", "--active is no option of winnowing"),
    ],
)
def test_fingerprint_refuses_options_of_other_methods(capsys, tmp_path, flags, text):
    source, target = tmp_path / "in.jsonl", tmp_path / "out.npy"
    source.write_text(json.dumps({"text": A}) + "\n")
    status, _, err = run(capsys, "fingerprint", str(source), "-o", str(target), "--method", *flags.split())
    assert (status, text in err) == (1, True), err
    assert not target.exists()


def test_an_empty_argument_is_an_empty_text(capsys):
    assert "is a folder" not in run(capsys, "compare", "", A)[2]
    assert run(capsys, "explain", "", A)[0] == 0


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
