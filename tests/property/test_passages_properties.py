"""Invariants of the passages that two texts share.

1. Runs of equal tokens are the oracle's: none of ``window + k - 1`` tokens is missed, none is made up.
2. Whatever is shared in ``window + k - 1`` tokens lies in a passage.
3. Of refrains each place with a partner in the other text lies in a passage, in either text.
4. Joining is the oracle's, in whatever order boxes come.
5. Texts may change places.
6. Equal texts are one passage.
7. The part of a text as given that a run stands for is the run, once canonicalised.
"""

import random
from contextlib import contextmanager

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import winnowing

import txtfp_np as tx
from txtfp_np.sketch import passages

PLAIN = tx.Canonicalizer(normalization="none", case_fold="none", strip_bidi=False, strip_format=False)
CHARS = tx.CharShingleTokenizer(k=1)
small = st.integers(1, 4)
letters = st.text("abc", max_size=40)
# refrains with other things between them
hashers = st.sampled_from(["xxh3_64", "murmur3_x64_128"]) | st.builds(lambda: OneBit())
songs = st.lists(st.sampled_from(["ab", "aaaa", "abcabcabc", "x", "yz", "cde"]), max_size=30).map("".join)


class OneBit:
    """A hash that takes most tokens for equal."""

    name = "one-bit"

    def __call__(self, token):
        return token[-1] & 1


@contextmanager
def refrains_from(most_pairs):
    """Fewer pairs make refrains of what comes twice, or of everything."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(passages, "_MOST_PAIRS", most_pairs)
        yield


def runs_of(fp, a, b):
    return {
        tuple(run)
        for run in passages._runs(*(passages._Side(fp, "a", text, "strict") for text in (a, b)), fp.k).tolist()
    }


def match(a, b, k, window, *, gap=0, least=0, hasher="xxh3_64"):
    fp = tx.WinnowFingerprinter(PLAIN, CHARS, k=k, window=window, hasher=hasher)
    return tx.winnow_match(a, b, fingerprinter=fp, gap=gap, least=least).tolist()


@settings(max_examples=150)
@given(letters, letters, small, small, hashers)
@example("", "a", 1, 1, "xxh3_64")
@example("a" * 33, "a" * 31, 3, 4, "xxh3_64")
def test_runs_equal_the_oracle(a, b, k, window, hasher):
    fp = tx.WinnowFingerprinter(PLAIN, CHARS, k=k, window=window, hasher=hasher)
    with refrains_from(40 * 40):
        found = runs_of(fp, a, b)
    possible = set(winnowing.common_runs(a, b, min(k, len(a), len(b))))
    assert found <= possible
    assert {run for run in possible if run[2] >= window + k - 1} <= found


@settings(max_examples=150)
@given(songs, songs, small, small, st.integers(0, 40))
def test_what_is_shared_lies_in_a_passage(a, b, k, window, least):
    found = match(a, b, k, window, gap=least, least=least)
    for i, j, n in winnowing.common_runs(a, b, max(window + k - 1, least)):
        assert any(p[0] <= i and i + n <= p[1] and p[2] <= j and j + n <= p[3] for p in found)


@settings(max_examples=200)
@given(songs, songs, small, small, st.integers(0, 9))
@example("a" * 80, "a" * 81, 2, 3, 0)
@example("ab" * 40, "ba" * 40, 2, 3, 0)
def test_places_of_refrains_lie_in_a_passage(a, b, k, window, most_pairs):
    fp = tx.WinnowFingerprinter(PLAIN, CHARS, k=k, window=window)
    with refrains_from(most_pairs):
        found = match(a, b, k, window)
        for i, j, n in runs_of(fp, a, b):
            assert a[i : i + n] == b[j : j + n]
    rows = [fp.fingerprint(text, on_empty="mask")[0] for text in (a, b)]
    for at, row, other in ((0, *rows), (2, *reversed(rows))):
        for value, begin, end in zip(*(part.tolist() for part in row), strict=True):
            inside = any(p[at] <= begin and end <= p[at + 1] for p in found)
            assert inside or value not in other.values


@settings(max_examples=150)
@given(songs, songs, small, small, st.integers(0, 9), st.integers(0, 3), st.integers(0, 12), hashers)
def test_texts_may_change_places(a, b, k, window, most_pairs, gap, least, hasher):
    with refrains_from(most_pairs):
        one = match(a, b, k, window, gap=gap, least=least, hasher=hasher)
        other = match(b, a, k, window, gap=gap, least=least, hasher=hasher)
    assert [(p[0], p[2]) for p in one] == sorted((p[0], p[2]) for p in one)
    assert sorted((i, j, m, n, shared) for m, n, i, j, shared in other) == sorted(one)


@settings(max_examples=200)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 2, st.integers(1, 6)), max_size=25), st.integers(0, 4))
def test_joining_equals_the_oracle(runs, gap):
    boxes, numbers = passages._joined(np.array(runs, np.int64).reshape(-1, 3), gap)
    squares = [(i, i + n, j, j + n) for i, j, n in runs]
    assert sorted(map(tuple, boxes.tolist())) == winnowing.join(squares, gap)
    for (i, end, j, stop), number in zip(squares, numbers, strict=True):
        box = boxes[number].tolist()
        assert max(box[0] - i, end - box[1], box[2] - j, stop - box[3]) <= 0
    for side in (0, 1):
        part = np.array(runs, np.int64).reshape(-1, 3)
        covered = passages._covered(part[:, side], part[:, 2], numbers, len(boxes)).tolist()
        places = [set() for _ in boxes]
        for run, number in zip(runs, numbers, strict=True):
            places[number] |= set(range(run[side], run[side] + run[2]))
        assert covered == [len(found) for found in places]


@pytest.mark.parametrize("turn", [[0, 1], [1, 0]])
@pytest.mark.parametrize("sign", [1, -1])
def test_joining_goes_on_until_nothing_changes(turn, sign):
    """Steps of a stair, each of which reaches the next one only together with all before."""
    begins = np.array([(0, 0)] + [(-10 * step, 50 * (step % 2)) for step in range(1, 151)])
    lengths = np.array([100] + [10] * 150)
    begins = begins if sign == 1 else -begins - lengths[:, None]
    begins -= begins.min(axis=0)
    boxes, numbers = passages._joined(np.column_stack((begins[:, turn], lengths)), 0)
    assert (len(boxes), set(numbers.tolist())) == (1, {0})
    squares = [(i, i + n, j, j + n) for (i, j), n in zip(begins[:, turn].tolist(), lengths.tolist(), strict=True)]
    assert list(map(tuple, boxes.tolist())) == winnowing.join(squares, 0)


@settings(max_examples=150)
@given(songs, small, small, st.integers(0, 9), st.integers(0, 12), hashers)
@example("a" * 80, 5, 4, 9, 12, "xxh3_64")
def test_equal_texts_are_one_passage(text, k, window, most_pairs, least, hasher):
    with refrains_from(most_pairs):
        found = match(text, text, k, window, least=least, hasher=hasher)
    n = len(text)
    assert found == ([(0, n, 0, n, n)] if n >= max(least, 1) else [])


tricky = st.text("aA éßﬁ\u200bİΣ日😀\x00", max_size=30)  # no marks: any number of them belongs to what is before


@settings(max_examples=200)
@given(tricky, tricky, tricky, tricky, st.integers(1, 3), st.integers(1, 3))
def test_parts_of_the_texts_as_given(before, shared, behind, other, k, window):
    """What is shared is written in two ways, with other things around it."""
    fp = tx.WinnowFingerprinter(tokenizer=CHARS, k=k, window=window)
    texts = before + shared + "z" + behind, other + shared.upper() + "\u200bZ" + before
    sides = [passages._Side(fp, "a", text, "strict") for text in texts]
    runs = passages._runs(*sides, k)
    for at, text in enumerate(texts):
        begins, ends = sides[at].trace(runs[:, at], runs[:, at] + runs[:, 2])
        canonical = fp.canonicalizer.canonicalize(text)
        for (begin, n), first, end in zip(runs[:, [at, 2]].tolist(), begins, ends, strict=True):
            part = fp.canonicalizer.canonicalize(text[first:end])
            assert canonical[begin : begin + n] in part
            assert len(part) <= n + 2  # a code point that became two is whole


@pytest.mark.parametrize("seed", range(5))
def test_passages_in_long_documents(seed):
    """Words of two strangers, three passages of one put into the other, some of their words changed."""
    source = random.Random(seed)
    words = [f"w{number}" for number in range(20_000)]
    a, b = source.choices(words, k=6000), source.choices(words, k=3000)
    places = [(500, 2000, 60), (2500, 100, 200), (5000, 1200, 30)]
    for at, other, n in places:
        passage = b[other : other + n]
        passage[n // 2] = "changed"
        a[at : at + n] = passage
    texts = " ".join(a), "\n".join(b)
    found = tx.winnow_match(*texts)
    assert len(found) == 3
    for passage, (at, other, n) in zip(found, places, strict=True):
        assert texts[0][passage["a_start"] : passage["a_end"]].split() == a[at : at + n]
        assert texts[1][passage["b_start"] : passage["b_end"]].split() == b[other : other + n]
        assert passage["tokens"] == n - 1
