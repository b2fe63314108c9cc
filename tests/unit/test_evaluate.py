"""Metrics against enumeration of every order of ties; pairs, intervals, ladders, pictures."""

from itertools import pairwise, permutations
from math import isnan, log2

import numpy as np
import pytest

from txtfp_np import evaluate as ev
from txtfp_np.errors import ConfigError, InvalidInputError


def orders(scores):
    """Every order of the candidates by falling score."""
    candidates = range(len(scores))
    return [order for order in permutations(candidates) if all(scores[a] >= scores[b] for a, b in pairwise(order))]


def mean_over_orders(scores, figure):
    figures = [figure(order) for order in orders(scores)]
    return sum(figures) / len(figures)


def plain_ap(relevance, order):
    hits, total = 0, 0.0
    for rank, at in enumerate(order, 1):
        if relevance[at]:
            hits += 1
            total += hits / rank
    return total / hits


def plain_dcg(relevance, order, k):
    return sum(relevance[at] / log2(rank + 1) for rank, at in enumerate(order, 1) if rank <= k)


CASES = [
    ([1, 0, 1, 0, 0, 1], [5, 5, 5, 2, 1, 1]),
    ([0, 3, 0, 2, 1, 0], [1, 1, 1, 1, 1, 1]),
    ([0, 0, 2, 1, 0, 3], [6, 5, 4, 3, 2, 1]),
    ([2, 0, 1, 1, 0, 0], [0.5, 0.5, 0.25, 0.25, 0.25, 0.125]),
    ([1], [0]),
    ([0, 2], [-1.5, -1.5]),
]


@pytest.mark.parametrize(("relevance", "scores"), CASES)
def test_figures_are_means_over_all_orders_of_ties(relevance, scores):
    relevant = np.array(relevance) > 0
    total = relevant.sum()
    ap = mean_over_orders(scores, lambda order: plain_ap(relevant, order))
    assert ev.average_precision(relevant, scores) == pytest.approx(ap, abs=1e-12)
    for k in (1, 2, 3, 5, 20):
        best = plain_dcg(sorted(relevance, reverse=True), range(len(scores)), k)
        dcg = mean_over_orders(scores, lambda order, k=k: plain_dcg(relevance, order, k))
        assert ev.ndcg(relevance, scores, k=k) == pytest.approx(dcg / best, abs=1e-12)
        hits = mean_over_orders(scores, lambda order, k=k: sum(relevant[at] for at in order[:k]))
        found = ev.at_rank(relevant, scores, k=k)
        assert found.precision == pytest.approx(hits / k)
        assert found.recall == pytest.approx(hits / total)
        assert found.f1 == pytest.approx(2 * hits / (k + total))


def test_many_queries_are_as_one_at_a_time():
    rng = np.random.default_rng(1)
    queries = rng.integers(0, 9, 400)
    relevance = rng.integers(0, 4, 400) * (rng.random(400) < 0.3)
    scores = rng.integers(0, 8, 400) / 8
    for figure in (ev.average_precision, ev.ndcg, lambda *a: ev.at_rank(*a, k=5).f1):
        together = figure(relevance, scores, queries)
        assert together.shape == (9,)
        alone = [figure(relevance[queries == q], scores[queries == q]) for q in range(9)]
        assert np.allclose(together, alone)


def test_the_order_of_the_pool_never_decides():
    relevance = np.arange(100) < 10
    assert ev.average_precision(relevance, np.zeros(100)) == pytest.approx(
        ev.average_precision(relevance[::-1], np.zeros(100))
    )
    assert ev.average_precision(relevance, np.zeros(100)) < 0.2


def test_a_query_without_relevant_candidates_has_no_figure():
    assert isnan(ev.average_precision([0, 0], [1, 2]))
    assert isnan(ev.ndcg([0, 0], [1, 2]))
    found = ev.at_rank([0, 0], [1, 2], k=1)
    assert found.precision == 0
    assert isnan(found.recall)
    assert isnan(found.f1)
    assert np.isnan(ev.average_precision([1, 0], [1, 2], [0, 2])).tolist() == [False, True, True]


def test_what_metrics_refuse():
    with pytest.raises(InvalidInputError, match=r"scores must not be NaN \(row 1\)"):
        ev.average_precision([1, 0], [1, np.nan])
    with pytest.raises(InvalidInputError, match="for each of 2 candidates"):
        ev.average_precision([1], [1, 2])
    with pytest.raises(InvalidInputError, match="queries must hold"):
        ev.ndcg([1, 0], [1, 2], [0])
    with pytest.raises(InvalidInputError, match="relevance must be a number of at least 0"):
        ev.ndcg([-1, 0], [1, 2])
    with pytest.raises(ConfigError, match="k must be an int >= 1"):
        ev.at_rank([1], [1], k=0)


def test_measures_that_rank_alike_are_found():
    rng = np.random.default_rng(2)
    d = rng.integers(0, 50, 300)
    queries = rng.integers(0, 5, 300)
    scores = {"hamming": 1 - d / 64, "manhattan": 1 / (1 + d), "mahalanobis": 1 / (1 + np.sqrt(d)), "other": d % 7}
    scores["noise"] = scores["hamming"] * (1 + 1e-9 * rng.random(300))
    assert ev.rank_equivalent(scores, queries) == [["hamming", "manhattan", "mahalanobis", "noise"], ["other"]]
    broken = scores["hamming"].copy()
    broken[d.argmax()] += 0.5
    assert ev.rank_equivalent({"a": scores["hamming"], "b": broken}) == [["a"], ["b"]]
    # another order between queries is no other ranking
    assert ev.rank_equivalent({"a": d, "b": d + 100.0 * queries}, queries) == [["a", "b"]]


@pytest.mark.filterwarnings("error")
def test_equivalent_rankings_of_extreme_scores():
    scores = {
        "plain": [3, 2, 1, 1],
        "infinite": [np.inf, 1, -np.inf, -np.inf],
        "tiny": [2e-310, 1e-310, 0.0, -0.0],
        "huge": [1.7976931348623157e308, 1e308, -1.7976931348623157e308, -1.7976931348623155e308],
        "above all": [np.inf, 1.7976931348623157e308, 0, 0],
        "tied": [1, 1, 0, 0],
    }
    for digits in (1, 6):
        assert ev.rank_equivalent(scores, digits=digits) == [list(scores)[:-1], ["tied"]]
    assert ev.rank_equivalent({"a": [], "b": []}) == [["a", "b"]]
    with pytest.raises(InvalidInputError, match="NaN") as caught:
        ev.rank_equivalent({"a": [1, np.nan]})
    assert caught.value.row == 1
    with pytest.raises(ConfigError, match="digits"):
        ev.rank_equivalent(scores, digits=0)


# ── pairs ───────────────────────────────────────────────────────────────────────────────────────
def test_pair_metrics_against_plain_python():
    rng = np.random.default_rng(3)
    labels = rng.random(200) < 0.3
    scores = np.round(labels * 0.3 + rng.random(200), 1)
    best = (0, 0)
    for threshold in np.unique(scores):
        found = scores >= threshold
        f1 = 2 * (found & labels).sum() / (found.sum() + labels.sum())
        best = max(best, (f1, threshold))
    assert ev.best_f1(labels, scores)[:2] == pytest.approx(best)
    wins = [(a > b) + (a == b) / 2 for a in scores[labels] for b in scores[~labels]]
    assert ev.auc(labels, scores) == pytest.approx(np.mean(wins))


def test_found_pairs_against_labels():
    found = ev.all_pairs_precision_recall([1, 1, 2, 2, 2], [1, 0, 3, 4, 2], [0, 1, 2, 0, 2])
    assert found == pytest.approx((2 / 3, 2 / 4, 4 / 7))
    assert ev.all_pairs_precision_recall([1, 2], [], []) == (1, 1, 1)
    with pytest.raises(InvalidInputError, match="rows from 0 to 1"):
        ev.all_pairs_precision_recall([1, 2], [0], [2])


def test_what_pair_metrics_refuse():
    with pytest.raises(InvalidInputError, match="no F1"):
        ev.best_f1([0, 0], [1, 2])
    with pytest.raises(InvalidInputError, match="duplicates and others"):
        ev.auc([1, 1], [1, 2])
    with pytest.raises(InvalidInputError, match="must be True or False"):
        ev.auc([1, 2], [1, 2])
    with pytest.raises(InvalidInputError, match="as many"):
        ev.auc([1, 0], [1])


def test_intervals_cover_as_often_as_they_say():
    rng = np.random.default_rng(4)
    covered = 0
    for trial in range(200):
        found = ev.bootstrap_interval(rng.normal(size=40), confidence=0.9, resamples=500, seed=trial)
        covered += found.low <= 0 <= found.high
    assert 165 <= covered <= 193  # 0.9 of 200, three standard deviations and the small sample
    assert ev.bootstrap_interval([1, 2, 3], seed=5) == ev.bootstrap_interval([1, 2, 3, np.nan], seed=5)
    assert ev.bootstrap_interval([1.0]) == (1, 1, 1)
    with pytest.raises(InvalidInputError):
        ev.bootstrap_interval([np.nan])
    with pytest.raises(ConfigError):
        ev.bootstrap_interval([1], confidence=1)


# ── ladders and pictures ────────────────────────────────────────────────────────────────────────
def test_sentences_go_step_by_step():
    text = "One is here. Two is there! Three? 四です。五です。"
    counts = []
    before = text
    for share in (0, 0.2, 0.4, 0.6, 0.8, 1):
        left = ev.delete_sentences([text, ""], share, seed=3)
        assert left[1] == ""
        kept = [part for part in ("One is", "Two is", "Three", "四", "五") if part in left[0]]
        assert all(part in before for part in kept)  # what was gone stays gone
        before = left[0]
        counts.append(len(kept))
    assert counts == [5, 4, 3, 2, 1, 1]
    assert ev.delete_sentences([text], 0)[0] == text
    with pytest.raises(ConfigError, match="share must be between 0 and 1"):
        ev.delete_sentences([text], 1.5)


def test_a_ladder_falls():
    import txtfp_np as tx

    words = [f"w{number}" for number in range(400)]
    rng = np.random.default_rng(5)
    texts = [" ".join(f"{a} {b} {c}." for a, b, c in rng.choice(words, (20, 3))) for _ in range(20)]
    fp = tx.MinHashFingerprinter(tokenizer=tx.ShingleTokenizer(k=2))
    ladder = ev.deletion_ladder(texts, lambda a, b: tx.jaccard(fp.fingerprint(a), fp.fingerprint(b)))
    similarity = [rung.similarity for rung in ladder]
    assert similarity[0] == 1
    assert similarity == sorted(similarity, reverse=True)
    assert all(rung.auc > 0.95 for rung in ladder)
    with pytest.raises(InvalidInputError, match="at least two"):
        ev.deletion_ladder(["one"], lambda a, b: np.ones(1))
    with pytest.raises(InvalidInputError, match="one number a row"):
        ev.deletion_ladder(texts, lambda a, b: np.ones(1))


def test_pictures_show_what_they_are_given():
    pytest.importorskip("matplotlib")
    assert ev.pareto_front([3, 1, 2, 2], [0.9, 0.1, 0.5, 0.6]) == [1, 3, 0]
    axes = ev.plot_pareto({"a": (1, 0.5), "b": (10, 0.4)})
    assert axes.get_xscale() == "log"
    heat = ev.plot_heat_map([[1, 2], [np.nan, 4]], ["r", "s"], ["x", "y"], digits=1)
    assert sorted(text.get_text() for text in heat.texts) == ["1.0", "2.0", "4.0"]
    lines = ev.plot_ladder({"a": ([0, 1], [1, 0.5]), "b": ([0, 1], [1, 0.2])}, axes)
    assert lines is axes
    with pytest.raises(InvalidInputError, match="positive costs"):
        ev.plot_pareto({"a": (0, 1)})
    with pytest.raises(InvalidInputError, match="values must have shape"):
        ev.plot_heat_map([[1]], ["a"], ["x", "y"])
