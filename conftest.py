"""Where compiled kernels are cached. Stands at the root so that the doctests of the package see it too.

Numba decides by one file's own time stamp whether a cached kernel is fresh: editing a helper in another
file leaves its cached callers stale. The cache of a test run is therefore keyed on the text of all
kernels. It goes into the environment before anything imports Numba, so that workers and subprocesses
of the suite inherit it.
"""

import hashlib
import os
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parent


def package_folder() -> Path:
    """Folder of the package under test: the installed one, if that is what Python would import."""
    spec = find_spec("txtfp_np")  # finds, does not import
    if spec is not None and spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations)))
    return ROOT / "txtfp_np"


def kernel_digest() -> str:
    """Digest of everything that goes into compiled kernels: their sources and the compiler's version."""
    digest = hashlib.sha256()
    folder = package_folder() / "kernels"
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    for name in ("numba", "llvmlite", "numpy"):
        try:
            digest.update(f"{name}={version(name)}\0".encode())
        except PackageNotFoundError:
            digest.update(f"{name}=none\0".encode())
    return digest.hexdigest()[:16]


os.environ.setdefault("NUMBA_CACHE_DIR", str(ROOT / ".cache" / f"numba-{kernel_digest()}"))


def pytest_report_header() -> list[str]:
    return [f"package: {package_folder()}", f"numba cache: {os.environ['NUMBA_CACHE_DIR']}"]
