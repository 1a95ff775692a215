"""The table: columns, order, ties, and who is in it."""

import numpy as np
import pandas as pd
import pytest
from samples import DATA

from liga_analysis.model.ranking import (
    TIE,
    development,
    drop_averages,
    ranks,
    season_fit,
    standings,
)
from liga_analysis.season.season import load_season
from liga_analysis.words import DataError

PRINTED = 0.05  # the cases' tables have one decimal
COLUMNS = ["rank", "player", "rating", "uncertainty", "total", "average", "evenings", "qualified"]

# From each case's expected.md: player, evenings, total, average, rating, uncertainty, ranked.
CASE_07 = """
Frida 4 3000 2500 267.5 801.3 ja
Anna 5 3100 2000 231.6 774.0 ja
David 4 -500 1800 -89.6 801.3 ja
Ben 4 -2300 850 -273.3 801.3 ja
Clara 5 -4200 933.3 -432.1 774.0 ja
Emil 4 -5100 450 -574.9 803.5 ja
Gustav 1 6000 – 870.8 919.5 nein
"""
CASE_08 = """
Anna 3 1000 1000 111.1 857.5 ja
Ben 3 1000 1000 111.1 857.5 ja
Clara 3 -2000 0 -222.2 857.5 ja
David 1 0 – 0.0 925.8 nein
"""
CASE_18_FIVE = """
Hanna 2 1700 – 213.8 887.9 ja
Clara 4 -100 350 -31.4 831.8 ja
Anna 5 -200 300 -36.7 807.7 ja
Ben 5 -1400 133.3 -145.8 807.7 ja
"""
CASE_18_SIX = """
Anna 6 300 350 0.5 794.1 ja
Clara 4 -100 350 -31.4 831.8 ja
Ben 6 -1900 -25 -182.9 794.1 ja
Hanna 2 1700 – 213.8 887.9 nein
"""


@pytest.mark.parametrize(
    ("number", "file", "expected", "rank"),
    [
        ("07", "protokoll.csv", CASE_07, [1, 2, 3, 4, 5, 6, None]),
        ("08", "protokoll.csv", CASE_08, [1, 1, 3, None]),
        ("08", "protokoll_gemischt.csv", CASE_08, [1, 1, 3, None]),
        ("18", "protokoll_5_abende.csv", CASE_18_FIVE, [1, 2, 3, 4]),
        ("18", "protokoll_6_abende.csv", CASE_18_SIX, [1, 2, 3, None]),
    ],
)
def test_cases(case, number, file, expected, rank):
    """The tables of the cases, in order, with every column."""
    table = standings(case(number, file))
    rows = [line.split() for line in expected.split("\n") if line]
    assert table.columns.tolist() == COLUMNS
    assert table["player"].tolist() == [row[0] for row in rows]
    assert [None if pd.isna(r) else r for r in table["rank"]] == rank
    assert table["evenings"].tolist() == [int(row[1]) for row in rows]
    assert table["total"].tolist() == [float(row[2]) for row in rows]
    average = [np.nan if row[3] == "–" else float(row[3]) for row in rows]
    np.testing.assert_allclose(table["average"], average, atol=PRINTED)
    np.testing.assert_allclose(table["rating"], [float(row[4]) for row in rows], atol=PRINTED)
    np.testing.assert_allclose(table["uncertainty"], [float(row[5]) for row in rows], atol=PRINTED)
    assert table["qualified"].tolist() == [row[6] == "ja" for row in rows]


@pytest.mark.parametrize(
    ("number", "ratings", "evenings"),
    [
        ("01", {"Ben": -65.85, "Anna": 418.61}, {"Ben": 4, "Anna": 5}),
        ("03", {"Frida": 246.09, "David": 156.35}, {"Frida": 2, "David": 2}),
    ],
)
def test_cases_with_reservations(case, number, ratings, evenings):
    """What an unbalanced evening or absent players make of the ratings."""
    table = standings(case(number)).set_index("player")
    assert table["rating"][list(ratings)].round(2).to_dict() == ratings
    assert table["evenings"][list(evenings)].to_dict() == evenings


def test_case_01_corrected(season_file):
    """With evening 3 corrected, the ratings are those of the clean season."""
    text = (DATA / "cases" / "01-summe-nicht-null" / "protokoll.csv").read_text("utf-8")
    table = standings(season_file(text.replace("5350", "5200"))).set_index("player")
    assert table["rating"][["Ben", "Anna"]].round(2).tolist() == [-77.97, 421.44]


def test_blind_to_a_spread_error(season_file):
    """+30 for everybody at evening 3 leaves all ratings as they are, and every total wrong."""
    lines = (DATA / "cases" / "01-summe-nicht-null" / "protokoll.csv").read_text("utf-8").split()
    right = [line.replace("5350", "5200") for line in lines]
    wrong = [
        f"{line.rpartition(';')[0]};{int(line.rpartition(';')[2]) + 30}" if line[0] == "3" else line
        for line in right
    ]
    one, two = (standings(season_file("\n".join(t))).set_index("player") for t in (right, wrong))
    np.testing.assert_allclose(one["rating"], two["rating"][one.index], rtol=1e-9)
    wrong_by = (two["total"] - one["total"]).to_dict()
    assert wrong_by == dict.fromkeys(["Anna", "Ben", "Clara", "Emil", "Frida"], 30) | {"David": 0}


def test_case_05_repaired(season_file):
    """Two lines made one: result −4000, one evening, a field of six."""
    text = (DATA / "cases" / "05-doppelte-zeile-am-abend" / "protokoll.csv").read_text("utf-8")
    lines = [line for line in text.splitlines() if "emil ;" not in line]
    season = season_file("\n".join(lines).replace("Emil;2;0", "Emil;3;2000"))
    emil = season.results[season.results["player"] == "Emil"]
    assert emil["result"].iloc[0] == -4000
    assert len(emil) == 4
    assert (season.results["evening"] == 1).sum() == 6


# Rules of the table


def test_podium_changes_with_one_evening(case):
    """Hanna leads after five evenings and is not ranked after six."""
    five, six = (standings(case("18", f"protokoll_{n}_abende.csv")) for n in (5, 6))
    assert five["player"][0] == "Hanna"
    assert six.set_index("player")["rank"].isna()["Hanna"]


def test_unranked_consume_no_rank(case):
    """Gustav has the best rating and no rank; the first in der Wertung is first."""
    table = standings(case("07"))
    assert table["rating"].idxmax() == len(table) - 1
    assert table["rank"][0] == 1


def test_guests_are_never_ranked(season_file):
    """A placeholder is in the field but never in der Wertung."""
    table = standings(season_file("evening,player,result\n1,Gast,9\n1,A,-4\n1,B,-5\n"))
    assert table["player"].tolist() == ["A", "B", "Gast (Abend 1)"]
    assert table["qualified"].tolist() == [True, True, False]
    assert table["rating"].sum() == pytest.approx(0, abs=1e-9)


def test_evening_left_out_counts_for_nobody(season_file):
    """An evening in error is in no total, no number of evenings and not among those held."""
    text = "evening,player,entries,chips_out\n1,A,1,2500\n1,B,1,1500\n2,A,1,2500\n2,B,9,0\n"
    table = standings(season_file(text))
    assert table["total"].tolist() == [500, -500]
    assert table["evenings"].tolist() == [1, 1]


def test_parameters_in_force_and_given(season_folder):
    """Without λ and σ the season's own rule, else those given."""
    season = season_folder(
        season="[[parameters]]\nsigma = 1200\nlam = 3\n",
        results="evening,player,result\n1,A,100\n1,B,-100\n",
    )
    fit = season_fit(season)
    assert (fit.lam, fit.sigma) == (3, 1200)
    assert standings(season)["rating"][0] == pytest.approx(100 / (1 + 3), rel=1e-12)
    assert standings(season, lam=9)["rating"][0] == pytest.approx(100 / (1 + 9), rel=1e-12)
    assert season_fit(season, sigma=5).sigma == 5


@pytest.mark.parametrize("given", [{"lam": 0}, {"sigma": 0}, {"lam": -1}])
def test_impossible_parameters_are_refused(case, given):
    """0 is not "as in force"."""
    with pytest.raises(ValueError, match="must be a positive number"):
        standings(case("07"), **given)


def test_no_evening(season_folder):
    """Without an evening that counts there is no table, and that is said."""
    season = season_folder(results="evening,player,result\n")
    with pytest.raises(DataError, match="noch keinen Abend, der zählt"):
        standings(season)


# Parts


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([3, 1, 2], [1, 3, 2]),
        ([2, 3, 3, 1], [3, 1, 1, 4]),
        ([0, 0, 0], [1, 1, 1]),
        ([5], [1]),
        ([], []),
        ([1, 1 + 1e-12, 0.5], [1, 1, 3]),
        ([1, 1 + 1e-3], [2, 1]),
        ([-8e-10 * k for k in range(7)], [1, 1, 3, 3, 5, 5, 7]),  # each within reach of the next
    ],
)
def test_ranks(values, expected):
    """Equal are those within 1e-9·σ of the best of them; the next rank is skipped."""
    values = np.array(values, float)
    assert ranks(values, 1.0).tolist() == expected
    assert ranks(2400 * values, 2400.0).tolist() == expected
    assert ranks(np.array([values + 7, values]), 1.0)[1].tolist() == expected  # row by row


def test_equal_players_stand_by_name(season_file):
    """Players equal up to rounding share the rank and stand by name, accents behind."""
    rows = [
        f"{s},{name},{r}"
        for s in (1, 2)
        for name, r in [("Zoë", 0.1), ("Zoe", 0.1), ("änne", 0.1), ("Bo", -0.3)]
    ]
    table = standings(season_file("evening,player,result\n" + "\n".join(rows)))
    assert table["player"].tolist() == ["änne", "Zoe", "Zoë", "Bo"]
    assert table["rank"].tolist() == [1, 1, 1, 4]


def test_tie_is_relative_to_sigma(season_file):
    """Ratings differ when they do so by more than 1e-9·σ."""
    for apart, rank in ((0.5, [1, 1, 3]), (3, [1, 2, 3])):
        b = 100 - apart * TIE * 2400 * 7  # at one evening the rating is the result by 1 + 6
        text = f"evening,player,result\n1,A,100\n1,B,{b!r}\n1,C,{-100 - b!r}\n"
        assert standings(season_file(text))["rank"].tolist() == rank


@pytest.mark.parametrize("dropped", [0, 1, 2, 5])
def test_drop_averages(dropped):
    """The mean without the worst evenings; nothing where none remain."""
    results = pd.DataFrame({"player": list("AAAABBC"), "result": [5.0, -9, 1, -3, 2, 2, 7]})
    by_hand = {}
    for player, values in results.groupby("player")["result"]:
        left = sorted(values)[dropped:]
        if left:
            by_hand[player] = sum(left) / len(left)
    assert drop_averages(results, dropped).to_dict() == by_hand


def test_total_and_average_never_without_evenings(case):
    """No table of the computing half has total or average without the number of evenings."""
    season = case("07")
    for table in (standings(season), development(season)):
        if {"total", "average"} & set(table.columns):
            assert "evenings" in table.columns
    assert {"total", "average", "evenings"} <= set(standings(season).columns)


def test_development(season_folder):
    """After each evening, rating and rank by the parameters then in force."""
    season = season_folder(
        season="[[parameters]]\nsigma=2400\nlam=6\n[[parameters]]\nfrom_evening=2\nsigma=2400\nlam=1\n",
        results="evening,player,result\n1,A,70\n1,B,-70\n2,A,30\n2,B,-30\n3,B,0\n3,C,0\n",
        evenings="evening,date\n1,2025-01-01\n2,2025-01-02\n3,2025-01-03\n",
    )
    table = development(season)
    ratings = table.pivot(index="evening", columns="player", values="rating")
    assert ratings["A"][1] == pytest.approx(70 / (1 + 6), rel=1e-12)
    assert ratings["A"][2] == pytest.approx(100 / (2 + 1), rel=1e-12)
    assert ratings["C"].isna().tolist() == [True, True, False]
    assert table["date"].drop_duplicates().tolist() == season.evenings["date"].tolist()
    last = standings(season).set_index("player")
    assert ratings.loc[3].to_dict() == last["rating"].to_dict()


def test_standings_of_the_reference_season():
    """A table of results alone is ranked by rating, everybody with 40 % of the evenings."""
    season = load_season(DATA / "season_a.csv")
    table = standings(season)
    ranked = table[table["qualified"]]
    assert ranked["rank"].tolist() == list(range(1, len(ranked) + 1))
    assert ranked["rating"].is_monotonic_decreasing
    assert (table["qualified"] == (table["evenings"] / 12 >= 0.4)).all()
