"""Files that a command writes: complete, or not there."""

from __future__ import annotations

import contextlib
import io
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, BinaryIO

from ..dedup.whole_file import whole_file
from ..errors import InvalidInputError


def check_output(path: Path, overwrite: bool, *read: str | Sequence[str] | None, argument: str = "output") -> None:
    """Refuse early what would fail, or do harm, after an hour of work.

    Parameters
    ----------
    path : Path
        What will be written.
    overwrite : bool
        Whether it may be there already.
    read : str, sequence of str, or None
        Inputs, in any of the ways in which they are given; None: none.
    argument : str
        What names the path.

    Raises
    ------
    InvalidInputError
        If the file exists and is not to be replaced, is a folder, is read, or has no folder to be in.
    """
    if any(read):
        from ..engine.outputs import check_apart

        check_apart([(path, argument)], [source for inputs in read if inputs for source in input_paths(inputs)])
    if path.is_dir():
        raise InvalidInputError(f"{path} is a folder", argument=argument, advice="Name a file in it.")
    if path.exists() and not path.is_file():  # a device, a pipe: it would be replaced by a file
        raise InvalidInputError(f"{path} is no file", argument=argument)
    if path.exists() and not overwrite:
        raise InvalidInputError(f"{path} exists", argument=argument, advice="Give --overwrite to replace it.")
    if not path.absolute().parent.is_dir():
        raise InvalidInputError(
            f"there is no folder {path.absolute().parent} for {path.name}", argument=argument, advice="Make it first."
        )
    try:
        tempfile.TemporaryFile(dir=path.absolute().parent).close()
    except OSError as error:
        raise InvalidInputError(
            f"{path.absolute().parent} is not writable: {error.strerror}", argument=argument
        ) from None


def input_paths(inputs: str | Sequence[str]) -> list[Path]:
    """Files and folders that are meant by inputs; the folder, if it is that of an index."""
    from ..engine.against import is_index
    from ..engine.inputs import find_files

    given = [inputs] if isinstance(inputs, str) else inputs
    if len(given) == 1 and is_index(given[0]):
        return [Path(given[0])]
    return [file.path for file in find_files(given)]


def write_file(path: Path, write: Callable[[BinaryIO], object]) -> None:
    """Write to a neighbour, flush it to the disk, then give it the name."""
    with whole_file(path) as file:
        write(file)


@contextlib.contextmanager
def new_file(path: Path) -> Iterator[IO[str]]:
    """A text file that gets its name when all is written."""
    with whole_file(path) as file:
        text = io.TextIOWrapper(file, "utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()
