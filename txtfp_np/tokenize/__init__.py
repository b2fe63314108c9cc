"""Stage 2: tokens.

===============  ==================================================================
``base``         the :class:`Tokenizer` protocol, and what all tokenizers here share
``segment``      words and graphemes of UAX #29
``shingle``      runs of tokens, runs of code points
``callables``    a user's own function
``cjk``          words of Chinese, Japanese and Korean by dictionaries
``recommend``    what suits a column
===============  ==================================================================
"""

from .base import Tokenizer
from .callables import CallableTokenizer
from .cjk import CjkSegmenter, CjkTokenizer
from .recommend import Recommendation, recommend
from .segment import GraphemeTokenizer, WordTokenizer
from .shingle import CharShingleTokenizer, ShingleTokenizer

__all__ = [
    "CallableTokenizer",
    "CharShingleTokenizer",
    "CjkSegmenter",
    "CjkTokenizer",
    "GraphemeTokenizer",
    "Recommendation",
    "ShingleTokenizer",
    "Tokenizer",
    "WordTokenizer",
    "recommend",
]
