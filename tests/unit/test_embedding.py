"""Embeddings: what is accepted, single-precision arithmetic in the crate's order, comparisons."""

import copy
import pickle
import struct

import numpy as np
import pytest

from txtfp_np.errors import DimensionMismatchError, InvalidInputError, ModelMismatchError
from txtfp_np.schema import Embedding


def f32(value):
    """Nearest single-precision number, without NumPy."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def dot_in_order(a, b):
    """Left to right, rounded after every step. Doubles hold products of singles exactly."""
    total = 0.0
    for x, y in zip(a, b, strict=True):
        total = f32(total + f32(x * y))
    return total


@pytest.mark.parametrize(
    "vector", [[1, 2], (1.0, 2.0), np.array([1, 2], np.float64), np.array([1, 2], ">f4"), range(1, 3)]
)
def test_what_is_accepted(vector):
    embedding = Embedding(vector, "m")
    assert embedding.vector.dtype == np.float32
    assert embedding.vector.tolist() == [1, 2]
    assert embedding.dim == 2
    assert embedding.model_id == "m"


def test_the_vector_is_a_copy():
    vector = np.array([3, 4], np.float32)
    Embedding(vector).normalize()
    assert vector.tolist() == [3, 4]
    strided = Embedding(np.arange(1, 7, dtype=np.float32)[::2])
    assert strided.vector.flags.c_contiguous


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([], "embedding vector is empty"),
        (np.zeros(0, np.float32), "embedding vector is empty"),
        ([1, np.nan], "embedding contains non-finite values"),
        ([np.inf], "embedding contains non-finite values"),
        ([-np.inf], "embedding contains non-finite values"),
        ([1e39], "embedding contains non-finite values"),
        (1.0, "embedding vector must have one axis, got shape ()"),
        ([[1, 2]], "embedding vector must have one axis, got shape (1, 2)"),
        ([[1], [1, 2]], "embedding vector must have one axis, got a ragged one"),
        (["a"], "embedding vector must hold real numbers, got dtype <U1"),
        ([True], "embedding vector must hold real numbers, got dtype bool"),
        ([1j], "embedding vector must hold real numbers, got dtype complex128"),
        ([None], "embedding vector must hold real numbers, got dtype object"),
    ],
)
def test_what_is_refused(vector, message):
    with pytest.raises(InvalidInputError) as caught:
        Embedding(vector)
    assert str(caught.value) == f"invalid input: {message}"
    assert caught.value.argument == "vector"


def test_model_id_is_checked():
    with pytest.raises(InvalidInputError, match="model_id must be a str or None, got 7"):
        Embedding([1], 7)


@pytest.mark.parametrize("dim", [1, 2, 7, 8, 9, 384, 1025])
def test_sums_are_the_crates(dim):
    """Bit by bit: single precision, first element to last."""
    rng = np.random.default_rng(dim)
    a, b = Embedding(rng.standard_normal(dim)), Embedding(rng.standard_normal(dim))
    x, y = a.vector.tolist(), b.vector.tolist()
    assert isinstance(a.dot(b), np.float32)
    assert float(a.dot(b)) == dot_in_order(x, y)
    norm = f32(dot_in_order(x, x) ** 0.5)
    assert isinstance(a.l2_norm(), np.float32)
    assert float(a.l2_norm()) == norm
    a.normalize()
    assert a.vector.tolist() == [f32(value / norm) for value in x]
    assert abs(a.l2_norm() - 1) < 1e-6


def test_normalize_leaves_what_has_no_length():
    for vector in ([0, 0], [3e38, 3e38]):  # the square of the second is infinite
        embedding = Embedding(vector)
        assert embedding.normalize() is None
        assert embedding == Embedding(vector)


def test_normalize_of_memory_that_is_not_to_be_written():
    vector = np.array([3, 4], np.float32)
    vector.flags.writeable = False
    buffers = []
    data = pickle.dumps(Embedding(vector), protocol=5, buffer_callback=buffers.append)
    embedding = pickle.loads(data, buffers=[bytes(buffer) for buffer in buffers])
    assert not embedding.vector.flags.writeable
    embedding.normalize()
    assert embedding == Embedding([0.6, 0.8])


def test_an_empty_embedding_of_the_crates_json_has_no_cosine():
    from txtfp_np import EmbeddingColumn, from_json, semantic_similarity

    empty = from_json('{"vector":[],"model_id":null}', "embedding")
    with pytest.raises(InvalidInputError, match="cannot compute cosine for a zero-norm embedding"):
        semantic_similarity(empty, empty)
    with pytest.raises(DimensionMismatchError):
        semantic_similarity(empty, EmbeddingColumn([[1.0]]))


def test_models_are_compared_before_dimensions():
    a, b = Embedding([1, 2], "m"), Embedding([1, 2, 3], "n")
    with pytest.raises(ModelMismatchError, match=r"^model id mismatch: a = m, b = n$"):
        a.dot(b)
    with pytest.raises(DimensionMismatchError, match=r"^dimension mismatch: a = 2, b = 3$"):
        a.dot(Embedding([1, 2, 3], "m"))
    with pytest.raises(InvalidInputError, match="expected an Embedding, got list"):
        a.dot([1, 2])


def test_an_unknown_model_fits_every_model():
    assert Embedding([1, 2], "m").dot(Embedding([3, 4])) == Embedding([1, 2]).dot(Embedding([3, 4], "n")) == 11


def test_equality():
    assert Embedding([1, 2], "m") == Embedding(np.array([1, 2]), "m")
    assert Embedding([1, 2], "m") != Embedding([1, 2])
    assert Embedding([1, 2]) != Embedding([1, 3])
    assert Embedding([1, 2]) != Embedding([1, 2, 3])
    assert Embedding([1, 2]) != [1, 2]
    with pytest.raises(TypeError, match="unhashable"):
        hash(Embedding([1]))


def test_repr():
    assert repr(Embedding([0.1, 1])) == "Embedding([0.1, 1.0])"
    assert repr(Embedding(range(6), "m")) == "Embedding([0.0, 1.0, 2.0, 3.0, ... 2 more], model_id='m')"


def test_copies():
    embedding = Embedding([1, 2], "m")
    for back in (pickle.loads(pickle.dumps(embedding)), copy.deepcopy(embedding)):
        assert back == embedding
        assert not np.shares_memory(back.vector, embedding.vector)


def test_the_semantic_part_exports_it():
    from txtfp_np import semantic

    assert semantic.Embedding is Embedding
