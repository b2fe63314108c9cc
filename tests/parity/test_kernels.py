"""Kernels: compiled once each, intrinsics equal to their plain-Python twins, the same results without the JIT."""

import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.kernels import intrinsics, lanes

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


SKETCHED = """
import json, sys
import numpy as np
import txtfp_np as tx

texts = ["Größe can't", "", None, "ｱ e\\u0301\\u0323 \\ufdfa", "a b c " * 30, b"bytes"]
table = tx.IdfTable({"a": 2.5, "b": 0.5})
fingerprinters = [tx.MinHashFingerprinter(h=h, hasher=hasher, seed=seed)
                  for h in (1, 8, 33, 128, 300) for hasher in ("xxh3_64", "murmur3_x64_128") for seed in (0, 2**64 - 1)]
fingerprinters += [tx.SimHashFingerprinter(weighting=weighting, bits=bits, tie=tie)
                   for weighting in ("tf", "uniform", table) for bits in (32, 64, 128, 256) for tie in ("zero", "one")]
fingerprinters += [tx.SimHashFingerprinter(hasher=hasher, weighting=table) for hasher in ("xxh64", len)]
fingerprinters += [tx.MinHashFingerprinter(tokenizer=tokenizer) for tokenizer in (
    tx.WordTokenizer(), tx.GraphemeTokenizer(), tx.CharShingleTokenizer(k=3),
    tx.CallableTokenizer(str.split, name="own"), tx.ShingleTokenizer(k=2, inner=tx.ShingleTokenizer(k=2)))]
column = tx.TextColumn(texts)
for fp in fingerprinters:
    for source in (texts, iter(texts), column, column[2:], column[:0], column.take([4, 0]), np.array(["a", "é"]), "one",
                   "é", b"one", bytearray(b"one"), ""):
        fp.fingerprint(source, on_empty="mask", threads=2)
tx.fingerprint_many(texts, fingerprinters, on_empty="mask")
tx.IdfTable.fit(texts)
tx.IdfTable.fit([f"w{n}" for n in range(5_000)])
for fp in fingerprinters:
    if "own" in fp.tokenizer.name:
        continue
    streamer = tx.MinHashStreaming if isinstance(fp, tx.MinHashFingerprinter) else tx.SimHashStreaming
    for max_bytes in (None, 1 << 20):
        stream = streamer(fp, max_bytes=max_bytes)
        stream.update(b"some words and more ")
        stream.update(b"a b c d " * 80_000)
        stream.finalize()
        stream.update(b"bytes")
        stream.finalize()

from txtfp_np.kernels import hashing, minhash, online, simhash
kernels = [hashing.xxh3_spans, hashing.murmur3_spans, hashing.xxh64_spans,
           minhash.minhash_rows, simhash.simhash_rows, simhash.weighted_simhash_rows,
           simhash.distinct_rows, simhash.look_up_keys, simhash.number_keys, simhash.tally_keys,
           simhash.add_bit_counts, online.last_segment_begin, online.open_segment_begin]
json.dump({kernel.__name__: [str(signature) for signature in kernel.signatures] for kernel in kernels}, sys.stdout)
"""


OTHER_SKETCHES = """
import json, sys
import numpy as np
import txtfp_np as tx

letters = " ".join("abcdefghijklmnopqrstuvwxyz")
texts = ["Größe can't", "", None, "ｱ e\\u0301\\u0323 \\ufdfa", letters * 3, b"bytes"]
column = tx.TextColumn(texts)
table = tx.IdfTable({"a": 2.5, "b": 0.5})
sources = (texts, iter(texts), column, column[2:], column[:0], column.take([4, 0]), np.array(["a", "é"]), "one", "é",
           b"one", bytearray(b"one"), "")
chars = tx.CharShingleTokenizer(k=1)
fingerprinters = [tx.TlshFingerprinter(), tx.TlshFingerprinter(packed=True), tx.FuzzyFingerprinter()]
fingerprinters += [tx.FlyHashFingerprinter(weighting=weighting) for weighting in ("tf", "uniform", table)]
fingerprinters += [tx.FlyHashFingerprinter(hasher=len)]
fingerprinters += [tx.WinnowFingerprinter(canonicalizer, tokenizer, k=k, hasher=hasher)
                   for canonicalizer in (tx.Canonicalizer(), tx.Canonicalizer(apply_confusable=True))
                   for tokenizer in (chars, tx.WordTokenizer(), tx.GraphemeTokenizer()) for k in (1, 2)
                   for hasher in ("xxh64", len)]
for fp in fingerprinters:
    for source in sources:
        fp.fingerprint(source, on_empty="mask", threads=2)
long = texts[4]
for winnow in (None, *fingerprinters[-4:]):
    tx.winnow_match(long, long.upper(), fingerprinter=winnow, least=0)
    tx.winnow_match(long, b"", fingerprinter=winnow)
    tx.winnow_match("a " * 80, long + "a " * 90, fingerprinter=winnow)
hex, packed = (fp.fingerprint([long, long + "."]) for fp in fingerprinters[:2])
fingerprinters[0].sketch_bytes(long.encode())
for one in (hex, hex[0], hex[::-1], str(hex[0], "ascii"), hex.tolist(), hex.astype("U"), packed, packed[1]):
    tx.tlsh_distance(one, packed)
    tx.tlsh_distance(packed[:, None], one)
    tx.tlsh_distance(one, hex)
tx.tlsh_distance_pairs(hex, [0, 1], 1)
fuzzy = fingerprinters[2].fingerprint([long, long + "."])
for one in (fuzzy, fuzzy[0], fuzzy[::-1], str(fuzzy[0], "ascii"), fuzzy.tolist(), fuzzy.astype("U")):
    tx.ssdeep_compare(one, fuzzy)
    tx.ssdeep_compare(fuzzy[:, None], one)
tx.ssdeep_compare_pairs(fuzzy, np.array([0, 1], np.int32), 1)
fly = fingerprinters[3].fingerprint([long, long + "."])
for one in (fly, fly[0], fly[::-1], np.asfortranarray(fly)):
    tx.flyhash_overlap(one, fly)
    tx.flyhash_overlap(fly[:, None], one)
tx.flyhash_overlap_pairs(fly, [0, 1], 1)
winners = fingerprinters[3].replace(form="winners").fingerprint([long, long + "."])
for one in (winners, winners[0], winners[::-1], np.asfortranarray(winners)):
    tx.flyhash_overlap(one, winners)
    tx.flyhash_overlap(winners[:, None], one, ranked=True)
tx.flyhash_overlap_pairs(winners, [0, 1], 1)

from txtfp_np.kernels import flyhash, origins, passages, ssdeep, ssdeep_compare, tlsh, tlsh_distance, winnowing
kernels = [tlsh.pair_hashes, tlsh.tlsh_rows, tlsh.text_of_packed, tlsh_distance.packed_of_text,
           tlsh_distance.first_empty, tlsh_distance.tlsh_pairs, tlsh_distance.tlsh_tile,
           tlsh_distance.tlsh_text_pairs,
           ssdeep.ssdeep_rows, ssdeep_compare.parse_rows, ssdeep_compare.compare_pairs,
           ssdeep_compare.compare_tile,
           winnowing.roll_rows, winnowing.winnow_rows,
           passages.extend_seeds, passages.extend_refrains, passages.join_boxes,
           origins.kept_rows, origins.segments_rows, origins.trace_rows,
           flyhash.flyhash_rows, flyhash.shared_pairs, flyhash.shared_tile,
           flyhash.winners_rows, flyhash.winners_pairs, flyhash.winners_tile]
json.dump({kernel.__name__: [str(signature) for signature in kernel.signatures] for kernel in kernels}, sys.stdout)
"""


def signatures_after(code):
    """In a process of its own, so that what other tests call does not count."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@jit_only
def test_each_kernel_compiles_once():
    signatures = signatures_after(MIXED)
    assert len(signatures) == 6
    assert {name: len(found) for name, found in signatures.items()} == dict.fromkeys(signatures, 1), signatures


@jit_only
def test_each_sketch_kernel_compiles_once():
    signatures = signatures_after(SKETCHED)
    assert len(signatures) == 13
    expected = dict.fromkeys(signatures, 1)
    assert {name: len(found) for name, found in signatures.items()} == expected, signatures


@jit_only
def test_each_kernel_of_the_other_sketches_compiles_once():
    signatures = signatures_after(OTHER_SKETCHES)
    assert len(signatures) == 26
    expected = dict.fromkeys(signatures, 1)
    assert {name: len(found) for name, found in signatures.items()} == expected, signatures


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


@numba.njit
def _read_hex64(data, position, out, out_position):
    return intrinsics.read_hex64(data, position, out, out_position)


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


def test_read_hex64():
    digits = random_bytes(300).tobytes().hex().encode()
    data = np.frombuffer(digits[:300] + digits[300:].upper(), np.uint8).copy()
    for position in range(0, len(data) - 64, 7):
        out, twin = random_bytes(50, 5), random_bytes(50, 5)
        assert _read_hex64(data, position, out, position % 19)
        assert intrinsics._read_hex64(data, position, twin, position % 19)
        wanted = random_bytes(50, 5)
        wanted[position % 19 :][:32] = list(bytes.fromhex(data[position : position + 64].tobytes().decode()))
        assert np.array_equal(out, wanted)
        assert np.array_equal(twin, wanted)
    for byte in range(256):
        data[byte % 64 + 3] = byte
        good = bytes([byte]) in b"0123456789abcdefABCDEF"
        assert _read_hex64(data, 3, out, 0) == intrinsics._read_hex64(data, 3, twin, 0) == good
        data[byte % 64 + 3] = 48


# ── lanes ───────────────────────────────────────────────────────────────────────────────────────
def _jitted_minima(intrinsic):
    @numba.njit
    def minima(low, high, n, first_slot, out):
        intrinsic(low, high, n, first_slot, out)

    return minima


MINIMA = {slots: _jitted_minima(getattr(lanes, f"minima_{slots}")) for slots in (8, 32, 128)}


@numba.njit
def _count_bits(hashes, n, counts):
    lanes.count_bits(hashes, n, counts)


def random_words(n, seed):
    """Random ones among those at the edges of signed and unsigned comparison."""
    chance = np.random.default_rng(seed)
    edges = np.array([0, 1, 2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1], np.uint64)
    values = chance.integers(0, 2**64, n, np.uint64)
    return np.where(chance.random(n) < 0.3, chance.choice(edges, n), values)


@pytest.mark.parametrize("n_slots", [8, 32, 128])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 17, 64])
def test_minima(n_slots, n):
    low, high = random_words(n, n), random_words(n, n + 1)
    for first_slot in (0, 8, 128, 4000):
        for start in (np.full(n_slots, 2**64 - 1, np.uint64), random_words(n_slots, 9)):
            out, twin = start.copy(), start.copy()
            MINIMA[n_slots](low.ctypes.data, high.ctypes.data, n, first_slot, out.ctypes.data)
            lanes._twin_minima(n_slots // 8)(low.ctypes.data, high.ctypes.data, n, first_slot, twin.ctypes.data)
            pairs = list(zip(low.tolist(), high.tolist(), strict=True))
            expected = [
                min([value, *((lo + (first_slot + i) * hi) % 2**64 for lo, hi in pairs)])
                for i, value in enumerate(start.tolist())
            ]
            assert out.tolist() == twin.tolist() == expected


def test_minima_at_odd_addresses():
    """Records in files begin anywhere: vectors are loaded and stored unaligned."""
    low, high = random_words(20, 1), random_words(20, 2)
    room = np.zeros(8 * 128 + 64, np.uint8)
    expected = np.full(128, 2**64 - 1, np.uint64)
    MINIMA[128](low.ctypes.data, high.ctypes.data, 20, 0, expected.ctypes.data)
    for shift in (1, 3, 8, 13):
        room[:] = 255
        MINIMA[128](low.ctypes.data, high.ctypes.data, 20, 0, room.ctypes.data + shift)
        assert room[shift : shift + 1024].tobytes() == expected.tobytes()
        assert (room[:shift] == 255).all()
        assert (room[shift + 1024 :] == 255).all()


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 254, 255, 256, 509, 510, 511, 1000])
def test_count_bits(n):
    """Counters of a byte take 255 additions."""
    for hashes in (random_words(n, n), np.full(n, 2**64 - 1, np.uint64), np.full(n, 1 << 63 | 1, np.uint64)):
        counts = np.arange(64, dtype=np.uint64)
        twin = counts.copy()
        _count_bits(hashes.ctypes.data, n, counts.ctypes.data)
        lanes._twin_count_bits(hashes.ctypes.data, n, twin.ctypes.data)
        values = hashes.tolist()
        expected = [bit + sum(value >> bit & 1 for value in values) for bit in range(64)]
        assert counts.tolist() == twin.tolist() == expected


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
    table = tx.IdfTable({"a": 2.5, "fox": -3.0, "line": 0.5})
    fingerprinters = [
        *(tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2), h=h) for h in (1, 8, 41, 171)),
        tx.MinHashFingerprinter(tokenizer=tx.CharShingleTokenizer(k=3), h=4, hasher="murmur3_x64_128", seed=2**64 - 1),
        tx.SimHashFingerprinter(tie="one"),
        tx.SimHashFingerprinter(hasher="xxh64", bits=32, seed=0),
        tx.SimHashFingerprinter(weighting="uniform", bits=256),
        tx.SimHashFingerprinter(tokenizer=tx.GraphemeTokenizer(), weighting=table, bits=128),
    ]
    long = [" ".join(f"{text} {n}" for n in range(40)) for text in texts]
    for fp in fingerprinters:
        records, ok = fp.fingerprint([*texts, *long], on_empty="mask")
        found.append([records.tobytes().hex(), ok.tolist()])
        streamer = tx.MinHashStreaming if isinstance(fp, tx.MinHashFingerprinter) else tx.SimHashStreaming
        stream = streamer(fp, max_bytes=None)
        stream.update(long[1].encode())
        found.append(stream.finalize().tobytes().hex())
    found.append(tx.fingerprint_many("x" * 300 + " " + "y" * 150, fingerprinters[4:6])[1].tobytes().hex())
    fitted = tx.IdfTable.fit(texts)
    found.append([fitted.digest, list(fitted)])
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


@jit_only
def test_an_edited_helper_makes_cached_kernels_stale(tmp_path):
    """Numba looks at a kernel's own file only; the stamp covers all files of the folder."""
    package = tmp_path / "txtfp_np"
    shutil.copytree(Path(tx.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    run = "import txtfp_np as tx; print(tx.WordTokenizer().tokens('größe x'), tx.__file__)"
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def words():
        done = subprocess.run(
            [sys.executable, "-c", run], capture_output=True, text=True, check=True, env=environment, cwd=tmp_path
        )
        assert str(tmp_path) in done.stdout
        return done.stdout.split(" /")[0]

    assert words() == "['größe', 'x']"
    helper = package / "kernels" / "decode.py"
    text = helper.read_text(encoding="utf-8")
    assert "return value, 1 + (lead >> 7)" in text
    helper.write_text(text.replace("return value, 1 + (lead >> 7)", "return np.int64(0), 1 + (lead >> 7)"), "utf-8")
    assert words() == "[]"
