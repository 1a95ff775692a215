"""Careers in words: what `liga career` and the league's pages show."""

import pandas as pd

from ..model.careers import is_over
from ..pages.columns import ALL_TIME, CAREER, in_words
from ..season.season import Season
from ..words import Words


def all_time_table(record: dict, words: Words) -> pd.DataFrame:
    """The all-time table; a total never without the number of evenings."""
    return in_words(pd.DataFrame(record["players"]), ALL_TIME, words)


def season_table(record: dict, player: str, words: Words) -> pd.DataFrame:
    """A player's seasons, side by side."""
    rows = pd.DataFrame(record["seasons"])
    return in_words(rows[rows["player"] == player], CAREER, words)


def career_lines(seasons: list[Season], words: Words, running: bool = False) -> list[str]:
    """Which seasons the table has, and what is to be kept in mind; `running` as for `all_time`."""
    names = [season.name for season in seasons]
    title = names[0]
    if len(names) > 1:
        title = words.text("career.span", first=names[0], last=names[-1])
    lines = [title, words.text("career.scale")]
    lines += [
        words.text("career.left_out", season=season.name, evenings=season.left_out)
        for season in seasons
        if season.left_out
    ]
    lines += [
        words.text("career.running", season=season.name)
        for season in seasons
        if not is_over(season, seasons, running)
    ]
    if len({season.rules.entry_chips for season in seasons}) > 1:
        lines.append(words.text("career.total_missing"))
    return lines
