"""Fingerprints of whole corpora beside the peers, start-up, memory."""

from __future__ import annotations

import hashlib
import pickle
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import child
from .contenders import CONTENDERS, OURS, Contender, by_name
from .core_asked import ASKED, LONG_MB, MB, Result, asked_for, ours_of
from .core_report import CRATE, plot, show
from .corpora import Corpus
from .timing import Timing, pin, race, unpin

__all__ = ["SECONDS", "plot", "run"]  # what `python -m benchmarks` calls

SECONDS = 150.0
REPEATS = 5

# Numba gives LLVM the features of the host whatever the name of the processor: they must be emptied as well.
OTHER_CPUS = ("haswell", "generic")


def run(corpora: list[Corpus], seconds: float) -> Result:
    with _pickled(corpora) as files:
        results: Result = {"unit": "MB/s"}
        results["speeds"], missing = _speeds(corpora, seconds)
        if missing:
            print(f"skipped, not installed: {', '.join(missing)}")
        results["skipped"] = missing
        threads = _two_threads(corpora, seconds / 10)
        _peaks(results["speeds"], files)
        results["other_cpus"] = _other_cpus(files["ascii"]) if "ascii" in files else []
        results["start_up"] = _start_up()
        results["memory"] = _memory(files["ascii"]) if "ascii" in files else []
        # Both cores must be free at the same time: a second chance, some minutes later.
        results["threads"] = _two_threads(corpora, seconds / 10, threads)
    results["crate_measured_elsewhere"] = CRATE
    results["asked"] = asked_for(results)
    _note("")
    show(results, corpora[0].synthetic)
    return results


@contextmanager
def _pickled(corpora: list[Corpus]) -> Iterator[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        files = {}
        for corpus in corpora:
            path = Path(folder) / f"{corpus.name}.pickle"
            path.write_bytes(pickle.dumps(corpus.texts))
            files[corpus.name] = str(path)
        yield files


def _note(text: str) -> None:
    if sys.stderr.isatty():
        print(f"\r{text}".ljust(70), end="" if text else "\r", file=sys.stderr, flush=True)


# ── speed ───────────────────────────────────────────────────────────────────────────────────────


def _speeds(corpora: list[Corpus], seconds: float) -> tuple[list[Result], list[str]]:
    here = [contender for contender in CONTENDERS if contender.installed]
    missing = sorted({contender.module for contender in CONTENDERS} - {contender.module for contender in here})
    rows = []
    for corpus in corpora:
        _note(f"{corpus.name}: {len(here)} contenders ...")
        calls, inputs, sizes = {}, {}, {}
        for contender in here:
            key = f"{contender.sketch} {contender.name}"
            texts = contender.sample(corpus.texts)
            sizes[key] = sum(len(text.encode()) for text in texts)
            inputs[key] = contender.inputs(texts)
            calls[key] = contender.make(1)
            calls[key](*contender.inputs(texts[:3])())
        timings = race(calls, seconds / len(corpora), inputs, pin)
        unpin()
        for contender in here:
            key = f"{contender.sketch} {contender.name}"
            rows.append(_row(corpus, contender, timings[key], sizes[key]))
    for row in rows:
        ours = ours_of(rows, row["sketch"], row["corpus"])
        row["ours_is_times"] = round(ours / row["speed"], 2) if ours and not row["ours"] else None
    return rows, missing


def _row(corpus: Corpus, contender: Contender, timing: Timing, size: int) -> Result:
    return {
        "corpus": corpus.name,
        "sketch": contender.sketch,
        "name": contender.name,
        "ours": contender.ours,
        "end_to_end": contender.end_to_end,
        "remark": contender.remark,
        "part": contender.most_bytes is not None,
        "speed": round(size / timing.best / 1e6, 1),
        "runs": timing.runs,
    }


def _two_threads(corpora: list[Corpus], seconds: float, before: list[Result] | None = None) -> list[Result]:
    """One and two threads in turns with a control: what two threads gain at all on this machine, just now."""
    rows = []
    for corpus in corpora:
        for sketch in ASKED:
            _note(f"{corpus.name}: {sketch}, two threads ...")
            contender = _our(sketch)
            calls: dict[str, Callable[..., object]] = {str(n): contender.make(n) for n in (1, 2)}
            inputs = dict.fromkeys(calls, contender.inputs(corpus.texts))
            calls |= {"control 1": lambda: _control(1), "control 2": lambda: _control(2)}
            inputs |= {"control 1": tuple, "control 2": tuple}
            timings = race(calls, seconds / 6, inputs, lambda _: unpin())
            row = {"corpus": corpus.name, "sketch": sketch}
            rows.append(row | {name: timing.best for name, timing in timings.items()} | {"bytes": corpus.nbytes})
    for row, old in zip(rows, before or rows, strict=True):
        for name in ("1", "2", "control 1", "control 2"):
            row[name] = min(row[name], old[name])
        row["one"], row["two"] = (round(row["bytes"] / row[name] / 1e6, 1) for name in ("1", "2"))
        row["ratio"], row["control"] = row["1"] / row["2"], row["control 1"] / row["control 2"]
    return rows


_BUFFER = bytes(32 * MB)  # about as long as a call of ours


def _control(threads: int) -> None:
    """Two pieces of work that share nothing and hold no lock, one after the other or side by side."""
    if threads == 1:
        hashlib.sha256(_BUFFER)
        hashlib.sha256(_BUFFER)
        return
    other = threading.Thread(target=hashlib.sha256, args=(_BUFFER,))
    other.start()
    hashlib.sha256(_BUFFER)
    other.join()


def _our(sketch: str) -> Contender:
    from_arrow = by_name(sketch, f"{OURS}, Arrow")
    return from_arrow if from_arrow.installed else by_name(sketch, f"{OURS}, list of str")


def _peaks(rows: list[Result], files: dict[str, str]) -> None:
    for row in rows:
        _note(f"memory: {row['corpus']}, {row['name']} ...")
        answer = child.ask("peak", sketch=row["sketch"], name=row["name"], texts=files[row["corpus"]])
        row["peak_mb"] = None if "error" in answer else round(answer["peak"] / MB, 1)
        row["peak_of_input"] = None if "error" in answer else round(answer["peak"] / answer["input"], 2)


def _other_cpus(texts: str) -> list[Result]:
    rows = []
    for name in OTHER_CPUS:
        _note(f"compiled for {name} ...")
        with tempfile.TemporaryDirectory() as cache:
            environment = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": cache}
            rows.append({"cpu": name, **child.ask("speed", environment, texts=texts, runs=8)})
    return rows


# ── start-up and memory ─────────────────────────────────────────────────────────────────────────


def _start_up() -> Result:
    def best(task: str, **options: Any) -> float:
        return min(child.ask(task, **options)["seconds"] for _ in range(REPEATS))

    found: Result = {"heavy_imports": child.ask("imported")["heavy"], "repeats": REPEATS}
    _note("start-up: import ...")
    found["import"] = best("imported")
    for sketch in ASKED:
        child.ask("first", sketch=sketch)  # fills the cache on disk
        _note(f"start-up: {sketch}, warm ...")
        found[f"warm {sketch}"] = min(_first(sketch)[0] for _ in range(REPEATS))
        found[f"small {sketch}"] = best("small", sketch=sketch)
        cold = []
        for turn in range(REPEATS):
            _note(f"start-up: {sketch}, cold, {turn + 1} of {REPEATS} ...")
            with tempfile.TemporaryDirectory() as cache:
                cold.append(_first(sketch, {"NUMBA_CACHE_DIR": cache}))
        found[f"cold {sketch}"] = min(seconds for seconds, _ in cold)
        found[f"kernels {sketch}"] = cold[0][1]
    return found


def _first(sketch: str, environment: dict[str, str] | None = None) -> tuple[float, dict[str, list[str]]]:
    begin = time.monotonic()
    answer = child.ask("first", environment, sketch=sketch)
    return answer["ready"] - begin, answer["kernels"]


def _memory(texts: str) -> list[Result]:
    rows = []
    for sketch in ASKED:
        for threads in (1, 2):
            _note(f"memory: {LONG_MB} MB column, {sketch}, {threads} threads ...")
            answer = child.ask("column", sketch=sketch, texts=texts, mb=LONG_MB, threads=threads)
            rows.append({"what": "column", "sketch": sketch, "threads": threads, **answer})
        for as_column in (False, True):
            _note(f"memory: one document of {LONG_MB} MB, {sketch} ...")
            answer = child.ask("document", sketch=sketch, texts=texts, mb=LONG_MB, as_column=as_column)
            kind = "document, Arrow" if as_column else "document, str"
            rows.append({"what": kind, "sketch": sketch, "threads": 1, **answer})
    return rows
