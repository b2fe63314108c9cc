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
    assert ev.mean_average_precision([1, 0], [1, 2], [0, 2]) == 1
    assert isnan(ev.mean_average_precision([0, 0], [1, 2], [0, 1]))


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


@pytest.mark.parametrize("noise", [1e-15, 1e-12, 1e-9, 1e-7, 5e-7])
def test_noise_never_parts_what_ranks_alike(noise):
    rng = np.random.default_rng(3)
    for _ in range(30):
        d = rng.integers(0, 50, 300)
        exact = 1 / (1 + np.sqrt(d))
        noisy = exact * (1 + noise * rng.random(300))
        assert ev.rank_equivalent({"a": exact, "b": noisy, "c": -d, "d": -noisy}) == [["a", "b", "c"], ["d"]]


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
    with pytest.raises(InvalidInputError, match="as many for every name, got 2 and 3 for 'c'"):
        ev.rank_equivalent({"a": [1, 2], "b": [1, 2], "c": [1, 2, 3]})
    with pytest.raises(InvalidInputError, match="NaN") as caught:
        ev.rank_equivalent({"a": [1, np.nan]})
    assert caught.value.row == 1
    for digits in (0, 18, 2.0):
        with pytest.raises(ConfigError, match="digits"):
            ev.rank_equivalent(scores, digits=digits)
    with pytest.raises(InvalidInputError, match="scores must be a mapping"):
        ev.rank_equivalent([[1, 2]])


@pytest.mark.filterwarnings("error")
def test_gains_of_any_size():
    """A figure over that of the best order does not depend on the unit of the gains."""
    relevance, scores = np.array([3.0, 0, 1, 2, 2]), [1, 2, 2, 3, 1]
    wanted = ev.ndcg(relevance, scores)
    for scale in (2.0**-1070, 2.0**-1000, 5e307, 2.0**1021):
        assert ev.ndcg(relevance * scale, scores) == pytest.approx(wanted, rel=1e-12)
    together = ev.ndcg(np.concatenate([relevance * 5e307, relevance * 1e-300]), scores * 2, np.repeat([0, 1], 5))
    assert together == pytest.approx([wanted, wanted], rel=1e-12)
    assert ev.ndcg([1.7976931348623157e308] * 50, np.zeros(50)) == pytest.approx(1)
    with pytest.raises(InvalidInputError, match=r"relevance must be finite \(row 1\)"):
        ev.ndcg([1, np.inf, 0], [1, 2, 3])


@pytest.mark.parametrize("figure", [ev.average_precision, ev.ndcg, ev.at_rank])
def test_numbers_of_queries_may_have_small_gaps_only(figure):
    assert len(np.atleast_2d(figure([1, 0, 1], [1, 2, 3], [0, 5, 1000]))[0]) == 1001
    for largest in (10**12, 2**64 - 1):
        with pytest.raises(InvalidInputError, match=f"without large gaps, got {largest} among 3") as caught:
            figure([1, 0, 1], [1, 2, 3], np.array([0, largest, 1], np.uint64))
        assert (caught.value.row, caught.value.argument) == (1, "queries")


@pytest.mark.parametrize("dtype", ["?", "i1", "u1", ">i4", "u8", "f2", ">f8", "f4"])
def test_dtypes_of_what_is_judged(dtype):
    relevant, scores = np.array([1, 0, 1, 0, 0], dtype), np.array([0, 1, 1, 0, 1], dtype)
    assert ev.average_precision(relevant, scores) == ev.average_precision([1, 0, 1, 0, 0], [0, 1, 1, 0, 1])
    assert ev.ndcg(relevant, scores) == ev.ndcg([1, 0, 1, 0, 0], [0, 1, 1, 0, 1])
    assert ev.auc(relevant, scores) == ev.auc([1, 0, 1, 0, 0], [0, 1, 1, 0, 1])
    assert ev.best_f1(relevant, scores) == ev.best_f1([1, 0, 1, 0, 0], [0, 1, 1, 0, 1])


def test_masked_values_are_not_figures():
    masked = np.ma.array([1.0, 0.0, 9.0], mask=[0, 0, 1])
    for call in (
        lambda: ev.average_precision([1, 0, 1], masked),
        lambda: ev.ndcg(masked, [1, 2, 3]),
        lambda: ev.at_rank([1, 0, 1], [1, 2, 3], masked.astype(int)),
        lambda: ev.best_f1([1, 0, 1], masked),
        lambda: ev.auc(masked, [1, 2, 3]),
        lambda: ev.bootstrap_interval(masked),
        lambda: ev.all_pairs_precision_recall(masked, [0], [1]),
        lambda: ev.all_pairs_precision_recall([1, 1, 1], [0, 1, 1], masked.astype(int)),
    ):
        with pytest.raises(InvalidInputError, match=r"must not have masked values \(row 2\)"):
            call()
    assert ev.average_precision([1, 0], masked[:2]) == 1


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
    with pytest.raises(InvalidInputError, match="i must be empty, there are no labels"):
        ev.all_pairs_precision_recall([], [0], [0])
    for labels in ([None, 1], [1.0, np.nan], np.array([None, "a"], object)):
        with pytest.raises(InvalidInputError, match="labels must not be missing"):
            ev.all_pairs_precision_recall(labels, [0], [1])
    for labels in (np.array([1, "a"], object), [[1], [2]], 1):
        with pytest.raises(InvalidInputError, match="labels must"):
            ev.all_pairs_precision_recall(labels, [0], [0])


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
    for option in ({"seed": -1}, {"seed": None}, {"seed": 0.5}, {"confidence": "0.9"}, {"resamples": 0}):
        with pytest.raises(ConfigError, match=next(iter(option))):
            ev.bootstrap_interval([1, 2], **option)
    for values in ([1, np.inf], [-np.inf], ["a"], [1j], [[1], [1, 2]], None):
        with pytest.raises(InvalidInputError, match="values must"):
            ev.bootstrap_interval(values)


@pytest.mark.filterwarnings("error")
def test_intervals_of_huge_figures():
    small, huge = (ev.bootstrap_interval(np.array([1, 2, 3, 4]) * scale) for scale in (1.0, 2.0**1021))
    assert np.allclose(np.array(huge) / 2.0**1021, small)


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
    for share in (1.5, -0.1, np.nan, None, "0.5", np.ones(2)):
        with pytest.raises(ConfigError, match="share must be between 0 and 1"):
            ev.delete_sentences([text], share)
    for seed in (-1, 0.5, None, "1", [1]):
        with pytest.raises(ConfigError, match="seed must be an int >= 0"):
            ev.delete_sentences([text], 0.5, seed=seed)


def test_nothing_goes_but_sentences():
    """Quotation marks stay with what they close, and no blanks come between sentences that have none."""
    said = ['He said "Go now." ', '"No! ', 'Never!" ', "(So it was.) ", "It is 3.5 m long. ", "End"]
    asked = ["他说：「走吧。」", "不行！", "为什么？", "完"]
    lines = ["A title\n\n", "the first line\n", "3.5 m"]
    for parts in (said, asked, lines):
        seen = set()
        for seed in range(20):
            left = ev.delete_sentences(["".join(parts)], 1 / len(parts), seed=seed)[0]
            ways = {
                "".join(part.rstrip() + " " * part[-1].isspace() for part in parts if part is not gone).rstrip(): gone
                for gone in parts
            }
            assert left in ways
            seen.add(ways[left])
        assert seen == set(parts)


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
    for found in (np.ones(1), ["a"] * 20, None, np.ones((20, 1))):
        with pytest.raises(InvalidInputError, match="one number a row"):
            ev.deletion_ladder(texts, lambda a, b, found=found: found)
    with pytest.raises(ConfigError, match="score must be a function"):
        ev.deletion_ladder(texts, None)
    for shares in (0.5, None, [2], ["a"]):
        with pytest.raises(ConfigError, match="shares must be"):
            ev.deletion_ladder(texts, lambda a, b: np.ones(20), shares=shares)


def test_fronts():
    assert ev.pareto_front([], []) == []
    assert ev.pareto_front([1, np.nan, 2, 3], [0.1, 0.9, np.nan, 0.2]) == [0, 3]
    for wrong in ([1], [[1, 2]], ["a", "b"], 3):
        with pytest.raises(InvalidInputError):
            ev.pareto_front(wrong, [1, 2])


@pytest.mark.filterwarnings("error")
def test_pictures_of_much_and_of_little_are_legible():
    """Whoever gives no axes gets names; no names fall off, no points hide another's number, no text its background."""
    pytest.importorskip("matplotlib")

    def drawn(axes):
        """Everything is inside of the picture."""
        axes.figure.draw_without_rendering()
        inside, tight = axes.figure.bbox_inches, axes.figure.get_tightbbox()
        assert tight.x0 > -0.1
        assert tight.y0 > -0.1
        assert tight.x1 < inside.x1 + 0.1
        assert tight.y1 < inside.y1 + 0.1
        return axes

    names = [f"a method with a number, {number}: and a measure" for number in range(45)]
    lines = drawn(ev.plot_ladder({name: ([0, 1], [1, 0.5]) for name in names}))
    assert [text.get_text() for text in lines.get_legend().get_texts()] == names
    assert len({(line.get_color(), line.get_marker()) for line in lines.lines}) == 45
    assert ev.plot_ladder({"b": ([0], [1])}, lines) is lines
    many = drawn(ev.plot_pareto({name: (1 + number % 7, 1 / (1 + number)) for number, name in enumerate(names)}))
    assert len(many.get_legend().get_texts()) == 45
    same = ev.plot_pareto({"a": (1, 0.5), "b": (1, 0.5), "c": (2, 0.6)})
    assert sorted(text.get_text() for text in same.texts) == ["1", "2, 3"]
    for values in ([[1.0]], [[0.0, 1.0]], [[5, np.nan, 5]], [[-3, -2, -1]]):
        heat = drawn(ev.plot_heat_map(values, ["r"], list("xyz")[: len(values[0])]))
        image = heat.images[0]
        for text in heat.texts:
            column, row = (round(at) for at in text.get_position())
            dark = np.dot(image.to_rgba(values[row][column])[:3], [0.2126, 0.7152, 0.0722]) < 0.4
            assert text.get_color() == ("white" if dark else "black")


def test_pictures_refuse_what_they_cannot_show():
    pytest.importorskip("matplotlib")
    for draw in (ev.plot_pareto, ev.plot_ladder):
        with pytest.raises(InvalidInputError, match="must be a mapping by name"):
            draw([(1, 2)])
    for digits in (-1, 18, None, 1.0):
        with pytest.raises(ConfigError, match="digits"):
            ev.plot_heat_map([[1.0]], ["a"], ["b"], digits=digits)


def test_pictures_show_what_they_are_given():
    pytest.importorskip("matplotlib")
    assert ev.pareto_front([3, 1, 2, 2], [0.9, 0.1, 0.5, 0.6]) == [1, 3, 0]
    axes = ev.plot_pareto({"a": (1, 0.5), "b": (10, 0.4)})
    assert axes.get_xscale() == "log"
    heat = ev.plot_heat_map([[1, 2], [np.nan, 4]], ["r", "s"], ["x", "y"], digits=1)
    assert sorted(text.get_text() for text in heat.texts) == ["1.0", "2.0", "4.0"]
    lines = ev.plot_ladder({"a": ([0, 1], [1, 0.5]), "b": ([0, 1], [1, 0.2])}, axes)
    assert lines is axes
    for wrong in ({"a": (0, 1)}, {}, {"a": (np.nan, 1)}, {"a": (1, np.nan)}, {"a": (1, 2, 3)}):
        with pytest.raises(InvalidInputError, match="positive costs"):
            ev.plot_pareto(wrong)
    for wrong in ([[np.nan]], [[np.inf]]):
        with pytest.raises(InvalidInputError, match="values must be finite or NaN, and at least one a number"):
            ev.plot_heat_map(wrong, ["a"], ["x"])
    with pytest.raises(InvalidInputError, match=r"got shapes \(1,\) and \(2,\) of 'a'"):
        ev.plot_ladder({"a": ([1], [1, 2])})
    with pytest.raises(InvalidInputError, match="values must have shape"):
        ev.plot_heat_map([[1]], ["a"], ["x", "y"])
