"""MinHashFingerprinter and merge: options, identity, shapes, ``out``, empty documents."""

import functools
import pickle
from concurrent.futures import ThreadPoolExecutor
from dataclasses import FrozenInstanceError, dataclass

import numpy as np
import pytest
from oracles import sketches as oracle

import txtfp_np as tx

TEXTS = ["the quick brown fox jumps over the lazy dog", "Ünïcödé 漢字 かな", "a", "x y z " * 50]
FP = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2), h=16)
ALL_ONES = 2**64 - 1


def own_hash(data):
    return oracle.murmur3_x64_128(data, 7)[0] | oracle.murmur3_x64_128(data, 8)[0] << 64


def tokens_of(fp, text):
    return fp.tokenizer.tokens(fp.canonicalizer.canonicalize(text))


# ── options ─────────────────────────────────────────────────────────────────────────────────────
def test_defaults():
    fp = tx.MinHashFingerprinter()
    assert fp.canonicalizer == tx.Canonicalizer()
    assert fp.tokenizer == tx.ShingleTokenizer(k=5)
    assert (fp.h, fp.hasher, fp.seed) == (128, tx.HashFamily.XXH3_64, tx.DEFAULT_SEED)
    assert fp.dtype == tx.minhash_dtype(128)
    assert isinstance(fp, tx.Fingerprinter)


@pytest.mark.parametrize(
    ("options", "argument", "message"),
    [
        ({"h": 0}, "h", "h must be an int >= 1 and <= 4096, got 0"),
        ({"h": 4097}, "h", "got 4097"),
        ({"h": -1}, "h", "got -1"),
        ({"h": 8.0}, "h", "got 8.0"),
        ({"h": True}, "h", "got True"),
        ({"h": "8"}, "h", "got '8'"),
        ({"seed": 2**64}, "seed", "seed must be an int of 64 bits, got 18446744073709551616"),
        ({"seed": -1}, "seed", "got -1"),
        ({"seed": 1.0}, "seed", "got 1.0"),
        ({"seed": True}, "seed", "got True"),
        ({"seed": None}, "seed", "got None"),
        ({"hasher": "md5"}, "hasher", "or a function bytes -> int, got 'md5'"),
        ({"hasher": None}, "hasher", "got None"),
        ({"hasher": 3}, "hasher", "got 3"),
        ({"hasher": "xxh64"}, "hasher", "hasher 'xxh64' has 64 bits, MinHash needs 128"),
        ({"hasher": tx.HashFamily.XXH64}, "hasher", "MinHash needs 128"),
        ({"canonicalizer": "nfkc"}, "canonicalizer", "canonicalizer must be a Canonicalizer, got str"),
        ({"canonicalizer": None}, "canonicalizer", "got NoneType"),
        ({"tokenizer": "words"}, "tokenizer", "tokenizer must be a tokenizer, got str"),
        ({"tokenizer": tx.WordTokenizer}, "tokenizer", "got the class WordTokenizer"),
        ({"tokenizer": str.split}, "tokenizer", "tokenizer must be a tokenizer"),
    ],
    ids=str,
)
def test_bad_options(options, argument, message):
    for make in (lambda: tx.MinHashFingerprinter(**options), lambda: tx.MinHashFingerprinter().replace(**options)):
        with pytest.raises(tx.ConfigError) as caught:
            make()
        assert message in str(caught.value)
        assert str(caught.value).startswith("config error: ")
        assert caught.value.argument == argument


def test_options_are_keywords():
    with pytest.raises(TypeError):
        tx.MinHashFingerprinter(tx.Canonicalizer(), tx.WordTokenizer(), 64)
    with pytest.raises(TypeError, match="nonsense"):
        tx.MinHashFingerprinter().replace(nonsense=1)


def test_numpy_numbers_are_ints():
    fp = tx.MinHashFingerprinter(h=np.int16(8), seed=np.uint64(2**64 - 1))
    assert (fp.h, fp.seed) == (8, 2**64 - 1)
    assert type(fp.h) is int
    assert type(fp.seed) is int
    assert fp == tx.MinHashFingerprinter(h=8, seed=2**64 - 1)


@pytest.mark.parametrize("name", ["xxh3_64", "xxh3-64", tx.HashFamily.XXH3_64])
def test_every_spelling_of_a_family(name):
    assert tx.MinHashFingerprinter(hasher=name) == tx.MinHashFingerprinter()


def test_bad_arguments_of_fingerprint():
    with pytest.raises(tx.ConfigError, match="on_empty must be 'raise' or 'mask', got 'skip'"):
        FP.fingerprint(TEXTS, on_empty="skip")
    with pytest.raises(tx.ConfigError, match="on_empty"):
        FP.fingerprint("a", on_empty=None)
    with pytest.raises(tx.ConfigError, match="threads must be None or an int >= 1, got 0"):
        FP.fingerprint(TEXTS, threads=0)
    with pytest.raises(tx.ConfigError, match="progress must be a bool or a callable"):
        FP.fingerprint(TEXTS, progress="yes")
    with pytest.raises(tx.InvalidInputError, match="got None"):
        FP.fingerprint(None)
    with pytest.raises(tx.InvalidInputError, match="got int") as caught:
        FP.fingerprint(["a", 1])
    assert caught.value.row == 1
    with pytest.raises(tx.InvalidInputError, match="invalid UTF-8 at byte 1") as caught:
        FP.fingerprint(["a", b"a\xff"])
    assert caught.value.row == 1
    assert FP.fingerprint(b"a\xff b", errors="replace") == FP.fingerprint("a\ufffd b")


# ── a value object ──────────────────────────────────────────────────────────────────────────────
def test_frozen_hashable_equal():
    same, other = FP.replace(), FP.replace(h=17)
    assert same == FP
    assert hash(same) == hash(FP)
    assert other != FP
    assert {FP: 1}[same] == 1
    with pytest.raises(FrozenInstanceError):
        FP.h = 5
    assert FP.h == 16


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_pickle(protocol):
    for fp in (FP, FP.replace(hasher=own_hash), FP.replace(tokenizer=tx.CallableTokenizer(str.split, name="white"))):
        fp.fingerprint("warm it up")
        copy = pickle.loads(pickle.dumps(fp, protocol))
        assert copy == fp
        assert copy.config_hash == fp.config_hash
        assert copy.fingerprint("some text") == fp.fingerprint("some text")


def test_one_object_on_eight_threads():
    texts = [f"{text} {number}" for number in range(50) for text in TEXTS]
    expected = FP.fingerprint(texts, threads=1).tobytes()
    with ThreadPoolExecutor(8) as pool:
        columns = pool.map(lambda threads: FP.fingerprint(texts, threads=threads).tobytes(), [1, 2] * 8)
        singles = pool.map(FP.fingerprint, texts)
        assert set(columns) == {expected}
        assert b"".join(record.tobytes() for record in singles) == expected


def test_replace():
    fp = FP.replace(h=32, seed=5)
    assert (fp.h, fp.seed, fp.tokenizer, fp.canonicalizer) == (32, 5, FP.tokenizer, FP.canonicalizer)
    assert type(fp) is tx.MinHashFingerprinter
    assert FP.h == 16


# ── identity ────────────────────────────────────────────────────────────────────────────────────
def test_config_hash_is_pinned():
    """Users store it: a change of these numbers orphans what they have."""
    assert tx.MinHashFingerprinter().config_hash == 0x1FFC8214C1E9E9DB
    assert tx.MinHashFingerprinter().config_hash == tx.config_hash_classical(
        tx.Canonicalizer(), "shingle-k=5/word-uax29", "minhash-h128", "xxh3_64", tx.DEFAULT_SEED
    )


BYTE_CHANGING = [
    {},
    {"h": 127},
    {"seed": 0},
    {"hasher": "murmur3_x64_128"},
    {"hasher": own_hash},
    {"tokenizer": tx.ShingleTokenizer(k=4)},
    {"tokenizer": tx.ShingleTokenizer(k=5, inner=tx.GraphemeTokenizer())},
    {"tokenizer": tx.WordTokenizer()},
    {"tokenizer": tx.CallableTokenizer(str.split, name="v1")},
    {"tokenizer": tx.CallableTokenizer(str.split, name="v2")},
    {"canonicalizer": tx.Canonicalizer(normalization="nfc")},
    {"canonicalizer": tx.Canonicalizer(case_fold="none")},
    {"canonicalizer": tx.Canonicalizer(strip_bidi=False)},
    {"canonicalizer": tx.Canonicalizer(strip_format=False)},
    {"canonicalizer": tx.Canonicalizer(apply_confusable=True)},
]


def test_config_hash_tells_options_apart():
    hashes = [tx.MinHashFingerprinter(**options).config_hash for options in BYTE_CHANGING]
    assert len(set(hashes)) == len(BYTE_CHANGING)
    assert hashes == [tx.MinHashFingerprinter(**options).config_hash for options in BYTE_CHANGING]
    assert tx.UNCOMPUTED_CONFIG_HASH not in hashes


def test_what_does_not_change_bytes(capsys):
    seen = []
    expected = FP.fingerprint(TEXTS)
    before = FP.config_hash
    for options in ({"threads": 1}, {"threads": 3}, {"progress": lambda *done: seen.append(done)}, {"progress": True}):
        assert np.array_equal(FP.fingerprint(TEXTS, **options), expected)
    assert FP.config_hash == before
    assert seen == [(4, 4)]
    assert "4 of 4 (100%) documents" in capsys.readouterr().err


def test_metadata():
    found = tx.MinHashFingerprinter().metadata()
    assert found.algorithm == "minhash-h128"
    assert found.config_hash == tx.MinHashFingerprinter().config_hash
    assert (found.model_id, found.schema_version, found.byte_size) == (None, 1, 1032)
    assert FP.metadata().byte_size == FP.fingerprint("a").nbytes == 8 + 16 * 8


# ── results ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("h", [1, 2, 7, 8, 9, 31, 32, 33, 63, 128, 130, 256, 300, 4096])
def test_shape_and_bytes(h):
    fp = FP.replace(h=h)
    records = fp.fingerprint(TEXTS)
    assert records.shape == (4,)
    assert records.dtype == tx.minhash_dtype(h)
    assert records.flags.c_contiguous
    assert records.flags.writeable
    assert (records["schema"] == 1).all()
    assert not records["_pad"].any()
    for text, record in zip(TEXTS, records, strict=True):
        expected = oracle.record(oracle.minhash(set(tokens_of(fp, text)), h))
        assert record.tobytes() == expected
        single = fp.fingerprint(text)
        assert type(single) is np.void
        assert single.dtype == records.dtype
        assert single.tobytes() == expected


def test_single_records_do_not_share_memory():
    first = FP.fingerprint("one")
    kept = first.tobytes()
    FP.fingerprint("two")
    assert first.tobytes() == kept


def test_sources_give_the_same():
    expected = FP.fingerprint(TEXTS).tobytes()
    sources = [tuple(TEXTS), iter(TEXTS), (text for text in TEXTS), np.array(TEXTS), tx.TextColumn(TEXTS)]
    sources += [[text.encode() for text in TEXTS], np.array(TEXTS, object), map(str, TEXTS)]
    for source in sources:
        assert FP.fingerprint(source).tobytes() == expected


def test_arrow_pandas_polars():
    pa, pd, pl = map(pytest.importorskip, ("pyarrow", "pandas", "polars"))
    expected = FP.fingerprint(TEXTS).tobytes()
    for source in (pa.array(TEXTS), pa.chunked_array([TEXTS[:1], TEXTS[1:]]), pd.Series(TEXTS), pl.Series(TEXTS)):
        assert FP.fingerprint(source).tobytes() == expected


@pytest.mark.parametrize("empty", [[], iter([]), tx.TextColumn([]), np.array([], str)], ids=lambda x: type(x).__name__)
def test_empty_column(empty):
    records, ok = FP.fingerprint(empty, on_empty="mask")
    assert (records.shape, records.dtype) == ((0,), FP.dtype)
    assert (ok.shape, ok.dtype) == ((0,), np.bool_)
    assert FP.fingerprint([]).shape == (0,)


# ── empty documents ─────────────────────────────────────────────────────────────────────────────
EMPTY = [None, "", " \t", "!?", float("nan"), b"", "\u200b"]


@pytest.mark.parametrize("empty", ["", " ", b"", "...", "\u200b"])
def test_empty_document(empty):
    with pytest.raises(tx.InvalidInputError) as caught:
        FP.fingerprint(empty)
    assert str(caught.value) == "invalid input: empty document"
    assert caught.value.row is None
    assert caught.value.argument == "texts"
    assert 'on_empty="mask"' in caught.value.__notes__[0]
    record, ok = FP.fingerprint(empty, on_empty="mask")
    assert not ok
    assert record.tobytes() == tx.empty_signature(16).tobytes()
    record, ok = FP.fingerprint("text", on_empty="mask")
    assert ok
    assert record == FP.fingerprint("text")


def test_empty_rows():
    texts = ["first", *EMPTY, "last"]
    with pytest.raises(tx.InvalidInputError) as caught:
        FP.fingerprint(texts)
    assert str(caught.value) == "invalid input: empty document (row 1)"
    assert caught.value.row == 1
    records, ok = FP.fingerprint(texts, on_empty="mask")
    assert ok.dtype == np.bool_
    assert ok.tolist() == [True, *[False] * len(EMPTY), True]
    for record in records[~ok]:
        assert record["schema"] == 1
        assert not record["_pad"].any()
        assert (record["hashes"] == ALL_ONES).all()
        assert record == tx.empty_signature(16)
    assert records[ok].tobytes() == FP.fingerprint(["first", "last"]).tobytes()


def test_first_empty_row_is_named_across_blocks(monkeypatch):
    monkeypatch.setattr("txtfp_np.sketch.run.SKETCH_BLOCK_BYTES", 1)
    for threads in (1, 4):
        with pytest.raises(tx.InvalidInputError) as caught:
            FP.fingerprint(iter(["a"] * 30 + [None] + ["b"] * 5 + [""]), threads=threads)
        assert caught.value.row == 30


# ── out ─────────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("source", [list, iter, tx.TextColumn], ids=["list", "iterator", "column"])
def test_out(source):
    out = np.zeros(4, FP.dtype)
    assert FP.fingerprint(source(TEXTS), out=out) is out
    assert np.array_equal(out, FP.fingerprint(TEXTS))
    records, ok = FP.fingerprint(source([*TEXTS[:3], ""]), out=out, on_empty="mask")
    assert records is out
    assert ok.tolist() == [True, True, True, False]


def test_out_memory_map(tmp_path):
    path = tmp_path / "signatures.npy"
    out = np.lib.format.open_memmap(path, "w+", FP.dtype, (4,))
    FP.fingerprint(iter(TEXTS), out=out)
    out.flush()
    mapped = np.load(path, mmap_mode="r")
    assert np.array_equal(mapped, FP.fingerprint(TEXTS))
    with pytest.raises(tx.InvalidInputError, match="out must be writeable"):
        FP.fingerprint(TEXTS, out=mapped)


def test_out_slice():
    whole = np.zeros(9, FP.dtype)
    FP.fingerprint(TEXTS, out=whole[1:9:2])
    assert np.array_equal(whole[1:9:2], FP.fingerprint(TEXTS))
    assert not whole[::2]["schema"].any()


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.zeros(4, tx.minhash_dtype(17)), "out must be an array of"),
        (np.zeros(4, np.uint64), "out must be an array of"),
        (np.zeros((4, 1), tx.minhash_dtype(16)), "out must be an array of"),
        (np.zeros((), tx.minhash_dtype(16)), "out must be an array of"),
        ([0] * 4, "got list"),
        (np.zeros(3, tx.minhash_dtype(16)), "out has 3 places, there are 4 documents"),
        (np.zeros(5, tx.minhash_dtype(16)), "out has 5 places, there are 4 documents"),
    ],
)
def test_bad_out(out, message):
    with pytest.raises(tx.InvalidInputError, match="invalid input: out") as caught:
        FP.fingerprint(TEXTS, out=out)
    assert message in str(caught.value)
    assert caught.value.argument == "out"


@pytest.mark.parametrize(("places", "message"), [(3, "there are more documents"), (5, "there are 4 documents")])
def test_out_of_wrong_length_for_an_iterator(places, message):
    with pytest.raises(tx.InvalidInputError, match=message):
        FP.fingerprint(iter(TEXTS), out=np.zeros(places, FP.dtype))


# ── hash functions of one's own ─────────────────────────────────────────────────────────────────
def test_own_hash_function():
    fp = FP.replace(hasher=own_hash)
    for text in TEXTS:
        expected = oracle.minhash(set(tokens_of(fp, text)), 16, own_hash)
        assert fp.fingerprint(text)["hashes"].tolist() == expected
        assert fp.fingerprint(["x", text])[1]["hashes"].tolist() == expected


def test_own_hash_function_of_64_bits():
    """The high half is 0 then, and all slots are equal: the caller's business."""
    fp = FP.replace(hasher=lambda data: np.uint64(len(data)))
    assert set(fp.fingerprint("aaa bb")["hashes"].tolist()) == {6}


@pytest.mark.parametrize("value", [-1, 2**128, 1.0, "1", None, b"1"])
def test_own_hash_function_that_gives_nonsense(value):
    with pytest.raises(tx.InvalidInputError, match="not an int of at most 128 bits") as caught:
        FP.replace(hasher=lambda data: value).fingerprint(["fox"])
    assert f"hasher gave {value!r} for b'fox'" in str(caught.value)
    assert caught.value.argument == "hasher"


def test_own_hash_function_that_fails():
    with pytest.raises(tx.TokenizerError, match=r"hasher failed on b'fox': ZeroDivisionError.* \(row 1\)") as caught:
        FP.replace(hasher=lambda data: 1 // (data != b"fox")).fingerprint(["dog", "fox"])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    with pytest.raises(tx.ConfigError, match="has no name"):
        FP.replace(hasher=functools.partial(int.from_bytes, byteorder="little"))


# ── tokenizers of one's own ─────────────────────────────────────────────────────────────────────
class Halves:
    """Meets the protocol, and nothing else."""

    name = "halves-v1"

    def tokens(self, text):
        middle = len(text) // 2
        return [text[:middle], text[middle:]] if text else []

    def for_each_token(self, text, f):
        for token in self.tokens(text):
            f(token)


def test_own_tokenizer():
    tokenizer = Halves()
    assert isinstance(tokenizer, tx.Tokenizer)
    fp = FP.replace(tokenizer=tokenizer)
    records, ok = fp.fingerprint([*TEXTS, None], on_empty="mask", threads=2)
    assert ok.tolist() == [True] * 4 + [False]
    for text, record in zip(TEXTS, records, strict=False):
        tokens = tokenizer.tokens(fp.canonicalizer.canonicalize(text))
        assert record["hashes"].tolist() == oracle.minhash(tokens, 16)
        assert fp.fingerprint(text) == record
    assert fp.config_hash == FP.replace(tokenizer=tx.CallableTokenizer(str.split, name="halves-v1")).config_hash
    shingled = FP.replace(tokenizer=tx.ShingleTokenizer(k=2, inner=tokenizer))
    assert shingled.fingerprint("abcd")["hashes"].tolist() == oracle.minhash(["ab cd"], 16)


@dataclass
class White:
    """A dataclass that is not frozen compares by value, and so has no hash."""

    name: str = "white-v1"

    def tokens(self, text):
        return text.split()

    def for_each_token(self, text, f):
        for token in self.tokens(text):
            f(token)


def test_own_tokenizer_without_a_hash():
    fp = FP.replace(tokenizer=White())
    assert fp.fingerprint(["a b"])["hashes"][0].tolist() == oracle.minhash(["a", "b"], 16)


def fails_on_x(text):
    if "x" in text:
        raise KeyError(text)
    return text.split()


def test_failing_tokenizer_names_the_row(monkeypatch):
    fp = FP.replace(tokenizer=tx.CallableTokenizer(fails_on_x, name="picky"))
    for block_bytes in (1, 5, 1 << 18):
        monkeypatch.setattr("txtfp_np.sketch.run.SKETCH_BLOCK_BYTES", block_bytes)
        with pytest.raises(tx.TokenizerError) as caught:
            fp.fingerprint(["a", "b c", "", "d x", "x"], on_empty="mask")
        assert str(caught.value) == "tokenizer error: picky failed: KeyError('d x') (row 3)"
        assert caught.value.row == 3
    with pytest.raises(tx.TokenizerError) as caught:
        fp.fingerprint("d x")
    assert str(caught.value) == "tokenizer error: picky failed: KeyError('d x')"
    assert caught.value.row is None
    shingled = fp.replace(tokenizer=tx.ShingleTokenizer(k=2, inner=fp.tokenizer))
    with pytest.raises(tx.TokenizerError) as caught:
        shingled.fingerprint(["a", "x"])
    assert caught.value.row == 1


def test_tokenizer_that_gives_nonsense():
    fp = FP.replace(tokenizer=tx.CallableTokenizer(lambda text: [1], name="numbers"))
    with pytest.raises(tx.TokenizerError, match=r"numbers gave 1, which is not a str of valid text \(row 0\)"):
        fp.fingerprint(["a"])


# ── merge ───────────────────────────────────────────────────────────────────────────────────────
def test_merge():
    fp = FP.replace(tokenizer=tx.WordTokenizer())
    one, other, both = fp.fingerprint(["red fox", "brown dog", "dog brown red fox fox"])
    merged = tx.merge(one, other)
    assert merged == both
    assert type(merged) is np.void
    assert merged.dtype == fp.dtype
    assert tx.merge(one, other, both, one) == both
    assert tx.merge(one, one) == one


def test_merge_broadcasts():
    fp = FP.replace(tokenizer=tx.WordTokenizer())
    column = fp.fingerprint(["a", "b", "c"])
    one = fp.fingerprint("d")
    expected = fp.fingerprint(["a d", "b d", "c d"])
    assert np.array_equal(tx.merge(column, one), expected)
    assert np.array_equal(tx.merge(one, column), expected)
    square = tx.merge(column[:, None], column[None, :])
    assert square.shape == (3, 3)
    assert square[0, 2] == fp.fingerprint("a c")
    assert tx.merge(column[:0], one).shape == (0,)
    assert np.array_equal(column, fp.fingerprint(["a", "b", "c"]))  # untouched


def test_merge_errors():
    one = FP.fingerprint("a")
    for few in ([], [one]):
        with pytest.raises(tx.InvalidInputError, match=f"merge needs two signatures at least, got {len(few)}"):
            tx.merge(*few)
    with pytest.raises(tx.DimensionMismatchError) as caught:
        tx.merge(one, FP.replace(h=8).fingerprint("a"))
    assert (caught.value.a, caught.value.b) == (16, 8)
    with pytest.raises(tx.InvalidInputError, match="expected MinHash signatures, got uint64"):
        tx.merge(one, np.uint64(3))
    with pytest.raises(tx.InvalidInputError, match="do not broadcast"):
        tx.merge(FP.fingerprint(["a", "b"]), FP.fingerprint(["a", "b", "c"]))
