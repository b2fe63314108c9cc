"""Choosing bands and rows."""

import numpy as np
import pytest

from txtfp_np.errors import ConfigError, FeatureDisabledError
from txtfp_np.index import LshIndexBuilder
from txtfp_np.index.bands import _crate_error


def crate_choice(t, h):
    """All divisors by the crate's own sum; the first of equal ones."""
    divisors = [b for b in range(1, h + 1) if h % b == 0]
    return min(divisors, key=lambda b: (float(_crate_error(b, h // b, np.float32(t))), b))


@pytest.mark.parametrize("h", [1, 2, 3, 5, 6, 7, 12, 16, 30, 97])
def test_the_choice_is_that_of_the_sum_in_single_precision(h):
    for t in [1e-6, 0.01, 0.25, 0.499999, 0.5, 0.500001, 0.6180339, 0.75, 0.99, 1 - 1e-6]:
        assert LshIndexBuilder.for_threshold(t, h).bands == crate_choice(t, h), t


def test_ties_at_one_half():
    """1 x 2 and 2 x 1 are mirror images: rounding decides."""
    for h in (2, 3, 5, 7, 11, 13):
        assert LshIndexBuilder.for_threshold(0.5, h).bands == crate_choice(0.5, h)


def test_weights_move_the_choice():
    careful = LshIndexBuilder.for_threshold(0.7, 128, weights=(0.01, 0.99))
    strict = LshIndexBuilder.for_threshold(0.7, 128, weights=(0.99, 0.01))
    assert careful.bands > LshIndexBuilder.for_threshold(0.7, 128).bands > strict.bands
    assert LshIndexBuilder.for_threshold(0.7, 128, weights=(3, 3)).bands == 16


@pytest.mark.parametrize("t", [0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("recall", [0.5, 0.9, 0.99])
def test_recall_is_kept_at_least_cost(t, recall):
    builder = LshIndexBuilder.for_recall(t, 64, recall=recall)
    assert builder.bands * builder.rows <= 64
    assert builder.collision_probability(t) >= recall
    s = np.linspace(0, 1, 20001)

    def cost(bands, rows):
        return np.trapezoid(1 - (1 - s**rows) ** bands, s)

    every = [(b, r) for r in range(1, 65) for b in range(1, 64 // r + 1) if 1 - (1 - t**r) ** b >= recall]
    assert cost(builder.bands, builder.rows) <= min(cost(b, r) for b, r in every) + 1e-6


def test_recall_with_a_distribution():
    low = LshIndexBuilder.for_recall(0.7, 128, recall=0.9, distribution=lambda s: (1 - s) ** 30)
    assert low.collision_probability(0.7) >= 0.9


def test_what_cannot_be_recalled():
    with pytest.raises(ConfigError, match="is the most"):
        LshIndexBuilder.for_recall(0.01, 4, recall=0.99)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: LshIndexBuilder.for_threshold("0.5"), "threshold must be a number, got '0.5'"),
        (lambda: LshIndexBuilder.for_threshold(1e-60), "got 0"),
        (lambda: LshIndexBuilder.for_threshold(1e60), "got inf"),
        (lambda: LshIndexBuilder.for_threshold(0.5, weights=(0, 0)), "not both 0"),
        (lambda: LshIndexBuilder.for_threshold(0.5, weights=(1,)), "two numbers"),
        (lambda: LshIndexBuilder.for_recall(0.5, recall=1), "recall must be in"),
        (lambda: LshIndexBuilder(5, 5, 24, partial=True), "must be at most H = 24"),
        (lambda: LshIndexBuilder(2.0, 2, 4), "bands must be an int"),
    ],
)
def test_refusals(call, message):
    with pytest.raises(ConfigError, match=message):
        call()


def test_collision_probability():
    builder = LshIndexBuilder(16, 8)
    assert isinstance(builder.collision_probability(0.7), float)
    assert builder.collision_probability(0.7) == pytest.approx(0.6133, abs=1e-4)
    assert builder.collision_probability([0.0, 1.0]).tolist() == [0.0, 1.0]
    assert builder.collision_probability(1e-30) == pytest.approx(16e-240)


def test_plot(monkeypatch):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ax = LshIndexBuilder(16, 8).plot(threshold=0.7)
    assert ax.get_lines()[0].get_ydata()[-1] == 1
    plt.close(ax.figure)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.pyplot", None)
    with pytest.raises(FeatureDisabledError, match="plot"):
        LshIndexBuilder(16, 8).plot()


def test_build():
    index = LshIndexBuilder.for_recall(0.7, 128).build(config_hash=5)
    assert (index.bands, index.rows, index.h, index.config_hash) == (17, 4, 128, 5)


@pytest.mark.parametrize("h", [16, 128, 300])
def test_the_closed_form_for_uniform_similarities_ranks_as_quadrature_does(h):
    for threshold in (0.3, 0.5, 0.7, 0.85, 0.95):
        for recall in (0.5, 0.9, 0.99):
            try:
                chosen = LshIndexBuilder.for_recall(threshold, h, recall=recall)
            except ConfigError:
                continue  # too few slots
            assert chosen == LshIndexBuilder.for_recall(threshold, h, recall=recall, distribution=lambda s: 1.0)
