"""SimHashFingerprinter: options, identity, widths, ties, weights, ``out``, empty documents."""

import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError

import numpy as np
import pytest
from oracles import sketches as oracle

import txtfp_np as tx

TEXTS = ["the quick brown fox jumps over the lazy dog", "Ünïcödé 漢字 かな", "a", "x y z " * 50]
FP = tx.SimHashFingerprinter()
TABLE = tx.IdfTable({"the": 0.25, "fox": 3.9, "x": -2.0})
WIDTHS = [32, 64, 128, 256]
SHAPES = {32: ("<u4", ()), 64: ("<u8", ()), 128: ("<u8", (2,)), 256: ("<u8", (4,))}


def own_hash(data):
    return oracle.murmur3_x64_128(data, 7)[0] | oracle.murmur3_x64_128(data, 8)[0] << 64


def words_of(record):
    return np.atleast_1d(record).tolist()


# ── options ─────────────────────────────────────────────────────────────────────────────────────
def test_defaults():
    assert FP.canonicalizer == tx.Canonicalizer()
    assert FP.tokenizer == tx.WordTokenizer()
    assert (FP.weighting, FP.bits, FP.tie) == (tx.Weighting.TF, 64, tx.Tie.ZERO)
    assert (FP.hasher, FP.seed) == (tx.HashFamily.XXH3_64, tx.DEFAULT_SEED)
    assert FP.dtype == tx.SimHash64
    assert isinstance(FP, tx.Fingerprinter)


@pytest.mark.parametrize(
    ("options", "argument", "message"),
    [
        ({"bits": 48}, "bits", "bits must be 32, 64, 128 or 256, got 48"),
        ({"bits": 0}, "bits", "got 0"),
        ({"bits": "64"}, "bits", "got '64'"),
        ({"bits": None}, "bits", "got None"),
        ({"bits": True}, "bits", "got True"),
        ({"tie": "both"}, "tie", "tie must be 'zero' or 'one', got 'both'"),
        ({"tie": 1}, "tie", "got 1"),
        ({"weighting": "idf"}, "weighting", "weighting must be 'tf' or 'uniform', got 'idf'"),
        ({"weighting": {"a": 1.0}}, "weighting", "got {'a': 1.0}"),
        ({"weighting": None}, "weighting", "got None"),
        ({"seed": 2**64}, "seed", "seed must be an int of 64 bits"),
        ({"seed": -1}, "seed", "got -1"),
        ({"hasher": "sha1"}, "hasher", "got 'sha1'"),
        ({"hasher": "xxh64", "bits": 128}, "hasher", "hasher 'xxh64' has 64 bits, bits is 128"),
        ({"hasher": "xxh64", "bits": 256}, "hasher", "bits is 256"),
        ({"hasher": own_hash, "bits": 256}, "hasher", "a function gives 128 bits at the most, bits is 256"),
        ({"canonicalizer": 1}, "canonicalizer", "canonicalizer must be a Canonicalizer, got int"),
        ({"tokenizer": 1}, "tokenizer", "tokenizer must be a tokenizer, got int"),
    ],
)
def test_bad_options(options, argument, message):
    for make in (lambda: tx.SimHashFingerprinter(**options), lambda: FP.replace(**options)):
        with pytest.raises(tx.ConfigError) as caught:
            make()
        assert message in str(caught.value)
        assert caught.value.argument == argument


def test_options_are_keywords():
    with pytest.raises(TypeError):
        tx.SimHashFingerprinter(tx.Canonicalizer(), tx.WordTokenizer(), "tf")
    with pytest.raises(TypeError, match="nonsense"):
        FP.replace(nonsense=1)


def test_names_and_members_are_the_same():
    named = tx.SimHashFingerprinter(weighting="uniform", tie="one", hasher="mmh3-x64-128", bits=np.int64(128))
    members = tx.SimHashFingerprinter(
        weighting=tx.Weighting.UNIFORM, tie=tx.Tie.ONE, hasher=tx.HashFamily.MURMUR3_X64_128, bits=128
    )
    assert named == members
    assert hash(named) == hash(members)
    assert type(named.bits) is int


# ── a value object ──────────────────────────────────────────────────────────────────────────────
def test_frozen_hashable_equal():
    for options in ({}, {"weighting": TABLE}, {"bits": 256}, {"hasher": own_hash}):
        fp, same = tx.SimHashFingerprinter(**options), tx.SimHashFingerprinter(**options)
        assert fp == same
        assert hash(fp) == hash(same)
        assert fp != fp.replace(tie="one")
        with pytest.raises(FrozenInstanceError):
            fp.bits = 128
    equal = tx.IdfTable({"x": -2.0, "fox": 3.9, "the": 0.25})
    assert tx.SimHashFingerprinter(weighting=TABLE) == tx.SimHashFingerprinter(weighting=equal)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    for options in ({}, {"weighting": TABLE, "tie": "one"}, {"bits": 256}, {"hasher": own_hash}):
        fp = tx.SimHashFingerprinter(**options)
        fp.fingerprint("warm it up")
        copy = pickle.loads(pickle.dumps(fp, protocol))
        assert copy == fp
        assert copy.config_hash == fp.config_hash
        assert words_of(copy.fingerprint("the fox")) == words_of(fp.fingerprint("the fox"))


@pytest.mark.parametrize("options", [{}, {"weighting": TABLE, "bits": 128}], ids=str)
def test_one_object_on_eight_threads(options):
    fp = tx.SimHashFingerprinter(**options)
    texts = [f"{text} {number}" for number in range(50) for text in TEXTS]
    with ThreadPoolExecutor(8) as pool:  # the first call of all fills the table's cache
        columns = list(pool.map(lambda threads: fp.fingerprint(texts, threads=threads).tobytes(), [1, 2] * 8))
        singles = list(pool.map(fp.fingerprint, texts))
    expected = tx.SimHashFingerprinter(**options).fingerprint(texts, threads=1).tobytes()
    assert set(columns) == {expected}
    assert b"".join(record.tobytes() for record in singles) == expected


def test_replace():
    fp = FP.replace(bits=128, tie="one")
    assert (fp.bits, fp.tie, fp.weighting) == (128, "one", "tf")
    assert (FP.bits, FP.tie) == (64, "zero")
    assert type(fp) is tx.SimHashFingerprinter


# ── identity ────────────────────────────────────────────────────────────────────────────────────
def test_config_hash_is_pinned():
    """Users store it: a change of these numbers orphans what they have."""
    assert FP.config_hash == 0xCD2B56B620C8DD97
    assert FP.config_hash == tx.config_hash_classical(
        tx.Canonicalizer(), "word-uax29", "simhash-b64-tf", "xxh3_64", tx.DEFAULT_SEED
    )


def test_algorithm_names_every_option():
    assert FP.algorithm == "simhash-b64-tf"
    assert FP.replace(weighting="uniform", bits=128).algorithm == "simhash-b128-uniform"
    assert FP.replace(tie="one").algorithm == "simhash-b64-tf-tie-one"
    assert FP.replace(weighting=TABLE, bits=32).algorithm == f"simhash-b32-idf:{TABLE.digest}"


BYTE_CHANGING = [
    {},
    {"bits": 32},
    {"bits": 128},
    {"bits": 256},
    {"tie": "one"},
    {"weighting": "uniform"},
    {"weighting": TABLE},
    {"weighting": tx.IdfTable({"the": 0.25, "fox": 3.9, "x": 2.0})},
    {"weighting": tx.IdfTable({})},
    {"seed": 0},
    {"hasher": "murmur3_x64_128"},
    {"hasher": "xxh64"},
    {"hasher": own_hash},
    {"tokenizer": tx.GraphemeTokenizer()},
    {"tokenizer": tx.CallableTokenizer(str.split, name="v1")},
    {"canonicalizer": tx.Canonicalizer(normalization="none")},
    {"canonicalizer": tx.Canonicalizer(apply_confusable=True)},
]


def test_config_hash_tells_options_apart():
    hashes = [FP.replace(**options).config_hash for options in BYTE_CHANGING]
    assert len(set(hashes)) == len(BYTE_CHANGING)
    assert tx.MinHashFingerprinter(tokenizer=tx.WordTokenizer()).config_hash not in hashes


def test_what_does_not_change_bytes():
    expected, before = FP.fingerprint(TEXTS), FP.config_hash
    for options in ({"threads": 1}, {"threads": 4}, {"progress": lambda done, total: None}):
        assert np.array_equal(FP.fingerprint(TEXTS, **options), expected)
    assert FP.config_hash == before


@pytest.mark.parametrize("bits", WIDTHS)
def test_metadata(bits):
    fp = FP.replace(bits=bits)
    found = fp.metadata()
    assert found.algorithm == f"simhash-b{bits}-tf"
    assert (found.config_hash, found.model_id, found.schema_version) == (fp.config_hash, None, 1)
    assert found.byte_size == bits // 8 == fp.fingerprint("a").nbytes


# ── widths ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("weighting", ["tf", "uniform", TABLE], ids=["tf", "uniform", "idf"])
@pytest.mark.parametrize("tie", ["zero", "one"])
def test_shape_and_bytes(bits, weighting, tie):
    fp = FP.replace(bits=bits, weighting=weighting, tie=tie)
    dtype, item = SHAPES[bits]
    found = fp.fingerprint(TEXTS)
    assert (found.dtype, found.shape) == (np.dtype(dtype), (4, *item))
    assert found.flags.c_contiguous
    assert found.flags.writeable
    kind = weighting if isinstance(weighting, str) else "idf"
    for text, row in zip(TEXTS, found, strict=True):
        tokens = fp.tokenizer.tokens(fp.canonicalizer.canonicalize(text))
        assert words_of(row) == oracle.simhash(tokens, kind, bits, tie, idf=dict(TABLE))
        single = fp.fingerprint(text)
        assert (single.dtype, single.shape) == (row.dtype, row.shape)
        assert words_of(single) == words_of(row)


def test_types_of_single_results():
    assert type(FP.replace(bits=32).fingerprint("a")) is np.uint32
    assert type(FP.fingerprint("a")) is np.uint64
    assert type(FP.replace(bits=128).fingerprint("a")) is np.ndarray


@pytest.mark.parametrize("weighting", ["tf", "uniform", TABLE], ids=["tf", "uniform", "idf"])
@pytest.mark.parametrize("family", ["xxh3_64", "murmur3_x64_128"])
def test_widths_hold_each_other(weighting, family):
    narrow, plain, wide, widest = (
        FP.replace(bits=bits, weighting=weighting, hasher=family).fingerprint(TEXTS) for bits in WIDTHS
    )
    assert np.array_equal(narrow, (plain & np.uint64(0xFFFFFFFF)).astype(np.uint32))
    assert np.array_equal(wide[:, 0], plain)
    assert np.array_equal(widest[:, :2], wide)


@pytest.mark.parametrize("seed", [0, tx.DEFAULT_SEED, 2**64 - 1])
@pytest.mark.parametrize("weighting", ["tf", "uniform"])
def test_upper_words_are_of_the_next_seed(seed, weighting):
    """Words 2 and 3 are those of seed + 1, which wraps around."""
    widest = FP.replace(bits=256, seed=seed, weighting=weighting).fingerprint(TEXTS)
    following = FP.replace(bits=128, seed=(seed + 1) % 2**64, weighting=weighting).fingerprint(TEXTS)
    assert np.array_equal(widest[:, 2:], following)


# ── ties and weights ────────────────────────────────────────────────────────────────────────────
def test_ties():
    """Two tokens with opposite hashes: every bit is a tie."""
    opposite = {b"a": 0x0123456789ABCDEF, b"b": 0xFEDCBA9876543210}.__getitem__
    assert FP.replace(hasher=opposite).fingerprint("a b") == 0
    assert FP.replace(hasher=opposite, tie="one").fingerprint("a b") == 2**64 - 1
    assert FP.replace(hasher=opposite, tie="one", bits=32).fingerprint("a b") == 2**32 - 1
    assert FP.replace(hasher=opposite).fingerprint("a b a") == 0x0123456789ABCDEF
    assert FP.replace(hasher=opposite, weighting="uniform").fingerprint("a b a") == 0


def test_repetition():
    assert FP.fingerprint("a a b") == FP.fingerprint("a")
    uniform = FP.replace(weighting="uniform")
    assert uniform.fingerprint("a a a b") == uniform.fingerprint("a b")
    assert FP.replace(weighting=tx.IdfTable({})).fingerprint("a a b c") == FP.fingerprint("a a b c")


@pytest.mark.parametrize("tie", ["zero", "one"])
def test_weights_that_all_vanish(tie):
    """Not an error, as in the crate: every bit is a tie."""
    fp = FP.replace(weighting=tx.IdfTable({"fox": 0.9}), tie=tie)
    assert fp.fingerprint("fox") == (0 if tie == "zero" else 2**64 - 1)
    _, ok = fp.fingerprint("fox", on_empty="mask")
    assert ok


# ── empty documents ─────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("empty", ["", " ", b"", "...", "\u200b"])
@pytest.mark.parametrize("bits", WIDTHS)
def test_empty_document(empty, bits):
    fp = FP.replace(bits=bits, tie="one")
    with pytest.raises(tx.InvalidInputError) as caught:
        fp.fingerprint(empty)
    assert str(caught.value) == "invalid input: empty document"
    assert caught.value.row is None
    record, ok = fp.fingerprint(empty, on_empty="mask")
    assert not ok
    assert not np.any(record)


@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("tie", ["zero", "one"])
@pytest.mark.parametrize("weighting", ["tf", "uniform", TABLE], ids=["tf", "uniform", "idf"])
def test_empty_rows(bits, tie, weighting):
    fp = FP.replace(bits=bits, tie=tie, weighting=weighting)
    texts = [None, "first", "", "!", float("nan"), "last"]
    with pytest.raises(tx.InvalidInputError) as caught:
        fp.fingerprint(texts)
    assert str(caught.value) == "invalid input: empty document (row 0)"
    records, ok = fp.fingerprint(texts, on_empty="mask")
    assert ok.tolist() == [False, True, False, False, False, True]
    assert not records[~ok].any()
    assert np.array_equal(records[ok], fp.fingerprint(["first", "last"]))


@pytest.mark.parametrize("bits", WIDTHS)
def test_empty_column(bits):
    fp = FP.replace(bits=bits)
    dtype, item = SHAPES[bits]
    for source in ([], iter([]), tx.TextColumn([])):
        records, ok = fp.fingerprint(source, on_empty="mask")
        assert (records.dtype, records.shape) == (np.dtype(dtype), (0, *item))
        assert (ok.dtype, ok.shape) == (np.bool_, (0,))


# ── out ─────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("bits", WIDTHS)
@pytest.mark.parametrize("source", [list, iter], ids=["list", "iterator"])
def test_out(bits, source, tmp_path):
    fp = FP.replace(bits=bits)
    dtype, item = SHAPES[bits]
    out = np.lib.format.open_memmap(tmp_path / "out.npy", "w+", dtype, (4, *item))
    assert fp.fingerprint(source(TEXTS), out=out) is out
    assert np.array_equal(out, fp.fingerprint(TEXTS))


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("bits", "out", "message"),
    [
        (64, np.zeros(4, np.int64), "out must be an array of"),
        (64, np.zeros(4, np.uint32), "out must be an array of"),
        (64, np.zeros(4, ">u8"), "out must be an array of"),
        (64, np.zeros((4, 1), np.uint64), "out must be an array of"),
        (128, np.zeros(4, np.uint64), "out must be an array of"),
        (128, np.zeros((4, 4), np.uint64), "out must be an array of"),
        (32, np.zeros(4, np.uint64), "out must be an array of"),
        (64, np.zeros(3, np.uint64), "out has 3 places, there are 4 documents"),
        (256, np.zeros((5, 4), np.uint64), "out has 5 places, there are 4 documents"),
        (64, read_only(np.zeros(4, np.uint64)), "out must be writeable"),
        (64, "array", "got str"),
    ],
)
def test_bad_out(bits, out, message):
    with pytest.raises(tx.InvalidInputError, match="invalid input: out") as caught:
        FP.replace(bits=bits).fingerprint(TEXTS, out=out)
    assert message in str(caught.value)
    assert caught.value.argument == "out"


def test_no_out_for_a_single_document():
    with pytest.raises(tx.ConfigError, match="out is for columns, one document was given") as caught:
        FP.fingerprint("a", out=np.zeros(1, np.uint64))
    assert caught.value.argument == "out"


# ── hash functions of one's own ─────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("bits", [32, 64, 128])
@pytest.mark.parametrize("weighting", ["tf", "uniform", TABLE], ids=["tf", "uniform", "idf"])
def test_own_hash_function(bits, weighting):
    fp = FP.replace(hasher=own_hash, bits=bits, weighting=weighting)
    kind = weighting if isinstance(weighting, str) else "idf"
    for text in TEXTS:
        tokens = fp.tokenizer.tokens(fp.canonicalizer.canonicalize(text))
        expected = oracle.simhash(tokens, kind, bits, family=own_hash, idf=dict(TABLE))
        assert words_of(fp.fingerprint(text)) == expected
        assert words_of(fp.fingerprint(["x", text])[1]) == expected


def test_own_hash_function_of_64_bits():
    fp = FP.replace(hasher=len, bits=128)
    assert words_of(fp.fingerprint("abc")) == [3, 0]


@pytest.mark.parametrize("value", [-1, 2**128, 0.5, None])
def test_own_hash_function_that_gives_nonsense(value):
    with pytest.raises(tx.InvalidInputError, match="not an int of at most 128 bits") as caught:
        FP.replace(hasher=lambda data: value).fingerprint("fox")
    assert caught.value.argument == "hasher"


ZERO_FOR_A = {b"a": 0, b"bb": 1, b"c": 2, b"d": 1 << 10}.__getitem__


@pytest.mark.parametrize("idf", [{}, {"c": 9.0}, {"a": 1.0, "d": 5.0}], ids=str)
def test_hash_of_zero_with_weights(idf):
    fp = FP.replace(weighting=tx.IdfTable(idf), hasher=ZERO_FOR_A)
    assert words_of(fp.fingerprint("a bb")) == oracle.simhash(["a", "bb"], "idf", family=ZERO_FOR_A, idf=idf)


def test_hash_of_zero_without_weights():
    for weighting in ("tf", "uniform"):
        fp = FP.replace(weighting=weighting, hasher=ZERO_FOR_A)
        expected = oracle.simhash(["a", "bb", "a"], weighting, family=ZERO_FOR_A)
        assert words_of(fp.fingerprint("a bb a")) == expected


def test_failing_tokenizer_names_the_row(monkeypatch):
    def picky(text):
        if "x" in text:
            raise ValueError(text)
        return text.split()

    fp = FP.replace(tokenizer=tx.CallableTokenizer(picky, name="picky"), weighting="uniform")
    for block_bytes in (1, 1 << 18):
        monkeypatch.setattr("txtfp_np.sketch.run.SKETCH_BLOCK_BYTES", block_bytes)
        with pytest.raises(tx.TokenizerError, match="picky failed") as caught:
            fp.fingerprint(iter(["a", "b", "x"]))
        assert caught.value.row == 2
