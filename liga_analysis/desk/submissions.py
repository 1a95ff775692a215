"""What hosts submit, as evenings of a season: which evening it is, and all that speaks against it.

What the lead says beside the sheet (date, host, evening) goes before what the sheet says, and the
sheet before what was announced.
"""

import datetime
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..season.cells import Table
from ..season.names import name_key
from ..season.played import not_held
from ..season.protocol import REQUIRED, Rows, read_rows
from ..season.roster import owners
from ..season.season import Season, build_season
from ..season.sources import protocol_table
from ..season.values import dates
from ..words import DataError, Problem

# As for a season; which evening it is may be said beside the sheet.
_NEEDED = tuple(column for column in REQUIRED if column != "evening|date")
# What kind of problem each objection is, where it is not the order of evenings.
_OF_DATE = "date year given no_date no_date_ahead replace_date"
_CODES = {"future": "date"} | {f"record_{key}": "date" for key in _OF_DATE.split()}
_CODES |= {"record_host": "host", "record_nobody": "absent"}


@dataclass(frozen=True)
class Given:
    """What the lead says beside the sheets; but for the last two only of a single evening."""

    date: datetime.date | None = None
    host: str = ""
    evening: int | None = None  # its number, also if another one was held on the same date
    replace: int | None = None  # the evening held that the sheet corrects
    unit: float | None = None  # chips that 1 in a PokerNow ledger is worth
    sheet: str | None = None  # of a workbook, the one to read


@dataclass
class Submission:
    """One evening of a sheet."""

    file: str
    read: Rows  # the sheet it stands in
    said: int  # its number there, if only for telling it from others
    evening: int | None  # as the sheet says; later the number in the season
    date: pd.Timestamp | None
    host: str
    start: str
    place: str
    rows: pd.DataFrame | None = None  # player as written, entries, chips_out, result, note
    sum: float = 0.0  # of the results where they do not balance

    def problem(self, severity: str, key: str, evening: int | None, **values) -> Problem:
        code = _CODES.get(key, "order")
        place = {"file": self.file, "date": self.date}
        return Problem(severity, code, key, evening, **place, values=values)


def submissions(
    season: Season,
    registry: Table | None,
    files: list[tuple[str, bytes]],
    given: Given,
    today: datetime.date,
) -> tuple[list[list[Submission]], list[Problem]]:
    """The evenings in hosts' files (name, content), by file, and the warnings and hints about them.

    They are numbered for the season and free of errors; `registry` is its licences, for aliases.

    Raises
    ------
    DataError
        All errors of all files: whatever `check` calls an error, a date after `today`, an evening
        or date already held, and what contradicts the announcement.
    """
    by_file, problems = [], []
    for name, data in files:
        try:
            by_file.append(evenings_of(name, data, season, given.unit, given.sheet))
        except DataError as error:
            problems += error.problems
    if problems:
        raise DataError(*problems)
    sent = [one for evenings in by_file for one in evenings]
    if len(sent) != 1 and replace(given, unit=None, sheet=None) != Given():
        count = {"count": len(sent)}
        raise DataError(Problem("error", "order", "record_one", file=sent[0].file, values=count))
    problems = _place(season, sent, given, today)
    if len({one.evening for one in sent}) == len(sent):
        for evenings in by_file:
            problems += _judge(season, registry, evenings, given)
    if any(problem.severity == "error" for problem in problems):
        raise DataError.among(problems)
    return by_file, problems


def evenings_of(
    file: str, data: bytes, season: Season, unit: float | None = None, sheet: str | None = None
) -> list[Submission]:
    """The evenings of one file, as it names them; its rows are judged here and nowhere else."""
    table = protocol_table(file, data, season.rules, season.licences, unit, _NEEDED, sheet)
    numbered = not table.column("evening").blank.all()
    if not numbered and np.isnat(dates(table, "date")[0]).all():
        table = table.having(evening=["1"] * len(table))  # one, whichever it is
    read = read_rows(table, season.rules)
    if nowhere := [p for p in read.problems if p.evening is None and p.severity == "error"]:
        raise DataError.among([*nowhere, *(p for p in read.problems if p.severity == "warning")])
    if read.evenings.empty:
        raise DataError(Problem("error", "absent", "record_nobody", file=file))
    words = {column: table.words(column) for column in ("host", "start", "place")}
    return [
        Submission(
            file,
            read,
            int(evening),
            int(evening) if numbered else None,
            next(iter(seats["date"].dropna()), None),
            **{c: next((w[k] for k in seats.index if w[k]), "") for c, w in words.items()},
        )
        for evening, seats in read.evenings.groupby("evening")
    ]


def _place(
    season: Season, sent: list[Submission], given: Given, today: datetime.date
) -> list[Problem]:
    """Give every evening its number, date and host; what stands against it."""
    calendar, owner = season.evenings.set_index("evening"), owners(season.licences)
    held, ahead = {*season.held, *season.left_out}, season.announced
    if given.replace is not None and given.replace not in held:
        raise DataError(not_held(given.replace, held, sent[0].file))
    following = max([*calendar.index, *(one.evening or 0 for one in sent)], default=0) + 1
    problems, taken, days = [], set(), set()
    for one in sorted(sent, key=lambda one: (one.date or pd.Timestamp.max, one.evening or 0)):
        written = one.date
        one.date = written if given.date is None else pd.Timestamp(given.date)
        on_day = calendar.index[calendar["date"] == one.date].tolist()
        announced = [evening for evening in on_day if evening not in held]
        chosen = given.replace or given.evening
        numbered = chosen or one.evening  # by the lead or the sheet
        one.evening = numbered or (announced[0] if announced else following)
        following = max(following, one.evening + 1)
        before = calendar.loc[one.evening] if one.evening in calendar.index else _UNKNOWN
        if one.date is None and pd.notna(before["date"]):
            one.date = before["date"]
        one.host = given.host or one.host or before["host"]
        one.host = owner.get(name_key(one.host), one.host)

        objection, number = None, one.evening
        likely = {} if given.replace or on_day else _other_year(one.date, calendar["date"], today)
        if written is not None and written != one.date:
            problems.append(one.problem("warning", "record_given", number, written=written))
        if number in taken or (not numbered and one.date in days):
            objection = "record_twice", {}
        elif number in held and not given.replace:
            objection = "record_held", {"next": following}
            if pd.notna(before["date"]) and one.date not in (None, before["date"]) and not on_day:
                objection = "record_taken", {"next": following, "held": before["date"]}
        elif len(announced) < len(on_day) and not chosen:
            objection = "record_held", {"next": number}
            number = next(evening for evening in on_day if evening in held)
        elif one.date is None:
            if one.read.source.column("date").blank.all():  # else its cell is told
                number = numbered
                objection = _without_date(ahead.iloc[:0] if number else ahead, today)
        elif one.date > pd.Timestamp(today):
            objection = "future", {}
        elif likely and not given.date and len(sent) == 1:
            objection = "record_year", likely
        elif announced and one.evening not in announced and not chosen:
            objection = "record_number", {"announced": announced[0]}
        elif given.replace:
            objection = _against_held(one, before, given)
        else:
            objection = _against_announcement(one, before, given)
        taken.add(one.evening)
        days |= {one.date} - {None}
        if objection:
            key, values = objection
            problems.append(one.problem("error", key, number, **values))
        elif likely:  # --date said so, or cannot say it of several evenings
            problems.append(one.problem("warning", "record_year", number, **likely))
        elif not numbered and not on_day:
            near = ahead[(ahead["date"] - one.date).abs() <= _NEAR] if one.date else ahead[:0]
            later = calendar.index[calendar["date"] > one.date].tolist() if one.date else []
            if len(near):
                problems.append(one.problem("hint", "record_unannounced", number, **_first(near)))
            elif later:
                problems.append(one.problem("hint", "record_late", number, later=later[0]))
    return problems


def _other_year(day, known: pd.Series, today: datetime.date) -> dict:
    """Far from all evenings of the season: that day of another year, if it is not."""
    first, last = known.min() - _FAR, known.max() + _FAR
    if pd.isna(first) or day is None or first <= day <= last:
        return {}
    years = (day + pd.DateOffset(years=step) for step in (1, -1))
    within = (one for one in years if first <= one <= last and one <= pd.Timestamp(today))
    likely = next(within, None)
    whole = {"first": known.min(), "last": known.max()}
    return {} if likely is None else {"day": day, "likely": likely, **whole}


_UNKNOWN = {"date": pd.NaT, "host": ""}
_FAR = pd.Timedelta(days=60)  # leagues meet about once a month: one evening may have been missed
_NEAR = pd.Timedelta(days=31)  # an evening announced no further off may be the one that was held


def _first(ahead: pd.DataFrame) -> dict:
    return {"announced": ahead["evening"].iloc[0], "day": ahead["date"].iloc[0]}


def _without_date(ahead: pd.DataFrame, today: datetime.date) -> tuple[str, dict]:
    """A sheet without date and number is not taken for the evening announced; it is offered."""
    due = ahead[ahead["date"] <= pd.Timestamp(today)]
    if len(due) == 1:
        return "record_no_date_ahead", _first(due)
    return "record_no_date", {}


def _against_held(one: Submission, before, given: Given) -> tuple[str, dict] | None:
    """Whether a sheet said to correct an evening is of another date."""
    if given.date is not None or pd.isna(before["date"]) or before["date"] == one.date:
        return None
    return "record_replace_date", {"held": before["date"], "day": one.date}


def _against_announcement(one: Submission, before, given: Given) -> tuple[str, dict] | None:
    """What the sheet says otherwise than the announcement, unless the lead said which holds."""
    if given.date is None and pd.notna(before["date"]) and before["date"] != one.date:
        return "record_date", {"announced": before["date"], "day": one.date}
    if not given.host and before["host"] and name_key(before["host"]) != name_key(one.host):
        return "record_host", {"announced": before["host"], "host": one.host}
    return None


def _judge(
    season: Season, registry: Table | None, evenings: list[Submission], given: Given
) -> list[Problem]:
    """The rows of a file as a season of its own; its problems, with the lines of the file."""
    file, read = evenings[0].file, evenings[0].read
    undated = read.source.column("date").blank.all()
    read = read.placed(
        {
            one.said: (one.evening, one.date if given.date or undated else None, given.host or None)
            for one in evenings
        }
    )
    trial = build_season(Path(file), season.settings, read, None, registry)
    for one in evenings:
        one.rows = read.table.loc[read.table["evening"] == one.evening]
        one.sum = trial.unbalanced.get(one.evening, 0.0)
        if one.rows.empty and one.evening not in trial.left_out:
            return [*trial.problems, one.problem("error", "record_nobody", one.evening)]
    # The season's settings are judged with all its evenings, not with those of a sheet; money is
    # none of its results where chips are counted.
    in_chips = season.results["entries"].notna().any()
    return [
        replace(p, severity="error", key="money") if in_chips and p.key == "money_results" else p
        for p in trial.problems
        if p.key != "parameters_beyond"
        and (p.key != "no_entries" or in_chips or not season.held)  # known of the season by then
    ]
