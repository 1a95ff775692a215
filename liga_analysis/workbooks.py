"""Workbooks as rows of cells: xlsx by way of openpyxl, ods from its XML."""

import io
import warnings
import zipfile

# A workbook is a zip; what unpacks beyond this is not a league's sheet.
MAX_WORKBOOK_BYTES = 50_000_000
# The widest and longest sheet of cells that hold something.
MAX_COLUMNS, MAX_ROWS = 16_384, 100_000

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"


class TooLarge(ValueError):
    """The workbook unpacks to more bytes than a league's sheet has."""


def workbook_sheets(data: bytes) -> list[list[tuple[int, list]]]:
    """(line, cells) of every row, by worksheet; formulas as the values stored with them.

    Raises
    ------
    TooLarge
        If it unpacks to more than MAX_WORKBOOK_BYTES.
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
        sheets = [list(enumerate(s.iter_rows(values_only=True), 1)) for s in book.worksheets]
        book.close()
    return sheets


def _ods_sheets(content: bytes):
    from defusedxml.ElementTree import fromstring  # refuses entities

    body = fromstring(content)
    return [_ods_rows(sheet) for sheet in body.iter(f"{_TABLE}table")]


def _ods_rows(sheet) -> list[tuple[int, list]]:
    """Rows that hold something; runs of equal cells and rows are stored once, with a count."""
    rows, line = [], 1
    for row in sheet.iter(f"{_TABLE}table-row"):
        cells, blanks = [], 0
        for cell in row:
            if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                continue
            value, count = _ods_value(cell), int(cell.get(f"{_TABLE}number-columns-repeated", 1))
            if value == "":
                blanks += count
                continue
            if len(cells) + blanks + count > MAX_COLUMNS:
                raise ValueError("too many columns")
            cells += [""] * blanks + [value] * count
            blanks = 0
        count = int(row.get(f"{_TABLE}number-rows-repeated", 1))
        if cells:
            if len(rows) + count > MAX_ROWS:
                raise ValueError("too many rows")
            rows += [(line + k, cells) for k in range(count)]
        line += count
    return rows


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
