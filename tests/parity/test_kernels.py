"""Kernels: compiled once each, intrinsics equal to their plain-Python twins, the same results without the JIT."""

import json
import os
import random
import subprocess
import sys

import numba
import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.kernels import intrinsics

jit_only = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled with NUMBA_DISABLE_JIT")


# ── one signature a kernel ──────────────────────────────────────────────────────────────────────
MIXED = """
import json, sys
import numpy as np
import txtfp_np as tx

texts = ["Größe can't", "", None, "ｱ e\\u0301\\u0323 \\ufdfa", "a b c " * 30, b"bytes"]
column = tx.TextColumn(texts)
sources = [
    texts, tuple(texts), iter(texts), column, column[2:], column[:0], column.take([4, 0]), [],
    np.array(["a", "é"]), np.array(["a", None], object),
    tx.TextColumn.from_buffers(bytearray(b"one two"), np.array([0, 3, 7], np.int32)),
    tx.TextColumn.from_buffers(np.frombuffer(b"one two", np.uint8), [1, 7]),
    "one", "é", b"one", bytearray(b"one"), "",
]
for options in ({}, {"normalization": "nfc"}, {"case_fold": "none", "strip_bidi": False}, {"apply_confusable": True}):
    for source in sources:
        tx.Canonicalizer(**options).canonicalize(list(source) if hasattr(source, "__next__") else source, threads=2)
own = tx.CallableTokenizer(str.split, name="own")
tokenizers = [tx.WordTokenizer(), tx.GraphemeTokenizer(), own]
tokenizers += [tx.ShingleTokenizer(k=k, inner=inner) for k in (0, 1, 2, np.int64(3)) for inner in tokenizers]
tokenizers += [tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=3)), tx.CharShingleTokenizer(k=2)]
for tokenizer in tokenizers:
    for source in sources:
        found = tokenizer.tokens(source)
        if isinstance(found, tx.TokenColumn):
            found[1:].to_list()
            tokenizer.tokens(tx.Canonicalizer().canonicalize(column), threads=3)

from txtfp_np.kernels import canonical, graphemes, shingles, words
kernels = [canonical.canonicalize_rows, words.words_rows, graphemes.graphemes_rows, graphemes.code_points_rows,
           shingles.join_rows, shingles.windows_rows]
json.dump({kernel.__name__: [str(signature) for signature in kernel.signatures] for kernel in kernels}, sys.stdout)
"""


@jit_only
def test_each_kernel_compiles_once():
    """In a process of its own, so that what other tests call does not count."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", MIXED], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    signatures = json.loads(done.stdout)
    assert len(signatures) == 6
    assert {name: len(found) for name, found in signatures.items()} == dict.fromkeys(signatures, 1), signatures


# ── intrinsics ──────────────────────────────────────────────────────────────────────────────────
@numba.njit
def _load_u32(data, position):
    return intrinsics.load_u32(data, position)


@numba.njit
def _load_u64(data, position):
    return intrinsics.load_u64(data, position)


@numba.njit
def _store_u32(data, position, value):
    intrinsics.store_u32(data, position, value)


@numba.njit
def _store_u64(data, position, value):
    intrinsics.store_u64(data, position, value)


@numba.njit
def _trailing_zeros(value):
    return intrinsics.trailing_zeros(value)


@numba.njit
def _leading_zeros(value):
    return intrinsics.leading_zeros(value)


@numba.njit
def _byte_mask(data, position, low, count):
    return intrinsics.byte_mask(data, position, low, count)


@numba.njit
def _copy64(source, position, out, out_position, case_bit):
    return intrinsics.copy64(source, position, out, out_position, case_bit)


def random_bytes(n, seed=1):
    return np.random.default_rng(seed).integers(0, 256, n, np.uint8)


def words():
    chance = random.Random(3)
    shifted = [value << shift for shift in range(64) for value in (1, 3, 2**64 - 1)]
    return [0, 2**64 - 1, *(value % 2**64 for value in shifted), *(chance.getrandbits(64) for _ in range(200))]


def test_loads():
    data = random_bytes(100)
    for position in range(92):
        assert int(_load_u32(data, position)) == int(intrinsics._load_u32(data, position))
        assert int(_load_u64(data, position)) == int(intrinsics._load_u64(data, position))
        assert int(intrinsics._load_u64(data, position)) == int(data[position : position + 8].copy().view("<u8")[0])


def test_stores():
    for position in range(24):
        for word in words()[:60]:
            for ours, twin, value in (
                (_store_u32, intrinsics._store_u32, np.uint32(word % 2**32)),
                (_store_u64, intrinsics._store_u64, np.uint64(word)),
            ):
                out, expected = random_bytes(40), random_bytes(40)
                ours(out, position, value)
                twin(expected, position, value)
                assert np.array_equal(out, expected)
                assert not np.array_equal(out, random_bytes(40)) or word == 0


def test_counting_zeros():
    for word in words():
        bits = format(word, "064b")
        leading, trailing = len(bits) - len(bits.lstrip("0")), len(bits) - len(bits.rstrip("0"))
        value = np.uint64(word)
        assert _leading_zeros(value) == intrinsics._leading_zeros(value) == leading
        assert _trailing_zeros(value) == intrinsics._trailing_zeros(value) == trailing


@pytest.mark.parametrize(
    ("low", "count"), [(128, 128), (65, 26), (97, 26), (48, 10), (95, 1), (0, 1), (255, 1), (250, 10)]
)
def test_byte_mask(low, count):
    data = np.concatenate([random_bytes(150), np.arange(256, dtype=np.uint8)])
    for position in range(len(data) - 64):
        expected = sum(1 << lane for lane in range(64) if (int(data[position + lane]) - low) % 256 < count)
        assert int(_byte_mask(data, position, np.uint8(low), np.uint8(count))) == expected
        assert int(intrinsics._byte_mask(data, position, low, count)) == expected


@pytest.mark.parametrize("case_bit", [0, 0x20])
def test_copy64(case_bit):
    data = np.concatenate([random_bytes(100), np.arange(256, dtype=np.uint8)])
    for position in range(0, len(data) - 64, 3):
        out, expected = random_bytes(120, 5), random_bytes(120, 5)
        mask = _copy64(data, position, out, position % 50, np.uint8(case_bit))
        assert int(mask) == int(intrinsics._copy64(data, position, expected, position % 50, case_bit))
        assert np.array_equal(out, expected)
        chunk = data[position : position + 64].tobytes()
        copied = out[position % 50 : position % 50 + 64].tobytes()
        assert copied == (chunk.lower() if case_bit else chunk)  # bytes.lower touches ASCII alone
        assert int(mask) == sum(1 << lane for lane in range(64) if chunk[lane] >= 0x80)


# ── without the JIT ─────────────────────────────────────────────────────────────────────────────
EXAMPLES = [
    "",
    "The quick brown FOX can't pay $3.14, e-mail: a_b __ " * 2,
    "Größe ẞ İ ﬁ Ａ ½ a½b ① ﷺ",
    "a\u0301\u0323\u0301 \u1100\u1161\u11a8 \u0915\u094d\u0937 \u0344\u0345" + "\u0301\u0323" * 20,
    "x" * 70 + "é" + "Y z" * 30,
    "\u05d0\"\u05d1' \U0001f468\u200d\U0001f469 \U0001f1e9\U0001f1ea\U0001f1eb Z:\u200d\U0001f600a \u30ab\u30ab",
    "soft\u00adhyphen zero\u200bwidth \u202ebidi\u202c \ufeff 0 O l 1 m rn",
    "line\r\nbreak\n\ttab",
]
RESULTS = """
def results(tx, texts):
    canonicalizers = [
        tx.Canonicalizer(),
        tx.Canonicalizer(normalization="nfc", case_fold="none", strip_format=False),
        tx.Canonicalizer(normalization="none"),
        tx.Canonicalizer(apply_confusable=True),
    ]
    tokenizers = [
        tx.WordTokenizer(),
        tx.GraphemeTokenizer(),
        tx.ShingleTokenizer(k=3),
        tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=2, inner=tx.GraphemeTokenizer())),
        tx.CharShingleTokenizer(k=4),
        tx.CallableTokenizer(str.split, name="white"),
    ]
    found = [canonicalizer.canonicalize(texts).to_list() for canonicalizer in canonicalizers]
    found += [tokenizer.tokens(texts).to_list() for tokenizer in tokenizers]
    found += [[tokenizer.tokens(text) for text in texts] for tokenizer in tokenizers]
    return found
"""


def test_results_without_the_jit():
    scope = {}
    exec(RESULTS, scope)
    expected = scope["results"](tx, EXAMPLES)
    code = f"""
import json, sys
import txtfp_np as tx
{RESULTS}
found = results(tx, json.loads(sys.stdin.read()))
import numba
from txtfp_np.kernels.words import words_rows
assert numba.config.DISABLE_JIT
assert not hasattr(words_rows, "signatures")
print(json.dumps(found))
"""
    # NumPy warns where unsigned scalars wrap around, which kernels mean to do.
    done = subprocess.run(
        [sys.executable, "-W", "error", "-W", "ignore:overflow encountered:RuntimeWarning", "-c", code],
        input=json.dumps(EXAMPLES),
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert json.loads(done.stdout) == expected
