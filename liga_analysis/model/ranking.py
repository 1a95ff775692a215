"""The table: who stands where, with every column of the rulebook."""

import numpy as np
import pandas as pd

from ..season.names import alphabetical
from ..season.season import Season
from ..words import DataError, Problem
from .rating import Fit, fit_ratings, ranks


def season_fit(season: Season, lam: float | None = None, sigma: float | None = None) -> Fit:
    """The ratings of a season under the parameters in force, or those given.

    Raises
    ------
    DataError
        If no evening counts.
    """
    if season.results.empty:
        raise DataError(Problem("error", "column", "no_evenings", file=season.path.name))
    force = season.parameters
    lam = force.lam if lam is None else lam
    return fit_ratings(season.results, lam, force.sigma if sigma is None else sigma)


def qualified(season: Season) -> pd.Series:
    """Who is ranked (in der Wertung), by player: enough evenings, and no placeholder."""
    evenings = season.results.groupby("player").size()
    guest = evenings.index.isin(season.guests)
    return season.rules.qualifies(evenings, len(season.held)) & ~guest


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

    Returns
    -------
    DataFrame
        `evening`, `date`, `player`, `rating` (chips), `rank` (missing where not ranked), for
        players with at least one evening by then.
    """
    tables = []
    for evening in season.held:
        table = standings(season.through(evening), lam, sigma)
        date = season.evenings.set_index("evening")["date"][evening]
        tables.append(table[["player", "rating", "rank"]].assign(evening=evening, date=date))
    return pd.concat(tables, ignore_index=True)[["evening", "date", "player", "rating", "rank"]]
