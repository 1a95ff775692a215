"""Drift of skill: the covariance entry by entry, REML where nothing walks, and simulated walks."""

import numpy as np
import pandas as pd
import pytest
from samples import random_season

from liga_analysis.model.graph import play_graph
from liga_analysis.model.likelihood import CannotEstimate
from liga_analysis.model.variance import estimate_variance
from liga_analysis.research.calibration import checkable
from liga_analysis.research.drift import covariances, deviance, estimate_drift, season_drift
from liga_analysis.season.season import load_season

EXACT = 1e-9  # closed forms
ERRORS = 4  # standard errors allowed: one honest run in 16,000 is further out
EXAMPLE = "data/beispielliga/2026"


def walked(seed, tau, omega, players=10, evenings=20, field=7, sigma=1000.0):
    """Results of players whose ratings walk from evening to evening."""
    rng = np.random.default_rng(seed)
    steps = omega * rng.standard_normal((evenings, players))
    steps[0] = tau * rng.standard_normal(players)
    theta, rows = steps.cumsum(0), []
    for s in range(evenings):
        seats = rng.choice(players, field, replace=False)
        y = theta[s, seats] + sigma * rng.standard_normal(field)
        rows += [(s, i, r) for i, r in zip(seats, y - y.mean(), strict=True)]
    return play_graph(pd.DataFrame(rows, columns=["evening", "player", "result"]))


@pytest.mark.parametrize("seed", range(5))
def test_without_drift_it_is_the_reml_of_variance(seed):
    """At ω = 0 the criterion is that of `variance`, the constant included, at every λ."""
    graph = play_graph(random_season(seed, 9, 8, 3))
    A, _, y = covariances(graph, np.arange(8.0))
    d, V = np.linalg.eigh(A)
    lam = np.geomspace(0.01, 1e4, 30)
    off, square = deviance(d.clip(0), (V.T @ y[:, None]) ** 2, 1 / lam)
    estimate = estimate_variance(graph)
    np.testing.assert_allclose(-off[:, 0] / 2, estimate.profile(lam)["log_likelihood"], rtol=EXACT)
    off, square = deviance(d.clip(0), (V.T @ y[:, None]) ** 2, np.array([1 / estimate.lam]))
    assert np.sqrt(square[0, 0]) == pytest.approx(estimate.sigma, rel=EXACT)


def test_covariance_entry_by_entry():
    """Three players, three evenings at uneven times: Cov y = M(σ²I + τ²same + ω²min(t,t'))M."""
    rows = [
        (1, 1, 5.0),
        (1, 2, -5.0),
        (2, 1, 1.0),
        (2, 2, 2.0),
        (2, 3, -3.0),
        (5, 3, 4),
        (5, 1, -4),
    ]
    graph = play_graph(pd.DataFrame(rows, columns=["evening", "player", "result"]))
    sigma2, tau2, omega2, time, field = 7.0, 3.0, 2.0, {1: 0.0, 2: 1.0, 5: 4.0}, {1: 2, 2: 3, 5: 2}
    seats = sorted((evening, player) for evening, player, _ in rows)

    def seat(a, b):  # covariance before evenings are balanced
        same, gone = a[1] == b[1], min(time[a[0]], time[b[0]])
        return sigma2 * (a == b) + (tau2 + omega2 * gone) * same

    def balanced(a, b):
        tables = ([s for s in seats if s[0] == x[0]] for x in (a, b))
        here, there = tables
        weight = [((a == s) - 1 / field[a[0]], s) for s in here]
        other = [((b == s) - 1 / field[b[0]], s) for s in there]
        return sum(u * v * seat(s, t) for u, s in weight for v, t in other)

    expected = np.array([[balanced(a, b) for b in seats] for a in seats])
    A, B, y = covariances(graph, np.array([0.0, 1.0, 4.0]))
    contrast = np.zeros((4, 7))  # orthonormal within each evening, written out
    contrast[0, :2] = np.array([1, -1]) / np.sqrt(2)
    contrast[1, 2:4] = np.array([1, -1]) / np.sqrt(2)
    contrast[2, 2:5] = np.array([1, 1, -2]) / np.sqrt(6)
    contrast[3, 5:] = np.array([1, -1]) / np.sqrt(2)
    found = sigma2 * np.eye(4) + tau2 * A + omega2 * 4.0 * B
    np.testing.assert_allclose(found, contrast @ expected @ contrast.T, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(abs(y), abs(contrast @ graph.y), rtol=EXACT, atol=EXACT)


def test_determinant_and_form_by_hand():
    """The criterion is −2 log of the normal density of y* at the best σ²."""
    graph = walked(1, 500.0, 200.0, evenings=6)
    A, B, y = covariances(graph, np.arange(6.0))
    K = 0.3 * A + 0.7 * B
    d, V = np.linalg.eigh(K)
    off, square = deviance(d.clip(0), (V.T @ y[:, None]) ** 2, np.array([0.8]))
    C = square[0, 0] * (np.eye(len(y)) + 0.8 * K)
    expected = np.linalg.slogdet(2 * np.pi * C)[1] + y @ np.linalg.solve(C, y)
    assert off[0, 0] == pytest.approx(expected, rel=EXACT)
    assert square[0, 0] == pytest.approx(
        y @ np.linalg.solve(np.eye(len(y)) + 0.8 * K, y) / len(y), rel=EXACT
    )


def test_a_walk_is_found_again():
    """In the mean of thirty simulated seasons σ, and ω² = 250², are what they were."""
    found = [estimate_drift(walked(seed, 600.0, 250.0), draws=0) for seed in range(30)]
    for name, true in (("sigma", 1000.0), ("omega", 250.0)):
        squares = np.array([getattr(walk, name) for walk in found]) ** 2
        assert abs(squares.mean() - true**2) < ERRORS * squares.std() / np.sqrt(30)
    inside = [walk.low <= 250 <= walk.high for walk in found]
    assert sum(inside) >= 21  # binomial(30, 0.9): fewer in one of 3,000


def test_the_test_keeps_its_level():
    """Without a walk p is below a tenth in a tenth of forty seasons; with a long one it is tiny."""
    p = [
        estimate_drift(walked(seed, 600.0, 0.0, 8, 10, 6), draws=99, seed=seed).p
        for seed in range(40)
    ]
    assert np.sum(np.array(p) <= 0.1) <= 4 + ERRORS * np.sqrt(40 * 0.1 * 0.9)
    assert np.sum(np.array(p) <= 0.1) >= 1  # none at all: one chance in 70
    assert estimate_drift(walked(1, 300.0, 500.0), draws=199).p == 1 / 200


def test_units():
    """Chips times c: σ, τ, ω times c; time times four: ω halved; p the same."""
    graph = walked(3, 500.0, 250.0, evenings=10)
    plain = estimate_drift(graph, draws=99)
    rows = {"evening": graph.evening, "player": graph.player, "result": 0.01 * graph.y}
    small = estimate_drift(play_graph(pd.DataFrame(rows)), draws=99)
    slow = estimate_drift(graph, 4 * np.arange(10), draws=99)
    assert plain.omega > 0
    for name in ("sigma", "tau", "omega", "low", "high"):
        of = getattr(plain, name)
        assert getattr(small, name) == pytest.approx(0.01 * of, rel=1e-6)  # eigenvectors differ
        halved = of if name in ("sigma", "tau") else of / 2
        assert getattr(slow, name) == pytest.approx(halved, rel=EXACT)
    assert plain.p == small.p == slow.p
    assert (plain.span, slow.span) == (9, 36)


def test_evenings_count_in_the_order_they_were_held(season_file):
    """Numbers against dates: time follows the dates."""
    rows = random_season(2, 8, 8, 5)
    day = rows["evening"].map({1: 8, 2: 2, 3: 3, 4: 4, 5: 5, 6: 6, 7: 7, 8: 1})
    dated = rows.assign(date=[f"2026-03-{d:02}" for d in day])
    season = season_file(dated.to_csv(index=False))
    assert season.held == [8, 2, 3, 4, 5, 6, 7, 1]
    renumbered = play_graph(rows.assign(evening=day))
    expected = estimate_drift(renumbered)
    assert season_drift(season).omega == pytest.approx(expected.omega, rel=1e-6)
    assert season_drift(season).p == pytest.approx(expected.p, abs=0.05)  # other draws


def test_the_example_stands_still():
    """The example season was simulated without drift, and none is found."""
    walk = season_drift(load_season(EXAMPLE))
    assert walk.p > 0.05
    assert walk.low == 0 <= walk.omega <= walk.high
    assert walk.span == 11 and walk.draws == 999
    assert season_drift(load_season(EXAMPLE)) == walk


def test_nothing_to_go_by_is_refused():
    """Without a cycle there is no estimate, and a short season gets its sentence first."""
    one = play_graph(pd.DataFrame({"evening": [1, 1], "player": [1, 2], "result": [3.0, -3.0]}))
    with pytest.raises(CannotEstimate):
        estimate_drift(one)
    with pytest.raises(ValueError, match="Vergleiche"):
        season_drift(load_season(EXAMPLE, 2))
    assert checkable(load_season(EXAMPLE)).lam == 6
