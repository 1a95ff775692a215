"""Sheets of any layout under one header, and what stands above it."""

import re
from dataclasses import replace

import numpy as np

from ..words import DataError, Problem
from .cells import clean_name
from .chat import chat
from .days import date_of, days_in
from .headings import Layout, about, cell_at, columns_of, evening_in, is_carried, label
from .matrices import across
from .names import name_key
from .rows import Rows, Sheet
from .transposed import down
from .values import plain_numbers

# What a sheet may look like, asked in this order. A form takes rows and the name of the file and
# returns the rows above the header and a Layout of a row per result; None if the sheet is none.
# Once it is sure that it is, what cannot be read is a DataError of its own.
FORMS = (across, down, chat)
# At whose place: "Pokernacht 24.7.26 bei Björn"; a date that is not the evening's, but when a table
# was written, say; and what a date, a number or a host means.
_AT = re.compile(r"\bbei ([A-ZÄÖÜÅØ][\w.-]*(?: [A-ZÄÖÜÅØ][\w.-]*)?)[)!. ]*$")
_OTHER_DAY = re.compile(
    r"\b(?:stand|erstellt|gedruckt|exportiert|created|printed|exported|(?:über)?n[äa]e?chst|next"
    r"|geburtstag|geboren|birthday|born|verschoben|verlegt|postponed|statt\b|instead)",
    re.IGNORECASE,
)
_MEANS = {"date": date_of, "evening": evening_in, "host": name_key}


def arranged(sheet: Sheet, file: str) -> Layout | None:
    """A sheet with its evenings and players as columns.

    Lines above the header that name the evening, date, start, host or place become columns, and so
    does a sheet's own name. A matrix (players down and evenings across, or the other way round)
    becomes a row per result. Rows of totals are kept apart.

    Returns
    -------
    Layout or None
        None if no row is a header.

    Raises
    ------
    DataError
        If two columns of a matrix stand for one evening, or one is called like a date and is none.
    """
    for form in FORMS:
        if arrangement := form(sheet.rows, file):
            above, layout = arrangement
            break
    else:
        return None
    given, hints = _headings(above, file)
    column, value = _said_by(sheet.name)
    columns = columns_of(layout.header[1])
    texts = [hint.values["text"] for hint in hints if hint.key == "above"]
    dated = [(text, day) for text in texts if not _OTHER_DAY.search(text) for day in days_in(text)]
    days = *days_in(sheet.name), *(day for _, day in dated)
    claims = [(column, value), *given.items(), *(("date", day) for day in days)]
    of_evening = {"evening", "date"} & {*columns} or "date" in given
    if not of_evening and len({date_of(day) for _, day in dated}) == 1:
        text, given["date"] = dated[-1]
        if not date_of(given["date"]):
            raise DataError(about("error", "weekday", file, code="date", text=given["date"]))
        if host := _AT.search(text):
            given.setdefault("host", host[1])
        hints = [hint for hint in hints if hint.values["text"] != text]
        hints.append(about("hint", "above_date", file, text=text))
    if column and column not in {*columns, *given} and not {"evening", "date"} & {*columns}:
        given[column] = value
    added = {column: value for column, value in given.items() if column not in columns}
    problems = [*hints, *layout.problems, *_contradicted(claims, layout, given, file)]
    if not added:
        return replace(layout, problems=problems)
    line, header = layout.header
    body, totals = (
        [(at, [*added.values(), *row]) for at, row in part] for part in (layout.rows, layout.totals)
    )
    return replace(
        layout, header=(line, [*added, *header]), rows=body, totals=totals, problems=problems
    )


def _said_by(name: str) -> tuple[str | None, str]:
    """What the name of a sheet says of its evening, as `label`: 09.01.2026, Abend 3, or 3 alone."""
    if date_of(name):
        return "date", name
    return ("evening", name) if re.fullmatch(r"\d{1,3}", name) else label(name)


def _contradicted(claims: list[tuple], layout: Layout, given: dict, file: str) -> list[Problem]:
    """A warning if something above the table or its name differs from the one evening below."""
    columns = columns_of(layout.header[1])
    for kind, claim in claims:
        if (means := _MEANS.get(kind)) is None or (claimed := means(claim)) is None:
            continue
        j = columns.index(kind) if kind in columns else None
        cells = [given.get(kind)] if j is None else {cell_at(row, j) for _, row in layout.rows}
        noted = {means(cell): clean_name(cell)[:80] for cell in cells if clean_name(cell)}
        if len(noted) == 1 and not noted.keys() & {claimed, None}:
            facts = {"text": clean_name(claim)[:80], "value": next(iter(noted.values()))}
            facts = {name: text.removesuffix(" 00:00:00") for name, text in facts.items()}
            facts["column"] = kind
            return [about("warning", "above_differs", file, **facts)]
    return []


def _headings(rows: Rows, file: str) -> tuple[dict, list[Problem]]:
    """What the lines above the header say of the evening, and hints about the others."""
    given, hints = {}, []
    for line, row in rows:
        cells = [cell for cell in row if clean_name(cell)]
        if _carries_over(cells):
            text = " ".join(map(clean_name, cells))[:80]
            hints.append(about("warning", "above_numbers", file, line, text=text))
            continue
        labels = [label(cell) for cell in cells]
        for k, (cell, (column, value)) in enumerate(zip(cells, labels, strict=True)):
            follows = k + 1 < len(cells) and labels[k + 1][0] is None
            if column:
                given.setdefault(column, value or (cells[k + 1] if follows else ""))
            elif k == 0 or labels[k - 1][0] is None or labels[k - 1][1]:
                hints.append(about("hint", "above", file, line, text=clean_name(cell)[:80]))
    return {column: value for column, value in given.items() if clean_name(value)}, hints


def _carries_over(cells: list) -> bool:
    """Whether a line above the header has amounts: side by side and not counting up, or so called.

    A number after its label is a setting.
    """
    amounts, _ = plain_numbers(cells)
    steps = np.diff(amounts)  # NaN beside a label
    carried = any(map(is_carried, cells)) and not np.isnan(amounts).all()
    return carried or bool((~np.isnan(steps) & (steps != 1)).any())
