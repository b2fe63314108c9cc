"""Embeddings of a whole column from whatever provider there is, or given as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..columns import Progress, TextColumn
from ..errors import DimensionMismatchError, InvalidInputError, ModelMismatchError
from .cloud import CloudProvider
from .column import EmbeddingColumn
from .local import LocalProvider
from .provider import EmbeddingProvider


def embed_texts(
    provider: EmbeddingProvider, texts: TextColumn, *, queries: bool = False, progress: Progress = False
) -> EmbeddingColumn:
    """Embeddings of a column by any provider.

    Parameters
    ----------
    provider : EmbeddingProvider
        A local model and a service get texts in batches, any other provider one by one.
    texts : TextColumn
        None of them empty.
    queries : bool
        Whether a local model or a service is to take them for queries, which may have a prefix or an
        ``input_type`` of their own.
    progress : bool or callable
        As everywhere.

    Returns
    -------
    EmbeddingColumn

    Raises
    ------
    InvalidInputError
        If this is no provider.

    Examples
    --------
    >>> from txtfp_np.schema import Embedding
    >>> class Length:
    ...     model_id, dimension = "length-v1", 2
    ...     def embed(self, text):
    ...         return Embedding([len(text), 1], self.model_id)
    >>> embed_texts(Length(), TextColumn(["one", "three"])).vectors
    array([[3., 1.],
           [5., 1.]], dtype=float32)
    """
    if not isinstance(provider, EmbeddingProvider):
        raise InvalidInputError(
            f"provider must have model_id, dimension and embed, got {type(provider).__name__}", argument="provider"
        )
    if len(texts) == 0:
        return EmbeddingColumn(np.empty((0, max(1, provider.dimension)), np.float32), provider.model_id)
    if isinstance(provider, LocalProvider):
        return (provider.embed_query if queries else provider.embed_document)(texts, progress=progress)
    if isinstance(provider, CloudProvider):
        return provider.embed_batch(texts, provider._query_type if queries else None, progress=progress)
    return EmbeddingColumn.from_embeddings(provider.embed(text) for text in texts)


def as_embeddings(argument: str, given: EmbeddingColumn | ArrayLike) -> EmbeddingColumn:
    """A column of embeddings of what may be a plain array, or a list of embeddings.

    Examples
    --------
    >>> as_embeddings("embeddings", [[3, 4], [1, 0]])
    EmbeddingColumn(2 embeddings, dim=2)
    """
    column: Any = given
    try:
        if isinstance(given, (list, tuple)) and given and hasattr(given[0], "vector"):
            column = EmbeddingColumn.from_embeddings(given)
        elif not isinstance(given, EmbeddingColumn):
            column = EmbeddingColumn._of(given, argument)
    except InvalidInputError as error:
        error.argument = argument
        raise
    if column.vectors.ndim != 2:
        raise InvalidInputError(f"{argument} must have two axes, got shape {column.vectors.shape}", argument=argument)
    return column  # type: ignore[no-any-return]


def check_same_model(a: EmbeddingColumn, b: EmbeddingColumn, argument: str) -> None:
    """Refuse embeddings of another known model, or of another dimension.

    Examples
    --------
    >>> check_same_model(EmbeddingColumn([[1, 2]], "m"), EmbeddingColumn([[1, 2, 3]]), "against")
    Traceback (most recent call last):
    txtfp_np.errors.DimensionMismatchError: dimension mismatch: a = 2, b = 3
    """
    if a.model_id is not None and b.model_id is not None and a.model_id != b.model_id:
        raise ModelMismatchError(a.model_id, b.model_id, argument=argument)
    if a.dim != b.dim:
        raise DimensionMismatchError(a.dim, b.dim, argument=argument)
