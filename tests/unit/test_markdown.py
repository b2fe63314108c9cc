"""Markdown: the crate's spaces, and what becomes text."""

import random

import pytest

import txtfp_np as tx

pytest.importorskip("markdown_it")


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("", ""),
        ("   \n\n", ""),
        ("a\nb", "a b"),
        ("a  \nb\\\nc", "a b c"),
        ("# H\n\nT\n===\n", "H T"),
        ("- a\n  - b\n\n1. c", "a b c"),
        ("- a\n\n- b", "a b"),
        ("> q\n> r\n\ns", "q r s"),
        ("a\n\n***\n\nb", "a b"),
        ("<div>\nhtml\n</div>\n\na <b>c</b>", "a c"),
        ("![alt *text* `code`](x.png 'title')", "alt text code"),
        ("[text](url) <https://a.b> [ref]\n\n[ref]: /x", "text https://a.b ref"),
        ("&amp; &copy; \\* &#65;", "& © * A"),
        ("| a | b |\n|---|---|", "| a | b | |---|---|"),
        ("~~a~~", "~~a~~"),
        ("    indented\n    code\n\nx", "indented\ncode\n x"),
        ("```py\na = 1\n```", "a = 1"),
        ("a\r\nb", "a b"),
        ("a\0b", "a\ufffdb"),
    ],
)
def test_text(markdown, text):
    assert tx.markdown_to_text(markdown) == text


def test_options():
    text = "`a` b\n\n```\nc\n```\n\nd"
    assert tx.markdown_to_text_with(text, tx.MarkdownOptions(include_inline_code=False)) == "b c\n d"
    assert tx.markdown_to_text_with(text, tx.MarkdownOptions(include_code_blocks=False)) == "a b d"
    assert tx.markdown_to_text_with(text, tx.MarkdownOptions(break_to_space=False)) == "a bc\nd"
    assert tx.markdown_to_text_with([text], tx.MarkdownOptions()).to_list() == [tx.markdown_to_text(text)]
    with pytest.raises(tx.ConfigError, match="include_code_blocks must be True or False"):
        tx.MarkdownOptions(include_code_blocks="no")
    with pytest.raises(tx.ConfigError, match="options must be MarkdownOptions, got dict"):
        tx.markdown_to_text_with(text, {})


def test_columns():
    assert tx.markdown_to_text(["*a*", None, b"# b", ""]).to_list() == ["a", None, "b", ""]
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.markdown_to_text(["a", b"\xff"])
    assert caught.value.row == 1


def test_deep_nesting_is_bounded():
    for text in (
        ">" * 100_000 + "a",
        "- " * 100_000,
        "[" * 100_000,
        "![" * 50_000,
        "*[" * 30_000,
        "[" * 50_000 + "]" * 50_000,
        "*a" * 10_000,
        "*" * 100_000,
        "`" * 50_000,
        "<!--" * 25_000,
        "(" * 9 + "![" * 9_000,
    ):
        assert isinstance(tx.markdown_to_text(text), str)
    assert tx.markdown_to_text("> " * 40 + "a") == "a"


def test_what_lies_too_deep_is_text_all_the_same():
    """The parser would leave it out; only the marks of the containers go."""
    assert tx.markdown_to_text("> " * 150 + "one *two*\n\nafter") == "one two after"
    assert tx.markdown_to_text("- " * 150 + "one") == "one"
    items = [f"{'  ' * depth}- item{depth}" for depth in range(80)]
    text = "\n".join([*items, "- next", "", "end"])
    assert tx.markdown_to_text(text).split() == [f"item{depth}" for depth in range(80)] + ["next", "end"]


def test_links_between_brackets_that_stay_open():
    text = "[ " * 500 + "[a](b) " * 500
    assert tx.markdown_to_text(text) == ("[ " * 500 + "a " * 500).strip()


def test_nothing_is_refused():
    generator = random.Random(2)
    for _ in range(2000):
        text = "".join(generator.choices([*"#->*_`[]()!<>&\\ \n\t1.|~ab", "\n\n", "    "], k=generator.randrange(40)))
        assert "\r" not in tx.markdown_to_text(text)
