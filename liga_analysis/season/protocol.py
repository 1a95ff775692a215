"""What was noted of an evening: rows of a table, judged by the rulebook one by one."""

from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from ..rules import CHIP_SET, LeagueRules
from ..words import Problem
from .cells import Table, dates, is_blank, numbers, understood
from .names import as_written

# Rounding that a sum or difference of decimals may carry, relative to the amounts involved.
ROUNDING = 1e-6
# One of these columns (or pairs) must say how an evening went.
REQUIRED = ("player", "evening|date", "result|entries|buy_in_chips", "result|chips_out")

_VALUES = {chip.colour: chip.value for chip in CHIP_SET}


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

    A row that belongs to no evening is an error without an evening.

    Raises
    ------
    DataError
        If a column of decimals can be read in two ways.
    """
    player, host, note = (table.words(column) for column in ("player", "host", "note"))
    player = [as_written(name) for name in player]
    found = amounts(table)
    blank = np.all([is_blank(table.column(column)) for column in ("player", *found)], axis=0)
    evening, date, problems = _evenings(table, blank)
    for column, (values, _) in found.items():
        problems += understood(table, column, values)
    problems += understood(table, "date", date)

    counted = set(evening[found["entries"][0] > 0])
    kept = []
    for k in np.flatnonzero(~blank):
        number = None if np.isnan(evening[k]) else int(evening[k])
        judged = _Row(table, k, number, player[k], rules, number in counted)
        result = judged.read({c: (values[k], bad[k]) for c, (values, bad) in found.items()})
        problems += judged.problems
        if result is not None and number is not None:
            line = int(table.cells.index[k])
            kept.append((line, number, date[k], host[k], player[k], *result, note[k]))
    names = ["line", "evening", "date", "host", "player"]
    names += ["entries", "chips_out", "result", "stake", "note"]
    evenings = pd.DataFrame({"evening": evening, "date": date, "host": host})
    evenings = evenings[~blank & ~np.isnan(evening)].astype({"evening": int})
    return Rows(pd.DataFrame(kept, columns=names), evenings, problems)


def amounts(table: Table) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Numbers by column, and where the text is none: amounts, and counts by colour if there."""
    in_chips = not is_blank(table.column("entries")).all()
    found = {}
    for column in ("entries", "buy_in_chips", "chips_out", "result"):
        whole = column == "entries" or (in_chips and column != "buy_in_chips")
        found[column] = numbers(table, column, whole)
    return found | {c: numbers(table, c, True) for c in _VALUES if c in table.cells}


def evening_numbers(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the evenings, and where the text is none."""
    number, bad = numbers(table, "evening", whole=True)
    bad |= (number < 1) | (number % 1 > 0)
    return np.where(bad, np.nan, number), bad


def _evenings(table: Table, blank: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Problem]]:
    """Number and date of each row's evening; numbers are given by date where there are none."""
    number, bad_number = evening_numbers(table)
    date, bad_date = dates(table, "date")
    dated = ~np.isnat(date)
    if (np.isnan(number) | blank).all():
        days = np.unique(date[dated & ~blank])
        number = np.where(dated, 1.0 + np.searchsorted(days, date), np.nan)
    else:  # a row without a number belongs to the numbered evening of its date
        known = pd.Series(number, date)[dated & ~np.isnan(number)].groupby(level=0)
        unique = known.first()[known.nunique() == 1]
        number = np.where(np.isnan(number), pd.Series(date).map(unique), number)
    problems = []
    for k in np.flatnonzero(~blank):
        tell = partial(table.problem, k, "error")
        if bad_number[k]:
            number[k] = np.nan
            problems.append(tell("number", "evening_number", column="evening"))
        elif bad_date[k]:
            evening = None if np.isnan(number[k]) else int(number[k])
            problems.append(tell("date", "no_date", column="date", evening=evening))
        elif np.isnan(number[k]):
            problems.append(tell("order", "no_evening"))
    return number, date, problems


class _Row:
    """One row under judgement: what it says, and everything that speaks against it."""

    def __init__(
        self,
        table: Table,
        k: int,
        evening: int | None,
        player: str,
        rules: LeagueRules,
        entries_kept: bool,
    ):
        self.table, self.k, self.rules = table, k, rules
        self.evening, self.player, self.entries_kept = evening, player, entries_kept
        self.problems: list[Problem] = []

    def tell(self, severity: str, code: str, key: str, **values) -> None:
        place = {"evening": self.evening, "player": self.player or None}
        self.problems.append(self.table.problem(self.k, severity, code, key, **place, **values))

    def read(self, found: dict[str, tuple[float, bool]]) -> tuple | None:
        """(entries, chips_out, result, stake), or None if the row is an error or an absence."""
        for column, (_, bad) in found.items():
            if bad:
                code = "entries" if column == "entries" else "number"
                self.tell("error", code, "not_a_number", column=column)
        entries, buy_in, chips_out, result, *_ = (value for value, _ in found.values())
        chips_out = self._counted({c: found[c][0] for c in _VALUES if c in found}, chips_out)
        if not self.player:
            self.tell("error", "name", "name_missing")
        if self.problems:
            return None
        if np.isnan([entries, buy_in, chips_out, result]).all():
            self.tell("hint", "absent", "absent")
            return None
        if entries == 0 and not np.nansum(np.abs([buy_in, chips_out, result])):
            self.tell("warning", "absent", "zero_entries")
            return None
        counted = not np.isnan(entries)
        if counted:
            self._judge_entries(entries)
        stake = self.rules.entry_chips * entries if counted else buy_in
        given_chips = chips_out
        chips_out = result + stake if np.isnan(chips_out) else chips_out
        right = chips_out - stake
        # Where entries were noted, a missing one is an omission, even beside a result.
        omitted = self.entries_kept and not np.isnan(given_chips)
        if np.isnan(stake) and (np.isnan(result) or omitted):
            self.tell("error", "entries", "entries_missing", chips=given_chips)
        elif np.isnan(chips_out) and not np.isnan(stake):
            self.tell("error", "chips", "chips_missing")
        elif chips_out < 0 or buy_in < 0:
            self.tell("error", "chips", "chips_negative", chips=np.fmin(chips_out, buy_in))
        elif counted and chips_out % (smallest := self.rules.smallest_chip):
            self.tell("error", "chips", "chips_multiple", chips=chips_out, smallest=smallest)
        elif not self.problems:
            slack = 0 if counted else ROUNDING * np.nanmax(np.abs([right, stake, result, 0]))
            for given in (result, chips_out - buy_in):
                if abs(given - right) > slack:
                    told = {"result": given, "right": right, "chips": chips_out, "stake": stake}
                    self.tell("error", "result", "result_differs", **told)
        result = right if counted or np.isnan(result) else result
        return None if self.problems else (entries, chips_out, result, stake)

    def _counted(self, counts: dict[str, float], chips_out: float) -> float:
        """Chips by colour, where any is noted (a blank is then 0 chips); else `chips_out`."""
        noted = {colour: count for colour, count in counts.items() if not np.isnan(count)}
        if not noted:
            return chips_out
        for colour, count in noted.items():
            if count < 0 or count % 1:
                self.tell("error", "chips", "colour_count", column=colour)
        worth = sum(_VALUES[colour] * count for colour, count in noted.items())
        if not np.isnan(chips_out) and worth != chips_out:
            self.tell("error", "chips", "colours_differ", chips=chips_out, worth=worth)
        return worth

    def _judge_entries(self, entries: float) -> None:
        limit = self.rules.max_entries
        if entries == 0:
            self.tell("error", "entries", "entries_zero")
        elif entries < 0 or entries % 1:
            self.tell("error", "entries", "entries_fraction", entries=entries)
        elif entries > limit:
            self.tell("error", "entries", "entries_many", entries=entries, limit=limit)
