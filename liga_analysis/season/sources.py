"""Whatever comes from a table, as one results table: sheets, event logs, PokerNow ledgers."""

import re
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import DataError, Problem
from .cells import Column, Table, clean_name
from .days import date_of
from .eventlog import is_log, presence, replayed
from .folder import hosts_files
from .headings import PLACES, column_of, evening_in
from .matrices import LIKE_A_DATE
from .pokernow import is_ledger, settled
from .protocol import REQUIRED
from .reader import arranged_table, demand, sheets_of
from .rows import Sheet
from .values import ROUNDING, numbers

# A sheet called like a whole season: "2026", "Saison 2025/26", "Liga 2026".
_SEASON = re.compile(
    r"(?:(?:saison|season|jahr|liga|pokerliga) ?)?(?:19|20)\d\d(?: ?[-/_–] ?(?:20)?\d\d)?"
    r"|(?:saison|season) ?\S+",
    re.IGNORECASE,
)
# A sheet called like what is made of the evenings.
_MADE_OF_THEM = re.compile(
    r"rang|rank|gesamt|total|summe|stand|statisti|übersicht|overview|auswertung", re.IGNORECASE
)


def protocol_table(
    file: str,
    data: bytes | list[Sheet],
    rules: LeagueRules,
    licences: pd.DataFrame | None = None,
    unit: float | None = None,
    required: tuple[str, ...] = REQUIRED,
    sheet: str | None = None,
) -> Table:
    """The results table in a protocol; which kind it is, its columns say.

    Of a workbook the sheets that have what is needed are read: all of one shape, else the first.
    Hidden ones are left alone. Whatever is left is named.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    data : bytes or list of Sheet
    rules : LeagueRules
        An event log is judged by.
    licences : DataFrame, optional
        `player` and `aliases`, to join a person's ids in a ledger.
    unit : float, optional
        Chips that 1 in a ledger is worth.
    required : tuple of str
        Columns a sheet must have.
    sheet : str, optional
        Name of the only sheet of a workbook to read, hidden or not.

    Raises
    ------
    DataError
        As `parse_table`, or if there is no such sheet.
    """
    given = isinstance(data, list)
    sheets, separator, hints = (data, "", []) if given else sheets_of(file, data)
    if sheet is not None:
        names = [one.name for one in sheets]
        sheets = [replace(one, hidden=False) for one in sheets if one.name == sheet]
        if not sheets:
            facts = {"sheet": sheet, "names": names if any(names) else ["–"]}
            raise DataError(Problem("error", "column", "no_sheet", file=file, values=facts))
    tables = {}
    for one in sheets:
        place = f"{file} [{one.name}]" if len(sheets) > 1 else file
        try:
            tables[one.name] = _fitting(one, place, separator, rules, required)
        except DataError as error:
            tables[one.name] = error
    fits = {one.name: isinstance(tables[one.name], Table) for one in sheets}
    shown = [one.name for one in sheets if not one.hidden]
    taken = [name for name in shown if fits[name]]
    if not shown:
        facts = {"names": [one.name for one in sheets]}
        raise DataError(Problem("error", "column", "only_hidden", file=file, values=facts))
    if not taken:
        # The error of a sheet with a header says more than that of one without.
        raise max((tables[name] for name in shown), key=lambda e: e.problems[0].key != "no_header")
    first = tables[taken[0]]
    same = [name for name in taken if _same_shape(tables[name], first)]
    same = same if not (is_log(first) or is_ledger(first)) else taken[:1]
    years = [name for name in same if _SEASON.fullmatch(name)]
    if len(years) > 1:
        facts = {"names": years}
        raise DataError(Problem("error", "column", "seasons", file=file, values=facts))
    left = {  # what may hold results is told everywhere, what lacks a column for them in check
        "other_sheets": [n for n in shown if n not in same],
        "hidden_sheets": [one.name for one in sheets if one.hidden],
    }
    may = {name for name, table in tables.items() if _may_hold_results(table)}
    if all(_holds_one_evening(tables[name]) for name in same):
        people = {name for taken in same for name in tables[taken].words("player")}
        may |= {one.name for one in sheets if not one.hidden and _like_an_evening(one, people)}
    for key, names in left.items():
        for severity, loud in (("warning", True), ("hint", False)):
            if left_out := [name for name in names if (name in may) == loud]:
                values = {"names": left_out, "taken": same}
                hints.append(Problem(severity, "column", key, file=file, values=values))
    refused = [tables[name] for name in left["other_sheets"] if name in may and not fits[name]]
    hints += [replace(error.problems[0], severity="warning") for error in refused]
    table = _joined([tables[name] for name in same], file)
    table = replace(table, problems=(*hints, *table.problems))
    if is_log(table):
        return replayed(table, rules)
    if is_ledger(table):
        return settled(table, rules, licences, unit)
    if unit is not None:
        told = Problem("warning", "number", "unit_no_ledger", file=file)
        return replace(table, problems=(*table.problems, told))
    return table


def _fitting(
    sheet: Sheet, file: str, separator: str, rules: LeagueRules, required: tuple[str, ...]
) -> Table:
    """The table on a sheet, if it has what is needed."""
    table = resolved(arranged_table(sheet, file, separator), rules)
    demand(table, ("player",) if is_log(table) or is_ledger(table) else required)
    return table


def _same_shape(table: Table, other: Table) -> bool:
    """Whether two have the same columns, but for what sheets may say of an evening or not."""
    differ = table.cells.keys() ^ other.cells.keys()
    return differ <= {*PLACES, "note"} and not {"evening", "date"} <= differ


def _holds_one_evening(table: Table) -> bool:
    return all(len(set(table.words(column)) - {""}) < 2 for column in ("evening", "date"))


def _may_hold_results(table: Table | DataError) -> bool:
    """Whether a sheet has what is needed, or a header that is not understood."""
    lacks = ("no_header", "missing", "missing_rename", "header_only")
    return isinstance(table, Table) or table.problems[0].key not in lacks


def _like_an_evening(sheet: Sheet, people: set[str]) -> bool:
    """Whether a sheet beside those of evenings is called like one or has players and numbers."""
    texts = {clean_name(cell) for _, row in sheet.rows for cell in row}
    players = "player" in map(column_of, texts) or len(texts & people) > 1
    named = LIKE_A_DATE.search(sheet.name) or re.search("abend|evening", sheet.name, re.IGNORECASE)
    made = _MADE_OF_THEM.search(sheet.name)
    return bool(named or (players and not made and any(map(re.compile(r"\d").search, texts))))


def _joined(tables: list[Table], file: str) -> Table:
    """Sheets of one shape as one table."""
    if len(tables) == 1:
        return tables[0]
    names = [table.file for table in tables]
    facts = {"names": [name[len(file) + 2 : -1] for name in names]}
    joined = Problem("hint", "column", "joined_sheets", file=file, values=facts)

    def one_below_the_other(parts: list[Table]) -> Table:
        columns = dict.fromkeys(c for table in parts for c in table.cells)
        cells = {c: [x for t in parts for x in t.column(c).cells] for c in columns}
        lines = [line for table in parts for line in table.lines]
        return replace(parts[0], cells={c: Column(x) for c, x in cells.items()}, lines=lines)

    others: dict[str, list] = {}
    for name, column in (pair for table in tables for pair in table.others):
        others.setdefault(name, []).extend(column.cells)
    totals = [table.totals for table in tables if table.totals]
    return replace(
        one_below_the_other(tables),
        file=file,
        others=tuple((name, Column(cells)) for name, cells in others.items()),
        totals=one_below_the_other(totals) if totals else None,
        problems=(joined, *(p for table in tables for p in table.problems)),
        sheets=tuple(table.file for table in tables for _ in table.lines),
    )


def resolved(table: Table, rules: LeagueRules) -> Table:
    """A table with the columns that only their cells explain as what they are.

    "Spieltag" holds dates or numbers; "Buy-ins" counts entries where no number is above the most
    allowed, else chips; "Rebuys" are those after the first, also beside one each; "ROI" is a result
    where every evening then sums to zero. What is none of it stays as it is, unread.
    """
    cells = table.cells
    for column, other, kind in (("date", "evening", evening_in), ("evening", "date", date_of)):
        if column not in cells or other in cells:
            continue
        texts = (str(text) for text in cells[column].distinct[0] if clean_name(text))
        if kind(next(texts, "")) and all(map(kind, texts)):
            cells = {other if name == column else name: c for name, c in cells.items()}
            break
    unread = {}
    if "buy_ins" in cells:
        values, bad = numbers(table, "buy_ins", whole=True)
        counts = not bad.any() and np.nanmax(values, initial=0) <= rules.max_entries
        counts &= not (np.nan_to_num(values) % 1).any() and np.nanmin(values, initial=0) >= 0
        name = "entries" if counts else "buy_in_chips"
        if name in cells:
            unread["Buy-ins"] = cells["buy_ins"]
        elif "rebuys" not in cells or name != "entries" or (values > 1).any():
            cells = cells | {name: cells["buy_ins"]}
    if "rebuys" in cells:
        if {"entries", "buy_in_chips"} & {*cells}:
            unread["Rebuys"] = cells["rebuys"]
        else:
            cells = cells | {"entries": Column(_entries(table))}
    if "roi" in cells:
        if "result" in cells or "chips_out" in cells or not _sums_to_zero(table, "roi"):
            unread["ROI"] = cells["roi"]
        else:
            cells = cells | {"result": cells["roi"]}
    cells = {c: x for c, x in cells.items() if c not in ("buy_ins", "rebuys", "roi")}
    return replace(table, cells=cells, others=(*table.others, *unread.items()))


def _entries(table: Table) -> list:
    """One more than the rebuys; who has none noted has had none if nobody has a 0 noted."""
    values, bad = numbers(table, "rebuys", whole=True)
    noted = ~(table.column("chips_out").blank & table.column("result").blank)
    none = (values == 0).any()
    return [
        cell if wrong else ("" if none or not there else "1") if value != value else str(value + 1)
        for cell, value, wrong, there in zip(
            table.cells["rebuys"].cells, values, bad, noted, strict=True
        )
    ]


def _sums_to_zero(table: Table, column: str) -> bool:
    """Whether a column of numbers does so at every evening, and is not all zero."""
    values, bad = numbers(table, column, whole=False)
    if bad.any() or not np.nansum(np.abs(values)):
        return False
    evening = [table.words("evening"), table.words("date")]
    sums = pd.Series(np.nan_to_num(values)).groupby(evening).sum()
    return bool((sums.abs() <= ROUNDING * np.nanmax(np.abs(values))).all())


def presences(folder: Path, rules: LeagueRules) -> dict[int, pd.DataFrame]:
    """Who was in when, as `presence`, of each evening recorded whose event log was kept."""
    stays = {}
    for name, data in hosts_files(folder):
        first = re.match(r"abend-(\d+)", name)
        with suppress(DataError):
            sheets, separator, _ = sheets_of(name, data)
            table = arranged_table(sheets[0], name, separator)
            if not first or not is_log(table):
                continue
            stints = presence(table, rules)
            stints["evening"] = stints["evening"].fillna(int(first[1])).astype(int)
            evenings = stints[stints["evening"] >= int(first[1])].groupby("evening")
            stays |= {evening: rows.reset_index(drop=True) for evening, rows in evenings}
    return stays
