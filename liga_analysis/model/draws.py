"""Chances from joint draws of the ratings, and how well the players can be compared at all.

θ | y ~ N(θ̂, σ²(G + λI)⁻¹). `ranked` says who is in der Wertung: a boolean Series by player, or an
array in the order of `graph.players`. Players außer Wertung stay in the fit: they are opponents.
"""

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.special import ndtr

from .rating import Fit, ranks
from .sensitivity import in_ranking


def joint_draws(fit: Fit, n: int = 40_000, seed: int = 1) -> pd.DataFrame:
    """Joint draws of all ratings, in chips: n rows, columns players."""
    d, V, _ = fit.graph.spectrum
    # The symmetric root V diag(σ/√(d + λ)) Vᵀ: the same whatever basis the solver found for V.
    root = (V * (fit.sigma / np.sqrt(d + fit.lam))) @ V.T
    noise = np.random.default_rng(seed).standard_normal((n, len(d)))
    return pd.DataFrame(fit.theta.to_numpy() + noise @ root, columns=fit.graph.players)


def chances(fit: Fit, ranked, n: int = 40_000, seed: int = 1, podium: int = 3) -> pd.DataFrame:
    """Chances of place 1, of the podium, and of the ranks, among those in der Wertung.

    Returns
    -------
    DataFrame
        By player, in table order: `p_first`, `p_podium`, `rank_mean`, and `rank_low` and
        `rank_high`, the 5 % and 95 % points of the rank.

    Notes
    -----
    A probability p has a standard error of √(p(1 − p)/n), at most 0.0025 for 40,000 draws.
    """
    inside = in_ranking(fit.graph, ranked)
    inside = inside[np.argsort(ranks(fit.theta.to_numpy()[inside], fit.sigma), kind="stable")]
    places = ranks(joint_draws(fit, n, seed).to_numpy()[:, inside], fit.sigma)
    low, high = np.quantile(places, [0.05, 0.95], axis=0, method="inverted_cdf")
    return pd.DataFrame(
        {
            "p_first": (places == 1).mean(0),
            "p_podium": (places <= podium).mean(0),
            "rank_mean": places.mean(0),
            "rank_low": low,
            "rank_high": high,
        },
        index=fit.graph.players[inside],
    )


def sd_difference(fit: Fit) -> pd.DataFrame:
    """Standard deviation of θ_i − θ_j by pair of players, in chips.

    √(u_i² + u_j² − 2 cov_ij): what the two have in common, above all the level of their group,
    cancels. Players with nothing but the prior between them have τ√2.
    """
    cov = fit.cov.to_numpy()
    variance = np.diag(cov)
    square = variance[:, None] + variance - 2 * cov
    return pd.DataFrame(np.sqrt(square.clip(0)), fit.graph.players, fit.graph.players)


def better_than(fit: Fit) -> pd.DataFrame:
    """P(θ_i > θ_j) = Φ((θ̂_i − θ̂_j)/sd_ij), row i above column j; NaN on the diagonal."""
    theta, sd = fit.theta.to_numpy(), sd_difference(fit).to_numpy(copy=True)
    np.fill_diagonal(sd, np.nan)
    p = ndtr((theta[:, None] - theta) / sd)
    return pd.DataFrame(p, fit.graph.players, fit.graph.players)


def comparisons(fit: Fit) -> pd.DataFrame:
    """What the results say about each pair of players, the weakest comparison first.

    Returns
    -------
    DataFrame
        `player`, `other`; `evenings` both sat at; `steps`, the length of the shortest chain of
        evenings between them (1 = met, ∞ = no chain: they belong to groups that never met);
        `sd` of θ_i − θ_j in chips; `settled` = 1 − sd²/(2τ²), from 0 (only the prior compares
        the two) to 1.
    """
    shared = fit.graph.seats.T @ fit.graph.seats
    steps = shortest_path(shared, unweighted=True)
    sd = sd_difference(fit).to_numpy()
    i, j = np.triu_indices(len(sd), 1)
    names = fit.graph.players.to_numpy()
    return pd.DataFrame(
        {
            "player": names[i],
            "other": names[j],
            "evenings": shared.toarray()[i, j].astype(int),
            "steps": steps[i, j],
            "sd": sd[i, j],
            "settled": 1 - sd[i, j] ** 2 / (2 * fit.tau**2),
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
