"""Figures of whole corpora as tables, and as a picture."""

from __future__ import annotations

import os
from pathlib import Path

from .core_asked import ASKED, LONG_MB, MB, Result, best_peer, ours_of
from .timing import print_table

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


def _figure(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}"


def show(results: Result, synthetic: bool) -> None:
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
            best = best_peer(speeds, sketch, corpus)
            ours = ours_of(speeds, sketch, corpus)
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
