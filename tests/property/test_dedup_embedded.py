"""tx.dedup by embeddings, against plain Python.

1. Pairs are all those at or above the threshold, and no others; equal vectors are stars.
2. Star and components are the linkage of these pairs.
3. Sizes of tiles, threads and the length of vectors change nothing.
4. Against others: what is similar to one of them goes, the rest is as without them.
"""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from oracles import cosine as oracle
from oracles import dedup as linking

import txtfp_np as tx
from txtfp_np.index import cosine

elements = st.integers(-3, 3).map(np.float32)
matrices = st.tuples(st.integers(0, 14), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float32, shape, elements=elements)
)
thresholds = st.sampled_from([0.3, 0.5, 0.7, 0.9, 0.99, 1.0])
NEAR = 1e-6  # cosines so close to a threshold are left to the tests of single values


def settled(vectors, threshold):
    """Whether rounding decides about no pair but those of the same direction."""
    shares = oracle.near_pairs(vectors.tolist(), -2).values()
    return all(abs(share - threshold) > NEAR or threshold == 1 for share in shares)


def expected(vectors, threshold, rank, linkage):
    rows = [tuple(row) for row in vectors.tolist()]
    alive = [any(row) for row in rows]
    first = [rows.index(row) if live else at for at, (row, live) in enumerate(zip(rows, alive, strict=True))]
    near = oracle.near_pairs(rows, threshold - NEAR * (threshold == 1))
    pairs = {(i, j): s for (i, j), s in near.items() if first[i] == i and first[j] == j and alive[i] and alive[j]}
    n = len(rows)
    best = {g: min((r for r in range(n) if first[r] == g), key=lambda r: rank[r]) for g in set(first)}
    link = linking.star if linkage == "star" else linking.components
    stands_by = link(n, [(best[i], best[j]) for i, j in pairs], rank)
    return {**pairs, **{(first[r], r): 1.0 for r in range(n) if first[r] != r}}, [
        stands_by[best[first[r]]] for r in range(n)
    ]


@settings(max_examples=150, deadline=None)
@given(matrices, thresholds, st.sampled_from(["first", "last"]), st.sampled_from(["star", "components"]))
def test_all_pairs_and_their_linkage(vectors, threshold, keep, linkage):
    assume(settled(vectors, threshold))
    result = tx.dedup(None, threshold, method="embedding", embeddings=vectors, keep=keep, linkage=linkage)
    rank = list(range(len(vectors)))[:: -1 if keep == "last" else 1]
    pairs, stands_by = expected(vectors, threshold, rank, linkage)
    found = {(i, j): s for i, j, s in result.pairs.tolist()}
    assert found.keys() == pairs.keys()
    assert all(abs(found[pair] - pairs[pair]) < 1e-6 for pair in pairs)
    assert result.representative.tolist() == stands_by
    assert result.cluster.tolist() == linking.numbered(stands_by)
    for row, by in enumerate(stands_by):
        assert row == by or result.similarity[row] == tx.cosine(vectors[row], vectors[by]) or linkage == "components"


@settings(max_examples=60, deadline=None)
@given(matrices, thresholds, st.integers(1, 5), st.integers(1, 7), st.integers(1, 3), st.sampled_from([1, 1e-20, 1e18]))
def test_tiles_threads_and_lengths_change_nothing(vectors, threshold, n_rows, n_columns, threads, length):
    whole = tx.dedup(None, threshold, method="embedding", embeddings=vectors)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cosine, "TILE_ROWS", n_rows)
        patch.setattr(cosine, "TILE_COLUMNS", n_columns)
        patch.setattr(cosine, "_PAIR_BYTES", 200)
        other = tx.dedup(None, threshold, method="embedding", embeddings=vectors, threads=threads)
    assert other.pairs.tobytes() == whole.pairs.tobytes()
    scaled = tx.dedup(None, threshold, method="embedding", embeddings=vectors * np.float32(length))
    assert scaled.pairs[["i", "j"]].tolist() == whole.pairs[["i", "j"]].tolist()
    assert np.array_equal(scaled.representative, whole.representative)


@settings(max_examples=100, deadline=None)
@given(matrices, st.integers(0, 14), thresholds)
def test_against_others(vectors, n_known, threshold):
    n_known = min(n_known, len(vectors))
    others, own = vectors[:n_known], vectors[n_known:]
    result = tx.dedup(None, threshold, method="embedding", embeddings=own, against=others)
    shares = tx.cosine(own[:, None], others) if n_known and len(own) else np.zeros((len(own), n_known), np.float32)
    equal = (own[:, None] == others).all(axis=2) & own.any(axis=1)[:, None]
    shares = np.where(equal, np.float32(1), shares)
    known = (shares >= np.float32(threshold)).any(axis=1) & own.any(axis=1)
    assert (result.against >= 0).tolist() == known.tolist()
    for row in np.flatnonzero(known):
        assert shares[row, result.against[row]] == shares[row].max() == result.against_similarity[row]
    alone = tx.dedup(None, threshold, method="embedding", embeddings=own[~known])
    assert result.keep[~known].tolist() == alone.keep.tolist()


@settings(max_examples=60, deadline=None)
@given(matrices, thresholds, thresholds)
def test_a_higher_threshold(vectors, threshold, higher):
    assume(threshold <= higher)
    half = len(vectors) // 2
    for options in ({}, {"against": vectors[:half]}):
        rows = vectors[half:] if options else vectors
        low = tx.dedup(None, threshold, method="embedding", embeddings=rows, **options).with_threshold(higher)
        high = tx.dedup(None, higher, method="embedding", embeddings=rows, **options)
        for name in ("keep", "cluster", "representative", "similarity", "pairs"):
            assert getattr(low, name).tobytes() == getattr(high, name).tobytes()
        if options:
            assert low.against.tolist() == high.against.tolist()


@settings(max_examples=100, deadline=None)
@given(matrices, thresholds, st.sampled_from(["first", "last"]), st.sampled_from(["exact", "codes"]), st.integers(1, 3))
def test_without_listing_all_pairs(vectors, threshold, keep, search, first):
    texts = [f"text {row % 9}" for row in range(len(vectors))]
    options = {"method": "embedding", "embeddings": vectors, "keep": keep, "search": search}
    for column in (None, texts):
        whole = tx.dedup(column, threshold, **options)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(import_module("txtfp_np.dedup.pairs"), "_MOST_PAIRS", -1)
            patch.setattr(import_module("txtfp_np.dedup.pairs"), "_MOST_A_ROW", -1)
            patch.setattr(import_module("txtfp_np.dedup.waves"), "_FIRST", first)
            patch.setattr(import_module("txtfp_np.dedup.waves"), "_MOST", 2 * first)
            part = tx.dedup(column, threshold, **options)
            again = part.with_threshold(1.0)
        assert whole.all_pairs
        assert part.all_pairs == (len(vectors) == 0 or not vectors.any())
        assert part.representative.tolist() == whole.representative.tolist()
        assert part.similarity.tobytes() == whole.similarity.tobytes()
        assert set(part.pairs.tolist()) <= set(whole.pairs.tolist())
        assert again.keep.tolist() == tx.dedup(column, 1.0, **options).keep.tolist()
