"""Invariants of FlyHash.

1. Winners equal the oracle's, for any tokens, weighting, size, number of winners, fan, family and seed.
2. They depend on the tokens and their counts, not on their order; and not on the size of blocks or the number of
   threads.
3. Overlaps equal the oracle's, as pairs and as a matrix.
4. A document that is cut into pieces has the same winners.
5. Winners by number are those of the bits, in the order of the oracle; their overlaps equal the oracle's.
"""

import random

import numpy as np
import pytest

pytest.importorskip("hypothesis")

from hypothesis import given, settings
from hypothesis import strategies as st
from oracles import flyhash as oracle
from support import blocks_of

import txtfp_np as tx
from txtfp_np.sketch import giant, run

LINES = tx.CallableTokenizer(str.splitlines, name="lines")
PLAIN = tx.Canonicalizer(normalization="none", case_fold="none", strip_bidi=False, strip_format=False)
words = st.text("abcdefgh é漢", min_size=1, max_size=6)
token_lists = st.lists(words, min_size=1, max_size=40)
# exact in single precision, so that the oracle's doubles are the table's
tables = st.dictionaries(words, st.integers(-8, 64).map(lambda number: number / 8), max_size=30)
short_texts = st.one_of(st.text("ab cd é漢", max_size=60), st.none())
sizes = st.sampled_from([64, 128, 192, 1024])


def ones(row):
    return set(np.flatnonzero(np.unpackbits(row.astype("<u8").view(np.uint8), bitorder="little")).tolist())


@settings(max_examples=200)
@given(
    token_lists,
    st.one_of(st.sampled_from(["tf", "uniform"]), tables),
    sizes,
    st.integers(1, 64),
    st.integers(1, 20),
    st.sampled_from(["xxh3_64", "murmur3_x64_128", "xxh64"]),
    st.integers(0, 2**64 - 1),
)
def test_winners_equal_the_oracle(tokens, weighting, bits, active, fan, family, seed):
    table = tx.IdfTable(weighting) if isinstance(weighting, dict) else weighting
    fp = tx.FlyHashFingerprinter(
        PLAIN, LINES, weighting=table, bits=bits, active=active, fan=fan, hasher=family, seed=seed
    )
    wanted = oracle.winners(tokens, weighting, bits, active, fan, family, seed)
    assert ones(fp.fingerprint("\n".join(tokens))) == wanted
    assert ones(fp.fingerprint("\n".join(sorted(tokens)))) == wanted
    ranked = fp.replace(form="winners").fingerprint("\n".join(tokens)).tolist()
    wanted = oracle.ranked_winners(tokens, weighting, bits, active, fan, family, seed)
    assert ranked == wanted + [65535] * (active - len(wanted))


@settings(max_examples=100)
@given(st.lists(st.sets(st.integers(0, 127), max_size=128), min_size=1, max_size=8))
def test_overlaps_equal_the_oracle(sets):
    bits = np.zeros((len(sets), 2), np.uint64)
    for row, members in enumerate(sets):
        for unit in members:
            bits[row, unit // 64] |= np.uint64(1 << unit % 64)
    wanted = np.array([[oracle.overlap(a, b) for b in sets] for a in sets], np.float32)
    assert (tx.flyhash_overlap(bits[:, None], bits) == wanted).all()
    i, j = np.indices(wanted.shape)
    assert (tx.flyhash_overlap(bits[i], bits[j]) == wanted).all()
    assert (tx.flyhash_overlap_pairs(bits, i, j) == wanted).all()


@settings(max_examples=100)
@given(st.lists(st.lists(st.integers(0, 30), max_size=7, unique=True), min_size=1, max_size=8))
def test_overlaps_of_winners_equal_the_oracle(lists):
    winners = np.array([units + [65535] * (7 - len(units)) for units in lists], np.uint16)
    i, j = np.indices((len(lists), len(lists)))
    for ranked in (False, True):
        measure = (lambda a, b: oracle.ranked_overlap(a, b, 7)) if ranked else oracle_of_lists
        wanted = np.array([[measure(a, b) for b in lists] for a in lists], np.float32)
        for found in (
            tx.flyhash_overlap(winners[:, None], winners, ranked=ranked),
            tx.flyhash_overlap(winners[i], winners[j], ranked=ranked),
            tx.flyhash_overlap_pairs(winners, i, j, ranked=ranked),
        ):
            assert np.allclose(found, wanted, rtol=1e-6, atol=0)
            assert ((found == 0) == (wanted == 0)).all()


def oracle_of_lists(a, b):
    return oracle.overlap(set(a), set(b))


@settings(max_examples=30)
@given(st.lists(short_texts, max_size=20), st.integers(1, 200), st.integers(1, 3))
def test_a_column_is_its_documents(texts, block_bytes, threads):
    fp = tx.FlyHashFingerprinter(bits=128, active=10)
    with blocks_of(block_bytes):
        found, ok = fp.fingerprint(texts, on_empty="mask", threads=threads)
    assert found.shape == (len(texts), 2)
    for text, row, signed in zip(texts, found, ok, strict=True):
        record, good = fp.fingerprint(text or "", on_empty="mask")
        assert (record == row).all()
        assert signed == good


def test_pieces_of_a_giant(monkeypatch):
    source = random.Random(3)
    text = " ".join(source.choices([f"word{number}" for number in range(300)], k=4000))
    table = tx.IdfTable.fit([text, "word1 word2"])
    for weighting in ("tf", "uniform", table):
        fp = tx.FlyHashFingerprinter(weighting=weighting, active=64)
        wanted = fp.fingerprint(text)
        with monkeypatch.context() as patch:
            for module in (giant, run):
                patch.setattr(module, "GIANT_BYTES", 1 << 10)
            patch.setattr(giant, "PIECE_BYTES", 1 << 9)
            assert (fp.fingerprint(text) == wanted).all()
            assert (fp.fingerprint([text, "short"])[0] == wanted).all()
            winners = fp.replace(form="winners")
            assert ones(wanted) == set(winners.fingerprint(text).tolist())
