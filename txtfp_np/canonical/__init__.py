"""Stage 1: canonical text. :class:`Canonicalizer` is the configuration, ``pipeline`` runs it."""

from .canonicalizer import Canonicalizer, CaseFold, Normalization

__all__ = ["Canonicalizer", "CaseFold", "Normalization"]
