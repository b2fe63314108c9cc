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
    assert "0.2451 0.4167" in capsys.readouterr().out


@pytest.mark.data
@pytest.mark.slow
def test_the_same_fingerprints_without_the_mistakes(shared_data):
    if not (shared_data / "csfcube").is_dir():
        pytest.skip(f"no CSFCube in {shared_data}")
    h3d = benchmark()
    rows = h3d.run_folder(shared_data, "clean")["rows"]
    assert {name: row["same"] for name, row in rows.items() if row["reference"]} == dict.fromkeys(h3d.REFERENCES, True)


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
