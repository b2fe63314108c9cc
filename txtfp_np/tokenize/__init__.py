"""Stage 2: tokens.

===============  ==================================================================
``base``         the :class:`Tokenizer` protocol, and what all tokenizers here share
``segment``      words and graphemes of UAX #29
``shingle``      runs of tokens, runs of code points
``callables``    a user's own function
===============  ==================================================================
"""

from .base import Tokenizer
from .callables import CallableTokenizer
from .segment import GraphemeTokenizer, WordTokenizer
from .shingle import CharShingleTokenizer, ShingleTokenizer

__all__ = [
    "CallableTokenizer",
    "CharShingleTokenizer",
    "GraphemeTokenizer",
    "ShingleTokenizer",
    "Tokenizer",
    "WordTokenizer",
]
