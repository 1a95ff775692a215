"""What was noted of an evening: rows of a table, judged by the rulebook."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import Problem
from .cells import Table, clean_name
from .headings import AMOUNTS, COLOURS, absence, column_of
from .names import as_written
from .reader import unread
from .totals import sums_of_others, sums_without_name
from .values import ROUNDING, amounts, in_money, is_money, row_evenings, told_rows, understood

# One of these columns (or pairs) must say how an evening went.
REQUIRED = ("player", "evening|date", "result|entries|buy_in_chips", "result|chips_out")


@dataclass(frozen=True)
class Rows:
    """The rows of a table that say something, and what is to be said about them.

    Attributes
    ----------
    table : DataFrame
        `line`, `evening`, `date`, `host`, `player`, `entries`, `chips_out`, `result`, `stake`
        (chips bought in), `note`; rows that are an error or an absence are not in it.
    evenings : DataFrame
        `evening`, `date`, `host` of every row, those in error too. Index of both = position in
        `source`.
    problems : list of Problem
        Those of the source among them.
    source : Table
    """

    table: pd.DataFrame
    evenings: pd.DataFrame
    problems: list[Problem]
    source: Table

    def placed(self, places: dict[int, tuple[int, object, str]]) -> "Rows":
        """The rows as those of other evenings: new number, date and host by the number they had."""

        def moved(frame: pd.DataFrame) -> pd.DataFrame:
            new = [places.get(e, (e, None, None)) for e in frame["evening"]]
            frame = frame.assign(evening=[number for number, _, _ in new])
            for k, column in ((1, "date"), (2, "host")):
                values = [one[k] for one in new]
                kept = pd.isna(pd.Series(values, frame.index, dtype=object))
                frame[column] = frame[column].where(kept, pd.Series(values, frame.index))
            return frame.astype({"date": "datetime64[s]"})

        problems = [
            replace(p, evening=places[p.evening][0]) if p.evening in places else p
            for p in self.problems
        ]
        return Rows(moved(self.table), moved(self.evenings), problems, self.source)


def read_rows(table: Table, rules: LeagueRules) -> Rows:
    """Rows of a results table: counted (entries and chips) or result only.

    Every column is judged as a whole; a row that belongs to no evening is an error without one,
    and a row that adds up all others of its evenings is left out.

    Raises
    ------
    DataError
        If a column of decimals can be read in two ways.
    """
    figures = amounts(table)
    player = table.column("player").each(lambda cell: as_written(clean_name(cell)))
    blank = np.all([table.column(column).blank for column in ("player", *figures)], axis=0)
    figures, problems = _without_absences(table, figures)
    without_name, doubts = sums_without_name(table, figures, player, blank)
    blank |= without_name
    evening, date, more = row_evenings(table, blank)
    problems += doubts + more
    for column, (values, _) in figures.items():
        problems += understood(table, column, values)
    problems += understood(table, "date", date)
    sums, doubts = sums_of_others(table, figures, player, evening, blank)
    problems += doubts
    blank |= sums
    right, doubts = _judged(table, figures, player, evening, blank, rules)
    problems += [*_money(table, blank), *doubts]
    kept = right.pop("kept") & ~np.isnan(evening)
    host, note = (table.column(column).each(clean_name) for column in ("host", "note"))
    place = {"evening": evening, "date": date, "host": host}
    columns = {"line": np.fromiter(table.lines, int), **place, "player": player, **right}
    columns["note"] = note
    rows, evenings = _frame(columns, kept), _frame(place, ~blank & ~np.isnan(evening))
    problems = [*table.problems, *unread(table, results=True), *problems]
    return Rows(rows, evenings, problems, table)


def _without_absences(table: Table, figures: dict) -> tuple[dict, list[Problem]]:
    """Figures in which blank is what says that somebody was not there, where nothing else is noted.

    And a warning about the first dash, where that may be a result of 0: nobody's entries are noted,
    and no other 0.
    """
    if not any(wrong.any() for _, wrong in figures.values()):
        return figures, []
    values, bad = (np.array(part) for part in zip(*figures.values(), strict=True))
    away = np.isnan(values).all(0) & bad.any(0)
    if not away.any():
        return figures, []
    dash = np.zeros(len(table), bool)
    for name, (_, wrong) in figures.items():
        kinds = table.column(name).each(absence)
        away &= ~wrong | (kinds != "")
        dash |= wrong & (kinds == "dash")
    in_doubt = np.isnan(values[0]).all() and not (values[3] == 0).any()
    problems = []
    for row in np.flatnonzero(away & dash)[: int(in_doubt)]:
        column = next(name for name, (_, wrong) in figures.items() if wrong[row])
        problems.append(table.problem(row, "warning", "absent", "dash", column=column))
    return {name: (v, wrong & ~away) for name, (v, wrong) in figures.items()}, problems


def _money(table: Table, blank: np.ndarray) -> list[Problem]:
    """A warning about the first result that is one in money, where nobody's entries are counted."""
    if not table.column("entries").blank.all():
        return []
    what = "warning", "number", "money_results"
    for column in ("result", "chips_out", "buy_in_chips"):
        if len(rows := np.flatnonzero(~blank & in_money(table, column))):
            return [table.problem(rows[0], *what, column=column)]
    for name, column in zip(table.header[1], map(column_of, table.header[1]), strict=True):
        if column in AMOUNTS and is_money(name) and len(rows := np.flatnonzero(~blank)):
            told = table.problem(rows[0], *what, column=column)
            return [replace(told, values=told.values | {"text": name[:80]})]
    return []


def _frame(columns: dict[str, np.ndarray], kept: np.ndarray) -> pd.DataFrame:
    """Some rows, by their positions; text as it is, for pandas' own kind is slower."""
    columns = columns | {"evening": np.nan_to_num(columns["evening"]).astype(int)}
    columns = {n: pd.Series(c, dtype=c.dtype, copy=False) for n, c in columns.items()}
    return pd.DataFrame(columns, copy=False)[kept]


def _judged(table: Table, figures: dict, player, evening, blank, rules: LeagueRules):
    """What every row is worth, which rows count (`kept`), and everything that speaks against one.

    Returns
    -------
    right : dict of array
        `kept`, `entries`, `chips_out`, `result`, `stake`.
    problems : list of Problem
        By row; of one row in the order of the checks.
    """
    problems: list[tuple[int, Problem]] = []
    wrong = np.zeros(len(table), bool)

    def tell(mask, severity, code, key, **values) -> None:
        """Note one check; `values` are numbers by row, or the same for all."""
        for k, more in told_rows(np.flatnonzero(mask), evening):
            place = {"evening": None if np.isnan(evening[k]) else int(evening[k])}
            own = {n: v[k] if isinstance(v, np.ndarray) else v for n, v in values.items()}
            place["player"] = player[k] or None
            if more:
                place["player"], own, key = None, {"count": more}, "and_more"
            problems.append((k, table.problem(k, severity, code, key, **place, **own)))
        wrong[mask] = True

    rows, counting = ~blank, ~np.isnan(figures["entries"][0])
    for column, (_, bad) in figures.items():
        tell(rows & counting & in_money(table, column), "error", "number", "money", column=column)
        code = "entries" if column == "entries" else "number"
        tell(rows & bad, "error", code, "not_a_number", column=column)
    entries, buy_in, chips, result = (values for values, _ in list(figures.values())[:4])
    counts = {colour: figures[colour][0] for colour in COLOURS if colour in figures}
    if counts:  # a blank is 0 chips where any colour is noted
        noted = rows & ~np.isnan(list(counts.values())).all(axis=0)
        for colour, count in counts.items():
            bad = (count < 0) | (np.nan_to_num(count) % 1 > 0)
            tell(noted & bad, "error", "chips", "colour_count", column=colour)
        worth = sum(COLOURS[colour] * np.nan_to_num(count) for colour, count in counts.items())
        differ = noted & ~np.isnan(chips) & (worth != chips)
        tell(differ, "error", "chips", "colours_differ", chips=chips, worth=worth)
        chips = np.where(noted, worth, chips)
    tell(rows & (player == ""), "error", "name", "name_missing")

    rows &= ~wrong
    amount = np.array([buy_in, chips, result])
    absent = rows & np.isnan([entries, *amount]).all(axis=0)
    tell(absent, "hint", "absent", "absent")
    zero = rows & (entries == 0) & (np.nansum(np.abs(amount), axis=0) == 0)
    tell(zero, "warning", "absent", "zero_entries")
    rows &= ~wrong
    counted = rows & ~np.isnan(entries)
    fraction = (entries < 0) | (np.nan_to_num(entries) % 1 > 0)
    most, smallest = rules.max_entries, rules.smallest_chip
    tell(counted & (entries == 0), "error", "entries", "entries_zero")
    tell(counted & fraction, "error", "entries", "entries_fraction", entries=entries)
    many = counted & ~fraction & (entries > most)
    tell(many, "error", "entries", "entries_many", entries=entries, limit=most)

    stake = np.where(counted, rules.entry_chips * entries, buy_in)
    given, chips = chips, np.where(np.isnan(chips), result + stake, chips)
    right = chips - stake
    # Where entries were noted, a missing one is an omission, even beside a result.
    omitted = np.isin(evening, evening[entries > 0]) & ~np.isnan(given)
    missing = rows & np.isnan(stake) & (np.isnan(result) | omitted)
    tell(missing, "error", "entries", "entries_missing", chips=given)
    unknown = rows & ~missing & np.isnan(chips) & ~np.isnan(stake)
    tell(unknown, "error", "chips", "chips_missing")
    below = rows & ~missing & ~unknown & ((chips < 0) | (buy_in < 0))
    tell(below, "error", "chips", "chips_negative", chips=np.fmin(chips, buy_in))
    odd = counted & ~missing & ~unknown & ~below & (np.nan_to_num(chips) % smallest != 0)
    tell(odd, "error", "chips", "chips_multiple", chips=chips, smallest=smallest)
    rows &= ~wrong
    largest = np.fmax(np.fmax(np.abs(right), np.abs(stake)), np.abs(result))
    slack = np.where(counted, 0, ROUNDING * largest)
    for other in (result, chips - buy_in):
        differ = rows & ~wrong & (np.abs(other - right) > slack)
        amounts_told = {"result": other, "right": right, "chips": chips, "stake": stake}
        tell(differ, "error", "result", "result_differs", **amounts_told)
    result = np.where(counted | np.isnan(result), right, result)
    kept = rows & ~wrong
    problems.sort(key=lambda one: one[0])
    judged = {"kept": kept, "entries": entries, "chips_out": chips, "result": result}
    return judged | {"stake": stake}, [problem for _, problem in problems]
