"""Single evenings left out: by fits without the rows, by hand."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from samples import MIRROR, NEVER_MET, design, everybody, random_season, refit, rows

from liga_analysis.model.graph import play_graph
from liga_analysis.model.left_out import influence, scores
from liga_analysis.model.likelihood import CannotEstimate
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import estimate_variance

pytestmark = pytest.mark.filterwarnings("error")

ROUNDING = 1e-9  # closed forms by two routes, relative to ratings of about 1000 chips
CHIP = 1e-6  # the same in chips


season = partial(random_season, n_players=12, n_evenings=10, least=4)


def test_influence_with_lambda_by_player_and_weights():
    """Without an evening, at λ by player and weights, all is as refitted with weight 0."""
    results = season(3)
    lam = pd.Series(np.geomspace(1, 20, 12), [f"P{i:02d}" for i in range(12)])
    weights = pd.Series(np.linspace(0.5, 2, 10), range(1, 11))
    table = influence(fit_ratings(results, lam, weights=weights))
    for evening in weights.index:
        rest = weights.where(weights.index != evening, 0)
        theta = fit_ratings(results, lam, weights=rest).theta
        np.testing.assert_allclose(table.ratings.loc[evening], theta, rtol=ROUNDING, atol=CHIP)


@pytest.mark.parametrize("results", [season(0), season(7, n_evenings=5), NEVER_MET, MIRROR])
def test_influence_equals_refits(results):
    """Each evening left out gives the ratings, ranks and λ̂ of a refit without its rows."""
    fit = fit_ratings(results, lam=4.0)
    ranked = fit.graph.n_evenings >= 2
    table = influence(fit, ranked)
    for evening in results.evening.unique():
        rest = results[results.evening != evening]
        theta = pd.Series(refit(rest, fit.graph.players, 4.0), fit.graph.players)
        np.testing.assert_allclose(table.ratings.loc[evening], theta, rtol=ROUNDING, atol=CHIP)
        place = theta[ranked].round(6).rank(ascending=False, method="min")
        assert (table.ranks.loc[evening, ranked] == place).all()
        assert table.ranks.loc[evening, ~ranked].isna().all()
        assert set(table.podium[evening]) == set(place.index[place <= 3])
        assert place[table.podium[evening]].is_monotonic_increasing
        try:
            lam = estimate_variance(rest).lam
        except CannotEstimate:
            assert np.isnan(table.lam_reml[evening])
        else:
            assert table.lam_reml[evening] == pytest.approx(lam, rel=1e-6)  # search tolerance


def test_influence_with_unbalanced_evening():
    """Chips that do not add up change nothing: a constant on an evening moves no rating."""
    results = season(2)
    lifted = results.assign(result=results.result + 170.0 * (results.evening == 3))
    a, b = (influence(fit_ratings(r), np.ones(12, bool)) for r in (results, lifted))
    np.testing.assert_allclose(a.ratings, b.ratings, rtol=ROUNDING, atol=CHIP)


def test_influence_of_the_only_evening():
    """Without the only evening everybody stands at 0 on rank 1, and λ̂ does not exist."""
    fit = fit_ratings(rows({"A": 100, "B": -100, "C": 0}))
    table = influence(fit, everybody(fit))
    assert (table.ratings == 0).all(axis=None) and (table.ranks == 1).all(axis=None)
    assert table.podium[1] == ["A", "B", "C"] and np.isnan(table.lam_reml[1])


def test_a_player_without_another_evening_stays_at_zero():
    """Whoever came to one evening has rating 0 without it, exactly, and a lone host counts."""
    fit = fit_ratings(rows({"A": 70, "B": -50, "C": -20}, {"A": 30, "B": -30}, {"A": 0}))
    table = influence(fit, everybody(fit))
    assert table.ratings.loc[1, "C"] == 0 and table.ratings.loc[2, "C"] != 0
    np.testing.assert_allclose(table.ratings.loc[3], fit.theta, atol=CHIP)


def test_lambda_without_an_evening_may_be_infinite():
    """λ̂ = ∞ (τ̂ = 0) is told apart from no estimate at all."""
    lam = [influence(fit_ratings(season(s, tau=0)), np.ones(12, bool)).lam_reml for s in range(3)]
    assert np.isinf(np.concatenate(lam)).any()


@pytest.mark.parametrize("results", [season(4), NEVER_MET])
def test_scores_equal_refits(results):
    """Scores over λ are those of refits without the evening, and with the evenings before it."""
    graph, lams, order = play_graph(results), [0.7, 6.0, 55.0], None
    order = list(reversed(results.evening.unique()))
    table = scores(graph, lams, order)
    for lam in lams:
        error, ahead, quad, log_det = [], [], 0, 0
        for k, evening in enumerate(order):
            own = results[results.evening == evening]
            X, y = design(own, graph.players)
            rest = results[results.evening != evening]
            error.append(y - X @ refit(rest, graph.players, lam))
            before = results[results.evening.isin(order[:k])]
            ahead.append(y - (X @ refit(before, graph.players, lam) if k else 0))
            other = design(rest, graph.players)[0]
            C = X @ np.linalg.solve(other.T @ other + lam * np.eye(graph.n_players), X.T)
            n = len(y)
            basis = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
            S = basis.T @ (np.eye(n) + C) @ basis  # covariance of n − 1 contrasts, in σ²
            e = basis.T @ error[-1]
            quad, log_det = quad + e @ np.linalg.solve(S, e), log_det + np.linalg.slogdet(S)[1]
        score = -(graph.nu * (np.log(2 * np.pi * quad / graph.nu) + 1) + log_det) / 2
        for column, value in (
            ("left_out_rmse", np.sqrt(sum(e @ e for e in error) / graph.nu)),
            ("ahead_rmse", np.sqrt(sum(e @ e for e in ahead) / graph.nu)),
            ("left_out_log_score", score),
        ):
            assert table.loc[lam, column] == pytest.approx(value, rel=ROUNDING)


def test_log_score_ahead_is_the_marginal_likelihood():
    """Σ log p(evening | evenings before), at its best σ, equals the REML likelihood at each λ."""
    results = season(6)
    graph = play_graph(results)
    for lam, likelihood in scores(graph, [0.5, 6.0, 80.0]).log_likelihood.items():
        quad, log_det, seen = 0, 0, np.empty((0, graph.n_players))
        told = np.empty(0)
        for _, own in results.groupby("evening"):
            X, y = design(own, graph.players)
            posterior = np.linalg.inv(seen.T @ seen + lam * np.eye(graph.n_players))
            n = len(y)
            basis = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
            S = basis.T @ (np.eye(n) + X @ posterior @ X.T) @ basis
            e = basis.T @ (y - X @ posterior @ seen.T @ told)
            quad, log_det = quad + e @ np.linalg.solve(S, e), log_det + np.linalg.slogdet(S)[1]
            seen, told = np.vstack([seen, X]), np.append(told, y)
        score = -(graph.nu * (np.log(2 * np.pi * quad / graph.nu) + 1) + log_det) / 2
        assert likelihood == pytest.approx(score, rel=ROUNDING)


def test_scores_refuse_what_cannot_be_estimated():
    """Nobody met again: no score over λ, with the reason."""
    with pytest.raises(CannotEstimate, match="nobody met again"):
        scores(play_graph(rows({"A": 100, "B": -100})), [6.0])
