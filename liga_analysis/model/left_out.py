"""How far a table depends on single evenings, and how well each λ predicts those left out.

An evening is left out whole, by a correction of rank n_s − 1: one row of it is minus the sum of the
others.
"""

from contextlib import suppress
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.season import Season
from .graph import PlayGraph
from .ranking import contest, season_fit
from .rating import Fit
from .sensitivity import LambdaPath, lambda_grid, ranked_tables
from .variance import estimate_variance


class Influence(NamedTuple):
    """The table without each evening, and `table`, that of all: `rating` and `rank` by player.

    `lam_reml` is ∞ where τ̂ = 0, NaN where nothing can tell.
    """

    ratings: pd.DataFrame
    ranks: pd.DataFrame
    podium: pd.Series
    lam_reml: pd.Series
    table: pd.DataFrame

    def __repr__(self) -> str:
        return f"Influence({len(self.podium)} evenings left out, {len(self.table)} players)"


def scores(source: Season | PlayGraph, lams=None, order=None) -> pd.DataFrame:
    """How well each λ predicts: marginal likelihood, evenings left out, evenings ahead.

    Parameters
    ----------
    source : Season or PlayGraph
    lams : sequence of float, optional
        Needed with a graph; of a season by default the grid of `lambda_path`.
    order : sequence of int, optional
        With a graph: its evenings as played, by number if not given.

    Returns
    -------
    DataFrame
        By λ: `log_likelihood` (REML) and `left_out_log_score`, Σ log p(evening | all others), both
        at the σ best for them; `left_out_rmse` and `ahead_rmse`, the error per free result of
        evenings predicted from all others and from those before, in chips. The log score of
        evenings ahead is `log_likelihood` itself: Σ_s log p(y_s | y_1 … y_s−1) = log p(y).

    Raises
    ------
    CannotEstimate
        If the results do not tell σ from τ.

    Examples
    --------
    >>> table = liga.scores(liga.load_season("data/beispielliga/2026"))
    >>> table.shape
    (121, 4)
    """
    if isinstance(source, Season):
        fit = season_fit(source)
        graph, order = fit.graph, source.held
        lams = lambda_grid(fit.one_lam) if lams is None else lams
    else:
        graph = source
    lams, nu = np.asarray(lams, float), graph.nu
    graph.affordable(len(graph.evenings) * graph.n_players**3)
    profile = estimate_variance(graph).profile(lams)
    squares, fit, log_det = np.zeros((3, len(lams)))
    d, V, z = graph.spectrum
    for rows, weight in graph.by_evening():
        seats = graph.player[rows]
        inverse = V[seats] / (d + lams[:, None, None])
        expected, block = inverse @ z, inverse @ V[seats].T
        residual, error, shrink = _left_out(graph.y[rows], expected, block, weight)
        squares += (error**2).sum(1)
        # Without evening s its error has covariance σ²(I − H)⁻¹.
        fit += weight * (residual * error).sum(1)
        log_det -= np.linalg.slogdet(shrink)[1]
    columns = {
        "log_likelihood": profile["log_likelihood"].to_numpy(),
        "left_out_log_score": -(nu * (np.log(2 * np.pi * fit / nu) + 1) + log_det) / 2,
        "left_out_rmse": np.sqrt(squares / nu),
        "ahead_rmse": np.sqrt(_ahead(graph, lams, graph.evenings if order is None else order) / nu),
    }
    return pd.DataFrame(columns, pd.Index(lams, name="lam"))


def path_without(source: Season | Fit, ranked=None) -> LambdaPath:
    """Ratings and ranks without each evening in turn, at the same λ and σ; rows evenings.

    θ̂ without evening s is θ̂ − w_s(G + λI)⁻¹E_s(I − H)⁻¹(y_s − M_sθ̂), E_s the columns of its field
    and H = w_sM_s(G + λI)⁻¹M_s; a player without another evening has rating 0.
    """
    fit, inside, _ = contest(source, ranked)
    graph, inverse = fit.graph, fit.cov.to_numpy() / fit.sigma**2
    theta = np.tile(fit.theta.to_numpy(), (len(graph.evenings), 1))
    for s, (rows, weight) in enumerate(graph.by_evening()):
        seats = graph.player[rows]
        block = inverse[np.ix_(seats, seats)]
        _, error, _ = _left_out(graph.y[rows], theta[s, seats], block, weight)
        theta[s] -= inverse[:, seats] @ (weight * error)
        theta[s, seats[graph.n_evenings[seats] == 1]] = 0.0
    return ranked_tables(fit, inside, theta, graph.evenings)


def influence(source: Season | Fit, ranked=None, podium: int | None = None) -> Influence:
    """The table and λ̂ without each evening in turn; all players stay, see `path_without`.

    Parameters
    ----------
    source, ranked
        As for `lambda_path`.
    podium : int, optional
        Steps of the podium, in place of the rules'.

    Returns
    -------
    Influence
        By evening: `ratings`, `ranks`, `podium` (names with rank ≤ podium), `lam_reml`; by player,
        with all evenings, `table`.

    Raises
    ------
    ValueError, DataError
        As `lambda_path`, but for a λ by player, which may be.

    Examples
    --------
    >>> liga.influence(liga.load_season("data/beispielliga/2026")).ratings.shape
    (12, 16)
    """
    fit, inside, podium = contest(source, ranked, podium)
    graph, evenings = fit.graph, fit.graph.evenings
    graph.affordable(len(evenings) * graph.n_players**3)
    lam = np.full(len(evenings), np.nan)
    for s in range(len(evenings)):
        with suppress(ValueError):  # CannotEstimate, or no evening is left
            lam[s] = estimate_variance(graph.at_evenings(np.arange(len(evenings)) != s)).lam
    ratings, table = path_without(fit, graph.players[inside])
    top = [row[row.le(podium).fillna(False)] for _, row in table.iterrows()]
    names = [list(row.sort_values(kind="stable").index) for row in top]
    now = ranked_tables(fit, inside, fit.theta.to_numpy()[None], [0]).ranks.loc[0]
    full = pd.DataFrame({"rating": fit.theta, "rank": now})
    return Influence(ratings, table, pd.Series(names, evenings), pd.Series(lam, evenings), full)


def _left_out(y, expected, block, weight):
    """R = y_s − M_sθ̂, the error (I − H)⁻¹r without evening s, I − H; λ along the first axis.

    `expected` is θ̂ of the field, `block` its part of (G + λI)⁻¹.
    """
    M = np.eye(len(y)) - 1 / len(y)
    residual = y - expected @ M
    shrink = np.eye(len(y)) - weight * (M @ block @ M)
    return residual, np.linalg.solve(shrink, residual[..., None])[..., 0], shrink


def _ahead(graph, lams, order):
    """Σ_s ‖y_s − M_sθ̂‖² by λ, θ̂ from the evenings before s."""
    G, h, total, rows = np.zeros_like(graph.G), np.zeros_like(graph.h), 0, [*graph.by_evening()]
    for s in graph.evenings.get_indexer(order):
        seats, y, weight = graph.player[rows[s][0]], graph.y[rows[s][0]], rows[s][1]
        d, V = np.linalg.eigh(G)
        theta = V[seats] @ ((h @ V)[:, None] / (d[:, None] + lams))
        total += ((y[:, None] - theta + theta.mean(0)) ** 2).sum(0)
        G[np.ix_(seats, seats)] += weight * (np.eye(len(seats)) - 1 / len(seats))
        h[seats] += weight * y
    return total
