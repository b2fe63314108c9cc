"""Recall of the banded index on real documents, against exact Jaccard similarities and against theory."""

import gzip
import json

import numpy as np
import pytest

import txtfp_np as tx

pytestmark = pytest.mark.data

TOKENIZERS = {"en": tx.ShingleTokenizer(k=5), "th": tx.CharShingleTokenizer(k=5)}
N_SEEDS = 12


def rows(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


@pytest.fixture(scope="module", params=sorted(TOKENIZERS))
def corpus(request, shared_data):
    """Canonical documents, pairs of them that have something in common, and their exact similarities."""
    documents = rows(shared_data / f"exactj_{request.param}_docs.jsonl.gz")
    pairs = rows(shared_data / f"exactj_{request.param}_pairs.jsonl.gz")
    numbers = {document["id"]: number for number, document in enumerate(documents)}
    a = np.array([numbers[pair["a"]] for pair in pairs])
    b = np.array([numbers[pair["b"]] for pair in pairs])
    tokenizer = TOKENIZERS[request.param]
    texts = tx.Canonicalizer().canonicalize([document["text"] for document in documents])
    sets = [set(tokens) for tokens in tokenizer.tokens(texts)]
    similarity = np.array([len(sets[i] & sets[j]) / len(sets[i] | sets[j]) for i, j in zip(a, b, strict=True)])
    return texts, tokenizer, a, b, similarity


def found(index, signatures, a, b):
    """Which of the pairs the index gives as candidates."""
    index.insert(np.arange(len(signatures)), signatures)
    indptr, ids = index.query(signatures)
    owners = np.repeat(np.arange(len(signatures)), np.diff(indptr))
    candidates = set(zip(owners.tolist(), ids.tolist(), strict=True))
    return np.array([pair in candidates for pair in zip(a.tolist(), b.tolist(), strict=True)])


@pytest.mark.parametrize(("bands", "rows_"), [(16, 8), (32, 4), (64, 2)])
def test_recall_is_what_theory_says(corpus, bands, rows_):
    """Pairs share templates, so their fates hang together: the spread is taken from one seed to the next."""
    texts, tokenizer, a, b, similarity = corpus
    hits = []
    for seed in range(N_SEEDS):
        signatures = tx.MinHashFingerprinter(tokenizer=tokenizer, seed=seed).fingerprint(texts)
        hits.append(found(tx.LshIndex(bands, rows_, 128), signatures, a, b).mean())
    expected = tx.LshIndexBuilder(bands, rows_, 128).collision_probability(similarity).mean()
    assert abs(np.mean(hits) - expected) <= 5 * np.std(hits, ddof=1) / np.sqrt(N_SEEDS)


def test_for_recall_keeps_its_word(corpus):
    texts, tokenizer, a, b, similarity = corpus
    similar = similarity >= 0.7
    assert similar.sum() > 20
    signatures = tx.MinHashFingerprinter(tokenizer=tokenizer).fingerprint(texts)
    index = tx.LshIndexBuilder.for_recall(0.7, 128, recall=0.99).build()
    assert found(index, signatures, a[similar], b[similar]).mean() >= 0.985
