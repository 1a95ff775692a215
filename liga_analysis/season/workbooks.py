"""Workbooks as rows of cells: xlsx by way of openpyxl, ods from its XML."""

import io
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Sequence

# A workbook is a zip; what unpacks beyond this is not a league's sheet.
MAX_WORKBOOK_BYTES = 50_000_000
# Nor does one have more rows than a spreadsheet or more cells in rows that hold something.
MAX_ROWS, MAX_CELLS = 1_048_576, 1_000_000

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


class TooLarge(ValueError):
    """The workbook unpacks to more bytes than a league's sheet has."""


class TooManyCells(ValueError):
    """The sheet has more rows or cells than a league's."""


def bounded(rows: Iterable[tuple[int, Sequence]]) -> Iterator[tuple[int, Sequence]]:
    """The rows, as long as they are not too many: few bytes can stand for very many cells."""
    cells = 0
    for line, row in rows:
        cells += len(row)
        if cells > MAX_CELLS or line > MAX_ROWS:
            raise TooManyCells
        yield line, row


def workbook_sheets(data: bytes) -> list[list[tuple[int, list]]]:
    """(line, cells) of every row, by worksheet; formulas as the values stored with them.

    Raises
    ------
    TooLarge
        If it unpacks to more than MAX_WORKBOOK_BYTES.
    TooManyCells
        If a sheet has more than MAX_ROWS rows or MAX_CELLS cells.
    Exception
        Whatever the zip and XML readers raise where it is no workbook.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > MAX_WORKBOOK_BYTES:
            raise TooLarge(size)
        if "content.xml" in archive.namelist():
            return _ods_sheets(archive.read("content.xml"))
    return _xlsx_sheets(data)


def _xlsx_sheets(data: bytes):
    import openpyxl  # only when a workbook comes

    with warnings.catch_warnings():
        # openpyxl warns of features that a table of results has no use for.
        warnings.simplefilter("ignore")
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True)
        sheets = []
        for sheet in book.worksheets:
            sheet.reset_dimensions()  # rows as wide as they are, not as the file says
            sheets.append(list(bounded(enumerate(sheet.iter_rows(values_only=True), 1))))
        book.close()
    return sheets


def _ods_sheets(content: bytes):
    from defusedxml.ElementTree import fromstring  # refuses entities

    body = fromstring(content)
    return [list(bounded(_ods_rows(sheet))) for sheet in body.iter(f"{_TABLE}table")]


def _ods_rows(sheet) -> Iterator[tuple[int, list]]:
    """Rows that hold something; runs of equal cells and rows are stored once, with a count."""
    line = 1
    for row in sheet.iter(f"{_TABLE}table-row"):
        cells, blanks = [], 0
        for cell in row:
            if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                continue
            value, count = _ods_value(cell), int(cell.get(f"{_TABLE}number-columns-repeated", 1))
            if value == "":
                blanks += count
                continue
            if len(cells) + blanks + count > MAX_CELLS:
                raise TooManyCells
            cells += [""] * blanks + [value] * count
            blanks = 0
        count = int(row.get(f"{_TABLE}number-rows-repeated", 1))
        if cells:
            yield from ((line + k, cells) for k in range(count))
        line += count


def _ods_value(cell):
    """What a cell holds: a number, else text (dates as ISO)."""
    kind = cell.get(f"{_OFFICE}value-type")
    if kind in ("float", "currency", "percentage"):
        value = float(cell.get(f"{_OFFICE}value"))
        return int(value) if value.is_integer() else value
    if kind == "date":
        return cell.get(f"{_OFFICE}date-value")
    # A cell's own paragraphs; those of a comment lie deeper.
    return "\n".join("".join(part.itertext()) for part in cell.findall(f"{_TEXT}p"))
