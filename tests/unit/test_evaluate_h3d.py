"""The H3D benchmark on collections of a few made-up papers, in the layouts of CSFCube and RELISH."""

import csv
import gzip
import json
import sys

import numpy as np
import pytest
from judged_papers import csfcube, relish

from txtfp_np import evaluate as ev
from txtfp_np.cli import main
from txtfp_np.errors import ConfigError, InvalidInputError
from txtfp_np.evaluate.h3d import make_task
from txtfp_np.evaluate.methods import Made


def some_methods(*words):
    return [method for method in ev.METHODS if any(word in method.name for word in words)]


def test_relish_as_released_is_read_and_what_is_incomplete_counted(tmp_path):
    collection = ev.read_collection(relish(tmp_path))
    assert collection.name == "relish"
    assert collection.groups == ["dev", "test", "all"]
    assert len(collection.papers) == 12 * 13
    assert len(collection.units) == 12
    assert collection.members("dev").sum() == collection.members("test").sum() == 6
    assert {unit.split for unit in collection.units if int(unit.query) % 2} == {"test"}
    assert collection.skipped == {
        "lines that are not JSON": 1,
        "incomplete papers": 3,
        "candidates without a paper or a grade": 1,
        "queries without a paper, candidates or a split": 1,
        "queries of a split that were not judged": 1,
    }


def test_dev_and_test_are_told_apart(tmp_path):
    collection = ev.read_collection(relish(tmp_path))
    (row,) = ev.run_h3d(collection, some_methods("all words"))
    dev, test = (row.metrics["average_precision"][collection.members(split)] for split in ("dev", "test"))
    gap = ev.split_gap(row, collection)
    assert gap.first == pytest.approx(dev.mean())
    assert gap.second == pytest.approx(test.mean())
    assert gap.difference.mean == pytest.approx(dev.mean() - test.mean())
    assert gap.difference.low <= gap.difference.mean <= gap.difference.high
    for options in ({"metric": "speed"}, {"splits": ("dev", "train")}):
        with pytest.raises(ConfigError):
            ev.split_gap(row, collection, **options)


def test_each_facet_has_its_own_text(tmp_path):
    collection = ev.read_collection(csfcube(tmp_path / "csfcube").parent)  # the folder above is found, too
    assert collection.groups == ["background", "method", "result", "all"]
    assert len(collection.units) == 12
    assert collection.skipped == {}
    task = make_task(collection, "facet")
    assert len(task.texts) == 3 * 38
    for pair in (0, 100, 300):
        unit = collection.units[task.unit[pair]]
        assert task.texts[int(task.i[pair])] == collection.papers[unit.query].text_of(unit.facet)
    whole = make_task(collection, "paper")
    assert len(whole.texts) == 38
    assert whole.texts[0] == collection.papers["0"].whole
    with pytest.raises(ConfigError, match="text must be"):
        make_task(collection, "title")


def test_a_paper_without_the_facet_gives_all_of_its_sentences():
    made = ev.Paper("T", ["A.", "B."], ["method", None])
    assert made.text_of("method") == "A."
    assert made.text_of("result") == "A. B."
    assert made.text_of(None) == "A. B."
    assert made.whole == "T A. B."


def test_every_method_finds_the_topic(tmp_path):
    collection = ev.read_collection(csfcube(tmp_path))
    rows = ev.run_h3d(collection)
    assert {row.method for row in rows} == {method.name for method in ev.METHODS}
    chance = ev.average_precision([1] * 6 + [0] * 28, np.zeros(34))
    for row in rows:
        for values in row.metrics.values():
            assert values.shape == (12,)
            assert ((values >= 0) & (values <= 1)).all()
        assert row.n_bytes > 0
        if row.method.startswith(("minhash", "winnowing", "all")):
            assert row.mean("average_precision", collection.members("all")) > chance + 0.2, row.name
    together = [row.measures for row in rows if row.method == "simhash 64, 4 characters"]
    assert ("hamming", "manhattan", "mahalanobis") in together


def test_query_figures_are_written(tmp_path, capsys):
    data, queries = csfcube(tmp_path / "data"), tmp_path / "queries.csv"
    command = ["evaluate", "h3d", "--data", str(data), "--only", "all words", "--queries", str(queries)]
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert "all words (no sketch): jaccard" in shown
    assert "40 papers, 12 queries" in shown
    assert "H3D paper prints" not in shown  # nothing of all words
    rows = list(csv.DictReader(queries.read_text().splitlines()))
    assert len(rows) == 12
    assert {row["facet"] for row in rows} == {"background", "method", "result"}
    mean = np.mean([float(row["average_precision"]) for row in rows])
    assert f"{mean:.4f}"[1:] in shown
    assert main(command) == 1  # it exists
    assert "exists" in capsys.readouterr().err


def test_the_table_as_json_and_pictures(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    data = relish(tmp_path / "relish").parent
    pictures = tmp_path / "pictures"
    command = ["evaluate", "h3d", "--data", str(data), "--only", "simhash 64", "--json", "--plots", str(pictures)]
    assert main(command) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["benchmark"] == "relish"
    assert facts["skipped"]["incomplete papers"] == 3
    assert {"dev", "test", "low", "high"} == set(facts["rows"][0]["split_gap"])
    for name in ("pareto.png", "heat_map.png"):
        assert (pictures / name).read_bytes().startswith(b"\x89PNG")
    (tmp_path / "file").write_text("no folder")
    for place, reason in (("pictures", "exists"), ("no/pictures", "no folder"), ("file", "no folder")):
        assert main([*command[:-1], str(tmp_path / place)]) == 1
        assert reason in capsys.readouterr().err


def test_a_split_without_anything_relevant_has_no_figure(tmp_path, capsys):
    folder = relish(tmp_path / "relish")
    pools = json.loads((folder / "test-pid2anns-relish.json").read_text())
    for query, pool in pools.items():
        if query.isdigit() and int(query) % 2 == 0:  # all of dev
            pool["relevance_adju"] = [0] * len(pool["cands"])
    (folder / "test-pid2anns-relish.json").write_text(json.dumps(pools))
    command = ["evaluate", "h3d", "--data", str(folder), "--only", "all words", "--only", "minhash 128, words"]
    assert main([*command, "--seeds", "2"]) == 0
    shown = capsys.readouterr().out
    assert "dev - test" not in shown
    assert "the H3D paper prints" not in shown
    assert main([*command, "--seeds", "2", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)  # JSON has no NaN
    for row in facts["rows"]:
        assert row["metrics"]["dev"]["average_precision"] is None
        assert row["metrics"]["test"]["average_precision"] == row["metrics"]["all"]["average_precision"] > 0
        assert row["split_gap"] is None


def test_pictures_without_matplotlib_are_refused_before_anything_is_done(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert main(["evaluate", "h3d", "--data", str(tmp_path), "--plots", str(tmp_path / "pictures")]) == 1
    assert 'pip install "txtfp-np[plot]"' in capsys.readouterr().err
    assert not (tmp_path / "pictures").exists()


def test_printed_figures_stand_beside_every_measure_that_has_one(tmp_path):
    rows = ev.run_h3d(ev.read_collection(csfcube(tmp_path)), some_methods("128, 4", "winnowing 3", "minhash 128, 3"))
    printed = {(row.method.split()[0], measure): row.printed for row in rows for measure in row.measures}
    assert {key for key, figures in printed.items() if figures} == {
        ("minhash", "jaccard"),
        ("winnowing", "jaccard"),
        ("winnowing", "multiset_jaccard"),
        ("winnowing", "levenshtein"),
        *(("simhash", measure) for measure in ("hamming", "manhattan", "mahalanobis")),  # which rank alike
    }
    of_relish = ev.run_h3d(ev.read_collection(relish(tmp_path / "relish")), some_methods("winnowing 3"))
    assert {row.printed for row in of_relish} == {None}  # they are of CSFCube
    assert printed["winnowing", "levenshtein"] == (0.2401, 0.4095)
    assert printed["simhash", "hamming"] == (0.1770, 0.3601)


def test_measures_are_one_row_only_if_they_rank_alike_with_every_seed(tmp_path):
    collection = ev.read_collection(csfcube(tmp_path))

    def make(texts, corpus, turn):
        return Made(turn, 1.0)

    scores = {"plain": lambda turn, i, j: -j, "other": lambda turn, i, j: j if turn == 2 else -j}
    method = ev.Method("by turns", "facet", make, scores)
    assert [row.measures for row in ev.run_h3d(collection, [method], seeds=2)] == [("plain", "other")]
    assert [row.measures for row in ev.run_h3d(collection, [method], seeds=3)] == [("plain",), ("other",)]


@pytest.mark.parametrize(
    "name",
    [
        "test-pid2anns-csfcube-method.json",
        "test-pid2anns-csfcube-result.json",
        "csfcube.jsonl",
        "relish-evaluation_splits.json",
    ],
)
def test_a_file_that_is_not_there_is_named(tmp_path, name):
    for facet in ("background", "method", "result"):
        (tmp_path / f"test-pid2anns-csfcube-{facet}.json").write_text("{}")
    (tmp_path / "csfcube.jsonl").write_text("")
    if name.startswith("relish"):
        folder = relish(tmp_path / "relish", broken=False)
        (tmp_path / "test-pid2anns-csfcube-background.json").unlink()
        (folder / name).unlink()
    else:
        (tmp_path / name).unlink()
    with pytest.raises(InvalidInputError, match=f"there is no .*{name}.* in ") as caught:
        ev.read_collection(tmp_path)
    assert "CSFCube is test-pid2anns-csfcube-background.json, -method.json and" in caught.value.__notes__[0]


@pytest.mark.parametrize(
    "pool",
    [
        "[1]",
        "5",
        "null",
        '{"cands": 5}',
        '{"cands": ["a"], "relevance_adju": [NaN]}',
        '{"cands": ["a"], "relevance_adju": [Infinity]}',
        '{"cands": ["a"], "relevance_adju": [1e300]}',
    ],
)
def test_queries_that_cannot_be_judged_are_counted(tmp_path, pool):
    good = '{"cands": ["a"], "relevance_adju": [3]}'
    for facet in ("background", "method", "result"):
        (tmp_path / f"test-pid2anns-csfcube-{facet}.json").write_text(f'{{"a": {pool}, "b": {good}}}')
    lines = [f'{{"id": "{name}", "title": "t", "sentences": ["x"]}}'.encode() for name in "ab"]
    (tmp_path / "csfcube.jsonl").write_bytes(b"\n".join([*lines, b"\xff\xfe", b"[" * 100_000]))
    found = ev.read_collection(tmp_path)
    assert [unit.query for unit in found.units] == ["b"] * 3
    assert found.skipped["queries without a paper, candidates or a split"] == 3
    assert found.skipped["lines that are not JSON"] == 2


def test_broken_files_of_papers(tmp_path):
    for facet in ("background", "method", "result"):
        (tmp_path / f"test-pid2anns-csfcube-{facet}.json").write_text("{}")
    packed = gzip.compress(b'{"id": "a"}\n' * 1000)
    for data in (b"no gzip", packed[:-20], packed[:60] + b"\0\0\xff" + packed[63:]):
        (tmp_path / "csfcube.jsonl.gz").write_bytes(data)
        with pytest.raises(InvalidInputError, match=r"csfcube\.jsonl\.gz is no whole gzip file"):
            ev.read_collection(tmp_path)
    (tmp_path / "csfcube.jsonl.gz").unlink()
    folder = relish(tmp_path / "relish", broken=False)
    (tmp_path / "test-pid2anns-csfcube-background.json").unlink()
    (folder / "relish-evaluation_splits.json").write_text('{"dev": 5}')
    with pytest.raises(InvalidInputError, match="must hold a list of queries for each split"):
        ev.read_collection(folder)


def test_what_is_no_collection(tmp_path, capsys):
    with pytest.raises(InvalidInputError, match="neither CSFCube nor RELISH"):
        ev.read_collection(tmp_path)
    assert main(["evaluate", "h3d", "--data", str(tmp_path)]) == 1
    assert "neither" in capsys.readouterr().err
    folder = relish(tmp_path / "relish", broken=False)
    assert main(["evaluate", "h3d", "--data", str(tmp_path), "--only", "nothing-like-it"]) == 1
    assert "There are: minhash" in capsys.readouterr().err
    (folder / "relish-evaluation_splits.json").write_text('{"dev": ["nobody"]}')
    with pytest.raises(InvalidInputError, match="no query"):
        ev.read_collection(folder)
    (folder / "relish-evaluation_splits.json").write_text("not json")
    with pytest.raises(InvalidInputError, match="is not JSON"):
        ev.read_collection(folder)
    (folder / "abstracts-relish.jsonl").unlink()
    with pytest.raises(InvalidInputError, match="there is no abstracts-relish"):
        ev.read_collection(folder)


def test_the_protocol_of_the_paper_is_elsewhere(tmp_path, capsys):
    command = ["evaluate", "h3d", "--data", str(csfcube(tmp_path)), "--only", "all words", "--protocol"]
    assert main([*command, "clean"]) == 0
    assert "40 papers" in capsys.readouterr().out
    assert main([*command, "paper"]) == 1
    assert "python -m benchmarks h3d --data DIR" in capsys.readouterr().err


def test_figures_over_several_seeds_are_their_means(tmp_path, capsys):
    data = csfcube(tmp_path)
    collection = ev.read_collection(data)
    every = collection.members("all")
    chosen = some_methods("minhash 128, 3", "ssdeep")
    together = ev.run_h3d(collection, chosen, seeds=3)[0]
    one = ev.run_h3d(collection, chosen)[0]
    values = together.by_seed["average_precision"]
    assert values.shape == (3, 12)
    assert (values[0] == one.metrics["average_precision"]).all()  # the first seed is that of the fingerprinter
    assert (values[0] != values[1]).any()
    np.testing.assert_allclose(together.metrics["average_precision"], values.mean(axis=0))
    assert together.spread("average_precision", every) == pytest.approx(values.mean(axis=1).std(ddof=1))
    assert one.spread("average_precision", every) is None
    command = ["evaluate", "h3d", "--data", str(data), "--seeds", "3", "--only", "minhash 128, 3", "--only", "ssdeep"]
    assert main(command) == 0
    assert f"{together.spread('average_precision', every):.4f}"[1:] in capsys.readouterr().out
    assert main([*command, "--json"]) == 0
    facts = {row["method"]: row for row in json.loads(capsys.readouterr().out)["rows"]}
    assert facts["minhash 128, 3 characters"]["seeds"] == 3
    assert facts["ssdeep"]["seeds"] == 1  # it has none
    assert facts["ssdeep"]["spread"]["ndcg@20"] is None


@pytest.mark.data
@pytest.mark.slow
def test_a_small_lexical_sketch_beats_every_printed_row_without_learning(shared_data):
    if not (shared_data / "csfcube").is_dir():
        pytest.skip(f"no CSFCube in {shared_data}")
    collection = ev.read_collection(shared_data)
    every = collection.members("all")
    best = 0.0
    for row in ev.run_h3d(collection):
        reached = row.mean("average_precision", every), row.mean("ndcg@20", every)
        if row.n_bytes <= 128 and reached[1] >= 0.52:
            best = max(best, reached[0])
        floor = {
            "minhash 128, 5 characters": 0.23,
            "winnowing 5, window 5": 0.22,
            "all words (no sketch)": 0.32,
            "simhash 128, idf, 4 characters": 0.19,
        }
        assert reached[0] > floor.get(row.method, 0.1325), row.name  # above the order of the pool
    assert best >= 0.34 > max(printed.mean_average_precision for method in ev.METHODS for printed in method.printed)
