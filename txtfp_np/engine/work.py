"""The work directory of a job: files of rows, and a manifest that says how far they are right.

::

    txtfp-work.json      which job, and how far it is; replaced as a whole
    lock                 held by the process that works here
    signatures, ...      a fixed number of bytes a row, appended to

What stands in a file beyond what the manifest counts is cut off when a job goes on. At the end of a stage all is
flushed to the disk. Within a stage this would take longer than the work: such a manifest holds until the system is
started again, for what it had not written yet may be lost then; the stage begins anew.
"""

from __future__ import annotations

import json
import mmap
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ..errors import InvalidInputError

PARTIAL = ("scan", "sets")
"""Stages that are saved before they are done."""
_BOOT = Path("/proc/sys/kernel/random/boot_id")
_MANIFEST = "txtfp-work.json"
_LOCK = "lock"
_FORMAT = 2


class WorkFolder:
    """Files of one job. Made by :func:`open_work`.

    Attributes
    ----------
    folder : Path
    state : dict
        What the manifest says; :meth:`save` writes it.
    """

    def __init__(self, folder: Path, key: str) -> None:
        self.folder, self.key = folder, key
        self.state: dict[str, Any] = {}

    def path(self, name: str) -> Path:
        """Where a file of this name is."""
        return self.folder / name

    def load(self) -> None:
        """Take up what an earlier run of the same job has left; throw away what another job has."""
        state = peek(self.folder, self.key)
        if state is not None:
            self.state = state
            for name in PARTIAL if state.pop("boot", None) != boot() else ():
                if not state.get(name, {}).get("done"):
                    state.pop(name, None)
            return
        for path in self.folder.iterdir():
            if path.name != _LOCK:
                remove_path(path)
        self.save()

    def save(self, *, within_stage: bool = False) -> None:
        """Write the manifest; what it counts must be on the disk, unless it is about a stage under way."""
        state = {**self.state, "boot": boot()} if within_stage else self.state
        temporary = self.folder / (_MANIFEST + ".tmp")
        with temporary.open("wb") as file:
            file.write(json.dumps({"format": _FORMAT, "key": self.key, "state": state}).encode())
            if not within_stage:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(self.folder / _MANIFEST)

    def remove(self) -> None:
        """Remove everything, the manifest last: until then it says that all is done."""
        for path in self.folder.iterdir():
            if path.name not in (_MANIFEST, _LOCK):
                path.unlink()
        for name in (_LOCK, _MANIFEST):
            self.path(name).unlink(missing_ok=True)
        with suppress(OSError):  # somebody has put a file there
            self.folder.rmdir()


def boot() -> str | None:
    """What changes when the system is started; None if it does not say."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return None


def peek(folder: Path, key: str) -> dict[str, Any] | None:
    """State of a job that was stopped; None if there is none of this key."""
    try:
        found = json.loads((folder / _MANIFEST).read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None
    if found.get("format") != _FORMAT or found.get("key") != key:
        return None
    state: dict[str, Any] = found["state"]
    return state


@contextmanager
def open_work(folder: Path, key: str) -> Iterator[WorkFolder]:
    """The work directory of a job, for this process alone."""
    folder.mkdir(exist_ok=True)
    _refuse_strangers(folder)
    with (folder / _LOCK).open("ab") as file:
        _lock(file, folder)
        work = WorkFolder(folder, key)
        work.load()
        yield work


def _refuse_strangers(folder: Path) -> None:
    names = sorted(path.name for path in folder.iterdir() if path.name not in (_LOCK, _MANIFEST + ".tmp"))
    if names and _MANIFEST not in names:
        raise InvalidInputError(
            f"{folder} is not empty and no work directory: it has {names[0]}",
            argument="work_dir",
            advice="Name a folder that is empty or does not exist.",
        )


def remove_path(path: Path) -> None:
    """Remove a file or a folder, if it is there."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _lock(file: BinaryIO, folder: Path) -> None:
    try:
        import fcntl
    except ImportError:  # Windows: one run at a time is then the caller's promise
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InvalidInputError(
            f"another run is at work in {folder}",
            argument="work_dir",
            advice="Wait for it to end, or name another work directory.",
        ) from None


class RowFile:
    """A file of fixed-width rows that grows at its end.

    Parameters
    ----------
    path : Path
    dtype : dtype
        Of the elements.
    width : int
        Elements a row.
    n_rows : int
        Rows that are right; what follows them is cut off.
    """

    def __init__(self, path: Path, dtype: DTypeLike, width: int = 1, n_rows: int = 0) -> None:
        self.dtype = np.dtype(dtype)
        size = n_rows * width * self.dtype.itemsize
        self._file = path.open("r+b" if n_rows else "wb", buffering=0)
        have = self._file.seek(0, os.SEEK_END)
        if have < size:
            self._file.close()
            raise InvalidInputError(
                f"{path} is damaged: {have} bytes, {size} were written",
                argument="work_dir",
                advice="Remove its folder.",
            )
        self._file.truncate(size)
        self._file.seek(size)

    def append(self, rows: NDArray[Any]) -> None:
        """Write rows to the end."""
        data = np.ascontiguousarray(rows, self.dtype).reshape(-1).view(np.uint8).data
        while data:
            data = data[self._file.write(data) :]

    def sync(self) -> None:
        """Flush to the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()


class MappedFile:
    """A file as a read-only array; its pages can be given back.

    Attributes
    ----------
    array : ndarray (n,)
    """

    def __init__(self, path: Path, dtype: DTypeLike) -> None:
        self._map: mmap.mmap | None = None
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.array: NDArray[Any] = np.frombuffer(self._map if self._map is not None else b"", dtype)

    def forget(self) -> None:
        """Give back the memory of all pages that were read; they are read again when they are needed."""
        if self._map is not None and hasattr(mmap, "MADV_DONTNEED"):
            self._map.madvise(mmap.MADV_DONTNEED)


def read_rows(path: Path, dtype: DTypeLike, first: int = 0, n_rows: int = -1, width: int = 1) -> NDArray[Any]:
    """Some rows of a file."""
    kind = np.dtype(dtype)
    count = n_rows * width if n_rows >= 0 else -1
    return np.fromfile(path, kind, count, offset=first * width * kind.itemsize)
