"""Where results go: checked before the work, written beside their places, named at the end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..errors import InvalidInputError
from .ids import Ids
from .inputs import SourceFile, kind_of
from .job import Job
from .linking import same_text
from .readers import Input
from .tables import arrow_modules, csv_columns, table_schema
from .work import WorkFolder, read_rows
from .writers import RemovedTable, Writer, closing_all, open_removed, open_writer


@dataclass(frozen=True, slots=True)
class Targets:
    """Names of what will be written.

    Attributes
    ----------
    outputs : tuple of Path
        One for all inputs, or one for each.
    removed : Path or None
        The table of removed rows.
    in_folder : bool
        Whether outputs lie in a folder that was named, and is made if it is not there.
    """

    outputs: tuple[Path, ...]
    removed: Path | None
    in_folder: bool = False

    @property
    def all(self) -> tuple[Path, ...]:
        """Every name."""
        return self.outputs if self.removed is None else (*self.outputs, self.removed)

    @property
    def named(self) -> list[tuple[Path, str]]:
        """Every name, and the argument that it comes from."""
        removed = [] if self.removed is None else [(self.removed, "removed")]
        return [*((path, "output") for path in self.outputs), *removed]


def find_targets(files: Sequence[SourceFile], output: str | os.PathLike[str], removed: object) -> Targets:
    """Names of outputs: ``output`` itself, or in it those of the inputs if it is a folder."""
    path = Path(output)
    is_folder = os.fspath(output).endswith(("/", os.sep)) or path.is_dir()
    in_folder = len(files) > 1 if files[0].kind == "folder" else is_folder
    if files[0].kind == "folder" and len(files) == 1:
        outputs = [path]
    elif in_folder:
        outputs = [path / file.path.name for file in files]
        twice = [name for name in outputs if outputs.count(name) > 1]
        if twice:
            raise InvalidInputError(f"two inputs have the name {twice[0].name}", argument="output")
    else:
        outputs = [path]
        if not path.suffix:
            raise InvalidInputError(
                f"{path} has no suffix that says its format", argument="output", advice="End it with / for a folder."
            )
        if kind_of(path)[0] != files[0].kind:
            raise InvalidInputError(
                f"output must have the format of the inputs, {files[0].kind}, got {path}", argument="output"
            )
    table = None if removed is None else Path(os.fspath(removed))  # type: ignore[call-overload]
    if table is not None and kind_of(table)[0] == "txt":
        raise InvalidInputError(
            f"removed must be a .jsonl, .csv, .tsv, .parquet or .arrow file, got {table}", argument="removed"
        )
    return Targets(tuple(outputs), table, in_folder)


def check_apart(written: Iterable[tuple[Path, str]], read: Iterable[Path]) -> None:
    """Refuse to write to what is read, into a folder of it, or twice to one place, by whatever names.

    Parameters
    ----------
    written : iterable of (path, str)
        What will be written, and the argument that names it.
    read : iterable of path
        Files and folders that are inputs.
    """
    inputs = {path.resolve() for path in read}
    taken: dict[Path, str] = {}
    for path, argument in written:
        real = path.resolve()
        if real in inputs:
            raise InvalidInputError(f"{path} is an input", argument=argument, advice="Inputs are never written to.")
        if not inputs.isdisjoint(real.parents):
            raise InvalidInputError(
                f"{path} lies in an input", argument=argument, advice="Inputs are never written to."
            )
        if real in taken:
            raise InvalidInputError(f"{taken[real]} and {argument} must differ, got {path} for both", argument=argument)
        taken[real] = argument


def check_targets(targets: Targets, files: Sequence[SourceFile], overwrite: bool, others: Sequence[Path] = ()) -> None:
    """Refuse before the work what would fail, or do harm, after it; ``others`` are read, too."""
    check_apart(targets.named, [*(file.path for file in files), *others])
    for path, argument in targets.named:
        if argument == "removed" or files[0].kind != "folder":
            _check_library(path)
        if path.is_dir() and (argument == "removed" or files[0].kind != "folder" or any(path.iterdir())):
            raise InvalidInputError(f"{path} is a folder", argument=argument, advice="Folders are never replaced.")
        if path.exists() and not path.is_dir() and not overwrite:
            raise InvalidInputError(
                f"{path} exists", argument=argument, advice="overwrite=True (--overwrite) replaces it."
            )
        _check_writable(path, argument, argument == "output" and targets.in_folder)


def _check_library(path: Path) -> None:
    kind, compression = kind_of(path)
    if compression == "zst" or kind in ("parquet", "arrow"):
        arrow_modules()


def _check_writable(path: Path, argument: str, in_folder: bool) -> None:
    folder = path.absolute().parent
    if in_folder and not folder.exists() and folder.parent.is_dir():
        return  # made when it is needed
    if not folder.is_dir():
        raise InvalidInputError(
            f"there is no folder {folder} for {path.name}", argument=argument, advice="Make it first."
        )
    probe = folder / f".{path.name}.probe"
    try:
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise InvalidInputError(f"{folder} is not writable: {error.strerror}", argument=argument) from None


def check_schemas(files: Sequence[SourceFile], targets: Targets) -> None:
    """Refuse inputs whose columns differ where all go into one output."""
    if len(files) == 1 or len(targets.outputs) > 1 or files[0].kind in ("txt", "jsonl", "folder"):
        return

    def columns(file: SourceFile) -> list[str]:
        if file.kind in ("csv", "tsv"):
            return csv_columns(file)
        return [f"{field.name}: {field.type}" for field in table_schema(file)]

    first = columns(files[0])
    for file in files[1:]:
        mine = columns(file)
        if mine != first:
            odd = next((name for name in [*mine, *first] if (name in mine) != (name in first)), "their order")
            raise InvalidInputError(
                f"{files[0].path} and {file.path} differ in their columns: {odd}",
                argument="inputs",
                advice="Name a folder as output: then each input has an output of its own.",
            )


def temporary(path: Path, work: WorkFolder) -> Path:
    """Name of an output while it is written: the same for every run of a job."""
    return path.parent / f".{path.name}.{work.key[:12]}.tmp"


def write_outputs(source: Input, work: WorkFolder, job: Job, targets: Targets, said: object) -> None:
    """Read the inputs once more; write what is kept, and what was removed, under temporary names."""
    for path in targets.outputs:
        path.absolute().parent.mkdir(exist_ok=True)
    ids = Ids(work)
    writers: dict[Path, Writer] = {}
    tables: dict[Path, RemovedTable] = {}
    with closing_all(tables), closing_all(writers):
        removed = None
        if targets.removed is not None:
            written = temporary(targets.removed, work)
            removed = tables[written] = open_removed(written, targets.removed, _numeric(work, source))
        done = 0
        for batch in source.batches(whole=True, texts=False):
            number = batch.file
            file = source.files[number]
            target = targets.outputs[number if len(targets.outputs) > 1 else 0]
            writer = writers.get(target)
            if writer is None:
                writer = writers[target] = open_writer(temporary(target, work), target, file)
            if len(batch):
                rows = np.arange(batch.first_row, batch.first_row + len(batch))
                stands_by = read_rows(work.path("representative"), np.uint32, batch.first_row, len(batch))
                keep = stands_by == rows
                writer.write(file, batch, keep)
                if removed is not None and not keep.all():
                    _write_removed(removed, work, job, ids, rows[~keep], stands_by[~keep].astype(np.int64))
            done += len(batch)
            said(done, work.state["scan"]["rows"])  # type: ignore[operator]
        for number, target in enumerate(targets.outputs):  # inputs without any row
            if target not in writers:
                writers[target] = open_writer(temporary(target, work), target, source.files[number])
    for path in targets.all:
        _flush(temporary(path, work))


def _numeric(work: WorkFolder, source: Input) -> bool:
    return not work.path("ids").exists() or bool(work.state["scan"]["numeric_ids"])


def _write_removed(
    table: RemovedTable,
    work: WorkFolder,
    job: Job,
    ids: Ids,
    rows: np.ndarray[tuple[int], np.dtype[np.int64]],
    kept: np.ndarray[tuple[int], np.dtype[np.int64]],
) -> None:
    first, last = int(rows[0]), int(rows[-1])
    shares = read_rows(work.path("similarity"), np.float32, first, last - first + 1)[rows - first]
    reasons = np.where(same_text(work, job, rows, kept), "copy", "near")
    table.write(ids.of(rows), ids.of(kept), shares.tolist(), reasons.tolist())


def _flush(path: Path) -> None:
    for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
        if file.is_file():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())


def publish(work: WorkFolder, targets: Targets) -> None:
    """Give outputs their names. May be called again after it was stopped."""
    for path in targets.all:
        written = temporary(path, work)
        if written.exists():
            if path.is_dir():
                path.rmdir()  # it is empty
            written.replace(path)
    for folder in {path.absolute().parent for path in targets.all}:
        with suppress(OSError):  # some systems cannot open folders
            opened = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(opened)
            finally:
                os.close(opened)
