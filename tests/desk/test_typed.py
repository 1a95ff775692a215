"""An evening typed into the form is judged and recorded as a host's sheet that says the same."""

import shutil
from datetime import date

import pandas as pd
import pytest
from click.testing import CliRunner
from samples import copied

from liga_analysis import load_season, save_season
from liga_analysis.cli.main import main
from liga_analysis.desk.files import season_lock, store
from liga_analysis.desk.preview import effect, heading, remarks
from liga_analysis.desk.submissions import Given
from liga_analysis.desk.typed import (
    Seat,
    Typed,
    balance,
    counted,
    evenings,
    name_note,
    prepared,
    seats_of,
    sentences,
    sheet,
)
from liga_analysis.model.ranking import standings
from liga_analysis.rules import LeagueRules
from liga_analysis.words import DataError, Words

TODAY = date(2026, 3, 1)
RULES, WORDS = LeagueRules(), Words()
NAMES = ["Anna", "Ben", "Jürgen", "Zoë", "Groß"]
FIRST = [("Anna", 1, 3500), ("Ben", 2, 2500), ("Jürgen", 1, 4000), ("Zoë", 1, 0), ("Groß", 1, 2000)]


@copied
def folder(league):
    """A season of evenings 1, held, and 2 and 3, announced; Ben is also called Benni."""
    made = league / "2026"
    days = pd.to_datetime(["2026-01-09", "2026-02-06", "2026-02-20"])
    calendar = pd.DataFrame(
        {"evening": [1, 2, 3], "date": days, "start": "19:30", "host": ["Anna", "Ben", ""]}
    )
    results = pd.DataFrame(FIRST, columns=["player", "entries", "chips_out"]).assign(evening=1)
    save_season(made, "Testliga", calendar, results)
    register = made.parent / "licences.csv"
    register = register if register.exists() else made / "licences.csv"
    text = register.read_text("utf-8-sig").replace("Ben;2026-01-09;", "Ben;2026-01-09;Benni")
    register.write_text(text, "utf-8-sig")
    return made


def seats(*rows):
    return tuple(Seat(*map(str, row)) for row in rows)


def typed(*rows, given=None, **told):
    return Typed(given or Given(date(2026, 2, 6), "Ben", 2), seats(*rows), **told)


def refusal(folder, evening):
    with pytest.raises(DataError) as caught:
        prepared(load_season(folder), evening, TODAY)
    return caught.value.problems


def results(recording):
    table = recording.after.results
    rows = table[table["evening"] == recording.evenings[0]]
    return dict(zip(rows["player"], rows["result"], strict=True))


def test_the_season_becomes_what_liga_record_makes_of_the_same_sheet(folder, tmp_path, monkeypatch):
    """To the byte, but for the name of the protocol; and the form shows what the command prints."""
    other = shutil.copytree(folder.parent, tmp_path / "other" / "liga") / "2026"
    evening = typed(("Anna", 1, "2.500"), ("benni", 1, "1500"), ("Neu", 2, 4000))
    recording = prepared(load_season(folder), evening, TODAY)
    with season_lock(folder):
        store(recording)
    post = tmp_path / "blatt.csv"
    post.write_text(
        "Abend: 2\nDatum: 6.2.2026\nGastgeber: Ben\n"
        "Name;Einstiege;Chips\nAnna;1;2500\nbenni;1;1500\nNeu;2;4000\n",
        "utf-8",
    )
    monkeypatch.setattr("liga_analysis.cli.changes.date", type("", (), {"today": lambda: TODAY}))
    done = CliRunner().invoke(main, ["record", str(other), str(post), "--yes"])
    assert done.exit_code == 0

    def files(root):
        return {
            path.relative_to(root): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file() and path.parent.name != "protocols"
        }

    assert files(folder.parent) == files(other.parent)
    assert [path.name for path in (folder / "protocols").iterdir()] == ["abend-02-formular.csv"]
    for lines, table in effect(recording, WORDS):
        cells = [] if table is None else table.to_numpy().ravel()
        assert all(str(text) in done.stdout for text in [*lines, *cells])


def test_the_sheet_is_a_table_for_people():
    """German headings, an evening's place in each row, as typed; colours only where counted."""
    text = sheet(typed(("Änne", 1, "2.500"), ("=1", 1, "")), WORDS).decode("utf-8-sig")
    assert text.splitlines() == [
        "Abend;Datum;Gastgeber;Spieler;Einstiege;Chips beim Ausstieg",
        "2;2026-02-06;Ben;Änne;1;2.500",
        "2;2026-02-06;Ben;'=1;1;",
    ]
    by_colour = Typed(Given(), (Seat("Anna", "1", "", ("3", "", "1", "", "2")),))
    assert sheet(by_colour, Words("en")).decode("utf-8-sig").splitlines() == [
        "Player,Entries,white,red,blue,green,yellow,Chips at exit".replace(",", ";"),
        "Anna;1;3;;1;;2;",
    ]


def test_chips_by_colour_are_worth_what_the_rulebook_says(folder):
    """3 × 10 + 4 × 20 + 2 × 50 + 1 × 100 + 2 × 500 = 1310; the other has the rest of 4000."""
    lines = (
        Seat("Anna", "1", "", ("3", "4", "2", "1", "2")),
        Seat("Ben", "1", "2690"),
    )
    assert counted(lines, RULES)["chips_out"].tolist() == [1310, 2690]
    evening = Typed(Given(evening=2), lines)
    assert results(prepared(load_season(folder), evening, TODAY)) == {"Anna": -690, "Ben": 690}
    (problem,) = refusal(folder, Typed(Given(evening=2), (Seat(*"A1", "10", ("2",) * 5), lines[1])))
    assert problem.key == "colours_differ"


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        (
            [("A", 1, 4100), ("B", 2, "1.900")],
            ("Summe 0: 6.000 Chips ausgegeben, 6.000 gezählt.", 1),
        ),
        (
            [("A", 1, 4100), ("B", 1, "")],
            ("100 Chips zu viel: 4.000 ausgegeben, 4.100 gezählt.", 0),
        ),
        (
            [("A", 1, 850), ("B", "", "")],
            ("Es fehlen 1.150 Chips: 2.000 ausgegeben, 850 gezählt.", 0),
        ),
    ],
)
def test_the_running_sum(rows, told):
    """What was given out, by entries of 2000, against what was counted."""
    assert balance(counted(seats(*rows), RULES), WORDS) == (told[0], bool(told[1]))


def test_a_sum_that_is_not_zero(folder):
    """Refused with the pile and the stake, as `liga record` refuses it; accepted with a reason."""
    rows = ("Anna", 1, 4100), ("Ben", 2, 2050)
    surplus, clue, last = refusal(folder, typed(*rows))
    assert (clue.key, clue.values) == ("sum_seat", {"result": -150})
    assert (surplus.values["sum"], surplus.values["pile"], surplus.values["stake"]) == (
        150,
        6150,
        6000,
    )
    assert (surplus.code, last.key) == ("sum", "record_sum")
    told = sentences([surplus, last], WORDS)
    assert told[0].startswith("Abend 2 (06.02.2026): Gezählt sind 6.150 Chips")
    assert "„Trotzdem, weil“" in told[1] and "--" not in told[1]
    recording = prepared(load_season(folder), typed(*rows, accepted="Runde einig"), TODAY)
    note = recording.after.evenings.set_index("evening")["note"][2]
    assert note == "Summe +150 angenommen: Runde einig"


def test_absent_is_not_zero(folder):
    """0 entries and 0 chips, or a blank line: not there. 0 entries with chips: refused."""
    rows = [("Anna", 1, 2500), ("Ben", 1, 1500), ("Zoë", 0, 0), ("", "", ""), ("Groß", "", "")]
    recording = prepared(load_season(folder), typed(*rows), TODAY)
    assert results(recording) == {"Anna": 500, "Ben": -500}
    told = remarks(recording.problems, WORDS)
    assert any("Zoë hat 0 Einstiege und 0 Chips, gilt als abwesend" in line for line in told)
    assert told[-1] == "Abwesend (leere Zeilen): Groß"
    (problem,) = refusal(folder, typed(("Anna", 1, 2500), ("Ben", 0, 1500)))
    assert (problem.key, problem.line) == ("entries_zero", 3)


def test_one_person_twice(folder):
    """Named with both lines, whatever the blanks and the case, and by an alias too."""
    rows = ("Ben", 2, 0), ("Anna", 1, 4000), ("ben ", 1, 4000)
    (twice,) = refusal(folder, typed(*rows))
    assert (twice.key, twice.line, twice.values["other"]) == ("twice_duplicate", 4, 2)
    (said,) = sentences([twice], WORDS)  # the form counts without the sheet's header
    assert said.startswith("Abend 2 (06.02.2026), Zeile 3: Ben steht zweimal da, schon in Zeile 1.")
    (alias,) = refusal(folder, typed(*rows[:2], ("Benni", 1, 4000)))
    assert alias.key == "twice_alias"


def test_the_effect_shows_ties_and_who_is_ranked(folder):
    """Equals share a rank; a newcomer of 1 evening in 2 is ranked, of 1 in 3 no longer."""
    rows = ("Anna", 1, 2000), ("Ben", 1, 2000), ("Carl", 1, 2000), ("Dora", 1, 2000)
    recording = prepared(load_season(folder), typed(*rows), TODAY)
    table = standings(recording.after).set_index("player")
    assert heading("rows", recording.after, WORDS)[1:] == []
    assert table["rank"]["Carl"] == table["rank"]["Dora"] and table["qualified"]["Carl"]
    with season_lock(folder):
        store(recording)
    third = typed(*rows[:2], given=Given(date(2026, 2, 20), "", 3))
    later = prepared(load_season(folder), third, TODAY).after
    assert heading("rows", later, WORDS)[1].startswith("Ohne Rang: außer Wertung")
    after = standings(later).set_index("player")
    assert not after["qualified"]["Carl"]
    assert after["evenings"]["Carl"] == 1


def test_evenings_to_choose(folder):
    """Announced ones first, then any other, then those held."""
    assert evenings(load_season(folder)) == [
        ("Abend 2 · 06.02.2026 · bei Ben", (2, False)),
        ("Abend 3 · 20.02.2026", (3, False)),
        ("Anderer Abend", (None, False)),
        ("Abend 1 · 09.01.2026 · bei Anna – berichtigen", (1, True)),
    ]


def test_what_the_form_says_of_a_name(folder):
    """Nothing of the known, whose an alias is, whose a new one is nearly like, what a guest is."""
    season = load_season(folder)
    assert [name_note(season, name) for name in ("", "anna ", "ZOË")] == ["", "", ""]
    assert name_note(season, "benni") == "benni ist Ben."
    assert name_note(season, "Jurgen") == "Jurgen ist neu. Ist Jürgen gemeint?"
    assert name_note(season, "Xaver") == "Xaver ist neu und bekommt eine Lizenz."
    assert name_note(season, "Summe").startswith("„Summe“ geht als Name nicht")
    assert name_note(season, "Gast 1").startswith("Gast 1 zählt im Feld")


def test_a_held_evening_is_corrected(folder):
    """Its lines come as stored; unchanged nothing is to be done, changed the reason is kept."""
    season = load_season(folder)
    lines = seats_of(season, 1)
    assert sorted(map(str, lines)) == sorted(map(str, seats(*FIRST)))
    given = Given(date(2026, 1, 9), "Anna", None, 1)
    (same,) = refusal(folder, Typed(given, lines, "so"))
    assert sentences([same], WORDS) == [
        "Abend 1: Noch ist nichts anders: Genau so ist der Abend erfasst."
    ]
    moved = {"Anna": "3400", "Ben": "2600"}
    lines = tuple(Seat(s.player, s.entries, moved.get(s.player, s.chips)) for s in lines)
    with season_lock(folder):
        store(prepared(season, Typed(given, lines, "verzählt"), TODAY))
    line = load_season(folder).corrections.iloc[-1]
    assert line["why"] == "verzählt"
    moved = [("Anna", "3.500 → 3.400, Ergebnis +1.500 → +1.400")]
    moved += [("Ben", "2.500 → 2.600, Ergebnis −1.500 → −1.400")]
    assert line["what"] == "; ".join(
        f"{name}: Chips beim Ausstieg {steps}" for name, steps in moved
    )


def test_lines_in_error_come_back_too(folder):
    """An evening left out is brought back as it stands; results alone need a sheet."""
    path = folder / "results.csv"
    path.write_text(path.read_text("utf-8-sig").replace("Ben;2;", "Ben;4;"), "utf-8-sig")
    season = load_season(folder)
    assert season.left_out == (1,)
    assert "4" in [seat.entries for seat in seats_of(season, 1)]
    path.write_text("evening,player,result\n1,Anna,5\n1,Ben,-5\n", "utf-8")
    with pytest.raises(DataError, match="sind nur Ergebnisse erfasst"):
        seats_of(load_season(folder), 1)


def test_a_second_evening_and_a_wrong_one(folder):
    """A day already held is refused, in the form's own words; a number makes it a second one."""
    rows = ("Anna", 1, 2500), ("Ben", 1, 1500)
    (held,) = refusal(folder, typed(*rows, given=Given(date(2026, 1, 9), "Anna")))
    assert "--" not in sentences([held], WORDS)[0]
    recording = prepared(
        load_season(folder), typed(*rows, given=Given(date(2026, 1, 9), "Anna", 4)), TODAY
    )
    assert recording.evenings == (4,)
    (future,) = refusal(folder, typed(*rows, given=Given(date(2026, 3, 2), "Anna")))
    assert future.key == "future"
