"""An event log of an evening: who entered, announced, went bust and left, and when.

Replayed by the rulebook it gives the summary sheet of the same evening, entries and chips at the
exit by player, and an error for every line that breaks the rules.
"""

import re
from dataclasses import replace

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import Problem
from .cells import Table, clean_name
from .days import date_of
from .headings import known_as, word
from .replay import Replay
from .values import dates, evening_numbers, numbers

HEADERS = {
    "event": "event ereignis vorgang aktion",
    "order": "order lfd lfdnr laufendenummer nr",
    "round": "round runde",
    "time": "time zeit um",
}
EVENTS = {
    "entry": "entry reentry einstieg wiedereinstieg",
    "notice": "notice announced ankündigung angekündigt ausstiegangekündigt",
    "exit": "exit cashout ausstieg",
    "bust": "bust busted pleite verspielt",
    "end": "end ende schluss",
}
_EVENT_OF = {text: event for event, words in EVENTS.items() for text in words.split()}
_CLOCK = re.compile(r"(?:.*[ T])?(\d{1,2})[:.](\d{2})(?::\d{2})?(?: Uhr)?", re.IGNORECASE)
# Until then a time belongs to the evening before, in minutes.
MORNING = 6 * 60
DAY = np.timedelta64(1, "D")


def is_log(table: Table) -> bool:
    """Whether a table has a row per event: players and events, but no entries and no results."""
    return "event" in known_as(table, HEADERS).cells and not {"entries", "result"} & {*table.cells}


def replayed(table: Table, rules: LeagueRules) -> Table:
    """The summary sheet of an event log, with every breach of the rules among its problems.

    Parameters
    ----------
    table : Table
        Columns `player`, `event` and `chips_out` (chips brought or taken; may be blank where the
        event says it); `evening`, `date`, `host` if there; `order`, `round` or time, else the rows
        stand in order. An "end" without a player ends the evening for
        all.
    rules : LeagueRules

    Returns
    -------
    Table
        Columns `evening`, `date`, `host`, `player`, `entries`, `chips_out`.
    """
    table = known_as(table, HEADERS)
    events, problems = _events(table)
    rows = {}
    for replay in _replays(table, events, rules):
        problems += replay.problems
        rows |= replay.rows
    columns = ["evening", "date", "host", "player", "entries", "chips_out"]
    lines = sorted(rows)
    cells = dict(zip(columns, zip(*map(rows.get, lines), strict=True), strict=True)) if rows else {}
    if table.column("evening").blank.all():
        cells["evening"] = [""] * len(lines)
    table = replace(table, cells={}, lines=lines, problems=(*table.problems, *problems))
    return table.having(**{column: cells.get(column, []) for column in columns})


def presence(table: Table, rules: LeagueRules) -> pd.DataFrame:
    """Who was in when: a row per entry.

    Returns
    -------
    DataFrame
        `evening` (missing where the log names none), `player`, `entry` (its number), `start` and
        `end` (missing where the log has none), `how` it ended ("bust", "exit" or "end"), and the
        `unit` of start and end: "round"; "minutes" from the midnight before the evening; "order".
    """
    table = known_as(table, HEADERS)
    events, _ = _events(table)
    stints = [row for r in _replays(table, events, rules) for row in r.stints]
    columns = ["evening", "player", "entry", "start", "end", "how"]
    return pd.DataFrame(stints, columns=columns).assign(unit=events["unit"].iloc[0])


def _events(table: Table) -> tuple[pd.DataFrame, list[Problem]]:
    """The events in the order they happened, by position in the table, and what is unreadable."""
    evening, no_evening = evening_numbers(table)
    day, no_day = dates(table, "date")
    times = table.column("time" if "time" in table.cells else "start").cells
    minutes = np.array([_minutes(cell) for cell in times], float)
    timed_day = pd.Series([date_of(cell) for cell in times]).astype(day.dtype)
    events = pd.DataFrame(
        {
            # Often written once, above many rows that go on.
            "evening": pd.Series(evening).ffill().bfill(),
            "day": pd.Series(day).fillna(timed_day).ffill().bfill(),
            "player": table.words("player"),
            "event": [_EVENT_OF.get(word(text), "") for text in table.words("event")],
            "minutes": np.where(minutes < MORNING, minutes + 24 * 60, minutes),
        }
    )
    wrong = {"evening": (no_evening, "evening_number"), "date": (no_day, "no_date")}
    for column in ("chips_out", "round", "order"):
        events[column], bad = numbers(table, column, whole=True)
        wrong[column] = bad, "not_a_number"
    wrong["event"] = events["event"] == "", "event_unknown"
    codes, problems = {"date": "date", "event": "event"}, []
    for column, (bad, key) in wrong.items():
        for k in np.flatnonzero(bad):
            number = events["evening"][k]
            place = {"evening": None if np.isnan(number) else int(number), "column": column}
            problems.append(table.problem(k, "error", codes.get(column, "number"), key, **place))
    events["day"] = _evening_days(events)
    place = pd.Series(np.arange(1.0, len(events) + 1))
    complete = {c: events[c] for c in ("order", "round", "minutes") if events[c].notna().all()}
    events["step"] = next(iter(complete.values()), place)
    events["unit"] = next((unit for unit in ("round", "minutes") if unit in complete), "order")
    events["at"] = complete.get(events["unit"].iloc[0], events["step"])
    return events.sort_values(["step", "minutes"], kind="stable"), problems


def _minutes(cell) -> float:
    """Minutes from midnight of a time of day, with its date or without; NaN where it is none."""
    match = _CLOCK.fullmatch(clean_name(cell))
    return 60 * int(match[1]) + int(match[2]) if match else np.nan


def _evening_days(events: pd.DataFrame) -> pd.Series:
    """The day each event's evening began on: after midnight that is the day before.

    A row is after midnight if the log also has the day before and either its time is before six or,
    in a log without times, the count goes on from that day.
    """
    day = events["day"]
    count = events["order"].fillna(events["round"])
    first, last = count.groupby(day).min(), count.groupby(day).max()
    before = day - DAY
    goes_on = day.map(first).to_numpy() > before.map(last).to_numpy(float)
    timed = events["minutes"].notna()
    late = np.where(timed, events["minutes"] >= 24 * 60, goes_on)
    return day.mask(before.isin(day) & late, before)


def _replays(table: Table, events: pd.DataFrame, rules: LeagueRules) -> list[Replay]:
    """The evenings of a log: by number, else by day, else all of it one."""
    if events["evening"].isna().all() and events["day"].nunique() > 1:
        # As the season counts them; of a single evening the season's number is not known here.
        events = events.assign(evening=events["day"].rank(method="dense"))
    evenings = events.groupby("evening", dropna=False)
    return [Replay(table, rows, rules) for _, rows in evenings]
