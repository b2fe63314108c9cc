"""Texts as vectors of language models."""

from ..schema import Embedding
from .chunk import ChunkingStrategy, ChunkMode, chunk_for_model
from .column import EmbeddingColumn, semantic_similarity
from .pooling import Pooling

__all__ = [
    "ChunkMode",
    "ChunkingStrategy",
    "Embedding",
    "EmbeddingColumn",
    "Pooling",
    "chunk_for_model",
    "semantic_similarity",
]
