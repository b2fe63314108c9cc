"""ssdeep: what is taken, what is refused, what comes out."""

import pickle

import numpy as np
import pytest

import txtfp_np as tx

FP = tx.FuzzyFingerprinter()
TEXT = "Also called fuzzy hashes, CTPH can match inputs that have homologies. " * 3
TEXTS = [TEXT, TEXT.replace("fuzzy", "wuzzy"), TEXT + "Such inputs have sequences of identical bytes.", "other " * 99]
STRINGS = FP.fingerprint(TEXTS)
A = "3:AXGBicFlgVNhBGcL6wCrFQEv:AXGHsNhxLsr2C"  # the two examples of ssdeep's documentation
B = "3:AXGBicFlIHBGcL6wCrFQEv:AXGH6xLsr2C"


def test_the_known_examples():
    assert FP.fingerprint("Also called fuzzy hashes, Ctph can match inputs that have homologies.").decode() == A
    assert FP.fingerprint("Also called fuzzy hashes, CTPH can match inputs that have homologies.").decode() == B
    assert tx.ssdeep_compare(A, B) == 22


def test_one_document_is_row_0():
    assert isinstance(FP.fingerprint(TEXT), np.bytes_)
    assert FP.fingerprint(TEXT) == STRINGS[0] == FP.sketch_bytes(TEXT.encode())
    assert FP.fingerprint(TEXT.encode()) == STRINGS[0]
    assert STRINGS.dtype == FP.dtype == "S108"


def test_texts_are_taken_as_they_are():
    texts = ["ＦＵＬＬ \u200b width é", "e\u0301 \r\n"]
    assert FP.fingerprint(texts).tolist() == [bytes(FP.sketch_bytes(text.encode())) for text in texts]
    folded = tx.FuzzyFingerprinter(tx.Canonicalizer())
    assert folded.fingerprint(TEXT) == folded.fingerprint(TEXT.upper()) != STRINGS[0]
    assert folded.config_hash != FP.config_hash


def test_empty_documents():
    assert FP.sketch_bytes(b"") == b"3::"
    for column in (["a", ""], ["a", None]):
        with pytest.raises(tx.InvalidInputError, match=r"empty document \(row 1\)"):
            FP.fingerprint(column)
        found, ok = FP.fingerprint(column, on_empty="mask")
        assert found.tolist() == [b"3:E:E", b""]
        assert ok.tolist() == [True, False]
    with pytest.raises(tx.InvalidInputError) as caught:
        FP.fingerprint("")
    assert str(caught.value) == "invalid input: empty document"
    with pytest.raises(tx.InvalidInputError, match=r"'' is no ssdeep string \(row 1\)"):
        tx.ssdeep_compare(A, found)


def test_constant_and_short_documents():
    texts = ["x", "x" * 49, "x" * 10_000, "\0" * 500]
    found = FP.fingerprint(texts)
    assert [text.partition(b":")[0] for text in found.tolist()] == [b"3"] * 4
    assert tx.ssdeep_compare(found, found).tolist() == [100] * 4
    assert FP.fingerprint("\0" * 500) == b"3::"  # a rolling hash of 0 leaves no last letter


def test_identity():
    assert (FP.metadata().algorithm, FP.metadata().byte_size) == ("ssdeep", 108)
    assert isinstance(FP, tx.Fingerprinter)
    assert pickle.loads(pickle.dumps(FP)) == FP
    with pytest.raises(tx.ConfigError):
        tx.FuzzyFingerprinter("none")
    with pytest.raises(tx.InvalidInputError, match="expected bytes, got str"):
        FP.sketch_bytes("text")
    fuzzy, tlsh = tx.fingerprint_many([TEXT], [FP, tx.TlshFingerprinter()])
    assert (fuzzy[0], tlsh[0]) == (STRINGS[0], tx.TlshFingerprinter().fingerprint(TEXT))


# ── comparing ───────────────────────────────────────────────────────────────────────────────────
def test_every_form_gives_the_same():
    wanted = tx.ssdeep_compare(STRINGS[:, None], STRINGS)
    assert wanted.dtype == np.int32
    assert np.diag(wanted).tolist() == [100] * 4
    assert 0 < wanted[0, 1] < 100
    text = [string.decode() for string in STRINGS]
    named = [f'{string},"a file: name.txt"' for string in text]
    forms = (STRINGS, text, named, tx.TextColumn(text), np.array(text), np.array(text, object), STRINGS.astype("S200"))
    for form in forms:
        assert tx.ssdeep_compare(form, STRINGS).tolist() == [100] * 4
        assert tx.ssdeep_compare(text[1], form).tolist() == wanted[1].tolist()
        assert tx.ssdeep_compare_pairs(form, [0, 2], [1, 1]).tolist() == [wanted[0, 1], wanted[2, 1]]
    assert isinstance(tx.ssdeep_compare(A, B), np.int32)
    assert tx.ssdeep_compare(STRINGS[0], B.encode()) == tx.ssdeep_compare(B, STRINGS[0])
    assert tx.ssdeep_compare([], STRINGS[:0]).shape == (0,)


def test_block_sizes():
    """Equal, or one twice the other, whichever comes first."""
    letters = "ABCDEFGHIJKLMNOP"
    assert tx.ssdeep_compare(f"48:{letters}:X", f"96:Y:{letters}") == 0
    assert tx.ssdeep_compare(f"48:X:{letters}", f"96:{letters}:Y") == 100
    assert tx.ssdeep_compare(f"96:{letters}:Y", f"48:X:{letters}") == 100
    assert tx.ssdeep_compare(f"48:X:{letters}", f"192:{letters}:Y") == 0
    assert tx.ssdeep_compare(f"3:{letters}:X", f"3:{letters}:Y") == 16  # little can be told from so little text


def test_seven_letters_in_a_row():
    assert tx.ssdeep_compare("96:ABCDEFG:", "96:xABCDEFGy:") > 0
    assert tx.ssdeep_compare("96:ABCDEF:", "96:xABCDEFy:") == 0
    assert tx.ssdeep_compare("96:ABCDEF:", "96:ABCDEF:") == 100
    assert tx.ssdeep_compare("96:ABCDEFFFFFFFG:", "96:ABCDEFFFG:") == 100


@pytest.mark.parametrize(
    "bad",
    ["", ":", "3", "3:", "3:AB", "x:A:B", "3:A:B:C", "2:A:B", "-3:A:B", "3:A!:B", "3:é:B", f"3:{'A' * 65}:B",
     "3 :A:B", " 3:A:B", "1" * 20 + ":A:B", None],
)  # fmt: skip
def test_no_string_in_a_row(bad):
    columns = [[A, bad], np.array([A, bad], object)] + ([] if bad is None else [np.array([A, bad])])
    for column in columns:
        with pytest.raises(tx.InvalidInputError, match=r"is no ssdeep string \(row 1\)") as caught:
            tx.ssdeep_compare(A, column)
        assert (caught.value.row, caught.value.argument) == (1, "b")
        with pytest.raises(tx.InvalidInputError, match=r"\(row 1\)"):
            tx.ssdeep_compare_pairs(column, [0], [0])
    if bad is not None:
        with pytest.raises(tx.InvalidInputError) as caught:
            tx.ssdeep_compare(bad, A)
        assert str(caught.value).endswith("is no ssdeep string")


def test_what_is_no_column():
    for wrong in (7, None, np.arange(3), [1, 2]):
        with pytest.raises(tx.InvalidInputError) as caught:
            tx.ssdeep_compare(wrong, A)
        assert caught.value.argument == "a"
    with pytest.raises(tx.InvalidInputError, match="one axis"):
        tx.ssdeep_compare_pairs(A, [0], [0])
    with pytest.raises(tx.InvalidInputError, match="do not broadcast"):
        tx.ssdeep_compare(STRINGS[:2], STRINGS[:3])
