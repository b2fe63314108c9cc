"""What winnowing, ssdeep and FlyHash make of the texts of the crate's vectors, and identities: users store both.

The values themselves are the oracles' and the peers' (``tests/oracles``, ``tests/property``); here they are frozen.
Needs nothing but what the package itself needs.
"""

import json
from pathlib import Path

import numpy as np
import pytest
import xxhash

import txtfp_np as tx

DATA = Path(__file__).resolve().parent.parent / "data"
CRATE = json.loads((DATA / "txtfp-0.2.2.json").read_text(encoding="utf-8"))
TEXTS = [vector["text"] for vector in CRATE["vectors"]]
IDF = tx.IdfTable(CRATE["meta"]["idf_table"])
CHARS = tx.CharShingleTokenizer(k=1)

FINGERPRINTERS = {
    "tlsh": tx.TlshFingerprinter(),
    "tlsh, packed": tx.TlshFingerprinter(packed=True),
    "ssdeep": tx.FuzzyFingerprinter(),
    "ssdeep, canonical": tx.FuzzyFingerprinter(tx.Canonicalizer()),
    "winnowing": tx.WinnowFingerprinter(),
    "winnowing, code points": tx.WinnowFingerprinter(tokenizer=CHARS, k=16, window=16, hasher="murmur3_x64_128"),
    "winnowing, shingles": tx.WinnowFingerprinter(
        tokenizer=tx.CharShingleTokenizer(k=3), k=1, window=5, hasher="xxh64", seed=2**64 - 1
    ),
    "flyhash": tx.FlyHashFingerprinter(),
    "flyhash, uniform": tx.FlyHashFingerprinter(weighting="uniform", bits=64, active=8, fan=3, hasher="xxh64", seed=0),
    "flyhash, winners": tx.FlyHashFingerprinter(weighting=IDF, bits=65_472, active=16, fan=1, form="winners"),
}
# config hash; digest of all records
EXPECTED = {
    "tlsh": ("918c77332c4a6bed", "81ec49a2422e6e6f"),
    "tlsh, packed": ("918c77332c4a6bed", "d2c99d0002728b2d"),
    "ssdeep": ("908d22166375c9ea", "cc8d972a1983f0ac"),
    "ssdeep, canonical": ("875c676ae329389f", "535b7dff0ca434b1"),
    "winnowing": ("d938f37fdbaa0c97", "f52235438b13c978"),
    "winnowing, code points": ("9920477a21c46705", "016ebc3550d0be15"),
    "winnowing, shingles": ("b0713cc47cc0632d", "59d6fa064c41b95f"),
    "flyhash": ("496ad4789dd40800", "aa33de1989fb8138"),
    "flyhash, uniform": ("f74e44c9a5d35c7d", "fb66a26c4ced8ebd"),
    "flyhash, winners": ("3dfc9b3c69c5f392", "200fa89f10420fc9"),
}


def bytes_of(result):
    """All of a column, little-endian on any machine."""
    if not isinstance(result, tx.WinnowColumn):
        return result.astype(result.dtype.newbyteorder("<")).tobytes()
    places = (part.astype("<i8").tobytes() for part in (result.positions, result.ends, result.offsets))
    return b"".join([result.values.astype("<u8").tobytes(), *places])


def test_there_are_texts():
    assert (len(TEXTS), set(EXPECTED)) == (61, set(FINGERPRINTERS))


@pytest.mark.parametrize("name", FINGERPRINTERS)
def test_identity(name):
    assert f"{FINGERPRINTERS[name].config_hash:016x}" == EXPECTED[name][0]


@pytest.mark.parametrize("name", FINGERPRINTERS)
def test_records(name):
    result, ok = FINGERPRINTERS[name].fingerprint(TEXTS, on_empty="mask")
    assert np.count_nonzero(ok) > 30
    assert xxhash.xxh3_64_hexdigest(bytes_of(result) + ok.tobytes()) == EXPECTED[name][1]
