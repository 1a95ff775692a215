"""Chances from joint draws of the ratings, and how well the players can be compared at all.

θ | y ~ N(θ̂, σ²(G + λI)⁻¹). Players außer Wertung stay in the fit: they are opponents.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.special import ndtr

from ..season.season import Season
from .ranking import contest
from .rating import Fit, ranks

TOGETHER = 0.9  # the joint intervals all hold in this share of the draws
PIECE = 4_000_000  # numbers drawn at once: 32 MB


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
        Steps of the podium; by the season's rules, or 3.

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


def sd_difference(fit: Fit) -> pd.DataFrame:
    """Standard deviation of θ_i − θ_j by pair of players, in chips.

    √(u_i² + u_j² − 2 cov_ij): what the two have in common, above all the level of their group,
    cancels. Players with nothing but the prior between them have τ√2.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    DataFrame
        Players × players; 0 on the diagonal.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> liga.sd_difference(liga.fit_ratings(results)).shape
    (14, 14)
    """
    cov = fit.cov.to_numpy()
    variance = np.diag(cov)
    square = variance[:, None] + variance - 2 * cov
    return pd.DataFrame(np.sqrt(square.clip(0)), fit.theta.index, fit.theta.index)


def better_than(fit: Fit) -> pd.DataFrame:
    """P(θ_i > θ_j) = Φ((θ̂_i − θ̂_j)/sd_ij), row i above column j; NaN on the diagonal.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    DataFrame
        Players × players.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> better = liga.better_than(liga.fit_ratings(results))
    >>> bool(abs(better.loc[1, 2] + better.loc[2, 1] - 1) < 1e-12)
    True
    """
    theta, sd = fit.theta.to_numpy(), sd_difference(fit).to_numpy(copy=True)
    np.fill_diagonal(sd, np.nan)
    p = ndtr((theta[:, None] - theta) / sd)
    return pd.DataFrame(p, fit.theta.index, fit.theta.index)


def comparisons(fit: Fit) -> pd.DataFrame:
    """What the results say about each pair of players, the weakest comparison first.

    Parameters
    ----------
    fit : Fit

    Returns
    -------
    DataFrame
        `player`, `other`; `evenings` both sat at; `steps`, the length of the shortest chain of
        evenings between them (1 = met, ∞ = no chain: they belong to groups that never met);
        `p`, P(player above other); `sd` of θ_i − θ_j in chips; `settled` = 1 − sd²/(τ_i² + τ_j²),
        from 0 (only the prior compares the two) to 1.

    Examples
    --------
    >>> results, _ = liga.simulate_results(n_players=14, n_evenings=12)
    >>> pairs = liga.comparisons(liga.fit_ratings(results))
    >>> len(pairs) == 14 * 13 // 2
    True
    """
    shared = fit.graph.seats.T @ fit.graph.seats
    steps = shortest_path(shared, unweighted=True)
    sd, tau = sd_difference(fit).to_numpy(), np.broadcast_to(fit.tau, fit.graph.n_players)
    i, j = np.triu_indices(len(sd), 1)
    names = fit.graph.players.to_numpy()
    return pd.DataFrame(
        {
            "player": names[i],
            "other": names[j],
            "evenings": shared.toarray()[i, j].astype(int),
            "steps": steps[i, j],
            "p": better_than(fit).to_numpy()[i, j],
            "sd": sd[i, j],
            "settled": 1 - sd[i, j] ** 2 / (tau[i] ** 2 + tau[j] ** 2),
        }
    ).sort_values("sd", ascending=False, kind="stable", ignore_index=True)


def groups(fit: Fit) -> pd.DataFrame:
    """Groups of players joined by evenings, the largest first.

    Returns
    -------
    DataFrame
        `players` (list), and `sd`: median SD of the difference between one of them and one of
        another group, in chips; NaN where there is no other.
    """
    group = fit.graph.group
    parts = sorted((np.flatnonzero(group == g) for g in np.unique(group)), key=len, reverse=True)
    return pd.DataFrame(
        {
            "players": [list(fit.graph.players[part]) for part in parts],
            "sd": [_sd_between(fit, part, np.ones_like(group, bool)) for part in parts],
        }
    )


def bridges(fit: Fit) -> pd.DataFrame:
    """Players and evenings that alone connect a part of a group with the rest of it.

    Returns
    -------
    DataFrame
        `kind` ("player" or "evening"), `bridge`, `players` (list: the smaller part), `rest` (how
        many stay on the other side) and `sd`, the median SD of the difference across the bridge,
        in chips; the weakest first.

    Notes
    -----
    Only where both sides have at least two players: nearly everywhere somebody came once.
    """
    seats, group, rows = fit.graph.seats, fit.graph.group, []
    for i, player in enumerate(fit.graph.players):
        others = np.delete(np.arange(len(group)), i)
        rows += _cut(fit, "player", player, seats[:, others], others, group == group[i])
    for s, evening in enumerate(fit.graph.evenings):
        rest = seats[np.delete(np.arange(seats.shape[0]), s)]
        there = group == group[seats[[s]].indices[0]]
        rows += _cut(fit, "evening", evening, rest, np.arange(len(group)), there)
    table = pd.DataFrame(rows, columns=["kind", "bridge", "players", "rest", "sd"])
    return table.sort_values("sd", ascending=False, kind="stable", ignore_index=True)


def _cut(fit, kind, bridge, seats, players, there):
    """A row for each part but the largest that `seats`, with the bridge taken out, fall into."""
    label = connected_components(seats.T @ seats, directed=False)[1]
    own = there[players]
    parts = [players[(label == part) & own] for part in np.unique(label[own])]
    parts = sorted((part for part in parts if len(part) > 1), key=len, reverse=True)
    kept = np.isin(np.arange(len(there)), np.concatenate([[], *parts]))
    for part in parts[1:]:
        names = list(fit.graph.players[part])
        yield kind, bridge, names, int(kept.sum()) - len(part), _sd_between(fit, part, kept)


def _sd_between(fit, part, among):
    """Median SD of θ_i − θ_j, i in the part and j in the rest of `among`."""
    rest = np.setdiff1d(np.flatnonzero(among), part)
    sd = sd_difference(fit).to_numpy()[np.ix_(part, rest)]
    return float(np.median(sd)) if sd.size else np.nan
