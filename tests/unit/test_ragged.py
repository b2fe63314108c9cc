"""Rows of numbers: compared by value whatever their dtype, refused where 64 bits cannot tell, shown shortly."""

import pickle

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.errors import InvalidInputError

DTYPES = ["?", "i1", "u1", "<i2", ">i2", "<u2", ">u4", "<i4", "<i8", ">i8", "<u8", ">u8"]
LARGEST = 2**64 - 1


@pytest.mark.parametrize("one", DTYPES)
@pytest.mark.parametrize("other", DTYPES)
def test_numbers_are_compared_by_value(one, other):
    a, b = np.array([0, 1, 1], one), np.array([1, 0, 0], other)
    assert tx.levenshtein(a, b) == 3
    assert tx.set_jaccard(a, b) == 1
    assert tx.multiset_jaccard(a, b) == np.float32(0.5)
    if np.dtype(one).kind == np.dtype(other).kind == "i":
        assert tx.set_jaccard(np.array([-1, -2], one), np.array([-2, 7], other)) == np.float32(1 / 3)


def test_rows_of_different_dtypes_are_one_column():
    rows = tx.Ragged.of([np.array([-1, 3], np.int8), np.array([3], np.uint64), [True], {9, 3}])
    assert rows.tolist() == [[-1, 3], [3], [1], [3, 9]]
    assert rows.values.dtype == np.int64
    assert tx.set_jaccard(rows, rows).tolist() == [1, 1, 1, 1]
    assert tx.Ragged(rows.values, rows.offsets).tolist() == rows.tolist()
    assert pickle.loads(pickle.dumps(rows)).tolist() == rows.tolist()


@pytest.mark.parametrize("measure", [tx.levenshtein, tx.levenshtein_similarity, tx.set_jaccard, tx.multiset_jaccard])
def test_the_smallest_and_the_largest_are_never_taken_for_each_other(measure):
    below, above = np.array([[-1, 5]]), np.array([[LARGEST, 5]], np.uint64)
    for a, b in ((below, above), (above, below), (above[:, None], below)):
        with pytest.raises(InvalidInputError, match="64 bits do not tell apart") as caught:
            measure(a, b)
        assert "view(np.uint64)" in caught.value.__notes__[0]
    with pytest.raises(InvalidInputError, match=r"row 1 has numbers below 0 and row 0 has .* \(row 1\)"):
        measure([above[0], below[0]], [1])
    equal = measure(below, np.array([[2**63 - 1, 5]], np.uint64))  # each fits into what the other is
    assert equal == measure([[-1, 5]], [[7, 5]])


def test_ints_above_those_of_int64_need_no_array():
    assert tx.Ragged.of([1, LARGEST]).tolist() == [1, LARGEST]
    assert tx.Ragged.of([[1, 2**63], [], [LARGEST]]).tolist() == [[1, 2**63], [], [LARGEST]]
    assert tx.set_jaccard([1, LARGEST], np.array([[LARGEST]], np.uint64)) == np.float32(0.5)
    for wrong in ([-1, LARGEST], [2**64], [-(2**63) - 1]):
        with pytest.raises(InvalidInputError, match=r"rows must lie between .*, got numbers from") as caught:
            tx.Ragged.of([[1], wrong])
        assert caught.value.row == 1
    for wrong in ([1, 0.5], [1, None], {1, "a"}):
        with pytest.raises(InvalidInputError, match="rows must hold whole numbers of at most 64 bits"):
            tx.Ragged.of(wrong)


def test_sets_are_sets():
    assert tx.set_jaccard({1, 2, 3}, [{3, 4}, frozenset({1, 2, 3}), set()]).tolist() == [0.25, 1, 0]
    assert tx.Ragged.of({3, 1, 2}).tolist() == [1, 2, 3]


LISTS = [[1, 2, 3], [], [-5]]


def columns_of_lists():
    """The same lists as every library has them."""
    objects = np.empty(3, object)
    objects[:] = [np.array(row, np.int16) for row in LISTS]
    yield objects
    yield [range(1, 4), (), np.array([-5])]
    for name in ("pyarrow", "pandas", "polars"):
        try:
            library = __import__(name)
        except ImportError:
            continue
        if name == "pandas":
            yield library.Series(LISTS, index=[7, 8, 9])
        elif name == "polars":
            yield library.Series(LISTS)
        else:
            yield library.array([[0], *LISTS])[1:]
            yield library.array(LISTS, library.large_list(library.int16()))
            yield library.chunked_array([library.array(LISTS[:1]), library.array(LISTS[1:])])


def test_columns_of_lists():
    for column in columns_of_lists():
        assert tx.Ragged.of(column).tolist() == LISTS, type(column)
        assert tx.set_jaccard(column, column).tolist() == [1, 0, 1]


def test_columns_of_lists_of_one_length():
    table = [[1, 2], [3, 4]]
    for library in ("pyarrow", "pandas", "polars"):
        module = pytest.importorskip(library)
        if library == "pyarrow":
            column = module.FixedSizeListArray.from_arrays(module.array([1, 2, 3, 4]), 2)
        elif library == "pandas":
            column = module.DataFrame(table)
        else:
            column = module.Series(table, dtype=module.Array(module.Int64, 2))
        assert tx.Ragged.of(column).tolist() == table
        assert np.array_equal(tx.manhattan(column, table[0]), [0, 4])


def test_what_is_masked_is_no_number():
    masked = np.ma.array([[1, 2], [3, 4]], mask=[[0, 0], [0, 1]])
    with pytest.raises(InvalidInputError, match=r"rows must not have masked values \(row 1\)"):
        tx.levenshtein(masked, [1])
    assert tx.levenshtein(masked[:1], [1]).tolist() == [1]
    sigs = np.ma.array(tx.MinHashFingerprinter(h=4).fingerprint(["a", "b"]))
    assert tx.jaccard(sigs[:1], sigs).shape == (2,)
    sigs[1] = np.ma.masked
    for call in (lambda: tx.jaccard(sigs, sigs), lambda: tx.pack_bits(sigs, 4)):
        with pytest.raises(InvalidInputError, match=r"must not have masked values \(row 1\)"):
            call()
    codes = np.ma.array(np.arange(4, dtype=np.uint64), mask=[0, 0, 1, 0])
    for call in (
        lambda: tx.hamming(1, codes),
        lambda: tx.hamming_pairs(codes[:2], np.ma.array([0, 1], mask=[0, 1]), 0),
    ):
        with pytest.raises(InvalidInputError, match="must not have masked values"):
            call()


def test_lists_of_tokens_are_for_another_column():
    with pytest.raises(InvalidInputError, match="whole numbers") as caught:
        tx.set_jaccard([["a", "b"]], [["a"]])
    assert caught.value.__notes__ == ["TokenColumn takes lists of tokens."]


def test_what_is_shown_is_short():
    assert repr(tx.Ragged.of([[3, 1, 2], [], [3, 1]])) == "Ragged([[3, 1, 2], [], [3, 1]], shape=(3,))"
    assert repr(tx.Ragged.of([-1])) == "Ragged([-1], shape=())"
    assert repr(tx.Ragged.of([])) == "Ragged([], shape=(0,))"
    rows = tx.Ragged.of(np.arange(600).reshape(6, 100))
    assert repr(rows[4]) == "Ragged([400, 401, ..., 498, 499], shape=())"
    assert repr(rows[:2][:, None]) == "Ragged([[0, 1, ..., 98, 99], [100, 101, ..., 198, 199]], shape=(2, 1))"
    assert repr(rows).count("...") == 5
    assert len(repr(tx.Ragged.of(np.full((1000, 1000), 2**63, np.uint64)))) < 500
