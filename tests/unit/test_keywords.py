"""Keyword sketches: against plain Python, in every state, and what they refuse."""

import numpy as np
import pytest
from oracles.keywords import heaviest
from support import blocks_of

import txtfp_np as tx
from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.sketch import giant
from txtfp_np.sketch.hashing import Hasher


def corpus(n=60, seed=1):
    rng = np.random.default_rng(seed)
    words = np.array([f"w{number}" for number in range(300)])
    share = 1 / np.arange(1, 301)
    return [" ".join(rng.choice(words, size, p=share / share.sum())) for size in rng.integers(1, 200, n)]


def hash_of(token):
    import xxhash

    return xxhash.xxh3_128_intdigest(token.encode(), tx.DEFAULT_SEED) % 2**64


@pytest.mark.parametrize("size", [1, 5, 48, 400])
def test_the_heaviest_are_those_of_plain_python(size):
    texts = corpus()
    # weights that no rounding can confuse
    table = tx.IdfTable({f"w{number}": 1 + 0.37 * (number % 23) for number in range(300)})
    fp = tx.KeywordFingerprinter(idf=table, size=size)
    wanted = [heaviest(text.split(), lambda token: float(np.float32(table[token])), hash_of, size) for text in texts]
    assert fp.fingerprint(texts).tolist() == wanted


def test_a_token_that_no_document_had_is_the_heaviest():
    fp = tx.KeywordFingerprinter(idf=tx.IdfTable({"a": 5.0, "b": 2.0}), size=1)
    assert fp.fingerprint("b new") == hash_of("new") % 65536
    assert tx.KeywordFingerprinter(idf=tx.IdfTable({}), size=1).fingerprint("new") == hash_of("new") % 65536


def test_nothing_but_the_options_decides():
    texts = corpus()
    fp = tx.KeywordFingerprinter(idf=tx.IdfTable.fit(texts))
    whole = fp.fingerprint(texts)
    with blocks_of(100):
        assert np.array_equal(fp.fingerprint(texts, threads=2), whole)
    assert np.array_equal(fp.fingerprint(texts[3]), whole[3])
    assert np.array_equal([fp.fingerprint(" ".join(reversed(text.split()))) for text in texts], whole)
    assert fp.metadata().byte_size == 96
    assert fp.config_hash != fp.replace(size=64).config_hash
    assert fp.config_hash != fp.replace(idf=tx.IdfTable.fit(texts[:9])).config_hash
    assert Hasher(fp.hasher, fp.seed) == fp._hash


def test_a_giant_is_signed_in_pieces(monkeypatch):
    texts = corpus()
    long = " ".join(texts)
    fp = tx.KeywordFingerprinter(idf=tx.IdfTable.fit(texts))
    whole = fp.fingerprint(long)
    monkeypatch.setattr(giant, "GIANT_BYTES", 1 << 9)
    monkeypatch.setattr(giant, "PIECE_BYTES", 1 << 8)
    assert np.array_equal(fp.fingerprint([long, "a"])[0], whole)


def test_empty_documents():
    fp = tx.KeywordFingerprinter(idf=tx.IdfTable.fit(["a b"]), size=3)
    sets, ok = fp.fingerprint(["a", ""], on_empty="mask")
    assert ok.tolist() == [True, False]
    assert sets[1].tolist() == [0, 0, 0]
    assert len(set(sets[0].tolist())) == 1
    with pytest.raises(InvalidInputError, match=r"empty document \(row 1\)"):
        fp.fingerprint(["a", ""])


def test_what_it_refuses():
    with pytest.raises(ConfigError, match="idf must be an IdfTable, got dict"):
        tx.KeywordFingerprinter(idf={})
    with pytest.raises(ConfigError, match="size must be an int >= 1"):
        tx.KeywordFingerprinter(idf=tx.IdfTable({}), size=0)
