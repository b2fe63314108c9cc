"""What readers yield: documents, and the rows of the file that they came from."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..columns import TextColumn
from ..errors import InvalidInputError

EXACT_INT = 1 << 53
"""Up to here a float64 holds every whole number."""

BATCH_BYTES = 1 << 20
"""Bytes of a file that are read at once, about."""
SKIP_HINT = "skip_bad=True (--skip-bad) goes on without such lines, and counts them."


class Wanted(NamedTuple):
    """What is to be read of each row.

    Attributes
    ----------
    column, id_column, priority : str or None
        Names of columns; of those that hold the texts, ids, and numbers of which the highest is kept.
    whole : bool
        Everything that is needed to write rows back, too.
    texts : bool
        Texts, ids and priorities. Without them, lines of JSON are not parsed: all documents are empty.
    errors : str
        About bytes that are not UTF-8.
    skip_bad : bool
        Leave out rows that cannot be read.
    batch_bytes : int
        Size of a batch, about.
    """

    column: str = "text"
    id_column: str | None = None
    priority: str | None = None
    whole: bool = False
    texts: bool = True
    errors: str = "strict"
    skip_bad: bool = False
    batch_bytes: int = BATCH_BYTES

    @property
    def names(self) -> list[str]:
        """Columns that are needed."""
        return [name for name in dict.fromkeys((self.column, self.id_column, self.priority)) if name is not None]


class Position(NamedTuple):
    """Where to go on reading: number of the file, and in it byte, line and row."""

    file: int = 0
    offset: int = 0
    line: int = 0
    row: int = 0


class Spans(NamedTuple):
    """Rows as they stand in a file of lines: ``data[starts[i]:ends[i]]``, the line break included."""

    data: NDArray[np.uint8]
    starts: NDArray[np.int64]
    ends: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents.

    Attributes
    ----------
    texts : TextColumn
        The documents.
    ids : TextColumn or None
        Their ids as text, if a column holds them.
    numeric_ids : bool
        Whether all of these ids were whole numbers.
    priorities : float64 (n,) or None
        If a column holds them.
    rows : Spans, list or pyarrow.RecordBatch
        The same rows as the format has them; None unless asked for.
    after : Position
        Where the next batch begins.
    skipped : int
        Bad rows that were left out.
    first_row : int
        Number of the first document, counted over all files.
    """

    texts: TextColumn
    ids: TextColumn | None
    numeric_ids: bool
    priorities: NDArray[np.float64] | None
    rows: Any
    after: Position
    skipped: int = 0
    first_row: int = 0

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def file(self) -> int:
        """Number of the file that it comes from."""
        return self.after.file

    def id_list(self) -> list[str] | list[int]:
        """Ids as Python objects; numbers of rows if no column holds any."""
        if self.ids is None:
            return list(range(self.first_row, self.first_row + len(self)))
        return list(map(int, self.ids)) if self.numeric_ids else list(self.ids)


def encoded(texts: Sequence[object], errors: str) -> TextColumn:
    """Column of strings that were decoded with ``surrogateescape``, so that bad bytes are judged here."""
    try:
        return TextColumn(texts)
    except InvalidInputError:
        return TextColumn([_raw(text) if isinstance(text, str) else text for text in texts], errors=errors)


def hint(error: InvalidInputError) -> str | None:
    """Advice on a line that could be left out; a priority that is no number is no matter of the line."""
    return None if error.argument == "keep" else SKIP_HINT


def is_encodable(values: Sequence[object]) -> bool:
    """Whether strings that were decoded with ``surrogateescape`` came from UTF-8; others do not matter."""
    try:
        for value in values:
            if isinstance(value, str):
                value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _raw(text: str) -> bytes:
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:  # a surrogate that no byte stands for: escaped in JSON, for instance
        return text.encode("utf-8", "surrogatepass")


def spelled(values: Sequence[object]) -> tuple[list[str], bool]:
    """Ids as text, and whether all were whole numbers of 64 bits."""
    if all(type(value) is int and -(1 << 63) <= value < 1 << 63 for value in values):
        return list(map(str, values)), True
    return ["" if value is None else str(value) for value in values], False


def numbers(values: Sequence[object], name: str) -> NDArray[np.float64]:
    """Priorities of the column ``name`` as numbers; the row of an error counts within the batch."""
    out = np.empty(len(values))
    for row, value in enumerate(values):
        if isinstance(value, str):  # of a CSV file
            with suppress(ValueError):
                value = _number(value)
        if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
            raise InvalidInputError(f"a priority must be a number, got {value!r}", row=row, argument="keep")
        if isinstance(value, int) and abs(value) > EXACT_INT:
            raise too_large(value, row, name)
        out[row] = value
    return out


def _number(text: str) -> int | float:
    # a float would take 2**53 + 1 for 2**53; int() refuses 4300 digits and more, float() makes them infinite
    try:
        return int(text)
    except ValueError:
        return float(text)


def too_large(value: int, row: int, name: str) -> InvalidInputError:
    """The error about a whole number that a float64 may not hold."""
    digits = len(str(abs(value)))
    shown = str(value) if digits <= 30 else f"a number of {digits} digits"
    return InvalidInputError(
        f"whole numbers in the column {name!r} must not be beyond 2**53 to be priorities, got {shown}",
        row=row,
        argument="keep",
        advice="Beyond it, numbers that differ by one would be ties. Write smaller numbers there.",
    )


def check_columns(path: Path, names: Sequence[str], wanted: Sequence[str], argument: str = "column") -> None:
    """Refuse a file that lacks a column."""
    for name in wanted:
        if name not in names:
            advice = f"Its columns are: {', '.join(names)}."
            if not names:
                advice = "Its first line, which names them, is empty."
            elif not is_encodable(names):
                advice = "Names of columns are no UTF-8. Convert it, for instance with: iconv -f utf-16 -t utf-8"
            elif len(names) == 1 and any(mark in names[0] for mark in ";\t|"):
                advice += " Values are parted by commas, in a .tsv file by tabs: convert it first."
            raise InvalidInputError(f"{path} has no column {name!r}", argument=argument, advice=advice)
