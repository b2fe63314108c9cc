"""Comparing signatures, as NumPy compares numbers."""

from .bits import jaccard_bits, pack_bits
from .fuzzy import ssdeep_compare, ssdeep_compare_pairs
from .overlap import flyhash_overlap, flyhash_overlap_pairs
from .signatures import cosine_estimate, hamming, hamming_pairs, hamming_similarity, jaccard, jaccard_pairs
from .tlsh import tlsh_distance, tlsh_distance_pairs

__all__ = [
    "cosine_estimate",
    "flyhash_overlap",
    "flyhash_overlap_pairs",
    "hamming",
    "hamming_pairs",
    "hamming_similarity",
    "jaccard",
    "jaccard_bits",
    "jaccard_pairs",
    "pack_bits",
    "ssdeep_compare",
    "ssdeep_compare_pairs",
    "tlsh_distance",
    "tlsh_distance_pairs",
]
