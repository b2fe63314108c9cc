"""Explanations of pairs.

1. Runs put together are the two texts, to the last character.
2. Items are matched as well as can be, in order; where the work is cut short, still in order and truly equal.
3. HTML holds nothing of a text but text.
"""

import html
import re

import numpy as np
import pytest
from oracles import diff as oracle

import txtfp_np as tx
from txtfp_np.dedup import explain_texts
from txtfp_np.kernels.diff import match_items

pytest.importorskip("hypothesis")
from hypothesis import example, given, settings
from hypothesis import strategies as st

items = st.lists(st.integers(0, 5), max_size=14)
FINGERPRINTERS = [
    tx.MinHashFingerprinter(),
    tx.MinHashFingerprinter(tokenizer=tx.CharShingleTokenizer(k=3)),
    tx.SimHashFingerprinter(),
]


def matched(a, b, most):
    arrays = [np.array(side, np.int64) for side in (a, b)]
    for array in arrays:
        array.flags.writeable = False
    partner = np.empty(len(a), np.int64)
    match_items(*arrays, 1 + max([0, *a, *b]), most, partner)
    return partner.tolist()


@settings(max_examples=300, deadline=None)
@given(items, items)
def test_the_fewest_differences(a, b):
    partner = matched(a, b, 64)
    assert oracle.is_matching(a, b, partner)
    assert sum(j >= 0 for j in partner) == oracle.longest_common(a, b)


@settings(max_examples=200, deadline=None)
@given(items, items, st.integers(0, 3))
def test_cut_short(a, b, most):
    partner = matched(a, b, most)
    assert oracle.is_matching(a, b, partner)
    if a == b:
        assert partner == list(range(len(a)))


@settings(max_examples=100, deadline=None)
@given(st.permutations(range(12)), st.lists(st.integers(0, 11), unique=True, max_size=11), st.integers(0, 1))
def test_anchors_are_the_longest_run(a, b, most):
    """Items that all occur once: nothing is lost by cutting there."""
    b = [*b, 12]
    assert sum(j >= 0 for j in matched(a, b, most)) == oracle.longest_common(a, b)


texts = st.text(max_size=40) | st.lists(
    st.sampled_from(["one", "ONE", "two,", "e\u0301", "é", "<b>", "zero\u200bwidth", "\n", "１２", "日本"]), max_size=12
).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(texts, texts, st.sampled_from(FINGERPRINTERS))
@example("", "!", FINGERPRINTERS[0])
@example("\u200b a", "b\u200bc", FINGERPRINTERS[0])
def test_runs_are_the_texts(a, b, fingerprinter):
    explanation = explain_texts(a, b, fingerprinter)
    assert "".join(run.text for run in explanation.runs if run.kind != "b") == a
    assert "".join(run.other if run.kind == "both" else run.text for run in explanation.runs if run.kind != "a") == b
    sets = [set(fingerprinter.tokenizer.tokens(fingerprinter.canonicalizer.canonicalize(text))) for text in (a, b)]
    assert explanation.similarity == len(sets[0] & sets[1]) / max(len(sets[0] | sets[1]), 1)
    if a == b:
        assert (explanation.only_a, explanation.only_b) == (0, 0)


@settings(max_examples=100, deadline=None)
@given(texts, texts)
def test_html_is_text(a, b):
    page = explain_texts(a, b, FINGERPRINTERS[0]).to_html()
    tags = set(re.findall(r"<[^>]*>", page))
    assert {tag.split(" ")[0].strip("<>") for tag in tags} <= {
        "div",
        "/div",
        "span",
        "/span",
        "del",
        "/del",
        "ins",
        "/ins",
    }
    assert not set(html.unescape(page)) & {chr(code) for code in range(32) if chr(code) not in "\n\t"}
