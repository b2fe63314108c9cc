"""Reading documents of files: every format, from any position, and what is wrong with them."""

import csv
import gzip
import json
import os

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.engine import open_input, streams
from txtfp_np.engine.batches import Position, Wanted
from txtfp_np.engine.inputs import kind_of
from txtfp_np.engine.readers import Input

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

TEXTS = ["one", "", "drei äöü", 'with "quotes", and\ttabs', "日本語", "x" * 3000, "last"] * 9
IDS = [f"id-{number}" for number in range(len(TEXTS))]
RECORDS = [{"id": id_, "text": text, "n": n} for n, (id_, text) in enumerate(zip(IDS, TEXTS, strict=True))]
FORMATS = ["a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.csv", "a.tsv.gz", "a.parquet", "a.arrow", "folder", "a.txt"]


def write(folder, name):
    path = folder / name
    if name == "folder":
        for id_, text in zip(IDS, TEXTS, strict=True):
            (path / id_[-1]).mkdir(parents=True, exist_ok=True)
            (path / id_[-1] / f"{id_}.txt").write_text(text, encoding="utf-8")
        return path
    table = pa.Table.from_pylist(RECORDS)
    kind, compression = kind_of(path)
    if kind == "parquet":
        pq.write_table(table, path, row_group_size=11)
    elif kind == "arrow":
        with pa.ipc.new_file(path, table.schema) as writer:
            for batch in table.to_batches(max_chunksize=13):
                writer.write_batch(batch)
    else:
        plain = folder / "plain"
        with plain.open("w", encoding="utf-8", newline="") as file:
            if kind == "txt":
                file.writelines(f"{text}\n" for text in TEXTS)
            elif kind == "jsonl":
                file.writelines(json.dumps(record, ensure_ascii=n % 2 == 0) + "\n" for n, record in enumerate(RECORDS))
            else:
                writer = csv.DictWriter(file, ["id", "text", "n"], delimiter="\t" if kind == "tsv" else ",")
                writer.writeheader()
                writer.writerows(RECORDS)
        data = plain.read_bytes()
        plain.unlink()
        pack = {"": bytes, "gz": gzip.compress, "zst": lambda data: pa.Codec("zstd").compress(data, asbytes=True)}
        path.write_bytes(pack[compression](data))
    return path


def small(source, batch_bytes=64):
    """The same input in small batches."""
    return Input(source.files, source.wanted._replace(batch_bytes=batch_bytes))


def expected(name):
    order = sorted(range(len(TEXTS)), key=lambda n: (IDS[n][-1], IDS[n])) if name == "folder" else range(len(TEXTS))
    ids = [f"{IDS[n][-1]}/{IDS[n]}.txt" if name == "folder" else IDS[n] for n in order]
    return [TEXTS[n] for n in order], ids


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_gives_its_documents(tmp_path, name):
    texts, ids = expected(name)
    has_columns = name not in ("folder", "a.txt")
    source = open_input(write(tmp_path, name), id_column="id" if has_columns else None)
    assert source.columns == (("id", "text", "n") if has_columns else ())
    assert source.total in (None, len(TEXTS))
    for each in (source, small(source), small(source, 5000)):
        column, found = each.read()
        assert column.to_list() == texts
        assert found == (list(range(len(TEXTS))) if name == "a.txt" else ids)
    assert len(list(small(source))) > 5


@pytest.mark.parametrize("name", FORMATS)
def test_going_on_from_any_position(tmp_path, name):
    texts, _ = expected(name)
    source = small(open_input([write(tmp_path, name)]))
    batches = list(source)
    for batch in batches:
        rest = list(source.batches(batch.after, first_row=batch.first_row + len(batch)))
        assert [text for part in rest for text in part.texts] == texts[batch.first_row + len(batch) :]
        if rest:
            assert rest[0].first_row == batch.first_row + len(batch)


def test_several_files_are_one_input(tmp_path):
    for number in (2, 10, 1):
        (tmp_path / f"part-{number:02}.txt").write_text(f"text {number}\n\n")
    source = open_input(str(tmp_path / "part-*.txt"))
    assert source.read()[0].to_list() == ["text 1", "", "text 2", "", "text 10", ""]
    first = next(iter(source))
    assert first.after == Position(0, 8, 2, 2)
    again = open_input([tmp_path / "part-10.txt", str(tmp_path / "part-0*.txt")])
    assert again.read()[0].to_list() == ["text 10", "", "text 1", "", "text 2", ""]


def test_ids_that_are_numbers_stay_numbers(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"id": 7, "text": "a"}\n{"id": -8, "text": "b"}\n')
    assert open_input(path, id_column="id").read()[1] == [7, -8]
    path.write_text('{"id": 7, "text": "a"}\n{"id": "07", "text": "b"}\n')
    assert open_input(path, id_column="id").read()[1] == ["7", "07"]
    pq.write_table(pa.table({"id": [1, 2], "text": ["a", "b"]}), tmp_path / "a.parquet")
    assert open_input(tmp_path / "a.parquet", id_column="id").read()[1] == [1, 2]


@pytest.mark.parametrize("ending", ["", "\n", "\r\n", "\n\n \n"])
def test_how_a_file_ends(tmp_path, ending):
    path = tmp_path / "a.jsonl"
    path.write_text('\ufeff{"text": "a"}\r\n\n{"text": null}' + ending, encoding="utf-8", newline="")
    source = open_input(path)
    lines = []
    for batch in source.batches(whole=True):
        lines += [batch.rows.data[a:b].tobytes() for a, b in zip(batch.rows.starts, batch.rows.ends, strict=True)]
    assert source.skipped == 0
    assert source.read()[0].to_list() == ["a", None]
    unread = [batch.rows for batch in source.batches(whole=True, texts=False)]
    again = [rows.data[a:b].tobytes() for rows in unread for a, b in zip(rows.starts, rows.ends, strict=True)]
    assert again == lines
    assert lines[0] == b'\xef\xbb\xbf{"text": "a"}\r\n'
    assert lines[1].rstrip() == b'{"text": null}'


def test_priorities(tmp_path):
    wanted = Wanted(priority="n")
    for name in ("a.jsonl", "a.csv", "a.parquet"):
        source = open_input(write(tmp_path, name))
        found = [batch.priorities for batch in Input(source.files, wanted)]
        assert np.array_equal(np.concatenate(found), np.arange(len(TEXTS)))


def test_empty_files(tmp_path):
    for name in ("a.jsonl", "a.txt", "a.csv"):
        (tmp_path / name).write_text("text\n" if name == "a.csv" else "")
        assert open_input(tmp_path / name).read()[0].to_list() == []
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), tmp_path / "a.parquet")
    assert open_input(tmp_path / "a.parquet").read()[0].to_list() == []


# ── bad input ───────────────────────────────────────────────────────────────────────────────────
def refused(match, inputs, **options):
    with pytest.raises(tx.InvalidInputError, match=match) as caught:
        open_input(inputs, **options).read()
    return caught.value


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{nonsense", "Expecting property name"),
        ("[1]", "not an object but list"),
        ("3", "not an object but int"),
        ("\u2003", "Expecting value"),
        ("\x1c", "Expecting value"),
        ('{"text": 3}', "text is no text but int"),
        ("[" * 100_000, "recursion"),
    ],
)
def test_a_line_that_is_no_record(tmp_path, line, problem):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n\n' + line + '\n{"text": "b"}\n', encoding="utf-8")
    error = refused(rf"a\.jsonl, line 3: .*{problem}", path)
    assert "skip_bad" in error.__notes__[0]
    source = open_input(path, skip_bad=True)
    assert source.read()[0].to_list() == ["a", "b"]
    assert source.skipped == 1
    source = Input(source.files, source.wanted._replace(batch_bytes=1))
    assert source.read()[0].to_list() == ["a", "b"]
    assert source.skipped == 1


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.parquet", "a.arrow"])
def test_a_missing_column_lists_those_there_are(tmp_path, name):
    path = write(tmp_path, name)
    assert "id, text, n" in refused("has no column 'body'", path, column="body").__notes__[0]
    refused("has no column 'key'", path, id_column="key")


def test_a_column_that_later_records_lack(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "id": 1}\n{"id": 2}\n')
    refused("line 2 has no column 'text'", path)
    path.write_text('{"text": "a", "id": 1}\n{"text": "b"}\n')
    refused("line 2 has no column 'id'", path, id_column="id")


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.txt", "folder/a.txt"])
def test_bytes_that_are_not_utf8(tmp_path, name):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    before, after = {"a.jsonl": (b'{"text": "', b'"}\n'), "a.csv": (b"text\n", b"\n")}.get(name, (b"", b""))
    path.write_bytes(before + b"gr\xfc\xdfe" + after)
    given = path.parent if name == "folder/a.txt" else path
    place = {"a.csv": r"a\.csv, line 2", "folder/a.txt": r"a\.txt"}.get(name, "line 1")
    refused(f"{place}: invalid UTF-8 at byte 2", given)
    assert open_input(given, errors="replace").read()[0].to_list() == ["gr\ufffd\ufffde"]


def test_a_lone_surrogate_in_json(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "ok"}\n{"text": "a\\ud800b"}\n')
    refused("line 2: invalid UTF-8", path)
    assert open_input(path, errors="replace").read()[0].to_list()[0] == "ok"


@pytest.mark.parametrize("name", ["a.parquet", "a.arrow", "a.jsonl.gz", "a.jsonl.zst"])
def test_truncated_files(tmp_path, name):
    path = write(tmp_path, name)
    path.write_bytes(path.read_bytes()[:-9])
    refused(name.replace(".", r"\."), path)
    path.write_bytes(b"")
    if name.endswith((".gz", ".zst")):
        assert open_input(path).read()[0].to_list() == []
    else:
        refused("cannot be read as", path)


def test_a_damaged_page_of_parquet(tmp_path):
    path = tmp_path / "a.parquet"
    text = ["".join(map(chr, np.random.default_rng(1).integers(97, 122, 5000)))]
    pq.write_table(pa.table({"text": text}), path, compression="gzip", use_dictionary=False)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 300] = bytes(300)
    path.write_bytes(data)
    refused("cannot be read", path)


def test_a_column_that_is_no_text(tmp_path):
    refused("expected text, got an Arrow column of type int64", write(tmp_path, "a.parquet"), column="n")


@pytest.mark.parametrize(("line", "n"), [("2", 1), ("2,b,more", 3)])
def test_a_record_that_is_too_short_or_too_long(tmp_path, line, n):
    path = tmp_path / "a.csv"
    path.write_text(f"id,text\n1,a\n{line}\n\n3,c\n")
    refused(f"line 3: {n} values for 2 columns", path)
    source = open_input(path, skip_bad=True)
    assert source.read()[0].to_list() == ["a", "c"]
    assert source.skipped == 1


def test_a_long_field_of_csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "word " * 100_000 + "\n")
    assert len(open_input(path).read()[0][0]) == 500_000


def test_which_files_are_meant(tmp_path):
    refused("there is no file", tmp_path / "none.txt")
    refused(r"no file matches .*\*\.jsonl", str(tmp_path / "*.jsonl"))
    refused("no input was given", [])
    (tmp_path / "a.doc").write_text("x")
    assert ".parquet" in refused("no known format", tmp_path / "a.doc").__notes__[0]
    refused("no known format", tmp_path / "a.doc")
    assert "*.doc" in refused(r"there are no \.txt files", tmp_path).__notes__[0]
    (tmp_path / "a.txt").write_text("x")
    (tmp_path / "b.csv").write_text("text\nx\n")
    refused(r"one format, got .*a\.txt \(txt\) and .*b\.csv \(csv\)", [tmp_path / "a.txt", tmp_path / "b.csv"])
    refused("given twice", [tmp_path / "a.txt", str(tmp_path / "*.txt")])
    refused("no columns, so no ids", tmp_path / "a.txt", id_column="id")
    for name in (None, 3, ["text"]):
        refused("column must be the name", tmp_path / "b.csv", column=name)
    refused("id_column must be the name", tmp_path / "b.csv", id_column=0)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.txt")
        refused("pipe or device", tmp_path / "pipe.txt")


def test_a_file_that_changes_is_noticed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("x\n")
    (file,) = open_input(path).files
    file.check_unchanged()
    path.write_text("xy\n")
    with pytest.raises(tx.InvalidInputError, match="was changed or removed"):
        file.check_unchanged()
    path.unlink()
    with pytest.raises(tx.InvalidInputError, match="was changed or removed"):
        file.check_unchanged()


@pytest.mark.parametrize("name", ["a.jsonl", "a.txt"])
def test_a_line_beyond_the_limit(tmp_path, name, monkeypatch):
    monkeypatch.setattr(streams, "MAX_DOCUMENT_BYTES", 5000)
    path = tmp_path / name
    path.write_text('{"text": "a"}\n{"text": "' + "x" * 10_000 + '"}\n')
    source = open_input(path)
    with pytest.raises(tx.InvalidInputError, match="has a line of more than 5000 bytes"):
        Input(source.files, source.wanted._replace(batch_bytes=100)).read()
