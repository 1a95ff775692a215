"""Posteriors are calibrated; the studies of intervals and leagues in small."""

import intervals
import leagues
import numpy as np
import pandas as pd
import pytest
from samples import random_season
from scipy.stats import kstest


def test_posteriors_are_calibrated():
    """λ from its prior, P(x < truth | y) is uniform for λ, σ, τ, θ_i − mean and a linked θ."""
    seeds = np.random.SeedSequence(7).spawn(120)
    p = np.array([intervals.calibrated(seed) for seed in seeds])
    for name, column in zip(intervals.CALIBRATED, p.T, strict=True):
        assert kstest(column, "uniform").pvalue > 1e-3, name


@pytest.mark.parametrize("kind", intervals.LUCKS)
def test_every_luck_has_spread_one(kind):
    """Errors of all kinds have mean square 1, so that σ is what it is called."""
    rng = np.random.default_rng(3)
    graph = intervals.attendance(12, rng)
    square = [(intervals.luck(kind, graph, rng) ** 2).mean() for _ in range(400)]
    assert np.mean(square) == pytest.approx(1, abs=0.12)  # t₃ has no fourth moment


def test_the_jackknife_holds_what_the_posterior_misses():
    """Under t₃ it holds σ more often, and whoever moves σ by both moves no more often."""
    seeds = np.random.SeedSequence(5).spawn(40)
    outcome = np.array([intervals.held("t3", 6, seed) for seed in seeds], float).mean(0)
    posterior, jackknife, _, _, former, now, *_ = outcome
    assert jackknife > posterior
    assert now < former


def test_linking_pays_where_skill_lasts():
    """At ρ = 0.8 linked is nearer the truth than the season alone, the oracle about as near."""
    seeds = np.random.SeedSequence(2).spawn(40)
    square = np.array([leagues.league(0.8, 6, 1000.0, 3, seed)[:, 0] for seed in seeds])
    alone, linked, oracle = np.sqrt(square.mean(0))
    assert linked < alone
    assert linked == pytest.approx(oracle, rel=0.06)


def test_walking_forward_knows_no_later_evening():
    """Results of an evening and after it leave its predictions alone; the first season has none."""
    results = random_season(3, 8, 8, 5)
    walk = leagues.walked(results, size=4)
    assert list(walk.index) == [5, 6, 7, 8]
    later = results.assign(result=results["result"] * np.where(results["evening"] < 7, 1, 2))
    again = leagues.walked(later, size=4)
    pd.testing.assert_frame_equal(walk.loc[:6], again.loc[:6])
    day = results[results["evening"] == 6]["result"]
    assert walk.loc[6, "error_zero"] == pytest.approx((day**2).sum())
    assert walk.loc[6, "n"] == len(day) - 1
    assert walk["rank_zero"].eq(0).all()
