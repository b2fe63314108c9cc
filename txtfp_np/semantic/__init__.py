"""Texts as vectors of language models."""

from ..schema import Embedding
from .column import EmbeddingColumn, semantic_similarity
from .pooling import Pooling

__all__ = ["Embedding", "EmbeddingColumn", "Pooling", "semantic_similarity"]
