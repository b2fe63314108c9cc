"""Indexes."""

from .bands import LshIndexBuilder
from .bloom import BloomLsh
from .hamming import HammingIndex
from .lsh import LshIndex
from .permuted import PermutedTable, permutations
from .scan import hamming_scan
from .segments import HammingClusters

__all__ = [
    "LshIndex",
    "LshIndexBuilder",
    "BloomLsh",
    "HammingClusters",
    "HammingIndex",
    "PermutedTable",
    "hamming_scan",
    "permutations",
]
