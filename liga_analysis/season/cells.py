"""The cells of a table: what text in them means as a name, a number or a date.

Everything read stays text until its column is judged as a whole: "1.850" beside "850" is a
thousand, "1.85" beside it is not.
"""

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

import numpy as np
import pandas as pd

from ..words import DataError, Problem

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
    others : DataFrame
        The columns whose header is not known, as sent.
    """

    file: str
    cells: pd.DataFrame
    separator: str
    problems: tuple[Problem, ...]
    others: pd.DataFrame

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


@lru_cache(maxsize=10_000, typed=True)  # the same few names and numbers again and again
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
    rf"(?:([+-]) ?)?{_CURRENCY} ?((?(1)|[+-]?)) ?(\d{{1,3}}(?:[ '’]\d{{3}})+|\d+)((?:[.,]\d+)*)"
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
            sign = "-" if "-" in (match[1], match[2]) else ""
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
        if day := date_of(cell):
            values[k] = np.datetime64(day)
    return values, np.isnat(values) & ~is_blank(cells)


def date_of(cell) -> date | None:
    """The date in a cell (ISO, else day first); None where it is none."""
    text = clean_name(cell).translate(_DASHES)
    with suppress(ValueError):  # 31.02.2025
        if isinstance(cell, date):  # datetimes too
            return date(cell.year, cell.month, cell.day)
        if match := _ISO_DATE.fullmatch(text):
            return date(*map(int, match.groups()))
        if match := _DAY_FIRST.fullmatch(text):
            dd, mm, year = map(int, match.groups())
            return date(year + (2000 if year < 100 else 0), mm, dd)
    return None


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
