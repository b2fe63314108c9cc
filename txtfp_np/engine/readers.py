"""Documents of files, batch by batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from ..columns import TextColumn
from ..columns.checks import check_errors_option
from ..errors import InvalidInputError
from ..options import check_flag
from .batches import Batch, Position, Wanted, check_columns
from .folders import read_folder
from .inputs import Inputs, SourceFile, find_files, text_files
from .lines import json_columns, read_lines
from .tables import csv_columns, read_csv, read_table, table_rows, table_schema

_READERS: dict[str, Callable[[SourceFile, Wanted, Position], Iterator[Batch]]] = {
    "txt": read_lines,
    "jsonl": read_lines,
    "csv": read_csv,
    "tsv": read_csv,
    "parquet": read_table,
    "arrow": read_table,
    "folder": read_folder,
}


def open_input(
    inputs: Inputs,
    column: str = "text",
    id_column: str | None = None,
    *,
    errors: str = "strict",
    skip_bad: bool = False,
) -> Input:
    r"""Documents of files in any known format.

    Parameters
    ----------
    inputs : str, path, or several of them
        Files (``.txt`` with a document a line, ``.jsonl``, ``.csv``, ``.tsv``, each also ``.gz`` or
        ``.zst``; ``.parquet``; ``.arrow``), patterns as ``"part-*.parquet"``, or folders of ``.txt``
        files, all of one format.
    column : str
        Which column holds the texts, in formats that have columns.
    id_column : str, optional
        Which one holds ids. In a folder the names of the files are ids.
    errors : {"strict", "replace"}
        About bytes that are not UTF-8.
    skip_bad : bool
        Leave out lines that are no records, and count them.

    Returns
    -------
    Input
        Iterate over it for batches.

    Raises
    ------
    InvalidInputError
        If there is no such file, no such column, or formats differ.
    FeatureDisabledError
        If pyarrow is needed and not installed.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name) / "texts.jsonl"
    >>> _ = path.write_text('{"id": 7, "text": "one"}\n{"id": 8, "text": "two"}\n')
    >>> source = open_input(path, id_column="id")
    >>> source.columns
    ('id', 'text')
    >>> [(batch.id_list(), batch.texts.to_list()) for batch in source]
    [([7, 8], ['one', 'two'])]
    >>> folder.cleanup()
    """
    check_errors_option(errors)
    check_flag("skip_bad", skip_bad)
    for argument, name in (("column", column), ("id_column", id_column)):
        if not isinstance(name, str) and (name is not None or argument == "column"):
            raise InvalidInputError(f"{argument} must be the name of a column, got {name!r}", argument=argument)
    source = Input(find_files(inputs), Wanted(column, id_column, errors=errors, skip_bad=skip_bad))
    source.check_columns()
    return source


@dataclass
class Input:
    """Documents of one or more files.

    Attributes
    ----------
    files : tuple of SourceFile
        In the order in which they are read.
    wanted : Wanted
        What is read of each row.
    skipped : int
        Bad rows that the last pass has left out so far.
    """

    files: tuple[SourceFile, ...]
    wanted: Wanted
    skipped: int = field(default=0, compare=False)

    @property
    def kind(self) -> str:
        """Format of the files."""
        return self.files[0].kind

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return sum(file.size for file in self.files)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns of the first file; none for plain text."""
        return tuple(_columns(self.files[0]))

    @property
    def total(self) -> int | None:
        """Number of documents, if it can be told without reading them."""
        if self.kind in ("parquet", "arrow"):
            return sum(map(table_rows, self.files))
        if self.kind == "folder":
            return sum(len(text_files(file.path)) for file in self.files)
        return None

    def check_columns(self) -> None:
        """Refuse at once a file that lacks a column."""
        if self.kind in ("txt", "folder"):
            if self.wanted.id_column is not None and self.kind == "txt":
                raise InvalidInputError(
                    f"{self.files[0].path} has no columns, so no ids",
                    argument="id_column",
                    advice="Leave id_column out.",
                )
            if self.wanted.priority is not None:
                raise InvalidInputError(f"{self.files[0].path} has no columns, so no priorities", argument="keep")
            return
        for file in self.files:
            names = _columns(file)
            if names or self.kind != "jsonl":  # a file without records lacks nothing
                check_columns(file.path, names, self.wanted.names)

    def batches(
        self, start: Position | None = None, whole: bool = False, first_row: int = 0, texts: bool = True
    ) -> Iterator[Batch]:
        """Documents from a position on.

        Parameters
        ----------
        start : Position, optional
            ``after`` of the last batch that was dealt with; None: from the beginning.
        whole : bool
            With what is needed to write rows back.
        first_row : int
            Number of the first document.
        texts : bool
            False where rows alone are needed: documents may then be empty.

        Yields
        ------
        Batch
            Never empty.
        """
        self.skipped = 0
        at = start or Position()
        wanted = self.wanted._replace(whole=whole, texts=texts)
        for number in count(at.file):
            if number >= len(self.files):
                return
            file = self.files[number]
            for batch in _READERS[file.kind](file, wanted, at if number == at.file else Position(number)):
                self.skipped += batch.skipped
                if len(batch) or batch.skipped:
                    yield replace(batch, first_row=first_row)
                first_row += len(batch)

    def __iter__(self) -> Iterator[Batch]:
        return self.batches()

    def read(self) -> tuple[TextColumn, list[str] | list[int]]:
        """All documents at once, and their ids."""
        texts: list[TextColumn] = []
        ids: list[Any] = []
        for batch in self:
            texts.append(batch.texts)
            ids += batch.id_list()
        return TextColumn.concat(texts), ids


def _columns(file: SourceFile) -> list[str]:
    if file.kind in ("csv", "tsv"):
        return csv_columns(file)
    if file.kind == "jsonl":
        return json_columns(file)
    if file.kind in ("parquet", "arrow"):
        return list(table_schema(file).names)
    return []
