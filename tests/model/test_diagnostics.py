"""Diagnostics against dense formulas, single estimates and simulated seasons."""

import numpy as np
import pandas as pd
import pytest
from samples import DATA
from scipy.special import ndtri
from scipy.stats import binom, chi2, norm

from liga_analysis.model import diagnostics
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.model.variance import estimate_variance, recommendation
from liga_analysis.season.season import load_season
from liga_analysis.words import DataError

EXACT = 1e-9  # two routes to one number, in floating point
TABLE = "evening,date,player,result\n"


@pytest.fixture(scope="module")
def season():
    return load_season(DATA / "season_a.csv")


@pytest.fixture(scope="module")
def fit(season):
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
    table = diagnostics.residuals(fit)
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
        table = diagnostics.residuals(fit_ratings(results, lam=4.0, sigma=2400.0))
        squares.append((table["studentised"] ** 2).mean())
    # Four standard errors of the mean of 200 seasons.
    assert np.mean(squares) == pytest.approx(1, abs=4 * np.std(squares) / np.sqrt(200))


def test_normal_quantiles_keep_the_order(fit):
    """The k-th smallest of n residuals stands beside Φ⁻¹((k − ½)/n)."""
    table = diagnostics.residuals(fit).sort_values("studentised")
    n = len(table)
    np.testing.assert_allclose(table["normal"], ndtri((np.arange(n) + 0.5) / n), rtol=EXACT)


def test_a_lone_player_has_no_residual(season_file):
    """Whoever was alone is left out, and his evening has no spread."""
    rows = ["1,2026-01-01,A,100", "1,2026-01-01,B,-100", "2,2026-01-08,A,0"]
    fit = fit_ratings(season_file(TABLE + "\n".join(rows)).results)
    assert list(diagnostics.residuals(fit)["evening"]) == [1, 1]
    spread = diagnostics.spread_by_evening(fit)
    assert list(spread["field_size"]) == [2, 1]
    assert spread.loc[2, ["spread", "low", "high"]].isna().all()


def test_spread_is_held_against_its_own_expectation(fit):
    """√(Σr²/Σ(M − H)_ii) of each evening, and the 90 % range of σ√(χ²/(n − 1))."""
    M, H = dense(fit)
    table = diagnostics.spread_by_evening(fit)
    for k, evening in enumerate(fit.graph.evenings):
        mine = fit.graph.evening == k
        residual, share = ((M - H) @ fit.graph.y)[mine], np.diag(M - H)[mine]
        assert table.loc[evening, "field_size"] == mine.sum()
        expected = np.sqrt((residual**2).sum() / share.sum())
        assert table.loc[evening, "spread"] == pytest.approx(expected, rel=EXACT)
        df = mine.sum() - 1
        ends = fit.sigma * np.sqrt(chi2.ppf([0.05, 0.95], df) / df)
        assert table.loc[evening, ["low", "high"]].to_list() == pytest.approx(ends, rel=EXACT)


def test_far_residuals_are_counted_by_side():
    """Beyond ±2 above and below, the normal share, and the binomial range of the count."""
    values = [2.1, 3.0, -2.5, 2.0, *[0.0] * 96]
    far = diagnostics.far_residuals(pd.DataFrame({"studentised": values}))
    p = 2 * norm.cdf(-2)
    assert (far["above"], far["below"], far["count"], far["total"]) == (2, 1, 3, 100)
    assert far["share"] == 0.03
    assert far["normal_share"] == pytest.approx(p, rel=EXACT)
    assert [far["low"], far["high"]] == list(binom.ppf([0.05, 0.95], 100, p))
    assert far["side_p"] == pytest.approx(binom.cdf(1, 3, 0.5), rel=EXACT)


def test_each_evening_says_what_a_season_up_to_it_says(season):
    """A row of the course is the estimate of that season; nothing where there is none."""
    table = diagnostics.estimates_by_evening(season)
    assert list(table.index) == season.held
    assert table.loc[:2].isna().all(axis=None)  # before the third evening there is no cycle
    for evening in season.held[2:]:
        expect(table.loc[evening], season.through(evening).results, season)


def test_each_evening_is_left_out_whole(season):
    """A row is the estimate of the season without that evening."""
    table = diagnostics.estimates_without(season)
    assert list(table.index) == season.held
    for evening in season.held:
        expect(table.loc[evening], season.results.query("evening != @evening"), season)


def expect(row, results, season):
    estimate = estimate_variance(results)
    for name in ("sigma", "tau", "lam"):
        assert row[name] == getattr(estimate, name)
        for point, p in (("low", 0.05), ("median", 0.5), ("high", 0.95)):
            assert row[f"{name}_{point}"] == estimate.posterior.quantile(name, p)
    force = season.parameters
    assert row["action"] == recommendation(estimate, force.lam, force.sigma).action


def test_curves_are_densities_and_a_likelihood(season):
    """Prior and posterior hold nearly all their probability; the likelihood peaks at λ̂ with 1."""
    estimate = estimate_variance(season.results)
    curves = diagnostics.lambda_curves(season)
    x = np.log(curves["lam"])
    for name in ("prior", "posterior"):
        held = np.trapezoid(curves[name], x)
        assert 0.98 < held < 1.001  # ± 2.5 spreads hold 98.8 %
    assert curves["likelihood"].max() == pytest.approx(1, abs=1e-3)  # the grid may miss the peak
    peak = curves["lam"][curves["likelihood"].idxmax()]
    assert peak == pytest.approx(estimate.lam, rel=0.03)  # one step of the grid


def test_the_central_fit_takes_the_posterior_medians(season):
    """λ and σ of the fit by which errors are judged."""
    posterior = estimate_variance(season.results).posterior
    fit = diagnostics.central_fit(season)
    assert (fit.lam, fit.sigma) == tuple(posterior.quantile(n, 0.5) for n in ("lam", "sigma"))


def test_reliability_of_a_full_field_is_the_rule_of_thumb(season_file):
    """If everybody is at all S evenings, each rating's reliability is S/(S + λ)."""
    table = diagnostics.reliabilities(season_file(TABLE + "\n".join(rows_of(4, 4))), lam=6.0)
    assert table["reliability"].to_list() == pytest.approx([0.4] * 4, rel=EXACT)
    assert list(table.index) == ["P0", "P1", "P2", "P3"]
    assert list(table["evenings"]) == [4] * 4


def rows_of(evenings, players):
    return [
        f"{e},2026-01-{e:02},P{k},{100 * (-1) ** (e + k)}"
        for e in range(1, evenings + 1)
        for k in range(players)
    ]


def test_guests_have_no_reliability_of_their_own(season_file):
    """A placeholder stays in the fit and off the list."""
    rows = [*rows_of(3, 4), "1,2026-01-01,Gast,0"]
    table = diagnostics.reliabilities(season_file(TABLE + "\n".join(rows)), lam=6.0)
    assert set(table.index) == {"P0", "P1", "P2", "P3"}


@pytest.mark.parametrize(("lam", "evenings"), [(6.0, 7), (5.5, 6), (0.4, 1)])
def test_reliable_from_the_first_whole_evening_above_lambda(lam, evenings):
    """n/(n + λ) > ½ from n = evenings on, and not one before."""
    assert diagnostics.reliable_evenings(lam) == evenings
    assert evenings / (evenings + lam) > 0.5 >= (evenings - 1) / (evenings - 1 + lam)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (rows_of(1, 4), "Erst wenn dieselben Spieler"),
        ([f"{e},2026-01-0{e},{p},0" for e in (1, 2) for p in "AB"], "Alle Ergebnisse sind 0"),
        (
            [f"{e},2026-01-0{e},{p},{r}" for e in (1, 2) for p, r in (("A", 70), ("B", -70))],
            "erklären jedes Ergebnis",
        ),
    ],
)
def test_no_estimate_has_a_reason(season_file, rows, reason):
    """What cannot be estimated is refused in the reader's words."""
    with pytest.raises(DataError, match=reason):
        diagnostics.season_estimate(season_file(TABLE + "\n".join(rows)))
