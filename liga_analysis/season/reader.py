"""Any file people send as tables: its sheets, and the columns under a header."""

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np

from ..words import DataError, Problem
from .cells import Column, Covered, Formula, Table, clean_name
from .days import days_of
from .headings import (
    COLOURS,
    PLACES,
    about,
    cell_at,
    column_of,
    columns_of,
    is_status,
    nearly,
    says_no_result,
    word,
)
from .layouts import Layout, arranged
from .rows import PlainRows, Rows, Sheet, TooManyCells, by_column
from .textfiles import text_rows
from .values import plain_numbers
from .workbooks import MAX_WORKBOOK_BYTES, XLS, TooLarge, workbook_sheets

MAX_BYTES = 200_000_000  # of a plain file
# An amount and its unit: "50 Chips", "12 Punkte"; not "20 Uhr".
_WITH_UNIT = re.compile(r"[-+−–]? ?\d(?:[\d.,']*\d)? ?(?!uhr|h\b|min)[^\W\d]+\.?", re.IGNORECASE)


def read_file(path: Path) -> bytes:
    """The bytes of a file.

    Raises
    ------
    DataError
        If it is no file, or larger than MAX_BYTES.
    """
    if not path.is_file():
        raise DataError(about("error", "no_file", path.name, code="encoding"))
    if (size := path.stat().st_size) > MAX_BYTES:
        facts = {"size": size / 1e6, "limit": MAX_BYTES / 1e6}
        raise DataError(about("error", "file_large", path.name, code="encoding", **facts))
    return path.read_bytes()


def parse_table(
    file: str, data: bytes, required: tuple[str, ...] = ("player",), rows: bool = True
) -> Table:
    """The table in the bytes of a CSV of any dialect or a workbook, with its header on top.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    data : bytes
    required : tuple of str
        Canonical columns that must be there; "a|b" means one of them.
    rows : bool
        Whether it must have any.

    Raises
    ------
    DataError
        If the file is empty, binary, not a table, or lacks a column; file, line and cure are named.
    """
    sheets, separator, hints = sheets_of(file, data)
    known = [sheet for sheet in sheets if any(map(column_of, sheet.rows[0][1]))]
    table = _table(Layout.of((known or sheets)[0].rows), file, separator)
    demand(table, required, rows)
    return replace(table, problems=(*hints, *table.problems))


def arranged_table(sheet: Sheet, file: str, separator: str) -> Table:
    """The table on a sheet of any layout (see `arranged`).

    Raises
    ------
    DataError
        If it has no header, or one that is not understood.
    """
    table = _table(arranged(sheet, file) or Layout.of(sheet.rows), file, separator)
    there = {line for line, _ in sheet.rows} if sheet.unseen else set()
    marked = {"struck": sheet.struck, "unseen": sorted(there & {*sheet.unseen})}
    marked["unseen_columns"] = sheet.unseen_letters
    marked = {key: [*map(str, lines[:20])] for key, lines in marked.items() if lines}
    problems = (about("warning", key, file, lines=lines) for key, lines in marked.items())
    return replace(table, problems=(*table.problems, *problems)) if marked else table


def sheets_of(file: str, data: bytes) -> tuple[list[Sheet], str, list[Problem]]:
    """The sheets of a file that hold anything, its separator, and hints about its dialect."""
    hints, separator = [], ""
    if data.startswith((b"PK\x03\x04", XLS)):
        sheets = _workbook(data, file)
        if data.startswith(XLS):
            hints.append(about("hint", "values_only", file, code="encoding"))
    else:
        try:
            rows, separator, encoding = text_rows(data, file)
        except TooManyCells:
            raise _too_many(file) from None
        sheets = [Sheet("", rows)] if rows else []
        if encoding != "UTF-8-sig":
            hints.append(about("hint", "encoding", file, code="encoding", encoding=encoding))
        if separator not in ("", ",", ";"):
            shown = "Tab" if separator == "\t" else separator
            hints.append(about("hint", "separator", file, code="encoding", separator=shown))
    if not sheets:
        raise DataError(about("error", "empty", file, code="encoding"))
    return sheets, separator, hints


def _too_many(file: str) -> DataError:
    return DataError(about("error", "too_many_cells_in_all", file, code="encoding"))


def _workbook(data: bytes, file: str) -> list[Sheet]:
    """The worksheets that hold anything; blank cells are empty text."""
    try:
        sheets = workbook_sheets(data)
    except TooLarge as error:
        facts = {"size": error.args[0] / 1e6, "limit": MAX_WORKBOOK_BYTES / 1e6}
        raise DataError(about("error", "too_large", file, code="encoding", **facts)) from None
    except TooManyCells:
        raise _too_many(file) from None
    except Exception:  # the XML, zip and xls readers raise whatever they raise
        raise DataError(about("error", "workbook", file, code="encoding")) from None
    filled = []
    for sheet in sheets:
        rows = [(line, ["" if cell is None else cell for cell in row]) for line, row in sheet.rows]
        rows = [(line, row) for line, row in rows if any(map(clean_name, row))]
        filled += [replace(sheet, rows=rows)] if rows else []
    return filled


def _table(layout: Layout, file: str, separator: str) -> Table:
    """The rows under one header, in canonical columns and others."""
    header_line, header = layout.header
    names = [clean_name(cell) for cell in header]
    columns = columns_of(names)

    def fail(key, line=header_line, **values):
        raise DataError(about("error", key, file, line=line, **values))

    if {"entry", "at", "order"} <= {word(name) for name in names}:
        fail("hand_log")
    if not any(columns):
        fail("no_header", found=_named(names))
    for column in filter(None, columns):
        if columns.count(column) > 1:
            fail("double", columns=[n for n, c in zip(names, columns, strict=True) if c == column])
    if not isinstance(layout.rows, PlainRows):
        for line, row in layout.rows:
            if any(map(clean_name, row[len(names) :])):
                key = "too_many_cells" if separator else "too_many_cells_sheet"
                fail(key, line=line, cells=len(row), columns=len(names))

    def read(rows: Rows) -> tuple[Sequence[int], dict, list]:
        lines, cells = by_column(rows, len(names))
        plain = isinstance(rows, PlainRows)
        every = zip(columns, names, cells if plain else map(_unquoted, cells), strict=True)
        every = [(known, name, Column(sent)) for known, name, sent in every]
        others = [(name, column) for known, name, column in every if not known]
        return lines, {known: column for known, _, column in every if known}, others

    lines, cells, others = read(layout.rows)
    first = columns.index(kind := next(filter(None, columns)))
    if not cells[kind].decimal_mark and kind in map(column_of, cells[kind].distinct[0]):
        for line, row in layout.rows:
            again = [*map(clean_name, row[: len(names)])]
            if again == names:
                fail("header_again", line=line)
            if column_of(cell_at(row, first)) == kind and sum(map(bool, map(column_of, row))) > 1:
                fail("second_header", line=line, text=", ".join(filter(None, again))[:80])
    if not separator:
        sent = chain(header, *(column.cells for column in cells.values()))
        if without := [cell.cell for cell in sent if type(cell) is Formula]:
            raise DataError(about("error", "formula", file, code="number", cells=without[:10]))
        cells = {name: _uncovered(name, column, layout.rows) for name, column in cells.items()}
        sent = chain(*(column.cells for name, column in cells.items() if name != "note"))
        if covered := dict.fromkeys(cell.cell for cell in sent if type(cell) is Covered):
            raise DataError(about("error", "merged", file, cells=[*covered][:10]))
    meant = {n: c for n, c in zip(names, columns, strict=True) if c and n.casefold() != c}
    problems = list(layout.problems)
    if meant:
        problems.append(about("hint", "translated", file, pairs=meant))
    head = header_line, tuple(names)
    others += [(name, Column(sent)) for name, sent in layout.others]
    at, sums, _ = read(layout.totals)
    totals = Table(file, sums, at, separator) if layout.totals else None
    return Table(file, cells, lines, separator, tuple(problems), tuple(others), totals, head)


def _uncovered(name: str, column: Column, rows: Rows) -> Column:
    """A column in which what is said of an evening holds for all rows that it is merged over.

    Nor does a row that is one merged cell from one side to the other lack anything.
    """
    covered = [k for k, cell in enumerate(column.cells) if type(cell) is Covered]
    if not covered:
        return column
    cells = list(column.cells)
    for k in covered:
        if name in PLACES and clean_name(cells[k].value):
            cells[k] = cells[k].value
        elif not cells[k].value and sum(map(bool, map(clean_name, rows[k][1]))) < 2:
            cells[k] = ""
    return Column(cells)


def _unquoted(cells: Sequence) -> Sequence:
    """Cells without the apostrophe that keeps text from being taken for a formula."""
    guard = re.compile(r"'+[=+\-@]")
    with suppress(TypeError):  # a workbook's cells are not all text
        if "'" not in "".join(cells):
            return cells
    return [c[1:] if isinstance(c, str) and guard.match(c) else c for c in cells]


def demand(table: Table, required: tuple[str, ...], rows: bool = True) -> None:
    """Refuse a table that lacks a column or, with `rows`, has none.

    Raises
    ------
    DataError
        With the columns found, and the one that may be meant.
    """
    there = set(table.cells)
    there |= {"chips_out"} if there & {*COLOURS} else set()
    there |= {"entries", "buy_in_chips"} if there & {"buy_ins", "rebuys"} else set()
    line, names = table.header
    for need in required:
        if set(need.split("|")) & there:
            continue
        facts = {"column": need, "found": _named(names)}
        key = "missing"
        if meant := _meant_for(need, table):
            key, facts = "missing_rename", facts | meant
        raise DataError(about("error", key, table.file, line=line, **facts))
    if rows and not len(table):
        raise DataError(about("error", "header_only", table.file, line=line))


def _named(headings: Sequence[str]) -> list[str]:
    """The first headings that are none of blanks, to be told."""
    return [name[:80] for name in headings if name][:12]


def _meant_for(need: str, table: Table) -> dict[str, str]:
    """The first heading that is misspelt for one of the columns needed, by its cells too."""
    for name, column in table.others:
        meant = None if says_no_result(name) else nearly(name)
        if meant in need.split("|") and meant in _fitting(column):
            return {"heading": name, "meant": meant}
    return {}


def _fitting(column: Column) -> tuple[str, ...]:
    """Which columns cells could be: dates, names, or numbers by their size; none of blanks."""
    cells = [cell for cell in column.distinct[0] if clean_name(cell)]
    if not cells or all(days_of(cells).days):
        return ("date",) if cells else ()
    values, bad = plain_numbers(cells)
    if bad.all() and not any(type(cell) is Formula for cell in cells):
        return ("player",)
    values = values[~np.isnan(values)]
    if (values < 0).any() or (values % 1 != 0).any():
        return ("result",)
    return ("evening", "entries", "result") if (values < 100).all() else ("chips_out", "result")


def unread(table: Table, results: bool) -> list[Problem]:
    """What is told of columns that are not read: where results are, they may be some or undo them.

    A warning is about numbers, also with a unit ("50 Chips"), and what may say that a row does not
    count; a hint about what cannot matter.
    """
    severity_of = {"unknown": "hint", "unknown_numbers": "warning", "unknown_status": "warning"}
    left: dict[str, list] = {key: [] for key in severity_of}
    nameless = iter(k for k, name in enumerate(table.header[1], 1) if not name)
    for name, column in table.others:
        texts = [clean_name(cell) for cell in column.distinct[0] if clean_name(cell)]
        name = name or f"({next(nameless, '?')})"
        if name[0] == "(" and not texts and len(column.cells):
            continue
        counts_up = name[0] == "(" and texts == [str(k) for k in range(1, 1 + len(texts))]
        key = "unknown"
        if results and texts and not says_no_result(name) and not counts_up:
            if is_status(name) or any(map(is_status, texts)):
                key = "unknown_status"
            elif _fitting(column)[-1:] == ("result",) or any(map(_WITH_UNIT.fullmatch, texts)):
                key = "unknown_numbers"
        left[key].append(name)
    notes = map(clean_name, table.column("note").distinct[0])
    if results and any(is_status(note) and len(note.split()) < 4 for note in notes):
        left["unknown_status"] += [n for n in table.header[1] if column_of(n) == "note"]
    return [
        about(severity_of[key], key, table.file, columns=names)
        for key, names in left.items()
        if names
    ]
