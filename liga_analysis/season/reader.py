"""Reading any table people send: encodings, separators, workbooks, German headers."""

import csv
import io
import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ..rules import CHIP_SET
from ..words import DataError, Problem
from .cells import Table, clean_name
from .workbooks import (
    MAX_CELLS,
    MAX_WORKBOOK_BYTES,
    TooLarge,
    TooManyCells,
    bounded,
    workbook_sheets,
)

# Header words by the column they mean, compared without case, blanks and punctuation.
_HEADERS = {
    "evening": "evening eveningno eveningnumber abend spielabend abendnr abendnummer",
    "date": "date datum spieltag",
    "start": "start beginn uhrzeit",
    "host": "host gastgeber gastgeberin",
    "place": "place ort austragungsort",
    "player": "player playername playernickname spieler spielerin spielername name",
    "entries": "entries einstiege einstieg anzahleinstiege",
    "buy_in_chips": "buyinchips buyin einkauf einsatz",
    "chips_out": "chipsout chipsende chips endchips chipsbeiausstieg chipsbeimausstieg cashout "
    "chipsatexit",
    "result": "result ergebnis spielergebnis abendergebnis bilanz kapitalbilanz net",
    "note": "note notes notiz bemerkung anmerkung kommentar",
    "licence": "licence license lizenz lizenznummer lizenznr",
    "issued": "issued ausgestellt ausgestelltam ausstellungsdatum",
    "aliases": "aliases alias aliasse aliasnamen",
    "when": "when wann",
    "what": "what",
    "why": "why warum",
}
_COLUMN_OF = {word: column for column, words in _HEADERS.items() for word in words.split()}
# Chips counted by colour: "weiß", "weiß 10", "white (10)".
_ENGLISH = {"weiß": "white", "rot": "red", "blau": "blue", "grün": "green", "gelb": "yellow"}
_COLUMN_OF |= {
    word + value: chip.colour
    for chip in CHIP_SET
    for name in (chip.colour, _ENGLISH[chip.colour])
    for word in {name.casefold(), name.replace("ü", "ue").casefold()}
    for value in ("", str(chip.value))
}
_SEPARATORS = ";,\t|"
# So many rows may stand above the header of a host's sheet.
HEAD_ROWS = 30

Rows = list[tuple[int, list]]  # (line, cells)


def read_file(path: Path) -> bytes:
    """The bytes of a file.

    Raises
    ------
    DataError
        If it is no file, or larger than MAX_WORKBOOK_BYTES.
    """
    if not path.is_file():
        raise DataError(_about(path.name, "encoding", "no_file"))
    if path.stat().st_size > MAX_WORKBOOK_BYTES:
        raise _too_large(path.name, path.stat().st_size)
    return path.read_bytes()


def parse_table(
    file: str,
    data: bytes,
    required: tuple[str, ...] = ("player",),
    arranged: Callable[[Rows, str], tuple[Rows, list[Problem]] | None] | None = None,
) -> Table:
    """The table in the bytes of a CSV of any dialect or a workbook (xlsx, ods).

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    data : bytes
    required : tuple of str
        Canonical columns that must be there; "a|b" means one of them.
    arranged : callable, optional
        Brings the rows of a sheet under one header, with hints; None where it finds no header.

    Raises
    ------
    DataError
        If the file is empty, binary, not a table, or lacks a column; file, line and cure are named.
    """
    hints = []
    if data.startswith(b"PK\x03\x04"):
        sheets, separator = _workbook_rows(data, file), ""
    else:
        text, encoding = _decoded(data, file)
        rows, separator = _csv_rows(text, file)
        sheets = [rows]
        if encoding != "UTF-8-sig":
            hints.append(_about(file, "encoding", "encoding", "hint", encoding=encoding))
        if separator not in ("", ","):
            shown = "Tab" if separator == "\t" else separator
            hints.append(_about(file, "encoding", "separator", "hint", separator=shown))
    sheets = list(filter(None, sheets))
    if not sheets:
        raise DataError(_about(file, "encoding", "empty"))
    known = [rows for rows in sheets if any(column_of(cell) for cell in rows[0][1])]
    if arranged:
        found = [one for one in (arranged(rows, file) for rows in sheets) if one]
    else:
        found = [(rows, []) for rows in known]
    rows, told = found[0] if found else ((known or sheets)[0], [])
    if len(found) > 1:
        told = [*told, _about(file, "encoding", "other_sheets", "hint", count=len(found) - 1)]
    cells, others, doubts = _columns(rows, file, required)
    return Table(file, cells, separator, (*hints, *told, *doubts), others)


def _about(file, code, key, severity="error", line=None, **values) -> Problem:
    return Problem(severity, code, key, line=line, file=file, values=values)


def _too_large(file: str, size: int) -> DataError:
    told = {"size": size / 1e6, "limit": MAX_WORKBOOK_BYTES / 1e6}
    return DataError(_about(file, "encoding", "too_large", **told))


def _too_many(file: str) -> DataError:
    return DataError(_about(file, "encoding", "too_many_cells_in_all", limit=MAX_CELLS))


def _decoded(data: bytes, file: str) -> tuple[str, str]:
    """Text of a CSV file, and its encoding: UTF-16 by its BOM, else UTF-8, else Windows-1252."""
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ["UTF-16"] if utf16 else ["UTF-8-sig", "Windows-1252"]:
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if not re.search(r"[\x00-\x08\x0e-\x1f]|^%PDF", text):
                return text, encoding
    raise DataError(_about(file, "encoding", "binary"))


def _csv_rows(text: str, file: str) -> tuple[list[tuple[int, list]], str]:
    """(line, cells) of each row that is not blank, and the separator the header speaks for."""
    own = re.match(r"sep=.?(\r\n|\r|\n|$)", text, re.IGNORECASE)  # Excel's own first line
    text, end = (text[own.end() :], 1) if own else (text, 0)
    # The header may stand below lines such as "Datum;07.02.2025": it has the most known words.
    lines = [line for line in text.splitlines() if line.strip(" \t;,|")][:HEAD_ROWS] or [""]
    header = max(lines, key=lambda line: max(_known(line.split(s)) for s in _SEPARATORS))
    separator = max(_SEPARATORS, key=lambda s: (_known(header.split(s)), header.count(s)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, skipped = [], end
    try:
        for cells in reader:
            rows.append((end + 1, cells))
            end = reader.line_num + skipped
    except csv.Error:
        raise DataError(_about(file, "column", "quotes", line=end + 1)) from None
    try:
        rows = list(bounded(rows))
    except TooManyCells:
        raise _too_many(file) from None
    return _filled(rows), separator if separator in header else ""


def _filled(rows) -> list[tuple[int, list]]:
    """The rows that hold anything; blank cells are empty text."""
    texts = ((line, ["" if cell is None else cell for cell in row]) for line, row in rows)
    return [(line, row) for line, row in texts if any(map(clean_name, row))]


def word(header) -> str:
    """A heading without case, blanks and punctuation."""
    return re.sub(r"[\W_]", "", clean_name(header).casefold())


def column_of(header) -> str | None:
    """The canonical column a heading means; None if it means none."""
    return _COLUMN_OF.get(word(header))


def _known(headers) -> int:
    return sum(column_of(header) is not None for header in headers)


def _workbook_rows(data: bytes, file: str) -> list[Rows]:
    """(line, cells) of the rows that hold anything, by worksheet."""
    try:
        return [_filled(rows) for rows in workbook_sheets(data)]
    except TooLarge as error:
        raise _too_large(file, error.args[0]) from None
    except TooManyCells:
        raise _too_many(file) from None
    except Exception:  # openpyxl raises whatever its XML and zip readers raise
        raise DataError(_about(file, "encoding", "workbook")) from None


def _columns(rows, file, required) -> tuple[pd.DataFrame, pd.DataFrame, list[Problem]]:
    """Cells in canonical columns by line, those in other columns, and doubts about the header."""
    (header_line, header), *body = rows
    names = [clean_name(cell) for cell in header]
    columns = [column_of(name) for name in names]

    def fail(key, line=header_line, **values):
        raise DataError(_about(file, "column", key, line=line, **values))

    found = ", ".join(filter(None, names))[:200]
    if {"entry", "at", "order"} <= {word(name) for name in names}:
        fail("hand_log")
    if not any(columns):
        fail("no_header", found=found)
    for column in filter(None, columns):
        if columns.count(column) > 1:
            fail("double", columns=[n for n, c in zip(names, columns, strict=True) if c == column])
    there = set(columns)
    if there & {chip.colour for chip in CHIP_SET}:
        there.add("chips_out")
    for need in required:
        if not set(need.split("|")) & there:
            fail("missing", column=need, found=found)
    if not body:
        fail("header_only")
    cells = []
    for line, row in body:
        padded = [*map(_unquoted, row), *[""] * (len(names) - len(row))]
        if [clean_name(cell) for cell in padded] == names:
            fail("header_again", line=line)
        if any(map(clean_name, row[len(names) :])):
            fail("too_many_cells", line=line, cells=len(row), columns=len(names))
        cells.append(padded[: len(names)])
    frame = pd.DataFrame(cells, [line for line, _ in body], range(len(names)), dtype=object)

    hints = []
    read = {n: c for n, c in zip(names, columns, strict=True) if c and n.casefold() != c}
    if read:
        pairs = ", ".join(f"{name} = {column}" for name, column in read.items())
        hints.append(_about(file, "column", "translated", "hint", pairs=pairs))
    nameless = [any(map(clean_name, frame[k])) for k in frame]
    unknown = [
        name or f"({k + 1})"
        for k, (name, column) in enumerate(zip(names, columns, strict=True))
        if not column and (name or nameless[k])
    ]
    if unknown:
        hints.append(_about(file, "column", "unknown", "hint", columns=unknown))
    other = [column is None for column in columns]
    others = frame.loc[:, other].set_axis([n for n in names if not column_of(n)], axis=1)
    frame.columns = columns
    return frame.loc[:, [not o for o in other]], others, hints


def known_as(table: Table, headers: dict[str, str]) -> Table:
    """A table with more of its columns known: the words of their headings, by column."""
    column_of = {text: column for column, words in headers.items() for text in words.split()}
    cells, rest = table.cells, []
    for k, name in enumerate(table.others.columns):
        column = column_of.get(word(name))
        if column and column not in cells:
            cells = cells.assign(**{column: table.others.iloc[:, k]})
        else:
            rest.append(k)
    others = table.others.iloc[:, rest]
    told = [p for p in table.problems if p.key != "unknown"]
    if left := list(filter(None, others.columns)):
        told.append(_about(table.file, "column", "unknown", "hint", columns=left))
    return replace(table, cells=cells, others=others, problems=tuple(told))


def _unquoted(cell):
    """A cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if isinstance(cell, str) and re.match(r"'+[=+\-@]", cell) else cell
