"""The page that asks whether the model holds: its sentences, tables and chart, and a run of it."""

import re
from dataclasses import replace

import pandas as pd
import pytest
from bs4 import BeautifulSoup

from liga_analysis.estimate import charts as estimate_charts
from liga_analysis.model.ranking import qualified
from liga_analysis.pages import notebooks
from liga_analysis.research import calibration
from liga_analysis.research import views as model_views
from liga_analysis.research.calibration import WORLDS, calibrate
from liga_analysis.research.drift import Drift
from liga_analysis.season.season import load_season
from liga_analysis.words import DataError, Words

EXAMPLE = "data/beispielliga/2026"
STILL = Drift(2400.0, 1000.0, 0.0, 0.0, 300.0, 9.0, 1.0, 999)
WALKED = Drift(2400.0, 1000.0, 400.0, 200.0, 600.0, 9.0, 0.002, 999)


@pytest.fixture(scope="module")
def season():
    return load_season(EXAMPLE)


@pytest.fixture(scope="module")
def found(season):
    """Few seasons: what they say is not the matter here."""
    return calibrate(season, 12)


def plain(text):
    return str(text).replace("\N{NO-BREAK SPACE}", " ")


def covering(found, share):
    """The same with this coverage in every world, to three places."""
    return replace(found, coverage=found.coverage.assign(share=share, error=0.001))


def test_the_answer_follows_the_table(season, found):
    """All worlds inside 88 to 92 % is a promise kept; one outside is named, with how far."""
    first = model_views.headline(season, covering(found, 0.9), STILL)[0]
    assert first.startswith("Die 90-%-Spannen halten, was sie versprechen")
    off = covering(found, 0.9)
    off.coverage.loc[off.coverage["world"] == "tails", "share"] = 0.83
    first = plain(model_views.headline(season, off, STILL)[0])
    assert first.endswith("nicht bei „Ausreißer“ (am weitesten ab: 83 %).")


def test_every_world_has_its_row(season, found):
    """Coverage to a tenth of a percent with two standard errors, in the order of the worlds."""
    page = BeautifulSoup(model_views.coverage(season, found), "html.parser")
    rows = page.select("tbody tr")
    names = [season.words.text(f"model.{world}") for world in WORLDS]
    assert [row.th.contents[0].strip() for row in rows] == names
    for row, world in zip(rows, WORLDS, strict=True):
        table = found.coverage[found.coverage["world"] == world]
        shown = [float(c.contents[0].replace(",", ".")) for c in row.select("td")]
        assert shown == [round(100 * share, 1) for share in table["share"]]
        errors = [float(c.small.get_text()[2:].replace(",", ".")) for c in row.select("td")]
        assert errors == [round(200 * error, 1) for error in table["error"]]


def test_signs_of_the_season_stand_above_those_of_the_worlds(season, found):
    """The season's own two numbers first, then nine in ten of each world; "data" has none."""
    page = BeautifulSoup(model_views.signs(season, found), "html.parser")
    rows = page.select("tbody tr")
    assert len(rows) == len(WORLDS)  # the season, and all worlds but one
    assert rows[0].th.contents[0].strip() == "Diese Saison"
    assert rows[0].td.contents[0] == season.words.number(found.own["kurtosis"])


@pytest.mark.parametrize("language", ["de", "en"])
def test_drift_is_told_by_p(season, language):
    """Below 5 % it is told as found, with what it means; else what is not excluded is told."""
    told = load_season(EXAMPLE, language=language)
    still, walked = (plain(model_views.drift(told, walk)) for walk in (STILL, WALKED))
    assert len(still.splitlines()) == 3 and len(walked.splitlines()) == 4
    assert "900" in still and "2" in still  # 300 · √9 to the last evening
    assert {"400", "1.200" if language == "de" else "1,200"} <= set(
        re.findall(r"\d[\d.,]*\d", walked)
    )


def test_chances_are_counted(season, found):
    """Groups beyond two errors are counted, the largest gap told; without any it says so."""
    table = found.tenths
    told = plain(model_views.chances(season, found))
    far = table[table["z"].abs() > 2]
    assert f"Von {len(table)} Gruppen" in told and f"treffen {len(far)} um" in told


def test_without_anybody_ranked_there_are_no_chances(season, monkeypatch):
    """Nobody in der Wertung: intervals are judged, chances cannot be, and no chart is drawn."""
    monkeypatch.setattr(calibration, "qualified", lambda s: qualified(s) & False)
    found = calibrate(season, 2)
    assert model_views.chances(season, found).startswith("Das lässt sich nicht sagen")
    assert estimate_charts.tenths(found.tenths) is None
    assert found.coverage["share"].notna().all()


@pytest.mark.parametrize("language", ["de", "en"])
def test_the_chart_shows_share_less_chance(found, language):
    """A dot for each tenth of each world at share − predicted, in percentage points."""
    table = found.tenths
    spec = estimate_charts.tenths(table, Words(language)).to_dict()
    rows = pd.DataFrame(max(spec["datasets"].values(), key=len))
    assert len(rows) == len(table)
    assert rows["gap"].tolist() == pytest.approx(
        (100 * (table["share"] - table["predicted"])).tolist()
    )
    assert rows["told"].iloc[0] and spec["description"]


def test_the_page_asks_four_questions(tmp_path):
    """The notebook makes one page: the answer, four questions in order, no gap and no warning."""
    made = notebooks.run(
        "check_model", {"season": EXAMPLE, "seasons": 12, "language": "en"}, tmp_path
    )
    page = BeautifulSoup(made[0].read_text("utf-8"), "html.parser")
    questions = [h["id"] for h in page.select("h2")]
    assert questions == ["coverage", "chances", "signs", "drift", "provenance"]
    assert page.select_one(".headline").find_previous("table") is None
    assert not re.search(r"\bnan\b", page.main.get_text())
    assert "Warning" not in made[1].read_text("utf-8")


def test_a_short_season_is_told_before_anything_runs(tmp_path):
    """Two evenings get a sentence, and no page."""
    with pytest.raises(DataError, match="Ob das Modell hält, lässt sich erst prüfen"):
        notebooks.run("check_model", {"season": EXAMPLE, "through": 2}, tmp_path)
    assert not list(tmp_path.iterdir())
