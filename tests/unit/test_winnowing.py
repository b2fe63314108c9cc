"""Winnowing: options, empty documents, columns, passages."""

import hashlib
import pickle

import numpy as np
import pytest

import txtfp_np as tx

FP = tx.WinnowFingerprinter()
CHARS = tx.CharShingleTokenizer(k=1)
TEXT = "Call me Ishmael. Some years ago - never mind how long precisely - having little or no money in my purse"


def test_one_document_is_row_0():
    row, column = FP.fingerprint(TEXT), FP.fingerprint([TEXT, TEXT.upper()])
    assert isinstance(row, tx.WinnowRow)
    for part, whole, other in zip(row, column[0], column[-1], strict=True):
        assert part.tolist() == whole.tolist() == other.tolist()
    assert (column.values.dtype, column.positions.dtype, column.offsets.dtype) == ("u8", "i8", "i8")
    assert FP.fingerprint(TEXT.encode()).values.tolist() == row.values.tolist()
    with pytest.raises(IndexError, match="row 2 is out of range"):
        column[2]
    with pytest.raises(TypeError, match="'slice' object cannot be interpreted as an integer"):
        column[:1]
    assert [len(row.values) for row in column] == np.diff(column.offsets).tolist()


def test_the_known_example():
    """Schleimer, Wilkerson, Aiken, figure 2: hashes 77 74 42 17 98 50 17 98 8 88 67 39 77 74 42 17 98, window 4."""
    hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]
    text = "adorunrunrunadorunrun"
    grams = [text[at : at + 5] for at in range(len(text) - 4)]
    table = dict(zip((gram.encode() for gram in grams), hashes, strict=True))
    fp = tx.WinnowFingerprinter(tokenizer=tx.CharShingleTokenizer(k=5), k=1, window=4, hasher=Named(table.__getitem__))
    row = fp.fingerprint(text)
    assert row.values.tolist() == [17, 17, 8, 39, 17]
    assert row.positions.tolist() == [3, 6, 8, 11, 15]
    assert row.ends.tolist() == [8, 11, 13, 16, 20]


class Named:
    """A function with a name."""

    name = "test"

    def __init__(self, function):
        self.function = function

    def __call__(self, token):
        return self.function(token)


def test_a_hash_of_whole_grams():
    """With k=1 the values are the function's own, as other protocols want them."""

    def last_16(gram):
        return int.from_bytes(hashlib.sha1(gram).digest()[-2:], "big")

    fp = tx.WinnowFingerprinter(tokenizer=tx.CharShingleTokenizer(k=3), k=1, window=5, hasher=last_16)
    values = fp.fingerprint(TEXT).values
    assert values.max() < 1 << 16
    assert int(values[0]) in {last_16(TEXT.lower()[at : at + 3].encode()) for at in range(5)}


@pytest.mark.parametrize("empty", ["", None, " - ", "\u200b"])
def test_empty_documents(empty):
    with pytest.raises(tx.InvalidInputError, match=r"empty document \(row 1\)") as caught:
        FP.fingerprint([TEXT, empty])
    assert caught.value.row == 1
    column, ok = FP.fingerprint([empty, TEXT, empty], on_empty="mask")
    assert ok.tolist() == [False, True, False]
    assert np.diff(column.offsets).tolist() == [0, len(FP.fingerprint(TEXT).values), 0]
    if empty is not None:
        with pytest.raises(tx.InvalidInputError) as caught:
            FP.fingerprint(empty)
        assert str(caught.value) == "invalid input: empty document"


def test_short_documents():
    fp = FP.replace(k=4, window=6)
    one, three, eight = (fp.fingerprint(text) for text in ("one", "one two three", "a b c d e f g h"))
    assert (one.positions.tolist(), one.ends.tolist()) == ([0], [3])
    assert (three.positions.tolist(), three.ends.tolist()) == ([0], [13])
    assert len(eight.values) == 1
    assert len(fp.fingerprint([]).values) == len(fp.fingerprint([])) == 0


def test_a_constant_document_keeps_the_last_of_each_window():
    row = tx.WinnowFingerprinter(tokenizer=CHARS, k=3, window=4).fingerprint("x" * 12)
    assert row.positions.tolist() == [3, 4, 5, 6, 7, 8, 9]
    assert len(set(row.values.tolist())) == 1


def test_density():
    """About 2 / (window + 1) of all k-grams of random text are kept."""
    text = " ".join(np.random.default_rng(0).integers(0, 10**9, 20_000).astype(str))
    for window in (4, 9, 50):
        n = len(FP.replace(window=window).fingerprint(text).values)
        assert n == pytest.approx(20_000 * 2 / (window + 1), rel=0.05)


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"k": 0}, "k"),
        ({"k": 2.5}, "k"),
        ({"window": 0}, "window"),
        ({"hasher": "md5"}, "hasher"),
        ({"seed": -1}, "seed"),
        ({"canonicalizer": "nfc"}, "canonicalizer"),
        ({"tokenizer": tx.WordTokenizer}, "tokenizer"),
        ({"tokenizer": tx.ShingleTokenizer(k=2)}, "tokenizer"),
        ({"tokenizer": tx.CallableTokenizer(str.split, name="own")}, "tokenizer"),
    ],
)
def test_options_are_checked(options, argument):
    with pytest.raises(tx.ConfigError) as caught:
        tx.WinnowFingerprinter(**options)
    assert caught.value.argument == argument


def test_other_arguments_are_checked():
    with pytest.raises(tx.ConfigError, match="on_empty"):
        FP.fingerprint(TEXT, on_empty="skip")
    with pytest.raises(tx.InvalidInputError, match=r"got int \(row 1\)"):
        FP.fingerprint([TEXT, 7])
    for options in ({"gap": -1}, {"least": None}, {"fingerprinter": tx.MinHashFingerprinter()}):
        with pytest.raises(tx.ConfigError):
            tx.winnow_match(TEXT, TEXT, **options)
    for a, b, argument in ((None, TEXT, "a"), (TEXT, "\ud800", "b"), (TEXT, [TEXT], "b"), (b"\xff", TEXT, "a")):
        with pytest.raises(tx.InvalidInputError) as caught:
            tx.winnow_match(a, b)
        assert (caught.value.argument, caught.value.row) == (argument, None)
    for hasher, error in (
        (Named(lambda token: -1), tx.InvalidInputError),
        (Named(lambda token: 1 / 0), tx.TokenizerError),
    ):
        with pytest.raises(error) as caught:
            tx.winnow_match(TEXT, TEXT, fingerprinter=FP.replace(hasher=hasher))
        assert (caught.value.argument, caught.value.row) == ("hasher", None)


def test_identity():
    hashes = {FP.config_hash}
    for options in ({"k": 6}, {"window": 5}, {"hasher": "xxh64"}, {"seed": 1}, {"tokenizer": CHARS}):
        hashes.add(FP.replace(**options).config_hash)
    assert len(hashes) == 6
    assert FP.metadata().algorithm == "winnow-k5-w4"
    assert isinstance(FP, tx.Fingerprinter)
    assert pickle.loads(pickle.dumps(FP)) == FP


# ── passages ────────────────────────────────────────────────────────────────────────────────────
def test_nothing_shared():
    for a, b in (("", TEXT), (TEXT, " . "), (TEXT, "entirely other words " * 20), ("", "")):
        assert len(tx.winnow_match(a, b)) == 0


def test_a_text_and_itself():
    (passage,) = tx.winnow_match(TEXT, TEXT.upper())
    assert passage.tolist() == (0, len(TEXT), 0, len(TEXT), 19)
    assert len(tx.winnow_match(TEXT, TEXT, least=20)) == 0
    (passage,) = tx.winnow_match("one two", "One, two", least=1)
    assert passage.tolist() == (0, 7, 0, 8, 2)


def test_positions_are_those_of_the_texts_as_given():
    a = "Ünïcödé ﬁrst \u200b: " + TEXT.replace("little", "li\u200bttle") + " Ｅｎｄ"
    b = "日本 " + TEXT + " 日本語"
    (passage,) = tx.winnow_match(a, b)
    assert b[passage["b_start"] : passage["b_end"]] == TEXT
    assert a[passage["a_start"] : passage["a_end"]].replace("\u200b", "") == TEXT


def test_marks_that_cannot_be_told_apart_leave_a_text_whole():
    """Prototypes of confusable characters may bring marks that change places with others: then there is no cut."""
    tangled, canonicalizer = "ab \u0c84\u035d\u17c6\u21ea", tx.Canonicalizer(apply_confusable=True)
    apart = "".join(canonicalizer.canonicalize(character) for character in tangled)
    assert apart != canonicalizer.canonicalize(tangled)
    column = tx.WinnowFingerprinter(canonicalizer, CHARS, k=1, window=1).fingerprint([tangled, "ab"])
    assert {(begin, end) for begin, end in zip(column[0].positions, column[0].ends, strict=True)} == {(0, 7)}
    assert column[1].positions.tolist() == [0, 1]


def test_a_gap_joins_or_parts():
    words = [f"w{number}" for number in range(60)]
    a = " ".join(words)
    b = " ".join([*words[:30], *(f"x{number}" for number in range(10)), *words[30:]])
    assert len(tx.winnow_match(a, b, gap=10)) == 1
    apart = tx.winnow_match(a, b, gap=9)
    assert [a[passage["a_start"] : passage["a_end"]].split()[0] for passage in apart] == ["w0", "w30"]


@pytest.mark.parametrize("gap", [10**6, 2**63 - 1, 2**70])
def test_no_gap_is_too_wide(gap):
    """Sums with 2**63 - 1 once wrapped around and parted what any gap joins."""
    (passage,) = tx.winnow_match(TEXT, f"{TEXT} {TEXT}", gap=gap)
    assert passage.tolist() == (0, len(TEXT), 0, 2 * len(TEXT) + 1, 19)


@pytest.mark.parametrize("text", ["\0" * 40, "😀" * 40, "\0😀é" * 20, "\r\n" * 30, "\ufffd" * 40])
def test_odd_characters(text):
    row = tx.WinnowFingerprinter(tokenizer=CHARS, k=3, window=2).fingerprint(text)
    assert row.ends[-1] in (len(text) - 1, len(text))
    for k, window in ((1, 1), (5, 4), (65_536, 65_536)):
        fp = tx.WinnowFingerprinter(tokenizer=CHARS, k=k, window=window)
        for other in (text, text.encode(), bytearray(text.encode()), np.str_(text + "x")[:-1]):
            (passage,) = tx.winnow_match(text, other, fingerprinter=fp)
            assert passage.tolist() == (0, len(text), 0, len(text), len(text))


def test_a_passage_that_comes_twice():
    passage = " ".join(f"w{number}" for number in range(20))
    filler = " ".join(f"x{number}" for number in range(40))
    found = tx.winnow_match(passage, f"{passage} {filler} {passage}")
    assert found["b_start"].tolist() == [0, len(passage) + len(filler) + 2]


@pytest.mark.parametrize("from_behind", [False, True])
def test_parts_that_join_one_after_the_other(from_behind):
    """Each part is close to the passage only once the one beside it has joined: that once ended after 64 of them."""
    words = [f"w{number}" for number in range(100)]
    parts = (words[:15] + words[50:65]) * 60
    long, short = (parts + words, words) if from_behind else (words + parts, words)
    (passage,) = tx.winnow_match(" ".join(long), " ".join(short))
    assert passage.tolist() == (0, len(" ".join(long)), 0, len(" ".join(short)), 100)
    (other,) = tx.winnow_match(" ".join(short), " ".join(long))
    assert other.tolist() == (0, len(" ".join(short)), 0, len(" ".join(long)), 100)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("la " * 20_000, "la " * 20_000),
        ("a " * 80, "a " * 80),
        ("one two three four five six seven " * 200, "one two three four five six seven " * 200),
        ("one two three four five six seven " * 200, "one two three four five six seven " * 300),
    ],
)
def test_texts_of_nothing_but_refrains(a, b):
    """A k-gram that comes thousands of times in both texts gives no million of pairs, and is found all the same."""
    (passage,) = tx.winnow_match(a, b)
    assert passage.tolist() == (0, len(a) - 1, 0, len(b) - 1, len(a.split()))


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("a" * 300_000, "a" * 300_000, (0, 300_000, 0, 300_000, 300_000)),
        ("ab" * 150_000, "ba" * 150_000, None),
        ("a" * 300_000, "x" * 200_000 + "a" * 300_000, (0, 300_000, 200_000, 500_000, 300_000)),
        (("a" * 5000 + "b") * 60, "a" * 300_000, None),
    ],
)
def test_no_text_is_dear(a, b, expected):
    """Pairs of seeds, or tokens on all their diagonals, would be 10**10 here."""
    for k, window in ((5, 4), (4000, 1)):
        found = tx.winnow_match(a, b, fingerprinter=tx.WinnowFingerprinter(tokenizer=CHARS, k=k, window=window))
        assert len(found) > 0
        assert expected is None or k > 5 or found.tolist() == [expected]


def test_a_hash_that_lies_makes_no_passage():
    liar = FP.replace(hasher=Named(lambda token: 7))
    assert len(tx.winnow_match("one two three " * 9, "four five six " * 9, fingerprinter=liar)) == 0
    (passage,) = tx.winnow_match(TEXT, "- " + TEXT, fingerprinter=liar)
    assert passage.tolist() == (0, len(TEXT), 2, len(TEXT) + 2, 19)
