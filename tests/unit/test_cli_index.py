"""txtfp index, explain, compare and fingerprint on files of every format."""

import json

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.cli import main

TEXTS = [
    "the quick brown fox jumps over the lazy dog and runs away into the wood",
    "the quick brown fox jumps over the lazy dog and runs away into the town",
    "stock prices fell sharply on monday after the central bank raised its rates again",
    "",
    "The quick brown fox jumps over the lazy dog, and runs away into the wood!",
]


def run(capsys, *arguments):
    status = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return status, captured.out, captured.err


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.jsonl"
    path.write_text("".join(json.dumps({"n": 10 * i, "name": f"d{i}", "text": t}) + "\n" for i, t in enumerate(TEXTS)))
    return path


# ── index ───────────────────────────────────────────────────────────────────────────────────────────
def test_build_holds_what_python_would_put_there(capsys, source, tmp_path):
    folder = tmp_path / "seen"
    status, out, err = run(capsys, "index", "build", folder, source, "--id-column", "n", "-t", "0.6", "--json")
    assert status == 0, err
    facts = json.loads(out)
    assert (facts["documents"], facts["empty"], facts["signatures"]) == (5, 1, 4)
    index = tx.LshIndex.open(folder)
    fp = tx.MinHashFingerprinter()
    bands = tx.LshIndexBuilder.for_recall(0.6, 128)
    assert (index.bands, index.rows, index.config_hash) == (bands.bands, bands.rows, fp.config_hash)
    assert list(index) == [0, 10, 20, 40]
    assert index.get(20) == fp.fingerprint(TEXTS[2])


def test_add_goes_on_counting_or_replaces(capsys, source, tmp_path):
    folder = tmp_path / "seen"
    assert run(capsys, "index", "build", folder, source)[0] == 0
    assert list(tx.LshIndex.open(folder)) == [0, 1, 2, 4]
    assert run(capsys, "index", "add", folder, source)[0] == 0
    assert list(tx.LshIndex.open(folder)) == [0, 1, 2, 4, 5, 6, 7, 9]
    add = ["index", "add", folder, source, "--id-column", "n"]
    status, _, err = run(capsys, *add)
    assert status == 1
    assert f"row 0 has the id 0, which is in {folder} already" in err
    assert "--replace" in err
    assert len(tx.LshIndex.open(folder)) == 8
    assert "3 documents added, 1 replaced (1 empty ones left out" in run(capsys, *add, "--replace")[1]
    assert sorted(tx.LshIndex.open(folder)) == [0, 1, 2, 4, 5, 6, 7, 9, 10, 20, 40]
    facts = json.loads(run(capsys, *add, "--replace", "--json")[1])
    assert (facts["documents"], facts["added"], facts["replaced"], facts["empty"]) == (5, 0, 4, 1)


def test_ids_that_two_rows_have_are_refused(capsys, source, tmp_path):
    folder = tmp_path / "seen"
    source.write_text("".join(json.dumps({"n": 7 + n % 3, "text": TEXTS[n]}) + "\n" for n in (0, 1, 2, 3)))
    status, _, err = run(capsys, "index", "build", folder, source, "--id-column", "n")
    assert status == 1
    assert "rows 0 and 3 have the same id 7" in err
    assert not folder.exists()
    assert run(capsys, "index", "build", folder, source)[0] == 0
    for flags in ([], ["--replace"]):
        status, _, err = run(capsys, "index", "add", folder, source, "--id-column", "n", *flags)
        assert status == 1
        assert "rows 0 and 3 have the same id 7" in err
    assert len(tx.LshIndex.open(folder)) == 3


def test_what_is_said_of_empty_documents(capsys, source, tmp_path):
    source.write_text('{"text": ""}\n' * 3)
    assert run(capsys, "index", "build", tmp_path / "seen", source)[1].startswith(
        "0 documents added (3 empty ones left out, 0 lines skipped)"
    )


def test_query_finds_what_the_index_finds(capsys, source, tmp_path):
    folder, output = tmp_path / "seen", tmp_path / "matches.tsv"
    assert run(capsys, "index", "build", folder, source, "--id-column", "n")[0] == 0
    status, out, err = run(capsys, "index", "query", folder, source, "--id-column", "name", "-t", "0.8")
    assert (status, err) == (0, "")
    found = [json.loads(line) for line in out.splitlines()]
    assert {(row["id"], row["match"]) for row in found if row["similarity"] == 1} >= {("d0", 0), ("d0", 40), ("d2", 20)}
    assert all(row["id"] == f"d{row['row']}" and row["similarity"] >= 0.8 for row in found)
    arguments = ["index", "query", folder, source, "--best", "1", "--tsv", "-o", output]
    status, out, err = run(capsys, *arguments)
    assert status == 0, err
    assert f"5 documents asked, 4 found, 4 matches: {output}" in out
    lines = [line.split("\t") for line in output.read_text().splitlines()]
    assert lines[0] == ["row", "id", "match", "similarity"]
    assert [line[:3] for line in lines[1:]] == [["0", "0", "0"], ["1", "1", "10"], ["2", "2", "20"], ["4", "4", "0"]]
    assert run(capsys, *arguments)[0] == 1  # it exists
    assert run(capsys, *arguments, "--overwrite", "--json")[0] == 0


def test_an_index_refuses_what_does_not_fit(capsys, source, tmp_path):
    folder = tmp_path / "seen"
    assert run(capsys, "index", "build", folder, source, "-k", "3")[0] == 0
    for arguments, expected in [
        (["build", folder, source], "exists"),
        (["query", folder, source], "-k"),
        (["add", tmp_path / "none", source], "is no index"),
        (["add", folder, source, "-k", "3", "--id-column", "name"], "whole numbers"),
        (["add", folder, source, "-k", "3", "--id-column", "nope"], "Its columns are: n, name, text"),
        (["query", folder, source, "-k", "3", "-o", folder], "is a folder"),
    ]:
        status, out, err = run(capsys, "index", *arguments)
        assert (status, out) == (1, "")
        assert expected in err
    assert len(tx.LshIndex.open(folder)) == 4
    assert run(capsys, "index", "query", folder, source, "-k", "3", "--slots", "64")[0] == 0  # slots are the index's


# ── explain ─────────────────────────────────────────────────────────────────────────────────────────
def test_explain_texts_files_and_rows(capsys, source, tmp_path):
    files = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for file, text in zip(files, TEXTS[:2], strict=True):
        file.write_text(text)
    by_text, by_file, by_row = (
        run(capsys, "explain", *arguments) for arguments in (TEXTS[:2], files, [source, "--rows", "0", "1"])
    )
    assert by_text == by_file == by_row
    assert by_text[0] == 0
    assert "[-wood-] {+town+}" in by_text[1]
    assert "\x1b[" not in by_text[1]
    coloured = run(capsys, "explain", *TEXTS[:2], "--color", "always")[1]
    assert "\x1b[31m[-wood-]\x1b[0m" in coloured
    assert run(capsys, "explain", source, "--rows", "1", "1")[1].startswith("similarity 1.000")


def test_explain_as_json_and_html(capsys):
    status, out, _ = run(capsys, "explain", *TEXTS[:2], "--json")
    assert status == 0
    facts = json.loads(out)
    assert (facts["only_a"], facts["only_b"]) == (1, 1)
    assert "".join(run["text"] for run in facts["runs"] if run["kind"] != "b") == TEXTS[0]
    assert "".join(run.get("other", run["text"]) for run in facts["runs"] if run["kind"] != "a") == TEXTS[1]
    status, out, _ = run(capsys, "explain", "a <b> c", "a <i> c", "--html")
    assert status == 0
    assert "&lt;" in out
    assert "<b>" not in out


def test_explain_shortens_unless_told(capsys):
    same = " ".join(f"word{i}" for i in range(400))
    short, full = (run(capsys, "explain", same, f"{same} more", *flags)[1] for flags in ([], ["--full"]))
    assert " … " in short
    assert "word200" not in short
    assert "word200" in full


def test_explain_wants_two(capsys, source):
    for arguments, expected in [
        (["one text"], "two texts"),
        ([source, source, "--rows", "0", "1"], "two texts"),
        ([source, "--rows", "0", "5"], "has 5 rows, there is no row 5"),
        ([source, "--rows", "-1", "0"], "counted from 0"),
        (["no-such-file.txt", "b c"], "there is no file"),
    ]:
        status, out, err = run(capsys, "explain", *arguments)
        assert (status, out) == (1, "")
        assert expected in err


# ── fingerprint ─────────────────────────────────────────────────────────────────────────────────────
def test_fingerprint_reads_what_dedup_reads(capsys, tmp_path):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    parquet.write_table(pyarrow.table({"body": TEXTS}), tmp_path / "a.parquet")
    folder = tmp_path / "texts"
    folder.mkdir()
    for i, text in enumerate(TEXTS):
        (folder / f"{i}.txt").write_text(text)
    (tmp_path / "b.txt").write_text("\n".join(TEXTS) + "\n")
    expected, _ = tx.MinHashFingerprinter().fingerprint(TEXTS, on_empty="mask")
    for name, flags in [("a.parquet", ["--column", "body"]), ("texts", []), ("b.txt", [])]:
        output = tmp_path / f"{name}.npy"
        status, out, err = run(capsys, "fingerprint", tmp_path / name, "-o", output, "--json", *flags)
        assert status == 0, err
        assert json.loads(out)["empty"] == 1
        assert np.load(output).tobytes() == expected.tobytes()


def test_fingerprint_of_nothing(capsys, tmp_path):
    (tmp_path / "none.jsonl").write_text("")
    for method in ("minhash", "simhash", "tlsh", "ssdeep", "flyhash"):
        output = tmp_path / f"{method}.npy"
        status, out, err = run(capsys, "fingerprint", tmp_path / "none.jsonl", "-o", output, "--method", method)
        assert status == 0, err
        assert out.startswith("0 documents signed")
        assert len(np.load(output)) == 0
    output = tmp_path / "winnowing.npz"
    status, out, err = run(capsys, "fingerprint", tmp_path / "none.jsonl", "-o", output, "--method", "winnowing")
    assert status == 0, err
    assert len(tx.WinnowColumn(**np.load(output))) == 0


# ── tune ────────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("kind", "head"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")])
def test_tune_draws(capsys, tmp_path, kind, head):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"curve.{kind}"
    status, out, err = run(capsys, "tune", "0.7", "--plot", path)
    assert status == 0, err
    assert "for_recall" in out
    assert path.read_bytes().startswith(head)
    assert run(capsys, "tune", "0.7", "--plot", path)[0] == 1
    assert run(capsys, "tune", "0.7", "--plot", path, "--overwrite")[0] == 0
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_tune_refuses_other_pictures(capsys, tmp_path):
    pytest.importorskip("matplotlib")
    status, _, err = run(capsys, "tune", "0.7", "--plot", tmp_path / "curve.gif")
    assert status == 1
    assert "png, svg, pdf" in err
    assert list(tmp_path.iterdir()) == []
