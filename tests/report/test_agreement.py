"""An awkward season told in every form: page, picture, workbook and JSON say the same numbers."""

import json
import re
import shutil

import openpyxl
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from samples import TERM

from liga_analysis.cli.main import main
from liga_analysis.model.draws import podium_chance
from liga_analysis.model.simulation import simulate_season
from liga_analysis.pages.columns import STANDINGS
from liga_analysis.report import poster, story, views, workbook
from liga_analysis.report.overview import survey
from liga_analysis.rules import LeagueRules
from liga_analysis.season.season import load_season
from liga_analysis.season.settings import Settings
from liga_analysis.season.storage import save_season
from liga_analysis.words import Words

HELD, AHEAD, PODIUM = 8, 3, 4
DISPUTED, MISSING = 3, 30
CORRECTIONS = """when,evening,what,why
2026-12-02,2,results,"Anna hatte 3 Chips doppelt"
2026-12-20,5,results,
"""
PARTS = (views.contents, views.podium, views.standings, views.outlook, views.cards, views.awards)
PARTS += (views.chronicle, views.evenings, views.league)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A league's third season with everything in it that a report has to tell.

    Eight of eleven evenings are played: four places on the podium, guests, a sum that the round
    accepted, corrections.
    """
    league, theta, licences = tmp_path_factory.mktemp("leagues") / "liga", None, None
    for year, seed in ((2024, 4), (2025, 5)):
        first = f"{year}-01-10"
        calendar, results, theta = simulate_season(8, 7, seed, first_date=first, returning=theta)
        before = save_season(league / str(year), str(year), calendar, results, licences)
        licences = before.licences
    calendar, results, _ = simulate_season(9, HELD + AHEAD, 5, returning=theta)
    results = results[results["evening"] <= HELD].copy()
    loser = results.index[(results["evening"] == DISPUTED) & (results["chips_out"] >= MISSING)][0]
    results.loc[loser, ["chips_out", "result"]] -= MISSING
    note = f"Summe −{MISSING} angenommen: unterm Sofa"
    calendar["note"] = ""
    calendar.loc[calendar["evening"] == DISPUTED, "note"] = note
    like = Settings("2026", rules=LeagueRules(podium=PODIUM))
    save_season(league / "2026", "2026", calendar, results, like=like)
    (league / "2026" / "corrections.csv").write_text(CORRECTIONS, "utf-8")
    return league / "2026"


@pytest.fixture(scope="module")
def overview(folder):
    return survey(load_season(folder))


@pytest.fixture(scope="module")
def record(folder):
    """What a command prints as JSON."""

    def printed(command, *flags):
        said = CliRunner().invoke(main, [command, str(folder), *flags, "--format", "json"])
        return json.loads(said.stdout)

    return printed


@pytest.fixture(scope="module")
def report(record):
    return record("report")


@pytest.fixture(scope="module")
def page(overview):
    return BeautifulSoup("".join(part(overview) for part in PARTS), "html.parser")


@pytest.fixture(scope="module")
def sheets(overview, tmp_path_factory):
    """The workbook's sheets as rows, read back by another program."""
    path = tmp_path_factory.mktemp("book") / "book.xlsx"
    workbook.write_workbook(workbook.tables(overview), overview.words, path)
    return {
        sheet.title: pd.DataFrame(rows, columns=head)
        for sheet in openpyxl.load_workbook(path)
        for head, *rows in [list(sheet.iter_rows(values_only=True))]
    }


def figures(element):
    """The numbers of a part of the page by their names."""
    return {data["data-is"]: json.loads(data["value"]) for data in element.find_all("data")}


def rows_of(page, table):
    """By player, the numbers of each row."""
    rows = page.select(f"table.{table} tbody tr:not(.rule)")
    return {row.find("th").bdi.get_text(): figures(row) for row in rows}


def picked(rows, *names):
    """Of records, what stands under these names, by player; without what is missing."""
    told = {row["player"]: {name: row[name] for name in names} for row in rows}
    return {
        player: {name: value for name, value in row.items() if value is not None}
        for player, row in told.items()
    }


def same(sheet, rows, *names, **columns):
    """A sheet has these rows in this order, under their headings; its numbers have 16 digits."""
    for name, column in [*zip(names, names, strict=True), *columns.items()]:
        told = pd.Series([row[name] for row in rows], name=Words().text(f"column.{column}"))
        pd.testing.assert_series_equal(sheet[told.name], told, rtol=1e-15, check_dtype=False)


def test_the_report_is_the_json_of_the_commands(folder, report, record):
    """Table, awards, chances and outlook are those of `liga standings`, `awards` and `chances`."""
    standings, chances = record("standings"), record("chances")
    table = [{k: v for k, v in row.items() if k != "move"} for row in report["players"]]
    assert table == standings["players"]
    assert standings["unbalanced"] == [{"evening": DISPUTED, "sum": -MISSING}]
    assert {name: report[name] for name in standings if name != "players"} == {
        name: standings[name] for name in standings if name != "players"
    }
    assert report["awards"] == record("awards")
    assert len({award["rank"] for award in report["awards"] if award["rank"]}) == PODIUM
    assert report["chances"] == chances["players"]
    assert report["truly"] == chances["linked"]["players"]
    assert report["together"] == chances["linked"]["p_podium_set"]
    assert report["outlook"] == record("chances", "--outlook")
    assert report["outlook"]["remaining"] == AHEAD
    career = CliRunner().invoke(main, ["career", str(folder.parent), "--format", "json"])
    assert report["league"] == json.loads(career.stdout)["players"]


def test_the_page_is_the_json(page, report):
    """Row by row: table, podium, outlook, the league, the evenings, the awards."""
    truly = picked(report["truly"], "p_podium")
    names = [c.name for c in STANDINGS if c.kind in ("chips", "signed", "count")]
    table = picked(report["players"], *names)
    told = {player: row | truly.get(player, {}) for player, row in table.items()}
    assert rows_of(page, "standings") == told
    steps = {d.bdi.get_text(): figures(d) for d in page.select(".podium li div")}
    best = [row for row in report["players"] if row["qualified"] and row["rank"] <= PODIUM]
    assert steps == picked(best, "rating", "uncertainty")
    passes = {}
    for step in sorted(report["outlook"]["next"]["passes"], key=lambda step: step["result"]):
        passes.setdefault(step["player"], {"chips": step["chips"]})
    ends = picked(report["outlook"]["linked"], "p_first", "p_podium", "p_qualified")
    ahead = {player: row | passes.get(player, {}) for player, row in ends.items()}
    assert rows_of(page, "outlook") == ahead
    honours = picked(report["league"], "titles", "podiums", "best_rank", "total", "seasons")
    assert {
        player: {name: value for name, value in row.items() if name != "n"}
        for player, row in rows_of(page, "league").items()
    } == honours
    evenings = [figures(row) for row in page.select("table.evenings tbody tr")]
    wanted = ("players", "chips", "moved", "result")
    assert evenings == [{name: row[name] for name in wanted} for row in report["evenings_held"]]


def test_every_number_is_the_one_of_the_json(page, report, overview):
    """Each carries its unrounded value and shows it; on a card those of the card's own record."""
    words, cards = overview.words, {card["player"]: card for card in report["cards"]}
    rows = {row["player"]: row for row in report["players"]}
    everywhere = pairs(report) | {("n", v) for k, v in pairs(report) if k == "evenings"}
    ranked = sum(row["qualified"] for row in report["players"])
    ends = [row["field_strength"] for card in report["cards"] for row in card["results"]]
    everywhere |= {("held", report["evenings"]), ("ranked", ranked)}
    everywhere |= {("low", min(ends)), ("high", max(ends))}
    assert [card["data-name"] for card in page.select("details.card")] == [*cards]
    for figure in page.find_all("data"):
        name, value = figure["data-is"], json.loads(figure["value"])
        card, known = figure.find_parent("details", class_="card"), everywhere
        if card is not None and name not in ("held", "ranked", "n", "low", "high"):
            player = card["data-name"]
            known = pairs(cards[player]) | pairs(rows[player]) | pairs(report["outlook"])
            mine, held = cards[player]["evenings"], report["evenings"]
            more = overview.season.rules.evenings_missing(mine, held)
            known |= {("least", mine + more), ("then", held + more)}
            known |= {("place", rank) for rank in range(1, rows[player]["rank"] or 1)}
        assert (name, value) in known or (name, -value) in known, figure
        forms = (words.chips, words.signed, words.number, words.percent, words.chance)
        assert figure.get_text() in [form(value) for form in forms]


def pairs(record, name=""):
    """Every number in a record under its name."""
    if isinstance(record, dict):
        return {pair for key, value in record.items() for pair in pairs(value, key)}
    if isinstance(record, list):
        return {pair for value in record for pair in pairs(value, name)}
    return {(name, record)} if isinstance(record, (int, float)) else set()


def test_the_workbook_is_the_json(sheets, report):
    """Sheet by sheet, unrounded and in the same order."""
    players, truly = report["players"], {row["player"]: row for row in report["truly"]}
    nothing = dict.fromkeys(("p_podium", "p_first", "joint_low", "joint_high"))
    table = [row | (truly.get(row["player"]) or nothing) for row in players]
    headed = {"p_podium": "p_truly", "p_first": "p_strongest"}
    columns = "rank player rating total average evenings joint_low joint_high".split()
    same(sheets["Tabelle"], table, *columns, **headed)
    headed = {"p_podium": "p_end", "p_first": "p_title"}
    same(
        sheets["Ausblick"], report["outlook"]["linked"], "player", "p_qualified", "needed", **headed
    )
    same(sheets["Liga"], report["league"], "player", "titles", "total", "evenings")
    same(sheets["Abende"], report["evenings_held"], "result")
    same(sheets[TERM["awards"]], report["awards"], "value")
    receipts = [card["receipt"] | {"player": card["player"]} for card in report["cards"]]
    same(sheets["Quittungen"], receipts, *"player total imbalance field_strength rating".split())
    results = [row["result"] for card in report["cards"] for row in card["results"]]
    cross = sheets["Kreuztabelle"].set_index("Spieler")
    shown = cross.loc[[card["player"] for card in report["cards"]]]
    evenings = [name for name in cross if name.startswith("Abend ")]
    assert [v for row in shown[evenings].to_numpy() for v in row if not pd.isna(v)] == results


def test_the_picture_is_the_json(overview, report):
    """Podium and table with rating, uncertainty, total and evenings; the rest are its sentences."""
    from vl_convert import vegalite_to_svg

    words = overview.words
    svg = BeautifulSoup(vegalite_to_svg(poster.poster(overview)), "html.parser")
    drawn = [text.get_text() for text in svg.find_all("text")]
    told = " ".join(drawn)
    ranked = [row for row in report["players"] if row["qualified"]]
    for row in ranked:
        rating = f"{words.chips(row['rating'])} ± {words.chips(row['uncertainty'])}"
        sums = f"{words.signed(row['total'])} {words.over_evenings(row['evenings'])}"
        assert {row["player"], rating, sums, str(row["rank"])} <= set(drawn)
    award = next(a for a in report["awards"] if a["award"] == "biggest_comeback" and a["players"])
    last = report["evenings_held"][-1]
    assert words.signed(award["value"]) in told
    assert words.signed(last["result"]) in told


def test_what_the_sentences_say_is_the_json(overview, page, report):
    """Each number in a headline, caption, sentence or title, of page and picture, is one of it."""
    words, rules = overview.words, overview.season.rules
    ranked = sum(row["qualified"] for row in report["players"])
    given = {rules.attendance, rules.entry_chips, rules.dropped, ranked, len(overview.seasons)}
    given |= {rules.evenings_needed(HELD)}
    shown = {
        re.search(r"[\d.,]+", form(number))[0]
        for number in {value for _, value in pairs(report)} | given
        for form in (words.chips, words.number, words.percent)
    }
    told = [*story.headline(overview), *poster_texts(overview), page.get_text(" ")]
    told += [path["data-tip"] for path in page.select("[data-tip]")]
    text = re.sub(r"\d\d?\.\d\d\.\d{4}|\b20\d\d\b", "", " ".join(told))
    assert set(re.findall(r"\d(?:[\d.,]*\d)?", text)) <= shown


def test_the_terminal_is_the_json(folder, report, overview):
    """Never drawn is not impossible, out of reach is; the results that pass are the page's."""
    printed = CliRunner().invoke(main, ["chances", str(folder), "--outlook"]).stdout
    lines = dict(re.findall(r"^(\S+) +(.*)$", printed.partition("Was der")[0], re.MULTILINE))
    outlook, words = report["outlook"], overview.words
    for player in outlook["players"]:
        impossible = "0\N{NO-BREAK SPACE}%"
        assert lines[player["player"]].startswith(impossible) == (not player["reachable"])
        assert ("genug" in lines[player["player"]]) == (player["needed"] == 0)
    for step in outlook["next"]["passes"]:
        line = f"{step['player']} +{step['other']} +{re.escape(words.signed(step['chips']))}"
        least = [s["result"] for s in outlook["next"]["passes"] if s["player"] == step["player"]]
        assert bool(re.search(f"^{line}$", printed, re.MULTILINE)) == (step["result"] == min(least))
    assert f"{AHEAD} Abende sind noch angekündigt." in printed
    assert outlook["next"]["field"][0] in printed.splitlines()[-1]


def test_disputes_and_corrections_stand_everywhere(overview, page, sheets, report, record):
    """The same plain lines on page, picture, workbook and JSON; no red band."""
    lines = report["remarks"]
    assert lines == [
        f"Abend {DISPUTED}: {MISSING} Chips fehlen; die Runde hat den Abend so angenommen "
        "(unterm Sofa).",
        "Berichtigt: Abend 2 (Anna hatte 3 Chips doppelt) und Abend 5.",
    ]
    assert [line.get_text() for line in page.select(".remark")] == lines
    drawn = " ".join(poster_texts(overview))
    assert all(line in drawn for line in lines)
    assert all(line in sheets["Tabelle"]["Hinweis"][0] for line in lines)
    assert {problem.severity for problem in overview.doubts} == {"hint"}  # that there were guests


def poster_texts(overview):
    texts = [text["text"] for text in poster.poster(overview)["data"]["values"]]
    return [text if isinstance(text, str) else " ".join(text) for text in texts]


def test_without_earlier_seasons_the_podium_is_the_rules_too(folder, tmp_path):
    """The chance that the best four stand on the podium is that of `liga chances`."""
    alone = tmp_path / "allein" / "2026"
    shutil.copytree(folder, alone)
    season = load_season(alone)
    assert survey(season).linked is None
    assert survey(season).together == podium_chance(season).together
    assert survey(season).together != podium_chance(season, podium=3).together
