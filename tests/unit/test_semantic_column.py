"""Columns of embeddings, their cosines, and pooling: equal to plain Python of single precision."""

import pickle

import numpy as np
import pytest
from oracles import embeddings as oracle

import txtfp_np as tx


def random_vectors(n, dim, seed=0):
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


@pytest.mark.parametrize("dim", [1, 2, 7, 33])
def test_pairs_and_all_pairs_are_the_oracle(dim):
    a, b = tx.EmbeddingColumn(random_vectors(5, dim)), tx.EmbeddingColumn(random_vectors(5, dim, 1))
    expected = [[oracle.cosine(x.tolist(), y.tolist()) for y in b.vectors] for x in a.vectors]
    assert tx.semantic_similarity(a[:, None], b).tolist() == expected
    assert tx.semantic_similarity(a, b[:, None]).T.tolist() == expected
    assert tx.semantic_similarity(a, b).tolist() == [expected[row][row] for row in range(5)]
    assert tx.semantic_similarity(a[2], b).tolist() == expected[2]
    one = tx.semantic_similarity(a[2], b[3])
    assert isinstance(one, np.float32)
    assert one == expected[2][3]


def test_many_columns_and_threads_change_nothing():
    a, b = tx.EmbeddingColumn(random_vectors(300, 16)), tx.EmbeddingColumn(random_vectors(1100, 16, 1))
    full = tx.semantic_similarity(a[:, None], b, threads=1)
    assert np.array_equal(full, tx.semantic_similarity(a[:, None], b, threads=3))
    i, j = np.divmod(np.arange(0, full.size, 997), 1100)
    assert np.array_equal(full[i, j], tx.semantic_similarity(a[i], b[j]))
    assert full.shape == (300, 1100)


def test_norms_are_those_of_embeddings():
    column = tx.EmbeddingColumn(random_vectors(20, 50))
    assert column.l2_norm().tolist() == [embedding.l2_norm() for embedding in column]
    for row, normal in zip(column, column.normalized(), strict=True):
        row.normalize()
        assert row == normal
    huge = tx.EmbeddingColumn([[3e38, 3e38], [0, 0]])
    assert huge.normalized() == huge


def test_errors_come_in_the_crates_order():
    a = tx.EmbeddingColumn([[1, 2]], "m")
    with pytest.raises(tx.ModelMismatchError, match="model id mismatch: a = m, b = n"):
        tx.semantic_similarity(a, tx.Embedding([1, 2, 3], "n"))
    with pytest.raises(tx.DimensionMismatchError, match="dimension mismatch: a = 2, b = 3"):
        tx.semantic_similarity(a, tx.Embedding([1, 2, 3], "m"))
    with pytest.raises(tx.InvalidInputError, match=r"cannot compute cosine for a zero-norm embedding$"):
        tx.semantic_similarity(tx.Embedding([0, 0]), tx.Embedding([1, 0]))
    with pytest.raises(tx.InvalidInputError, match=r"zero-norm embedding \(row 1\)") as caught:
        tx.semantic_similarity(tx.Embedding([1, 0]), tx.EmbeddingColumn([[1, 0], [0, 0]]))
    assert caught.value.row == 1
    with pytest.raises(tx.InvalidInputError, match="do not broadcast"):
        tx.semantic_similarity(tx.EmbeddingColumn(np.ones((2, 3))), tx.EmbeddingColumn(np.ones((3, 3))))
    with pytest.raises(tx.InvalidInputError, match="b must be an Embedding or an EmbeddingColumn, got list"):
        tx.semantic_similarity(a, [1, 2])


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([1, 2], r"vectors must have two axes, got shape \(2,\)"),
        (np.empty((2, 0)), "embedding vector is empty"),
        ([[1], [1, 2]], "rows of one length"),
        ([["a"]], "must hold real numbers, got dtype <U1"),
        ([[1.0], [np.nan]], r"non-finite values \(row 1\)"),
        ([[1e39]], r"non-finite values \(row 0\)"),
    ],
)
def test_what_is_refused(vectors, message):
    with pytest.raises(tx.InvalidInputError, match=message):
        tx.EmbeddingColumn(vectors)


def test_from_embeddings():
    items = [tx.Embedding([1, 2]), tx.Embedding([3, 4], "m")]
    assert list(tx.EmbeddingColumn.from_embeddings(items)) == [tx.Embedding(item.vector, "m") for item in items]
    with pytest.raises(tx.ModelMismatchError) as caught:
        tx.EmbeddingColumn.from_embeddings([*items, tx.Embedding([1, 2], "n")])
    assert caught.value.row == 2
    with pytest.raises(tx.DimensionMismatchError):
        tx.EmbeddingColumn.from_embeddings([*items, tx.Embedding([1])])
    with pytest.raises(tx.InvalidInputError, match="at least one"):
        tx.EmbeddingColumn.from_embeddings([])


def test_a_column_is_immutable_and_travels():
    vectors = random_vectors(4, 3)
    column = tx.EmbeddingColumn(vectors, "m")
    assert np.shares_memory(column.vectors, vectors)
    with pytest.raises(ValueError, match="read-only"):
        column.vectors[0] = 0
    with pytest.raises(AttributeError, match="immutable"):
        column.model_id = "n"
    assert pickle.loads(pickle.dumps(column)) == column
    assert column[1:3] == tx.EmbeddingColumn(vectors[1:3], "m")
    assert column[np.array([True, False, False, True])] == column[[0, 3]]
    assert len(column[:0]) == 0
    with pytest.raises(IndexError):
        column[0, 0]
    empty = tx.semantic_similarity(column[:0], column[:0])
    assert empty.shape == (0,)


@pytest.mark.parametrize("shape", [(3,), (1, 3), (3, 1), (0,)])
@pytest.mark.parametrize(
    "index",
    [
        0,
        np.int32(-1),
        slice(None, None, -1),
        None,
        ...,
        True,
        [],
        [2, 0, 0],
        np.array([[0, 1], [1, 0]]),
        np.array([True, False, True]),
        (slice(None), 0),
        (slice(None), slice(None, None, -1)),
        (slice(None), None),
        (None, 0),
        (..., 0),
        (..., None),
        (0, ...),
        (slice(None), [0, 0, 1]),
        np.eye(3, dtype=bool),
        1.5,
        "a",
    ],
    ids=repr,
)
def test_an_index_chooses_embeddings(shape, index):
    """As of an array of objects; there are as many embeddings as elements, so that mixing them up would show."""
    vectors = random_vectors(int(np.prod(shape)), 3)
    column = tx.EmbeddingColumn(vectors, "m")
    objects = np.empty(len(column), object)
    objects[:] = list(column)
    objects = objects.reshape(shape)
    if shape == (1, 3):
        column = column[None]
    elif shape == (3, 1):
        column = column[:, None]
    try:
        expected = objects[index]
    except IndexError:
        with pytest.raises(IndexError):
            column[index]
        return
    if isinstance(expected, np.ndarray) and expected.ndim == 0:
        expected = expected.item()  # NumPy keeps an array where ... is in the index
    found = column[index]
    if isinstance(expected, tx.Embedding):
        assert found == expected
    else:
        assert found.shape == expected.shape
        assert found.model_id == "m"
        assert [tx.Embedding(row, "m") for row in found.vectors.reshape(-1, 3)] == expected.ravel().tolist()


def test_columns_are_joined():
    parts = [tx.EmbeddingColumn(random_vectors(n, 3, n), model) for n, model in [(2, None), (0, "m"), (3, "m")]]
    joined = tx.EmbeddingColumn.concat(parts)
    assert joined == tx.EmbeddingColumn(np.concatenate([part.vectors for part in parts]), "m")
    assert tx.EmbeddingColumn.concat(part for part in parts[:1]) == parts[0]
    with pytest.raises(tx.ModelMismatchError, match="a = m, b = n"):
        tx.EmbeddingColumn.concat([*parts, tx.EmbeddingColumn([[1, 2, 3]], "n")])
    with pytest.raises(tx.DimensionMismatchError, match="a = 3, b = 1"):
        tx.EmbeddingColumn.concat([*parts, tx.EmbeddingColumn([[1]])])
    with pytest.raises(tx.InvalidInputError, match="at least one"):
        tx.EmbeddingColumn.concat([])
    with pytest.raises(tx.InvalidInputError, match="expected an EmbeddingColumn, got ndarray"):
        tx.EmbeddingColumn.concat([joined.vectors])


def test_numpy_takes_a_column_as_its_matrix(tmp_path):
    column = tx.EmbeddingColumn(random_vectors(4, 3), "m")
    assert np.array_equal(np.asarray(column), column.vectors)
    assert np.asarray(column, np.float64).dtype == np.float64
    assert np.array(column).flags.writeable
    assert np.shares_memory(np.asarray(column), column.vectors)
    np.save(tmp_path / "column.npy", column)
    assert tx.EmbeddingColumn(np.load(tmp_path / "column.npy"), "m") == column
    with pytest.raises(tx.InvalidInputError, match=r"got an EmbeddingColumn: take its \.vectors"):
        tx.EmbeddingColumn(column)


@pytest.mark.parametrize("form", ["fortran", "strided", "big endian", "float16", "float64", "int8"])
def test_any_layout_of_vectors(form):
    plain = np.arange(-6, 6, dtype=np.float32).reshape(4, 3)
    given = {
        "fortran": np.asfortranarray(plain),
        "strided": np.repeat(plain, 2, axis=1)[:, ::2],
        "big endian": plain.astype(">f4"),
    }.get(form)
    given = plain.astype(form) if given is None else given
    assert tx.EmbeddingColumn(given) == tx.EmbeddingColumn(plain)
    for pooling in tx.Pooling:
        assert np.array_equal(pooling.apply(given), pooling.apply(plain))


@pytest.mark.parametrize("pooling", list(tx.Pooling))
def test_pooling_is_the_oracle(pooling):
    generator = np.random.default_rng(3)
    for n_tokens, dim in [(1, 1), (9, 1), (4, 5), (130, 3)]:
        batch = generator.normal(size=(6, n_tokens, dim)).astype(np.float32)
        mask = generator.integers(0, 2, (6, n_tokens))
        mask[0] = 0
        found = pooling.apply(batch, attention_mask=mask)
        assert found.tolist() == [
            oracle.pool(text.tolist(), kept.tolist(), str(pooling)) for text, kept in zip(batch, mask, strict=True)
        ]
        assert np.array_equal(pooling.apply(batch[1].ravel(), dim, mask[1]), found[1])
    short = mask[1][:7]
    assert pooling.apply(batch[1], attention_mask=short).tolist() == oracle.pool(
        batch[1].tolist(), short.tolist(), str(pooling)
    )


def test_pooling_edges():
    assert tx.Pooling.MEAN.apply([], 4).shape == (0,)
    assert tx.Pooling.MEAN.apply([1.0, 2.0], 0).shape == (0,)
    assert tx.Pooling.MAX.apply([[1.0, -2.0]], attention_mask=[0]).tolist() == [0, 0]
    assert tx.Pooling.CLS.apply([[0.0, 0.0]]).tolist() == [0, 0]
    assert tx.Pooling.MEAN.apply(np.ones((0, 3, 2))).shape == (0, 2)
    assert tx.Pooling.CLS.apply(np.ones((2, 0, 2))).tolist() == [[0, 0], [0, 0]]
    with pytest.raises(tx.InvalidInputError, match="multiple of hidden_dim = 2 numbers, got 3"):
        tx.Pooling.MEAN.apply([1.0, 2.0, 3.0], 2)
    with pytest.raises(tx.InvalidInputError, match="needs hidden_dim"):
        tx.Pooling.MEAN.apply([1.0])
    with pytest.raises(tx.InvalidInputError, match="last axis of hidden, 1, got 3"):
        tx.Pooling.MEAN.apply([[1.0]], 3)
    assert np.array_equal(tx.Pooling.MEAN_NO_NORM.apply([[1e300, 1.0]]), np.array([np.inf, 1], np.float32))
    with pytest.raises(tx.InvalidInputError, match="hidden must have rows of one length"):
        tx.Pooling.MEAN.apply([[1.0], [1.0, 2.0]])
    with pytest.raises(tx.InvalidInputError, match="attention_mask must have rows of one length"):
        tx.Pooling.MEAN.apply(np.ones((2, 3, 2)), attention_mask=[[1], [1, 1]])
    with pytest.raises(tx.InvalidInputError, match="attention_mask must have 2 rows"):
        tx.Pooling.MEAN.apply(np.ones((2, 3, 2)), attention_mask=[1, 1, 1])
