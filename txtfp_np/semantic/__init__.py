"""Texts as vectors of language models, and as codes of a few bits."""

from ..schema import Embedding
from .chunk import ChunkingStrategy, ChunkMode, chunk_for_model
from .codes import BinaryHash, GridCell, HyperplaneHash, hyperplane_grid
from .column import EmbeddingColumn, semantic_similarity
from .index import EmbeddingIndex
from .local import LocalProvider
from .pooling import Pooling
from .provider import EmbeddingProvider
from .retry import RetryPolicy
from .services import CohereProvider, OpenAiProvider, VoyageProvider
from .sources import as_embeddings, check_same_model, embed_texts

__all__ = [
    "BinaryHash",
    "ChunkMode",
    "ChunkingStrategy",
    "CohereProvider",
    "Embedding",
    "EmbeddingColumn",
    "EmbeddingIndex",
    "EmbeddingProvider",
    "GridCell",
    "HyperplaneHash",
    "LocalProvider",
    "OpenAiProvider",
    "Pooling",
    "RetryPolicy",
    "VoyageProvider",
    "as_embeddings",
    "check_same_model",
    "chunk_for_model",
    "embed_texts",
    "hyperplane_grid",
    "semantic_similarity",
]
