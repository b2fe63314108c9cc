"""Canonicalizer: options, doors, edges, hostile documents."""

import copy
import dataclasses
import itertools
import pickle
import random
import re

import numpy as np
import pytest
from support import blocks_of

import txtfp_np as tx
from txtfp_np.canonical.pipeline import canonicalize_block
from txtfp_np.columns import Scratch

DEFAULT = tx.Canonicalizer()
PLAIN = {"normalization": "none", "case_fold": "none", "strip_bidi": False, "strip_format": False}
FLAGS = ("strip_bidi", "strip_format", "apply_confusable")


# ── options ─────────────────────────────────────────────────────────────────────────────────────
def test_defaults():
    assert DEFAULT.normalization is tx.Normalization.NFKC
    assert DEFAULT.case_fold is tx.CaseFold.SIMPLE
    assert (DEFAULT.strip_bidi, DEFAULT.strip_format, DEFAULT.apply_confusable) == (True, True, False)


def test_strings_and_members_are_the_same():
    for normalization, case_fold in itertools.product(tx.Normalization, tx.CaseFold):
        by_member = tx.Canonicalizer(normalization=normalization, case_fold=case_fold)
        by_string = tx.Canonicalizer(normalization=str(normalization), case_fold=str(case_fold))
        assert by_member == by_string
        assert hash(by_member) == hash(by_string)
        assert isinstance(by_string.normalization, tx.Normalization)
        assert isinstance(by_string.case_fold, tx.CaseFold)


@pytest.mark.parametrize(
    ("argument", "value", "text"),
    [
        ("normalization", "NFKC", "normalization must be 'nfkc', 'nfc' or 'none', got 'NFKC'"),
        ("normalization", "nfd", "normalization must be 'nfkc', 'nfc' or 'none', got 'nfd'"),
        ("normalization", None, "normalization must be 'nfkc', 'nfc' or 'none', got None"),
        ("normalization", ["nfc"], "normalization must be 'nfkc', 'nfc' or 'none', got ['nfc']"),
        ("case_fold", "full", "case_fold must be 'simple' or 'none', got 'full'"),
        ("case_fold", True, "case_fold must be 'simple' or 'none', got True"),
        *((flag, 1, f"{flag} must be True or False, got 1") for flag in FLAGS),
        *((flag, None, f"{flag} must be True or False, got None") for flag in FLAGS),
        *((flag, "yes", f"{flag} must be True or False, got 'yes'") for flag in FLAGS),
    ],
)
def test_bad_options(argument, value, text):
    with pytest.raises(tx.ConfigError) as caught:
        tx.Canonicalizer(**{argument: value})
    assert str(caught.value) == f"config error: {text}"
    assert caught.value.argument == argument
    assert isinstance(caught.value, ValueError)


def test_options_are_keywords():
    with pytest.raises(TypeError):
        tx.Canonicalizer("nfc")


def test_numpy_flags_become_plain():
    canonicalizer = tx.Canonicalizer(strip_bidi=np.False_)
    assert canonicalizer.strip_bidi is False
    assert canonicalizer == tx.Canonicalizer(strip_bidi=False)


def test_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        DEFAULT.normalization = "nfc"


def every_config():
    for normalization, case_fold in itertools.product(tx.Normalization, tx.CaseFold):
        for flags in itertools.product([False, True], repeat=3):
            yield tx.Canonicalizer(
                normalization=normalization, case_fold=case_fold, **dict(zip(FLAGS, flags, strict=True))
            )


def test_equal_hash_pickle_copy_repr():
    configs = list(every_config())
    assert len(set(configs)) == len(configs) == 48
    for config in configs:
        config.canonicalize("warm É")  # whatever is cached must not travel into identity
        for twin in (pickle.loads(pickle.dumps(config)), copy.deepcopy(config), dataclasses.replace(config)):
            assert twin == config
            assert hash(twin) == hash(config)
            assert twin.config_string() == config.config_string()
            assert twin.canonicalize("É\u200b\u200e0") == config.canonicalize("É\u200b\u200e0")
    assert dataclasses.replace(DEFAULT, strip_bidi=False) != DEFAULT
    assert DEFAULT != "nfkc-cf-simple-bidi-fmt"


def test_config_string_grammar():
    strings = [config.config_string() for config in every_config()]
    assert len(set(strings)) == 48
    for config, text in zip(every_config(), strings, strict=True):
        match = re.fullmatch(r"(nfc|nfkc|none)-(cf-simple|cf-none)(-bidi)?(-fmt)?(-conf)?", text)
        assert match is not None, text
        assert match[1] == config.normalization
        assert match[2] == f"cf-{config.case_fold}"
        assert [part is not None for part in match.groups()[2:]] == [getattr(config, flag) for flag in FLAGS]
    assert type(strings[0]) is str


def test_soft_hyphens():
    config = tx.Canonicalizer(strip_soft_hyphen=True, apply_confusable=True)
    assert config.config_string() == "nfkc-cf-simple-bidi-fmt-shy-conf"
    assert tx.Canonicalizer(strip_soft_hyphen=True).canonicalize(["Soft\u00adHyphen", "e\u00ad\u0301"]).to_list() == [
        "softhyphen",
        "é",
    ]
    assert DEFAULT.canonicalize("Soft\u00adHyphen") == "soft\u00adhyphen"
    with pytest.raises(tx.ConfigError, match="strip_soft_hyphen needs strip_format=True"):
        tx.Canonicalizer(strip_format=False, strip_soft_hyphen=True)


# ── what it does ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("options", "text", "expected"),
    [
        ({}, "Hello\u200bWorld", "helloworld"),
        ({}, "ß ẞ ς İ ŉ ﬁ", "ss ss σ i\u0307 ʼn fi"),
        ({}, "\uab70", "\u13a0"),  # Cherokee folds to capitals
        ({}, "\u2460\u00bd\u00b2", "11\u204422"),
        ({}, "\U0001f468\u200d\U0001f469", "\U0001f468\U0001f469"),
        ({}, "a\u00adb\u2065\u0600\u206a", "a\u00adb\u2065\u0600\u206a"),  # Cf, and kept
        ({}, "\ufeff\u180e\ufe0f\U000e0061\U000e0101\u061c", ""),
        ({"normalization": "nfc"}, "ﬁ ½ e\u0301", "fi ½ é"),  # the full fold takes the ligature apart
        ({"normalization": "none"}, "E\u0301É", "e\u0301é"),
        ({"case_fold": "none"}, "ﬁne Ⅷ", "fine VIII"),
        ({"strip_bidi": False}, "a\u202eb\u200eC", "abc"),  # strip_format has them, too
        ({"strip_format": False}, "a\u202eb\u061c\u200b", "ab\u061c\u200b"),
        ({"strip_format": False, "strip_bidi": False}, "A\u202eB", "a\u202eb"),
        ({"apply_confusable": True}, "Admin 0 1 %", "adrnin O l º/₀"),
        ({"strip_format": True}, "e\u200b\u0301", "é"),  # stripped before it is normalised
        ({"strip_format": False}, "e\u200b\u0301", "e\u200b\u0301"),
        (PLAIN, "Ａ\u200be\u0301ẞ\u202e", "Ａ\u200be\u0301ẞ\u202e"),
    ],
)
def test_examples(options, text, expected):
    canonicalizer = tx.Canonicalizer(**options)
    assert canonicalizer.canonicalize(text) == expected
    assert canonicalizer.canonicalize([text]).to_list() == [expected]


def test_confusable_is_not_idempotent():
    """In the crate neither: nothing folds again after the last step."""
    confusable = tx.Canonicalizer(apply_confusable=True)
    assert confusable.canonicalize("0") == "O"
    assert confusable.canonicalize("O") == "o"


# ── doors ───────────────────────────────────────────────────────────────────────────────────────
def test_kinds_of_result():
    assert type(DEFAULT.canonicalize("A")) is str
    assert type(DEFAULT.canonicalize(["A"])) is tx.TextColumn
    assert DEFAULT.canonicalize(tx.TextColumn(["A"])).to_list() == ["a"]
    assert DEFAULT.canonicalize(text for text in ("A", "É")).to_list() == ["a", "é"]
    assert DEFAULT.canonicalize(np.array(["A", "É"])).to_list() == ["a", "é"]


def test_str_subclass_gives_str():
    class Text(str):
        __slots__ = ()

    for canonicalizer in (DEFAULT, tx.Canonicalizer(**PLAIN)):
        assert type(canonicalizer.canonicalize(Text("abc"))) is str


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_one_document(kind):
    assert DEFAULT.canonicalize(kind("ÄB".encode())) == "äb"


def test_nulls_stay_nulls():
    column = DEFAULT.canonicalize(["A", None, "", float("nan"), "É"])
    assert column.to_list() == ["a", None, "", None, "é"]
    assert column.is_null.tolist() == [False, True, False, True, False]
    with blocks_of(1, 1):
        assert DEFAULT.canonicalize(["A", "B", None, "C"]).to_list() == ["a", "b", None, "c"]


def test_without_nulls_there_is_no_mask():
    assert DEFAULT.canonicalize(["A", ""]).validity is None


def test_empty_column_and_empty_string():
    for canonicalizer in (DEFAULT, tx.Canonicalizer(apply_confusable=True), tx.Canonicalizer(**PLAIN)):
        assert canonicalizer.canonicalize("") == ""
        assert canonicalizer.canonicalize(b"") == ""
        assert canonicalizer.canonicalize([]).to_list() == []
        assert canonicalizer.canonicalize(["", ""]).to_list() == ["", ""]
        assert canonicalizer.canonicalize("\u00e9") != ""


def test_result_is_read_only():
    column = DEFAULT.canonicalize(["A", "É"])
    for array in (column.data, column.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_result_does_not_share_scratch():
    first = DEFAULT.canonicalize(["É" * 10])
    DEFAULT.canonicalize(["X" * 100])
    assert first.to_list() == ["é" * 10]


def test_bad_utf8():
    for texts, row in ((b"ab\xff", None), ([b"A", b"ab\xff"], 1)):
        with pytest.raises(tx.InvalidInputError, match="invalid UTF-8 at byte 2") as caught:
            DEFAULT.canonicalize(texts)
        assert caught.value.row == row
        assert caught.value.argument == "texts"
    assert DEFAULT.canonicalize(b"AB\xff", errors="replace") == "ab\ufffd"
    assert DEFAULT.canonicalize([b"AB\xff", "C"], errors="replace").to_list() == ["ab\ufffd", "c"]
    assert DEFAULT.canonicalize("A\ud800", errors="replace") == "a\ufffd"


def test_rows_of_errors_count_over_blocks():
    with blocks_of(4), pytest.raises(tx.InvalidInputError) as caught:
        DEFAULT.canonicalize(["abc", "def", "ghi", 7])
    assert caught.value.row == 3


@pytest.mark.parametrize("texts", ["é", "ascii", b"ascii", ["é"], []])
def test_bad_errors_option(texts):
    with pytest.raises(tx.ConfigError) as caught:
        DEFAULT.canonicalize(texts, errors="ignore")
    assert caught.value.argument == "errors"


@pytest.mark.parametrize("value", [None, 3, object(), {"a": 1}, {"a"}, np.array("a"), np.array([["a"]]), np.array([1])])
def test_what_is_not_text(value):
    with pytest.raises(tx.InvalidInputError) as caught:
        DEFAULT.canonicalize(value)
    assert caught.value.argument == "texts"


@pytest.mark.parametrize("threads", [0, -1, True, 1.0, "2"])
def test_bad_threads(threads):
    with pytest.raises(tx.ConfigError) as caught:
        DEFAULT.canonicalize(["a"], threads=threads)
    assert str(caught.value) == f"config error: threads must be None or an int >= 1, got {threads!r}"
    assert caught.value.argument == "threads"


def test_progress_callable():
    texts = [f"Document É {n}" for n in range(100)]
    calls = []

    def progress(done, total):
        calls.append((done, total))

    for threads in (1, 3):
        calls.clear()
        with blocks_of(64):
            DEFAULT.canonicalize(texts, progress=progress, threads=threads)
        assert len(calls) > 5
        assert calls == sorted(calls)
        assert calls[-1] == (100, 100)
    calls.clear()
    DEFAULT.canonicalize(iter(texts), progress=progress)
    assert calls[-1] == (100, None)


def test_bad_progress():
    with pytest.raises(tx.ConfigError) as caught:
        DEFAULT.canonicalize(["a"], progress="yes")
    assert caught.value.argument == "progress"


# ── many and long documents ─────────────────────────────────────────────────────────────────────
def test_ten_million_empty_strings():
    offsets = np.zeros(10_000_001, np.int64)
    column = tx.TextColumn.from_buffers(b"", offsets)
    result = DEFAULT.canonicalize(column)
    assert len(result) == 10_000_000
    assert result.nbytes == 0


def test_marks_of_falling_classes():
    n = 500_000  # minutes if time were quadratic
    text = "a" + "\u0301\u0323" * n
    assert DEFAULT.canonicalize(text) == "\u1ea1" + "\u0323" * (n - 1) + "\u0301" * n


def test_marks_with_dropped_code_points_between():
    n = 200_000  # minutes if time were quadratic
    assert DEFAULT.canonicalize("a" + "\u0301\u200b" * n + "\u0323") == "\u1ea1" + "\u0301" * n


def test_long_run_of_marks_is_ordered():
    unicodedata2 = pytest.importorskip("unicodedata2")
    chance = random.Random(20250)
    marks = [chr(cp) for cp in range(0x10FFFF) if unicodedata2.combining(chr(cp)) and cp != 0x345]
    assert len({unicodedata2.combining(mark) for mark in marks}) > 50
    for n in (15, 16, 17, 18, 5_000):
        text = "a" + "".join(chance.choices(marks, k=n)) + "b\u0301"
        for form in ("nfc", "nfkc"):
            canonicalizer = tx.Canonicalizer(normalization=form, case_fold="none", strip_format=False)
            assert canonicalizer.canonicalize(text) == unicodedata2.normalize(form.upper(), text)
            assert canonicalizer.canonicalize(["x", text, "y"])[1] == unicodedata2.normalize(form.upper(), text)


def test_eighteenfold_expansion():
    unit = "\u0635\u0644\u0649 \u0627\u0644\u0644\u0647 \u0639\u0644\u064a\u0647 \u0648\u0633\u0644\u0645"
    n = 350_000  # 1 MB
    assert DEFAULT.canonicalize("\ufdfa" * n) == unit * n
    assert DEFAULT.canonicalize(["x", "\ufdfa" * n, None, "Y"]).to_list() == ["x", unit * n, None, "y"]


def test_expansion_inside_one_segment():
    """U+1D160 and its like become several marks; the work space has to grow with them."""
    unicodedata2 = pytest.importorskip("unicodedata2")
    for text in ("\U0001d160\u0301" * 5_000, "\u0344" * 5_000, "\u0f73\u0f75\u0f81" * 4_000, "\u1e9b\u0323" * 5_000):
        for form in ("nfc", "nfkc"):
            canonicalizer = tx.Canonicalizer(normalization=form, case_fold="none")
            assert canonicalizer.canonicalize(text) == unicodedata2.normalize(form.upper(), text)


def test_long_word_and_long_document():
    word = "A" * 1_000_000
    assert DEFAULT.canonicalize(word) == word.lower()
    assert DEFAULT.canonicalize([word])[0] == word.lower()
    sentence = "The quick brown Fóx; ΣΑΣ 日本語 ＡＢＣ e\u0301 \u200b"
    n = 20_000_000 // len(sentence.encode())
    assert DEFAULT.canonicalize([sentence * n])[0] == DEFAULT.canonicalize(sentence) * n


def test_buffers_grow_with_the_text_kept():
    """A block that overflows its output again and again keeps the rows that are done."""
    texts = ["\ufdfa" * n for n in range(60)] + ["a" * 500, "\ufdfa" * 3]
    expected = [DEFAULT.canonicalize(text) for text in texts]
    column = tx.TextColumn(texts)
    scratch = Scratch()
    for _ in range(3):
        data, offsets = canonicalize_block(column.data, column.offsets, DEFAULT.passes, scratch)
        found = [data[a:b].tobytes().decode() for a, b in itertools.pairwise(offsets.tolist())]
        assert found == expected
