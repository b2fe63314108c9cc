"""What signatures look like in memory, on disk and in JSON, and what identifies the way they were made."""

from .embedding import Embedding
from .identity import (
    UNCOMPUTED_CONFIG_HASH,
    Fingerprint,
    FingerprintMetadata,
    HashFamily,
    config_hash,
    config_hash_classical,
)
from .serde import from_json, to_json
from .signatures import (
    DEFAULT_SEED,
    FORMAT_VERSION,
    MIN_INPUT_BYTES,
    MINHASH_SCHEMA,
    SIMHASH_SCHEMA,
    MinHashSig,
    SimHash64,
    as_signatures,
    empty_signature,
    minhash_dtype,
    signature_display,
    signature_words,
    simhash_display,
)

__all__ = [
    "DEFAULT_SEED",
    "FORMAT_VERSION",
    "MINHASH_SCHEMA",
    "MIN_INPUT_BYTES",
    "SIMHASH_SCHEMA",
    "UNCOMPUTED_CONFIG_HASH",
    "Embedding",
    "Fingerprint",
    "FingerprintMetadata",
    "HashFamily",
    "MinHashSig",
    "SimHash64",
    "as_signatures",
    "config_hash",
    "config_hash_classical",
    "empty_signature",
    "from_json",
    "minhash_dtype",
    "signature_display",
    "signature_words",
    "simhash_display",
    "to_json",
]
