"""Ratings: the penalised least squares of the rulebook, from one spectrum.

With F_s the field of evening s and M_s = I − 11ᵀ/n_s, the model is y_s = M_s (θ_F + e),
e ~ N(0, σ²I), θ ~ N(0, τ²I), λ = σ²/τ². G = XᵀX = Σ_s (diag(1_s) − 1_s 1_sᵀ/n_s) is the Laplacian
of the play graph: players are nodes, an evening joins all who sat at it with weight 1/n_s.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

# Ratings closer than this times σ are equal: floating point differs in the last digits.
TIE = 1e-9


class Spectrum(NamedTuple):
    """G = V diag(d) Vᵀ and z = Vᵀh; d ascending, one exact zero per group of players."""

    d: np.ndarray
    V: np.ndarray
    z: np.ndarray


@dataclass(frozen=True)
class PlayGraph:
    """Who met whom, and what came of it: all that the estimators need of a results table.

    Attributes
    ----------
    players, evenings : Index
        The p players and S evenings, sorted; rows of the table refer to them by number.
    evening, player : ndarray of int, shape (N,)
        Evening and player of each result.
    y : ndarray, shape (N,)
        Results minus the mean of their evening, in chips.
    imbalance : ndarray, shape (S,)
        Sum of each evening's results, in chips; 0 when the chips add up.
    """

    players: pd.Index
    evenings: pd.Index
    evening: np.ndarray
    player: np.ndarray
    y: np.ndarray
    imbalance: np.ndarray

    @property
    def n_players(self) -> int:
        """p, the number of players."""
        return len(self.players)

    @cached_property
    def field_size(self) -> np.ndarray:
        """n_s: players at each evening, shape (S,)."""
        return np.bincount(self.evening, minlength=len(self.evenings))

    @cached_property
    def n_evenings(self) -> np.ndarray:
        """Evenings of each player, shape (p,)."""
        return np.bincount(self.player, minlength=self.n_players)

    @property
    def nu(self) -> int:
        """ν = Σ(n_s − 1): each evening's zero sum costs one observation."""
        return int((self.field_size - 1).sum())

    @property
    def q(self) -> float:
        """Q = Σ(y − ȳ_s)², in chips²."""
        return float(self.y @ self.y)

    @cached_property
    def h(self) -> np.ndarray:
        """H = Xᵀy, shape (p,), in chips: each player's total when all evenings balance."""
        return np.bincount(self.player, self.y, minlength=self.n_players)

    @cached_property
    def seats(self) -> csr_array:
        """Incidence matrix, shape (S, p): 1 where a player sat at an evening."""
        shape = (len(self.evenings), self.n_players)
        return csr_array((np.ones(len(self.y)), (self.evening, self.player)), shape=shape)

    @property
    def design(self) -> np.ndarray:
        """X, shape (N, p): 1 at the player of each result, less 1/n_s at everybody present."""
        X = -(self.seats.multiply(1 / self.field_size[:, None])).toarray()[self.evening]
        X[np.arange(len(self.y)), self.player] += 1
        return X

    @cached_property
    def G(self) -> np.ndarray:
        """G = XᵀX, shape (p, p)."""
        shared = self.seats.T @ self.seats.multiply(1 / self.field_size[:, None])
        return np.diag(self.n_evenings.astype(float)) - shared.toarray()

    @cached_property
    def group(self) -> np.ndarray:
        """Number of the connected group of each player, shape (p,)."""
        return connected_components(self.seats.T @ self.seats, directed=False)[1]

    @property
    def rank(self) -> int:
        """r, the rank of G: players minus groups."""
        return self.n_players - len(np.unique(self.group))

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and -vectors of G, and h in that basis."""
        d, V = np.linalg.eigh(self.G)
        z = V.T @ self.h
        zeros = self.n_players - self.rank
        d[:zeros] = 0.0  # rounding leaves ±1e-15 here, which 1/d would magnify
        z[:zeros] = 0.0  # h is orthogonal to the constants of each group
        return Spectrum(d, V, z)


@dataclass(frozen=True)
class Fit:
    """Ratings under one parameter set.

    Attributes
    ----------
    theta : Series
        θ̂ = (G + λI)⁻¹h by player, in chips.
    se : Series
        u = σ√[(G + λI)⁻¹]_ii by player (Unsicherheitsspanne), in chips.
    graph : PlayGraph
    lam, sigma : float
    """

    theta: pd.Series
    se: pd.Series
    graph: PlayGraph
    lam: float
    sigma: float

    @property
    def tau(self) -> float:
        """τ = σ/√λ, implied by the two parameters, in chips."""
        return self.sigma / self.lam**0.5

    @cached_property
    def cov(self) -> pd.DataFrame:
        """σ²(G + λI)⁻¹ by player, in chips²: the joint posterior covariance."""
        d, V, _ = self.graph.spectrum
        cov = (V * (self.sigma**2 / (d + self.lam))) @ V.T
        return pd.DataFrame(cov, self.graph.players, self.graph.players)


def play_graph(results: pd.DataFrame) -> PlayGraph:
    """The play graph of a results table.

    Parameters
    ----------
    results : DataFrame
        Columns `evening`, `player`, `result` (chips), one row per player and evening.

    Raises
    ------
    ValueError
        If a column is missing, the table is empty, a result is not finite, or a player stands
        twice at one evening.
    """
    missing = {"evening", "player", "result"} - set(results.columns)
    if missing:
        raise ValueError(f"results lacks the column(s) {', '.join(sorted(missing))}")
    if results.empty:
        raise ValueError("results has no rows")
    # Sorted, so that the order of the rows cannot change a single bit of what follows.
    rows = results.sort_values(["evening", "player"], kind="stable")
    twice = rows.duplicated(["evening", "player"])
    if twice.any():
        evening, player = rows.loc[twice, ["evening", "player"]].iloc[0]
        raise ValueError(f"evening {evening}: {player} stands there twice")
    result = rows["result"].to_numpy(float)
    if not np.isfinite(result).all():
        raise ValueError("results must be finite numbers")
    evening, evenings = pd.factorize(rows["evening"], sort=True)
    player, players = pd.factorize(rows["player"], sort=True)
    imbalance = np.bincount(evening, result)
    y = result - (imbalance / np.bincount(evening))[evening]
    return PlayGraph(
        pd.Index(players, name="player"),
        pd.Index(evenings, name="evening"),
        evening,
        player,
        y,
        imbalance,
    )


def fit_ratings(results: pd.DataFrame | PlayGraph, lam: float = 6.0, sigma: float = 2400.0) -> Fit:
    """Ratings θ̂ and their uncertainty u, all players at once.

    θ̂ minimises Σ_s Σ_{i∈F_s} (y_is − (θ_i − θ̄_s))² + λ Σ_i θ_i², hence θ̂ = (G + λI)⁻¹Xᵀy;
    with λ = σ²/τ² it is the posterior mean, and σ²(G + λI)⁻¹ the posterior covariance.

    Parameters
    ----------
    results : DataFrame or PlayGraph
        Columns `evening`, `player`, `result`, or the graph made of them.
    lam : float
        λ > 0, without unit.
    sigma : float
        σ > 0, in chips; scales u and leaves θ̂ alone.

    Returns
    -------
    Fit

    Raises
    ------
    ValueError
        If λ or σ is not a positive number, or the table is unusable (see `play_graph`).

    Notes
    -----
    Rulebook, "Schätzung" and "Unsicherheitsspanne". λ and σ default to the rulebook's values.
    """
    for name, value in (("lam", lam), ("sigma", sigma)):
        if not 0 < value < np.inf:
            raise ValueError(f"{name} must be a positive number, not {value}")
    graph = results if isinstance(results, PlayGraph) else play_graph(results)
    d, V, z = graph.spectrum
    theta = V @ (z / (d + lam))  # (G + λI)⁻¹h = V diag(1/(d + λ)) Vᵀh
    se = sigma * np.sqrt((V**2) @ (1 / (d + lam)))  # σ√[(G + λI)⁻¹]_ii
    return Fit(
        pd.Series(theta, graph.players, name="theta"),
        pd.Series(se, graph.players, name="se"),
        graph,
        float(lam),
        float(sigma),
    )


def receipt(fit: Fit) -> pd.DataFrame:
    """What each rating is made of (Quittung).

    Exactly θ̂_i = (Σ_s y_is − Σ_s ȳ_s + Σ_s θ̄_s) / (evenings_i + λ): total won, less the mean of
    evenings that do not add up, plus field strength faced, shared out over evenings + λ.

    Returns
    -------
    DataFrame
        By player: `total`, `imbalance` (−Σȳ_s, 0 when all evenings balance), `field_strength`,
        `evenings`, `rating`; chips but for `evenings`.
    """
    graph = fit.graph
    mean_result = graph.imbalance / graph.field_size
    imbalance = -(graph.seats.T @ mean_result)
    faced = graph.seats.T @ field_strength(fit).to_numpy()
    return pd.DataFrame(
        {
            "total": graph.h - imbalance,
            "imbalance": imbalance,
            "field_strength": faced,
            "evenings": graph.n_evenings,
            "rating": fit.theta,
        },
        index=graph.players,
    )


def field_strength(fit: Fit) -> pd.Series:
    """θ̄_s by evening: the mean rating of those present, in chips."""
    graph = fit.graph
    return pd.Series(
        graph.seats @ fit.theta.to_numpy() / graph.field_size,
        graph.evenings,
        name="field_strength",
    )


def ranks(ratings: np.ndarray, sigma: float) -> np.ndarray:
    """Ranks along the last axis, 1 = highest; equal within 1e-9·σ = equal rank: 1, 1, 3."""
    order = np.argsort(-ratings, axis=-1)
    gap = -np.diff(np.take_along_axis(ratings, order, -1), axis=-1)
    place = np.ones(ratings.shape, int)
    place[..., 1:] += np.where(gap > TIE * sigma, np.arange(1, gap.shape[-1] + 1), 0)
    result = np.empty_like(place)
    np.put_along_axis(result, order, np.maximum.accumulate(place, axis=-1), -1)
    return result
