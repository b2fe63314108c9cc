"""Comparing signatures, as NumPy compares numbers; sets, strings and vectors; what suits which sketch."""

from .adapt import DEFAULT_MEASURES, Form, Measure, SketchKind, adapt, measures_for
from .bits import jaccard_bits, jaccard_bits_pairs, pack_bits
from .fuzzy import ssdeep_compare, ssdeep_compare_pairs
from .overlap import flyhash_overlap, flyhash_overlap_pairs
from .ragged import Ragged
from .scoring import similarity, similarity_pairs
from .sets import multiset_jaccard, multiset_jaccard_pairs, set_jaccard, set_jaccard_pairs
from .signatures import (
    cosine_estimate,
    cosine_estimate_pairs,
    hamming,
    hamming_pairs,
    hamming_similarity,
    hamming_similarity_pairs,
    jaccard,
    jaccard_pairs,
)
from .strings import levenshtein, levenshtein_pairs, levenshtein_similarity, levenshtein_similarity_pairs
from .tlsh import tlsh_distance, tlsh_distance_pairs
from .vectors import (
    cosine,
    cosine_pairs,
    inverse_score,
    mahalanobis,
    mahalanobis_pairs,
    manhattan,
    manhattan_pairs,
)

__all__ = [
    "DEFAULT_MEASURES",
    "Form",
    "Measure",
    "Ragged",
    "SketchKind",
    "adapt",
    "cosine",
    "cosine_estimate",
    "cosine_estimate_pairs",
    "cosine_pairs",
    "flyhash_overlap",
    "flyhash_overlap_pairs",
    "hamming",
    "hamming_pairs",
    "hamming_similarity",
    "hamming_similarity_pairs",
    "inverse_score",
    "jaccard",
    "jaccard_bits",
    "jaccard_bits_pairs",
    "jaccard_pairs",
    "levenshtein",
    "levenshtein_pairs",
    "levenshtein_similarity",
    "levenshtein_similarity_pairs",
    "mahalanobis",
    "mahalanobis_pairs",
    "manhattan",
    "manhattan_pairs",
    "measures_for",
    "multiset_jaccard",
    "multiset_jaccard_pairs",
    "pack_bits",
    "set_jaccard",
    "set_jaccard_pairs",
    "similarity",
    "similarity_pairs",
    "ssdeep_compare",
    "ssdeep_compare_pairs",
    "tlsh_distance",
    "tlsh_distance_pairs",
]
