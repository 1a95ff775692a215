"""Seasons linked: the reference, a brute-force BLUP, and what must change nothing."""

import json

import numpy as np
import pandas as pd
import pytest
from samples import DATA, random_season

from liga_analysis.model.chain import RHOS, link
from liga_analysis.model.graph import play_graph
from liga_analysis.model.likelihood import CannotEstimate
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import estimate_variance

LEAGUE = json.loads((DATA / "league_a.json").read_text("utf-8"))
TABLES = [pd.read_csv(DATA / "league_a" / f"{t}.csv") for t in (1, 2, 3)]
GRAPHS = [play_graph(table) for table in TABLES]
_SIGMA = [estimate_variance(graph).posterior.quantile("sigma", 0.5) for graph in GRAPHS]
FACTORS = [_SIGMA[-1] / sigma for sigma in _SIGMA]


@pytest.fixture(scope="module")
def league():
    return link(GRAPHS, FACTORS)


def blup(tables, rho, lam):
    """θ̂ and Cov/σ² of all nodes by K Xᵀ(XKXᵀ + λI)⁻¹y on the balanced rows, and the nodes."""
    graphs = [play_graph(table) for table in tables]
    nodes = [(t, player) for t, graph in enumerate(graphs) for player in graph.players]
    X = np.zeros((sum(len(graph.y) for graph in graphs), len(nodes)))
    row = column = 0
    for graph in graphs:
        X[row : row + len(graph.y), column : column + graph.n_players] = graph.design
        row, column = row + len(graph.y), column + graph.n_players
    K = np.array([[rho ** abs(t - u) if a == b else 0.0 for u, b in nodes] for t, a in nodes])
    gain = K @ X.T @ np.linalg.inv(X @ K @ X.T + lam * np.eye(len(X)))
    y = np.concatenate([graph.y for graph in graphs])
    return nodes, gain @ y, (K - gain @ X @ K) / lam


def test_the_reference_is_met(league):
    """Scale, points of λ, ρ by value, ratings averaged and at ρ = 0.8, λ = 6."""
    for p, expected in LEAGUE["lam"].items():
        assert league.posterior.quantile("lam", float(p)) == pytest.approx(expected, rel=0.02)
    assert league.rho.to_numpy() == pytest.approx(list(LEAGUE["rho"].values()), abs=1e-5)
    assert league.rho_mean == pytest.approx(LEAGUE["rho_mean"], rel=1e-5)
    ratings = pd.DataFrame(LEAGUE["ratings"], index=["theta", "se"])[league.players]
    close = 0.01 * LEAGUE["sigma_own_median"]
    assert league.theta.to_numpy() == pytest.approx(ratings.loc["theta"], abs=close)
    assert league.se.to_numpy() == pytest.approx(ratings.loc["se"], abs=close)
    fixed = link(GRAPHS, FACTORS, lam=6, rho=0.8).theta
    expected = pd.Series(LEAGUE["rho08_lam6"])[league.players]
    assert fixed.to_numpy() == pytest.approx(expected.to_numpy(), abs=1e-5)
    assert pytest.approx(LEAGUE["factors"], abs=1e-6) == FACTORS
    sizes = league.n_evenings, league.nu, len(league.players)
    assert sizes == (sum(len(graph.evenings) for graph in GRAPHS), LEAGUE["nu"], 13)


@pytest.mark.parametrize("rho", [0.3, 0.9])
def test_the_spectrum_is_a_blup(rho):
    """θ̂ and its covariance, and R and log det, are those of dense matrices over all rows."""
    nodes, theta, cov = blup(TABLES, rho, 4.0)
    last = [k for k, (t, _) in enumerate(nodes) if t == 2]
    found = link(GRAPHS, lam=4.0, rho=rho)
    assert found.theta.to_numpy() == pytest.approx(theta[last], abs=1e-6)
    R = found.posterior.R.item()
    expected = cov[np.ix_(last, last)] * R / (found.nu - 2)
    assert found.cov.to_numpy() == pytest.approx(expected, rel=1e-8)
    q = sum(graph.q for graph in GRAPHS)
    h = np.concatenate([graph.h for graph in GRAPHS])
    assert q - h @ theta == pytest.approx(R, rel=1e-9)


def test_without_a_link_each_season_is_by_itself():
    """ρ = 0 is the season alone, and so is T = 1."""
    alone = fit_ratings(GRAPHS[-1], lam=5.0).theta
    for found in (link(GRAPHS, lam=5.0, rho=0.0), link(GRAPHS[-1:], lam=5.0)):
        assert found.theta.to_numpy() == pytest.approx(alone.to_numpy(), abs=1e-8)


def test_one_season_is_averaged_over_its_posterior():
    """Mean and variance of θ are those of the joint density of λ and σ on a plain grid."""
    graph = GRAPHS[-1]
    lam, sigma = np.exp(np.linspace(-3, 7, 250))[:, None], np.exp(np.linspace(7, 9, 250))
    fits = [fit_ratings(graph, x, 1.0) for x in lam[:, 0]]
    theta, unit = (np.array([getattr(fit, name) for fit in fits]) for name in ("theta", "se"))
    log_det = np.array([np.log1p(graph.spectrum.d / x).sum() for x in lam[:, 0]])[:, None]
    R = graph.q - (theta @ graph.h)[:, None]
    log_p = -(np.log(lam / 6) ** 2 + log_det + 2 * graph.nu * np.log(sigma) + R / sigma**2) / 2
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    mean = p.sum(1) @ theta
    variance = (p @ sigma**2) @ unit**2 + p.sum(1) @ (theta - mean) ** 2
    found = link([graph])
    assert found.theta.to_numpy() == pytest.approx(mean, rel=1e-3, abs=1)
    assert found.se.to_numpy() == pytest.approx(np.sqrt(variance), rel=1e-3)


def test_a_perfect_link_makes_one_season():
    """ρ = 1 is all evenings as one season, and ρ → 1 goes there."""
    together = pd.concat(
        table.assign(evening=table["evening"] + 100 * t) for t, table in enumerate(TABLES)
    )
    pooled = fit_ratings(together, lam=5.0).theta[GRAPHS[-1].players].to_numpy()
    assert link(GRAPHS, lam=5.0, rho=1.0).theta.to_numpy() == pytest.approx(pooled, abs=1e-6)
    assert link(GRAPHS, lam=5.0, rho=1 - 1e-9).theta.to_numpy() == pytest.approx(pooled, abs=1e-3)


def test_the_unit_of_chips_is_nothing(league):
    """In other chips ratings scale, λ and ρ stay; a factor is such a unit."""
    small = [play_graph(table.assign(result=table["result"] / 1000)) for table in TABLES]
    found = link(small, FACTORS)
    assert 1000 * found.theta.to_numpy() == pytest.approx(league.theta.to_numpy(), rel=1e-6)
    assert found.posterior.quantile("lam", 0.3) == pytest.approx(
        league.posterior.quantile("lam", 0.3), rel=1e-9
    )
    scaled = [small[0], *GRAPHS[1:]]
    factors = [1000 * FACTORS[0], *FACTORS[1:]]
    assert link(scaled, factors).rho.to_numpy() == pytest.approx(league.rho.to_numpy(), rel=1e-9)


def test_a_player_who_met_nobody_changes_nothing(league):
    """Somebody alone at an evening of an earlier season is no evidence."""
    alone = pd.DataFrame({"evening": [99], "player": ["Zoe"], "result": [0.0]})
    graphs = [play_graph(pd.concat([TABLES[0], alone])), *GRAPHS[1:]]
    found = link(graphs, FACTORS)
    assert found.theta.to_numpy() == pytest.approx(league.theta.to_numpy(), abs=1e-6)
    assert found.rho.to_numpy() == pytest.approx(league.rho.to_numpy(), rel=1e-9)


def test_the_posterior_is_that_of_brute_force():
    """P(λ, ρ | y) on a grid of its own, from dense determinants, has the same quantiles."""
    tables = [random_season(seed, 6, 6, 4) for seed in (1, 2)]
    graphs = [play_graph(table) for table in tables]
    G = np.zeros((12, 12))
    G[:6, :6], G[6:, 6:] = graphs[0].G, graphs[1].G
    h, q = np.concatenate([graph.h for graph in graphs]), sum(graph.q for graph in graphs)
    nu, x = sum(graph.nu for graph in graphs), np.linspace(-5, 8, 700)
    log_p = np.empty((len(RHOS), len(x)))
    for k, rho in enumerate(RHOS):
        inverse = np.linalg.inv(np.kron([[1, rho], [rho, 1]], np.eye(6)))
        for i, lam in enumerate(np.exp(x)):
            A = G + lam * inverse
            R = q - h @ np.linalg.solve(A, h)
            det = np.linalg.slogdet(A)[1] - np.linalg.slogdet(lam * inverse)[1]
            log_p[k, i] = -((x[i] - np.log(6)) ** 2) / 2 - det / 2 - nu / 2 * np.log(R)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    found = link(graphs)
    assert found.rho.to_numpy() == pytest.approx(p.sum(1), abs=1e-4)
    for level in (0.05, 0.5, 0.95):
        expected = np.exp(np.interp(level, p.sum(0).cumsum(), x))
        assert found.posterior.quantile("lam", level) == pytest.approx(expected, rel=0.01)


def test_draws_have_the_moments(league):
    """40,000 draws have mean, spread and correlation of θ̂; a seed fixes them."""
    draws = np.vstack(list(league.pieces(40_000, 1)))
    assert draws.shape == (40_000, 13)
    error = league.se.to_numpy() / 200
    assert (abs(draws.mean(0) - league.theta.to_numpy()) < 4 * error).all()
    assert draws.std(0) == pytest.approx(league.se.to_numpy(), rel=0.02)
    scale = np.outer(league.se, league.se)
    assert np.cov(draws.T) / scale == pytest.approx(league.cov.to_numpy() / scale, abs=0.03)
    again = np.vstack(list(league.pieces(40_000, 1)))
    assert (draws == again).all()


def test_refusals():
    """Wrong λ and ρ, and seasons that cannot tell skill from luck."""
    for wrong in ({"lam": 0}, {"lam": np.inf}, {"rho": -0.1}, {"rho": 1.1}):
        with pytest.raises(ValueError, match=r"lam must|rho must"):
            link(GRAPHS, **wrong)
    one = play_graph(TABLES[0][TABLES[0]["evening"] == 1])
    with pytest.raises(CannotEstimate, match="met again"):
        link([one, one])
