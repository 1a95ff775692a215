"""The cells of a table: what text in them means as a name, a number or a date.

Everything read stays text until its column is judged as a whole: "1.850" beside "850" is a
thousand, "1.85" beside it is not.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property, lru_cache

import numpy as np
import pandas as pd

from ..words import DataError, Problem

# No stack is larger; beyond it whole numbers and squares lose their digits.
LARGEST = 1e12


class Formula(str):
    """A formula in a workbook that no value is stored with; `cell` is where: "C4"."""

    cell: str

    def __new__(cls, text: str, cell: str):
        formula = super().__new__(cls, text)
        formula.cell = cell
        return formula


class Column:
    """The cells of one column as sent; each different one is asked what it means once."""

    def __init__(self, cells: Sequence):
        self.cells = cells

    @cached_property
    def distinct(self) -> tuple[list, np.ndarray]:
        """Each different cell once, in order, and the place among them by row."""
        cells = np.empty(len(self.cells), object)
        cells[:] = self.cells
        if pd.api.types.infer_dtype(cells, skipna=False) == "string":
            codes, texts = pd.factorize(cells, use_na_sentinel=False)
            return texts.tolist(), codes
        seen: dict = {}  # 1, 1.0 and True are three different cells
        codes = [seen.setdefault((type(cell), cell), len(seen)) for cell in cells]
        return [cell for _, cell in seen], np.array(codes, np.intp)

    def each(self, meaning: Callable) -> np.ndarray:
        """What the cells mean, by row."""
        cells, codes = self.distinct
        values = np.empty(len(cells), object)
        values[:] = list(map(meaning, cells))
        return values[codes]

    @cached_property
    def blank(self) -> np.ndarray:
        """True where a cell holds nothing but blanks."""
        cells, codes = self.distinct
        blank = [not cell for cell in cells] if self.decimal_mark else is_blank(cells)
        return np.array(blank, bool)[codes]

    @cached_property
    def decimal_mark(self) -> str:
        """That of a column of nothing but whole numbers and clear decimals; else ""."""
        cells, _ = self.distinct
        with suppress(TypeError):  # not all of them text
            joined = "\n".join(cells) + "\n"
            if joined.count("\n") == len(cells):
                return next((m for m, plain in _PLAIN.items() if plain.fullmatch(joined)), "")
        return ""


@dataclass(frozen=True)
class Table:
    """A table as read: cells as sent (text; numbers and dates from workbooks).

    Attributes
    ----------
    file : str
        Name of the file, for messages; of several sheets with the one it is: "liga.xlsx [Mai]".
    cells : dict of Column
        One per known header, by canonical name.
    lines : sequence of int
        Line in the file, by row.
    separator : str
        Of the CSV; "" for a workbook.
    problems : tuple of Problem
        What there is to say about how it was read.
    others : tuple of (str, Column)
        The columns whose header is not known, as sent.
    totals : Table or None
        Rows that by their name add up others, in the columns of `cells`; no part of it.
    header : tuple
        Its line, and the headings as written.
    sheets : tuple of str
        `file` by row, where the table comes from several sheets; else empty.
    """

    file: str
    cells: dict[str, Column]
    lines: Sequence[int]
    separator: str = ""
    problems: tuple[Problem, ...] = ()
    others: tuple[tuple[str, Column], ...] = ()
    totals: "Table | None" = None
    header: tuple[int, tuple[str, ...]] = (1, ())
    sheets: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.lines)

    def __bool__(self) -> bool:
        return True  # a table without rows, too

    def column(self, name: str) -> Column:
        """A column; of blanks if there is none."""
        if name not in self.cells:
            blanks = Column([""] * len(self))
            blanks.distinct = [""][: len(self)], np.zeros(len(self), np.intp)
            return blanks
        return self.cells[name]

    def words(self, name: str) -> list[str]:
        """The cells of a column as clean text."""
        return self.column(name).each(clean_name).tolist()

    def having(self, **columns: Sequence) -> "Table":
        """The table with these cells in some columns."""
        return replace(self, cells=self.cells | {n: Column(c) for n, c in columns.items()})

    def problem(self, row: int, severity: str, code: str, key: str, **values) -> Problem:
        """A problem with a row, given by its position; `column` adds the cell's text."""
        place = {name: values.pop(name, None) for name in ("evening", "player")}
        if column := values.get("column"):
            cell = self.cells[column].cells[row] if column in self.cells else ""
            values["text"] = clean_name(cell)[:80]
        line, file = int(self.lines[row]), self.sheets[row] if self.sheets else self.file
        return Problem(severity, code, key, **place, line=line, file=file, values=values)


@lru_cache(maxsize=10_000, typed=True)  # the same few names and numbers again and again
def clean_name(text) -> str:
    """Text in NFC without zero-width, direction and control marks; all blanks collapsed."""
    text = " ".join(str(text).split())
    if text.isascii() and text.isprintable():
        return text
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
# A column of nothing else, one text after the other, needs no judging.
_PLAIN = {
    mark: re.compile(
        rf"(?:(?:-?[0-9]{{1,15}}(?:{re.escape(mark)}(?:[0-9]{{1,2}}|[0-9]{{4,25}})(?![0-9]))?+"
        rf"(?:e[+-]?[0-9]{{1,3}})?+)?+\n)*+"
    )
    for mark in ".,"
}
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
    cells, codes = table.column(column).distinct
    if mark := table.column(column).decimal_mark:
        texts = cells if mark == "." else [text.replace(mark, ".") for text in cells]
        values = np.array([float(text) if text else np.nan for text in texts], float)
        wrong = np.abs(values) > LARGEST
        return np.where(wrong, np.nan, values)[codes], wrong[codes]
    blank = is_blank(cells)
    values = np.array([c if isinstance(c, float) else np.nan for c in cells], float)
    bad = np.array([not isinstance(c, float) for c in cells], bool) & ~blank
    texts = {}
    for k in np.flatnonzero(bad):
        if match := _NUMBER.fullmatch(clean_name(cells[k]).translate(_DASHES)):
            sign = "-" if "-" in (match[1], match[2]) else ""
            body = re.sub(r"\D", "", match[3]) + match[4]
            texts[k] = sign, body, match[5] or "", *_marks(body, match[5])
    decimals = {decimal for *_, decimal, _, _ in texts.values()} - {None}
    thousands = {thousand for *_, thousand, _ in texts.values()} - {None}
    for k, (sign, body, exponent, decimal, _, still_open) in texts.items():
        if still_open:
            other = "," if still_open == "." else "."
            is_decimal = still_open in decimals or other in thousands
            is_thousand = still_open in thousands or other in decimals
            if is_decimal == is_thousand:
                if not whole and table.separator != ";":
                    row = int(np.argmax(codes == k))
                    told = ("error", "number", "ambiguous")
                    raise DataError(table.problem(row, *told, column=column))
                is_decimal = still_open == "," and not whole
            decimal = still_open if is_decimal else None
        body = body.replace(decimal, "/") if decimal else body
        if _GROUPED.fullmatch(body):
            values[k] = float(sign + re.sub("[.,]", "", body).replace("/", ".") + exponent)
    wrong = ~((np.abs(values) <= LARGEST) | blank)
    return np.where(wrong, np.nan, values)[codes], wrong[codes]


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


# The century too: 0206-01-09 is a slip, not an evening that comes first.
_ISO_DATE = re.compile(r"((?:19|20|21)\d\d)[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ]+\d{1,2}:\d{2}.*)?")
_PLAIN_DATES = re.compile(r"(?:(?:19|20|21)\d\d-\d\d-\d\d\n)++")
_WEEKDAY = r"(?:(?:mo|di|mi|do|fr|sa|so|mon|tue|wed|thu|sat|sun)[., ]+)?"
_DAY_FIRST = re.compile(
    _WEEKDAY + r"(\d{1,2})([-/.]) ?(\d{1,2})[-/.] ?((?:19|20|21)?\d\d)(?: +\d{1,2}:\d{2}.*)?",
    re.IGNORECASE,
)


def dates(table: Table, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Dates of a column as datetime64, judged as a whole, and where the text is no date."""
    cells, codes = table.column(column).distinct
    with suppress(ValueError, TypeError):  # 2025-02-31; a cell that is no text
        if _PLAIN_DATES.fullmatch("\n".join([*cells, ""])):
            return np.array(cells, "datetime64[s]")[codes], np.zeros(len(codes), bool)
    days, _ = days_of(cells)
    values = np.array(days, "datetime64[s]")
    return values[codes], (np.isnat(values) & ~is_blank(cells))[codes]


def days_of(cells: list, in_order: bool = False) -> tuple[list[date | None], bool]:
    """The dates in cells that belong together, and whether they are written month first.

    ISO, else day first; month first only where that alone makes dates of all that is not blank,
    or, of dates that stand `in_order`, where that alone has them so.
    """
    days = list(map(date_of, cells))
    unread = any(day is None and clean_name(cell) for day, cell in zip(days, cells, strict=True))
    if unread or (in_order and None not in days and not _ordered(days)):
        others = [date_of(cell, month_first=True) for cell in cells]
        if all(day or not clean_name(cell) for day, cell in zip(others, cells, strict=True)) and (
            unread or _ordered(others)
        ):
            return others, True
    return days, False


def _ordered(days: list[date]) -> bool:
    """Whether the first or the last date comes first, and the others follow."""
    return sorted(days) in (days, days[::-1])


def date_of(cell, month_first: bool = False) -> date | None:
    """The date in a cell (ISO, else day first); None where it is none."""
    if isinstance(cell, date):  # datetimes too
        return date(cell.year, cell.month, cell.day)
    text = str(cell)
    if not text.isascii() or not text.isprintable() or text != text.strip():
        text = clean_name(text).translate(_DASHES)
    with suppress(ValueError):  # 31.02.2025
        if match := _ISO_DATE.fullmatch(text):
            return date(int(match[1]), int(match[2]), int(match[3]))
        if match := _DAY_FIRST.fullmatch(text):
            dd, mm, year = int(match[1]), int(match[3]), int(match[4])
            if month_first and match[2] != ".":  # nobody writes 1.16.2026
                dd, mm = mm, dd
            return date(year + (2000 if year < 100 else 0), mm, dd)
    return None


def understood(table: Table, column: str, values: np.ndarray) -> list[Problem]:
    """A hint with the first number or date of a column not written as the season's files are."""
    is_date, decimal = values.dtype.kind == "M", "," if table.separator == ";" else "."
    if not len(values) or (not is_date and table.column(column).decimal_mark in (".", decimal)):
        return []
    cells, codes = table.column(column).distinct
    row = np.zeros(len(cells), np.intp)
    row[codes[::-1]] = np.arange(len(codes))[::-1]  # the first that holds it
    values = values[row]
    shown = (
        np.datetime_as_string(values, "D").tolist() if is_date else [f"{v:.15g}" for v in values]
    )
    for k, cell, value, meant in zip(row, cells, values, shown, strict=True):
        text = clean_name(cell)
        own = text.replace(",", ".") if decimal == "," else text
        as_is = text.startswith(meant) if is_date else _float(own) == value
        if text and not as_is and meant not in ("NaT", "nan"):
            code, told = "date" if is_date else "number", {"column": column, "value": str(meant)}
            return [table.problem(k, "hint", code, "understood", **told)]
    return []


def _float(cell: str) -> float | None:
    with suppress(ValueError):
        return float(cell)
