"""The figures that the H3D paper printed, from the texts it used."""

import pytest
from support import benchmark_module


def benchmark():
    return benchmark_module("h3d")


@pytest.mark.data
@pytest.mark.slow
def test_the_printed_figures_come_out(shared_data, capsys):
    if not (shared_data / "csfcube").is_dir():
        pytest.skip(f"no CSFCube in {shared_data}")
    h3d = benchmark()
    rows = h3d.run_folder(shared_data)["rows"]
    judged = {name: row["same"] for name, row in rows.items() if row["printed"] is not None}
    assert judged == dict.fromkeys(h3d.PRINTED, True)
    # what the overflow costs, as measured elsewhere
    assert h3d.as_printed(rows["MinHash manhattan, without overflow"]["figures"][-2:]) == (0.1946, 0.3365)
    assert "0.2451 0.4167" in capsys.readouterr().out


@pytest.mark.data
@pytest.mark.slow
def test_the_same_fingerprints_without_the_mistakes(shared_data):
    if not (shared_data / "csfcube").is_dir():
        pytest.skip(f"no CSFCube in {shared_data}")
    h3d = benchmark()
    rows = h3d.run_folder(shared_data, "clean")["rows"]
    assert {name: row["same"] for name, row in rows.items() if row["reference"]} == dict.fromkeys(h3d.REFERENCES, True)
    # of bits all three are one, and of slots none depends on an overflow
    assert rows["SimHash mahalanobis"]["figures"] == rows["SimHash manhattan"]["figures"]
    assert rows["MinHash manhattan"]["figures"][0] > 0.18


def test_a_folder_without_the_files_is_told(tmp_path):
    (tmp_path / "csfcube").mkdir()
    (tmp_path / "csfcube" / "csfcube.jsonl.gz").write_bytes(b"")
    with pytest.raises(SystemExit, match=r"there is no test-pid2anns-csfcube-background\.json in .*csfcube"):
        benchmark().run_folder(tmp_path)
    with pytest.raises(SystemExit, match=r"there is no csfcube\.jsonl\.gz in"):
        benchmark().run_folder(tmp_path / "nowhere")


def test_the_cache_keeps_the_text_of_the_first_facet():
    h3d = benchmark()
    papers = {
        "q": {"sentences": ["A.", "B.", "C."], "labels": ["background_label", "method_label", "objective_label"]},
        "c": {"sentences": ["D.", "E."], "labels": ["result_label", "method_label"]},
    }
    pools = {facet: [h3d.Unit("q", ["c"], [1])] for facet in ("background", "method")} | {"result": []}
    assert h3d.cached_texts(papers, pools) == {"q": "A.C.", "c": "D.E."}
    assert h3d.facet_text(papers["q"], "method") == "B."


def test_the_discount_leaves_two_ranks_whole():
    import numpy as np

    h3d = benchmark()
    relevance = np.array([0, 3, 0, 1] + [0] * 16)  # a fifth of 20 candidates: 4
    assert h3d.ndcg_of_a_fifth(relevance) == pytest.approx((3 + 1 / 2) / (3 + 1))
    assert h3d.average_precision(relevance >= 1) == pytest.approx((1 / 2 + 2 / 4) / 2)


def test_only_the_protocol_of_the_paper_has_its_mistakes():
    import numpy as np

    h3d = benchmark()
    texts = ["The ice breaks in March.", "The ice breaks in May.", "Spruce for the belly, maple for the back."]
    one, all_rows = np.zeros(3, np.int64), np.arange(3)
    rows = {
        mistakes: {name: scores(one, all_rows) for name, scores in h3d.rows_of_the_table(texts, mistakes)}
        for mistakes in (True, False)
    }
    exact = 1 / (1 + np.abs(np.diff(h3d.minhashes(texts)[[0, 1]].astype(object), axis=0)).sum())
    assert rows[True]["MinHash manhattan, without overflow"][1] == rows[False]["MinHash manhattan"][1] == exact
    assert rows[True]["MinHash manhattan"][1] != exact
    assert rows[True]["SimHash mahalanobis"].tolist() == [1, 0, 0]
    alike = [rows[False][f"SimHash {measure}"].argsort().tolist() for measure in ("mahalanobis", "manhattan")]
    assert alike[0] == alike[1] == [2, 1, 0]
    assert (rows[True]["FuzzyHash cosine"] == rows[True]["FuzzyHash jaccard"]).all()
    assert (rows[False]["FuzzyHash cosine"] != rows[False]["FuzzyHash jaccard"]).any()
