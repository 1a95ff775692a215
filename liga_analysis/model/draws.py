"""Chances from joint draws of the ratings: θ | y ~ N(θ̂, σ²(G + λI)⁻¹).

Players außer Wertung stay in the fit: they are opponents.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.season import Season
from .large import PIECE
from .ranking import contest, ranks
from .rating import Fit

TOGETHER = 0.9  # the joint intervals all hold in this share of the draws


class PodiumChance(NamedTuple):
    """Probability of this podium in this `order`, and of these players on it `together`.

    NaN where nobody is in der Wertung.
    """

    order: float
    together: float


def chances(
    source: Season | Fit,
    ranked=None,
    draws: int = 40_000,
    seed: int = 1,
    podium: int | None = None,
) -> pd.DataFrame:
    """Chances of place 1, of the podium, and of the ranks, among those in der Wertung.

    Parameters
    ----------
    source : Season or Fit
    ranked : list of names, boolean Series or array by player, optional
        With a fit: who is in der Wertung; all if not given.
    draws, seed : int
        Number of joint draws, and the seed of their randomness.
    podium : int, optional
        Steps of the podium, in place of the rules'.

    Returns
    -------
    DataFrame
        By player, in table order: `p_first`, `p_podium`, `rank_mean`; `rank_low` and `rank_high`,
        the 5 % and 95 % points of the rank; `joint_low` and `joint_high`, ranks between which all
        players stand at once with at least 90 %.

    Raises
    ------
    ValueError
        If `ranked` names somebody unknown or twice, or is a mask of another length.
    DataError
        If no evening of the season counts.

    Notes
    -----
    A probability p has a standard error of √(p(1 − p)/draws), at most 0.0025 for 40,000.

    In each draw e is the smallest, over players and both sides, of P(rank ≤ r) and P(rank ≥ r) at
    the drawn rank r; a joint interval holds all ranks at which both are at least the 10 % point of
    e. After Mogstad, Romano, Shaikh, Wilhelm (2023), from the posterior here.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> table = liga.chances(season, draws=1000)
    >>> float(table["p_first"].sum())
    1.0
    """
    fit, inside, podium = contest(source, ranked, podium)
    inside = inside[np.argsort(ranks(fit.theta.to_numpy()[inside], fit.sigma), kind="stable")]
    pieces = _pieces(fit, inside, draws, seed)
    return rank_chances(pieces, fit.graph.players[inside], fit.sigma, podium)


def podium_chance(
    source: Season | Fit,
    ranked=None,
    draws: int = 40_000,
    seed: int = 1,
    podium: int | None = None,
) -> PodiumChance:
    """Chance that the table's podium is the true one: in this order, and in any.

    The k players of the table's podium (rank ≤ podium) are the k best of a draw; `order` asks for
    the table's order as well, where equal ones may stand in any.

    Parameters
    ----------
    source, ranked, draws, seed, podium
        As for `chances`.

    Returns
    -------
    PodiumChance

    Raises
    ------
    ValueError, DataError
        As `chances`.

    Examples
    --------
    >>> chance = liga.podium_chance(liga.load_season("data/beispielliga/2026"), draws=1000)
    >>> chance.order < chance.together < 1
    True
    """
    fit, inside, podium = contest(source, ranked, podium)
    place = ranks(fit.theta.to_numpy()[inside], fit.sigma)
    return podium_share(_pieces(fit, inside, draws, seed), place, fit.sigma, podium)


def _pieces(fit, inside, draws, seed):
    """Joint draws of those `inside`, a bounded number at a time; the same whenever called."""
    size = max(1, PIECE // fit.graph.n_players)
    draws = draws if len(inside) else 1  # of nobody one says as much

    def pieces():
        rng = np.random.default_rng(seed)
        for start in range(0, draws, size):
            yield fit.draws(min(size, draws - start), rng)[:, inside]

    return pieces


def rank_chances(
    pieces: Callable[[], Iterator[np.ndarray]], players: pd.Index, sigma: float, podium: int
) -> pd.DataFrame:
    """The table of `chances` from joint draws of the `players`' ratings, in pieces of rows."""
    k, count, places = len(players), 0, []
    cell = k * np.arange(k) - 1
    for piece in pieces():
        places = [*places[:1], ranks(piece, sigma)]  # kept if there is but one
        count += np.bincount((places[-1] + cell).ravel(), minlength=k * k).reshape(k, k)
    n = sum(count[:1, :].ravel()) if k else 1
    upto = count.cumsum(1) / n  # P(rank ≤ r), by player and r
    onward = (n - count.cumsum(1) + count) / n  # P(rank ≥ r)
    least = np.minimum(upto, onward).ravel()
    again = places if len(places) < 2 else (ranks(piece, sigma) for piece in pieces())
    e = np.concatenate([least[place + cell].min(1, initial=1) for place in again])
    c = np.quantile(e, 1 - TOGETHER, method="inverted_cdf")
    columns = {
        "p_first": upto[:, :1].sum(1),
        "p_podium": count[:, :podium].sum(1) / n,
        "rank_mean": count @ np.arange(1, k + 1) / n,
        "rank_low": (upto < 0.05).sum(1) + 1,
        "rank_high": (upto < 0.95).sum(1) + 1,
        "joint_low": (upto < c).sum(1) + 1,
        "joint_high": (onward >= c).sum(1),
    }
    return pd.DataFrame(columns, players)


def podium_share(
    pieces: Callable[[], Iterator[np.ndarray]], place: np.ndarray, sigma: float, podium: int
) -> PodiumChance:
    """`podium_chance` from joint draws of players who stand at `place` in the table, (k,)."""
    if not len(place):
        return PodiumChance(np.nan, np.nan)
    on = place <= podium
    first = place[on]
    last = first + np.bincount(first)[first] - 1  # equal ones share the places up to here
    order = together = n = 0
    for piece in pieces():
        drawn = ranks(piece, sigma)[:, on]
        together += (drawn <= len(first)).all(1).sum()
        order += ((first <= drawn) & (drawn <= last)).all(1).sum()
        n += len(piece)
    return PodiumChance(float(order / n), float(together / n))
