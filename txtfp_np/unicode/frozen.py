"""Loading the frozen tables: once a process, each array when it is first asked for."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

UNICODE_VERSION = "17.0.0"
"""Version of normalisation and segmentation. Case folding and confusables are at 16.0.0."""


@cache
def _archive() -> Any:
    with files("txtfp_np.unicode").joinpath("tables.npz").open("rb") as file:
        # Read whole (a quarter of a megabyte): no file handle outlives the call.
        import io

        return np.load(io.BytesIO(file.read()), allow_pickle=False)


@cache
def table(name: str) -> NDArray[Any]:
    """One array of ``tables.npz``, read-only."""
    array: NDArray[Any] = _archive()[name]
    array.flags.writeable = False
    return array
