"""Build ``tables.npz`` from pinned sources: ``python -m txtfp_np.unicode.build --ucd DIR``.

``DIR`` holds ``16.0.0/CaseFolding.txt.gz``, ``16.0.0/confusables.txt.gz`` and
``17.0.0/emoji-data.txt.gz`` of the Unicode Character Database. ``unicodedata2==17.0.0`` gives
normalisation, ``regex==2025.11.3`` the segmentation properties. The result is the same bytes on
every run; ``tests/unit/test_frozen_unicode.py`` pins its checksum.
"""

from __future__ import annotations

import argparse
import gzip
import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import regex
import unicodedata2
from numpy.typing import NDArray

from txtfp_np.kernels import layout

SCALARS = [cp for cp in range(layout.N_CODE_POINTS) if not 0xD800 <= cp < 0xE000]

# Code points that the crate's canonicaliser removes: hand-made sets, not a general category.
BIDI = {*range(0x200E, 0x2010), *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
FORMAT = BIDI | {
    0x061C,
    *range(0x180B, 0x1810),
    *range(0x200B, 0x2010),
    *range(0x2060, 0x2065),
    *range(0xFE00, 0xFE10),
    0xFEFF,
    0xE0001,
    *range(0xE0020, 0xE0080),
    *range(0xE0100, 0xE01F0),
}

Mapping = dict[int, str]


# ── sources ─────────────────────────────────────────────────────────────────────────────────────
def ucd_fields(path: Path) -> Iterator[list[str]]:
    for line in gzip.decompress(path.read_bytes()).decode("utf-8-sig").splitlines():
        content = line.split("#", 1)[0].strip()
        if content:
            yield [field.strip() for field in content.split(";")]


def from_hex(code_points: str) -> str:
    return "".join(chr(int(code, 16)) for code in code_points.split())


def read_case_folding(path: Path) -> Mapping:
    """Full default folding: statuses C and F, never T (Turkic) or S (simple)."""
    return {int(row[0], 16): from_hex(row[2]) for row in ucd_fields(path) if row[1] in "CF"}


def read_confusables(path: Path) -> Mapping:
    return {int(row[0], 16): from_hex(row[1]) for row in ucd_fields(path)}


def read_pictographic(path: Path) -> set[int]:
    found: set[int] = set()
    for code_points, name in (row[:2] for row in ucd_fields(path)):
        if name == "Extended_Pictographic":
            first, _, last = code_points.partition("..")
            found.update(range(int(first, 16), int(last or first, 16) + 1))
    return found


def members(property_name: str) -> set[int]:
    pattern = regex.compile(rf"\p{{{property_name}}}")
    return {cp for cp in SCALARS if pattern.match(chr(cp))}


# ── normalisation ───────────────────────────────────────────────────────────────────────────────
def is_hangul(cp: int) -> bool:
    return 0xAC00 <= cp < 0xAC00 + 11172


def decompositions(form: str) -> Mapping:
    """Full decompositions that are not the code point itself; Hangul is left to arithmetic."""
    table = {}
    for cp in SCALARS:
        text = unicodedata2.normalize(form, chr(cp))
        if text != chr(cp) and not is_hangul(cp):
            table[cp] = text
    return table


def composition_pairs() -> dict[tuple[int, int], int]:
    pairs = {}
    for cp in SCALARS:
        raw = unicodedata2.decomposition(chr(cp))
        if raw and "<" not in raw and len(raw.split()) == 2 and unicodedata2.normalize("NFC", chr(cp)) == chr(cp):
            first, second = (int(code, 16) for code in raw.split())
            pairs[first, second] = cp
    return pairs


class Composition:
    """Which code points can stand first or second in a composition."""

    def __init__(self, pairs: dict[tuple[int, int], int]) -> None:
        self.first = {first for first, _ in pairs} | set(range(0x1100, 0x1113))
        self.first |= {0xAC00 + 28 * lv for lv in range(11172 // 28)}
        self.second = {second for _, second in pairs} | set(range(0x1161, 0x1176)) | set(range(0x11A8, 0x11C3))


def ccc(character: str) -> int:
    return int(unicodedata2.combining(character))


class Pipeline:
    """One canonical pipeline on code points, and the code each of them gets in its trie."""

    def __init__(self, name: str, mappings: dict[str, Mapping], composition: Composition) -> None:
        decomposition, self.composes, mapping = layout.PIPELINES[name]
        self.name = name
        self.normalizes = decomposition is not None
        self.decomposed_form = "NFKD" if decomposition == "compatibility" else "NFD"
        self.form = self.decomposed_form.replace("D", "C") if self.composes else self.decomposed_form
        self.mapping = mappings[mapping] if mapping else {}
        self.second = composition.second if self.composes else set()
        self.first = composition.first if self.composes else set()
        self.droppable = FORMAT if name != "skeleton" else set()
        self.replacements: dict[tuple[str, bool], int] = {}

    def normalize(self, text: str) -> str:
        return unicodedata2.normalize(self.form, text) if self.normalizes else text

    def decompose(self, text: str) -> str:
        return unicodedata2.normalize(self.decomposed_form, text) if self.normalizes else text

    def map(self, text: str) -> str:
        return "".join(self.mapping.get(ord(character), character) for character in text)

    def attaches(self, character: str) -> bool:
        """Whether a decomposed character can move or compose with what stands before it."""
        return self.normalizes and (ccc(character) != 0 or ord(character) in self.second)

    def begins_segment(self, character: str) -> bool:
        first = self.decompose(character)[0]
        return not self.attaches(first) and not self.attaches(self.decompose(self.map(first))[0])

    def code(self, cp: int) -> int:
        character = chr(cp)
        normalized = self.normalize(character)
        mapped = self.map(normalized)
        result = self.normalize(mapped) if self.mapping else normalized
        if not self.normalizes:
            code = layout.PLAIN if result == character else self.replacement(result, tangled=False)
        elif self.begins_segment(character):
            if result == character:
                inert = cp not in self.first and self.decompose(character) == character
                code = layout.PLAIN if inert else layout.PLAIN_FORWARD
            else:
                tangled = any(self.attaches(c) for c in self.decompose(character) + normalized + mapped + result)
                code = self.replacement(result, tangled)
        elif result != character or self.decompose(character) != character or mapped != character:
            code = layout.COMPLEX
        elif ccc(character) == 0:
            code = layout.MAYBE_FORWARD if cp in self.first else layout.MAYBE
        else:
            code = (layout.MAYBE_MARK if cp in self.second else layout.MARK) + ccc(character)
        if cp in self.droppable:
            assert code == layout.PLAIN, f"{self.name}: U+{cp:04X} is not plain when it is kept"
            return layout.DROP_BIDI if cp in BIDI else layout.DROP_FORMAT
        return code

    def replacement(self, text: str, tangled: bool) -> int:
        number = self.replacements.setdefault((text, tangled), len(self.replacements))
        return layout.MAPPED + number

    def check_boundaries(self) -> None:
        """A segment's first character may compose before it is mapped: its composites must be safe too."""
        for cp in SCALARS:
            if self.normalizes and not self.attaches(self.decompose(chr(cp))[0]):
                first = self.decompose(chr(cp))[0]
                if self.begins_segment(first):
                    mapped = self.decompose(self.map(self.normalize(chr(cp))))
                    assert not self.attaches(mapped[0]), f"{self.name}: U+{cp:04X} folds to something that attaches"

    def tables(self) -> dict[str, NDArray[np.generic]]:
        self.check_boundaries()
        codes = build_utf8_trie(self.code)
        pool = bytearray()
        words, descriptions = [], []
        for text, tangled in self.replacements:
            encoded = text.encode()
            words.append(int.from_bytes(encoded[:8].ljust(8, b"\0"), "little"))
            offset = len(pool) << layout.REPLACEMENT_OFFSET_SHIFT if len(encoded) > 8 else 0
            descriptions.append(offset | (layout.REPLACEMENT_TANGLED if tangled else 0) | len(encoded))
            pool += encoded.ljust(-(-len(encoded) // 8) * 8, b"\0") if len(encoded) > 8 else b""
        return {
            "codes": codes,
            "words": np.array(words or [0], np.uint64),
            "descriptions": np.array(descriptions or [0], np.uint32),
            "pool": np.frombuffer(bytes(pool) or b"\0" * 8, np.uint8),
        }


# ── segmentation ────────────────────────────────────────────────────────────────────────────────
def alphanumerics() -> set[int]:
    alphabetic = members("Alphabetic")
    return alphabetic | {cp for cp in SCALARS if unicodedata2.category(chr(cp)).startswith("N")}


def word_codes(pictographic: set[int]) -> Callable[[int], int]:
    classes = {cp: name for name in layout.WORD_CLASSES[1:19] for cp in members(f"WB={name}")}
    alphanumeric = alphanumerics()

    def code(cp: int) -> int:
        name = classes.get(cp, "Other")
        if cp in pictographic:
            assert name in ("Other", "ALetter"), f"U+{cp:04X} is pictographic and {name}"
            name = "Pictographic" if name == "Other" else "PictographicLetter"
        return layout.WORD_CLASSES.index(name) | (layout.WORD_ALPHANUMERIC if cp in alphanumeric else 0)

    return code


def grapheme_codes(pictographic: set[int]) -> Callable[[int], int]:
    names = ("CR", "LF", "Control", "Extend", "ZWJ", "Regional_Indicator", "Prepend", "SpacingMark")
    classes = {cp: name for name in (*names, "L", "V", "T", "LV", "LVT") for cp in members(f"GCB={name}")}
    conjunct = {cp: name for name in ("Linker", "Consonant", "Extend") for cp in members(f"InCB={name}")}

    def code(cp: int) -> int:
        name, role = classes.get(cp, "Other"), conjunct.get(cp)
        if name == "Extend" and role in ("Extend", "Linker"):
            name = "Linker" if role == "Linker" else "ConjunctExtend"
        elif role == "Consonant":
            assert name == "Other", f"U+{cp:04X} is a consonant and {name}"
            name = "Consonant"
        elif cp in pictographic:
            assert name == "Other", f"U+{cp:04X} is pictographic and {name}"
            name = "Pictographic"
        else:
            assert role is None or name == "ZWJ", f"U+{cp:04X} has InCB={role} and is {name}"
        return layout.GRAPHEME_CLASSES.index(name)

    return code


def sentence_codes() -> Callable[[int], int]:
    classes = {cp: name for name in layout.SENTENCE_CLASSES[1:] for cp in members(f"SB={name}")}
    alphanumeric, white_space = alphanumerics(), members("White_Space")

    def code(cp: int) -> int:
        flags = layout.SENTENCE_ALPHANUMERIC if cp in alphanumeric else 0
        flags |= layout.SENTENCE_WHITE_SPACE if cp in white_space else 0
        return layout.SENTENCE_CLASSES.index(classes.get(cp, "Other")) | flags

    return code


# ── arrays ──────────────────────────────────────────────────────────────────────────────────────
def build_trie(code: Callable[[int], int]) -> NDArray[np.uint16]:
    values = np.zeros(layout.N_CODE_POINTS, np.uint16)
    values[SCALARS] = [code(cp) for cp in SCALARS]
    blocks, index = np.unique(values.reshape(-1, layout.TRIE_BLOCK), axis=0, return_inverse=True)
    return np.concatenate([index.ravel().astype(np.uint16), blocks.ravel()])


def build_utf8_trie(code: Callable[[int], int]) -> NDArray[np.uint16]:
    """The same values by UTF-8 bytes (see ``layout.py``)."""
    values = np.zeros(layout.N_CODE_POINTS, np.uint16)
    values[SCALARS] = [code(cp) for cp in SCALARS]
    assert values.max() < layout.UTF8_DEEPER
    numbers: dict[bytes, int] = {}

    def deeper(block: NDArray[np.uint16]) -> int:
        return layout.UTF8_DEEPER | numbers.setdefault(block.astype("<u2").tobytes(), len(numbers))

    first = np.zeros((256, 64), np.uint16)
    first[:0x80] = values[:0x80, np.newaxis]
    first[0xC2:0xE0] = values[0x80:0x800].reshape(-1, 64)
    first[0xE0:0xF0] = np.reshape([deeper(block) for block in values[:0x10000].reshape(-1, 64)], (16, 64))
    last = np.array([deeper(block) for block in values[0x10000:].reshape(-1, 64)], np.uint16)
    # Leads F0 and F4 begin and end within their range: four bytes hold U+10000 to U+10FFFF.
    planes = np.zeros((5 * 64, 64), np.uint16)
    planes[16 : 16 + len(last) // 64] = last.reshape(-1, 64)
    first[0xF0:0xF5] = np.reshape([deeper(block) for block in planes], (5, 64))
    blocks = np.frombuffer(b"".join(numbers), "<u2").astype(np.uint16)
    return np.concatenate([first.ravel(), blocks])


def build_sequences(tables: dict[str, Mapping]) -> dict[str, NDArray[np.generic]]:
    """Tries of sequence numbers (0: the code point itself) over one shared pool of sequences."""
    numbers: dict[str, int] = {"": 0}
    arrays: dict[str, NDArray[np.generic]] = {}
    for name, table in tables.items():
        for text in table.values():
            numbers.setdefault(text, len(numbers))
        arrays[name] = build_trie(lambda cp, table=table: numbers[table.get(cp, "")])  # type: ignore[misc]
    arrays["sequence_offsets"] = np.cumsum([0, *map(len, numbers)], dtype=np.int64)
    arrays["sequences"] = np.array([ord(c) for text in numbers for c in text], np.uint32)
    return arrays


def build_compositions(pairs: dict[tuple[int, int], int]) -> dict[str, NDArray[np.generic]]:
    """Pairs sorted by (first, second); ``composition_keys`` is first << 32 | second."""
    keys = sorted(pairs)
    return {
        "composition_keys": np.array([first << 32 | second for first, second in keys], np.uint64),
        "composition_values": np.array([pairs[key] for key in keys], np.uint32),
    }


def build(ucd: Path) -> dict[str, NDArray[np.generic]]:
    assert unicodedata2.unidata_version == "17.0.0", unicodedata2.unidata_version
    assert regex.__version__ == "2025.11.3", regex.__version__
    pictographic = read_pictographic(ucd / "17.0.0" / "emoji-data.txt.gz")
    assert pictographic == members("Extended_Pictographic"), "regex is not at Unicode 17.0"
    mappings = {
        "fold": read_case_folding(ucd / "16.0.0" / "CaseFolding.txt.gz"),
        "confusable": read_confusables(ucd / "16.0.0" / "confusables.txt.gz"),
    }
    pairs = composition_pairs()
    arrays = build_sequences({"canonical": decompositions("NFD"), "compatibility": decompositions("NFKD"), **mappings})
    arrays |= build_compositions(pairs)
    arrays["combining_class"] = build_trie(lambda cp: ccc(chr(cp)))
    for name in layout.PIPELINES:
        tables = Pipeline(name, mappings, Composition(pairs)).tables()
        arrays |= {f"{name}.{part}": array for part, array in tables.items()}
    arrays["words"] = build_utf8_trie(word_codes(pictographic))
    arrays["graphemes"] = build_utf8_trie(grapheme_codes(pictographic))
    arrays["sentences"] = build_utf8_trie(sentence_codes())
    return arrays


def save(arrays: dict[str, NDArray[np.generic]], path: Path) -> None:
    """An ``.npz`` whose bytes depend on the arrays alone: fixed order, fixed dates."""
    with zipfile.ZipFile(path, "w") as archive:
        for name, array in sorted(arrays.items()):
            content = io.BytesIO()
            np.lib.format.write_array(content, array, version=(1, 0), allow_pickle=False)
            member = zipfile.ZipInfo(f"{name}.npy", date_time=(1980, 1, 1, 0, 0, 0))
            archive.writestr(member, content.getvalue(), zipfile.ZIP_DEFLATED, 9)


def main() -> None:
    parser = argparse.ArgumentParser(description="Build the frozen Unicode tables.")
    parser.add_argument("--ucd", type=Path, required=True, help="folder with 16.0.0/ and 17.0.0/ of the UCD")
    parser.add_argument("--out", type=Path, default=Path(__file__).with_name("tables.npz"))
    arguments = parser.parse_args()
    arrays = build(arguments.ucd)
    save(arrays, arguments.out)
    for name, array in sorted(arrays.items()):
        print(f"{name:28} {array.dtype!s:8} {array.size:8,}")
    print(f"{arguments.out}: {arguments.out.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
