"""Lines that cannot be read: refused with a hint, or left out and counted."""

import pytest

import txtfp_np as tx
from txtfp_np.engine import dedup_files, open_input
from txtfp_np.engine.readers import Input

GOOD = [b"one text of some words", b"another text with other words", b"a third that is like none of them"]
BAD = {
    "jsonl without text": ("a.jsonl", b'{"id": "x", "body": "b"}'),
    "jsonl without id": ("a.jsonl", b'{"text": "b"}'),
    "jsonl bytes": ("a.jsonl", b'{"id": "x", "text": "gr\xfc\xdfe"}'),
    "jsonl bytes of an id": ("a.jsonl", b'{"id": "\xfc", "text": "b"}'),
    "jsonl surrogate": ("a.jsonl", b'{"id": "x", "text": "\\ud800"}'),
    "csv bytes": ("a.csv", b"x,gr\xfc\xdfe"),
    "csv bytes of an id": ("a.csv", b"\xfc,b"),
    "txt bytes": ("a.txt", b"gr\xfc\xdfe"),
}


def lines_of(name):
    if name == "a.jsonl":
        return [b'{"id": "%d", "text": "%s"}' % pair for pair in enumerate(GOOD)]
    return [b"%d,%s" % pair for pair in enumerate(GOOD)] if name == "a.csv" else GOOD


@pytest.mark.parametrize("case", BAD)
def test_bad_lines(tmp_path, case):
    name, bad = BAD[case]
    head = [b"id,text"] if name == "a.csv" else []
    good = lines_of(name)
    path = tmp_path / name
    path.write_bytes(b"\n".join([*head, good[0], bad, bad, good[1], good[2], bad, b""]))
    id_column = None if name == "a.txt" else "id"
    with pytest.raises(tx.InvalidInputError, match=f"line {len(head) + 2}") as caught:
        open_input(path, id_column=id_column).read()
    assert "--skip-bad" in " ".join(caught.value.__notes__)
    source = open_input(path, id_column=id_column, skip_bad=True)
    for batch_bytes in (1 << 20, 1):
        again = Input(source.files, source.wanted._replace(batch_bytes=batch_bytes))
        assert again.read()[0].to_list() == [text.decode() for text in GOOD]
        assert again.skipped == 3
    report = dedup_files(path, tmp_path / f"out-{name}", id_column=id_column, skip_bad=True)
    assert (report.documents, report.skipped) == (3, 3)
    assert (tmp_path / f"out-{name}").read_bytes() == b"\n".join([*head, *good, b""])


def test_a_priority_that_is_no_number_is_no_bad_line(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a", "n": "x"}\n')
    with pytest.raises(tx.InvalidInputError, match="line 1: a priority must be a number"):
        dedup_files(path, tmp_path / "b.jsonl", keep="column:n", skip_bad=True)
