"""The sheet for the host: filled in on a computer, or printed and filled in by hand."""

import io

from ..rules import CHIP_SET
from ..season.names import alphabetical
from ..season.season import Season

# Rows below the players, for guests and new ones.
SPARE_ROWS = 6
FIRST_ROWS = 12  # a first evening has no names yet
_FILLS = {"weiß": "FFFFFF", "rot": "F4C7C3", "blau": "C9DAF8", "grün": "D0E6D2", "gelb": "FFF2B3"}
_RED, _GREEN, _GREY = "E06666", "93C47D", "F3F3F3"
_WIDTHS = [26, 11, 9, 9, 9, 9, 9, 15, 13]


def evening_of(season: Season, evening: int | None = None) -> int:
    """The evening a sheet is for: the one given, the next announced, or the next number."""
    ahead = season.announced["evening"].tolist()
    return evening or (ahead[0] if ahead else max(season.evenings["evening"], default=0) + 1)


def host_sheet(season: Season, evening: int) -> bytes:
    """A workbook (xlsx) to note an evening in; `record` reads what it becomes.

    Players stand in rows, with a drop-down for entries, the count of chips of each colour, and
    formulas for chips and result. The cell with the sum of the results is green at 0, else red.
    """
    from openpyxl import Workbook  # only when a workbook is wanted

    words, rules = season.words, season.rules
    book = Workbook()
    sheet = book.active
    sheet.title = words.text("sheet.name")
    _heading(sheet, season, evening)

    header = sheet.max_row + 2
    colours = [
        words.text("sheet.colour", colour=words.text(f"column.{c.colour}"), value=c.value)
        for c in CHIP_SET
    ]
    titles = [words.text(f"column.{c}") for c in ("player", "entries")]
    titles += [*colours, *(words.text(f"column.{c}") for c in ("chips_out", "result"))]
    for column, title in enumerate(titles, 1):
        sheet.cell(header, column, title)
    players = _players(season)
    first, last = header + 1, header + (len(players) + SPARE_ROWS if players else FIRST_ROWS)
    for row in range(first, last + 1):
        worth = "+".join(f"{chr(67 + k)}{row}*{chip.value}" for k, chip in enumerate(CHIP_SET))
        sheet.cell(row, 8, f'=IF(COUNT(C{row}:G{row})=0,"",{worth})')
        sheet.cell(row, 9, f'=IF(OR(B{row}="",H{row}=""),"",H{row}-{rules.entry_chips}*B{row})')
    for row, player in enumerate(players, first):
        sheet.cell(row, 1, player).data_type = "s"  # never a formula
    total = last + 1
    sheet.cell(total, 1, words.text("sheet.total"))
    for column in "BCDEFGHI":
        sheet[f"{column}{total}"] = f"=SUM({column}{first}:{column}{last})"
    _rule_cells(sheet, words, rules, first, last, total)
    _dress(sheet, header, total)
    footer = words.text("sheet.footer", limit=rules.max_entries, entry_chips=rules.entry_chips)
    sheet.oddFooter.left.text = footer.replace("&", "&&")
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _heading(sheet, season: Season, evening: int) -> None:
    """What is known of the evening; the host fills in the rest."""
    words, ahead = season.words, season.announced.set_index("evening")
    known = ahead.loc[evening].to_dict() if evening in ahead.index else {}
    # A number nobody announced could be taken by another evening before this one is recorded.
    known |= {"evening": evening if known else None, "date": _day(known.get("date"))}
    for row, column in enumerate(("evening", "date", "start", "host", "place"), 1):
        sheet.cell(row, 1, words.text(f"sheet.{column}"))
        cell = sheet.cell(row, 2, known.get(column) or None)
        if isinstance(cell.value, str):
            cell.data_type = "s"
        if column == "date":
            cell.number_format = "DD.MM.YYYY" if season.language == "de" else "YYYY-MM-DD"


def _day(value):
    return None if value is None or value != value else value.date()


def _players(season: Season) -> list[str]:
    """Everyone who played this season; before its first evening, everyone with a licence."""
    played = set(season.results["player"]) - season.guests
    return sorted(played or set(season.licences["player"]), key=alphabetical)


def _rule_cells(sheet, words, rules, first: int, last: int, total: int) -> None:
    """What may be entered, and the colour of the sum."""
    from openpyxl.formatting.rule import FormulaRule
    from openpyxl.styles import PatternFill
    from openpyxl.worksheet.datavalidation import DataValidation

    if rules.max_entries < 20:
        choice = ",".join(map(str, range(rules.max_entries + 1)))
        entries = DataValidation(type="list", formula1=f'"{choice}"')
    else:
        entries = DataValidation(type="whole", formula1="0", formula2=str(rules.max_entries))
    entries.error = words.text("sheet.entries_error", limit=rules.max_entries)
    counts = DataValidation(type="whole", operator="greaterThanOrEqual", formula1="0")
    counts.error = words.text("sheet.count_error")
    for validation, cells in ((entries, f"B{first}:B{last}"), (counts, f"C{first}:G{last}")):
        validation.showErrorMessage = True
        validation.add(cells)
        sheet.add_data_validation(validation)
    cell, noted = f"I{total}", f"COUNT(I{first}:I{last})>0"
    for condition, colour in ((f"{cell}=0", _GREEN), (f"{cell}<>0", _RED)):
        fill = PatternFill(bgColor=colour)
        sheet.conditional_formatting.add(
            cell, FormulaRule(formula=[f"AND({noted},{condition})"], fill=fill)
        )


def _dress(sheet, header: int, total: int) -> None:
    """Lines, widths and one page of A4, also for a pen."""
    from openpyxl.styles import Alignment, Border, Font, PatternFill, Side

    line = Side(style="thin", color="999999")
    for row in sheet.iter_rows(header, total, 1, len(_WIDTHS)):
        sheet.row_dimensions[row[0].row].height = 22
        for cell in row:
            cell.border = Border(line, line, line, line)
            cell.alignment = Alignment("left" if cell.column == 1 else "center", "center")
            if cell.row == total or cell.row == header:
                cell.font = Font(bold=True)
                cell.fill = PatternFill("solid", fgColor=_GREY)
            if cell.column > 7 and cell.row > header:
                cell.number_format = "#,##0"
    for k, chip in enumerate(CHIP_SET, 3):
        sheet.cell(header, k).fill = PatternFill("solid", fgColor=_FILLS[chip.colour])
    for k, width in enumerate(_WIDTHS):
        sheet.column_dimensions[chr(65 + k)].width = width
    for row in sheet.iter_rows(1, header - 2, 1, 2):
        sheet.row_dimensions[row[0].row].height = 18
        row[0].font = Font(bold=True)
        row[1].alignment = Alignment("left")
    sheet.freeze_panes = sheet.cell(header + 1, 2)
    sheet.page_setup.orientation, sheet.page_setup.paperSize = "landscape", 9  # A4
    sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 1
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
