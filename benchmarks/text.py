"""The text stages: columns, canonical text, tokens. One core, MB/s of raw UTF-8 (MB = 10^6 bytes)."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib import import_module
from types import ModuleType
from typing import Any

import txtfp_np as tx

from .corpora import Corpus
from .timing import Timing, peak_memory, print_table, race

SECONDS = 60.0
OURS = "txtfp_np"
K = 5

# What is owed, MB/s on one core: stage -> corpus -> at least.
FLOORS = {
    "canonicalise": {"ascii": 3000, "multi": 400},
    "words": {"ascii": 800, "multi": 400},
    "graphemes": {"ascii": 300, "multi": 300},
}

# Measured elsewhere: the Rust crate txtfp 0.2.2, one core of a Zen 5 with AVX-512, on other corpora of
# the same kinds (16 MB of news, 100 MB of English pages and books, 100 MB in 45 languages).
CRATE = {
    "canonicalise": {"ascii": 6600, "english": 104, "multi": 50},
    "words": {"ascii": 304, "english": 146, "multi": 70},
    "graphemes": {"ascii": 88, "english": 87, "multi": 120},
}

# The peer that does most nearly the same.
NEAREST = {
    "canonicalise": "NFKC, casefold, NFKC",
    "words": r"regex \b\w.*?\b",
    "graphemes": r"regex \X",
    f"shingles k={K}": r"re \w+, joins",
    "from list": "pyarrow.array",
    "from Arrow": "validate(full=True)",
}

NOTES = """\
Peers are what a Python user has instead; their results are not equal to ours. "nearest" does most nearly the same,
"fastest" may do far less: str.lower folds and normalises nothing, str.split and \\w+ know no UAX #29 (one token for a
Chinese sentence). Even the nearest differ: NFKC and casefold keep invisible characters, and casefold follows the
Unicode of this Python. Peers start from Python strings and throw each document's result away; ours starts from a
TextColumn and makes a whole column. "from list" gets new strings every run: a str that pyarrow has seen remembers its
UTF-8 and is fast from then on. "peak" is how far memory grew during our call, result included.
The best of repeated calls counts, memory is mostly warm. First calls are slower, docs/performance.md."""


@dataclass
class Stage:
    """One job: our way, and theirs."""

    name: str
    ours: Callable[..., object]
    peers: dict[str, Callable[..., object]] = field(default_factory=dict)
    prepare: Callable[[], tuple[Any, ...]] = tuple  # arguments of each single run


def run(corpora: list[Corpus], seconds: float) -> dict[str, Any]:
    begin = time.perf_counter()
    for stage in stages([corpus.texts[0][:200] for corpus in corpora]):
        stage.ours(*stage.prepare())
    print(
        f"kernels ready after {time.perf_counter() - begin:.1f} s (compiled, or loaded from Numba's cache)", flush=True
    )
    rows = []
    for corpus in corpora:
        todo = stages(corpus.texts)
        for stage in todo:
            print(f"\r{corpus.name}: {stage.name} ...".ljust(40), end="", file=sys.stderr, flush=True)
            timings = race({OURS: stage.ours, **stage.peers}, seconds / (len(corpora) * len(todo)), stage.prepare)
            rows.append(_row(corpus, stage, timings))
    print("\r".ljust(40), end="\r", file=sys.stderr, flush=True)
    _show(rows, synthetic=corpora[0].synthetic)
    return {"unit": "MB/s", "rows": rows, "crate_measured_elsewhere": CRATE}


def _row(corpus: Corpus, stage: Stage, timings: dict[str, Timing]) -> dict[str, Any]:
    speeds = {name: round(corpus.nbytes / timing.best / 1e6, 1) for name, timing in timings.items()}
    floor = FLOORS.get(stage.name, {}).get(corpus.name)
    peers = {name: speed for name, speed in speeds.items() if name != OURS}
    fastest = max(peers, key=peers.__getitem__, default=None)
    nearest = NEAREST[stage.name] if NEAREST[stage.name] in peers else None
    return {
        "corpus": corpus.name,
        "stage": stage.name,
        "speeds": speeds,
        "runs": {name: timing.runs for name, timing in timings.items()},
        "floor": floor,
        "reached": None if floor is None else speeds[OURS] >= floor,
        "nearest_peer": nearest,
        "ratio_to_nearest": round(speeds[OURS] / peers[nearest], 2) if nearest else None,
        "fastest_peer": fastest,
        "ratio_to_fastest": round(speeds[OURS] / peers[fastest], 2) if fastest else None,
        "peak_bytes": peak_memory(stage.ours, *stage.prepare()),
        "text_bytes": corpus.nbytes,
    }


# ── the jobs ────────────────────────────────────────────────────────────────────────────────────


def stages(texts: list[str]) -> list[Stage]:
    """Every job on these documents; peers whose package is missing are left out."""
    column = tx.TextColumn(texts)
    canonical, words, graphemes = tx.Canonicalizer(), tx.WordTokenizer(), tx.GraphemeTokenizer()
    shingles = tx.ShingleTokenizer(k=K)
    word = re.compile(r"\w+")
    encoded = [text.encode() for text in texts]
    todo = [
        Stage(
            "canonicalise",
            lambda: canonical.canonicalize(column, threads=1),
            {"str.lower": lambda: [text.lower() for text in texts]},
        ),
        Stage(
            "words",
            lambda: words.tokens(column, threads=1),
            {r"re \w+": _for_each(word.findall, texts), "str.split": _for_each(str.split, texts)},
        ),
        Stage("graphemes", lambda: graphemes.tokens(column, threads=1)),
        Stage(
            f"shingles k={K}",
            lambda: shingles.tokens(column, threads=1),
            {r"re \w+, joins": _for_each(lambda text: _joins(word.findall(text)), texts)},
        ),
        Stage(
            "from list",
            tx.TextColumn,
            {"join, encode": lambda fresh: "".join(fresh).encode()},
            # A str remembers its UTF-8 once somebody (pyarrow, for one) has asked for it: new ones every time.
            prepare=lambda: ([data.decode() for data in encoded],),
        ),
    ]
    by_name = {stage.name: stage for stage in todo}
    if unicodedata := _optional("unicodedata2"):
        nfkc = unicodedata.normalize
        by_name["canonicalise"].peers["NFKC, casefold, NFKC"] = lambda: [
            nfkc("NFKC", nfkc("NFKC", text).casefold()) for text in texts
        ]
    if regex := _optional("regex"):
        by_name["words"].peers[r"regex \w+"] = _for_each(regex.compile(r"\w+").findall, texts)
        uax29 = regex.compile(r"\b\w.*?\b", regex.WORD | regex.DOTALL)
        by_name["words"].peers[r"regex \b\w.*?\b"] = _for_each(uax29.findall, texts)
        by_name["graphemes"].peers[r"regex \X"] = _for_each(regex.compile(r"\X").findall, texts)
    if pa := _optional("pyarrow"):
        array = pa.array(texts, pa.large_string())
        by_name["from list"].peers["pyarrow.array"] = lambda fresh: pa.array(fresh, pa.large_string())
        peers = {"validate(full=True)": lambda: array.validate(full=True), "to_pylist": array.to_pylist}
        todo.append(Stage("from Arrow", lambda: tx.TextColumn(array), peers))
    return todo


def _for_each(function: Callable[[str], object], texts: list[str]) -> Callable[[], None]:
    def call() -> None:
        for text in texts:
            function(text)

    return call


def _joins(words: list[str]) -> list[str]:
    return [" ".join(words[first : first + K]) for first in range(max(len(words) - K + 1, min(len(words), 1)))]


def _optional(name: str) -> ModuleType | None:
    try:
        return import_module(name)
    except ImportError:
        return None


# ── output ──────────────────────────────────────────────────────────────────────────────────────


def _show(rows: list[dict[str, Any]], *, synthetic: bool) -> None:
    missing = [name for name in ("unicodedata2", "regex", "pyarrow") if _optional(name) is None]
    if missing:
        print(f"note: peers left out, not installed: {', '.join(missing)}", file=sys.stderr)
    print("\nMB/s, one core, best of the runs\n")
    print_table(
        ["stage", "corpus", OURS, "floor", "verdict", "nearest peer", "ratio", "fastest peer", "ratio", "peak / text"],
        [_summary(row) for row in rows],
        left=2,
    )
    owed = [row for row in rows if row["floor"] is not None]
    reached = sum(row["reached"] for row in owed)
    print(f"\nfloors reached: {reached} of {len(owed)}{' (on made-up text: not to be quoted)' if synthetic else ''}")
    print("\nevery peer, MB/s (our speed as a multiple of it)\n")
    peers = [
        [row["stage"], name, row["corpus"], _figure(speed), f"{row['speeds'][OURS] / speed:,.1f}x"]
        for row in rows
        for name, speed in row["speeds"].items()
        if name != OURS
    ]
    print_table(["stage", "peer", "corpus", "MB/s", "ours"], sorted(peers), left=3)
    print("\nthe Rust crate txtfp 0.2.2, MB/s: measured elsewhere (one core of a Zen 5, other texts)\n")
    names = ["ascii", "english", "multi"]
    print_table(
        ["stage", *names], [[stage, *(_figure(speeds[name]) for name in names)] for stage, speeds in CRATE.items()]
    )
    print(f"\n{NOTES}")


def _summary(row: dict[str, Any]) -> list[str]:
    verdict = {None: "-", True: "reached", False: "MISSED"}[row["reached"]]
    peak = row["peak_bytes"]
    ratios = []
    for kind in ("nearest", "fastest"):
        peer = row[f"{kind}_peer"]
        ratios += [f"{peer} {_figure(row['speeds'][peer])}", f"{row[f'ratio_to_{kind}']:,.1f}x"] if peer else ["-", "-"]
    return [
        row["stage"],
        row["corpus"],
        _figure(row["speeds"][OURS]),
        "-" if row["floor"] is None else _figure(row["floor"]),
        verdict,
        *ratios,
        "-" if peak is None else f"{peak / row['text_bytes']:.1f}",
    ]


def _figure(speed: float) -> str:
    return f"{speed:,.0f}" if speed >= 100 else f"{speed:.1f}"
