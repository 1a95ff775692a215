"""One description of the table's columns, for every form of it."""

import json

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from samples import DATA

from liga_analysis import words
from liga_analysis.cli import main, records, tables
from liga_analysis.pages import columns
from liga_analysis.report import views, workbook
from liga_analysis.report.overview import survey
from liga_analysis.season.season import load_season

SEASON = str(DATA / "season_a.csv")


def lowest(season, table):
    """The worst evening of each player."""
    return season.results.groupby("player")["result"].min()


@pytest.fixture
def with_lowest(monkeypatch):
    """The standings with one more column, called as a part of a card: an entry, and its words."""
    entry = columns.Column("best", "signed", lowest)
    described = (*columns.STANDINGS[:-1], entry, columns.STANDINGS[-1])
    for module in (columns, tables, workbook):
        monkeypatch.setattr(module, "STANDINGS", described)
    monkeypatch.setattr(columns, "FURTHER", (*columns.FURTHER, entry))
    monkeypatch.setitem(words._texts("de")["column"], "best", "Schlechtester Abend")
    return load_season(SEASON)


def test_a_new_column_is_one_entry(with_lowest):
    """Terminal, CSV, JSON, page and workbook have it under its words, with its number."""
    worst = with_lowest.results.groupby("player")["result"].min()

    def liga(*flags):
        return CliRunner().invoke(main.main, ["standings", SEASON, *flags]).stdout

    assert "Schlechtester Abend" in liga()
    assert with_lowest.words.signed(worst["Greta"]) in liga()
    players = json.loads(liga("--format", "json"))["players"]
    assert {p["player"]: p["best"] for p in players} == worst.to_dict()
    assert "best" in liga("--format", "csv").splitlines()[0]
    found = survey(with_lowest)
    page = BeautifulSoup(views.standings(found), "html.parser")
    assert "Schlechtester Abend" in page.thead.get_text()
    assert float(page.select_one("[data-is=best]")["value"]) == worst["Greta"]
    assert workbook.tables(found)["standings"]["best"].tolist() == [
        worst[player] for player in found.table["player"]
    ]
    assert records.standings_record(with_lowest)["players"][0]["best"] == worst["Greta"]
