"""What recording an evening would change, in words: what `liga record` and the form show first."""

import pandas as pd

from ..model.ranking import standings
from ..words import Problem, Words
from .recording import Recording

# Hints about the form of a file, which what is shown makes plain; blank rows are told together.
_UNTOLD = {"encoding", "separator", "translated", "understood", "total_row", "no_entries", "absent"}


def remarks(problems: tuple[Problem, ...], words: Words) -> list[str]:
    """Warnings and hints about the files sent; rows that were left blank in one line."""
    told = [
        f"{words.text(f'severity.{problem.severity}')}: {problem.message(words.language)}"
        for problem in problems
        if problem.key not in _UNTOLD
    ]
    if absent := [problem.player for problem in problems if problem.key == "absent"]:
        told.append(words.text("record.absent", names=absent))
    return told


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
    if recording.changes:
        blocks.append(([words.text("record.changes"), *recording.changes], None))
    if len(recording.issued):
        pairs = recording.issued[["licence", "player"]].agg(" ".join, axis=1)
        blocks.append(([words.text("record.issued", licences=list(pairs))], None))
    return [*blocks, ([words.text("record.standings")], _moves(recording, words))]


def _seats(seats: pd.DataFrame, words: Words) -> pd.DataFrame:
    columns = {"entries": words.chips, "chips_out": words.chips, "result": words.signed}
    shown = {words.text("column.player"): [*seats["player"], words.text("record.total")]}
    for column, show in columns.items():
        values = [*seats[column], seats[column].sum(min_count=1)]
        shown[words.text(f"column.{column}")] = [show(value) for value in values]
    return pd.DataFrame(shown)


def _moves(recording: Recording, words: Words) -> pd.DataFrame:
    """Rank, rating and evenings after the recording, with those before in brackets."""
    after = standings(recording.after)
    before = pd.DataFrame(columns=after.columns)
    if not recording.before.results.empty:
        before = standings(recording.before)
    then = before.set_index("player").reindex(after["player"])
    shown = {words.text("column.player"): after["player"]}
    formats = {"rank": words.chips, "rating": words.chips, "evenings": words.chips}
    for column, show in formats.items():
        pairs = zip(after[column], then[column], strict=True)
        shown[words.text(f"column.{column}")] = [
            words.text("record.was", now=show(now), then=show(was)) for now, was in pairs
        ]
    return pd.DataFrame(shown)
