"""Loading the frozen tables: once a process, each array when it is first asked for."""

from __future__ import annotations

import io
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNICODE_VERSION = "17.0.0"
"""Version of normalisation and segmentation. Case folding and confusables are at 16.0.0."""


@cache
def _archive() -> Any:
    # Read whole (a quarter of a megabyte): no file handle outlives the call.
    return np.load(io.BytesIO(Path(__file__).with_name("tables.npz").read_bytes()), allow_pickle=False)


@cache
def table(name: str) -> NDArray[Any]:
    """One array of ``tables.npz``, read-only."""
    array: NDArray[Any] = _archive()[name]
    array.flags.writeable = False
    return array
