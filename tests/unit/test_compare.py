"""Comparing signatures: against plain Python, under broadcasting, on every memory layout."""

import math
import tracemalloc

import numpy as np
import pytest
from oracles import compare as oracle

from txtfp_np.compare import (
    broadcasting,
    cosine_estimate,
    cosine_estimate_pairs,
    hamming,
    hamming_pairs,
    hamming_similarity,
    hamming_similarity_pairs,
    jaccard,
    jaccard_pairs,
)
from txtfp_np.compare.signatures import _hamming_of, _jaccard_of
from txtfp_np.errors import ConfigError, DimensionMismatchError, InvalidInputError
from txtfp_np.kernels import compare as kernels
from txtfp_np.kernels.intrinsics import popcount
from txtfp_np.schema import empty_signature, minhash_dtype

EDGES = np.array([0, 1, 2**63, 2**64 - 1, 2**32, 0xAAAAAAAAAAAAAAAA], np.uint64)


def some_signatures(shape, h=16, seed=0):
    """Few distinct slots, so that many are equal."""
    shape = shape if isinstance(shape, tuple) else (shape,)
    sigs = np.zeros(shape, minhash_dtype(h))
    sigs["schema"] = 1
    sigs["hashes"] = np.random.default_rng(seed).choice(EDGES, (*shape, h))
    return sigs


def some_fingerprints(shape, bits=64, seed=0):
    shape = shape if isinstance(shape, tuple) else (shape,)
    rng = np.random.default_rng(seed)
    if bits == 32:
        return rng.integers(0, 1 << 32, shape, dtype=np.uint32)
    words = shape if bits == 64 else (*shape, bits // 64)
    return np.where(rng.random(words) < 0.2, rng.choice(EDGES, words), rng.integers(0, 1 << 64, words, dtype=np.uint64))


def naive_jaccard(a, b):
    shape = np.broadcast_shapes(np.shape(a), np.shape(b))
    pairs = zip(np.broadcast_to(a, shape).reshape(-1), np.broadcast_to(b, shape).reshape(-1), strict=True)
    return np.array([oracle.jaccard(x["hashes"].tolist(), y["hashes"].tolist()) for x, y in pairs], "f4").reshape(shape)


def naive_hamming(a, b, bits):
    n_words = max(1, bits // 64)
    a, b = (x if bits > 64 else np.asarray(x)[..., None] for x in (a, b))
    shape = np.broadcast_shapes(a.shape, b.shape)
    pairs = zip(*(np.broadcast_to(x, shape).reshape(-1, n_words).tolist() for x in (a, b)), strict=True)
    return np.array([oracle.hamming(x, y) for x, y in pairs], np.uint32).reshape(shape[:-1])


def assert_same(result, expected):
    assert result.dtype == expected.dtype
    assert result.shape == expected.shape
    np.testing.assert_array_equal(result, expected)


SHAPES = [
    ((), ()),
    ((5,), ()),
    ((), (5,)),
    ((5,), (5,)),
    ((5,), (1,)),
    ((5, 1), (3,)),
    ((5,), (3, 1)),
    ((1, 5), (3, 1)),
    ((2, 3, 1), (4,)),
    ((2, 1, 1), (3, 4)),
    ((2, 1, 4), (3, 1)),
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 3), (2, 1)),
    ((0,), (5, 1)),
    ((0,), ()),
    ((0, 1), (0,)),
]


# ── against the oracle ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(("shape_a", "shape_b"), SHAPES)
def test_jaccard_broadcasts(shape_a, shape_b):
    a, b = some_signatures(shape_a, seed=1), some_signatures(shape_b, seed=2)
    assert_same(jaccard(a, b), naive_jaccard(a, b))


@pytest.mark.parametrize("bits", [32, 64, 128, 256])
@pytest.mark.parametrize(("shape_a", "shape_b"), SHAPES)
def test_hamming_broadcasts(shape_a, shape_b, bits):
    a, b = some_fingerprints(shape_a, bits, seed=1), some_fingerprints(shape_b, bits, seed=2)
    expected = naive_hamming(a, b, bits)
    assert_same(hamming(a, b, bits=bits), expected)
    assert_same(hamming_similarity(a, b, bits=bits), (1 - expected / bits).astype(np.float32))
    cosines = np.array([math.cos(x) for x in np.pi * expected.reshape(-1) / bits]).reshape(expected.shape)
    estimate = cosine_estimate(a, b, bits=bits)
    assert estimate.dtype == np.float32
    assert estimate.shape == expected.shape
    np.testing.assert_allclose(estimate, cosines, atol=2e-7)


@pytest.mark.parametrize("h", [1, 2, 3, 7, 8, 9, 63, 64, 100, 128, 129, 4096])
def test_every_number_of_slots(h):
    sigs = some_signatures(5, h)
    assert_same(jaccard(sigs[:, None], sigs), naive_jaccard(sigs[:, None], sigs))
    i, j = np.array([0, 1, 4]), np.array([3, 1, 0])
    assert_same(jaccard_pairs(sigs, i, j), naive_jaccard(sigs[i], sigs[j]))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (2, 2), (3, 5), (1, 70), (70, 1), (9, 67)])
def test_edges_of_tiles(n, m):
    a, b = some_signatures(n, 128, seed=1), some_signatures(m, 128, seed=2)
    expected = (a["hashes"][:, None] == b["hashes"]).mean(axis=2).astype(np.float32)
    assert_same(jaccard(a[:, None], b), expected)
    assert_same(jaccard(b, a[:, None]), expected)


def test_wide_rows_of_hamming():
    a, b = some_fingerprints(3, 128, seed=1), some_fingerprints(9000, 128, seed=2)
    expected = np.bitwise_count(a[:, None] ^ b).sum(axis=2, dtype=np.uint32)
    assert_same(hamming(a[:, None], b, bits=128), expected)
    assert_same(hamming_similarity(a[:, None], b, bits=128), (1 - expected / 128).astype(np.float32))


def test_popcount():
    values = [0, 1, 2**63, 2**64 - 1, 0xF0F0]
    assert [int(hamming(value, 0)) for value in values] == [value.bit_count() for value in values] == [0, 1, 1, 64, 8]
    assert popcount is kernels.popcount


# ── what comes back ─────────────────────────────────────────────────────────────────────────────
def test_scalars():
    sigs = some_signatures(2)
    assert type(jaccard(sigs[0], sigs[1])) is np.float32
    assert type(hamming(1, np.uint64(2))) is np.uint32
    assert type(hamming(some_fingerprints((), 128), some_fingerprints((), 128), bits=128)) is np.uint32
    assert type(cosine_estimate(1, 2)) is type(hamming_similarity(1, 2)) is np.float32
    assert type(jaccard_pairs(sigs, 0, 1)) is np.float32
    assert type(hamming_pairs(np.array([1, 2], np.uint64), 0, 1)) is np.uint32


def test_header_is_not_looked_at():
    a, b = empty_signature(4), empty_signature(4)
    b["schema"] = 7
    b["_pad"] = 9
    assert jaccard(a, b) == 1


def test_ints():
    assert hamming(0, 2**64 - 1) == 64
    assert hamming(0, 2**32 - 1, bits=32) == 32
    assert_same(hamming([1, 2**64 - 1], 0), np.array([1, 64], np.uint32))
    assert_same(hamming([], 0), np.array([], np.uint32))


# ── memory layouts ──────────────────────────────────────────────────────────────────────────────
def frozen(array):
    array.flags.writeable = False
    return array


def unaligned(array):
    raw = np.empty(array.nbytes + 1, np.uint8)[1:]
    raw[:] = np.frombuffer(array.tobytes(), np.uint8)
    return raw.view(array.dtype).reshape(array.shape)


LAYOUTS = {
    "swapped": lambda array: array.astype(array.dtype.newbyteorder()),
    "strided": lambda array: np.repeat(array, 2, axis=0)[::2],
    "reversed": lambda array: array[::-1].copy()[::-1],
    "frozen": lambda array: frozen(array.copy()),
    "unaligned": unaligned,
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layouts(layout, tmp_path):
    lay = LAYOUTS[layout]
    sigs = some_signatures(6)
    assert_same(jaccard(lay(sigs)[:, None], lay(sigs)), jaccard(sigs[:, None], sigs))
    assert_same(jaccard_pairs(lay(sigs), [0, 1], [2, 3]), jaccard_pairs(sigs, [0, 1], [2, 3]))
    for bits in (32, 64, 128):
        fps = some_fingerprints(6, bits)
        assert_same(hamming(lay(fps)[:, None], lay(fps), bits=bits), hamming(fps[:, None], fps, bits=bits))
        pairs = ([0, 1], [2, 3])
        assert_same(hamming_pairs(lay(fps), *pairs, bits=bits), hamming_pairs(fps, *pairs, bits=bits))


def test_memory_maps(tmp_path):
    sigs = some_signatures(6)
    np.save(tmp_path / "sigs.npy", sigs)
    mapped = np.load(tmp_path / "sigs.npy", mmap_mode="r")
    assert_same(jaccard(mapped[:, None], mapped), jaccard(sigs[:, None], sigs))
    assert type(jaccard(mapped, mapped)) is np.ndarray


def test_kernels_compile_once():
    """One layout and mutability reach the kernels, whatever was given."""
    for name in ("jaccard_pairs", "jaccard_tile", "hamming_pairs", "hamming_tile", "hamming_values_tile"):
        signatures = getattr(getattr(kernels, name), "signatures", None)
        if signatures is not None:  # not with the JIT switched off
            assert len(signatures) <= 1, (name, signatures)


# ── pairs ───────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint8, np.uint64, ">i4"])
def test_indices_of_any_integer_type(dtype):
    sigs = some_signatures(6)
    i, j = np.array([0, 5, 2, 2]), np.array([1, 0, 2, 3])
    assert_same(jaccard_pairs(sigs, i.astype(dtype), j.astype(dtype)), jaccard(sigs[i], sigs[j]))


def test_pairs_broadcast():
    sigs, fps = some_signatures(6), some_fingerprints(6)
    rows = np.arange(6)
    assert_same(jaccard_pairs(sigs, rows[:, None], rows), jaccard(sigs[:, None], sigs))
    assert_same(hamming_pairs(fps, rows, 2), hamming(fps, fps[2]))
    for bits in (32, 64, 128, 256):
        fps = some_fingerprints(6, bits)
        assert_same(
            hamming_similarity_pairs(fps, rows[:, None], rows, bits=bits),
            hamming_similarity(fps[:, None], fps, bits=bits),
        )
        assert_same(
            cosine_estimate_pairs(fps, rows[:, None], rows, bits=bits), cosine_estimate(fps[:, None], fps, bits=bits)
        )
    assert_same(jaccard_pairs(sigs, [], []), np.array([], np.float32))
    assert_same(jaccard_pairs(sigs[:0], [], []), np.array([], np.float32))
    assert_same(jaccard_pairs(sigs, np.zeros((0, 3), int), [1, 2, 3]), np.zeros((0, 3), np.float32))


@pytest.mark.parametrize(
    ("i", "j", "message", "argument"),
    [
        ([0, 6, 7], [0, 0, 0], "i must lie between 0 and 5, got 6 at position 1", "i"),
        ([0, 1, 2], [5, 0, -1], "j must lie between 0 and 5, got -1 at position 2", "j"),
        (
            [0],
            np.array([2**64 - 1], np.uint64),
            "j must lie between 0 and 5, got 18446744073709551615 at position 0",
            "j",
        ),
        ([0.0], [1], "i must hold integers, got dtype float64", "i"),
        ([True], [1], "i must hold integers, got dtype bool", "i"),
        (np.zeros(0), [1], "i must hold integers, got dtype float64", "i"),
        ([0, 1], [0, 1, 2], "shapes (2,) of i and (3,) of j do not broadcast", None),
    ],
)
def test_wrong_indices(i, j, message, argument):
    for f, column in ((jaccard_pairs, some_signatures(6)), (hamming_pairs, some_fingerprints(6))):
        with pytest.raises(InvalidInputError) as caught:
            f(column, i, j)
        assert str(caught.value) == f"invalid input: {message}"
        assert caught.value.argument == argument


def test_indices_into_nothing():
    with pytest.raises(InvalidInputError, match="i must be empty, there are no rows"):
        jaccard_pairs(some_signatures(0), [0], [0])


def test_pairs_need_a_column():
    with pytest.raises(InvalidInputError, match=r"sigs must have one axis, got shape \(2, 3\)"):
        jaccard_pairs(some_signatures((2, 3)), 0, 1)
    with pytest.raises(InvalidInputError, match=r"fps must have one axis, got shape \(\)"):
        hamming_pairs(np.array([1, 2], np.uint64), 0, 1, bits=128)


# ── threads and memory ──────────────────────────────────────────────────────────────────────────
def test_threads_and_tiles_change_nothing(monkeypatch):
    sigs, fps = some_signatures(40), some_fingerprints(40, 128)
    rows = np.arange(40)
    calls = [
        lambda **options: jaccard(sigs[:, None], sigs, **options),
        lambda **options: jaccard(sigs, sigs[::-1], **options),
        lambda **options: jaccard_pairs(sigs, rows, rows[::-1], **options),
        lambda **options: hamming(fps[:, None], fps, bits=128, **options),
        lambda **options: cosine_estimate(fps[:, None], fps, bits=128, **options),
        lambda **options: cosine_estimate(fps, fps[::-1], bits=128, **options),
        lambda **options: hamming_pairs(fps, rows, rows[::-1], bits=128, **options),
    ]
    expected = [call(threads=1) for call in calls]
    monkeypatch.setattr(broadcasting, "_PAIRS_A_BLOCK", 7)
    monkeypatch.setattr(broadcasting, "_TILE_COLUMNS", 9)
    monkeypatch.setattr("txtfp_np.compare.signatures._JACCARD_TILE", 50)
    monkeypatch.setattr("txtfp_np.compare.signatures._HAMMING_TILE", 50)
    for threads in (1, 2, 5):
        for call, wanted in zip(calls, expected, strict=True):
            assert_same(call(threads=threads), wanted)


@pytest.mark.skipif(not hasattr(kernels.jaccard_tile, "signatures"), reason="minutes without the JIT")
def test_all_pairs_take_little_more_than_the_result():
    sigs = some_signatures(1500, 128)
    jaccard(sigs[:2, None], sigs[:2])  # compiled, imported
    tracemalloc.start()
    try:
        result = jaccard(sigs[:, None], sigs, threads=2)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < result.nbytes + (1 << 20)


def test_threads_are_checked():
    for f in (
        lambda: jaccard(some_signatures(2), some_signatures(2), threads=0),
        lambda: hamming(1, 2, threads=True),
        lambda: jaccard_pairs(some_signatures(2), 0, 1, threads=1.5),
    ):
        with pytest.raises(ConfigError, match="threads must be None or an int >= 1"):
            f()


# ── what is refused ─────────────────────────────────────────────────────────────────────────────
def test_different_numbers_of_slots():
    with pytest.raises(DimensionMismatchError, match=r"^dimension mismatch: a = 4, b = 8$"):
        jaccard(some_signatures(2, 4), some_signatures(2, 8))


@pytest.mark.parametrize("wrong", [np.zeros(2), np.zeros(2, np.uint64), 7, None, "x", [1, 2]])
def test_not_minhash(wrong):
    sigs = some_signatures(2)
    with pytest.raises(InvalidInputError, match="b must hold MinHash signatures, got dtype"):
        jaccard(sigs, wrong)
    with pytest.raises(InvalidInputError, match="a must hold MinHash signatures, got dtype"):
        jaccard(wrong, sigs)


@pytest.mark.parametrize(
    ("wrong", "bits", "message"),
    [
        (np.zeros(2, np.int64), 64, "a must be uint64 for bits = 64, got int64"),
        (np.zeros(2), 64, "a must be uint64 for bits = 64, got float64"),
        (np.zeros(2, np.uint32), 64, "a must be uint64 for bits = 64, got uint32"),
        (np.zeros(2, np.uint64), 32, "a must be uint32 for bits = 32, got uint64"),
        (np.zeros((2, 4), np.uint64), 128, "the last axis of a must have 2 words for bits = 128, got shape (2, 4)"),
        (np.zeros((), np.uint64), 256, "the last axis of a must have 4 words for bits = 256, got shape ()"),
        (-1, 64, "a must lie between 0 and 2**64 - 1, got -1"),
        (2**64, 64, "a must lie between 0 and 2**64 - 1, got 18446744073709551616"),
        ([1, 2**32], 32, "a must lie between 0 and 2**32 - 1, got 4294967296"),
        (7, 128, "a must be an array of words, got int"),
        (1.5, 64, "a must be an int or an array, got float"),
        (True, 64, "a must be an int or an array, got bool"),
        (None, 64, "a must be an int or an array, got NoneType"),
        ("7", 64, "a must be an int or an array, got str"),
        ([1.5], 64, "a must be an int or an array, got list"),
    ],
)
def test_not_fingerprints(wrong, bits, message):
    right = some_fingerprints(2, bits)
    for f in (hamming, cosine_estimate, hamming_similarity):
        with pytest.raises(InvalidInputError) as caught:
            f(wrong, right, bits=bits)
        assert str(caught.value) == f"invalid input: {message}"
        assert caught.value.argument == "a"


@pytest.mark.parametrize("bits", [0, 63, 512, "64", 64.0, None, True])
def test_bits_are_checked(bits):
    for f in (hamming, cosine_estimate, hamming_similarity, lambda a, b, bits: hamming_pairs([1], a, b, bits=bits)):
        with pytest.raises(ConfigError, match="bits must be 32, 64, 128 or 256, got"):
            f(0, 0, bits=bits)


def test_shapes_that_do_not_fit():
    with pytest.raises(InvalidInputError, match=r"shapes \(2,\) and \(3,\) do not broadcast"):
        jaccard(some_signatures(2), some_signatures(3))
    with pytest.raises(InvalidInputError, match=r"shapes \(2,\) and \(3,\) do not broadcast"):
        hamming(some_fingerprints(2, 128), some_fingerprints(3, 128), bits=128)


# ── laws ────────────────────────────────────────────────────────────────────────────────────────
def test_laws():
    """1 with itself, symmetric, bounded; distances obey the triangle inequality."""
    sigs, fps = some_signatures(20), some_fingerprints(20)
    similar = jaccard(sigs[:, None], sigs)
    assert (np.diag(similar) == 1).all()
    assert (similar == similar.T).all()
    assert ((similar >= 0) & (similar <= 1)).all()
    distance = hamming(fps[:, None], fps).astype(int)
    assert (np.diag(distance) == 0).all()
    assert (distance == distance.T).all()
    assert (distance[:, None] <= distance[:, :, None] + distance[None]).all()


def test_comparisons_are_built_without_reading_data():
    words = np.zeros((3, 2), np.uint64)
    assert _jaccard_of(words, words).dtype is np.float32
    assert _hamming_of(words, words, None).dtype is np.uint32
