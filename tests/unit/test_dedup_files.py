"""Near-duplicates out of files: the same as in memory, in every format, whatever the memory; bad input."""

import json
import os

import numpy as np
import pytest
from engine_support import corpus, read_rows_of, records, write_corpus

import txtfp_np as tx
from txtfp_np.engine import dedup_files, linking, local, open_input, pairing, scan, sorting, verifying
from txtfp_np.engine import job as jobs

TEXTS = corpus(400, seed=1)
FORMATS = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.csv", "a.tsv.gz", "a.parquet", "a.arrow", "a.txt", "folder"]


def removed_rows(path):
    return [(row["id"], row["kept_id"], row["similarity"], row["reason"]) for row in read_rows_of(path)]


def expected_removed(result, name=lambda row: row):
    reasons = result.reason
    return [
        (name(row), name(int(result.representative[row])), result.similarity[row], reasons[row])
        for row in np.flatnonzero(~result.keep).tolist()
    ]


def assert_same(found, expected):
    assert [row[:2] + row[3:] for row in found] == [row[:2] + row[3:] for row in expected]
    similarity = [np.nan if row[2] is None else row[2] for row in found]
    assert similarity == pytest.approx([row[2] for row in expected], abs=1e-6, nan_ok=True)


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_keeps_its_rows(tmp_path, name):
    path = write_corpus(tmp_path / name, TEXTS)
    texts = open_input(path).read()[0]
    result = tx.dedup(texts)
    out = tmp_path / ("out" + name[1:] if name != "folder" else "out")
    report = dedup_files(path, out, removed=tmp_path / "removed.jsonl")
    rows, kept = read_rows_of(path), np.flatnonzero(result.keep)
    assert read_rows_of(out) == [rows[row] for row in kept]
    names = [row[0] for row in rows] if name == "folder" else range(len(rows))
    assert_same(removed_rows(tmp_path / "removed.jsonl"), expected_removed(result, lambda row: names[row]))
    summary = result.summary().as_dict()
    counts = report.as_dict()
    assert {key: counts[key] for key in summary if key != "against"} == {
        key: value for key, value in summary.items() if key != "against"
    }
    assert counts["skipped"] == 0
    assert report.near > 10
    assert report.copies > 20
    assert sorted(item.name for item in tmp_path.iterdir()) == sorted([name, out.name, "removed.jsonl"])


def test_lines_of_json_stay_as_they_are(tmp_path):
    lines = ['{"text" :"a b c d e f", "n": 1.50}', '{"n":2,  "text":"A b c d e f"}', '  {"text": "\\u00e4 other"}\r']
    (tmp_path / "a.jsonl").write_text("\n".join(lines), newline="")
    dedup_files(tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert (tmp_path / "b.jsonl").read_bytes().decode() == lines[0] + "\n" + lines[2] + "\n"


def test_values_of_csv_stay_as_they_are(tmp_path):
    (tmp_path / "a.csv").write_bytes(
        b'code,text\n007,"one, two"\n1e3,"say ""hi"""\n ,"l\xfcne\nbreak"\n007,"one  two"\n'
    )
    dedup_files(tmp_path / "a.csv", tmp_path / "b.csv", errors="replace")
    assert (tmp_path / "b.csv").read_bytes() == b'code,text\n007,"one, two"\n1e3,"say ""hi"""\n ,"l\xfcne\nbreak"\n'


def test_parquet_keeps_schema_and_compression(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet")
    path = write_corpus(tmp_path / "a.parquet", TEXTS)
    dedup_files(path, tmp_path / "b.parquet")
    before, after = pq.ParquetFile(path), pq.ParquetFile(tmp_path / "b.parquet")
    assert after.schema_arrow.equals(before.schema_arrow, check_metadata=True)
    assert after.metadata.row_group(0).column(1).compression == "ZSTD"
    assert 0 < after.metadata.num_rows < before.metadata.num_rows


@pytest.mark.parametrize("linkage", ["star", "components"])
@pytest.mark.parametrize("keep", ["first", "last", "longest", "shortest", "column:score"])
@pytest.mark.parametrize("verify", ["exact", "signature", "none"])
def test_the_same_as_in_memory(tmp_path, linkage, keep, verify):
    texts = corpus(300, seed=5)
    options = {"threshold": 0.5, "linkage": linkage, "verify": verify}
    order = [row["score"] for row in records(texts)] if keep.startswith("column") else keep
    result = tx.dedup(texts, keep=order, **options)
    path = write_corpus(tmp_path / "a.jsonl", texts)
    dedup_files(path, tmp_path / "b.jsonl", keep=keep, removed=tmp_path / "r.jsonl", id_column="id", **options)
    assert [row["id"] for row in read_rows_of(tmp_path / "b.jsonl")] == [
        f"d{row}" for row in np.flatnonzero(result.keep)
    ]
    assert_same(removed_rows(tmp_path / "r.jsonl"), expected_removed(result, lambda row: f"d{row}"))


@pytest.mark.parametrize("seed", range(3))
def test_memory_threads_and_blocks_change_nothing(tmp_path, seed, monkeypatch):
    """Everything that is cut in portions, in small ones."""
    texts = corpus(700, seed=seed, words=25)
    path = write_corpus(tmp_path / "a.jsonl", texts)
    for fp in (None, tx.MinHashFingerprinter(tokenizer=tx.CharShingleTokenizer(k=4), h=64)):
        options = {"threshold": 0.6, "fingerprinter": fp, "keep": "longest"}
        result = tx.dedup(texts, **options)
        with monkeypatch.context() as patch:
            patch.setattr(jobs.Job, "sort_bytes", lambda self, n: 100 * sorting.SORT_BYTES)
            patch.setattr(jobs.Job, "batch_bytes", 1000)
            patch.setattr(scan, "SKETCH_BLOCK_BYTES", 300)
            patch.setattr(sorting, "_CHUNK", 64)
            patch.setattr(linking, "_LEAST_PAIRS", 20)
            for name, size in (("_JOINED_ROWS", 8), ("LEAST_CROWD", 3), ("_PAIRS_A_CALL", 5), ("_RUN", 50)):
                patch.setattr(pairing, name, size)
            patch.setattr(verifying, "_PAIRS_READ", 30)
            patch.setattr(verifying, "_PAIRS_A_BLOCK", 7)
            patch.setattr(scan, "CHECKPOINT_SECONDS", 0)
            dedup_files(path, tmp_path / "b.jsonl", threads=3, overwrite=True, removed=tmp_path / "r.jsonl", **options)
        assert_same(removed_rows(tmp_path / "r.jsonl"), expected_removed(result))


def test_several_files_are_one_corpus(tmp_path):
    result = tx.dedup(TEXTS)
    files = [write_corpus(tmp_path / f"part-{n}.jsonl", TEXTS[n * 100 : n * 100 + 100]) for n in range(4)]
    report = dedup_files(str(tmp_path / "part-*.jsonl"), tmp_path / "all.jsonl.gz", removed=tmp_path / "r.csv")
    texts = [text for row, text in enumerate(TEXTS) if result.keep[row]]
    assert [row["text"] for row in read_rows_of(tmp_path / "all.jsonl.gz")] == texts
    removed = np.flatnonzero(~result.keep)
    assert [int(row["id"]) for row in read_rows_of(tmp_path / "r.csv")] == removed.tolist()
    again = dedup_files(files, f"{tmp_path}/parts/")
    assert (report.kept, report.pairs) == (again.kept, again.pairs)
    found = [row["text"] for n in range(4) for row in read_rows_of(tmp_path / "parts" / f"part-{n}.jsonl")]
    assert found == texts


@pytest.mark.parametrize("name", ["r.jsonl.gz", "r.csv", "r.tsv.zst", "r.parquet", "r.arrow"])
def test_formats_of_the_removed_table(tmp_path, name):
    if name.endswith((".zst", ".parquet", ".arrow")):
        pytest.importorskip("pyarrow")
    texts = ["a b c d e f g h i j", "A b c d e f g h i j", "a b c d e f g h i k", "a b c d e f g h i"]
    (tmp_path / "a.jsonl").write_text(
        "".join(json.dumps({"key": 10 * n, "text": t}) + "\n" for n, t in enumerate(texts))
    )
    options = {"id_column": "key", "removed": tmp_path / name, "linkage": "components"}
    dedup_files(tmp_path / "a.jsonl", tmp_path / "b.jsonl", overwrite=True, threshold=0.7, **options)
    rows = read_rows_of(tmp_path / name)
    if name.startswith(("r.csv", "r.tsv")):
        assert rows[0] == {"id": "10", "kept_id": "0", "similarity": "1.0", "reason": "copy"}
    else:
        assert rows[0] == {"id": 10, "kept_id": 0, "similarity": 1.0, "reason": "copy"}
    assert [float(row["similarity"]) for row in rows[1:]] == pytest.approx([5 / 7, 5 / 6], abs=1e-6)


def test_only_equal_documents_at_threshold_one(tmp_path):
    (tmp_path / "a.txt").write_text("one text here\nOne  text here\nanother one\n\n\n")
    report = dedup_files(tmp_path / "a.txt", tmp_path / "b.txt", threshold=1)
    assert (report.kept, report.copies, report.near, report.empty, report.bands) == (4, 1, 0, 2, 0)
    assert (tmp_path / "b.txt").read_text() == "one text here\nanother one\n\n\n"


@pytest.mark.parametrize("texts", [[], [""], ["", " ", "!"], ["one text"], ["one text"] * 3])
@pytest.mark.parametrize("name", ["a.jsonl", "a.parquet", "a.csv"])
def test_few_documents_or_none(tmp_path, texts, name):
    pa = pytest.importorskip("pyarrow")
    if texts:
        write_corpus(tmp_path / name, texts)
    elif name == "a.parquet":
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / name)
    else:
        (tmp_path / name).write_text("text\n" if name == "a.csv" else "")
    report = dedup_files(tmp_path / name, tmp_path / ("b" + name[1:]), removed=tmp_path / "r.parquet")
    kept = 1 if texts and texts[0] == "one text" else len(texts)
    assert (report.documents, report.kept) == (len(texts), kept)
    assert [row["text"] for row in read_rows_of(tmp_path / ("b" + name[1:]))] == texts[:kept]
    assert len(read_rows_of(tmp_path / "r.parquet")) == len(texts) - kept


def test_progress_and_stages(tmp_path):
    class Heard:
        def __init__(self):
            self.stages, self.calls = [], []

        def stage(self, name):
            self.stages.append(name)

        def __call__(self, done, total):
            self.calls.append((self.stages[-1], done, total))

    heard = Heard()
    path = write_corpus(tmp_path / "a.parquet", TEXTS)
    report = dedup_files(path, tmp_path / "b.parquet", progress=heard)
    assert heard.stages == ["scan", "copies", "candidates", "sets", "verify", "link", "output"]
    assert list(report.seconds) == heard.stages
    assert ("scan", len(TEXTS), len(TEXTS)) in heard.calls
    assert heard.calls[-1] == ("output", len(TEXTS), len(TEXTS))
    assert report.peak_bytes > 10**7


# ── bad input ───────────────────────────────────────────────────────────────────────────────────
def refused(match, *arguments, **options):
    with pytest.raises(tx.Error, match=match) as caught:
        dedup_files(*arguments, **options)
    return caught.value


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_outputs_that_cannot_be(tmp_path):
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:20])
    other = write_corpus(tmp_path / "c.jsonl", TEXTS[:20])
    refused("is an input", path, path, overwrite=True)
    refused("is an input", path, tmp_path / "b.jsonl", removed=path, overwrite=True)
    error = refused("c.jsonl exists", path, other)
    assert "--overwrite" in error.__notes__[0]
    refused("there is no folder", path, tmp_path / "no" / "where" / "b.jsonl")
    refused("is not writable|there is no folder", path, tmp_path / "c.jsonl" / "b.jsonl")
    refused("must have the format of the inputs, jsonl", path, tmp_path / "b.csv")
    refused("no known format", path, tmp_path / "b.doc")
    refused(r"removed must be a \.jsonl", path, tmp_path / "b.jsonl", removed=tmp_path / "r.txt")
    refused("must differ", path, tmp_path / "b.jsonl", removed=tmp_path / "b.jsonl")
    refused("is an input", [path, other], tmp_path)
    assert names_in(tmp_path) == ["a.jsonl", "c.jsonl"]
    report = dedup_files(path, other, overwrite=True)
    assert len(read_rows_of(other)) == report.kept < 20


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_not_writable(tmp_path):
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:20])
    (tmp_path / "closed").mkdir(mode=0o500)
    refused("is not writable", path, tmp_path / "closed" / "b.jsonl")


def test_folders_are_never_replaced(tmp_path):
    path = write_corpus(tmp_path / "folder", TEXTS[:20])
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine").touch()
    refused("never replaced", path, tmp_path / "full", overwrite=True)
    refused("lies in an input", path, path / "out")
    (tmp_path / "new").mkdir()
    dedup_files(path, tmp_path / "new")
    assert list((tmp_path / "new").rglob("*.txt"))


def test_a_system_that_does_not_say_its_memory(tmp_path, monkeypatch):
    pytest.importorskip("resource")
    (tmp_path / "status").write_text("Name:\tpython\nVmRSS:\t1 kB\n")
    monkeypatch.setattr(local, "_STATUS", tmp_path / "status")
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:20])
    assert dedup_files(path, tmp_path / "b.jsonl").peak_bytes > 1 << 20


def test_ids_that_are_there_twice(tmp_path):
    rows = [{"id": n % 30, "text": f"text number {n}"} for n in range(31)]
    (tmp_path / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    refused("rows 0 and 30 have the same id 0", tmp_path / "a.jsonl", tmp_path / "b.jsonl", id_column="id")
    assert names_in(tmp_path) == ["a.jsonl"]


@pytest.mark.parametrize("late", ["find_copies", "verify", "write_outputs", "publish"])
def test_what_was_done_outlives_an_error_that_comes_late(tmp_path, monkeypatch, late):
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:100])

    def fail(*_):
        raise tx.InvalidInputError("late")

    with monkeypatch.context() as patch:
        patch.setattr(local, late, fail)
        refused("late", path, tmp_path / "b.jsonl")
    assert (tmp_path / ".txtfp-b.jsonl" / "signatures").exists()
    monkeypatch.setattr(scan, "_sign", None)
    dedup_files(path, tmp_path / "b.jsonl")
    assert names_in(tmp_path) == ["a.jsonl", "b.jsonl"]


def test_inputs_that_differ_in_their_columns(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": ["a"], "n": [1]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"text": ["b"], "n": ["x"]}), tmp_path / "2.parquet")
    pq.write_table(pa.table({"n": [1]}), tmp_path / "3.parquet")
    files = [tmp_path / "1.parquet", tmp_path / "2.parquet"]
    refused("differ in their columns: n: string", files, tmp_path / "b.parquet")
    refused("3.parquet has no column 'text'", [*files, tmp_path / "3.parquet"], tmp_path / "b.parquet")
    dedup_files(files, f"{tmp_path}/out/")
    assert pq.read_table(tmp_path / "out" / "2.parquet").to_pylist() == [{"text": "b", "n": "x"}]
    (tmp_path / "1.csv").write_text("text,n\na,1\n")
    (tmp_path / "2.csv").write_text("text,m\na,1\n")
    refused("differ in their columns: m", [tmp_path / "1.csv", tmp_path / "2.csv"], tmp_path / "b.csv")


def test_bad_lines_are_counted_and_not_written(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"text": "one"}\n{oops\n\n{"text": "two"}\n[1]\n')
    refused("a.jsonl, line 2", tmp_path / "a.jsonl", tmp_path / "b.jsonl")
    assert names_in(tmp_path) == ["a.jsonl"]
    report = dedup_files(tmp_path / "a.jsonl", tmp_path / "b.jsonl", skip_bad=True)
    assert (report.documents, report.skipped) == (2, 2)
    assert (tmp_path / "b.jsonl").read_text() == '{"text": "one"}\n{"text": "two"}\n'


def test_priorities_that_are_none(tmp_path):
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:20])
    refused("line 1: a priority must be a number, got 'd0'", path, tmp_path / "b.jsonl", keep="column:id")
    refused("has no column 'rank'", path, tmp_path / "b.jsonl", keep="column:rank")
    refused("keep must be", path, tmp_path / "b.jsonl", keep="best")
    (tmp_path / "a.txt").write_text("x\n")
    refused("no columns, so no priorities", tmp_path / "a.txt", tmp_path / "b.txt", keep="column:rank")


@pytest.mark.parametrize("number", [2**53 + 1, -(2**53) - 1, 2**63 - 1, 10**400])
@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet"])
def test_priorities_that_are_too_large(tmp_path, name, number):
    """As floats they would be ties, or overflow."""
    path = tmp_path / name
    rows = [{"text": "one", "rank": 2**53}, {"text": "two", "rank": number}]
    if name == "a.jsonl":
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    elif name == "a.csv":
        path.write_text("text,rank\n" + "".join(f"{row['text']},{row['rank']}\n" for row in rows))
    elif number > 2**64:
        pytest.skip("no Arrow type holds it")
    else:
        pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
        pq.write_table(pa.Table.from_pylist(rows), path)
    place = {"a.jsonl": "line 2", "a.csv": "line 3", "a.parquet": "row 1"}[name]
    shown = "a number of 401 digits" if number > 2**64 else number
    expected = rf"{place}: whole numbers in the column 'rank' must .* 2\*\*53 .*, got {shown}"
    refused(expected, path, tmp_path / f"b{path.suffix}", keep="column:rank")


def test_options_that_cannot_be(tmp_path):
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:20])
    refused("memory must be a number", path, tmp_path / "b.jsonl", memory="much")
    refused("memory must be at least", path, tmp_path / "b.jsonl", memory="10MB")
    refused("threshold must be", path, tmp_path / "b.jsonl", threshold=0)
    refused("skip_bad must be", path, tmp_path / "b.jsonl", skip_bad=1)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "precious").touch()
    refused("no work directory: it has precious", path, tmp_path / "b.jsonl", work_dir=tmp_path / "mine")
    assert names_in(tmp_path) == ["a.jsonl", "mine"]
    assert names_in(tmp_path / "mine") == ["precious"]


def test_one_run_at_a_time(tmp_path):
    pytest.importorskip("fcntl")
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:20])

    def meddle(done, total):
        refused("another run is at work", path, tmp_path / "b.jsonl")

    dedup_files(path, tmp_path / "b.jsonl", progress=meddle)


@pytest.mark.parametrize("stage", ["copies", "sets", "output"])
def test_an_input_that_changes_meanwhile(tmp_path, stage):
    path = write_corpus(tmp_path / "a.jsonl", TEXTS[:100])

    class Meddler:
        def stage(self, name):
            if name == stage:
                with path.open("a") as file:
                    file.write('{"id": "late", "text": "late"}\n')

        def __call__(self, done, total):
            pass

    refused("was changed or removed while the job ran", path, tmp_path / "b.jsonl", progress=Meddler())
    assert names_in(tmp_path) == ["a.jsonl"]


def test_parquet_of_every_shape(tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    n = 6
    table = pa.table(
        {
            "text": pa.array([f"text number {row // 2}" for row in range(n)], pa.large_string()),
            "tags": [[f"t{row}", None] for row in range(n)],
            "nested": [{"a": row, "b": {"c": [row] * row}} for row in range(n)],
            "kind": pa.array(["x", None, "y"] * 2).dictionary_encode(),
            "when": pa.array(range(n), pa.timestamp("us", "UTC")),
            "raw": pa.array([b"\xff"] * n),
            "key": pa.array([2**64 - 1 - row for row in range(n)], pa.uint64()),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet", compression={"text": "gzip"}, row_group_size=4)
    dedup_files(tmp_path / "a.parquet", tmp_path / "b.parquet", id_column="key", removed=tmp_path / "r.parquet")
    after = pq.read_table(tmp_path / "b.parquet")
    assert after.schema.equals(table.schema)
    assert after.to_pylist() == table.take([0, 2, 4]).to_pylist()
    assert pq.read_table(tmp_path / "r.parquet")["kept_id"].to_pylist() == [str(2**64 - 1 - row) for row in (0, 2, 4)]


def test_ids_that_are_the_texts(tmp_path):
    path = write_corpus(tmp_path / "a.jsonl", [f"text {n}" for n in range(5)])
    report = dedup_files(path, tmp_path / "b.jsonl", id_column="text", keep="column:score")
    assert report.kept == 5


@pytest.mark.data
def test_a_real_corpus_as_in_memory(tmp_path, shared_data):
    source = shared_data / "exactj_en_docs.jsonl.gz"
    texts = open_input(source).read()[0]
    for threshold in (0.5, 0.7):
        result = tx.dedup(texts, threshold)
        dedup_files(source, tmp_path / "b.jsonl.gz", threshold=threshold, overwrite=True, removed=tmp_path / "r.jsonl")
        assert_same(removed_rows(tmp_path / "r.jsonl"), expected_removed(result))
        (tmp_path / "r.jsonl").unlink()
