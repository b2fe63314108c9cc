"""FlyHash: options, shapes, documents with little to say, overlaps."""

import pickle

import numpy as np
import pytest

import txtfp_np as tx

FP = tx.FlyHashFingerprinter()
TEXTS = ["the quick brown fox jumps", "the quick brown dog jumps", "entirely other things are said here"]


def n_ones(bits):
    return np.bitwise_count(bits).sum(axis=-1).tolist()


def test_shapes():
    column, record = FP.fingerprint(TEXTS), FP.fingerprint(TEXTS[0])
    assert (column.shape, column.dtype) == ((3, 16), "<u8")
    assert (record == column[0]).all()
    assert FP.replace(bits=64, active=8).fingerprint(TEXTS[0]).shape == (1,)
    out = np.zeros((3, 16), np.uint64)
    assert FP.fingerprint(TEXTS, out=out) is out
    assert (out == column).all()


def test_no_more_winners_than_asked_for_and_no_idle_ones():
    text = " ".join(f"w{number}" for number in range(500))
    assert n_ones(FP.fingerprint(text)) == 128
    assert n_ones(FP.replace(active=1).fingerprint(text)) == 1
    assert n_ones(FP.replace(active=1024, fan=1024).fingerprint(text)) == 1024
    assert n_ones(FP.replace(fan=1).fingerprint("one")) == 1
    assert 1 <= n_ones(FP.fingerprint("one one one")) <= 4


@pytest.mark.parametrize("empty", ["", None, " . "])
def test_empty_documents(empty):
    with pytest.raises(tx.InvalidInputError, match=r"empty document \(row 1\)"):
        FP.fingerprint(["one", empty])
    bits, ok = FP.fingerprint(["one", empty], on_empty="mask")
    assert ok.tolist() == [True, False]
    assert n_ones(bits)[1] == 0
    assert tx.flyhash_overlap(bits[:, None], bits).tolist() == [[1, 0], [0, 0]]


def test_weights():
    heavy = tx.IdfTable({"fox": 100.0})
    with_fox = FP.replace(weighting=heavy, active=4).fingerprint(TEXTS[0])
    assert (with_fox == FP.replace(weighting=heavy, active=4).fingerprint("fox")).all()
    silent = tx.IdfTable({"fox": 0.0, "dog": -1.0})
    bits, ok = FP.replace(weighting=silent).fingerprint(["fox", "dog", "fox cat"], on_empty="mask")
    assert ok.tolist() == [False, False, True]
    assert n_ones(bits)[:2] == [0, 0]
    assert n_ones(bits)[2] > 0
    strange = tx.IdfTable({"fox": float("nan"), "dog": float("inf"), "cow": 1e38})
    assert (FP.replace(weighting=strange).fingerprint("fox") == FP.fingerprint("fox")).all()
    assert n_ones(FP.replace(weighting=strange).fingerprint("cow " * 1000)) == n_ones(FP.fingerprint("cow"))
    counted = FP.replace(active=4)
    assert (counted.fingerprint("a a a b c d") == counted.fingerprint("a")).all()
    assert (counted.replace(weighting="uniform").fingerprint("a a a b c d") != counted.fingerprint("a")).any()


@pytest.mark.parametrize("form", ["bits", "winners"])
@pytest.mark.parametrize("weight", [0.0, -0.0, -2.5, -1e39, 1e-9])
def test_documents_in_which_no_unit_wins_have_no_fingerprint(form, weight):
    """-1e39 is infinite in single precision, and so counts as 1."""
    fp = FP.replace(weighting=tx.IdfTable({"fox": weight}), form=form)
    records, ok = fp.fingerprint(["fox fox", "", "cat"], on_empty="mask")
    assert ok.tolist() == [weight == -1e39, False, True]
    if weight != -1e39:
        assert np.array_equal(records[0], records[1])
        with pytest.raises(tx.InvalidInputError, match=r"no token has a weight above 0, .* \(row 1\)"):
            fp.fingerprint(["cat", "fox"])
        with pytest.raises(tx.InvalidInputError, match=r"empty document \(row 0\)"):
            fp.fingerprint(["", "fox"])
        kind = "bits" if form == "bits" else "winners"
        assert tx.similarity(records, records, kind=kind).tolist() == [0, 0, 1]


def test_a_giant_document_in_which_no_unit_wins():
    from txtfp_np.kernels.flyhash import NOBODY

    fp = FP.replace(weighting=tx.IdfTable({"fox": 0.0}), form="winners", active=3, fan=1)
    giant = "fox " * (5 << 18)
    records, ok = fp.fingerprint([giant, giant + "cat"], on_empty="mask")
    assert ok.tolist() == [False, True]
    assert (records[0] == NOBODY).all()
    assert np.array_equal(records[1], fp.fingerprint("cat"))
    with pytest.raises(tx.InvalidInputError, match=r"no token has a weight above 0, .* \(row 1\)"):
        fp.fingerprint(["cat", giant])


def test_frozen_bits():
    """The same on every machine."""
    bits = tx.FlyHashFingerprinter(bits=128, active=12).fingerprint("to be or not to be, that is the question")
    assert [f"{int(word):016x}" for word in bits] == FROZEN


FROZEN = ["200a000108005200", "4000000000808040"]


@pytest.mark.parametrize(
    ("options", "argument"),
    [
        ({"bits": 0}, "bits"),
        ({"bits": 100}, "bits"),
        ({"bits": 64.0}, "bits"),
        ({"active": 0}, "active"),
        ({"active": 1025}, "active"),
        ({"fan": 0}, "fan"),
        ({"weighting": "idf"}, "weighting"),
        ({"hasher": "md5"}, "hasher"),
        ({"seed": -1}, "seed"),
        ({"tokenizer": str.split}, "tokenizer"),
        ({"canonicalizer": None}, "canonicalizer"),
    ],
)
def test_options_are_checked(options, argument):
    with pytest.raises(tx.ConfigError) as caught:
        tx.FlyHashFingerprinter(**options)
    assert caught.value.argument == argument


def test_identity():
    changes = [{"bits": 512}, {"active": 9}, {"fan": 9}, {"weighting": "uniform"}, {"seed": 3}, {"hasher": "xxh64"}]
    hashes = {FP.config_hash} | {FP.replace(**change).config_hash for change in changes}
    assert len(hashes) == 7
    assert FP.metadata().byte_size == 128
    assert FP.algorithm == "flyhash-b1024-a128-f4-tf"
    assert pickle.loads(pickle.dumps(FP)) == FP
    fly, minhash = tx.fingerprint_many(TEXTS, [FP, tx.MinHashFingerprinter()])
    assert (fly == FP.fingerprint(TEXTS)).all()
    assert (minhash == tx.MinHashFingerprinter().fingerprint(TEXTS)).all()


def test_overlap():
    bits = FP.fingerprint(TEXTS)
    matrix = tx.flyhash_overlap(bits[:, None], bits)
    assert matrix.dtype == np.float32
    assert np.diag(matrix).tolist() == [1, 1, 1]
    assert matrix[0, 1] > 0.5 > matrix[0, 2]
    assert isinstance(tx.flyhash_overlap(bits[0], bits[1]), np.float32)
    assert tx.flyhash_overlap(bits[:0], bits[0]).shape == (0,)


def test_winners():
    fp = tx.FlyHashFingerprinter(bits=65_472, active=8, fan=1, form="winners")
    winners, ok = fp.fingerprint([*TEXTS, "one two two", None], on_empty="mask")
    assert (winners.shape, winners.dtype) == ((5, 8), "<u2")
    assert ok.tolist() == [True] * 4 + [False]
    two, one = (int(fp.fingerprint(word)[0]) for word in ("two", "one"))
    assert winners[3].tolist() == [two, one] + [65535] * 6
    assert winners[4].tolist() == [65535] * 8
    assert fp.metadata().byte_size == 16
    assert fp.algorithm.endswith("-winners")
    assert (fp.fingerprint(TEXTS[0]) == winners[0]).all()
    flat, ranked = (tx.flyhash_overlap(winners[:, None], winners, ranked=flag) for flag in (False, True))
    for matrix in (flat, ranked):
        assert np.allclose(np.diag(matrix), [1, 1, 1, 1, 0])
        assert matrix[0, 1] > matrix[0, 2]
    assert flat[0, 1] == pytest.approx(4 / 5)


def test_options_of_winners():
    for options in ({"bits": 65_536}, {"active": 5000, "bits": 65_472}, {"form": "ones"}):
        with pytest.raises(tx.ConfigError):
            tx.FlyHashFingerprinter(**{"form": "winners", **options})
    bits, winners = (FP.replace(form=form, active=4).fingerprint(TEXTS) for form in tx.FlyForm)
    with pytest.raises(tx.ConfigError, match="bits have no ranks"):
        tx.flyhash_overlap(bits, bits, ranked=True)
    with pytest.raises(tx.ConfigError, match="ranked must be True or False"):
        tx.flyhash_overlap(winners, winners, ranked=1)
    with pytest.raises(tx.InvalidInputError, match="b must hold uint64 as a does, got uint16"):
        tx.flyhash_overlap(bits, winners)
    with pytest.raises(tx.DimensionMismatchError):
        tx.flyhash_overlap(winners, winners[:, :3])


def test_overlap_checks():
    bits = FP.fingerprint(TEXTS)
    for wrong in (7, [1, 2], bits.astype(np.int64), bits.astype(np.uint32), np.uint64(7), bits[:0, 0], bits[:, :0]):
        with pytest.raises(tx.InvalidInputError) as caught:
            tx.flyhash_overlap(bits, wrong)
        assert caught.value.argument == "b"
    with pytest.raises(tx.DimensionMismatchError):
        tx.flyhash_overlap(bits, bits[:, :8])
    with pytest.raises(tx.InvalidInputError, match="do not broadcast"):
        tx.flyhash_overlap(bits, bits[:2])
    with pytest.raises(tx.InvalidInputError, match="two axes"):
        tx.flyhash_overlap_pairs(bits[0], [0], [0])
    with pytest.raises(tx.InvalidInputError, match="between 0 and 2"):
        tx.flyhash_overlap_pairs(bits, [0], [3])
