"""The parts of the report: read back as a browser would, and held against the numbers as JSON."""

import json
import shutil
from dataclasses import replace

import pandas as pd
import pytest
from bs4 import BeautifulSoup
from samples import DATA, TERM, running_season

from liga_analysis.cli.records import report_record
from liga_analysis.model.honours import AWARDS
from liga_analysis.model.ranking import standings
from liga_analysis.model.simulation import simulate_season
from liga_analysis.report import views
from liga_analysis.report.overview import survey
from liga_analysis.season.season import load_season
from liga_analysis.season.settings import Parameters
from liga_analysis.season.storage import save_season
from liga_analysis.words import DataError

HALF = 0.5  # chips: what rounding to whole numbers may take off each
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
PARTS = (
    views.contents,
    views.podium,
    views.standings,
    views.outlook,
    views.cards,
    views.awards,
    views.chronicle,
    views.evenings,
    views.league,
)


def read(html):
    return BeautifulSoup(html, "html.parser")


def everything(found):
    return read("".join(part(found) for part in PARTS))


def number(text):
    return float(text.replace(".", "").replace("−", "-").replace(",", ".").lstrip("+"))


@pytest.fixture(scope="module")
def found():
    return survey(load_season(DATA / "season_a.csv"))


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """A season with entries, guests, hosts and players außer Wertung."""
    folder = tmp_path_factory.mktemp("liga") / "2026"
    calendar, results, _ = simulate_season(10, 8, 3)
    save_season(folder, "Liga", calendar, results)
    return survey(load_season(folder))


@pytest.fixture(scope="module")
def running(tmp_path_factory):
    return survey(load_season(running_season(tmp_path_factory.mktemp("leagues") / "liga")))


def test_the_outlook_stands_where_evenings_are_announced(running, simulated):
    """Everybody's chances and evenings still needed; nothing, not even a link, in a full season."""
    assert not views.outlook(simulated)
    page, record = read(views.outlook(running)), report_record(running)["outlook"]
    rows = page.select("tbody tr")
    assert [row.th.bdi.get_text() for row in rows] == [p["player"] for p in record["players"]]
    late = [row for row, p in zip(rows, record["players"], strict=True) if not p["reachable"]]
    assert all(row.find_all("td")[-1].small.get_text() == "nicht mehr" for row in late)
    assert "2 Abende sind noch angekündigt." in page.get_text()


def test_a_season_said_to_be_over_has_nothing_announced(running, simulated):
    """Who says so while evenings are to come is told which."""
    with pytest.raises(DataError, match="angekündigt ist noch Abend 7 und 8"):
        survey(running.season, final=True)
    assert survey(simulated.season, final=True).final


def test_earlier_seasons_stand_on_the_cards(running, simulated):
    """The rank of the year before as its own table has it; in a first season no word of others."""
    before = standings(load_season(running.season.path.parent / "2025")).set_index("player")
    page = read(views.cards(running))
    for card in page.select("details.card"):
        name = card["data-name"]
        assert ("Frühere Saisons" in card.get_text()) == (name in before.index)
        if name in before.index and before.at[name, "qualified"]:
            assert f"2025 Rang {before.at[name, 'rank']} mit" in card.get_text()
    assert not views.league(simulated)
    assert {row.th.bdi.get_text() for row in read(views.league(running)).select("tbody tr")} >= {
        *before.index
    } - load_season(running.season.path.parent / "2025").guests


def test_who_was_in_when_is_drawn(running):
    """One bar for each entry in the log, a cross where all chips were lost, past midnight too."""
    page = read(views.evenings(running))
    (night,) = page.select(".nights details")
    assert [len(row.select("line")) for row in night.select("tr")] == [1, 2]
    assert [len(row.select("svg text")) for row in night.select("tr")] == [0, 1]
    said = [row.svg["aria-label"] for row in night.select("tr")]
    assert said[0] == "19:30 Uhr bis 0:30 Uhr"
    assert said[1] == "19:40 Uhr bis 21:00 Uhr, alles verspielt; 21:10 Uhr bis 0:30 Uhr"


def test_a_log_that_no_longer_holds_is_not_drawn(running, tmp_path):
    """After a correction of the entries the picture would say something else than the table."""
    folder = tmp_path / "2026"
    shutil.copytree(running.season.path, folder)
    file = folder / "results.csv"
    rows = file.read_text("utf-8-sig").splitlines()
    wrong = [row.replace(",2,1000,", ",3,1000,").replace("-3000", "-5000") for row in rows]
    assert rows != wrong
    file.write_text("\n".join(wrong), "utf-8")
    assert survey(load_season(folder)).presence == {}


def test_equal_players_share_a_step(case):
    """Case 08: Anna and Ben on the first step, nobody on a second; their cards say so too."""
    found = survey(case("08"))
    assert "Ben (gleichauf): 50\xa0%" in read(views.cards(found)).get_text()
    steps = read(views.podium(found)).select("li")
    shown = [(li.span.get_text(), [b.get_text() for b in li.select("bdi")]) for li in steps]
    assert shown == [("1", ["Anna", "Ben"]), ("3", ["Clara"])]


def test_an_empty_podium_says_what_is_needed(season_file):
    """Nobody in der Wertung: no steps, a sentence; no card for guests."""
    found = survey(season_file("evening,player,result\n1,Gast 1,5\n1,Gast 2,-5\n"))
    page = read(views.podium(found))
    assert not page.select("ol")
    assert page.p.get_text() == "Noch leer; nötig sind 40 % der Abende."
    assert not everything(found).select("details.card")


def test_the_table_shows_its_columns(simulated):
    """Rank, name, rating, chance, total, average and evenings, in table order."""
    rows = read(views.standings(simulated)).select("tr:has(> td.range)")
    assert [row.th.bdi.get_text() for row in rows] == list(simulated.table["player"])
    for row, raw in zip(rows, simulated.table.to_dict("records"), strict=True):
        shown = {data["data-is"]: json.loads(data["value"]) for data in row.find_all("data")}
        for name in ("rating", "uncertainty", "total", "evenings"):
            assert shown[name] == raw[name]
        assert shown.get("p_podium") == simulated.chances["p_podium"].get(raw["player"])


def test_moves_are_those_between_two_tables(simulated):
    """▲ and ▼ with the places between the last table and the one before, of those in both."""
    season = simulated.season
    tables = [survey(season.through(e)).table.set_index("player")["rank"] for e in season.held[-2:]]
    before, after = pd.concat(tables, axis=1).dropna().rank(method="min").to_numpy().T
    moved = (before - after)[before != after]
    signs = [sign.get_text() for sign in read(views.standings(simulated)).select(".move")]
    assert sorted(signs) == sorted(f"{'▲' if n > 0 else '▼'}{abs(n):.0f}" for n in moved)


def test_a_new_lambda_is_told_beside_the_moves(simulated):
    """Adopted after the last evening it moves places too; an evening later it moves none."""
    season = simulated.season
    for at, is_told in ((season.held[-1], True), (season.held[-2], False)):
        sets = (*season.settings.parameters, Parameters(at, lam=8.9))
        later = replace(season, settings=replace(season.settings, parameters=sets))
        shown = read(views.standings(survey(later))).caption.get_text()
        assert ("Auch das neue λ verschiebt sie: 8,9 statt 6." in shown) == is_told


def test_total_and_average_never_without_evenings(found):
    """In each row of the table and on each card that has a total stands the number of evenings."""
    rows = read(views.standings(found)).select("tr:has(> td.range)")
    sums = read(views.cards(found)).select("p.sums")
    assert (len(rows), len(sums)) == (len(found.table), len(found.cards))
    for part in (*rows, *sums):
        names = {data["data-is"] for data in part.find_all("data")}
        assert {"total", "average", "evenings"} <= names


def test_the_picture_is_to_scale(found):
    """Dots lie on one line by rating: equal differences, equal distances, 0 at the zero line."""
    page, table = read(views.standings(found)), found.table
    dots = [float(dot["cx"].rstrip("%")) for dot in page.select("svg circle")]
    zero = float(page.select_one("svg line.zero")["x1"].rstrip("%"))
    per_chip = (dots[0] - dots[-1]) / (table["rating"].iloc[0] - table["rating"].iloc[-1])
    for dot, rating in zip(dots, table["rating"], strict=True):
        assert dot - zero == pytest.approx(per_chip * rating, abs=0.011)  # two decimals


def test_players_out_of_the_ranking_stand_below_without_rank(case):
    """Case 07: Gustav below the rule, with a dash for a rank, and what would have been needed."""
    below = read(views.standings(survey(case("07")))).select("tbody.out tr:not(.more)")
    assert below[0].get_text().endswith("alle unter 40 % der Abende (nötig: 2 von 5)")
    assert [row.select_one(".rank").get_text() for row in below[1:]] == ["–"]
    assert [row.bdi.get_text() for row in below[1:]] == ["Gustav"]


def test_how_many_evenings_are_missing(season_folder):
    """Cem, 1 of 4: one more makes 2 of 5 = 40 %; guests and the unreachable get no such word."""
    found = survey(season_folder(evenings=ANNOUNCED, results=RESULTS))
    assert "noch 1 Abend bis 40\N{NO-BREAK SPACE}%" in views.standings(found)
    assert (
        "Kommst du am nächsten Abend, bist du mit 2 von 5 Abenden in der Wertung."
        in read(views.cards(found)).get_text()
    )
    over = survey(season_folder(evenings="\n".join(ANNOUNCED.splitlines()[:5]), results=RESULTS))
    assert "in der Wertung<" not in views.standings(over)


def test_all_awards_have_a_tile(found):
    """Given or not, with winner and reason."""
    tiles = read(views.awards(found)).select("ul.awards > li")
    assert len(tiles) == len(AWARDS)
    (none,) = (tile for tile in tiles if tile.get("class"))
    assert none.h3.get_text() == "Größtes Comeback"
    assert "nicht vergeben" in none.get_text()


@pytest.mark.parametrize(("number_of_case", "lam"), [("01", 6), ("08", 6), ("08", 2.649673)])
def test_receipts_can_be_checked_with_a_pencil(case, number_of_case, lam):
    """(total ± balance ± field strength) ÷ (evenings + λ) of the printed numbers is the rating."""
    found, balanced = survey(case(number_of_case), lam=lam), True
    for formula in read(views.cards(found)).select("p.receipt"):
        values = {d["data-is"]: number(d.get_text()) for d in formula.find_all("data")}
        above = formula.get_text().split(" ÷ ")[0]
        top = values["total"]
        for name, word in (("imbalance", "Ausgleich"), ("field_strength", TERM["field_strength"])):
            top += values.get(name, 0) * (-1 if f"− {word}" in above else 1)
        parts = values.get("n", 1) + values["lam"]
        assert abs(top / parts - values["rating"]) <= HALF + 3 * HALF / parts
        balanced &= "imbalance" not in values
    assert balanced == (number_of_case == "08")


def test_bars_show_every_evening(simulated):
    """One bar for each evening attended, up or down, with its number in the title and the table."""
    page = read(views.cards(simulated))
    for card, shown in zip(simulated.cards, page.select("details.card"), strict=True):
        bars = shown.select("figure.bars svg[role=img] path:not(.zero)")
        rows = shown.select("details.numbers tbody tr")
        assert len(bars) == len(rows) == card["evenings"]
        for bar, row, raw in zip(bars, rows, card["results"], strict=True):
            assert bar["class"] == ["up" if raw["result"] >= 0 else "down"]
            assert simulated.words.signed(raw["result"]) in bar["data-tip"]
            assert row["data-evening"] == str(raw["evening"])


def test_a_left_out_evening_is_told_over_every_table(case):
    """Below each heading stands "vorläufig"."""
    headings = everything(survey(case("05"))).find_all("h2")
    assert len(headings) == 6
    assert all("vorläufig, ohne Abend 1" in heading.parent.get_text() for heading in headings)


def test_no_chance_on_a_sigma_that_does_not_fit(season_file):
    """With the warning about σ no chances are told, in table or card."""
    rows = "".join(f"{e},A,{r}\n{e},B,{-r}\n" for e, r in enumerate([1, -2, 1, 3, -1, 2], 1))
    found = survey(season_file("evening,player,result\n" + rows))
    assert not found.sure
    assert not everything(found).select("[data-is=p_podium], [data-is=p], [data-is=p_first]")


def test_tables_have_captions_and_scopes(simulated):
    """For those who hear them: what the table is, and what each head belongs to."""
    for table in everything(simulated).find_all("table"):
        assert table.caption.get_text(strip=True)
        assert all(th.get("scope") for th in table.find_all("th"))


def test_a_page_can_be_english(season_file):
    """By switch, with English marks; no German word is left in headings."""
    found = survey(season_file("evening,player,result\n1,A,1500\n1,B,-1500\n", language="en"))
    page = everything(found)
    assert [h.get_text() for h in page.select("h2")][1] == "Standings"
    assert "Total +1,500" in page.get_text()
