"""The exact interval of λ, against whole seasons drawn and fitted, and against its own test."""

import numpy as np
import pandas as pd
import pytest
from samples import DATA, random_season

from liga_analysis.model.exact import LikelihoodRatio
from liga_analysis.model.graph import play_graph
from liga_analysis.model.likelihood import likelihood
from liga_analysis.model.variance import estimate_variance


@pytest.fixture(scope="module")
def estimate_a():
    return estimate_variance(pd.read_csv(DATA / "season_a.csv"))


def test_the_reference_is_met(estimate_a):
    """1.787 to 24.35, but for the draws."""
    low, high = estimate_a.exact(0.9)
    assert low == pytest.approx(1.78722651, rel=0.03)
    assert high == pytest.approx(24.3523383, rel=0.05)
    assert estimate_a.tau_zero_p() == pytest.approx(0.015, abs=0.003)


def test_the_null_is_that_of_whole_seasons():
    """P(λ) is the share of seasons made with that λ whose likelihood ratio is as large."""
    results = random_season(11, 8, 6, 5, tau=1500).sort_values(["evening", "player"])
    graph, x, rng = play_graph(results), np.log(3.0), np.random.default_rng(1)
    grid = np.append(np.arange(-8, 12, 0.05), np.inf)

    def ratio(graph):
        model = likelihood(graph)
        return model.deviance(x) - model.deviance(grid).min()

    seen, null = ratio(graph), []
    for _ in range(300):
        theta = rng.normal(0, 1 / np.sqrt(3.0), graph.n_players)
        y = theta[graph.player] + rng.normal(size=len(graph.player))
        null.append(ratio(play_graph(results.assign(result=y))))
    share = np.mean(np.array(null) >= seen)
    # 4 SE of 300 seasons
    assert LikelihoodRatio(likelihood(graph)).p(x) == pytest.approx(share, abs=0.115)


def test_interval_and_test_never_disagree():
    """The interval is open above if and only if τ = 0 is not refused at that level."""
    seen = set()
    for seed in range(12):
        estimate = estimate_variance(random_season(seed, 8, 7, 4, tau=1200))
        (low, high), p = estimate.exact(0.9), estimate.tau_zero_p()
        assert (high == np.inf) == (p > 0.1)
        assert low <= estimate.lam <= high
        seen.add(high == np.inf)
    assert seen == {True, False}


def test_its_ends_are_where_p_falls(estimate_a):
    """Just inside p is above 1 − level, just outside below; a higher level contains a lower."""
    low, high = estimate_a.exact(0.9)
    p = LikelihoodRatio(estimate_a._likelihood).p
    assert p(np.log(low) + 0.01) > 0.1 > p(np.log(low) - 0.01)
    assert p(np.log(high) - 0.01) > 0.1 > p(np.log(high) + 0.01)
    inner = estimate_a.exact(0.5)
    assert low < inner[0] < estimate_a.lam < inner[1] < high


def test_almost_no_luck():
    """λ̂ near 0 has an interval round it."""
    base = random_season(1, 5, 6, 4, tau=2000, sigma=0.5)
    estimate = estimate_variance(base)
    low, high = estimate.exact(0.9)
    assert 0 < low < estimate.lam < high < 1e-4


def test_nobody_is_ever_empty_handed():
    """Players more alike than luck allows: open above, never empty."""
    shuffled = [[0, 1, 5, 2, 4, 3], [1, 2, 0, 3, 5, 4], [2, 3, 1, 4, 0, 5]]
    shuffled += [[3, 4, 2, 5, 1, 0], [4, 5, 3, 0, 2, 1], [5, 0, 4, 1, 3, 2]]
    rows = [
        (s, "ABCDEF"[i], [-800, 400, -1000, 700, -500, 1200][k])
        for s, order in enumerate(shuffled)
        for i, k in enumerate(order)
    ]
    estimate = estimate_variance(pd.DataFrame(rows, columns=["evening", "player", "result"]))
    low, high = estimate.exact(0.9)
    assert 0 < low < high == np.inf
