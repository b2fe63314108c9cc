"""Embeddings for ``txtfp evaluate``: of a model on this machine, or made elsewhere and read from a file."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

TEXTS = ("facet", "paper")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Arguments that bring embeddings."""
    group = parser.add_argument_group(
        "embeddings", "rows for embeddings, and for codes of 32 bits and more made of them"
    )
    group.add_argument(
        "--model",
        metavar="MODEL",
        help="embed with this: an ONNX file with tokenizer.json beside it or one folder above, a folder laid out like "
        "a model on the Hugging Face hub, or a name there (needs the extra semantic)",
    )
    group.add_argument(
        "--pooling", choices=("cls", "mean", "mean_no_norm", "max"), help="of the model (default: as known of its name)"
    )
    group.add_argument(
        "--max-tokens", type=int, default=512, metavar="N", help="of a text that the model reads (default: 512)"
    )
    group.add_argument(
        "--embeddings",
        type=Path,
        metavar="FILE",
        help="embeddings of the texts that --texts writes: .npy with a row for each of them in that order, or .npz "
        "with an array 'facet', an array 'paper', or both",
    )
    group.add_argument(
        "--texts",
        type=Path,
        metavar="FILE",
        help="write the texts as JSON lines, for --embeddings, and do nothing else",
    )


def write_texts(collection: Any, path: Path) -> int:
    """Write the texts that are fingerprinted, facets first; says how many there are."""
    from txtfp_np.evaluate import make_task

    from .files import new_file

    n = 0
    with new_file(path) as file:
        for kind in TEXTS:
            for text in make_task(collection, kind).texts:
                file.write(json.dumps({"kind": kind, "text": text}, ensure_ascii=False) + "\n")
                n += 1
    return n


def paper_codes(dimension: int) -> dict[str, Any]:
    """The codes of the H3D paper that can be made of so many dimensions, and the plain sign of each."""
    import txtfp_np as tx

    found: dict[str, Any] = {f"{dimension} signs": tx.BinaryHash(dimension)}
    found |= {f"BinaryHash {bits}": tx.BinaryHash(bits) for bits in (32, 64, 128) if bits < dimension}
    for parts in (8, 4, 1):
        if parts <= dimension:
            label = f"HyperplaneHash 128, {parts} part{'s' * (parts > 1)}"
            found[label] = tx.HyperplaneHash(128, parts=parts)
    return found


def methods_of(options: argparse.Namespace, collection: Any) -> list[Any]:
    """Rows for the embeddings that are asked for."""
    from txtfp_np.evaluate import embedding_methods

    made: list[Any] = []
    if options.model is not None:
        provider = _provider(options)
        name = Path(options.model).resolve().stem if Path(options.model).exists() else options.model
        codes = paper_codes(provider.dimension)
        made += embedding_methods(name, lambda texts: provider.embed(texts).vectors, codes)
    if options.embeddings is not None:
        for kind, vectors in read_embeddings(options.embeddings, collection).items():
            codes = paper_codes(vectors.shape[1])
            made += embedding_methods(options.embeddings.stem, _first_of(vectors), codes, texts=(kind,))
    return made


def _first_of(vectors: Any) -> Callable[[Any], Any]:
    """Vectors of the first texts: of all of them, but for the two that warm up."""
    return lambda texts: vectors[: len(texts)]


def read_embeddings(path: Path, collection: Any) -> dict[str, Any]:
    """Vectors by kind of text, checked against the texts of the collection."""
    import numpy as np

    from txtfp_np.evaluate import make_task

    from ..errors import InvalidInputError

    advice = "txtfp evaluate h3d --data DIR --texts FILE writes the texts in the order of the embeddings."
    try:
        loaded = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise InvalidInputError(f"{path} holds no arrays of NumPy: {error}", argument="embeddings") from None
    wanted = {kind: len(make_task(collection, kind).texts) for kind in TEXTS}
    if isinstance(loaded, np.ndarray):
        rows = sum(wanted.values())
        if len(loaded.shape) != 2 or len(loaded) != rows:
            raise InvalidInputError(
                f"{path} must hold {rows:,} rows, one a text, got shape {loaded.shape}",
                argument="embeddings",
                advice=advice,
            )
        found = {"facet": loaded[: wanted["facet"]], "paper": loaded[wanted["facet"] :]}
    else:
        with loaded:
            found = {kind: loaded[kind] for kind in TEXTS if kind in loaded.files}
            names = ", ".join(loaded.files) or "nothing"
        if not found:
            raise InvalidInputError(
                f"{path} must hold an array 'facet' or 'paper', got {names}", argument="embeddings", advice=advice
            )
    for kind, vectors in found.items():
        if vectors.ndim != 2 or len(vectors) != wanted[kind] or vectors.dtype.kind != "f" or not vectors.shape[1]:
            raise InvalidInputError(
                f"array {kind!r} of {path} must hold {wanted[kind]:,} rows of floats, one a text, got {vectors.dtype} "
                f"of shape {vectors.shape}",
                argument="embeddings",
                advice=advice,
            )
        if not np.isfinite(vectors).all():
            row = int((~np.isfinite(vectors).all(axis=1)).argmax())
            raise InvalidInputError(f"array {kind!r} of {path} must be finite", row=row, argument="embeddings")
    return found


def _provider(options: argparse.Namespace) -> Any:
    import txtfp_np as tx

    given: dict[str, Any] = {"max_seq_len": options.max_tokens, "pooling": options.pooling}
    path = Path(options.model)
    if not path.is_file():
        return tx.LocalProvider.from_pretrained(options.model, **given)
    places = (path.with_name("tokenizer.json"), path.resolve().parent.with_name("tokenizer.json"))
    return tx.LocalProvider.from_onnx(path, next((file for file in places if file.is_file()), places[0]), **given)
