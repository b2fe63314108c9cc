"""What was asked of fingerprints of whole corpora, and whether it was reached."""

from __future__ import annotations

from typing import Any

from .contenders import OURS

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

Result = dict[str, Any]


def ours_of(rows: list[Result], sketch: str, corpus: str) -> float | None:
    """Our best figure for a corpus, from Arrow if there is pyarrow; TLSH is held against MinHash."""
    sketch = "SimHash" if sketch == "SimHash" else "MinHash"
    found = [row["speed"] for row in rows if row["ours"] and (row["sketch"], row["corpus"]) == (sketch, corpus)]
    return found[0] if found else None


def best_peer(rows: list[Result], sketch: str, corpus: str) -> Result | None:
    peers = [
        row
        for row in rows
        if not row["ours"] and row["end_to_end"] and (row["sketch"], row["corpus"]) == (sketch, corpus)
    ]
    return max(peers, key=lambda row: row["speed"], default=None)


def asked_for(results: Result) -> list[Result]:
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
            value = ours_of(speeds, sketch, corpus)
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
