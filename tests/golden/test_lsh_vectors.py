"""Band keys, choices of bands, and answers of the index, as the crate gave them."""

import json
from pathlib import Path

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.index import LshIndex, LshIndexBuilder
from txtfp_np.index.tables import seedless
from txtfp_np.kernels.bands import band_keys

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "txtfp-0.2.2.json").read_text(encoding="utf-8"))
ANSWERED = [case for case in VECTORS["lsh"] if "error" not in case["result"]]
REFUSED = [case for case in VECTORS["lsh"] if "error" in case["result"]]


def parts(request):
    fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=request["k"]), h=request["h"])
    return fp, LshIndex(request["bands"], request["rows"], request["h"])


def ask(index, sigs, request):
    if "threshold" in request:
        return index.query_with_threshold(sigs, request["threshold"])
    return index.query(sigs)


def run(index, fp, operation):
    name, *arguments = operation
    arguments = [fp.fingerprint(a["text"]) if isinstance(a, dict) else a for a in arguments]
    if name == "len":
        return len(index)
    result = getattr(index, name)(*arguments)
    if isinstance(result, np.void):
        return result.tobytes().hex()
    return None if result is None else result.tolist()


def test_there_are_vectors():
    sizes = [len(VECTORS[key]) for key in ("lsh", "band_keys", "for_threshold", "for_threshold_errors")]
    assert sizes == [5, 8, 133, 6]


@pytest.mark.parametrize("case", ANSWERED, ids=lambda case: case["name"])
@pytest.mark.parametrize("at_once", [True, False])
def test_answers(case, at_once):
    request, result = case["request"], case["result"]
    fp, index = parts(request)
    docs = request.get("docs", [])
    if docs:
        sigs = fp.fingerprint(docs)
        if at_once:
            index.insert(range(len(docs)), sigs)
        else:
            for id, sig in enumerate(sigs):
                index.insert(id, sig)
    assert [run(index, fp, operation) for operation in request.get("ops", [])] == result["ops"]
    if "queries" in request:
        probes = fp.fingerprint(request["queries"])
        assert [ask(index, probe, request).tolist() for probe in probes] == result["results"]
        indptr, ids = ask(index, probes, request)
        assert [row.tolist() for row in np.split(ids, indptr[1:-1])] == result["results"]
    assert (len(index), index.bands, index.rows) == (result["len"], result["bands"], result["rows"])


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: case["name"])
def test_refusals(case):
    for make in (parts, lambda request: LshIndexBuilder(request["bands"], request["rows"], request["h"])):
        with pytest.raises(tx.ConfigError) as caught:
            make(case["request"])
        assert str(caught.value) == case["result"]["error"]["message"]


@pytest.mark.parametrize("case", VECTORS["band_keys"], ids=lambda case: f"{case['signature']}-{case['bands']}")
def test_band_keys(case):
    record = bytes.fromhex(VECTORS["vectors"][case["vector"]]["minhash"][case["signature"]])
    words = np.frombuffer(record, np.uint64).reshape(1, -1)
    keys = np.empty((case["bands"], 1), np.uint64)
    band_keys(words, case["rows"], seedless(), 0, keys)
    assert [f"{key:016x}" for key in keys[:, 0].tolist()] == case["keys"]


@pytest.mark.parametrize("case", VECTORS["for_threshold"], ids=lambda case: f"{case['t']}-{case['h']}")
def test_for_threshold(case):
    builder = LshIndexBuilder.for_threshold(case["t"], case["h"])
    assert (builder.bands, builder.rows) == (case["bands"], case["rows"])


@pytest.mark.parametrize("case", VECTORS["for_threshold_errors"], ids=lambda case: f"{case['t']}-{case['h']}")
def test_for_threshold_errors(case):
    with pytest.raises(tx.ConfigError) as caught:
        LshIndexBuilder.for_threshold(float(case["t"]), case["h"])
    assert str(caught.value) == case["error"]["message"]
