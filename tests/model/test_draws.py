"""Chances: every figure of the joint draws, by hand or by another route."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from samples import DATA, fields, inverse, joint_draws, random_season
from scipy.stats import multivariate_normal

from liga_analysis.model.draws import chances, podium_chance
from liga_analysis.model.ranking import qualified, season_fit
from liga_analysis.model.rating import fit_ratings
from liga_analysis.rules import LeagueRules
from liga_analysis.season.season import load_season
from liga_analysis.season.settings import Settings

pytestmark = pytest.mark.filterwarnings("error")

ROUNDING = 1e-9  # closed forms by two routes
SAMPLING = 4.5  # standard errors; one check in 150,000 would exceed it by chance


season = partial(random_season, n_players=9, n_evenings=8, least=3)


@pytest.mark.parametrize("results", [season(0), fields("AB", "BC", "XYZ")])
def test_draws_have_the_posterior_mean_and_covariance(results):
    """The draws are N(θ̂, σ²(G + λI)⁻¹): mean and every covariance within sampling error."""
    fit, n = fit_ratings(results), 40_000
    sample = joint_draws(fit, n, seed=3)
    cov = inverse(fit)
    u2 = np.diag(cov)
    assert list(sample.columns) == list(fit.theta.index) and len(sample) == n
    assert (abs(sample.mean() - fit.theta) < SAMPLING * np.sqrt(u2 / n)).all()
    # The variance of a sample covariance is (c_ii·c_jj + c_ij²)/n.
    assert (abs(sample.cov() - cov) < SAMPLING * np.sqrt((np.outer(u2, u2) + cov**2) / n)).all(
        axis=None
    )


def test_same_seed_same_bits():
    """The same seed gives the same output to the bit, whatever the order of the rows."""
    results = season(1)
    a, b = (fit_ratings(r) for r in (results, results.sample(frac=1, random_state=2)))
    ranked = np.arange(9) % 4 > 0
    pd.testing.assert_frame_equal(joint_draws(a, 1000), joint_draws(b, 1000), check_exact=True)
    pd.testing.assert_frame_equal(chances(a, ranked), chances(b, ranked), check_exact=True)
    assert not joint_draws(a, 1000).equals(joint_draws(a, 1000, seed=2))


def test_draws_do_not_depend_on_the_basis():
    """Another orthonormal basis of the same eigenspaces gives the same draws."""
    fit = fit_ratings(fields("ABCD", "ABCD", "ABCD"))
    before = joint_draws(fit, 100)
    other = fit_ratings(fields("ABCD", "ABCD", "ABCD"))
    d, V, z = other.graph.spectrum
    turn = np.eye(4)
    turn[1:, 1:] = np.linalg.qr(np.random.default_rng(0).standard_normal((3, 3)))[0]
    assert d[1] == pytest.approx(d[3])  # one eigenspace, hence any turn of it will do
    V[:], z[:] = V @ turn, turn.T @ z
    np.testing.assert_allclose(joint_draws(other, 100), before, rtol=ROUNDING)


@pytest.mark.parametrize("seed", range(3))
def test_chances_equal_independent_draws(seed):
    """Chances and ranks are those of draws by Cholesky, ranked by counting who is ahead."""
    fit, n = fit_ratings(season(seed)), 40_000
    ranked = fit.graph.n_evenings >= 4
    table = chances(fit, ranked, n)
    rng = np.random.default_rng(99)
    root = np.linalg.cholesky(inverse(fit))
    sample = fit.theta.to_numpy() + rng.standard_normal((n, len(fit.theta))) @ root.T
    sample = pd.DataFrame(sample, columns=fit.theta.index).loc[:, ranked]
    place = sample.rank(axis=1, ascending=False)[table.index]
    for column, p in (("p_first", (place == 1).mean()), ("p_podium", (place <= 3).mean())):
        error = np.sqrt(2 * p * (1 - p) / n) + 1 / n
        assert (abs(table[column] - p) < SAMPLING * error).all()
    assert (abs(table.rank_mean - place.mean()) < SAMPLING * place.std() * np.sqrt(2 / n)).all()
    for column, point in (("rank_low", 0.05), ("rank_high", 0.95)):
        # A rank is a point of that level if the shares below and up to it enclose the level.
        slack = SAMPLING * np.sqrt(point * (1 - point) / n)
        assert ((place < table[column]).mean() <= point + slack).all()
        assert ((place <= table[column]).mean() >= point - slack).all()


def test_chances_sum_to_the_places():
    """Someone is first, three are on the podium, ranks add up, and the table order is kept."""
    fit = fit_ratings(season(4))
    ranked = pd.Series(fit.graph.n_evenings >= 4, fit.theta.index)
    table = chances(fit, ranked.sort_index(ascending=False), draws=5000)
    k = int(ranked.sum())
    assert list(table.index) == list(fit.theta[ranked].sort_values(ascending=False).index)
    assert table.p_first.sum() == pytest.approx(1) and table.p_podium.sum() == pytest.approx(3)
    assert table.rank_mean.sum() == pytest.approx(k * (k + 1) / 2)
    assert table.rank_low.dtype == int and (table.rank_low <= table.rank_high).all()
    assert chances(fit, ranked, draws=500, podium=k).p_podium.eq(1).all()


def test_joint_intervals_hold_together():
    """All joint intervals at once hold in at least 90 % of fresh draws, and are no needless wider.

    The intervals of 5 to 95 % one by one hold together far less often.
    """
    fit, n = fit_ratings(season(2)), 20_000
    table = chances(fit)
    place = joint_draws(fit, n, seed=7)[table.index].rank(axis=1, ascending=False)

    def share(low, high):
        return ((table[low] <= place) & (place <= table[high])).all(axis=1).mean()

    assert 0.9 - SAMPLING * np.sqrt(0.09 / n) < share("joint_low", "joint_high") < 0.95
    assert share("rank_low", "rank_high") < 0.85
    assert (table.joint_low <= table.rank_low).all() and (table.joint_high >= table.rank_high).all()


def test_chances_in_pieces_are_the_same(monkeypatch):
    """However few draws are made at a time, the chances are the same to the bit."""
    fit = fit_ratings(season(3))
    whole, together = chances(fit, draws=3000), podium_chance(fit, draws=3000)
    monkeypatch.setattr("liga_analysis.model.draws.PIECE", 9 * 700)
    pd.testing.assert_frame_equal(chances(fit, draws=3000), whole, check_exact=True)
    assert podium_chance(fit, draws=3000) == together


def test_podium_chance_equals_a_count_of_draws():
    """The three first of the table are the three best of a draw, in their order and in any."""
    fit = fit_ratings(season(4))
    ranked = list(fit.theta.index[fit.graph.n_evenings >= 4])
    first = list(chances(fit, ranked, draws=1).index[:3])
    best = np.argsort(-joint_draws(fit, 40_000)[ranked].to_numpy(), axis=1)[:, :3]
    best = np.array(ranked)[best]
    found = podium_chance(fit, ranked)
    assert found.order == (best == first).all(axis=1).mean()
    assert found.together == (np.sort(best) == sorted(first)).all(axis=1).mean()


def test_podium_of_equal_players():
    """Equal ones may stand in any order; nobody in der Wertung has no chance of anything."""
    fit = fit_ratings(fields("DCBA").assign(result=0))
    assert podium_chance(fit, podium=1) == (1, 1)  # four share the one step
    assert np.isnan(podium_chance(fit, [])).all()


def test_a_season_brings_its_own_ranking_and_podium():
    """Chances of a season are those of its fit and der Wertung; its podium comes along."""
    whole = load_season(DATA / "season_a.csv")
    whole = replace(whole, settings=Settings("", rules=LeagueRules(podium=2)))
    table = chances(whole, draws=500)
    same = chances(season_fit(whole), qualified(whole), draws=500)
    pd.testing.assert_frame_equal(table, same, check_exact=True)
    assert table["p_podium"].sum() == pytest.approx(2)
    with pytest.raises(ValueError, match="a Season says itself"):
        chances(whole, list(table.index))


@pytest.mark.parametrize(
    ("ranked", "message"),
    [
        ("P01", "not the name 'P01'"),
        (["P01", "Helene"], "ranked names Helene, who is no player"),
        (["P01", "P02", "P01"], "ranked names P01 twice"),
        (np.ones(8, bool), "a mask of 8 for 9 players"),
        (pd.Series(True, [f"P{i:02d}" for i in range(8)]), "of each player of the table"),
        (np.ones(9, int), "names 1 twice"),
    ],
)
def test_who_is_ranked_is_checked(ranked, message):
    """A name, an unknown or double one, a mask of another length: refused, never guessed."""
    with pytest.raises(ValueError, match=message):
        chances(fit_ratings(season(1)), ranked)


def test_who_is_ranked_may_be_said_in_any_way():
    """Names in any order, a mask and a Series say the same; nothing given is everybody."""
    fit = fit_ratings(season(1))
    mask = pd.Series(fit.theta > 0, fit.theta.index)
    names = chances(fit, list(fit.theta[mask].index[::-1]), draws=100)
    for same in (mask, mask.to_numpy(), list(mask), mask.iloc[::-1]):
        pd.testing.assert_frame_equal(chances(fit, same, draws=100), names)
    assert len(chances(fit, draws=100)) == 9


def test_chances_of_equal_players_in_order_of_name():
    """With all results 0 the order is that of the names, and the chances are equal."""
    table = chances(fit_ratings(fields("DCBA").assign(result=0)), np.ones(4, bool))
    assert list(table.index) == list("ABCD")
    assert (abs(table.p_first - 0.25) < SAMPLING * np.sqrt(0.25 * 0.75 / 40_000)).all()


def test_chances_of_nobody_and_of_one():
    """Nobody in der Wertung: an empty table; alone: first for certain."""
    fit = fit_ratings(season(5))
    assert chances(fit, fit.theta < -np.inf, draws=100).empty
    alone = chances(fit, fit.theta == fit.theta.min(), draws=100).iloc[0]
    assert alone.tolist() == [1] * 7


def test_chance_of_place_one_of_three_in_closed_form():
    """Among three, P(first) is a bivariate normal probability of the two differences."""
    fit = fit_ratings(season(6))
    ranked = fit.theta.index.isin(["P01", "P04", "P07"])
    table, cov = chances(fit, ranked), pd.DataFrame(inverse(fit), fit.theta.index, fit.theta.index)
    for player in table.index:
        others = table.index.drop(player)
        A = pd.DataFrame(0.0, others, cov.index)
        A[player] = 1.0
        for other in others:
            A.loc[other, other] = -1.0
        p = multivariate_normal(cov=A @ cov @ A.T).cdf(A @ fit.theta)
        assert abs(table.p_first[player] - p) < SAMPLING * np.sqrt(p * (1 - p) / 40_000)
