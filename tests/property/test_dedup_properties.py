"""What near-duplicate removal is built of, against plain Python.

1. Linking gives the representatives of the oracle, under both linkages and any order of preference.
2. Under "star" everything removed is a verified neighbour of what it stands by, and no two kept rows are a pair.
3. Clusters are the rows that stand by the same row, counted by first row.
4. Exact similarities of shingle sets are those of Python's sets.
5. Keep orders are permutations that prefer what they say, ties by position.
"""

import numpy as np
import pytest
from oracles import dedup as oracle

from txtfp_np import Canonicalizer, ConfigError, InvalidInputError, MinHashFingerprinter, ShingleTokenizer
from txtfp_np.dedup.linkage import link
from txtfp_np.dedup.policies import keep_order
from txtfp_np.dedup.verify import set_shares, set_similarity, shingle_sets

pytest.importorskip("hypothesis")
from hypothesis import given, settings
from hypothesis import strategies as st


@st.composite
def graphs(draw):
    n = draw(st.integers(1, 14))
    rows = st.integers(0, n - 1)
    pairs = draw(st.sets(st.tuples(rows, rows).filter(lambda pair: pair[0] < pair[1]), max_size=30))
    return n, sorted(pairs), draw(st.permutations(range(n)))


@pytest.mark.parametrize("linkage", ["star", "components"])
@settings(max_examples=200, deadline=None)
@given(graph=graphs())
def test_linking(linkage, graph):
    n, pairs, rank = graph
    i, j = (np.array([pair[side] for pair in pairs], np.int64) for side in (0, 1))
    similarity = np.linspace(0.7, 1, len(pairs)).astype(np.float32)
    links = link(n, i, j, similarity, np.array(rank, np.int64), linkage)
    expected = getattr(oracle, linkage)(n, pairs, rank)
    assert links.representative.tolist() == expected
    assert links.cluster.tolist() == oracle.numbered(expected)
    if linkage == "star":
        of = dict(zip(pairs, similarity.tolist(), strict=True))
        for row, by in enumerate(expected):
            assert links.similarity[row] == (1 if row == by else of[min(row, by), max(row, by)])
        kept = {row for row, by in enumerate(expected) if row == by}
        assert not [pair for pair in pairs if set(pair) <= kept]


@settings(max_examples=60, deadline=None)
@given(texts=st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=9).map(" ".join), min_size=2, max_size=6))
def test_exact_similarities(texts):
    canon, tokenizer = Canonicalizer(), ShingleTokenizer(k=2)
    sets = shingle_sets(texts, MinHashFingerprinter(canon, tokenizer))
    plain = [set(tokenizer.tokens(canon.canonicalize(text))) for text in texts]
    assert np.diff(sets.offsets).tolist() == [len(one) for one in plain]
    i, j = (np.ascontiguousarray(side) for side in np.triu_indices(len(texts), 1))
    for scope, number in (("resemblance", 0), ("containment", 1)):
        expected = [oracle.shares(plain[a], plain[b])[number] for a, b in zip(i, j, strict=True)]
        assert set_shares(sets, i, j, scope).tolist() == expected
        assert set_similarity(sets, i, j, scope).tolist() == np.array(expected, np.float32).tolist()


@given(lengths=st.lists(st.integers(0, 5), max_size=12))
def test_keep_orders(lengths):
    n, array = len(lengths), np.array(lengths, np.int64)
    for keep, key in [
        ("first", lambda row: row),
        ("last", lambda row: -row),
        ("longest", lambda row: (-lengths[row], row)),
        ("shortest", lambda row: (lengths[row], row)),
        (array, lambda row: (-lengths[row], row)),
    ]:
        rank = keep_order(keep, n, array)
        assert np.argsort(rank).tolist() == sorted(range(n), key=key)


@pytest.mark.parametrize("keep", ["best", 3, [1, 2], np.array([1.0, np.nan, 2.0])])
def test_no_such_order(keep):
    with pytest.raises((ConfigError, InvalidInputError)) as caught:
        keep_order(keep, 3, np.zeros(3, np.int64))
    assert caught.value.argument == "keep"
