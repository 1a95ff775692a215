"""Who is who: spellings, aliases, guests and licences."""

import pytest

from liga_analysis.pages.views import fingerprint
from liga_analysis.words import DataError

HEADER = "evening,date,player,entries,chips_out\n"
LICENCES = "licence,player,issued,aliases\n"


def evening(number, *players):
    """Everybody leaves with the chips they came with."""
    return "".join(f'{number},2025-01-{number + 9},"{name}",1,2000\n' for name in players)


def told(season):
    return [(p.severity, p.code, p.key, p.evening) for p in season.problems]


def test_case_20_spellings(case):
    """Three players in nine spellings: three evenings each, the first spelling shown, all told."""
    season = case("20")
    assert season.results.groupby("player").size().to_dict() == {"Jürgen": 3, "Zoë": 3, "Groß": 3}
    joined = {p.player: p.values["spellings"] for p in season.problems if p.key == "joined"}
    assert joined == {"Zoë": ["Zoë", "ZOË"], "Groß": ["Groß", "groß", "GROSS"]}


def test_first_written_is_by_evening_not_by_line(season_file):
    """The spelling shown is that of the first evening, wherever it stands in the file."""
    season = season_file(HEADER + evening(2, "ANNA", "Ben") + evening(1, " anna  ", "Ben"))
    assert set(season.results["player"]) == {"anna", "Ben"}


def test_case_05_twice_at_one_evening(case):
    """Emil with and without a blank is one person: an error of evening 1 naming both lines."""
    season = case("05")
    (problem,) = [p for p in season.problems if p.severity == "error"]
    assert (problem.code, problem.evening, problem.player) == ("duplicate", 1, "Emil")
    assert problem.message("de").startswith("Abend 1 (10.01.2025), protokoll.csv, Zeile 7: Emil")
    assert "Zeile 6" in problem.message("de")
    assert season.left_out == (1,)
    assert season.held == [2, 3, 4, 5]


# Aliases


def test_alias_is_shown_as_licensed(season_folder):
    """An alias plays under the licensed name, and the joined spelling is told."""
    season = season_folder(
        licences=LICENCES + "L001,Benjamin,2024-01-01,Ben|Benni\n",
        results=HEADER + evening(1, "ben", "Anna") + evening(2, "BENNI", "Anna"),
    )
    assert set(season.results["player"]) == {"Anna", "Benjamin"}
    assert told(season) == [("hint", "name", "joined", None)]


def test_own_spelling_as_alias_is_harmless(season_folder):
    """An alias that is the player's own name changes nothing."""
    licences = LICENCES + "L001,Ben,2024-01-01,BEN|Benni|benni\n"
    season = season_folder(licences=licences, results=HEADER + evening(1, "Ben", "Anna"))
    assert told(season) == []


@pytest.mark.parametrize(
    ("lines", "key", "message"),
    [
        ("L1,Ben,,Anna\nL2,Anna,,\n", "alias_chain", "Alias „Anna“ von Ben ist selbst ein Spieler"),
        (
            "L1,Ben,,Anna\nL2,Anna,,Ben\n",
            "alias_chain",
            "Der Alias „Anna“ von Ben ist selbst ein Spieler mit Lizenz",
        ),
        ("L1,Ben,,Benni\nL2,Anna,,BENNI\n", "alias_clash", "„BENNI“ von Anna gehört schon zu Ben"),
        ("L1,Ben,,\nL2,ben ,,\n", "licence_twice", "ben hat schon eine Lizenz"),
        ("L1,Ben,,\nL2,,,\n", "name_missing", "Der Name fehlt"),
        ("L1,Ben,2025-02-30,\n", "no_date", "„2025-02-30“ ist kein Datum"),
    ],
)
def test_registry_in_error(season_folder, lines, key, message):
    """Chains, cycles, clashes and doubles in the registry are errors; nothing is computed."""
    with pytest.raises(DataError, match=rf"licences\.csv, Zeile \d: .*{message}") as error:
        season_folder(licences=LICENCES + lines, results=HEADER + evening(1, "Ben", "Anna"))
    assert key in {p.key for p in error.value.problems}


def test_one_number_at_two_players(season_folder):
    """A number that two players bear is warned of by both names; the table needs none."""
    lines = LICENCES + "L1,Ben,,\nl1,Anna,,\n"
    season = season_folder(licences=lines, results=HEADER + evening(1, "Ben", "Anna"))
    (problem,) = [p for p in season.problems if p.key == "licence_shared"]
    assert problem.severity == "warning"
    assert "Lizenz l1 steht bei Ben und bei Anna" in problem.message("de")


def test_alias_clash_on_an_evening(season_folder):
    """A player and their alias at one evening is an error of that evening."""
    season = season_folder(
        licences=LICENCES + "L001,Benjamin,2024-01-01,Ben\n",
        results=HEADER + evening(1, "Ben", "Benjamin") + evening(2, "Ben", "Anna"),
    )
    (problem,) = [p for p in season.problems if p.severity == "error"]
    assert (problem.code, problem.key, problem.evening) == ("alias", "twice_alias", 1)
    assert "„Benjamin“ und „Ben“ (Zeile 2) sind laut licences.csv" in problem.message("de")
    assert season.held == [2]


# Guests


def test_guests_are_somebody_else_every_time(season_file):
    """A placeholder is a different person each evening, in the field, without a licence."""
    names = evening(1, "Gast", "Anna", "N.N.") + evening(2, "Gast 1", "gast 2", "Anna")
    season = season_file(HEADER + names)
    guests = {"Gast (Abend 1)", "N.N. (Abend 1)", "Gast 1 (Abend 2)", "gast 2 (Abend 2)"}
    assert season.guests == guests
    assert set(season.results["player"]) == guests | {"Anna"}
    assert season.licences["player"].tolist() == ["Anna"]
    (hint,) = [p for p in season.problems if p.code == "placeholder"]
    assert hint.severity == "hint"
    assert set(hint.values["guests"]) == guests


def test_guests_in_english(season_file):
    """The evening of a guest is named in the season's language; order and origin have none."""
    rows = HEADER + evening(1, "Guest", "Gast Tom", "Gasb", "Anna")
    german, english = season_file(rows), season_file(rows, language="en")
    assert english.guests == {"Guest (evening 1)", "Gast Tom (evening 1)"}
    order = ["Anna", "Gasb", "Gast Tom (Abend 1)", "Guest (Abend 1)"]
    assert german.results["player"].tolist() == order
    assert fingerprint(german) == fingerprint(english)


def test_guest_with_a_licence(season_folder):
    """A licence of a guest's name is told, and an alias that is a total's: nobody plays so."""
    licences = LICENCES + "L001,Gast Tom,2024-01-01,\nL002,Ben,2024-01-01,Benni|Summe\n"
    season = season_folder(licences=licences, results=HEADER + evening(1, "Gast Tom", "Anna"))
    problems = [p.values["alias"] for p in season.problems if p.key == "nobody_licensed"]
    assert problems == ["Gast Tom", "Summe"]
    assert season.guests == {"Gast Tom (Abend 1)"}


def test_two_equal_guests(season_file):
    """Two guests nobody can tell apart are a duplicate, with the cure."""
    season = season_file(HEADER + evening(1, "Gast", "GAST", "Anna") + evening(2, "A", "B"))
    (problem,) = [p for p in season.problems if p.severity == "error"]
    assert (problem.code, problem.key) == ("duplicate", "twice_placeholder")
    assert "Gast 1, Gast 2" in problem.message("de")
    assert season.guests == frozenset()


# Licences


def test_licences_issue_themselves(season_file):
    """Everybody gets the next number at the first evening, in the order of the table."""
    season = season_file(HEADER + evening(2, "Ben", "Zoë") + evening(1, "Zoë", "Anna"))
    issued = season.licences.assign(issued=season.licences["issued"].dt.strftime("%Y-%m-%d"))
    assert issued.to_numpy().tolist() == [
        ["L001", "Anna", "2025-01-10", ""],
        ["L002", "Zoë", "2025-01-10", ""],
        ["L003", "Ben", "2025-01-11", ""],
    ]


def test_licences_go_on_counting(season_folder):
    """New numbers follow the highest of the league; old ones stay as they are."""
    season = season_folder(
        licences=LICENCES + "L041,Zoë,2020-05-01,Zo\nA7,Alt,2019-01-01,\n",
        results=HEADER + evening(1, "Zo", "Anna"),
    )
    assert season.licences["licence"].tolist() == ["L041", "A7", "L042"]
    assert season.licences["player"].tolist() == ["Zoë", "Alt", "Anna"]


def test_no_licence_from_an_evening_in_error(season_file):
    """An evening that is left out issues nothing."""
    rows = HEADER + evening(1, "Anna", "Anna", "Cem") + evening(2, "Anna", "Ben")
    assert season_file(rows).licences["player"].tolist() == ["Anna", "Ben"]


def test_licences_of_the_season_itself(season_folder, tmp_path):
    """Without a league's registry the season's own is used."""
    folder = tmp_path / "liga" / "2026"
    folder.mkdir(parents=True)
    (folder / "licences.csv").write_text(LICENCES + "L009,Anna,2020-01-01,\n")
    season = season_folder(results=HEADER + evening(1, "Anna", "Ben"))
    assert season.licences["licence"].tolist() == ["L009", "L010"]
