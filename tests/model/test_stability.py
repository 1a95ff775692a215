"""Worlds that agree, and forecasts with their scores, each by another route."""

import numpy as np
import pandas as pd
import pytest
from samples import DATA
from scipy.stats import multivariate_normal

from liga_analysis.model.decision import season_decision
from liga_analysis.model.league import linked
from liga_analysis.model.prediction import forecasts
from liga_analysis.model.ranking import standings
from liga_analysis.model.simulation import simulate_season
from liga_analysis.model.stability import agreement, worlds
from liga_analysis.season.season import load_season
from liga_analysis.season.storage import save_season

EXACT = 1e-9


@pytest.fixture(scope="module")
def league(tmp_path_factory):
    """Two seasons of a league on disk, the second under way."""
    folder = tmp_path_factory.mktemp("league")
    evenings, results, theta = simulate_season(9, 7, 5, first_date="2025-01-10")
    first = save_season(folder / "2025", "2025", evenings, results)
    evenings, results, _ = simulate_season(10, 6, 3, returning=theta)
    save_season(folder / "2026", "2026", evenings, results, licences=first.licences)
    return [load_season(folder / year) for year in ("2025", "2026")]


def names(table, podium=3):
    """Who is on a table's podium, in order."""
    return tuple(table.loc[(table["rank"] <= podium).fillna(False).astype(bool), "player"])


def test_worlds_are_tables_of_their_own(league):
    """A world's podium is that of the table with its λ, without its evening; linked by `linked`."""
    before, season = league
    table, decision = worlds(season), season_decision(season)
    assert len(table) == 5 * (len(season.held) + 1) * 3 * 2
    whole = table[table["without"].isna() & (table["attendance"] == 40)]
    for row in whole[~whole["linked"]].itertuples():
        assert row.podium == names(standings(season, row.lam))
        assert row.same_order == (row.podium == names(standings(season)))
    ranked = set(standings(season).query("qualified")["player"])
    rho = decision.linked.rho_mean
    for row in whole[whole["linked"]].itertuples():
        theta = linked([before, season], row.lam, rho).theta.sort_values(ascending=False)
        assert row.podium == tuple(name for name in theta.index if name in ranked)[:3]
    assert sorted(table["lam"].unique()) == pytest.approx(
        [decision.posterior.quantile("lam", p) for p in (0.05, 0.275, 0.5, 0.725, 0.95)]
    )


def test_agreement_counts_worlds():
    """The shares are means, and the factor is the column they differ by most."""
    table = pd.DataFrame(
        {
            "lam": [6.0, 6.0, 9.0, 9.0],
            "without": pd.array([None, 1, None, 1], "Int64"),
            "attendance": [40] * 4,
            "linked": [False] * 4,
            "same_names": [True, True, True, False],
            "same_order": [True, False, False, False],
        }
    )
    told = agreement(table.assign(same_names=[True, False, True, False]))
    assert told[:3] == (0.5, 0.25, "without") and told.shares.tolist() == [0.0, 1.0]
    assert agreement(table.assign(same_names=True)).factor is None


def test_forecasts_know_only_the_evenings_before(league):
    """The season's forecast of an evening is its table's before; a later result changes nothing."""
    season = league[1]
    made = forecasts(season)
    last = season.held[-1]
    before = standings(season.through(season.held[-2])).set_index("player")["rating"]
    mine = made.players[made.players["way"].eq("season") & made.players["evening"].eq(last)]
    mine = mine.set_index("player")
    theta = before.reindex(mine.index).fillna(0)
    np.testing.assert_allclose(mine["expected"], theta - theta.mean(), rtol=EXACT, atol=1e-6)
    early = forecasts(season.through(season.held[-2])).scores
    pd.testing.assert_frame_equal(early, made.scores[made.scores["evening"] != last], rtol=EXACT)
    assert set(made.scores["way"]) == {"zero", "season", "linked"}


def test_scores_by_hand():
    """Log N of all results but one (their sum is 0), the error per free result, mean squares."""
    season = load_season(DATA / "season_a.csv")
    made, lam, sigma = forecasts(season), 6.0, 2400.0
    first = season.held[0]
    rows = made.players[made.players["evening"] == first]
    for way, tau in (("zero", 0.0), ("season", sigma / lam**0.5)):
        mine = rows[rows["way"] == way]
        n, y = len(mine), mine["result"].to_numpy()
        spread = (sigma**2 + tau**2) * (np.eye(n) - 1 / n)
        # Of n results that sum to zero n − 1 are free; in orthonormal coordinates dy = √n dy₁…dyₙ₋₁
        log = multivariate_normal(np.zeros(n - 1), spread[:-1, :-1]).logpdf(y[:-1])
        found = made.scores[made.scores["way"] == way].iloc[0]
        assert found["log_score"] == pytest.approx((log - np.log(n) / 2) / (n - 1), rel=EXACT)
        assert found["rmse"] == pytest.approx(np.sqrt(y @ y / (n - 1)), rel=EXACT)
        assert mine["p_first"].sum() == pytest.approx(1)
        assert mine["p_podium"].sum() == pytest.approx(3)
        won = (y == y.max()).astype(float)
        brier = ((won - mine["p_first"]) ** 2).mean()
        assert found["brier_first"] == pytest.approx(brier, rel=EXACT)
