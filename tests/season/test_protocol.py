"""Rows of a results table: each kind of row and each objection, by hand."""

import numpy as np
import pytest
from samples import read_table

from liga_analysis.rules import LeagueRules
from liga_analysis.season.protocol import read_rows
from liga_analysis.words import DataError

COUNTED = "evening,player,entries,chips_out,result"


@pytest.fixture
def rows(tmp_path):
    """Rows of a table given as header and lines."""

    def read(header, *lines, rules=LeagueRules()):  # noqa: B008
        path = tmp_path / "abend.csv"
        path.write_text("\n".join([header, *lines]), "utf-8")
        return read_rows(read_table(path, ("player",)), rules)

    return read


def told(rows):
    """(severity, code, key, evening, line) of what is not a mere reading aid."""
    return [
        (p.severity, p.code, p.key, p.evening, p.line)
        for p in rows.problems
        if p.key not in ("understood", "translated")
    ]


def values(rows):
    columns = ["player", "entries", "chips_out", "result", "stake"]
    return [tuple(row) for row in rows.table[columns].itertuples(index=False)]


# Rows that count


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("1,Anna,1,4100,", (1, 4100, 2100, 2000)),
        ("1,Anna,1,4100,2100", (1, 4100, 2100, 2000)),
        ("1,Anna,3,0,", (3, 0, -6000, 6000)),
        ("1,Anna,1,2000,0", (1, 2000, 0, 2000)),
        ("1,Anna,2,,-1500", (2, 2500, -1500, 4000)),
        ("1,Anna,1.0,2000,", (1, 2000, 0, 2000)),
    ],
)
def test_counted_row(rows, line, value):
    """Result = chips_out − 2000·entries; of result and chips_out one is enough."""
    read = rows(COUNTED, line)
    assert values(read) == [("Anna", *value)]
    assert told(read) == []


@pytest.mark.parametrize(
    ("header", "line", "value"),
    [
        ("evening,player,result", "1,Anna,-0.1", (None, -0.1, None)),
        ("evening,player,result", "1,Anna,12345.678", (None, 12345.678, None)),
        (COUNTED, "1,Anna,,,-333.33", (None, -333.33, None)),
        ("evening,player,buy_in_chips,chips_out", "1,Anna,5,12.9", (12.9, 12.9 - 5, 5)),
        ("evening,player,buy_in_chips,chips_out,result", "1,Anna,5,12.9,7.9", (12.9, 7.9, 5)),
        ("evening,player,buy_in_chips,chips_out,result", "1,Anna,5,,7.9", (12.9, 7.9, 5)),
        ("evening,player,buy_in_chips,chips_out,result", "1,Anna,0,0,0", (0, 0, 0)),
    ],
)
def test_result_only_row(rows, header, line, value):
    """Without entries any amount counts as it stands, and buy_in_chips are never entries."""
    ((player, entries, *rest),) = values(rows(header, line))
    assert player == "Anna"
    assert np.isnan(entries)
    assert rest == pytest.approx(
        [np.nan if x is None else x for x in value], rel=1e-12, nan_ok=True
    )


def test_absent_row_is_a_hint(rows):
    """A name on a pre-printed sheet with nothing beside it was not there."""
    read = rows(COUNTED, "1,Anna,1,2000,", "1,Ben,,,")
    assert [player for player, *_ in values(read)] == ["Anna"]
    assert told(read) == [("hint", "absent", "absent", 1, 3)]


@pytest.mark.parametrize("line", ["1,Ben,0,0,", "1,Ben,0,,", "1,Ben,0,0,0", "1,Ben,0,,0"])
def test_zero_entries_are_an_absence(rows, line):
    """0 entries and 0 chips is a warning, and the row does not count."""
    read = rows(COUNTED, line)
    assert values(read) == []
    assert told(read) == [("warning", "absent", "zero_entries", 1, 2)]


def test_blank_rows_are_nothing(rows):
    """A line with a number and no name or amount says nothing and is no problem."""
    read = rows(COUNTED, "1,Anna,1,2000,", "2,,,,")
    assert told(read) == []
    assert read.evenings["evening"].tolist() == [1]


# Rows in error


@pytest.mark.parametrize(
    ("line", "code", "key", "message"),
    [
        ("1,Ben,0,500,", "entries", "entries_zero", "0 Einstiege, aber Chips"),
        ("1,Ben,0,,500", "entries", "entries_zero", "0 Einstiege, aber Chips"),
        ("1,Ben,4,500,", "entries", "entries_many", "4 Einstiege, erlaubt sind höchstens 3"),
        ("1,Ben,-1,500,", "entries", "entries_fraction", "−1 Einstiege"),
        (
            '1,Ben,"1,5",500,',
            "entries",
            "entries_fraction",
            "1,5 Einstiege, erlaubt sind nur ganze",
        ),
        (
            "1,Ben,,2000,",
            "entries",
            "entries_missing",
            "2.000 Chips beim Ausstieg, aber keine Zahl",
        ),
        (
            "1,Ben,ja,2000,",
            "entries",
            "not_a_number",
            "„ja“ in der Spalte Einstiege ist keine Zahl",
        ),
        ("1,Ben,1,,", "chips", "chips_missing", "Chips beim Ausstieg fehlen"),
        ("1,Ben,1,-10,", "chips", "chips_negative", "−10 Chips, weniger als 0"),
        ("1,Ben,1,,-2010", "chips", "chips_negative", "−10 Chips, weniger als 0"),
        ("1,Ben,1,2005,", "chips", "chips_multiple", r"2.005 Chips sind kein Vielfaches .*\(10\)"),
        ("1,Ben,1,2000.5,", "chips", "chips_multiple", "2.000,50 Chips sind kein Vielfaches"),
        ("1,Ben,1,,5", "chips", "chips_multiple", "2.005 Chips sind kein Vielfaches"),
        ("1,Ben,1,viel,", "number", "not_a_number", "„viel“ in der Spalte Chips beim Ausstieg"),
        ("1,Ben,1,2000,?", "number", "not_a_number", "„\\?“ in der Spalte Ergebnis ist keine Zahl"),
        ("1,Ben,1,2000,10", "result", "result_differs", r"Ergebnis \+10 .* 2.000 Chips − 2.000"),
        ("1,Ben,1,2000,1", "result", "result_differs", r"Ergebnis \+1 passt nicht"),
        ("1,,1,2000,", "name", "name_missing", "Der Name fehlt"),
        ("1,\u200b,1,2000,", "name", "name_missing", "Der Name fehlt"),
    ],
)
def test_counted_row_in_error(rows, line, code, key, message):
    """Each breach of the rulebook is an error with evening, line, value and rule."""
    read = rows(COUNTED, "1,Anna,1,2000,", line)
    assert [player for player, *_ in values(read)] == ["Anna"]
    assert told(read) == [("error", code, key, 1, 3)]
    (player,) = (p.player for p in read.problems if p.severity == "error")
    assert player == (None if key == "name_missing" else "Ben")
    with pytest.raises(DataError, match=rf"Abend 1, abend\.csv, Zeile 3: .*{message}"):
        raise DataError(*(p for p in read.problems if p.severity == "error"))


@pytest.mark.parametrize(
    ("line", "code", "key"),
    [
        ("1,Ben,5,,", "chips", "chips_missing"),
        ("1,Ben,-5,3,", "chips", "chips_negative"),
        ("1,Ben,5,-3,", "chips", "chips_negative"),
        ("1,Ben,5,12.9,8", "result", "result_differs"),
        ("1,Ben,,12.9,", "entries", "entries_missing"),
    ],
)
def test_result_only_row_in_error(rows, line, code, key):
    """Amounts without entries must agree with each other and be enough for a result."""
    read = rows("evening,player,buy_in_chips,chips_out,result", line)
    assert values(read) == []
    assert told(read) == [("error", code, key, 1, 2)]


def test_buy_in_beside_entries_must_agree(rows):
    """Where chips bought in are given beside entries, they are 2000 each."""
    header = "evening,player,entries,buy_in_chips,chips_out"
    read = rows(header, "1,Anna,1,2000,2500", "1,Ben,1,3000,2500")
    assert values(read) == [("Anna", 1, 2500, 500, 2000)]
    assert told(read) == [("error", "result", "result_differs", 1, 3)]


def test_one_row_tells_all_its_errors(rows):
    """Several faults of a row are told at once."""
    read = rows(COUNTED, "1,,eins,viel,")
    assert [problem.key for problem in read.problems] == [
        "not_a_number",
        "not_a_number",
        "name_missing",
    ]


def test_rules_of_the_season(rows):
    """Entry, limit and smallest chip are the season's own."""
    rules = LeagueRules(entry_chips=500, max_entries=5, smallest_chip=25)
    read = rows(COUNTED, "1,Anna,5,2525,", "1,Ben,1,510,", "1,Cem,6,0,", rules=rules)
    assert values(read) == [("Anna", 5, 2525, 25, 2500)]
    assert [problem.key for problem in read.problems] == ["chips_multiple", "entries_many"]


def test_open_decimals_ask(rows):
    """Results without entries may be decimals, so an open one is asked about."""
    with pytest.raises(DataError, match=r"Zeile 2: „1\.850“ in der Spalte Ergebnis"):
        rows("evening,player,result", "1,Anna,1.850")
    assert values(rows(COUNTED, "1,Anna,1,3.850,1.850")) == [("Anna", 1, 3850, 1850, 2000)]


# Evenings


def test_numbers_given_by_date(rows):
    """Without evening numbers the dates count the evenings, whatever the row order."""
    read = rows("date,player,result", "2025-02-07,A,1", "2025-01-10,A,1", "7.2.2025,B,-1")
    assert read.table["evening"].tolist() == [2, 1, 2]


def test_number_by_the_date_of_another_row(rows):
    """A row with only a date belongs to the evening numbered on that date."""
    header = "evening,date,player,result"
    read = rows(header, "4,2025-01-10,A,1", ",2025-01-10,B,-1", "9,,C,0")
    assert read.table["evening"].tolist() == [4, 4, 9]


def test_row_without_evening(rows):
    """A row that belongs to no evening is an error of everything; the others are judged too."""
    header = "evening,date,player,entries,chips_out,result"
    read = rows(header, "1,2025-01-10,A,1,2000,", ",,B,1,2000,", ",2025-02-07,C,9,2000,")
    assert told(read) == [
        ("error", "order", "no_evening", None, 3),
        ("error", "order", "no_evening", None, 4),
        ("error", "entries", "entries_many", None, 4),
    ]
    assert values(read)[0][0] == "A"
    assert len(read.table) == 1


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "eins", "1e13", "9" * 400])
def test_evening_number(rows, number):
    """Evenings count 1, 2, 3, …; anything else is an error that stops everything."""
    read = rows("evening,player,result", f"{number},A,1")
    assert told(read) == [("error", "number", "evening_number", None, 2)]
    assert read.table.empty
    assert read.evenings.empty


def test_impossible_date(rows):
    """An impossible date is an error of its evening, or of everything where no number helps."""
    read = rows("evening,date,player,result", "1,31.02.2025,A,1")
    assert told(read) == [("error", "date", "no_such_day", 1, 2)]
    read = rows("date,player,result", "31.02.2025,A,1")
    assert told(read) == [("error", "date", "no_such_day", None, 2)]


# Chips by colour


@pytest.mark.parametrize(
    ("line", "chips"),
    [
        ("1,Anna,1,10,10,6,4,2,", 2000),
        ("1,Anna,1,,,,,3,", 1500),
        ("1,Anna,1,0,,,,,", 0),
        ("1,Anna,1,,,,,,2500", 2500),
        ("1,Anna,1,5,,,,,50", 50),
    ],
)
def test_chips_by_colour(rows, line, chips):
    """weiß 10, rot 20, blau 50, grün 100, gelb 500; a blank is none where others are noted."""
    read = rows("evening,player,entries,weiß,rot 20,BLAU,gruen,yellow (500),chips_out", line)
    assert told(read) == []
    assert read.table["chips_out"].tolist() == [chips]
    assert read.table["result"].tolist() == [chips - 2000]


@pytest.mark.parametrize(
    ("line", "key"),
    [
        ("1,Ben,1,1,x,", "not_a_number"),
        ("1,Ben,1,-1,2,", "colour_count"),
        ("1,Ben,1,0.5,,", "colour_count"),
        ("1,Ben,1,1,1,40", "colours_differ"),
        ("1,Ben,1,,,", "chips_missing"),
    ],
)
def test_wrong_counts(rows, line, key):
    """Counts that are no whole numbers, none at all, or not worth the total are errors."""
    read = rows("evening,player,entries,weiß,rot,chips_out", line)
    assert [problem[2] for problem in told(read)] == [key]
    assert read.table.empty
    assert all(problem.message("de") and problem.message("en") for problem in read.problems)


@pytest.mark.parametrize("name", ["Gast (Abend 3)", "NN 2 (evening 12)", "Gast"])
def test_placeholder_as_the_season_shows_it(rows, name):
    """An exported placeholder comes back as the host's word for it; a person keeps brackets."""
    read = rows("evening,player,result", f"1,{name},5", "1,Ben (Abend 3),-5")
    assert read.table["player"].tolist() == [name.split(" (")[0], "Ben (Abend 3)"]


def test_entries_omitted_beside_a_result(season_file):
    """Where others' entries are noted, chips without entries are an error, even with a result."""
    season = season_file(
        "evening,player,entries,chips_out,result\n1,Anna,1,3000,\n1,Ben,,1000,-1000\n2,Cleo,,,5\n"
    )
    found = [(p.severity, p.code, p.player) for p in season.problems if p.severity == "error"]
    assert found == [("error", "entries", "Ben")]
    assert season.left_out == (1,)
    assert season.held == [2]


def test_rows_with_one_problem_are_summed_up(rows):
    """Beyond fifty the rows with one problem are told by their number, but no evening is missed."""
    lines = [f"1,A{k},x,," for k in range(70)] + ["2,Ben,x,,"]
    found = told(rows(COUNTED, *lines))
    assert [row[2] for row in found] == ["not_a_number"] * 50 + ["and_more", "not_a_number"]
    assert [row[3] for row in found] == [1] * 51 + [2]
