"""Simulated seasons: plain ones against the model's moments, rule-true ones against the rules."""

import numpy as np
import pandas as pd
import pytest

from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results, simulate_season
from liga_analysis.rules import LeagueRules

SIZES = [(2, 1), (2, 40), (3, 2), (4, 7), (5, 12), (9, 3), (14, 1), (14, 12), (23, 40), (60, 5)]
SHORT_STACKS = LeagueRules(entry_chips=500, max_entries=1, smallest_chip=25)
DEEP_STACKS = LeagueRules(entry_chips=10_000, max_entries=5, smallest_chip=100)


def seasons(number, **options):
    """Results of several default seasons below one another, with the column `season`."""
    tables = [simulate_season(seed=seed, **options)[1] for seed in range(number)]
    return pd.concat(tables, keys=range(number), names=["season"]).reset_index(0)


@pytest.mark.parametrize("rules", [LeagueRules(), SHORT_STACKS, DEEP_STACKS])
@pytest.mark.parametrize(("n_players", "n_evenings"), SIZES)
def test_every_season_keeps_the_rules(n_players, n_evenings, rules):
    """Chips add up to the last one, come whole, and no one enters too often or loses more."""
    for seed, sigma in enumerate((0.0, 300.0, 2400.0, 9000.0)):
        _, results, _ = simulate_season(n_players, n_evenings, seed, sigma, rules=rules)
        assert (results[["entries", "chips_out", "result"]].dtypes == "int64").all()
        paid_in = rules.entry_chips * results["entries"]
        assert (results["result"] == results["chips_out"] - paid_in).all()
        assert (results.groupby("evening")["result"].sum() == 0).all()
        assert (results["chips_out"] % rules.smallest_chip == 0).all()
        assert (results["chips_out"] >= 0).all()
        assert results["entries"].between(1, rules.max_entries).all()
        assert (results["result"] >= -rules.entry_chips * rules.max_entries).all()


@pytest.mark.parametrize(("n_players", "n_evenings"), SIZES)
def test_every_season_is_a_season(n_players, n_evenings):
    """Names are distinct, nobody sits twice, the host is there, Fridays two to four weeks apart."""
    for seed in range(3):
        evenings, results, theta = simulate_season(n_players, n_evenings, seed)
        assert list(evenings) == ["evening", "date", "start", "host", "place", "note"]
        assert list(results) == ["evening", "player", "entries", "chips_out", "result", "note"]
        assert len(theta) == n_players and theta.index.is_unique and np.isfinite(theta).all()
        assert evenings["evening"].tolist() == list(range(1, n_evenings + 1))
        assert not results.duplicated(["evening", "player"]).any()
        assert set(results["player"]) <= {*theta.index, "Gast"}
        if n_evenings > 1:
            assert set(theta.index) <= set(results["player"])
        present = results.groupby("evening")["player"].agg(set)
        assert present.index.tolist() == evenings["evening"].tolist()
        assert all(host in there for host, there in zip(evenings["host"], present, strict=True))
        assert (evenings.groupby("host")["place"].nunique() == 1).all()
        assert (evenings["date"].dt.day_name() == "Friday").all()
        assert set(evenings["date"].diff().dropna().dt.days) <= {14, 21, 28}
        most = max(2, round(n_players * 10 / 14))
        assert results.groupby("evening").size().between(2, most + 1).all()  # 1 for a guest


def test_the_same_seed_gives_the_same_season_to_the_bit():
    """A seed, or a Generator of it, decides everything; another seed gives another season."""
    first = [*simulate_season(seed=5), *simulate_results(seed=5)]
    again = [*simulate_season(seed=5), *simulate_results(seed=np.random.default_rng(5))]
    other = [*simulate_season(seed=6), *simulate_results(seed=6)]
    for a, b, c in zip(first, again, other, strict=True):
        assert a.equals(b)
        assert not a.equals(c)


def test_plain_errors_have_covariance_m_sigma2_m():
    """Among equals at a full table, cov(y_s) = M(σ²I)M = σ²(I − 11ᵀ/n)."""
    n, evenings, sigma = 5, 40_000, 2400.0
    results, _ = simulate_results(n, evenings, seed=1, sigma=sigma, tau=0.0)
    y = results.pivot(index="evening", columns="player", values="result").to_numpy()
    M = np.eye(n) - 1 / n
    # The standard error of a sample covariance is at most σ²√(2/40,000) = 0.007σ²; four of them.
    np.testing.assert_allclose(np.cov(y, rowvar=False), sigma**2 * M, atol=0.028 * sigma**2)
    np.testing.assert_allclose(y.sum(axis=1), 0.0, atol=1e-9)


def test_plain_results_are_drawn_towards_true_ratings():
    """Over 20,000 evenings the fit finds θ − θ̄, and the fields are as asked for."""
    results, theta = simulate_results(14, 20_000, seed=2, fields=(6, 10))
    fitted = fit_ratings(results).theta
    # About 11,400 evenings each: a standard error of 2400/√11,400 = 22 chips; four and a half.
    np.testing.assert_allclose(fitted, theta - theta.mean(), atol=100)
    sizes = results.groupby("evening").size().value_counts(normalize=True)
    np.testing.assert_allclose(sizes[[6, 7, 8, 9, 10]], 0.2, atol=0.015)  # 5 standard errors
    shares = results["player"].value_counts(normalize=True)
    np.testing.assert_allclose(shares, 1 / 14, atol=0.002)


def test_true_ratings_scatter_by_tau():
    """θ ~ N(0, τ²) in both kinds of season."""
    plain = np.concatenate([simulate_results(60, 1, seed, tau=700.0)[1] for seed in range(20)])
    played = np.concatenate([simulate_season(60, 1, seed, tau=700.0)[2] for seed in range(20)])
    for theta in plain, played:  # 1,200 draws: standard errors of 2 and 3 % of τ; four each
        assert theta.std() == pytest.approx(700.0, rel=0.08)
        assert theta.mean() == pytest.approx(0.0, abs=0.12 * 700.0)


@pytest.mark.parametrize("sigma", [600.0, 2400.0, 4000.0])
def test_played_results_scatter_by_sigma(sigma):
    """Among equals the results' root mean square is σ√(1 − 1/n_s), give or take 6 %."""
    results = seasons(30, sigma=sigma, tau=0.0)
    n = results.groupby(["season", "evening"])["result"].transform("size")
    # 2,500 degrees of freedom: a standard error near 1.5 %; the rest is for those out of entries.
    ratio = results["result"] / (sigma * np.sqrt(1 - 1 / n))
    assert np.sqrt((ratio**2).mean()) == pytest.approx(1.0, abs=0.06)


def test_played_results_reward_skill():
    """Over 600 evenings the fit finds most of the differences in θ, and not more."""
    _, results, theta = simulate_season(14, 600, seed=3)
    guest = results["player"] == "Gast"
    results.loc[guest, "player"] += " " + results["evening"].astype(str)
    fitted = fit_ratings(results).theta[theta.index]
    slope, _ = np.polyfit(theta, fitted, 1)
    # Players out of entries are spared some of their losses; the standard error is about 0.03.
    assert 0.8 < slope < 1.1
    assert np.corrcoef(theta, fitted)[0, 1] > 0.97


def test_default_seasons_are_lifelike():
    """A third enter again, all floors occur, few win 8,000, one evening in eight has a guest."""
    results = seasons(70)
    assert 0.25 < (results["entries"] > 1).mean() < 0.40
    assert 0.02 < (results["entries"] == 3).mean() < 0.10
    for floor, least in (-2000, 0.02), (-4000, 0.004), (-6000, 0.002):
        assert (results["result"] == floor).mean() > least
    assert 0 < (results["result"] > 8000).mean() < 0.01
    assert results["result"].max() < 15_000
    by_evening = results.groupby(["season", "evening"])["player"]
    assert by_evening.size().between(6, 11).all()
    assert by_evening.agg(lambda names: "Gast" in set(names)).mean() == pytest.approx(
        0.125, abs=0.04
    )
    played = results[results["player"] != "Gast"].groupby(["season", "player"]).size()
    assert 1.5 < (played < 0.4 * 12).groupby("season").sum().mean() < 5.5  # not ranked


def test_returning_players_keep_names_and_ratings():
    """A second season takes over who returns, first and unchanged, and adds newcomers."""
    _, _, before = simulate_season(seed=1)
    stay = before.iloc[3:13]
    evenings, results, after = simulate_season(seed=2, first_date="2027-01-08", returning=stay)
    assert after.index[:10].tolist() == stay.index.tolist()
    assert (after.iloc[:10] == stay).all()
    assert after.index.is_unique and len(after) == 14
    assert set(results.loc[results["evening"] == 1, "player"]) >= set(stay.index)
    assert evenings["date"].iloc[0] == pd.Timestamp("2027-01-08")
    many = simulate_season(40, 1, seed=1)[2]  # most of the names without initials are taken
    assert simulate_season(60, 1, seed=2, returning=many)[2].index.nunique() == 60


def test_there_are_names_for_large_leagues():
    """Hundreds of players get distinct names; small leagues do without initials."""
    assert simulate_season(300, 1)[2].index.is_unique
    assert not simulate_season(50, 1)[2].index.str.contains(" ").any()


@pytest.mark.parametrize("simulate", [simulate_results, simulate_season])
@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ({"n_players": 1}, "n_players=1"),
        ({"n_evenings": 0}, "n_evenings=0"),
        ({"sigma": -1.0}, "sigma=-1.0"),
        ({"tau": float("nan")}, "tau=nan"),
    ],
)
def test_impossible_numbers_are_refused(simulate, numbers, told):
    """The message names the number that makes no season."""
    with pytest.raises(ValueError, match=told):
        simulate(**numbers)


def test_impossible_leagues_are_refused():
    """More players than names, too many returning, and entries in broken chips are errors."""
    with pytest.raises(ValueError, match="no names for 5000 players"):
        simulate_season(5000, 1)
    with pytest.raises(ValueError, match="5 players, 14 of them returning"):
        simulate_season(5, 1, returning=simulate_season()[2])
    with pytest.raises(ValueError, match="entry of 2000 in chips of 30"):
        simulate_season(rules=LeagueRules(smallest_chip=30))
