"""Arrays as files: written block by block with a checksum on the way, and flushed to the disk."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import xxhash
from numpy.typing import DTypeLike, NDArray

Array: TypeAlias = NDArray[Any]

BLOCK_BYTES = 1 << 22


@dataclass(frozen=True)
class Blocks:
    """An array that is written without ever being in memory as a whole.

    Attributes
    ----------
    dtype : dtype
    shape : tuple of int
        Of the whole array.
    parts : iterable of ndarray
        One after another, in C order, they are its elements.
    """

    dtype: DTypeLike
    shape: tuple[int, ...]
    parts: Iterable[Array]


def write_npy(file: BinaryIO, blocks: Blocks) -> tuple[int, str]:
    """Write an array in NumPy's format; its size in bytes and its checksum."""
    dtype = np.dtype(blocks.dtype)
    header: list[bytes] = []

    class _Sink:
        def write(self, data: bytes) -> int:
            header.append(bytes(data))
            return len(data)

    np.lib.format.write_array_header_1_0(
        _Sink(),
        {"descr": np.lib.format.dtype_to_descr(dtype), "fortran_order": False, "shape": tuple(blocks.shape)},
    )
    digest = xxhash.xxh3_64()
    size = 0

    def put(data: Any) -> None:
        nonlocal size
        digest.update(data)
        file.write(data)
        size += memoryview(data).nbytes

    put(b"".join(header))
    expected = int(np.prod(blocks.shape, dtype=np.int64)) * dtype.itemsize + size
    for part in blocks.parts:
        flat = np.ascontiguousarray(part, dtype).reshape(-1).view(np.uint8)
        for begin in range(0, len(flat), BLOCK_BYTES):
            put(flat[begin : begin + BLOCK_BYTES].data)
    if size != expected:
        raise AssertionError(f"parts of {size} bytes do not make an array of {expected}")
    return size, digest.hexdigest()


def map_npy(path: Path, empty: bool) -> Array:
    """Map an array read-only; nothing can be mapped of one without elements, so that is read."""
    if not empty:
        return np.lib.format.open_memmap(path, mode="r")
    with open(path, "rb") as file:
        array: Array = np.lib.format.read_array(file, allow_pickle=False)
    return array


def make_folder(folder: Path) -> None:
    """Make a folder, and those above it; each is on the disk when this returns."""
    if folder.is_dir():
        return
    make_folder(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def sync_folder(folder: Path) -> None:
    """Flush the names in a folder to the disk."""
    if not hasattr(os, "O_DIRECTORY"):  # Windows cannot open a folder
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
