"""What people read: German and English words, numbers, dates, and the problems told in them."""

import errno
import os
import re
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd

LANGUAGES = ("de", "en")
# Python writes 1,234.5; what each language makes of the two marks.
_MARKS = {"de": str.maketrans(",.", ".,"), "en": {}}


def user_language() -> str:
    """Language of messages: the environment variable LIGA_LANGUAGE, else German."""
    language = os.environ.get("LIGA_LANGUAGE", "de")
    return language if language in LANGUAGES else "de"


def chips(value, language: str = "de", digits: int | None = 0) -> str:
    """1234.4 → "1.234" (de) or "1,234" (en), with a true minus; "–" where undefined.

    With `digits` None, whole numbers stay whole and others show two places.
    """
    if pd.isna(value):
        return "–"
    if np.isinf(value):
        return "∞" if value > 0 else "−∞"
    if digits is None:
        digits = 0 if round(float(value), 6) % 1 == 0 else 2
    value = round(float(value), digits) + 0.0  # + 0.0: no "−0"
    text = f"{abs(value):,.{digits}f}".translate(_MARKS[language])
    return ("−" if value < 0 else "") + text


def signed(value, language: str = "de", digits: int | None = 0) -> str:
    """As `chips`, with a plus sign where the value is a gain."""
    text = chips(value, language, digits)
    return "+" + text if text[0] not in "−–" and text.strip("0.,") else text


def number(value, language: str = "de") -> str:
    """A parameter without unit to two significant places: 6 → "6", 5.69 → "5,7", 0.123 → "0,12"."""
    if pd.isna(value) or np.isinf(value) or value == 0:
        return chips(value, language)
    return chips(value, language, 0 if value == round(value) else max(0, 1 - _magnitude(value)))


def _magnitude(value) -> int:
    return int(np.floor(np.log10(abs(value))))


def percent(share, language: str = "de") -> str:
    """0.564 → "56 %"; never "0 %" or "100 %" where it is not exactly so."""
    if pd.isna(share):
        return "–"
    space = "\N{NO-BREAK SPACE}" if language == "de" else ""
    if 0 < share < 0.01:
        return f"<\N{NO-BREAK SPACE}1{space}%"
    if 0.99 < share < 1:
        return f">\N{NO-BREAK SPACE}99{space}%"
    return f"{100 * share:.0f}{space}%"


def tenths(share, language: str = "de") -> str:
    """0.7482 → "74,8 %", where the whole number would hide on which side of a limit it lies."""
    space = "\N{NO-BREAK SPACE}" if language == "de" else ""
    return f"{chips(100 * share, language, 1)}{space}%"


def chance(share, language: str = "de") -> str:
    """As `percent`, of a chance counted in draws: what never came up is rare, not impossible."""
    least = 1e-9
    return percent(share if pd.isna(share) else min(max(share, least), 1 - least), language)


def date(value, language: str = "de") -> str:
    """22.05.2026 (de) or 22 May 2026 (en); "–" where unknown."""
    if pd.isna(value):
        return "–"
    value = pd.Timestamp(value)
    if language == "de":
        return f"{value.day:02}.{value.month:02}.{value.year}"
    return f"{value.day} {_MONTHS[value.month - 1]} {value.year}"


_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def listing(names, language: str = "de") -> str:
    """Anna, Ben und Clara."""
    *rest, last = [str(name) for name in names]
    joint = " und " if language == "de" else " and "
    return ", ".join(rest) + joint + last if rest else last


def columns(names: str, language: str = "de") -> str:
    """Words for the columns "result|entries", as a heading could have them."""
    return " / ".join(text(f"column.{name}", language) for name in names.split("|"))


_FORMATS = {
    "chips": chips,
    "columns": columns,
    "kind": lambda kind, language: text(f"kind.{kind}", language),
    "signed": signed,
    "number": number,
    "percent": percent,
    "tenths": tenths,
    "chance": chance,
    "date": date,
    "list": listing,
    "dates": lambda days, language: listing([date(day, language) for day in days], language),
}


def printable(text: str) -> str:
    """Text on one line, without what a terminal would obey or what turns the order of letters."""
    return _CONTROL.sub(" ", text)


_CONTROL = re.compile(r"[\x01-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")


class Sentence(Formatter):
    """str.format with the league's own formats: "{sum:signed}", "{day:date}", "{names:list}"."""

    def __init__(self, language: str, digits: int | None):
        self.language, self.digits = language, digits

    def format_field(self, value, format_spec):
        if format_spec in ("chips", "signed"):
            return _FORMATS[format_spec](value, self.language, self.digits)
        if format_spec in _FORMATS:
            return printable(_FORMATS[format_spec](value, self.language))
        return printable(super().format_field(value, format_spec))


@cache
def _texts(language: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"texts/{language}.toml").read_text("utf-8"))


def text(key: str, language: str | None = None, digits: int | None = None, /, **values) -> str:
    """The sentence stored under `key` ("problem.sum") in the language's text file, filled in.

    Amounts in it show `digits` places (see `chips`).

    Raises
    ------
    KeyError
        If the language file has no such sentence.
    """
    language = language or user_language()
    return Sentence(language, digits).vformat(template(key, language), (), values)


def template(key: str, language: str) -> str:
    """The sentence stored under `key`, its placeholders open."""
    entry: Any = _texts(language)
    for part in key.split("."):
        entry = entry[part]
    return entry


@dataclass(frozen=True)
class Words:
    """One reader's words: the language, and the decimal places amounts are shown with."""

    language: str = "de"
    digits: int = 0

    def text(self, key: str, **values) -> str:
        return text(key, self.language, self.digits, **values)

    def chips(self, value) -> str:
        return chips(value, self.language, self.digits)

    def signed(self, value) -> str:
        return signed(value, self.language, self.digits)

    def number(self, value) -> str:
        return number(value, self.language)

    def percent(self, share) -> str:
        return percent(share, self.language)

    def chance(self, share) -> str:
        return chance(share, self.language)

    def in_100(self, share: float) -> str:
        """0.564 → "in 56 von 100"; never 0 or 100: what was drawn so is rare or nearly sure."""
        if share < 0.01:
            return self.text("count.below_1_in_100")
        if share > 0.99:
            return self.text("count.above_99_in_100")
        return self.text("count.in_100", n=f"{100 * share:.0f}")

    def evenings(self, n: int) -> str:
        """1 → "1 Abend", 9 → "9 Abende"."""
        return self.text("count.evening" if n == 1 else "count.evenings", n=n)

    def date(self, value) -> str:
        return date(value, self.language)

    def listing(self, names) -> str:
        return listing(names, self.language)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong, or worth knowing, about the data.

    Attributes
    ----------
    severity : {"error", "warning", "hint"}
        An error leaves the evening out whole, a warning is told on every output, a hint by `check`.
    code : str
        Kind of problem, stable for programs ("sum", "duplicate", …).
    key : str
        Sentence in the text files, below "problem".
    evening, date, player, line, file
        Where; None when it does not apply.
    values : dict
        What the sentence is filled with.
    """

    severity: str
    code: str
    key: str
    evening: int | None = None
    player: str | None = None
    line: int | None = None
    file: str | None = None
    date: pd.Timestamp | None = None
    values: dict = field(default_factory=dict)

    def message(self, language: str | None = None) -> str:
        """Place, rule, value and cure in one sentence."""
        language = language or user_language()
        places = []
        if self.evening is not None:
            held = "" if pd.isna(self.date) else f" ({date(self.date, language)})"
            places.append(text("place.evening", language, evening=self.evening) + held)
        if self.file is not None:
            places.append(printable(self.file))
        if self.line is not None:
            places.append(text("place.line", language, line=self.line))
        sentence = text(
            f"problem.{self.key}", language, player=self.player, evening=self.evening, **self.values
        )
        if self.values.get("note"):
            sentence += " " + text("place.note", language, note=self.values["note"])
        return f"{', '.join(places)}: {sentence}" if places else sentence


class DataError(ValueError):
    """The data do not allow what was asked; `problems` says why, all at once."""

    def __init__(self, *problems: Problem):
        super().__init__(*problems)
        self.problems = list(problems)

    def __str__(self) -> str:
        return "\n".join(problem.message() for problem in self.problems)


class SeasonNotFound(DataError):
    """There is no file or folder under the name given."""


def system_says(error: OSError, words: Words) -> str:
    """What keeps a file from being read or written, and what helps."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return words.text("cli.disk_full")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return words.text("cli.no_permission", path=error.filename)
    reason = error.strerror or str(error)
    return words.text("cli.os_error", path=error.filename or "–", reason=reason)
