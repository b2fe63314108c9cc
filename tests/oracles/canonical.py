"""Canonical text the slow and obvious way: one step after another on a Python ``str``.

Imports neither NumPy nor the package. Normalisation is that of ``unicodedata2`` 17.0; the tables of
case folding and confusables are read from the UCD files of 16.0, the versions that the Rust crate has.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

# The crate's sets, checked there over all scalar values; they are no general category.
BIDI_RANGES = ((0x200E, 0x200F), (0x202A, 0x202E), (0x2066, 0x2069))
FORMAT_RANGES = (
    (0x061C, 0x061C),
    (0x180B, 0x180F),
    (0x200B, 0x200F),
    (0x202A, 0x202E),
    (0x2060, 0x2064),
    (0x2066, 0x2069),
    (0xFE00, 0xFE0F),
    (0xFEFF, 0xFEFF),
    (0xE0001, 0xE0001),
    (0xE0020, 0xE007F),
    (0xE0100, 0xE01EF),
)


class Tables(NamedTuple):
    """What one character becomes under case folding and as a UTS #39 prototype."""

    folding: dict[str, str]
    prototypes: dict[str, str]


def _rows(path: Path) -> Iterable[list[str]]:
    for line in gzip.decompress(path.read_bytes()).decode("utf-8-sig").splitlines():
        fields = [field.strip() for field in line.partition("#")[0].split(";")]
        if len(fields) > 1:
            yield fields


def _text(code_points: str) -> str:
    return "".join(chr(int(code, 16)) for code in code_points.split())


def load_tables(ucd: Path) -> Tables:
    """Tables of Unicode 16.0 from a folder that holds ``16.0.0/``."""
    folder = ucd / "16.0.0"
    folding = {_text(row[0]): _text(row[2]) for row in _rows(folder / "CaseFolding.txt.gz") if row[1] in ("C", "F")}
    prototypes = {_text(row[0]): _text(row[1]) for row in _rows(folder / "confusables.txt.gz")}
    return Tables(folding, prototypes)


def normalize(form: str, text: str) -> str:
    """Normal form of Unicode 17.0."""
    import unicodedata2

    if unicodedata2.unidata_version != "17.0.0":
        raise RuntimeError(f"the oracle needs unicodedata2 17.0.0, got {unicodedata2.unidata_version}")
    return unicodedata2.normalize(form, text)


def _inside(character: str, ranges: Iterable[tuple[int, int]]) -> bool:
    return any(first <= ord(character) <= last for first, last in ranges)


def strip(text: str, strip_bidi: bool, strip_format: bool) -> str:
    return "".join(
        character
        for character in text
        if not (strip_bidi and _inside(character, BIDI_RANGES))
        and not (strip_format and _inside(character, FORMAT_RANGES))
    )


def skeleton(text: str, tables: Tables) -> str:
    decomposed = normalize("NFD", text)
    return normalize("NFD", "".join(tables.prototypes.get(character, character) for character in decomposed))


def canonicalize(
    text: str,
    tables: Tables | None,
    *,
    normalization: str = "nfkc",
    case_fold: str = "simple",
    strip_bidi: bool = True,
    strip_format: bool = True,
    apply_confusable: bool = False,
) -> str:
    """Strip, normalise, fold, normalise again, skeleton. ``tables`` may be None if neither is asked for."""
    text = strip(text, strip_bidi, strip_format)
    if normalization != "none":
        text = normalize(normalization.upper(), text)
    if case_fold == "simple":
        text = "".join(tables.folding.get(character, character) for character in text)
        if normalization != "none":
            text = normalize(normalization.upper(), text)
    if apply_confusable:
        text = skeleton(text, tables)
    return text
