"""fingerprint_many: what separate calls give, with the stages done once."""

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.sketch import stages

TEXTS = ["the quick brown fox", "Ünïcödé 漢字", "a b c d e f g", "x"]
MINHASH, SIMHASH = tx.MinHashFingerprinter(h=16), tx.SimHashFingerprinter()
ALL = [MINHASH, SIMHASH, MINHASH.replace(h=8), SIMHASH.replace(bits=256), SIMHASH.replace(weighting="uniform")]


def test_equals_separate_calls():
    found = tx.fingerprint_many(TEXTS, ALL)
    assert isinstance(found, list)
    for fp, records in zip(ALL, found, strict=True):
        expected = fp.fingerprint(TEXTS)
        assert (records.dtype, records.shape) == (expected.dtype, expected.shape)
        assert records.tobytes() == expected.tobytes()


def test_single_document():
    for document in ("the quick brown fox", b"the quick brown fox"):
        found = tx.fingerprint_many(document, ALL)
        for fp, record in zip(ALL, found, strict=True):
            assert type(record) is type(fp.fingerprint(document))
            assert record.tobytes() == fp.fingerprint(document).tobytes()


def test_any_iterable_read_once():
    drawn = []
    texts = (drawn.append(text) or text for text in TEXTS)
    found = tx.fingerprint_many(texts, iter(ALL))
    assert drawn == TEXTS
    assert [len(records) for records in found] == [4] * 5
    assert tx.fingerprint_many(TEXTS, []) == []
    assert [records.shape for records in tx.fingerprint_many([], ALL)] == [(0,), (0,), (0,), (0, 4), (0,)]


def test_mask():
    """Each has its own mask: graphemes are found where there is no word."""
    graphemes = SIMHASH.replace(tokenizer=tx.GraphemeTokenizer())
    (words, some), (clusters, more) = tx.fingerprint_many(["a", "!", None], [SIMHASH, graphemes], on_empty="mask")
    assert some.tolist() == [True, False, False]
    assert more.tolist() == [True, True, False]
    assert words.tolist() == [int(SIMHASH.fingerprint("a")), 0, 0]
    assert clusters.tolist() == [int(graphemes.fingerprint("a")), int(graphemes.fingerprint("!")), 0]
    record, ok = tx.fingerprint_many("", [SIMHASH], on_empty="mask")[0]
    assert (record, ok) == (0, False)


def test_errors():
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.fingerprint_many(["a", ""], ALL)
    assert str(caught.value) == "invalid input: empty document (row 1)"
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.fingerprint_many("", ALL)
    assert str(caught.value) == "invalid input: empty document"
    for wrong, name in ((3, "int"), (tx.WinnowFingerprinter(), "WinnowFingerprinter")):
        with pytest.raises(tx.ConfigError, match=f"that make one record a document, got {name}") as bad:
            tx.fingerprint_many(TEXTS, [MINHASH, wrong])
        assert bad.value.argument == "fingerprinters"
    with pytest.raises(tx.ConfigError, match="on_empty"):
        tx.fingerprint_many(TEXTS, ALL, on_empty="no")
    with pytest.raises(tx.ConfigError, match="threads"):
        tx.fingerprint_many(TEXTS, ALL, threads=-1)
    tokenizer = tx.CallableTokenizer(lambda text: 1 // (text != "x") and [text], name="picky")
    with pytest.raises(tx.TokenizerError) as failed:
        tx.fingerprint_many(TEXTS, [MINHASH, SIMHASH.replace(tokenizer=tokenizer)])
    assert failed.value.row == 3


def counting(monkeypatch, name, calls):
    inner = getattr(stages, name)

    def counted(*args, **options):
        calls.append(name)
        return inner(*args, **options)

    monkeypatch.setattr(stages, name, counted)


def test_stages_that_agree_are_done_once(monkeypatch):
    calls = []
    counting(monkeypatch, "canonicalize_block", calls)
    seen = []

    def split(text):
        seen.append(text)
        return text.split()

    tokenizer = tx.CallableTokenizer(split, name="counted")
    sharing = [MINHASH.replace(tokenizer=tokenizer), SIMHASH.replace(tokenizer=tokenizer)]
    tx.fingerprint_many(TEXTS, [*sharing, sharing[1].replace(bits=128)])
    assert len(calls) == 1
    assert len(seen) == 4
    other = sharing[0].replace(canonicalizer=tx.Canonicalizer(normalization="nfc"))
    tx.fingerprint_many(TEXTS, [*sharing, other])
    assert len(calls) == 3
    assert len(seen) == 12


def test_hashes_are_shared():
    seen = []

    def hasher(data):
        seen.append(data)
        return len(data)

    tx.fingerprint_many(["a b"], [SIMHASH.replace(hasher=hasher), SIMHASH.replace(hasher=hasher, bits=128)])
    assert seen == [b"a", b"b"]


def test_results_do_not_share_memory():
    first, second = tx.fingerprint_many(TEXTS, [SIMHASH, SIMHASH])
    assert np.array_equal(first, second)
    assert not np.shares_memory(first, second)
    first[:] = 0
    assert second.all()


def test_threads_and_progress(monkeypatch):
    monkeypatch.setattr("txtfp_np.sketch.run.SKETCH_BLOCK_BYTES", 8)
    texts = [f"{text} {n}" for n in range(60) for text in TEXTS]
    expected = [fp.fingerprint(texts, threads=1).tobytes() for fp in ALL]
    seen = []
    for threads in (1, 2, 5):
        found = tx.fingerprint_many(texts, ALL, threads=threads, progress=lambda *done: seen.append(done))
        assert [records.tobytes() for records in found] == expected
        assert seen[-1] == (240, 240)
