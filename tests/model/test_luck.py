"""What ratings leave unexplained, against dense formulas, closed forms and simulated seasons."""

import numpy as np
import pandas as pd
import pytest
from samples import DATA, random_season
from scipy.special import ndtri
from scipy.stats import chi2, kstest, kurtosis, norm

from liga_analysis.model import luck
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.season.season import load_season

EXACT = 1e-9  # two routes to one number, in floating point
TABLE = "evening,date,player,result\n"


@pytest.fixture(scope="module")
def fit():
    season = load_season(DATA / "season_a.csv")
    return fit_ratings(season.results, lam=4.0, sigma=2100.0)


def dense(fit):
    """Results, residual maker and share of each variance by matrices: no spectrum, no graph."""
    results = fit.graph
    n, p = len(results.y), results.n_players
    seat, evening = np.zeros((n, p)), np.zeros((n, len(results.evenings)))
    seat[np.arange(n), results.player] = 1
    evening[np.arange(n), results.evening] = 1
    M = np.eye(n) - evening @ np.diag(1 / evening.sum(0)) @ evening.T
    X = M @ seat
    H = X @ np.linalg.solve(X.T @ X + fit.lam * np.eye(p), X.T)
    return M, H


def test_residuals_are_studentised_by_their_own_variance(fit):
    """They are (M − H)y, each over σ√(M − H)_ii, by dense matrices."""
    M, H = dense(fit)
    table = luck.residuals(fit)
    residual = (M - H) @ fit.graph.y
    np.testing.assert_allclose(table["residual"], residual, rtol=EXACT, atol=EXACT * fit.sigma)
    expected = residual / (fit.sigma * np.sqrt(np.diag(M - H)))
    np.testing.assert_allclose(table["studentised"], expected, rtol=EXACT, atol=EXACT)


def test_residuals_have_unit_variance_under_the_model():
    """Over simulated seasons with the true λ and σ, the studentised residuals' variance is 1."""
    squares = []
    for seed in range(200):
        rng = np.random.default_rng(seed)
        results, _ = simulate_results(10, 5, rng, 2400.0, 1200.0, (5, 8))
        table = luck.residuals(fit_ratings(results, lam=4.0, sigma=2400.0))
        squares.append((table["studentised"] ** 2).mean())
    # Four standard errors of the mean of 200 seasons.
    assert np.mean(squares) == pytest.approx(1, abs=4 * np.std(squares) / np.sqrt(200))


def test_normal_quantiles_keep_the_order(fit):
    """The k-th smallest of n residuals stands beside Φ⁻¹((k − ½)/n)."""
    table = luck.residuals(fit).sort_values("studentised")
    n = len(table)
    np.testing.assert_allclose(table["normal"], ndtri((np.arange(n) + 0.5) / n), rtol=EXACT)


def test_a_lone_player_has_no_residual(season_file):
    """Whoever was alone is left out, and his evening has no spread."""
    rows = ["1,2026-01-01,A,100", "1,2026-01-01,B,-100", "2,2026-01-08,A,0"]
    fit = fit_ratings(season_file(TABLE + "\n".join(rows)).results)
    assert list(luck.residuals(fit)["evening"]) == [1, 1]
    spread = luck.spread_by_evening(fit)
    assert list(spread["field_size"]) == [2, 1]
    assert spread.loc[2, ["spread", "low", "high"]].isna().all()


def test_spread_is_held_against_its_own_expectation(fit):
    """√(Σr²/Σ(M − H)_ii) of each evening, and the 90 % range of σ√(χ²/(n − 1))."""
    M, H = dense(fit)
    table = luck.spread_by_evening(fit)
    for k, evening in enumerate(fit.graph.evenings):
        mine = fit.graph.evening == k
        residual, share = ((M - H) @ fit.graph.y)[mine], np.diag(M - H)[mine]
        assert table.loc[evening, "field_size"] == mine.sum()
        expected = np.sqrt((residual**2).sum() / share.sum())
        assert table.loc[evening, "spread"] == pytest.approx(expected, rel=EXACT)
        df = mine.sum() - 1
        ends = fit.sigma * np.sqrt(chi2.ppf([0.05, 0.95], df) / df)
        assert table.loc[evening, ["low", "high"]].to_list() == pytest.approx(ends, rel=EXACT)


def test_kurtosis_is_that_of_the_studentised_residuals(fit):
    """(Σr⁴/n)/(Σr²/n)² is scipy's kurtosis of the same numbers about 0."""
    r = luck.residuals(fit)["studentised"].to_numpy()
    both = np.concatenate([r, -r])  # about 0, not about the mean
    assert luck.kurtosis(fit, 10).value == pytest.approx(kurtosis(both, fisher=False), rel=EXACT)


def test_simulated_seasons_have_the_spread_of_the_model():
    """Results of the null have covariance M(σ²W⁻¹ + τ²11ᵀ)M, the evenings' sums being 0."""
    weights = pd.Series([1.0, 1, 0.25, 4], range(1, 5))
    fit = fit_ratings(random_season(1, 4, 4, 2), lam=3.0, sigma=2000, weights=weights)
    graph = fit.graph
    y = np.hstack([*luck.simulated(fit, 40_000, np.random.default_rng(1))])
    M, _ = dense(fit)
    same = graph.player[:, None] == graph.player
    noise = np.diag(2000**2 / graph.weight[graph.evening])
    expected = M @ (noise + fit.tau**2 * same) @ M
    error = np.sqrt((np.outer(*[np.diag(expected)] * 2) + expected**2) / 40_000)
    assert (abs(np.cov(y) - expected) < 4.5 * error + 1e-6).all()


@pytest.mark.parametrize("test", ["kurtosis", "player_spread", "attendance_slope"])
def test_the_tests_keep_their_size(test):
    """In seasons of the model itself the p-values are uniform (Kolmogorov–Smirnov, p > 0.1 %)."""
    p = []
    for seed in range(150):
        results, _ = simulate_results(10, 6, seed, sigma=2400, tau=2400 / 6**0.5)
        fit = fit_ratings(results)
        p.append(getattr(luck, test)(fit, *([] if "slope" in test else [200, 1000 + seed])).p)
    assert kstest(p, "uniform").pvalue > 0.001


def test_kurtosis_finds_heavy_tails_and_spread_finds_wild_players():
    """One player who is five times as wild as all others does not pass either test."""
    results, _ = simulate_results(10, 12, 1, tau=0)
    rng = np.random.default_rng(3)
    wild = results.assign(result=rng.normal(0, 1000, len(results)))
    wild.loc[wild["player"] == 2, "result"] *= 5
    found = luck.player_spread(fit_ratings(wild))
    assert found.p < 0.02 and found.players.index[0] == 2 and found.players["spread"].iloc[0] > 1.5
    assert luck.kurtosis(fit_ratings(wild)).p < 0.01


def test_attendance_slope_by_hand(fit):
    """The least-squares slope of θ̂ on log evenings, with the variance of ratings under the model.

    Cov(θ̂) = σ²(G + λI)⁻¹(G + G²/λ)(G + λI)⁻¹ by the spread of θ and of luck.
    """
    graph, lam = fit.graph, fit.lam
    x = np.log(graph.n_evenings)
    found = luck.attendance_slope(fit)
    assert found.value == pytest.approx(np.polyfit(x, fit.theta, 1)[0], rel=1e-8)
    inverse, c = np.linalg.inv(graph.G + lam * np.eye(len(x))), x - x.mean()
    cov = fit.sigma**2 * inverse @ (graph.G + graph.G @ graph.G / lam) @ inverse
    assert found.sd == pytest.approx(np.sqrt(c @ cov @ c) / (c @ c), rel=1e-8)
    assert found.p == pytest.approx(norm.sf(found.value / found.sd), rel=1e-8)


def test_nothing_to_tell():
    """All results 0, everybody always there, nobody often enough: no p at all."""
    even = fit_ratings(random_season(1, 5, 3, 5))
    assert np.isnan(luck.attendance_slope(even).p)
    assert np.isnan(luck.player_spread(even).p) and luck.player_spread(even).players.empty
    zero = random_season(1, 5, 3, 5).assign(result=0.0)
    assert np.isnan(luck.kurtosis(fit_ratings(zero)).p)
