"""Arrow in and out. pyarrow is imported when it is first needed; objects of it prove that it is there."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import FeatureDisabledError, InvalidInputError
from .blocks import block_bounds
from .checks import Bytes, Mask, gather, read_only
from .text import TextColumn, raw_column

if TYPE_CHECKING:
    import pyarrow as pa

    from .tokens import TokenColumn


def pyarrow() -> Any:
    """The module, or the error that says how to get it."""
    try:
        import pyarrow
    except ImportError as error:
        raise FeatureDisabledError("arrow") from error
    return pyarrow


# ── in ──────────────────────────────────────────────────────────────────────────────────────────
def import_capsules(source: Any) -> Any:
    """Array of pyarrow, made of an object that speaks Arrow's PyCapsule protocol."""
    library = pyarrow()
    if hasattr(source, "__arrow_c_stream__"):
        return library.chunked_array(source)
    return library.array(source)


def raw_chunks(array: Any, block_bytes: int, block_rows: int) -> Iterator[TextColumn]:
    """Columns of an ``Array`` or ``ChunkedArray``, one after another; their bytes are not checked yet.

    Text that lies in one piece is shared. A dictionary-encoded array is spelled out, block by block.
    """
    _require_text(array.type)
    chunks = getattr(array, "chunks", [array])
    return chain.from_iterable(_raw_chunk(chunk, block_bytes, block_rows) for chunk in chunks)


def _require_text(arrow_type: Any) -> None:
    types = pyarrow().types
    plain = arrow_type
    if hasattr(plain, "storage_type"):
        plain = plain.storage_type
    if types.is_dictionary(plain):
        plain = plain.value_type
    if not (
        types.is_null(plain)
        or types.is_fixed_size_binary(plain)
        or str(plain) in ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    ):
        raise InvalidInputError(
            f"expected text, got an Arrow column of type {arrow_type}",
            argument="texts",
            advice="Pass a column of strings; numbers have to be cast first.",
        )


def _raw_chunk(array: Any, block_bytes: int, block_rows: int) -> Iterator[TextColumn]:
    if len(array) == 0:  # may lack its buffers
        return
    library = pyarrow()
    types = library.types
    if hasattr(array.type, "storage_type"):
        array = array.storage
    kind = array.type
    if types.is_dictionary(kind):
        yield from _spelled_out(array, block_bytes, block_rows)
        return
    if str(kind) in ("string_view", "binary_view"):
        # Views are scattered over many buffers, with short ones inside the array itself.
        array = array.cast(library.large_string() if str(kind) == "string_view" else library.large_binary())
        kind = array.type
    validity = _validity(array)
    if types.is_null(kind):
        yield raw_column(np.empty(0, np.uint8), np.zeros(len(array) + 1, np.int64), validity)
        return
    buffers = array.buffers()
    data = _bytes(buffers[-1])
    if types.is_fixed_size_binary(kind):
        offsets = np.arange(array.offset, array.offset + len(array) + 1, dtype=np.int64) * kind.byte_width
    else:
        dtype = np.int64 if str(kind).startswith("large_") else np.int32
        given = np.frombuffer(buffers[1], dtype, len(array) + 1, array.offset * np.dtype(dtype).itemsize)
        # int32 becomes int64, for kernels know one type only; a misaligned buffer is copied.
        offsets = np.require(given, np.int64, ["C", "A"])
    yield raw_column(data, offsets, validity)


def _bytes(buffer: Any) -> Bytes:
    return np.empty(0, np.uint8) if buffer is None else np.frombuffer(buffer, np.uint8)


def _validity(array: Any) -> Mask | None:
    if array.null_count == 0:
        return None
    mask: Mask = array.is_valid().to_numpy(zero_copy_only=False)
    return mask


def _spelled_out(array: Any, block_bytes: int, block_rows: int) -> Iterator[TextColumn]:
    words = TextColumn.concat(_raw_chunk(array.dictionary, block_bytes, block_rows))
    validity = _validity(array)
    codes = array.indices
    if codes.null_count:
        codes = codes.fill_null(0)
    yield from spell_out(words, codes.to_numpy(), validity, block_bytes, block_rows)


def spell_out(
    words: TextColumn, codes: NDArray[Any], validity: Mask | None, block_bytes: int, block_rows: int
) -> Iterator[TextColumn]:
    """Columns of the rows ``words[codes]``, at most a block of them at once."""
    if len(words) == 0:  # then every row is null
        yield raw_column(np.empty(0, np.uint8), np.zeros(len(codes) + 1, np.int64), np.zeros(len(codes), np.bool_))
        return
    if codes.min() < 0 or codes.max() >= len(words):
        raise InvalidInputError(
            f"dictionary codes must lie between 0 and {len(words) - 1}, got {codes.min()} to {codes.max()}",
            argument="texts",
        )
    valid = np.ones(len(codes), np.bool_) if validity is None else validity
    if words.validity is not None:
        valid = valid & words.validity[codes]
    starts = words.offsets[:-1][codes]
    ends = np.where(valid, words.offsets[1:][codes], starts)
    lengths = np.zeros(len(codes) + 1, np.int64)
    np.cumsum(ends - starts, out=lengths[1:])
    for first, stop in block_bounds(lengths, block_bytes, block_rows):
        data, offsets = gather(words.data, starts[first:stop], ends[first:stop])
        yield raw_column(read_only(data), offsets, valid[first:stop])


# ── out ─────────────────────────────────────────────────────────────────────────────────────────
def text_to_arrow(column: TextColumn) -> pa.LargeStringArray:
    """``large_string`` array over the same bytes and offsets."""
    library = pyarrow()
    bitmap, nulls = None, 0
    if column.validity is not None:
        bitmap = library.py_buffer(np.packbits(column.validity, bitorder="little"))
        nulls = int(len(column) - np.count_nonzero(column.validity))
    buffers = [bitmap, library.py_buffer(column.offsets), library.py_buffer(column.data)]
    return library.Array.from_buffers(library.large_string(), len(column), buffers, nulls)


def tokens_to_arrow(column: TokenColumn) -> pa.LargeListArray:
    """``large_list<large_string>`` array, one list a document."""
    library = pyarrow()
    offsets = library.array(column.offsets - column.offsets[0])
    return library.LargeListArray.from_arrays(offsets, text_to_arrow(column.to_text_column()))
