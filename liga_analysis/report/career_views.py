"""Careers in words: what `liga career` and the league's pages show."""

import pandas as pd

from ..model.careers import is_over
from ..season.season import Season
from ..words import Words


def all_time_table(record: dict, words: Words) -> pd.DataFrame:
    """The all-time table; a total never without the number of evenings."""
    columns = {
        "player": str,
        "titles": str,
        "podiums": str,
        "best_rank": _rank,
        "best_rating": words.chips,
        "total": words.signed,
        "evenings": str,
        "seasons": str,
    }
    return _shown(record["players"], columns, words)


def season_table(record: dict, player: str, words: Words) -> pd.DataFrame:
    """A player's seasons, side by side."""
    columns = {
        "season": str,
        "rank": _rank,
        "rating": words.chips,
        "uncertainty": words.chips,
        "total": words.signed,
        "average": words.signed,
        "evenings": str,
    }
    return _shown([row for row in record["seasons"] if row["player"] == player], columns, words)


def career_lines(seasons: list[Season], words: Words, running: bool = False) -> list[str]:
    """Which seasons the table has, and what is to be kept in mind; `running` as for `all_time`."""
    names = [season.name for season in seasons]
    title = names[0]
    if len(names) > 1:
        title = words.text("career.span", first=names[0], last=names[-1])
    lines = [title, words.text("career.scale")]
    lines += [
        words.text("career.running", season=season.name)
        for season in seasons
        if not is_over(season, seasons, running)
    ]
    if len({season.rules.entry_chips for season in seasons}) > 1:
        lines.append(words.text("career.total_missing"))
    return lines


def _shown(records: list[dict], columns: dict, words: Words) -> pd.DataFrame:
    return pd.DataFrame(
        {
            words.text(f"column.{column}"): [show(record[column]) for record in records]
            for column, show in columns.items()
        }
    )


def _rank(rank) -> str:
    return "–" if pd.isna(rank) else str(rank)
