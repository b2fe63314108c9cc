"""Fingerprints of columns of text, byte for byte those of the Rust crate ``txtfp`` 0.2.2.

A guided tour
-------------
Text goes in as a column: a list of ``str``, a NumPy array, an Arrow, pandas or Polars column.

Stage 0, columns: :class:`TextColumn` holds documents as UTF-8 bytes and offsets, :class:`TokenColumn`
tokens as spans of bytes. Every function takes plain lists as well.

Stage 1, canonical text: :class:`Canonicalizer` brings texts that look the same to the same code
points (normal form, case, invisible characters, homoglyphs).

Stage 2, tokens: :class:`WordTokenizer`, :class:`GraphemeTokenizer`, :class:`ShingleTokenizer`,
:class:`CharShingleTokenizer`, and :class:`CallableTokenizer` for a function of one's own.

>>> import txtfp_np as tx
>>> canonical = tx.Canonicalizer().canonicalize(["The Quick  Brown Fox", "ＴＨＥ quick brown fox!"])
>>> tx.ShingleTokenizer(k=3).tokens(canonical).to_list()
[['the quick brown', 'quick brown fox'], ['the quick brown', 'quick brown fox']]

Data is positional, options are keywords. ``threads``, ``progress`` and ``errors`` never change a byte
of the result for valid text. Everything that can go wrong is below :class:`TxtfpError`.
"""

from .canonical import Canonicalizer, CaseFold, Normalization
from .columns import TextColumn, TokenColumn
from .errors import (
    ConfigError,
    DimensionMismatchError,
    EmptyEmbeddingError,
    Error,
    FeatureDisabledError,
    HttpError,
    InvalidInputError,
    ModelMismatchError,
    OnnxError,
    SchemaMismatchError,
    TokenizerError,
    TxtfpError,
)
from .tokenize import (
    CallableTokenizer,
    CharShingleTokenizer,
    GraphemeTokenizer,
    ShingleTokenizer,
    Tokenizer,
    WordTokenizer,
)
from .unicode.frozen import UNICODE_VERSION

VERSION = "0.1.0"
__version__ = VERSION

__all__ = [
    "UNICODE_VERSION",
    "VERSION",
    "CallableTokenizer",
    "Canonicalizer",
    "CaseFold",
    "CharShingleTokenizer",
    "ConfigError",
    "DimensionMismatchError",
    "EmptyEmbeddingError",
    "Error",
    "FeatureDisabledError",
    "GraphemeTokenizer",
    "HttpError",
    "InvalidInputError",
    "ModelMismatchError",
    "Normalization",
    "OnnxError",
    "SchemaMismatchError",
    "ShingleTokenizer",
    "TextColumn",
    "TokenColumn",
    "Tokenizer",
    "TokenizerError",
    "TxtfpError",
    "WordTokenizer",
    "__version__",
]
