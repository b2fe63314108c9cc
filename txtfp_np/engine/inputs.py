"""Which files are meant, and what format they have."""

from __future__ import annotations

import glob
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from ..errors import InvalidInputError

Inputs: TypeAlias = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

FORMATS = (
    ".txt (a document a line), .jsonl, .csv, .tsv (each also .gz, .zst), .parquet, .arrow, or a folder of .txt files"
)
KINDS = {
    ".txt": "txt",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
}
COMPRESSIONS = {".gz": "gz", ".zst": "zst"}
TEXT_KINDS = frozenset({"txt", "jsonl", "csv", "tsv"})
"""Kinds that may be compressed as a whole."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One input: a file, or a folder of text files.

    Attributes
    ----------
    path : Path
        Where it is.
    kind : str
        ``txt``, ``jsonl``, ``csv``, ``tsv``, ``parquet``, ``arrow`` or ``folder``.
    compression : str
        ``""``, ``gz`` or ``zst``.
    size, changed : int
        Bytes, and time of the last change in nanoseconds; of a folder, sum and maximum over its files.
    """

    path: Path
    kind: str
    compression: str
    size: int
    changed: int

    def check_unchanged(self) -> None:
        """Refuse to go on with a file that is no longer what it was."""
        try:
            now = describe(self.path)
        except (InvalidInputError, FileNotFoundError):
            now = None
        if now != self:
            raise InvalidInputError(
                f"{self.path} was changed or removed while the job ran",
                argument="inputs",
                advice="Start the job again, and leave its inputs alone until it has ended.",
            )


def kind_of(path: Path) -> tuple[str, str]:
    """Format and compression by the name.

    Examples
    --------
    >>> kind_of(Path("a/b.jsonl.gz"))
    ('jsonl', 'gz')
    """
    suffixes = [suffix.lower() for suffix in path.suffixes]
    compression = COMPRESSIONS.get(suffixes[-1], "") if suffixes else ""
    name = suffixes[-2:-1] if compression else suffixes[-1:]
    kind = KINDS.get(name[0]) if name else None
    if kind is None or (compression and kind not in TEXT_KINDS):
        raise InvalidInputError(f"{path}: no known format", argument="inputs", advice=f"Known are {FORMATS}.")
    return kind, compression


def describe(path: Path) -> SourceFile:
    """What is known of an input without reading it."""
    if path.is_dir():
        size = changed = 0
        for file in text_files(path):
            status = file.stat()
            size, changed = size + status.st_size, max(changed, status.st_mtime_ns)
        return SourceFile(path, "folder", "", size, changed)
    kind, compression = kind_of(path)
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise InvalidInputError(
            f"{path} is a pipe or device, and inputs are read more than once",
            argument="inputs",
            advice="Write it to a file first.",
        )
    return SourceFile(path, kind, compression, status.st_size, status.st_mtime_ns)


def text_files(folder: Path) -> list[Path]:
    """Text files of a folder and its folders, in the order of their names."""
    found = sorted(path for path in folder.rglob("*.txt") if path.is_file())
    if not found:
        others = sorted({path.suffix for path in folder.iterdir() if path.is_file()} - {""})
        advice = f"It has files {', '.join(others)}: name them, as {folder}/*{others[0]}." if others else None
        raise InvalidInputError(f"there are no .txt files in {folder}", argument="inputs", advice=advice)
    return found


def find_files(inputs: Inputs) -> tuple[SourceFile, ...]:
    """Files that are meant by names, folders and patterns, all of one format.

    Raises
    ------
    InvalidInputError
        If there is no such file, a pattern matches nothing, or formats differ.
    """
    given = [inputs] if isinstance(inputs, str | os.PathLike) else list(inputs)
    if not given:
        raise InvalidInputError("no input was given", argument="inputs")
    paths = [path for name in given for path in _expand(os.fspath(name))]
    seen: set[Path] = set()
    for path in paths:
        real = path.resolve()
        if real in seen:
            raise InvalidInputError(f"{path} was given twice", argument="inputs")
        seen.add(real)
    files = tuple(describe(path) for path in paths)
    for file in files:
        if file.kind != files[0].kind:
            raise InvalidInputError(
                f"inputs must have one format, got {files[0].path} ({files[0].kind}) and {file.path} ({file.kind})",
                argument="inputs",
                advice="Run one job for each format, or convert first.",
            )
    return files


def _expand(name: str) -> list[Path]:
    path = Path(name)
    if path.exists():
        return [path]
    if not glob.has_magic(name):
        raise InvalidInputError(f"there is no file {name}", argument="inputs")
    found = [Path(match) for match in sorted(glob.glob(name, recursive=True))]
    if not found:
        raise InvalidInputError(f"no file matches {name}", argument="inputs")
    return found
