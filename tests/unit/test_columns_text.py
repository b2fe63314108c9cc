"""``TextColumn``: a column behaves like the list of its documents."""

import pickle

import numpy as np
import pytest

from txtfp_np.columns import TextColumn
from txtfp_np.errors import ConfigError, InvalidInputError

TEXTS = ["plain", "", None, "größer", "漢字", "😀", "a\0b\0", None, "x" * 300]
AS_STR = [text or "" for text in TEXTS]


@pytest.fixture
def column():
    return TextColumn(TEXTS)


def test_layout(column):
    assert column.data.dtype == np.uint8
    assert column.offsets.dtype == np.int64
    assert column.data.flags.c_contiguous
    assert len(column.offsets) == len(column) + 1 == len(TEXTS) + 1
    assert column.data.tobytes() == "".join(AS_STR).encode()
    assert column.validity.tolist() == [text is not None for text in TEXTS]
    assert TextColumn(["a"]).validity is None


def test_nothing_can_be_written(column):
    for array in (column.data, column.offsets, column.validity):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    with pytest.raises(AttributeError, match="immutable"):
        column.data = column.data
    with pytest.raises(AttributeError, match="immutable"):
        del column.data
    with pytest.raises(TypeError):
        hash(column)


def test_rows(column):
    assert [column[i] for i in range(len(column))] == AS_STR
    assert [column[i - len(column)] for i in range(len(column))] == AS_STR
    assert column[np.int64(3)] == "größer"
    for outside in (len(TEXTS), -len(TEXTS) - 1):
        with pytest.raises(IndexError, match=f"row {outside} is out of range for a column of 9 documents"):
            column[outside]
    with pytest.raises(TypeError, match="take"):
        column["a"]


def test_iteration_and_lists(column):
    assert list(column) == AS_STR
    assert column.to_list() == TEXTS
    assert column.is_null.tolist() == [text is None for text in TEXTS]
    assert column.nbytes == len("".join(AS_STR).encode())
    array = column.to_numpy()
    assert array.dtype == object
    assert array.tolist() == TEXTS


def test_iteration_over_many_blocks():
    texts = [f"{i} {'é' * (i % 7)}" for i in range(10_000)] + ["big" * 200_000]
    assert list(TextColumn(texts)) == texts


def test_slices_share_the_bytes(column):
    part = column[2:6]
    assert part.to_list() == TEXTS[2:6]
    assert np.shares_memory(part.data, column.data)
    assert part.offsets[0] == column.offsets[2]
    assert part.nbytes == len("größer漢字😀".encode())
    assert part[1:][0] == "größer"
    assert len(column[5:2]) == 0
    assert column[::-2].to_list() == TEXTS[::-2]


def test_take(column):
    assert column.take([8, 0, -6, 2, 2]).to_list() == [TEXTS[8], TEXTS[0], TEXTS[3], None, None]
    mask = np.arange(len(TEXTS)) % 2 == 0
    assert column.take(mask).to_list() == TEXTS[::2]
    assert column[3:].take([0, 1]).to_list() == TEXTS[3:5]
    assert column.take([]).to_list() == []
    assert column.take(np.array([1], np.uint8)).to_list() == [""]
    for wrong in ([9], [-10], [True], [0.5], [[0]], ["a"]):
        with pytest.raises(IndexError):
            column.take(wrong)


def test_equality_is_by_content(column):
    assert column == TextColumn(TEXTS)
    assert TextColumn(["x", *TEXTS])[1:] == column
    assert column != TextColumn(AS_STR), "a null is not an empty document"
    assert column != TextColumn(TEXTS[:-1])
    assert TextColumn(["ab", "c"]) != TextColumn(["a", "bc"])
    assert TextColumn(["ab"]) != TextColumn(["ac"])
    assert column != TEXTS


def test_concat(column):
    both = TextColumn.concat([column[3:], TextColumn([]), TextColumn(["end"]), column[:1]])
    assert both.to_list() == [*TEXTS[3:], "end", TEXTS[0]]
    assert both.offsets[0] == 0
    assert TextColumn.concat([]).to_list() == []
    assert TextColumn.concat([TextColumn(["a"]), TextColumn(["b"])]).validity is None
    assert np.shares_memory(TextColumn.concat([column]).data, column.data)


def test_pickle_keeps_what_the_rows_need(column):
    assert pickle.loads(pickle.dumps(column)) == column
    part = TextColumn(["x" * 100_000, "small", None])[1:]
    stored = pickle.dumps(part)
    assert len(stored) < 2000
    loaded = pickle.loads(stored)
    assert loaded == part
    assert not loaded.data.flags.writeable


def test_repr():
    assert repr(TextColumn(["a"])) == "TextColumn(1 document, 1 bytes: ['a'])"
    assert repr(TextColumn([])) == "TextColumn(0 documents, 0 bytes: [])"
    column = TextColumn(["é" * 1000, None, "b", "c"])
    assert repr(column) == f"TextColumn(4 documents, 2,002 bytes: ['{'é' * 23}…', None, 'b', …])"
    assert len(repr(TextColumn(["😀" * 1000]))) < 100


# ── buffers ─────────────────────────────────────────────────────────────────────────────────────
def test_from_buffers():
    column = TextColumn.from_buffers(b"xonetwo", [1, 4, 4, 7], [True, False, True])
    assert column.to_list() == ["one", None, "two"]
    data = np.frombuffer(b"abcdef", np.uint8)
    offsets = np.array([0, 3, 6])
    shared = TextColumn.from_buffers(data, offsets)
    assert np.shares_memory(shared.data, data)
    assert np.shares_memory(shared.offsets, offsets)
    assert offsets.flags.writeable, "the array of the caller stays as it is"
    assert TextColumn.from_buffers(data[::2], np.array([0, 3], np.uint16)).to_list() == ["ace"]
    assert TextColumn.from_buffers(b"", [0]).to_list() == []


def test_nulls_become_empty_and_a_full_mask_disappears():
    column = TextColumn.from_buffers(b"one\xff\xfftwo", [0, 3, 5, 8], [True, False, True])
    assert column.to_list() == ["one", None, "two"]
    assert column.offsets.tolist() == [0, 3, 3, 6]
    assert TextColumn.from_buffers(b"a", [0, 1], [True]).validity is None


@pytest.mark.parametrize(
    ("data", "offsets", "validity", "message"),
    [
        (b"abc", [0, 4], None, "offsets must lie between 0 and 3, got 0 to 4"),
        (b"abc", [-1, 3], None, "offsets must lie between"),
        (b"abc", [0, 2, 1, 3], None, r"offsets must not decrease \(row 1\)"),
        (b"abc", [0, 99, 3], None, r"offsets must not decrease \(row 1\)"),
        (b"abc", np.empty(0, np.int64), None, "one element more"),
        (b"abc", [0.0, 3.0], None, "1-D integer array, got 1-D float64"),
        (b"abc", [[0, 3]], None, "1-D integer array, got 2-D"),
        (np.zeros(3, np.int8), [0, 3], None, "1-D uint8 array, got 1-D int8"),
        (b"abc", [0, 3], [True, True], "validity must be a bool array of 1 elements"),
        (b"abc", [0, 3], [1], "validity must be a bool array"),
        (b"abc", np.array([0, 2**64 - 1], np.uint64), None, "offsets must"),
        (b"a\xffb", [0, 1, 3], None, r"invalid UTF-8 at byte 0 \(row 1\)"),
        ("aä".encode(), [0, 2, 3], None, r"invalid UTF-8 at byte 1 \(row 0\)"),
        ("ä".encode(), [0, 0, 1, 1, 2], None, r"invalid UTF-8 at byte 0 \(row 1\)"),
    ],
)
def test_buffers_that_are_refused(data, offsets, validity, message):
    with pytest.raises(InvalidInputError, match=message):
        TextColumn.from_buffers(data, offsets, validity)


def test_errors_option():
    assert TextColumn.from_buffers(b"a\xffb", [0, 3], errors="replace").to_list() == ["a\ufffdb"]
    for make in (lambda e: TextColumn.from_buffers(b"", [0], errors=e), lambda e: TextColumn("", errors=e)):
        with pytest.raises(ConfigError, match="got 'ignore'") as caught:
            make("ignore")
        assert caught.value.argument == "errors"
        with pytest.raises(ConfigError):
            make(None)


# ── Arrow ───────────────────────────────────────────────────────────────────────────────────────
def test_to_arrow_shares_the_text(column):
    pa = pytest.importorskip("pyarrow")
    for part in (column, column[2:7], column[:0], TextColumn(["a", "b"])):
        array = part.to_arrow()
        array.validate(full=True)
        assert array.type == pa.large_string()
        assert array.to_pylist() == part.to_list()
        assert array.null_count == part.is_null.sum()
        assert array.buffers()[2].address == part.data.ctypes.data
        assert TextColumn(array) == part
    assert pa.array(column).to_pylist() == TEXTS, "through the PyCapsule protocol"


# ── behaves like a list ─────────────────────────────────────────────────────────────────────────
hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies
documents = st.lists(st.one_of(st.none(), st.text(max_size=12), st.just("long " * 40)), max_size=12)
borders = st.one_of(st.none(), st.integers(-15, 15))


@hypothesis.given(documents, borders, borders, st.one_of(st.none(), st.sampled_from([-3, -2, -1, 1, 2, 3])))
def test_slices_like_a_list(texts, start, stop, step):
    part = TextColumn(texts)[start:stop:step]
    assert part.to_list() == texts[start:stop:step]
    assert list(part) == [text or "" for text in texts[start:stop:step]]
    assert pickle.loads(pickle.dumps(part)) == part


@hypothesis.given(st.lists(st.tuples(documents, st.integers(0, 5)), max_size=4))
def test_concat_like_a_list(parts):
    columns = [TextColumn(texts)[skip:] for texts, skip in parts]
    expected = [text for texts, skip in parts for text in texts[skip:]]
    assert TextColumn.concat(columns).to_list() == expected
    assert TextColumn.concat(columns) == TextColumn(expected)


@hypothesis.given(documents.filter(len), st.data())
def test_take_like_a_list(texts, data):
    rows = data.draw(st.lists(st.integers(-len(texts), len(texts) - 1), max_size=20))
    assert TextColumn(texts).take(rows).to_list() == [texts[row] for row in rows]
