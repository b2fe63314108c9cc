"""What tests of several folders need."""

import importlib
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import pytest

from txtfp_np.columns import iter_text_blocks


@contextmanager
def blocks_of(block_bytes: int, block_rows: int = 1 << 16) -> Iterator[None]:
    """Work columns off in blocks of another size."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(iter_text_blocks.__kwdefaults__, "block_bytes", block_bytes)
        patch.setitem(iter_text_blocks.__kwdefaults__, "block_rows", block_rows)
        yield


def benchmark_module(name: str) -> ModuleType:
    """A module of ``benchmarks``, which is no part of the package."""
    folder = Path(__file__).resolve().parents[1] / "benchmarks"
    if not folder.is_dir():
        pytest.skip("benchmarks are not beside these tests")
    if "benchmarks" not in sys.modules:
        spec = importlib.util.spec_from_file_location("benchmarks", folder / "__init__.py")
        sys.modules["benchmarks"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["benchmarks"])
    return importlib.import_module(f"benchmarks.{name}")
