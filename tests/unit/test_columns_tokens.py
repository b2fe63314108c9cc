"""``TokenColumn``: a column behaves like the list of its documents' token lists."""

import pickle

import numpy as np
import pytest

from txtfp_np.columns import TextColumn, TokenColumn
from txtfp_np.errors import InvalidInputError

TOKENS = [["the", "cat"], [], ["größer", "漢", "😀", ""], ["sat"]]


@pytest.fixture
def column():
    return TokenColumn(TOKENS)


@pytest.fixture
def shingles():
    """Overlapping spans of one text, two documents."""
    data = np.frombuffer("a bc déf g".encode(), np.uint8)
    starts = np.array([0, 2, 5, 5], np.int32)
    ends = np.array([4, 9, 11, 9], np.int32)
    return TokenColumn._trusted(data, starts, ends, np.array([0, 3, 4]))


def test_layout(column):
    assert column.data.dtype == np.uint8
    assert column.starts.dtype == column.ends.dtype == np.int32
    assert column.offsets.tolist() == [0, 2, 2, 6, 7]
    assert column.counts.tolist() == [2, 0, 4, 1]
    assert (len(column), column.n_tokens) == (4, 7)


def test_nothing_can_be_written(column):
    for array in (column.data, column.starts, column.ends, column.offsets):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match="immutable"):
        column.starts = column.starts
    with pytest.raises(AttributeError, match="immutable"):
        del column.starts


def test_documents(column):
    assert [column[i] for i in range(4)] == TOKENS
    assert column[-1] == ["sat"]
    assert list(column) == column.to_list() == TOKENS
    for outside in (4, -5):
        with pytest.raises(IndexError, match=f"row {outside} is out of range"):
            column[outside]
    with pytest.raises(TypeError, match="take"):
        column[1.5]


def test_overlapping_spans(shingles):
    expected = [["a bc", "bc déf", "déf g"], ["déf"]]
    assert shingles.to_list() == expected
    assert shingles[0] == expected[0]
    assert shingles.to_text_column() == TextColumn(expected[0] + expected[1])
    assert shingles == TokenColumn(expected), "by content, whatever lies between the tokens"
    assert shingles != TokenColumn([expected[0][:2], expected[0][2:] + expected[1]])
    assert shingles != expected
    assert pickle.loads(pickle.dumps(shingles[1:])) == shingles[1:]
    assert shingles.take([1, 0, 1]).to_list() == [expected[1], expected[0], expected[1]]


def test_slices_share(column):
    part = column[2:]
    assert part.to_list() == TOKENS[2:]
    assert part.data is column.data
    assert part.offsets[0] == 2
    assert (part.n_tokens, part.counts.tolist()) == (5, [4, 1])
    assert part[0] == TOKENS[2]
    assert part.to_text_column().to_list() == TOKENS[2] + TOKENS[3]
    assert column[3:1].to_list() == []
    assert column[::-1].to_list() == TOKENS[::-1]


def test_take(column):
    assert column.take([3, 0, 1, -1]).to_list() == [TOKENS[3], TOKENS[0], [], TOKENS[3]]
    assert column.take([True, False, True, False]).to_list() == [TOKENS[0], TOKENS[2]]
    assert column[1:].take([1]).to_list() == [TOKENS[2]]
    assert column.take([]).to_list() == []
    with pytest.raises(IndexError):
        column.take([4])


def test_concat(column, shingles):
    both = TokenColumn.concat([column[2:], shingles[1:], column[:1]])
    assert both.to_list() == [*TOKENS[2:], ["déf"], TOKENS[0]]
    assert both.starts.dtype == np.int32
    halves = TokenColumn.concat([column[2:], column[:2]])
    assert halves.data is column.data, "slices of one column go on sharing its bytes"
    assert halves.to_list() == TOKENS[2:] + TOKENS[:2]
    assert TokenColumn.concat([]).to_list() == []
    assert TokenColumn.concat([column]) == column


def test_pickle_keeps_what_the_documents_need():
    part = TokenColumn([["x" * 100_000], ["small"]])[1:]
    stored = pickle.dumps(part)
    assert len(stored) < 2000
    assert pickle.loads(stored) == part
    assert not pickle.loads(stored).starts.flags.writeable


def test_repr(column):
    assert repr(TokenColumn([["a"]])) == "TokenColumn(1 document, 1 token: [['a']])"
    assert repr(column) == ("TokenColumn(4 documents, 7 tokens: [['the', 'cat'], [], ['größer', '漢', '😀', ''], …])")
    assert repr(TokenColumn([list("abcdef")])).endswith("[['a', 'b', 'c', 'd', …]])")


def test_to_arrow(column, shingles):
    pa = pytest.importorskip("pyarrow")
    for part in (column, column[2:], shingles, column[:0]):
        array = part.to_arrow()
        array.validate(full=True)
        assert array.type == pa.large_list(pa.large_string())
        assert array.to_pylist() == part.to_list()


@pytest.mark.parametrize(
    ("documents", "row", "message"),
    [
        ([["a"], [], ["b", 1]], 2, "got int"),
        ([["a"], ["b", None]], 1, "expected a str for a token, got null"),
        ([["a"], "the cat"], 1, "expected a list of tokens, got str"),
        ([["a"], None], 1, "expected a list of tokens, got NoneType"),
        ([["a"], ["\ud800"]], 1, "lone surrogate U\\+D800 at character 0"),
    ],
)
def test_what_is_not_a_token(documents, row, message):
    with pytest.raises(InvalidInputError, match=message) as caught:
        TokenColumn(documents)
    assert (caught.value.row, caught.value.argument) == (row, "documents")


def test_many_documents():
    tokens = [[str(i)] * (i % 5) for i in range(20_000)]
    column = TokenColumn(iter(tokens))
    assert list(column) == tokens


hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
documents = st.lists(st.lists(st.text(max_size=6), max_size=4), max_size=8)
borders = st.one_of(st.none(), st.integers(-10, 10))


@hypothesis.given(documents, borders, borders, st.sampled_from([None, 1, -1, 2]))
def test_slices_like_a_list(tokens, start, stop, step):
    part = TokenColumn(tokens)[start:stop:step]
    assert part.to_list() == tokens[start:stop:step]
    assert pickle.loads(pickle.dumps(part)) == part


@hypothesis.given(documents, documents, st.integers(0, 8))
def test_concat_like_a_list(first, second, skip):
    column = TokenColumn.concat([TokenColumn(first)[skip:], TokenColumn(second)])
    assert column.to_list() == first[skip:] + second
