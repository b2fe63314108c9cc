"""Comparing signatures, as NumPy compares numbers."""

from .signatures import cosine_estimate, hamming, hamming_pairs, hamming_similarity, jaccard, jaccard_pairs

__all__ = ["cosine_estimate", "hamming", "hamming_pairs", "hamming_similarity", "jaccard", "jaccard_pairs"]
