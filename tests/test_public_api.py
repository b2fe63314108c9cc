"""The public names: a contract that other people's code relies on."""

import inspect
import re
from pathlib import Path

import numpy as np
import pytest

import txtfp_np as tx
import txtfp_np.engine

CONTRACT = """
TextColumn TokenColumn Canonicalizer CaseFold Normalization
WordTokenizer GraphemeTokenizer ShingleTokenizer CharShingleTokenizer CallableTokenizer Tokenizer
CjkTokenizer CjkSegmenter recommend Recommendation
MinHashFingerprinter SimHashFingerprinter IdfTable HashFamily Weighting Fingerprinter StreamingFingerprinter
MinHashStreaming SimHashStreaming fingerprint_many merge TlshFingerprinter
WinnowFingerprinter WinnowColumn winnow_match
FlyHashFingerprinter flyhash_overlap flyhash_overlap_pairs FuzzyFingerprinter ssdeep_compare ssdeep_compare_pairs
jaccard jaccard_pairs hamming hamming_similarity cosine_estimate pack_bits tlsh_distance tlsh_distance_pairs
BinaryHash HyperplaneHash hyperplane_grid
Ragged levenshtein levenshtein_similarity set_jaccard multiset_jaccard cosine manhattan mahalanobis inverse_score
adapt similarity similarity_pairs measures_for Measure SketchKind DEFAULT_MEASURES
LshIndex LshIndexBuilder HammingIndex PermutedTable hamming_scan seomoz_simhash BloomLsh EmbeddingIndex
dedup DedupResult
minhash_dtype MinHashSig SimHash64 empty_signature as_signatures
config_hash config_hash_classical Fingerprint FingerprintMetadata to_json from_json Embedding
EmbeddingColumn semantic_similarity Pooling chunk_for_model ChunkingStrategy ChunkMode
EmbeddingProvider LocalProvider OpenAiProvider VoyageProvider CohereProvider RetryPolicy
html_to_text markdown_to_text markdown_to_text_with MarkdownOptions pdf_to_text pdf_to_text_with PdfOptions
Error TxtfpError InvalidInputError ConfigError ModelMismatchError DimensionMismatchError SchemaMismatchError
TokenizerError OnnxError HttpError EmptyEmbeddingError FeatureDisabledError
VERSION __version__ FORMAT_VERSION DEFAULT_SEED MIN_INPUT_BYTES UNICODE_VERSION UNCOMPUTED_CONFIG_HASH
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", CONTRACT)
def test_the_contract_is_kept(name):
    assert name in tx.__all__
    assert getattr(tx, name) is not None


def test_every_listed_name_exists_once():
    assert len(tx.__all__) == len(set(tx.__all__))
    assert all(hasattr(tx, name) for name in tx.__all__)


def test_nothing_else_is_public():
    """Submodules are reachable, but no object is public by accident."""
    visible = {name for name, value in vars(tx).items() if not name.startswith("_") and not inspect.ismodule(value)}
    assert visible - set(tx.__all__) == set()


def test_every_class_and_function_says_what_it_is():
    documented = [getattr(tx, name) for name in tx.__all__ if inspect.isclass(getattr(tx, name))]
    documented += [getattr(tx, name) for name in tx.__all__ if inspect.isfunction(getattr(tx, name))]
    assert len(documented) > 40
    assert [thing.__name__ for thing in documented if not inspect.getdoc(thing)] == []


def test_every_name_stands_in_the_docs():
    page = (Path(__file__).resolve().parents[1] / "docs" / "names.md").read_text("utf-8")
    listed = re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE)
    assert sorted(listed) == sorted([*tx.__all__, *tx.evaluate.__all__, *txtfp_np.engine.__all__])


def test_constants():
    assert tx.FORMAT_VERSION == 1
    assert tx.DEFAULT_SEED == 0x00C0FFEE5EED
    assert tx.MIN_INPUT_BYTES == 50
    assert tx.UNICODE_VERSION == "17.0.0"
    assert tx.UNCOMPUTED_CONFIG_HASH == 0
    assert tx.__version__ == tx.VERSION
    assert tx.Error is tx.TxtfpError
    assert tx.MinHashSig is tx.minhash_dtype
    assert np.dtype("<u8") == tx.SimHash64


def test_options_are_keywords():
    """Data positional, options keyword-only."""
    methods = (tx.MinHashFingerprinter.fingerprint, tx.Canonicalizer.canonicalize, tx.WordTokenizer.tokens)
    for function in (*methods, tx.dedup):
        kinds = [parameter.kind for parameter in list(inspect.signature(function).parameters.values())[2:]]
        assert set(kinds) == {inspect.Parameter.KEYWORD_ONLY}
