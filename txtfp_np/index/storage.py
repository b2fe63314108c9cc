"""Indexes on disk: a folder of ``.npy`` files that never change, and one manifest that names them.

::

    manifest.json            what the index consists of; replaced as a whole, last of all
    lock                     held (fcntl) by the one process that writes
    s000001.words.npy        arrays of a segment; written once, removed when nothing names them

A save writes the arrays of new segments under temporary names, flushes them to the disk, gives them
their names, and only then replaces the manifest: whatever happens on the way, the folder holds either
the old index or the new one. Nothing is ever written through a memory map, where a full disk is a
crash instead of an error. Opening reads sizes, headers and the manifest; :meth:`Store.verify` reads
everything.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numpy as np
import xxhash

from ..errors import ConfigError, InvalidInputError
from .npy import BLOCK_BYTES, Array, Blocks, make_folder, map_npy, sync_folder, write_npy

__all__ = ["STORE_FORMAT", "Array", "Attachment", "Blocks", "Contents", "Json", "Store", "StoredSegment"]

STORE_FORMAT = 2
"""Version of the folder's layout."""

_MANIFEST = "manifest.json"
_LOCK = "lock"
_TEMPORARY = ".tmp"
_SEGMENT_FILE = re.compile(r"s\d{6,}\.\w+\.npy(\.tmp)?")  # nobody else's file is ever removed
_READ_ATTEMPTS = 20  # compactions that may come between reading a manifest and opening its files

Json: TypeAlias = dict[str, Any]
Result = TypeVar("Result")


@dataclass(frozen=True)
class StoredSegment:
    """One segment: its name in the manifest and its arrays, memory-mapped read-only."""

    name: str
    arrays: Mapping[str, Array]


@dataclass(frozen=True)
class Contents:
    """What a store held at one moment: its ``meta``, its segments, and the count of saves before."""

    meta: Json
    segments: tuple[StoredSegment, ...]
    generation: int


class Store:
    """A folder that holds one index.

    Parameters
    ----------
    folder : path
        Need not exist.
    kind : str
        What the index is, e.g. ``"lsh"``; a folder of another kind is refused.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(tempfile.mkdtemp(), "example")
    >>> contents = store.save_segments({"h": 4}, [{"ids": np.arange(3)}])
    >>> contents = store.open()
    >>> contents.meta, contents.segments[0].arrays["ids"].tolist()
    ({'h': 4}, [0, 1, 2])
    """

    def __init__(self, folder: str | os.PathLike[str], kind: str) -> None:
        self.folder = Path(folder).absolute()
        self.kind = kind

    # ── reading ─────────────────────────────────────────────────────────────────────────────────
    def exists(self) -> bool:
        """Whether the folder holds an index of any kind."""
        return (self.folder / _MANIFEST).is_file()

    def open(self) -> Contents:
        """Map the arrays of all segments. Takes as long for a large index as for a small one.

        Returns
        -------
        Contents

        Raises
        ------
        InvalidInputError
            If the folder is not an index of this kind, or a file is missing, cut short or of another
            shape than the manifest says; the text names the file.
        """
        return self._read(self._map)

    def verify(self) -> None:
        """Read every file and compare it with the checksum in the manifest.

        Raises
        ------
        InvalidInputError
            If a file is not what was written; the text names it.
        """
        self._read(self._compare)

    def _read(self, work: Callable[[Json], Result]) -> Result:
        """What ``work`` makes of the manifest and of the files that it names."""
        for attempt in range(_READ_ATTEMPTS):
            manifest = self._read_manifest()
            try:
                return work(manifest)
            except FileNotFoundError as error:
                # A compaction may have replaced the manifest, and then removed what the old one names.
                same = self._read_manifest()["generation"] == manifest["generation"]
                if same or attempt == _READ_ATTEMPTS - 1:
                    raise InvalidInputError(f"index file {error.filename} is missing") from error
        raise AssertionError  # the loop returns or raises

    def _compare(self, manifest: Json) -> None:
        self._map(manifest)
        for _, entry in self._files(manifest):
            path = self.folder / entry["file"]
            with open(path, "rb") as file:
                digest = xxhash.xxh3_64()
                while block := file.read(BLOCK_BYTES):
                    digest.update(block)
            if digest.hexdigest() != entry["xxh3"]:
                raise InvalidInputError(f"index file {path} was altered: its checksum is not that of the manifest")

    def _read_manifest(self) -> Json:
        path = self.folder / _MANIFEST
        try:
            raw = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise InvalidInputError(f"{self.folder} is not an index: it has no {_MANIFEST}") from None
        try:
            manifest = json.loads(raw)
            checksum, version = manifest.pop("checksum"), manifest["format"]
        except (ValueError, KeyError, AttributeError, TypeError):
            raise InvalidInputError(f"index file {path} is damaged: it is not a manifest") from None
        later = isinstance(version, int) and version > STORE_FORMAT  # whatever its checksum is made of
        if not later and checksum != _checksum(manifest):
            raise InvalidInputError(f"index file {path} is damaged: its checksum does not match")
        if version != STORE_FORMAT:
            raise InvalidInputError(
                f"index file {path} has format {version}, this version of txtfp_np reads {STORE_FORMAT}",
                advice=f"Open it with {'a later' if later else 'the'} version, or build the index again.",
            )
        if manifest["kind"] != self.kind:
            raise InvalidInputError(f"{self.folder} is an index of kind {manifest['kind']!r}, not {self.kind!r}")
        return manifest  # type: ignore[no-any-return]

    def _files(self, manifest: Json) -> Iterator[tuple[str, Json]]:
        for segment in manifest["segments"]:
            yield from segment["arrays"].items()

    def _map(self, manifest: Json) -> Contents:
        segments = []
        for segment in manifest["segments"]:
            arrays = {name: self._map_file(entry) for name, entry in segment["arrays"].items()}
            segments.append(StoredSegment(segment["name"], arrays))
        return Contents(manifest["meta"], tuple(segments), manifest["generation"])

    def _map_file(self, entry: Json) -> Array:
        path = self.folder / entry["file"]
        size = path.stat().st_size
        if size != entry["bytes"]:
            raise InvalidInputError(f"index file {path} has {size} bytes, the manifest says {entry['bytes']}")
        shape = tuple(entry["shape"])
        try:
            array = map_npy(path, 0 in shape)
        except OSError:
            raise
        except Exception as error:  # whatever NumPy makes of a header that it did not write
            raise InvalidInputError(f"index file {path} is damaged: {error}") from None
        if array.shape != shape or array.dtype.str != entry["dtype"] or not array.flags.c_contiguous:
            raise InvalidInputError(f"index file {path} is damaged: its header is not that of the manifest")
        return array.view(np.ndarray)

    # ── writing ─────────────────────────────────────────────────────────────────────────────────
    def save_segments(
        self,
        meta: Json,
        new: Sequence[Mapping[str, Array | Blocks]],
        *,
        keep: Sequence[str] = (),
        generation: int | None = None,
    ) -> Contents:
        """Make the index consist of the kept segments, then the new ones, in one step.

        Parameters
        ----------
        meta : dict
            What JSON can hold; :attr:`Contents.meta` when it is opened.
        new : sequence of mappings
            Arrays by name, one mapping a segment.
        keep : sequence of str
            Names of segments that stay; their files are not touched. All others go.
        generation : int, optional
            That of the contents this save builds on; None to replace whatever there is.

        Returns
        -------
        Contents
            As :meth:`open` would give them.

        Raises
        ------
        ConfigError
            If somebody else saved since ``generation``.
        BlockingIOError
            If another process is writing.
        OSError
            If the folder cannot be written or the disk is full; the index is what it was.
        """
        make_folder(self.folder)
        if not self.exists() and any(not self._is_ours(path.name) for path in self.folder.iterdir()):
            raise InvalidInputError(f"{self.folder} is not an index and not empty: nothing is written there")
        with self._locked():
            old = self._read_manifest() if self.exists() else None
            before = 0 if old is None else old["generation"]
            if generation is not None and before != generation:
                now = f"generation {before}" if old else "the index is gone"
                raise ConfigError(
                    f"{self.folder} was saved by somebody else since it was opened ({now}, opened at {generation})",
                    advice="Open it again and repeat the changes, or save to another folder.",
                )
            self._sweep(old)  # what a save that was killed left behind
            kept = {segment["name"]: segment for segment in (old or {"segments": []})["segments"]}
            number = 0 if old is None else old["last_segment"]
            segments = [kept[name] for name in keep]
            written: list[Path] = []
            try:
                for arrays in new:
                    number += 1
                    segments.append(self._write_segment(f"s{number:06d}", arrays, written))
                manifest = {
                    "format": STORE_FORMAT,
                    "kind": self.kind,
                    "generation": before + 1,
                    "last_segment": number,
                    "meta": meta,
                    "segments": segments,
                }
                sync_folder(self.folder)
                self._write_manifest(manifest)
            except BaseException:
                # Interrupted after the manifest took effect, the new files are the index.
                if not self.exists() or self._read_manifest()["generation"] == before:
                    for path in written:
                        path.unlink(missing_ok=True)
                raise
            contents = self._map(manifest)
            self._sweep(manifest)
            return contents

    def _write_segment(self, name: str, arrays: Mapping[str, Array | Blocks], written: list[Path]) -> Json:
        entries = {}
        for array_name, array in arrays.items():
            file_name = f"{name}.{array_name}.npy"
            path, temporary = self.folder / file_name, self.folder / (file_name + _TEMPORARY)
            written += [temporary, path]
            blocks = array if isinstance(array, Blocks) else Blocks(array.dtype, array.shape, [array])
            with open(temporary, "wb") as file:
                size, checksum = write_npy(file, blocks)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
            entries[array_name] = {
                "file": file_name,
                "bytes": size,
                "dtype": np.dtype(blocks.dtype).str,
                "shape": list(blocks.shape),
                "xxh3": checksum,
            }
        return {"name": name, "arrays": entries}

    def _write_manifest(self, manifest: Json) -> None:
        temporary = self.folder / (_MANIFEST + _TEMPORARY)
        try:
            with open(temporary, "wb") as file:
                text = json.dumps({**manifest, "checksum": _checksum(manifest)}, indent=1)
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, self.folder / _MANIFEST)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        sync_folder(self.folder)

    def _is_ours(self, name: str) -> bool:
        return name in (_LOCK, _MANIFEST, _MANIFEST + _TEMPORARY) or _SEGMENT_FILE.fullmatch(name) is not None

    def _sweep(self, manifest: Json | None) -> None:
        """Remove files of segments that ``manifest`` does not name, and unfinished ones; later, if it cannot be now."""
        named = {entry["file"] for _, entry in self._files(manifest)} if manifest else set()
        for path in self.folder.iterdir():
            if self._is_ours(path.name) and path.name not in named | {_LOCK, _MANIFEST}:
                with contextlib.suppress(OSError):
                    path.unlink()

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        try:
            import fcntl
        except ImportError:  # Windows: one writer is then the caller's promise
            yield
            return
        with open(self.folder / _LOCK, "ab") as file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise BlockingIOError(error.errno, "another process is writing this index", str(self.folder)) from None
            yield  # closing the file gives the lock back, and so does the end of the process


def _checksum(manifest: Json) -> str:
    return xxhash.xxh3_64_hexdigest(json.dumps(manifest, sort_keys=True).encode())


@dataclass(frozen=True)
class Attachment:
    """The folder that an index belongs to, and the generation of it that the index knows."""

    store: Store
    generation: int

    def is_at(self, folder: str | os.PathLike[str]) -> bool:
        """Whether ``folder`` is that folder, however it is called."""
        return os.path.realpath(folder) == os.path.realpath(self.store.folder)
