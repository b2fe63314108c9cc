"""Files of a model: in a folder, in the cache of the Hugging Face hub, or on the hub."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, Protocol

from ..errors import ConfigError, OnnxError
from ..options import check_flag
from .session import library

_GRAPHS = ("onnx/model.onnx", "onnx/model_quantized.onnx", "model.onnx")
_HALF_GRAPHS = ("onnx/model_fp16.onnx", "model_fp16.onnx")


class _Find(Protocol):
    def __call__(self, file: str, *, optional: bool = False) -> Path | None: ...


def find_files(
    name: str, *, onnx_path: str | None, tokenizer_path: str, fp16: bool, hub: dict[str, Any]
) -> tuple[Path, Path]:
    """Graph and tokenizer; weights that lie in a file beside the graph are fetched, too."""
    for argument, file in (("onnx_path", onnx_path), ("tokenizer_path", tokenizer_path)):
        if not (isinstance(file, str) and file) and not (argument == "onnx_path" and file is None):
            raise ConfigError(f"{argument} must be a non-empty str, got {file!r}", argument=argument)
    if check_flag("fp16", fp16) and onnx_path is not None:
        raise ConfigError("fp16 must be False where onnx_path names the graph", argument="fp16")
    is_folder = Path(name).is_dir()
    find = _in_folder(Path(name)) if is_folder else _Hub(name, hub)
    where = "" if is_folder or not _is_offline(hub) else " in the cache, and the network is not to be asked"
    candidates = (onnx_path,) if onnx_path is not None else _HALF_GRAPHS if fp16 else _GRAPHS
    found = next(((file, path) for file in candidates if (path := find(file)) is not None), None)
    if found is None:
        raise OnnxError(f"{name} has no {' nor '.join(candidates)}{where}")
    graph, path = found
    find(f"{graph}_data", optional=True)  # graphs above 2 GB keep their weights there
    tokenizer = find(tokenizer_path)
    if tokenizer is None:
        raise OnnxError(f"{name} has no {tokenizer_path}{where}")
    return path, tokenizer


def _in_folder(folder: Path) -> _Find:
    def find(file: str, *, optional: bool = False) -> Path | None:
        return folder / file if (folder / file).is_file() else None

    return find


class _Hub:
    """Files of one model. Once the hub cannot be reached, only the cache is looked at: every look costs time."""

    def __init__(self, name: str, hub: dict[str, Any]) -> None:
        self.name = name
        self.hub = hub
        self.trouble: Exception | None = None

    def __call__(self, file: str, *, optional: bool = False) -> Path | None:
        """None: there is none, as far as is known. What is not known is an error unless it is ``optional``."""
        errors = library("huggingface_hub.errors")
        if self.trouble is None:
            try:
                return Path(library("huggingface_hub").hf_hub_download(self.name, file, **self.hub))
            except errors.LocalEntryNotFoundError as error:
                if _is_offline(self.hub):
                    return None  # not in the cache
                self.trouble = error
            except errors.EntryNotFoundError:
                return None
            except (errors.HfHubHTTPError, errors.HFValidationError) as error:
                raise self._failure(file, error) from error
            except OSError:
                raise
            except Exception as error:  # of whatever library the hub's library speaks HTTP with
                self.trouble = error
        cached = self._in_cache(file)
        if cached is None and not optional:
            raise self._failure(file, self.trouble) from self.trouble
        return cached or None

    def _in_cache(self, file: str) -> Path | Literal[False] | None:
        """False: the hub has said that there is none. None: nothing is known."""
        found = library("huggingface_hub").try_to_load_from_cache(
            self.name, file, cache_dir=self.hub["cache_dir"], revision=self.hub["revision"]
        )
        return None if found is None else Path(found) if isinstance(found, str) else False

    def _failure(self, file: str, error: Exception) -> OnnxError:
        return OnnxError(
            f"cannot get {file} of {self.name}: {error}",
            advice="local_files_only=True takes what is in the cache.",
        )


def _is_offline(hub: dict[str, Any]) -> bool:
    return bool(hub["local_files_only"] or library("huggingface_hub.constants").HF_HUB_OFFLINE)
