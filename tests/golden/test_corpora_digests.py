"""Digests of the crate's signatures of about 49,000 real documents; the texts are not in the repository.

Needs the shared corpora, and nothing but what the package itself needs.
"""

import gzip
import json
from pathlib import Path

import pytest
import xxhash

import txtfp_np as tx

pytestmark = pytest.mark.data

DIGESTS = Path(__file__).resolve().parent.parent / "data" / "corpora.json"
SETS = json.loads(DIGESTS.read_text(encoding="utf-8"))["sets"]
FINGERPRINTERS = {"minhash_h128_k5": tx.MinHashFingerprinter(), "simhash_tf": tx.SimHashFingerprinter()}


def test_there_are_digests():
    assert sum(row["docs"] for row in SETS.values()) == 49_407


@pytest.mark.parametrize("name", SETS)
def test_digests(shared_data, name):
    path = shared_data / f"{name}.jsonl.gz"
    if not path.is_file():
        pytest.skip(f"no corpus at {path}")
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        texts = [json.loads(line)["text"] for line in lines]
    expected = SETS[name]
    assert len(texts) == expected["docs"]
    left_out = {*expected["empty"], *expected["left_out"]}
    results = tx.fingerprint_many(texts, FINGERPRINTERS.values(), on_empty="mask", threads=None)
    for field, (records, ok) in zip(FINGERPRINTERS, results, strict=True):
        signed = [row for row in range(len(texts)) if row not in left_out]
        assert ok[signed].all()
        assert xxhash.xxh3_64_hexdigest(records[signed].tobytes()) == expected[field], field
