"""Racing callables against each other, and saying on what machine.

All contenders of a race take turns in one process, so that a busy machine slows all of them; the
best run of each counts.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "llvmlite", "pyarrow", "regex", "unicodedata2")
PEERS = ("daft", "gaoya", "rensa", "FastSketchLSH", "datasketch", "simhash", "py-tlsh", "ppdeep", "rapidfuzz", "scipy")
MOST_RUNS = 500

CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [0]

Prepare = Callable[[], tuple[Any, ...]]


@dataclass
class Timing:
    """Seconds of the best run, and how many there were."""

    best: float = float("inf")
    runs: int = 0
    spent: float = 0.0


def race(
    contenders: dict[str, Callable[..., object]],
    seconds: float,
    prepare: Prepare | Mapping[str, Prepare] = tuple,
    before_turn: Callable[[int], object] | None = None,
) -> dict[str, Timing]:
    """Best time of each contender.

    Whoever has had least time runs next: fast ones run many times between two runs of a slow one, and
    every one gets about the same share of ``seconds``. Slow ones run twice even if that takes longer.
    ``prepare`` makes the arguments of each single run; its time goes off the share, not into the figure.
    It may be one for all, or one a contender. ``before_turn`` gets the number of the contender's turn.
    """
    timings = {name: Timing() for name in contenders}
    gc.collect()
    collecting = gc.isenabled()
    gc.disable()
    try:
        while any(timing.runs < 2 for timing in timings.values()) or (
            sum(timing.spent for timing in timings.values()) < seconds
            and all(timing.runs < MOST_RUNS for timing in timings.values())
        ):
            name = min(timings, key=lambda name: timings[name].spent)
            timing, contender = timings[name], contenders[name]
            if before_turn is not None:
                before_turn(timing.runs)
            start = time.perf_counter()
            arguments = (prepare[name] if isinstance(prepare, Mapping) else prepare)()
            begin = time.perf_counter()
            result = contender(*arguments)
            end = time.perf_counter()
            del result, arguments  # freeing them is nobody's work here
            timing.best = min(timing.best, end - begin)
            timing.runs += 1
            timing.spent += end - start
    finally:
        if collecting:
            gc.enable()
    return timings


def peak_memory(function: Callable[..., object], *arguments: Any) -> int | None:
    """Bytes by which memory grows at most during a call, its result included; None where there is no fork.

    The call runs in a forked child, whose high-water mark starts at what is resident now.
    """
    if sys.platform != "linux":
        return None
    import resource

    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        grown = -1
        try:
            # Freed memory that malloc holds back would be used again without counting as growth.
            ctypes.CDLL(None).malloc_trim(0)
            Path("/proc/self/clear_refs").write_text("5")  # resets the mark to what is resident now
            before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            result = function(*arguments)
            grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
            del result
        finally:
            os.write(writer, str(grown).encode())
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = int(pipe.read() or b"-1")
    os.waitpid(child, 0)
    return answer if answer >= 0 else None


def pin(turn: int) -> None:
    """Keep all threads of this process, those of libraries included, on one core: another one every turn."""
    if not hasattr(os, "sched_setaffinity"):
        return
    core = CORES[turn % len(CORES)]
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(OSError):
            os.sched_setaffinity(int(thread), {core})


def unpin() -> None:
    if hasattr(os, "sched_setaffinity"):
        for thread in os.listdir("/proc/self/task"):
            with contextlib.suppress(OSError):
                os.sched_setaffinity(int(thread), set(CORES))


# ── where ───────────────────────────────────────────────────────────────────────────────────────


def machine() -> dict[str, Any]:
    """CPU, versions, date: what a figure must carry."""
    model, flags = platform.processor() or platform.machine(), ""
    info = Path("/proc/cpuinfo")
    if info.is_file():
        fields = dict(map(str.strip, line.split(":", 1)) for line in info.read_text().splitlines() if ":" in line)
        model, flags = fields.get("model name", model), fields.get("flags", "")
    return {
        "cpu": model,
        "avx512": "avx512f" in flags.split(),
        "cores": len(CORES) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "load": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "peers": {name: _version(name) for name in PEERS},
        "commit": _commit(),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _commit() -> str | None:
    """Commit of the source tree, with a plus sign if the package in it has been edited since."""
    root = Path(__file__).resolve().parent.parent
    try:
        commit, changes = (
            subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True).stdout.strip()
            for arguments in (["rev-parse", "--short", "HEAD"], ["status", "--porcelain", "txtfp_np"])
        )
    except (OSError, subprocess.CalledProcessError):
        return None
    return f"{commit}+" if changes else commit


def describe(machine: dict[str, Any]) -> str:
    packages = ", ".join(f"{name} {version}" for name, version in machine["packages"].items() if version)
    avx512 = " with AVX-512" if machine["avx512"] else ""
    return (
        f"{machine['cpu']}{avx512}, {machine['cores']} cores, load {machine['load']}, {machine['system']}\n"
        f"Python {machine['python']}, {packages}\n"
        f"commit {machine['commit']}, {machine['date']}"
    )


# ── output ──────────────────────────────────────────────────────────────────────────────────────


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> None:
    """Columns as wide as they need be, in Markdown; the first ``left`` are set flush left, the others right."""
    widths = [max(len(row[column]) for row in [header, *rows]) for column in range(len(header))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
        )
        return f"| {' | '.join(padded)} |"

    print(line(header))
    rules = ("-" * width if column < left else f"{'-' * (width - 1)}:" for column, width in enumerate(widths))
    print(f"| {' | '.join(rules)} |")
    for row in rows:
        print(line(row))


def write_json(path: Path, content: dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
