"""Tables: CSV, Parquet, Arrow IPC."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn
from ..columns.checks import MAX_DOCUMENT_BYTES
from ..errors import FeatureDisabledError, InvalidInputError
from .batches import (
    EXACT_INT,
    SKIP_HINT,
    Batch,
    Position,
    Wanted,
    check_columns,
    encoded,
    hint,
    is_encodable,
    numbers,
    too_large,
)
from .inputs import SourceFile
from .streams import opened

_MOST_ROWS = 1 << 16


# ── CSV ─────────────────────────────────────────────────────────────────────────────────────────
@contextmanager
def csv_rows(file: SourceFile) -> Iterator[Any]:
    """A reader of records; bytes that are not UTF-8 become surrogates, and can be turned back."""
    if csv.field_size_limit() < MAX_DOCUMENT_BYTES:
        csv.field_size_limit(MAX_DOCUMENT_BYTES)  # the module's own 128 kB are less than a document has
    with opened(file.path, file.compression) as stream:
        buffered = stream if file.compression else io.BufferedReader(stream, 1 << 20)
        text = io.TextIOWrapper(buffered, "utf-8-sig", "surrogateescape", newline="")
        yield csv.reader(text, delimiter="\t" if file.kind == "tsv" else ",", strict=True)


def csv_columns(file: SourceFile) -> list[str]:
    """Names in the first line."""
    with csv_rows(file) as rows:
        try:
            return list(next(rows, []))
        except csv.Error as error:
            raise _unreadable(file, error, 1) from None


def _unreadable(file: SourceFile, error: csv.Error, line: int) -> InvalidInputError:
    """What is wrong with the record that begins in a line."""
    text = "a quote that is opened is not closed" if str(error) == "unexpected end of data" else str(error)
    return InvalidInputError(f"{file.path}, line {line}: {text}", argument="inputs")


def read_csv(file: SourceFile, wanted: Wanted, start: Position) -> Iterator[Batch]:
    """Batches of a CSV file. A position in it is a number of records."""
    names = csv_columns(file)
    check_columns(file.path, names, wanted.names)
    must_decode = wanted.skip_bad and wanted.errors == "strict"
    with csv_rows(file) as rows:
        next(rows, [])
        at = {name: names.index(name) for name in wanted.names}
        kept: list[list[str]] = []
        lines: list[int] = []
        size = record = skipped = 0
        row, last = start.row, rows.line_num
        try:
            for values in rows:
                record, last = record + 1, rows.line_num
                if record <= start.line or not values:
                    continue
                if len(values) != len(names):
                    if not wanted.skip_bad:
                        raise InvalidInputError(
                            f"{file.path}, line {rows.line_num}: {len(values)} values for {len(names)} columns",
                            argument="inputs",
                            advice=SKIP_HINT,
                        )
                    skipped += 1
                    continue
                if must_decode and not is_encodable([values[place] for place in at.values()]):
                    skipped += 1
                    continue
                kept.append(values)
                lines.append(rows.line_num)
                size += len(values[at[wanted.column]])
                if size >= wanted.batch_bytes or len(kept) == _MOST_ROWS:
                    row += len(kept)
                    yield _csv_batch(file, wanted, at, kept, lines, Position(start.file, 0, record, row), skipped)
                    kept, lines, size, skipped = [], [], 0, 0
        except csv.Error as error:
            raise _unreadable(file, error, last + 1) from None
        if kept or skipped:
            after = Position(start.file, 0, record, row + len(kept))
            yield _csv_batch(file, wanted, at, kept, lines, after, skipped)


def _csv_batch(
    file: SourceFile,
    wanted: Wanted,
    at: dict[str, int],
    rows: list[list[str]],
    lines: list[int],
    after: Position,
    skipped: int,
) -> Batch:
    def column(name: str) -> list[str]:
        place = at[name]
        return [values[place] for values in rows]

    try:
        texts = encoded(column(wanted.column), wanted.errors)
        ids = encoded(column(wanted.id_column), wanted.errors) if wanted.id_column else None
        priorities = numbers(column(wanted.priority), wanted.priority) if wanted.priority else None
    except InvalidInputError as error:
        where = f"{file.path}, line {lines[error.row or 0]}"
        raise InvalidInputError(
            f"{where}: {error.message}", argument=error.argument or "inputs", advice=hint(error)
        ) from None
    return Batch(texts, ids, False, priorities, rows if wanted.whole else None, after, skipped)


# ── Arrow ───────────────────────────────────────────────────────────────────────────────────────
def arrow_modules() -> tuple[Any, Any]:
    """The library pyarrow, and its Parquet part."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise FeatureDisabledError("arrow") from error
    return pyarrow, pyarrow.parquet


@contextmanager
def table_file(file: SourceFile) -> Iterator[Any]:
    """A ``ParquetFile``, or a reader of Arrow record batches."""
    library, parquet = arrow_modules()
    with _named(file, library):
        if file.kind == "parquet":
            with parquet.ParquetFile(file.path, buffer_size=1 << 20, pre_buffer=False) as reader:
                yield reader
        else:
            with library.memory_map(str(file.path)) as source:
                yield library.ipc.open_file(source)


_NO_STREAMS = (
    "The file format is needed; what holds the stream format (datasets of Hugging Face do) can be written as Parquet."
)


@contextmanager
def _named(file: SourceFile, library: Any) -> Iterator[None]:
    try:
        yield
    except (library.ArrowInvalid, library.ArrowNotImplementedError, library.ArrowSerializationError) as error:
        kind = "Parquet" if file.kind == "parquet" else "Arrow IPC"
        advice = None if kind == "Parquet" else _NO_STREAMS
        raise InvalidInputError(
            f"{file.path} cannot be read as {kind}: {error}", argument="inputs", advice=advice
        ) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise InvalidInputError(f"{file.path} cannot be read: {error}", argument="inputs") from None


def table_schema(file: SourceFile) -> Any:
    """Arrow schema of the file."""
    with table_file(file) as reader:
        return reader.schema_arrow if file.kind == "parquet" else reader.schema


def table_rows(file: SourceFile) -> int:
    """Number of rows, without reading them."""
    with table_file(file) as reader:
        if file.kind == "parquet":
            return int(reader.metadata.num_rows)
        return sum(reader.get_batch(i).num_rows for i in range(reader.num_record_batches))


def read_table(file: SourceFile, wanted: Wanted, start: Position) -> Iterator[Batch]:
    """Batches of a Parquet or Arrow file."""
    with table_file(file) as reader:
        schema = reader.schema_arrow if file.kind == "parquet" else reader.schema
        check_columns(file.path, schema.names, wanted.names)
        read: Callable[..., Iterator[Any]] = _parquet_batches if file.kind == "parquet" else _ipc_batches
        row = start.row
        for piece in read(reader, wanted, start.row):
            row += piece.num_rows
            yield _table_batch(file, wanted, piece, Position(start.file, 0, 0, row))


def _parquet_batches(reader: Any, wanted: Wanted, skip: int) -> Iterator[Any]:
    metadata = reader.metadata
    groups: list[int] = []
    for group in range(metadata.num_row_groups):
        n_rows = metadata.row_group(group).num_rows
        if not groups and skip >= n_rows:
            skip -= n_rows
        else:
            groups.append(group)
    if not groups:
        return
    n_bytes = sum(metadata.row_group(group).total_byte_size for group in groups)
    n_rows = sum(metadata.row_group(group).num_rows for group in groups)
    step = max(1, min(_MOST_ROWS, wanted.batch_bytes * n_rows // max(n_bytes, 1)))
    columns = None if wanted.whole else wanted.names
    for piece in reader.iter_batches(step, groups, columns, use_threads=False):
        passed = min(skip, piece.num_rows)
        skip -= passed
        yield from _cut(piece.slice(passed), wanted)


def _ipc_batches(reader: Any, wanted: Wanted, skip: int) -> Iterator[Any]:
    for number in range(reader.num_record_batches):
        piece = reader.get_batch(number)
        passed = min(skip, piece.num_rows)
        skip -= passed
        yield from _cut(piece.slice(passed), wanted)


def _cut(piece: Any, wanted: Wanted) -> Iterator[Any]:
    """A record batch in slices of the size that is wanted, judged by their mean."""
    if not piece.num_rows:
        return
    parts = max(1, piece.get_total_buffer_size() // wanted.batch_bytes)
    step = max(1, min(_MOST_ROWS, piece.num_rows // parts))
    for begin in range(0, piece.num_rows, step):
        yield piece.slice(begin, step)


def _table_batch(file: SourceFile, wanted: Wanted, piece: Any, after: Position) -> Batch:
    first = after.row - piece.num_rows
    try:
        texts = TextColumn(piece.column(wanted.column), errors=wanted.errors)
        ids, numeric = _ids(piece.column(wanted.id_column)) if wanted.id_column else (None, False)
        priorities = _priorities(piece.column(wanted.priority), wanted.priority) if wanted.priority else None
    except InvalidInputError as error:
        name = wanted.priority if error.argument == "keep" else wanted.column
        where = f"{file.path}, column {name!r}" if error.row is None else f"{file.path}, row {first + error.row}"
        advice = "\n".join(getattr(error, "__notes__", [])) or None
        raise InvalidInputError(
            f"{where}: {error.message}", argument=error.argument or "inputs", advice=advice
        ) from None
    return Batch(texts, ids, numeric, priorities, piece if wanted.whole else None, after)


def _ids(array: Any) -> tuple[TextColumn, bool]:
    library, _ = arrow_modules()
    types = library.types
    numeric = types.is_integer(array.type) and not types.is_uint64(array.type) and array.null_count == 0
    return TextColumn(array.cast(library.large_string()).fill_null("")), numeric


def _priorities(array: Any, name: str) -> NDArray[np.float64]:
    library, _ = arrow_modules()
    types = library.types
    if not (types.is_integer(array.type) or types.is_floating(array.type)):
        raise InvalidInputError(f"priorities must be numbers, got a column of type {array.type}", argument="keep")
    if types.is_integer(array.type):
        whole = array.fill_null(0).to_numpy(zero_copy_only=False)
        beyond = (whole > EXACT_INT) | (whole < -EXACT_INT)
        if beyond.any():
            row = int(beyond.argmax())
            raise too_large(int(whole[row]), row, name)
    values: NDArray[np.float64] = array.cast(library.float64()).to_numpy(zero_copy_only=False)
    if np.isnan(values).any():
        row = int(np.isnan(values).argmax())
        raise InvalidInputError("a priority must be a number, got none", row=row, argument="keep")
    return values
