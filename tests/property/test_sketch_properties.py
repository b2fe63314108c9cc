"""Invariants of signatures.

1. MinHash equals the oracle for any tokens, number of slots, family and seed.
2. MinHash depends on the set of tokens: neither order nor repetition matters.
3. ``merge`` of signatures is the signature of the union: commutative, associative, idempotent.
4. SimHash equals the oracle for any tokens, weighting, width, tie, family and seed.
5. SimHash does not depend on the order of tokens; with uniform weights not on their number.
6. The same tokens reach the hash online as offline, and give the same record, however the bytes are cut:
   inside a code point, a combining sequence, a word, a CRLF, a shingle; for all tokenizers and canonicalisers.
7. A column is its documents, whatever the size of blocks and the number of threads.
8. ``fingerprint_many`` gives what separate calls give.
9. ``IdfTable.fit`` equals the oracle, whatever the size of blocks and the number of threads.
10. The estimate of the Jaccard similarity has no bias, and the variance of a binomial distribution.
11. A document that is cut into pieces gives the same tokens and the same record, wherever the cuts may fall.
"""

import itertools
import math
import random

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracles import sketches as oracle
from support import blocks_of

import txtfp_np as tx
from txtfp_np.sketch import giant, run, streaming

LINES = tx.CallableTokenizer(str.splitlines, name="lines")
PLAIN = tx.Canonicalizer(normalization="none", case_fold="none", strip_bidi=False, strip_format=False)
FAMILIES = ["xxh3_64", "murmur3_x64_128"]

words = st.text("abcdefgh éß漢\u0301\U0001f600", min_size=1, max_size=40)
token_lists = st.lists(words, min_size=1, max_size=40)
seeds = st.one_of(st.sampled_from([0, 1, 2**32 - 1, tx.DEFAULT_SEED, 2**64 - 1]), st.integers(0, 2**64 - 1))
# What takes 128, 32, 8 and single slots at a time, in all combinations, and anything.
slot_counts = st.one_of(
    st.sampled_from([1, 7, 8, 9, 31, 32, 40, 41, 127, 128, 129, 161, 169, 296, 300]), st.integers(1, 400)
)


def minhasher(**options):
    return tx.MinHashFingerprinter(PLAIN, LINES, **options)


def simhasher(**options):
    return tx.SimHashFingerprinter(PLAIN, LINES, **options)


def joined(tokens):
    """A document whose lines are the tokens."""
    return "\n".join(tokens)


# 1
@settings(max_examples=120)
@given(token_lists, slot_counts, st.sampled_from(FAMILIES), seeds)
@example(["a"], 4096, "xxh3_64", 0)
@example(["a", "b"] * 300, 128, "xxh3_64", tx.DEFAULT_SEED)
def test_minhash_equals_the_oracle(tokens, h, family, seed):
    fp = minhasher(h=h, hasher=family, seed=seed)
    expected = oracle.minhash(dict.fromkeys(tokens), h, family, seed)
    assert fp.fingerprint(joined(tokens)).tobytes() == oracle.record(expected)
    column = fp.fingerprint(["x", joined(tokens), "y"])
    assert column[1].tobytes() == oracle.record(expected)
    assert column[0].tobytes() == oracle.record(oracle.minhash(["x"], h, family, seed))


@pytest.mark.parametrize("value", [0, 1, 2**63 - 1, 2**63, 2**64 - 1, 2**64, 2**127, 2**128 - 1, (1 << 64) + 2**63])
@pytest.mark.parametrize("h", [1, 8, 39, 128, 171])
def test_minhash_at_the_edges_of_64_bits(value, h):
    """Minima are unsigned, products wrap around."""
    values = {b"a": value, b"b": 2**128 - 1 - value, b"c": 2**63}
    fp = minhasher(h=h, hasher=values.__getitem__)
    for tokens in ("a", "ab", "ba", "abc"):
        expected = oracle.minhash(tokens, h, values.__getitem__)
        assert fp.fingerprint(joined(tokens))["hashes"].tolist() == expected


# 2
@settings(max_examples=60)
@given(token_lists, st.randoms(use_true_random=False), st.integers(1, 140))
def test_minhash_ignores_order_and_repetition(tokens, chance, h):
    shuffled = tokens + chance.choices(tokens, k=chance.randrange(40))
    chance.shuffle(shuffled)
    fp = minhasher(h=h)
    assert fp.fingerprint(joined(tokens)) == fp.fingerprint(joined(shuffled))


# 3
@settings(max_examples=60)
@given(st.lists(token_lists, min_size=2, max_size=5), st.integers(1, 140), st.randoms(use_true_random=False))
def test_merge_is_the_union(documents, h, chance):
    fp = minhasher(h=h)
    records = fp.fingerprint(list(map(joined, documents)))
    union = fp.fingerprint(joined([token for tokens in documents for token in tokens]))
    merged = tx.merge(*records)
    assert merged == union
    slots = [oracle.minhash(tokens, h) for tokens in documents]
    assert merged.tobytes() == oracle.record(oracle.merge(*slots))
    order = list(records)
    chance.shuffle(order)
    left = order[0]
    for record in order[1:]:
        left = tx.merge(left, record)
    assert left == union
    assert tx.merge(union, union) == union
    assert tx.merge(union, tx.empty_signature(h)) == union
    assert np.array_equal(tx.merge(records, union), np.full(len(records), union))


# 4
weights = st.one_of(
    st.sampled_from([0.0, -0.0, 0.1, 0.999, 1.0, -1.5, 1e15, 1e16, -1e16, 3e38, 1e39, math.inf, -math.inf, math.nan]),
    st.floats(-50, 50),
)


@st.composite
def simhash_cases(draw):
    tokens = draw(token_lists)
    weighting = draw(st.sampled_from(["tf", "uniform", "idf"]))
    idf = draw(st.dictionaries(st.one_of(st.sampled_from(tokens), words), weights, max_size=10))
    bits = draw(st.sampled_from([32, 64, 128, 256]))
    family = draw(st.sampled_from([*FAMILIES, "xxh64"] if bits <= 64 else FAMILIES))
    return tokens, weighting, bits, draw(st.sampled_from(["zero", "one"])), family, draw(seeds), idf


def words_of(record):
    return np.atleast_1d(record).tolist()


@settings(max_examples=200)
@given(simhash_cases())
@example((["a", "b"], "tf", 256, "one", "xxh3_64", 2**64 - 1, {}))
@example((["a", "b"] * 400 + ["c"], "tf", 64, "zero", "xxh3_64", 0, {}))
@example((["a", "b"] * 400 + ["c"], "idf", 128, "one", "murmur3_x64_128", 0, {"a": 1.25}))
def test_simhash_equals_the_oracle(case):
    tokens, weighting, bits, tie, family, seed, idf = case
    table = tx.IdfTable(idf) if weighting == "idf" else weighting
    fp = simhasher(weighting=table, bits=bits, tie=tie, hasher=family, seed=seed)
    # Lines are the tokens: none may be split by the tokenizer.
    expected = oracle.simhash(tokens, weighting, bits, tie, family, seed, idf)
    assert words_of(fp.fingerprint(joined(tokens))) == expected
    assert words_of(fp.fingerprint(["x", joined(tokens), "y z"])[1]) == expected


@settings(max_examples=60)
@given(st.integers(1, 1100), st.integers(0, 2**64 - 1), st.sampled_from(["zero", "one"]))
def test_many_votes(n, pattern, tie):
    """Counters of bytes are emptied in time, whatever the number of tokens."""
    values = [pattern if i % 3 else i * 0x9E3779B97F4A7C15 & oracle.MASK for i in range(n)]
    tokens = [str(i) for i in range(n)]
    hasher = lambda token: values[int(token)]  # noqa: E731
    expected = oracle.simhash(tokens, tie=tie, family=hasher)
    assert words_of(simhasher(tie=tie, hasher=hasher).fingerprint(joined(tokens))) == expected


# 5
@settings(max_examples=60)
@given(token_lists, st.randoms(use_true_random=False), st.sampled_from([32, 64, 128, 256]))
def test_simhash_ignores_order(tokens, chance, bits):
    shuffled = list(tokens)
    chance.shuffle(shuffled)
    for weighting in ("tf", "uniform", tx.IdfTable({tokens[0]: 2.5})):
        fp = simhasher(weighting=weighting, bits=bits)
        assert words_of(fp.fingerprint(joined(tokens))) == words_of(fp.fingerprint(joined(shuffled)))
    fp = simhasher(weighting="uniform", bits=bits)
    assert words_of(fp.fingerprint(joined(tokens))) == words_of(fp.fingerprint(joined([*shuffled, *tokens])))


# 6
CANONICALIZERS = [
    tx.Canonicalizer(normalization=form, case_fold=fold, strip_bidi=bidi, strip_format=fmt, apply_confusable=conf)
    for form, fold, bidi, fmt, conf in itertools.product(
        ("nfkc", "nfc", "none"), ("simple", "none"), (False, True), (False, True), (False, True)
    )
]
BASE_TOKENIZERS = [tx.WordTokenizer(), tx.GraphemeTokenizer()]
TOKENIZERS = [
    *BASE_TOKENIZERS,
    *(tx.ShingleTokenizer(k=k, inner=inner) for k in (0, 1, 2, 5) for inner in BASE_TOKENIZERS),
    *(tx.CharShingleTokenizer(k=k) for k in (0, 1, 3, 8)),
    tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=3)),
    tx.ShingleTokenizer(k=3, inner=tx.ShingleTokenizer(k=2, inner=tx.GraphemeTokenizer())),
    tx.ShingleTokenizer(k=2, inner=tx.CharShingleTokenizer(k=2)),
]
PIECES = [
    *("a", "B", "word", "can't", "e\u0301", "\u0301", "\u0323\u0301", "\u0344", "\u0345", "\u0f73\u0f71", " ", "\n"),
    *("\r", "\r\n", ".", ":", ",", "'", '"', "3.14", "1", "_", "-", "\u00ad", "\u200d", "\u200b", "\u202e", "\u2060"),
    *("\ufe0f", "\ufeff", "\u061c", "ß", "ẞ", "İ", "ﬁ", "½", "①", "\ufdfa", "\u1100", "\u1161", "\u11a8", "\uac00"),
    *("한", "カ", "ｶ\uff9e", "漢", "ひ", "ไ", "א", "\u05b0", "\u0915\u094d", "\u0937", "\u093c", "\u0600", "\u0903"),
    *("\U0001f468\u200d\U0001f469", "\U0001f1e9", "\U0001f3fd", "\U0001f600", "\u2139", "\u24c2", "\U0001d15e", "0"),
    *("\u0dd9", "\u0dcf", "\u0dca", "\u1b06\u1b35", "\U00011131", "\U00011127", "\u00c5", "\u212b", "\u03a3", "\x00"),
    *("m", "  "),
]
texts = st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=3)), max_size=40).map("".join)


class Recorder:
    """A hash function that remembers what it was given."""

    name = "recorder"

    def __init__(self):
        self.tokens = []

    def __call__(self, token):
        self.tokens.append(token)
        return hash_of(token)


def hash_of(token):
    low, high = oracle.murmur3_x64_128(token, 0)
    return low | high << 64


def outcome(f):
    """A record's bytes, or the text of the error."""
    try:
        return f().tobytes()
    except tx.InvalidInputError as error:
        return str(error)


def stream_in_pieces(stream, data, cuts):
    bounds = [0, *sorted(cuts), len(data)]
    for start, end in itertools.pairwise(bounds):
        stream.update(data[start:end])


def check_online(fp, streamer, text, cuts, step):
    offline, online = Recorder(), Recorder()
    expected = outcome(lambda: fp.replace(hasher=offline).fingerprint(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "_STEP_BYTES", step)
        stream = streamer(fp.replace(hasher=online), max_bytes=None)
        stream_in_pieces(stream, text.encode(), cuts)
        assert outcome(stream.finalize) == expected
    assert online.tokens == offline.tokens


@st.composite
def cut_texts(draw):
    text = draw(texts)
    n = len(text.encode())
    return text, draw(st.lists(st.integers(0, n), max_size=12))


@settings(max_examples=500)
@given(
    cut_texts(),
    st.sampled_from(CANONICALIZERS),
    st.sampled_from(TOKENIZERS),
    st.one_of(st.integers(4, 16), st.integers(17, 200)),
    st.booleans(),
)
@example(("e\u0301\u0323", [1, 2]), CANONICALIZERS[0], TOKENIZERS[0], 4, True)
@example(("a\r\nb", [2]), CANONICALIZERS[0], TOKENIZERS[1], 4, True)
@example(("\U0001f1e9" * 9, [3, 5, 9]), CANONICALIZERS[-1], TOKENIZERS[1], 4, False)
def test_online_equals_offline(cut_text, canonicalizer, tokenizer, step, is_minhash):
    text, cuts = cut_text
    if is_minhash:
        check_online(tx.MinHashFingerprinter(canonicalizer, tokenizer, h=8), tx.MinHashStreaming, text, cuts, step)
    else:
        check_online(tx.SimHashFingerprinter(canonicalizer, tokenizer), tx.SimHashStreaming, text, cuts, step)


@pytest.mark.parametrize("tokenizer", TOKENIZERS, ids=lambda tokenizer: tokenizer.name)
def test_online_for_every_canonicalizer_and_step(tokenizer):
    """Random orders of all pieces, byte by byte, so that every kind of neighbours meets every kind of cut."""
    chance = random.Random(tokenizer.name)
    for number, canonicalizer in enumerate(CANONICALIZERS):
        text = "".join(chance.sample(PIECES, len(PIECES)))
        cuts = range(len(text.encode())) if number % 3 == 0 else chance.sample(range(len(text.encode())), 5)
        fp = tx.MinHashFingerprinter(canonicalizer, tokenizer, h=8)
        check_online(fp, tx.MinHashStreaming, text, cuts, chance.choice([4, 5, 7, 8, 16, 33, 64]))


@settings(max_examples=150)
@given(cut_texts(), st.data())
def test_online_simhash_of_every_kind(cut_text, data):
    text, cuts = cut_text
    table = tx.IdfTable({"a": 2.5, "word": -1.0, "e": 0.5, "漢": 3.0})
    fp = tx.SimHashFingerprinter(
        tokenizer=data.draw(st.sampled_from([*BASE_TOKENIZERS, tx.CharShingleTokenizer(k=1)])),
        weighting=data.draw(st.sampled_from(["tf", "uniform", table])),
        bits=data.draw(st.sampled_from([32, 64, 128, 256])),
        tie=data.draw(st.sampled_from(["zero", "one"])),
        hasher=data.draw(st.sampled_from(FAMILIES)),
    )
    expected = outcome(lambda: fp.fingerprint(text))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "_STEP_BYTES", data.draw(st.integers(4, 40)))
        for max_bytes in (None, 10_000):
            stream = tx.SimHashStreaming(fp, max_bytes=max_bytes)
            stream_in_pieces(stream, text.encode(), cuts)
            assert outcome(stream.finalize) == expected


# 7
def in_blocks_of(n_bytes):
    patch = pytest.MonkeyPatch()
    patch.setattr(run, "SKETCH_BLOCK_BYTES", n_bytes)
    return patch


SKETCHES = [
    tx.MinHashFingerprinter(h=20, tokenizer=tx.ShingleTokenizer(k=2)),
    tx.SimHashFingerprinter(),
    tx.SimHashFingerprinter(weighting="uniform", bits=256, tie="one"),
    tx.SimHashFingerprinter(weighting=tx.IdfTable({"word": 2.5, "a": 0.3}), bits=32),
]


@settings(max_examples=100)
@given(
    st.lists(st.one_of(texts, st.none(), st.just("")), max_size=14),
    st.sampled_from(SKETCHES),
    st.one_of(st.integers(1, 40), st.integers(41, 2_000)),
    st.integers(1, 4),
)
def test_column_is_its_documents(documents, fp, block_bytes, threads):
    singles = [fp.fingerprint(text or "", on_empty="mask") for text in documents]
    patch = in_blocks_of(block_bytes)
    try:
        for given_texts in (documents, iter(documents), tx.TextColumn(documents)):
            records, ok = fp.fingerprint(given_texts, on_empty="mask", threads=threads)
            assert ok.tolist() == [bool(signed) for _, signed in singles]
            assert records.tobytes() == b"".join(record.tobytes() for record, _ in singles)
    finally:
        patch.undo()


@pytest.mark.parametrize("fp", SKETCHES, ids=lambda fp: fp.algorithm[:16])
def test_every_block_size_and_thread_count(fp):
    documents = ["a b", "", None, "can't", "e\u0301" * 9, "x y " * 40, "\u0915\u094d", "!", "한 カナ", "3.", "a word"]
    column = tx.TextColumn(documents)
    expected, signed = fp.fingerprint(documents, on_empty="mask", threads=1)
    for block_bytes in [*range(1, 30), *range(30, column.nbytes + 20, 23)]:
        patch = in_blocks_of(block_bytes)
        try:
            for threads in (1, 2, 4):
                records, ok = fp.fingerprint(column, on_empty="mask", threads=threads)
                assert records.tobytes() == expected.tobytes()
                assert np.array_equal(ok, signed)
                if block_bytes == 1:
                    with pytest.raises(tx.InvalidInputError) as caught:
                        fp.fingerprint(column, threads=threads)
                    assert caught.value.row == 1
        finally:
            patch.undo()


# 8
@settings(max_examples=60)
@given(
    st.one_of(texts, st.lists(texts, max_size=8)),
    st.lists(st.sampled_from([*SKETCHES, *(fp.replace(canonicalizer=PLAIN) for fp in SKETCHES)]), max_size=6),
    st.sampled_from([1, 20, 1 << 18]),
    st.integers(1, 3),
)
def test_many_is_separate_calls(given_texts, fingerprinters, block_bytes, threads):
    separate = [fp.fingerprint(given_texts, on_empty="mask") for fp in fingerprinters]
    patch = in_blocks_of(block_bytes)
    try:
        together = tx.fingerprint_many(given_texts, fingerprinters, on_empty="mask", threads=threads)
    finally:
        patch.undo()
    for (records, ok), (wanted, signed) in zip(together, separate, strict=True):
        assert records.tobytes() == wanted.tobytes()
        assert (records.dtype, records.shape) == (wanted.dtype, wanted.shape)
        assert np.array_equal(ok, signed)


# 9
@settings(max_examples=80)
@given(
    st.lists(st.lists(st.sampled_from(["a", "b", "cc", "é", "word", "x y"]), max_size=12), max_size=12),
    st.integers(1, 60),
    st.integers(1, 3),
)
def test_fitted_weights(documents, block_bytes, threads):
    expected = oracle.fit_idf(documents)
    with blocks_of(block_bytes):
        table = tx.IdfTable.fit(map(joined, documents), LINES, canonicalizer=PLAIN, threads=threads)
    assert list(table) == list(expected)
    assert dict(table) == pytest.approx(expected, rel=1e-7)


# 10
def made_up_text(chance, vocabulary, n):
    return [vocabulary[min(int(chance.paretovariate(0.9)) - 1, len(vocabulary) - 1)] for _ in range(n)]


def edited(chance, tokens, vocabulary, share):
    return [chance.choice(vocabulary) if chance.random() < share else token for token in tokens]


def jaccard_of_sets(a, b):
    return len(a & b) / len(a | b)


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("h", [64, 128, 256])
def test_estimates_stay_within_their_bounds(family, h):
    """400 pairs of Zipf-like texts, one an edit of the other: no bias, and no more variance than the binomial.

    Each pair has a seed of its own. With one seed for all the errors of pairs would not be independent:
    frequent shingles stand in every text, and a slot that one of them decides is decided in all pairs.

    Single pairs have no limit of five standard deviations. The slots of one signature, ``low + i * high``,
    are not independent: mean and variance are those of the binomial distribution, but its tails are heavier
    (kurtosis up to 3, deviations up to 8, with ideal random hashes as well). Hence a limit for their share.
    """
    chance = random.Random(20)
    vocabulary = ["".join(chance.choices("etaoinshrdlu", k=chance.randint(2, 9))) for _ in range(3_000)]
    fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2), h=h, hasher=family)
    exact, estimate = [], []
    for seed in range(400):
        tokens = made_up_text(chance, vocabulary, 250)
        pair = [" ".join(tokens), " ".join(edited(chance, tokens, vocabulary, chance.random() * 0.6))]
        exact.append(jaccard_of_sets(*map(set, fp.tokenizer.tokens(pair))))
        estimate.append(float(tx.jaccard(*fp.replace(seed=seed).fingerprint(pair))))
    exact, estimate = np.array(exact), np.array(estimate)
    assert exact.min() < 0.2
    assert exact.max() > 0.8
    variance = exact * (1 - exact) / h
    deviations = (estimate - exact)[variance > 0] / np.sqrt(variance[variance > 0])
    assert len(deviations) > 390
    assert np.array_equal(estimate[variance == 0], exact[variance == 0])
    assert abs((estimate - exact).sum()) < 5 * math.sqrt(variance.sum())
    # The mean of n squares is 1; its own variance is (kurtosis + 2) / n.
    assert abs(np.mean(deviations**2) - 1) < 5 * math.sqrt((3 + 2) / len(deviations))
    assert np.mean(np.abs(deviations) > 4) < 0.02


# 11
@settings(max_examples=400)
@given(
    st.one_of(texts, st.lists(texts, max_size=6).map(" ".join)),
    st.sampled_from(CANONICALIZERS),
    st.sampled_from(TOKENIZERS),
    st.integers(1, 60),
    st.integers(1, 30),
    st.integers(1, 3),
)
def test_pieces_of_a_document(text, canonicalizer, tokenizer, piece_bytes, ahead_bytes, threads):
    minhash = tx.MinHashFingerprinter(canonicalizer, tokenizer, h=8)
    others = [
        tx.SimHashFingerprinter(canonicalizer, tokenizer, weighting=weighting, bits=256)
        for weighting in ("tf", "uniform", tx.IdfTable({"a": 2.5, "word": -1.0}))
    ]
    expected = [fp.fingerprint(text, on_empty="mask") for fp in (minhash, *others)]
    whole, cut = Recorder(), Recorder()
    minhash.replace(hasher=whole).fingerprint(text, on_empty="mask")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "GIANT_BYTES", 1)
        patch.setattr(giant, "GIANT_BYTES", 1)
        patch.setattr(giant, "PIECE_BYTES", piece_bytes)
        patch.setattr(giant, "AHEAD_BYTES", ahead_bytes)
        patch.setattr(run, "SKETCH_BLOCK_BYTES", 1)
        minhash.replace(hasher=cut).fingerprint(text, on_empty="mask", threads=1)
        for fp, (record, ok) in zip((minhash, *others), expected, strict=True):
            found, signed = fp.fingerprint(text, on_empty="mask", threads=threads)
            assert (found.tobytes(), signed) == (record.tobytes(), ok)
            column, mask = fp.fingerprint(["x y", text, "z"], on_empty="mask", threads=threads)
            assert (column[1].tobytes(), mask[1]) == (record.tobytes(), ok)
        together = tx.fingerprint_many(text, [minhash, *others], on_empty="mask", threads=threads)
        assert [record.tobytes() for record, _ in together] == [record.tobytes() for record, _ in expected]
    assert cut.tokens == whole.tokens
