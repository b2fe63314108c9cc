"""Every way in: what is accepted, what is refused, what is shared."""

import decimal
import subprocess
import sys
from collections import deque

import numpy as np
import pytest

from txtfp_np.columns import (
    TextColumn,
    TokenColumn,
    as_text_column,
    checks,
    document_bytes,
    is_single,
    iter_text_blocks,
)
from txtfp_np.errors import ConfigError, FeatureDisabledError, InvalidInputError

TEXTS = ["plain", "", "größer", "漢字 😀", "a\0b", "x" * 100]
NULLS = ["plain", None, "", "größer", None]


def encoded(texts):
    return [None if text is None else text.encode() for text in texts]


def refused(texts, message, *, row=None, errors="strict"):
    """Both doors refuse with the same words, row, argument, and some advice."""
    for door in (as_text_column, lambda t, errors: list(iter_text_blocks(t, errors=errors, block_rows=2))):
        with pytest.raises(InvalidInputError, match=message) as caught:
            door(texts() if callable(texts) else texts, errors=errors)
        assert caught.value.argument == "texts"
        assert caught.value.row == row
        assert caught.value.advice


def accepted(texts, expected):
    """Whole and in blocks of any size, the same documents."""
    make = texts if callable(texts) else lambda: texts
    column = as_text_column(make())
    assert column.to_list() == expected
    assert TextColumn(make()) == column
    for limits in ({"block_rows": 2}, {"block_bytes": 7}, {"block_bytes": 1 << 40, "block_rows": 1 << 40}, {}):
        blocks = list(iter_text_blocks(make(), **limits))
        assert all(map(len, blocks))
        assert max(map(len, blocks), default=0) <= limits.get("block_rows", 1 << 16)
        assert TextColumn.concat(blocks) == column
    return column


# ── imports ─────────────────────────────────────────────────────────────────────────────────────
def test_importing_columns_loads_no_heavy_library():
    code = (
        "import sys, txtfp_np.columns as c; c.TextColumn(['a', None]).to_list();"
        "print([m for m in ('numba', 'pyarrow', 'pandas', 'polars', 'scipy') if m in sys.modules])"
    )
    folder = checks.__file__.rpartition("txtfp_np")[0]
    environment = {"PYTHONPATH": folder, "PATH": ""}
    output = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert output.stdout.strip() == "[]"


# ── one document ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_one_document(kind):
    text = "größer\0"
    assert is_single(text)
    assert is_single(kind(text.encode()))
    assert not is_single([text])
    assert not is_single(None)
    assert document_bytes(text) == text.encode()
    assert document_bytes(kind(text.encode())) == text.encode()
    assert type(document_bytes(kind(text.encode()))) is bytes
    accepted(text, [text])
    accepted(kind(text.encode()), [text])
    accepted(np.str_("a"), ["a"])


def test_one_document_is_checked_and_has_no_row():
    refused("a\ud800", r"lone surrogate U\+D800 at character 1")
    refused(b"ab\xff", "invalid UTF-8 at byte 2")
    assert document_bytes("a\ud800\udc00b", "replace") == "a\ufffd\ufffdb".encode()
    assert document_bytes(b"a\xe4\xb8", "replace") == b"a\xe4\xb8".decode("utf-8", "replace").encode()
    for wrong in (None, 1, ["a"]):
        with pytest.raises(InvalidInputError, match="expected str or bytes, got"):
            document_bytes(wrong)
    with pytest.raises(ConfigError):
        document_bytes("a", "ignore")


# ── Python objects ──────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("kind", [list, tuple, iter, deque, lambda texts: (text for text in texts)])
def test_iterables(kind):
    accepted(lambda: kind(TEXTS), TEXTS)
    accepted(lambda: kind(NULLS), NULLS)
    accepted(lambda: kind([]), [])


def test_other_iterables():
    accepted({"a": 1, "b": 2}.keys(), ["a", "b"])
    accepted({1: "a", 2: "b"}.values(), ["a", "b"])
    accepted(np.array(["a", "b"]).tolist(), ["a", "b"])
    column = TextColumn(TEXTS)
    assert as_text_column(column) is column
    accepted(column, TEXTS)


def test_str_bytes_and_null_may_be_mixed():
    mixed = ["ä", "ä".encode(), bytearray(b"b"), memoryview(b"c"), np.str_("d"), np.bytes_(b"e"), None]
    mixed += [float("nan"), np.nan, np.float32("nan"), np.datetime64("NaT"), np.timedelta64("NaT")]
    column = accepted(mixed, ["ä", "ä", "b", "c", "d", "e", *[None] * 6])
    assert column.is_null.sum() == 6


@pytest.mark.parametrize("value", [1, 1.5, True, object(), ["a"], {"a"}, np.int64(3), decimal.Decimal(1)])
def test_a_row_that_is_not_text(value):
    name = type(value).__name__
    for before in (2, 700):
        rows = ["a"] * before + [None, value, "b"]
        refused(lambda rows=rows: iter(rows), f"expected str, bytes or null, got {name}", row=before + 1)


def test_rows_that_are_not_unicode_are_named():
    refused(["a"] * 300 + ["bc\udfff"], r"lone surrogate U\+DFFF at character 2 \(row 300\)", row=300)
    refused(["a"] * 300 + ["ä".encode() + b"\xc3"], r"invalid UTF-8 at byte 2 \(row 300\)", row=300)


def test_replace():
    broken = ["ok", "a\ud800b\udc00", b"\xe4\xb8A\xff", None, b"\xed\xa0\x80"]
    expected = ["ok", "a\ufffdb\ufffd", b"\xe4\xb8A\xff".decode("utf-8", "replace"), None, "\ufffd" * 3]
    assert as_text_column(broken, errors="replace").to_list() == expected
    blocks = iter_text_blocks(iter(broken), errors="replace", block_rows=2)
    assert [text for block in blocks for text in block.to_list()] == expected


@pytest.mark.parametrize("errors", ["ignore", "", None, 1])
def test_other_values_of_errors(errors):
    for door in (as_text_column, iter_text_blocks):
        with pytest.raises(ConfigError, match='errors must be "strict" or "replace"') as caught:
            door(["a"], errors=errors)
        assert caught.value.argument == "errors"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (None, "got None"),
        (3, "got int"),
        (2.5, "got float"),
        (object(), "got object"),
        ({"a": "b"}, "got a dict"),
        ({"a"}, "got a set"),
        (frozenset("a"), "got a frozenset"),
        (np.array("a"), "expected a 1-D array of text, got a 0-D array"),
        (np.array([["a"]]), "expected a 1-D array of text, got a 2-D array"),
        (np.array([1, 2]), "got an array of dtype int64"),
        (np.array([1.5]), "got an array of dtype float64"),
        (np.array([True]), "got an array of dtype bool"),
        (np.array(["2020-01-01"], "M8[D]"), "got an array of dtype datetime64"),
        (np.int64(1), "got int64"),
    ],
)
def test_what_is_not_a_column(texts, message):
    refused(lambda: texts, message)


def test_tokens_are_not_texts():
    refused(TokenColumn([["a"]]), "expected str, bytes or null, got list", row=0)


def test_a_document_that_is_too_long(monkeypatch):
    assert checks.MAX_DOCUMENT_BYTES == 2**31 - 2
    monkeypatch.setattr(checks, "MAX_DOCUMENT_BYTES", 10)
    texts = ["a" * 10, "é" * 5, "a" * 11, "b"]
    message = "document of 11 bytes, at most 10 are possible"
    refused(texts, rf"{message} \(row 2\)", row=2)
    refused("a" * 11, message)
    with pytest.raises(InvalidInputError, match=message) as caught:
        TextColumn.from_buffers("".join(texts).encode(), [0, 10, 20, 31, 32])
    assert caught.value.row == 2
    with pytest.raises(InvalidInputError, match=r"document of 12 bytes.* \(row 0\)"):
        TextColumn.from_buffers(b"\xff" * 4, [0, 4], errors="replace")


# ── blocks ──────────────────────────────────────────────────────────────────────────────────────
def test_a_generator_is_drawn_block_by_block():
    drawn = 0

    def endless():
        nonlocal drawn
        while True:
            drawn += 1
            yield "x" * 1000

    blocks = iter_text_blocks(endless(), block_bytes=10_000)
    assert drawn == 0
    sizes = []
    for _ in range(50):
        sizes.append(next(blocks).nbytes)
        assert drawn * 1000 <= sum(sizes) + 20_000, "hardly ahead of what was handed out"
    assert max(sizes) <= 20_000
    assert np.mean(sizes[5:]) > 8_000


def test_documents_of_growing_size_do_not_make_giant_blocks():
    texts = ["x"] * 5000 + ["y" * 100_000] * 50 + ["z"] * 5000
    blocks = list(iter_text_blocks(texts, block_bytes=10_000))
    assert max(block.nbytes for block in blocks) <= 100_000
    assert [text for block in blocks for text in block] == texts


def test_a_column_is_cut_into_slices_that_share_its_bytes():
    column = TextColumn(TEXTS * 10)
    blocks = list(iter_text_blocks(column, block_rows=7))
    assert all(block.data is column.data for block in blocks)
    assert sum(map(len, blocks)) == 60


# ── NumPy ───────────────────────────────────────────────────────────────────────────────────────
def test_numpy():
    accepted(np.array(NULLS, object), NULLS)
    accepted(np.array([b"a", "b", np.nan], object), ["a", "b", None])
    accepted(np.array(TEXTS), TEXTS)
    accepted(np.array(TEXTS)[::-2], TEXTS[::-2])
    accepted(np.array(encoded(TEXTS)), TEXTS)
    accepted(np.array([], "U1"), [])
    accepted(np.array([], object), [])
    accepted(np.array(["a" * 300_000, "b"]), ["a" * 300_000, "b"])
    accepted(np.ma.array(["a", "b", "c"], mask=[0, 1, 0]), ["a", None, "c"])
    refused(np.array(["a", 1, None], object), "got int", row=1)
    refused(np.array([b"a", b"\xff"]), r"invalid UTF-8 at byte 0 \(row 1\)", row=1)


@pytest.mark.parametrize("missing", [None, np.nan, "an object"])
def test_numpy_string_dtype(missing):
    accepted(np.array(TEXTS, np.dtypes.StringDType()), TEXTS)
    missing = object() if missing == "an object" else missing
    array = np.array(["a", missing, "ö"], np.dtypes.StringDType(na_object=missing))
    accepted(array, ["a", None, "ö"])


def test_ten_million_empty_documents():
    column = as_text_column(np.zeros(10_000_000, "U1"))
    assert len(column) == 10_000_000
    assert column.nbytes == 0
    assert sum(map(len, iter_text_blocks(column))) == 10_000_000


# ── pyarrow ─────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def pa():
    return pytest.importorskip("pyarrow")


def text_types(pa):
    return [pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary(), pa.binary_view()]


def test_arrow_types(pa):
    for kind in text_types(pa):
        values = NULLS if "string" in str(kind) else encoded(NULLS)
        array = pa.array(values, kind)
        accepted(array, NULLS)
        accepted(array[1:4], NULLS[1:4])
        accepted(array[:0], [])
        accepted(pa.array([], kind), [])
        accepted(pa.chunked_array([array, array[:0], array[2:]]), NULLS + NULLS[2:])
        accepted(pa.chunked_array([], kind), [])
        accepted(pa.array([None, None], kind), [None, None])
    accepted(pa.array([b"ab", None, b"cd"], pa.binary(2))[1:], [None, "cd"])
    accepted(pa.nulls(3), [None] * 3)


def test_arrow_dictionary(pa):
    array = pa.array(["a", "ö", None, "a", "b", "ö"]).dictionary_encode()
    accepted(array, ["a", "ö", None, "a", "b", "ö"])
    accepted(array[2:5], [None, "a", "b"])
    accepted(pa.chunked_array([array, array[1:]]), ["a", "ö", None, "a", "b", "ö", "ö", None, "a", "b", "ö"])
    null_word = pa.DictionaryArray.from_arrays(pa.array([0, 1, None], pa.int8()), pa.array(["a", None]))
    accepted(null_word, ["a", None, None])
    accepted(null_word[:2], ["a", None])
    accepted(pa.DictionaryArray.from_arrays(pa.array([1, 0]), pa.array(["a", None])), [None, "a"])
    accepted(pa.DictionaryArray.from_arrays(pa.array([None], pa.int8()), pa.array([], pa.string())), [None])
    for kind in text_types(pa):
        words = pa.array([b"x", b"yy"], pa.binary()).cast(kind)
        accepted(pa.DictionaryArray.from_arrays(pa.array([1, 0, 1]), words), ["yy", "x", "yy"])
    unused = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array([b"a", b"\xff"]))
    accepted(unused, ["a", "a"])
    used = pa.DictionaryArray.from_arrays(pa.array([0, 0, 1]), pa.array([b"a", b"\xff"]))
    refused(used, r"invalid UTF-8 at byte 0 \(row 2\)", row=2)
    outside = pa.DictionaryArray.from_arrays(pa.array([0, 7]), pa.array(["a"]), safe=False)
    refused_message = "dictionary codes must lie between 0 and 0, got 0 to 7"
    with pytest.raises(InvalidInputError, match=refused_message):
        as_text_column(outside)


def test_arrow_text_is_not_copied(pa):
    for kind in (pa.string(), pa.large_string(), pa.binary(), pa.large_binary()):
        values = TEXTS if "string" in str(kind) else encoded(TEXTS)
        array = pa.array(values, kind)
        address = array.buffers()[2].address
        for source, expected in (
            (array, TEXTS),
            (array[2:5], TEXTS[2:5]),
            (pa.chunked_array([array]), TEXTS),
        ):
            column = as_text_column(source)
            assert column.data.ctypes.data == address
            assert column.to_list() == expected
            assert all(block.data.ctypes.data == address for block in iter_text_blocks(source, block_rows=2))
    large = pa.array(TEXTS, pa.large_string())
    assert np.shares_memory(as_text_column(large).offsets, np.frombuffer(large.buffers()[1], np.int64))
    assert as_text_column(large).to_arrow().buffers()[2].address == large.buffers()[2].address


def test_arrow_keeps_its_buffers_alive(pa):
    column = as_text_column(pa.array([f"text {i}" for i in range(1000)]))
    assert column[999] == "text 999"


def test_arrow_nulls_with_bytes_become_empty(pa):
    buffers = [pa.py_buffer(b"\x05"), pa.py_buffer(np.array([0, 1, 3, 4], np.int32)), pa.py_buffer(b"a\xff\xffb")]
    array = pa.Array.from_buffers(pa.string(), 3, buffers)
    column = accepted(array, ["a", None, "b"])
    assert column.data.tobytes() == b"ab"
    fixed = pa.Array.from_buffers(pa.binary(1), 3, [pa.py_buffer(b"\x05"), pa.py_buffer(b"axb")])
    accepted(fixed, ["a", None, "b"])


def test_arrow_data_is_not_trusted(pa):
    def array(data, offsets, kind=None, dtype=np.int32):
        buffers = [None, pa.py_buffer(np.array(offsets, dtype)), pa.py_buffer(data)]
        return pa.Array.from_buffers(kind or pa.string(), len(offsets) - 1, buffers)

    refused(array(b"abc\xff", [0, 1, 2, 4]), r"invalid UTF-8 at byte 1 \(row 2\)", row=2)
    refused(array("aä".encode(), [0, 2, 3]), r"invalid UTF-8 at byte 1 \(row 0\)", row=0)
    refused(pa.array([b"a", b"b", b"\xff"]), r"invalid UTF-8 at byte 0 \(row 2\)", row=2)
    two = pa.chunked_array([pa.array([b"a", b"b"]), pa.array([b"c", b"\xff"])])
    refused(two, r"invalid UTF-8 at byte 0 \(row 3\)", row=3)
    replaced = as_text_column(array("aä".encode(), [0, 2, 3]), errors="replace")
    assert replaced.to_list() == ["a\ufffd", "\ufffd"]
    for offsets in ([0, 9, 3], [0, 2, 1, 3]):
        for kind, dtype in ((pa.string(), np.int32), (pa.large_string(), np.int64)):
            with pytest.raises(InvalidInputError, match="offsets must"):
                as_text_column(array(b"abc", offsets, kind, dtype))


def test_arrow_document_that_is_too_long(pa, monkeypatch):
    monkeypatch.setattr(checks, "MAX_DOCUMENT_BYTES", 10)
    refused(pa.array(["a", "b", "c", "d" * 11]), r"document of 11 bytes.* \(row 3\)", row=3)


def test_arrow_misaligned_offsets(pa):
    for kind, dtype in ((pa.string(), np.int32), (pa.large_string(), np.int64)):
        raw = b"." + np.array([0, 1, 3], dtype).tobytes()
        array = pa.Array.from_buffers(kind, 2, [None, pa.py_buffer(raw).slice(1), pa.py_buffer(b"abc")])
        column = accepted(array, ["a", "bc"])
        assert column.offsets.flags.aligned


def test_arrow_types_that_are_refused(pa):
    refused(pa.array([1, 2]), "got an Arrow column of type int64")
    refused(pa.array([["a"]]), "got an Arrow column of type list")
    refused(pa.array([1, 2]).dictionary_encode(), "got an Arrow column of type dictionary<values=int64")
    refused(pa.table({"a": ["b"]}), "got a pyarrow.Table")
    refused(pa.record_batch({"a": ["b"]}), "got a pyarrow.RecordBatch")


def test_arrow_extension_type(pa):
    if not hasattr(pa, "json_"):
        pytest.skip("this pyarrow has no extension type over strings")
    accepted(pa.array(['{"a": 1}', None], pa.json_()), ['{"a": 1}', None])
    refused(pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1], pa.int8())), "type extension<arrow.bool8>")


def test_ten_million_empty_documents_of_arrow(pa):
    array = pa.Array.from_buffers(
        pa.string(), 10_000_000, [None, pa.py_buffer(np.zeros(10_000_001, np.int32)), pa.py_buffer(b"")]
    )
    assert as_text_column(array).nbytes == 0
    assert sum(map(len, iter_text_blocks(array))) == 10_000_000


class Capsules:
    """Speaks Arrow's protocol and nothing else."""

    def __init__(self, array, name):
        setattr(self, name, getattr(array, name))


def test_arrow_capsules(pa):
    accepted(Capsules(pa.array(NULLS), "__arrow_c_array__"), NULLS)
    chunked = pa.chunked_array([pa.array(NULLS), pa.array(TEXTS)])
    accepted(lambda: Capsules(chunked, "__arrow_c_stream__"), NULLS + TEXTS)
    refused(Capsules(pa.array([1]), "__arrow_c_array__"), "type int64")
    refused(Capsules(pa.table({"a": ["b"]}), "__arrow_c_stream__"), "type struct")


def test_capsules_without_pyarrow(pa, monkeypatch):
    exporter = Capsules(pa.array(["a"]), "__arrow_c_array__")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for attempt in (lambda: as_text_column(exporter), TextColumn(["a"]).to_arrow, TokenColumn([["a"]]).to_arrow):
        with pytest.raises(FeatureDisabledError, match=r"txtfp-np\[arrow\]"):
            attempt()


# ── pandas ──────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture
def pd():
    return pytest.importorskip("pandas")


def test_pandas(pd):
    for dtype in (object, "str", "string[python]"):
        series = pd.Series(NULLS, dtype=dtype)
        accepted(series, NULLS)
        accepted(series.array, NULLS)
        accepted(pd.Index(series), NULLS)
        accepted(series[::2], NULLS[::2])
        accepted(pd.Series([], dtype=dtype), [])
    accepted(pd.Series(["a", pd.NA, pd.NaT, b"b"], dtype=object), ["a", None, None, "b"])
    accepted(["a", pd.NA, pd.NaT], ["a", None, None])
    accepted(pd.Index(TEXTS), TEXTS)
    accepted(pd.Series(TEXTS, index=range(10, 16)), TEXTS)


def test_pandas_over_arrow(pd, pa):
    for dtype in ("string[pyarrow]", pd.ArrowDtype(pa.string()), pd.ArrowDtype(pa.large_string())):
        series = pd.Series(NULLS, dtype=dtype)
        accepted(series, NULLS)
        accepted(series.array, NULLS)
        accepted(pd.Index(series), NULLS)
        accepted(series[1:4], NULLS[1:4])
    series = pd.Series(TEXTS, dtype=pd.ArrowDtype(pa.large_string()))
    chunk = series.array.__arrow_array__()
    chunk = getattr(chunk, "chunks", [chunk])[0]
    assert as_text_column(series).data.ctypes.data == chunk.buffers()[2].address
    refused(pd.Series([1, 2], dtype=pd.ArrowDtype(pa.int64())), "type int64")


def test_pandas_categories(pd):
    accepted(pd.Series(["b", "a", None, "b"], dtype="category"), ["b", "a", None, "b"])
    accepted(pd.Series(["b", "a", None, "b"], dtype="category")[1:3], ["a", None])
    accepted(pd.Categorical([None, None], categories=["a"]), [None, None])
    accepted(pd.Series([], dtype=pd.CategoricalDtype(["a"])), [])
    accepted(pd.CategoricalIndex(["x", "y", "x"]), ["x", "y", "x"])
    accepted(pd.Categorical.from_codes([0, 2], categories=pd.Index(["a", 5, "c"], dtype=object)), ["a", "c"])
    refused(pd.Series([1, 2, 1], dtype="category"), "dtype int64")
    mixed = pd.Categorical.from_codes([1, 3, 1, 2], categories=pd.Index(["unused", "a", 5, "c"], dtype=object))
    refused(mixed, r"expected str, bytes or null, got int \(row 3\)", row=3)


def test_pandas_that_is_refused(pd):
    refused(pd.Series([1, 2]), "got a pandas column of dtype int64")
    refused(pd.Series([1, None], dtype="Int64"), "got a pandas column of dtype Int64")
    refused(pd.Series([True]), "dtype bool")
    refused(pd.to_datetime(pd.Series(["2020-01-01"])), "dtype datetime64")
    refused(pd.Series(["a", 1], dtype=object), "got int", row=1)
    refused(pd.DataFrame({"a": ["b"]}), "got a pandas.DataFrame")
    refused(pd.NA, "got NAType")
    refused(pd.Timestamp(0), "got Timestamp")


# ── Polars ──────────────────────────────────────────────────────────────────────────────────────
@pytest.fixture(params=["with pyarrow", "without pyarrow"])
def pl(request, monkeypatch):
    polars = pytest.importorskip("polars")
    if request.param == "with pyarrow":
        pytest.importorskip("pyarrow")
    else:

        def to_arrow(self, **options):
            raise ModuleNotFoundError("No module named 'pyarrow'")

        monkeypatch.setattr(polars.Series, "to_arrow", to_arrow)
    return polars


def test_polars(pl):
    accepted(pl.Series(TEXTS), TEXTS)
    accepted(pl.Series("name", NULLS), NULLS)
    accepted(pl.Series(NULLS)[1:4], NULLS[1:4])
    accepted(pl.Series(TEXTS * 200), TEXTS * 200)
    accepted(pl.Series(encoded(NULLS), dtype=pl.Binary), NULLS)
    accepted(pl.Series(["b", "a", None, "b"], dtype=pl.Categorical), ["b", "a", None, "b"])
    accepted(pl.Series(["b", "a", None, "b"], dtype=pl.Enum(["a", "b", "c"])), ["b", "a", None, "b"])
    accepted(pl.Series([None, None]), [None, None])
    accepted(pl.Series([], dtype=pl.String), [])
    accepted(pl.concat([pl.Series(["a"]), pl.Series(["b"])], rechunk=False), ["a", "b"])


def test_polars_that_is_refused(pl):
    refused(pl.Series([1, 2]), "got a Polars column of dtype Int64")
    refused(pl.Series([["a"]]), r"got a Polars column of dtype List\(String\)")
    refused(pl.DataFrame({"a": ["b"]}), "got a polars.DataFrame")
    refused(pl.LazyFrame({"a": ["b"]}), "got a polars.LazyFrame")
    refused(lambda: pl.String(), "got String")
    refused(pl.Series([b"a", b"b", b"\xff"]), r"invalid UTF-8 at byte 0 \(row 2\)", row=2)


def test_polars_without_pyarrow_installed(monkeypatch):
    pl = pytest.importorskip("polars")
    series = pl.Series(NULLS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert as_text_column(series).to_list() == NULLS


# ── any mixture ─────────────────────────────────────────────────────────────────────────────────
hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies


@hypothesis.given(
    st.lists(st.one_of(st.none(), st.text(max_size=8), st.text(max_size=8).map(str.encode))),
    st.integers(1, 20),
    st.integers(1, 5),
)
def test_blocks_hold_every_row_once(rows, block_bytes, block_rows):
    expected = [row.decode() if isinstance(row, bytes) else row for row in rows]
    for source in (rows, iter(rows), TextColumn(rows)):
        blocks = list(iter_text_blocks(source, block_bytes=block_bytes, block_rows=block_rows))
        assert [text for block in blocks for text in block.to_list()] == expected
        assert all(1 <= len(block) <= block_rows for block in blocks)
        assert all(len(block) == 1 or block.nbytes <= 2 * block_bytes for block in blocks)
