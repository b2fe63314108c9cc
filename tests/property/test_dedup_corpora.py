"""Near-duplicate removal on real corpora with known truth. Needs the shared data; skips without."""

import gzip
import json
import re
from collections import defaultdict
from itertools import combinations

import numpy as np
import pytest

import txtfp_np as tx

pytestmark = [pytest.mark.data, pytest.mark.slow]


def rows_of(folder, name):
    with gzip.open(folder / f"{name}.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


@pytest.fixture(scope="module")
def exact(shared_data):
    """Documents, and all pairs with their exact Jaccard similarity from .2 on."""
    docs = rows_of(shared_data, "exactj_en_docs")
    place = {doc["id"]: row for row, doc in enumerate(docs)}
    truth = {
        tuple(sorted((place[pair["a"]], place[pair["b"]]))): pair["jaccard"]
        for pair in rows_of(shared_data, "exactj_en_pairs")
    }
    return [doc["text"] for doc in docs], truth


@pytest.mark.parametrize("threshold", [0.7, 0.5])
@pytest.mark.parametrize("linkage", ["star", "components"])
def test_sound_and_complete(exact, threshold, linkage):
    """The tokens of the truth are casefolded ``\\w+``; with the same ones its similarities are ours."""
    texts, truth = exact
    words = tx.CallableTokenizer(lambda text: re.findall(r"\w+", text.casefold()), name="casefolded-w")
    canon = tx.Canonicalizer(normalization="none", case_fold="none", strip_format=False, strip_bidi=False)
    fp = tx.MinHashFingerprinter(canon, tx.ShingleTokenizer(k=5, inner=words))
    result = tx.dedup(texts, threshold, fingerprinter=fp, linkage=linkage)
    stands_by = result.representative
    if linkage == "star":
        for row in np.flatnonzero(~result.keep).tolist():
            assert truth.get(tuple(sorted((row, int(stands_by[row])))), 0) >= threshold - 1e-6
    for i, j, similarity in result.pairs.tolist():
        if similarity < 1:
            assert abs(truth[i, j] - similarity) < 1e-5
    true = [pair for pair, similarity in truth.items() if similarity >= threshold]
    missed = [pair for pair in true if result.keep[list(pair)].all()]
    assert len(true) > 40
    assert len(missed) < 0.015 * len(true)


@pytest.mark.parametrize("threshold", [0.7, 0.5])
def test_our_own_words_are_nearly_those(exact, threshold):
    """Words by UAX #29 instead: similarities move a little, most in short texts."""
    texts, truth = exact
    result = tx.dedup(texts, threshold)
    removed = np.flatnonzero(~result.keep).tolist()
    far = [
        row for row in removed if truth.get(tuple(sorted((row, int(result.representative[row])))), 0) < threshold - 0.02
    ]
    assert len(far) <= 0.03 * len(removed)
    true = [pair for pair, similarity in truth.items() if similarity >= threshold + 0.02]
    missed = [pair for pair in true if result.keep[list(pair)].all()]
    assert len(missed) < 0.015 * len(true)


def fscore(found, true):
    hits = len(found & true)
    return 2 * hits / (len(found) + len(true))


@pytest.mark.parametrize(
    ("name", "k_words", "threshold", "reach"),
    [("revisions_en", 5, 0.586, 0.825), ("revisions_multi", None, 0.389, 0.910)],
)
def test_all_pairs_of_revisions(shared_data, name, k_words, threshold, reach):
    """Pairs of pages, against what exact similarity attains: .02 of F1 is what the sketch may cost."""
    docs = rows_of(shared_data, name)
    groups = defaultdict(list)
    for row, doc in enumerate(docs):
        by_characters = k_words is None and doc["lang"].split("-")[0] in ("zh", "ja")
        groups[by_characters].append(row)
    found = set()
    for by_characters, rows in groups.items():
        tokenizer = tx.CharShingleTokenizer(k=5) if by_characters else tx.ShingleTokenizer(k=5)
        result = tx.dedup(
            [docs[row]["text"] for row in rows], threshold, fingerprinter=tx.MinHashFingerprinter(tokenizer=tokenizer)
        )
        found |= all_pairs(result, rows)
    labels = defaultdict(list)
    for row, doc in enumerate(docs):
        labels[doc["label"]].append(row)
    true = {pair for rows in labels.values() for pair in combinations(rows, 2)}
    assert fscore(found, true) > reach - 0.02


def all_pairs(result, rows):
    """Pairs of rows, those of equal documents spelled out."""
    copies = defaultdict(list)
    for row, first in enumerate(result._found.group.tolist()):
        copies[first].append(rows[row])
    found = {pair for same in copies.values() for pair in combinations(same, 2)}
    for i, j, _ in result.pairs.tolist():
        if i in copies and j in copies:
            found |= {tuple(sorted((a, b))) for a in copies[i] for b in copies[j]}
    return found


@pytest.mark.parametrize("kind", ["case", "whitespace", "unicode_form", "fullwidth", "zero_width"])
def test_what_canonical_text_undoes_is_found(shared_data, kind):
    """An original and its edited copies, among all other originals."""
    docs = rows_of(shared_data, "ladder")
    originals = {doc["id"]: doc["text"] for doc in docs if doc["kind"] == "base"}
    # "+2%accents" puts accents where there were none: another text
    edited = [doc for doc in docs if doc["kind"] == kind and "accents" not in str(doc["strength"])]
    ids = list(originals)
    place = {id: row for row, id in enumerate(ids)}
    result = tx.dedup([*originals.values(), *(doc["text"] for doc in edited)], 0.7)
    stands_by = result.cluster
    found = [stands_by[len(ids) + row] == stands_by[place[doc["base_id"]]] for row, doc in enumerate(edited)]
    assert len(found) > 500
    assert np.mean(found) >= 0.99


def test_passages_in_other_documents(shared_data):
    """A passage of a document inside another: what exact containment attains, and nothing else, is found."""
    docs, pairs = rows_of(shared_data, "pan13_docs"), rows_of(shared_data, "pan13_pairs")
    place = {doc["id"]: row for row, doc in enumerate(docs)}
    label = {tuple(sorted((place[pair["a"]], place[pair["b"]]))): pair["label"] for pair in pairs}
    result = tx.dedup([doc["text"] for doc in docs], 0.02, scope="containment")
    found = {(i, j) for i, j, _ in result.pairs.tolist()} & set(label)
    assert fscore(found, {pair for pair, is_one in label.items() if is_one}) > 0.97
