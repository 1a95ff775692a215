"""Forecasts of each evening from what was known before it, and how right they were.

Of those who then came, y_s ~ N(Mm, σ²M + MCM) with m and C the mean and covariance of their θ
before the evening, σ and λ those then in force: "zero" knows nothing, m = 0 and C = 0; "season"
rates by the season's evenings before, "linked" by the earlier seasons as well.
"""

from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.season import Season
from .chain import link
from .league import league_graphs, league_linked, league_of, own_sigma, scale_factors
from .likelihood import CannotEstimate
from .ranking import season_fit
from .rating import Fit

SCORES = ("log_score", "rmse", "brier_first", "brier_podium")
DRAWS = 4000  # an evening; a chance has a standard error of at most 0.008


class Forecasts(NamedTuple):
    """What was expected of every player at every evening, and the scores of the evenings.

    `players`: `evening`, `player`, `way` ("zero", "season", "linked"), `expected` and `sd` of the
    result (chips), `p_first` and `p_podium` (of that evening), `result`, less the evening's mean.
    `scores`: `evening`, `date`, `way`, `log_score` (log density per free result, of chips), `rmse`
    (per free result, chips), `brier_first`, `brier_podium` (mean square error of the chances).
    """

    players: pd.DataFrame
    scores: pd.DataFrame


def forecasts(season: Season) -> Forecasts:
    """Each evening held forecast from those before it, and scored.

    Parameters
    ----------
    season : Season

    Returns
    -------
    Forecasts
        "linked" only where the league has earlier seasons with a player of this one.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> table = liga.forecasts(liga.load_season("data/beispielliga/2025")).scores
    >>> sorted(table["way"].unique())
    ['season', 'zero']
    """
    season_fit(season)  # without an evening there is nothing to forecast
    league = league_of(season)
    earlier = league.earlier if league_linked(season, league) else ()
    *before, graph = league_graphs([*earlier, season])
    prior, sigma = (*earlier, season)[0].prior, [*map(own_sigma, earlier)]
    podium, players, scores = season.rules.podium, [], []
    dates = season.evenings.set_index("evening")["date"]
    for k, evening in enumerate(season.held):
        past = replace(
            season, results=season.results[season.results["evening"].isin(season.held[:k])]
        )
        known = graph.at_evenings(graph.evenings.isin(season.held[:k]))
        fit = Fit(known, past.parameters.lam, past.parameters.sigma)
        p = graph.n_players
        ways = {
            "zero": (np.zeros(p), np.zeros((p, p))),
            "season": (fit.theta.to_numpy(), fit.cov.to_numpy()),
        }
        if earlier:
            with suppress(CannotEstimate):
                factors = scale_factors([*earlier, past], sigma)
                league_then = link([*before, known], factors, prior=prior)
                ways["linked"] = league_then.theta.to_numpy(), league_then.cov.to_numpy()
        rows = graph.evening == graph.evenings.get_loc(evening)
        field, y = graph.player[rows], graph.y[rows]
        for way, (theta, cov) in ways.items():
            of_field = theta[field], cov[np.ix_(field, field)], y
            expected, score = forecast(*of_field, fit.sigma, podium, [1, k])
            names = {"evening": evening, "player": graph.players[field], "way": way}
            players.append(expected.assign(result=y, **names))
            scores.append({"evening": evening, "date": dates[evening], "way": way} | score)
    order = ["evening", "player", "way", "expected", "sd", "p_first", "p_podium", "result"]
    return Forecasts(pd.concat(players, ignore_index=True)[order], pd.DataFrame(scores))


def forecast(theta, cov, y, sigma, podium, seed) -> tuple[pd.DataFrame, dict]:
    """What a field with ratings N(theta, cov) is expected to do, and SCORES by its results y."""
    n = len(theta)
    M = np.eye(n) - 1 / n
    spread = M @ (sigma**2 * np.eye(n) + cov) @ M
    values, vectors = np.linalg.eigh(spread)
    noise = np.random.default_rng(seed).standard_normal((DRAWS, n))
    drawn = M @ theta + noise @ (vectors * np.sqrt(values.clip(0))) @ vectors.T
    least = np.partition(drawn, max(n - podium, 0), 1)[:, max(n - podium, 0), None]
    columns = {
        "expected": M @ theta,
        "sd": np.sqrt(np.diag(spread)),
        "p_first": (drawn == drawn.max(1, keepdims=True)).mean(0),
        "p_podium": (drawn >= least).mean(0),
    }
    if n == 1:
        return pd.DataFrame(columns), dict.fromkeys(SCORES, np.nan)
    error, place = y - columns["expected"], pd.Series(-y).rank(method="min").to_numpy()
    # In the n − 1 directions that sum to zero; the first eigenvalue is that of the others, 0.
    squares, variances = (error @ vectors[:, 1:]) ** 2, values[1:]
    log = -(squares / variances + np.log(2 * np.pi * variances)) / 2
    scores = (
        log.mean(),
        np.sqrt(error @ error / (n - 1)),
        (((place == 1) - columns["p_first"]) ** 2).mean(),
        (((place <= podium) - columns["p_podium"]) ** 2).mean(),
    )
    return pd.DataFrame(columns), dict(zip(SCORES, scores, strict=True))
