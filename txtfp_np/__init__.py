"""Fingerprints of columns of text, byte for byte those of the Rust crate ``txtfp`` 0.2.2.

A guided tour
-------------
Text goes in as a column: a list of ``str``, a NumPy array, an Arrow, pandas or Polars column.

Stage 0, columns: :class:`TextColumn` holds documents as UTF-8 bytes and offsets, :class:`TokenColumn`
tokens as spans of bytes. Every function takes plain lists as well.

Stage 1, canonical text: :class:`Canonicalizer` brings texts that look the same to the same code
points (normal form, case, invisible characters, homoglyphs).

Stage 2, tokens: :class:`WordTokenizer`, :class:`GraphemeTokenizer`, :class:`ShingleTokenizer`,
:class:`CharShingleTokenizer`, :class:`CjkTokenizer`, and :class:`CallableTokenizer` for a function of one's own;
:func:`recommend` looks at a column and proposes.

Stage 3, signatures: :class:`MinHashFingerprinter` and :class:`SimHashFingerprinter` (weights:
:class:`IdfTable`) turn columns into arrays of records; :func:`fingerprint_many` shares the stages before.
:class:`MinHashStreaming` and :class:`SimHashStreaming` take documents in pieces.
:class:`TlshFingerprinter`, :class:`FuzzyFingerprinter` (ssdeep) and :class:`FlyHashFingerprinter` make other records,
:class:`WinnowFingerprinter` fingerprints with places, from which :func:`winnow_match` finds shared passages.

Stage 4, comparison: :func:`jaccard`, :func:`hamming`, :func:`cosine_estimate`, :func:`tlsh_distance`,
:func:`ssdeep_compare`, :func:`flyhash_overlap` broadcast like NumPy's own; so do exact measures of columns:
:func:`set_jaccard`, :func:`multiset_jaccard`, :func:`levenshtein`, :func:`cosine`, :func:`manhattan`,
:func:`mahalanobis`. :func:`similarity` takes the measure that suits a sketch. ``..._pairs`` compare chosen rows of one
column. :func:`pack_bits` makes MinHash signatures smaller, :func:`jaccard_bits` compares them.

Stage 5, indexes: :class:`LshIndex` finds MinHash signatures that agree in a band (:class:`LshIndexBuilder`
chooses the bands), :class:`HammingIndex` all SimHash fingerprints within some bits, :class:`BloomLsh` says
whether something like it was seen before, :class:`EmbeddingIndex` finds the embeddings that are nearest.

Stage 6, near-duplicates: :func:`dedup` does all of it in one call, and its :class:`DedupResult` explains itself.
``txtfp_np.engine`` does the same for files, in bounded memory.

Markup: :func:`html_to_text`, :func:`markdown_to_text`, :func:`pdf_to_text` make plain text of it.

Embeddings: :class:`EmbeddingColumn`, :func:`semantic_similarity`, :class:`Pooling`;
:func:`chunk_for_model` cuts texts into pieces that fit a model. An :class:`EmbeddingProvider` makes embeddings:
:class:`LocalProvider`, :class:`OpenAiProvider`, :class:`VoyageProvider`, :class:`CohereProvider`. Bits of them:
:class:`BinaryHash`, :class:`HyperplaneHash`.

Evaluation: ``tx.evaluate`` has metrics of rankings and of pairs, and the H3D benchmark.

Identity: :func:`config_hash`, :class:`Fingerprint`, :func:`to_json`, :func:`as_signatures` for bytes from disk.

>>> import txtfp_np as tx
>>> canonical = tx.Canonicalizer().canonicalize(["The Quick  Brown Fox", "ＴＨＥ quick brown fox!"])
>>> tx.ShingleTokenizer(k=3).tokens(canonical).to_list()
[['the quick brown', 'quick brown fox'], ['the quick brown', 'quick brown fox']]

>>> fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2))
>>> a, b = fp.fingerprint(["to be or not to be", "to be or not to be: that"])
>>> float(tx.jaccard(a, b))
0.7890625

Data is positional, options are keywords. ``threads``, ``progress`` and ``errors`` never change a byte
of the result for valid text. Everything that can go wrong is below :class:`TxtfpError`.
"""

from .canonical import Canonicalizer, CaseFold, Normalization
from .columns import TextColumn, TokenColumn
from .compare import (
    DEFAULT_MEASURES,
    Form,
    Measure,
    Ragged,
    SketchKind,
    adapt,
    cosine,
    cosine_estimate,
    cosine_estimate_pairs,
    cosine_pairs,
    flyhash_overlap,
    flyhash_overlap_pairs,
    hamming,
    hamming_pairs,
    hamming_similarity,
    hamming_similarity_pairs,
    inverse_score,
    jaccard,
    jaccard_bits,
    jaccard_bits_pairs,
    jaccard_pairs,
    levenshtein,
    levenshtein_pairs,
    levenshtein_similarity,
    levenshtein_similarity_pairs,
    mahalanobis,
    mahalanobis_pairs,
    manhattan,
    manhattan_pairs,
    measures_for,
    multiset_jaccard,
    multiset_jaccard_pairs,
    pack_bits,
    set_jaccard,
    set_jaccard_pairs,
    similarity,
    similarity_pairs,
    ssdeep_compare,
    ssdeep_compare_pairs,
    tlsh_distance,
    tlsh_distance_pairs,
)
from .dedup import DedupResult, dedup
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
from .index import (
    BloomLsh,
    HammingClusters,
    HammingIndex,
    LshIndex,
    LshIndexBuilder,
    PermutedTable,
    hamming_scan,
)
from .markup import (
    MarkdownOptions,
    PdfOptions,
    html_to_text,
    markdown_to_text,
    markdown_to_text_with,
    pdf_to_text,
    pdf_to_text_with,
)
from .schema import (
    DEFAULT_SEED,
    FORMAT_VERSION,
    MIN_INPUT_BYTES,
    UNCOMPUTED_CONFIG_HASH,
    Embedding,
    Fingerprint,
    FingerprintMetadata,
    HashFamily,
    MinHashSig,
    SimHash64,
    as_signatures,
    config_hash,
    config_hash_classical,
    empty_signature,
    from_json,
    minhash_dtype,
    to_json,
)
from .semantic import (
    BinaryHash,
    ChunkingStrategy,
    ChunkMode,
    CohereProvider,
    EmbeddingColumn,
    EmbeddingIndex,
    EmbeddingProvider,
    HyperplaneHash,
    LocalProvider,
    OpenAiProvider,
    Pooling,
    RetryPolicy,
    VoyageProvider,
    chunk_for_model,
    hyperplane_grid,
    semantic_similarity,
)
from .sketch import (
    Fingerprinter,
    FlyForm,
    FlyHashFingerprinter,
    FuzzyFingerprinter,
    IdfTable,
    MinHashFingerprinter,
    MinHashStreaming,
    SimHashFingerprinter,
    SimHashStreaming,
    StreamingFingerprinter,
    Tie,
    TlshFingerprinter,
    Weighting,
    WinnowColumn,
    WinnowFingerprinter,
    WinnowRow,
    fingerprint_many,
    merge,
    seomoz_simhash,
    winnow_match,
)
from .tokenize import (
    CallableTokenizer,
    CharShingleTokenizer,
    CjkSegmenter,
    CjkTokenizer,
    GraphemeTokenizer,
    Recommendation,
    ShingleTokenizer,
    Tokenizer,
    WordTokenizer,
    recommend,
)
from .unicode.frozen import UNICODE_VERSION

VERSION = "0.1.0"
__version__ = VERSION

__all__ = [
    # columns
    "TextColumn",
    "TokenColumn",
    # canonical text
    "Canonicalizer",
    "CaseFold",
    "Normalization",
    # tokens
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
    # signatures
    "Fingerprinter",
    "FlyForm",
    "FlyHashFingerprinter",
    "FuzzyFingerprinter",
    "HashFamily",
    "IdfTable",
    "MinHashFingerprinter",
    "MinHashStreaming",
    "SimHashFingerprinter",
    "SimHashStreaming",
    "StreamingFingerprinter",
    "Tie",
    "TlshFingerprinter",
    "Weighting",
    "WinnowColumn",
    "WinnowFingerprinter",
    "WinnowRow",
    "fingerprint_many",
    "merge",
    "seomoz_simhash",
    "winnow_match",
    # codes of embeddings
    "BinaryHash",
    "HyperplaneHash",
    "hyperplane_grid",
    # comparison
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
    # indexes
    "BloomLsh",
    "EmbeddingIndex",
    "HammingClusters",
    "HammingIndex",
    "LshIndex",
    "LshIndexBuilder",
    "PermutedTable",
    "hamming_scan",
    # near-duplicates
    "DedupResult",
    "dedup",
    # markup
    "MarkdownOptions",
    "PdfOptions",
    "html_to_text",
    "markdown_to_text",
    "markdown_to_text_with",
    "pdf_to_text",
    "pdf_to_text_with",
    # embeddings
    "ChunkMode",
    "ChunkingStrategy",
    "CohereProvider",
    "EmbeddingColumn",
    "EmbeddingProvider",
    "LocalProvider",
    "OpenAiProvider",
    "Pooling",
    "RetryPolicy",
    "VoyageProvider",
    "chunk_for_model",
    "semantic_similarity",
    # identity and persistence
    "Embedding",
    "Fingerprint",
    "FingerprintMetadata",
    "MinHashSig",
    "SimHash64",
    "as_signatures",
    "config_hash",
    "config_hash_classical",
    "empty_signature",
    "from_json",
    "minhash_dtype",
    "to_json",
    # errors
    "ConfigError",
    "DimensionMismatchError",
    "EmptyEmbeddingError",
    "Error",
    "FeatureDisabledError",
    "HttpError",
    "InvalidInputError",
    "ModelMismatchError",
    "OnnxError",
    "SchemaMismatchError",
    "TokenizerError",
    "TxtfpError",
    # constants
    "DEFAULT_SEED",
    "FORMAT_VERSION",
    "MIN_INPUT_BYTES",
    "UNCOMPUTED_CONFIG_HASH",
    "UNICODE_VERSION",
    "VERSION",
    "__version__",
]


def __getattr__(name: str) -> object:
    if name == "evaluate":  # a package of its own, which most programs never need
        from importlib import import_module

        return import_module(".evaluate", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
