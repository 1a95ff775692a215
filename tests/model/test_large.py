"""Large tables against the dense way, on tables small enough for both."""

from functools import cache

import large
import numpy as np
import pandas as pd
import pytest

from liga_analysis.model.draws import chances
from liga_analysis.model.graph import play_graph
from liga_analysis.model.large import Lanczos, Laplacian, solve
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import estimate_variance
from liga_analysis.words import DataError

PLAYERS, EVENINGS = 420, 630
SMALL = 100  # in place of 3,000 players


def table(kind):
    """Random fields, a chain of clubs, islands, one hub, or groups that never met."""
    return large.table(kind, PLAYERS, EVENINGS)


@cache
def dense(kind):
    """Estimate and fit by the spectrum, all of them computed."""
    graph = play_graph(table(kind))
    fit = fit_ratings(graph)
    assert (fit.se_error == 0).all() and len(fit.theta) == len(fit.se)
    return estimate_variance(graph), fit


@pytest.fixture(params=large.KINDS)
def both(request, monkeypatch):
    """The dense way's answers, and the same table where it is too large for it."""
    answers = dense(request.param)
    monkeypatch.setattr("liga_analysis.model.graph.SIZE", SMALL)
    return *answers, play_graph(table(request.param))


def test_estimate_equals_the_dense_one(both):
    """λ̂ is off by no more than four of its stated errors, σ̂ accordingly; the error is small."""
    dense, _, graph = both
    found = estimate_variance(graph)
    assert (dense.method, found.method) == ("spectrum", "quadrature")
    sd = dense.posterior.sd_log_lam
    assert found.error <= 0.05
    assert abs(np.log(found.lam / dense.lam)) < 4 * found.error * sd + 1e-6
    assert found.sigma == pytest.approx(dense.sigma, rel=0.005)
    for name in ("sigma", "tau", "lam"):
        assert found.interval(name) == pytest.approx(dense.interval(name), rel=0.2 * sd)
        for p in (0.05, 0.5, 0.95):
            point = dense.posterior.quantile(name, p)
            assert found.posterior.quantile(name, p) == pytest.approx(point, rel=0.2 * sd)
    assert found.exact() is None and found.tau_zero_p() < 1e-6


def test_ratings_and_uncertainties_equal_the_dense_ones(both):
    """θ̂ to 1e-6 of σ; u to 1.2 % (rms), nobody further off than four of his own stated errors."""
    _, dense, graph = both
    fit = fit_ratings(graph)
    np.testing.assert_allclose(fit.theta, dense.theta, rtol=0, atol=1e-6 * 2400)
    off, error = fit.se / dense.se - 1, fit.se_error
    assert np.sqrt((off**2).mean()) < 0.012 and np.sqrt((error**2).mean()) <= 0.01
    assert (abs(off) <= 4 * error + 1e-5).all()


def test_lambda_by_player_and_weights(both):
    """Also with a λ by player and weights by evening."""
    _, fit, graph = both
    lam = pd.Series(np.linspace(2, 20, graph.n_players), graph.players)
    weights = pd.Series(np.linspace(0.5, 2, len(graph.evenings)), graph.evenings)
    found = fit_ratings(graph, lam, weights=weights)
    G = fit.graph.weighted(weights).G + np.diag(lam)
    h = fit.graph.weighted(weights).h
    np.testing.assert_allclose(found.theta, np.linalg.solve(G, h), rtol=0, atol=1e-6 * 2400)
    u = 2400 * np.sqrt(np.diag(np.linalg.inv(G)))
    assert (abs(found.se / u - 1) <= 4 * found.se_error + 1e-5).all()


def test_what_needs_all_pairs_is_refused(both):
    """Spectrum, covariance and joint chances: refused with the number of players."""
    *_, graph = both
    fit = fit_ratings(graph)
    for ask in (lambda: fit.cov, lambda: graph.spectrum, lambda: chances(fit)):
        with pytest.raises(DataError, match=str(graph.n_players)):
            ask()


def test_lanczos_reproduces_the_spectrum():
    """Run to its end, the quadrature from h has Σ z²/(d + λ) for every λ; G as map is G."""
    graph = play_graph(table("random"))
    G = Laplacian(graph.seats, graph.weight)
    v = np.random.default_rng(2).standard_normal((graph.n_players, 3))
    np.testing.assert_allclose(G(v), graph.G @ v, atol=1e-10)
    np.testing.assert_allclose(G.diagonal, np.diag(graph.G), rtol=1e-12)
    run = Lanczos(G, graph.h)
    run.extend(60)
    t, c = run.nodes(60)
    d, _, z = graph.spectrum
    for lam in (0.1, 6.0, 500.0):
        assert c @ (1 / (t + lam)) == pytest.approx((z**2 / (d + lam)).sum(), rel=1e-9)


def test_conjugate_gradients_end_by_the_residual():
    """Every column's residual is below the bound, that of a column of zeros too."""
    graph = play_graph(table("chain"))
    G, lam = graph.laplacian, np.full(graph.n_players, 0.01)
    B = np.column_stack([graph.h, 0 * graph.h, np.eye(graph.n_players)[0]])
    X = solve(G, lam, B, 1e-9)
    left = np.linalg.norm(G(X) + lam[:, None] * X - B, axis=0)
    assert (left <= 2e-9 * np.linalg.norm(B, axis=0)).all() and not X[:, 1].any()


def test_large_fields_are_summed_another_way(monkeypatch):
    """G by a sparse product, and without an evening by taking its part away, is G."""
    plain = play_graph(table("hub"))
    kept = plain.evenings != 7
    monkeypatch.setattr("liga_analysis.model.graph.MANY_PAIRS", 0)
    product = play_graph(table("hub"))
    np.testing.assert_array_equal(product.G, plain.G)
    left = product.at_evenings(kept)
    assert "G" in left.__dict__
    monkeypatch.undo()
    np.testing.assert_allclose(left.G, plain.at_evenings(kept).G, rtol=0, atol=1e-12)
