"""The test files of the Unicode Character Database, 17.0, run whole.

Needs the UCD files of the shared corpora, and nothing but what the package itself needs.
"""

import gzip
from itertools import pairwise
from typing import NamedTuple

import pytest

import txtfp_np as tx

pytestmark = pytest.mark.data

PLAIN = {"case_fold": "none", "strip_bidi": False, "strip_format": False}
NFC = tx.Canonicalizer(normalization="nfc", **PLAIN)
NFKC = tx.Canonicalizer(normalization="nfkc", **PLAIN)
SCALARS = [chr(cp) for cp in range(0x110000) if not 0xD800 <= cp < 0xE000]


@pytest.fixture(scope="module")
def ucd(shared_data):
    folder = shared_data / "ucd" / "17.0.0"
    if not folder.is_dir():
        pytest.skip(f"no UCD files at {folder}")
    return folder


def lines_of(path):
    """(line number, content) of the lines that are not comments."""
    for number, line in enumerate(gzip.decompress(path.read_bytes()).decode().splitlines(), 1):
        content = line.partition("#")[0].strip()
        if content:
            yield number, content


def from_hex(code_points):
    return "".join(chr(int(code, 16)) for code in code_points.split())


class Normal(NamedTuple):
    """One line of NormalizationTest: source, NFC, NFD, NFKC, NFKD."""

    source: str
    nfc: str
    nfd: str
    nfkc: str
    nfkd: str


@pytest.fixture(scope="module")
def normalization_parts(ucd):
    parts = {}
    for _, content in lines_of(ucd / "NormalizationTest.txt.gz"):
        if content.startswith("@"):
            rows = parts.setdefault(content, [])
        else:
            rows.append(Normal(*map(from_hex, content.split(";")[:5])))
    assert list(parts) == ["@Part0", "@Part1", "@Part2", "@Part3", "@Part4", "@Part5"]
    return parts


@pytest.fixture(scope="module")
def normalization_rows(normalization_parts):
    rows = [row for part in normalization_parts.values() for row in part]
    assert len(rows) > 19_000
    return rows


# c2 == toNFC(c1) == toNFC(c2) == toNFC(c3), c4 == toNFC(c4) == toNFC(c5); c4 == toNFKC(c1) == ... == toNFKC(c5)
@pytest.mark.parametrize("source", Normal._fields)
@pytest.mark.parametrize("form", ["nfc", "nfkc"])
def test_normalization(normalization_rows, form, source):
    canonicalizer = NFC if form == "nfc" else NFKC
    target = "nfkc" if form == "nfkc" or source in ("nfkc", "nfkd") else "nfc"
    given = [getattr(row, source) for row in normalization_rows]
    expected = [getattr(row, target) for row in normalization_rows]
    found = canonicalizer.canonicalize(given).to_list()
    wrong = [i for i, (ours, theirs) in enumerate(zip(found, expected, strict=True)) if ours != theirs]
    assert not wrong, [ascii(normalization_rows[i]) for i in wrong[:5]]


@pytest.mark.parametrize("canonicalizer", [NFC, NFKC], ids=["nfc", "nfkc"])
def test_unlisted_code_points_are_normal(normalization_parts, canonicalizer):
    listed = {row.source for row in normalization_parts["@Part1"]}
    assert len(listed) > 16_000
    rest = [character for character in SCALARS if character not in listed]
    found = canonicalizer.canonicalize(rest).to_list()
    assert [ascii(a) for a, b in zip(rest, found, strict=True) if a != b] == []


def test_single_documents_agree(normalization_rows):
    for row in normalization_rows[::11]:
        assert NFC.canonicalize(row.source) == row.nfc
        assert NFKC.canonicalize(row.source) == row.nfkc


def break_test(path):
    """(line number, official segments) of a file of the form ``÷ 0061 × 0308 ÷ 0062 ÷``."""
    for number, content in lines_of(path):
        segments = content.strip("÷ ").split("÷")
        yield number, [from_hex(segment.replace("×", " ")) for segment in segments]


# Which code points of WordBreakTest are Alphabetic or numbers; the tokenizer keeps segments that have one.
LETTERS_AND_NUMBERS = set(
    "01Aab\u05d0\u062d\u0631\u0644\u0645\u0646\u064a\u064e\u0650\u0651\u0661\u0671\u0710\u0712\u0717\u0718\u0719"
    "\u071d\u0721\u072a\u072b\u072c\u24c2\u3031"
)
NEITHER = set(
    "\x00\n\v\r \"',.:_\xa9\xad\u0300\u0308\u06dd\u070f\u200d\u2060\u2701"
    "\U0001f1e6\U0001f1e7\U0001f1e8\U0001f1e9\U0001f3ff\U0001f476\U0001f6d1"
)


def test_words(ucd):
    cases = list(break_test(ucd / "WordBreakTest.txt.gz"))
    assert len(cases) > 1_900
    assert {c for _, segments in cases for segment in segments for c in segment} <= LETTERS_AND_NUMBERS | NEITHER
    found = tx.WordTokenizer().tokens(["".join(segments) for _, segments in cases]).to_list()
    differing = {}
    for (number, segments), tokens in zip(cases, found, strict=True):
        official = [segment for segment in segments if LETTERS_AND_NUMBERS & set(segment)]
        if tokens != official:
            differing[number] = (official, tokens)
    assert differing == {}  # the crate's departures need a ZWJ in places where this file has none


def test_graphemes(ucd):
    cases = list(break_test(ucd / "GraphemeBreakTest.txt.gz"))
    assert len(cases) > 700
    tokenizer = tx.GraphemeTokenizer()
    found = tokenizer.tokens(["".join(segments) for _, segments in cases]).to_list()
    assert [(number, tokens) for (number, _), tokens in zip(cases, found, strict=True)] == cases
    for _, segments in cases:
        assert tokenizer.tokens("".join(segments)) == segments


def test_sentences(ucd):
    """All sentences as they stand, by the kernel: a chunk shows only those that hold a letter."""
    from txtfp_np.semantic.chunk_blocks import sentences_of

    cases = list(break_test(ucd / "SentenceBreakTest.txt.gz"))
    assert len(cases) > 500
    column = tx.TextColumn(["".join(segments) for _, segments in cases])
    units = sentences_of(column.data, column.offsets, every=True)
    raw, bounds, rows = units.data.tobytes(), units.offsets.tolist(), units.of_document.tolist()
    found = [[raw[bounds[i] : bounds[i + 1]].decode() for i in range(a, b)] for a, b in pairwise(rows)]
    assert [(number, segments) for (number, _), segments in zip(cases, found, strict=True)] == cases
