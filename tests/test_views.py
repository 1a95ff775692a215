"""Parts of the page: read back as a browser would, and held against the tables."""

from datetime import datetime

import pytest
from bs4 import BeautifulSoup
from conftest import DATA

from liga_analysis import views
from liga_analysis.checks import problems
from liga_analysis.honours import awards
from liga_analysis.labels import Problem
from liga_analysis.ranking import season_fit, standings
from liga_analysis.season import load_season

HALF = 0.5  # chips: what rounding to whole numbers may take off each
NAMES = ["<script>alert(1)</script>", '=HYPERLINK("x")', "</script>", "{0} {x} %s", "שרה", "N" * 80]
ANNOUNCED = """evening,date,start,host,place,note
1,2026-01-10,,,,
2,2026-01-17,,,,
3,2026-01-24,,,,
4,2026-01-31,,,,
5,2026-02-07,,,,
6,2026-02-14,,,,
"""
RESULTS = """evening,player,entries,chips_out,result,note
1,Anna,1,3000,,
1,Ben,1,1000,,
2,Anna,1,3000,,
2,Ben,1,1000,,
3,Anna,1,3000,,
3,Ben,1,1000,,
4,Anna,1,2500,,
4,Cem,1,1500,,
"""


def read(html):
    return BeautifulSoup(html, "html.parser")


def cells(html, table):
    """The rows of a table's bodies: texts of their cells."""
    found = read(html).select(f"table.{table} tbody tr:not(:has(th[colspan]))")
    return [[cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in found]


def number(text):
    return float(text.replace(".", "").replace("−", "-").replace(",", "."))


@pytest.fixture(scope="module")
def season():
    return load_season(DATA / "season_a.csv")


@pytest.fixture
def hostile(season_file):
    rows = "".join(
        f'{e},"{name.replace(chr(34), chr(34) * 2)}",{100 * (-1) ** k}\n'
        for e in (1, 2, 3)
        for k, name in enumerate(NAMES)
    )
    return season_file("evening,player,result\n" + rows)


def everything(season):
    table, fit = standings(season), season_fit(season)
    return "".join(
        [
            views.masthead(season, fit),
            views.problems(season, problems(season)),
            views.headline(season, list(table["player"])),
            views.podium(season, table),
            views.standings(season, table),
            views.awards(season, awards(season)),
            views.receipts(season, table, fit),
            views.method(season, fit),
            views.provenance(season),
        ]
    )


def test_every_text_is_escaped(hostile):
    """Names come back as they were written, and nothing of them becomes an element."""
    page = read(everything(hostile))
    assert not page.find_all("script")
    shown = {bdi.get_text() for bdi in page.select("table.standings bdi")}
    assert shown == set(NAMES)


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


def test_a_left_out_evening_is_told_over_every_table(case):
    """Each heading says "vorläufig", and so does the masthead."""
    season = case("05")
    page = read(everything(season))
    headings = page.find_all("h2")
    assert len(headings) == 6
    assert all("vorläufig, ohne Abend 1" in heading.get_text() for heading in headings)
    assert "vorläufig, ohne Abend 1" in page.header.get_text()


def test_equal_players_share_a_step(case):
    """Case 08: Anna and Ben on the first step, nobody on a second."""
    season = case("08")
    steps = read(views.podium(season, standings(season))).select("li")
    shown = [(step.span.get_text(), step.b.get_text()) for step in steps]
    assert shown == [("1", "Anna und Ben"), ("3", "Clara")]


def test_an_empty_podium_says_what_is_needed(season_file):
    """Nobody in der Wertung: no steps, a sentence."""
    season = season_file("evening,player,result\n1,Gast 1,5\n1,Gast 2,-5\n")
    page = read(views.podium(season, standings(season)))
    assert not page.select("ol")
    assert page.p.get_text() == "Noch leer; nötig sind 40 % der Abende."


def test_the_table_shows_its_numbers(season):
    """Every cell is the raw number, rounded to chips."""
    table = standings(season)
    for shown, row in zip(
        cells(views.standings(season, table), "standings"), table.itertuples(), strict=True
    ):
        rating, uncertainty = shown[3].split(" ± ")
        assert shown[0] == str(row.rank)
        assert abs(number(rating) - row.rating) <= HALF
        assert abs(number(uncertainty) - row.uncertainty) <= HALF
        assert number(shown[4]) == row.total
        assert abs(number(shown[5]) - row.average) <= HALF
        assert shown[6] == str(row.evenings)


def test_total_and_average_never_without_evenings(season):
    """Wide and narrow, each line with a total has the number of evenings too."""
    table = standings(season)
    page = read(views.standings(season, table))
    narrow = [small.get_text() for small in page.select("small.narrow")]
    assert len(narrow) == len(table)
    assert all(
        f"{row.evenings}\N{NO-BREAK SPACE}Abende" in told
        for told, row in zip(narrow, table.itertuples(), strict=True)
    )
    wide = {"th": page.select("thead th.wide"), "td": page.select("tbody tr:first-child td.wide")}
    assert [len(found) for found in wide.values()] == [3, 3]


def test_the_picture_is_to_scale(season):
    """Dots lie on one line by rating: equal differences, equal distances, 0 at the zero line."""
    table = standings(season)
    page = read(views.standings(season, table))
    dots = [float(dot["cx"].rstrip("%")) for dot in page.select("svg circle")]
    zero = float(page.select_one("svg line.zero")["x1"].rstrip("%"))
    per_chip = (dots[0] - dots[-1]) / (table["rating"].iloc[0] - table["rating"].iloc[-1])
    for dot, rating in zip(dots, table["rating"], strict=True):
        assert dot - zero == pytest.approx(per_chip * rating, abs=0.011)  # two decimals


def test_players_out_of_the_ranking_stand_below_without_rank(case):
    """Case 07: Gustav below the rule, with a dash for a rank, and what would have been needed."""
    season = case("07")
    page = read(views.standings(season, standings(season)))
    below = page.select("tbody.out tr")
    assert below[0].get_text() == "Außer Wertung: unter 40 % der Abende, nötig wären 2\xa0Abende"
    assert [row.td.get_text() for row in below[1:]] == ["–"]
    assert [row.bdi.get_text() for row in below[1:]] == ["Gustav"]


def test_how_many_evenings_are_missing(season_folder):
    """Cem, 1 of 4: one more makes 2 of 5 = 40 %; guests and the unreachable get no such word."""
    season = season_folder(evenings=ANNOUNCED, results=RESULTS)
    assert "mit dem nächsten Abend in der Wertung" in views.standings(season, standings(season))
    over = season_folder(evenings="\n".join(ANNOUNCED.splitlines()[:5]), results=RESULTS)
    assert "in der Wertung<" not in views.standings(over, standings(over))


def test_all_seven_awards_have_a_tile(season):
    """Given or not, with winner and reason."""
    tiles = read(views.awards(season, awards(season))).select("ul.awards > li")
    assert len(tiles) == 7
    (none,) = (tile for tile in tiles if tile.get("class"))
    assert none.h3.get_text() == "Größtes Comeback"
    assert "nicht vergeben" in none.get_text()


def test_receipts_can_be_checked_with_a_pencil(season):
    """(total + field strength) ÷ (evenings + λ) of the printed numbers is the printed rating."""
    rows = cells(views.receipts(season, standings(season), season_fit(season)), "receipts")
    for _, total, faced, shared, rating in rows:
        n, lam = map(number, shared.split(" + "))
        worked_out = (number(total.lstrip("+")) + number(faced.lstrip("+"))) / (n + lam)
        assert abs(worked_out - number(rating)) <= HALF + HALF / (n + lam)


def test_the_balance_shows_only_where_an_evening_does_not_add_up(case, season):
    """Case 01 has the column, and with it the receipt holds."""
    unbalanced = case("01")
    fit = season_fit(unbalanced)
    rows = cells(views.receipts(unbalanced, standings(unbalanced), fit), "receipts")
    for _, total, balance, faced, shared, rating in rows:
        n, lam = map(number, shared.split(" + "))
        parts = sum(number(part.lstrip("+")) for part in (total, balance, faced))
        assert abs(parts / (n + lam) - number(rating)) <= HALF + 2 * HALF / (n + lam)
    assert "Aus\xadgleich" not in views.receipts(season, standings(season), season_fit(season))


def test_the_method_keeps_the_two_deviations_apart(season):
    """± is of the rating; the award means the evening results; σ and τ are told."""
    text = read(views.method(season, season_fit(season))).get_text()
    assert "eine Standardabweichung der Spielstärke, nicht eines Abends" in text
    assert "„Geringste Standardabweichung“ meint etwas anderes" in text
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


def test_a_page_can_be_english(season_file):
    """By switch, with English marks; no German word is left in headings."""
    season = season_file("evening,player,result\n1,A,1500\n1,B,-1500\n", language="en")
    page = read(everything(season))
    assert [h.get_text() for h in page.select("h2")][1] == "Standings"
    assert "+1,500 in total" in page.get_text()
