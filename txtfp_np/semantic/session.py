"""A graph and its tokenizer: loading them, and running batches of texts through them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigError, FeatureDisabledError, OnnxError, TokenizerError
from ..options import check_count

_OUTPUTS = ("sentence_embedding", "last_hidden_state", "pooler_output")
_INPUTS = ("input_ids", "attention_mask", "token_type_ids", "position_ids")
_TYPES: dict[str, type[np.int64 | np.int32]] = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_EXECUTION_PROVIDERS = {
    "cpu": "CPUExecutionProvider",
    "cuda": "CUDAExecutionProvider",
    "tensorrt": "TensorrtExecutionProvider",
    "rocm": "ROCMExecutionProvider",
    "migraphx": "MIGraphXExecutionProvider",
    "directml": "DmlExecutionProvider",
    "coreml": "CoreMLExecutionProvider",
    "openvino": "OpenVINOExecutionProvider",
}


def library(name: str) -> Any:
    """The module, or the error that says how to get it."""
    import importlib

    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise FeatureDisabledError("semantic") from error


class Session:
    """One graph and one tokenizer. Threads may share it."""

    def __init__(
        self,
        onnx_path: Path,
        tokenizer_path: Path,
        max_seq_len: int,
        intra_threads: int | None,
        execution_providers: tuple[str, ...],
    ) -> None:
        onnx_path, tokenizer_path = onnx_path.absolute(), tokenizer_path.absolute()
        self._made_of = onnx_path, tokenizer_path, max_seq_len, intra_threads, execution_providers
        self.tokenizer = _load_tokenizer(tokenizer_path, max_seq_len)
        self.pad_id = self._find_pad_id()
        self.graph = _load_graph(onnx_path, intra_threads, execution_providers)
        self.inputs = {node.name: self._dtype_of(node) for node in self.graph.get_inputs()}
        if "input_ids" not in self.inputs:
            raise OnnxError(f"{onnx_path} has no input input_ids, but {', '.join(self.inputs) or 'none'}")
        names = [node.name for node in self.graph.get_outputs()]
        self.output = next((name for name in _OUTPUTS if name in names), names[0])

    def __reduce__(self) -> tuple[Any, ...]:
        return Session, self._made_of  # graphs do not travel: it is loaded again

    def _find_pad_id(self) -> int:
        padding = self.tokenizer.padding
        self.tokenizer.no_padding()  # done here, batch by batch
        if padding is not None:
            return int(padding["pad_id"])
        known = (self.tokenizer.token_to_id(token) for token in ("[PAD]", "<pad>"))
        return int(next((number for number in known if number is not None), 0))

    @staticmethod
    def _dtype_of(node: Any) -> type[np.int64 | np.int32]:
        if node.name not in _INPUTS:
            raise OnnxError(f"the graph wants an input {node.name}, which is not one of {', '.join(_INPUTS)}")
        if node.type not in _TYPES:
            raise OnnxError(f"the graph wants {node.name} as {node.type}, not as one of {', '.join(_TYPES)}")
        return _TYPES[node.type]

    def dimension(self) -> int:
        """Length of an embedding; of a graph that does not say, one is made."""
        shape = next(node.shape for node in self.graph.get_outputs() if node.name == self.output)
        if shape and isinstance(shape[-1], int):
            return int(shape[-1])
        return int(self.run(self.encode(["a"]))[0].shape[-1])

    def encode(self, texts: list[str]) -> list[Any]:
        """Tokens of each text, no more than the model takes."""
        try:
            encodings: list[Any] = self.tokenizer.encode_batch(texts)
        except BaseException as error:
            if _is_ours(error):
                raise
            raise TokenizerError(f"the model's tokenizer failed: {error}") from error
        return encodings

    def count(self, text: str) -> int:
        """Tokens of the whole text; what does not fit comes in further parts, each with special tokens of its own."""
        encoding = self.encode([text])[0]
        n_special = self.tokenizer.num_special_tokens_to_add(is_pair=False)
        return int(len(encoding.ids) + sum(len(part.ids) - n_special for part in encoding.overflowing))

    def run(self, encodings: list[Any]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """What the graph makes of some texts, and which of their tokens are not padding."""
        # No token at all (a tokenizer without special tokens): one place of padding, for the graph to have a shape.
        length = max(1, max(len(encoding.ids) for encoding in encodings))
        ids = np.full((len(encodings), length), self.pad_id, np.int64)
        mask = np.zeros((len(encodings), length), np.int64)
        types = np.zeros((len(encodings), length), np.int64)
        for row, encoding in enumerate(encodings):
            n_tokens = len(encoding.ids)
            ids[row, :n_tokens] = encoding.ids
            mask[row, :n_tokens] = encoding.attention_mask
            types[row, :n_tokens] = encoding.type_ids
        positions = np.broadcast_to(np.arange(length), ids.shape)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": types, "position_ids": positions}
        feed = {name: np.ascontiguousarray(given[name], dtype) for name, dtype in self.inputs.items()}
        try:
            (output,) = self.graph.run([self.output], feed)
        except Exception as error:
            raise OnnxError(
                f"running the model failed: {error}",
                advice=f"It was given {length} tokens a text: max_seq_len may be more than it takes.",
            ) from error
        values = np.asarray(output)
        if values.dtype.kind != "f" or values.ndim not in (2, 3) or len(values) != len(encodings):
            raise OnnxError(
                f"output {self.output} must hold a vector a text or a token, "
                f"got {values.dtype} of shape {values.shape} for {len(encodings)} texts"
            )
        return np.ascontiguousarray(values, np.float32), mask


def _is_ours(error: BaseException) -> bool:
    """Whether it is for Python to handle. A panic of Rust, as odd tokenizers cause it, is no ``Exception`` either."""
    return isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit))


def _load_tokenizer(path: Path, max_seq_len: int) -> Any:
    tokenizers = library("tokenizers")
    _require_file(path, "tokenizer_path")
    try:
        tokenizer = tokenizers.Tokenizer.from_file(str(path))
    except BaseException as error:
        if _is_ours(error):
            raise
        raise TokenizerError(f"cannot load {path}: {error}") from error
    # Room for special tokens and one more.
    tokenizer.enable_truncation(
        check_count("max_seq_len", max_seq_len, tokenizer.num_special_tokens_to_add(is_pair=False) + 1)
    )
    return tokenizer


def _load_graph(path: Path, intra_threads: int | None, execution_providers: tuple[str, ...]) -> Any:
    onnxruntime = library("onnxruntime")
    _require_file(path, "onnx_path")
    wanted = _provider_names(execution_providers, onnxruntime.get_available_providers())
    options = onnxruntime.SessionOptions()
    if intra_threads is not None:
        options.intra_op_num_threads = intra_threads
    try:
        session = onnxruntime.InferenceSession(str(path), options, providers=wanted)
    except Exception as error:
        raise OnnxError(f"cannot load {path}: {error}") from error
    missing = [name for name in wanted if name not in session.get_providers()]
    if missing:  # the runtime goes on without it, on the CPU
        raise OnnxError(f"{', '.join(missing)} could not be started", advice="Its libraries may be missing.")
    return session


def _provider_names(given: tuple[str, ...], available: list[str]) -> list[str]:
    names = [_EXECUTION_PROVIDERS.get(name, name) for name in given]
    for short, name in zip(given, names, strict=True):
        if name not in available:
            there = [key for key, value in _EXECUTION_PROVIDERS.items() if value in available]
            raise ConfigError(
                f"execution_providers must be among {', '.join(map(repr, there))}, got {short!r}",
                argument="execution_providers",
                advice="What there is depends on the build of onnxruntime: onnxruntime-gpu has 'cuda'.",
            )
    return list(dict.fromkeys(names))


def _require_file(path: Path, argument: str) -> None:
    if not path.is_file():
        raise FileNotFoundError(f"{argument}: no file {path}")
