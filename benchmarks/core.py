"""Fingerprints of whole corpora beside the peers, start-up, memory; what was asked for, and whether it was reached."""

from __future__ import annotations

import hashlib
import os
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
from .corpora import Corpus
from .timing import Timing, pin, print_table, race, unpin

SECONDS = 150.0
REPEATS = 5
MB = 1_000_000
LONG_MB = 200

# MB/s on one core: (floor, goal).
ASKED = {
    "MinHash": {"ascii": (250, 350), "english": (200, 300), "multi": (200, 250)},
    "SimHash": {"ascii": (330, 450), "english": (250, 350), "multi": (220, 280)},
}
TWO_THREADS = 1.8
FREE = 1.9  # two threads that share nothing must gain as much (and no more than 2), or the machine is busy
LIST_SHARE = 0.85  # of the speed from Arrow
SMALL_CALL = 40e-6
IMPORT = 0.25
WARM = 1.5
COLD = 8.0
MB_A_THREAD = 64
TIMES_DOCUMENT = 3.0
OTHER_CPU = 100

# Numba gives LLVM the features of the host whatever the name of the processor: they must be emptied as well.
OTHER_CPUS = ("haswell", "generic")

# Measured elsewhere, on other texts of these kinds (16 MB of news, 100 MB of English pages and books, 100 MB in 45
# languages), one core of a Zen 5 with AVX-512.
CRATE = {
    "MinHash, built for that CPU": {"ascii": 100, "english": 44, "multi": 24.5},
    "MinHash, default build": {"ascii": 54, "english": 35, "multi": 22},
    "SimHash Tf, built for that CPU": {"ascii": 236, "english": 57, "multi": 29},
}

NOTES = f"""\
One thread: the whole process is kept on one core, threads of the peers' libraries included, another core every turn;
contenders take turns, the best run counts. Lists are of new strings every run: a str remembers its UTF-8 once somebody
has asked for it. Peers' sketches are not equal to ours, and most do less: daft splits at white space (a Chinese
sentence is one token) and has 32-bit slots, gaoya's time includes the insertion into its index, none normalises
Unicode as the crate does. "ready-made sets": the shingles exist already as Python strings, which is most of the work.
Contenders marked "part" got the first 1 or 4 MB of each corpus. Peak: growth of resident memory in a process of its
own, output included ({LONG_MB} MB table: output not included)."""

Result = dict[str, Any]


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
    results["asked"] = _asked(results)
    _note("")
    _show(results, corpora[0].synthetic)
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
        ours = _ours(rows, row["sketch"], row["corpus"])
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


def _ours(rows: list[Result], sketch: str, corpus: str) -> float | None:
    """Our best figure for a corpus, from Arrow if there is pyarrow; TLSH is held against MinHash."""
    sketch = "SimHash" if sketch == "SimHash" else "MinHash"
    found = [row["speed"] for row in rows if row["ours"] and (row["sketch"], row["corpus"]) == (sketch, corpus)]
    return found[0] if found else None


def _best_peer(rows: list[Result], sketch: str, corpus: str) -> Result | None:
    peers = [
        row
        for row in rows
        if not row["ours"] and row["end_to_end"] and (row["sketch"], row["corpus"]) == (sketch, corpus)
    ]
    return max(peers, key=lambda row: row["speed"], default=None)


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


# ── what was asked ──────────────────────────────────────────────────────────────────────────────


def _asked(results: Result) -> list[Result]:
    """Every figure that was asked for, in one list: what, measured, asked, reached; goals are for the record."""
    asked: list[Result] = []

    def add(
        what: str,
        value: float,
        shown: str,
        limit: float,
        text: str,
        *,
        most: bool = False,
        goal: str | None = None,
        unfit: bool = False,
    ) -> None:
        reached = value <= limit if most else value >= limit
        verdict = "reached" if reached else "machine busy" if unfit else "MISSED"
        asked.append({"what": what, "value": value, "shown": shown, "asked": text, "verdict": verdict, "goal": goal})

    speeds = results["speeds"]
    for sketch, by_corpus in ASKED.items():
        for corpus, (floor, goal) in by_corpus.items():
            value = _ours(speeds, sketch, corpus)
            if value is not None:
                shown = "reached" if value >= goal else f"missed by {1 - value / goal:.0%}"
                add(f"{sketch}, {corpus}", value, f"{value:,.0f} MB/s", floor, f">= {floor}", goal=f"{goal}: {shown}")
    for row in results["threads"]:
        what = f"two threads, {row['sketch']}, {row['corpus']}"
        shown = f"{row['ratio']:.2f}x (control {row['control']:.2f}x)"
        add(what, row["ratio"], shown, TWO_THREADS, f">= {TWO_THREADS}x", unfit=not FREE <= row["control"] <= 2.1)
    for sketch in ASKED:
        for corpus in dict.fromkeys(row["corpus"] for row in speeds):
            both = {
                row["name"]: row["speed"]
                for row in speeds
                if row["ours"] and (row["sketch"], row["corpus"]) == (sketch, corpus)
            }
            if len(both) == 2:
                share = both[f"{OURS}, list of str"] / both[f"{OURS}, Arrow"]
                what = f"list of str against Arrow, {sketch}, {corpus}"
                add(what, share, f"{share - 1:+.0%}", LIST_SHARE, f">= {LIST_SHARE - 1:.0%}")
    for row in results["other_cpus"]:
        if "error" not in row:
            value = row["speeds"]["MinHash"]
            add(f"MinHash, ascii, as {row['cpu']}", value, f"{value:,.0f} MB/s", OTHER_CPU, f">= {OTHER_CPU}")
    start = results["start_up"]
    add("import", start["import"], f"{start['import']:.3f} s", IMPORT, f"< {IMPORT} s", most=True)
    heavy = start["heavy_imports"]
    add("import brings in Numba, SciPy, Arrow", len(heavy), ", ".join(heavy) or "no", 0, "no", most=True)
    for sketch in ASKED:
        warm, cold, small = (start[f"{kind} {sketch}"] for kind in ("warm", "cold", "small"))
        add(f"first signature, warm, {sketch}", warm, f"{warm:.2f} s", WARM, f"< {WARM} s", most=True)
        add(f"first signature, cold, {sketch}", cold, f"{cold:.2f} s", COLD, f"< {COLD:.0f} s", most=True)
        add(
            f"small call, {sketch}",
            small,
            f"{small * 1e6:.1f} us",
            SMALL_CALL,
            f"< {SMALL_CALL * 1e6:.0f} us",
            most=True,
        )
    for row in results["memory"]:
        what = f"memory, {row['what']}, {row['sketch']}" + (f", {row['threads']} threads" if row["threads"] > 1 else "")
        if "error" in row:
            add(what, float("inf"), row["error"], 0, "-", most=True)
        elif row["what"] == "column":
            value = row["peak"] / row["threads"] / MB
            add(what, value, f"{value:.1f} MB a thread", MB_A_THREAD, f"<= {MB_A_THREAD} MB", most=True)
        else:
            value = row["peak"] / row["input"]
            add(what, value, f"{value:.2f}x its size", TIMES_DOCUMENT, f"<= {TIMES_DOCUMENT:.0f}x", most=True)
    return asked


# ── output ──────────────────────────────────────────────────────────────────────────────────────


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def _show(results: Result, synthetic: bool) -> None:
    speeds = results["speeds"]
    corpora = list(dict.fromkeys(row["corpus"] for row in speeds))
    print(
        "\nMB/s, one thread, best of the runs (in brackets: ours, from Arrow, is so many times as fast); peak memory\n"
    )
    table = []
    for sketch, name in dict.fromkeys((row["sketch"], row["name"]) for row in speeds):
        rows = [row for row in speeds if (row["sketch"], row["name"]) == (sketch, name)]
        cells = [f"{_figure(row['speed'])}{_times(row)}" for row in rows]
        peaks = [_figure(row.get("peak_mb")) for row in rows]
        part = " (part)" if rows[0]["part"] else ""
        table.append([sketch, name + part, *cells, " / ".join(peaks), rows[0]["remark"]])
    print_table(["sketch", "contender", *corpora, f"peak MB {' / '.join(corpora)}", "remark"], table, left=2)

    print("\nours against the fastest peer that starts from raw text\n")
    table = []
    for sketch in ASKED:
        for corpus in corpora:
            best = _best_peer(speeds, sketch, corpus)
            ours = _ours(speeds, sketch, corpus)
            if best is not None and ours is not None:
                table.append(
                    [
                        sketch,
                        corpus,
                        _figure(ours),
                        best["name"],
                        _figure(best["speed"]),
                        f"{ours / best['speed']:.1f}x",
                    ]
                )
    print_table(["sketch", "corpus", "ours", "fastest peer", "its MB/s", "ratio"], table, left=2)

    print("\ntwo threads, and other processors\n")
    table = [
        [
            row["sketch"],
            row["corpus"],
            _figure(row["one"]),
            _figure(row["two"]),
            f"{row['ratio']:.2f}x",
            f"{row['control']:.2f}x",
        ]
        for row in results["threads"]
    ]
    print_table(["sketch", "corpus", "one thread", "two", "ratio", "control"], table, left=2)
    print()
    table = [
        [row["cpu"], "-", "-", row["error"]]
        if "error" in row
        else [row["cpu"], *(_figure(row["speeds"][sketch]) for sketch in ASKED), row["registers"]]
        for row in results["other_cpus"]
    ]
    print_table(["NUMBA_CPU_NAME", "MinHash ascii", "SimHash ascii", "widest registers"], table)

    _show_start_up(results["start_up"])
    _show_memory(results["memory"])

    print("\nthe Rust crate txtfp 0.2.2, MB/s: measured elsewhere, on other texts; not a ratio to be quoted\n")
    names = ["ascii", "english", "multi"]
    print_table(["", *names], [[kind, *(_figure(found[name]) for name in names)] for kind, found in CRATE.items()])

    print("\nasked for\n")
    table = [[row["what"], row["shown"], row["asked"], row["verdict"], row["goal"] or "-"] for row in results["asked"]]
    print_table(["what", "measured", "asked", "verdict", "goal"], table)
    reached = sum(row["verdict"] == "reached" for row in results["asked"])
    print(f"\nreached: {reached} of {len(results['asked'])}{' (made-up text: not to be quoted)' if synthetic else ''}")
    print(f"\n{NOTES}")


def _times(row: Result) -> str:
    return f" ({row['ours_is_times']:.1f}x)" if row["ours_is_times"] else ""


def _show_start_up(start: Result) -> None:
    print(f"\nstart-up and small calls, new processes, best of {start['repeats']}\n")
    heavy = ", ".join(start["heavy_imports"]) or "neither Numba, SciPy nor pyarrow"
    table = [["import txtfp_np", f"{start['import']:.3f} s", f"imports {heavy}"]]
    for sketch in ASKED:
        kernels = start[f"kernels {sketch}"]
        table += [
            [f"interpreter start to first {sketch}, cache on disk", f"{start[f'warm {sketch}']:.2f} s", ""],
            [f"the same, empty cache, {sketch}", f"{start[f'cold {sketch}']:.2f} s", ""],
            [f'fingerprint("one short sentence"), {sketch}', f"{start[f'small {sketch}'] * 1e6:.1f} us", "warm"],
            [f"kernels compiled, {sketch}", str(len(kernels["kernels"])), ", ".join(kernels["kernels"])],
        ]
    print_table(["what", "measured", "remark"], table)


def _show_memory(rows: list[Result]) -> None:
    print(f"\nmemory, {LONG_MB} MB of ascii: growth above input and output\n")
    table = []
    for row in rows:
        if "error" in row:
            table.append([row["what"], row["sketch"], str(row["threads"]), row["error"], "-", "-"])
            continue
        peak = row["peak"]
        table.append(
            [
                row["what"],
                row["sketch"],
                str(row["threads"]),
                f"{peak / MB:.1f} MB",
                f"{peak / MB / row['threads']:.1f} MB",
                f"{peak / row['input']:.2f}x",
            ]
        )
    print_table(["what", "sketch", "threads", "peak", "a thread", "of the input"], table, left=2)


# ── plot ────────────────────────────────────────────────────────────────────────────────────────


def plot(results: Result, machine: Result, path: Path) -> None:
    """Horizontal bars, MinHash above, SimHash below; SVG and PNG beside each other."""
    os.environ.setdefault("MPLBACKEND", "Agg")
    import matplotlib.pyplot as plt

    speeds = results["speeds"]
    corpora = list(dict.fromkeys(row["corpus"] for row in speeds))
    names = {
        sketch: list(dict.fromkeys(row["name"] for row in speeds if row["sketch"] == sketch and row["end_to_end"]))
        for sketch in ASKED
    }
    heights = [len(names[sketch]) for sketch in ASKED]
    plt.rcParams.update({"font.size": 9, "svg.fonttype": "none", "svg.hashsalt": "txtfp"})
    figure, axes = plt.subplots(
        len(ASKED), len(corpora), figsize=(11, 1.7 + 0.34 * sum(heights)), squeeze=False, sharex="row",
        gridspec_kw={"height_ratios": heights},
    )  # fmt: skip
    for line, sketch in zip(axes, ASKED, strict=True):
        for axis, corpus in zip(line, corpora, strict=True):
            found = {
                row["name"]: row
                for row in speeds
                if (row["sketch"], row["corpus"]) == (sketch, corpus) and row["end_to_end"]
            }
            values = [found[name]["speed"] for name in names[sketch]]
            colours = ["#1f6f8b" if found[name]["ours"] else "#b8bfc6" for name in names[sketch]]
            bars = axis.barh(names[sketch], values, color=colours, height=0.72)
            background = {"facecolor": "white", "edgecolor": "none", "pad": 0.8}
            axis.bar_label(bars, [_figure(value) for value in values], padding=3, fontsize=8, bbox=background, zorder=3)
            floor, goal = ASKED[sketch][corpus]
            axis.axvline(floor, color="#555", linewidth=0.8, linestyle=":")
            axis.axvline(goal, color="#555", linewidth=0.8)
            axis.invert_yaxis()
            axis.set_title(f"{sketch}, {corpus}", loc="left", fontsize=10)
            axis.spines[["top", "right"]].set_visible(False)
            axis.tick_params(axis="y", length=0, labelleft=axis is line[0])
        line[0].set_xlim(0, 1.18 * max(row["speed"] for row in speeds if row["sketch"] == sketch and row["end_to_end"]))
        for axis in line:
            axis.set_xlabel("MB/s of raw text")
    figure.suptitle(
        "From raw text to signatures, one core (dotted: floor, solid: goal)", x=0.01, ha="left", fontsize=12
    )
    avx512 = " with AVX-512" if machine["avx512"] else ""
    where = f"{machine['cpu']}{avx512}, commit {machine['commit']}, {machine['date']}"
    text = f"{where}. Peers do less, see docs/performance.md."
    figure.text(0.01, 0.005, text, fontsize=7.5, color="#555")
    figure.tight_layout(rect=(0, 0.02, 1, 0.99))
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path.with_suffix(".svg"), metadata={"Date": None})
    figure.savefig(path.with_suffix(".png"), dpi=130)
    plt.close(figure)
