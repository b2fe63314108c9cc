"""Invariants of TLSH.

1. Digests equal the oracle's for any bytes, and are None where the oracle's are.
2. Digests and distances equal those of the reference implementation (``py-tlsh``), also of long and uneven bytes.
3. Distances equal the oracle's, for digests of any bits; as text, packed, and mixed.
4. A column is its documents, whatever the size of blocks and the number of threads.
"""

import random

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import tlsh as oracle
from support import blocks_of

import txtfp_np as tx

FP = tx.TlshFingerprinter()
# few different bytes: uneven buckets, and documents without a digest
uneven = st.builds(
    lambda seed, n, letters: bytes(random.Random(seed).choices(range(letters), k=n)),
    st.integers(0, 2**32),
    st.integers(0, 4000),
    st.integers(1, 256),
)
any_bytes = st.one_of(st.binary(max_size=300), uneven)
digests = st.builds(lambda body: "T1" + body.hex().upper(), st.binary(min_size=35, max_size=35).filter(any))


def digest(data):
    try:
        return FP.sketch_bytes(data).decode()
    except tx.InvalidInputError:
        return None


@settings(max_examples=300)
@given(any_bytes)
def test_digests_equal_the_oracle(data):
    assert digest(data) == oracle.digest(data)


@settings(max_examples=300)
@given(any_bytes, any_bytes)
def test_digests_and_distances_equal_the_reference(one, other):
    tlsh = pytest.importorskip("tlsh", reason="py-tlsh, the reference, is in the extra dev")
    found = [digest(one), digest(other)]
    wanted = [tlsh.hash(data) for data in (one, other)]
    assert found == [None if text in ("", "TNULL") else text for text in wanted]
    if None not in found:
        assert tx.tlsh_distance(*found) == tlsh.diff(*wanted)


@pytest.mark.parametrize("n", [656, 657, 854, 855, 3199, 3200, 190_335, 190_336, 278_671, 2_744_836, 9_475_910])
def test_lengths_at_the_edge_of_a_class(n):
    tlsh = pytest.importorskip("tlsh", reason="py-tlsh, the reference, is in the extra dev")
    data = np.random.default_rng(n).integers(0, 60, n, np.uint8).tobytes()
    assert digest(data) == tlsh.hash(data)


@settings(max_examples=300)
@given(st.lists(digests, min_size=1, max_size=12))
def test_distances_equal_the_oracle(texts):
    packed = np.array([bytes.fromhex(text[2:]) for text in texts], "V35")
    wanted = [[oracle.distance(a, b) for b in texts] for a in texts]
    column = np.array(texts)[:, None]
    assert tx.tlsh_distance(column, texts).tolist() == wanted
    assert tx.tlsh_distance(packed[:, None], packed).tolist() == wanted
    i, j = np.indices((len(texts), len(texts)))
    assert tx.tlsh_distance(packed[i], column[j, 0]).tolist() == wanted
    assert tx.tlsh_distance_pairs(texts, i, j).tolist() == wanted
    assert tx.tlsh_distance(np.array(texts)[i], column[j, 0]).tolist() == wanted  # row by row, read as they go


def test_many_distances_equal_the_oracle():
    """More than a tile, on threads."""
    source = random.Random(7)
    texts = ["T1" + source.randbytes(35).hex() for _ in range(1300)]
    found = tx.tlsh_distance(np.array(texts, "S72")[:, None], texts, threads=2)
    for _ in range(2000):
        i, j = source.randrange(1300), source.randrange(1300)
        assert found[i, j] == oracle.distance(texts[i], texts[j])
    assert (found == found.T).all()


@settings(max_examples=30)
@given(st.lists(st.text("abcdefgh éß漢", max_size=200), max_size=20), st.integers(1, 300), st.integers(1, 3))
def test_a_column_is_its_documents(texts, block_bytes, threads):
    wanted = [digest(tx.Canonicalizer().canonicalize(text).encode()) for text in texts]
    with blocks_of(block_bytes):
        found, ok = FP.fingerprint(texts, on_empty="mask", threads=threads)
    assert found.tolist() == [(text or "").encode() for text in wanted]
    assert ok.tolist() == [text is not None for text in wanted]
