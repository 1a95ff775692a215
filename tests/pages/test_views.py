"""Parts of the page: read back as a browser would, and held against the tables."""

from datetime import datetime

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from samples import DATA

from liga_analysis.model.ranking import season_fit
from liga_analysis.pages import views
from liga_analysis.season.season import load_season
from liga_analysis.words import Problem


def read(html):
    return BeautifulSoup(html, "html.parser")


@pytest.fixture(scope="module")
def season():
    return load_season(DATA / "season_a.csv")


def test_the_masthead_says_where_the_season_stands(season_file):
    """Evening and date; the date is left out where there is none."""
    dated = season_file("evening,date,player,result\n1,2026-05-22,A,1\n1,2026-05-22,B,-1\n")
    undated = season_file("evening,player,result\n1,A,1\n1,B,-1\n")
    assert "Stand nach Abend 1 · 22.05.2026<" in views.masthead(dated, season_fit(dated))
    assert "Stand nach Abend 1<" in views.masthead(undated, season_fit(undated))


def test_other_parameters_are_told(season):
    """A table with another λ than the one in force says so, in the masthead."""
    assert "gerechnet" not in views.masthead(season, season_fit(season))
    told = views.masthead(season, season_fit(season, lam=3))
    assert "gerechnet mit λ = 3, σ = 2.400, in Kraft: λ = 6, σ = 2.400" in told


def test_errors_and_warnings_stand_in_the_band(season):
    """Hints stay with `check`; without errors and warnings there is no band at all."""
    hint, warning = Problem("hint", "x", "header_only"), Problem("warning", "x", "empty")
    assert views.problems(season, [hint]) == ""
    shown = read(views.problems(season, [hint, warning])).select("li")
    assert [item.get_text() for item in shown] == [warning.message()]


def test_many_problems_unfold(season):
    """All are in the page, the first ones at once."""
    page = read(views.problems(season, [Problem("warning", "x", "empty")] * 8))
    assert len(page.select("li")) == 8
    assert len(page.select("details li")) == 8 - views.SHOWN


def test_the_method_keeps_the_two_deviations_apart(season):
    """± is of the rating; the award means the evening results; σ and τ are told."""
    text = read(views.method(season, season_fit(season))).get_text()
    assert "nicht von Abenden: In etwa zwei von drei Fällen" in text
    assert "Beim Preis „Gleichmäßigste Ergebnisse“ geht es um etwas anderes" in text
    assert "τ = σ/√λ = 980 Chips" in text


def test_the_provenance_knows_the_data(season_file):
    """The fingerprint ignores the order of rows and changes with a result; the time is told."""
    made = datetime(2026, 5, 22, 9, 5)
    lines = ["1,A,10", "1,B,-10", "2,A,5", "2,B,-5"]

    def shown(lines):
        season = season_file("evening,player,result\n" + "\n".join(lines) + "\n")
        return views.provenance(season, made)

    assert shown(lines) == shown(lines[::-1])
    assert shown(lines) != shown(["1,A,20", "1,B,-20", *lines[2:]])
    assert '<time datetime="2026-05-22T09:05">22.05.2026, 09:05 Uhr</time>' in shown(lines)


def test_corrections_and_earlier_parameters_are_told(season):
    """Rows as they are stored, dates and headings in the reader's language."""
    changes = pd.DataFrame(
        {"when": ["2026-01-11"], "evening": [1.0], "what": ["A"], "why": ["<b>"]}
    )
    page = read(views.provenance(season, changes=changes))
    assert [th.get_text() for th in page.select("table.corrections th")] == [
        "Wann",
        "Abend",
        "Was",
        "Warum",
    ]
    cells = [cell.get_text() for cell in page.select("table.corrections td")]
    assert cells == ["11.01.2026", "1", "A", "<b>"]
    assert not read(views.provenance(season)).select("table")
