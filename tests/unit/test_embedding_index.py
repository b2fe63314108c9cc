"""EmbeddingIndex: what the contract of all indexes does not ask."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from vector_support import Letters, clustered

import txtfp_np as tx
from txtfp_np.index import nearest

elements = st.integers(-2, 2).map(np.float32)
vectors = arrays(np.float32, st.tuples(st.integers(1, 20), st.just(3)), elements=elements).map(
    lambda rows: rows[rows.any(axis=1)]
)


def ranked(held, probes, k, threshold):
    """Rows and cosines of all, sorted: nearest first, then by insertion."""
    shares = tx.cosine(probes[:, None], held) if len(held) and len(probes) else np.zeros((len(probes), len(held)))
    rows = []
    for share in np.float32(shares):
        order = np.argsort(-share, kind="stable")
        if threshold is not None:
            order = order[share[order] >= np.float32(threshold)]
        order = order[:k]
        rows.append((order.tolist(), share[order].tolist()))
    return rows


def answers(index, probes, **options):
    indptr, ids, similarity = index.query(probes, return_similarity=True, **options)
    bounds = list(zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True))
    return [(ids[begin:end].tolist(), similarity[begin:end].tolist()) for begin, end in bounds]


@settings(max_examples=120, deadline=None)
@given(
    vectors,
    vectors,
    st.integers(0, 6) | st.none(),
    st.sampled_from([None, -1, 0.0, 0.5, 0.8, 1.0]),
    st.integers(1, 8),
    st.integers(1, 3),
    st.sets(st.integers(0, 19)),
)
def test_nearest_are_those_of_numpy(held, probes, k, threshold, tile, block, gone):
    if k is None and threshold is None:
        threshold = -1
    index = tx.EmbeddingIndex(search="exact")
    for begin in range(0, len(held), 7):
        index.insert(held[begin : begin + 7])
    gone = {row for row in gone if row < len(held)}
    index.remove(list(gone))
    left = [row for row in range(len(held)) if row not in gone]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nearest, "_TILE", tile)
        patch.setattr(nearest, "_PROBES", block)
        found = answers(index, probes, k=k, threshold=threshold)
    expected = ranked(held[left], probes, k, threshold)
    assert found == [([left[row] for row in rows], shares) for rows, shares in expected]


@pytest.mark.parametrize("search", ["exact", "codes", "usearch"])
def test_many(search):
    if search == "usearch":
        pytest.importorskip("usearch")
    held, probes = clustered(6000, 64, seed=1), clustered(6000, 64, seed=1)[:300]
    index = tx.EmbeddingIndex(held[:4000], search=search)
    index.query(probes[:2])
    index.insert(held[4000:])
    index.remove(np.arange(0, 6000, 3))
    index.compact()
    left = np.setdiff1d(np.arange(6000), np.arange(0, 6000, 3))
    units = held.astype(np.float64) / np.linalg.norm(held.astype(np.float64), axis=1, keepdims=True)
    shares = (units[:300] @ units[left].T).astype(np.float32)
    for options in ({"k": 10}, {"k": None, "threshold": 0.8}, {"k": 3, "threshold": 0.5}):
        found = answers(index, probes, **options)
        n_expected = n_found = 0
        for share, (ids, similarity) in zip(shares, found, strict=True):
            order = np.argsort(-share, kind="stable")[: options["k"]]
            expected = left[order[share[order] >= options.get("threshold", -2)]].tolist()
            assert similarity == sorted(similarity, reverse=True)
            assert all(share[np.searchsorted(left, i)] == s for i, s in zip(ids, similarity, strict=True))
            n_expected += len(expected)
            n_found += len(set(expected) & set(ids))
        assert n_found >= (1 if search == "exact" else 0.9) * n_expected
    assert index.nbytes == 4000 * (8 + 64 * 4 + (32 if search == "codes" else 0))
    assert len(pickle.loads(pickle.dumps(index))) == 4000


@pytest.mark.parametrize("search", ["exact", "codes", "usearch"])
def test_saved_and_opened(search, tmp_path):
    if search == "usearch":
        pytest.importorskip("usearch")
    rows = clustered(300, 16)
    index = tx.EmbeddingIndex(tx.EmbeddingColumn(rows[:200], "m"), search=search)
    index.save(tmp_path / "index")
    index = tx.EmbeddingIndex.open(tmp_path / "index")
    index.insert(rows[200:])
    index.remove([0, 250])
    before = answers(index, rows, k=5)
    index.save(tmp_path / "index")
    again = tx.EmbeddingIndex.open(tmp_path / "index")
    again.verify()
    assert repr(again) == f"EmbeddingIndex(298 embeddings, dim=16, model_id='m', search={search!r})"
    if search != "usearch":
        assert answers(again, rows, k=5) == before
    assert answers(again, rows, k=1)[7][0] == [7]
    index.compact()
    assert index.ids.tolist() == again.ids.tolist()


def test_ids():
    index = tx.EmbeddingIndex()
    assert repr(index) == "EmbeddingIndex(0 embeddings, search='exact')"
    assert index.insert([[1, 0], [0, 1]]).tolist() == [0, 1]
    assert index.insert([[1, 1]], ids=[2**63]).tolist() == [2**63]
    assert index.insert([[1, 2]]).tolist() == [2**63 + 1]
    index.insert([[2, 2], [1, 0], [0, 5]], ids=[1, 7, 1])
    assert index.ids.tolist() == [0, 2**63, 2**63 + 1, 7, 1]
    assert index.query([0, 1], k=1).tolist() == [1]
    assert 7 in index
    assert 8 not in index
    assert "a" not in index
    assert index.insert(np.empty((0, 2))).tolist() == []
    with pytest.raises(tx.InvalidInputError, match="ids must be given"):
        tx.EmbeddingIndex([[1, 0]], ids=[2**64 - 1]).insert([[1, 0]])


def test_what_most_rows_left_behind_is_swept():
    index = tx.EmbeddingIndex(clustered(9000, 4))
    index.remove(np.arange(8000))
    assert index.nbytes == 1000 * (8 + 16)
    assert index.ids[0] == 8000
    index.remove(np.arange(9000))
    assert index.query([1, 0, 0, 0]).tolist() == []


def test_texts():
    index = tx.EmbeddingIndex(["listen", "quite other words", "enlist"], ids=[3, 4, 5], provider=Letters())
    assert index.query("silent", k=2).tolist() == [3, 5]
    indptr, ids = index.query(["silent"], k=1)
    assert (indptr.tolist(), ids.tolist()) == ([0, 1], [3])
    assert index.query(tx.Embedding(np.eye(1, 26)[0], "letters"), k=1, threshold=0.9).tolist() == []
    assert index.model_id == "letters"
    copy = pickle.loads(pickle.dumps(index))
    assert copy.query(Letters().embed("words"), k=1).tolist() == [4]
    with pytest.raises(tx.ConfigError, match="provider"):
        copy.query("silent")
    with pytest.raises(tx.ModelMismatchError):
        index.query(tx.Embedding(np.eye(1, 26)[0], "other"))
    with pytest.raises(tx.InvalidInputError, match="zero-norm embedding \\(row 1\\)"):
        index.insert(["a", "!"])


class Tensor:
    """As libraries of models give vectors: an array to NumPy, but no array of NumPy's."""

    def __init__(self, values):
        self.values = np.asarray(values)
        self.ndim = self.values.ndim

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return Tensor(self.values[index])

    def __array__(self, dtype=None, copy=None):
        return np.array(self.values, dtype)


def test_numbers_that_are_no_arrays():
    rows = [[1.0, 0.0], [0.6, 0.8]]
    index = tx.EmbeddingIndex(Tensor(rows))
    assert index.query(Tensor(rows[1]), k=1).tolist() == [1]
    assert index.query(Tensor([[0, 3]]), k=1)[1].tolist() == [1]
    pandas = pytest.importorskip("pandas")
    named = pandas.DataFrame(rows, index=["a", "b"])
    assert tx.EmbeddingIndex(named).query(named.loc["b"], k=1).tolist() == [1]
    with pytest.raises(tx.ConfigError, match="texts need a provider"):
        index.query(pandas.Series(["a", "b"]))
    with pytest.raises(tx.InvalidInputError, match="must hold real numbers, got dtype object") as caught:
        tx.EmbeddingColumn(pandas.Series(rows))
    assert caught.value.advice == "np.stack(column) makes a matrix of a column of lists."
    with pytest.raises(tx.InvalidInputError, match=r"embeddings must have two axes, got shape \(\)"):
        index.query(3.0)


def test_a_model_on_this_machine(tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("onnx")
    from onnx_models import write_graph, write_tokenizer

    vocabulary = write_tokenizer(tmp_path / "tokenizer.json")
    write_graph(tmp_path / "model.onnx", vocabulary)
    model = tx.LocalProvider.from_onnx(
        tmp_path / "model.onnx", tmp_path / "tokenizer.json", model_id="tiny", query_prefix="query :"
    )
    index = tx.EmbeddingIndex(["the ferry left", "gulls", "more words"], provider=model)
    index.save(tmp_path / "index")
    index = tx.EmbeddingIndex.open(tmp_path / "index", provider=model)
    found, similarity = index.query("the ferry left", k=1, return_similarity=True)
    assert found.tolist() == [0]
    assert similarity[0] == tx.cosine(model.embed_query("the ferry left").vector, model.embed("the ferry left").vector)
    with pytest.raises(tx.InvalidInputError, match="empty document"):
        index.query("")


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda index: index.insert([[1, 2, 3]]), tx.DimensionMismatchError, "a = 2, b = 3"),
        (lambda index: index.insert([[1, np.inf]]), tx.InvalidInputError, "row 0"),
        (lambda index: index.insert([[1, 2], [0, 0]]), tx.InvalidInputError, "zero-norm embedding \\(row 1\\)"),
        (lambda index: index.insert([[1, 2]], ids=[1, 2]), tx.InvalidInputError, "2 ids for 1 embeddings"),
        (lambda index: index.insert([[1, 2]], ids=[-1]), tx.InvalidInputError, "ids must be"),
        (lambda index: index.insert(["a"]), tx.ConfigError, "provider"),
        (lambda index: index.query([0, 0]), tx.InvalidInputError, "zero-norm embedding$"),
        (lambda index: index.query([1, 0], k=None), tx.ConfigError, "k or threshold"),
        (lambda index: index.query([1, 0], k=-1), tx.ConfigError, "k must be"),
        (lambda index: index.query([1, 0], threshold=2), tx.ConfigError, "threshold must be"),
        (lambda index: index.query([1, 0], threads=0), tx.ConfigError, "threads"),
        (lambda index: index.remove([0.5]), tx.InvalidInputError, "ids must be"),
        (lambda index: tx.EmbeddingIndex(search="magic"), tx.ConfigError, "search must be"),
        (lambda index: tx.EmbeddingIndex([[1, 2]], provider="p").query("a"), tx.InvalidInputError, "provider must"),
    ],
)
def test_what_is_refused(call, error, words):
    index = tx.EmbeddingIndex([[1, 0], [0, 1]])
    with pytest.raises(error, match=words):
        call(index)
    assert index.ids.tolist() == [0, 1]
