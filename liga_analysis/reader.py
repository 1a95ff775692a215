"""Reading any table people send: encodings, separators, workbooks, German headers and numbers.

Everything read stays text until its column is judged as a whole: "1.850" beside "850" is a
thousand, "1.85" beside it is not.
"""

import csv
import io
import re
import unicodedata
import warnings
import zipfile
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

import numpy as np
import pandas as pd

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


@dataclass(frozen=True)
class Table:
    """A table as read: cells as sent (text; numbers and dates from workbooks).

    Attributes
    ----------
    file : str
        Name of the file, for messages.
    cells : DataFrame
        One column per known header, in canonical names; index = line number in the file.
    separator : str
        Of the CSV; "" for a workbook.
    problems : tuple of Problem
        Hints about how it was read.
    """

    file: str
    cells: pd.DataFrame
    separator: str
    problems: tuple[Problem, ...]

    def problem(self, row: int, severity: str, code: str, key: str, **values) -> Problem:
        """A problem with a row, given by its position; `column` adds the cell's text."""
        place = {name: values.pop(name, None) for name in ("evening", "player")}
        if "column" in values:
            values["text"] = clean_name(self.cells[values["column"]].iloc[row])
        line = int(self.cells.index[row])
        return Problem(severity, code, key, **place, line=line, file=self.file, values=values)


def read_table(path: Path, required: tuple[str, ...] = ("player",)) -> Table:
    """The table in a CSV file of any dialect or an xlsx workbook.

    Parameters
    ----------
    path : Path
    required : tuple of str
        Canonical columns that must be there; "a|b" means one of them.

    Raises
    ------
    DataError
        If the file is empty, binary, not a table, or lacks a column; file, line and cure are named.
    """
    data = path.read_bytes()
    if not data.strip():
        raise DataError(Problem("error", "encoding", "empty", file=path.name))
    if data.startswith(b"PK\x03\x04"):
        rows, separator, hints = _workbook_rows(path), "", []
    else:
        text, hints = _decoded(data, path.name)
        rows, separator = _csv_rows(text, path.name)
        if separator not in ("", ","):
            shown = {"\t": "Tab"}.get(separator, separator)
            hints.append(Problem("hint", "encoding", "separator", file=path.name, values={"separator": shown}))
    return _table(rows, separator, hints, path.name, required)


def _decoded(data: bytes, file: str) -> tuple[str, list[Problem]]:
    """Text of a CSV file; what is neither UTF-8 nor UTF-16 with BOM is taken for Windows-1252."""
    hints = []
    try:
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            text = data.decode("utf-16")
            hints = [Problem("hint", "encoding", "encoding", file=file, values={"encoding": "UTF-16"})]
        else:
            text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        try:
            text = data.decode("cp1252")
        except UnicodeDecodeError:
            raise DataError(Problem("error", "encoding", "binary", file=file)) from None
        hints = [Problem("hint", "encoding", "encoding", file=file, values={"encoding": "Windows-1252"})]
    if re.search(r"[\x00-\x08\x0e-\x1f]", text):
        raise DataError(Problem("error", "encoding", "binary", file=file))
    return text, hints


def _csv_rows(text: str, file: str) -> tuple[list[tuple[int, list]], str]:
    """(line, cells) of each row that is not blank, and the separator the header speaks for."""
    skipped = 0
    if text[:4].lower() == "sep=":  # Excel's own first line
        skipped, text = 1, text.partition("\n")[2]
    header = next((line for line in text.splitlines() if line.strip(" \t;,|")), "")
    separator = max(_SEPARATORS, key=lambda s: (_known(header.split(s)), header.count(s)))
    rows, end = [], skipped
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((end + 1, cells))
            end = reader.line_num + skipped
    except csv.Error:
        raise DataError(Problem("error", "column", "quotes", line=end + 1, file=file)) from None
    return rows, separator if len(rows[0][1]) > 1 else ""


def _known(headers) -> int:
    return sum(_word(header) in _COLUMN_OF for header in headers)


def _workbook_rows(path: Path) -> list[tuple[int, list]]:
    """(line, cells) of the first worksheet with a known header, else of the first one."""
    import openpyxl  # only when a workbook comes

    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > MAX_WORKBOOK_BYTES:
            limit = {"size": size / 1e6, "limit": MAX_WORKBOOK_BYTES / 1e6}
            raise DataError(Problem("error", "encoding", "too_large", file=path.name, values=limit))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl on features a table of results has no use for
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            sheets = [
                [
                    (line, ["" if cell is None else cell for cell in row])
                    for line, row in enumerate(sheet.iter_rows(values_only=True), 1)
                    if any(cell is not None and str(cell).strip() for cell in row)
                ]
                for sheet in book.worksheets
            ]
            book.close()
    except DataError:
        raise
    except Exception:  # openpyxl raises whatever its XML and zip readers raise
        raise DataError(Problem("error", "encoding", "workbook", file=path.name)) from None
    filled = [rows for rows in sheets if rows]
    if not filled:
        raise DataError(Problem("error", "encoding", "empty", file=path.name))
    return max(filled, key=lambda rows: _known(rows[0][1]) > 0)


def _word(header) -> str:
    return re.sub(r"[\W_]", "", clean_name(str(header)).casefold())


def _table(rows, separator, hints, file, required) -> Table:
    """Canonical columns, with every doubt about the header told."""
    (header_line, header), *body = rows
    names = [clean_name(str(cell)) for cell in header]
    columns = [_COLUMN_OF.get(_word(name)) for name in names]

    def fail(key, line=header_line, **values):
        raise DataError(Problem("error", "column", key, line=line, file=file, values=values))

    if not any(columns):
        fail("no_header", found=", ".join(name for name in names if name)[:200])
    for column in dict.fromkeys(filter(None, columns)):
        if columns.count(column) > 1:
            twice = [name for name, known in zip(names, columns, strict=True) if known == column]
            fail("double", columns=twice)
    for need in required:
        if not set(need.split("|")) & set(columns):
            fail("missing", column=need.replace("|", " / "), found=", ".join(filter(None, names)))
    if not body:
        fail("header_only")

    translated = [n for n, c in zip(names, columns, strict=True) if c and n.casefold() != c]
    if translated:
        pairs = ", ".join(f"{n} = {columns[names.index(n)]}" for n in translated)
        hints.append(Problem("hint", "column", "translated", file=file, values={"pairs": pairs}))
    unknown = [n for n, c in zip(names, columns, strict=True) if n and not c]
    if unknown:
        hints.append(Problem("hint", "column", "unknown", file=file, values={"columns": unknown}))

    cells = []
    for line, row in body:
        if [clean_name(str(cell)) for cell in row] == names:
            fail("header_again", line=line)
        if any(str(cell).strip() for cell in row[len(names) :]):
            fail("too_many_cells", line=line, cells=len(row), columns=len(names))
        padded = [*map(_unquoted, row), *[""] * len(names)]
        cells.append([padded[k] for k, column in enumerate(columns) if column])
    frame = pd.DataFrame(
        cells,
        index=pd.Index([line for line, _ in body], name="line"),
        columns=[column for column in columns if column],
        dtype=object,
    )
    return Table(file, frame, separator, tuple(hints))


def _unquoted(cell):
    """A cell without the apostrophe that keeps a spreadsheet from taking it for a formula."""
    return cell[1:] if isinstance(cell, str) and re.match(r"'[=+\-@]", cell) else cell


def clean_name(text: str) -> str:
    """Text in NFC without zero-width, direction and control marks; all blanks collapsed."""
    text = " ".join(str(text).split())
    kept = (c for c in text if unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(unicodedata.normalize("NFC", "".join(kept)).split())


def is_blank(cells: pd.Series) -> np.ndarray:
    """True where a cell holds nothing but blanks."""
    return np.array([not clean_name(cell) for cell in cells], bool)


_DASHES = str.maketrans(dict.fromkeys("−–—‒‐‑", "-"))
_CURRENCY = r"(?:€|\$|£|EUR|USD|CHF)?"
_NUMBER = re.compile(
    rf"([+-]?) ?{_CURRENCY} ?([+-]?) ?(\d{{1,3}}(?:[ '’]\d{{3}})+|\d+)((?:[.,]\d+)*) ?{_CURRENCY}",
    re.IGNORECASE,
)


def numbers(table: Table, column: str, whole: bool) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a column, judged as a whole, and where the text is no number.

    Of two different marks in one cell the last is the decimal one; one that is repeated separates
    thousands; one followed by other than three digits is decimal. What that leaves open follows
    the column's other cells, then is a thousand in a column of whole numbers, and in a column of
    decimals is read the German way where the file's separator is ";".

    Returns
    -------
    values : ndarray of float
        NaN where blank or unreadable.
    bad : ndarray of bool
        True where there is text that is no number.

    Raises
    ------
    DataError
        If a column of decimals can be read in two ways.
    """
    cells = table.cells[column]
    values, bad = np.full(len(cells), np.nan), np.zeros(len(cells), bool)
    signs, bodies = {}, {}
    for k, cell in enumerate(cells):
        if isinstance(cell, (int, float)) and not isinstance(cell, bool):
            values[k] = cell
        elif match := _NUMBER.fullmatch(clean_name(cell).translate(_DASHES)):
            signs[k] = -1.0 if "-" in match[1] + match[2] else 1.0
            bodies[k] = re.sub(r"\D", "", match[3]) + match[4]
        else:
            bad[k] = bool(clean_name(cell))
    found = {k: _marks(body) for k, body in bodies.items()}
    decimals = {decimal for decimal, _, _ in found.values()} - {None}
    thousands = {thousand for _, thousand, _ in found.values()} - {None}
    for k, body in bodies.items():
        decimal, _, still_open = found[k]
        if still_open:
            other = "," if still_open == "." else "."
            is_decimal = still_open in decimals or other in thousands
            is_thousand = still_open in thousands or other in decimals
            if is_decimal == is_thousand:
                if not whole and table.separator != ";":
                    raise DataError(table.problem(k, "error", "number", "ambiguous", column=column))
                is_decimal = still_open == "," and not whole
            decimal = still_open if is_decimal else None
        values[k] = signs[k] * _value(body, decimal)
    return values, bad | ~(np.isfinite(values) | is_blank(cells))


def _marks(body: str) -> tuple[str | None, str | None, str | None]:
    """What one number says by itself: its decimal mark, its thousands mark, or the open one."""
    marks = re.findall("[.,]", body)
    if not marks:
        return None, None, None
    if len(set(marks)) == 2:
        return marks[-1], next(mark for mark in marks if mark != marks[-1]), None
    if len(marks) > 1:
        return None, marks[0], None
    head, tail = body.split(marks[0])
    if len(tail) != 3 or len(head) > 3 or head.startswith("0"):  # "0.125", "1000.125"
        return marks[0], None, None
    return None, None, marks[0]


def _value(body: str, decimal: str | None) -> float:
    """The number, every mark but the decimal one separating thousands; NaN if it cannot."""
    integer, _, fraction = body.partition(decimal) if decimal else (body, "", "")
    groups = re.split("[.,]", integer)
    grouped = len(groups) == 1 or (len(groups[0]) <= 3 and all(len(g) == 3 for g in groups[1:]))
    if not grouped or not (fraction.isdigit() or not fraction):
        return np.nan
    return float("".join(groups) + "." + (fraction or "0"))


_ISO_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+\d{1,2}:\d{2}.*)?")
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.] ?(\d{1,2})[-/.] ?(\d{4}|\d{2})(?: +\d{1,2}:\d{2}.*)?")


def dates(table: Table, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Dates of a column (ISO, else day first) as datetime64, and where the text is no date."""
    cells = table.cells[column]
    values = np.full(len(cells), np.datetime64("NaT"), "datetime64[s]")
    bad = np.zeros(len(cells), bool)
    for k, cell in enumerate(cells):
        text = clean_name(cell).translate(_DASHES)
        try:
            if isinstance(cell, (date, datetime)):
                day = cell
            elif match := _ISO_DATE.fullmatch(text):
                day = date(*map(int, match.groups()))
            elif match := _DAY_FIRST.fullmatch(text):
                dd, mm, year = map(int, match.groups())
                day = date(year + (2000 if year < 100 else 0), mm, dd)
            else:
                bad[k] = bool(text)
                continue
            values[k] = np.datetime64(date(day.year, day.month, day.day))
        except ValueError:  # 31.02.2025
            bad[k] = True
    return values, bad
