"""What was noted of an evening: rows of a table, judged by the rulebook one by one."""

import re
from dataclasses import dataclass

import numpy as np
import pandas as pd

from .labels import DataError, Problem
from .reader import Table, clean_name, dates, is_blank, numbers
from .rules import LeagueRules

# Rounding that a sum or difference of decimals may carry, relative to the amounts involved.
ROUNDING = 1e-6
# One of these columns (or pairs) must say how an evening went.
REQUIRED = ("player", "evening|date", "result|entries|buy_in_chips", "result|chips_out")

_PLACEHOLDER = re.compile(
    r"(?:gast|gäste|guests?|n\. ?n\.?|nn|unbekannte?r?|unknown|anonym(?:ous|us)?|\?+) ?\d*"
)


def name_key(name: str) -> str:
    """What makes two spellings one player: the clean name without regard to case."""
    return clean_name(clean_name(name).casefold())


def is_placeholder(name: str) -> bool:
    """Whether a name stands for somebody unknown (Gast, N.N., ?), a new one each evening."""
    return _PLACEHOLDER.fullmatch(name_key(name)) is not None


@dataclass(frozen=True)
class Rows:
    """The rows of a table that say something, and what is to be said about them.

    Attributes
    ----------
    table : DataFrame
        `line`, `evening`, `date`, `host`, `player`, `entries`, `chips_out`, `result`, `stake`
        (chips bought in), `note`; rows that are an error or an absence are not in it.
    evenings : DataFrame
        `evening`, `date`, `host` of every row, those in error too.
    problems : list of Problem
    """

    table: pd.DataFrame
    evenings: pd.DataFrame
    problems: list[Problem]


def read_rows(table: Table, rules: LeagueRules) -> Rows:
    """Rows of a results table: counted (entries and chips) or result only.

    Raises
    ------
    DataError
        If a row belongs to no evening, or a column of decimals can be read in two ways.
    """
    cells, n = table.cells, len(table.cells)
    amounts = {}
    in_chips = "entries" in cells and not is_blank(cells["entries"]).all()
    for column in ("entries", "buy_in_chips", "chips_out", "result"):
        whole = column == "entries" or (in_chips and column != "buy_in_chips")
        blank = (np.full(n, np.nan), np.zeros(n, bool))
        amounts[column] = numbers(table, column, whole) if column in cells else blank
    words = {
        column: [clean_name(cell) for cell in cells[column]] if column in cells else [""] * n
        for column in ("player", "host", "note")
    }
    blank = np.all([is_blank(cells[c]) for c in {"player", *amounts} & set(cells)], axis=0)
    evening, date, problems = _evenings(table, blank)

    kept = []
    for k in np.flatnonzero(~blank):
        player, host, note = (words[column][k] for column in words)
        judged = _Row(table, k, int(evening[k]), player, rules)
        result = judged.read({c: (values[k], bad[k]) for c, (values, bad) in amounts.items()})
        problems += judged.problems
        if result is not None:
            line = int(cells.index[k])
            kept.append((line, int(evening[k]), date[k], host, player, *result, note))
    names = "line evening date host player entries chips_out result stake note".split()
    evenings = pd.DataFrame({"evening": evening, "date": date, "host": words["host"]})[~blank]
    return Rows(pd.DataFrame(kept, columns=names), evenings.astype({"evening": int}), problems)


def _evenings(table: Table, blank: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Problem]]:
    """Number and date of each row's evening; numbers are given by date where there are none."""
    cells, n = table.cells, len(table.cells)
    number, bad_number = np.full(n, np.nan), np.zeros(n, bool)
    if "evening" in cells:
        number, bad_number = numbers(table, "evening", whole=True)
        bad_number |= (number < 1) | (number % 1 > 0) | (number > 1e9)
    date, bad_date = np.full(n, np.datetime64("NaT"), "datetime64[s]"), np.zeros(n, bool)
    if "date" in cells:
        date, bad_date = dates(table, "date")

    if (np.isnan(number) | blank).all():
        days = np.unique(date[~np.isnat(date) & ~blank])
        number = np.where(np.isnat(date), np.nan, 1 + np.searchsorted(days, date))
    else:  # a row without a number belongs to the numbered evening of its date
        known = pd.Series(number, date)[~np.isnat(date) & ~np.isnan(number)].groupby(level=0)
        unique = known.first()[known.nunique() == 1]
        number = np.where(np.isnan(number), pd.Series(date).map(unique), number)

    problems, fatal = [], []
    for k in np.flatnonzero(~blank):
        if bad_number[k]:
            fatal.append(table.problem(k, "error", "number", "evening_number", column="evening"))
        elif np.isnan(number[k]) and not bad_date[k]:
            fatal.append(table.problem(k, "error", "order", "no_evening"))
        elif np.isnan(number[k]):
            fatal.append(table.problem(k, "error", "date", "no_date", column="date"))
        elif bad_date[k]:
            evening = int(number[k])
            problems.append(
                table.problem(k, "error", "date", "no_date", column="date", evening=evening)
            )
    if fatal:
        raise DataError(*fatal)
    return number, date, problems


class _Row:
    """One row under judgement: what it says, and everything that speaks against it."""

    def __init__(self, table: Table, k: int, evening: int, player: str, rules: LeagueRules):
        self.table, self.k, self.rules = table, k, rules
        self.evening, self.player = evening, player
        self.problems: list[Problem] = []

    def tell(self, severity: str, code: str, key: str, **values) -> None:
        place = {"evening": self.evening, "player": self.player or None}
        self.problems.append(self.table.problem(self.k, severity, code, key, **place, **values))

    def read(self, amounts: dict[str, tuple[float, bool]]) -> tuple | None:
        """(entries, chips_out, result, stake), or None if the row is an error or an absence."""
        for column, (_, bad) in amounts.items():
            if bad:
                code = "entries" if column == "entries" else "number"
                self.tell("error", code, "not_a_number", column=column)
        entries, buy_in, chips_out, result = (value for value, _ in amounts.values())
        if not self.player:
            self.tell("error", "name", "name_missing")
        if self.problems:
            return None
        if np.isnan([entries, buy_in, chips_out, result]).all():
            self.tell("hint", "absent", "absent")
            return None
        if np.isnan(entries):
            return self._result_only(buy_in, chips_out, result)
        return self._counted(entries, chips_out, result)

    def _counted(self, entries: float, chips_out: float, result: float) -> tuple | None:
        rules = self.rules
        if entries == 0 and not np.nansum(np.abs([chips_out, result])):
            self.tell("warning", "absent", "zero_entries")
            return None
        if entries == 0:
            self.tell("error", "entries", "entries_zero")
        elif entries < 0 or entries % 1:
            self.tell("error", "entries", "entries_fraction", entries=entries)
        elif entries > rules.max_entries:
            self.tell("error", "entries", "entries_many", entries=entries, limit=rules.max_entries)
        stake = rules.entry_chips * entries
        if np.isnan(chips_out):
            chips_out = result + stake
        if np.isnan(chips_out):
            self.tell("error", "chips", "chips_missing")
        elif chips_out < 0:
            self.tell("error", "chips", "chips_negative", chips=chips_out)
        elif chips_out % rules.smallest_chip:
            smallest = rules.smallest_chip
            self.tell("error", "chips", "chips_multiple", chips=chips_out, smallest=smallest)
        elif not self.problems and not np.isnan(result) and result != chips_out - stake:
            right = {"right": chips_out - stake, "chips": chips_out, "stake": stake}
            self.tell("error", "result", "result_differs", result=result, **right)
        return None if self.problems else (entries, chips_out, chips_out - stake, stake)

    def _result_only(self, buy_in: float, chips_out: float, result: float) -> tuple | None:
        if np.isnan(result) and np.isnan(buy_in):
            self.tell("error", "entries", "entries_missing", chips=chips_out)
        elif np.isnan(result) and np.isnan(chips_out):
            self.tell("error", "chips", "chips_missing")
        elif buy_in < 0 or chips_out < 0:
            self.tell("error", "chips", "chips_negative", chips=np.fmin(buy_in, chips_out))
        elif not np.isnan(buy_in):
            chips_out = result + buy_in if np.isnan(chips_out) else chips_out
            right = chips_out - buy_in
            if abs(result - right) > ROUNDING * max(abs(right), buy_in, abs(result)):
                amounts = {"right": right, "chips": chips_out, "stake": buy_in}
                self.tell("error", "result", "result_differs", result=result, **amounts)
            result = right if np.isnan(result) else result
        return None if self.problems else (np.nan, chips_out, result, buy_in)
