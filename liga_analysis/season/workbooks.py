"""Workbooks as sheets of cells: xlsx by way of openpyxl, old xls by calamine."""

import io
import re
import warnings
import zipfile
from collections.abc import Iterator
from dataclasses import replace

from .cells import Formula
from .opendocument import ods_sheets
from .rows import MAX_ROWS, Sheet, bounded, cell_name, with_covered

# A workbook is a zip; what unpacks beyond this is not a league's sheet.
MAX_WORKBOOK_BYTES = 50_000_000
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


class TooLarge(ValueError):
    """The workbook unpacks to more bytes than a league's sheet has."""


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
            return ods_sheets(archive.read("content.xml"))
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
            rows = with_covered(rows, merged) if merged else rows
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


def _with_formulas(values: Sheet, formulas: Sheet, without: set) -> Sheet:
    """A sheet with the formulas in place where no value is stored with them."""
    rows = []
    for (line, row), (_, others) in zip(values.rows, formulas.rows, strict=True):
        cells = list(row)
        for k, other in enumerate(others):
            text = getattr(other, "text", other)  # of a formula over several cells
            if isinstance(text, str) and text.startswith("=") and cells[k] in without:
                cells[k] = "" if _OWN.fullmatch(text) else Formula(text, cell_name(line, k))
        rows.append((line, cells))
    return replace(values, rows=rows)


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
