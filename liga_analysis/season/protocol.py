"""What was noted of an evening: rows of a table, judged by the rulebook."""

from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import DataError, Problem
from .cells import Table, clean_name, dates, numbers, understood
from .headings import COLOURS, EVENING
from .names import as_written
from .reader import unread

# Rounding that a sum or difference of decimals may carry, relative to the amounts involved.
ROUNDING = 1e-6
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
    found = amounts(table)
    player = table.column("player").each(lambda cell: as_written(clean_name(cell)))
    blank = np.all([table.column(column).blank for column in ("player", *found)], axis=0)
    evening, date, problems = _evenings(table, blank)
    for column, (values, _) in found.items():
        problems += understood(table, column, values)
    problems += understood(table, "date", date)
    sums, told = _totals(table, found, player, evening, blank)
    problems += told
    blank |= sums
    right, doubts = _judged(table, found, player, evening, blank, rules)
    problems += doubts
    kept = right.pop("kept") & ~np.isnan(evening)
    host, note = (table.column(column).each(clean_name) for column in ("host", "note"))
    place = {"evening": evening, "date": date, "host": host}
    columns = {"line": np.array(table.lines, int), **place, "player": player, **right, "note": note}
    rows, evenings = _frame(columns, kept), _frame(place, ~blank & ~np.isnan(evening))
    problems = [*table.problems, *unread(table, results=True), *problems]
    return Rows(rows, evenings, problems, table)


def _frame(columns: dict[str, np.ndarray], kept: np.ndarray) -> pd.DataFrame:
    """Some rows, by their positions; text as it is, for pandas' own kind is slower."""
    where = np.flatnonzero(kept)
    columns = columns | {"evening": np.nan_to_num(columns["evening"]).astype(int)}
    series = {n: pd.Series(v[where], where, dtype=v.dtype) for n, v in columns.items()}
    return pd.DataFrame(series, where)


def amounts(table: Table) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Numbers by column, and where the text is none: amounts, and counts by colour if there."""
    in_chips = not table.column("entries").blank.all()
    found = {}
    for column in ("entries", "buy_in_chips", "chips_out", "result"):
        whole = column == "entries" or (in_chips and column != "buy_in_chips")
        found[column] = numbers(table, column, whole)
    return found | {c: numbers(table, c, True) for c in COLOURS if c in table.cells}


def evening_numbers(table: Table) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of the evenings ("3", "Abend 3"), and where the text is none."""
    column = table.column("evening")
    if any(isinstance(cell, str) and not cell.isdigit() for cell in column.distinct[0]):
        table = table.having(evening=column.each(_bare_number))
    number, bad = numbers(table, "evening", whole=True)
    bad |= (number < 1) | (number % 1 > 0)
    return np.where(bad, np.nan, number), bad


def _bare_number(cell):
    match = EVENING.fullmatch(clean_name(cell))
    return match[1] if match else cell


def _totals(table: Table, found: dict, player, evening, blank) -> tuple[np.ndarray, list[Problem]]:
    """Where rows add up all others of their evenings, whatever they are called; and doubts.

    One who stands at every evening, each time with what two or more others add up to and not
    always with 0, is no player. One who is the last at every evening, each time with a bare 0,
    may be one. A row left out by its name has to be a sum, a mean or 0.
    """
    out, problems = np.zeros(len(blank), bool), []
    values = np.array([v for v, _ in found.values()])
    there = ~blank & ~np.isnan(evening) & (np.nan_to_num(np.abs(values)).max(0) > 0)
    problems += _by_name(table, values, player, evening, blank)
    where = np.flatnonzero(~blank & ~np.isnan(evening))
    number, held = pd.factorize(evening[where])
    codes, names = pd.factorize(player[where])
    often = np.bincount(codes)
    if len(where) < 3 or not (often >= len(held)).any():
        return out, problems
    amount = np.nan_to_num(values[:, where])
    n = np.bincount(number, there[where], len(held))
    sums = np.array([np.bincount(number, row, len(held)) for row in amount])[:, number]
    largest = np.array([np.bincount(number, np.abs(row), len(held)) for row in amount])[:, number]
    adds_up = (np.abs(sums - 2 * amount) <= ROUNDING * largest).all(0)
    adds_up &= n[number] - there[where] >= 2
    always = (np.bincount(codes, adds_up) == often) & (often == len(held))
    always &= np.bincount(codes, amount.any(0)) > 0
    for code in np.flatnonzero(always & (names != "")):
        mine = where[codes == code]
        told = table.problem(mine[0], "warning", "column", "total_by_numbers", player=names[code])
        problems.append(told)
        out[mine] = True
    last = np.zeros(len(held), np.intp)
    last[number] = np.arange(len(where))
    code = codes[last[0]]
    bare = (values[3][where[last]] == 0) & np.isnan(values[:3][:, where[last]]).all(0)
    if len(held) > 1 and (codes[last] == code).all() and bare.all() and often[code] == len(held):
        told = table.problem(where[last[0]], "warning", "column", "zero_row", player=names[code])
        problems.append(told)
    return out, problems


def _by_name(table: Table, values: np.ndarray, player, evening, blank) -> list[Problem]:
    """Warnings about rows left out by their name whose numbers are no totals."""
    if not (totals := table.totals):
        return []
    with suppress(DataError):
        found = np.array([v for v, _ in amounts(totals).values()])
        of_evening = _evenings(totals, np.ones(len(totals), bool))[0]
        names = totals.words("player")
        lines, at = np.array(table.lines), totals.lines
        wrong = []
        for k, line in enumerate(at):
            start = at[k - 1] if k else 0
            theirs, same = player == names[k], evening == of_evening[k]
            blocks = [lines < np.inf, (lines > start) & (lines < line)]
            blocks = [theirs] if theirs.any() else [same] if same.any() else blocks
            sums = [np.nansum(values[:, block & ~blank], axis=1) for block in blocks]
            means = [s / max(1, (b & ~blank).sum()) for s, b in zip(sums, blocks, strict=True)]
            noted = found[:, k]
            fits = np.isnan(noted) | (noted == 0)
            for other in (*sums, *means):
                fits |= np.abs(noted - other) <= 0.01 + ROUNDING * np.abs(other)
            wrong += [] if fits.all() else [k]
        return [
            totals.problem(k, "warning", "column", "total_no_sum", column="player")
            for k in wrong[:1]
        ]
    return []


def _evenings(table: Table, blank: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[Problem]]:
    """Number and date of each row's evening; numbers are given by date where there are none."""
    number, bad_number = evening_numbers(table)
    date, bad_date = dates(table, "date")
    dated = ~np.isnat(date)
    if (np.isnan(number) | blank).all():
        days = np.unique(date[dated & ~blank])
        number = np.where(dated, 1.0 + np.searchsorted(days, date), np.nan)
    elif (np.isnan(number) & dated & ~blank).any():
        # A row without a number belongs to the numbered evening of its date.
        known = pd.Series(number, date)[dated & ~np.isnan(number)].groupby(level=0)
        unique = known.first()[known.nunique() == 1]
        number = np.where(np.isnan(number), pd.Series(date).map(unique), number)
    problems = []
    # A row that says nothing of a player must at least be one of an evening: no merge marker.
    wrong = bad_number | bad_date | (np.isnan(number) & ~blank)
    told = set()  # a row may stand for several players
    for k in np.flatnonzero(wrong):
        place = table.sheets[k] if table.sheets else "", table.lines[k]
        if place in told:
            number[k] = np.nan if bad_number[k] else number[k]
            continue
        told.add(place)
        tell = partial(table.problem, k, "error")
        if bad_number[k]:
            number[k] = np.nan
            problems.append(tell("number", "evening_number", column="evening"))
        elif bad_date[k]:
            evening = None if np.isnan(number[k]) else int(number[k])
            problems.append(tell("date", "no_date", column="date", evening=evening))
        else:
            problems.append(tell("order", "no_evening"))
    return number, date, problems


def _judged(table: Table, found: dict, player, evening, blank, rules: LeagueRules):
    """What every row is worth, which rows count (`kept`), and everything that speaks against one.

    Returns
    -------
    right : dict of array
        `kept`, `entries`, `chips_out`, `result`, `stake`.
    problems : list of Problem
        By row; of one row in the order of the checks.
    """
    told: list[tuple[int, Problem]] = []
    wrong = np.zeros(len(table), bool)

    def tell(mask, severity, code, key, **values) -> None:
        """Note one check; `values` are numbers by row, or the same for all."""
        for k in np.flatnonzero(mask):
            place = {"evening": None if np.isnan(evening[k]) else int(evening[k])}
            own = {n: v[k] if isinstance(v, np.ndarray) else v for n, v in values.items()}
            place["player"] = player[k] or None
            told.append((k, table.problem(k, severity, code, key, **place, **own)))
        wrong[mask] = True

    rows = ~blank
    for column, (_, bad) in found.items():
        code = "entries" if column == "entries" else "number"
        tell(rows & bad, "error", code, "not_a_number", column=column)
    entries, buy_in, chips, result = (values for values, _ in list(found.values())[:4])
    counts = {colour: found[colour][0] for colour in COLOURS if colour in found}
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
    largest = np.fmax.reduce(np.abs([right, stake, result, np.zeros(len(right))]))
    slack = np.where(counted, 0, ROUNDING * largest)
    for other in (result, chips - buy_in):
        differ = rows & (np.abs(other - right) > slack)
        amounts_told = {"result": other, "right": right, "chips": chips, "stake": stake}
        tell(differ, "error", "result", "result_differs", **amounts_told)
    result = np.where(counted | np.isnan(result), right, result)
    kept = rows & ~wrong
    told.sort(key=lambda one: one[0])
    judged = {"kept": kept, "entries": entries, "chips_out": chips, "result": result}
    return judged | {"stake": stake}, [problem for _, problem in told]
