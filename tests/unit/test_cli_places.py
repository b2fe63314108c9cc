"""What is written is never what is read, nor two things at once; said before any work."""

import json

import pytest

from txtfp_np.cli import main

LINES = "".join(json.dumps({"id": i, "text": f"words number {i} of many others"}) + "\n" for i in range(4))


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("in.jsonl", "other.jsonl"):
        (tmp_path / name).write_text(LINES)
    (tmp_path / "removed.jsonl").write_text("")
    (tmp_path / "sub").mkdir()
    (tmp_path / "link.jsonl").symlink_to("in.jsonl")
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "a.txt").write_text("a text")
    assert main(["index", "build", "seen", "other.jsonl"]) == 0
    return tmp_path


def content(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def refused(capsys, folder, expected, *arguments):
    before = content(folder)
    capsys.readouterr()
    assert main(list(arguments)) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert expected in captured.err
    assert "Traceback" not in captured.err
    assert content(folder) == before


@pytest.mark.parametrize("path", ["in.jsonl", "sub/../in.jsonl", "link.jsonl"])
@pytest.mark.parametrize(
    "arguments",
    [
        ["dedup", "in.jsonl", "-o"],
        ["dedup", "in.jsonl", "-o", "out.jsonl", "--removed"],
        ["dedup", "in.jsonl", "-o", "out.jsonl", "--report"],
        ["dedup", "in.jsonl", "--dry-run", "--report"],
        ["dedup", "other.jsonl", "--against", "in.jsonl", "-o"],
        ["dedup", "other.jsonl", "--against", "in.jsonl", "-o", "out.jsonl", "--removed"],
        ["report", "in.jsonl", "-o"],
        ["report", "other.jsonl", "--removed", "in.jsonl", "-o"],
        ["fingerprint", "in.jsonl", "-o"],
        ["index", "query", "seen", "in.jsonl", "-o"],
    ],
)
def test_inputs_are_not_written_to(capsys, folder, arguments, path):
    refused(capsys, folder, f"{path} is an input", *arguments, path, "--overwrite")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["dedup", "in.jsonl", "--against", "seen", "-o", "seen/out.jsonl"], "lies in an input"),
        (["dedup", "in.jsonl", "--against", "seen", "-o", "o.jsonl", "--removed", "seen/r.csv"], "lies in an input"),
        (["index", "build", "texts/seen", "texts"], "lies in an input"),
        (["fingerprint", "texts", "-o", "texts/a.txt", "--overwrite"], "lies in an input"),
        (["index", "query", "seen", "in.jsonl", "-o", "seen/matches"], "lies in an input"),
        (["dedup", "in.jsonl", "-o", "o.jsonl", "--report", "sub/../o.jsonl"], "output and report must differ"),
        (["dedup", "in.jsonl", "-o", "o.jsonl", "--removed", "sub/../o.jsonl"], "output and removed must differ"),
        (
            ["dedup", "in.jsonl", "-o", "o.jsonl", "--removed", "r.jsonl", "--report", "r.jsonl"],
            "removed and report must differ",
        ),
        (["dedup", "in.jsonl", "-o", "sub/", "--report", "sub/in.jsonl"], "output and report must differ"),
        (["index", "build", "in.jsonl", "in.jsonl"], "in.jsonl exists"),
    ],
)
def test_places_differ(capsys, folder, arguments, expected):
    refused(capsys, folder, expected, *arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        ["dedup", "in.jsonl", "-o", "out.jsonl"],
        ["dedup", "in.jsonl", "-o", "out.jsonl", "--against", "other.jsonl"],
        ["compare", "a b", "c d"],
        ["report", "in.jsonl", "-o", "page.html"],
        ["explain", "a b", "c d"],
        ["fingerprint", "in.jsonl", "-o", "out.npy"],
        ["index", "build", "new", "in.jsonl"],
        ["index", "add", "seen", "in.jsonl"],
        ["index", "query", "seen", "in.jsonl"],
    ],
)
def test_shingles_have_words(capsys, folder, arguments):
    refused(capsys, folder, "k must be an int >= 1, got 0", *arguments, "-k", "0")


@pytest.mark.parametrize("threshold", ["-0.1", "1.5", "nan", "inf"])
def test_thresholds_of_a_query(capsys, folder, threshold):
    expected = "threshold must be a number in [0.0, 1.0], got"
    refused(capsys, folder, expected, "index", "query", "seen", "in.jsonl", f"--threshold={threshold}")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["dedup", "in.jsonl", "-o", "nodir/x.jsonl"], "nodir for x.jsonl"),
        (["dedup", "in.jsonl", "-o", "nodir/x.jsonl", "--against", "other.jsonl"], "nodir for x.jsonl"),
        (["dedup", "in.jsonl", "-o", "nodir/more/"], "there is no folder"),
        (["dedup", "in.jsonl", "-o", "x.jsonl", "--removed", "nodir/r.jsonl"], "nodir for r.jsonl"),
        (["dedup", "in.jsonl", "-o", "x.jsonl", "--report", "nodir/r.html"], "nodir for r.html"),
        (["report", "in.jsonl", "-o", "nodir/r.html"], "nodir for r.html"),
        (["dedup", "in.jsonl", "other.jsonl", "-o", "newfolder"], "End it with / for a folder"),
        (["dedup", "in.jsonl", "-o", "newfolder"], "End it with / for a folder"),
    ],
)
def test_folders_that_are_not_there(capsys, folder, arguments, expected):
    refused(capsys, folder, expected, *arguments)
    assert not list(folder.glob("n*"))
    assert not list(folder.glob(".txtfp*"))


def test_a_folder_is_made_where_it_is_named_as_one(folder):
    assert main(["dedup", "in.jsonl", "-o", "new/"]) == 0
    assert (folder / "new" / "in.jsonl").exists()


def test_a_column_of_priorities_is_named(capsys, folder):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"id": ["x", "y"], "text": ["a b", "c d"]}), folder / "in.parquet")
    refused(capsys, folder, "in.parquet, column 'id'", "dedup", "in.parquet", "-o", "o.parquet", "--keep", "column:id")
