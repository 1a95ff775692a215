"""The columns of the tables: what each holds and how it is shown, on every page and in every file.

A new column of the standings is an entry here and its words (`column.…` in the texts).
"""

from collections.abc import Callable, Iterable
from typing import NamedTuple

import pandas as pd

from ..model.ranking import standings
from ..season.season import Season
from ..words import Words


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
        As in tables, CSV and JSON; its words stand under `column.` in the texts.
    kind : {"place", "name", "chips", "signed", "count", "flag"}
        A rank; text; an amount; one that is won or lost; a number of things; yes or no.
    value : callable, optional
        Makes it, a Series by player, of a season and its `ranking.standings`, which has the columns
        without. It stands in every form of the table; careers have only what `standings` computes,
        so that seasons are compared by the model's own numbers.

    A name that a table has already for something else of its own is refused (ValueError).
    """

    name: str
    kind: str
    value: Callable[[Season, pd.DataFrame], pd.Series] | None = None


STANDINGS = (
    Column("rank", "place"),
    Column("player", "name"),
    Column("rating", "chips"),
    Column("uncertainty", "chips"),
    Column("total", "signed"),
    Column("average", "signed"),
    Column("evenings", "count"),
    Column("qualified", "flag"),
)
ALL_TIME = (
    Column("player", "name"),
    Column("titles", "count"),
    Column("podiums", "count"),
    Column("best_rank", "place"),
    Column("best_rating", "chips"),
    Column("total", "signed"),
    Column("evenings", "count"),
    Column("seasons", "count"),
)
# Of a player's seasons: what `careers.side_by_side` has of the standings.
CAREER = (
    Column("season", "name"),
    *(c for c in STANDINGS if c.kind not in ("name", "flag") and not c.value),
)
# Those a row of the standings shows by itself; a page puts the others beside or below it.
_ROW = ("rank", "player", "rating", "uncertainty")
FURTHER = tuple(c for c in STANDINGS if c.name not in _ROW and c.kind != "flag")


def table_of(season: Season, lam: float | None = None, sigma: float | None = None) -> pd.DataFrame:
    """`ranking.standings` with every column of `STANDINGS`, in their order."""
    table = standings(season, lam, sigma)
    for column in STANDINGS:
        if column.value:
            table = table.join(column.value(season, table).rename(column.name), on="player")
    return table[[c.name for c in STANDINGS]]


def shown(column: Column, value, words: Words) -> str:
    """A value as people read it; "–" where there is none."""
    if pd.isna(value):
        return "–"
    if column.kind in ("chips", "signed"):
        return getattr(words, column.kind)(value)
    return str(int(value) if column.kind in ("place", "count") else value)


def in_words(table: pd.DataFrame, columns: Iterable[Column], words: Words) -> pd.DataFrame:
    """A table as a terminal shows it: rounded, under the words of its columns."""
    return pd.DataFrame(
        {
            words.text(f"column.{c.name}"): [shown(c, value, words) for value in table[c.name]]
            for c in columns
            if c.kind != "flag"
        }
    )
