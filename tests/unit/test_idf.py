"""IdfTable: a mapping, its digest, fitting, and the crate's arithmetic with weights."""

import math
import pickle
from collections.abc import Mapping

import numpy as np
import pytest
from oracles import sketches as oracle
from support import blocks_of

import txtfp_np as tx

WEIGHTS = {"the": 0.25, "fox": 3.9, "не": 0.1, "天安门": 9.0, "of": -1.5, "": 2.0}


def simhash(weights, **options):
    return tx.SimHashFingerprinter(weighting=tx.IdfTable(weights), **options)


def check(weights, text, **options):
    """The fingerprint of ``text`` is the oracle's, alone and in a column."""
    fp = simhash(weights, **options)
    expected = oracle.simhash(text.split(), "idf", idf=weights, **options)
    assert np.atleast_1d(fp.fingerprint(text)).tolist() == expected
    assert np.atleast_1d(fp.fingerprint(["x", text])[1]).tolist() == expected
    return fp.fingerprint(text)


# ── a mapping ───────────────────────────────────────────────────────────────────────────────────
def test_mapping():
    table = tx.IdfTable(WEIGHTS)
    assert isinstance(table, Mapping)
    assert len(table) == 6
    assert list(table) == list(WEIGHTS) == list(table.keys())
    assert "fox" in table
    assert "dog" not in table
    assert 3 not in table
    assert table["fox"] == np.float32(3.9)
    assert type(table["fox"]) is float
    assert table.get("dog") is None
    assert table.get("dog", 1.0) == 1.0
    assert dict(table) == {token: oracle.single(weight) for token, weight in WEIGHTS.items()}
    with pytest.raises(KeyError, match="dog"):
        table["dog"]
    with pytest.raises(TypeError):
        table["dog"] = 1.0


def test_repr():
    table = tx.IdfTable(WEIGHTS)
    assert repr(table) == f"IdfTable(6 tokens, digest {table.digest})"


def test_pairs():
    assert tx.IdfTable(WEIGHTS.items()) == tx.IdfTable(WEIGHTS)
    assert tx.IdfTable(iter([("a", 1.0), ("b", 2.0), ("a", 3.0)])) == tx.IdfTable({"a": 3.0, "b": 2.0})
    assert len(tx.IdfTable({})) == len(tx.IdfTable([])) == 0
    assert tx.IdfTable(tx.IdfTable(WEIGHTS)) == tx.IdfTable(WEIGHTS)


def test_kinds_of_numbers():
    table = tx.IdfTable({"a": 1, "b": np.float32(0.1), "c": np.int64(-3), "d": np.float64(1e300), "e": -1e39})
    assert dict(table) == {"a": 1.0, "b": oracle.single(0.1), "c": -3.0, "d": math.inf, "e": -math.inf}


@pytest.mark.parametrize(
    ("weights", "shown"),
    [({"a": "b"}, "'a': 'b'"), ({3: 1.0}, "3: 1.0"), ({"a": None}, "'a': None"), ({"a": True}, "'a': True")],
)
def test_bad_weights(weights, shown):
    with pytest.raises(tx.ConfigError) as caught:
        tx.IdfTable(weights)
    assert str(caught.value) == f"config error: weights must map str to numbers, got {shown}"
    assert caught.value.argument == "weights"


def test_lone_surrogates_are_no_tokens():
    with pytest.raises(tx.InvalidInputError, match="lone surrogate U\\+D800"):
        tx.IdfTable({"\ud800": 1.0})


# ── identity ────────────────────────────────────────────────────────────────────────────────────
def test_digest_is_pinned():
    """Part of config hashes, which users store."""
    assert tx.IdfTable({"a": 1.0}).digest == "30597b2eebdd5c55aba11f846066d875"


def test_digest():
    table, backwards = tx.IdfTable(WEIGHTS), tx.IdfTable(dict(reversed(WEIGHTS.items())))
    assert list(table) != list(backwards)
    assert table.digest == backwards.digest
    assert table == backwards
    assert hash(table) == hash(backwards)
    assert len(table.digest) == 32
    different = [
        {},
        {**WEIGHTS, "fox": 4.0},
        {**WEIGHTS, "dog": 1.0},
        {token: weight for token, weight in WEIGHTS.items() if token != "fox"},
        {**WEIGHTS, "fox": -3.9},
    ]
    digests = {tx.IdfTable(weights).digest for weights in [WEIGHTS, *different]}
    assert len(digests) == 6
    # Where one token ends and the next begins is part of it.
    assert tx.IdfTable({"ab": 1.0, "c": 1.0}) != tx.IdfTable({"a": 1.0, "bc": 1.0})
    # Single precision is what counts.
    assert tx.IdfTable({"a": 0.1}) == tx.IdfTable({"a": float(np.float32(0.1))})
    assert tx.IdfTable({"a": 1.0}) != {"a": 1.0}


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    table = tx.IdfTable(WEIGHTS)
    simhash(WEIGHTS).replace(weighting=table).fingerprint("the fox")
    copy = pickle.loads(pickle.dumps(table, protocol))
    assert copy == table
    assert list(copy.items()) == list(table.items())
    assert copy.digest == table.digest
    fitted = tx.IdfTable.fit(["a b", "a"])
    assert pickle.loads(pickle.dumps(fitted, protocol)) == fitted


# ── the arithmetic ──────────────────────────────────────────────────────────────────────────────
def test_weights_below_one_vanish():
    assert check({"fox": 0.9}, "fox") == 0
    assert check({"fox": 0.9}, "fox dog") == simhash({}).fingerprint("dog")
    assert check({"fox": 0.9}, "fox fox dog") == simhash({}).fingerprint("fox dog")  # 1.8 is cut to 1
    assert check({"fox": 0.1}, "fox " * 9 + "dog") == simhash({}).fingerprint("dog")
    assert check({"fox": 0.5}, "fox fox") == simhash({}).fingerprint("fox")
    check({"fox": 0.1}, "fox " * 10 + "dog cat")  # 10 * 0.1 in single precision is a little more than 1


def test_negative_weights():
    flipped = check({"fox": -1.0}, "fox")
    assert int(flipped) == int(simhash({}).fingerprint("fox")) ^ (2**64 - 1)
    check({"fox": -0.9, "dog": -2.5}, "fox dog cat dog")


@pytest.mark.parametrize("weight", [math.inf, -math.inf, math.nan, 1e39, -1e39])
def test_weights_that_are_not_finite_are_one(weight):
    """One, and not the number of occurrences."""
    check({"fox": weight}, "fox fox fox dog cat")
    assert check({"fox": weight}, "fox fox fox dog") == simhash({}).fingerprint("fox dog")


def test_weights_are_clamped():
    same = simhash({"fox": 1e15, "dog": 1e15}).fingerprint("fox dog")
    assert check({"fox": 3e38, "dog": 1e16}, "fox fox fox dog") == same
    check({"fox": -3e38, "dog": 1e16}, "fox dog cat")


@pytest.mark.parametrize("sign", [1, -1])
def test_sums_saturate(sign):
    """9,224 tokens of the largest weight go beyond 64 bits; a sum that wrapped around would turn the bits over."""
    n = 9_300
    tokens = [f"t{i}" for i in range(n)]
    hasher = lambda token: 0xFFFF0000FFFF0000  # noqa: E731
    weights = dict.fromkeys(tokens, sign * 1e16)
    fp = simhash(weights, hasher=lambda token: 0xFFFF0000FFFF0000 | int(token[1:]) << 64)
    found = int(fp.fingerprint(" ".join(tokens)))
    assert found == (0xFFFF0000FFFF0000 if sign > 0 else 0x0000FFFF0000FFFF)
    assert [found] == oracle.simhash(tokens, "idf", family=hasher, idf=weights)


def test_saturated_sums_stay_where_they_are():
    """What comes after the limit still counts: as in the crate, the limit is not infinite."""
    ones = [f"t{i}" for i in range(9_300)]
    against = ["u0", "u1"]
    weights = dict.fromkeys([*ones, *against], 1e15)
    value = lambda token: (0 if token[:1] == b"u" else 2**64 - 1) | int(token[1:] + b"1") << 64  # noqa: E731
    fp = simhash(weights, hasher=value)
    low = lambda token: value(token) & oracle.MASK  # noqa: E731
    expected = oracle.simhash([*ones, *against], "idf", family=low, idf=weights)
    assert [int(fp.fingerprint(" ".join([*ones, *against])))] == expected == [2**64 - 1]


@pytest.mark.parametrize("bits", [32, 64, 128, 256])
@pytest.mark.parametrize("tie", ["zero", "one"])
def test_all_widths(bits, tie):
    check({"fox": 2.0, "dog": 0.5, "cat": -1.0}, "fox dog cat cow cow", bits=bits, tie=tie)


@pytest.mark.parametrize("family", ["xxh3_64", "murmur3_x64_128", "xxh64"])
def test_one_table_under_several_hashers(family):
    table = tx.IdfTable({"fox": 2.5, "dog": 3.5})
    tokens = ["fox", "dog", "cat", "cow"]
    for seed in (0, 1, 2**64 - 1):
        fp = tx.SimHashFingerprinter(weighting=table, hasher=family, seed=seed)
        expected = oracle.simhash(tokens, "idf", family=family, seed=seed, idf=dict(table))
        assert [int(fp.fingerprint(" ".join(tokens)))] == expected


def test_large_table():
    weights = {f"token{i}": 1 + i % 7 for i in range(20_000)}
    check(weights, " ".join(f"token{i}" for i in range(0, 40_000, 997)))


def test_keys_are_canonical_tokens():
    assert simhash({"Fox": 5.0}).fingerprint("Fox dog cat") == simhash({}).fingerprint("fox dog cat")
    assert simhash({"größe": 5.0}).fingerprint("Größe a b c") == simhash({}).fingerprint("Größe a b c")
    assert simhash({"grösse": 5.0}).fingerprint("Größe a b c") == simhash({"grösse": 5.0}).fingerprint("grösse a b c")


# ── fitting ─────────────────────────────────────────────────────────────────────────────────────
CORPUS = ["the fox the", None, "The dog", "", "a fox!", "ＦＯＸ é e\u0301", "..."] * 3 + ["once"]


def expected_of(corpus, tokenizer=None, canonicalizer=None):
    tokenizer, canonicalizer = tokenizer or tx.WordTokenizer(), canonicalizer or tx.Canonicalizer()
    return oracle.fit_idf(tokenizer.tokens(canonicalizer.canonicalize(text or "")) for text in corpus)


def check_fit(table, expected):
    assert list(table) == list(expected)  # in order of first appearance
    assert dict(table) == {token: oracle.single(weight) for token, weight in expected.items()}


def test_fit():
    table = tx.IdfTable.fit(CORPUS)
    check_fit(table, expected_of(CORPUS))
    assert min(table.values()) >= 1
    assert table["once"] == max(table.values())


@pytest.mark.parametrize("block_bytes", [1, 7, 40, 1 << 20])
@pytest.mark.parametrize("threads", [1, 2, 4, None])
def test_fit_in_blocks_and_threads(block_bytes, threads):
    with blocks_of(block_bytes):
        for source in (CORPUS, iter(CORPUS), tx.TextColumn(CORPUS)):
            check_fit(tx.IdfTable.fit(source, threads=threads), expected_of(CORPUS))


@pytest.mark.parametrize(
    "tokenizer",
    [
        tx.GraphemeTokenizer(),
        tx.ShingleTokenizer(k=2),
        tx.CharShingleTokenizer(k=2),
        tx.CallableTokenizer(str.split, name="w"),
    ],
    ids=lambda tokenizer: tokenizer.name,
)
def test_fit_other_tokens(tokenizer):
    canonicalizer = tx.Canonicalizer(case_fold="none")
    table = tx.IdfTable.fit(CORPUS, tokenizer, canonicalizer=canonicalizer)
    check_fit(table, expected_of(CORPUS, tokenizer, canonicalizer))


def test_fit_many_tokens():
    """More tokens than the first table has room for, in many blocks."""
    chance = np.random.default_rng(3)
    corpus = [" ".join(f"w{n}" for n in chance.integers(0, 6_000, 40)) for _ in range(1_500)]
    with blocks_of(10_000):
        check_fit(tx.IdfTable.fit(corpus), expected_of(corpus))


def test_fit_nothing():
    for corpus in ([], [None, ""], iter([])):
        assert len(tx.IdfTable.fit(corpus)) == 0


def test_fit_errors():
    with pytest.raises(tx.ConfigError, match="tokenizer must be a tokenizer, got str"):
        tx.IdfTable.fit(CORPUS, "words")
    with pytest.raises(tx.ConfigError, match="threads must be"):
        tx.IdfTable.fit(CORPUS, threads=0)
    with pytest.raises(tx.InvalidInputError, match="got int") as caught:
        tx.IdfTable.fit(["a", 3])
    assert caught.value.row == 1
    with pytest.raises(tx.InvalidInputError, match="invalid UTF-8"):
        tx.IdfTable.fit([b"\xff"])
    assert list(tx.IdfTable.fit([b"\xff a"], errors="replace")) == ["a"]

    def picky(text):
        return 1 // (text != "x") and text.split()

    with blocks_of(1), pytest.raises(tx.TokenizerError) as caught:
        tx.IdfTable.fit(["a", "b", "x"], tx.CallableTokenizer(picky, name="picky"))
    assert caught.value.row == 2


def test_fit_checks_the_canonicalizer():
    with pytest.raises(tx.ConfigError, match="canonicalizer must be a Canonicalizer, got str"):
        tx.IdfTable.fit(CORPUS, canonicalizer="nfkc")


def test_fit_progress():
    seen = []
    with blocks_of(1 << 20):
        tx.IdfTable.fit(CORPUS, progress=lambda *done: seen.append(done))
    assert seen[-1][0] == len(CORPUS)


def test_fitted_table_in_use():
    table = tx.IdfTable.fit(CORPUS)
    fp = tx.SimHashFingerprinter(weighting=table)
    tokens = ["fox", "once", "unknown", "fox"]
    assert [int(fp.fingerprint(" ".join(tokens)))] == oracle.simhash(tokens, "idf", idf=dict(table))
    assert fp.config_hash == tx.SimHashFingerprinter(weighting=tx.IdfTable(dict(table))).config_hash
