"""Dates as people write them."""

import re
from contextlib import suppress
from datetime import date, timedelta
from functools import partial
from itertools import pairwise
from typing import NamedTuple

from .cells import clean_name

DASHES = str.maketrans(dict.fromkeys("−–—‒‐‑", "-"))
# The century too: 0206-01-09 is a slip, not an evening that comes first.
_ISO_DATE = re.compile(r"((?:19|20|21)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+\d{1,2}:\d{2}.*)?")
PLAIN_DATES = re.compile(r"(?:(?:19|20|21)\d\d-\d\d-\d\d\n)++")
# Days of the week by their first two letters, months by their names.
_WEEKDAYS = {d: k % 7 for k, d in enumerate("mo di mi do fr sa so mo tu we th fr sa su".split())}
_WEEKDAY = (
    r"(?P<weekday>(?:mo|di|mi|do|fr|sa|so|mon|tue|wed|thu|fri|sat|sun|mittwoch|sonnabend"
    r"|(?:mon|diens|donners|frei|sams|sonn)tag|(?:mon|tues|wednes|thurs|fri|satur|sun)day)[., ]+)?"
)
MONTHS = [
    "januar february märz april mai juni juli august september oktober november dezember".split(),
    "january februar march april may june july august september october november december".split(),
]
_YEAR, _TIME = r"(?P<year>(?:19|20|21)?\d\d)", r"(?: +\d{1,2}:\d{2}.*)?"
_DAY_FIRST = re.compile(
    rf"{_WEEKDAY}(?P<day>\d{{1,2}})(?P<mark>[-/.]) ?(?P<month>\d{{1,2}})[-/.] ?{_YEAR}{_TIME}", re.I
)
_IN_WORDS = [
    re.compile(rf"{_WEEKDAY}{pattern}{_YEAR}{_TIME}", re.I)
    for pattern in (
        r"(?P<day>\d{1,2})[. ] ?(?P<month>[^\W\d]{3,9})[. ] ?",
        r"(?P<month>[^\W\d]{3,9})[. ] ?(?P<day>\d{1,2})(?:st|nd|rd|th)?, ?",
    )
]
_WITHIN = re.compile(
    rf"\b{_WEEKDAY}(?<!\d)"
    r"(?:\d{1,4}[-/.] ?\d{1,2}[-/.] ?\d{2,4}|\d{1,2}\. ?[^\W\d]{3,9} \d{4})(?!\d)",
    re.IGNORECASE,
)


class Days(NamedTuple):
    """Dates of cells that belong together, and whether they are written month first.

    `other` is what they would be the other way, where no more than their order speaks against it.
    """

    days: list[date | None]
    month_first: bool = False
    other: list[date | None] | None = None


def days_of(cells: list) -> Days:
    """The dates in cells that belong together.

    ISO, else day first; month first only where that alone makes dates of all that is not blank, or
    where that alone has them in order. Day first is in doubt where their order says nothing for it
    and month first has them no farther apart.
    """
    days, others = (list(map(partial(date_of, month_first=m), cells)) for m in (False, True))
    noted = [k for k, cell in enumerate(cells) if clean_name(cell)]
    if days == others or any(others[k] is None for k in noted):
        return Days(days)
    if any(days[k] is None for k in noted):
        return Days(others, month_first=True)
    (turn, span), (other_turn, other_span) = (_turn([d[k] for k in noted]) for d in (days, others))
    if other_turn and not turn:
        return Days(others, month_first=True, other=days)
    in_doubt = other_span <= span if turn == other_turn else turn == -1 and other_turn == 1
    return Days(days, other=others if in_doubt else None)


def _turn(days: list[date]) -> tuple[int, timedelta]:
    """Whether dates go up (1), down (-1) or neither (0), and how far apart the outermost are."""
    up = all(a <= b for a, b in pairwise(days))
    turn = 1 if up else -all(a >= b for a, b in pairwise(days))
    return turn, max(days) - min(days)


def date_of(cell, month_first: bool = False) -> date | None:
    """The date in a cell (ISO, else day first); None where it is none.

    Nor is a date on another day of the week than it says, or 01-02-03, which may begin with the
    year.
    """
    if isinstance(cell, date):  # datetimes too
        return date(cell.year, cell.month, cell.day)
    text = str(cell)
    if not text.isascii() or not text.isprintable() or text != text.strip():
        text = clean_name(text).translate(DASHES)
    with suppress(ValueError):  # 31.02.2025
        if match := _ISO_DATE.fullmatch(text):
            return date(int(match[1]), int(match[2]), int(match[3]))
        if match := _DAY_FIRST.fullmatch(text):
            dd, mm, year = int(match["day"]), int(match["month"]), match["year"]
            if match["mark"] == "-" and len(year) == 2:
                return None
            if month_first and match["mark"] != ".":  # nobody writes 1.16.2026
                dd, mm = mm, dd
            return _dated(int(year), mm, dd, match["weekday"])
        if match := next(filter(None, (p.fullmatch(text) for p in _IN_WORDS)), None):
            named = match["month"].casefold()
            for months in MONTHS:
                for k, month in enumerate(months, 1):
                    if month.startswith(named):
                        return _dated(int(match["year"]), k, int(match["day"]), match["weekday"])
    return None


def days_in(text: str) -> list[str]:
    """The dates within a text, as written: "Pokernacht 24.7.26 bei Björn".

    Those on another day of the week than they say too.
    """
    days = (match[0] for match in _WITHIN.finditer(text))
    return [day for day in days if date_of(day) or why_no_date(day, "") == "weekday"]


def _dated(year: int, month: int, day: int, weekday: str | None) -> date | None:
    """A date, if it is on that day of the week."""
    when = date(year + (2000 if year < 100 else 0), month, day)
    fits = not weekday or _WEEKDAYS[weekday[:2].casefold()] == when.weekday()
    return when if fits else None


def clock(text: str) -> str | None:
    """A time as people or a spreadsheet write it, "08:05:00 PM", "20 Uhr", as 20:05; else None."""
    time = re.fullmatch(r"(\d\d?)(?:[:.](\d\d)(?::00)?)? ?(?:([AP])M|Uhr|h)?", text, re.IGNORECASE)
    if not time:
        return None
    hour = int(time[1]) % 12 + 12 * (time[3].upper() == "P") if time[3] else int(time[1])
    return f"{hour}:{time[2] or '00'}" if hour < 24 and int(time[2] or 0) < 60 else None


def why_no_date(text: str, key: str) -> str:
    """The key of what is said of a text that is no date: `key`, or what else it says."""
    text = clean_name(text)
    day = _DAY_FIRST.fullmatch(text)
    if day and int(day["day"]) <= 31 and 1 <= int(day["month"]) <= 12:
        bare = "{day}.{month}.{year}".format(**day.groupdict())
        key = key if date_of(bare) else "no_such_day"
    weekday = re.match(_WEEKDAY, text, re.I)
    return "weekday" if weekday[0] and date_of(text[weekday.end() :]) else key
