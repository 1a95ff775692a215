"""The report's other forms: read back by programs that know nothing of it."""

import os
import stat

import openpyxl
import pandas as pd
import pytest
from samples import DATA, TERM

from liga_analysis.pages import export
from liga_analysis.report import poster
from liga_analysis.report import workbook as forms
from liga_analysis.report.overview import survey
from liga_analysis.season.season import load_season

NAMES = ['=HYPERLINK("x")', "+49 170", "-1", "@SUM(A1)", "'=1", "\tA", "שרה כהן", "A" * 80]
DIGITS = 1e-15  # a workbook keeps 16 of them


@pytest.fixture(scope="module")
def found():
    return survey(load_season(DATA / "season_a.csv"))


@pytest.fixture
def hostile(season_file):
    rows = "".join(
        f'{e},"{name.replace(chr(34), chr(34) * 2)}",{100.25 * (-1) ** k}\n'
        for e in (1, 2, 3)
        for k, name in enumerate(NAMES)
    )
    return survey(season_file("evening,player,result\n" + rows))


def workbook(found, tmp_path):
    path = tmp_path / "book.xlsx"
    forms.write_workbook(forms.tables(found), found.words, path)
    return openpyxl.load_workbook(path)


@pytest.fixture(scope="module")
def book(found, tmp_path_factory):
    return workbook(found, tmp_path_factory.mktemp("book"))


def test_the_workbook_holds_all_tables(book):
    """A sheet each, headed in German, with a fixed heading and a filter."""
    before = "Tabelle Kreuztabelle Ergebnisse Abende".split()
    after = "Quittungen Vergleiche Verlauf Begegnungen Herkunft".split()
    assert book.sheetnames == [*before, TERM["awards"], *after]
    for sheet in book:
        assert sheet.freeze_panes == "A2"
        assert sheet.auto_filter.ref == sheet.dimensions


def test_numbers_are_numbers_in_the_workbook(found, book):
    """Unrounded, with formats that Excel writes in its own language; dates are dates."""
    head, *rows = book["Tabelle"].iter_rows(values_only=True)
    shown = pd.DataFrame(rows, columns=head)
    assert list(shown["Spieler"]) == list(found.table["player"])
    assert list(shown[TERM["rating"]]) == pytest.approx(list(found.table["rating"]), rel=DIGITS)
    assert list(shown[TERM["total"]]) == list(found.table["total"])
    formats = {c.value: book["Tabelle"].cell(2, c.column).number_format for c in book["Tabelle"][1]}
    assert formats[TERM["rating"]] == "#,##0"
    assert formats[TERM["total"]] == "+#,##0;−#,##0;0"
    assert formats["wirklich auf dem Podium"] == "0.0%"


def test_dates_are_dates_in_the_workbook(case, tmp_path):
    """Day first in a German season."""
    found = survey(case("05"))
    (day,) = (c for c in workbook(found, tmp_path)["Ergebnisse"][2] if c.is_date)
    assert day.value == found.season.results["date"][0]
    assert day.number_format == "dd.mm.yyyy"


def test_hostile_text_stays_text(hostile, tmp_path):
    """Names come back as they were, none as a formula; decimals show where there are some."""
    sheet = workbook(hostile, tmp_path)["Tabelle"]
    (at,) = (cell.column for cell in sheet[1] if cell.value == "Spieler")
    cells = [sheet.cell(line, at) for line in range(2, sheet.max_row + 1)]
    assert {cell.value for cell in cells} == set(hostile.table["player"])
    assert {cell.data_type for cell in cells} == {"s"}
    assert all(cell.quotePrefix for cell in cells if cell.value[0] in "=+-@")
    assert sheet.cell(2, 3).number_format == "#,##0.00"


def test_totals_never_without_evenings(found):
    """In every table that has one."""
    for table in forms.tables(found).values():
        if {"total", "average"} & set(table):
            assert "evenings" in table


def test_a_left_out_evening_is_told_in_the_table(case):
    """No form of the standings is without "vorläufig"."""
    made = forms.tables(survey(case("05")))
    (note,) = set(made["standings"]["note"])
    assert note.endswith("vorläufig, ohne Abend 1")
    assert note.startswith("Stand nach Abend")


def test_the_browser_of_the_environment_comes_first(monkeypatch, tmp_path):
    """LIGA_CHROMIUM is taken at its word, also where it leads nowhere."""
    given = tmp_path / "browser"
    given.write_text("#!/bin/sh\n")
    given.chmod(given.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("LIGA_CHROMIUM", str(given))
    assert export.find_browser() == str(given)
    monkeypatch.setenv("LIGA_CHROMIUM", str(tmp_path / "none"))
    assert export.find_browser() is None


def test_no_browser_is_no_failure(monkeypatch):
    """Without one on the path or where installers put them: None."""
    monkeypatch.delenv("LIGA_CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", os.devnull)
    monkeypatch.setattr(export, "_PROGRAMS", ())
    assert export.find_browser() is None


@pytest.mark.skipif(os.name == "nt", reason="the stand-in browser is a shell script")
@pytest.mark.parametrize("script", ["exit 1", "exit 0", "sleep 9"])
def test_a_browser_that_prints_nothing_is_told(monkeypatch, tmp_path, script):
    """Failing, silent or stuck: False, and no file."""
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\n{script}\n")
    browser.chmod(0o755)
    monkeypatch.setattr(export, "PATIENCE", 0.5)
    assert not export.print_page(str(browser), tmp_path / "page.html", tmp_path / "page.pdf")
    assert not (tmp_path / "page.pdf").exists()


def size(picture):
    assert picture.startswith(b"\x89PNG")
    return int.from_bytes(picture[16:20]), int.from_bytes(picture[20:24])


def test_the_picture_suits_a_telephone(found):
    """1,080 pixels wide; every ranked player's name and rating is on it."""
    width, height = size(poster.picture(found))
    assert width == 2 * poster.WIDTH
    assert height == 2 * poster.poster(found)["height"]
    drawn = str(poster.poster(found))
    for row in found.table.itertuples():
        assert row.player in drawn
        assert found.words.chips(row.rating) in drawn


def test_the_picture_cuts_no_name(hostile):
    """Long names run over several lines."""
    texts = poster.poster(hostile)["data"]["values"]
    shown = {"".join(text["text"]).replace(" ", "") for text in texts}
    assert shown >= {name.replace(" ", "") for name in hostile.table["player"]}


def test_the_picture_of_nobody(season_file):
    """A sentence in place of the podium."""
    found = survey(season_file("evening,player,result\n1,Gast 1,5\n1,Gast 2,-5\n"))
    assert "Noch ist niemand in der Wertung" in str(poster.poster(found))
    size(poster.picture(found))
