"""Codes of embeddings against plain Python, where sizes divide and where they do not."""

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.errors import ConfigError, InvalidInputError, ModelMismatchError


def unpacked(codes, bits):
    return np.unpackbits(codes, axis=-1, bitorder="little", count=bits)


def vectors(n=7, dim=384, seed=1):
    return np.random.default_rng(seed).normal(size=(n, dim)).astype(np.float32)


def binary_by_hand(vector, bits):
    columns = [[] for _ in range(bits)]
    for number, value in enumerate(vector):
        columns[number % bits].append(float(value))
    return [int(sum(column) / len(column) > 0) for column in columns]


def hyperplanes_by_hand(vector, bits, parts, seed):
    dim = len(vector)
    widths = [len(part) for part in np.array_split(np.arange(dim), parts)]
    counts = [len(part) for part in np.array_split(np.arange(bits), parts)]
    normals = np.random.RandomState(seed).standard_normal((max(counts), max(widths)))
    found, begin = [], 0
    for width, count in zip(widths, counts, strict=True):
        part = vector[begin : begin + width]
        for normal in normals[:count]:
            found.append(int(sum(float(x) * float(y) for x, y in zip(part, normal, strict=False)) >= 0))
        begin += width
    return found


@pytest.mark.parametrize(("dim", "bits"), [(384, 128), (384, 32), (768, 128), (384, 384), (10, 3), (5, 4), (1, 1)])
def test_binary_hash_is_that_of_plain_python(dim, bits):
    x = vectors(dim=dim)
    codes = tx.BinaryHash(bits).fingerprint(x)
    assert codes.dtype == np.uint8
    assert codes.shape == (7, -(-bits // 8))
    assert unpacked(codes, bits).tolist() == [binary_by_hand(row, bits) for row in x]


def test_binary_hash_is_the_papers_where_it_divides():
    x = vectors()
    paper = x.astype(float).reshape(7, -1, 128).mean(axis=1) > 0
    assert np.array_equal(unpacked(tx.BinaryHash(128).fingerprint(x), 128), paper)
    signs = tx.BinaryHash(384).fingerprint(x)
    assert np.array_equal(unpacked(signs, 384), x > 0)


@pytest.mark.parametrize(
    ("dim", "bits", "parts"), [(384, 128, 8), (384, 128, 1), (384, 128, 6), (384, 128, 12), (50, 31, 7), (9, 1024, 4)]
)
def test_hyperplane_hash_is_that_of_plain_python(dim, bits, parts):
    x = vectors(dim=dim)
    codes = tx.HyperplaneHash(bits, parts, seed=5).fingerprint(x)
    assert codes.shape == (7, -(-bits // 8))
    wanted = [hyperplanes_by_hand(row, bits, parts, 5) for row in x]
    assert unpacked(codes, bits).tolist() == wanted


@pytest.mark.parametrize("hasher", [tx.BinaryHash(64), tx.HyperplaneHash(64, 4)])
def test_length_and_batch_do_not_matter_and_axes_stay(hasher):
    x = vectors(n=24)
    codes = hasher.fingerprint(x)
    assert np.array_equal(hasher.fingerprint(2.0 * x), codes)
    assert np.array_equal(hasher.fingerprint(x.reshape(2, 3, 4, 384)), codes.reshape(2, 3, 4, 8))
    assert np.array_equal(hasher.fingerprint([tx.Embedding(row) for row in x]), codes)
    assert np.array_equal(hasher.fingerprint(tx.Embedding(x[0])), codes[0])
    assert hasher.fingerprint(x[:0]).shape == (0, 8)
    many = np.tile(x, (200, 1))
    assert np.array_equal(hasher.fingerprint(many), np.tile(codes, (200, 1)))


def test_angles_become_distances():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(200, 64))
    b = a + 0.7 * rng.normal(size=a.shape)
    codes = tx.HyperplaneHash(4096).fingerprint(np.concatenate([a, b]))
    share = 1 - tx.similarity(codes[:200], codes[200:], kind="bits")
    angles = np.arccos(tx.cosine(a, b)) / np.pi
    assert np.abs(share - angles).max() < 5 * np.sqrt(0.25 / 4096)
    assert abs((share - angles).mean()) < 5 * np.sqrt(0.25 / 4096 / 200) + 0.002  # planes are shared by all pairs


def test_zero_vectors_and_the_bits_behind_the_last():
    zero = np.zeros(16)
    assert tx.BinaryHash(12).fingerprint(zero).tolist() == [0, 0]
    assert tx.HyperplaneHash(12, 2).fingerprint(zero).tolist() == [0xFF, 0x0F]


@pytest.mark.filterwarnings("error")
def test_huge_embeddings_have_the_codes_of_short_ones():
    x = vectors(n=5).astype(np.float64)
    x /= np.abs(x).max()
    huge = x * 1.7e308
    huge[2] = x[2] * 1e-300
    for hasher in (tx.BinaryHash(7), tx.HyperplaneHash(64, 3)):
        assert np.array_equal(hasher.fingerprint(huge), hasher.fingerprint(x))
    assert tx.BinaryHash(1).fingerprint([1e308, 1e308, 1e308, -1e308, -1e308, -1.1e308]).tolist() == [0]


def test_identity():
    assert tx.BinaryHash(64).algorithm == "binaryhash-b64"
    assert tx.HyperplaneHash(128, 6).algorithm == "hyperplanehash-b128-k6-s123"
    assert tx.HyperplaneHash(128, 6) == tx.HyperplaneHash(128).replace(parts=6)
    assert not np.array_equal(*(tx.HyperplaneHash(64, seed=seed).fingerprint(vectors()) for seed in (1, 2)))


def test_the_grid_has_every_combination():
    x = vectors(n=20)
    seen = []
    grid = tx.hyperplane_grid(x, lambda codes: seen.append(codes) or codes.shape[1], bits=[32, 128], parts=[1, 6, 12])
    assert grid == [(32, 1, 4), (32, 6, 4), (32, 12, 4), (128, 1, 16), (128, 6, 16), (128, 12, 16)]
    assert np.array_equal(seen[4], tx.HyperplaneHash(128, 6).fingerprint(x))


def test_the_grid_leaves_out_what_cannot_be_unless_it_is_asked_for():
    small = vectors(n=3)[:, :5]
    grid = tx.hyperplane_grid(small, lambda codes: np.float32("nan"), bits=[2, 64])
    assert [cell[:2] for cell in grid] == [(2, 1), (2, 2), (64, 1), (64, 2), (64, 4)]
    assert all(np.isnan(cell.value) for cell in grid)
    judged = []
    for parts, wrong in (([1, 6], "at most the 5 dimensions"), ([1, 3], r"at most bits \(2\)")):
        with pytest.raises(ConfigError, match=f"parts must be {wrong}"):
            tx.hyperplane_grid(small, judged.append, bits=[2, 64] if 3 in parts else [64], parts=parts)
    assert judged == []  # refused before the work
    for option in ({"bits": 64}, {"bits": "64"}, {"bits": [0]}, {"parts": [1.5]}, {"parts": 3}):
        with pytest.raises(ConfigError, match=next(iter(option))):
            tx.hyperplane_grid(small, judged.append, **option)
    with pytest.raises(ConfigError, match="judge must be a function"):
        tx.hyperplane_grid(small, 0.5)
    for figure in (None, "0.5", [1, 2], np.ones(2)):
        with pytest.raises(ConfigError, match="judge must give a number"):
            tx.hyperplane_grid(small, lambda codes, figure=figure: figure)
    small[2, 1] = np.nan
    with pytest.raises(InvalidInputError, match=r"embeddings must be finite \(row 2\)"):
        tx.hyperplane_grid(small, judged.append)


def test_a_column_of_embeddings_has_codes():
    x = vectors(n=6).astype(np.float32)
    column = tx.EmbeddingColumn(x, "m")
    for hasher in (tx.BinaryHash(64), tx.HyperplaneHash(64, 3)):
        assert np.array_equal(hasher.fingerprint(column), hasher.fingerprint(x))
    assert np.array_equal(tx.similarity(column, x, kind="embedding"), tx.similarity(x, x, kind="embedding"))


def test_what_codes_refuse():
    with pytest.raises(ConfigError, match="bits must be at most the 384 dimensions"):
        tx.BinaryHash(512).fingerprint(vectors())
    with pytest.raises(ConfigError, match="parts must be at most the 384 dimensions"):
        tx.HyperplaneHash(512, 400).fingerprint(vectors())
    with pytest.raises(ConfigError, match="parts must be at most bits"):
        tx.HyperplaneHash(8, 9)
    for made in (lambda: tx.BinaryHash(0), lambda: tx.HyperplaneHash(8, 0), lambda: tx.HyperplaneHash(8, seed=-1)):
        with pytest.raises(ConfigError):
            made()
    with pytest.raises(InvalidInputError, match=r"embeddings must be finite \(row 1\)"):
        tx.BinaryHash(1).fingerprint([[1.0], [np.inf]])
    with pytest.raises(InvalidInputError, match="rows of different length"):
        tx.BinaryHash(1).fingerprint([[1.0], [1.0, 2.0]])
    with pytest.raises(InvalidInputError, match="real numbers along its last axis"):
        tx.BinaryHash(1).fingerprint(["text"])
    with pytest.raises(ModelMismatchError):
        tx.BinaryHash(1).fingerprint([tx.Embedding([1.0], "a"), tx.Embedding([1.0], "b")])
