"""tx.dedup by embeddings: options, texts beside them, providers, errors."""

import re

import numpy as np
import pytest
from vector_support import Letters, clustered

import txtfp_np as tx
from txtfp_np.index.cosine import margin, near_pairs

VECTORS = np.array([[1, 2, 2], [1, 2, 2.2], [2, 1, -2], [0, 0, 0], [2, 4, 4], [1, 2, 2]], np.float32)


def by(embeddings, texts=None, threshold=None, **options):
    return tx.dedup(texts, threshold, method="embedding", embeddings=embeddings, **options)


def test_vectors_alone():
    result = by(VECTORS)
    assert result.reason.tolist() == ["kept", "near", "kept", "empty", "near", "copy"]
    assert result.representative.tolist() == [0, 0, 2, 3, 0, 0]
    assert result.threshold == 0.9
    assert result.similarity[4] == 1
    assert "6 documents" in result._repr_html_()
    assert result.summary().as_dict()["copies"] == 1
    for keep, kept in (("last", [5, 5, 2, 3, 5, 5]), ([0, 1, 2, 3, 4, 5], [5, 5, 2, 3, 5, 5])):
        assert by(VECTORS, keep=keep).representative.tolist() == kept
    with pytest.raises(tx.ConfigError, match="lengths"):
        by(VECTORS, keep="longest")
    with pytest.raises(tx.ConfigError, match="only their embeddings"):
        result.explain(0, 1)


@pytest.mark.parametrize("kind", [np.array, tx.EmbeddingColumn])
def test_vectors_in_the_place_of_texts(kind):
    vectors = kind(VECTORS)
    assert tx.dedup(vectors, 0.9, method="embedding").keep.tolist() == by(VECTORS).keep.tolist()
    with pytest.raises(tx.Error):
        tx.dedup(vectors, 0.9)


def test_texts_beside_vectors():
    texts = ["a", "b", "c", "a", " \n", "e"]
    vectors = [[1, 0], [1, 0.01], [0, 1], [0, -1], [1, 0], [1, 0]]
    result = by(vectors, texts)
    # row 3 has the text of row 0, and goes with it, whatever its vector; row 4 is empty
    assert result.representative.tolist() == [0, 0, 2, 0, 4, 0]
    assert result.reason.tolist() == ["kept", "near", "kept", "copy", "empty", "near"]
    assert "2 only in" not in str(result.explain(0, 1))
    assert by(vectors, texts, keep="longest").keep.sum() == 3
    assert by(np.empty((0, 4)), []).keep.tolist() == []
    assert by(np.empty((0, 4)), [], against=[[1, 2, 3, 4]]).keep.tolist() == []


def test_a_pair_at_the_threshold_is_one():
    result = by([[1, 0], [3, 4]], threshold=0.6)
    assert result.pairs.tolist() == [(0, 1, float(np.float32(0.6)))]
    assert result.with_threshold(0.6).keep.tolist() == [True, False]
    assert by([[1, 0], [3, 4]], threshold=np.float64(0.6)).keep.tolist() == [True, False]
    against = by([[3, 4]], threshold=0.6, against=[[1, 0]])
    assert against.with_threshold(0.6).against.tolist() == [0]


def test_exact_is_all_of_numpy():
    vectors = clustered(3000, 48)
    units = vectors.astype(np.float64)
    units /= np.linalg.norm(units, axis=1, keepdims=True)
    share = np.triu((units @ units.T).astype(np.float32), 1)
    result = by(vectors, threshold=0.8)
    i, j = np.nonzero(share >= np.float32(0.8))
    assert len(i) > 3000
    assert result.pairs["i"].tolist() == i.tolist()
    assert result.pairs["j"].tolist() == j.tolist()
    assert np.array_equal(result.pairs["similarity"], share[i, j])


def test_products_are_as_near_as_the_margin_says():
    rng = np.random.default_rng(4)
    for dim in (1, 3, 384, 2000):
        a = np.abs(rng.normal(size=(200, dim))).astype(np.float32)  # no cancellation: rounding at its worst
        i, j, share = near_pairs(a, 1e-9)
        assert len(i) == 200 * 199 // 2
        units = (a / np.linalg.norm(a, axis=1, keepdims=True)).astype(np.float32)
        assert np.abs((units @ units.T)[i, j] - share).max() <= margin(dim)


def test_a_provider_is_asked_for_distinct_texts():
    letters = Letters()
    seen = []
    texts = ["listen", "silent", None, "listen", "\t", "quite other words"]
    result = tx.dedup(texts, method="embedding", provider=letters, progress=lambda done, total: seen.append(done))
    assert letters.asked == ["listen", "silent", "quite other words"]
    assert result.representative.tolist() == [0, 0, 2, 0, 4, 5]
    assert result.reason.tolist() == ["kept", "near", "empty", "copy", "empty", "kept"]
    assert result.similarity[1] == 1
    assert seen
    known = tx.dedup(texts, method="embedding", provider=letters, against=["enlist", "", "enlist"])
    assert known.against.tolist() == [0, 0, -1, 0, -1, -1]
    column = tx.EmbeddingColumn(np.eye(1, 26), "letters")
    assert tx.dedup(texts, method="embedding", provider=letters, against=column).against.max() == -1
    assert tx.dedup([None, ""], method="embedding", provider=letters).keep.tolist() == [True, True]


def test_a_model_on_this_machine(tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from onnx_models import write_graph, write_tokenizer

    vocabulary = write_tokenizer(tmp_path / "tokenizer.json")
    write_graph(tmp_path / "model.onnx", vocabulary)
    model = tx.LocalProvider.from_onnx(tmp_path / "model.onnx", tmp_path / "tokenizer.json", model_id="tiny")
    texts = ["the ferry left", "The ferry LEFT", "gulls", "", "the ferry left harbour", "gulls"]
    result = tx.dedup(texts, 0.999, method="embedding", provider=model)
    assert result.representative.tolist()[:4] == [0, 0, 2, 3]
    assert result.reason.tolist() == ["kept", "near", "kept", "empty", result.reason[4], "copy"]
    vectors = model.embed([text or "x" for text in texts])
    same = by(vectors, texts, threshold=0.999)
    assert same.representative.tolist() == result.representative.tolist()
    other = tx.EmbeddingColumn(vectors.vectors, "another")
    with pytest.raises(tx.ModelMismatchError):
        by(vectors, texts, against=other)
    with pytest.raises(tx.ModelMismatchError):
        tx.dedup(texts, method="embedding", provider=model, against=other)


class Failing(Letters):
    def embed(self, text):
        raise tx.InvalidInputError("no such word", row=0 if text == "a" else 1)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({}, tx.ConfigError, "neither"),
        ({"embeddings": VECTORS, "provider": Letters()}, tx.ConfigError, "both"),
        ({"embeddings": VECTORS[:2], "texts": ["a"]}, tx.InvalidInputError, "2 embeddings for 1 texts"),
        ({"embeddings": [[1, np.nan]]}, tx.InvalidInputError, "non-finite values \\(row 0\\)"),
        ({"embeddings": [1, 2]}, tx.InvalidInputError, "embeddings must have two axes, got shape \\(2,\\)"),
        ({"embeddings": [["a"]]}, tx.InvalidInputError, "embeddings must hold real numbers, got dtype <U1"),
        ({"embeddings": [[1, 2], [3]]}, tx.InvalidInputError, "embeddings must have rows of one length"),
        ({"embeddings": tx.EmbeddingColumn(VECTORS)[:, None]}, tx.InvalidInputError, "two axes"),
        ({"embeddings": VECTORS, "against": VECTORS[:, :2]}, tx.DimensionMismatchError, "a = 3, b = 2"),
        ({"embeddings": VECTORS, "against": ["text"]}, tx.InvalidInputError, "against must hold real numbers, got dty"),
        ({"embeddings": VECTORS, "against": tx.TextColumn(["a"])}, tx.ConfigError, "against must be embeddings"),
        ({"embeddings": VECTORS, "against": tx.EmbeddingIndex(VECTORS[:2])}, tx.ConfigError, "got EmbeddingIndex"),
        ({"embeddings": VECTORS, "against": tx.LshIndex()}, tx.ConfigError, "against"),
        ({"embeddings": VECTORS, "update": True}, tx.ConfigError, "update=True adds to an LshIndex"),
        ({"embeddings": VECTORS, "max_distance": 3}, tx.ConfigError, "threshold that decides"),
        ({"embeddings": VECTORS, "fingerprinter": tx.MinHashFingerprinter()}, tx.ConfigError, "no fingerprinter"),
        ({"embeddings": VECTORS, "scope": "containment"}, tx.ConfigError, "minhash"),
        ({"embeddings": VECTORS, "verify": "none"}, tx.ConfigError, "'exact'"),
        ({"embeddings": VECTORS, "search": "magic"}, tx.ConfigError, "search must be"),
        ({"embeddings": VECTORS, "threshold": 1.1}, tx.ConfigError, "threshold"),
        ({"embeddings": VECTORS, "keep": [1, 2]}, tx.InvalidInputError, "2 priorities for 6 rows"),
        ({"provider": Letters()}, tx.ConfigError, "texts are missing"),
        ({"provider": "letters", "texts": ["a"]}, tx.InvalidInputError, "provider must have"),
        ({"texts": "one text", "provider": Letters()}, tx.InvalidInputError, "column of documents"),
        ({"texts": ["a"], "method": "minhash", "embeddings": VECTORS}, tx.ConfigError, "method='embedding'"),
        ({"texts": ["a"], "method": "minhash", "provider": Letters()}, tx.ConfigError, "method='embedding'"),
        ({"texts": ["a"], "method": "simhash", "search": "exact"}, tx.ConfigError, "method='embedding'"),
        ({"method": "minhash"}, tx.InvalidInputError, "got None"),
        ({"texts": ["a"], "method": "simhash", "threshold": 0.7}, tx.ConfigError, "max_distance that decides"),
    ],
)
def test_what_is_refused(options, error, words):
    with pytest.raises(error) as caught:
        tx.dedup(**{"method": "embedding", **options})
    assert re.search(words, "\n".join([str(caught.value), *getattr(caught.value, "__notes__", [])]))


def test_errors_of_a_provider_name_the_row():
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.dedup(["", "a"], method="embedding", provider=Failing())
    assert caught.value.row == 1


@pytest.mark.parametrize("recall", [0.9, 0.999])
def test_codes_find_what_recall_says(recall):
    vectors = clustered(4000, 96, seed=3)
    exact = by(vectors, threshold=0.85)
    found = by(vectors, threshold=0.85, search="codes", recall=recall)
    missed = set(exact.pairs.tolist()) - set(found.pairs.tolist())
    assert set(found.pairs.tolist()) <= set(exact.pairs.tolist())
    assert len(missed) <= (1 - recall) * len(exact.pairs)
    again = by(vectors, threshold=0.85, search="codes", recall=recall, threads=3)
    assert again.pairs.tobytes() == found.pairs.tobytes()


def test_codes_with_others_and_odd_vectors():
    vectors = np.concatenate([VECTORS, VECTORS * 1e18, VECTORS * 1e-20]).astype(np.float32)
    for other in (None, VECTORS[2:3]):
        exact, found = by(vectors, against=other), by(vectors, against=other, search="codes")
        assert found.representative.tolist() == exact.representative.tolist()
        assert found.pairs.tolist() == exact.pairs.tolist()
    assert by(np.empty((0, 3)), search="codes").keep.tolist() == []
    assert by([[1, 2]], search="codes").keep.tolist() == [True]


def test_a_graph_finds_most():
    pytest.importorskip("usearch")
    vectors = clustered(2000, 48, seed=5)
    exact = by(vectors, threshold=0.85)
    found = by(vectors, threshold=0.85, search="usearch")
    pairs = set(found.pairs.tolist())
    assert pairs <= set(exact.pairs.tolist())
    assert len(pairs) > 0.95 * len(exact.pairs)
    one = [by(vectors, threshold=0.85, search="usearch", threads=1).pairs.tobytes() for _ in range(2)]
    assert one[0] == one[1]
    for other in (None, VECTORS[2:3]):
        assert by(VECTORS, against=other, search="usearch").keep.tolist() == by(VECTORS, against=other).keep.tolist()
    assert by(np.empty((0, 3)), search="usearch").keep.tolist() == []


@pytest.mark.parametrize("search", ["exact", "codes"])
def test_very_many_alike_cost_a_pair_each(search):
    """7,000 directions that nearly agree: 24 million pairs, of which 6,999 decide."""
    rng = np.random.default_rng(0)
    vectors = np.concatenate([1 + rng.normal(size=(7000, 8)) / 50, -np.ones((1, 8))])
    result = by(vectors, search=search)
    assert result.keep.tolist() == [True] + 6999 * [False] + [True]
    assert not result.all_pairs
    assert len(result.pairs) < 30_000
    assert result.with_threshold(0.9).keep.tolist() == result.keep.tolist()


def test_an_explanation_has_the_cosine():
    texts = ["one small step", "One giant step", "one small step", "other"]
    result = by([[1, 0], [3, 4], [5, 5], [0, 1]], texts)
    assert result.explain(0, 1).similarity == float(np.float32(0.6))
    assert result.explain(1, 2).similarity == float(np.float32(0.6))  # equal texts have the first one's vector
    assert result.explain(3, 0).similarity == 0
