"""Folders of text files, each a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..columns import TextColumn
from ..columns.checks import check_length
from ..errors import InvalidInputError
from .batches import Batch, Position, Wanted
from .inputs import SourceFile, text_files


def read_folder(file: SourceFile, wanted: Wanted, start: Position) -> Iterator[Batch]:
    """Batches of the files of a folder; ids are their names inside it."""
    names = [path.relative_to(file.path) for path in text_files(file.path)]
    row = start.row
    texts: list[bytes] = []
    size = 0
    first = row
    for name in names[start.row :]:
        text = (file.path / name).read_bytes()
        check_length(len(text), row)
        texts.append(text)
        size += len(text)
        row += 1
        if size >= wanted.batch_bytes or row == len(names):
            yield _batch(file, wanted, names[first:row], texts, Position(start.file, 0, 0, row))
            texts, size, first = [], 0, row


def _batch(file: SourceFile, wanted: Wanted, names: list[Path], texts: list[bytes], after: Position) -> Batch:
    try:
        column = TextColumn(texts, errors=wanted.errors)
    except InvalidInputError as error:
        raise InvalidInputError(
            f"{file.path / names[error.row or 0]}: {error.message}",
            argument="inputs",
            advice="Convert it, for instance with: iconv -f latin1 -t utf-8",
        ) from None
    ids = TextColumn([name.as_posix() for name in names], errors="replace")
    return Batch(column, ids, False, None, names if wanted.whole else None, after)
