"""Invariants of tokens.

1. Words equal the oracle, which asks every rule of UAX #29 between any two characters.
2. Graphemes equal the oracle.
3. Graphemes, one after another, are the text; words stand in the text in order, without overlap.
4. All short sequences of one character of every kind equal the oracle.
5. Runs of ASCII longer than a 64-byte step, mixed with other text at every alignment, equal the oracle.
6. A document's neighbours in memory do not matter.
7. A column is its documents: whatever the size of blocks and the number of threads.
8. Slices and concatenations of a column give slices and concatenations of the tokens.
9. Shingles are joined tokens, for any inner tokenizer, nested or not.
10. Character shingles are slices of the str.
11. The oracle itself gives what the crate gave.
"""

import itertools
import json
import random
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("hypothesis")
pytest.importorskip("regex")

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import segmentation as oracle
from support import blocks_of

import txtfp_np as tx

FUZZ = Path(__file__).resolve().parent.parent / "data" / "fuzz.json"
WORD, GRAPHEME = tx.WordTokenizer(), tx.GraphemeTokenizer()

# One or more of each class of word break, and of what makes a segment a word.
WORD_KINDS = {
    "newline": "\r\n\v\u0085\u2028",
    "ignored": "\u0301\u0308\u200d\u00ad\u2060\u0903\u064e\ufe0f\U000e0061\u200e\u3099\U0001f3fd",
    "flag": "\U0001f1e9\U0001f1ea",
    "katakana": "カｶー\u3031",
    "hebrew": "אב\ufb1d",
    "letter": "aZé\u03a3\u0905\u1100한\u02c8\u2071",
    "emoji letter": "\u2139\u24c2\U0001f170",
    "quotes": "'\"",
    "mids": ".:,;\u2019\u2024\u00b7\u05f4\u0387\u037e\u060c\uff0e\ufe13",
    "number": "09\u0661\u0966\uff11",
    "connector": "_\u203f\u202f",
    "space": " \u3000\u2003",
    "emoji": "\U0001f600\u2764\u00a9\U0001f468",
    "word alone": "½²①漢ひไ\u3007",
    "other": "-!\u200b\t\x00\u0378\U0010ffff€",
}
CLUSTER_KINDS = {
    "control": "\r\n\x00\u200b\u2028\U000e0001\u00ad",
    "extend": "\u0301\u0308\u200c\ufe0f\u09be\U0001f3fd\U000e0061\u20dd",
    "zwj": "\u200d",
    "flag": "\U0001f1e9\U0001f1ea",
    "prepend": "\u0600\u0d4e\U000110bd\u070f",
    "spacing": "\u0903\u0e33\u093e\u0a03",
    "hangul": "\u1100\ua960\u1161\u11a8\uac00\uac01\ud7b0\ud7cb",
    "emoji": "\U0001f600\u2764\u00a9\U0001f468\u2139",
    "consonant": "\u0915\u0937\u0c15\u1000\u1780",
    "linker": "\u094d\u0c4d\u17d2\u1039",
    "conjunct extend": "\u093c\u0947",
    "other": "aZ é漢\u0905\t",
}


def alphabet(kinds):
    return "".join(kinds.values())


def texts(kinds, max_size=30):
    units = st.sampled_from(["a", "ab ", "a.b", "1,", " ", "x_", "a:"])
    run = st.builds(lambda unit, n: unit * n, units, st.integers(1, 50))
    return st.lists(st.one_of(*(st.sampled_from(kind) for kind in kinds.values()), run), max_size=max_size).map("".join)


def check(tokenizer, expected_of, given_texts):
    found = tokenizer.tokens(given_texts)
    wrong = [
        (ascii(text), ascii(tokens), ascii(expected))
        for text, tokens in zip(given_texts, found, strict=True)
        if tokens != (expected := expected_of(text))
    ]
    assert not wrong[:5]


# 1
@settings(max_examples=500)
@given(texts(WORD_KINDS))
def test_words(text):
    expected = oracle.words(text)
    assert WORD.tokens(text) == expected
    assert WORD.tokens(["a", text, "b"])[1] == expected


# 2
@settings(max_examples=500)
@given(texts(CLUSTER_KINDS))
def test_graphemes(text):
    expected = oracle.graphemes(text)
    assert GRAPHEME.tokens(text) == expected
    assert GRAPHEME.tokens(["a", text, "\u0301"])[1] == expected


@settings(max_examples=200)
@given(st.text(max_size=60))
def test_any_text(text):
    assert WORD.tokens(text) == oracle.words(text)
    assert GRAPHEME.tokens(text) == oracle.graphemes(text)


# 3
@settings(max_examples=200)
@given(st.one_of(texts(WORD_KINDS), texts(CLUSTER_KINDS)))
def test_tokens_cover_the_text(text):
    assert "".join(GRAPHEME.tokens(text)) == text
    column = WORD.tokens([text])
    assert (column.starts < column.ends).all()
    assert (column.ends[:-1] <= column.starts[1:]).all()
    raw = text.encode()
    spans = zip(column.starts.tolist(), column.ends.tolist(), strict=True)
    assert [raw[a:b].decode() for a, b in spans] == column[0]


# 4
def test_all_short_sequences_of_words():
    few = "\r\n\u0301\u200d\u2060\U0001f1e9カאa\u2139'\".:,0_ \U0001f600½-"
    sequences = [f"a{x}{y}{z}b" for x, y, z in itertools.product(few, repeat=3)]
    sequences += ["".join(t) for t in itertools.product(alphabet(WORD_KINDS), repeat=2)]
    sequences += [f"{h}{''.join(t)}" for h in "אa1" for t in itertools.product(few, repeat=3)]
    check(WORD, oracle.words, sequences)


def test_all_short_sequences_of_graphemes():
    few = "\r\n\u0301\u200d\U0001f1e9\u0600\u0903\u1100\u1161\u11a8\uac00\uac01\U0001f600\u0915\u094d\u093ca"
    sequences = ["".join(t) for t in itertools.product(few, repeat=4)]
    sequences += ["".join(t) for t in itertools.product(alphabet(CLUSTER_KINDS), repeat=2)]
    check(GRAPHEME, oracle.graphemes, sequences)


# 5
ASCII = "".join(map(chr, range(128)))


def random_ascii(chance, n):
    kinds = ("abcxyzABC  ", "ab.c:d'e ", "0123.,; ", "_a1 ", ASCII, "a", " \r\n", "a-")
    pieces = []
    while sum(map(len, pieces)) < n:
        pieces.append("".join(chance.choices(chance.choice(kinds), k=chance.randrange(1, 40))))
    return "".join(pieces)[:n]


@pytest.mark.parametrize("seed", range(4))
def test_ascii_runs_at_every_alignment(seed):
    chance = random.Random(seed)
    others = alphabet(WORD_KINDS)
    given_texts = []
    for n in range(200):
        for before in (0, chance.randrange(70)):
            text = random_ascii(chance, before) + chance.choice(others) + random_ascii(chance, n)
            text += "".join(chance.choices(others, k=chance.randrange(3))) + random_ascii(chance, chance.randrange(90))
            given_texts.append(text)
    check(WORD, oracle.words, given_texts)
    check(GRAPHEME, oracle.graphemes, given_texts)
    for text in given_texts[::7]:
        assert WORD.tokens(text) == oracle.words(text)
        assert GRAPHEME.tokens(text) == oracle.graphemes(text)


def test_pure_ascii():
    chance = random.Random(7)
    given_texts = [random_ascii(chance, n) for n in range(400) for _ in range(3)]
    check(WORD, oracle.words, given_texts)
    check(GRAPHEME, oracle.graphemes, given_texts)


@pytest.mark.parametrize("mark", ["\u0301", "\u064e", "\u200d", ".", "é", "\U0001f600", "1", "_", "\n"])
def test_one_character_at_every_place_of_an_ascii_text(mark):
    line = "It's 3.14, isn't it: a_b  c-d e.f.g 1,000;2 __ x\r\ny zz'top 'q' U.S. end. " * 2
    check(WORD, oracle.words, [line[:i] + mark + line[i:] for i in range(len(line) + 1)])
    check(GRAPHEME, oracle.graphemes, [line[:i] + mark + line[i:] for i in range(len(line) + 1)])


# 6
@settings(max_examples=150)
@given(st.lists(st.one_of(texts(WORD_KINDS, 5), texts(CLUSTER_KINDS, 5), st.just("")), min_size=1, max_size=8))
def test_neighbours_do_not_matter(documents):
    words, clusters = WORD.tokens(documents), GRAPHEME.tokens(documents)
    chars = tx.CharShingleTokenizer(k=2).tokens(documents)
    for row, text in enumerate(documents):
        assert words[row] == oracle.words(text)
        assert clusters[row] == oracle.graphemes(text)
        assert chars[row] == oracle.char_shingles(text, 2)


@pytest.mark.parametrize("after", ["b", ".b", "\u0301", "'b" * 40, "\n", " ", "_x", "1" * 70])
def test_ascii_of_the_next_document_does_not_leak_in(after):
    for n in range(1, 135):
        for text in ("a" * n, "a." * n, "a " * n, "1," * n, "x_" * n + "\r"):
            column = tx.TextColumn.from_buffers((text + after).encode(), [0, len(text), len((text + after).encode())])
            assert WORD.tokens(column)[0] == oracle.words(text)
            assert GRAPHEME.tokens(column).counts[0] == len(text)
            alone = WORD.tokens(column[1:])
            assert alone[0] == oracle.words(after)


# 7
def tokenizers():
    base = st.sampled_from([WORD, GRAPHEME, tx.CallableTokenizer(str.split, name="white")])
    return st.one_of(
        base,
        st.builds(tx.CharShingleTokenizer, k=st.integers(0, 4)),
        st.builds(tx.ShingleTokenizer, k=st.integers(0, 4), inner=base),
        st.builds(
            tx.ShingleTokenizer,
            k=st.integers(0, 3),
            inner=st.builds(tx.ShingleTokenizer, k=st.integers(0, 3), inner=base),
        ),
    )


def expected_tokens(tokenizer, text):
    if isinstance(tokenizer, tx.ShingleTokenizer):
        return oracle.shingles(expected_tokens(tokenizer.inner, text), tokenizer.k)
    if isinstance(tokenizer, tx.CharShingleTokenizer):
        return oracle.char_shingles(text, tokenizer.k)
    return {"word-uax29": oracle.words, "grapheme-uax29": oracle.graphemes, "white": str.split}[tokenizer.name](text)


@settings(max_examples=150)
@given(
    documents=st.lists(st.one_of(texts(WORD_KINDS, 8), st.none(), st.just("")), max_size=12),
    tokenizer=tokenizers(),
    block_bytes=st.one_of(st.integers(1, 40), st.integers(41, 2_000)),
    block_rows=st.integers(1, 12),
    threads=st.integers(1, 4),
)
def test_column_is_its_documents(documents, tokenizer, block_bytes, block_rows, threads):
    expected = [tokenizer.tokens(text or "") for text in documents]
    with blocks_of(block_bytes, block_rows):
        assert tokenizer.tokens(documents, threads=threads).to_list() == expected
        assert tokenizer.tokens(tx.TextColumn(documents)[1:], threads=threads).to_list() == expected[1:]


@pytest.mark.parametrize("tokenizer", [WORD, GRAPHEME, tx.ShingleTokenizer(k=2), tx.CharShingleTokenizer(k=2)])
def test_every_block_size_and_thread_count(tokenizer):
    documents = ["a b", "", None, "can't", "\u0301\u0301", "x " * 40, "\u0915\u094d", "\u0937", "한국 カナ", "3.", "14"]
    column = tx.TextColumn(documents)
    expected = [tokenizer.tokens(text or "") for text in documents]
    for block_bytes in range(1, column.nbytes + 2):
        with blocks_of(block_bytes):
            for threads in (1, 2, 3, 4):
                assert tokenizer.tokens(column, threads=threads).to_list() == expected


# 8
@settings(max_examples=100)
@given(st.lists(texts(WORD_KINDS, 6), max_size=10), tokenizers(), st.data())
def test_slices_and_concatenations(documents, tokenizer, data):
    column = tx.TextColumn(documents)
    whole = tokenizer.tokens(column)
    first = data.draw(st.integers(0, len(documents)))
    last = data.draw(st.integers(first, len(documents)))
    assert tokenizer.tokens(column[first:last]) == whole[first:last]
    parts = [column[:first], column[first:last], column[last:]]
    assert tx.TokenColumn.concat(map(tokenizer.tokens, parts)) == whole
    assert tokenizer.tokens(tx.TextColumn.concat(parts)) == whole
    assert tokenizer.tokens(column[::-1]).to_list() == whole.to_list()[::-1]


# 9
@settings(max_examples=200)
@given(texts(WORD_KINDS, 15), tokenizers())
def test_shingles_are_joined_tokens(text, tokenizer):
    expected = expected_tokens(tokenizer, text)
    assert tokenizer.tokens(text) == expected
    assert tokenizer.tokens(["x", text]).to_list()[1] == expected


@settings(max_examples=60)
@given(st.lists(st.lists(st.integers(0, 40), max_size=12), max_size=6), st.integers(2, 5))
def test_tokens_of_any_length_are_joined(lengths, k):
    """Tokens up to 16 bytes are copied in two words, wherever they stand; longer ones byte by byte."""
    documents = [" ".join(chr(97 + (n + i) % 26) * n for i, n in enumerate(row) if n) for row in lengths]
    found = tx.ShingleTokenizer(k=k).tokens(documents).to_list()
    assert found == [oracle.shingles(text.split(), k) for text in documents]


# 10
@settings(max_examples=200)
@given(st.lists(st.text(max_size=80), max_size=5), st.integers(0, 90))
def test_char_shingles_are_slices(documents, k):
    tokenizer = tx.CharShingleTokenizer(k=k)
    expected = [oracle.char_shingles(text, k) for text in documents]
    assert tokenizer.tokens(documents).to_list() == expected
    assert [tokenizer.tokens(text) for text in documents] == expected


def test_counts():
    """n tokens give n - k + 1 shingles, one if they are fewer than k, none if there are none."""
    documents = ["w " * n for n in range(30)]
    for k in range(1, 12):
        counts = tx.ShingleTokenizer(k=k).tokens(documents).counts
        assert np.array_equal(counts, [0 if n == 0 else max(n - k + 1, 1) for n in range(30)])


# 11
def test_oracle_gives_what_the_crate_gave():
    rows = json.loads(FUZZ.read_text(encoding="utf-8"))
    assert (len(rows["words"]), len(rows["graphemes"])) == (5_000, 4_000)
    for text, expected in rows["words"]:
        assert oracle.words(text) == expected
    for text, expected in rows["graphemes"]:
        assert oracle.graphemes(text) == expected
