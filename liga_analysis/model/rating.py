"""Ratings: the penalised least squares of the rulebook, from one spectrum.

With F_s the field of evening s and M_s = I − 11ᵀ/n_s, the model is y_s = M_s (θ_F + e),
e ~ N(0, σ²I), θ ~ N(0, τ²I), λ = σ²/τ². G = XᵀX = Σ_s (diag(1_s) − 1_s 1_sᵀ/n_s) is the Laplacian
of the play graph: players are nodes, an evening joins all who sat at it with weight 1/n_s.

An evening may carry a weight w_s: its term in G and in h = Xᵀy is multiplied by it, its luck is
N(0, σ²/w_s). A player may have a λ_i of his own, and τ_i = σ/√λ_i: then G + diag(λ) everywhere.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from ..words import DataError, Problem
from .large import Laplacian, ratings, variances

# Players up to which the spectrum of G is computed: seconds, and 72 MB a matrix.
SIZE = 3000
MOST_WORK = 5e11
# Ratings closer than this times σ are equal: floating point differs in the last digits.
TIE = 1e-9


class Spectrum(NamedTuple):
    """G = V diag(d) Vᵀ and z = Vᵀh; d ascending, one exact zero per group of players."""

    d: np.ndarray
    V: np.ndarray
    z: np.ndarray


@dataclass(frozen=True, repr=False)
class PlayGraph:
    """Who met whom, and what came of it: all that the estimators need of a results table.

    Attributes
    ----------
    players, evenings : Index
        The p players and S evenings, sorted; rows of the table refer to them by number.
    evening, player : ndarray of int, shape (N,)
        Evening and player of each result, ascending.
    y : ndarray, shape (N,)
        Results minus the mean of their evening, in chips.
    imbalance : ndarray, shape (S,)
        Sum of each evening's results, in chips; 0 when the chips add up.
    weight : ndarray, shape (S,)
        Weight of each evening, above 0; 1 unless given.
    """

    players: pd.Index
    evenings: pd.Index
    evening: np.ndarray
    player: np.ndarray
    y: np.ndarray
    imbalance: np.ndarray
    weight: np.ndarray

    def __repr__(self) -> str:
        return f"PlayGraph({self.n_players} players, {len(self.evenings)} evenings)"

    @property
    def n_players(self) -> int:
        """p, the number of players."""
        return len(self.players)

    @property
    def is_large(self) -> bool:
        """Whether there are too many players for all their pairs at once."""
        return self.n_players > SIZE

    def affordable(self, work: float) -> None:
        """Refuse what would take many minutes.

        Raises
        ------
        DataError
            If `work`, in multiplications, is above 5·10¹¹.
        """
        if work > MOST_WORK:
            values = {"players": self.n_players, "evenings": len(self.evenings)}
            raise DataError(Problem("error", "setting", "too_long", values=values))

    @cached_property
    def field_size(self) -> np.ndarray:
        """n_s: players at each evening, shape (S,)."""
        return np.bincount(self.evening, minlength=len(self.evenings))

    @cached_property
    def n_evenings(self) -> np.ndarray:
        """Evenings of each player, shape (p,)."""
        return np.bincount(self.player, minlength=self.n_players)

    @cached_property
    def weight_sum(self) -> np.ndarray:
        """Sum of the weights of each player's evenings, shape (p,); as a rule, their number."""
        return np.bincount(self.player, self.weight[self.evening], self.n_players)

    @property
    def nu(self) -> int:
        """ν = Σ(n_s − 1): each evening's zero sum costs one observation."""
        return int((self.field_size - 1).sum())

    @property
    def q(self) -> float:
        """Q = Σ w_s (y − ȳ_s)², in chips²."""
        return float(self.y @ (self.weight[self.evening] * self.y))

    @cached_property
    def h(self) -> np.ndarray:
        """H = Xᵀy, shape (p,), in chips: each player's total when all evenings balance."""
        return np.bincount(self.player, self.weight[self.evening] * self.y, self.n_players)

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
        p, n = self.n_players, self.field_size[self.evening]
        # Every row beside every row of the same evening; summed evening by evening.
        row = np.repeat(np.arange(len(n)), n)
        start = (self.field_size.cumsum() - self.field_size)[self.evening]
        other = np.arange(len(row)) + np.repeat(start - (n.cumsum() - n), n)
        share = (self.weight / self.field_size)[self.evening[row]]
        shared = np.bincount(self.player[row] * p + self.player[other], share, p * p)
        return np.diag(self.weight_sum) - shared.reshape(p, p)

    @cached_property
    def group(self) -> np.ndarray:
        """Number of the connected group of each player, shape (p,)."""
        p = self.n_players
        size = p + len(self.evenings)  # players and evenings are nodes, seats the edges
        edges = csr_array((np.ones(len(self.y)), (self.player, p + self.evening)), (size, size))
        return connected_components(edges, directed=False)[1][:p]

    @cached_property
    def rank(self) -> int:
        """r, the rank of G: players minus groups."""
        return self.n_players - len(np.unique(self.group))

    @cached_property
    def parts(self) -> list["PlayGraph"]:
        """The connected groups, each a graph of its own, by number."""
        if self.n_players - self.rank == 1:
            return [self]
        members = np.split(self.group.argsort(kind="stable"), np.bincount(self.group).cumsum())
        of_row = self.group[self.player]
        rows = np.split(of_row.argsort(kind="stable"), np.bincount(of_row).cumsum())
        number = np.empty(self.n_players, int)
        parts = []
        for own, at in zip(members[:-1], rows[:-1], strict=True):
            number[own] = np.arange(len(own))
            evenings, evening = np.unique(self.evening[at], return_inverse=True)
            names = self.players[own], self.evenings[evenings]
            player, y = number[self.player[at]], self.y[at]
            sums = self.imbalance[evenings], self.weight[evenings]
            parts.append(PlayGraph(*names, evening, player, y, *sums))
        return parts

    @cached_property
    def laplacian(self) -> Laplacian:
        """G as a map, for tables too large for the matrix."""
        return Laplacian(self.seats, self.weight)

    @cached_property
    def spectrum(self) -> Spectrum:
        """Eigenvalues and -vectors of G, and h in that basis.

        Raises
        ------
        DataError
            If there are more than 3,000 players.
        """
        if self.is_large:
            values = {"players": self.n_players, "most": SIZE}
            raise DataError(Problem("error", "setting", "too_many_players", values=values))
        d, V = np.linalg.eigh(self.G)
        z = V.T @ self.h
        zeros = self.n_players - self.rank
        d[:zeros] = 0.0  # rounding leaves ±1e-15 here, which 1/d would magnify
        z[:zeros] = 0.0  # h is orthogonal to the constants of each group
        return Spectrum(d, V, z)

    def by_evening(self) -> Iterator[tuple[slice, float]]:
        """The rows of each evening, and its weight."""
        ends = self.field_size.cumsum()
        for start, end, weight in zip(ends - self.field_size, ends, self.weight, strict=True):
            yield slice(start, end), weight

    def weighted(self, weights: pd.Series) -> "PlayGraph":
        """The same with a weight for each evening; one of weight 0 is as if it were not held."""
        weight = _by(self.evenings, weights, "weights", "evening")
        if not ((weight >= 0) & (weight < np.inf)).all():
            raise ValueError(f"weights must be numbers from 0 up, not {weight.min()}")
        if not (weight > 0).any():
            raise ValueError("weights leaves no evening")
        return replace(self, weight=weight).at_evenings(weight > 0)

    def at_evenings(self, kept: np.ndarray) -> "PlayGraph":
        """The same with the evenings of a mask alone, shape (S,); all players stay."""
        if kept.all():
            return self
        rows, number = kept[self.evening], kept.cumsum() - 1
        return PlayGraph(
            self.players,
            self.evenings[kept],
            number[self.evening[rows]],
            self.player[rows],
            self.y[rows],
            self.imbalance[kept],
            self.weight[kept],
        )


@dataclass(frozen=True, repr=False)
class Fit:
    """Ratings under one parameter set; all that follows from it is computed when asked for.

    Attributes
    ----------
    graph : PlayGraph
    lam : float or Series by player
    sigma : float
    """

    graph: PlayGraph
    lam: float | pd.Series
    sigma: float

    def __repr__(self) -> str:
        lam = "by player" if isinstance(self.lam, pd.Series) else f"{self.lam:g}"
        players, evenings = self.graph.n_players, len(self.graph.evenings)
        return f"Fit({players} players, {evenings} evenings, lam={lam}, sigma={self.sigma:g})"

    @property
    def tau(self) -> float | pd.Series:
        """τ = σ/√λ, implied by the two parameters, in chips."""
        return self.sigma / self.lam**0.5

    @property
    def one_lam(self) -> float:
        """λ where all players share it; else ValueError."""
        if not isinstance(self.lam, pd.Series):
            return self.lam
        if self.lam.nunique() > 1:
            raise ValueError("one λ is needed for all players, not a λ by player")
        return float(self.lam.iloc[0])

    @cached_property
    def _root(self) -> tuple[float | np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """s, V, b, z with (G + diag λ)⁻¹ = SV diag(1/b) VᵀS, S = diag(s), and z = VᵀSh."""
        graph = self.graph
        if not isinstance(self.lam, pd.Series) or self.lam.nunique() == 1:
            d, V, z = graph.spectrum
            return 1.0, V, d + self.one_lam, z
        # With S = diag(λ)^(−½): G + diag(λ) = S⁻¹(SGS + I)S⁻¹.
        s = self.lam.to_numpy() ** -0.5
        d, V = np.linalg.eigh(s[:, None] * graph.G * s)
        return s, V, d + 1, V.T @ (s * graph.h)

    @cached_property
    def _groups(self) -> list["Fit"]:
        """The fit of each connected group."""
        lam = self.lam
        if not isinstance(lam, pd.Series):
            return [Fit(part, lam, self.sigma) for part in self.graph.parts]
        return [Fit(part, lam[part.players], self.sigma) for part in self.graph.parts]

    def _joined(self, name: str) -> pd.Series:
        """What the fits of the groups have under that name, in the order of the players."""
        values = np.empty(self.graph.n_players)
        values[self.graph.group.argsort(kind="stable")] = np.concatenate(
            [getattr(fit, name) for fit in self._groups]
        )
        return pd.Series(values, self.graph.players, name=name)

    @property
    def _lams(self) -> np.ndarray:
        """λ of each player, shape (p,)."""
        return np.broadcast_to(self.lam, self.graph.n_players).astype(float)

    @cached_property
    def theta(self) -> pd.Series:
        """θ̂ = (G + λI)⁻¹h by player, in chips."""
        graph = self.graph
        if graph.is_large and len(graph.parts) > 1:
            return self._joined("theta")
        if graph.is_large:
            theta = ratings(graph.laplacian, self._lams, graph.h)
            return pd.Series(theta, graph.players, name="theta")
        s, V, b, z = self._root
        return pd.Series(s * (V @ (z / b)), self.graph.players, name="theta")

    @cached_property
    def se(self) -> pd.Series:
        """Uncertainty u = σ√[(G + λI)⁻¹]_ii by player (Unsicherheitsspanne), in chips."""
        if self.graph.is_large and len(self.graph.parts) > 1:
            return self._joined("se")
        if self.graph.is_large:
            u = self.sigma * np.sqrt(self._variances[0])
            return pd.Series(u, self.graph.players, name="se")
        s, V, b, _ = self._root
        u = self.sigma * s * np.sqrt((V**2) @ (1 / b))
        return pd.Series(u, self.graph.players, name="se")

    @cached_property
    def se_error(self) -> pd.Series:
        """Standard error of u by player, relative; 0 up to 3,000 players, where u is exact."""
        if self.graph.is_large and len(self.graph.parts) > 1:
            return self._joined("se_error")
        error = self._variances[1] / 2 if self.graph.is_large else 0.0
        return pd.Series(error, self.graph.players, name="se_error")

    @cached_property
    def _variances(self) -> tuple[np.ndarray, np.ndarray]:
        return variances(self.graph.laplacian, self._lams)

    @cached_property
    def cov(self) -> pd.DataFrame:
        """σ²(G + λI)⁻¹ by player, in chips²: the joint posterior covariance."""
        s, V, b, _ = self._root
        V = V * np.reshape(s, (-1, 1))
        cov = (V * (self.sigma**2 / b)) @ V.T
        return pd.DataFrame(cov, self.graph.players, self.graph.players)

    def draws(self, n: int, rng: np.random.Generator) -> np.ndarray:
        """Joint draws of all ratings, N(θ̂, σ²(G + λI)⁻¹), shape (n, p), in chips."""
        s, V, b, _ = self._root
        # By the symmetric root, the same whatever basis the solver found for V.
        root = (V * (self.sigma / np.sqrt(b))) @ V.T * s
        return self.theta.to_numpy() + rng.standard_normal((n, len(b))) @ root


def play_graph(results: pd.DataFrame) -> PlayGraph:
    """The play graph of a results table.

    Parameters
    ----------
    results : DataFrame
        Columns `evening`, `player`, `result` (chips), one row per player and evening.

    Returns
    -------
    PlayGraph

    Raises
    ------
    ValueError
        If a column is missing, the table is empty, a result is not finite, an evening or a player
        is missing, or a player stands twice at one evening.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> liga.play_graph(results)
    PlayGraph(14 players, 12 evenings)
    """
    missing = {"evening", "player", "result"} - set(results.columns)
    if missing:
        raise ValueError(f"results lacks the column(s) {', '.join(sorted(missing))}")
    if results.empty:
        raise ValueError("results has no rows")
    result = results["result"].to_numpy(float)
    if not np.isfinite(result).all():
        raise ValueError("results must be finite numbers")
    evening, evenings = pd.factorize(results["evening"], sort=True)
    player, players = pd.factorize(results["player"], sort=True)
    if evening.min() < 0 or player.min() < 0:
        raise ValueError("results has rows without an evening or a player")
    # Sorted, so that the order of the rows cannot change a single bit of what follows.
    seat = evening * len(players) + player
    order = np.argsort(seat, kind="stable")
    evening, player, result = evening[order], player[order], result[order]
    twice = np.flatnonzero(np.diff(seat[order]) == 0)
    if len(twice):
        name, at = players[player[twice[0]]], evenings[evening[twice[0]]]
        raise ValueError(f"evening {at}: {name} stands there twice")
    imbalance = np.bincount(evening, result)
    return PlayGraph(
        pd.Index(players, name="player"),
        pd.Index(evenings, name="evening"),
        evening,
        player,
        result - (imbalance / np.bincount(evening))[evening],
        imbalance,
        np.ones(len(evenings)),
    )


def fit_ratings(
    results: pd.DataFrame | PlayGraph,
    lam: float | pd.Series = 6.0,
    sigma: float = 2400.0,
    weights: pd.Series | None = None,
) -> Fit:
    """Ratings θ̂ and their uncertainty u, all players at once.

    θ̂ minimises Σ_s w_s Σ_{i∈F_s} (y_is − (θ_i − θ̄_s))² + Σ_i λ_i θ_i², hence
    θ̂ = (G + diag λ)⁻¹h; with λ_i = σ²/τ_i² it is the posterior mean, and σ²(G + diag λ)⁻¹ the
    posterior covariance. The rulebook has one λ and w_s = 1.

    Parameters
    ----------
    results : DataFrame or PlayGraph
        Columns `evening`, `player`, `result`, or the graph made of them.
    lam : float or Series by player
        λ > 0, without unit.
    sigma : float
        σ > 0, in chips; scales u and leaves θ̂ alone.
    weights : Series by evening, optional
        w_s ≥ 0: the evening's luck has variance σ²/w_s; with 0 it is as if not held. All 1 if
        not given.

    Returns
    -------
    Fit
        `theta`, `se`, `cov` by player, in chips (chips²); `lam`, `tau`, `sigma`, `graph`.

    Raises
    ------
    ValueError
        If λ or σ is not a positive number, a weight is below 0 or all are 0, a player (evening) of
        the table is missing in `lam` (`weights`) or stands there twice, or the table is unusable
        (see `play_graph`).

    Notes
    -----
    Rulebook, "Schätzung" and "Unsicherheitsspanne". λ and σ default to the rulebook's values.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> fit = liga.fit_ratings(results, lam=6, sigma=2400)
    >>> fit
    Fit(14 players, 12 evenings, lam=6, sigma=2400)
    >>> bool(abs(fit.theta.sum()) < 1e-6)
    True
    """
    graph = results if isinstance(results, PlayGraph) else play_graph(results)
    if isinstance(lam, pd.Series):
        lam = pd.Series(_by(graph.players, lam, "lam", "player"), graph.players, name="lam")
    for name, value in (("lam", lam), ("sigma", sigma)):
        numbers = np.asarray(value, float)
        wrong = numbers[~((numbers > 0) & (numbers < np.inf))]
        if wrong.size:
            raise ValueError(f"{name} must be a positive number, not {wrong.flat[0]:g}")
    if weights is not None:
        graph = graph.weighted(weights)
    return Fit(graph, lam if isinstance(lam, pd.Series) else float(lam), float(sigma))


def _by(index: pd.Index, values: pd.Series, name: str, kind: str) -> np.ndarray:
    """The values in the order of the index, as numbers."""
    if not isinstance(values, pd.Series):
        raise ValueError(f"{name} must be a Series by {kind}")
    if not values.index.is_unique:
        raise ValueError(f"{name} names {values.index[values.index.duplicated()][0]} twice")
    missing = index.difference(values.index)
    if len(missing):
        raise ValueError(f"{name} lacks the {kind} {missing[0]}")
    return values[index].to_numpy(float)


def receipt(fit: Fit) -> pd.DataFrame:
    """What each rating is made of (Quittung).

    Exactly θ̂_i = (Σ_s y_is − Σ_s ȳ_s + Σ_s θ̄_s) / (evenings_i + λ): total won, less the mean of
    evenings that do not add up, plus field strength faced, shared out over evenings + λ. Where
    evenings have weights all sums are weighted, `evenings` is the sum of the weights.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    DataFrame
        By player: `total`, `imbalance` (−Σȳ_s, 0 when all evenings balance), `field_strength`,
        `evenings`, `rating`; chips but for `evenings`.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> parts = liga.receipt(liga.fit_ratings(results, lam=6))
    >>> shared = parts[["total", "imbalance", "field_strength"]].sum(axis=1)
    >>> bool((abs(shared / (parts["evenings"] + 6) - parts["rating"]) < 1e-6).all())
    True
    """
    graph = fit.graph
    plain = (graph.weight == 1).all()
    imbalance = -(graph.seats.T @ (graph.weight * graph.imbalance / graph.field_size))
    faced = graph.seats.T @ (graph.weight * field_strength(fit).to_numpy())
    return pd.DataFrame(
        {
            "total": graph.h - imbalance,
            "imbalance": imbalance,
            "field_strength": faced,
            "evenings": graph.n_evenings if plain else graph.weight_sum,
            "rating": fit.theta,
        },
        index=graph.players,
    )


def field_strength(fit: Fit) -> pd.Series:
    """θ̄_s by evening: the mean rating of those present, in chips.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    Series
        By evening.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> len(liga.field_strength(liga.fit_ratings(results)))
    12
    """
    graph = fit.graph
    return pd.Series(
        graph.seats @ fit.theta.to_numpy() / graph.field_size,
        graph.evenings,
        name="field_strength",
    )


def reliability(fit: Fit) -> pd.Series:
    """Share of the differences between players that the results have settled, 0 to 1, by player.

    1 − (u_i² − c)/(τ_i² − c), c = σ²/Σλ_j over the connected group: the variance of its common
    level, which no result can tell. With one λ, c = τ²/K for K players. NaN for a player alone.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    Series
        By player.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> liga.reliability(liga.fit_ratings(results)).between(0, 1).all()
    np.True_
    """
    group, lam = fit.graph.group, np.broadcast_to(fit.lam, fit.graph.n_players)
    level = (fit.sigma**2 / np.bincount(group, lam))[group]
    level[np.bincount(group)[group] == 1] = np.nan
    return (1 - (fit.se**2 - level) / (fit.tau**2 - level)).rename("reliability")


def ranks(ratings: np.ndarray, sigma: float) -> np.ndarray:
    """Ranks along the last axis, 1 = highest: 1, 1, 3.

    Equal ratings, to 1e-9·σ below the best of those who share the rank, have equal rank.
    """
    order = np.argsort(-ratings, axis=-1)
    falling = np.take_along_axis(ratings, order, -1)
    place = np.broadcast_to(np.arange(1, ratings.shape[-1] + 1), ratings.shape).copy()
    near = -np.diff(falling, axis=-1) <= TIE * sigma
    for k in np.flatnonzero(near.any(axis=tuple(range(near.ndim - 1)))):
        shared = place[..., k, None]
        best = np.take_along_axis(falling, shared - 1, -1)[..., 0]
        equal = best - falling[..., k + 1] <= TIE * sigma
        place[..., k + 1] = np.where(equal, place[..., k], place[..., k + 1])
    result = np.empty_like(place)
    np.put_along_axis(result, order, place, -1)
    return result
