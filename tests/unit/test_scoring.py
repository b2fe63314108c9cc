"""What scores of sketches make of documents without a fingerprint, of options out of place and of other widths."""

import numpy as np
import pytest

import txtfp_np as tx
from txtfp_np.errors import ConfigError, DimensionMismatchError, InvalidInputError, ModelMismatchError

TEXTS = ["the quick brown fox jumps over the lazy dog " * 9, "", "", "another one, quite different from the first " * 9]

FINGERPRINTERS = {
    "minhash": [tx.MinHashFingerprinter(h=16)],
    "bits": [tx.SimHashFingerprinter(bits=bits) for bits in (32, 64, 128)]
    + [tx.FlyHashFingerprinter(bits=256, active=20)],
    "winners": [tx.FlyHashFingerprinter(active=20, form="winners")],
    "winnowing": [tx.WinnowFingerprinter()],
    "fuzzy": [tx.FuzzyFingerprinter()],
    "tlsh": [tx.TlshFingerprinter(), tx.TlshFingerprinter(packed=True)],
}


@pytest.mark.parametrize("kind", FINGERPRINTERS)
def test_documents_without_a_fingerprint_are_like_nothing(kind):
    for fingerprinter in FINGERPRINTERS[kind]:
        made, ok = fingerprinter.fingerprint(TEXTS, on_empty="mask")
        assert ok.tolist() == [True, False, False, True]
        made = tx.Ragged.of(made) if kind == "winnowing" else made
        for measure, reason in tx.measures_for(kind).items():
            if reason is not None:
                continue
            options = {"kind": kind, "measure": measure}
            i, j = np.meshgrid(range(4), range(4), indexing="ij")
            matrix = tx.similarity_pairs(made, i, j, **options)
            assert matrix.dtype == np.float32
            assert np.allclose(np.diag(matrix), [1, 0, 0, 1])
            assert not matrix[1:3].any()
            assert not matrix[:, 1:3].any()
            assert np.array_equal(tx.similarity(made, made, **options), np.diag(matrix))
            assert np.array_equal(tx.similarity(made[:1], made, **options), matrix[0])
            assert np.array_equal(tx.similarity(made, made[1:2], **options), matrix[1])
            assert isinstance(tx.similarity_pairs(made, 1, 2, **options), np.float32)


def test_names_that_others_give_to_bits():
    codes = tx.SimHashFingerprinter().fingerprint(["a b c", "a b d"])
    assert (
        tx.similarity(codes[:1], codes, kind="simhash").tolist()
        == tx.similarity(codes[:1], codes, kind="bits").tolist()
    )
    assert tx.measures_for("simhash") == tx.measures_for("bits")


def test_only_what_a_fingerprinter_puts_there_is_no_fingerprint():
    strings, _ = tx.FuzzyFingerprinter().fingerprint(TEXTS, on_empty="mask")
    digests, _ = tx.TlshFingerprinter(packed=True).fingerprint(TEXTS, on_empty="mask")
    for kind, column, spoilt in (("fuzzy", strings, b"no string"), ("tlsh", digests.copy(), digests[1])):
        before = column.copy()
        assert tx.similarity(column, column, kind=kind).tolist() == [1, 0, 0, 1]
        assert (column == before).all()
        short = np.array([b"", b""], column.dtype if kind == "tlsh" else "S1")
        assert tx.similarity(short, column[:2], kind=kind).tolist() == [0, 0]
        column[0] = spoilt
        with pytest.raises(InvalidInputError):  # the functions themselves refuse both
            (tx.ssdeep_compare if kind == "fuzzy" else tx.tlsh_distance)(column, column)
    broken = np.array([b"", b"no string"])
    with pytest.raises(InvalidInputError, match=r"'no string' is no ssdeep string \(row 1\)"):
        tx.similarity(broken, broken, kind="fuzzy", measure="ssdeep")
    with pytest.raises(InvalidInputError, match="of length 9"):
        tx.similarity(broken, broken, kind="tlsh")


def test_short_codes_may_be_without_a_one():
    codes = np.zeros((2, 3), np.uint8)
    assert tx.similarity(codes, codes, kind="bits").tolist() == [1, 1]
    wider = np.zeros((2, 4), np.uint8)
    assert tx.similarity(wider, wider, kind="bits").tolist() == [0, 0]


def test_a_covariance_is_for_mahalanobis_only():
    x = np.array([[1.0, 2.0], [3.0, 5.0]])
    options = {"kind": "embedding", "measure": "mahalanobis", "covariance": [4.0, 9.0]}
    assert tx.similarity(x[:1], x[1:], **options) == pytest.approx(1 / (1 + 2**0.5))
    assert tx.similarity_pairs(x, 0, 1, **options) == pytest.approx(1 / (1 + 2**0.5))
    for measure in ("cosine", "manhattan", None):
        options["measure"] = measure
        for call in (lambda: tx.similarity(x, x, **options), lambda: tx.similarity_pairs(x, 0, 1, **options)):
            with pytest.raises(ConfigError, match="covariance is for measure 'mahalanobis' only") as caught:
                call()
            assert caught.value.argument == "covariance"


def test_bits_are_of_codes_only():
    with pytest.raises(ConfigError, match="bits is for kind 'bits' only, got 3 for 'embedding'"):
        tx.adapt([[1.0]], kind="embedding", form="vector", bits=3)
    codes = np.ones((1, 2), np.uint8)
    for bits in (0, 17, 2.0, True):
        with pytest.raises(ConfigError, match="bits must be an int >= 1 and <= 16"):
            tx.adapt(codes, kind="bits", form="set", bits=bits)


def test_codes_of_other_widths_are_refused():
    """Also where both fit into one word."""
    for narrow, wide in (
        (np.ones(2, np.uint32), np.ones(2, np.uint64)),
        (np.ones((2, 3), np.uint8), np.ones((2, 5), np.uint8)),
        (np.ones(2, np.uint64), np.ones((2, 2), np.uint64)),
    ):
        for measure in ("hamming", "cosine", "manhattan"):
            with pytest.raises(DimensionMismatchError):
                tx.similarity(narrow, wide, kind="bits", measure=measure)


def test_strings_of_ssdeep_and_values_of_winnowing_are_not_taken_for_each_other():
    strings = tx.FuzzyFingerprinter().fingerprint(TEXTS[:1])
    for column in (strings, strings.tolist(), tx.TextColumn(strings.tolist()), strings[0], "3:abc:de"):
        assert np.all(tx.similarity(column, column, kind="fuzzy") == 1)
        with pytest.raises(InvalidInputError, match=r"must hold values and offsets, got .* of text"):
            tx.similarity(column, column, kind="winnowing")
    values = tx.WinnowFingerprinter().fingerprint(TEXTS[:1])
    for column in (values, tx.Ragged.of(values), tx.Ragged.of(values).tolist(), [np.arange(3)]):
        assert tx.similarity(column, column, kind="winnowing").tolist() == [1]
    for column in ([[1, 2]], [1, 2], np.arange(4).reshape(2, 2)[:, 0]):
        with pytest.raises(InvalidInputError, match=r"must hold strings of ssdeep, got .* of numbers"):
            tx.similarity(column, column, kind="fuzzy")


@pytest.mark.parametrize("shape", [(0,), (0, 2)])
def test_columns_without_rows(shape):
    codes = np.zeros(shape, np.uint64)
    for measure, reason in tx.measures_for("bits").items():
        if reason is None:
            assert tx.similarity(codes, codes, kind="bits", measure=measure).shape == (0,)
    with pytest.raises(InvalidInputError, match="must hold codes"):
        tx.similarity(np.zeros((2, 0), np.uint64), np.zeros((2, 0), np.uint64), kind="bits")


def test_embeddings_of_every_make():
    x = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32)
    wanted = tx.similarity(x, x[::-1], kind="embedding")
    lists = [[tx.Embedding(row, model) for row in x] for model in (None, "m", "n")]
    columns = [tx.EmbeddingColumn(x, model) for model in (None, "m", "n")]
    for first in (lists[0], lists[1], columns[0], columns[1]):
        for second in (x[::-1], lists[1][::-1], columns[1][::-1]):
            assert np.array_equal(tx.similarity(first, second, kind="embedding"), wanted)
        for other in (lists[2], columns[2], lists[2][0]):
            if first is lists[1] or first is columns[1]:
                with pytest.raises(ModelMismatchError, match="a = m, b = n"):
                    tx.similarity(first, other, kind="embedding")
        assert tx.similarity_pairs(first, 0, 1, kind="embedding") == wanted[0]
    assert tx.similarity(lists[1][0], lists[1][1], kind="embedding") == wanted[0]
    with pytest.raises(ModelMismatchError):
        tx.similarity_pairs([lists[1][0], lists[2][1]], 0, 1, kind="embedding")
    for huge in (np.array([[np.longdouble("1e400"), 1]]), [[10**400, 1]]):
        with pytest.raises(InvalidInputError, match="fingerprints must"):
            tx.similarity(huge, huge, kind="embedding")


def test_embeddings_are_checked_as_vectors_are():
    for wrong in ([[1.0, np.nan]], ["text"], [[1.0], [1.0, 2.0]], np.zeros((2, 0))):
        with pytest.raises(InvalidInputError) as caught:
            tx.similarity(wrong, wrong, kind="embedding")
        assert caught.value.argument == "fingerprints"
