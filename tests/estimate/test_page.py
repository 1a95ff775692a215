"""The estimation page: what it says, its charts, and how it opens without a network."""

import json
import math
import re

import nbformat
import numpy as np
import pandas as pd
import pytest
from browsing import DESKTOP, PHONE, Visit, boxes
from bs4 import BeautifulSoup
from here import notebooks_here
from samples import DATA

from liga_analysis.cli import records
from liga_analysis.estimate import charts, views, widgets
from liga_analysis.model import diagnostics
from liga_analysis.model.decision import season_decision
from liga_analysis.model.ranking import standings
from liga_analysis.model.simulation import simulate_season
from liga_analysis.model.variance import estimate_variance
from liga_analysis.pages import notebooks
from liga_analysis.pages.export import MIME
from liga_analysis.season.season import load_season
from liga_analysis.season.settings import Prior
from liga_analysis.season.storage import save_season
from liga_analysis.words import DataError

NOTEBOOK = "estimate_parameters"
CHARTS = 11
CASE_22 = DATA / "cases" / "22-tau-schaetzung-null" / "protokoll.csv"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A season folder whose results ask for other parameters."""
    place = tmp_path_factory.mktemp("liga") / "2026"
    evenings, results, _ = simulate_season(14, 6, 3, 2400.0, 3000.0)
    save_season(place, "Probe", evenings, results)
    return place


@pytest.fixture(scope="module")
def pages(tmp_path_factory, folder):
    """Of a season that moves, the same in English and back in time, case 22, a first evening."""
    out = tmp_path_factory.mktemp("pages")
    told = {
        "move": {"season_path": str(folder)},
        "look_back": {"season_path": str(folder), "through": 5, "language": "en"},
        "case_22": {"season_path": str(CASE_22)},
        "young": {"season_path": "data/beispielliga/2026", "through": 1},
    }
    with notebooks_here():
        return {name: notebooks.run(NOTEBOOK, values, out)[0] for name, values in told.items()}


def soup(path):
    return BeautifulSoup(path.read_text("utf-8"), "html.parser")


def text(page):
    """All that can be read on the page, blanks made plain."""
    return page.main.get_text(" ", strip=True).replace("\N{NO-BREAK SPACE}", " ")


def specs(path):
    """The charts of a page as its notebook has them."""
    cells = nbformat.read(path.with_suffix(".ipynb"), 4).cells
    shown = [output.get("data", {}) for cell in cells for output in cell.get("outputs", [])]
    return [data[MIME] for data in shown if MIME in data]


def test_the_answer_stands_first(pages):
    """Before any table or chart: move, the values, and why."""
    page = soup(pages["move"])
    first = page.select_one(".headline .first").get_text().replace("\N{NO-BREAK SPACE}", " ")
    assert re.fullmatch(r"Ändern auf λ = [\d,]+, σ = [\d.]+, τ = [\d.]+\.", first)
    assert "wahrscheinlich" in page.select(".headline p")[1].get_text()
    assert page.select_one(".headline").find_previous("table") is None


def test_the_effect_on_the_table_stands_last(pages):
    """Nobody should choose values by the podium they bring: only the command comes after it."""
    order = [heading["id"] for heading in soup(pages["move"]).select("h2")]
    assert order == (
        ["figures", "profile", "posterior", "prior", "intervals", "course", "weight", "luck"]
        + ["players", "reliability", "changes", "next", "provenance"]
    )


def test_the_three_numbers_are_those_of_the_record(pages, folder):
    """In force, by the data alone, with the prior, and advised, as `liga estimate` has them."""
    season = load_season(folder)
    record, words = records.estimate_record(season_decision(season), season.words), season.words
    rows = soup(pages["move"]).select("table.figures tbody tr")
    for name, row in zip(("sigma", "tau", "lam"), rows, strict=True):
        show = words.number if name == "lam" else words.chips
        cells = [cell.contents[0].strip() for cell in row.select("td")]
        assert cells[1:] == [
            show(record["reml"][name]),
            show(record["posterior"][name]["0.5"]),
            show(record["recommendation"][name]),
        ]
        low, high = record["profile"][name]
        assert row.select("td")[1].small.get_text() == f"{show(low)}–{show(high)}"


def test_both_tables_stand_side_by_side(pages, folder):
    """Rank and rating in force and advised, in the order of the new table."""
    season = load_season(folder)
    advised = records.estimate_record(season_decision(season), season.words)["recommendation"]
    now, then = standings(season), standings(season, advised["lam"], advised["sigma"])
    rows = soup(pages["move"]).select("table.changes tbody tr")
    assert [row.th.get_text() for row in rows] == list(then["player"])
    old = now.set_index("player")
    for row, new in zip(rows, then.itertuples(), strict=True):
        ranks = ["–" if pd.isna(r) else str(r) for r in (old["rank"][new.player], new.rank)]
        shown = [cell.contents[0].strip() for cell in row.select("td")]
        ratings = [season.words.chips(r) for r in (old["rating"][new.player], new.rating)]
        assert shown == [*ranks, *ratings]


def test_the_command_is_there_to_be_copied(pages, folder):
    """As typed; a look back offers none."""
    command = soup(pages["move"]).select_one(".next code").get_text()
    assert command == f'liga adopt {folder} --reason "nach Abend 6"'
    back = soup(pages["look_back"])
    assert back.select_one(".next code") is None


def test_the_page_speaks_one_language(pages):
    """English by parameter, headings and charts included, as it stood after evening 5."""
    page = soup(pages["look_back"])
    assert page.html["lang"] == "en"
    assert "After evening 5" in text(page)
    assert not re.search(r"Abend|Spieler|Vorwissen|in Kraft|Streuung", text(page))
    assert all("Abend" not in json.dumps(spec) for spec in specs(pages["look_back"]))


def test_zero_tau_is_told_in_words(pages):
    """Case 22: move, σ̂ = 892, the season cannot tell; nothing undefined is shown anywhere."""
    page = soup(pages["case_22"])
    told = text(page)
    assert page.select_one(".headline .first").get_text().startswith("Ändern auf λ")
    assert "Am besten passt τ = 0 (REML), σ = 892." in told
    assert "Diese Saison kann es nicht sagen" in told
    assert "ab 8,4, nach oben offen" in told
    assert re.search(r"Exaktes Intervall von λ \(90 %\): ab \d+, nach oben offen", told)
    shown = told + " ".join(spec["description"] for spec in specs(pages["case_22"]))
    assert not re.search(r"∞|\b(nan|inf|infinity|none)\b", shown, re.IGNORECASE)


@pytest.mark.parametrize("name", ["move", "look_back", "case_22"])
def test_every_chart_is_drawn_of_finite_numbers(pages, name):
    """JSON knows no NaN; a size in pixels, numbers in the description, and Vega's own picture."""

    def numbers(value):
        if isinstance(value, dict):
            value = list(value.values())
        if isinstance(value, list):
            return [n for entry in value for n in numbers(entry)]
        return [value] if isinstance(value, float) else []

    found = specs(pages[name])
    assert len(found) == CHARTS
    for spec in found:
        assert all(math.isfinite(n) for n in numbers(spec))
        assert isinstance(spec["width"], int) and re.search(r"\d", spec["description"])
    pictures = soup(pages[name]).select("figure.chart img[src^='data:image/']")
    assert len(pictures) == CHARTS


def test_a_young_season_is_answered_by_its_league(pages):
    """Why it says nothing itself, the league's advice and posterior; no part without a word."""
    page = soup(pages["young"])
    assert "Beibehalten: λ = 6" in text(page)
    assert page.select_one("table.figures tbody tr").get_text(" ", strip=True).endswith("– – 2.400")
    assert "Mit den Vorjahren" in text(page)
    assert "Erst wenn dieselben Spieler" in text(page)
    assert not re.search(r"\b(nan|none)\b", text(page), re.IGNORECASE)
    shown = [heading["id"] for heading in page.select("h2")]
    assert "posterior" in shown and "intervals" not in shown


def test_what_cannot_be_estimated_makes_no_page(tmp_path):
    """Refused before anything runs, with the reason; nothing is written."""
    values = {"season_path": str(DATA / "season_a.csv"), "through": 2}
    with pytest.raises(DataError, match="Erst wenn dieselben Spieler"):
        notebooks.run(NOTEBOOK, values, tmp_path, season_decision)
    assert list(tmp_path.iterdir()) == []


def test_the_profile_marks_interval_and_best_value():
    """The interval is filled, λ̂ dotted; where τ̂ = 0 there is no dot, and the title says where."""
    decisions = (season_decision(load_season(p)) for p in (DATA / "season_a.csv", CASE_22))
    told, open_ended = (charts.profile(decision).to_dict() for decision in decisions)
    assert "1,8 bis 44" in told["description"]
    filters = [t["filter"] for t in told["layer"][0]["transform"]]
    low, high = map(float, re.findall(r"\d+\.\d+", filters[0]))
    assert (low, high) == pytest.approx((1.80565, 43.93208), rel=1e-3)
    assert sum(layer["mark"]["type"] == "circle" for layer in told["layer"]) == 1
    assert sum(layer["mark"]["type"] == "circle" for layer in open_ended["layer"]) == 0
    assert "τ = 0, rechts außerhalb" in open_ended["title"]["subtitle"][1]


def test_infinite_lambda_lies_on_the_edge():
    """REML circles of evenings with τ̂ = 0 stand at the upper end of the scale, and it is said."""
    season = load_season(CASE_22)
    by_evening = diagnostics.estimates_by_evening(season)
    spec = charts.estimates(by_evening, "lam", season.parameters.lam, season.words).to_dict()
    (rows,) = (d for d in spec["datasets"].values() if "alone" in d[0])
    top = max(row["high"] for row in rows)
    assert all(row["alone"] == top for row in rows)
    assert "am oberen Rand: τ fast 0" in spec["title"]["subtitle"][1]


def test_no_evening_can_be_spared_from_two(season_file):
    """Then there is no chart of evenings left out."""
    rows = [
        f"{e},2026-01-0{e},{p},{r}" for e in (1, 2) for p, r in zip("ABC", (5, 3, -8), strict=True)
    ]
    season = season_file("evening,date,player,result\n" + "\n".join(rows))
    assert charts.without(diagnostics.estimates_without(season), None) is None


def test_names_are_text_in_the_table(season_file):
    """A hostile name is escaped and set apart."""
    name = "<script>alert(1)</script>"
    rng = np.random.default_rng(1)
    rows = []
    for e in range(1, 8):
        a, b = rng.integers(-5000, 5000, 2)
        for player, result in ((name, 9000), ("B", a), ("C", b), ("D", -9000 - a - b)):
            rows.append(f'{e},2026-01-{e:02},"{player}",{result}')
    season = season_file("evening,date,player,result\n" + "\n".join(rows))
    decision = season_decision(season)
    assert decision.recommendation.action == "move"
    html = views.changes(decision)
    assert name not in html
    assert name in [b.get_text() for b in BeautifulSoup(html, "html.parser").select("bdi")]


def test_the_sliders_move_the_estimate():
    """Evening and prior: what the widget holds is the season's own estimate under them."""
    season = load_season(DATA / "season_a.csv")
    estimator = widgets.Estimator(season)
    before = estimator._chart.params
    estimator.evening.value, estimator.lam.value, estimator.spread.value = 8, 12.0, 0.5
    truth = estimate_variance(season.through(8).results, Prior(12.0, 0.5))
    for p in (0.05, 0.5, 0.95):
        assert estimator.estimate.posterior.quantile("lam", p) == pytest.approx(
            truth.posterior.quantile("lam", p)
        )
    assert estimator._chart.params != before
    estimator.evening.value = 1
    assert "Erst wenn dieselben Spieler" in estimator.answer.value


@pytest.mark.browser
@pytest.mark.parametrize(("name", "viewport"), [("move", DESKTOP), ("case_22", PHONE)])
def test_the_page_opens_offline(browser, pages, name, viewport):
    """Every chart is drawn; nothing is asked for, nothing said, nothing wider than the screen."""
    with Visit(browser, pages[name], viewport) as visit:
        page = visit.page
        assert page.locator("figure.chart svg").count() == CHARTS
        assert all(box["width"] > 250 for box in boxes(page, "figure.chart svg"))
        assert page.evaluate("document.documentElement.scrollWidth") <= viewport["width"]
        inner = "t => t.scrollWidth - t.clientWidth"
        assert (
            page.locator(".table").evaluate_all(f"ts => ts.map({inner})")
            == [0] * page.locator(".table").count()
        )
        assert visit.requests == [pages[name].as_uri()]
        assert visit.messages == []
