"""What every source of embeddings is."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from ..schema import Embedding


@runtime_checkable
class EmbeddingProvider(Protocol):
    """Something that makes embeddings of texts: a local model, a service, or one of your own.

    Examples
    --------
    >>> class Length:
    ...     model_id, dimension = "length-v1", 1
    ...     def embed(self, text):
    ...         return Embedding([len(text)], self.model_id)
    >>> isinstance(Length(), EmbeddingProvider)
    True
    """

    @property
    def model_id(self) -> str:
        """Name of the model; embeddings of different models are not compared."""
        ...

    @property
    def dimension(self) -> int:
        """Number of elements of an embedding."""
        ...

    def embed(self, text: str, /) -> Embedding:
        """Embedding of one text."""
        ...
