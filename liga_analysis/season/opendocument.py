"""Open documents (ods) as sheets of cells, from their XML."""

from collections.abc import Iterator

from .cells import Formula
from .rows import MAX_CELLS, MAX_ROWS, Sheet, TooManyCells, bounded, cell_name, with_covered

_TABLE = "{urn:oasis:names:tc:opendocument:xmlns:table:1.0}"
_OFFICE = "{urn:oasis:names:tc:opendocument:xmlns:office:1.0}"
_STYLE = "{urn:oasis:names:tc:opendocument:xmlns:style:1.0}"
_TEXT = "{urn:oasis:names:tc:opendocument:xmlns:text:1.0}"
_SPANS = ("rows", "columns")
_HIDDEN = ("collapse", "filter")


def ods_sheets(content: bytes) -> list[Sheet]:
    """The sheets in a content.xml, with the rows that hold something."""
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
        rows, unseen = _rows(sheet)
        columns = _unseen_columns(sheet)
        name = sheet.get(f"{_TABLE}name", "")
        sheets.append(Sheet(name, rows, hidden, unseen=unseen, unseen_columns=columns))
    return sheets


def _unseen_columns(sheet) -> tuple[int, ...]:
    unseen, at = [], 0
    for column in sheet.iter(f"{_TABLE}table-column"):
        count = min(int(column.get(f"{_TABLE}number-columns-repeated", 1)), MAX_ROWS)
        hidden = column.get(f"{_TABLE}visibility") in _HIDDEN
        unseen += range(at, at + hidden * count)
        at += count
    return tuple(unseen)


def _rows(sheet) -> tuple[list[tuple[int, list]], tuple[int, ...]]:
    """Rows that hold something, with merged cells marked, or all of them up to the last if any.

    And the lines of those that are hidden.
    """
    merged: list[str] = []
    unseen: list[int] = []
    rows = list(bounded(_filled(sheet, merged, unseen)))
    if merged:
        filled = dict(rows)
        rows = [(line, filled.get(line, [])) for line in range(1, rows[-1][0] + 1)]
        rows = with_covered(rows, merged)
    return rows, tuple(unseen)


def _filled(sheet, merged: list[str], unseen: list[int]) -> Iterator[tuple[int, list]]:
    """Rows that hold something; runs of equal cells and rows are stored once, with a count.

    The cells that are merged and the lines that are hidden are added to those given.
    """
    line = 1
    for row in sheet.iter(f"{_TABLE}table-row"):
        cells, blanks = [], 0
        for cell in row:
            if cell.tag not in (f"{_TABLE}table-cell", f"{_TABLE}covered-table-cell"):
                continue
            value, count = _value(cell), int(cell.get(f"{_TABLE}number-columns-repeated", 1))
            if isinstance(value, str) and not value:
                blanks += count
                continue
            if len(cells) + blanks + count > MAX_CELLS:
                raise TooManyCells
            down, right = (int(cell.get(f"{_TABLE}number-{n}-spanned", 1)) for n in _SPANS)
            if down * right > 1:
                first, last = len(cells) + blanks, len(cells) + blanks + right - 1
                merged.append(f"{cell_name(line, first)}:{cell_name(line + down - 1, last)}")
            if isinstance(value, Formula):
                value.cell = cell_name(line, len(cells) + blanks)
            cells += [""] * blanks + [value] * count
            blanks = 0
        count = int(row.get(f"{_TABLE}number-rows-repeated", 1))
        if cells:
            hidden = row.get(f"{_TABLE}visibility") in _HIDDEN
            unseen += range(line, line + hidden * min(count, MAX_ROWS))
            yield from ((line + k, cells) for k in range(count))
        line += count


def _value(cell):
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
