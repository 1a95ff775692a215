"""The written rule about λ and σ, and who answers it for a season."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from samples import DATA

from liga_analysis.model.chain import link
from liga_analysis.model.decision import outside, recommendation, season_decision
from liga_analysis.model.graph import play_graph
from liga_analysis.model.simulation import simulate_season
from liga_analysis.model.variance import estimate_variance
from liga_analysis.season.season import load_season
from liga_analysis.season.settings import Prior
from liga_analysis.season.storage import save_season
from liga_analysis.words import DataError

SEASON = pd.read_csv(DATA / "season_a.csv")


@pytest.fixture(scope="module")
def estimate_a():
    return estimate_variance(SEASON)


@pytest.fixture(scope="module")
def league():
    return link([play_graph(pd.read_csv(DATA / "league_a" / f"{t}.csv")) for t in (1, 2, 3)])


@pytest.mark.parametrize(
    ("lam", "sigma", "action", "reasons", "lam_then", "sigma_then"),
    [
        (6, 2400, "keep", ["in_keeping"], 6, 2400),
        (1, 2400, "move", ["lam_above"], 6.2964, 2400),
        (60, 2400, "move", ["lam_below"], 6.2964, 2400),
        (6, 2040, "move", ["in_keeping", "sigma_outside"], 6, 2307.153),
        (6, 2610, "keep", ["in_keeping"], 6, 2610),  # outside the jackknife's interval alone
        (6, 2650, "move", ["in_keeping", "sigma_outside"], 6, 2307.153),
        (60, 2650, "move", ["lam_below", "sigma_outside"], 6.2964, 2307.153),
    ],
)
def test_recommendation_by_the_rule(estimate_a, lam, sigma, action, reasons, lam_then, sigma_then):
    """λ moves at odds of 3 to 1, σ apart from it when outside both its intervals; τ is σ/√λ."""
    advice = recommendation(estimate_a, lam, sigma)
    assert (advice.action, [key for key, _ in advice.reasons]) == (action, reasons)
    assert (advice.lam, advice.sigma) == pytest.approx((lam_then, sigma_then), rel=1e-4)
    assert advice.tau == pytest.approx(advice.sigma / advice.lam**0.5)
    assert advice.by == "season"


def test_recommendation_turns_at_three_to_one(estimate_a):
    """P(λ > λ₀) = ¾ is where keeping ends, on either side."""
    for p, inward in ((0.25, 1.01), (0.75, 1 / 1.01)):
        lam = estimate_a.posterior.quantile("lam", p)
        assert recommendation(estimate_a, lam / inward, 2400).action == "move"
        assert recommendation(estimate_a, lam * inward, 2400).action == "keep"


def test_recommendation_waits():
    """Too little to go by, or nothing learned: wait, and σ stays whatever it is."""
    heads_up = [
        (s, name, sign * x)
        for s, x in enumerate((100, -300, 200, 50, -90, 400))
        for name, sign in (("A", 1), ("B", -1))
    ]
    heads_up = pd.DataFrame(heads_up, columns=["evening", "player", "result"])
    cases = {
        "too_few_evenings": (estimate_variance(SEASON[SEASON["evening"] <= 4]), 4),
        "too_few_df": (estimate_variance(heads_up), 5),
        "nothing_learned": (estimate_variance(SEASON, Prior(spread=0.1)), 0.1),
    }
    for reason, (estimate, value) in cases.items():
        advice = recommendation(estimate, 6.0, 100.0)
        assert advice[:4] == ("wait", 100, 100 / 6**0.5, 6)
        ((key, values),) = advice.reasons
        assert key == reason
        assert value in values.values()


@pytest.mark.parametrize(("sd", "action"), [(0.899, "keep"), (0.901, "wait")])
def test_learned_is_a_tenth_off_the_prior(sd, action):
    """Log λ known to less than 0.9 of the prior's standard deviation keeps, otherwise it waits."""
    posterior = SimpleNamespace(p_lam_above=lambda lam: 0.5, sd_log_lam=0.5 * sd)
    found = SimpleNamespace(n_evenings=9, df=40, prior=Prior(spread=0.5), posterior=posterior)
    assert recommendation(None, 6, 2400, found).action == action


def test_outside_needs_five_evenings_to_leave_out(estimate_a):
    """σ = 100 is outside everything, but four evenings allow no jackknife."""
    assert outside(estimate_a, 2400) is None
    told = outside(estimate_a, 100)
    assert told["low"] < told["median"] < told["high"]
    assert told["robust_low"] < told["median"] < told["robust_high"]
    assert outside(estimate_variance(SEASON[SEASON["evening"] <= 4]), 100) is None


def test_the_league_decides_about_lambda_and_the_season_about_sigma(estimate_a, league):
    """λ goes to the linked median, σ to the season's own; without a season's estimate it stays."""
    advice = recommendation(estimate_a, 60, 100, league)
    assert advice.by == "league"
    assert advice.lam == league.posterior.quantile("lam", 0.5)
    assert advice.sigma == estimate_a.posterior.quantile("sigma", 0.5)
    young = recommendation(None, 60, 100, league)
    assert (young.action, young.lam, young.sigma) == ("move", advice.lam, 100)
    halves = SEASON[SEASON["evening"] <= 2], SEASON[SEASON["evening"].isin([3, 4])]
    few = link([play_graph(half) for half in halves])
    assert recommendation(None, 6, 2400, few).reasons[0][0] == "too_few_evenings"


@pytest.fixture
def folders(tmp_path):
    """Two seasons of one league, the second with two evenings announced."""
    calendar, results, theta = simulate_season(10, 8, 5, first_date="2025-01-10")
    old = save_season(tmp_path / "2025", "2025", calendar, results)
    calendar, results, _ = simulate_season(10, 4, 3, returning=theta, first_date="2026-01-10")
    results = results[results["evening"] <= 2]
    save_season(tmp_path / "2026", "2026", calendar, results, licences=old.licences)
    return tmp_path


def test_a_young_season_is_answered_by_its_league(folders):
    """After one evening the season has no estimate of its own; the league decides about λ."""
    found = season_decision(load_season(folders / "2026").through(1))
    assert found.estimate is None and found.own is None
    assert isinstance(found.refusal, DataError)
    assert found.recommendation.by == "league"
    assert np.isnan(found.prior_table["sigma_median"]).all()
    assert 0 < found.posterior.prior_weight < 1
    with pytest.raises(DataError, match=r"begegnet|wieder"):
        season_decision(load_season(folders / "2026").through(1), season_only=True)


def test_before_its_first_evening_nobody_is_rated(folders):
    """The earlier seasons alone answer, and σ stays as in force."""
    (folders / "2026" / "results.csv").unlink()
    found = season_decision(load_season(folders / "2026"))
    assert found.linked.seasons == ("2025",)
    assert found.linked.theta.empty and found.linked.se.empty
    assert found.recommendation.sigma == 2400


def test_the_season_alone_can_be_asked(folders):
    """Then nothing of the league is in the answer; both are there where it is in."""
    season = load_season(folders / "2025")
    assert season_decision(season).linked is None
    season = load_season(folders / "2026")
    alone, both = season_decision(season, season_only=True), season_decision(season)
    assert alone.linked is None and both.linked is not None
    assert alone.recommendation == both.own
    assert both.posterior is both.linked.posterior
    assert alone.posterior is alone.estimate.posterior
    pd.testing.assert_series_equal(
        both.prior_table["sigma_median"], alone.prior_table["sigma_median"]
    )
