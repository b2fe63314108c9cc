"""Signatures of the Rust crate txtfp 0.2.2, byte for byte: single documents, columns and streams.

Needs nothing but what the package itself needs, so that it can be run beside any other library.
"""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import xxhash

import txtfp_np as tx
from txtfp_np.kernels import hashing
from txtfp_np.schema.signatures import signature_display, simhash_display

DATA = Path(__file__).resolve().parent.parent / "data"
SEED_MAX = 2**64 - 1


@cache
def crate():
    return json.loads((DATA / "txtfp-0.2.2.json").read_text(encoding="utf-8"))


def minhash(tokenizer, **options):
    return tx.MinHashFingerprinter(tokenizer=tokenizer, **options)


def simhash(tokenizer=None, **options):
    return tx.SimHashFingerprinter(tokenizer=tokenizer or tx.WordTokenizer(), **options)


MINHASH = {
    "h128_k5_xxh3": tx.MinHashFingerprinter(),
    "h64_k3_mmh3": minhash(tx.ShingleTokenizer(k=3), h=64, hasher="mmh3-x64-128"),
    "h256_k1_xxh3": minhash(tx.ShingleTokenizer(k=1), h=256),
    "h16_k4_grapheme_xxh3_seed42": minhash(tx.ShingleTokenizer(k=4, inner=tx.GraphemeTokenizer()), h=16, seed=42),
    "h10_word_mmh3_seedmax": minhash(tx.WordTokenizer(), h=10, hasher="murmur3_x64_128", seed=SEED_MAX),
}
SIMHASH = {
    "tf_xxh3": tx.SimHashFingerprinter(),
    "uniform_xxh3": simhash(weighting="uniform"),
    "tf_mmh3": simhash(hasher="murmur3_x64_128"),
    "uniform_mmh3": simhash(weighting="uniform", hasher="mmh3-x64-128"),
    "idf_xxh3": simhash(weighting=tx.IdfTable(crate()["meta"]["idf_table"])),
    "tf_grapheme_xxh3_seed42": simhash(tx.GraphemeTokenizer(), seed=42),
    "uniform_shingle2_xxh3": simhash(tx.ShingleTokenizer(k=2), weighting="uniform"),
}
CONFIGS = [("minhash", name) for name in MINHASH] + [("simhash", name) for name in SIMHASH]
every_config = pytest.mark.parametrize(("kind", "name"), CONFIGS, ids=[name for _, name in CONFIGS])


def fingerprinter(kind, name):
    return {"minhash": MINHASH, "simhash": SIMHASH}[kind][name]


def text_of(record):
    """As the file writes it: the bytes of a MinHash, the number of a SimHash."""
    return record.tobytes().hex() if record.dtype.names else f"{int(record):016x}"


def rows(kind, name):
    texts = [vector["text"] for vector in crate()["vectors"]]
    return texts, [vector[kind][name] for vector in crate()["vectors"]]


def test_there_are_vectors():
    """A truncated file must not pass for a passed test."""
    vectors = crate()["vectors"]
    assert len(vectors) == 61
    for vector in vectors:
        assert set(vector["minhash"]) == set(MINHASH)
        assert set(vector["simhash"]) == set(SIMHASH)
    assert len(crate()["streaming"]) == 7
    assert len(crate()["hash_primitives"]["rows"]) == 56
    assert len(crate()["idf_simhash"]) == 3


@every_config
def test_single_documents(kind, name):
    fp = fingerprinter(kind, name)
    for text, expected in zip(*rows(kind, name), strict=True):
        for document in (text, text.encode()):
            if isinstance(expected, str):
                found = fp.fingerprint(document)
                assert text_of(found) == expected, repr(text)
                again, ok = fp.fingerprint(document, on_empty="mask")
                assert (text_of(again), ok) == (expected, np.True_)
            else:
                with pytest.raises(tx.InvalidInputError) as caught:
                    fp.fingerprint(document)
                assert str(caught.value) == expected["error"]["message"]
                assert caught.value.row is None


@every_config
@pytest.mark.parametrize("threads", [1, None, 3])
def test_columns(kind, name, threads):
    fp = fingerprinter(kind, name)
    texts, expected = rows(kind, name)
    records, ok = fp.fingerprint(texts, on_empty="mask", threads=threads)
    assert ok.tolist() == [isinstance(value, str) for value in expected]
    assert [text_of(record) for record in records[ok]] == [value for value in expected if isinstance(value, str)]
    some = [text for text, value in zip(texts, expected, strict=True) if isinstance(value, str)]
    assert fp.fingerprint(some, threads=threads).tobytes() == records[ok].tobytes()


@every_config
def test_errors_of_columns(kind, name):
    """The crate's text, and the row of the first document without a token."""
    fp = fingerprinter(kind, name)
    texts, expected = rows(kind, name)
    empty = [row for row, value in enumerate(expected) if not isinstance(value, str)]
    assert 1 <= len(empty) <= 3
    with pytest.raises(tx.InvalidInputError) as caught:
        fp.fingerprint(texts)
    assert str(caught.value) == f"{expected[empty[0]]['error']['message']} (row {empty[0]})"
    assert (caught.value.row, caught.value.argument) == (empty[0], "texts")
    records, ok = fp.fingerprint(texts, on_empty="mask")
    assert np.flatnonzero(~ok).tolist() == empty
    blank = np.uint64(0) if kind == "simhash" else tx.empty_signature(fp.h)
    for row in empty:
        assert records[row].tobytes() == blank.tobytes()


def test_all_in_one_pass():
    texts = [vector["text"] for vector in crate()["vectors"]]
    everything = [fingerprinter(kind, name) for kind, name in CONFIGS]
    for (kind, name), (records, ok) in zip(
        CONFIGS, tx.fingerprint_many(texts, everything, on_empty="mask"), strict=True
    ):
        _, expected = rows(kind, name)
        found = [text_of(record) if signed else None for record, signed in zip(records, ok, strict=True)]
        assert found == [value if isinstance(value, str) else None for value in expected], name


@pytest.mark.parametrize("row", crate()["idf_simhash"], ids=lambda row: str(row["idf"]))
def test_weights_are_cut_toward_zero(row):
    fp = simhash(weighting=tx.IdfTable(row["idf"]))
    assert text_of(fp.fingerprint(row["text"])) == row["hex"]
    assert text_of(fp.fingerprint(["x", row["text"], "y"])[1]) == row["hex"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [("A sad man is crying", 14885000786154247845), ("A man is screaming", 14731312300784754605)],
)
def test_pbtk(text, expected):
    """XXH64 of character trigrams with ties as ones, as pbtk has it."""
    plain = tx.Canonicalizer(normalization="none", case_fold="none", strip_bidi=False, strip_format=False)
    fp = tx.SimHashFingerprinter(plain, tx.CharShingleTokenizer(k=3), tie="one", hasher="xxh64", seed=0)
    assert fp.fingerprint(text) == np.uint64(expected)
    assert fp.fingerprint(["x", text])[1] == np.uint64(expected)


# ── hash primitives ─────────────────────────────────────────────────────────────────────────────
def pattern(length):
    return bytes(97 + (i * 7 + i // 26) % 26 for i in range(length))


def kernel_hashes(tokens, family, seed):
    """(low, high) of byte strings, straight from the kernel."""
    data = np.frombuffer(b"".join(tokens) or b"\0", np.uint8)
    ends = np.cumsum([len(token) for token in tokens]).astype(np.int32)
    starts = np.concatenate([np.zeros(1, np.int32), ends[:-1]])
    starts.flags.writeable = ends.flags.writeable = False
    low, high = np.empty((2, len(tokens)), np.uint64)
    hashing.hash_spans(data, 0, starts, ends, family, hashing.secrets(seed), low, high)
    return list(zip(low.tolist(), high.tolist(), strict=True))


PRIMITIVES = [
    ("xxh3_128_seed_0xc0ffee5eed", hashing.XXH3_128, "xxh3_64", tx.DEFAULT_SEED),
    ("xxh3_128_seed_0x0", hashing.XXH3_128, "xxh3_64", 0),
    ("mmh3_x64_128_seed_0xc0ffee5eed", hashing.MURMUR3_128, "murmur3_x64_128", tx.DEFAULT_SEED),
    ("mmh3_x64_128_seed_0x0", hashing.MURMUR3_128, "murmur3_x64_128", 0),
]


@pytest.mark.parametrize(("field", "family", "hasher", "seed"), PRIMITIVES, ids=[row[0] for row in PRIMITIVES])
def test_hash_primitives(field, family, hasher, seed):
    given = [row for row in crate()["hash_primitives"]["rows"] if field in row]
    assert len(given) >= 55
    tokens = [pattern(row["len"]) for row in given]
    expected = [tuple(int(half, 16) for half in row[field]) for row in given]
    assert kernel_hashes(tokens, family, seed) == expected
    # A document of one token is its hash: slots low and low + high, bits of low and high.
    whole = tx.CallableTokenizer(lambda text: [text], name="whole")
    texts = [token.decode() for token in tokens if token]
    wanted = [pair for pair, token in zip(expected, tokens, strict=True) if token]
    slots = minhash(whole, h=2, hasher=hasher, seed=seed).fingerprint(texts)["hashes"].tolist()
    assert slots == [[low, (low + high) % 2**64] for low, high in wanted]
    words = simhash(whole, bits=128, hasher=hasher, seed=seed).fingerprint(texts).tolist()
    assert words == [list(pair) for pair in wanted]
    one = simhash(whole, hasher=hasher, seed=seed)
    assert [int(one.fingerprint(text)) for text in texts] == [low for low, _ in wanted]


def test_xxh3_64():
    given = crate()["hash_primitives"]["rows"]
    secret = hashing.secrets(0)
    for row in given:
        data = np.frombuffer(pattern(row["len"]) or b"\0", np.uint8)
        starts = np.zeros(1, np.int64)
        starts.flags.writeable = False
        out = np.empty(1, np.uint64)
        hashing.xxh3_64_rows(data, starts, row["len"], secret, out)
        assert int(out[0]) == int(row["xxh3_64"], 16)
        assert int(out[0]) == xxhash.xxh3_64_intdigest(pattern(row["len"]))


# ── streams ─────────────────────────────────────────────────────────────────────────────────────
def stream_fingerprinter(request):
    if request["op"] == "simhash_stream":
        return tx.SimHashFingerprinter(), tx.SimHashStreaming
    return minhash(tx.ShingleTokenizer(k=request["k"]), h=request["h"]), tx.MinHashStreaming


def check_final(record, final):
    if "bits" in final:
        assert int(record) == final["bits"]
        assert record.tobytes().hex() == final["bytes"]
        assert f"{int(record):016x}" == final["hex"]
        assert simhash_display(record) == final["display"]
    else:
        assert record.tobytes().hex() == final["hex"]
        assert signature_display(record) == final["display"]


@pytest.mark.parametrize("case", crate()["streaming"], ids=lambda case: case["name"])
def test_streaming(case):
    request, result = case["request"], case["result"]
    fp, streaming = stream_fingerprinter(request)
    options = {"max_bytes": request["max_bytes"]} if "max_bytes" in request else {}
    stream = streaming(fp, **options)
    for chunk, step in zip(request["chunks"], result["steps"], strict=True):
        if "error" in step:
            with pytest.raises(tx.InvalidInputError) as caught:
                stream.update(bytes.fromhex(chunk))
            assert str(caught.value) == step["error"]["message"]
        else:
            stream.update(bytes.fromhex(chunk))
        assert stream.buffered == step["buffered"]
    check_result(stream.finalize, result)


def check_result(f, result):
    if "final" in result:
        check_final(f(), result["final"])
        return
    with pytest.raises(tx.InvalidInputError) as caught:
        f()
    assert str(caught.value) == result["final_error"]["message"]


@pytest.mark.parametrize("case", crate()["streaming"], ids=lambda case: case["name"])
def test_what_a_stream_took_as_text_and_column(case):
    """What every accepted chunk adds up to, given at once: as one document, as a column, online."""
    fp, streaming = stream_fingerprinter(case["request"])
    result = case["result"]
    steps = zip(case["request"]["chunks"], result["steps"], strict=True)
    text = b"".join(bytes.fromhex(chunk) for chunk, step in steps if "error" not in step)
    if case["name"] == "trailing partial":
        with pytest.raises(tx.InvalidInputError, match="invalid UTF-8 at byte 5"):
            fp.fingerprint(text)
    else:
        check_result(lambda: fp.fingerprint(text), result)
    online = streaming(fp, max_bytes=None)
    online.update(text)
    check_result(online.finalize, result)
    if "final" in result:
        check_final(fp.fingerprint([text, b"another"])[0], result["final"])
