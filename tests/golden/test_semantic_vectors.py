"""Outputs of the Rust crate txtfp 0.2.2 for embeddings, byte for byte."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import txtfp_np as tx

DATA = Path(__file__).resolve().parent.parent / "data"


@cache
def crate():
    return json.loads((DATA / "txtfp-0.2.2.json").read_text(encoding="utf-8"))


def embedding(request):
    return tx.Embedding(request["vector"], request.get("model_id"))


@pytest.mark.parametrize("row", crate()["semantic_similarity"], ids=lambda row: json.dumps(row["request"]))
def test_semantic_similarity(row):
    a, b = embedding(row["request"]["a"]), embedding(row["request"]["b"])
    if "error" in row["result"]:
        error = {"ModelMismatch": tx.ModelMismatchError, "DimensionMismatch": tx.DimensionMismatchError}
        with pytest.raises(error[row["result"]["error"]["kind"]]) as caught:
            tx.semantic_similarity(a, b)
        assert str(caught.value) == row["result"]["error"]["message"]
    else:
        found = tx.semantic_similarity(a, b)
        assert isinstance(found, np.float32)
        assert int(found.view(np.uint32)) == row["result"]["f32_bits"]


STRATEGIES = {
    "sentence_24_6": tx.ChunkingStrategy(max_tokens=24, overlap=6),
    "fixed_13_4": tx.ChunkingStrategy(max_tokens=13, overlap=4, mode="fixed_tokens"),
    "recursive_40_0": tx.ChunkingStrategy(max_tokens=40, overlap=0, mode="recursive"),
}


@pytest.mark.parametrize("key", STRATEGIES)
def test_chunks(key):
    vectors = crate()["vectors"]
    assert set(vectors[0]["chunks"]) == set(STRATEGIES)
    texts = [vector["text"] for vector in vectors]
    expected = [vector["chunks"][key] for vector in vectors]
    assert tx.chunk_for_model(texts, STRATEGIES[key]).to_list() == expected
    assert [tx.chunk_for_model(text, STRATEGIES[key]) for text in texts] == expected


def pooling_id(row):
    return f"{row['request']['pooling']}-{row['request']['mask']}"


@pytest.mark.parametrize("row", crate()["pooling"], ids=pooling_id)
def test_pooling(row):
    request = row["request"]
    pooling = tx.Pooling(request["pooling"])
    hidden, dim, mask = request["hidden"], request["dim"], request["mask"]
    expected = row["f32_bits"]
    assert pooling.apply(hidden, dim, mask).view(np.uint32).tolist() == expected
    matrix = np.array(hidden, np.float32).reshape(-1, dim)
    assert pooling.apply(matrix, dim, mask).view(np.uint32).tolist() == expected
    batch_mask = None if mask is None else [mask, mask]
    batch = pooling.apply(np.stack([matrix, matrix]), attention_mask=batch_mask)
    assert batch.view(np.uint32).tolist() == [expected, expected]


def test_there_are_vectors():
    assert len(crate()["semantic_similarity"]) == 3
    assert {row["request"]["pooling"] for row in crate()["pooling"]} == {str(pooling) for pooling in tx.Pooling}


MARKDOWN = {
    "default": {},
    "no_code_blocks": {"include_code_blocks": False},
    "no_inline_code": {"include_inline_code": False},
    "no_breaks": {"break_to_space": False},
}


@pytest.mark.parametrize("key", MARKDOWN)
def test_markdown(key):
    pytest.importorskip("markdown_it")
    rows = crate()["markup"]["markdown"]
    assert len(rows) == 3
    assert set(rows[0]) == {"md", *MARKDOWN}
    found = tx.markdown_to_text_with([row["md"] for row in rows], tx.MarkdownOptions(**MARKDOWN[key]))
    assert found.to_list() == [row[key] for row in rows]
