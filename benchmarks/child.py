"""What is measured in a process of its own: memory, other processors, start-up. ``python -m benchmarks.child TASK ...``

The parent gives a task and its options as JSON, and reads one line of JSON.
"""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
MB = 1_000_000


def ask(task: str, environment: dict[str, str] | None = None, **options: Any) -> dict[str, Any]:
    """Run a task in a new process. A dict with ``error`` if it failed."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.child", task, json.dumps(options)],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        return {"error": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


# ── memory ──────────────────────────────────────────────────────────────────────────────────────


def _status(field: str) -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise LookupError(field)


def resident_peak() -> int:
    """Bytes that this process has had resident at its most."""
    return _status("VmHWM")


def growth(call: Callable[[], object]) -> int:
    """Bytes by which resident memory grows at most during a call; what it returns is still there at the end.

    VmHWM, not ``ru_maxrss``: Linux hands the latter down from the process that started this one.
    """
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")  # the high-water mark starts at what is resident now
    before = _status("VmRSS")
    result = call()
    peak = _status("VmHWM")
    del result
    return max(peak - before, 0)


def peak(sketch: str, name: str, texts: str) -> dict[str, Any]:
    """Growth of memory while one contender sketches a corpus, output included."""
    from .contenders import by_name

    contender = by_name(sketch, name)
    documents = contender.sample(pickle.loads(Path(texts).read_bytes()))
    size = sum(len(text.encode()) for text in documents)
    arguments = contender.inputs(documents)()
    call = contender.make(1)
    call(*contender.inputs(documents[:3])())  # imports, kernels
    del documents
    return {"peak": growth(lambda: call(*arguments)), "input": size}


def column(sketch: str, texts: str, mb: int, threads: int) -> dict[str, Any]:
    """A long column into an array that is there already."""
    import numpy as np
    import pyarrow as pa

    fingerprinter = _fingerprinter(sketch)
    one = pa.array(pickle.loads(Path(texts).read_bytes()), pa.large_string())
    array = pa.concat_arrays([one] * max(1, round(mb * MB / one.nbytes)))
    del one
    fingerprinter.fingerprint(array[:50], threads=threads, on_empty="mask")
    out = np.ones(len(array), fingerprinter.dtype)
    grown = growth(lambda: fingerprinter.fingerprint(array, threads=threads, on_empty="mask", out=out))
    return {"peak": grown, "input": array.nbytes, "documents": len(array), "output": out.nbytes}


def document(sketch: str, texts: str, mb: int, as_column: bool) -> dict[str, Any]:
    """One very long document."""
    import pyarrow as pa

    fingerprinter = _fingerprinter(sketch)
    whole = "\n".join(pickle.loads(Path(texts).read_bytes()))
    text = "\n".join([whole] * max(1, round(mb * MB / len(whole.encode()))))
    size = len(text.encode())
    del whole
    fingerprinter.fingerprint("a short text")
    given: Any = pa.array([text], pa.large_string()) if as_column else text
    if as_column:
        del text
    return {"peak": growth(lambda: fingerprinter.fingerprint(given, threads=1)), "input": size}


def _fingerprinter(sketch: str) -> Any:
    import txtfp_np as tx

    return tx.MinHashFingerprinter() if sketch == "MinHash" else tx.SimHashFingerprinter()


# ── other processors ────────────────────────────────────────────────────────────────────────────


def speed(texts: str, runs: int) -> dict[str, Any]:
    """Best speed of both sketches, one thread."""
    import numba

    import txtfp_np as tx

    from .timing import pin

    documents = tx.TextColumn(pickle.loads(Path(texts).read_bytes()))
    best = {"MinHash": float("inf"), "SimHash": float("inf")}
    for turn in range(runs + 1):
        pin(turn)
        for sketch in best:
            fingerprinter = _fingerprinter(sketch)
            begin = time.perf_counter()
            fingerprinter.fingerprint(documents, threads=1, on_empty="mask")
            if turn:
                best[sketch] = min(best[sketch], time.perf_counter() - begin)
    from txtfp_np.kernels.minhash import minhash_rows

    code = "".join(minhash_rows.inspect_asm().values())
    return {
        "speeds": {sketch: documents.nbytes / seconds / 1e6 for sketch, seconds in best.items()},
        "registers": max((name for name in ("xmm", "ymm", "zmm") if name in code), default=""),
        "cpu": numba.config.CPU_NAME,
    }


# ── start-up ────────────────────────────────────────────────────────────────────────────────────


def imported() -> dict[str, Any]:
    begin = time.perf_counter()
    import txtfp_np  # noqa: F401

    seconds = time.perf_counter() - begin
    heavy = [name for name in ("numba", "scipy", "pyarrow", "pandas") if name in sys.modules]
    return {"seconds": seconds, "heavy": heavy}


def first(sketch: str) -> dict[str, Any]:
    """The first signature of a process; the parent knows when it started the process (one clock for all)."""
    _fingerprinter(sketch).fingerprint("one short sentence")
    return {"ready": time.monotonic(), "kernels": _kernels()}


def small(sketch: str) -> dict[str, Any]:
    """Seconds of a call on one short sentence, when everything is loaded."""
    import timeit

    fingerprint = _fingerprinter(sketch).fingerprint
    fingerprint("one short sentence")
    timer = timeit.Timer(lambda: fingerprint("one short sentence"))
    return {"seconds": min(timer.repeat(30, 500)) / 500}


def _kernels() -> dict[str, list[str]]:
    """Dispatchers of this process that have machine code: drivers (cached on disk), and what was compiled for them."""
    found: dict[str, list[str]] = {"kernels": [], "helpers": []}
    dispatchers = {}
    for module in [module for name, module in sys.modules.items() if name.startswith("txtfp_np.kernels")]:
        for value in vars(module).values():
            if hasattr(value, "py_func") and getattr(value, "signatures", None):
                dispatchers[id(value)] = value
    for value in dispatchers.values():
        kind = "helpers" if type(value._cache).__name__ == "NullCache" else "kernels"
        name = f"{value.py_func.__module__.rpartition('.')[2]}.{value.py_func.__name__}"
        found[kind].append(f"{name} x{len(value.signatures)}" if len(value.signatures) > 1 else name)
    return {kind: sorted(names) for kind, names in found.items()}


def contend(**options: Any) -> dict[str, Any]:
    """A job on a file; see ``million``."""
    from . import million

    return million.contend(**options)


TASKS = {task.__name__: task for task in (peak, column, document, speed, imported, first, small, contend)}

if __name__ == "__main__":
    if sys.argv[1] != "imported":
        import conftest  # noqa: F401  keys Numba's cache on the text of all kernels
    print(json.dumps(TASKS[sys.argv[1]](**json.loads(sys.argv[2]))))
