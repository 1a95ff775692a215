"""Workbooks as sheets of cells: xlsx by way of openpyxl, ods from its XML, old xls by calamine."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from .cells import Covered, Formula, clean_name

# A workbook is a zip; what unpacks beyond this is not a league's sheet.
MAX_WORKBOOK_BYTES = 50_000_000
# Nor does one have more rows than a spreadsheet or more cells in rows that hold something.
MAX_ROWS, MAX_CELLS = 1_048_576, 1_000_000

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SPANS = ("rows", "columns")
XLS = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
# A formula nothing is stored with; or, in a file to be calculated when it is opened, a bare 0.
_NO_VALUE = re.compile(
    rb'<(?:\w+:)?c\b(?![^>]*t="str")[^>]*>\s*<(?:\w+:)?f\b[^>]*?(?:/>|>[^<]*</(?:\w+:)?f>)\s*'
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</(?:\w+:)?c>"
)
_ZERO = re.compile(rb"</(?:\w+:)?f>\s*<(?:\w+:)?v>0</")
# The formulas of the league's own sheet repeat what other cells of their row say.
_OWN = re.compile(
    r'=IF\(COUNT\(C(\d+):G\1\)=0,"",[C-G\d*+]+\)|=IF\(OR\(B(\d+)="",H\2=""\),"",H\2-\d+\*B\2\)'
)

# What a cell may look like that changes what it says: crossed out, a percentage, money.
_LOOKS = re.compile(
    rb'<strike\b|formatCode="[^"]*(?:%|\[\$[^-]|&quot;|[\x80-\xff$])'
    rb'|numFmtId="(?:9|10|[5-8]|4[24])"'
)
_LOCALE = re.compile(r"\[\$-[^\]]*\]")
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell\b[^>]*?ref="([A-Z]+\d+:[A-Z]+\d+)"')
_UNSEEN = re.compile(rb'<(?:\w+:)?(row|col)\b[^>]*\bhidden="(?:1|true)"[^>]*>')
_ENDS = re.compile(rb'\b(?:r|min|max)="(\d+)"')

_HIDDEN = ("collapse", "filter")  # rows and columns of an open document

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


class TooLarge(ValueError):
    """The workbook unpacks to more bytes than a league's sheet has."""


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


def workbook_sheets(data: bytes) -> list[Sheet]:
    """The worksheets of a workbook, every row of each.

    Raises
    ------
    TooLarge
        If it unpacks to more than MAX_WORKBOOK_BYTES.
    TooManyCells
        If a sheet has more than MAX_ROWS rows or MAX_CELLS cells.
    Exception
        Whatever the zip and XML readers raise where it is no workbook.
    """
    if data.startswith(XLS):
        return _xls_sheets(data)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > MAX_WORKBOOK_BYTES:
            raise TooLarge(size)
        if "content.xml" in archive.namelist():
            return _ods_sheets(archive.read("content.xml"))
        names = [name for name in archive.namelist() if name.startswith("xl/worksheets/")]
        parts = {name: archive.read(name) for name in names}
        to_do = b'fullCalcOnLoad="1"' in archive.read("xl/workbook.xml")
        looks = "xl/styles.xml" in archive.namelist() and archive.read("xl/styles.xml")
    looks = bool(looks and _LOOKS.search(looks))
    without = {None}
    if to_do and any(map(_ZERO.search, parts.values())):
        without = {None, 0}
    elif not any(map(_NO_VALUE.search, parts.values())):
        return list(_xlsx_sheets(data, parts, looks))
    pairs = zip(_xlsx_sheets(data, parts, looks), _xlsx_sheets(data, {}, True), strict=True)
    return [_with_formulas(values, formulas, without) for values, formulas in pairs]


def _xlsx_sheets(data: bytes, parts: dict[str, bytes], looks: bool) -> Iterator[Sheet]:
    """The sheets with values, or without their XML in `parts` with formulas."""
    import openpyxl  # only when a workbook comes

    with warnings.catch_warnings():
        # openpyxl warns of features that a table of results has no use for.
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=bool(parts))
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # rows as wide as they are, not as the file says
            struck: set[int] = set()
            if looks and parts:
                rows = (_by_looks(row, struck) for row in sheet.iter_rows())
            else:
                rows = sheet.iter_rows(values_only=True)
            rows = list(bounded(enumerate(rows, 1)))
            part = parts.get(sheet._worksheet_path, b"")
            merged = [cells.decode() for cells in _MERGED.findall(part)]
            rows = _with_covered(rows, merged) if merged else rows
            unseen: dict[bytes, list[int]] = {b"row": [], b"col": []}
            for tag in _UNSEEN.finditer(part):
                ends = [*map(int, _ENDS.findall(tag[0]))]
                unseen[tag[1]] += range(min(ends), min(max(ends), MAX_ROWS) + 1) if ends else []
            hidden = sheet.sheet_state != "visible"
            lines, columns = tuple(unseen[b"row"]), tuple(k - 1 for k in unseen[b"col"])
            yield Sheet(sheet.title, rows, hidden, tuple(sorted(struck)), lines, columns)
        book.close()


def _by_looks(row: tuple, struck: set[int]) -> list:
    """What a row says by its cells' formats too; its line is added if one is crossed out."""
    values = []
    for cell in row:
        value = cell.value
        if value is not None and cell.font.strike:
            struck.add(cell.row)
        if isinstance(value, int | float) and cell.number_format != "General":
            shown = _LOCALE.sub("", cell.number_format)
            sign = re.search("%|€|£|[$]|EUR|USD|CHF", shown)
            if sign and sign[0] == "%":
                value = f"{100 * value:.10g} %"
            elif sign:
                value = f"{value if value % 1 else int(value)} {sign[0]}"
        values.append(value)
    return values


def _with_covered(rows: list, merged: Iterable[str]) -> list:
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


def _with_formulas(values: Sheet, formulas: Sheet, without: set) -> Sheet:
    """A sheet with the formulas in place where no value is stored with them."""
    rows = []
    for (line, row), (_, others) in zip(values.rows, formulas.rows, strict=True):
        cells = list(row)
        for k, other in enumerate(others):
            text = getattr(other, "text", other)  # of a formula over several cells
            if isinstance(text, str) and text.startswith("=") and cells[k] in without:
                cells[k] = "" if _OWN.fullmatch(text) else Formula(text, _cell_name(line, k))
        rows.append((line, cells))
    return replace(values, rows=rows)


def _cell_name(line: int, k: int) -> str:
    from openpyxl.utils import get_column_letter

    return f"{get_column_letter(k + 1)}{line}"


def _xls_sheets(data: bytes) -> list[Sheet]:
    from python_calamine import CalamineWorkbook, SheetTypeEnum, SheetVisibleEnum

    sheets = []
    with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
        for about in book.sheets_metadata:
            if about.typ != SheetTypeEnum.WorkSheet:
                continue
            rows = bounded(enumerate(book.get_sheet_by_name(about.name).iter_rows(), 1))
            rows = [
                (line, [int(c) if isinstance(c, float) and c.is_integer() else c for c in row])
                for line, row in rows
            ]
            sheets.append(Sheet(about.name, rows, about.visible != SheetVisibleEnum.Visible))
    return sheets


def _ods_sheets(content: bytes) -> list[Sheet]:
    from defusedxml.ElementTree import fromstring  # refuses entities

    body = fromstring(content)
    shown = {
        style.get(f"{_STYLE}name"): properties.get(f"{_TABLE}display")
        for style in body.iter(f"{_STYLE}style")
        for properties in style.iter(f"{_STYLE}table-properties")
    }
    formulas = [cell for cell in body.iter(f"{_TABLE}table-cell") if cell.get(f"{_TABLE}formula")]
    if any(cell.get(f"{_OFFICE}value-type") for cell in formulas):
        # What was calculated and is no more than an empty paragraph is empty text.
        for cell in formulas:
            if not cell.get(f"{_OFFICE}value-type") and cell.find(f"{_TEXT}p") is not None:
                del cell.attrib[f"{_TABLE}formula"]
    sheets = []
    for sheet in body.iter(f"{_TABLE}table"):
        hidden = shown.get(sheet.get(f"{_TABLE}style-name")) == "false"
        rows, unseen = _ods_rows(sheet)
        columns = _ods_unseen_columns(sheet)
        name = sheet.get(f"{_TABLE}name", "")
        sheets.append(Sheet(name, rows, hidden, unseen=unseen, unseen_columns=columns))
    return sheets


def _ods_unseen_columns(sheet) -> tuple[int, ...]:
    unseen, at = [], 0
    for column in sheet.iter(f"{_TABLE}table-column"):
        count = min(int(column.get(f"{_TABLE}number-columns-repeated", 1)), MAX_ROWS)
        hidden = column.get(f"{_TABLE}visibility") in _HIDDEN
        unseen += range(at, at + hidden * count)
        at += count
    return tuple(unseen)


def _ods_rows(sheet) -> tuple[list[tuple[int, list]], tuple[int, ...]]:
    """Rows that hold something, with merged cells marked, or all of them up to the last if any.

    And the lines of those that are hidden.
    """
    merged: list[str] = []
    unseen: list[int] = []
    rows = list(bounded(_ods_filled(sheet, merged, unseen)))
    if merged:
        filled = dict(rows)
        rows = [(line, filled.get(line, [])) for line in range(1, rows[-1][0] + 1)]
        rows = _with_covered(rows, merged)
    return rows, tuple(unseen)


def _ods_filled(sheet, merged: list[str], unseen: list[int]) -> Iterator[tuple[int, list]]:
    """Rows that hold something; runs of equal cells and rows are stored once, with a count.

    The cells that are merged and the lines that are hidden are added to those given.
    """
    line = 1
    for row in sheet.iter(f"{_TABLE}table-row"):
        cells, blanks = [], 0
        for cell in row:
            if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                continue
            value, count = _ods_value(cell), int(cell.get(f"{_TABLE}number-columns-repeated", 1))
            if isinstance(value, str) and not value:
                blanks += count
                continue
            if len(cells) + blanks + count > MAX_CELLS:
                raise TooManyCells
            down, right = (int(cell.get(f"{_TABLE}number-{n}-spanned", 1)) for n in _SPANS)
            if down * right > 1:
                first, last = len(cells) + blanks, len(cells) + blanks + right - 1
                merged.append(f"{_cell_name(line, first)}:{_cell_name(line + down - 1, last)}")
            if isinstance(value, Formula):
                value.cell = _cell_name(line, len(cells) + blanks)
            cells += [""] * blanks + [value] * count
            blanks = 0
        count = int(row.get(f"{_TABLE}number-rows-repeated", 1))
        if cells:
            hidden = row.get(f"{_TABLE}visibility") in _HIDDEN
            unseen += range(line, line + hidden * min(count, MAX_ROWS))
            yield from ((line + k, cells) for k in range(count))
        line += count


def _ods_value(cell):
    """What a cell holds: a number, else text (dates as ISO), else a formula without either."""
    kind = cell.get(f"{_OFFICE}value-type")
    value = cell.get(f"{_OFFICE}value")
    # A cell's own paragraphs; those of a comment lie deeper.
    text = "\n".join("".join(part.itertext()) for part in cell.findall(f"{_TEXT}p"))
    if kind in ("float", "currency", "percentage") and value is not None:
        if text.startswith(("#", "Err:")) and text.strip("#"):  # "###" is too narrow a column
            return text
        if kind == "percentage":
            return f"{100 * float(value):.10g} %"
        number = int(float(value)) if float(value).is_integer() else float(value)
        currency = cell.get(f"{_OFFICE}currency")
        return f"{number} {currency}" if currency in ("EUR", "USD", "CHF") else number
    if kind == "date":
        return cell.get(f"{_OFFICE}date-value")
    formula = cell.get(f"{_TABLE}formula")
    return Formula(formula, "") if formula and kind != "string" and not text else text
