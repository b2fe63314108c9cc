"""The one place that spells out how kernels are compiled."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": True}
# What only kernels call needs no way in from Python or C; leaving these out saves a third of compiling.
_INNER = {**_OPTIONS, "cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _compile(function: Function, options: dict[str, Any]) -> Function:
    try:
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    except RuntimeError as error:
        # Numba looks for a writable cache directory while decorating and raises if there is none
        # (read-only install, no home). A private temporary one costs a recompile a process.
        if "locator" not in str(error):
            raise
        numba.config.CACHE_DIR = tempfile.mkdtemp(prefix="txtfp_np-numba-")
        return numba.njit(**options)(function)  # type: ignore[no-any-return]


def kernel(function: Function) -> Function:
    """Compile a driver that Python calls: cached on disk, GIL released, C division rules."""
    return _compile(function, _OPTIONS)


def helper(function: Function) -> Function:
    """Compile a function that only kernels call; it is always inlined by LLVM into its caller."""
    return _compile(function, {**_INNER, "forceinline": True})


def routine(function: Function) -> Function:
    """Compile a function that only kernels call and that is too large or too rare to inline."""
    return _compile(function, _INNER)
