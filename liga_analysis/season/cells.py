"""The cells of a table as sent, by column."""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import count

import numpy as np

from ..words import Problem

# A column of nothing else, one text after the other, needs no judging.
_PLAIN = {
    mark: re.compile(
        rf"(?:(?:-?[0-9]{{1,15}}+(?:{re.escape(mark)}(?:[0-9]{{4,25}}+|[0-9]{{1,2}}+))?+"
        rf"(?:e[+-]?[0-9]{{1,3}})?+)?+\n)*+"
    )
    for mark in ".,"
}


class Formula(str):
    """A formula in a workbook that no value is stored with; `cell` is where: "C4"."""

    cell: str

    def __new__(cls, text: str, cell: str):
        formula = super().__new__(cls, text)
        formula.cell = cell
        return formula


class Covered(Formula):
    """A blank cell under another, merged one; `cell` is where all of them are: "C4:C5"."""

    value: object = ""  # of the one above; of one to the left none


class Column:
    """The cells of one column as sent; each different one is asked what it means once."""

    def __init__(self, cells: Sequence):
        self.cells = cells

    @cached_property
    def distinct(self) -> tuple[Sequence, np.ndarray]:
        """Each different cell once, in order, and the place among them by row.

        All cells where most are different, as money won is: to look for those alike costs more.
        """
        if plain := {*map(type, self.cells)} == {str}:
            some = self.cells[: max(1000, len(self.cells) // 10)]
            if len({*some}) > 0.9 * len(some):
                return self.cells, np.arange(len(self.cells))
        # 1, 1.0 and True are three different cells.
        sent = self.cells if plain else [(type(cell), cell) for cell in self.cells]
        places = defaultdict(count().__next__)
        codes = np.fromiter(map(places.__getitem__, sent), np.intp, len(sent))
        return [*places] if plain else [cell for _, cell in places], codes

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
            joined = "\n".join([*cells, ""])
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
        return self.cells.get(name, self._blanks)

    @cached_property
    def _blanks(self) -> Column:
        blanks = Column([""] * len(self))
        blanks.distinct = [""][: len(self)], np.zeros(len(self), np.intp)
        return blanks

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
