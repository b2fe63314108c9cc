"""Explanations: what they show, and that they stay quick and harmless."""

import pytest

import txtfp_np as tx
from txtfp_np.dedup import explain_texts

FP = tx.MinHashFingerprinter()


def test_words_are_what_the_fingerprinter_takes_them_for():
    explanation = explain_texts("Ｔhe QUICK  brown\u200b fox!", "the quick, brown fox", FP)
    assert [run.kind for run in explanation.runs] == ["both"]
    assert explanation.runs[0].text == "Ｔhe QUICK  brown\u200b fox!"
    assert (explanation.shared, explanation.similarity) == (4, 1.0)


def test_an_invisible_character_in_a_word_does_not_split_it():
    explanation = explain_texts("see: zero\u200bwidth, and more", "see: zerowidth, and less", FP)
    assert [(run.kind, run.text) for run in explanation.runs] == [
        ("both", "see: zero\u200bwidth, and "),
        ("a", "more"),
        ("b", "less"),
    ]


def test_marks_and_colours():
    explanation = explain_texts("one small step", "one giant step", FP)
    assert explanation.to_text().splitlines()[1] == "one [-small-] {+giant+} step"
    assert (
        explanation.to_text(colour=True).splitlines()[1] == "one \x1b[31m[-small-]\x1b[0m \x1b[32m{+giant+}\x1b[0m step"
    )
    assert "<del" in explanation.to_html()
    assert explanation._repr_html_().count("<ins") == 1


def test_a_terminal_has_nothing_to_obey():
    shown = explain_texts("a \x1b[2J\x07 b", "a \x9b1m b", FP).to_text()
    assert "\x1b" not in shown
    assert "\x9b" not in shown
    assert shown.count("␛") == shown.count("␇") == 1


def test_html_is_escaped():
    page = explain_texts("<script>alert(1)</script> & co", "<img onerror=x> & co", FP).to_html()
    assert "<script" not in page
    assert "<img" not in page
    assert "&lt;script&gt;" in page


def test_long_runs_are_shortened_only_where_that_was_asked_for():
    words = " ".join(f"word{number}" for number in range(5000))
    explanation = explain_texts(words, words + " end", FP)
    assert words in explanation.to_text()
    assert len(str(explanation)) < 1000
    assert "…" in explanation._repr_html_()
    many = explain_texts("same old " * 1000, "same new " * 1000, FP)
    assert "more runs" in str(many)
    assert "more runs" not in many.to_text()


def test_no_text_and_bad_text():
    nothing = explain_texts("", "", FP)
    assert (nothing.runs, nothing.similarity) == ((), 0)
    assert explain_texts("a \ud800", b"a \xff", FP).runs[0].other == "a \ufffd"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["edited", "moved", "repeated", "other", "one word"])
def test_a_megabyte(kind):
    """Quadratic work would take an hour here."""
    text = " ".join(f"w{(number * number) % 99991}" for number in range(160_000))
    half = len(text) // 2
    pair = {
        "edited": (text, text.replace(" w1", " x")),
        "moved": (text, text[half:] + " " + text[:half]),
        "repeated": ("the quick brown fox " * 50_000, "the brown quick fox " * 50_000),
        "other": (text, " ".join(f"w{(number * 7919) % 99991}" for number in range(160_000))),
        "one word": ("a" * 1_000_000, "a" * 999_999),
    }[kind]
    explanation = explain_texts(*pair, FP)
    assert "".join(run.text for run in explanation.runs if run.kind != "b") == pair[0]
    if kind == "edited":
        assert explanation.shared > 100_000


def test_from_a_result():
    result = tx.dedup(["one two three", None, "one two four"])
    assert result.explain(0, 2).shared == 2
    assert result.explain(0, -1).runs == result.explain(0, 2).runs
    assert result.explain(0, 1).only_b == 0
    with pytest.raises(IndexError):
        result.explain(0, 3)
