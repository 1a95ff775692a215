"""What the ratings leave unexplained: whether luck is normal, and the same for everybody."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import chdtri, ndtr, ndtri

from ..season.season import Season
from .large import PIECE
from .ranking import contest
from .rating import Fit

OWN_SPREAD = 4  # evenings from which a player has a spread of his own
FAR = 2  # studentised residuals beyond ± this are counted


def residuals(source: Season | Fit) -> pd.DataFrame:
    """What the ratings leave unexplained, and where a normal error would put it.

    r = y − Xθ̂ has covariance σ²(M − H) with H = X(G + λI)⁻¹Xᵀ, so it is studentised by
    σ√(1 − 1/n_s − H_ii); where evenings have weights, all of it times √w_s.

    Parameters
    ----------
    source : Season or Fit

    Returns
    -------
    DataFrame
        One row per result: `evening`, `player`, `residual` (chips), `studentised`, `normal` (the
        normal quantile of its place). Players alone at an evening have none.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> list(liga.residuals(liga.fit_ratings(results)).columns)
    ['evening', 'player', 'residual', 'studentised', 'normal']
    """
    fit, _, _ = contest(source)
    graph, share = fit.graph, _residual_variance(fit)
    residual = _unexplained(fit, graph.y[:, None])[:, 0]
    table = pd.DataFrame(
        {
            "evening": graph.evenings[graph.evening],
            "player": graph.players[graph.player],
            "residual": residual / np.sqrt(graph.weight)[graph.evening],
            "studentised": residual / (fit.sigma * np.sqrt(share)),
        }
    ).dropna(ignore_index=True)
    place = table["studentised"].rank(method="first") - 0.5
    return table.assign(normal=ndtri(place / len(table)))


class Kurtosis(NamedTuple):
    """(Σr⁴/n)/(Σr²/n)² of the studentised residuals, the same of seasons of normal luck, and p."""

    value: float
    null: np.ndarray
    p: float

    def __repr__(self) -> str:
        return f"Kurtosis({self.value:.3g}, p={self.p:.3g} of {len(self.null)} seasons)"


def kurtosis(source: Season | Fit, seasons: int = 2000, seed: int = 1) -> Kurtosis:
    """Whether luck is even: large where it is not normal, or evenings or players are uneven.

    Parameters
    ----------
    source : Season or Fit
    seasons, seed : int
        Seasons of the null, with the attendance and λ of the fit, θ ~ N(0, σ²/λ) and normal luck.

    Returns
    -------
    Kurtosis
        p = (1 + #{null ≥ value})/(1 + seasons), one-sided; NaN where nothing is left unexplained.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> 0 < liga.kurtosis(liga.fit_ratings(results)).p < 1
    True
    """
    fit, _, _ = contest(source)
    graph, share, rng = fit.graph, _residual_variance(fit)[:, None], np.random.default_rng(seed)

    def ratio(y):
        square = _unexplained(fit, y) ** 2 / share
        return np.nanmean(square**2, 0) / np.nanmean(square, 0) ** 2

    if not (graph.field_size > 1).any() or not graph.q:
        return Kurtosis(np.nan, np.full(seasons, np.nan), np.nan)
    null = np.concatenate([np.empty(0), *map(ratio, simulated(fit, seasons, rng))])
    value = float(ratio(graph.y[:, None])[0])
    return Kurtosis(value, null, (1 + int((null >= value).sum())) / (1 + seasons))


class PlayerSpread(NamedTuple):
    """Each player's own `evenings` and `spread` (1: like all together), and p of so uneven ones."""

    players: pd.DataFrame
    p: float


def player_spread(source: Season | Fit, permutations: int = 2000, seed: int = 1) -> PlayerSpread:
    """Whether some play wilder than others, by exchanging residuals within evenings.

    The statistic is Σ n_i log s_i² over players of four evenings or more, s_i² the mean of their
    squared studentised residuals: the smaller, the less even the players.

    Parameters
    ----------
    source : Season or Fit
    permutations, seed : int
        How often residuals are exchanged, and the seed of it.

    Returns
    -------
    PlayerSpread
        `players` with s_i over the s of all results, the wildest first; p = (1 + #{statistic of a
        permutation ≤ statistic})/(1 + permutations), NaN with fewer than two such players.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> 0 < liga.player_spread(liga.fit_ratings(results)).p <= 1
    True
    """
    fit, _, _ = contest(source)
    graph, share = fit.graph, _residual_variance(fit)
    known = ~np.isnan(share)
    square = (_unexplained(fit, graph.y[:, None])[:, 0] ** 2 / share)[known]
    evening = graph.evening[known]
    n = np.bincount(graph.player[known], minlength=graph.n_players)
    often = n >= OWN_SPREAD
    mine = graph.of_player[:, known][often]

    def statistic(squares):
        with np.errstate(divide="ignore"):
            return n[often] @ np.log(mine @ squares / n[often][:, None])

    mean = mine @ square / n[often] / square.mean()
    table = pd.DataFrame({"evenings": n[often], "spread": mean**0.5}, graph.players[often])
    table = table.sort_values("spread", ascending=False, kind="stable")
    if often.sum() < 2:
        return PlayerSpread(table, np.nan)
    rng, reached, observed = np.random.default_rng(seed), 0, statistic(square[:, None])
    piece = max(1, PIECE // len(evening))
    for start in range(0, permutations, piece):
        # A random key within each evening sorts its rows at random.
        key = evening[:, None] + rng.random((len(evening), min(piece, permutations - start)))
        reached += int((statistic(square[key.argsort(0)]) <= observed + 1e-9).sum())
    return PlayerSpread(table, (1 + reached) / (1 + permutations))


class AttendanceSlope(NamedTuple):
    """Chips of rating by which e times as many evenings go along, its standard deviation, and p."""

    value: float
    sd: float
    p: float


def attendance_slope(source: Season | Fit, ranked=None) -> AttendanceSlope:
    """Do the better come more often? The slope of θ̂ on log evenings against its own null.

    If attendance has nothing to do with θ ~ N(0, τ²), the ratings are N(0, σ²(1/λ − (G + λI)⁻¹)),
    and so is the slope normal. A diagnostic, no correction.

    Parameters
    ----------
    source : Season or Fit
    ranked : list of names, boolean Series or array by player, optional
        With a fit: players looked at; all if not given.

    Returns
    -------
    AttendanceSlope
        p one-sided, P(slope ≥ value); all NaN where everybody came equally often.

    Raises
    ------
    ValueError
        If `ranked` names somebody unknown or twice, or is a mask of another length.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> 0 < liga.attendance_slope(liga.fit_ratings(results)).p < 1
    True
    """
    fit, inside, _ = contest(source, ranked)
    inside = inside[fit.graph.n_evenings[inside] > 0]
    x = np.log(fit.graph.n_evenings[inside])
    x = x - x.mean() if len(x) else x
    if not (abs(x) > 1e-12).any():
        return AttendanceSlope(np.nan, np.nan, np.nan)
    slope = x / (x @ x)
    prior = np.diag(np.broadcast_to(fit.tau**2, fit.graph.n_players))
    cov = (prior - fit.cov.to_numpy())[np.ix_(inside, inside)]
    value, sd = float(slope @ fit.theta.to_numpy()[inside]), float(np.sqrt(slope @ cov @ slope))
    return AttendanceSlope(value, sd, float(ndtr(-value / sd)))


def simulated(fit: Fit, n: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Results of n seasons with the attendance, λ and σ of a fit, in pieces (N, n), in chips.

    y_s = M_s(θ_F + e), θ ~ N(0, τ²), e ~ N(0, σ²/w_s).
    """
    graph, piece = fit.graph, max(1, PIECE // len(fit.graph.y))
    tau = np.broadcast_to(fit.tau, graph.n_players)[:, None]
    luck = fit.sigma / np.sqrt(graph.weight)[graph.evening, None]
    for start in range(0, n, piece):
        size = min(piece, n - start)
        theta = tau * rng.standard_normal((graph.n_players, size))
        y = theta[graph.player] + luck * rng.standard_normal((len(graph.y), size))
        total = np.add.reduceat(y, graph.field_size.cumsum() - graph.field_size)
        yield y - (total / graph.field_size[:, None])[graph.evening]


def spread_by_evening(fit: Fit) -> pd.DataFrame:
    """Spread of each evening beside its `field_size`: √(Σr² / Σ(1 − 1/n_s − H_ii)), about σ; chips.

    `spread`, and `low` and `high`, between which it lies in 90 % if errors are normal (by χ² with
    n_s − 1 degrees of freedom); missing for a lone player.
    """
    graph, share = fit.graph, _residual_variance(fit)
    residual = _unexplained(fit, graph.y[:, None])[:, 0]
    freedom = np.where(graph.field_size > 1, graph.field_size - 1, np.nan)
    squares, shares = (np.bincount(graph.evening, v) for v in (residual**2, np.nan_to_num(share)))
    low, high = (fit.sigma * np.sqrt(chdtri(freedom, p) / freedom) for p in (0.95, 0.05))
    spread = np.sqrt(squares / np.where(graph.field_size > 1, shares, np.nan))
    columns = {"field_size": graph.field_size, "spread": spread, "low": low, "high": high}
    return pd.DataFrame(columns, graph.evenings)


def _unexplained(fit: Fit, y: np.ndarray) -> np.ndarray:
    """Residuals √w·(y − Xθ̂) of results y of shape (N, n), centred by evening."""
    graph, weight = fit.graph, fit.graph.weight[fit.graph.evening, None]
    theta = fit.cov.to_numpy() @ (graph.of_player @ (weight * y)) / fit.sigma**2
    field = graph.seats @ theta / graph.field_size[:, None]
    return np.sqrt(weight) * (y - theta[graph.player] + field[graph.evening])


def _residual_variance(fit: Fit) -> np.ndarray:
    """Their variances 1 − 1/n_s − w·H_ii, in σ²; NaN for a player alone at an evening."""
    graph, inverse = fit.graph, fit.cov.to_numpy() / fit.sigma**2
    leverage = np.empty(len(graph.y))
    for rows, weight in graph.by_evening():
        seats = graph.player[rows]
        block = inverse[np.ix_(seats, seats)]  # M_s times it times M_s, the diagonal
        leverage[rows] = weight * (np.diag(block) - 2 * block.mean(0) + block.mean())
    alone = graph.field_size[graph.evening] == 1
    return np.where(alone, np.nan, 1 - 1 / graph.field_size[graph.evening] - leverage)
