"""Documents of an input: a file of lines, JSONL, CSV, a folder of text files."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from ..errors import InvalidInputError

FORMATS = ".txt (a document a line), .jsonl, .csv, .tsv (also .gz), or a folder of .txt files"


@dataclass
class Documents:
    """Texts and their ids, in order; ``skipped`` counts lines that were not records."""

    texts: list[str] = field(default_factory=list)
    ids: list[Any] = field(default_factory=list)
    skipped: int = 0


def read_document(argument: str) -> str:
    """The text of a file, or the argument itself where no file has that name.

    Raises
    ------
    InvalidInputError
        If it looks like a path but is none, is a folder, or holds no UTF-8.
    """
    path = Path(argument)
    try:
        is_file, is_folder = path.is_file(), path.is_dir()
    except (OSError, ValueError):  # too long for a name, or with a NUL: a text
        return argument
    if is_folder:
        raise InvalidInputError(f"{path} is a folder", advice="Name a file, or give the text itself.")
    if is_file:
        return _decoded(path)
    if " " not in argument and (path.suffix or "/" in argument):
        raise InvalidInputError(f"there is no file {path}", advice="A text without a space is taken for a path.")
    return argument


def read_documents(path: Path, column: str = "text", id_column: str | None = None, skip_bad: bool = False) -> Documents:
    """All documents of an input; ids are rows, counted from 0, unless a column holds them."""
    if not path.exists():
        raise InvalidInputError(f"there is no file {path}", argument="input")
    found = Documents()
    for row, (identity, text) in enumerate(_rows(path, column, id_column, skip_bad, found)):
        found.ids.append(row if identity is None else identity)
        found.texts.append(text)
    return found


def _rows(
    path: Path, column: str, id_column: str | None, skip_bad: bool, found: Documents
) -> Iterator[tuple[Any, str]]:
    if path.is_dir():
        for file in sorted(path.rglob("*.txt")):
            yield (str(file.relative_to(path)) if id_column else None), _decoded(file)
        return
    suffixes = [suffix.lower() for suffix in path.suffixes]
    kind = suffixes[-2] if suffixes[-1:] == [".gz"] and len(suffixes) > 1 else (suffixes or [""])[-1]
    if kind not in (".txt", ".jsonl", ".ndjson", ".csv", ".tsv"):
        raise InvalidInputError(f"{path}: no known format", argument="input", advice=f"Known are {FORMATS}.")
    opener: Any = gzip.open if suffixes[-1] == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8", newline="") as file:
            if kind == ".txt":
                for line in file:
                    yield None, line.rstrip("\r\n")
            elif kind in (".csv", ".tsv"):
                yield from _csv(path, file, "\t" if kind == ".tsv" else ",", column, id_column)
            else:
                yield from _jsonl(path, file, column, id_column, skip_bad, found)
    except (UnicodeDecodeError, gzip.BadGzipFile, EOFError, csv.Error) as error:
        raise InvalidInputError(f"{path}: {error}", argument="input") from None


def _csv(path: Path, file: TextIO, delimiter: str, column: str, id_column: str | None) -> Iterator[tuple[Any, str]]:
    reader = csv.DictReader(file, delimiter=delimiter)
    _check_columns(path, list(reader.fieldnames or ()), column, id_column)
    for record in reader:
        yield (record[id_column] if id_column else None), record[column] or ""


def _jsonl(
    path: Path, file: TextIO, column: str, id_column: str | None, skip_bad: bool, found: Documents
) -> Iterator[tuple[Any, str]]:
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
            if not isinstance(record, dict):
                raise ValueError("not an object")
        except ValueError as error:
            if not skip_bad:
                advice = "Give --skip-bad to go on without such lines."
                raise InvalidInputError(f"{path}, line {number}: {error}", argument="input", advice=advice) from None
            found.skipped += 1
            continue
        _check_columns(path, list(record), column, id_column)
        text = record[column]
        if not isinstance(text, str | None):
            raise InvalidInputError(f"{path}, line {number}: {column} is no text but {type(text).__name__}")
        yield (record[id_column] if id_column else None), text or ""


def _check_columns(path: Path, names: list[str], *wanted: str | None) -> None:
    for name in wanted:
        if name is not None and name not in names:
            raise InvalidInputError(
                f"{path} has no column {name!r}", argument="column", advice=f"Its columns are: {', '.join(names)}."
            )


def _decoded(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInputError(
            f"{path} is not UTF-8 text: byte {error.start} is {error.object[error.start]:#04x}",
            advice="Convert it, for instance with: iconv -f latin1 -t utf-8",
        ) from None
