"""Streams: caps, broken UTF-8, reset, repeated finalize, and the online form in memory that does not grow."""

import copy
import threading
import tracemalloc

import numpy as np
import pytest
from oracles import sketches as oracle

import txtfp_np as tx
from txtfp_np.sketch import online, streaming

MINHASH = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=3), h=16)
SIMHASH = tx.SimHashFingerprinter()
TEXT = "The quick brown fox, naïve café: 漢字かな交じり文 — can't stop. " * 20
FORMS = [
    pytest.param(MINHASH, tx.MinHashStreaming, id="minhash"),
    pytest.param(SIMHASH, tx.SimHashStreaming, id="simhash"),
    pytest.param(SIMHASH.replace(weighting="uniform", bits=256), tx.SimHashStreaming, id="uniform"),
    pytest.param(
        SIMHASH.replace(weighting=tx.IdfTable({"fox": 3.5, "the": 0.5}), bits=32), tx.SimHashStreaming, id="idf"
    ),
]
every_form = pytest.mark.parametrize(("fp", "streamer"), FORMS)
buffered_and_online = pytest.mark.parametrize("max_bytes", [1 << 20, None], ids=["buffered", "online"])


def feed(stream, data, size):
    for start in range(0, len(data), size):
        stream.update(data[start : start + size])
    return stream


def refuses(stream, chunk, message):
    with pytest.raises(tx.InvalidInputError) as caught:
        stream.update(chunk)
    assert str(caught.value) == f"invalid input: {message}"
    assert caught.value.argument == "chunk"
    assert caught.value.row is None


def cannot_finish(stream, message):
    with pytest.raises(tx.InvalidInputError) as caught:
        stream.finalize()
    assert str(caught.value) == f"invalid input: {message}"


# ── making one ──────────────────────────────────────────────────────────────────────────────────
def test_defaults():
    stream = tx.MinHashStreaming(MINHASH)
    assert isinstance(stream, tx.StreamingFingerprinter)
    assert repr(stream) == "MinHashStreaming(max_bytes=16777216, 0 bytes held)"
    assert repr(tx.SimHashStreaming(SIMHASH, max_bytes=None)) == "SimHashStreaming(online, 0 bytes held)"
    assert stream.buffered == 0


@pytest.mark.parametrize("max_bytes", [-1, 1.5, "16", True])
def test_bad_cap(max_bytes):
    with pytest.raises(tx.ConfigError, match="max_bytes must be an int >= 0") as caught:
        tx.MinHashStreaming(MINHASH, max_bytes=max_bytes)
    assert caught.value.argument == "max_bytes"


def test_wrong_fingerprinter():
    with pytest.raises(tx.ConfigError, match="must be a MinHashFingerprinter, got SimHashFingerprinter"):
        tx.MinHashStreaming(SIMHASH)
    with pytest.raises(tx.ConfigError, match="must be a SimHashFingerprinter, got NoneType"):
        tx.SimHashStreaming(None)
    with pytest.raises(TypeError):
        tx.MinHashStreaming(MINHASH, 16)


class Own:
    name = "own"

    def tokens(self, text):
        return text.split()

    def for_each_token(self, text, f):
        for token in self.tokens(text):
            f(token)


@pytest.mark.parametrize("wrap", [lambda t: t, lambda t: tx.ShingleTokenizer(k=2, inner=t)], ids=["alone", "shingled"])
@pytest.mark.parametrize("inner", [tx.CallableTokenizer(str.split, name="own"), Own()], ids=["callable", "plugged"])
def test_tokenizers_that_need_the_whole_document(wrap, inner):
    fp = MINHASH.replace(tokenizer=wrap(inner))
    with pytest.raises(tx.ConfigError) as caught:
        tx.MinHashStreaming(fp, max_bytes=None)
    assert str(caught.value) == "config error: the tokenizer 'own' needs the whole document"
    assert caught.value.argument == "max_bytes"
    stream = feed(tx.MinHashStreaming(fp), TEXT.encode(), 7)
    assert stream.finalize() == fp.fingerprint(TEXT)


# ── the same bytes ──────────────────────────────────────────────────────────────────────────────
@every_form
@buffered_and_online
@pytest.mark.parametrize("size", [1, 2, 3, 100, 10_000])
def test_equals_the_whole_text(fp, streamer, max_bytes, size):
    expected = fp.fingerprint(TEXT)
    found = feed(streamer(fp, max_bytes=max_bytes), TEXT.encode(), size).finalize()
    assert type(found) is type(expected)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tobytes() == expected.tobytes()


@buffered_and_online
def test_kinds_of_bytes(max_bytes):
    stream = tx.SimHashStreaming(SIMHASH, max_bytes=max_bytes)
    for chunk in (b"one ", bytearray(b"two "), memoryview(b"xthree "[1:]), np.frombuffer(b"four", np.uint8), b""):
        stream.update(chunk)
    assert stream.finalize() == SIMHASH.fingerprint("one two three four")
    for chunk in ("text", None, 3, ["a"]):
        with pytest.raises(tx.InvalidInputError, match="a chunk must be bytes, got") as caught:
            stream.update(chunk)
        assert caught.value.argument == "chunk"
    assert stream.finalize() == SIMHASH.fingerprint("one two three four")


@every_form
@buffered_and_online
def test_finalize_changes_nothing(fp, streamer, max_bytes):
    stream = streamer(fp, max_bytes=max_bytes)
    stream.update(b"one two thr")
    held = stream.buffered
    first, again = stream.finalize(), stream.finalize()
    assert first.tobytes() == again.tobytes() == fp.fingerprint("one two thr").tobytes()
    assert stream.buffered == held
    stream.update(b"ee four")
    assert stream.finalize().tobytes() == fp.fingerprint("one two three four").tobytes()
    assert first.tobytes() == again.tobytes()


@every_form
@buffered_and_online
def test_reset(fp, streamer, max_bytes):
    stream = streamer(fp, max_bytes=max_bytes)
    cannot_finish(stream, "empty document")
    stream.update(TEXT.encode() + b"\xe6\xbc")
    stream.reset()
    assert stream.buffered == 0
    cannot_finish(stream, "empty document")
    stream.update(b"other text")
    assert stream.finalize().tobytes() == fp.fingerprint("other text").tobytes()


@every_form
@buffered_and_online
@pytest.mark.parametrize("nothing", [b"", b" ", b"...", "\u200b".encode()])
def test_empty_documents(fp, streamer, max_bytes, nothing):
    stream = streamer(fp, max_bytes=max_bytes)
    stream.update(nothing)
    cannot_finish(stream, "empty document")
    stream.update(b"word")
    assert stream.finalize().tobytes() == fp.fingerprint(nothing + b"word").tobytes()


@buffered_and_online
def test_records_keep_their_own_memory(max_bytes):
    stream = tx.MinHashStreaming(MINHASH, max_bytes=max_bytes)
    stream.update(b"a b c d")
    record = stream.finalize()
    kept = record.tobytes()
    stream.update(b" e f g")
    stream.finalize()
    stream.reset()
    assert record.tobytes() == kept


# ── the cap ─────────────────────────────────────────────────────────────────────────────────────
def test_cap():
    stream = tx.MinHashStreaming(MINHASH, max_bytes=10)
    stream.update(b"a b c d e")
    refuses(stream, b"fg", "streaming buffer exceeded cap")
    assert stream.buffered == 9
    stream.update(b"f")  # equal to the cap is fine
    assert stream.buffered == 10
    refuses(stream, b"g", "streaming buffer exceeded cap")
    stream.update(b"")
    assert stream.finalize() == MINHASH.fingerprint("a b c d ef")


def test_cap_comes_before_utf8_and_keeps_the_carry():
    stream = tx.SimHashStreaming(SIMHASH, max_bytes=6)
    stream.update(b"caf\xc3")  # the carry does not count
    assert stream.buffered == 3
    refuses(stream, b"\xff\xff\xff\xff", "streaming buffer exceeded cap")
    stream.update(b"\xa9 a")  # 3 + 3: as much as the cap, although 7 bytes are held then
    assert stream.buffered == 7
    assert stream.finalize() == SIMHASH.fingerprint("café a")


def test_cap_of_zero():
    stream = tx.SimHashStreaming(SIMHASH, max_bytes=0)
    stream.update(b"")
    refuses(stream, b"a", "streaming buffer exceeded cap")


# ── broken UTF-8 ────────────────────────────────────────────────────────────────────────────────
BROKEN = [
    b"\x80",
    b"\xff",
    b"\xc0\x80",
    b"\xf5",
    b"a\xe2(b",
    b"\xe0\x80",
    b"\xf4\x90",
    b"\xed\xa0\x80",
    b"\xf0\x9f\x98z",
]


@buffered_and_online
@pytest.mark.parametrize("broken", BROKEN, ids=bytes.hex)
def test_invalid_chunk_is_dropped_whole(max_bytes, broken):
    stream = tx.SimHashStreaming(SIMHASH, max_bytes=max_bytes)
    stream.update(b"one ")
    held = stream.buffered
    refuses(stream, b"good " + broken + b" good", "invalid UTF-8 in stream")
    assert stream.buffered == held
    stream.update(b"two")
    assert stream.finalize() == SIMHASH.fingerprint("one two")


@buffered_and_online
def test_invalid_chunk_takes_the_carry_along(max_bytes):
    stream = tx.SimHashStreaming(SIMHASH, max_bytes=max_bytes)
    stream.update(b"one \xe6\xbc")
    refuses(stream, b"x", "invalid UTF-8 in stream")
    stream.update(b"two")  # the carry is gone: this is whole text again
    assert stream.finalize() == SIMHASH.fingerprint("one two")


@buffered_and_online
@pytest.mark.parametrize("character", ["é", "漢", "\U0001f600", "\ud7ff", "\U0010ffff"])
def test_trailing_incomplete_code_point(max_bytes, character):
    data = character.encode()
    for cut in range(1, len(data)):
        stream = tx.SimHashStreaming(SIMHASH, max_bytes=max_bytes)
        stream.update(b"a b" + data[:cut])
        assert stream.buffered == 3
        cannot_finish(stream, "trailing incomplete UTF-8")
        stream.update(data[cut:])
        assert stream.finalize() == SIMHASH.fingerprint("a b" + character)


@buffered_and_online
def test_begin_of_a_surrogate_is_no_incomplete_code_point(max_bytes):
    stream = tx.SimHashStreaming(SIMHASH, max_bytes=max_bytes)
    stream.update(b"one ")
    refuses(stream, b"\xed\xa0", "invalid UTF-8 in stream")
    stream.update(b"two")
    assert stream.finalize() == SIMHASH.fingerprint("one two")


# ── online ──────────────────────────────────────────────────────────────────────────────────────
def test_holds_back_little(monkeypatch):
    monkeypatch.setattr(streaming, "_STEP_BYTES", 64)
    stream = tx.MinHashStreaming(MINHASH, max_bytes=None)
    for start in range(0, 20_000, 50):
        stream.update((TEXT.encode() * 20)[start : start + 50])
        assert stream.buffered < 64 + 200


def test_endless_token(monkeypatch):
    monkeypatch.setattr(streaming, "_STEP_BYTES", 64)
    monkeypatch.setattr(online, "MOST_HELD_BYTES", 1_000)
    stream = tx.MinHashStreaming(MINHASH, max_bytes=None)
    stream.update(b"short words. ")
    with pytest.raises(tx.InvalidInputError) as caught:
        feed(stream, b"x" * 3_000, 100)
    assert str(caught.value) == "invalid input: a single token is longer than 1000 bytes"
    assert "max_bytes" in caught.value.__notes__[0]
    stream.reset()
    stream.update(b"fine again now")
    assert stream.finalize() == MINHASH.fingerprint("fine again now")


def test_endless_marks(monkeypatch):
    monkeypatch.setattr(streaming, "_STEP_BYTES", 64)
    monkeypatch.setattr(online, "MOST_HELD_BYTES", 1_000)
    stream = tx.SimHashStreaming(SIMHASH, max_bytes=None)
    with pytest.raises(tx.InvalidInputError, match="a run of combining marks is longer than 1000 bytes"):
        feed(stream, ("e" + "\u0301" * 2_000).encode(), 100)


def test_long_tokens_within_the_limit(monkeypatch):
    monkeypatch.setattr(streaming, "_STEP_BYTES", 64)
    text = "a " + "x" * 5_000 + " b e" + "\u0301\u0323" * 700
    for fp, streamer in ((MINHASH, tx.MinHashStreaming), (SIMHASH, tx.SimHashStreaming)):
        found = feed(streamer(fp, max_bytes=None), text.encode(), 33).finalize()
        assert found == fp.fingerprint(text)


def test_hash_of_zero():
    hasher = {b"a": 0, b"bb": 1}.__getitem__
    fp = SIMHASH.replace(weighting="uniform", hasher=hasher)
    stream = feed(tx.SimHashStreaming(fp, max_bytes=None), b"bb a", 1)
    assert stream.finalize() == fp.fingerprint("bb a") == oracle.simhash(["bb", "a"], "uniform", family=hasher)[0]


def test_stream_is_independent_of_its_copy():
    stream = tx.MinHashStreaming(MINHASH, max_bytes=None)
    stream.update(b"one two three ")
    other = copy.deepcopy(stream)
    other.update(b"four")
    assert stream.finalize() == MINHASH.fingerprint("one two three")
    assert other.finalize() == MINHASH.fingerprint("one two three four")


@pytest.mark.parametrize(
    ("fp", "streamer"),
    [
        (tx.MinHashFingerprinter(), tx.MinHashStreaming),
        (SIMHASH, tx.SimHashStreaming),
        (SIMHASH.replace(weighting="uniform"), tx.SimHashStreaming),
    ],
    ids=["minhash", "tf", "uniform"],
)
def test_memory_does_not_grow_with_the_text(fp, streamer):
    """40 MB go through; what is held stays below 2 MB, and what is ever allocated far below the text."""
    # 5 MB of text again and again: the tokens are the same from the second time on, so the record is known.
    paragraph = " ".join(f"word{n % 9_973} könnte {n % 97}" for n in range(240_000)).encode() + b"\n"
    n_times = -(-40_000_000 // len(paragraph))
    stream = streamer(fp, max_bytes=None)
    stream.update(b"warm up ")
    stream.finalize()
    stream.reset()
    tracemalloc.start()
    try:
        most_held = 0
        for _ in range(n_times):
            for start in range(0, len(paragraph), 1 << 16):
                stream.update(paragraph[start : start + (1 << 16)])
                most_held = max(most_held, stream.buffered)
        found = stream.finalize()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(paragraph) * n_times >= 40_000_000
    assert most_held < 2_000_000
    assert peak < 16_000_000
    assert found == fp.fingerprint(paragraph * n_times)


def test_a_function_of_the_user_is_never_copied():
    """Locks and open files cannot be; finalize() works on a copy of the state alone."""
    lock = threading.Lock()

    def hasher(token):
        with lock:
            return len(token)

    stream = tx.SimHashStreaming(tx.SimHashFingerprinter(hasher=hasher), max_bytes=None)
    stream.update(b"some words")
    assert stream.finalize() == stream.finalize() == tx.SimHashFingerprinter(hasher=hasher).fingerprint("some words")


def test_a_stream_that_failed_half_way_wants_a_reset(monkeypatch):
    monkeypatch.setattr("txtfp_np.sketch.streaming._STEP_BYTES", 4)
    hasher = lambda token: 1 // (token != b"bad")  # noqa: E731
    stream = tx.SimHashStreaming(tx.SimHashFingerprinter(hasher=hasher), max_bytes=None)
    with pytest.raises(tx.TokenizerError):
        stream.update(b"good bad words ")
    for again in (lambda: stream.update(b"more"), stream.finalize):
        with pytest.raises(tx.InvalidInputError, match="the stream has failed before"):
            again()
    stream.reset()
    stream.update(b"good")
    assert stream.finalize() == tx.SimHashFingerprinter(hasher=hasher).fingerprint("good")


def test_held_tokens_have_a_cap(monkeypatch):
    monkeypatch.setattr("txtfp_np.sketch.online.MOST_HELD_BYTES", 100)
    monkeypatch.setattr("txtfp_np.sketch.streaming._STEP_BYTES", 50)
    fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=1000))
    stream = tx.MinHashStreaming(fp, max_bytes=None)
    with pytest.raises(tx.InvalidInputError, match="999 tokens are longer than 100 bytes"):
        stream.update(b"some words and more " * 20)
