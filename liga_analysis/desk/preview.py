"""What recording an evening would change, in words: what `liga record` and the form show first."""

import pandas as pd

from ..model.ranking import qualified, standings
from ..season.season import Season
from ..words import Problem, Words
from .amendments import changes
from .recording import Recording

# Hints about the form of a file, which what is shown makes plain; blank rows are told together.
_UNTOLD = {"encoding", "separator", "translated", "understood", "total_row", "absent"}


def remarks(problems: tuple[Problem, ...], words: Words) -> list[str]:
    """Warnings and hints about the files sent; rows that were left blank in one line."""
    lines = [problem.sentence(words.language) for problem in problems if problem.key not in _UNTOLD]
    if absent := [problem.player for problem in problems if problem.key == "absent"]:
        lines.append(words.text("record.absent", names=absent))
    return lines


def effect(recording: Recording, words: Words) -> list[tuple[list[str], pd.DataFrame | None]]:
    """The evenings as understood, and the table before and after: lines, each with its table."""
    after = recording.after
    calendar = after.evenings.set_index("evening")
    blocks = []
    for evening in recording.evenings:
        entry = calendar.loc[evening]
        title = [after.name, words.text("record.title", evening=evening)]
        title.append(words.date(entry["date"]))
        if entry["host"]:
            title.append(words.text("record.host", host=entry["host"]))
        if recording.replaced is not None:
            title.append(words.text("record.replaces"))
        seats = after.results[after.results["evening"] == evening]
        blocks.append(([" · ".join(title)], _seats(seats, words)))
    if evening := recording.replaced:
        lines = changes(recording.before, after, evening, words)
        blocks.append(([words.text("record.changes"), *lines], None))
    if len(recording.issued):
        pairs = recording.issued[["licence", "player"]].agg(" ".join, axis=1)
        blocks.append(([words.text("record.issued", licences=list(pairs))], None))
    return [
        *blocks,
        (heading("standings", after, words), moves(recording.before, after, words)),
    ]


def heading(key: str, season: Season, words: Words) -> list[str]:
    """What stands above a table, with the evenings it goes without, and why some have no rank."""
    lost = [words.text("report.preliminary", evenings=season.left_out)] * bool(season.left_out)
    unranked = not qualified(season).all()
    note = words.text("cli.not_ranked", attendance=season.rules.attendance)
    return [" · ".join([words.text(f"record.{key}"), *lost]), *[note] * unranked]


def _seats(seats: pd.DataFrame, words: Words) -> pd.DataFrame:
    columns = {"entries": words.number, "chips_out": words.chips, "result": words.signed}
    shown = {words.text("column.player"): [*seats["player"], words.text("record.total")]}
    for column, show in columns.items():
        values = [*seats[column], seats[column].sum(min_count=1)]
        shown[words.text(f"column.{column}")] = [show(value) for value in values]
    return pd.DataFrame(shown)


def moves(
    before: Season,
    after: Season,
    words: Words,
    columns: tuple[str, ...] = ("rank", "rating", "evenings"),
    changed: bool = False,
    called: dict[str, str] | None = None,
) -> pd.DataFrame:
    """Columns of the table afterwards, in brackets what stood there; all rows or those changed.

    Below are those who are in it no more. Who is `called` otherwise, the new name by the old,
    keeps what stood there.
    """
    now, then = (
        standings(season).set_index("player") if season.held else pd.DataFrame(columns=columns)
        for season in (after, before)
    )
    then = then.rename(index=called or {})
    players = pd.Index([*now.index, *then.index]).drop_duplicates().to_series()
    shown = {words.text("column.player"): players}
    differ = ~(players.isin(then.index) & players.isin(now.index))
    for column in columns:
        show = words.number if column in ("rank", "evenings") else words.chips
        new, old = (table[column].reindex(players).map(show) for table in (now, then))
        pairs = zip(new, old, strict=True)
        pairs = [words.text("record.was", now=one, then=other) for one, other in pairs]
        shown[words.text(f"column.{column}")] = pairs
        differ |= new != old
    return pd.DataFrame(shown)[differ | (not changed)]
