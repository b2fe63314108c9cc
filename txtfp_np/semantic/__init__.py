"""Texts as vectors of language models."""

from ..schema import Embedding
from .chunk import ChunkingStrategy, ChunkMode, chunk_for_model
from .column import EmbeddingColumn, semantic_similarity
from .local import LocalProvider
from .pooling import Pooling
from .provider import EmbeddingProvider
from .retry import RetryPolicy
from .services import CohereProvider, OpenAiProvider, VoyageProvider

__all__ = [
    "ChunkMode",
    "ChunkingStrategy",
    "CohereProvider",
    "Embedding",
    "EmbeddingColumn",
    "EmbeddingProvider",
    "LocalProvider",
    "OpenAiProvider",
    "Pooling",
    "RetryPolicy",
    "VoyageProvider",
    "chunk_for_model",
    "semantic_similarity",
]
