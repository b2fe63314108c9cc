"""Near-duplicates among texts that every machine has: licences and readme files of installed packages.

    python docs/demo.py [FOLDER] [--report FILE]

Prints what it would remove, and writes a page to look at. With a folder: among its .txt files. Uses nothing but
the public names of ``txtfp_np``.
"""

from __future__ import annotations

import argparse
import re
import sys
import sysconfig
import time
from pathlib import Path

import numpy as np

import txtfp_np as tx
from txtfp_np.dedup import write_report

NAMES = re.compile(r"(LICEN[CS]E|COPYING|README|NOTICE|AUTHORS)(\W.*)?|METADATA", re.IGNORECASE)
PROGRAMS = {".py", ".pyi", ".pyc", ".so", ".html", ".json", ".svg", ".png"}
THRESHOLD = 0.7


class DemoError(Exception):
    """Something the user can put right."""


def find_texts(folder: Path | None) -> tuple[Path, dict[str, bytes]]:
    """Contents of files by name: of a folder's texts, else of what came with the installed packages."""
    root = folder or Path(sysconfig.get_path("purelib"))
    if not root.is_dir():
        raise DemoError(f"no such folder: {root}")
    if folder is not None:
        paths = [path for path in root.rglob("*.txt") if path.is_file()]
    else:
        paths = [path for path in root.rglob("*") if NAMES.fullmatch(path.name) and path.suffix not in PROGRAMS]
    contents = {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(paths) if path.is_file()}
    if not contents:
        raise DemoError(f"no {'.txt' if folder else 'licence'} files in {root}")
    return root, contents


def print_removed(names: list[str], result: tx.DedupResult) -> None:
    """Each kept document with those that stand by it."""
    removed = np.flatnonzero(~result.keep)
    for kept in np.unique(result.representative[removed]).tolist():
        print(f"\n  keep    {names[kept]}")
        for row in removed[result.representative[removed] == kept].tolist():
            alike = "equal" if result.similarity[row] == 1 else f"{result.similarity[row]:.2f} "
            print(f"  remove  {alike}  {names[row]}")


def report(folder: Path | None, page: Path) -> None:
    root, contents = find_texts(folder)
    names, texts = list(contents), [data.decode("utf-8", errors="replace") for data in contents.values()]
    megabytes = sum(map(len, contents.values())) / 1e6
    print(f"txtfp_np {tx.VERSION}: {len(texts)} texts ({megabytes:.1f} MB) below {root}")

    tx.dedup(texts, THRESHOLD)  # compiles what is not compiled yet
    started = time.perf_counter()
    result = tx.dedup(texts, THRESHOLD)
    seconds = time.perf_counter() - started
    print_removed(names, result)
    print(f"\n{result.summary()}")
    print(f"in {seconds:.2f} s ({megabytes / seconds:,.0f} MB/s); similarity is at least {THRESHOLD}, compared exactly")

    unequal = result.pairs[result.pairs["similarity"] < 1]
    if len(unequal):
        i, j, _ = unequal[unequal["similarity"].argmin()].tolist()
        print(f"\nthe two least alike of all pairs: {names[i]}\n                              and {names[j]}")
        print("  " + "\n  ".join(str(result.explain(i, j)).splitlines()[:12]))
    page.parent.mkdir(parents=True, exist_ok=True)
    write_report(page, texts, result, ids=names, title=f"Near-duplicates below {root.name}")
    print(f"\nall of it, side by side, in a page to open in a browser: {page}")
    for name, text, data in zip(names, texts, contents.values(), strict=True):
        if text.encode() != data:
            print(f"note: {name} is not UTF-8; what could not be read counts as U+FFFD")


def main() -> int:
    parser = argparse.ArgumentParser(description="Near-duplicates among licences, or in a folder.")
    parser.add_argument("folder", nargs="?", type=Path, help="folder with .txt files (default: installed packages)")
    parser.add_argument("--report", type=Path, default=Path("near-duplicates.html"), help="default: %(default)s")
    try:
        options = parser.parse_args()
        report(options.folder, options.report)
    except (DemoError, tx.Error, OSError) as error:
        print(f"demo: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
