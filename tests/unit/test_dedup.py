"""tx.dedup: options, odd columns, result objects."""

import dataclasses
import pickle
import subprocess
import sys

import numpy as np
import pytest

import txtfp_np as tx

FP = tx.MinHashFingerprinter(tokenizer=tx.WordTokenizer())
TEXTS = ["a b c d e f g", "a b c d e f h", "A b, c d e f g!", None, "x y z", "!?", "x y z"]


@pytest.mark.parametrize("column", [[], [None], [None, "", " ", "!!"], ["alone"], np.array([], object)])
@pytest.mark.parametrize("options", [{}, {"method": "simhash"}, {"scope": "containment"}, {"verify": "none"}])
def test_nothing_to_remove(column, options):
    for against in (None, ["other"], [None], tx.LshIndex() if options == {} else None):
        result = tx.dedup(column, against=against, **options)
        assert result.keep.all()
        assert len(result) == len(column)
        assert result.cluster.tolist() == list(range(len(column)))
        assert len(result.pairs) == 0
        counts = result.summary()
        assert (counts.documents, counts.kept, counts.removed) == (len(column), len(column), 0)
        assert counts.empty == sum(text != "alone" for text in column)
        assert counts.clusters == 0
        assert "documents" in result._repr_html_()
        assert repr(result)


def test_seven_of_ten_is_enough():
    """0.7 is above the fraction as a real number, and equal to it as a float."""
    shared = "a b c d e f g"
    result = tx.dedup([shared + " h", shared + " i j"], 0.7, fingerprinter=FP)
    assert result.pairs["similarity"].tolist() == [np.float32(0.7)]
    assert result.with_threshold(0.7).keep.tolist() == [True, False]
    assert result.with_threshold(np.nextafter(0.7, 1)).keep.tolist() == [True, True]
    low = tx.dedup([shared + " h", shared + " i j"], np.nextafter(0.7, 1), fingerprinter=FP)
    assert len(low.pairs) == 0


def test_a_threshold_just_below_one():
    column = ["a b c", "a b c", "a b d"]
    assert tx.dedup(column, np.nextafter(1.0, 0), fingerprinter=FP).keep.tolist() == [True, False, True]


def test_counts_and_reasons():
    result = tx.dedup(TEXTS, 0.7, fingerprinter=FP)
    assert result.reason.tolist() == ["kept", "near", "copy", "empty", "kept", "empty", "copy"]
    counts = result.summary()
    assert counts.as_dict() == {
        "documents": 7,
        "kept": 4,
        "removed": 3,
        "copies": 2,
        "near": 1,
        "against": 0,
        "empty": 2,
        "clusters": 2,
        "largest": 3,
        "pairs": 3,
    }
    assert "7 documents: 4 kept, 3 removed" in str(counts)


def test_equal_documents_never_both_survive():
    column = ["one two three four five six"] * 3 + ["ONE two, three four five six"] * 2
    for keep in ("first", "last", "longest", "shortest", [1, 5, 5, 2, 3], -np.arange(5.0)):
        for linkage in ("star", "components"):
            result = tx.dedup(column, 1.0, keep=keep, linkage=linkage)
            assert result.keep.sum() == 1
            assert result.cluster.tolist() == [0] * 5
    assert tx.dedup(column, keep="longest").representative.tolist() == [3] * 5
    assert tx.dedup(column, keep=[1, 5, 5, 2, 3]).representative.tolist() == [1] * 5


def test_a_chain_is_cut():
    chain = ["a b c d e f", "b c d e f g", "c d e f g h", "d e f g h i"]
    star = tx.dedup(chain, 0.7, fingerprinter=FP)
    assert star.representative.tolist() == [0, 0, 2, 2]
    parts = tx.dedup(chain, 0.7, fingerprinter=FP, linkage="components")
    assert parts.representative.tolist() == [0, 0, 0, 0]
    assert np.isnan(parts.similarity).tolist() == [False, False, True, True]


def test_one_text_in_another():
    column = ["c d e", "a b c d e f g", "x y"]
    assert tx.dedup(column, 0.7, fingerprinter=FP).keep.all()
    inside = tx.dedup(column, 0.7, fingerprinter=FP, scope="containment", keep="longest")
    assert inside.representative.tolist() == [1, 1, 2]
    assert inside.pairs.tolist() == [(0, 1, 1.0)]


def test_kinds_of_columns():
    pa, pd, pl = (pytest.importorskip(name) for name in ("pyarrow", "pandas", "polars"))
    expected = tx.dedup(TEXTS, fingerprinter=FP)
    columns = [
        tuple(TEXTS),
        np.array(TEXTS, object),
        [None if text is None else text.encode() for text in TEXTS],
        pa.array(TEXTS),
        pa.chunked_array([TEXTS[:3], TEXTS[3:]]),
        pd.Series(TEXTS),
        pl.Series(TEXTS),
        tx.TextColumn(["other", *TEXTS])[1:],
    ]
    for column in columns:
        assert tx.dedup(column, fingerprinter=FP).pairs.tolist() == expected.pairs.tolist()


def test_bad_utf8():
    column = [b"good text", b"bad \xff text", "bad \ufffd text"]
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.dedup(column)
    assert caught.value.row == 1
    assert tx.dedup(column, errors="replace").keep.tolist() == [True, True, False]
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.dedup(["good"], against=column)
    assert (caught.value.row, caught.value.argument) == (1, "against")
    assert tx.dedup(["bad \ufffd text"], against=column, errors="replace").against.tolist() == [1]


@pytest.mark.parametrize("single", ["one text", b"one text"])
def test_one_document_is_no_column(single):
    with pytest.raises(tx.InvalidInputError, match="column of documents") as caught:
        tx.dedup(single)
    assert caught.value.argument == "texts"
    assert caught.value.__notes__
    with pytest.raises(tx.InvalidInputError) as caught:
        tx.dedup(["one text"], against=single)
    assert caught.value.argument == "against"


SIMHASH = tx.SimHashFingerprinter()
BAD = [
    ({"threshold": 0}, "threshold"),
    ({"threshold": 1.5}, "threshold"),
    ({"threshold": float("nan")}, "threshold"),
    ({"threshold": "high"}, "threshold"),
    ({"threshold": True}, "threshold"),
    ({"threshold": 0.001}, "recall"),
    ({"recall": 1.0}, "recall"),
    ({"recall": 0}, "recall"),
    ({"method": "tlsh"}, "method"),
    ({"method": "simhash", "verify": "exact"}, "verify"),
    ({"method": "simhash", "scope": "containment"}, "scope"),
    ({"method": "simhash", "max_distance": 64}, "max_distance"),
    ({"method": "simhash", "max_distance": -1}, "max_distance"),
    ({"method": "simhash", "fingerprinter": FP}, "fingerprinter"),
    ({"method": "simhash", "fingerprinter": SIMHASH.replace(bits=256)}, "fingerprinter"),
    ({"fingerprinter": SIMHASH}, "fingerprinter"),
    ({"fingerprinter": "words"}, "fingerprinter"),
    ({"max_distance": 3}, "max_distance"),
    ({"verify": "maybe"}, "verify"),
    ({"scope": "part"}, "scope"),
    ({"scope": "containment", "verify": "none"}, "verify"),
    ({"linkage": "single"}, "linkage"),
    ({"keep": "best"}, "keep"),
    ({"keep": [1, 2]}, "keep"),
    ({"errors": "ignore"}, "errors"),
    ({"threads": 0}, "threads"),
    ({"update": True}, "update"),
    ({"update": 1}, "update"),
    ({"update": True, "against": ["a"]}, "update"),
    ({"against": tx.LshIndex(), "verify": "exact"}, "verify"),
    ({"against": tx.LshIndex(), "scope": "containment"}, "against"),
    ({"against": tx.LshIndex(), "method": "simhash"}, "against"),
    ({"against": tx.LshIndex(h=64, bands=8), "fingerprinter": FP}, "against"),
]


@pytest.mark.parametrize(("options", "argument"), BAD, ids=[str(sorted(options.items()))[:60] for options, _ in BAD])
def test_bad_options(options, argument):
    with pytest.raises(tx.TxtfpError) as caught:
        tx.dedup(["a text", "another text", "a text"], **options)
    assert caught.value.argument == argument


def test_an_index_of_other_signatures():
    index = tx.LshIndex(config_hash=FP.config_hash)
    with pytest.raises(tx.ConfigError):
        tx.dedup(["a text"], against=index)
    assert tx.dedup(["a text"], against=index, fingerprinter=FP).keep.all()


def test_an_index_with_ids_that_are_no_rows():
    index = tx.LshIndex()
    index.insert([2**64 - 1], tx.MinHashFingerprinter().fingerprint(["a text"]))
    with pytest.raises(tx.InvalidInputError, match=r"2\*\*63"):
        tx.dedup(["a text"], against=index)


def test_the_row_of_an_error_is_that_of_the_column():
    def words(text):
        if "bad" in text:
            raise ValueError("no")
        return text.split()

    fp = tx.MinHashFingerprinter(tokenizer=tx.CallableTokenizer(words, name="words"))
    with pytest.raises(tx.TokenizerError) as caught:
        tx.dedup(["good", "good", "good", "bad"], fingerprinter=fp)
    assert caught.value.row == 3
    with pytest.raises(tx.TokenizerError) as caught:
        tx.dedup(["good", "bad"], fingerprinter=fp, against=["good", "better", "best"])
    assert (caught.value.row, caught.value.argument) == (1, "texts")
    with pytest.raises(tx.TokenizerError) as caught:
        tx.dedup(["good"], fingerprinter=fp, against=["better", "good", "bad"])
    assert (caught.value.row, caught.value.argument) == (2, "against")


def test_a_lower_threshold_is_refused():
    result = tx.dedup(TEXTS, 0.7, fingerprinter=FP)
    with pytest.raises(tx.ConfigError, match=r"at least that of the result, 0\.7; got 0\.6") as caught:
        result.with_threshold(0.6)
    assert "call dedup again" in caught.value.__notes__[0]
    with pytest.raises(tx.ConfigError):
        result.with_threshold("high")


def test_the_result_is_frozen():
    result = tx.dedup(TEXTS, fingerprinter=FP)
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.keep = None
    for name in ("keep", "cluster", "representative", "similarity", "pairs"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(result, name)[0] = 0
    again = pickle.loads(pickle.dumps(result))
    assert again.pairs.tolist() == result.pairs.tolist()
    assert again.explain(0, 1).shared == 6
    assert again.with_threshold(0.8).keep.tolist() == [True, True, False, True, True, True, False]


def test_dtypes():
    result = tx.dedup(TEXTS, fingerprinter=FP, against=["x y z"])
    kinds = {"keep": "bool", "cluster": "i8", "representative": "i8", "similarity": "f4"}
    kinds |= {"against": "i8", "against_similarity": "f4"}
    for name, kind in kinds.items():
        assert getattr(result, name).dtype == kind
    assert result.pairs.dtype == np.dtype([("i", "<i8"), ("j", "<i8"), ("similarity", "<f4")])
    assert result.threshold == 0.7


def test_tables():
    for name in ("pyarrow", "pandas", "polars"):
        pytest.importorskip(name)
    columns = ["row", "keep", "cluster", "representative", "similarity", "reason"]
    for options, more in [({}, []), ({"against": ["x y z"]}, ["against", "against_similarity"])]:
        result = tx.dedup(TEXTS, fingerprinter=FP, **options)
        pandas, polars, arrow = result.to_pandas(), result.to_polars(), result.to_arrow()
        assert list(pandas.columns) == polars.columns == arrow.column_names == columns + more
        assert pandas["keep"].tolist() == polars["keep"].to_list() == arrow["keep"].to_pylist() == result.keep.tolist()
        assert polars["reason"].to_list() == result.reason.tolist()
        assert str(arrow.schema.field("reason").type) == "string"


@pytest.mark.parametrize(
    ("library", "method"), [("pandas", "to_pandas"), ("polars", "to_polars"), ("pyarrow", "to_arrow")]
)
def test_a_missing_library_is_named(library, method, monkeypatch):
    result = tx.dedup(TEXTS)
    monkeypatch.setitem(sys.modules, library, None)
    with pytest.raises(tx.FeatureDisabledError, match="pip install"):
        getattr(result, method)()


def test_html_is_escaped_and_small():
    result = tx.dedup(["<script>alert(1)</script> x"] * 3 + [f"text number {i}" for i in range(1000)], 0.9)
    page = result._repr_html_()
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert len(page) < 5000


def test_plot():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    from matplotlib import pyplot

    for options in ({}, {"method": "simhash"}, {"scope": "containment"}, {"threshold": 1.0}, {"against": ["x y z"]}):
        for column in (TEXTS, [], ["a"]):
            axes = tx.dedup(column, **options).plot()
            assert len(axes) == 2
            axes[0].figure.canvas.draw()
            pyplot.close(axes[0].figure)
    result = tx.dedup(TEXTS, 0.5, fingerprinter=FP)
    figure, axes = pyplot.subplots(2)
    assert result.plot(axes)[0] is axes[0]
    assert sum(bar.get_height() for bar in axes[0].patches) == 1
    assert "copies" not in axes[0].get_title()
    assert sum(bar.get_height() for bar in axes[1].patches) == 2
    with pytest.raises(tx.ConfigError):
        result.plot(axes[:1])
    pyplot.close(figure)


def test_progress():
    seen = []
    tx.dedup(TEXTS, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (6, 6)  # "x y z" is there twice


def test_portions_change_nothing(monkeypatch):
    import importlib

    pairs = importlib.import_module("txtfp_np.dedup.pairs")
    rng = np.random.default_rng(5)
    column = [" ".join(rng.choice(list("abcdefghijkl"), 9)) for _ in range(300)]
    whole = tx.dedup(column, 0.5, fingerprinter=FP)
    assert len(whole.pairs) > 100
    monkeypatch.setattr(pairs, "_SET_BYTES", 100)
    assert tx.dedup(column, 0.5, fingerprinter=FP).pairs.tolist() == whole.pairs.tolist()


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_many_copies_take_linear_time_and_memory():
    """200,000 copies beside 200,000 others: quadratic work would not end, all signatures would not fit."""
    code = """
import txtfp_np as tx
texts = ["a text that is there again and again, word for word"] * 200_000
texts += [f"number {i} and {i * 7919 % 100003} make {i * i} of {i ^ 12345} in all" for i in range(200_000)]
result = tx.dedup(texts)
counts = result.summary()
print(counts.clusters, counts.largest, counts.copies, len(result.pairs))
# not ru_maxrss: that begins with what the parent had
print([int(line.split()[1]) // 1024 for line in open("/proc/self/status") if line.startswith("VmHWM")][0])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    counts, peak = done.stdout.splitlines()
    assert counts == "1 200000 199999 199999"
    assert int(peak) < 1024
