"""Hash kernels against the packages ``xxhash`` and ``mmh3``, and MurmurHash3 in plain Python where seeds are wide.

Every length from 0 to 2,100 passes all branches of all functions several times: XXH3 changes its form at
3, 8, 16, 128 and 240 bytes, and takes stripes of 64 in blocks of 1,024; XXH64 takes 32, Murmur 16.
"""

import numpy as np
import pytest
import xxhash
from oracles import sketches as oracle

import txtfp_np as tx
from txtfp_np.kernels import hashing

LENGTHS = range(2101)
SEEDS = [0, 1, 2**32 - 1, 2**32, tx.DEFAULT_SEED, 2**63, 2**64 - 1]
every_seed = pytest.mark.parametrize("seed", SEEDS, ids=hex)


def frozen(array):
    array.flags.writeable = False
    return array


#: One buffer; the span of length n begins at another alignment each time.
RAW = np.random.default_rng(7).integers(0, 256, 2101 * 2 + 64, np.uint8).tobytes()
BASE = 3
STARTS = [(5 * length) % 2039 for length in LENGTHS]


def span(length):
    start = BASE + STARTS[length]
    return RAW[start : start + length]


def hash_all(family, seed):
    data = np.frombuffer(RAW, np.uint8)
    starts = frozen(np.array(STARTS, np.int32))
    ends = frozen(starts + np.arange(2101, dtype=np.int32))
    low, high = np.empty((2, 2101), np.uint64)
    hashing.hash_spans(data, BASE, starts, ends, family, hashing.secrets(seed), low, high)
    return list(zip(low.tolist(), high.tolist(), strict=True))


def split(value):
    return value & (2**64 - 1), value >> 64


def differing(found, expected):
    """Lengths whose hashes differ; short, so that a failure can be read."""
    return [length for length in LENGTHS if found[length] != expected[length]][:10]


@every_seed
def test_xxh3_128(seed):
    expected = [split(xxhash.xxh3_128_intdigest(span(length), seed)) for length in LENGTHS]
    assert differing(hash_all(hashing.XXH3_128, seed), expected) == []


@every_seed
def test_xxh64(seed):
    expected = [(xxhash.xxh64_intdigest(span(length), seed), 0) for length in LENGTHS]
    assert differing(hash_all(hashing.XXH64, seed), expected) == []


@every_seed
def test_xxh3_64(seed):
    data, secret = np.frombuffer(RAW, np.uint8), hashing.secrets(seed)
    found = []
    for length in LENGTHS:
        starts = frozen(np.array([BASE + STARTS[length], 0, 1], np.int64))
        out = np.empty(3, np.uint64)
        hashing.xxh3_64_rows(data, starts, length, secret, out)
        found.append(out.tolist())
    expected = [
        [xxhash.xxh3_64_intdigest(piece, seed) for piece in (span(length), RAW[:length], RAW[1 : 1 + length])]
        for length in LENGTHS
    ]
    assert differing(found, expected) == []


@every_seed
def test_murmur(seed):
    expected = [oracle.murmur3_x64_128(span(length), seed) for length in LENGTHS]
    assert differing(hash_all(hashing.MURMUR3_128, seed), expected) == []


@pytest.mark.parametrize("seed", [seed for seed in SEEDS if seed < 2**32], ids=hex)
def test_murmur_against_mmh3(seed):
    mmh3 = pytest.importorskip("mmh3")
    expected = [mmh3.hash64(span(length), seed, True, signed=False) for length in LENGTHS]
    assert differing(hash_all(hashing.MURMUR3_128, seed), expected) == []
    assert [oracle.murmur3_x64_128(span(length), seed) for length in LENGTHS] == expected


@every_seed
def test_long_inputs(seed):
    """Far beyond the lengths above: more than one block of XXH3's long form, and sizes that are not whole stripes."""
    lengths = [4095, 4096, 4097, 65_535, 1_000_003]
    raw = np.random.default_rng(11).integers(0, 256, max(lengths), np.uint8).tobytes()
    data = np.frombuffer(raw, np.uint8)
    starts, ends = frozen(np.zeros(len(lengths), np.int32)), frozen(np.array(lengths, np.int32))
    expected = {
        hashing.XXH3_128: [split(xxhash.xxh3_128_intdigest(raw[:length], seed)) for length in lengths],
        hashing.XXH64: [(xxhash.xxh64_intdigest(raw[:length], seed), 0) for length in lengths],
        hashing.MURMUR3_128: [oracle.murmur3_x64_128(raw[:length], seed) for length in lengths[:4]],
    }
    for family, wanted in expected.items():
        low, high = np.empty((2, len(lengths)), np.uint64)
        hashing.hash_spans(data, 0, starts, ends, family, hashing.secrets(seed), low, high)
        assert list(zip(low.tolist(), high.tolist(), strict=True))[: len(wanted)] == wanted


@pytest.mark.parametrize("family", ["xxh3_64", "murmur3_x64_128", "xxh64"])
def test_fingerprinters_hash_the_same(family):
    """Through the public door: the 64-bit SimHash of one token is the low half of its hash."""
    whole = tx.CallableTokenizer(lambda text: [text], name="whole")
    texts = ["x" * length for length in range(1, 300)]
    for seed in (0, 1, tx.DEFAULT_SEED, 2**64 - 1):
        fp = tx.SimHashFingerprinter(tokenizer=whole, hasher=family, seed=seed)
        assert fp.fingerprint(texts).tolist() == [oracle.halves(text, family, seed)[0] for text in texts]
