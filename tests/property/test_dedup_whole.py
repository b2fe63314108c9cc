"""Near-duplicate removal as a whole, against comparing everything with everything in plain Python.

1. Pairs, similarities and representatives are those of the oracle, whatever the options.
2. Removed documents form a verified pair with what they stand by, or are equal to it; kept ones form none.
3. Some document of every cluster survives, and nothing that is empty goes.
4. A higher threshold on the same pairs gives what asking for it gives.
5. Threads and the kind of column change nothing.
6. Where pairs are too many to list, what is kept and what stands by whom are the same.
"""

from contextlib import contextmanager
from importlib import import_module

import numpy as np
import pytest
from oracles import dedup as oracle

import txtfp_np as tx

pytest.importorskip("hypothesis")
from hypothesis import assume, given, settings
from hypothesis import strategies as st

TOKENIZER = tx.ShingleTokenizer(k=2)
# rows of one slot: bands find everything that shares a single shingle, nearly
MINHASH = tx.MinHashFingerprinter(tokenizer=TOKENIZER, h=512)
RECALL = 0.999999

words = st.sampled_from(["a", "b", "c", "d", "e"])
texts = st.lists(st.lists(words, max_size=9).map(" ".join) | st.sampled_from([None, " ", "!?"]), max_size=9)
limits = st.sampled_from([0.5, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9, 1.0])
keeps = st.sampled_from(["first", "last", "longest", "shortest"])


def plain_sets(column):
    canon = tx.Canonicalizer()
    return [set(TOKENIZER.tokens(canon.canonicalize(text or ""))) for text in column]


def rank_of(keep, column):
    sizes = [len((text or "").encode()) for text in column]
    key = {
        "first": lambda row: row,
        "last": lambda row: -row,
        "longest": lambda row: (-sizes[row], row),
        "shortest": lambda row: (sizes[row], row),
    }[keep]
    order = sorted(range(len(column)), key=key)
    return [order.index(row) for row in range(len(column))]


@settings(max_examples=150, deadline=None)
@given(texts, limits, keeps, st.sampled_from(["star", "components"]), st.sampled_from(["resemblance", "containment"]))
def test_it_is_what_comparing_everything_gives(column, threshold, keep, linkage, scope):
    result = tx.dedup(column, threshold, keep=keep, linkage=linkage, scope=scope, fingerprinter=MINHASH, recall=RECALL)
    rank = rank_of(keep, column)
    pairs, stands_by = oracle.dedup(column, plain_sets(column), threshold, rank, linkage, scope)
    found = {(int(i), int(j)): np.float32(s) for i, j, s in result.pairs}
    assert found == {pair: np.float32(share) for pair, share in pairs.items()}
    assert list(found) == sorted(found)
    assert result.representative.tolist() == stands_by
    assert result.cluster.tolist() == oracle.numbered(stands_by)
    assert result.keep.tolist() == [row == by for row, by in enumerate(stands_by)]


@contextmanager
def without_listing(first):
    """No number of pairs is small enough to be listed, and rows are gone through a few at a time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(import_module("txtfp_np.dedup.pairs"), "_MOST_PAIRS", 0)
        patch.setattr(import_module("txtfp_np.dedup.pairs"), "_MOST_A_ROW", 0)
        patch.setattr(import_module("txtfp_np.dedup.waves"), "_FIRST", first)
        patch.setattr(import_module("txtfp_np.dedup.waves"), "_MOST", 2 * first)
        yield


@settings(max_examples=150, deadline=None)
@given(texts, limits, keeps, st.sampled_from(["exact", "signature", "none"]))
def test_sound_and_complete(column, threshold, keep, verify):
    result = tx.dedup(column, threshold, keep=keep, verify=verify, fingerprinter=MINHASH)
    assert result.keep.any() or not column
    sets = plain_sets(column)
    pairs = {(int(i), int(j)) for i, j, _ in result.pairs}
    rank = rank_of(keep, column)
    for row, by in enumerate(result.representative.tolist()):
        assert result.keep[by]
        if row == by:
            continue
        if verify == "exact":
            assert oracle.shares(sets[row], sets[by])[0] >= threshold
            assert np.float32(oracle.shares(sets[row], sets[by])[0]) == result.similarity[row]
        assert sets[row]
        assert rank[by] < rank[row]
    kept = np.flatnonzero(result.keep).tolist()
    assert not [pair for pair in pairs if set(pair) <= set(kept)]
    shown = [sets[row] for row in kept if sets[row]]
    assert len({frozenset(one) for one in shown}) == len(shown)
    assert all(result.keep[row] for row, one in enumerate(sets) if not one)


@settings(max_examples=100, deadline=None)
@given(texts, limits, limits, keeps)
def test_a_higher_threshold(column, threshold, higher, keep):
    assume(threshold <= higher)
    low = tx.dedup(column, threshold, keep=keep, fingerprinter=MINHASH, recall=RECALL)
    high = tx.dedup(column, higher, keep=keep, fingerprinter=MINHASH, recall=RECALL)
    moved = low.with_threshold(higher)
    assert moved.pairs.tolist() == high.pairs.tolist()
    for name in ("keep", "cluster", "representative", "similarity"):
        assert getattr(moved, name).tolist() == getattr(high, name).tolist()
    assert moved.threshold == high.threshold


@settings(max_examples=100, deadline=None)
@given(texts, st.integers(0, 12), keeps)
def test_simhash_is_every_pair_within_the_distance(column, distance, keep):
    fp = tx.SimHashFingerprinter()
    result = tx.dedup(column, method="simhash", max_distance=distance, keep=keep)
    prints, ok = fp.fingerprint(column, on_empty="mask") if column else (np.empty(0, np.uint64), np.empty(0, bool))
    firsts = [row for row in range(len(column)) if ok[row] and row == prints.tolist().index(prints[row])]
    expected = {
        (i, j): np.float32(1 - int(prints[i] ^ prints[j]).bit_count() / 64)
        for i in firsts
        for j in firsts
        if i < j and int(prints[i] ^ prints[j]).bit_count() <= distance
    }
    stars = {
        (prints.tolist().index(prints[row]), row): np.float32(1)
        for row in range(len(column))
        if ok[row] and row not in firsts and ok[prints.tolist().index(prints[row])]
    }
    assert {(int(i), int(j)): s for i, j, s in result.pairs} == {**expected, **stars}
    for row, by in enumerate(result.representative.tolist()):
        assert int(prints[row] ^ prints[by]).bit_count() <= distance


@settings(max_examples=30, deadline=None)
@given(texts)
def test_threads_and_columns_change_nothing(column):
    results = [
        tx.dedup(kind(column), 0.6, fingerprinter=MINHASH, threads=threads)
        for kind in (list, tx.TextColumn, iter)
        for threads in (1, 3)
    ]
    for name in ("keep", "cluster", "representative", "similarity", "pairs"):
        assert len({getattr(result, name).tobytes() for result in results}) == 1


@settings(max_examples=150, deadline=None)
@given(texts, limits, keeps, st.sampled_from(["exact", "signature", "none"]), st.sampled_from([1, 3]))
def test_without_listing_all_pairs(column, threshold, keep, verify, first):
    options = {"keep": keep, "verify": verify, "fingerprinter": MINHASH, "recall": RECALL}
    whole = tx.dedup(column, threshold, **options)
    with without_listing(first):
        part = tx.dedup(column, threshold, **options)
    assert whole.all_pairs
    assert part.representative.tolist() == whole.representative.tolist()
    assert part.cluster.tolist() == whole.cluster.tolist()
    assert np.array_equal(part.similarity, whole.similarity)
    assert set(part.pairs.tolist()) <= set(whole.pairs.tolist())


@settings(max_examples=150, deadline=None)
@given(texts, texts, limits, limits, keeps, st.sampled_from(["signature", "none"]))
def test_against_an_index_without_listing_all_pairs(column, seen, threshold, higher, keep, verify):
    threshold, higher = sorted([threshold, higher])
    options = {"keep": keep, "verify": verify, "fingerprinter": MINHASH, "recall": RECALL}
    index = tx.LshIndexBuilder.for_recall(min(threshold, 0.9), MINHASH.h, recall=RECALL).build()
    if seen:
        signatures, ok = MINHASH.fingerprint(seen, on_empty="mask")
        index.insert(np.flatnonzero(ok), signatures[ok])
    whole = tx.dedup(column, threshold, against=index, **options)
    with without_listing(2):
        part = tx.dedup(column, threshold, against=index, **options)
    results = [(part, whole)]
    if verify == "signature":  # else bands alone make a pair, and a higher threshold has others
        results.append((part.with_threshold(higher), whole.with_threshold(higher)))
    for one, other in results:
        assert one.against.tolist() == other.against.tolist()
        assert one.representative.tolist() == other.representative.tolist()
        assert np.array_equal(one.similarity, other.similarity, equal_nan=True)


def test_what_an_index_has_removes_nothing_else():
    words = [f"w{number}" for number in range(16)]
    seen, *column = (" ".join(words[some]) for some in (slice(10), slice(3, 13), slice(6, 16), slice(6, 15)))
    fp = tx.MinHashFingerprinter(tokenizer=tx.WordTokenizer(), h=512)
    index = tx.LshIndexBuilder.for_recall(0.4, 512, recall=RECALL).build()
    index.insert(7, fp.fingerprint(seen))
    with without_listing(2):
        result = tx.dedup(column, 0.45, fingerprinter=fp, against=index)
    assert (result.against.tolist(), result.representative.tolist()) == ([7, -1, -1], [-1, 1, 1])


def test_very_many_alike_cost_a_pair_each():
    """6,000 pages of one template: 18 million pairs, of which 5,999 decide."""
    template = " ".join(f"word{i}" for i in range(60))
    column = [f"{template} page{row} {template}" for row in range(6000)]
    result = tx.dedup([*column, "something else"], 0.7)
    assert result.keep.tolist() == [True] + 5999 * [False] + [True]
    assert set(result.representative.tolist()) == {0, 6000}
    assert len(result.pairs) < 4 * len(column)
    assert not result.all_pairs
    assert result.with_threshold(0.7).keep.tolist() == result.keep.tolist()
    assert result.with_threshold(0.95).keep.tolist() == tx.dedup([*column, "something else"], 0.95).keep.tolist()
