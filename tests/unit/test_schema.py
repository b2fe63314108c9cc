"""Signatures as bytes: the documented layout, the checked way in, round trips through files."""

import struct

import numpy as np
import pytest

from txtfp_np.errors import ConfigError, InvalidInputError, SchemaMismatchError
from txtfp_np.schema import (
    DEFAULT_SEED,
    FORMAT_VERSION,
    MIN_INPUT_BYTES,
    MINHASH_SCHEMA,
    SIMHASH_SCHEMA,
    MinHashSig,
    SimHash64,
    as_signatures,
    empty_signature,
    minhash_dtype,
    signature_display,
    signature_words,
    simhash_display,
)
from txtfp_np.schema.signatures import check_word, signature_slots

SIZES = [1, 2, 7, 8, 64, 128, 256, 4096]


def some_signatures(n, h, seed=0):
    sigs = np.zeros(n, minhash_dtype(h))
    sigs["schema"] = 1
    sigs["hashes"] = np.random.default_rng(seed).integers(0, 1 << 64, (n, h), dtype=np.uint64)
    return sigs


def test_constants():
    assert (FORMAT_VERSION, MINHASH_SCHEMA, SIMHASH_SCHEMA, MIN_INPUT_BYTES) == (1, 1, 1, 50)
    assert DEFAULT_SEED == 0x00C0FFEE5EED == 828927532781
    assert SimHash64 == np.dtype("<u8")


# ── layout ──────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("h", SIZES)
def test_layout_is_the_documented_one(h):
    dtype = minhash_dtype(h)
    assert dtype.itemsize == 8 + 8 * h
    assert {name: field[1] for name, field in dtype.fields.items()} == {"schema": 0, "_pad": 2, "hashes": 8}
    assert dtype["schema"] == np.dtype("<u2")
    assert dtype["hashes"] == np.dtype(("<u8", (h,)))
    assert signature_slots(dtype) == h


@pytest.mark.parametrize("h", SIZES)
def test_struct_reads_the_bytes(h):
    """The table of docs/format.md, without NumPy."""
    sigs = some_signatures(3, h)
    data = sigs.tobytes()
    size = 8 + 8 * h
    for row in range(3):
        schema, *slots = struct.unpack_from(f"<H6x{h}Q", data, size * row)
        assert schema == 1
        assert data[size * row + 2 : size * row + 8] == bytes(6)
        assert slots == sigs["hashes"][row].tolist()


@pytest.mark.parametrize("h", SIZES)
def test_struct_writes_the_bytes(h):
    slots = np.random.default_rng(h).integers(0, 1 << 64, h, dtype=np.uint64).tolist()
    (sig,) = as_signatures(struct.pack(f"<H6x{h}Q", 1, *slots), h)
    assert sig["hashes"].tolist() == slots
    assert sig["schema"] == 1


@pytest.mark.parametrize(("bits", "form"), [(32, "<I"), (64, "<Q"), (128, "<2Q"), (256, "<4Q")])
def test_struct_reads_simhashes(bits, form):
    n_words = max(1, bits // 64)
    column = np.array([[3 * row + word for word in range(n_words)] for row in range(4)])
    data = column.astype("<u4" if bits == 32 else "<u8").tobytes()
    assert struct.calcsize(form) == bits // 8
    assert [list(words) for words in struct.iter_unpack(form, data)] == column.tolist()


def test_dtype_is_made_once():
    assert minhash_dtype(128) is minhash_dtype(np.int64(128))
    assert MinHashSig is minhash_dtype


@pytest.mark.parametrize("h", [0, -1, 4097, 1.0, "128", None, True])
def test_size_is_checked(h):
    for f in (minhash_dtype, empty_signature, lambda h: as_signatures(b"", h)):
        with pytest.raises(ConfigError, match="h must be an int >= 1 and <= 4096") as caught:
            f(h)
        assert caught.value.argument == "h"


@pytest.mark.parametrize(
    "dtype",
    [
        "<u8",
        "V1032",
        [("schema", "<u2"), ("hashes", "<u8", (128,))],
        [("schema", "<u2"), ("_pad", "u1", (6,)), ("hashes", "<i8", (128,))],
        [("schema", "<u2"), ("_pad", "u1", (6,)), ("slots", "<u8", (128,))],
    ],
)
def test_other_dtypes_are_not_signatures(dtype):
    assert signature_slots(np.dtype(dtype)) is None
    with pytest.raises(InvalidInputError, match="expected MinHash signatures"):
        signature_words(np.zeros(2, dtype))


def test_empty_signature():
    sig = empty_signature(16)
    assert isinstance(sig, np.void)
    assert sig.tobytes() == b"\x01\0\0\0\0\0\0\0" + b"\xff" * 128
    sig["hashes"][0] = 5  # a fresh one every time
    assert empty_signature(16)["hashes"][0] == 2**64 - 1


# ── the checked way in ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize(
    "wrap",
    [
        bytes,
        bytearray,
        memoryview,
        lambda data: memoryview(data).cast("Q"),
        lambda data: np.frombuffer(data, np.uint8),
        lambda data: np.frombuffer(data, np.uint8).copy(),
    ],
    ids=["bytes", "bytearray", "memoryview", "memoryview of words", "read-only array", "array"],
)
def test_from_bytes(wrap):
    sigs = some_signatures(5, 8)
    back = as_signatures(wrap(sigs.tobytes()), 8)
    assert back.dtype == minhash_dtype(8)
    assert back.shape == (5,)
    assert back.tobytes() == sigs.tobytes()


def test_from_bytes_copies_nothing():
    buffer = bytearray(some_signatures(5, 8).tobytes())
    sigs = as_signatures(buffer, 8)
    buffer[8:16] = (77).to_bytes(8, "little")
    assert sigs["hashes"][0, 0] == 77


def test_from_strided_bytes():
    sigs = some_signatures(5, 8)
    spread = np.repeat(np.frombuffer(sigs.tobytes(), np.uint8), 2)
    for given in (spread[::2], memoryview(spread)[::2]):
        assert as_signatures(given, 8).tobytes() == sigs.tobytes()


def test_from_unaligned_bytes():
    sigs = some_signatures(5, 8)
    back = as_signatures(memoryview(b"x" + sigs.tobytes())[1:], 8)
    assert back.tobytes() == sigs.tobytes()
    words = signature_words(back)
    assert words.flags.aligned
    np.testing.assert_array_equal(words[:, 1:], sigs["hashes"])


def test_no_signatures_at_all():
    assert as_signatures(b"", 8).shape == (0,)
    assert as_signatures(np.zeros((0, 9), np.uint64), 8).shape == (0,)
    assert signature_words(as_signatures(b"", 8)).shape == (0, 9)


def test_incomplete_bytes():
    with pytest.raises(InvalidInputError, match=r"75 bytes .* 72-byte signatures \(h = 8\): 3 bytes are left over"):
        as_signatures(bytes(75), 8)


def test_from_words():
    sigs = some_signatures(5, 8)
    words = signature_words(sigs)
    back = as_signatures(words, 8)
    assert np.shares_memory(back, sigs)
    assert back.tobytes() == sigs.tobytes()
    assert as_signatures(words.astype(">u8"), 8).tobytes() == sigs.tobytes()
    assert as_signatures(np.asfortranarray(words), 8).tobytes() == sigs.tobytes()
    assert as_signatures(words[::2], 8).tobytes() == sigs[::2].tobytes()
    assert as_signatures(words[0], 8).tobytes() == sigs[0].tobytes()


def test_from_signatures():
    sigs = some_signatures(6, 8)
    assert as_signatures(sigs, 8) is sigs
    assert as_signatures(sigs[0], 8).shape == ()
    assert as_signatures(sigs.reshape(2, 3), 8).shape == (2, 3)
    assert np.shares_memory(as_signatures(sigs[::2], 8), sigs)
    swapped = sigs.astype(sigs.dtype.newbyteorder())
    assert swapped.tobytes() != sigs.tobytes()
    assert as_signatures(swapped, 8).tobytes() == sigs.tobytes()


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (some_signatures(2, 4), r"expected signatures of h = 8 \(72 bytes each\), got signatures of h = 4"),
        (np.zeros(2, np.float64), "expected signatures of h = 8 .* got dtype float64"),
        (np.zeros(2, np.int64), "got dtype int64"),
        (np.zeros((2, 72), np.uint8), r"one axis, got shape \(2, 72\)"),
        (np.zeros((2, 8), np.uint64), r"1 \+ h = 9 columns, got shape \(2, 8\)"),
        (np.zeros((), np.uint64), r"1 \+ h = 9 columns, got shape \(\)"),
        ([1, 2], "bytes or an array, got list"),
        ("text", "bytes or an array, got str"),
        (None, "bytes or an array, got NoneType"),
    ],
)
def test_what_is_refused(given, message):
    with pytest.raises(InvalidInputError, match=message):
        as_signatures(given, 8)


def test_other_schema_names_the_row():
    sigs = some_signatures(6, 8)
    sigs["schema"][4] = 2
    sigs["schema"][5] = 7
    for given in (sigs, sigs.tobytes(), signature_words(sigs)):
        with pytest.raises(SchemaMismatchError, match=r"^schema version mismatch: expected 1, got 2 \(row 4\)$") as e:
            as_signatures(given, 8)
        assert (e.value.expected, e.value.actual, e.value.row) == (1, 2, 4)


# ── files ───────────────────────────────────────────────────────────────────────────────────────
def test_npy_round_trip(tmp_path):
    sigs = some_signatures(50, 16)
    np.save(tmp_path / "sigs.npy", sigs)
    mapped = np.load(tmp_path / "sigs.npy", mmap_mode="r")
    checked = as_signatures(mapped, 16)
    assert isinstance(checked, np.memmap)
    assert np.shares_memory(checked, mapped)
    assert not checked.flags.writeable
    np.testing.assert_array_equal(checked, sigs)
    words = signature_words(checked)
    assert np.shares_memory(words, mapped)
    assert type(words) is np.ndarray


def test_raw_round_trip(tmp_path):
    sigs = some_signatures(50, 16)
    path = tmp_path / "sigs.bin"
    sigs.tofile(path)
    assert path.stat().st_size == 50 * 136
    for back in (
        as_signatures(path.read_bytes(), 16),
        as_signatures(np.fromfile(path, np.uint8), 16),
        as_signatures(np.fromfile(path, minhash_dtype(16)), 16),
        as_signatures(np.memmap(path, np.uint8, "r"), 16),
        np.frombuffer(path.read_bytes(), minhash_dtype(16)),
    ):
        np.testing.assert_array_equal(back, sigs)


# ── words ───────────────────────────────────────────────────────────────────────────────────────
def test_words_are_a_view():
    sigs = some_signatures(6, 8)
    words = signature_words(sigs)
    assert words.dtype == np.uint64
    assert words.flags.c_contiguous
    assert np.shares_memory(words, sigs)
    assert (words[:, 0] == 1).all()
    np.testing.assert_array_equal(words[:, 1:], sigs["hashes"])


def test_words_of_other_layouts():
    sigs = some_signatures(6, 8)
    words = signature_words(sigs)
    np.testing.assert_array_equal(signature_words(sigs[0]), words[:1])
    np.testing.assert_array_equal(signature_words(sigs[::-2]), words[::-2])
    np.testing.assert_array_equal(signature_words(sigs.reshape(2, 3)), words)
    np.testing.assert_array_equal(signature_words(sigs.astype(sigs.dtype.newbyteorder())), words)


# ── text ────────────────────────────────────────────────────────────────────────────────────────
def test_signature_display():
    sigs = as_signatures(np.array([[1, 1, 2, 3, 4, 5]], np.uint64), 5)
    shown = "0000000000000001, 0000000000000002, 0000000000000003, 0000000000000004"
    assert signature_display(sigs[0]) == f"MinHashSig<5>[{shown}, ..+1 more]"
    four = as_signatures(np.array([[1, 1, 2, 3, 4]], np.uint64), 4)
    assert signature_display(four[0]) == f"MinHashSig<4>[{shown}]"
    with pytest.raises(InvalidInputError, match=r"one signature, got an array of shape \(1,\)"):
        signature_display(sigs)


def test_simhash_display():
    assert simhash_display(0) == "SimHash64(0000000000000000)"
    assert simhash_display(2**64 - 1) == simhash_display(np.uint64(2**64 - 1)) == "SimHash64(ffffffffffffffff)"


def test_one_word():
    assert check_word(np.array(7, np.uint64)) == check_word(np.int8(7)) == check_word(7) == 7
    for wrong in (-1, 2**64, 1.0, True, "7", None, np.array([7], np.uint64)):
        with pytest.raises(InvalidInputError, match="must be an int between 0 and"):
            check_word(wrong)
