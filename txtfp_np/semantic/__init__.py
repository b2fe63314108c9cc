"""Texts as vectors of language models."""

from ..schema import Embedding

__all__ = ["Embedding"]
