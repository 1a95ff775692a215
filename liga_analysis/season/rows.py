"""Rows of cells, and sheets of them, whatever file they come from."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from .cells import Covered, clean_name

# A league's sheet has no more rows than a spreadsheet, nor more cells in rows that hold something.
MAX_ROWS, MAX_CELLS = 1_048_576, 1_000_000

Rows = Sequence[tuple[int, Sequence]]  # (line, cells)


@dataclass(frozen=True)
class PlainRows(Sequence):
    """Rows that have as many cells each, kept by column."""

    lines: range
    columns: list[list]

    def __len__(self) -> int:
        return len(self.lines)

    def __iter__(self) -> Iterator[tuple[int, tuple]]:
        return zip(self.lines, zip(*self.columns, strict=True), strict=True)

    def __getitem__(self, k):
        cells = [column[k] for column in self.columns]
        return PlainRows(self.lines[k], cells) if isinstance(k, slice) else (self.lines[k], cells)


def by_column(rows: Rows, width: int) -> tuple[Sequence[int], Sequence[Sequence]]:
    """The lines of rows, and their first cells by column; short rows end in blanks."""
    if isinstance(rows, PlainRows) and len(rows.columns) == width:
        return rows.lines, rows.columns
    lines = [line for line, _ in rows]
    filled = [[*row[:width], *[""] * (width - len(row))] for _, row in rows]
    return lines, list(zip(*filled, strict=True)) or [()] * width


class TooManyCells(ValueError):
    """The sheet has more rows or cells than a league's."""


@dataclass(frozen=True)
class Sheet:
    """One table of a file: its name ("" in a CSV), its rows, and whether it is kept out of sight.

    What a formula says is the value stored with it; a `Formula` where there is none. Amounts of
    money and percentages are text that says so. `struck` are the lines that are crossed out,
    `unseen` those that are hidden, `unseen_columns` the columns, from 0.
    """

    name: str
    rows: Rows
    hidden: bool = False
    struck: tuple[int, ...] = ()
    unseen: tuple[int, ...] = ()
    unseen_columns: tuple[int, ...] = ()

    @property
    def unseen_letters(self) -> list[str]:
        """Of the hidden columns that hold something."""
        from openpyxl.utils import get_column_letter

        width = max(len(row) for _, row in self.rows)
        unseen = {
            k
            for k in self.unseen_columns
            if k < width
            and any(clean_name(cell) for _, row in self.rows for cell in row[k : k + 1])
        }
        return [*map(get_column_letter, sorted(k + 1 for k in unseen))]


def bounded(rows: Iterable[tuple[int, Sequence]]) -> Iterator[tuple[int, Sequence]]:
    """The rows, as long as they are not too many: few bytes can stand for very many cells."""
    cells = 0
    for line, row in rows:
        cells += len(row)
        if cells > MAX_CELLS or line > MAX_ROWS:
            raise TooManyCells
        yield line, row


def with_covered(rows: list, merged: Iterable[str]) -> list:
    """The rows with the cells that lie under merged ones marked; those beyond the rows are none."""
    from openpyxl.utils.cell import range_boundaries

    rows, room = [(line, list(row)) for line, row in rows], MAX_CELLS
    for cells in merged:
        first, top, last, bottom = range_boundaries(cells)
        under = rows[top - 1 : bottom]
        room -= len(under) * (last - first + 1)
        if room < 0:
            raise TooManyCells
        for line, row in under:
            row += [None] * (last - len(row))
            for k in range(first - 1, last):
                if (line, k) == (top, first - 1):
                    value = row[k] if first == last else ""
                else:
                    row[k] = Covered("", cells)
                    row[k].value = value
    return rows


def cell_name(line: int, k: int) -> str:
    from openpyxl.utils import get_column_letter

    return f"{get_column_letter(k + 1)}{line}"
