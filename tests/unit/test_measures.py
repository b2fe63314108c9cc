"""Measures of sequences, sets and vectors against plain Python; their edges; what suits which sketch."""

import numpy as np
import pytest
from oracles import measures as oracle

import txtfp_np as tx
from txtfp_np.compare.adapt import DEFAULT_MEASURES, Form, Measure, SketchKind
from txtfp_np.errors import ConfigError, DimensionMismatchError, InvalidInputError


def sequences(seed=1, n=14, alphabet=5, longest=200):
    rng = np.random.default_rng(seed)
    lengths = [0, 0, 1, 63, 64, 65, 127, 128, 129, *rng.integers(2, longest, n - 9)]
    return [rng.integers(0, alphabet, length).tolist() for length in lengths]


# ── sequences and sets ──────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("alphabet", [1, 2, 5, 1000])
def test_levenshtein_is_that_of_plain_python(alphabet):
    lists = sequences(alphabet, alphabet=alphabet)
    rows = tx.Ragged.of(lists)
    wanted = [[oracle.levenshtein(a, b) for b in lists] for a in lists]
    matrix = tx.levenshtein(rows[:, None], rows)
    assert matrix.dtype == np.uint32
    assert matrix.tolist() == wanted
    i, j = np.meshgrid(range(len(lists)), range(len(lists)), indexing="ij")
    assert np.array_equal(tx.levenshtein_pairs(rows, i, j), matrix)
    longer = np.maximum(rows.lengths[:, None], rows.lengths)
    assert np.allclose(tx.levenshtein_similarity(rows[:, None], rows), 1 - matrix / np.maximum(longer, 1), atol=1e-7)


def test_symbols_that_share_a_slot_of_the_table():
    """64 different symbols in one strip, and as many strangers that look for them."""
    rng = np.random.default_rng(3)
    a, b = (rng.integers(0, 2**64, 64, dtype=np.uint64) for _ in "ab")
    b[::3] = a[::3]
    assert tx.levenshtein(a, b) == oracle.levenshtein(a.tolist(), b.tolist())


@pytest.mark.parametrize("name", ["set_jaccard", "multiset_jaccard"])
@pytest.mark.parametrize("alphabet", [1, 3, 40, 10**6])
def test_jaccard_is_that_of_plain_python(name, alphabet):
    lists = sequences(alphabet, alphabet=alphabet)
    rows = tx.Ragged.of(lists)
    wanted = np.float32([[float(getattr(oracle, name)(a, b)) for b in lists] for a in lists])
    matrix = getattr(tx, name)(rows[:, None], rows)
    assert matrix.dtype == np.float32
    assert np.array_equal(matrix, wanted)
    i, j = np.meshgrid(range(len(lists)), range(len(lists)), indexing="ij")
    assert np.array_equal(getattr(tx, f"{name}_pairs")(rows, i, j), matrix)


def test_empty_sets_have_nothing_in_common_and_empty_strings_are_equal():
    assert tx.set_jaccard([[]], [[]]).tolist() == [0]
    assert tx.multiset_jaccard([[]], [[1], []]).tolist() == [0, 0]
    assert tx.levenshtein("", "") == 0
    assert tx.levenshtein_similarity("", ["", "a"]).tolist() == [1, 0]


def test_what_rows_may_be():
    texts = ["naïve 😀", "", "naive"]
    column = tx.TextColumn(texts)
    for given in (texts, np.array(texts), column, [text.encode() for text in texts], tx.TextColumn(["x", *texts])[1:]):
        assert tx.Ragged.of(given).tolist() == [[ord(c) for c in text] for text in texts]
    assert tx.levenshtein(b"abc", "abd") == 1
    assert tx.levenshtein(np.array([b"abc", b"a"]), "abd").tolist() == [1, 2]
    packed = np.array([[1, 2, 3], [1, 2, 0]], np.uint8)
    assert tx.levenshtein(packed[:, None], packed).tolist() == [[0, 1], [1, 0]]
    assert tx.Ragged([5, 6, 7, 8], [1, 1, 3]).tolist() == [[], [6, 7]]
    assert tx.Ragged.of([]).shape == (0,)
    assert tx.levenshtein(tx.Ragged.of([]), "abc").shape == (0,)


def test_tokens_are_compared_as_wholes():
    lists = [["to", "be", "or"], ["or", "be"], []]
    tokens = tx.TokenColumn(lists)
    rows = tx.Ragged.of(tokens)
    assert tx.levenshtein(rows[:, None], rows).tolist() == [[oracle.levenshtein(a, b) for b in lists] for a in lists]
    assert tx.set_jaccard(rows[0], tokens).tolist() == np.float32([1, 2 / 3, 0]).tolist()
    sliced = tx.WordTokenizer().tokens(tx.TextColumn(["x", "to be or", "or be"])[1:])
    assert tx.set_jaccard(sliced, tokens[:2]).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("given", "wrong"),
    [
        ([[1, 2], [0.5]], "rows must hold whole numbers"),
        ([[1], ["a"]], "rows must hold whole numbers"),
        (np.array([1.0]), "expected text"),
        (5, None),
    ],
)
def test_what_rows_may_not_be(given, wrong):
    with pytest.raises(InvalidInputError, match=wrong):
        tx.levenshtein(given, "a")


def test_bad_offsets_and_shapes():
    with pytest.raises(InvalidInputError, match="offsets must not decrease"):
        tx.Ragged([1, 2], [0, 2, 1])
    with pytest.raises(InvalidInputError, match="offsets must lie between 0 and 2"):
        tx.Ragged([1, 2], [0, 3])
    with pytest.raises(InvalidInputError, match=r"shapes \(2,\) and \(3,\) do not broadcast"):
        tx.levenshtein(["a", "b"], ["a", "b", "c"])
    with pytest.raises(InvalidInputError, match="i must lie between 0 and 1"):
        tx.set_jaccard_pairs([[1], [2]], [2], [0])


def test_threads_change_nothing():
    rows = tx.Ragged.of(sequences(7, n=130, longest=60))
    for measure in (tx.levenshtein, tx.set_jaccard, tx.multiset_jaccard):
        one = measure(rows[:, None], rows, threads=1)
        assert np.array_equal(one, measure(rows[:, None], rows, threads=2))
        assert np.array_equal(one.T, measure(rows, rows[:, None]))
        assert np.array_equal(np.diagonal(one), measure(rows, rows))


# ── vectors ─────────────────────────────────────────────────────────────────────────────────────
@pytest.mark.parametrize("dim", [1, 2, 3, 4, 7, 64, 129])
def test_vectors_are_those_of_plain_python(dim):
    rng = np.random.default_rng(dim)
    x = rng.normal(size=(9, dim)) * 10.0 ** rng.integers(-3, 4, (9, 1))
    x[4] = 0
    spread = rng.normal(size=(dim, dim))
    covariance = spread @ spread.T + np.eye(dim)
    variances = rng.uniform(0.5, 2, dim)
    lists, identity = x.tolist(), np.eye(dim).tolist()
    cases = [
        (tx.cosine, tx.cosine_pairs, {}, oracle.cosine),
        (tx.manhattan, tx.manhattan_pairs, {}, oracle.manhattan),
        (tx.mahalanobis, tx.mahalanobis_pairs, {}, lambda a, b: oracle.mahalanobis(a, b, identity)),
        (
            tx.mahalanobis,
            tx.mahalanobis_pairs,
            {"covariance": variances},
            lambda a, b: oracle.mahalanobis(a, b, np.diag(1 / variances).tolist()),
        ),
        (
            tx.mahalanobis,
            tx.mahalanobis_pairs,
            {"covariance": covariance},
            lambda a, b: oracle.mahalanobis(a, b, np.linalg.inv(covariance).tolist()),
        ),
    ]
    for columns, pairs, options, wanted in cases:
        matrix = columns(x[:, None], x, **options)
        assert matrix.dtype == np.float32
        assert np.allclose(matrix, [[wanted(a, b) for b in lists] for a in lists], rtol=1e-5, atol=1e-5)
        i, j = np.meshgrid(range(9), range(9), indexing="ij")
        assert np.array_equal(pairs(x, i, j, **options), matrix)  # to the last bit
        assert np.array_equal(columns(x, x[:, None], **options), matrix.T)
        assert isinstance(columns(x[0], x[1], **options), np.float32)


@pytest.mark.parametrize("columns", [63, 64, 65, 150])
def test_more_vectors_than_are_turned_at_once(columns):
    rng = np.random.default_rng(columns)
    x, y = rng.normal(size=(5, 11)), rng.normal(size=(columns, 11))
    i, j = np.indices((5, columns))
    for measure, wanted in (
        (tx.manhattan, np.abs(x[:, None] - y).sum(axis=-1)),
        (tx.mahalanobis, np.sqrt(((x[:, None] - y) ** 2).sum(axis=-1))),
        (tx.cosine, x @ y.T / np.linalg.norm(x, axis=1)[:, None] / np.linalg.norm(y, axis=1)),
    ):
        found = measure(x[:, None], y)
        assert np.allclose(found, wanted, rtol=1e-6, atol=1e-6)
        assert np.array_equal(found, measure(x[i], y[j]))  # to the last bit


def test_cosine_of_zero_and_of_extreme_vectors():
    assert tx.cosine([0, 0], [[0, 0], [1, 0]]).tolist() == [0, 0]
    for scale in (1e-200, 1e200):
        assert tx.cosine([3 * scale, 4 * scale], [4, 3]) == np.float32(0.96)


@pytest.mark.parametrize("unit", [1e-30, 1.0, 1e30])
def test_covariances_in_any_unit(unit):
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(4, 3))
    spread = rng.normal(size=(3, 3))
    covariance = spread @ spread.T + np.eye(3)
    wanted = tx.mahalanobis(rows[:, None], rows, covariance=covariance)
    found = tx.mahalanobis(rows[:, None] * unit**0.5, rows * unit**0.5, covariance=covariance * unit)
    assert np.allclose(found, wanted, rtol=1e-5)
    mixed = np.array([1e-6, 1.0, 1e9])  # every dimension in a unit of its own
    found = tx.mahalanobis(rows[:, None] * mixed, rows * mixed, covariance=covariance * mixed * mixed[:, None])
    assert np.allclose(found, wanted, rtol=1e-4)
    for wrong in ([[1, 0.5, 0], [0, 1, 0], [0, 0, 1]], [[1, 2, 0], [2, 1, 0], [0, 0, 1]]):
        with pytest.raises(ConfigError, match=r"covariance must be (symmetric|positive definite)"):
            tx.mahalanobis(rows, rows[0], covariance=np.array(wrong) * unit)
    few = rng.normal(size=(3, 6))
    with pytest.raises(ConfigError, match="covariance must be positive definite"):
        tx.mahalanobis(few, few[0], covariance=np.cov(few.T) * unit)


def test_distances_beyond_single_precision_are_infinite():
    far = np.array([[1e39, 1], [0, 0], [1e308, -1e308], [-1e308, 1e308]])
    assert tx.manhattan(far[1], far).tolist() == [np.inf, 0, np.inf, np.inf]
    assert tx.manhattan(far[2], far[3]) == np.inf
    assert tx.mahalanobis(far[1], far).tolist() == [np.inf, 0, np.inf, np.inf]
    assert tx.mahalanobis(far[0], far[1], covariance=[1e40, 1]) == pytest.approx(1e19)
    assert tx.manhattan(np.full(70_000, 60_000, np.float16), np.zeros(70_000)) == np.float32(70_000 * 60_000.0)
    assert tx.inverse_score(np.inf) == 0
    for covariance in ([1e-300, 1], np.diag([1e-300, 1])):
        with pytest.raises(InvalidInputError, match="must be finite in double precision"):
            tx.mahalanobis(far[2], far[3], covariance=covariance)


def test_vectors_from_columns_of_objects():
    rows = [[1.0, 2.0], [3.0, 5.0]]
    wanted = tx.manhattan(rows, rows[0])
    objects = np.empty(2, object)
    objects[:] = [np.array(row, np.float32) for row in rows]
    assert np.array_equal(tx.manhattan(objects, rows[0]), wanted)
    with pytest.raises(InvalidInputError, match=r"a must not have masked values \(row 1\)"):
        tx.manhattan(np.ma.array(rows, mask=[[0, 0], [0, 1]]), rows[0])


def test_vectors_that_will_not_do():
    with pytest.raises(DimensionMismatchError):
        tx.cosine([1, 2], [1, 2, 3])
    with pytest.raises(InvalidInputError, match=r"a must be finite \(row 1\)"):
        tx.manhattan([[1, 2], [np.nan, 1]], [1, 2])
    with pytest.raises(InvalidInputError, match="rows of different length"):
        tx.manhattan([[1, 2], [1]], [1, 2])
    for given in (["a"], 1.0, np.zeros((3, 0)), np.array([1 + 2j])):
        with pytest.raises(InvalidInputError, match="a must hold vectors"):
            tx.cosine(given, [1.0])
    for bad, wrong in [
        ([1, 0], "positive variances"),
        ([[1, 2], [3, 4]], "symmetric"),
        ([[1, 1], [1, 1]], "positive definite"),
        ([1, 2, 3], "must have shape"),
    ]:
        with pytest.raises(ConfigError, match=wrong):
            tx.mahalanobis([1, 2], [3, 4], covariance=bad)


def test_a_distance_becomes_a_score():
    assert tx.inverse_score(np.uint32(3)) == np.float32(0.25)
    with pytest.raises(InvalidInputError):
        tx.inverse_score([-1])
    with pytest.raises(InvalidInputError):
        tx.inverse_score([np.nan])


# ── what suits which sketch ─────────────────────────────────────────────────────────────────────
TEXTS = ["the quick brown fox jumps over the lazy dog", "the quick brown fox jumped over the lazy dog", "quite another"]

LONGER = [" ".join(f"{word}{n}" for n in range(30) for word in text.split()) for text in TEXTS]
LONGER[1] = LONGER[0].replace("fox7", "hen") + " and one more"


def samples():
    rng = np.random.default_rng(0)
    return {
        SketchKind.MINHASH: tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=1)).fingerprint(TEXTS),
        SketchKind.BITS: tx.SimHashFingerprinter(bits=128).fingerprint(TEXTS),
        SketchKind.WINNOWING: tx.Ragged.of([[5, 6, 7, 7], [5, 6, 7], [1]]),
        SketchKind.WINNERS: np.array([[1, 2, 3], [1, 2, 65535], [7, 8, 65535]], np.uint16),
        SketchKind.FUZZY: tx.FuzzyFingerprinter().fingerprint(LONGER),
        SketchKind.TLSH: tx.TlshFingerprinter(packed=True).fingerprint(LONGER),
        SketchKind.EMBEDDING: np.array([[1, 2, 3], [1, 2, 2.5], [-3, 1, 0]]) + rng.normal(size=3) * 0,
    }


@pytest.mark.parametrize("kind", SketchKind)
def test_every_pairing_is_scored_or_refused_with_a_reason(kind):
    fingerprints = samples()[kind]
    reasons = tx.measures_for(kind)
    assert set(reasons) == set(Measure)
    assert reasons[DEFAULT_MEASURES[kind]] is None
    for measure, reason in reasons.items():
        if reason is None:
            scores = tx.similarity(fingerprints[:1], fingerprints, kind=kind, measure=measure)
            assert scores.dtype == np.float32
            assert scores[0] == pytest.approx(1)  # itself
            assert scores[0] >= scores[1] > scores[2]
            pairs = tx.similarity_pairs(fingerprints, 0, [0, 1, 2], kind=kind, measure=measure)
            assert np.array_equal(pairs, scores)
        else:
            with pytest.raises(ConfigError, match="makes no sense") as caught:
                tx.similarity(fingerprints, fingerprints, kind=kind, measure=measure)
            assert reason in str(caught.value)
            assert str(DEFAULT_MEASURES[kind]) in caught.value.__notes__[0]


@pytest.mark.parametrize("kind", SketchKind)
def test_the_default_measure_is_the_one_of_the_table(kind):
    fingerprints = samples()[kind]
    explicit = tx.similarity(fingerprints, fingerprints[::-1], kind=kind, measure=DEFAULT_MEASURES[kind])
    assert np.array_equal(tx.similarity(fingerprints, fingerprints[::-1], kind=kind), explicit)


def test_slots_of_a_minhash_as_a_set_have_their_places():
    sigs = samples()[SketchKind.MINHASH]
    sets = tx.adapt(sigs, kind="minhash", form="set")
    estimate = tx.jaccard(sigs[0], sigs)
    exact = np.float32([oracle.set_jaccard(a, sets.tolist()[0]) for a in sets.tolist()])
    assert np.allclose(tx.set_jaccard(sets[0], sets), exact)
    assert np.allclose(exact, estimate / (2 - estimate), atol=1e-6)  # of h + h values, those equal count once


def test_forms_of_codes():
    words = np.array([[1, 1 << 63], [3, 0]], np.uint64)
    assert tx.adapt(words, kind="bits", form="set").tolist() == [[0, 127], [0, 1]]
    vectors = tx.adapt(words, kind="bits", form="vector")
    assert vectors.shape == (2, 128)
    assert vectors.sum(axis=1).tolist() == [2, 2]
    assert tx.adapt(np.array([5], np.uint32), kind="bits", form="set").tolist() == [[0, 2]]
    assert tx.adapt(np.array([5], ">u4"), kind="bits", form="set").tolist() == [[0, 2]]
    packed = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert tx.similarity(packed, packed[::-1], kind="bits") == pytest.approx([1 - 7 / 24] * 2)
    assert tx.similarity(words, words, kind="bits", measure="manhattan").tolist() == [1, 1]


MEASURES_OF = {
    Form.STRING: ["levenshtein"],
    Form.SET: ["jaccard"],
    Form.MULTISET: ["multiset_jaccard"],
    Form.VECTOR: ["cosine", "manhattan", "mahalanobis"],
}


def test_senseless_forms_are_refused_with_the_reason():
    refused = 0
    for kind, fingerprints in samples().items():
        reasons = {form: [tx.measures_for(kind)[m] for m in measures] for form, measures in MEASURES_OF.items()}
        for form in Form:
            if None in reasons[form]:
                assert len(tx.adapt(fingerprints, kind=kind, form=form)) == 3
            else:
                refused += 1
                with pytest.raises(ConfigError, match=f"no {form} is made of '{kind}': "):
                    tx.adapt(fingerprints, kind=kind, form=form)
    assert refused == 19
    with pytest.raises(InvalidInputError, match="must hold MinHash signatures"):
        tx.adapt(np.zeros(3, np.uint64), kind="minhash", form="set")
    with pytest.raises(InvalidInputError, match="must hold codes"):
        tx.adapt(np.zeros(3), kind="bits", form="set")
    with pytest.raises(ConfigError, match="kind must be 'minhash'"):
        tx.similarity([], [], kind="tlsh-like")
