"""The table: who stands where, with every column of the rulebook."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.names import alphabetical
from ..season.season import Season
from ..words import DataError, Problem
from .rating import Fit, fit_ratings

# Ratings closer than this times σ are equal: floating point differs in the last digits.
TIE = 1e-9


def season_fit(season: Season, lam: float | None = None, sigma: float | None = None) -> Fit:
    """The ratings of a season under the parameters in force, or those given.

    Parameters
    ----------
    season : Season
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.

    Returns
    -------
    Fit

    Raises
    ------
    DataError
        If no evening counts.
    TypeError
        If it is no Season.

    Examples
    --------
    >>> liga.season_fit(liga.load_season("data/beispielliga/2026"), lam=8)
    Fit(16 players, 12 evenings, lam=8, sigma=2400)
    """
    if checked(season).results.empty:
        raise DataError(Problem("error", "column", "no_evenings", file=season.file))
    force = season.parameters
    lam = force.lam if lam is None else lam
    fit = fit_ratings(season.results, lam, force.sigma if sigma is None else sigma)
    return replace(fit, rules=season.rules)


def checked(season: Season) -> Season:
    """The season itself; TypeError if it is none."""
    if not isinstance(season, Season):
        kind = type(season).__name__
        raise TypeError(f"a Season is needed, as load_season makes it, not a {kind}")
    return season


def qualified(season: Season) -> pd.Series:
    """Who is ranked (in der Wertung): enough evenings, and no placeholder.

    Parameters
    ----------
    season : Season

    Returns
    -------
    Series
        True or False by player, 100·evenings ≥ attendance·held.

    Raises
    ------
    TypeError
        If it is no Season.

    Examples
    --------
    >>> ranked = liga.qualified(liga.load_season("data/beispielliga/2026"))
    >>> ranked.dtype
    dtype('bool')
    """
    evenings = checked(season).results.groupby("player").size()
    guest = evenings.index.isin(season.guests)
    return season.rules.qualifies(evenings, len(season.held)) & ~guest


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


class Contest(NamedTuple):
    """A fit, the numbers of its players who are ranked, ascending, and the steps of the podium."""

    fit: Fit
    inside: np.ndarray
    podium: int


def contest(source: Season | Fit, ranked=None, podium: int | None = None) -> Contest:
    """Who competes: a season's own der Wertung, or a fit and who of its players is `ranked`.

    `ranked` is a list of names, a boolean Series or array by player, None for all. A season brings
    its parameters and der Wertung along, both bring their rules; `podium` is in place of theirs.

    ValueError if `ranked` comes with a season, names a player twice or one unknown, or is a mask
    of another length; TypeError if `source` is neither; DataError if no evening of the season
    counts.
    """
    if isinstance(source, Season):
        if ranked is not None:
            raise ValueError("a Season says itself who is ranked; give its season_fit instead")
        source, ranked = season_fit(source), qualified(source)
    if not isinstance(source, Fit):
        raise TypeError(f"a Season or a Fit is needed, not a {type(source).__name__}")
    inside = _numbers(source.graph.players, ranked)
    return Contest(source, inside, source.rules.podium if podium is None else podium)


def _numbers(players: pd.Index, ranked) -> np.ndarray:
    """Numbers of the players who are `ranked`, ascending."""
    if ranked is None:
        return np.arange(len(players))
    if isinstance(ranked, str):
        raise ValueError(f"ranked must be a list of names, not the name {ranked!r}")
    mask = pd.Series(ranked) if not isinstance(ranked, pd.Series) else ranked
    if not pd.api.types.is_bool_dtype(mask):
        names = pd.Index(mask)
        if not names.is_unique:
            raise ValueError(f"ranked names {names[names.duplicated()][0]} twice")
        number = players.get_indexer(names)
        if (number < 0).any():
            raise ValueError(f"ranked names {names[number < 0][0]}, who is no player of the table")
        return np.sort(number)
    if isinstance(ranked, pd.Series):
        if not mask.index.is_unique or set(mask.index) != set(players):
            raise ValueError("ranked must say of each player of the table, once, True or False")
        mask = mask[players]
    if len(mask) != len(players):
        raise ValueError(f"ranked is a mask of {len(mask)} for {len(players)} players")
    return np.flatnonzero(mask.to_numpy(bool))


def drop_averages(results: pd.DataFrame, dropped: int) -> pd.Series:
    """Mean result by player without the worst `dropped` evenings, in chips; those with any left."""
    best_first = results.sort_values("result", ascending=False, kind="stable")
    left = best_first.groupby("player")["result"].transform("size") - dropped
    kept = best_first[best_first.groupby("player").cumcount() < left]
    return kept.groupby("player")["result"].mean()


def standings(season: Season, lam: float | None = None, sigma: float | None = None) -> pd.DataFrame:
    """The table of a season, in its order, unrounded.

    Ranked (in der Wertung) are players with 100·evenings ≥ attendance·held. Order is by rating;
    players equal within 1e-9·σ share a rank and stand by name. All others follow by rating,
    without a rank.

    Parameters
    ----------
    season : Season
        With at least one evening that counts.
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.

    Returns
    -------
    DataFrame
        `rank` (Int64, missing where not ranked), `player`, `rating`, `uncertainty`, `total`,
        `average`, `evenings`, `qualified`; chips. The average leaves out the worst two evenings
        and is missing where no evening remains.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> liga.standings(season)["player"].head(2).tolist()
    ['Mareike', 'Helene']
    >>> len(liga.standings(season.through(8), lam=12))
    16
    """
    fit = season_fit(season, lam, sigma)
    by_player = season.results.groupby("player")["result"]
    table = pd.DataFrame(
        {
            "rating": fit.theta,
            "uncertainty": fit.se,
            "total": by_player.sum(),
            "average": drop_averages(season.results, season.rules.dropped),
            "evenings": by_player.size(),
        }
    ).reset_index(names="player")
    table["qualified"] = table["player"].map(qualified(season))
    rank = pd.Series(pd.NA, table.index, "Int64")
    level = np.empty(len(table), int)
    for ranked in (True, False):
        mask = (table["qualified"] == ranked).to_numpy()
        level[mask] = ranks(table["rating"][mask].to_numpy(), fit.sigma)
        if ranked:
            rank[mask] = level[mask]
    table.insert(0, "rank", rank)
    order = pd.DataFrame(
        {"out": ~table["qualified"], "level": level, "name": table["player"].map(alphabetical)}
    )
    return table.loc[order.sort_values(["out", "level", "name"]).index].reset_index(drop=True)


def development(
    season: Season, lam: float | None = None, sigma: float | None = None
) -> pd.DataFrame:
    """Rating and rank of every player after each evening, by the parameters then in force.

    Parameters
    ----------
    season : Season
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.

    Returns
    -------
    DataFrame
        `evening`, `date`, `player`, `rating` (chips), `rank` (missing where not ranked), for
        players with at least one evening by then.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> liga.development(season)["evening"].nunique()
    12
    """
    tables, last = [], season_fit(season, lam, sigma)
    last.graph.affordable(len(season.held) * last.graph.n_players**3)
    dates = season.evenings.set_index("evening")["date"]
    for evening in season.held:
        table = standings(season.through(evening), lam, sigma)[["player", "rating", "rank"]]
        tables.append(table.assign(evening=evening, date=dates[evening]))
    return pd.concat(tables, ignore_index=True)[["evening", "date", "player", "rating", "rank"]]
