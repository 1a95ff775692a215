"""How well players can be compared: pair by pair, and what connects them."""

import numpy as np
import pandas as pd
from scipy.sparse.csgraph import connected_components, shortest_path
from scipy.special import ndtr

from ..season.season import Season
from .chain import Linked
from .ranking import contest
from .rating import Fit


def sd_difference(source: Season | Fit | Linked) -> pd.DataFrame:
    """Standard deviation of θ_i − θ_j by pair of players, in chips.

    √(u_i² + u_j² − 2 cov_ij): what the two have in common, above all the level of their group,
    cancels. Players with nothing but the prior between them have τ√2.

    Parameters
    ----------
    source : Season, Fit or Linked

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
    fit = _rated(source)
    cov = fit.cov.to_numpy()
    variance = np.diag(cov)
    square = variance[:, None] + variance - 2 * cov
    return pd.DataFrame(np.sqrt(square.clip(0)), fit.theta.index, fit.theta.index)


def better_than(source: Season | Fit | Linked) -> pd.DataFrame:
    """P(θ_i > θ_j) = Φ((θ̂_i − θ̂_j)/sd_ij), row i above column j; NaN on the diagonal.

    Parameters
    ----------
    source : Season, Fit or Linked

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
    fit = _rated(source)
    theta, sd = fit.theta.to_numpy(), sd_difference(fit).to_numpy(copy=True)
    np.fill_diagonal(sd, np.nan)
    p = ndtr((theta[:, None] - theta) / sd)
    return pd.DataFrame(p, fit.theta.index, fit.theta.index)


def _rated(source: Season | Fit | Linked) -> Fit | Linked:
    return source if isinstance(source, Linked) else contest(source)[0]


def comparisons(source: Season | Fit) -> pd.DataFrame:
    """What the results say about each pair of players, the weakest comparison first.

    Parameters
    ----------
    source : Season or Fit

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
    fit, _, _ = contest(source)
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

    `players` (list), and `sd`, the median SD of the difference between one of them and one of
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
    """Players and evenings that alone connect a part of a group with its rest, the weakest first.

    `kind` ("player" or "evening"), `bridge`, `players` (list: the smaller part), `rest` (how many
    stay on the other side) and `sd`, the median SD of the difference across the bridge, in chips.
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
