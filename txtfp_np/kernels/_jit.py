"""The one place that spells out how kernels are compiled."""

from __future__ import annotations

import atexit
import hashlib
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import caching

Function = TypeVar("Function", bound=Callable[..., Any])

_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "cache": True}
# What only kernels call needs no way in from Python or C; leaving these out saves a third of compiling.
_INNER = {**_OPTIONS, "cache": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def _digest_of_sources() -> str:
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


_SOURCES = _digest_of_sources()


def _stamp_with_all_sources(dispatcher: Any) -> None:
    """Make a cached kernel stale when *any* file here changes.

    Numba looks at the kernel's own file only, by its time: an edited helper in another file would leave
    its callers as they were.
    """
    cache = dispatcher._cache
    cache._cache_file = caching.IndexDataCacheFile(
        cache_path=cache._cache_path, filename_base=cache._impl.filename_base, source_stamp=_SOURCES
    )


def _compile(function: Function, options: dict[str, Any]) -> Function:
    try:
        return numba.njit(**options)(function)  # type: ignore[no-any-return]
    except RuntimeError as error:
        # Numba looks for a writable cache directory while decorating and raises if there is none
        # (read-only install, no home). A private temporary one costs a recompile a process.
        if "locator" not in str(error):
            raise
        numba.config.CACHE_DIR = tempfile.mkdtemp(prefix="txtfp_np-numba-")
        atexit.register(shutil.rmtree, numba.config.CACHE_DIR, ignore_errors=True)
        return numba.njit(**options)(function)  # type: ignore[no-any-return]


def kernel(function: Function) -> Function:
    """Compile a driver that Python calls: cached on disk, GIL released, C division rules."""
    dispatcher = _compile(function, _OPTIONS)
    if not numba.config.DISABLE_JIT:
        _stamp_with_all_sources(dispatcher)
    return dispatcher


def helper(function: Function) -> Function:
    """Compile a function that only kernels call; it is always inlined by LLVM into its caller."""
    return _compile(function, {**_INNER, "forceinline": True})


def routine(function: Function) -> Function:
    """Compile a function that only kernels call and that is too large or too rare to inline."""
    return _compile(function, _INNER)
