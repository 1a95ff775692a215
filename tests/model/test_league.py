"""Which seasons of a league count as earlier, on what scale, and who is who in them."""

import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from liga_analysis.model.chain import link
from liga_analysis.model.graph import play_graph
from liga_analysis.model.league import (
    league_linked,
    league_of,
    linked,
    linked_chances,
    scale_factors,
)
from liga_analysis.model.ranking import standings
from liga_analysis.model.simulation import simulate_season
from liga_analysis.rules import LeagueRules
from liga_analysis.season.season import load_season
from liga_analysis.season.storage import save_season


@pytest.fixture
def league(tmp_path):
    """A league's folder with a season of each year 2023 to 2025."""
    theta = licences = None
    for year in (2023, 2024, 2025):
        calendar, results, theta = simulate_season(
            9, 8, year, first_date=f"{year}-01-10", returning=theta
        )
        licences = save_season(
            tmp_path / str(year), str(year), calendar, results, licences=licences
        ).licences
    return tmp_path


def names(found):
    return [season.name for season in found.earlier]


def test_earlier_is_before_the_first_evening(league):
    """Seasons that came later are not spoken of; --through cuts the last season alone."""
    assert names(league_of(load_season(league / "2025"))) == ["2023", "2024"]
    assert league_of(load_season(league / "2023")) == ((), ())
    cut = load_season(league / "2025").through(1)
    assert names(league_of(cut)) == ["2023", "2024"]


def test_what_cannot_be_linked_is_named(league):
    """A copy, a folder that overlaps, one without spread, one that cannot be read."""
    shutil.copytree(league / "2024", league / "2024 (Kopie)")
    shutil.copytree(league / "2025", league / "Probe")
    broken = league / "kaputt"
    broken.mkdir()
    (broken / "season.toml").write_text("name = ", "utf-8")
    flat = league / "2022"
    flat.mkdir()
    rows = [f"{e},2022-0{e}-01,{p},0" for e in (1, 2) for p in "AB"]
    (flat / "season.toml").write_text('name = "2022"\n', "utf-8")
    (flat / "results.csv").write_text("\n".join(["evening,date,player,result", *rows, ""]), "utf-8")
    found = league_of(load_season(league / "2025"))
    assert names(found) == ["2023", "2024"]
    assert sorted(problem.key for problem in found.left_out) == [
        "league_no_spread",
        "league_overlaps",
        "league_overlaps",
        "league_unreadable",
    ]
    assert all(problem.message("de") and problem.message("en") for problem in found.left_out)


def test_a_single_table_has_no_league(league):
    """Nor has a table in memory."""
    season = load_season(league / "2025")
    season.results[["evening", "date", "player", "result"]].to_csv(league / "a.csv", index=False)
    assert league_of(load_season(league / "a.csv")) == ((), ())


def test_linked_is_the_link_of_the_scaled_seasons(league):
    """Names are joined; factors are ratios of the seasons' own σ; empty seasons change nothing."""
    seasons = [load_season(league / str(year)) for year in (2023, 2024, 2025)]
    found = linked(seasons)
    assert found.seasons == ("2023", "2024", "2025")
    factors = scale_factors(seasons)
    assert factors[-1] == 1 and found.factors == tuple(factors)
    tables = [season.results.copy() for season in seasons]
    for season, table in zip(seasons[:-1], tables, strict=False):
        guest = table["player"].isin(season.guests)
        table.loc[guest, "player"] += f" {season.name}"  # nobody's guest of last year
    expected = link([play_graph(table) for table in tables], factors)
    pd.testing.assert_series_equal(found.theta, expected.theta)
    save_season(league / "2020", "2020")
    again = linked([load_season(league / "2020"), *seasons])
    pd.testing.assert_series_equal(again.theta, found.theta)
    with pytest.raises(ValueError, match="no season has results"):
        linked([load_season(league / "2020")])


def test_before_five_evenings_the_entry_is_the_scale(league):
    """A season too young for its own σ is scaled by the entry chips, where they differ."""
    seasons = [load_season(league / "2024"), load_season(league / "2025").through(3)]
    assert scale_factors(seasons) == [1, 1]
    halved = replace(seasons[1].settings, rules=LeagueRules(entry_chips=1000))
    assert scale_factors([seasons[0], replace(seasons[1], settings=halved)]) == [0.5, 1]


def test_persons_are_known_by_alias_and_guests_are_strangers(league):
    """A slip of the pen in an old season is the same person; a "Gast" never is."""
    seasons = [load_season(league / str(year)) for year in (2024, 2025)]
    before = linked(seasons)
    name = next(
        p for p in seasons[1].results["player"].unique() if p in set(seasons[0].results["player"])
    )
    results = league / "2024" / "results.csv"
    text = results.read_text("utf-8-sig")
    results.write_text(
        text.replace(f"{name};", "Früher So;").replace(f"{name},", "Früher So,"), "utf-8"
    )
    (league / "2024" / "licences.csv").unlink()
    apart = linked([load_season(league / "2024"), seasons[1]])
    assert abs(apart.theta[name] - before.theta[name]) > 1
    registry = league / "2025" / "licences.csv"
    lines = registry.read_text("utf-8-sig").splitlines()
    aliased = [line + "Früher So" if f"{name}" in line else line for line in lines]
    registry.write_text("\n".join([*aliased, ""]), "utf-8")
    joined = linked([load_season(league / str(year)) for year in (2024, 2025)])
    pd.testing.assert_series_equal(joined.theta, before.theta, rtol=1e-9)


def test_nothing_is_linked_where_nobody_came_back(league):
    """Two rounds of strangers in one folder say nothing of one another."""
    results = league / "2025" / "results.csv"
    season = load_season(league / "2025")
    text = results.read_text("utf-8-sig")
    for name in season.results["player"].unique():
        text = text.replace(name, f"X{name}")
    results.write_text(text, "utf-8")
    (league / "2025" / "licences.csv").unlink()
    assert league_linked(load_season(league / "2025")) is None


def test_linked_chances_judge_the_names_of_the_table(league):
    """Counted from the linked draws; by another λ the table is another, the draws are not."""
    season = load_season(league / "2025")
    found = league_linked(season)
    told = linked_chances(season, draws=4000)
    table = standings(season)
    ranked = list(table.loc[table["qualified"], "player"])
    drawn = pd.DataFrame(np.concatenate(list(found.pieces(4000))), columns=found.players)[ranked]
    place = drawn.rank(axis=1, ascending=False)
    assert list(told.players.index) == ranked
    assert told.players["p_first"].tolist() == pytest.approx((place == 1).mean().tolist())
    assert told.players["p_podium"].tolist() == pytest.approx((place <= 3).mean().tolist())
    three = place[ranked[:3]].to_numpy()
    assert told.podium.together == pytest.approx((three <= 3).all(1).mean())
    assert told.podium.order == pytest.approx((three == [1, 2, 3]).all(1).mean())
    assert told.seasons == 3
    other = linked_chances(season, lam=60.0, sigma=1000.0, draws=4000)
    pd.testing.assert_frame_equal(other.players.loc[ranked], told.players)
    assert linked_chances(load_season(league / "2023")) is None


def test_a_season_without_dates_is_not_linked(league):
    """Named, and those with dates keep their order."""
    rows = [f"{e},{p},{x}" for e in (1, 2, 3) for p, x in (("A", 10 * e), ("B", -10 * e))]
    (league / "1999").mkdir()
    (league / "1999" / "season.toml").write_text('name = "1999"\n', "utf-8")
    table = "\n".join(["evening,player,result", *rows, ""])
    (league / "1999" / "results.csv").write_text(table, "utf-8")
    found = league_of(load_season(league / "2025"))
    assert names(found) == ["2023", "2024"]
    assert [(p.file, p.key) for p in found.left_out] == [("1999", "league_undated")]
    assert names(league_of(load_season(league / "1999"))) == []
