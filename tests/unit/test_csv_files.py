"""CSV files: what is written can be read again, what cannot be read is refused with its line."""

import csv

import pytest

from txtfp_np.engine import dedup_files


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
