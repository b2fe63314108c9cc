"""A limit of time for a whole answer: httpx knows one for each read alone."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

_CONNECTED = (".connect_tcp.complete", ".start_tls.complete")


class Deadline:
    """When the request of each thread must be over, and what holds its reads to that.

    A service that sends a byte of its headers now and then, or provisional answers without end, would otherwise keep a
    request for ever.

    Parameters
    ----------
    monotonic : callable
        Seconds from some moment on.
    too_late : callable
        Makes the exception of a read for which there is no time left.
    """

    def __init__(self, monotonic: Callable[[], float], too_late: Callable[[], Exception]) -> None:
        self._monotonic, self._too_late = monotonic, too_late
        self._own = threading.local()

    def start(self, seconds: float) -> None:
        """From now on, this thread has so much time."""
        self._own.end = self._monotonic() + seconds

    def left(self) -> float:
        """Seconds that are left; raises if there are none."""
        left: float = self._own.end - self._monotonic()
        if left <= 0:
            raise self._too_late()
        return left

    def watch(self, event: str, info: dict[str, Any]) -> None:
        """For the extension ``trace`` of httpx: each new connection reads no longer than there is time."""
        if not event.endswith(_CONNECTED):
            return
        stream = info["return_value"]
        read = stream.read

        def read_in_time(max_bytes: int, timeout: float | None = None) -> Any:
            left = self.left()
            return read(max_bytes, timeout=left if timeout is None else min(timeout, left))

        stream.read = read_in_time
