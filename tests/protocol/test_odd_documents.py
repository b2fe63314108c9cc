"""Odd documents through winnowing, ssdeep and FlyHash: none breaks a column, what is refused names its row."""

import numpy as np
import pytest

import txtfp_np as tx

CHARS = tx.CharShingleTokenizer(k=1)
FINGERPRINTERS = {
    "winnowing, words": tx.WinnowFingerprinter(),
    "winnowing, code points": tx.WinnowFingerprinter(tokenizer=CHARS, k=1, window=1),
    "winnowing, wide": tx.WinnowFingerprinter(tokenizer=CHARS, k=65_536, window=65_536),
    "ssdeep": tx.FuzzyFingerprinter(),
    "flyhash": tx.FlyHashFingerprinter(tokenizer=CHARS),
    "flyhash, winners": tx.FlyHashFingerprinter(tokenizer=CHARS, form="winners"),
}
ODD = [
    "",
    None,
    "a",
    "\0",
    "\0" * 300,
    "a\0" * 50 + "\0",
    "😀",
    "😀 \U0010ffff" * 60,
    "x" * 5000,
    "ab " * 3000,
    " \t\r\n",
    "\u200b\ufeff",
    "e\u0301" * 70,
    b"bytes",
    bytearray(b"more bytes"),
    np.str_("of NumPy"),
    np.nan,
]
NOT_TEXT = ["a\ud800", b"\xff\xfe", 7, 1.5, ["a"]]


@pytest.fixture(params=FINGERPRINTERS)
def fingerprinter(request):
    return FINGERPRINTERS[request.param]


def parts_of(result):
    """Arrays that a fingerprint is made of."""
    return [part.tolist() for part in (result if isinstance(result, tuple) else [result])]


def test_a_column_is_its_documents(fingerprinter):
    column, ok = fingerprinter.fingerprint(ODD, on_empty="mask")
    assert len(column) == len(ok) == len(ODD)
    for threads in (1, 3):
        again, again_ok = fingerprinter.fingerprint(iter(ODD), on_empty="mask", threads=threads)
        assert [parts_of(again[row]) for row in range(len(ODD))] == [parts_of(column[row]) for row in range(len(ODD))]
        assert again_ok.tolist() == ok.tolist()
    for row, document in enumerate(ODD):
        given = "" if document is None or document is np.nan else document
        alone, is_signed = fingerprinter.fingerprint(given, on_empty="mask")
        assert parts_of(alone) == parts_of(column[row])
        assert is_signed == ok[row]
    assert not ok[:2].any()
    assert ok[2]


@pytest.mark.parametrize("document", NOT_TEXT, ids=repr)
def test_what_is_no_text_is_refused_with_its_row(fingerprinter, document):
    with pytest.raises(tx.InvalidInputError) as caught:
        fingerprinter.fingerprint(["a", "b", document, "c"], on_empty="mask", threads=2)
    assert caught.value.row == 2
    if isinstance(document, (str, bytes)):
        with pytest.raises(tx.InvalidInputError) as caught:
            fingerprinter.fingerprint(document)
        assert caught.value.row is None
        repaired, _ = fingerprinter.fingerprint(document, errors="replace", on_empty="mask")
        mended = document.decode("utf-8", "replace") if isinstance(document, bytes) else "a\ufffd"
        assert parts_of(repaired) == parts_of(fingerprinter.fingerprint(mended, on_empty="mask")[0])


@pytest.mark.parametrize("row", [0, 3])
def test_empty_documents_are_refused_with_their_row(fingerprinter, row):
    column = ["a"] * row + ["", "a", None]
    with pytest.raises(tx.InvalidInputError, match="empty document") as caught:
        fingerprinter.fingerprint(column, threads=2)
    assert caught.value.row == row
    for wrong in ("skip", None, 1):
        with pytest.raises(tx.ConfigError, match="on_empty"):
            fingerprinter.fingerprint(column, on_empty=wrong)


@pytest.mark.parametrize(
    "column", [np.arange(3), np.array([["a"]]), np.array("a"), {"a": 1}, {"a"}, None, 3], ids=lambda given: repr(given)
)
def test_what_is_no_column_is_refused(fingerprinter, column):
    with pytest.raises(tx.InvalidInputError):
        fingerprinter.fingerprint(column, on_empty="mask")
