"""When the evenings were, in which order, and whether each adds up."""

import pytest

from liga_analysis.words import DataError

EVENINGS = "evening,date,start,host,place,note\n"
RESULTS = "evening,player,entries,chips_out\n"


def told(season, *codes):
    return [
        (p.severity, p.code, p.key, p.evening)
        for p in season.problems
        if not codes or p.code in codes
    ]


def played(*evenings):
    """Results of two players at each evening."""
    return RESULTS + "".join(f"{s},Anna,1,2500\n{s},Ben,1,1500\n" for s in evenings)


# Order


def test_order_is_by_date_then_number(season_folder):
    """Evenings stand in order (date, evening), and numbers against dates are told as a hint."""
    evenings = EVENINGS + "1,2025-03-01,,,,\n2,2025-01-01,,,,\n3,2025-01-01,,,,\n"
    season = season_folder(evenings=evenings, results=played(1, 2, 3))
    assert season.held == [2, 3, 1]
    assert told(season) == [
        ("hint", "order", "number_against_date", None),
        ("hint", "date", "same_date", 3),
    ]


def test_a_missing_date_lets_the_numbers_order(season_folder):
    """Where any date is missing the numbers order all evenings, and that is told."""
    evenings = EVENINGS + "1,2025-03-01,,,,\n2,,,,,\n3,2025-01-01,,,,\n"
    season = season_folder(evenings=evenings, results=played(3, 2, 1))
    assert season.held == [1, 2, 3]
    assert told(season) == [("hint", "order", "no_dates", None)]


def test_evening_without_results_is_announced(season_folder):
    """What evenings.csv has and results.csv has not is the rest of the season."""
    evenings = EVENINGS + "1,2025-01-01,19:30,Anna,Küche,\n2,2025-02-01,20:00,Ben,Garage,neu\n"
    season = season_folder(evenings=evenings, results=played(1))
    assert season.held == [1]
    (row,) = season.announced.itertuples(index=False)
    assert row[2:] == ("20:00", "Ben", "Garage", "neu")
    assert told(season) == []


def test_evening_passed_over(season_folder):
    """An announced evening without results before the last one held is a warning."""
    evenings = EVENINGS + "1,2025-03-01,,,,\n2,2025-01-01,,,,\n3,2025-02-01,,,,\n4,2025-04-01,,,,\n"
    season = season_folder(evenings=evenings, results=played(2, 1))
    assert told(season, "order")[1:] == [("warning", "order", "no_results", 3)]


def test_evening_that_was_not_announced(season_folder):
    """Results of an evening that evenings.csv does not know are a warning, and count."""
    evenings = EVENINGS + "1,2025-01-01,,,,\n"
    season = season_folder(evenings=evenings, results=played(1, 2))
    assert season.held == [1, 2]
    assert ("warning", "date", "not_announced", 2) in told(season)


def test_date_and_host_from_either_file(season_folder):
    """Date and host may stand in one file or the other; hosts may be spelt in another case."""
    results = (
        "evening,date,host,player,result\n1,2025-01-01,ANNA,A,1\n1,,,B,-1\n2,,,A,1\n2,,,B,-1\n"
    )
    evenings = EVENINGS + "1,,,Anna,,\n2,2025-02-01,,Ben,,\n"
    season = season_folder(evenings=evenings, results=results)
    assert season.results["host"].tolist() == ["Anna", "Anna", "Ben", "Ben"]
    assert season.results["date"].dt.strftime("%d.%m.").tolist() == ["01.01."] * 2 + ["01.02."] * 2
    assert told(season, "date", "host", "order") == []


def test_hosts_by_alias(season_folder):
    """A host named by an alias is the licensed person, in both files."""
    season = season_folder(
        licences="licence,player,issued,aliases\nL001,Benjamin,2024-01-01,Ben\n",
        evenings=EVENINGS + "1,2025-01-01,,ben,,\n2,2025-02-01,,Ben,,\n",
        results="evening,host,player,result\n1,Benjamin,A,1\n1,,B,-1\n",
    )
    assert season.evenings["host"].tolist() == ["Benjamin", "Benjamin"]
    assert told(season, "host") == []


# Errors


@pytest.mark.parametrize(
    ("header", "second", "code", "key", "message"),
    [
        ("date", "2025-01-11", "date", "two_dates", "Daten: 10.01.2025 und 11.01.2025. Bitte"),
        ("host", "Ben", "host", "two_hosts", "Gastgeber: "),
    ],
)
def test_two_dates_or_hosts(season_file, header, second, code, key, message):
    """One evening with two dates or hosts is an error, and left out."""
    first = {"date": "2025-01-10", "host": "Anna"}[header]
    season = season_file(
        f"evening,{header},player,result\n1,{first},A,1\n1,{second},B,-1\n2,,A,1\n2,,B,-1\n"
    )
    (problem,) = [p for p in season.problems if p.severity == "error"]
    assert (problem.code, problem.key, problem.evening) == (code, key, 1)
    assert message in problem.message("de")
    assert season.held == [2]
    assert season.left_out == (1,)


def test_two_dates_in_two_files(season_folder):
    """evenings.csv and results.csv must not contradict each other."""
    results = "evening,date,player,result\n1,2025-01-02,A,1\n1,2025-01-02,B,-1\n"
    season = season_folder(evenings=EVENINGS + "1,2025-01-01,,,,\n", results=results)
    assert season.left_out == (1,)
    assert ("error", "date", "two_dates", 1) in told(season)


def test_evening_listed_twice(season_folder):
    """An evening stands once in evenings.csv."""
    evenings = EVENINGS + "1,2025-01-01,,,,\n1,2025-01-01,,,,\n2,2025-02-01,,,,\n"
    season = season_folder(evenings=evenings, results=played(1, 2))
    assert season.held == [2]
    assert told(season) == [("error", "duplicate", "evening_twice", 1)]


def test_impossible_date_of_an_evening_to_come(season_folder):
    """It is an error, but nothing that was played is missing from the table."""
    evenings = EVENINGS + "1,2025-01-01,,,,\n2,2025-02-30,,,,\n"
    season = season_folder(evenings=evenings, results=played(1))
    assert ("error", "date", "no_date", 2) in told(season)
    assert season.held == [1]
    assert season.left_out == ()


@pytest.mark.parametrize("number", ["", "x", "0", "1e300", "2.5"])
def test_evening_without_number(season_folder, number):
    """Without the number of an evening nothing can be computed."""
    with pytest.raises(DataError, match=r"evenings\.csv, Zeile 2: .* ist keine Abendnummer"):
        season_folder(evenings=EVENINGS + f"{number},2025-01-01,,,,\n", results=played(1))


# Sums


def test_case_01_sum(case):
    """150 chips too many at evening 3 are a warning with both piles; the others are clean."""
    season = case("01")
    (problem,) = [p for p in season.problems if p.severity != "hint"]
    assert (problem.severity, problem.code, problem.evening) == ("warning", "sum", 3)
    message = problem.message("de")
    for part in (
        "Abend 3 (07.02.2025)",
        "+150",
        "12.150",
        "12.000",
        "bei allen 5 gleich viel abgezogen (+30)",
    ):
        assert part in message
    assert season.unbalanced == {3: 150}
    assert season.held == [1, 2, 3, 4, 5]


def test_shortfall_is_told_too(season_file):
    """Missing chips are told as missing."""
    season = season_file("evening,player,entries,chips_out\n1,A,1,2100\n1,B,1,1700\n")
    assert season.unbalanced == {1: -200}
    assert "−200" in season.problems[-1].message("de")


@pytest.mark.parametrize(
    ("rows", "balanced"),
    [
        ("1,A,,,1000000\n1,B,,,-999999.5\n", True),
        ("1,A,,,1000000\n1,B,,,-999998.5\n", False),
        ("1,A,1000000,1000000.5,\n1,B,1000000,1000000,\n", True),
        ("1,A,,,0.1\n1,B,,,0.2\n1,C,,,-0.3\n", True),
        ("1,A,,,0.1\n1,B,,,0.2\n1,C,,,-0.31\n", False),
        ("1,A,,,0\n1,B,,,0\n", True),
        ("1,A,,,0.001\n1,B,,,-0.0009995\n", False),
    ],
)
def test_sum_within_rounding(season_file, rows, balanced):
    """Zero is meant within 1e-6 of the largest result or stake of the evening."""
    season = season_file("evening,player,buy_in_chips,chips_out,result\n" + rows)
    assert (not season.unbalanced) == balanced


def test_lone_player(season_file):
    """A lone player is a warning and computed."""
    season = season_file("evening,player,entries,chips_out\n1,A,1,2000\n")
    assert told(season, "lone_player") == [("warning", "lone_player", "lone_player", 1)]
    assert season.held == [1]


def test_unknown_entries_are_told(season_file):
    """Once where no entries are known, else for each evening where some are not."""
    assert told(season_file("evening,player,result\n1,A,1\n1,B,-1\n"), "entries") == [
        ("hint", "entries", "no_entries", None)
    ]
    mixed = "evening,player,entries,chips_out,result\n1,A,1,2000,\n2,A,,,0\n2,B,1,2000,\n"
    (hint,) = [p for p in season_file(mixed).problems if p.code == "entries"]
    assert (hint.severity, hint.key, hint.evening) == ("hint", "no_entries_of", 2)
    assert "Einstiege von A" in hint.message("de")
