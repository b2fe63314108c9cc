"""TLSH: what is taken, what is refused, what comes out."""

import pickle

import numpy as np
import pytest

import txtfp_np as tx

FP = tx.TlshFingerprinter()
PACKED = FP.replace(packed=True)
TEXT = "the quick brown fox jumps over the lazy dog at noon"
TEXTS = [TEXT, TEXT.replace("noon", "dawn"), TEXT[::-1], TEXT + " and again at night"]
DIGESTS = FP.fingerprint(TEXTS)


# ── signing ─────────────────────────────────────────────────────────────────────────────────────
def test_one_document_is_row_0():
    assert FP.fingerprint(TEXT) == DIGESTS[0]
    assert isinstance(FP.fingerprint(TEXT), np.bytes_)
    assert PACKED.fingerprint(TEXT) == PACKED.fingerprint(TEXTS)[0]
    assert PACKED.fingerprint(TEXT).dtype == "V35"


def test_packed_is_the_same_digest():
    packed = PACKED.fingerprint(TEXTS)
    assert [b"T1" + item.hex().upper().encode() for item in packed.tolist()] == DIGESTS.tolist()


def test_masked_rows():
    texts = [TEXT, None, "short", "", "x" * 500]
    digests, ok = FP.fingerprint(texts, on_empty="mask")
    assert ok.tolist() == [True, False, False, False, False]
    assert digests.tolist() == [DIGESTS[0], b"", b"", b"", b""]
    packed, ok = PACKED.fingerprint(texts, on_empty="mask")
    assert ok.tolist() == [True, False, False, False, False]
    assert packed[1:].tobytes() == bytes(4 * 35)
    digest, ok = FP.fingerprint("short", on_empty="mask")
    assert (digest, ok) == (b"", False)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "empty document"),
        ("", "empty document"),
        ("\u200b" * 60, "tlsh requires at least 50 bytes, got 0"),
        (TEXT[:49], "tlsh requires at least 50 bytes, got 49"),
        ("Ä" * 24 + "e", "tlsh requires at least 50 bytes, got 49"),
        ("x" * 4000, "tlsh build failed (insufficient entropy)"),
    ],
)
def test_refusals_name_the_row(text, message):
    with pytest.raises(tx.InvalidInputError) as caught:
        FP.fingerprint([TEXT, TEXT, text])
    assert str(caught.value) == f"invalid input: {message} (row 2)"
    assert caught.value.row == 2
    if text is not None:
        with pytest.raises(tx.InvalidInputError) as caught:
            PACKED.fingerprint(text)
        assert str(caught.value) == f"invalid input: {message}"


def test_the_row_is_counted_over_blocks():
    long = TEXT * 4000
    with pytest.raises(tx.InvalidInputError, match=r"got 5 \(row 40\)"):
        FP.fingerprint([long] * 40 + ["short"], threads=2)


def test_bytes_as_they_are():
    assert FP.sketch_bytes(TEXT.encode()) == DIGESTS[0]
    assert FP.sketch_bytes(memoryview(TEXT.upper().encode())) != DIGESTS[0]
    assert FP.fingerprint(TEXT.upper()) == DIGESTS[0]
    assert FP.sketch_bytes(bytes(range(256))).startswith(b"T1")
    for data, message in ((b"", "empty document"), (b"x" * 49, "got 49"), (b"x" * 99, "insufficient entropy")):
        with pytest.raises(tx.InvalidInputError, match=message):
            FP.sketch_bytes(data)
    with pytest.raises(tx.InvalidInputError, match="expected bytes, got str"):
        FP.sketch_bytes(TEXT)


def test_beside_other_sketches():
    tlsh, minhash = tx.fingerprint_many(TEXTS, [FP, tx.MinHashFingerprinter()])
    assert tlsh.tolist() == DIGESTS.tolist()
    assert (minhash == tx.MinHashFingerprinter().fingerprint(TEXTS)).all()
    giant = TEXT * (1 + (5 << 20) // len(TEXT))
    tlsh, simhash = tx.fingerprint_many(giant, [FP, tx.SimHashFingerprinter()])
    assert tlsh == FP.sketch_bytes(giant.encode())
    assert simhash == tx.SimHashFingerprinter().fingerprint(giant)


def test_out_and_threads():
    out = np.empty(400, "S72")
    assert FP.fingerprint(TEXTS * 100, out=out, threads=2) is out
    assert out.tolist() == DIGESTS.tolist() * 100
    with pytest.raises(tx.InvalidInputError, match="out must be an array of"):
        FP.fingerprint(TEXTS, out=np.empty(4, "S71"))


def test_identity():
    assert FP.config_hash == PACKED.config_hash
    assert FP.config_hash != FP.replace(canonicalizer=tx.Canonicalizer(normalization="nfc")).config_hash
    assert (FP.metadata().algorithm, FP.metadata().byte_size, PACKED.metadata().byte_size) == ("tlsh", 72, 35)
    assert isinstance(FP, tx.Fingerprinter)
    assert pickle.loads(pickle.dumps(FP)) == FP
    assert tx.Fingerprint.tlsh(FP.fingerprint(TEXT)).name() == "tlsh-v1"
    for options in ({"packed": 1}, {"canonicalizer": None}):
        with pytest.raises(tx.ConfigError):
            tx.TlshFingerprinter(**options)


# ── comparing ───────────────────────────────────────────────────────────────────────────────────
def forms(digests):
    """The same digests as everything that is taken."""
    text = [digest.decode() for digest in digests]
    yield digests
    yield PACKED.fingerprint(TEXTS)
    yield text
    yield tx.TextColumn(text)
    yield np.array(text)
    yield np.array(text, object)
    yield digests.astype("S80")
    yield [digest.lower().replace("t1", "T1", 1) for digest in text]
    yield np.repeat(digests, 2)[::2]


def test_every_form_gives_the_same():
    wanted = tx.tlsh_distance(DIGESTS[:, None], DIGESTS)
    assert wanted.dtype == np.int32
    assert (wanted == wanted.T).all()
    assert (np.diag(wanted) == 0).all()
    for form in forms(DIGESTS):
        assert tx.tlsh_distance(form, DIGESTS).tolist() == [0] * 4
        assert tx.tlsh_distance(DIGESTS[2], form).tolist() == wanted[2].tolist()
        assert tx.tlsh_distance_pairs(form, [0, 3], [1, 2]).tolist() == [wanted[0, 1], wanted[3, 2]]
    assert (tx.tlsh_distance(DIGESTS, PACKED.fingerprint(TEXTS)[:, None], threads=1) == wanted).all()


def test_scalars():
    found = tx.tlsh_distance(DIGESTS[0].decode(), DIGESTS[1])
    assert isinstance(found, np.int32)
    assert found == tx.tlsh_distance(PACKED.fingerprint(TEXT), bytes(DIGESTS[1]))
    assert tx.tlsh_distance(DIGESTS[:0], DIGESTS[0]).shape == (0,)
    assert tx.tlsh_distance([], []).shape == (0,)


@pytest.mark.parametrize(
    ("bad", "wrong"),
    [
        ("t1" + "0" * 70, "got 't1' in place of T1 (its T is upper case)."),
        ("0" * 70, "digits: put T1 before the 70 there are."),
        ("T1" + "0" * 68 + "g0", "digits, got 'g' at 70."),
        ("T1" + "0" * 71, "hexadecimal digits."),
    ],
)
def test_what_is_wrong_with_a_digest_is_said(bad, wrong):
    """As py-tlsh and the crate, which refuse a lower-case t and take digits of either case."""
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.tlsh_distance(bad, DIGESTS[0])
    assert caught.value.__notes__[0].endswith(wrong)


@pytest.mark.parametrize(
    "bad", ["", "T1", "t1" + "0" * 70, "T1" + "0" * 69 + "g", "T1" + "0" * 71, "T1" + "0" * 69, "T1é" + "0" * 68, None]
)
def test_no_digest_in_a_row(bad):
    length = len((bad or "").encode())
    good = DIGESTS[0].decode()
    columns = [[good, good, bad], np.array([good, good, bad], object), tx.TextColumn([good, good, bad])]
    if bad is not None:
        columns.append(np.array([good, good, bad]))
    for column in columns:
        for call in (lambda: tx.tlsh_distance(good, column), lambda: tx.tlsh_distance_pairs(column, [0], [0])):  # noqa: B023
            with pytest.raises(tx.InvalidInputError) as caught:
                call()
            assert str(caught.value) == f"invalid input: invalid TLSH hex string of length {length} (row 2)"
    if bad is not None:
        with pytest.raises(tx.InvalidInputError) as caught:
            tx.tlsh_distance(bad, good)
        assert str(caught.value) == f"invalid input: invalid TLSH hex string of length {length}"
        assert (caught.value.row, caught.value.argument) == (None, "a")


def test_every_character_of_a_digest_is_looked_at():
    good = DIGESTS[0]
    for place in range(72):
        for wrong in b"\0/:@G`g\x7f\x80\xff":
            bad = bytearray(good)
            bad[place] = wrong
            with pytest.raises(tx.InvalidInputError, match=r"row 1\)"):
                tx.tlsh_distance(np.array([good, bytes(bad)], "S72"), good)


def test_a_bad_text_is_named_row_by_row_too():
    good = np.repeat(DIGESTS, 50_000)
    bad = good.copy()
    bad[[160_001, 190_000]] = b"T1"
    for a, b, argument in ((bad, good, "a"), (good, bad, "b"), (bad, bad, "a")):
        with pytest.raises(tx.InvalidInputError, match=r"string of length 2 \(row 160001\)") as caught:
            tx.tlsh_distance(a, b, threads=2)
        assert (caught.value.row, caught.value.argument) == (160_001, argument)


def test_masked_rows_are_refused():
    digests, _ = FP.fingerprint([TEXT, "short"], on_empty="mask")
    with pytest.raises(tx.InvalidInputError, match=r"string of length 0 \(row 1\)"):
        tx.tlsh_distance(digests[0], digests)
    packed, _ = PACKED.fingerprint([TEXT, "short"], on_empty="mask")
    with pytest.raises(tx.InvalidInputError, match=r"b holds 35 zero bytes, .* \(row 1\)"):
        tx.tlsh_distance(packed[0], packed)


def test_what_is_no_column_of_digests():
    for wrong in (7, None, np.arange(3), [1, 2], np.zeros(3, "V34")):
        with pytest.raises(tx.InvalidInputError) as caught:
            tx.tlsh_distance(wrong, DIGESTS)
        assert caught.value.argument == "a"
    with pytest.raises(tx.InvalidInputError, match="do not broadcast"):
        tx.tlsh_distance(DIGESTS[:2], DIGESTS[:3])
    with pytest.raises(tx.InvalidInputError, match="one axis"):
        tx.tlsh_distance_pairs(DIGESTS[0], [0], [0])
    with pytest.raises(tx.InvalidInputError, match="between 0 and 3"):
        tx.tlsh_distance_pairs(DIGESTS, [0], [4])
