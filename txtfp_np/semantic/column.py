"""Embeddings of a whole column: one matrix, and the model that made it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns.checks import read_only
from ..compare.broadcasting import Comparison, Indices, Shape, WorkTile, compare_all
from ..errors import DimensionMismatchError, InvalidInputError, ModelMismatchError
from ..schema import Embedding

Vectors = NDArray[np.float32]

_TILE = 1 << 17  # pairs that take a few ms at some hundred dimensions


class EmbeddingColumn:
    """Embeddings of one model as the rows of a ``float32`` matrix; immutable.

    Parameters
    ----------
    vectors : array_like (n, dim)
        Finite real numbers, ``dim`` at least 1. Shared if it is ``float32`` and C-contiguous, and
        must not be written to then.
    model_id : str, optional
        Name of the model. None: unknown, and then comparable with every model.

    Attributes
    ----------
    vectors : float32 (n, dim), read-only
    model_id : str or None

    Raises
    ------
    InvalidInputError
        If the vectors are not as described; of a value that is not finite, the text names the row.

    Examples
    --------
    >>> column = EmbeddingColumn([[3, 4], [1, 0]], model_id="minilm")
    >>> column
    EmbeddingColumn(2 embeddings, dim=2, model_id='minilm')
    >>> column[0]
    Embedding([3.0, 4.0], model_id='minilm')
    >>> column.l2_norm()
    array([5., 1.], dtype=float32)
    >>> column[:, None].shape
    (2, 1)
    """

    __slots__ = ("model_id", "vectors")

    vectors: Vectors
    model_id: str | None

    def __init__(self, vectors: ArrayLike, model_id: str | None = None) -> None:
        values = _as_matrix(vectors)
        if model_id is not None and not isinstance(model_id, str):
            raise InvalidInputError(f"model_id must be a str or None, got {model_id!r}", argument="model_id")
        object.__setattr__(self, "vectors", read_only(values))
        object.__setattr__(self, "model_id", model_id)

    @classmethod
    def _of(cls, vectors: ArrayLike, argument: str) -> EmbeddingColumn:
        """As the class makes it, of what was given as another argument."""
        return cls._trusted(_as_matrix(vectors, argument), None)

    @classmethod
    def _trusted(cls, vectors: Vectors, model_id: str | None) -> EmbeddingColumn:
        self = object.__new__(cls)
        object.__setattr__(self, "vectors", read_only(vectors))
        object.__setattr__(self, "model_id", model_id)
        return self

    @classmethod
    def from_embeddings(cls, embeddings: Iterable[Embedding]) -> EmbeddingColumn:
        """One column of embeddings of one model and dimension.

        Parameters
        ----------
        embeddings : iterable of Embedding
            At least one. The column gets the one known model among them.

        Returns
        -------
        EmbeddingColumn

        Raises
        ------
        ModelMismatchError, DimensionMismatchError
            If one of them cannot be compared with those before it; names its row.

        Examples
        --------
        >>> EmbeddingColumn.from_embeddings([Embedding([1, 2]), Embedding([3, 4], "m")])
        EmbeddingColumn(2 embeddings, dim=2, model_id='m')
        """
        items = list(embeddings)
        if not items:
            raise InvalidInputError("embeddings must hold at least one, got none", argument="embeddings")
        model_id: str | None = None
        for row, item in enumerate(items):
            if not isinstance(item, Embedding):
                raise InvalidInputError(
                    f"expected an Embedding, got {type(item).__name__}", row=row, argument="embeddings"
                )
            if model_id is not None and item.model_id is not None and item.model_id != model_id:
                raise ModelMismatchError(model_id, item.model_id, row=row, argument="embeddings")
            if item.dim != items[0].dim:
                raise DimensionMismatchError(items[0].dim, item.dim, row=row, argument="embeddings")
            model_id = model_id if item.model_id is None else item.model_id
        return cls(np.stack([item.vector for item in items]), model_id)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"an EmbeddingColumn is immutable: cannot set {name!r}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"an EmbeddingColumn is immutable: cannot delete {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return (EmbeddingColumn._trusted, (np.ascontiguousarray(self.vectors), self.model_id))

    @classmethod
    def concat(cls, columns: Iterable[EmbeddingColumn]) -> EmbeddingColumn:
        """One column after another.

        Parameters
        ----------
        columns : iterable of EmbeddingColumn
            At least one, of one dimension. The result gets the one known model among them.

        Returns
        -------
        EmbeddingColumn

        Raises
        ------
        ModelMismatchError, DimensionMismatchError
            If one of them cannot be compared with those before it.

        Examples
        --------
        >>> EmbeddingColumn.concat([EmbeddingColumn([[1, 2]], "m"), EmbeddingColumn([[3, 4], [5, 6]], "m")])
        EmbeddingColumn(3 embeddings, dim=2, model_id='m')
        """
        parts = list(columns)
        if not parts:
            raise InvalidInputError("columns must hold at least one, got none", argument="columns")
        model_id: str | None = None
        for part in parts:
            if not isinstance(part, EmbeddingColumn):
                raise InvalidInputError(f"expected an EmbeddingColumn, got {type(part).__name__}", argument="columns")
            if model_id is not None and part.model_id is not None and part.model_id != model_id:
                raise ModelMismatchError(model_id, part.model_id, argument="columns")
            if part.dim != parts[0].dim:
                raise DimensionMismatchError(parts[0].dim, part.dim, argument="columns")
            model_id = model_id if part.model_id is None else part.model_id
        return cls._trusted(np.concatenate([part.vectors.reshape(-1, part.dim) for part in parts]), model_id)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The matrix, for NumPy; the name of the model does not go along."""
        return np.array(self.vectors, dtype, copy=copy)

    @property
    def dim(self) -> int:
        """Number of elements of each embedding."""
        return int(self.vectors.shape[-1])

    @property
    def shape(self) -> Shape:
        """Shape without the axis of elements: ``(n,)``, unless axes were added for broadcasting."""
        return self.vectors.shape[:-1]

    def l2_norm(self) -> NDArray[np.float32]:
        """Euclidean length of each embedding, with the bits of :meth:`Embedding.l2_norm`."""
        return _norms(_flat(self)).reshape(self.shape)

    def normalized(self) -> EmbeddingColumn:
        """Every embedding divided by its length; as :meth:`Embedding.normalize` has it, but a new column.

        Examples
        --------
        >>> EmbeddingColumn([[3, 4], [0, 0]]).normalized().vectors
        array([[0.6, 0.8],
               [0. , 0. ]], dtype=float32)
        """
        norms = self.l2_norm()
        usable = (norms > 0) & np.isfinite(norms)
        lengths = np.where(usable, norms, np.float32(1)).astype(np.float32)
        return self._trusted(np.divide(self.vectors, lengths[..., np.newaxis], dtype=np.float32), self.model_id)

    def __len__(self) -> int:
        return len(self.vectors)

    @overload
    def __getitem__(self, index: int) -> Embedding: ...
    @overload
    def __getitem__(self, index: slice | tuple[Any, ...] | ArrayLike) -> EmbeddingColumn: ...
    def __getitem__(self, index: Any) -> Embedding | EmbeddingColumn:
        """One embedding, or those that a slice, an array of rows or a mask chooses; None adds an axis.

        A slice shares memory with the column.
        """
        if isinstance(index, (int, np.integer, slice)):
            chosen = self.vectors[index]
        else:
            # Numbers of the embeddings are indexed, not the matrix: no index can reach into its elements.
            numbers = np.arange(math.prod(self.shape)).reshape(self.shape)[index]
            chosen = self.vectors.reshape(-1, self.dim)[numbers]
        if chosen.ndim == 1:
            return Embedding(chosen, self.model_id)
        return self._trusted(np.ascontiguousarray(chosen), self.model_id)

    def __iter__(self) -> Iterator[Embedding]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EmbeddingColumn):
            return NotImplemented
        return self.model_id == other.model_id and np.array_equal(self.vectors, other.vectors)

    __hash__ = None  # type: ignore[assignment]  # as every array

    def __repr__(self) -> str:
        size = len(self) if self.vectors.ndim == 2 else self.shape
        model = "" if self.model_id is None else f", model_id={self.model_id!r}"
        return f"EmbeddingColumn({size} embeddings, dim={self.dim}{model})"


def semantic_similarity(
    a: Embedding | EmbeddingColumn, b: Embedding | EmbeddingColumn, *, threads: int | None = None
) -> Any:
    """Cosine of embeddings: of two, of rows side by side, of one against a column, of all pairs.

    Parameters
    ----------
    a, b : Embedding or EmbeddingColumn
        Broadcast like operands of a ufunc: ``semantic_similarity(column[:, None], column)`` is the
        matrix of all pairs.
    threads : int, optional
        Threads to use; None: every core this process may use. Never changes the result.

    Returns
    -------
    np.float32, or float32 array of the broadcast shape

    Raises
    ------
    ModelMismatchError
        If both models are known and differ; looked at first.
    DimensionMismatchError
        If the numbers of elements differ.
    InvalidInputError
        If an embedding has length 0 (the text names its row), or the shapes do not broadcast.

    Notes
    -----
    Sums run in ``float32`` from the first element to the last, and so give the Rust crate's bits.
    Nothing is clamped: an embedding against itself can be above 1 by the last bit.

    Examples
    --------
    >>> a = Embedding([1, 2, 3])
    >>> semantic_similarity(a, Embedding([3, 2, 1]))
    np.float32(0.7142857)
    >>> column = EmbeddingColumn([[1, 0], [0, 2], [3, 3]])
    >>> semantic_similarity(column[:, None], column)
    array([[1.       , 0.       , 0.7071068],
           [0.       , 1.       , 0.7071068],
           [0.7071068, 0.7071068, 1.0000001]], dtype=float32)
    """
    for argument, given in (("a", a), ("b", b)):
        if not isinstance(given, (Embedding, EmbeddingColumn)):
            raise InvalidInputError(
                f"{argument} must be an Embedding or an EmbeddingColumn, got {type(given).__name__}",
                argument=argument,
            )
    if a.model_id is not None and b.model_id is not None and a.model_id != b.model_id:
        raise ModelMismatchError(a.model_id, b.model_id)
    if a.dim != b.dim:
        raise DimensionMismatchError(a.dim, b.dim)
    flat_a, flat_b = _flat(a), _flat(b)
    norms = [_positive_norms(side, matrix) for side, matrix in ((a, flat_a), (b, flat_b))]
    return compare_all(_cosine_of(flat_a, flat_b, norms[0], norms[1]), _shape(a), _shape(b), threads)


def _cosine_of(a: Vectors, b: Vectors, norms_a: Vectors, norms_b: Vectors) -> Comparison:
    from ..kernels.embeddings import cosine_pairs, cosine_tile

    def pairs(i: Indices, j: Indices, out: NDArray[Any]) -> None:
        cosine_pairs(a, b, norms_a, norms_b, i, j, out)

    def all_pairs(swapped: bool) -> WorkTile:
        rows, others, norms_rows, norms_columns = (b, a, norms_b, norms_a) if swapped else (a, b, norms_a, norms_b)
        columns = read_only(np.ascontiguousarray(others.T))
        return lambda tile, out: cosine_tile(rows, columns, norms_rows, norms_columns, tile.rows, tile.columns, out)

    return Comparison(pairs, all_pairs, np.float32, _TILE)


def _shape(embeddings: Embedding | EmbeddingColumn) -> Shape:
    return () if isinstance(embeddings, Embedding) else embeddings.shape


def _flat(embeddings: Embedding | EmbeddingColumn) -> Vectors:
    vectors = embeddings.vector if isinstance(embeddings, Embedding) else embeddings.vectors
    return read_only(
        np.ascontiguousarray(vectors, np.float32).reshape(math.prod(vectors.shape[:-1]), vectors.shape[-1])
    )


def _norms(matrix: Vectors) -> Vectors:
    from ..kernels.embeddings import norms_rows

    out = np.empty(len(matrix), np.float32)
    norms_rows(matrix, out)
    return out


def _positive_norms(embeddings: Embedding | EmbeddingColumn, matrix: Vectors) -> Vectors:
    norms = _norms(matrix)
    if not norms.all():
        row = None if isinstance(embeddings, Embedding) else int((norms == 0).argmax())
        raise InvalidInputError("cannot compute cosine for a zero-norm embedding", row=row)
    return read_only(norms)


def _as_matrix(vectors: ArrayLike, argument: str = "vectors") -> Vectors:
    if isinstance(vectors, EmbeddingColumn):  # else it would lose its model without a word
        raise InvalidInputError(
            f"{argument} must be an array, got an EmbeddingColumn: take its .vectors", argument=argument
        )
    try:
        given = np.asarray(vectors)
    except ValueError as error:
        raise InvalidInputError(
            f"{argument} must have rows of one length, got ragged ones", argument=argument
        ) from error
    if given.dtype.kind not in "iuf":
        got = f"dtype {given.dtype}" if given.ndim else f"a {type(vectors).__name__}"
        advice = (
            "np.stack(column) makes a matrix of a column of lists." if given.ndim and got == "dtype object" else None
        )
        raise InvalidInputError(f"{argument} must hold real numbers, got {got}", argument=argument, advice=advice)
    if given.ndim != 2:
        raise InvalidInputError(f"{argument} must have two axes, got shape {given.shape}", argument=argument)
    if given.shape[1] == 0:
        raise InvalidInputError("embedding vector is empty", argument=argument)
    with np.errstate(over="ignore"):  # becomes infinite, which is refused below
        values = np.ascontiguousarray(given, np.float32)
    finite = np.isfinite(values).all(axis=1)
    if not finite.all():
        raise InvalidInputError("embedding contains non-finite values", row=int((~finite).argmax()), argument=argument)
    return values
