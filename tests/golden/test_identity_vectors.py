"""Config hashes, JSON, displays and similarities of the Rust crate txtfp 0.2.2.

Needs nothing but what the package itself needs, so that it can be run beside any other library.
"""

import json
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from txtfp_np.compare import cosine_estimate, hamming, hamming_pairs, hamming_similarity, jaccard, jaccard_pairs
from txtfp_np.errors import InvalidInputError
from txtfp_np.schema import (
    DEFAULT_SEED,
    FORMAT_VERSION,
    MIN_INPUT_BYTES,
    MINHASH_SCHEMA,
    SIMHASH_SCHEMA,
    Embedding,
    Fingerprint,
    as_signatures,
    config_hash,
    config_hash_classical,
    from_json,
    signature_display,
    simhash_display,
    to_json,
)

DATA = Path(__file__).resolve().parent.parent / "data"
FAMILIES = {"xxh3": "xxh3_64", "mmh3": "murmur3_x64_128"}


@cache
def crate():
    return json.loads((DATA / "txtfp-0.2.2.json").read_text(encoding="utf-8"))


def signature(vector, name):
    """One signature of the vectors, from its bytes."""
    stored = crate()["vectors"][vector]["minhash"][name]
    h = int(re.match(r"h(\d+)_", name).group(1))
    return as_signatures(bytes.fromhex(stored), h)[0]


def simhash(vector):
    return np.uint64(int(crate()["vectors"][vector]["simhash"]["tf_xxh3"], 16))


def bits_of(value):
    assert type(value) is np.float32
    return int(value.view(np.uint32))


def test_there_are_vectors():
    """A truncated file must not pass for a passed test."""
    sizes = {name: len(crate()[name]) for name in ("config_hash", "minhash_serde", "cosine_table", "pairs")}
    assert sizes == {"config_hash": 6, "minhash_serde": 6, "cosine_table": 65, "pairs": 7}


def test_constants():
    info = crate()["meta"]["info"]
    assert info["format_version"] == FORMAT_VERSION
    assert info["minhash_schema"] == MINHASH_SCHEMA
    assert info["simhash_schema"] == SIMHASH_SCHEMA
    assert info["tlsh_min_input_bytes"] == MIN_INPUT_BYTES
    assert DEFAULT_SEED == 828927532781


@pytest.mark.parametrize("row", crate()["config_hash"], ids=lambda row: row["config_hash"])
def test_config_hash(row):
    what = (row["config_string"], row["tokenizer_name"], row["algo_cfg"])
    assert f"{config_hash(*what):016x}" == row["config_hash"]
    classical = config_hash_classical(*what, FAMILIES[row["family"]], row["seed"])
    assert f"{classical:016x}" == row["config_hash_classical"]


@pytest.mark.parametrize("row", crate()["minhash_serde"], ids=lambda row: row["json"])
def test_minhash_serde(row):
    if "hex" in row["result"]:
        sig = from_json(row["json"], h=row["h"])
        assert sig.tobytes().hex() == row["result"]["hex"]
        assert to_json(sig) == row["json"]
    else:
        text = re.sub(r" at line \d+ column \d+$", "", row["result"]["serde_error"])
        with pytest.raises(InvalidInputError, match=f"^invalid input: {re.escape(text)}$"):
            from_json(row["json"], h=row["h"])


def signed_vectors():
    for number, vector in enumerate(crate()["vectors"]):
        for name, stored in vector["minhash"].items():
            if isinstance(stored, str):
                yield number, name


def test_signatures_go_through_json():
    checked = 0
    for number, name in signed_vectors():
        sig = signature(number, name)
        h = len(sig["hashes"])
        assert from_json(to_json(sig), h=h).tobytes().hex() == crate()["vectors"][number]["minhash"][name]
        checked += 1
    assert checked > 100


def displays(node):
    """Every signature of the file that comes with the text that the crate prints for it."""
    if isinstance(node, dict):
        if "display" in node and "hex" in node:
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from displays(child)


def test_displays():
    found = list(displays(crate()))
    assert {row["display"].split("<")[0].split("(")[0] for row in found} == {"MinHashSig", "SimHash64"}
    for row in found:
        if row["display"].startswith("SimHash64"):
            assert simhash_display(int(row["hex"], 16)) == row["display"]
        else:
            data = bytes.fromhex(row["hex"])
            assert signature_display(as_signatures(data, len(data) // 8 - 1)[0]) == row["display"]


def test_cosine_table():
    """All 65 distances, one by one and as a column."""
    rows = crate()["cosine_table"]
    values = np.array([(1 << row["hamming"]) - 1 for row in rows], np.uint64)
    assert hamming(values, 0).tolist() == list(range(65))
    expected = [row["f32_bits"] for row in rows]
    assert cosine_estimate(values, 0).view(np.uint32).tolist() == expected
    assert cosine_estimate(values, np.zeros(65, np.uint64)).view(np.uint32).tolist() == expected
    assert [bits_of(cosine_estimate(value, 0)) for value in values] == expected
    assert hamming_similarity(values, 0).tolist() == [1 - n / 64 for n in range(65)]


@pytest.mark.parametrize("row", crate()["pairs"], ids=lambda row: f"{row['a']}-{row['b']}")
def test_pairs(row):
    for name, key in (("h128_k5_xxh3", "jaccard_h128_f32_bits"), ("h256_k1_xxh3", "jaccard_h256_f32_bits")):
        a, b = signature(row["a"], name), signature(row["b"], name)
        assert bits_of(jaccard(a, b)) == bits_of(jaccard(b, a)) == row[key]
        column = np.array([a, b])
        assert jaccard_pairs(column, [0], [1]).view(np.uint32).tolist() == [row[key]]
        assert jaccard(column[:, None], column).view(np.uint32)[0, 1] == row[key]
    a, b = simhash(row["a"]), simhash(row["b"])
    assert hamming(a, b) == row["hamming_tf_xxh3"]
    assert hamming_pairs(np.array([a, b]), [0], [1]).tolist() == [row["hamming_tf_xxh3"]]
    assert bits_of(cosine_estimate(a, b)) == row["cosine_f32_bits"]


def test_digests_of_the_crate_are_fingerprints():
    digests = [vector["tlsh"] for vector in crate()["vectors"] if isinstance(vector["tlsh"], str)]
    assert digests
    for digest in digests:
        assert Fingerprint.tlsh(digest).metadata().byte_size == 72


def test_embeddings_that_do_not_match():
    refused = [row for row in crate()["semantic_similarity"] if "error" in row["result"]]
    assert refused
    for row in refused:
        a, b = (Embedding(**row["request"][side]) for side in "ab")
        with pytest.raises(ValueError, match=re.escape(row["result"]["error"]["message"])):
            a.dot(b)
