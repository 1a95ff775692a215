"""Several seasons: tables by hand, and a prior carried on."""

import numpy as np
import pytest

from liga_analysis.model.careers import (
    all_time,
    find_player,
    load_seasons,
    side_by_side,
)
from liga_analysis.model.ranking import standings
from liga_analysis.report.story import career_lines
from liga_analysis.words import DataError, Words

EXACT = 1e-9  # closed forms
FIRST = "evening,date,player,result\n1,2024-01-05,Anna,300\n1,2024-01-05,Ben,-300\n"
SECOND = (
    "evening,date,player,result\n1,2025-01-03,ANNA,-100\n1,2025-01-03,Ben,500\n"
    "1,2025-01-03,Gast,-400\n"
)


@pytest.fixture
def league(tmp_path):
    """A league of two seasons; more lines for season.toml, or evenings, for the second."""

    def make(settings="", evenings=""):
        for name, text in (("2024", FIRST), ("2025", SECOND)):
            folder = tmp_path / name
            folder.mkdir(exist_ok=True)
            (folder / "results.csv").write_text(text)
            more = settings if name == "2025" else ""
            (folder / "season.toml").write_text(f'name = "Saison {name}"\n{more}')
        if evenings:
            (tmp_path / "2025" / "evenings.csv").write_text(evenings)
        return tmp_path

    return make


def test_a_league_is_its_seasons_in_order_of_time(league, tmp_path):
    """A folder of seasons, or seasons by themselves in any order, twice or not, is the same."""
    folder = league()
    (folder / "leer").mkdir()
    (folder / "leer" / "season.toml").write_text('name = "ohne Abend"\n')
    names = ["Saison 2024", "Saison 2025"]
    assert [s.name for s in load_seasons([folder])] == names
    paths = [folder / "2025", folder / "2024", folder / "2025"]
    assert [s.name for s in load_seasons(paths)] == names
    with pytest.raises(DataError):
        load_seasons([folder / "leer"])


def test_all_time_table(league):
    """Anna won 300 and lost 100, Ben lost 300 and won 500: 200 each, and a title each."""
    table = all_time(load_seasons([league()]))
    assert table.index.tolist() == ["Anna", "Ben"]  # equal in all that orders the table
    assert table["total"].to_dict() == {"Anna": 200, "Ben": 200}
    assert table[["seasons", "evenings", "titles", "podiums", "best_rank"]].to_numpy().tolist() == [
        [2, 2, 1, 2, 1],
        [2, 2, 1, 2, 1],
    ]
    # θ̂ = (G + 6)⁻¹h: 300/7 in a field of two, (500 − 0)/7 in one of three that sums to 0.
    np.testing.assert_allclose(table.loc["Anna", "best_rating"], 300 / 7, rtol=EXACT)
    np.testing.assert_allclose(table.loc["Ben", "best_rating"], 500 / 7, rtol=EXACT)
    assert table["best_season"].to_dict() == {"Anna": "Saison 2024", "Ben": "Saison 2025"}


def test_each_season_has_its_own_parameters(league):
    """λ = 2 in the second season changes its ratings alone."""
    more = "[[parameters]]\nsigma = 1000\nlam = 2\n"
    rows = side_by_side(load_seasons([league(more)])).set_index(["season", "player"])
    np.testing.assert_allclose(rows.loc[("Saison 2024", "Anna"), "rating"], 300 / 7, rtol=EXACT)
    np.testing.assert_allclose(rows.loc[("Saison 2025", "Ben"), "rating"], 500 / 3, rtol=EXACT)
    assert rows["podium"].all()


def test_side_by_side_is_each_seasons_table(league):
    """A player's row is the row of that season's table; guests have none."""
    seasons = load_seasons([league()])
    rows = side_by_side(seasons)
    assert rows["player"].tolist() == ["Anna", "Ben", "Ben", "Anna"]  # one name for ANNA
    for season in seasons:
        own = standings(season).set_index("player")
        for row in rows[rows["season"] == season.name].itertuples():
            name = row.player if row.player in own.index else row.player.upper()
            assert own.loc[name, "rating"] == row.rating
            assert own.loc[name, "rank"] == row.rank


def test_a_running_season_gives_no_title_yet(league):
    """While an evening is announced, neither ranks nor titles and podiums count."""
    evenings = "evening,date\n1,2025-01-03\n2,2025-02-03\n"
    seasons = load_seasons([league(evenings=evenings)])
    table = all_time(seasons)
    assert table["titles"].to_dict() == {"Anna": 1, "Ben": 0}
    assert table["best_rank"].to_dict() == {"Anna": 1, "Ben": 2}
    assert any("Saison 2025 läuft noch" in line for line in career_lines(seasons, Words()))


def test_chips_of_different_worth_have_no_total(league):
    """Seasons with other entries are not added up; the pages say so."""
    seasons = load_seasons([league("[rules]\nentry_chips = 5000\n")])
    assert all_time(seasons)["total"].isna().all()
    assert any("verschieden groß" in line for line in career_lines(seasons, Words()))


def test_players_are_found_by_any_spelling(league):
    """Case does not matter; nobody is made up."""
    seasons = load_seasons([league()])
    assert find_player(seasons, "anna ") == "Anna"
    assert find_player(seasons, "Carl") is None
