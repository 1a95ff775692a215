"""Reading any table people send: encodings, separators, workbooks, German headers."""

import csv
import io
import re
import warnings
import zipfile
from contextlib import suppress
from pathlib import Path

import pandas as pd

from .cells import Table, clean_name
from .labels import DataError, Problem

# Header words by the column they mean, compared without case, blanks and punctuation.
_HEADERS = {
    "evening": "evening eveningno eveningnumber abend spielabend abendnr abendnummer",
    "date": "date datum spieltag",
    "start": "start beginn uhrzeit",
    "host": "host gastgeber gastgeberin",
    "place": "place ort austragungsort",
    "player": "player playername spieler spielerin spielername name",
    "entries": "entries einstiege einstieg anzahleinstiege",
    "buy_in_chips": "buyinchips buyin einkauf einsatz",
    "chips_out": "chipsout chipsende chips endchips chipsbeiausstieg chipsbeimausstieg cashout",
    "result": "result ergebnis spielergebnis abendergebnis bilanz kapitalbilanz net",
    "note": "note notes notiz bemerkung anmerkung kommentar",
    "licence": "licence license lizenz lizenznummer lizenznr",
    "issued": "issued ausgestellt ausgestelltam ausstellungsdatum",
    "aliases": "aliases alias aliasse aliasnamen",
}
_COLUMN_OF = {word: column for column, words in _HEADERS.items() for word in words.split()}
_SEPARATORS = ";,\t|"
# A workbook is a zip; what unpacks beyond this is not a league's sheet.
MAX_WORKBOOK_BYTES = 50_000_000


def read_table(path: Path, required: tuple[str, ...] = ("player",)) -> Table:
    """The table in a CSV file of any dialect or an xlsx workbook.

    Parameters
    ----------
    path : Path
        The file.
    required : tuple of str
        Canonical columns that must be there; "a|b" means one of them.

    Raises
    ------
    DataError
        If the file is empty, binary, not a table, or lacks a column; file, line and cure are named.
    """
    file, data = path.name, path.read_bytes()
    hints = []
    if data.startswith(b"PK\x03\x04"):
        rows, separator = _workbook_rows(path), ""
    else:
        text, encoding = _decoded(data, file)
        rows, separator = _csv_rows(text, file)
        if encoding != "UTF-8-sig":
            hints.append(_about(file, "encoding", "encoding", "hint", encoding=encoding))
        if separator not in ("", ","):
            shown = "Tab" if separator == "\t" else separator
            hints.append(_about(file, "encoding", "separator", "hint", separator=shown))
    if not rows:
        raise DataError(_about(file, "encoding", "empty"))
    frame, told = _columns(rows, file, required)
    return Table(file, frame, separator, (*hints, *told))


def _about(file, code, key, severity="error", line=None, **values) -> Problem:
    return Problem(severity, code, key, line=line, file=file, values=values)


def _decoded(data: bytes, file: str) -> tuple[str, str]:
    """Text of a CSV file, and its encoding: UTF-16 by its BOM, else UTF-8, else Windows-1252."""
    utf16 = data[:2] in (b"\xff\xfe", b"\xfe\xff")
    for encoding in ["UTF-16"] if utf16 else ["UTF-8-sig", "Windows-1252"]:
        with suppress(UnicodeDecodeError):
            text = data.decode(encoding)
            if not re.search(r"[\x00-\x08\x0e-\x1f]", text):
                return text, encoding
    raise DataError(_about(file, "encoding", "binary"))


def _csv_rows(text: str, file: str) -> tuple[list[tuple[int, list]], str]:
    """(line, cells) of each row that is not blank, and the separator the header speaks for."""
    own = re.match(r"sep=.?(\r\n|\r|\n|$)", text, re.IGNORECASE)  # Excel's own first line
    text, end = (text[own.end() :], 1) if own else (text, 0)
    header = next((line for line in text.splitlines() if line.strip(" \t;,|")), "")
    separator = max(_SEPARATORS, key=lambda s: (_known(header.split(s)), header.count(s)))
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    rows, skipped = [], end
    try:
        for cells in reader:
            rows.append((end + 1, cells))
            end = reader.line_num + skipped
    except csv.Error:
        raise DataError(_about(file, "column", "quotes", line=end + 1)) from None
    return _filled(rows), separator if separator in header else ""


def _filled(rows) -> list[tuple[int, list]]:
    """The rows that hold anything; blank cells are empty text."""
    texts = ((line, ["" if cell is None else cell for cell in row]) for line, row in rows)
    return [(line, row) for line, row in texts if any(map(clean_name, row))]


def _word(header) -> str:
    return re.sub(r"[\W_]", "", clean_name(header).casefold())


def _known(headers) -> int:
    return sum(_word(header) in _COLUMN_OF for header in headers)


def _workbook_rows(path: Path) -> list[tuple[int, list]]:
    """(line, cells) of the first worksheet with a known header, else of the first one."""
    import openpyxl  # only when a workbook comes

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MAX_WORKBOOK_BYTES:
            sizes = {"size": size / 1e6, "limit": MAX_WORKBOOK_BYTES / 1e6}
            raise DataError(_about(path.name, "encoding", "too_large", **sizes))
        with warnings.catch_warnings():
            # openpyxl warns of features that a table of results has no use for.
            warnings.simplefilter("ignore")
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            sheets = [_filled(enumerate(s.iter_rows(values_only=True), 1)) for s in book.worksheets]
            book.close()
    except DataError:
        raise
    except Exception:  # openpyxl raises whatever its XML and zip readers raise
        raise DataError(_about(path.name, "encoding", "workbook")) from None
    return max(filter(None, sheets), key=lambda rows: _known(rows[0][1]) > 0, default=[])


def _columns(rows, file, required) -> tuple[pd.DataFrame, list[Problem]]:
    """Cells in canonical columns by line, with every doubt about the header told."""
    (header_line, header), *body = rows
    names = [clean_name(cell) for cell in header]
    columns = [_COLUMN_OF.get(_word(name)) for name in names]

    def fail(key, line=header_line, **values):
        raise DataError(_about(file, "column", key, line=line, **values))

    found = ", ".join(filter(None, names))[:200]
    if not any(columns):
        fail("no_header", found=found)
    for column in filter(None, columns):
        if columns.count(column) > 1:
            fail("double", columns=[n for n, c in zip(names, columns, strict=True) if c == column])
    for need in required:
        if not set(need.split("|")) & set(columns):
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
    frame.columns = columns
    return frame.loc[:, frame.columns.notna()], hints


def _unquoted(cell):
    """A cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if isinstance(cell, str) and re.match(r"'[=+\-@]", cell) else cell
