"""b-bit MinHash against plain Python: packing, the estimate and its spread, shapes, errors."""

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.compare import jaccard_bits, jaccard_bits_pairs, pack_bits
from txtfp_np.errors import ConfigError, DimensionMismatchError, InvalidInputError
from txtfp_np.schema import minhash_dtype

WIDTHS = [1, 2, 4, 8, 16]
SLOTS = [1, 3, 7, 8, 63, 64, 65, 127, 128, 200]


def make(n, h, seed=0, values=None):
    sigs = np.zeros(n, minhash_dtype(h))
    sigs["schema"] = 1
    sigs["hashes"] = np.random.default_rng(seed).integers(0, values or 2**64, (n, h), dtype=np.uint64)
    return sigs


def packed_by_hand(slots, b):
    number = sum((slot % 2**b) << (i * b) for i, slot in enumerate(slots))
    return number.to_bytes(-(-len(slots) * b // 8), "little")


def fields(row, h, b):
    number = int.from_bytes(bytes(row), "little")
    return [(number >> (i * b)) % 2**b for i in range(h)]


def estimate(a, other, h, b):
    equal = sum(x == y for x, y in zip(fields(a, h, b), fields(other, h, b), strict=True))
    chance = 2.0**-b
    return np.float32(min(max((equal / h - chance) / (1 - chance), 0), 1))


def pairs_of_similarity(n, h, similarity, seed):
    """Signatures whose slots agree with that probability, and are independent else."""
    a, other = make(n, h, seed), make(n, h, seed + 1)
    same = np.random.default_rng(seed + 2).random((n, h)) < similarity
    other["hashes"] = np.where(same, a["hashes"], other["hashes"])
    return a, other


# ── packing ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("b", WIDTHS)
@pytest.mark.parametrize("h", SLOTS)
def test_packing_is_that_of_plain_python(h, b):
    sigs = make(9, h, seed=h)
    packed = pack_bits(sigs, b)
    assert packed.dtype == np.uint8
    assert packed.shape == (9, -(-h * b // 8))
    assert packed.flags.c_contiguous
    for row, slots in zip(packed, sigs["hashes"].tolist(), strict=True):
        assert row.tobytes() == packed_by_hand(slots, b)
        assert fields(row, h, b) == [slot % 2**b for slot in slots]


def test_sixteen_bits_are_the_lower_halves_of_words():
    sigs = make(5, 32)
    assert np.array_equal(pack_bits(sigs, 16).view("<u2"), sigs["hashes"].astype("<u2"))


def test_packing_keeps_the_axes():
    sigs = make(12, 10)
    packed = pack_bits(sigs, 4)
    assert np.array_equal(pack_bits(sigs[3], 4), packed[3])
    assert np.array_equal(pack_bits(sigs.reshape(3, 4), 4), packed.reshape(3, 4, 5))
    assert np.array_equal(pack_bits(sigs[::-2], 4), packed[::-2])
    assert pack_bits(sigs[:, None], 4).shape == (12, 1, 5)
    assert pack_bits(sigs[:0], 4).shape == (0, 5)
    assert np.array_equal(pack_bits(sigs.astype(sigs.dtype.newbyteorder()), 4), packed)


# ── comparing ───────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("b", WIDTHS)
@pytest.mark.parametrize("h", SLOTS)
def test_the_estimate_is_that_of_plain_python(h, b):
    a, other = (pack_bits(sigs, b) for sigs in pairs_of_similarity(20, h, 0.6, seed=h))
    wanted = [[estimate(x, y, h, b) for y in other] for x in a]
    matrix = jaccard_bits(a[:, None], other, h=h, b=b)
    assert matrix.dtype == np.float32
    assert np.array_equal(matrix, wanted)
    assert np.array_equal(jaccard_bits(a, other, h=h, b=b), np.diagonal(wanted))  # pair by pair
    assert np.array_equal(jaccard_bits(a, other[:, None], h=h, b=b), np.transpose(wanted))  # exchanged
    assert np.array_equal(jaccard_bits(a[2], other, h=h, b=b), wanted[2])


@pytest.mark.parametrize("b", WIDTHS)
def test_every_value_of_a_field_is_told_from_every_other(b):
    values = range(min(2**b, 64))
    sigs = make(len(values), 5, values=1)
    sigs["hashes"][:, 1] = [value * (2**b // len(values)) for value in values]
    matrix = jaccard_bits(pack_bits(sigs, b)[:, None], pack_bits(sigs, b), h=5, b=b)
    one_differs = np.float32(max((0.8 - 2.0**-b) / (1 - 2.0**-b), 0))
    assert np.array_equal(matrix, np.where(np.eye(len(values), dtype=bool), np.float32(1), one_differs))


def test_one_pair_gives_a_number():
    packed = pack_bits(make(2, 64), 2)
    assert isinstance(jaccard_bits(packed[0], packed[0], h=64, b=2), np.float32)
    assert jaccard_bits(packed[0], packed[0], h=64, b=2) == 1


@pytest.mark.parametrize(("h", "b"), [(64, 1), (100, 2), (128, 16)])
def test_chosen_pairs_are_those_of_the_matrix(h, b):
    rows = pack_bits(make(9, h, values=3), b)
    i, j = np.meshgrid(range(9), range(9), indexing="ij")
    matrix = jaccard_bits(rows[:, None], rows, h=h, b=b)
    assert np.array_equal(jaccard_bits_pairs(rows, i, j, h=h, b=b), matrix)
    assert jaccard_bits_pairs(rows, 2, 3, h=h, b=b) == matrix[2, 3]
    assert jaccard_bits_pairs(rows, [], [], h=h, b=b).shape == (0,)
    with pytest.raises(InvalidInputError, match="rows must have two axes"):
        jaccard_bits_pairs(rows[0], 0, 0, h=h, b=b)
    with pytest.raises(InvalidInputError, match="j must lie between 0 and 8"):
        jaccard_bits_pairs(rows, 0, 9, h=h, b=b)
    with pytest.raises(DimensionMismatchError):
        jaccard_bits_pairs(rows, 0, 0, h=h + 8, b=b)


def test_shapes_broadcast_like_those_of_jaccard():
    sigs = make(24, 48, values=3)
    packed = pack_bits(sigs, 16)
    for left, right in [((24, 1), (24,)), ((2, 3, 4), (4,)), ((2, 1, 12), (12, 1)), ((1,), (24,)), ((24,), (1, 1))]:
        n, m = int(np.prod(left)), int(np.prod(right))
        found = jaccard_bits(packed[:n].reshape(*left, -1), packed[:m].reshape(*right, -1), h=48, b=16)
        whole = tx.jaccard(sigs[:n].reshape(left), sigs[:m].reshape(right))
        assert found.shape == whole.shape
        assert np.allclose(found, np.clip((whole - 2.0**-16) / (1 - 2.0**-16), 0, 1), atol=1e-6)
    assert jaccard_bits(packed[:0], packed[0], h=48, b=16).shape == (0,)


@pytest.mark.parametrize(("h", "b"), [(128, 1), (100, 2), (128, 16)])
def test_many_pairs_on_threads(h, b):
    a, other = (pack_bits(sigs, b) for sigs in pairs_of_similarity(1300, h, 0.5, seed=1))
    matrix = jaccard_bits(a[:, None], other, h=h, b=b, threads=2)
    assert np.array_equal(matrix, jaccard_bits(a[:, None], other, h=h, b=b, threads=1))
    assert np.array_equal(np.diagonal(matrix), jaccard_bits(a, other, h=h, b=b))
    rows, columns = np.random.default_rng(2).integers(0, 1300, (2, 50))
    for row, column in zip(rows, columns, strict=True):
        assert matrix[row, column] == estimate(a[row], other[column], h, b)


def test_bits_behind_the_last_slot_do_not_count():
    packed = pack_bits(make(4, 127), 1)
    other = packed | np.array([0] * 15 + [0x80], np.uint8)
    assert np.array_equal(jaccard_bits(packed, other, h=127, b=1), np.ones(4))
    assert packed[0, 15] < 0x80  # nor were they written to


def test_any_layout_in_memory():
    packed = pack_bits(make(40, 128, values=4), 2)
    wanted = jaccard_bits(packed[:, None], packed, h=128, b=2)
    shifted = np.frombuffer(b"x" + packed.tobytes(), np.uint8, offset=1).reshape(packed.shape)
    for other in (shifted, np.asfortranarray(packed), np.repeat(packed, 2, axis=1)[:, ::2]):
        assert np.array_equal(jaccard_bits(other[:, None], other, h=128, b=2), wanted)


# ── the estimator ───────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("b", WIDTHS)
@pytest.mark.parametrize("similarity", [0.3, 0.5, 0.8])
def test_the_estimate_is_unbiased_and_spreads_as_promised(b, similarity):
    n, h = 4000, 512  # so many slots that nothing is clipped
    a, other = pairs_of_similarity(n, h, similarity, seed=b)
    found = jaccard_bits(pack_bits(a, b), pack_bits(other, b), h=h, b=b).astype(float)
    chance = 2.0**-b
    share = chance + (1 - chance) * similarity
    sigma = np.sqrt(share * (1 - share) / h) / (1 - chance)
    assert abs(found.mean() - similarity) < 5 * sigma / np.sqrt(n)
    assert abs(found.std() / sigma - 1) < 5 / np.sqrt(2 * n)


def test_nothing_in_common_is_clipped():
    a, other = pairs_of_similarity(1000, 64, 0, seed=3)
    found = jaccard_bits(pack_bits(a, 1), pack_bits(other, 1), h=64, b=1)
    assert found.min() == 0
    assert 0 < found.mean() < 0.1


# ── errors ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("b", [0, 3, 5, 32, 64, -1, True, 1.0, "1", None])
def test_other_widths_are_refused(b):
    with pytest.raises(ConfigError, match="b must be 1, 2, 4, 8 or 16"):
        pack_bits(make(1, 8), b)
    with pytest.raises(ConfigError, match="b must be 1, 2, 4, 8 or 16"):
        jaccard_bits(np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.uint8), h=8, b=b)


@pytest.mark.parametrize("h", [0, 4097, 1.5])
def test_other_numbers_of_slots_are_refused(h):
    with pytest.raises(ConfigError, match="h must be"):
        jaccard_bits(np.zeros((1, 1), np.uint8), np.zeros((1, 1), np.uint8), h=h, b=1)


def test_other_sizes_are_refused():
    four, two = pack_bits(make(3, 128), 4), pack_bits(make(3, 128), 2)
    for pair in [(four, two), (two, four), (two, two)]:
        with pytest.raises(DimensionMismatchError, match="a = 32, b = 64") as caught:
            jaccard_bits(*pair, h=128, b=4)
        assert isinstance(caught.value, DimensionMismatchError)


def test_other_things_are_refused():
    packed = pack_bits(make(3, 128), 4)
    for wrong in (packed.astype(np.int64), packed.tolist(), np.uint8(3), np.array(3, np.uint8), make(3, 128)):
        with pytest.raises(InvalidInputError):
            jaccard_bits(packed, wrong, h=128, b=4)
    with pytest.raises(InvalidInputError, match="do not broadcast"):
        jaccard_bits(packed, packed[:2], h=128, b=4)
    with pytest.raises(InvalidInputError, match="MinHash signatures"):
        pack_bits(packed, 4)
