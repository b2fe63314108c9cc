"""Arrays of what is given, without losing anything on the way."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInputError
from ..schema import Embedding


def as_array(argument: str, given: Any) -> NDArray[Any]:
    """:func:`numpy.asarray`, which would make values of what is masked.

    What cannot be one array, rows of different length for example, gives an array of objects without an axis.

    Examples
    --------
    >>> as_array("scores", np.ma.array([0.5, 9.0], mask=[False, True]))
    Traceback (most recent call last):
    txtfp_np.errors.InvalidInputError: invalid input: scores must not have masked values (row 1)
    Leave them out, or fill them with what they are to count as.
    """
    masked = _masked_rows(given)
    if masked is not None and masked.any():
        raise InvalidInputError(
            f"{argument} must not have masked values",
            row=int(masked.argmax()) if masked.ndim else None,
            argument=argument,
            advice="Leave them out, or fill them with what they are to count as.",
        )
    try:
        return np.asarray(given)
    except (TypeError, ValueError, OverflowError):
        return np.asarray(None)


def _masked_rows(given: Any) -> NDArray[np.bool_] | None:
    """Which rows of a masked array have something masked."""
    mask = np.ma.getmask(given) if isinstance(given, np.ma.MaskedArray) else np.ma.nomask
    if mask is np.ma.nomask:
        return None
    bits: NDArray[Any] = np.ascontiguousarray(mask)
    flat = bits.view(np.bool_).reshape(*bits.shape, -1) if bits.dtype.names else bits  # of records, every field has one
    return np.asarray(flat.reshape(len(flat), -1).any(axis=1) if bits.ndim else flat.any())


def as_vectors(argument: str, given: Any) -> NDArray[Any]:
    """Real, finite numbers with vectors along the last axis: arrays, columns of lists, embeddings.

    Examples
    --------
    >>> as_vectors("a", np.array([np.ones(2), np.zeros(2), None], object)[:2])
    array([[1., 1.],
           [0., 0.]])
    """
    array = as_array(argument, _vectors_of(given))
    if array.dtype == object and array.ndim:  # as data frames and Arrow have vectors
        array = as_array(argument, array.tolist())
    if array.dtype.kind not in "iufb" or array.ndim == 0 or array.shape[-1] == 0:
        got = f"{array.dtype} of shape {array.shape}" if array.dtype != object else "rows of different length or kind"
        raise InvalidInputError(
            f"{argument} must hold vectors of real numbers along its last axis, got {got}", argument=argument
        )
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):  # beyond double precision is not finite either
            finite = np.isfinite(array.astype(np.float64, copy=False))
        if not finite.all():
            row = int(np.flatnonzero(~finite.reshape(-1, array.shape[-1]).all(axis=1))[0])
            raise InvalidInputError(
                f"{argument} must be finite", row=row if array.ndim > 1 else None, argument=argument
            )
    return array


def model_of(given: Any) -> str | None:
    """The model of embeddings, if they have one and it is known."""
    if _are_embeddings(given):
        return next((embedding.model_id for embedding in given if embedding.model_id is not None), None)
    model = getattr(given, "model_id", None)
    return model if isinstance(model, str) else None


def _are_embeddings(given: Any) -> bool:
    return isinstance(given, (list, tuple)) and bool(given) and isinstance(given[0], Embedding)


def _vectors_of(given: Any) -> Any:
    """The vectors of an Embedding, of a list of them, or of a column of them; anything else as it is."""
    if isinstance(given, Embedding):
        return given.vector
    if _are_embeddings(given):
        for other in given:
            given[0].check_comparable(other)
        return [embedding.vector for embedding in given]
    return given.vectors if hasattr(given, "model_id") and hasattr(given, "vectors") else given
