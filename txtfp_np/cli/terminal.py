"""What differs between a terminal and a pipe: progress and colours."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import TextIO

_EVERY = 0.1  # seconds between two drawings
_CELLS = 24


class Bar:
    """A line that says how far a job is, how fast, and how long it will take.

    Parameters
    ----------
    stream : text stream
        Written to.
    clock : callable
        Seconds.

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

    def __call__(self, done: int, total: int | None = None) -> None:
        """Show that ``done`` of ``total`` documents are finished."""
        now = self._clock()
        if now < self._next and done != total:
            return
        self._next = now + _EVERY
        rate = done / max(now - self._begin, 1e-9)
        if total:
            full = _CELLS * done // total
            left = duration((total - done) / rate) if done else "?"
            line = f"{'█' * full}{'░' * (_CELLS - full)} {done / total:4.0%}  {done:,} of {total:,} documents"
            line += f"  {rate:,.0f}/s  {left} left"
        else:
            line = f"{done:,} documents  {rate:,.0f}/s"
        self._write(line)

    def _write(self, line: str) -> None:
        self._stream.write("\r" + line.ljust(self._width))
        self._stream.flush()
        self._width = len(line)

    def close(self) -> None:
        """Remove the line."""
        if self._width:
            self._stream.write("\r" + " " * self._width + "\r")
            self._stream.flush()
            self._width = 0


def progress_bar() -> Bar | None:
    """A bar on a terminal's standard error; None where nobody looks."""
    return Bar(sys.stderr) if sys.stderr is not None and sys.stderr.isatty() else None


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
