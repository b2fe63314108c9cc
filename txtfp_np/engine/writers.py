"""Writing kept rows in the format that they were read in, and tables of what was removed."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..columns.checks import gather, read_only
from .batches import Batch, Spans
from .inputs import SourceFile, kind_of
from .streams import compressing
from .tables import arrow_modules, csv_columns, table_file, table_schema
from .work import remove_path

Mask = NDArray[np.bool_]

_GROUP_BYTES = 16 << 20
_DEFAULT_CODEC = "SNAPPY"


class Writer(Protocol):
    """Writes the rows of batches that are kept."""

    def write(self, source: SourceFile, batch: Batch, keep: Mask) -> None:
        """Append the rows that are kept."""
        ...

    def close(self) -> None:
        """End the file."""
        ...


def open_writer(path: Path, target: Path, source: SourceFile) -> Writer:
    """Writer of rows as ``source`` has them to ``path``, which will be named ``target``."""
    if source.kind == "folder":
        return _FolderWriter(path)
    compression = kind_of(target)[1]
    if source.kind in ("txt", "jsonl"):
        return _LineWriter(path, compression)
    if source.kind in ("csv", "tsv"):
        return _CsvWriter(path, compression, source)
    if source.kind == "parquet":
        return _ParquetWriter(path, table_schema(source), _codecs(source))
    return _ArrowWriter(path, table_schema(source))


def close_all(*closings: Callable[[], object]) -> None:
    """Call all of them, also when one fails: of several errors, the first one is raised at the end."""
    errors = []
    for close in closings:
        try:
            close()
        except Exception as error:
            errors.append(error)
    if errors:
        raise errors[0]


@contextmanager
def closing_all(writers: Mapping[Path, Writer | RemovedTable]) -> Iterator[None]:
    """Close, at the end, all that are there then; an error before the end hides those of closing."""
    try:
        yield
    except BaseException:
        with suppress(Exception):
            close_all(*(writer.close for writer in writers.values()))
        raise
    close_all(*(writer.close for writer in writers.values()))


class _FileWriter:
    """A file, flushed to the disk when it is closed."""

    def __init__(self, path: Path, compression: str) -> None:
        self._stack = ExitStack()
        self._file = self._stack.enter_context(path.open("wb"))
        self._stream: Any = self._stack.enter_context(compressing(self._file, compression))

    def close(self) -> None:
        self._stack.close()


class _LineWriter(_FileWriter):
    """The bytes of the lines, as they are."""

    def write(self, source: SourceFile, batch: Batch, keep: Mask) -> None:
        rows: Spans = batch.rows
        data, _ = gather(read_only(rows.data), rows.starts[keep], rows.ends[keep])
        self._stream.write(data.data)


class _CsvWriter(_FileWriter):
    """The values, as they are; quotes where they are needed."""

    def __init__(self, path: Path, compression: str, source: SourceFile) -> None:
        super().__init__(path, compression)
        self._text = io.TextIOWrapper(
            io.BufferedWriter(_Unclosed(self._stream)), "utf-8", "surrogateescape", newline=""
        )
        self._rows = _csv_writer(self._text, source.kind)
        self._rows.writerow(csv_columns(source))

    def write(self, source: SourceFile, batch: Batch, keep: Mask) -> None:
        self._rows.writerows(batch.rows[place] for place in np.flatnonzero(keep).tolist())

    def close(self) -> None:
        close_all(self._text.flush, super().close)


def _csv_writer(text: io.TextIOWrapper, kind: str) -> Any:
    """A writer of records, each of which ends in a line feed."""
    # before Python 3.13 only characters of the line terminator are quoted, and readers end a record at \r, too
    return csv.writer(_Ends(text), delimiter="\t" if kind == "tsv" else ",", lineterminator="\r\n")


class _Ends:
    """Takes records one by one, and ends them as files here end."""

    def __init__(self, text: io.TextIOWrapper) -> None:
        self._write = text.write

    def write(self, record: str) -> int:
        return self._write(record[:-2] + "\n")


class _Unclosed(io.RawIOBase):
    """A stream that is somebody else's to close."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(bytes(data))
        return len(data)


class _ParquetWriter:
    """Row groups of some size, with the schema and the compression of the input."""

    def __init__(self, path: Path, schema: Any, codecs: dict[str, str] | str) -> None:
        self._library, parquet = arrow_modules()
        self._writer = parquet.ParquetWriter(path, schema, compression=codecs)
        self._schema = schema
        self._held: list[Any] = []
        self._bytes = 0

    def write(self, source: SourceFile, batch: Batch, keep: Mask) -> None:
        kept = batch.rows.filter(self._library.array(keep))
        if kept.num_rows:
            self._held.append(kept)
            self._bytes += kept.nbytes
        if self._bytes >= _GROUP_BYTES:
            self._flush()

    def _flush(self) -> None:
        if self._held:
            # names and types were compared before; what may differ is the metadata
            self._writer.write_table(self._library.Table.from_batches(self._held).cast(self._schema))
        self._held, self._bytes = [], 0

    def close(self) -> None:
        close_all(self._flush, self._writer.close)


class _ArrowWriter:
    """Record batches as they are read."""

    def __init__(self, path: Path, schema: Any) -> None:
        self._library, _ = arrow_modules()
        self._writer = self._library.ipc.new_file(str(path), schema)

    def write(self, source: SourceFile, batch: Batch, keep: Mask) -> None:
        kept = batch.rows.filter(self._library.array(keep))
        if kept.num_rows:
            self._writer.write_batch(kept)

    def close(self) -> None:
        self._writer.close()


class _FolderWriter:
    """Copies of files, under the names that they had in their folder."""

    def __init__(self, path: Path) -> None:
        remove_path(path)  # of a run that was stopped
        path.mkdir()
        self._path = path

    def write(self, source: SourceFile, batch: Batch, keep: Mask) -> None:
        for place in np.flatnonzero(keep).tolist():
            target = self._path / batch.rows[place]
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source.path / batch.rows[place], target)

    def close(self) -> None:
        pass


def _codecs(source: SourceFile) -> dict[str, str] | str:
    """Compression of each column of the first row group."""
    with table_file(source) as reader:
        metadata = reader.metadata
        if metadata.num_row_groups == 0:
            return _DEFAULT_CODEC
        group = metadata.row_group(0)
        columns = [group.column(place) for place in range(group.num_columns)]
        return {
            column.path_in_schema: "NONE" if column.compression == "UNCOMPRESSED" else column.compression
            for column in columns
        }


# ── the table of removed rows ───────────────────────────────────────────────────────────────────
class RemovedTable(Protocol):
    """Writes what was removed: id, kept_id, similarity, reason."""

    def write(self, ids: Sequence[Any], kept: Sequence[Any], shares: Sequence[float], reasons: Sequence[str]) -> None:
        """Append rows."""
        ...

    def close(self) -> None:
        """End the file."""
        ...


REMOVED_COLUMNS = ("id", "kept_id", "similarity", "reason")


def open_removed(path: Path, target: Path, numeric_ids: bool) -> RemovedTable:
    """Table of removed rows, to ``path``, which will be named ``target``."""
    kind, compression = kind_of(target)
    if kind in ("parquet", "arrow"):
        return _RemovedArrow(path, kind, numeric_ids)
    if kind == "jsonl":
        return _RemovedJson(path, compression)
    return _RemovedCsv(path, compression, kind)


class _RemovedJson(_FileWriter):
    def write(self, ids: Sequence[Any], kept: Sequence[Any], shares: Sequence[float], reasons: Sequence[str]) -> None:
        for row in zip(ids, kept, _rounded(shares), reasons, strict=True):
            line = json.dumps(dict(zip(REMOVED_COLUMNS, row, strict=True)), ensure_ascii=False)
            self._stream.write(line.encode() + b"\n")


class _RemovedCsv(_FileWriter):
    def __init__(self, path: Path, compression: str, kind: str) -> None:
        super().__init__(path, compression)
        self._text = io.TextIOWrapper(io.BufferedWriter(_Unclosed(self._stream)), "utf-8", newline="")
        self._rows = _csv_writer(self._text, kind)
        self._rows.writerow(REMOVED_COLUMNS)

    def write(self, ids: Sequence[Any], kept: Sequence[Any], shares: Sequence[float], reasons: Sequence[str]) -> None:
        self._rows.writerows(zip(ids, kept, _rounded(shares), reasons, strict=True))

    def close(self) -> None:
        close_all(self._text.flush, super().close)


class _RemovedArrow:
    def __init__(self, path: Path, kind: str, numeric_ids: bool) -> None:
        library, parquet = arrow_modules()
        of_ids = library.int64() if numeric_ids else library.string()
        types = (of_ids, of_ids, library.float32(), library.string())
        self._schema = library.schema(list(zip(REMOVED_COLUMNS, types, strict=True)))
        self._table = library.table
        if kind == "parquet":
            self._writer = parquet.ParquetWriter(path, self._schema)
        else:
            self._writer = library.ipc.new_file(str(path), self._schema)

    def write(self, ids: Sequence[Any], kept: Sequence[Any], shares: Sequence[float], reasons: Sequence[str]) -> None:
        exact = [None if share != share else share for share in shares]
        columns = dict(zip(REMOVED_COLUMNS, (ids, kept, exact, reasons), strict=True))
        self._writer.write_table(self._table(columns, schema=self._schema))

    def close(self) -> None:
        self._writer.close()


def _rounded(shares: Sequence[float]) -> list[float | None]:
    """Six digits, which is what single precision holds; None for NaN: the two rows were not compared."""
    return [None if share != share else round(share, 6) for share in shares]
