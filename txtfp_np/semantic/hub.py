"""Files of a model: in a folder, in the cache of the Hugging Face hub, or on the hub."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..errors import ConfigError, OnnxError
from .session import library

_GRAPHS = ("onnx/model.onnx", "onnx/model_quantized.onnx", "model.onnx")
_HALF_GRAPHS = ("onnx/model_fp16.onnx", "model_fp16.onnx")

Find = Callable[[str], Path | None]


def find_files(
    name: str, *, onnx_path: str | None, tokenizer_path: str, fp16: bool, hub: dict[str, Any]
) -> tuple[Path, Path]:
    """Graph and tokenizer; weights that lie in a file beside the graph are fetched, too."""
    if not isinstance(name, str) or not name:
        raise ConfigError(f"name must be a non-empty str, got {name!r}", argument="name")
    is_folder = Path(name).is_dir()
    find = _in_folder(Path(name)) if is_folder else _on_hub(name, hub)
    where = "" if is_folder or not _is_offline(hub) else " in the cache, and the network is not to be asked"
    candidates = (onnx_path,) if onnx_path is not None else _HALF_GRAPHS if fp16 else _GRAPHS
    found = next(((file, path) for file in candidates if (path := find(file)) is not None), None)
    if found is None:
        raise OnnxError(f"{name} has no {' nor '.join(candidates)}{where}")
    graph, path = found
    find(f"{graph}_data")  # graphs above 2 GB keep their weights there
    tokenizer = find(tokenizer_path)
    if tokenizer is None:
        raise OnnxError(f"{name} has no {tokenizer_path}{where}")
    return path, tokenizer


def _in_folder(folder: Path) -> Find:
    def find(file: str) -> Path | None:
        return folder / file if (folder / file).is_file() else None

    return find


def _on_hub(name: str, hub: dict[str, Any]) -> Find:
    huggingface_hub = library("huggingface_hub")
    errors = library("huggingface_hub.errors")

    def find(file: str) -> Path | None:
        try:
            return Path(huggingface_hub.hf_hub_download(name, file, **hub))
        except errors.LocalEntryNotFoundError as error:
            if _is_offline(hub):
                return None  # not in the cache
            raise OnnxError(f"cannot get {file} of {name}: {error}") from error
        except errors.EntryNotFoundError:
            return None
        except (errors.HfHubHTTPError, errors.HFValidationError) as error:
            raise OnnxError(f"cannot get {file} of {name}: {error}") from error

    return find


def _is_offline(hub: dict[str, Any]) -> bool:
    return bool(hub["local_files_only"] or library("huggingface_hub.constants").HF_HUB_OFFLINE)
