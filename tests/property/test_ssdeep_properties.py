"""Invariants of ssdeep's strings.

1. Strings equal the oracle's for any bytes: uniform, periodic, long, with zeros at their ends.
2. Strings and scores equal those of ssdeep itself (``pydeep2``).
3. Scores equal the oracle's, for any two strings; they are symmetric and 100 for equal ones.
4. A column is its documents, whatever the size of blocks and the number of threads.
"""

import random

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import ssdeep as oracle
from support import blocks_of

import txtfp_np as tx

FP = tx.FuzzyFingerprinter()
uneven = st.builds(
    lambda seed, n, letters: bytes(random.Random(seed).choices(range(letters), k=n)),
    st.integers(0, 2**32),
    st.integers(0, 3000),
    st.integers(1, 256),
)
parts = st.binary(min_size=1, max_size=30)
periodic = st.builds(lambda part, n: (part * (n // len(part) + 1))[:n], parts, st.integers(0, 3000))
zeros = st.integers(0, 300).map(bytes)
padded = st.builds(lambda before, middle, behind: before + middle + behind, zeros, uneven, zeros)
any_bytes = st.one_of(st.binary(max_size=250), uneven, periodic, padded)
letters = st.one_of(st.text("ABCab/+0", max_size=64), st.text("AB", max_size=64), st.text(oracle.LETTERS, max_size=64))
blocks = st.sampled_from([3, 6, 12, 24, 48, 96, 5, 10])
strings = st.builds(lambda block, one, two: f"{block}:{one}:{two}", blocks, letters, letters)


def related(seed):
    """Strings of texts that have been edited, so that scores are neither 0 nor 100."""
    source = random.Random(seed)
    texts, base = [], source.randbytes(source.randrange(200, 3000))
    for _ in range(8):
        text = bytearray(base)
        for _ in range(source.randrange(12)):
            at = source.randrange(len(text))
            text[at : at + source.randrange(20)] = source.randbytes(source.randrange(20))
        texts.append(bytes(text[: len(text) - source.choice([0, 0, len(text) // 3])]))
    return texts


@settings(max_examples=200)
@given(any_bytes)
@example(b"")
@example(b"\0" * 1000)
def test_strings_equal_the_oracle(data):
    assert FP.sketch_bytes(data).decode() == oracle.digest(data)


@settings(max_examples=300)
@given(any_bytes)
def test_strings_equal_those_of_ssdeep(data):
    pydeep = pytest.importorskip("pydeep", reason="pydeep2, ssdeep itself, is in the extra dev")
    assert bytes(FP.sketch_bytes(data)) == pydeep.hash_buf(data)


@pytest.mark.parametrize("n", [190, 191, 192, 193, 383, 384, 385, 98_304, 98_305, 3_000_000])
def test_lengths_at_the_edge_of_a_block_size(n):
    pydeep = pytest.importorskip("pydeep", reason="pydeep2, ssdeep itself, is in the extra dev")
    for letters in (256, 4, 2):
        data = np.random.default_rng(n).integers(0, letters, n, np.uint8).tobytes()
        assert bytes(FP.sketch_bytes(data)) == pydeep.hash_buf(data)


@settings(max_examples=300)
@given(strings, strings)
@example("3::", "3::")
@example("3:AAAAAAAA:B", "3:AAAB:B")
def test_scores_equal_the_oracle(a, b):
    wanted = oracle.compare(a, b)
    assert tx.ssdeep_compare(a, b) == wanted == tx.ssdeep_compare(b, a)
    assert tx.ssdeep_compare(a, a) == 100
    assert tx.ssdeep_compare([a], [b, a])[:1].tolist() == [wanted]


@settings(max_examples=60)
@given(st.integers(0, 2**32))
def test_scores_of_edited_texts(seed):
    pydeep = pytest.importorskip("pydeep", reason="pydeep2, ssdeep itself, is in the extra dev")
    found = [bytes(FP.sketch_bytes(text)) for text in related(seed)]
    scores = tx.ssdeep_compare(np.array(found)[:, None], np.array(found))
    assert scores.tolist() == [[pydeep.compare(a, b) for b in found] for a in found]
    assert scores.tolist() == [[oracle.compare(a.decode(), b.decode()) for b in found] for a in found]
    i, j = np.indices(scores.shape)
    assert (tx.ssdeep_compare_pairs(found, i, j, threads=1) == scores).all()


@settings(max_examples=30)
@given(st.lists(st.text("abcdefgh éß漢", max_size=200), max_size=20), st.integers(1, 300), st.integers(1, 3))
def test_a_column_is_its_documents(texts, block_bytes, threads):
    with blocks_of(block_bytes):
        found, ok = FP.fingerprint(texts, on_empty="mask", threads=threads)
    assert found.tolist() == [oracle.digest(text.encode()).encode() if text else b"" for text in texts]
    assert ok.tolist() == [bool(text) for text in texts]
