"""``first_invalid`` and ``gather_spans`` against Python's own codec and slicing."""

import itertools

import numpy as np
import pytest

from txtfp_np.columns import TextColumn
from txtfp_np.errors import InvalidInputError
from txtfp_np.kernels.utf8 import first_invalid, gather_spans

hypothesis = pytest.importorskip("hypothesis")
st = hypothesis.strategies

# What a decoder may get wrong: the first and last of each length, and their neighbours.
TRICKY = [
    b"\xc0\x80",  # overlong NUL
    b"\xc1\xbf",
    b"\xc2\x80",
    b"\xdf\xbf",
    b"\xe0\x80\x80",
    b"\xe0\x9f\xbf",  # overlong U+07FF
    b"\xe0\xa0\x80",
    b"\xec\xbf\xbf",
    b"\xed\x9f\xbf",
    b"\xed\xa0\x80",  # U+D800
    b"\xed\xbf\xbf",  # U+DFFF
    b"\xee\x80\x80",
    b"\xef\xbf\xbf",
    b"\xf0\x80\x80\x80",
    b"\xf0\x8f\xbf\xbf",  # overlong U+FFFF
    b"\xf0\x90\x80\x80",
    b"\xf3\xbf\xbf\xbf",
    b"\xf4\x8f\xbf\xbf",
    b"\xf4\x90\x80\x80",  # U+110000
    b"\xf5\x80\x80\x80",
    b"\xff",
    b"\x80",
    b"\xbf",
    b"\xe4\xb8",
    b"\xf0\x9f\x98",
    b"\xe4\xb8A",
    b"\xf0\x9f\x98A",
    b"\xe4\xb8\xad\x80",
]


def oracle(data: bytes) -> int:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return -1


def array(data: bytes) -> np.ndarray:
    return np.frombuffer(data, np.uint8)


def found(data: bytes) -> int:
    return int(first_invalid(array(data), 0, len(data)))


def test_every_byte_and_pair():
    # One kernel call a pair would do, but a wrapped one tells scalar and vector path apart.
    for pair in itertools.chain(
        (bytes([a]) for a in range(256)), (bytes(pair) for pair in itertools.product(range(256), repeat=2))
    ):
        expected = oracle(pair)
        assert found(pair) == expected, pair
        assert found(pair + b"x" * 64) == expected, pair


def test_every_second_byte_of_every_lead_byte():
    for lead, second in itertools.product(range(0xC0, 0x100), range(256)):
        for rest in (b"", b"\x80", b"\x80\x80", b"\xbf\xbf", b"\x80\xc2", b"\x80\x80\x80"):
            sequence = bytes([lead, second]) + rest
            expected = oracle(sequence + b" ")
            assert found(sequence + b" ") == expected, sequence
            assert found(sequence + b" " * 64) == expected, sequence


@pytest.mark.parametrize("sequence", TRICKY)
@pytest.mark.parametrize("filler", ["a", "é", "中", "😀"])
def test_tricky_sequences_at_every_place_of_a_block(sequence, filler):
    before = filler.encode() * 80
    width = len(filler.encode())
    for shift in range(70):
        start = before[: shift * width]
        for end in (b"", b"z", b"z" * 70):
            data = start + sequence + end
            assert found(data) == oracle(data), (shift, end)


@pytest.mark.parametrize("text", ["é", "中", "😀"])
def test_a_sequence_that_stop_cuts_is_invalid(text):
    data = array(b"a" * 100 + text.encode() + b"b" * 100)
    for stop in range(101, 100 + len(text.encode())):
        assert first_invalid(data, 0, stop) == 100
        assert first_invalid(data, 99, stop) == 100
    assert first_invalid(data, 0, 100) == -1
    assert first_invalid(data, 0, len(data)) == -1
    assert first_invalid(data, 101, len(data)) == 101


def test_bytes_outside_the_range_do_not_matter():
    data = array(b"\xff" * 64 + "grün".encode() + b"\xff" * 64)
    assert first_invalid(data, 64, 69) == -1
    assert first_invalid(data, 63, 69) == 63
    assert first_invalid(data, 64, 70) == 69
    assert first_invalid(data, 70, 70) == -1


def test_every_code_point_is_valid():
    text = "".join(map(chr, itertools.chain(range(0xD800), range(0xE000, 0x110000))))
    assert found(text.encode()) == -1


@hypothesis.given(
    st.lists(st.one_of(st.sampled_from(TRICKY), st.text(max_size=30).map(str.encode), st.binary(max_size=8)))
)
def test_random_bytes(pieces):
    data = b"".join(pieces)
    assert found(data) == oracle(data)


@hypothesis.given(st.lists(st.one_of(st.sampled_from(TRICKY), st.binary(max_size=6), st.just("ö😀 中".encode()))))
def test_documents_are_judged_and_replaced_one_by_one(documents):
    # Sequences that continue over the border of two documents are valid only as a whole.
    offsets = np.cumsum([0, *map(len, documents)])
    data = b"".join(documents)
    replaced = TextColumn.from_buffers(data, offsets, errors="replace")
    assert replaced.to_list() == [document.decode("utf-8", "replace") for document in documents]
    wrong = [(row, oracle(document)) for row, document in enumerate(documents) if oracle(document) >= 0]
    if not wrong:
        assert TextColumn.from_buffers(data, offsets) == replaced
        return
    with pytest.raises(InvalidInputError, match=rf"invalid UTF-8 at byte {wrong[0][1]} ") as caught:
        TextColumn.from_buffers(data, offsets)
    assert caught.value.row == wrong[0][0]


@hypothesis.given(st.integers(0, 600), st.data())
def test_gather(n_bytes, draw):
    data = (bytes(range(251)) * 3)[:n_bytes]
    borders = st.tuples(st.integers(0, len(data)), st.integers(0, len(data))).map(sorted)
    spans = np.array(draw.draw(st.lists(borders, max_size=20)), np.int64).reshape(-1, 2)
    starts, ends = np.ascontiguousarray(spans[:, 0]), np.ascontiguousarray(spans[:, 1])
    offsets = np.concatenate([[0], np.cumsum(ends - starts)])
    guard = 70
    out = np.full(offsets[-1] + guard, 0xEE, np.uint8)
    for values in (starts, ends, offsets):
        values.flags.writeable = False
    gather_spans(array(data), starts, ends, out, offsets)
    assert out[: offsets[-1]].tobytes() == b"".join(data[a:b] for a, b in spans.tolist())
    assert (out[offsets[-1] :] == 0xEE).all(), "wrote behind the last span"


def test_each_kernel_has_one_signature():
    pa = pytest.importorskip("pyarrow")
    TextColumn(pa.array(["ä", None, "b"])).take([0, 2])
    TextColumn(pa.array(["ä", "b"], pa.large_binary())).take(np.array([0], np.int32))
    TextColumn.from_buffers(np.array([97, 98], np.uint8), [0, 1, 2])[::2]
    TextColumn.from_buffers(bytearray(b"ab"), [0, 1, 2], [True, False])
    if hasattr(first_invalid, "signatures"):  # with the JIT off they are plain functions
        assert len(first_invalid.signatures) == 1
        assert len(gather_spans.signatures) == 1
