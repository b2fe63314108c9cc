"""Outputs of the Rust crate txtfp 0.2.2, byte for byte, for one document at a time and for columns.

Needs nothing but what the package itself needs, so that it can be run beside any other library.
"""

import json
import re
from functools import cache
from pathlib import Path

import pytest
import xxhash

import txtfp_np as tx

DATA = Path(__file__).resolve().parent.parent / "data"
SCALARS_PER_BLOCK = 4096


def read(name):
    return json.loads((DATA / name).read_text(encoding="utf-8"))


@cache
def crate():
    return read("txtfp-0.2.2.json")


@cache
def fuzz():
    return read("fuzz.json")


def parse_config(text):
    """The Canonicalizer that a ``config_string`` names."""
    match = re.fullmatch(r"(nfc|nfkc|none)-cf-(simple|none)(-bidi)?(-fmt)?(-conf)?", text)
    normalization, case_fold, bidi, fmt, conf = match.groups()
    return tx.Canonicalizer(
        normalization=normalization,
        case_fold=case_fold,
        strip_bidi=bidi is not None,
        strip_format=fmt is not None,
        apply_confusable=conf is not None,
    )


SKELETON = tx.Canonicalizer(
    normalization="none", case_fold="none", strip_bidi=False, strip_format=False, apply_confusable=True
)
CONFIGS = sorted({name for vector in crate()["vectors"] for name in vector["canonical_configs"]})


def check_texts(f, texts, expected):
    """``f`` gives ``expected`` for the column, and for every document by itself."""
    assert f(texts).to_list() == expected
    for text, wanted in zip(texts, expected, strict=True):
        assert f(text) == wanted, repr(text)


def column(field):
    return [vector[field] for vector in crate()["vectors"]]


def test_there_are_vectors():
    """A truncated file must not pass for a passed test."""
    assert crate()["meta"]["info"]["txtfp"] == "0.2.2"
    assert len(crate()["vectors"]) == 61
    assert [len(item["digests"]) for item in crate()["sweeps"]["items"]] == [272] * 4
    assert sum(len(rows) for rows in fuzz().values() if isinstance(rows, list)) == 18_000
    assert len(CONFIGS) == 9


def test_default_configuration():
    assert tx.Canonicalizer().config_string() == crate()["meta"]["default_config_string"]
    check_texts(tx.Canonicalizer().canonicalize, column("text"), column("canonical"))


@pytest.mark.parametrize("config", CONFIGS)
def test_configurations(config):
    canonicalizer = parse_config(config)
    assert canonicalizer.config_string() == config
    expected = [vector["canonical_configs"][config] for vector in crate()["vectors"]]
    check_texts(canonicalizer.canonicalize, column("text"), expected)


def test_config_strings_of_the_config_hashes():
    for row in crate()["config_hash"]:
        assert parse_config(row["config_string"]).config_string() == row["config_string"]


def test_skeleton():
    check_texts(SKELETON.canonicalize, column("text"), column("confusable_skeleton_raw"))


@pytest.mark.parametrize(
    ("tokenizer", "source", "field"),
    [
        (tx.WordTokenizer(), "canonical", "word_tokens"),
        (tx.GraphemeTokenizer(), "canonical", "grapheme_tokens"),
        (tx.ShingleTokenizer(k=3), "canonical", "shingle3_tokens"),
        (tx.WordTokenizer(), "text", "raw_word_tokens"),
        (tx.GraphemeTokenizer(), "text", "raw_grapheme_tokens"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.name,
)
def test_tokens(tokenizer, source, field):
    check_texts(tokenizer.tokens, column(source), column(field))


@pytest.mark.parametrize(
    ("field", "f"),
    [
        ("words", tx.WordTokenizer().tokens),
        ("graphemes", tx.GraphemeTokenizer().tokens),
        ("canonical_def", tx.Canonicalizer().canonicalize),
        ("canonical_nfc", tx.Canonicalizer(normalization="nfc").canonicalize),
        ("canonical_conf", tx.Canonicalizer(apply_confusable=True).canonicalize),
    ],
)
def test_fuzz(field, f):
    texts, expected = map(list, zip(*fuzz()[field], strict=True))
    check_texts(f, texts, expected)


def sweep_digests(item, lines_of):
    """Digest of each block of scalar values, as the rule in the file has it."""
    digests = []
    for first in range(0, 0x110000, item["block"]):
        scalars = [chr(cp) for cp in range(first, first + item["block"]) if not 0xD800 <= cp < 0xE000]
        repeat = 2 if item.get("double") else 1
        texts = [item["prefix"] + repeat * scalar + item["suffix"] for scalar in scalars]
        lines = lines_of(texts) if texts else []
        digests.append(xxhash.xxh3_64_hexdigest("".join(f"{line}\n" for line in lines).encode()))
    return digests


def sweep_id(item):
    return "-".join([item["what"], item.get("tokenizer", "default"), item["prefix"] or "alone"])


@pytest.mark.parametrize("item", crate()["sweeps"]["items"], ids=sweep_id)
def test_sweeps_over_all_scalar_values(item):
    assert item["block"] == SCALARS_PER_BLOCK
    if item["what"] == "canonical":
        canonicalizer = parse_config(item.get("config", "nfkc-cf-simple-bidi-fmt"))
        digests = sweep_digests(item, lambda texts: list(canonicalizer.canonicalize(texts)))
    else:
        tokenizer = {"word": tx.WordTokenizer(), "grapheme": tx.GraphemeTokenizer()}[item["tokenizer"]]
        digests = sweep_digests(item, lambda texts: map("\u001f".join, tokenizer.tokens(texts)))
    wrong = [n for n, (ours, theirs) in enumerate(zip(digests, item["digests"], strict=True)) if ours != theirs]
    assert not wrong, f"blocks of {item['block']} code points that differ: {wrong}"


@pytest.mark.parametrize("item", crate()["sweeps"]["items"], ids=sweep_id)
def test_sweeps_hold_for_single_documents(item):
    """Every 97th scalar value by itself gives what the column gives, which the digests have proved."""
    scalars = [chr(cp) for cp in range(0, 0x110000, 97) if not 0xD800 <= cp < 0xE000]
    texts = [item["prefix"] + scalar + item["suffix"] for scalar in scalars]
    if item["what"] == "canonical":
        f = tx.Canonicalizer().canonicalize
    else:
        f = {"word": tx.WordTokenizer(), "grapheme": tx.GraphemeTokenizer()}[item["tokenizer"]].tokens
    assert f(texts).to_list() == [f(text) for text in texts]
