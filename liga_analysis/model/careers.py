"""Several seasons of a league: its all-time table, and every player's seasons."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..season.folder import find_season, is_season, seasons_in
from ..season.names import alphabetical, name_key
from ..season.season import Season, load_season
from ..words import DataError, Problem
from .ranking import standings

_FIRST = ["player", "season", "held", "over"]  # before the columns of the standings


def load_seasons(paths: list[str | Path]) -> list[Season]:
    """The seasons of one or more leagues' folders, and seasons by themselves, in order of time.

    Seasons without an evening that counts are left out.

    Parameters
    ----------
    paths : list of str or Path
        Folders of leagues, of seasons, or single tables.

    Returns
    -------
    list of Season

    Raises
    ------
    DataError
        If there is no season, or one cannot be read.

    Examples
    --------
    >>> [s.name for s in liga.load_seasons(["data/beispielliga"])]
    ['Beispielliga 2025 (simuliert)', 'Beispielliga 2026 (simuliert)']
    """
    seasons = [season for season in map(_loaded, season_paths(paths)) if season.held]
    if not seasons:
        raise DataError(Problem("error", "column", "no_evenings", file=str(paths[0])))
    return sorted(seasons, key=lambda season: (season.results["date"].min(), season.name))


def season_paths(paths: list[str | Path]) -> list[Path]:
    """The seasons that stand in leagues' folders, and those given by themselves, each once."""
    seasons = []
    for path in map(find_season, paths):
        seasons += (not is_season(path) and seasons_in(path)) or [path]
    return list({path.resolve(): path for path in seasons}.values())


def _loaded(path: Path) -> Season:
    """A season; what keeps it from being read is told with its folder."""
    try:
        return load_season(path)
    except DataError as error:
        if path.is_file():
            raise
        name = f"{path.parent.name}/{path.name}"
        named = (replace(p, file=f"{name}/{p.file}" if p.file else name) for p in error.problems)
        raise DataError(*named) from None


def told_twice(seasons: list[Season]) -> list[Problem]:
    """A warning about each season with the very evenings of one before it: a copy counts twice."""
    first, told = {}, {}
    for season in seasons:
        for evening, rows in season.results.groupby("evening"):
            seats = frozenset(zip(rows["player"], rows["result"], strict=True))
            other = first.setdefault((rows["date"].iloc[0], seats), season)
            if other is not season:
                told.setdefault((season.path, other.path), []).append(evening)
    return [
        Problem("warning", "setting", "season_twice", file=str(path), values=facts)
        for (path, other), evenings in told.items()
        for facts in [{"other": str(other), "evenings": evenings}]
    ]


def is_over(season: Season, seasons: list[Season], running: bool) -> bool:
    """Whether nothing of a season is announced, nor it the last one and said to be `running`."""
    return season.announced.empty and not (running and season is seasons[-1])


def side_by_side(seasons: list[Season], running: bool = False) -> pd.DataFrame:
    """Every player's seasons side by side, each by the parameters in force at its end.

    Parameters
    ----------
    seasons : list of Season
        In order of time.
    running : bool
        Whether the last one is not over, even if no evening of it is announced.

    Returns
    -------
    DataFrame
        A row per player and season, in order of time and table: `player` (as first written),
        `season`, `held` (evenings), `over` (no evening is announced any more); `rank`, `rating`,
        `uncertainty`, `total`, `average`, `evenings`, `qualified` as in `standings`; `podium`
        (bool). Guests have no career.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> seasons = liga.load_seasons(["data/beispielliga"])
    >>> rows = liga.side_by_side(seasons).query("player == 'Helene'")
    >>> rows["rank"].tolist()
    [4, 2]
    """
    names: dict[str, str] = {}
    tables = []
    for season in seasons:
        table = standings(season)
        table = table[~table["player"].isin(season.guests)]
        keys = [names.setdefault(name_key(name), name) for name in table["player"]]
        over, held = is_over(season, seasons, running), len(season.held)
        state = {"season": season.name, "over": over, "held": held}
        podium = (table["rank"] <= season.rules.podium).fillna(False).astype(bool)
        tables.append(table.assign(player=keys, podium=podium, **state))
    rows = pd.concat(tables, ignore_index=True)
    return rows[[*_FIRST, *rows.columns.drop(_FIRST)]]


def all_time(seasons: list[Season], running: bool = False) -> pd.DataFrame:
    """The league's all-time table.

    Parameters
    ----------
    seasons : list of Season
        In order of time.
    running : bool
        As for `side_by_side`.

    Returns
    -------
    DataFrame
        By player: `seasons`, `evenings`, `total` (chips); of seasons that are over, `titles`,
        `podiums`, `best_rank` and `best_rating` (in der Wertung, else missing; chips, on its own
        season's scale) and `best_season`, where the best rank was reached, the first if several.
        In order of titles, podiums, best rank, total, name.

    Raises
    ------
    DataError
        If no evening counts.

    Notes
    -----
    A total of chips is missing for everybody if the seasons' entries are not of the same size.

    Examples
    --------
    >>> table = liga.all_time(liga.load_seasons(["data/beispielliga"]))
    >>> int(table.loc["Helene", "seasons"])
    2
    """
    rows = side_by_side(seasons, running)
    rows["title"] = rows["over"] & (rows["rank"] == 1).fillna(False).astype(bool)
    rows["podium"] &= rows["over"]
    by_player = rows.groupby("player", sort=False)
    table = by_player.agg(
        seasons=("season", "size"),
        evenings=("evenings", "sum"),
        total=("total", "sum"),
        titles=("title", "sum"),
        podiums=("podium", "sum"),
    )
    ranked = rows[rows["rank"].notna() & rows["over"]]
    best = ranked.sort_values("rank", kind="stable").drop_duplicates("player").set_index("player")
    table["best_rank"] = best["rank"]
    table["best_rating"] = ranked.groupby("player")["rating"].max()
    table["best_season"] = best["season"]
    if len({season.rules.entry_chips for season in seasons}) > 1:
        table["total"] = np.nan
    order = ["titles", "podiums", "best_rank", "total"]
    table = table.loc[sorted(table.index, key=alphabetical)]
    return table.sort_values(order, ascending=[False, False, True, False], kind="stable")


def find_player(seasons: list[Season], name: str) -> str | None:
    """A player's name as `side_by_side` has it; None if nobody is called so."""
    names = side_by_side(seasons)["player"].unique()
    return next((known for known in names if name_key(known) == name_key(name)), None)
