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
from contextlib import suppress
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
# No stack is larger; beyond it whole numbers and squares lose their digits.
LARGEST = 1e12


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

    def column(self, name: str) -> list:
        """The cells of a column; blanks if there is none."""
        return list(self.cells[name]) if name in self.cells else [""] * len(self.cells)

    def words(self, name: str) -> list[str]:
        """The cells of a column as clean text."""
        return [clean_name(cell) for cell in self.column(name)]

    def problem(self, row: int, severity: str, code: str, key: str, **values) -> Problem:
        """A problem with a row, given by its position; `column` adds the cell's text."""
        place = {name: values.pop(name, None) for name in ("evening", "player")}
        if "column" in values:
            values["text"] = self.words(values["column"])[row][:80]
        line = int(self.cells.index[row])
        return Problem(severity, code, key, **place, line=line, file=self.file, values=values)


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
            fail("missing", column=need.replace("|", " / "), found=found)
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


def clean_name(text) -> str:
    """Text in NFC without zero-width, direction and control marks; all blanks collapsed."""
    text = " ".join(str(text).split())
    kept = (c for c in text if unicodedata.category(c) not in ("Cf", "Cc"))
    return " ".join(unicodedata.normalize("NFC", "".join(kept)).split())


def is_blank(cells) -> np.ndarray:
    """True where a cell holds nothing but blanks."""
    return np.array([not clean_name(cell) for cell in cells], bool)


_DASHES = str.maketrans(dict.fromkeys("−–—‒‐‑", "-"))
_CURRENCY = r"(?:€|\$|£|EUR|USD|CHF)?"
_NUMBER = re.compile(
    rf"([+-]?) ?{_CURRENCY} ?([+-]?) ?(\d{{1,3}}(?:[ '’]\d{{3}})+|\d+)((?:[.,]\d+)*)"
    rf"(e[+-]?\d+)? ?{_CURRENCY}",
    re.IGNORECASE,
)
_GROUPED = re.compile(r"(\d+|\d{1,3}([.,])\d{3}(\2\d{3})*)(/\d+)?")  # "/" for the decimal mark


def numbers(table: Table, column: str, whole: bool) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a column, judged as a whole, and where the text is no number.

    Of two different marks in one cell the last is the decimal one; one that is repeated separates
    thousands; one followed by other than three digits is decimal. What that leaves open follows
    the column's other cells, then is a thousand in a column of whole numbers, and in a column of
    decimals is read the German way where the file's separator is ";".

    Raises
    ------
    DataError
        If it is still open then.
    """
    cells = table.column(column)
    values, bad = np.full(len(cells), np.nan), np.zeros(len(cells), bool)
    texts = {}
    for k, cell in enumerate(cells):
        if isinstance(cell, float):
            values[k] = cell
        elif match := _NUMBER.fullmatch(clean_name(cell).translate(_DASHES)):
            sign = "-" if "-" in match[1] + match[2] else ""
            body = re.sub(r"\D", "", match[3]) + match[4]
            texts[k] = sign, body, match[5] or "", *_marks(body, match[5])
        else:
            bad[k] = bool(clean_name(cell))
    decimals = {decimal for *_, decimal, _, _ in texts.values()} - {None}
    thousands = {thousand for *_, thousand, _ in texts.values()} - {None}
    for k, (sign, body, exponent, decimal, _, still_open) in texts.items():
        if still_open:
            other = "," if still_open == "." else "."
            is_decimal = still_open in decimals or other in thousands
            is_thousand = still_open in thousands or other in decimals
            if is_decimal == is_thousand:
                if not whole and table.separator != ";":
                    raise DataError(table.problem(k, "error", "number", "ambiguous", column=column))
                is_decimal = still_open == "," and not whole
            decimal = still_open if is_decimal else None
        body = body.replace(decimal, "/") if decimal else body
        if _GROUPED.fullmatch(body):
            values[k] = float(sign + re.sub("[.,]", "", body).replace("/", ".") + exponent)
    wrong = bad | ~((np.abs(values) <= LARGEST) | is_blank(cells))
    return np.where(wrong, np.nan, values), wrong


def _marks(body: str, exponent) -> tuple[str | None, str | None, str | None]:
    """What one number says by itself: its decimal mark, its thousands mark, or the open one."""
    marks = re.findall("[.,]", body)
    if not marks:
        return None, None, None
    if len(marks) > 1:
        return marks[-1] if len(set(marks)) > 1 else None, marks[0], None
    head, tail = body.split(marks[0])
    if exponent or len(tail) != 3 or len(head) > 3 or head.startswith("0"):  # "0.125", "1000.125"
        return marks[0], None, None
    return None, None, marks[0]


_ISO_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+\d{1,2}:\d{2}.*)?")
_DAY_FIRST = re.compile(r"(\d{1,2})[-/.] ?(\d{1,2})[-/.] ?(\d{4}|\d{2})(?: +\d{1,2}:\d{2}.*)?")


def dates(table: Table, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Dates of a column (ISO, else day first) as datetime64, and where the text is no date."""
    cells = table.column(column)
    values = np.full(len(cells), np.datetime64("NaT"), "datetime64[s]")
    for k, cell in enumerate(cells):
        text = clean_name(cell).translate(_DASHES)
        with suppress(ValueError):  # 31.02.2025
            if isinstance(cell, date):  # datetimes too
                values[k] = np.datetime64(date(cell.year, cell.month, cell.day))
            elif match := _ISO_DATE.fullmatch(text):
                values[k] = np.datetime64(date(*map(int, match.groups())))
            elif match := _DAY_FIRST.fullmatch(text):
                dd, mm, year = map(int, match.groups())
                values[k] = np.datetime64(date(year + (2000 if year < 100 else 0), mm, dd))
    return values, np.isnat(values) & ~is_blank(cells)


def understood(table: Table, column: str, values: np.ndarray) -> list[Problem]:
    """A hint with the first number or date of a column not written as the season's files are."""
    for k, (cell, value) in enumerate(zip(table.words(column), values, strict=True)):
        code = "date" if isinstance(value, np.datetime64) else "number"
        shown = str(value)[:10] if code == "date" else f"{value:.15g}"
        plain = cell.startswith(shown) if code == "date" else _plain(cell) == value
        if cell and value == value and not plain:
            return [table.problem(k, "hint", code, "understood", column=column, value=shown)]
    return []


def _plain(cell: str) -> float | None:
    with suppress(ValueError):
        return float(cell)
