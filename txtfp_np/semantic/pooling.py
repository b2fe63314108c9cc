"""One vector a text out of the vectors that a model gives its tokens."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..columns.checks import read_only
from ..errors import InvalidInputError
from ..options import check_count


class Pooling(StrEnum):
    """How the vectors of tokens become the vector of their text.

    ``CLS`` takes that of the first token, ``MEAN`` and ``MAX`` the mean and the largest value of each
    element over the tokens that the attention mask keeps. All three are divided by their length;
    ``MEAN_NO_NORM`` is not.

    Examples
    --------
    >>> Pooling("mean").apply([[1.0, 2.0], [2.0, 2.0]])
    array([0.6, 0.8], dtype=float32)
    """

    CLS = "cls"
    MEAN = "mean"
    MEAN_NO_NORM = "mean_no_norm"
    MAX = "max"

    def apply(
        self, hidden: ArrayLike, hidden_dim: int | None = None, attention_mask: ArrayLike | None = None
    ) -> NDArray[np.float32]:
        """Pool the tokens of one text, or of a batch.

        Parameters
        ----------
        hidden : array_like (n_tokens * dim,), (n_tokens, dim) or (n_texts, n_tokens, dim)
            What the model gave, as ``float32``.
        hidden_dim : int, optional
            Number of elements a token; needed for the flat form, and otherwise the last axis.
        attention_mask : array_like (n_tokens,) or (n_texts, n_tokens), optional
            0 drops a token, as does a mask that ends before it. None keeps all.

        Returns
        -------
        float32 (dim,), or (n_texts, dim) for a batch
            Zeros where the mask keeps nothing. Empty for the flat form with nothing in it, or with
            ``hidden_dim=0``.

        Raises
        ------
        InvalidInputError
            If shapes do not fit together.

        Notes
        -----
        Sums run in ``float32`` from the first token to the last, as in the Rust crate, and give its
        bits. CLS ignores the mask.

        Examples
        --------
        >>> hidden = [1.0, 5.0, 3.0, 1.0, 9.0, 9.0]
        >>> Pooling.MEAN_NO_NORM.apply(hidden, 2, [1, 1, 0])
        array([2., 3.], dtype=float32)
        >>> Pooling.MAX.apply(np.ones((4, 7, 9), np.float32)).shape
        (4, 9)
        """
        from ..kernels.embeddings import CLS, MAX, MEAN, pool_rows

        batch, single = _as_batch(hidden, hidden_dim)
        mask = _as_mask(attention_mask, batch.shape[:2], single)
        out = np.empty((batch.shape[0], batch.shape[2]), np.float32)
        kind = {Pooling.CLS: CLS, Pooling.MAX: MAX}.get(self, MEAN)
        if batch.shape[1] == 0:
            out[...] = 0
        else:
            pool_rows(read_only(batch), read_only(mask), kind, self is not Pooling.MEAN_NO_NORM, out)
        return out[0] if single else out


def _as_array(values: ArrayLike, argument: str) -> NDArray[Any]:
    try:
        return np.asarray(values)
    except ValueError as error:
        raise InvalidInputError(
            f"{argument} must have rows of one length, got ragged ones", argument=argument
        ) from error


def _as_batch(hidden: ArrayLike, hidden_dim: int | None) -> tuple[NDArray[np.float32], bool]:
    given = _as_array(hidden, "hidden")
    if given.dtype.kind not in "iuf":
        raise InvalidInputError(f"hidden must hold real numbers, got dtype {given.dtype}", argument="hidden")
    with np.errstate(over="ignore"):  # becomes infinite, as what the model gave may be
        values = np.ascontiguousarray(given, np.float32)
    if hidden_dim is not None:
        check_count("hidden_dim", hidden_dim)
    if given.ndim == 1:
        if hidden_dim is None:
            raise InvalidInputError("hidden with one axis needs hidden_dim", argument="hidden_dim")
        if not hidden_dim or not values.size:
            return np.empty((1, 0, 0), np.float32), True
        if values.size % hidden_dim:
            raise InvalidInputError(
                f"hidden must hold a multiple of hidden_dim = {hidden_dim} numbers, got {values.size}",
                argument="hidden",
            )
        return values.reshape(1, -1, hidden_dim), True
    if given.ndim not in (2, 3):
        raise InvalidInputError(f"hidden must have one to three axes, got shape {given.shape}", argument="hidden")
    if hidden_dim is not None and hidden_dim != given.shape[-1]:
        raise InvalidInputError(
            f"hidden_dim must be the last axis of hidden, {given.shape[-1]}, got {hidden_dim}", argument="hidden_dim"
        )
    return (values[np.newaxis], True) if given.ndim == 2 else (values, False)


def _as_mask(attention_mask: ArrayLike | None, shape: tuple[int, ...], single: bool) -> NDArray[np.bool_]:
    if attention_mask is None:
        return np.ones(shape, np.bool_)
    given = _as_array(attention_mask, "attention_mask")
    expected = 1 if single else 2
    if given.ndim != expected or given.dtype.kind not in "biuf" or (not single and len(given) != shape[0]):
        wanted = "one axis of numbers" if single else f"{shape[0]} rows of numbers"
        raise InvalidInputError(
            f"attention_mask must have {wanted}, got {given.dtype} of shape {given.shape}", argument="attention_mask"
        )
    mask = np.zeros(shape, np.bool_)
    kept = given.reshape(shape[0], -1)[:, : shape[1]] != 0
    mask[:, : kept.shape[1]] = kept
    return mask
