"""What people read: German and English words, numbers, dates, and the problems told in them."""

import errno
import os
import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd
from babel import Locale
from babel.dates import format_date
from babel.lists import format_list
from babel.numbers import parse_pattern

LANGUAGES = ("de", "en")
_LOCALES = {"de": Locale("de"), "en": Locale("en", "GB")}
_DATES = {"de": ("dd.MM.yyyy", "de"), "en": ("d MMM yyyy", "en")}
_pattern = cache(parse_pattern)
_NO_BREAK = "\N{NO-BREAK SPACE}"


def user_language() -> str:
    """Language of messages: the environment variable LIGA_LANGUAGE, else German."""
    language = os.environ.get("LIGA_LANGUAGE", "de")
    return language if language in LANGUAGES else "de"


_REFERENCE = re.compile(r"\{(\w+(?:\.\w+)+)\}")


@cache
def _texts(language: str) -> dict[str, Any]:
    return tomllib.loads(files(__package__).joinpath(f"texts/{language}.toml").read_text("utf-8"))


def template(key: str, language: str) -> str:
    """The sentence stored under `key`, its placeholders open but those for another text.

    "{term.rating}" stands for the text of that name, "{Term.rating}" for the same with a capital.
    """
    entry: Any = _texts(language)
    for part in key.split("."):
        entry = entry[part]
    return _REFERENCE.sub(lambda found: _referred(found[1], language), entry)


def _referred(key: str, language: str) -> str:
    text = template(key[0].lower() + key[1:], language)
    return text[:1].upper() + text[1:] if key[0].isupper() else text


@dataclass(frozen=True)
class Words:
    """One reader's words: the language, and the decimal places amounts are shown with.

    With `digits` None, whole amounts stay whole and others show two places.
    """

    language: str = "de"
    digits: int | None = 0

    def text(self, key: str, /, **values) -> str:
        """The sentence stored under `key` ("problem.sum") in the language's text file, filled in.

        Raises
        ------
        KeyError
            If the language file has no such sentence.
        """
        return Sentence(self).vformat(template(key, self.language), (), values)

    def chips(self, value) -> str:
        """1234.4 → "1.234" (de) or "1,234" (en), with a true minus; "–" where undefined."""
        digits = self.digits
        if digits is None:
            digits = 0 if pd.isna(value) or round(float(value), 6) % 1 == 0 else 2
        return self._decimal(value, digits)

    def _decimal(self, value, digits: int) -> str:
        if pd.isna(value):
            return "–"
        if np.isinf(value):
            return "∞" if value > 0 else "−∞"
        value = round(float(value), digits) + 0.0  # + 0.0: no "−0"
        return self._filled("#,##0." + digits * "0", value)

    def _filled(self, pattern: str, value: float) -> str:
        return _pattern(pattern).apply(value, _LOCALES[self.language]).replace("-", "−")

    def signed(self, value) -> str:
        """As `chips`, with a plus sign where the value is a gain."""
        shown = self.chips(value)
        return "+" + shown if shown[0] not in "−–" and shown.strip("0.,") else shown

    def number(self, value, places: int = 2) -> str:
        """A parameter without unit to two significant places: 6 → "6", 5.69 → "5,7"."""
        if pd.isna(value) or np.isinf(value) or value == round(value):
            return self._decimal(value, 0)
        return self._decimal(value, max(0, places - 1 - int(np.floor(np.log10(abs(value))))))

    def divisor(self, value) -> str:
        """As `number`, to so many places that what is divided by it comes out."""
        return self.number(value, 5)

    def percent(self, share) -> str:
        """0.564 → "56 %"; never "0 %" or "100 %" where it is not exactly so."""
        if not pd.isna(share) and 0 < share < 0.01:
            return f"<{_NO_BREAK}{self._share(0.01, 0)}"
        if not pd.isna(share) and 0.99 < share < 1:
            return f">{_NO_BREAK}{self._share(0.99, 0)}"
        return self._share(share, 0)

    def tenths(self, share) -> str:
        """0.7482 → "74,8 %", where the whole number would hide which side of a limit it is on."""
        return self._share(share, 1)

    def _share(self, share, digits: int) -> str:
        if pd.isna(share):
            return "–"
        whole = _LOCALES[self.language].percent_formats[None].pattern
        return self._filled(
            whole.replace("##0", f"##0.{digits * '0'}"), round(share, 2 + digits) + 0.0
        )

    def chance(self, share) -> str:
        """As `percent`, of what was counted in draws: what never came up is rare all the same."""
        least = 1e-9
        return self.percent(share if pd.isna(share) else min(max(share, least), 1 - least))

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

    def over_evenings(self, n: int) -> str:
        """1 → "an einem Abend", 9 → "an 9 Abenden"."""
        return self.text("count.over_one" if n == 1 else "count.over", n=n)

    def small(self, n: int) -> str:
        """A small number in words: 3 → "drei"."""
        names = self.text("count.small").split()
        return names[n] if n < len(names) else str(n)

    def date(self, day) -> str:
        """22.05.2026 (de) or 22 May 2026 (en); "–" where unknown."""
        return "–" if pd.isna(day) else format_date(pd.Timestamp(day), *_DATES[self.language])

    def typed(self, day) -> str:
        """As a date is typed in a command: 22.05.2026 (de) or 2026-05-22 (en)."""
        return f"{day:%d.%m.%Y}" if self.language == "de" else f"{day:%Y-%m-%d}"

    def dates(self, days) -> str:
        return self.listing([self.date(day) for day in days])

    def listing(self, names) -> str:
        """Anna, Ben und Clara."""
        return format_list([str(name) for name in names], locale=_LOCALES[self.language])

    def columns(self, names: str) -> str:
        """Words for the columns "result|entries", as a heading could have them."""
        return " / ".join(self.text(f"column.{name}") for name in names.split("|"))

    def headings(self, names) -> str:
        """Headings as written, and those that the program gave by their word."""
        own = "evening date start host place player entries buy_in_chips chips_out result note"
        own = {*own.split(), "licence", "issued", "aliases", "when", "what", "why"}
        return ", ".join(self.columns(name) if name in own else name for name in names)

    def meanings(self, columns: dict[str, str]) -> str:
        """Wer = Spieler, Net = Ergebnis."""
        return ", ".join(f"{name} = {self.columns(column)}" for name, column in columns.items())

    def kind(self, name: str) -> str:
        return self.text(f"kind.{name}")


class Sentence(Formatter):
    """str.format with a reader's own formats: "{sum:signed}", "{day:date}", "{names:list}"."""

    FORMATS = "chips signed number divisor percent tenths chance date typed dates list".split()
    FORMATS += ["columns", "headings", "meanings", "kind"]

    def __init__(self, words: Words):
        self.words = words

    def get_value(self, key, args, kwargs):
        # An example that is copied should not be years ago.
        return date.today() if key == "today" else super().get_value(key, args, kwargs)

    def format_field(self, value, format_spec):
        if format_spec in self.FORMATS:
            name = "listing" if format_spec == "list" else format_spec
            return printable(getattr(self.words, name)(value))
        return printable(super().format_field(value, format_spec))


_CONTROL = re.compile(r"[\x01-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")


def printable(text: str) -> str:
    """Text on one line, without what a terminal would obey or what turns the order of letters."""
    return _CONTROL.sub(" ", text)


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
        words = Words(language or user_language(), digits=None)
        places = []
        if self.evening is not None:
            held = "" if pd.isna(self.date) else f" ({words.date(self.date)})"
            places.append(words.text("place.evening", evening=self.evening) + held)
        if self.file is not None:
            places.append(printable(self.file))
        if self.line is not None:
            places.append(words.text("place.line", line=self.line))
        where = {"player": self.player, "evening": self.evening}
        sentence = words.text(f"problem.{self.key}", **where | self.values)
        if self.values.get("note"):
            sentence += " " + words.text("place.note", note=self.values["note"])
        return f"{', '.join(places)}: {sentence}" if places else sentence

    def sentence(self, language: str) -> str:
        """The message behind how severe it is: "Warnung: …"."""
        return f"{Words(language).text(f'severity.{self.severity}')}: {self.message(language)}"


class DataError(ValueError):
    """The data do not allow what was asked; `problems` says why, all at once."""

    def __init__(self, *problems: Problem):
        super().__init__(*problems)
        self.problems = list(problems)

    @classmethod
    def among(cls, problems: Iterable[Problem]) -> "DataError":
        """The errors among problems, then the warnings about columns, which may be why."""
        errors = [p for p in problems if p.severity == "error"]
        return cls(*errors, *(p for p in problems if (p.severity, p.code) == ("warning", "column")))

    def __str__(self) -> str:
        return "\n".join(problem.message() for problem in self.problems)


class SeasonNotFound(DataError):
    """There is no file or folder under the name given."""


def system_says(error: OSError, words: Words) -> str:
    """What keeps a file from being read or written, and what helps."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return words.text("cli.disk_full", path=error.filename or "–")
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return words.text("cli.no_permission", path=error.filename)
    reason = error.strerror or str(error)
    return words.text("cli.os_error", path=error.filename or "–", reason=reason)
