"""Files with a document a line: JSONL, and plain text."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn
from ..columns.checks import gather, read_only
from ..errors import InvalidInputError
from .batches import (
    SKIP_HINT,
    Batch,
    Position,
    Spans,
    Wanted,
    check_columns,
    encoded,
    hint,
    is_encodable,
    numbers,
    spelled,
)
from .inputs import SourceFile
from .streams import line_blocks, opened, skip

_BREAK = 10
_RAW_DECODE = json.JSONDecoder().raw_decode  # quicker than loads, which looks for white space
_BLANK = " \t\r\n"  # what JSON has for white space
_TEXT = {str, type(None)}
_MARK = b"\xef\xbb\xbf"  # some editors begin a file with it


class _Block(NamedTuple):
    """Whole lines: their bytes, where each begins and ends (break included), and the number of the first."""

    data: bytes
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    first_line: int


def read_lines(file: SourceFile, wanted: Wanted, start: Position) -> Iterator[Batch]:
    """Batches of a JSONL or text file, from a position on."""
    make: Callable[[SourceFile, _Block, Wanted], Batch] = _json_batch if file.kind == "jsonl" else _text_batch
    if file.kind == "jsonl" and not wanted.texts and not wanted.skip_bad:
        make = _unparsed_batch
    with opened(file.path, file.compression) as stream:
        skip(stream, start.offset, file.compression)
        at = start
        for data in line_blocks(stream, wanted.batch_bytes, file.path):
            ends = np.flatnonzero(np.frombuffer(data, np.uint8) == _BREAK) + 1
            starts = np.concatenate([np.zeros(1, np.int64), ends[:-1]])
            batch = make(file, _Block(data, starts, ends, at.line), wanted)
            at = Position(at.file, at.offset + len(data), at.line + len(ends), at.row + len(batch))
            yield Batch(batch.texts, batch.ids, batch.numeric_ids, batch.priorities, batch.rows, at, batch.skipped)


def json_columns(file: SourceFile) -> list[str]:
    """Names in the first record."""
    with opened(file.path, file.compression) as stream:
        for data in line_blocks(stream, 1 << 16, file.path):
            for line in data.removeprefix(_MARK).split(b"\n"):
                try:
                    record = json.loads(line)
                except (ValueError, RecursionError):
                    continue
                if isinstance(record, dict):
                    return list(record)
    return []


def _text_batch(file: SourceFile, block: _Block, wanted: Wanted) -> Batch:
    data = np.frombuffer(block.data, np.uint8)
    starts, ends = block.starts.copy(), block.ends - 1
    ends -= (ends > starts) & (data[ends - 1] == ord("\r"))
    if block.first_line == 0 and block.data.startswith(_MARK):
        starts[0] += len(_MARK)
    buffer, offsets = gather(read_only(data), starts, np.maximum(starts, ends))
    good: Any = slice(None)
    try:
        texts = TextColumn.from_buffers(buffer, offsets, errors=wanted.errors)
    except InvalidInputError as error:
        if not wanted.skip_bad:
            raise _located(error, file.path, block.first_line + (error.row or 0)) from None
        good = np.array([_is_utf8(block.data[a:b]) for a, b in zip(starts.tolist(), ends.tolist(), strict=True)])
        texts = TextColumn.from_buffers(*gather(read_only(data), starts[good], np.maximum(starts, ends)[good]))
    rows = Spans(data, block.starts[good], block.ends[good]) if wanted.whole else None
    return Batch(texts, None, False, None, rows, Position(), len(starts) - len(texts))


def _is_utf8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _json_batch(file: SourceFile, block: _Block, wanted: Wanted, carefully: bool = False) -> Batch:
    lines = _decoded(block)
    try:
        if carefully:
            raise ValueError
        records = _parsed(lines)
        texts = [record[wanted.column] for record in records]
        lines_of = None
        if not {*map(type, texts)} <= _TEXT:
            raise TypeError
    except (ValueError, TypeError, KeyError, RecursionError):
        records, lines_of = _json_records(file, block, wanted, lines)
        texts = [record[wanted.column] for record in records]

    def line(row: int | None) -> int:
        return block.first_line + (int(lines_of[row or 0]) if lines_of is not None else row or 0)

    names = [name for name in (wanted.id_column, wanted.priority) if name is not None]
    try:
        columns = {name: [record[name] for record in records] for name in names}
        column = encoded(texts, wanted.errors)
        priorities = numbers(columns[wanted.priority], wanted.priority) if wanted.priority else None
        ids, numeric = spelled(columns[wanted.id_column]) if wanted.id_column else ([], False)
        id_column = encoded(ids, wanted.errors) if wanted.id_column else None
    except KeyError:
        return _json_batch(file, block, wanted, carefully=True)
    except InvalidInputError as error:
        if wanted.skip_bad and lines_of is None and error.argument != "keep":
            return _json_batch(file, block, wanted, carefully=True)
        raise _located(error, file.path, line(error.row)) from None
    rows = None
    if wanted.whole:
        pick: Any = slice(None) if lines_of is None else lines_of
        rows = Spans(np.frombuffer(block.data, np.uint8), block.starts[pick], block.ends[pick])
    n_filled = len(lines) if lines_of is None else sum(1 for text in lines if text.strip(_BLANK))
    return Batch(column, id_column, numeric, priorities, rows, Position(), n_filled - len(records))


def _decoded(block: _Block) -> list[str]:
    """The lines one by one: a single wide character would make all of a block wide."""
    data = block.data.removeprefix(_MARK) if block.first_line == 0 else block.data
    lines = data.split(b"\n")
    lines.pop()
    try:
        return list(map(bytes.decode, lines))
    except UnicodeDecodeError:
        return [line.decode("utf-8", "surrogateescape") for line in lines]


def _parsed(lines: list[str]) -> list[Any]:
    found = list(map(_RAW_DECODE, lines))
    if [end for _, end in found] == list(map(len, lines)):
        return [record for record, _ in found]
    return list(map(json.loads, lines))  # there is white space at ends, or more than a record


def _unparsed_batch(file: SourceFile, block: _Block, wanted: Wanted) -> Batch:
    """All lines but blank ones: where no bad ones are left out, these are the documents."""
    data = np.frombuffer(block.data, np.uint8)
    filled = np.ones(len(block.starts), np.bool_)
    for number in np.flatnonzero(data[block.starts] != ord("{")).tolist():
        line = block.data[block.starts[number] : block.ends[number]]
        filled[number] = bool(
            (line.removeprefix(_MARK) if number + block.first_line == 0 else line).strip(_BLANK.encode())
        )
    rows = Spans(data, block.starts[filled], block.ends[filled])
    texts = TextColumn._trusted(np.empty(0, np.uint8), np.zeros(len(rows.starts) + 1, np.int64))
    return Batch(texts, None, False, None, rows, Position())


def _json_records(
    file: SourceFile, block: _Block, wanted: Wanted, lines: list[str]
) -> tuple[list[dict[str, Any]], NDArray[np.int64]]:
    """Records of lines that are not all as they should be, and which lines these are."""
    records, numbers_of = [], []
    for number, text in enumerate(lines):
        if not text.strip(_BLANK):
            continue
        try:
            record = json.loads(text)
            if not isinstance(record, dict):
                raise ValueError(f"not an object but {type(record).__name__}")
            if wanted.column in record and not isinstance(record[wanted.column], str | None):
                raise ValueError(f"{wanted.column} is no text but {type(record[wanted.column]).__name__}")
            if wanted.skip_bad and not _is_whole(record, wanted):
                continue
        except (ValueError, RecursionError) as error:
            if wanted.skip_bad:
                continue
            raise InvalidInputError(
                f"{_at_line(file.path, block.first_line + number)}: {error}",
                argument="inputs",
                advice=SKIP_HINT,
            ) from None
        try:
            check_columns(_at_line(file.path, block.first_line + number), list(record), wanted.names)
        except InvalidInputError as error:
            error.add_note(SKIP_HINT)
            raise
        records.append(record)
        numbers_of.append(number)
    return records, np.array(numbers_of, np.int64)


def _is_whole(record: dict[str, Any], wanted: Wanted) -> bool:
    """Whether a record has all that is wanted, in UTF-8."""
    if not all(name in record for name in wanted.names):
        return False
    return wanted.errors != "strict" or is_encodable([record[name] for name in wanted.names])


def _at_line(path: Path, line: int) -> Path:
    return Path(f"{path}, line {line + 1}")


def _located(error: InvalidInputError, path: Path, line: int) -> InvalidInputError:
    where = _at_line(path, line)
    return InvalidInputError(f"{where}: {error.message}", argument=error.argument or "inputs", advice=hint(error))
