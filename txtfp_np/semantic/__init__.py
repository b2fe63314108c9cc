"""Texts as vectors of language models, and as codes of a few bits."""

from ..schema import Embedding
from .codes import BinaryHash, GridCell, HyperplaneHash, hyperplane_grid

__all__ = ["BinaryHash", "Embedding", "GridCell", "HyperplaneHash", "hyperplane_grid"]
