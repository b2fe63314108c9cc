"""Invariants of winnowing.

1. Hashes, places and counts equal the oracle's, for any tokens, k, window, family and seed.
2. A fingerprint's place in the text as given is where its k-gram is: canonicalised, that part holds the k-gram,
   and nothing more where each code point stays one and none is a mark.
3. Two texts that share ``window + k - 1`` tokens share a fingerprint.
4. A column is its documents, whatever the size of blocks and the number of threads.
"""

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import sketches, winnowing
from support import blocks_of

import txtfp_np as tx

PLAIN = tx.Canonicalizer(normalization="none", case_fold="none", strip_bidi=False, strip_format=False)
CHARS = tx.CharShingleTokenizer(k=1)
FAMILIES = ["xxh3_64", "murmur3_x64_128", "xxh64"]

# letters that fold, decompose, compose, expand, vanish; marks in any order; Hangul
ATTACHED = "\u0301\u0323\u0345\u1161\u11ab"  # may compose with what is before them, and belong to it
tricky = st.text("aA é\u0301\u0323\u0345ßﬁİΣ\u200b\u202e\ufe0f\u1112\u1161\u11ab\uac00日\ufdfa½Ａm0\n", max_size=40)
plain = st.text("ab é日😀", max_size=60)


def oracle_row(tokens, k, window, family, seed):
    values = winnowing.grams([sketches.halves(token, family, seed)[0] for token in tokens], k)
    picks = winnowing.winnow(values, window)
    return [values[pick] for pick in picks], picks


@settings(max_examples=200)
@given(plain, st.integers(1, 6), st.integers(1, 6), st.sampled_from(FAMILIES), st.integers(0, 2**64 - 1))
@example("", 1, 1, "xxh3_64", 0)
@example("aaaaaaaaaaaa", 3, 4, "xxh3_64", 0)
def test_fingerprints_equal_the_oracle(text, k, window, family, seed):
    fp = tx.WinnowFingerprinter(PLAIN, CHARS, k=k, window=window, hasher=family, seed=seed)
    row, ok = fp.fingerprint(text, on_empty="mask")
    values, picks = oracle_row(list(text), k, window, family, seed)
    assert row.values.tolist() == values
    assert row.positions.tolist() == picks
    assert row.ends.tolist() == [min(pick + k, len(text)) for pick in picks]
    assert ok == bool(text)


@settings(max_examples=150)
@given(st.lists(st.sampled_from(["one", "Two", "3.5", "é", "four"]), max_size=30), st.integers(1, 4), st.integers(1, 5))
def test_words(words, k, window):
    text = "  ".join(words) + " !"
    row, _ = tx.WinnowFingerprinter(k=k, window=window).fingerprint(text, on_empty="mask")
    values, picks = oracle_row([word.lower() for word in words], k, window, "xxh3_64", tx.DEFAULT_SEED)
    assert row.values.tolist() == values
    parts = [text[begin:end].split() for begin, end in zip(row.positions, row.ends, strict=True)]
    assert parts == [words[pick : pick + k] for pick in picks]


CANONICALIZERS = [
    tx.Canonicalizer(),
    tx.Canonicalizer(normalization="nfc", strip_format=False),
    tx.Canonicalizer(case_fold="none", strip_bidi=False),
    tx.Canonicalizer(apply_confusable=True),
    PLAIN,
]


@settings(max_examples=400)
@given(st.lists(tricky, min_size=1, max_size=4), st.sampled_from(CANONICALIZERS), st.integers(1, 4))
@example(["e\u200b\u0301X"], CANONICALIZERS[0], 1)
@example(["\u200b\u200bab"], CANONICALIZERS[0], 2)
@example(["\u1112\u1161\u11abﬁ"], CANONICALIZERS[0], 1)
@example(["m0m\u0301"], CANONICALIZERS[3], 1)
@example(["\u0c84\u035d\u17c6\u21ea", "ab"], CANONICALIZERS[3], 1)
def test_places_in_the_text_as_given(texts, canonicalizer, k):
    fp = tx.WinnowFingerprinter(canonicalizer, CHARS, k=k, window=1)
    column, _ = fp.fingerprint(texts, on_empty="mask")
    for text, row in zip(texts, map(column.__getitem__, range(len(texts))), strict=True):
        canonical = canonicalizer.canonicalize(text)
        assert len(row.values) == (max(len(canonical) - k, 0) + 1 if canonical else 0)
        assert (np.diff(row.positions) >= 0).all()
        assert (np.diff(row.ends) >= 0).all()
        keeps = [canonicalizer.canonicalize(character) for character in text] == list(canonical)
        keeps = keeps and not set(text) & set(ATTACHED)
        for place, (begin, end) in enumerate(zip(row.positions, row.ends, strict=True)):
            assert 0 <= begin < end <= len(text)
            gram = canonical[place : place + k]
            part = canonicalizer.canonicalize(text[begin:end])
            assert gram in part
            assert (part == gram and begin == place) or not keeps
        if canonical:
            assert (row.positions[0] == 0) or not canonicalizer.canonicalize(text[: row.positions[0]]).strip("\u200b")


@settings(max_examples=100)
@given(st.text("abc", max_size=30), st.text("abc", max_size=30), st.integers(1, 4), st.integers(1, 4), st.data())
def test_what_is_shared_is_noticed(before, behind, k, window, data):
    passage = data.draw(st.text("abcdef", min_size=window + k - 1, max_size=window + k + 10))
    fp = tx.WinnowFingerprinter(PLAIN, CHARS, k=k, window=window)
    a, b = fp.fingerprint(before + passage), fp.fingerprint(passage + behind)
    assert set(a.values.tolist()) & set(b.values.tolist())


@settings(max_examples=40)
@given(st.lists(st.one_of(plain, tricky, st.none()), max_size=20), st.integers(1, 200), st.integers(1, 3))
def test_a_column_is_its_documents(texts, block_bytes, threads):
    fp = tx.WinnowFingerprinter(tokenizer=CHARS, k=3, window=3)
    with blocks_of(block_bytes):
        column, ok = fp.fingerprint(texts, on_empty="mask", threads=threads)
    assert len(column) == len(texts)
    for number, text in enumerate(texts):
        row, signed = fp.fingerprint(text or "", on_empty="mask")
        assert [part.tolist() for part in column[number]] == [part.tolist() for part in row]
        assert ok[number] == signed
