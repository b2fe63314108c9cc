"""A BERT encoder: its weights from a safetensors file, its forward pass in NumPy, and the same as an ONNX graph."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Weights = dict[str, NDArray[np.float32]]
Doubles = NDArray[np.float64]

_DTYPES = {"F32": np.float32, "F16": np.float16}
_FAR = -1e9  # added to the scores of padding, so that it gets no attention
_OPSET, _IR_VERSION = 17, 8  # LayerNormalization is an operator from 17 on


@dataclass(frozen=True)
class Shape:
    """What the weights alone do not say."""

    layers: int
    heads: int
    epsilon: float

    @classmethod
    def of(cls, config: dict[str, Any]) -> Shape:
        """From ``config.json``; an encoder that is built otherwise is refused."""
        for key, wanted in (("hidden_act", "gelu"), ("position_embedding_type", "absolute"), ("model_type", "bert")):
            if config.get(key, wanted) != wanted:
                raise ValueError(f"{key} must be {wanted!r}, got {config[key]!r}")
        return cls(config["num_hidden_layers"], config["num_attention_heads"], config["layer_norm_eps"])


def read_safetensors(content: bytes) -> Weights:
    """Tensors of floats in a safetensors file: a length of 8 bytes, a header in JSON, then the numbers."""
    end = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:end])
    weights = {}
    for name, entry in header.items():
        dtype = _DTYPES.get(entry.get("dtype"))
        if dtype is not None:
            begin, stop = entry["data_offsets"]
            values = np.frombuffer(content[end + begin : end + stop], dtype)
            weights[name] = values.reshape(entry["shape"]).astype(np.float32)
    return weights


# ── NumPy ───────────────────────────────────────────────────────────────────────────────────────
_erf = np.vectorize(math.erf, otypes=[np.float64])


def _normalised(hidden: Doubles, weights: Weights, name: str, epsilon: float) -> Doubles:
    centred = hidden - hidden.mean(axis=-1, keepdims=True)
    scale = np.sqrt((centred**2).mean(axis=-1, keepdims=True) + epsilon)
    normalised: Doubles = centred / scale * weights[f"{name}.weight"] + weights[f"{name}.bias"]
    return normalised


def _dense(hidden: Doubles, weights: Weights, name: str) -> Doubles:
    product: Doubles = hidden @ weights[f"{name}.weight"].T.astype(np.float64) + weights[f"{name}.bias"]
    return product


def forward(weights: Weights, shape: Shape, ids: NDArray[np.int64]) -> Doubles:
    """Vectors of the tokens of one text without padding, in double precision: what the graph is checked against."""
    hidden: Doubles = (
        weights["embeddings.word_embeddings.weight"][ids].astype(np.float64)
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    hidden = _normalised(hidden, weights, "embeddings.LayerNorm", shape.epsilon)
    for number in range(shape.layers):
        layer = f"encoder.layer.{number}"
        # (heads, tokens, width)
        query, key, value = (
            _dense(hidden, weights, f"{layer}.attention.self.{part}")
            .reshape(len(ids), shape.heads, -1)
            .transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = query @ key.transpose(0, 2, 1) / math.sqrt(query.shape[-1])
        attention = np.exp(scores - scores.max(axis=-1, keepdims=True))
        attention /= attention.sum(axis=-1, keepdims=True)
        attended = (attention @ value).transpose(1, 0, 2).reshape(len(ids), -1)
        attended = _dense(attended, weights, f"{layer}.attention.output.dense")
        hidden = _normalised(attended + hidden, weights, f"{layer}.attention.output.LayerNorm", shape.epsilon)
        inner = _dense(hidden, weights, f"{layer}.intermediate.dense")
        inner *= (1 + _erf(inner / math.sqrt(2))) / 2
        inner = _dense(inner, weights, f"{layer}.output.dense")
        hidden = _normalised(inner + hidden, weights, f"{layer}.output.LayerNorm", shape.epsilon)
    return hidden


# ── ONNX ────────────────────────────────────────────────────────────────────────────────────────
class _Graph:
    """Nodes and constants as they come up; every node has one output, named like the node."""

    def __init__(self) -> None:
        self.nodes: list[Any] = []
        self.constants: dict[str, NDArray[Any]] = {}

    def constant(self, name: str, value: Any) -> str:
        self.constants[name] = np.array(value, order="C")
        return name

    def add(self, operator: str, inputs: list[str], name: str, **attributes: Any) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(operator, inputs, [name], name=name, **attributes))
        return name

    def dense(self, hidden: str, weight: NDArray[np.float32], bias: NDArray[np.float32], name: str) -> str:
        product = self.add("MatMul", [hidden, self.constant(f"{name}.weight", weight.T)], f"{name}.product")
        return self.add("Add", [product, self.constant(f"{name}.bias", bias)], name)

    def normalised(self, hidden: str, weights: Weights, name: str, epsilon: float) -> str:
        scale = self.constant(f"{name}.weight", weights[f"{name}.weight"])
        bias = self.constant(f"{name}.bias", weights[f"{name}.bias"])
        return self.add("LayerNormalization", [hidden, scale, bias], name, axis=-1, epsilon=epsilon)


def export(weights: Weights, shape: Shape, path: Path) -> None:
    """Write the encoder as a graph from ids, mask and types of tokens to ``last_hidden_state``."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    graph = _Graph()
    hidden = _embedded(graph, weights, shape)
    mask = graph.add("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT)
    padding = graph.add("Sub", [graph.constant("one", np.float32(1)), mask], "padding")
    padding = graph.add("Mul", [padding, graph.constant("far", np.float32(_FAR))], "penalty")
    padding = graph.add("Unsqueeze", [padding, graph.constant("heads_and_queries", np.array([1, 2]))], "penalties")
    for number in range(shape.layers):
        hidden = _layer(graph, weights, shape, hidden, padding, f"encoder.layer.{number}")
    graph.add("Identity", [hidden], "last_hidden_state")
    dim = weights["embeddings.word_embeddings.weight"].shape[1]
    inputs = [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", dim])
    constants = [numpy_helper.from_array(value, name) for name, value in graph.constants.items()]
    made = helper.make_graph(graph.nodes, "bert", inputs, [output], constants)
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", _OPSET)], ir_version=_IR_VERSION)
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def _embedded(graph: _Graph, weights: Weights, shape: Shape) -> str:
    name = "embeddings.{}_embeddings.weight"
    tables = {kind: graph.constant(kind, weights[name.format(kind)]) for kind in ("word", "position", "token_type")}
    words = graph.add("Gather", [tables["word"], "input_ids"], "word_vectors")
    types = graph.add("Gather", [tables["token_type"], "token_type_ids"], "type_vectors")
    length = graph.add("Shape", ["input_ids"], "length", start=1, end=2)
    positions = graph.add("Slice", [tables["position"], graph.constant("zero", np.array([0])), length], "positions")
    summed = graph.add("Add", [graph.add("Add", [words, types], "words_and_types"), positions], "summed")
    return graph.normalised(summed, weights, "embeddings.LayerNorm", shape.epsilon)


def _layer(graph: _Graph, weights: Weights, shape: Shape, hidden: str, penalties: str, layer: str) -> str:
    """One layer; query, key and value are a single product, and the scale of the scores is in the query's weights."""
    parts = [f"{layer}.attention.self.{part}" for part in ("query", "key", "value")]
    dim = len(weights[f"{parts[0]}.bias"])
    width = dim // shape.heads
    scales = (np.float32(1 / math.sqrt(width)), np.float32(1), np.float32(1))
    weight, bias = (
        np.concatenate([weights[f"{part}.{kind}"] * scale for part, scale in zip(parts, scales, strict=True)])
        for kind in ("weight", "bias")
    )
    together = graph.dense(hidden, weight, bias, f"{layer}.attention.self")
    split = graph.constant("parts_and_heads", np.array([0, 0, 3, shape.heads, width]))
    together = graph.add("Reshape", [together, split], f"{layer}.split")
    together = graph.add("Transpose", [together], f"{layer}.turned", perm=[2, 0, 3, 1, 4])
    query, key, value = (
        graph.add("Gather", [together, graph.constant(f"part_{part}", np.array(part))], f"{layer}.part_{part}", axis=0)
        for part in range(3)
    )
    key = graph.add("Transpose", [key], f"{layer}.keys", perm=[0, 1, 3, 2])
    scores = graph.add("Add", [graph.add("MatMul", [query, key], f"{layer}.scores"), penalties], f"{layer}.allowed")
    attention = graph.add("Softmax", [scores], f"{layer}.attention", axis=-1)
    attended = graph.add("MatMul", [attention, value], f"{layer}.by_head")
    attended = graph.add("Transpose", [attended], f"{layer}.by_token", perm=[0, 2, 1, 3])
    joined = graph.constant("joined", np.array([0, 0, dim]))
    attended = graph.add("Reshape", [attended, joined], f"{layer}.attended")
    hidden = _added(graph, weights, shape, attended, hidden, f"{layer}.attention.output")
    inner = f"{layer}.intermediate.dense"
    inner = graph.dense(hidden, weights[f"{inner}.weight"], weights[f"{inner}.bias"], inner)
    return _added(graph, weights, shape, _gelu(graph, inner, layer), hidden, f"{layer}.output")


def _added(graph: _Graph, weights: Weights, shape: Shape, inner: str, hidden: str, name: str) -> str:
    """A dense layer back to the width of the hidden vectors, added to them and normalised."""
    dense = graph.dense(inner, weights[f"{name}.dense.weight"], weights[f"{name}.dense.bias"], f"{name}.dense")
    return graph.normalised(
        graph.add("Add", [dense, hidden], f"{name}.sum"), weights, f"{name}.LayerNorm", shape.epsilon
    )


def _gelu(graph: _Graph, inner: str, layer: str) -> str:
    """The exact one: ``x * (1 + erf(x / sqrt(2))) / 2``, in the steps that runtimes make one of."""
    root, half = graph.constant("root_of_two", np.float32(math.sqrt(2))), graph.constant("half", np.float32(0.5))
    erf = graph.add("Erf", [graph.add("Div", [inner, root], f"{layer}.over_root")], f"{layer}.erf")
    raised = graph.add("Add", [erf, graph.constant("one", np.float32(1))], f"{layer}.raised")
    return graph.add("Mul", [graph.add("Mul", [inner, raised], f"{layer}.double"), half], f"{layer}.gelu")
