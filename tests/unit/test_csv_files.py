"""CSV files: what is written can be read again, what cannot be read is refused with its line."""

import csv

import pytest

import txtfp_np as tx
from txtfp_np.engine import dedup_files, open_input


@pytest.mark.parametrize("kind", ["csv", "tsv"])
def test_line_breaks_within_values_are_quoted(tmp_path, kind):
    pandas = pytest.importorskip("pandas")
    comma = "\t" if kind == "tsv" else ","
    rows = [(f"{n}{mark}", f"one{mark}two {n}") for n, mark in enumerate(["\r", "\n", "\r\n", "\r\r", '"', comma, ""])]
    rows.append(("copy\rof", rows[0][1]))
    path, output, removed = (tmp_path / f"{name}.{kind}" for name in ("in", "out", "removed"))
    with path.open("w", newline="") as file:
        table = csv.writer(file, delimiter=comma, quoting=csv.QUOTE_ALL)
        table.writerow(("i\rd", "text"))
        table.writerows(rows)
    dedup_files(path, output, id_column="i\rd", removed=removed)
    data = output.read_bytes()
    assert data.endswith(b"\n")
    assert data.count(b"\r\n") == 2  # the two that stand in a value
    for written, expected in [(output, rows[:-1]), (removed, [("copy\rof", "0\r", "1.0", "copy")])]:
        with written.open(newline="") as file:
            _, *found = map(tuple, csv.reader(file, delimiter=comma))
        assert found == expected
        table = pandas.read_csv(written, sep=comma, dtype=str)
        assert list(table.itertuples(index=False, name=None)) == expected


@pytest.mark.parametrize(
    ("content", "line"), [('text\n"a b\nc d\ne f\n', 2), ('text\n"a\nb"\n\n"c\nd', 5), ('"text\na\n', 1)]
)
def test_a_quote_that_is_not_closed(tmp_path, content, line):
    path = tmp_path / "in.csv"
    path.write_text(content)
    for skip_bad in (False, True):
        with pytest.raises(tx.InvalidInputError, match=rf"in\.csv, line {line}: a quote that is opened is not closed"):
            open_input(path, skip_bad=skip_bad).read()


def test_text_after_a_quoted_value(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text('text\na\n"b"c\n')
    with pytest.raises(tx.InvalidInputError, match=r"in\.csv, line 3: ',' expected after '\"'"):
        open_input(path).read()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('"a ""b"" c"', 'a "b" c'),
        ('a "b" c', 'a "b" c'),
        ('"a\nb\r\nc\rd"', "a\nb\r\nc\rd"),
        ('""', ""),
        ('""""', '"'),
        ("a\\", "a\\"),
        ('"a"', "a"),
        (' "a"', ' "a"'),
    ],
)
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_valid_values(tmp_path, content, expected, end):
    path = tmp_path / "in.csv"
    path.write_text(f"id,text\n1,{content}{end}", newline="")
    assert open_input(path).read()[0].to_list() == [expected]


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b"id;text;n\na;b;1\n", "Its columns are: id;text;n. Values are parted by commas, in a .tsv file by"),
        ("id,text\na,b\n".encode("utf-16"), "Names of columns are no UTF-8. Convert it"),
        (b"", "Its first line, which names them, is empty."),
        (b"id,body\na,b\n", "Its columns are: id, body."),
    ],
)
def test_a_header_that_is_none_is_explained(tmp_path, data, advice):
    path = tmp_path / "pages.csv"
    path.write_bytes(data)
    with pytest.raises(tx.InvalidInputError, match="no column 'text'") as caught:
        list(open_input(path))
    assert advice in "".join(caught.value.__notes__)
