"""What a job is asked to do, and the memory it may take for it."""

from __future__ import annotations

import ctypes
import re
import sys
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ..dedup.settings import Settings
from ..errors import ConfigError
from ..index.bands import LshIndexBuilder
from .batches import BATCH_BYTES

BASE_BYTES = 400 << 20
"""What the interpreter with its libraries, compiled kernels and threads takes, stacks and reserves included."""
ROW_BYTES = 40
"""What a document takes at most, in the stage that takes most."""
_LEAST_SPARE = 48 << 20
_UNITS = {"": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "ki": 1 << 10, "mi": 1 << 20, "gi": 1 << 30}


class Job(NamedTuple):
    """Options of a job.

    Attributes
    ----------
    settings : Settings
        What makes a pair, and how pairs are linked.
    bands : LshIndexBuilder or None
        None if only equal documents are looked for.
    threads : int
    memory : int or None
        Bytes that the process may use, about.
    """

    settings: Settings
    bands: LshIndexBuilder | None
    threads: int
    memory: int | None

    @property
    def batch_bytes(self) -> int:
        """Bytes of a file to read at once."""
        if self.memory is None:
            return BATCH_BYTES
        return max(1 << 18, min(BATCH_BYTES, (self.memory - BASE_BYTES) // 24))

    def sort_bytes(self, n: int) -> int | None:
        """Bytes for sorting, while some are taken for each of ``n`` documents anyway."""
        return None if self.memory is None else max(1 << 20, self.memory - BASE_BYTES - 8 * n - _LEAST_SPARE // 2)

    def check_memory(self, n: int) -> None:
        """Refuse a limit in which ``n`` documents cannot be worked off; 0: how many is not known yet."""
        needed = BASE_BYTES + _LEAST_SPARE + ROW_BYTES * n
        if self.memory is not None and self.memory < needed:
            documents = f" for {n:,} documents" if n else ""
            raise ConfigError(
                f"memory must be at least {-(-needed // 10**6):,} MB{documents}, got {self.memory / 1e6:,.0f} MB",
                argument="memory",
                advice=f"A limit counts what the process reserves (stacks, compiled code), "
                f"{-(-(BASE_BYTES + _LEAST_SPARE) // 10**6)} MB, and {ROW_BYTES} bytes a document.",
            )


def give_back() -> None:
    """Hand memory that was freed to the system: allocators keep it, and the next stage has another use for it."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if sys.platform == "linux":
        with suppress(AttributeError):  # a C library that keeps nothing back
            ctypes.CDLL(None).malloc_trim(0)


def check_memory(memory: object) -> int | None:
    """Bytes, given as a number or as text.

    Examples
    --------
    >>> check_memory("1GB"), check_memory("512 MiB"), check_memory(10**9)
    (1000000000, 536870912, 1000000000)
    """
    if memory is None:
        return None
    if isinstance(memory, str):
        match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmg]i?)?b?\s*", memory.lower())
        if match:
            return int(float(match[1]) * _UNITS[match[2] or ""])
    elif isinstance(memory, int | np.integer) and not isinstance(memory, bool) and memory > 0:
        return int(memory)
    raise ConfigError(f"memory must be a number of bytes or a text like '4GB', got {memory!r}", argument="memory")
