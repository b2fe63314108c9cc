"""Invariants of measures and metrics.

1. Sequences and sets of any whole numbers of 64 bits are compared by value, as the oracle does, in whatever dtype they
   come; or refused because some are below 0 and others above 2**63 - 1.
2. Vectors: a distance is that of the oracle, symmetric, 0 for equal ones; a cosine does not depend on lengths.
3. Metrics lie between 0 and 1, do not depend on the order of candidates, on the numbers of queries or on a rising
   function of the scores; NDCG does not depend on the unit of gains.
4. Scores with noise rank as without it.
5. Codes: the set, the vector and the Hamming distance of bits tell the same story.
"""

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import measures as oracle

import txtfp_np as tx
from txtfp_np import evaluate as ev
from txtfp_np.errors import InvalidInputError

DTYPES = ["u1", "i1", ">u2", "i2", "u4", ">i4", "u8", "i8", ">u8"]
edges = st.sampled_from([0, 1, -1, 2**63 - 1, 2**63, 2**64 - 1, -(2**63), 255, 2**32])
numbers = st.one_of(st.integers(-3, 3), edges)
rows_of_numbers = st.lists(st.tuples(st.lists(numbers, max_size=8), st.sampled_from(DTYPES)), min_size=1, max_size=4)


def as_given(values, dtype):
    """In that dtype if it has them all, else as they are."""
    bounds = np.iinfo(dtype)
    return np.array(values, dtype) if all(bounds.min <= value <= bounds.max for value in values) else values


def ragged(side):
    return tx.Ragged.of([as_given(*row) for row in side])


@settings(max_examples=150)
@given(rows_of_numbers, rows_of_numbers)
def test_numbers_are_compared_by_value(a, b):
    lists = [[values for values, _ in side] for side in (a, b)]
    flat = [value for side in lists for values in side for value in values]
    if flat and min(flat) < 0 and max(flat) > 2**63 - 1:
        with pytest.raises(InvalidInputError, match=r"2\*\*63|of at most 64 bits"):
            tx.set_jaccard(ragged(a)[:, None], ragged(b))
        return
    one, other = ragged(a), ragged(b)
    assert [one.tolist(), other.tolist()] == lists
    for name in ("set_jaccard", "multiset_jaccard", "levenshtein"):
        wanted = [[float(getattr(oracle, name)(x, y)) for y in lists[1]] for x in lists[0]]
        assert np.array_equal(getattr(tx, name)(one[:, None], other), np.float32(wanted))


vectors = st.integers(1, 9).flatmap(
    lambda dim: st.lists(st.lists(st.floats(-1e6, 1e6, width=32), min_size=dim, max_size=dim), min_size=2, max_size=5)
)


@settings(max_examples=80)
@given(vectors, st.floats(1e-30, 1e30))
def test_vectors(rows, scale):
    x = np.array(rows)
    manhattan, euclidean, cosine = (f(x[:, None], x) for f in (tx.manhattan, tx.mahalanobis, tx.cosine))
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            assert manhattan[i, j] == pytest.approx(oracle.manhattan(a, b), rel=1e-6)
            assert cosine[i, j] == pytest.approx(oracle.cosine(a, b), abs=1e-6) or not np.any(np.abs(x) > 1e-100)
    for matrix in (manhattan, euclidean, cosine):
        assert np.array_equal(matrix, matrix.T)
    assert not manhattan.diagonal().any()
    assert not euclidean.diagonal().any()
    assert np.all(np.abs(cosine) <= 1)
    assert np.allclose(tx.cosine(x[:, None] * scale, x), cosine, atol=1e-6)


judged = st.integers(1, 30).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.lists(st.integers(-4, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 3), min_size=n, max_size=n),
        st.permutations(range(n)),
    )
)


@settings(max_examples=120)
@given(judged, st.integers(1, 12), st.integers(-1000, 900))
def test_metrics(case, k, power):
    relevance, scores, queries, order = (np.array(part) for part in case)
    figures = {
        "ap": lambda r, s, q: ev.average_precision(r, s, q),
        "ndcg": lambda r, s, q: ev.ndcg(r, s, q, k=k),
        "precision": lambda r, s, q: ev.at_rank(r, s, q, k=k).precision,
        "recall": lambda r, s, q: ev.at_rank(r, s, q, k=k).recall,
        "f1": lambda r, s, q: ev.at_rank(r, s, q, k=k).f1,
    }
    for figure in figures.values():
        found = figure(relevance, scores, queries)
        defined = found[~np.isnan(found)]
        assert np.all((defined >= 0) & (defined <= 1 + 1e-12))
        same = {
            "other order": figure(relevance[order], scores[order], queries[order]),
            "rising function": figure(relevance, np.exp(scores / 3.0), queries),
            "other numbers": figure(relevance, scores, 3 * queries + 1)[1::3],
        }
        for other in same.values():
            assert np.allclose(found, other, atol=1e-12, equal_nan=True)
    scaled = ev.ndcg(relevance * 2.0**power, scores, queries, k=k)
    assert np.array_equal(scaled, ev.ndcg(relevance, scores, queries, k=k), equal_nan=True)


@settings(max_examples=60)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=60), st.integers(0, 2**32 - 1))
def test_noise(distances, seed):
    d = np.array(distances)
    noise = 1 + 3e-7 * np.random.default_rng(seed).random(len(d))
    scores = {"exact": -d, "single": (1 / (1 + np.sqrt(d))).astype(np.float32), "noisy": noise / d}
    assert ev.rank_equivalent(scores) == [["exact", "single", "noisy"]]


@settings(max_examples=60)
@given(st.integers(1, 9).flatmap(lambda n: st.lists(st.binary(min_size=n, max_size=n), min_size=2, max_size=5)))
def test_codes(rows):
    codes = np.array([list(row) for row in rows], np.uint8)
    bits = tx.adapt(codes, kind="bits", form="vector")
    assert [np.flatnonzero(row).tolist() for row in bits] == tx.adapt(codes, kind="bits", form="set").tolist()
    differing = np.abs(bits[:, None] - bits).sum(axis=2)
    i, j = np.meshgrid(range(len(rows)), range(len(rows)), indexing="ij")
    hamming, manhattan, jaccard = (
        tx.similarity_pairs(codes, i, j, kind="bits", measure=name) for name in ("hamming", "manhattan", "jaccard")
    )
    without = ~bits.any(axis=1) & (codes.shape[1] >= 4)
    known = ~(without[:, None] | without)
    assert np.allclose(hamming, np.where(known, 1 - differing / bits.shape[1], 0), atol=1e-6)
    assert np.allclose(manhattan, np.where(known, 1 / (1 + differing), 0), atol=1e-6)
    together = np.maximum(bits[:, None], bits).sum(axis=2)
    assert np.allclose(jaccard, 1 - differing / np.maximum(together, 1) - (together == 0), atol=1e-6)
