"""A vector that a language model made of a text, and which model that was."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import DimensionMismatchError, InvalidInputError, ModelMismatchError


class Embedding:
    """One text as a vector of ``float32``, with the name of the model that made it.

    Parameters
    ----------
    vector : array_like
        Real numbers along one axis, at least one; copied as ``float32``.
    model_id : str, optional
        Name of the model. None: unknown, and then comparable with every model.

    Raises
    ------
    InvalidInputError
        If the vector is empty, not finite as ``float32``, or not one-dimensional.

    Notes
    -----
    Sums run from the first element to the last in ``float32``, as in the Rust crate, and so give its
    bits. For many vectors use a matrix product.

    Examples
    --------
    >>> a = Embedding([3, 4], model_id="minilm")
    >>> a.dim, a.l2_norm()
    (2, np.float32(5.0))
    >>> a.normalize()
    >>> a
    Embedding([0.6, 0.8], model_id='minilm')
    >>> a.dot(Embedding([1, 0], model_id="bge"))
    Traceback (most recent call last):
    txtfp_np.errors.ModelMismatchError: model id mismatch: a = minilm, b = bge
    """

    __slots__ = ("model_id", "vector")

    vector: NDArray[np.float32]
    model_id: str | None

    def __init__(self, vector: ArrayLike, model_id: str | None = None) -> None:
        values = _as_float32(vector)
        if len(values) == 0:
            raise InvalidInputError("embedding vector is empty", argument="vector")
        if not np.isfinite(values).all():
            raise InvalidInputError("embedding contains non-finite values", argument="vector")
        if model_id is not None and not isinstance(model_id, str):
            raise InvalidInputError(f"model_id must be a str or None, got {model_id!r}", argument="model_id")
        self.vector = values
        self.model_id = model_id

    @classmethod
    def _unchecked(cls, vector: NDArray[np.float32], model_id: str | None) -> Embedding:
        """What the crate's JSON reader makes: it looks at neither the length nor the values."""
        self = object.__new__(cls)
        self.vector = vector
        self.model_id = model_id
        return self

    @property
    def dim(self) -> int:
        """Number of elements."""
        return len(self.vector)

    def l2_norm(self) -> np.float32:
        """Euclidean length.

        Examples
        --------
        >>> Embedding([1, 2, 2]).l2_norm()
        np.float32(3.0)
        """
        return np.float32(np.sqrt(_sum_in_order(self.vector, self.vector)))

    def normalize(self) -> None:
        """Divide by the length, in place; a vector of length 0, or too long for ``float32``, stays as it is.

        Examples
        --------
        >>> zero = Embedding([0, 0])
        >>> zero.normalize()
        >>> zero
        Embedding([0.0, 0.0])
        """
        norm = self.l2_norm()
        if norm > 0 and np.isfinite(norm):
            if self.vector.flags.writeable:
                self.vector /= norm
            else:  # shared memory, as some ways of unpickling have it
                self.vector = self.vector / norm

    def dot(self, other: Embedding) -> np.float32:
        """Scalar product with an embedding of the same model and dimension.

        Parameters
        ----------
        other : Embedding

        Returns
        -------
        np.float32

        Raises
        ------
        ModelMismatchError
            If both models are known and differ; looked at first.
        DimensionMismatchError
            If the lengths differ.

        Examples
        --------
        >>> Embedding([1, 2, 3]).dot(Embedding([3, 2, 1]))
        np.float32(10.0)
        """
        self.check_comparable(other)
        return _sum_in_order(self.vector, other.vector)

    def check_comparable(self, other: Embedding) -> None:
        """Refuse an embedding of another known model, or of another dimension."""
        if not isinstance(other, Embedding):
            raise InvalidInputError(f"expected an Embedding, got {type(other).__name__}", argument="other")
        if self.model_id is not None and other.model_id is not None and self.model_id != other.model_id:
            raise ModelMismatchError(self.model_id, other.model_id)
        if self.dim != other.dim:
            raise DimensionMismatchError(self.dim, other.dim)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Embedding):
            return NotImplemented
        return self.model_id == other.model_id and np.array_equal(self.vector, other.vector)

    __hash__ = None  # type: ignore[assignment]  # normalize() changes it

    def __reduce__(self) -> tuple[Any, ...]:
        return (Embedding._unchecked, (self.vector, self.model_id))

    def __repr__(self) -> str:
        shown = [repr(float(str(value))) for value in self.vector[:4]]
        if self.dim > 4:
            shown.append(f"... {self.dim - 4} more")
        model = "" if self.model_id is None else f", model_id={self.model_id!r}"
        return f"Embedding([{', '.join(shown)}]{model})"


def _as_float32(vector: ArrayLike) -> NDArray[np.float32]:
    try:
        given = np.asarray(vector)
    except ValueError as error:  # rows of different length
        raise InvalidInputError("embedding vector must have one axis, got a ragged one", argument="vector") from error
    if given.ndim != 1:
        raise InvalidInputError(f"embedding vector must have one axis, got shape {given.shape}", argument="vector")
    if given.size and given.dtype.kind not in "iuf":
        raise InvalidInputError(f"embedding vector must hold real numbers, got dtype {given.dtype}", argument="vector")
    with np.errstate(over="ignore"):  # becomes infinite, which the caller refuses
        return np.array(given, np.float32)


def _sum_in_order(a: NDArray[np.float32], b: NDArray[np.float32]) -> np.float32:
    """Scalar product, added up from left to right: ``np.sum`` and BLAS add in another order."""
    with np.errstate(over="ignore", invalid="ignore"):
        return np.float32(np.cumsum(a * b, dtype=np.float32)[-1]) if len(a) else np.float32(0)
