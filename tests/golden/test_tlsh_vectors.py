"""TLSH of the Rust crate txtfp 0.2.2: digests, distances and errors."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import txtfp_np as tx

DATA = Path(__file__).resolve().parent.parent / "data"
FP = tx.TlshFingerprinter()


@cache
def crate():
    return json.loads((DATA / "txtfp-0.2.2.json").read_text(encoding="utf-8"))


def digest_or_message(text):
    try:
        return FP.fingerprint(text).decode()
    except tx.InvalidInputError as error:
        return {"error": {"kind": "InvalidInput", "message": str(error)}}


@pytest.mark.parametrize("vector", crate()["vectors"], ids=lambda vector: vector["category"])
def test_digests(vector):
    assert digest_or_message(vector["text"]) == vector["tlsh"]


def test_digests_of_a_column():
    texts, wanted = zip(*((vector["text"], vector["tlsh"]) for vector in crate()["vectors"]), strict=True)
    digests, ok = FP.fingerprint(texts, on_empty="mask")
    assert sum(ok) == 39
    assert ok.tolist() == [isinstance(item, str) for item in wanted]
    assert digests.tolist() == [item.encode() if isinstance(item, str) else b"" for item in wanted]


def test_distances_of_pairs():
    vectors = crate()["vectors"]
    pairs = crate()["pairs"]
    a, b = ([vectors[pair[side]]["tlsh"] for pair in pairs] for side in ("a", "b"))
    wanted = [pair["tlsh_distance"] for pair in pairs]
    assert tx.tlsh_distance(np.array(a, "S72"), np.array(b, "S72")).tolist() == wanted


MISC = crate()["tlsh_misc"]


@pytest.mark.parametrize("case", [case for case in MISC if "a" in case])
def test_distances(case):
    if "distance" in case["result"]:
        assert tx.tlsh_distance(case["a"], case["b"]) == case["result"]["distance"]
    else:
        with pytest.raises(tx.InvalidInputError) as caught:
            tx.tlsh_distance(case["a"], case["b"])
        assert str(caught.value) == case["result"]["error"]["message"]


@pytest.mark.parametrize("case", [case for case in MISC if "text" in case], ids=lambda case: len(case["text"]))
def test_texts(case):
    found = digest_or_message(case["text"])
    assert found == case["result"].get("hex", case["result"])


def test_there_are_vectors():
    assert len(crate()["vectors"]) == 61
    assert len(crate()["pairs"]) == 7
    assert [sum(key in case for case in MISC) for key in ("a", "text", "new")] == [5, 5, 4]
