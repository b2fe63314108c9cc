"""Outputs of koykov/pbtk (tests/data/pbtk.json): character shingles, XXH64, Jaccard and Hamming similarity.

Its SimHash has a slip that its own vectors hold (``quirky`` below tells it apart); ours is the algorithm that it
documents, see ``test_pbtk`` in ``test_sketch_vectors.py``. Its word shingles are split at blanks only, and its cleaning
of punctuation is a rule of its own: neither is offered here.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import txtfp_np as tx

VECTORS = json.loads((Path(__file__).parent.parent / "data" / "pbtk.json").read_text(encoding="utf-8"))
# It takes the whole text where the bytes, not the characters, are no more than k.
CHARACTERS = [
    doc
    for doc in VECTORS["docs"]
    if doc["shingler"] == "char" and not doc["clean"] and len(doc["text"].encode()) > doc["k"]
]
PLAIN = tx.Canonicalizer(normalization="none", case_fold="none", strip_bidi=False, strip_format=False)


def xxh64(tokens):
    """XXH64 of each token: bits of a SimHash of that token alone."""
    whole = tx.CallableTokenizer(lambda text: [text], name="whole")
    return tx.SimHashFingerprinter(PLAIN, whole, hasher="xxh64", seed=0).fingerprint(tokens)


def quirky(tokens):
    """Its shipped sum: bit 0 of each byte of a hash votes for even bits, its opposite for odd ones; ties are 1."""
    votes = 2 * (xxh64(tokens)[:, None] >> np.arange(0, 64, 8, dtype=np.uint64) & np.uint64(1)).astype(int) - 1
    return sum((0xFF if s == 0 else 0x55 if s > 0 else 0xAA) << 8 * byte for byte, s in enumerate(votes.sum(axis=0)))


def test_xxh64():
    expected = {text: int(value) for text, value in VECTORS["xxhash64_seed0"].items() if text}
    assert xxh64(list(expected)).tolist() == list(expected.values())


@pytest.mark.parametrize("doc", CHARACTERS, ids=lambda doc: f"{doc['k']}-{doc['text'][:20]}")
def test_character_shingles(doc):
    tokens = tx.CharShingleTokenizer(k=doc["k"]).tokens(doc["text"])
    assert tokens == doc["shingles"]
    assert [str(quirky(tokens))] == doc["simhash"]


@pytest.mark.parametrize("pair", VECTORS["pairs"], ids=lambda pair: pair["b"][:20])
def test_similarities(pair):
    texts = [pair["a"], pair["b"]]
    tokens = tx.CharShingleTokenizer(k=pair["k"]).tokens(texts)
    # its MinHash keeps something of every shingle
    assert tx.set_jaccard_pairs(tokens, 0, 1) == np.float32(pair["minhash50_jaccard"])
    a, b = (np.uint64(quirky(row)) for row in tokens)
    assert tx.hamming_similarity(a, b) == np.float32(pair["simhash_hamming"])
