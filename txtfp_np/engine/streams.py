"""Compressed or plain files as streams of bytes, read by blocks of whole lines."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from ..columns.checks import MAX_DOCUMENT_BYTES
from ..errors import FeatureDisabledError, InvalidInputError

_SKIP_BYTES = 1 << 20


@contextmanager
def opened(path: Path, compression: str) -> Iterator[Any]:
    """A stream of the bytes inside; what is wrong with the compression becomes an error that names the file."""
    try:
        if compression == "gz":
            with gzip.open(path, "rb") as file:
                yield file
        elif compression == "zst":
            with _zstandard().CompressedInputStream(str(path), "zstd") as file:
                yield file
        else:
            with path.open("rb", buffering=0) as file:
                yield file
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InvalidInputError(f"{path} is no complete gzip file: {error}", argument="inputs") from None
    except OSError as error:
        if compression != "zst" or error.errno is not None:
            raise
        raise InvalidInputError(f"{path} is no complete Zstandard file: {error}", argument="inputs") from None


def _zstandard() -> Any:
    try:
        import pyarrow
    except ImportError as error:
        raise FeatureDisabledError("arrow") from error
    return pyarrow


@contextmanager
def compressing(file: BinaryIO, compression: str) -> Iterator[Any]:
    """A stream to write to, compressed into ``file``, which stays open."""
    if compression == "gz":
        # no time and no name, so that the same content is the same file
        with gzip.GzipFile("", "wb", 6, file, 0) as packed:
            yield packed
    elif compression == "zst":
        library = _zstandard()
        with library.CompressedOutputStream(library.PythonFile(file, "w"), "zstd") as packed:
            yield packed
            packed.flush()
    else:
        yield file


def skip(stream: Any, n_bytes: int, compression: str) -> None:
    """Go to a place in a stream that has just been opened."""
    if not compression:
        stream.seek(n_bytes)
        return
    while n_bytes > 0:
        got = len(stream.read(min(n_bytes, _SKIP_BYTES)))
        if got == 0:
            return
        n_bytes -= got


def line_blocks(stream: Any, size: int, path: Path) -> Iterator[bytes]:
    """Blocks of whole lines, about ``size`` bytes each; the last line gets its break if it has none."""
    parts: list[bytes] = []
    held = 0
    while True:
        data = bytes(stream.read(size))
        if not data:
            break
        cut = data.rfind(b"\n") + 1
        if cut:
            parts.append(data[:cut])
            yield b"".join(parts)
            parts, held = [], 0
        rest = data[cut:]
        if rest:
            parts.append(rest)
            held += len(rest)
        if held > MAX_DOCUMENT_BYTES:
            raise InvalidInputError(
                f"{path} has a line of more than {MAX_DOCUMENT_BYTES} bytes",
                argument="inputs",
                advice="Split it into several documents.",
            )
    if parts:
        yield b"".join([*parts, b"\n"])
