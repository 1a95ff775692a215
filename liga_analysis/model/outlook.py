"""The rest of the season: announced evenings simulated, and what the next one could change.

To an evening to come, every player comes with a chance of their own, at least two do. Its results
are y = M(θ_F + e), M = I − 11ᵀ/n, e ~ N(0, σ²I), with θ drawn from the posterior
N(θ̂, σ²(G + λI)⁻¹). The table is fitted again with them, and whoever has enough evenings at the
season's end is in der Wertung. `came` says who came to which evening held, in order: a boolean
array of shape (S, p), False throughout for guests, who are not expected again.
"""

from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import betaln

from ..season.season import Season
from .chain import Linked
from .large import PIECE
from .ranking import ranks, season_fit, standings
from .rating import Fit

# By how many evenings the league's mean attendance may speak for each player.
HABITS = np.geomspace(0.5, 1000, 60)


class Outlook(NamedTuple):
    """What the rest of a season may bring, guests left out.

    `players`, by player in table order: `attendance` (mean chance to come), `evenings`, `needed`
    (evenings still to play to be in der Wertung at the end), `reachable` (whether as many are to
    come), `p_qualified`, `p_first`, `p_podium`. `remaining` evenings are to come.
    """

    players: pd.DataFrame
    remaining: int


class NextEvening(NamedTuple):
    """What the next evening could change.

    `field` is who is expected: those with a chance of ½ or more to come. `passes` has a row for
    each `player` behind an `other`, both in der Wertung after it: `result`, in chips, beyond which
    the player stands above the other, and `chips`, the first beyond it that can be laid down.
    """

    field: list[str]
    passes: pd.DataFrame

    def __repr__(self) -> str:
        return f"NextEvening({len(self.field)} players expected, {len(self.passes)} passes)"


def season_outlook(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    draws: int = 10_000,
    seed: int = 1,
    linked: Linked | None = None,
) -> Outlook:
    """Chances of title and podium in the final table, all announced evenings played.

    Parameters
    ----------
    season : Season
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.
    draws, seed : int
        Seasons simulated, and the seed of their randomness.
    linked : Linked, optional
        The season linked with earlier ones: who is how good is drawn from it. The luck of evenings
        to come, and the final table, stay the season's own.

    Returns
    -------
    Outlook
        `remaining`, the number of evenings to come, and `players` with their chances.

    Raises
    ------
    DataError
        If no evening counts.

    Notes
    -----
    Nobody new is expected. A chance p has a standard error of √(p(1 − p)/draws). Without evenings
    to come the table is final, and every chance 0 or 1.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> liga.season_outlook(season, draws=100).remaining
    0
    """
    fit, rules = season_fit(season, lam, sigma), season.rules
    came, remaining = attended(season, fit), len(season.announced)
    theta = None if linked is None else np.concatenate(list(linked.pieces(draws, seed)))
    places = final_places(fit, came, remaining, draws, seed, theta)
    evenings = came.sum(0)
    needed = np.maximum(rules.evenings_needed(len(came) + remaining) - evenings, 0)
    table = pd.DataFrame(
        {
            "attendance": attendance(came, draws, seed).mean(0),
            "evenings": evenings,
            "needed": needed,
            "reachable": needed <= remaining,
            "p_qualified": (places > 0).mean(0),
            "p_first": (places == 1).mean(0),
            "p_podium": ((places > 0) & (places <= rules.podium)).mean(0),
        },
        index=fit.graph.players,
    )
    order = standings(season, lam, sigma)["player"]
    return Outlook(table.loc[order[~order.isin(season.guests)]], remaining)


def attended(season: Season, fit: Fit) -> np.ndarray:
    """Who came to which evening held, in order, guests left out: shape (S, p)."""
    seats = fit.graph.seats.toarray()[fit.graph.evenings.get_indexer(season.held)] > 0
    return seats & ~fit.graph.players.isin(season.guests)


def attendance(came: np.ndarray, draws: int = 10_000, seed: int = 1) -> np.ndarray:
    """Draws of each player's chance to come to an evening, shape (draws, p); 0 for guests.

    What counts is the share of the evenings after a player's first one. A few evenings tell little,
    so each chance is Beta(c·m + k, c·(1 − m) + n − k) for k of n evenings: the league's mean share
    m speaks with the weight of c evenings, and c is drawn by how well it explains how different the
    players' shares are (beta-binomial, flat in log c over `HABITS`).
    """
    rng, members = np.random.default_rng([seed, 2]), came.any(0)
    k = came[:, members].sum(0) - 1
    n = len(came) - 1 - came[:, members].argmax(0)
    m = (k.sum() + 0.5) / (n.sum() + 1)
    a, b = HABITS[:, None] * m, HABITS[:, None] * (1 - m)
    fit = (betaln(a + k, b + n - k) - betaln(a, b)).sum(1)
    weight = np.exp(fit - fit.max())
    c = rng.choice(HABITS, (draws, 1), p=weight / weight.sum())
    chance = np.zeros((draws, came.shape[1]))
    chance[:, members] = rng.beta(c * m + k, c * (1 - m) + n - k)
    return chance


def evenings_to_come(
    fit: Fit,
    came: np.ndarray,
    remaining: int,
    draws: int = 10_000,
    seed: int = 1,
    theta: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Who comes (bool) and with what result (chips), each of shape (draws, remaining, p).

    `theta`, shape (draws, p), is the players' strength in each draw; by default that of the fit.
    """
    rng, members = np.random.default_rng([seed, 1]), came.any(0)
    shape = draws, remaining, fit.graph.n_players
    chance = attendance(came, draws, seed)[:, None]
    arrival = rng.random(shape) / np.where(members, chance, 1)  # who is below 1 comes
    arrival[..., ~members] = np.inf
    comes = arrival < 1
    if members.sum() > 1:  # at least the two who were nearest to coming
        comes |= arrival <= np.partition(arrival, 1)[..., 1:2]
    theta = fit.draws(draws, np.random.default_rng(seed)) if theta is None else theta
    y = np.where(comes, theta[:, None] + fit.sigma * rng.standard_normal(shape), 0.0)
    field = np.maximum(comes.sum(-1, keepdims=True), 1)
    return comes, np.where(comes, y - y.sum(-1, keepdims=True) / field, 0.0)


def final_places(
    fit: Fit,
    came: np.ndarray,
    remaining: int,
    draws: int = 10_000,
    seed: int = 1,
    theta: np.ndarray | None = None,
) -> np.ndarray:
    """Ranks in the simulated final tables, shape (draws, p); 0 where not in der Wertung."""
    fit.graph.affordable(draws * fit.graph.n_players**3)
    comes, y = evenings_to_come(fit, came, remaining, draws, seed, theta)
    theta = refitted(fit, comes, y)
    inside = fit.rules.qualifies(came.sum(0) + comes.sum(1), len(came) + remaining) & came.any(0)
    below = theta.min() - fit.sigma
    return np.where(inside, ranks(np.where(inside, theta, below), fit.sigma), 0)


def refitted(fit: Fit, comes: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Ratings with more evenings, shape (draws, p): (G + ΣM_F + λI)⁻¹(h + Σy), in chips."""
    p = fit.graph.n_players
    size = max(1, PIECE // p**2)
    if len(comes) > size:  # a bounded number of matrices at once
        pieces = (slice(start, start + size) for start in range(0, len(comes), size))
        return np.concatenate([refitted(fit, comes[piece], y[piece]) for piece in pieces])
    share = comes / np.sqrt(np.maximum(comes.sum(-1, keepdims=True), 1))
    G = fit.graph.G - share.swapaxes(1, 2) @ share  # ΣM_F = diag(evenings) − Σ1_F 1_Fᵀ/n
    own = np.arange(p)
    G[:, own, own] += comes.sum(1) + fit.lam
    return np.linalg.solve(G, (fit.graph.h + y.sum(1))[..., None])[..., 0]


def next_evening(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    also: Collection[str] = (),
) -> NextEvening:
    """What result on the next evening would bring whom past whom.

    Assumed: the expected field is there, and the player, and the others share the player's win or
    loss r evenly, −r/(n − 1) each. Then all ratings are linear in r, and the answer is exact.

    Parameters
    ----------
    season : Season
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.
    also : collection of str
        Players who are there besides those expected.

    Returns
    -------
    NextEvening
        `field`, the players expected, and `passes`, a row per player and one to pass.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> "Helene" in liga.next_evening(season).field
    True
    """
    fit = season_fit(season, lam, sigma)
    came, players = attended(season, fit), fit.graph.players
    chance = attendance(came).mean(0)
    expected = (chance >= min(0.5, np.sort(chance)[-2:].min())) | players.isin(also)
    rows = []
    for i in np.flatnonzero(came.any(0)):
        field = expected | (np.arange(len(players)) == i)
        if field.sum() < 2:
            continue
        share = np.where(field, -1 / (field.sum() - 1), 0.0)
        share[i] = 1.0
        # One evening with no result, and the same with one chip won: intercept and slope.
        twice = np.stack([field, field])[:, None]
        theta = refitted(fit, twice, np.stack([0 * share, share])[:, None])
        slope = theta[1] - theta[0]
        inside = season.rules.qualifies(came.sum(0) + field, len(came) + 1) & came.any(0)
        ahead = inside & (fit.theta > fit.theta.iloc[i]).to_numpy() & inside[i]
        for j in np.flatnonzero(ahead):
            needed = (theta[0, j] - theta[0, i]) / (slope[i] - slope[j])
            rows.append((players[i], players[j], needed))
    order = standings(season, lam, sigma)["player"]
    place = dict(zip(order, range(len(order)), strict=True))
    table = pd.DataFrame(rows, columns=["player", "other", "result"])
    chip = season.rules.smallest_chip
    table["chips"] = chip * (np.floor(table["result"] / chip) + 1)
    table = table.sort_values(["player", "other"], key=lambda names: names.map(place))
    field = [name for name in order if expected[players.get_loc(name)]]
    return NextEvening(field, table.reset_index(drop=True))
