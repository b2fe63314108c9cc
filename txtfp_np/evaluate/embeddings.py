"""Methods of the H3D benchmark that start from embeddings: these themselves, and codes of a few bits made of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns import TextColumn
from ..compare import SketchKind, similarity_pairs
from ..errors import InvalidInputError
from .methods import BITS, Corpus, Made, Make, Method, Printed, Rows, measures_of

#: What the paper prints for BGE small, over all facets of CSFCube: of the embeddings, and of codes of 128 bits. How
#: many parts its LSHash had there is not told.
_PRINTED = {
    "": (Printed("cosine", 0.3245, 0.5412),),
    "BinaryHash 128": (Printed("cosine", 0.2592, 0.4597),),
    "HyperplaneHash 128, 1 part": (Printed("manhattan", 0.2503, 0.4580),),
    "HyperplaneHash 128, 4 parts": (Printed("manhattan", 0.2503, 0.4580),),
    "HyperplaneHash 128, 8 parts": (Printed("manhattan", 0.2503, 0.4580),),
}


class Code(Protocol):
    """What makes packed codes of vectors, as ``BinaryHash`` and ``HyperplaneHash`` do."""

    bits: int

    def fingerprint(self, embeddings: Any) -> NDArray[np.uint8]:
        """Codes, a row a vector."""
        ...


class _Embedded(NamedTuple):
    texts: TextColumn
    vectors: NDArray[Any]
    seconds: float


class _Embeddings:
    """Embeddings of columns, each column embedded once for all methods."""

    def __init__(self, embed: Callable[[TextColumn], ArrayLike]) -> None:
        self._embed = embed
        self._known: dict[int, _Embedded] = {}

    def of(self, texts: TextColumn) -> tuple[NDArray[Any], float]:
        """Vectors, and the seconds they took if they were there before."""
        known = self._known.get(id(texts))
        if known is not None:  # it holds its column, so that no other has its id
            return known.vectors, known.seconds
        begin = time.perf_counter()
        vectors = np.asarray(self._embed(texts))
        if vectors.ndim != 2 or len(vectors) != len(texts) or vectors.dtype.kind != "f":
            raise InvalidInputError(
                f"embeddings must be a row of floats for each of the {len(texts):,} texts, got {vectors.dtype} of "
                f"shape {vectors.shape}",
                argument="embeddings",
            )
        self._known[id(texts)] = _Embedded(texts, vectors, time.perf_counter() - begin)
        return vectors, 0.0


def embedding_methods(
    name: str,
    embed: Callable[[TextColumn], ArrayLike],
    codes: Mapping[str, Code],
    *,
    texts: tuple[str, ...] = ("facet", "paper"),
) -> tuple[Method, ...]:
    """Rows of the H3D benchmark for embeddings from wherever.

    Parameters
    ----------
    name : str
        Of the embeddings.
    embed : callable
        Makes floats (n, d) of a column of n texts; each column is given to it once.
    codes : mapping of str to BinaryHash or HyperplaneHash
        Codes to be made of them, by the name of the row.
    texts : tuple of {"facet", "paper"}
        Which texts of a paper are embedded.

    Returns
    -------
    tuple of Method
        For each kind of text the embeddings by cosine, Manhattan and Mahalanobis distance (the latter with no
        covariance, and with the variance of every dimension over the texts), then every code. The seconds of a code
        have those of its embeddings in them.

    Examples
    --------
    >>> from txtfp_np import BinaryHash
    >>> made = embedding_methods("mine", lambda texts: np.zeros((len(texts), 8)), {"signs": BinaryHash(8)})
    >>> [(method.name, method.text) for method in made]
    [('mine', 'facet'), ('mine, signs', 'facet'), ('mine', 'paper'), ('mine, signs', 'paper')]
    """
    made = []
    for text in texts:
        source = _Embeddings(embed)
        printed = _PRINTED if text == "facet" else {}  # the paper has no other text
        made.append(Method(name, text, _vectors_of(source), _VECTOR_MEASURES, printed.get("", ()), has_seed=False))
        for label, code in codes.items():
            make = _codes_of(source, code)
            made.append(Method(f"{name}, {label}", text, make, BITS, printed.get(label, ()), has_seed=False))
    return tuple(made)


def _vectors_of(source: _Embeddings) -> Make:
    def make(texts: TextColumn, corpus: Corpus, turn: int) -> Made:
        vectors, seconds = source.of(texts)
        return Made(vectors, vectors.nbytes / max(len(vectors), 1), seconds)

    return make


def _codes_of(source: _Embeddings, code: Code) -> Make:
    def make(texts: TextColumn, corpus: Corpus, turn: int) -> Made:
        vectors, seconds = source.of(texts)
        packed = code.fingerprint(vectors)
        return Made(packed, packed.nbytes / max(len(packed), 1), seconds)

    return make


def _by_variance(vectors: NDArray[Any], i: Rows, j: Rows) -> Any:
    variance = vectors.var(axis=0, dtype=np.float64)
    variance[variance == 0] = 1  # the same in all texts: it never differs
    return similarity_pairs(vectors, i, j, kind=SketchKind.EMBEDDING, measure="mahalanobis", covariance=variance)


_VECTOR_MEASURES = {**measures_of(SketchKind.EMBEDDING), "mahalanobis by variance": _by_variance}
