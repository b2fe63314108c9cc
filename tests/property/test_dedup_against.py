"""Dropping what the other side has, against comparing everything with everything in plain Python.

1. Against texts, a row goes if, and only if, something there is similar enough; the most similar one is named.
2. What is left is deduplicated as if the others had never been; pairs are those within the column.
3. A higher threshold gives what asking for it gives.
4. Against an index that was fed day by day, what is kept of all days forms no pair.
"""

import numpy as np
import pytest
from oracles import dedup as oracle

import txtfp_np as tx

pytest.importorskip("hypothesis")
from hypothesis import assume, given, settings
from hypothesis import strategies as st

TOKENIZER = tx.ShingleTokenizer(k=2)
MINHASH = tx.MinHashFingerprinter(tokenizer=TOKENIZER, h=512)
RECALL = 0.999999

words = st.sampled_from(["a", "b", "c", "d", "e"])
texts = st.lists(st.lists(words, max_size=7).map(" ".join) | st.sampled_from([None, "?"]), max_size=7)
limits = st.sampled_from([0.5, 0.6, 2 / 3, 0.75, 0.9, 1.0])
scopes = st.sampled_from(["resemblance", "containment"])


def plain_sets(column):
    canon = tx.Canonicalizer()
    return [set(TOKENIZER.tokens(canon.canonicalize(text or ""))) for text in column]


def best_match(one, others, threshold, number):
    shares = [oracle.shares(one, other)[number] if one and other else 0.0 for other in others]
    best = max(shares, default=0.0)
    return (shares.index(best), best) if best >= threshold else (-1, np.nan)


@settings(max_examples=200, deadline=None)
@given(texts, texts, limits, scopes)
def test_against_texts(column, others, threshold, scope):
    options = {"fingerprinter": MINHASH, "recall": RECALL, "scope": scope}
    result = tx.dedup(column, threshold, against=others, **options)
    sets, known = plain_sets(column), plain_sets(others)
    expected = [best_match(one, known, threshold, int(scope == "containment")) for one in sets]
    assert result.against.tolist() == [row for row, _ in expected]
    np.testing.assert_array_equal(result.against_similarity, np.array([s for _, s in expected], np.float32))
    left = [row for row, (match, _) in enumerate(expected) if match < 0]
    alone = tx.dedup([column[row] for row in left], threshold, **options)
    assert result.keep[left].tolist() == alone.keep.tolist()
    assert result.representative[left].tolist() == [left[row] for row in alone.representative]
    assert not result.keep[[row for row in range(len(column)) if row not in left]].any()
    assert result.pairs.tolist() == tx.dedup(column, threshold, **options).pairs.tolist()
    gone = [row for row in range(len(column)) if row not in left]
    assert set(result.representative[gone].tolist()) <= {-1}
    assert set(result.reason[gone]) <= {"against"}


@settings(max_examples=60, deadline=None)
@given(texts, texts, limits, limits, scopes)
def test_a_higher_threshold(column, others, threshold, higher, scope):
    assume(threshold <= higher)
    options = {"fingerprinter": MINHASH, "recall": RECALL, "scope": scope, "against": others}
    moved = tx.dedup(column, threshold, **options).with_threshold(higher)
    asked = tx.dedup(column, higher, **options)
    for name in ("keep", "cluster", "representative", "against", "against_similarity"):
        np.testing.assert_array_equal(getattr(moved, name), getattr(asked, name))


@settings(max_examples=60, deadline=None)
@given(texts, texts, st.integers(0, 8))
def test_simhash_against_texts(column, others, distance):
    result = tx.dedup(column, method="simhash", max_distance=distance, against=others)
    fp = tx.SimHashFingerprinter()
    prints, known = (
        [fp.fingerprint(text) if text and text != "?" else None for text in side] for side in (column, others)
    )
    for row, one in enumerate(prints):
        far = [65 if one is None or other is None else int(one ^ other).bit_count() for other in known]
        best = min(far, default=65)
        assert result.against[row] == (far.index(best) if best <= distance else -1)


@settings(max_examples=60, deadline=None)
@given(st.lists(texts, max_size=4), st.sampled_from([0.5, 0.7, 0.9]))
def test_day_by_day(days, threshold):
    index = tx.LshIndexBuilder.for_recall(threshold, 512, recall=RECALL).build(MINHASH.config_hash)
    kept, ids = [], []
    for day in days:
        result = tx.dedup(day, threshold, fingerprinter=MINHASH, recall=RECALL, against=index, update=True)
        for row in np.flatnonzero(result.keep).tolist():
            if plain_sets([day[row]])[0]:
                kept.append(day[row])
                ids.append(int(result.added[row]))
            else:
                assert result.added[row] == -1
        assert (result.added[~result.keep] == -1).all()
        for row in np.flatnonzero(result.against >= 0).tolist():
            assert result.against[row] in index
    assert ids == list(range(len(ids)))
    assert sorted(index) == ids
    if kept:
        sigs = MINHASH.fingerprint(kept)
        i, j = np.triu_indices(len(kept), 1)
        assert not (tx.jaccard_pairs(sigs, i, j) >= np.float32(threshold)).any()
