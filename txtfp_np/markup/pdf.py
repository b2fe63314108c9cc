"""Text of PDF files, parsed in a child process that is killed when its time is up."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np

from ..columns import Progress, Scratch, TextColumn, resolve_threads, run_blocks
from ..errors import ConfigError, FeatureDisabledError, InvalidInputError
from ..options import check_count
from .convert import column_of

if TYPE_CHECKING:
    from subprocess import Popen

Pdf = bytes | bytearray | memoryview

_CHILD = Path(__file__).with_name("pdf_child.py")


@dataclass(frozen=True, kw_only=True)
class PdfOptions:
    """Limits.

    Parameters
    ----------
    max_bytes : int
        Larger files are refused unread.
    timeout_secs : float
        Time for one file, the start of its process included.

    Examples
    --------
    >>> PdfOptions(timeout_secs=5)
    PdfOptions(max_bytes=52428800, timeout_secs=5)
    """

    max_bytes: int = 50 * 1024 * 1024
    timeout_secs: float = 30

    def __post_init__(self) -> None:
        check_count("max_bytes", self.max_bytes)
        is_number = isinstance(self.timeout_secs, (int, float)) and not isinstance(self.timeout_secs, bool)
        if not is_number or not 0 < self.timeout_secs < float("inf"):
            raise ConfigError(
                f"timeout_secs must be a finite number > 0, got {self.timeout_secs!r}", argument="timeout_secs"
            )


@overload
def pdf_to_text(files: Pdf, /) -> str: ...
@overload
def pdf_to_text(
    files: Iterable[object], /, *, on_error: str = ..., threads: int | None = ..., progress: Progress = ...
) -> TextColumn: ...
def pdf_to_text(
    files: Pdf | Iterable[object],
    /,
    *,
    on_error: str = "raise",
    threads: int | None = None,
    progress: Progress = False,
) -> str | TextColumn:
    """Text of one PDF, or of many, with default limits: 50 MiB and 30 s a file.

    Parameters
    ----------
    files : bytes, or iterable of bytes and None
        Contents of files, not their names.
    on_error : {"raise", "null"}
        What a file among many that cannot be read becomes: an error with its row, or a null.
    threads : int, optional
        Files read at the same time; None: as many as there are cores for this process.
    progress : bool or callable
        True: a line on stderr. A callable gets (files done, files in all).

    Returns
    -------
    str, or TextColumn for an iterable
        Pages are parted by an empty line. NUL becomes U+FFFD.

    Raises
    ------
    FeatureDisabledError
        If pypdfium2 is not installed.
    InvalidInputError
        If a file is too large, takes too long, is encrypted or damaged (with ``.row``).

    Notes
    -----
    Each file is parsed in a process of its own, which may take 2 GiB of memory where the system knows such
    limits, and is killed when its time is up: a hostile file can neither hang nor crash the caller. An
    interrupt, or an error of one of many files, ends those that are being read. To start a process takes
    about a tenth of a second. Text that is only drawn (a scan) is not found.

    Examples
    --------
    >>> pdf_to_text(b"no pdf at all")
    Traceback (most recent call last):
    txtfp_np.errors.InvalidInputError: invalid input: pdf parse error: Failed to load document (...).
    >>> pdf_to_text([b"no pdf", None], on_error="null").to_list()
    [None, None]
    """
    return pdf_to_text_with(files, PdfOptions(), on_error=on_error, threads=threads, progress=progress)


@overload
def pdf_to_text_with(files: Pdf, options: PdfOptions, /) -> str: ...
@overload
def pdf_to_text_with(
    files: Iterable[object],
    options: PdfOptions,
    /,
    *,
    on_error: str = ...,
    threads: int | None = ...,
    progress: Progress = ...,
) -> TextColumn: ...
def pdf_to_text_with(
    files: Pdf | Iterable[object],
    options: PdfOptions,
    /,
    *,
    on_error: str = "raise",
    threads: int | None = None,
    progress: Progress = False,
) -> str | TextColumn:
    """Text of one PDF, or of many, with limits of one's own.

    Parameters
    ----------
    files : bytes, or iterable of bytes and None
    options : PdfOptions
        Limits.
    on_error, threads, progress
        As in :func:`pdf_to_text`.

    Returns
    -------
    str, or TextColumn for an iterable

    Examples
    --------
    >>> pdf_to_text_with(bytes(100), PdfOptions(max_bytes=99))
    Traceback (most recent call last):
    txtfp_np.errors.InvalidInputError: invalid input: pdf input (100 bytes) exceeds 99-byte cap
    """
    if not isinstance(options, PdfOptions):
        raise ConfigError(f"options must be PdfOptions, got {type(options).__name__}", argument="options")
    if on_error not in ("raise", "null"):
        raise ConfigError(f"on_error must be 'raise' or 'null', got {on_error!r}", argument="on_error")
    n_threads = resolve_threads(threads)
    found = find_spec("pypdfium2")
    if found is None or found.origin is None:
        raise FeatureDisabledError("pdf")
    folder = str(Path(found.origin).parent.parent)
    if isinstance(files, (bytes, bytearray, memoryview)):
        return _text_of(bytes(files), options, folder, _Children())
    if isinstance(files, str) or not isinstance(files, Iterable):
        raise InvalidInputError(f"files must be bytes or an iterable of bytes, got {type(files).__name__}")

    children = _Children()

    def read(data: bytes) -> str:
        return _text_of(data, options, folder, children)

    return _texts_of(list(files), read, children.kill, on_error == "null", n_threads, progress)


class _Children:
    """Processes of one call: who gives it up waits for none of them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: set[Popen[bytes]] = set()
        self._given_up = False

    def add(self, child: Popen[bytes]) -> None:
        with self._lock:
            self._running.add(child)
            if self._given_up:
                child.kill()

    def end(self, child: Popen[bytes]) -> None:
        with self._lock:
            self._running.discard(child)
        if child.poll() is None:
            child.kill()
            child.wait()  # after an interrupt, nobody else does

    def kill(self) -> None:
        with self._lock:
            self._given_up = True
            for child in self._running:
                child.kill()


def _texts_of(
    files: list[object],
    read: Callable[[bytes], str],
    give_up: Callable[[], None],
    null_on_error: bool,
    threads: int,
    progress: Progress,
) -> TextColumn:
    encoded: list[bytes | None] = []

    def work(rows: range, scratch: Scratch) -> bytes | None:
        data = files[rows[0]]
        if data is None:
            return None
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InvalidInputError(
                f"a PDF must be bytes or None, got {type(data).__name__}", row=rows[0], argument="files"
            )
        try:
            return read(bytes(data)).encode()
        except InvalidInputError as error:
            if null_on_error:
                return None
            raise error.at_row(rows[0], "files") from None

    run_blocks(
        (range(row, row + 1) for row in range(len(files))),
        work,
        encoded.append,
        threads=threads,
        detached=True,
        progress=progress,
        total=len(files),
        give_up=give_up,
    )
    validity = np.array([text is not None for text in encoded], np.bool_)
    return column_of([text or b"" for text in encoded], None if validity.all() else validity)


def _text_of(data: bytes, options: PdfOptions, folder: str, children: _Children) -> str:
    if len(data) > options.max_bytes:
        raise InvalidInputError(f"pdf input ({len(data)} bytes) exceeds {options.max_bytes}-byte cap", argument="files")
    import subprocess  # only now: it takes a while to import

    # -P: the folder of the script, whose modules have names of the standard library, is not searched.
    with subprocess.Popen(  # which closes the pipes, however it is left
        [sys.executable, "-P", str(_CHILD), str(options.timeout_secs), folder],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        process_group=0,  # Ctrl-C at a terminal is the caller's: files must not fail where it goes on
    ) as child:
        try:
            children.add(child)
            answer, _ = child.communicate(data, timeout=options.timeout_secs)
        except subprocess.TimeoutExpired:
            raise InvalidInputError(
                f"pdf parse exceeded {options.timeout_secs:g}-second timeout",
                argument="files",
                advice="PdfOptions(timeout_secs=...) gives it more time.",
            ) from None
        finally:
            children.end(child)
    kind, text = answer[:1], answer[1:].decode()
    if child.returncode == 0 and kind == b"T":
        return text
    if child.returncode == 0 and kind == b"E":
        raise InvalidInputError(text, argument="files")
    raise InvalidInputError(
        "pdf parser panicked",
        argument="files",
        advice=f"The parser's process ended with {child.returncode}: the file is damaged, or asks for more than 2 GiB.",
    )
