"""Every way in: what counts as a column of text, and how it becomes one.

Optional libraries are recognised by the module of an object's type and never imported to look at
it: whoever passes a Polars series has imported Polars.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from typing import Any, NoReturn, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInputError
from . import checks
from .blocks import BLOCK_BYTES, BLOCK_ROWS, block_bounds
from .checks import check_bytes, check_errors_option, check_length, encode_str
from .rows import TextRows
from .text import TextColumn, checked


class ArrowArrayExportable(Protocol):
    """An object that hands over one Arrow array (PyCapsule protocol)."""

    def __arrow_c_array__(self, requested_schema: object = None) -> tuple[object, object]: ...


class ArrowStreamExportable(Protocol):
    """An object that hands over a stream of Arrow arrays (PyCapsule protocol)."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...


Document: TypeAlias = str | bytes | bytearray | memoryview
Texts: TypeAlias = Document | TextColumn | Iterable[object] | ArrowArrayExportable | ArrowStreamExportable

_WHOLE = 1 << 62  # no limit, and no overflow when an offset is added
_PANDAS_COLUMNS = frozenset({"Series", "Index", "ExtensionArray"})
_FRAMES = frozenset({"DataFrame", "LazyFrame", "Table", "RecordBatch", "RecordBatchReader"})
# Rows encoded in one go: enough to make the set-up disappear, few enough to stop near a block's end.
_MAX_STEP = 256


def is_single(texts: object) -> bool:
    """Whether this is one document and not a column.

    Examples
    --------
    >>> is_single("text"), is_single(b"text"), is_single(["text"])
    (True, True, False)
    """
    return isinstance(texts, (str, bytes, bytearray, memoryview))


def known_length(texts: object) -> int | None:
    """Number of documents, if it can be told without reading them.

    Examples
    --------
    >>> known_length(["a", "b"]), known_length(iter("ab"))
    (2, None)
    """
    # A 0-dimensional array has __len__, which raises; it is refused with a better text later.
    return len(texts) if isinstance(texts, Sized) and getattr(texts, "ndim", None) != 0 else None


def document_bytes(text: Document, errors: str = "strict") -> bytes:
    r"""UTF-8 of one document.

    Parameters
    ----------
    text : str, bytes, bytearray or memoryview
    errors : {"strict", "replace"}
        What to do about bytes that are not UTF-8 and about lone surrogates.

    Returns
    -------
    bytes

    Raises
    ------
    InvalidInputError
        If it is not text, or not valid under ``errors="strict"``.

    Examples
    --------
    >>> document_bytes("ä"), document_bytes(b"\xff", errors="replace")
    (b'\xc3\xa4', b'\xef\xbf\xbd')
    """
    check_errors_option(errors)
    if isinstance(text, str):
        encoded = encode_str(text, errors)
    elif isinstance(text, (bytes, bytearray, memoryview)):
        encoded = check_bytes(bytes(text), errors)
    else:
        _refuse_value(text, None)
    check_length(len(encoded))
    return encoded


def as_text_column(texts: Texts, *, errors: str = "strict") -> TextColumn:
    """Column of anything that holds text.

    Parameters
    ----------
    texts : Texts
        One document (``str``, bytes-like); an iterable of them; a NumPy array of ``object``, ``U``,
        ``S`` or ``StringDType``; a pandas Series or Index, a Polars Series, a pyarrow array or
        chunked array of strings, binaries, or categories of them; anything with the Arrow PyCapsule
        protocol. None, NaN, NaT, NA and Arrow nulls are null, which is an empty document.
    errors : {"strict", "replace"}
        What to do about bytes that are not UTF-8 and about lone surrogates.

    Returns
    -------
    TextColumn
        Sharing the text of Arrow arrays in one chunk.

    Raises
    ------
    InvalidInputError
        If something is not text; names the row.
    ConfigError
        If ``errors`` has another value.
    FeatureDisabledError
        If pyarrow is needed and not installed.

    Examples
    --------
    >>> as_text_column(["one", b"two", None]).to_list()
    ['one', 'two', None]
    >>> as_text_column(["one", 2])
    Traceback (most recent call last):
        ...
    txtfp_np.errors.InvalidInputError: invalid input: expected str, bytes or null, got int (row 1)
    Leave out what is not text, or convert it first.
    """
    check_errors_option(errors)
    if isinstance(texts, TextColumn):
        return texts
    chunks = _raw_chunks(texts, errors, _WHOLE, _WHOLE)
    if chunks is not None:
        return checked(TextColumn.concat(chunks), errors)
    return TextColumn.concat(iter_text_blocks(texts, errors=errors))


def iter_text_blocks(
    texts: Texts, *, errors: str = "strict", block_bytes: int = BLOCK_BYTES, block_rows: int = BLOCK_ROWS
) -> Iterator[TextColumn]:
    """Column of anything that holds text, block by block.

    Parameters
    ----------
    texts : Texts
        As for :func:`as_text_column`. Arrow data is cut into blocks that share its text; rows of
        other sources are encoded when their block is due, so that a generator of any length runs in
        bounded memory.
    errors : {"strict", "replace"}
        What to do about bytes that are not UTF-8 and about lone surrogates.
    block_bytes, block_rows : int
        Size of a block, about: a larger document is a block of its own.

    Yields
    ------
    TextColumn
        Never empty. The row of an error is counted over all blocks.

    Examples
    --------
    >>> [block.to_list() for block in iter_text_blocks(iter("abc"), block_rows=2)]
    [['a', 'b'], ['c']]
    """
    check_errors_option(errors)
    if isinstance(texts, TextColumn):
        return _cut(texts, block_bytes, block_rows)
    if isinstance(texts, TextRows):
        return texts.blocks(block_bytes, block_rows)
    if isinstance(texts, (str, bytes, bytearray, memoryview)):
        document = document_bytes(texts, errors)
        return iter([_joined([document], [len(document)], [])])
    chunks = _raw_chunks(texts, errors, block_bytes, block_rows)
    if chunks is not None:
        return _checked_blocks(chunks, errors, block_bytes, block_rows)
    return _encoded_blocks(_rows(texts), errors, block_bytes, block_rows)


# ── sources that hold their text in columns ─────────────────────────────────────────────────────
def _classes(texts: object, library: str) -> set[str]:
    """Names of the classes of ``library`` that this object is an instance of."""
    return {kind.__name__ for kind in type(texts).__mro__ if kind.__module__.partition(".")[0] == library}


def _raw_chunks(texts: Any, errors: str, block_bytes: int, block_rows: int) -> Iterator[TextColumn] | None:
    """Columns whose bytes are not checked yet; None if this source holds Python objects."""
    for library in ("pandas", "polars", "pyarrow", "pyspark"):
        if _classes(texts, library) & _FRAMES:
            kind = f"{library}.{type(texts).__name__}"
            _refuse(f"expected a column of text, got a {kind}", "Pass one of its columns.")
    if _classes(texts, "pyarrow") & {"Array", "ChunkedArray"}:
        from .arrow import raw_chunks

        return raw_chunks(texts, block_bytes, block_rows)
    if _classes(texts, "pandas") & _PANDAS_COLUMNS:
        return _pandas_chunks(texts, errors, block_bytes, block_rows)
    if "Series" in _classes(texts, "polars"):
        return _polars_chunks(texts, block_bytes, block_rows)
    if hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__"):
        from .arrow import import_capsules, raw_chunks

        return raw_chunks(import_capsules(texts), block_bytes, block_rows)
    return None


def _pandas_chunks(texts: Any, errors: str, block_bytes: int, block_rows: int) -> Iterator[TextColumn] | None:
    dtype = texts.dtype
    kind = type(dtype).__name__
    values = getattr(texts, "array", texts)
    if kind == "ArrowDtype" or getattr(dtype, "storage", None) == "pyarrow":
        from .arrow import raw_chunks

        return raw_chunks(values.__arrow_array__(), block_bytes, block_rows)
    if kind == "CategoricalDtype":
        return _categories(values, errors, block_bytes, block_rows)
    if kind == "StringDtype" or getattr(dtype, "kind", "") == "O":
        return None
    _refuse_dtype("a pandas column", dtype)


def _categories(values: Any, errors: str, block_bytes: int, block_rows: int) -> Iterator[TextColumn]:
    from .arrow import spell_out

    codes = np.asarray(values.codes, np.int64)
    valid = codes >= 0
    # Only those in use: nobody sees what the others hold.
    used = np.flatnonzero(np.bincount(codes[valid], minlength=len(values.categories)))
    try:
        words = as_text_column(values.categories[used], errors=errors)
    except InvalidInputError as error:
        if error.row is not None:
            error.row = int((codes == used[error.row]).argmax())
        raise
    return spell_out(words, np.searchsorted(used, np.where(valid, codes, 0)), valid, block_bytes, block_rows)


def _polars_chunks(texts: Any, block_bytes: int, block_rows: int) -> Iterator[TextColumn] | None:
    kind = str(texts.dtype).partition("(")[0]
    if kind not in ("String", "Binary", "Categorical", "Enum", "Null"):
        _refuse_dtype("a Polars column", texts.dtype)
    try:
        texts[:0].to_arrow()
    except ImportError:  # Polars exports to pyarrow, or to Python objects
        return None
    from .arrow import raw_chunks

    bounds = [(0, len(texts))]
    if block_rows != _WHOLE and kind in ("String", "Binary"):
        # A series shares the buffers of its text, so only the rows of a block are exported.
        sizes = texts.str.len_bytes() if kind == "String" else texts.bin.size()
        offsets = np.zeros(len(texts) + 1, np.int64)
        np.cumsum(sizes.fill_null(0).to_numpy(), out=offsets[1:])
        bounds = block_bounds(offsets, block_bytes, block_rows)
    slices = (texts.slice(first, stop - first).to_arrow() for first, stop in bounds)
    return chain.from_iterable(raw_chunks(piece, block_bytes, block_rows) for piece in slices)


def _cut(column: TextColumn, block_bytes: int, block_rows: int) -> Iterator[TextColumn]:
    for first, stop in block_bounds(column.offsets, block_bytes, block_rows):
        yield column[first:stop]


def _checked_blocks(
    chunks: Iterator[TextColumn], errors: str, block_bytes: int, block_rows: int
) -> Iterator[TextColumn]:
    row = 0
    for chunk in chunks:
        for block in _cut(chunk, block_bytes, block_rows):
            yield checked(block, errors, row)
            row += len(block)


# ── sources that hold Python objects ────────────────────────────────────────────────────────────
def _rows(texts: Any) -> Iterable[object]:
    if isinstance(texts, np.ndarray):
        return _array_rows(texts)
    if _classes(texts, "pandas") & _PANDAS_COLUMNS:
        return _array_rows(texts.to_numpy(dtype=object))
    if "Series" in _classes(texts, "polars"):
        starts = range(0, len(texts), _MAX_STEP)
        return chain.from_iterable(texts.slice(first, _MAX_STEP).to_list() for first in starts)
    # The views of a dict count as sets, but keep the order of the dict; they have a mapping.
    if isinstance(texts, (Mapping, AbstractSet)) and not hasattr(texts, "mapping"):
        _refuse(
            f"expected a column of text, got a {type(texts).__name__}",
            "Its order is not that of rows: pass list(...) of what is meant.",
        )
    if texts is None or not isinstance(texts, Iterable):
        _refuse(
            f"expected text or a column of text, got {'None' if texts is None else type(texts).__name__}",
            "Pass a str, a list of str, or an array or Arrow, pandas or Polars column of them.",
        )
    return texts


def _array_rows(array: NDArray[Any]) -> Iterable[object]:
    if array.ndim != 1:
        _refuse(f"expected a 1-D array of text, got a {array.ndim}-D array", "Pass one column of it, or .ravel().")
    if array.dtype.kind not in "OUST":
        _refuse_dtype("an array", array.dtype)
    step = max(1, min(_MAX_STEP, BLOCK_BYTES // max(array.itemsize, 1)))
    # tolist() of a piece is fast, keeps the trailing NULs of objects, and gives None for masked rows.
    rows = chain.from_iterable(array[first : first + step].tolist() for first in range(0, len(array), step))
    missing = getattr(array.dtype, "na_object", None)
    if missing is None or isinstance(missing, str):
        return rows
    return (None if row is missing else row for row in rows)


def _encoded_blocks(rows: Iterable[object], errors: str, block_bytes: int, block_rows: int) -> Iterator[TextColumn]:
    """Encode row by row: one wide character makes joining first, encoding later three times slower."""
    stream = iter(rows)
    parts: list[bytes] = []
    lengths: list[int] = []
    nulls: list[int] = []
    size = row = 0
    step = 16
    while True:
        batch = list(islice(stream, min(step, block_rows - len(parts))))
        try:
            encoded = list(map(str.encode, batch))  # type: ignore[arg-type]
        except (TypeError, UnicodeEncodeError):
            encoded = [_row_bytes(value, errors, row + i, len(parts) + i, nulls) for i, value in enumerate(batch)]
        sizes = list(map(len, encoded))
        if sizes and max(sizes) > checks.MAX_DOCUMENT_BYTES:
            longest = sizes.index(max(sizes))
            check_length(sizes[longest], row + longest)
        parts += encoded
        lengths += sizes
        size += sum(sizes)
        row += len(batch)
        if parts and (not batch or size >= block_bytes or len(parts) == block_rows):
            block = _joined(parts, lengths, nulls)
            if size > 2 * block_bytes:  # documents turned out longer than those before them
                yield from _cut(block, block_bytes, block_rows)
            else:
                yield block
            step = _step(block_bytes, size, len(parts))
            parts, lengths, nulls, size = [], [], [], 0
        elif batch:
            step = _step(block_bytes - size, size, len(parts))
        if not batch:
            return


def _step(room: int, size: int, n_docs: int) -> int:
    """How many documents of the size seen so far fit into ``room`` bytes."""
    return max(1, min(_MAX_STEP, room * n_docs // (size + 1)))


def _row_bytes(value: object, errors: str, row: int, place: int, nulls: list[int]) -> bytes:
    if isinstance(value, str):
        return encode_str(value, errors, row)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return check_bytes(bytes(value), errors, row)
    if _is_null(value):
        nulls.append(place)
        return b""
    _refuse_value(value, row)


def _is_null(value: object) -> bool:
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return bool(_classes(value, "pandas") & {"NAType", "NaTType"})


def _joined(parts: list[bytes], lengths: list[int], nulls: list[int]) -> TextColumn:
    offsets = np.zeros(len(parts) + 1, np.int64)
    np.cumsum(np.fromiter(lengths, np.int64, len(lengths)), out=offsets[1:])
    validity = None
    if nulls:
        validity = np.ones(len(parts), np.bool_)
        validity[nulls] = False
    return TextColumn._trusted(np.frombuffer(b"".join(parts), np.uint8), offsets, validity)


# ── refusals ────────────────────────────────────────────────────────────────────────────────────
def _refuse(message: str, advice: str, row: int | None = None) -> NoReturn:
    raise InvalidInputError(message, row=row, argument="texts", advice=advice)


def _refuse_value(value: object, row: int | None) -> NoReturn:
    expected = "str, bytes or null" if row is not None else "str or bytes"
    _refuse(f"expected {expected}, got {type(value).__name__}", "Leave out what is not text, or convert it first.", row)


def _refuse_dtype(what: str, dtype: object) -> NoReturn:
    _refuse(f"expected text, got {what} of dtype {dtype}", "Convert it first, for instance with .astype(str).")
