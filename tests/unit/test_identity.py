"""Config hashes, names and metadata of fingerprints."""

import copy
import dataclasses
import pickle

import numpy as np
import pytest
import xxhash

from txtfp_np.canonical import Canonicalizer
from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.schema import (
    UNCOMPUTED_CONFIG_HASH,
    Embedding,
    Fingerprint,
    FingerprintMetadata,
    HashFamily,
    config_hash,
    config_hash_classical,
    empty_signature,
)

DIGEST = "T102B0124A13340254699608E4C34DD0B243D48F09F4212913773220035C096289DB46DC"


def every_kind():
    return {
        "minhash": Fingerprint.minhash(empty_signature(128)),
        "simhash": Fingerprint.simhash(0xDEADBEEF),
        "tlsh": Fingerprint.tlsh(DIGEST),
        "embedding": Fingerprint.embedding(Embedding([1, 2, 3], model_id="minilm")),
    }


# ── hash family ─────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("member", "ours", "crate"),
    [
        (HashFamily.XXH3_64, "xxh3_64", "xxh3-64"),
        (HashFamily.MURMUR3_X64_128, "murmur3_x64_128", "mmh3-x64-128"),
        (HashFamily.XXH64, "xxh64", "xxh64"),
    ],
)
def test_spellings_of_a_family(member, ours, crate):
    assert HashFamily(ours) is HashFamily(crate) is HashFamily(member) is member
    assert member.as_str() == crate
    assert str(member) == ours


def test_unknown_family():
    with pytest.raises(ConfigError, match="hasher must be 'xxh3_64', 'murmur3_x64_128' or 'xxh64', got 'md5'") as e:
        config_hash_classical("nfc", "", "", "md5", 0)
    assert e.value.argument == "hasher"


# ── config hash ─────────────────────────────────────────────────────────────────────────────────
def test_config_hash_is_of_the_joined_text():
    canon = Canonicalizer()
    text = b"nfkc-cf-simple-bidi-fmt|word-uax29|h128"
    assert config_hash(canon, "word-uax29", "h128") == xxhash.xxh3_64_intdigest(text)
    assert config_hash(canon.config_string(), "word-uax29", "h128") == xxhash.xxh3_64_intdigest(text)
    classical = config_hash_classical(canon, "word-uax29", "h128", "murmur3_x64_128", 255)
    assert classical == xxhash.xxh3_64_intdigest(text + b"|mmh3-x64-128|00000000000000ff")


def test_names_are_utf8():
    assert config_hash("", "größe", "") == xxhash.xxh3_64_intdigest("|größe|".encode())


def test_either_spelling_gives_the_same_hash():
    for one, other in (("xxh3_64", "xxh3-64"), ("murmur3_x64_128", "mmh3-x64-128")):
        assert config_hash_classical("a", "b", "c", one, 1) == config_hash_classical("a", "b", "c", other, 1)


@pytest.mark.parametrize("seed", [-1, 2**64, 1.0, "1", None, True])
def test_seed_is_checked(seed):
    with pytest.raises(ConfigError, match="seed must be an int >= 0") as caught:
        config_hash_classical("a", "b", "c", "xxh64", seed)
    assert caught.value.argument == "seed"


@pytest.mark.parametrize(
    ("given", "argument"),
    [((None, "b", "c"), "canon"), (("a", 1, "c"), "tokenizer_name"), (("a", "b", b"c"), "algo_cfg")],
)
def test_texts_are_checked(given, argument):
    for f in (config_hash, lambda *given: config_hash_classical(*given, "xxh64", 0)):
        with pytest.raises(ConfigError, match=f"{argument} must be a") as caught:
            f(*given)
        assert caught.value.argument == argument


# ── fingerprints ────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    ("kind", "name", "algorithm", "model", "size"),
    [
        ("minhash", "minhash-h128-v1", "minhash-h128", None, 1032),
        ("simhash", "simhash-b64-v1", "simhash-b64", None, 8),
        ("tlsh", "tlsh-v1", "tlsh", None, 72),
        ("embedding", "embedding/minilm-v1", "embedding", "minilm", 12),
    ],
)
def test_names_and_metadata(kind, name, algorithm, model, size):
    fingerprint = every_kind()[kind]
    assert fingerprint.kind == kind
    assert fingerprint.name() == name
    assert fingerprint.metadata() == FingerprintMetadata(algorithm, UNCOMPUTED_CONFIG_HASH, model, 1, size)
    known = fingerprint.metadata_with(Canonicalizer(), "word-uax29", "x")
    assert known.config_hash == config_hash(Canonicalizer(), "word-uax29", "x")
    assert dataclasses.replace(known, config_hash=0) == fingerprint.metadata()
    assert fingerprint.metadata().with_config_hash(known.config_hash) == known


def test_other_sizes_and_schemas_are_named_likewise():
    sig = empty_signature(256)
    assert Fingerprint.minhash(sig).name() == "minhash-h256-v1"
    assert Fingerprint.minhash(sig).metadata().byte_size == 2056
    sig["schema"] = 9
    assert Fingerprint.minhash(sig).name() == "minhash-h256-v9"
    assert Fingerprint.minhash(sig).metadata().schema_version == 9


def test_embedding_without_a_model():
    fingerprint = Fingerprint.embedding(Embedding([1]))
    assert fingerprint.name() == "embedding-v1"
    assert fingerprint.metadata().model_id is None


def test_values():
    kinds = every_kind()
    assert kinds["minhash"].value == empty_signature(128)
    assert kinds["simhash"].value == np.uint64(0xDEADBEEF)
    assert isinstance(kinds["simhash"].value, np.uint64)
    assert kinds["tlsh"].value == DIGEST
    assert kinds["embedding"].value == Embedding([1, 2, 3], model_id="minilm")


def test_frozen():
    sigs = np.array([empty_signature(4)] * 2)
    fingerprint = Fingerprint.minhash(sigs[0])
    sigs["hashes"] = 0
    assert fingerprint.value == empty_signature(4)
    for change in (lambda: setattr(fingerprint, "kind", "x"), lambda: setattr(fingerprint, "_value", 1)):
        with pytest.raises(AttributeError):
            change()
    with pytest.raises(AttributeError, match="frozen"):
        del fingerprint._value
    with pytest.raises(ValueError, match="read-only"):
        fingerprint.value["hashes"][0] = 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        fingerprint.metadata().config_hash = 1
    with pytest.raises(TypeError, match=r"use Fingerprint\.minhash"):
        Fingerprint()
    with pytest.raises(TypeError, match="unhashable"):
        hash(fingerprint)


def test_equality():
    for kind, fingerprint in every_kind().items():
        assert fingerprint == every_kind()[kind]
        assert fingerprint != kind
        assert [fingerprint == other for other in every_kind().values()].count(True) == 1
    padded = empty_signature(128)
    padded["_pad"][0] = 1
    assert Fingerprint.minhash(padded) != every_kind()["minhash"]
    assert Fingerprint.minhash(empty_signature(64)) != every_kind()["minhash"]
    assert Fingerprint.simhash(1) != Fingerprint.simhash(2)


def test_repr():
    assert repr(every_kind()["tlsh"]) == f"Fingerprint.tlsh('{DIGEST}')"
    assert repr(every_kind()["minhash"]).startswith("Fingerprint.minhash(MinHashSig<128>[ffffffffffffffff, ")
    assert repr(every_kind()["embedding"]) == "Fingerprint.embedding(Embedding([1.0, 2.0, 3.0], model_id='minilm'))"


@pytest.mark.parametrize("kind", every_kind())
def test_copies(kind):
    fingerprint = every_kind()[kind]
    for back in (pickle.loads(pickle.dumps(fingerprint)), copy.deepcopy(fingerprint)):
        assert back == fingerprint
        assert type(back.value) is type(fingerprint.value)


@pytest.mark.parametrize(
    ("digest", "message"),
    [
        (DIGEST[:70], "TLSH hex must be 72 chars, got 70"),
        ("", "TLSH hex must be 72 chars, got 0"),
        ("t1" + DIGEST[2:], "TLSH hex must start with 'T1'"),
        ("T1" + "g" * 70, "TLSH hex contains non-hex characters"),
        ("T1" + "٣" * 70, "TLSH hex contains non-hex characters"),
        (DIGEST[:71] + "\n", "TLSH hex contains non-hex characters"),
        (7, "TLSH hex must be a str or bytes, got int"),
    ],
)
def test_tlsh_is_checked(digest, message):
    with pytest.raises(InvalidInputError) as caught:
        Fingerprint.tlsh(digest)
    assert str(caught.value) == f"invalid input: {message}"


def test_tlsh_of_other_types():
    for given in (DIGEST, DIGEST.encode(), np.bytes_(DIGEST.encode()), np.str_(DIGEST)):
        fingerprint = Fingerprint.tlsh(given)
        assert fingerprint.value == DIGEST
        assert type(fingerprint.value) is str
    assert Fingerprint.tlsh("T1" + DIGEST[2:].lower()).value == "T1" + DIGEST[2:].lower()


def test_wrong_kinds():
    with pytest.raises(InvalidInputError, match="expected MinHash signatures, got dtype"):
        Fingerprint.minhash(7)
    with pytest.raises(InvalidInputError, match="one signature, got an array"):
        Fingerprint.minhash(np.array([empty_signature(4)] * 2))
    with pytest.raises(InvalidInputError, match="value must be an int between"):
        Fingerprint.simhash(-1)
    with pytest.raises(InvalidInputError, match="expected an Embedding, got list"):
        Fingerprint.embedding([1.0])
    with pytest.raises(ConfigError, match="config_hash must be an int"):
        Fingerprint.simhash(1).metadata().with_config_hash(-1)
