"""The play graph: who met whom, and what came of it.

Players are nodes, an evening joins all who sat at it with weight 1/n_s: G = XᵀX =
Σ_s w_s (diag(1_s) − 1_s 1_sᵀ/n_s) is its Laplacian, w_s the weight of an evening, 1 if not given.
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
from .large import Laplacian

# Players up to which the spectrum of G is computed: seconds, and 72 MB a matrix.
SIZE = 3000
MOST_WORK = 5e11
MANY_PAIRS = 1_000_000  # of players of one evening, over all evenings


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
        """Refuse (DataError) more than 5·10¹¹ multiplications: it would take many minutes."""
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

    @cached_property
    def of_player(self) -> csr_array:
        """Shape (p, N): 1 where a result is a player's."""
        n = len(self.y)
        return csr_array((np.ones(n), (self.player, np.arange(n))), (self.n_players, n))

    @property
    def design(self) -> np.ndarray:
        """X, shape (N, p): 1 at the player of each result, less 1/n_s at everybody present."""
        X = -(self.seats.multiply(1 / self.field_size[:, None])).toarray()[self.evening]
        X[np.arange(len(self.y)), self.player] += 1
        return X

    @cached_property
    def G(self) -> np.ndarray:
        """G = XᵀX, shape (p, p)."""
        if self._many_pairs:
            share = self.seats.multiply((self.weight / self.field_size)[:, None])
            return np.diag(self.weight_sum) - (self.seats.T @ share).toarray()
        p, n = self.n_players, self.field_size[self.evening]
        # Every row beside every row of the same evening; summed evening by evening.
        start = (self.field_size.cumsum() - self.field_size)[self.evening]
        other = np.arange(n.sum()) + np.repeat(start - (n.cumsum() - n), n)
        pair = np.repeat(self.player * p, n) + self.player[other]
        share = np.repeat((self.weight / self.field_size)[self.evening], n)
        return np.diag(self.weight_sum) - np.bincount(pair, share, p * p).reshape(p, p)

    @property
    def _many_pairs(self) -> bool:
        """Whether G is too large a sum to be made pair by pair, and for every few evenings."""
        return bool(self.field_size @ self.field_size > MANY_PAIRS)

    @cached_property
    def group(self) -> np.ndarray:
        """Number of the connected group of each player, shape (p,)."""
        p = self.n_players
        size = p + len(self.evenings)  # players and evenings are nodes, seats the edges
        start = np.concatenate([np.zeros(p + 1, int), self.field_size.cumsum()])
        edges = csr_array((np.ones(len(self.y)), self.player, start), (size, size))
        return connected_components(edges, directed=False)[1][:p]

    @cached_property
    def rank(self) -> int:
        """r, the rank of G: players minus groups."""
        return self.n_players - int(self.group.max()) - 1

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
        """Eigenvalues and -vectors of G, and h in that basis; DataError above 3,000 players."""
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
        weight = values_by(self.evenings, weights, "weights", "evening")
        if not ((weight >= 0) & (weight < np.inf)).all():
            raise ValueError(f"weights must be numbers from 0 up, not {weight.min()}")
        if not (weight > 0).any():
            raise ValueError("weights leaves no evening")
        return replace(self, weight=weight).at_evenings(weight > 0)

    def at_evenings(self, kept: np.ndarray) -> "PlayGraph":
        """The same with the evenings of a mask alone, shape (S,); all players stay."""
        if kept.all():
            return self
        left = self._at(kept)
        if self._many_pairs and 4 * kept.sum() > 3 * len(kept) and not self.is_large:
            left.__dict__["G"] = self.G - self._at(~kept).G  # little is taken out of much
        return left

    def _at(self, kept: np.ndarray) -> "PlayGraph":
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
    TypeError
        If it is no table.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> liga.play_graph(results)
    PlayGraph(14 players, 12 evenings)
    """
    if not isinstance(results, pd.DataFrame):
        kind = type(results).__name__
        raise TypeError(f"results is a table, such as load_season(…).results, not a {kind}")
    missing = {"evening", "player", "result"} - set(results.columns)
    if missing:
        raise ValueError(
            f"results lacks the column(s) {', '.join(sorted(missing))}; "
            "load_season(table, columns={yours: ours}).results has them"
        )
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
        players.rename("player"),
        evenings.rename("evening"),
        evening,
        player,
        result - (imbalance / np.bincount(evening))[evening],
        imbalance,
        np.ones(len(evenings)),
    )


def values_by(index: pd.Index, values: pd.Series, name: str, kind: str) -> np.ndarray:
    """The values in the order of the index, as numbers."""
    if not isinstance(values, pd.Series):
        raise ValueError(f"{name} must be a Series by {kind}, not a {type(values).__name__}")
    if not values.index.is_unique:
        raise ValueError(f"{name} names {values.index[values.index.duplicated()][0]} twice")
    missing = index.difference(values.index)
    if len(missing):
        raise ValueError(f"{name} lacks the {kind} {missing[0]}; each {kind} needs a value")
    return values[index].to_numpy(float)
