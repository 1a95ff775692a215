"""The host's sheet: what is on it, what its formulas give, and that it is read back."""

import io
import re
from datetime import date

import openpyxl
import pandas as pd
import pytest
from click.testing import CliRunner

from liga_analysis import load_season
from liga_analysis.cli.main import main
from liga_analysis.desk.sheets import evening_of, host_sheet
from liga_analysis.rules import LeagueRules
from liga_analysis.season.protocol import read_rows
from liga_analysis.season.sources import protocol_table

RESULTS = "evening,player,entries,chips_out\n1,Änne,1,3000\n1,=Ben,1,1000\n1,Gast,1,2000\n"
EVENINGS = (
    "evening,date,start,host,place,note\n1,2026-01-09,,,,\n2,2026-02-06,19:30,Änne,=Keller,\n"
)


@pytest.fixture
def season(season_folder):
    return season_folder(results=RESULTS, evenings=EVENINGS)


@pytest.fixture
def sheet(season):
    return openpyxl.load_workbook(io.BytesIO(host_sheet(season, 2))).active


def calculated(sheet):
    """The values of a sheet's formulas, worked out the way a spreadsheet does."""
    values = {}

    def value(name):
        cell = sheet[name].value
        if not (isinstance(cell, str) and cell.startswith("=") and sheet[name].data_type == "f"):
            return cell
        if name not in values:
            values[name] = formula(cell[1:])
        return values[name]

    def cells(span):
        return [value(cell.coordinate) for row in sheet[span] for cell in row]

    def number(name):
        found = value(name)
        return found if isinstance(found, (int, float)) else 0

    def formula(text):
        if match := re.fullmatch(r"SUM\((.+)\)", text):
            return sum(x for x in cells(match[1]) if isinstance(x, (int, float)))
        if match := re.fullmatch(r'IF\(COUNT\((.+?)\)=0,"",(.+)\)', text):
            noted = [x for x in cells(match[1]) if isinstance(x, (int, float))]
            return arithmetic(match[2]) if noted else ""
        match = re.fullmatch(r'IF\(OR\((\w+)="",(\w+)=""\),"",(.+)\)', text)
        blank = any(value(match[k]) in (None, "") for k in (1, 2))
        return "" if blank else arithmetic(match[3])

    def arithmetic(text):
        return eval(re.sub(r"[A-Z]\d+", lambda m: str(number(m[0])), text))

    return value


def rows_read(sheet):
    out = io.BytesIO()
    sheet.parent.save(out)
    needed = ("player", "chips_out")
    table = protocol_table("blatt.xlsx", out.getvalue(), LeagueRules(), required=needed)
    return table, read_rows(table, LeagueRules())


def row_of(sheet, name):
    return next(row[0].row for row in sheet.iter_rows(max_col=1) if row[0].value == name)


def test_what_is_known_is_filled_in(sheet):
    """Number, date, start, host and place of the announced evening, and every player but guests."""
    assert [sheet.cell(k, 2).value for k in range(1, 6)] == [
        2,
        pd.Timestamp("2026-02-06").to_pydatetime(),
        "19:30",
        "Änne",
        "=Keller",
    ]
    names = [sheet.cell(k, 1).value for k in range(8, 8 + 9)]
    assert names == ["=Ben", "Änne", *[None] * 6, "Summe"]
    assert {sheet["A8"].data_type, sheet["B5"].data_type} == {"s"}


def test_without_an_announcement(season_folder):
    """Then the host fills in the date, and no number stands there that might be taken."""
    season = season_folder(results="evening,player,result\n1,A,1\n1,B,-1\n")
    sheet = openpyxl.load_workbook(io.BytesIO(host_sheet(season, evening_of(season)))).active
    assert [sheet.cell(k, 2).value for k in range(1, 6)] == [None] * 5


def test_what_may_be_entered(sheet):
    """Entries from a list 0 to 3, counts of chips whole and not negative."""
    entries, counts = sheet.data_validations.dataValidation
    assert (entries.type, entries.formula1, str(entries.sqref)) == ("list", '"0,1,2,3"', "B8:B15")
    assert (counts.type, counts.operator, counts.formula1) == ("whole", "greaterThanOrEqual", "0")
    assert str(counts.sqref) == "C8:G15"
    assert entries.showErrorMessage and counts.showErrorMessage


def test_colour_of_the_sum(sheet):
    """Green where the results sum to 0, red where not, neither on the empty sheet."""
    ((cells, rules),) = sheet.conditional_formatting._cf_rules.items()
    assert str(cells.sqref) == "I16"
    told = {rule.formula[0]: rule.dxf.fill.bgColor.rgb[-6:] for rule in rules}
    assert told == {
        "AND(COUNT(I8:I15)>0,I16=0)": "93C47D",
        "AND(COUNT(I8:I15)>0,I16<>0)": "E06666",
    }


def test_printed_on_one_page(sheet):
    """One page of A4, with a rule for the pen at its foot."""
    assert sheet.page_setup.fitToHeight == sheet.page_setup.fitToWidth == 1
    assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert sheet.page_setup.paperSize == 9
    assert "Die Summe muss 0 sein" in sheet.oddFooter.left.text
    assert len(sheet.oddFooter.left.text) <= 255  # Excel's limit


def test_filled_in_and_read(sheet):
    """Chips by colour are added up by the sheet as by the league; totals are nobody's chips."""
    anna, ben, new = row_of(sheet, "Änne"), row_of(sheet, "=Ben"), 10
    for column, value in zip("BCDEFG", (1, 10, 10, 6, 4, 2), strict=True):
        sheet[f"{column}{anna}"] = value
    sheet[f"B{ben}"], sheet[f"C{ben}"] = 2, 0
    sheet[f"A{new}"], sheet[f"B{new}"], sheet[f"H{new}"] = "Kai", 1, 6000
    value = calculated(sheet)
    assert [value(f"{c}{anna}") for c in "HI"] == [2000, 0]
    assert [value(f"{c}{ben}") for c in "HI"] == [0, -4000]
    assert value("I16") == 0
    assert value("H16") == 8000
    table, read = rows_read(sheet)
    assert [p for p in read.problems if p.severity == "error"] == []
    columns = ["evening", "player", "entries", "chips_out", "result"]
    assert read.table[columns].to_numpy(object).tolist() == [
        [2, "=Ben", 2, 0, -4000],
        [2, "Änne", 1, 2000, 0],
        [2, "Kai", 1, 6000, 4000],
    ]
    assert [p.key for p in table.problems] == ["total_row", "translated"]


def test_values_that_a_spreadsheet_stored(sheet):
    """Saved by Excel the formulas carry their values; they are held against the counts."""
    anna = row_of(sheet, "Änne")
    for cell, value in {"B": 1, "C": 50, "H": 500, "I": -1500}.items():
        sheet[f"{cell}{anna}"] = value
    assert rows_read(sheet)[1].table["result"].tolist() == [-1500]
    sheet[f"H{anna}"] = 510
    (problem,) = [p for p in rows_read(sheet)[1].problems if p.severity == "error"]
    assert "Nach Farben sind es 500 Chips, eingetragen sind 510" in problem.message("de")


def test_an_empty_sheet_is_nobody(sheet):
    """The sheet as printed says that everyone is absent."""
    _, read = rows_read(sheet)
    assert read.table.empty
    assert {p.key for p in read.problems} == {"absent", "total_row", "translated"}


def test_command(tmp_path, season):
    """`liga sheet` writes the next evening's sheet; `liga record` takes it as it comes."""
    result = CliRunner().invoke(main, ["sheet", str(season.path), "--output", str(tmp_path / "x")])
    assert (result.exit_code, "nicht angekündigt" in result.stderr) == (0, False), result.output
    (path,) = (tmp_path / "x").iterdir()
    assert path.name == "liga-2026-blatt-abend-2.xlsx"
    book = openpyxl.load_workbook(path)
    for row, chips in ((8, 2500), (9, 1500)):
        book.active.cell(row, 2, 1)
        book.active.cell(row, 8, chips)
    book.save(path)
    result = CliRunner().invoke(main, ["record", str(season.path), str(path), "--yes"])
    assert result.exit_code == 0, result.output
    after = load_season(season.path)
    assert after.results["result"].tolist()[-2:] == [500, -500]
    assert after.evenings["date"].iloc[1].date() == date(2026, 2, 6)


def test_a_sheet_filled_in_is_never_written_over(tmp_path, season):
    """The next one stands beside it; one for an evening that nobody announced is told."""
    words = ["sheet", str(season.path), "--evening", "7", "--output", str(tmp_path / "x")]
    for _ in range(3):
        result = CliRunner().invoke(main, words)
        assert (result.exit_code, "Abend 7 ist nicht angekündigt" in result.stderr) == (0, True)
        first = sorted((tmp_path / "x").iterdir())[0]
        first.write_bytes(b"filled in")
    names = sorted(path.stem for path in (tmp_path / "x").iterdir())
    assert names == [names[0], f"{names[0]}-v2", f"{names[0]}-v3"]
    assert first.read_bytes() == b"filled in"


def test_english(season_folder):
    """In an English season the sheet is English, and is read all the same."""
    season = season_folder(results=RESULTS, season='language = "en"\n')
    sheet = openpyxl.load_workbook(io.BytesIO(host_sheet(season, 2))).active
    assert sheet["C7"].value == "white 10"
    sheet["B2"], sheet["B8"], sheet["C8"] = "7 Feb 2026", 1, 200
    sheet["B2"] = date(2026, 2, 7)
    _, read = rows_read(sheet)
    assert read.table[["player", "chips_out"]].to_numpy(object).tolist() == [["=Ben", 2000]]
