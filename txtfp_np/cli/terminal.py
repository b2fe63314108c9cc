"""What differs between a terminal and a pipe: progress and colours."""

from __future__ import annotations

import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

from ..columns import Progress

if TYPE_CHECKING:
    from ..engine import Batch, Input

_EVERY = 0.1  # seconds between two drawings
_CELLS = 24

#: What stages of a job on files do, and what they count.
_STAGES = {
    "scan": ("signing", "documents"),
    "copies": ("finding equal ones", "documents"),
    "candidates": ("finding candidates", "bands"),
    "sets": ("reading candidates", "documents"),
    "verify": ("comparing", "parts"),
    "link": ("linking", "pairs"),
    "output": ("writing", "documents"),
}


class Bar:
    """A line that says how far a job is, how fast, and how long it will take.

    Parameters
    ----------
    stream : text stream
        Written to.
    clock : callable
        Seconds.

    Attributes
    ----------
    expected : int or None
        Documents that there are, about; for stages that cannot tell how many.

    Examples
    --------
    >>> import io
    >>> out, times = io.StringIO(), iter([0.0, 2.0])
    >>> Bar(out, lambda: next(times))(500, 1000)
    >>> out.getvalue().strip()
    '████████████░░░░░░░░░░░░  50%  500 of 1,000 documents  250/s  2 s left'
    """

    def __init__(self, stream: TextIO, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._begin = clock()
        self._next, self._width = self._begin, 0
        self._label, self._unit = "", "documents"
        self.expected: int | None = None

    def stage(self, name: str) -> None:
        """Begin something new, of which ``done`` counts from 0 again."""
        label, self._unit = _STAGES.get(name, (name, "documents"))
        self._label = f"{label}  "
        if name != "scan":
            self.expected = None  # others see some of the documents only
        self._begin = self._next = self._clock()
        self._write(self._label.rstrip())

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show that ``done`` of ``total`` documents are finished."""
        now = self._clock()
        if now < self._next and done != total:
            return
        self._next = now + _EVERY
        rate = done / max(now - self._begin, 1e-9)
        whole = total or (self.expected if self._unit == "documents" else None)
        if whole:
            whole = max(whole, done)
            full = _CELLS * done // whole
            left = duration((whole - done) / rate) if done else "?"
            about, of = ("", f" of {total:,}") if total else ("about ", "")
            line = f"{'█' * full}{'░' * (_CELLS - full)} {done / whole:4.0%}  {done:,}{of} {self._unit}"
            line += f"  {rate:,.0f}/s  {about}{left} left"
        else:
            line = f"{done:,} {self._unit}  {rate:,.0f}/s"
        self._write(self._label + line)

    def _write(self, line: str) -> None:
        line = line[: max(20, shutil.get_terminal_size().columns - 1)]  # a line that wraps cannot be removed
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def close(self) -> None:
        """Remove the line."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0


@contextmanager
def progress_bar() -> Iterator[Progress]:
    """A bar on a terminal's standard error, removed at the end; none (False) where nobody looks."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield False
        return
    bar = Bar(sys.stderr)
    try:
        yield bar
    finally:
        bar.close()


def duration(seconds: float) -> str:
    """Seconds as people say them.

    Examples
    --------
    >>> duration(5), duration(125), duration(7260)
    ('5 s', '2 min 5 s', '2 h 1 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def is_coloured(stream: TextIO, wish: str = "auto") -> bool:
    """Whether to print colours: ``always``, ``never``, or where a person sees them and did not object."""
    if wish != "auto":
        return wish == "always"
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"


def batches(source: Input, progress: Progress) -> Iterator[Batch]:
    """Batches of an input, counted on a bar."""
    done, total = 0, source.total if callable(progress) else None
    expect(source, progress)
    for batch in source:
        if len(batch):
            yield batch
        done += len(batch)
        if callable(progress):
            progress(done, total)


def expect(source: Input, progress: Progress) -> None:
    """Tell a bar about how many documents there are, where only reading them all would tell exactly."""
    if isinstance(progress, Bar):
        from ..engine.estimate import estimate_documents

        progress.expected = estimate_documents(source)
