"""Event logs: what the rulebook makes of them, by hand and on random evenings."""

import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from liga_analysis.rules import LeagueRules
from liga_analysis.season import eventlog
from liga_analysis.season.layouts import arranged
from liga_analysis.season.reader import parse_table
from liga_analysis.season.season import build_season, load_season
from liga_analysis.season.settings import Settings
from liga_analysis.season.sources import presences, protocol_table
from liga_analysis.words import DataError

CASE = Path(__file__).parents[1] / "data" / "cases" / "14-wiedereinstieg" / "ereignisse.csv"
HEADER = "abend,runde,spieler,ereignis,chips"


def table(*rows, header=HEADER):
    """The log with these rows, as read."""
    return parse_table(
        "log.csv", "\n".join([header, *rows]).encode("utf-8-sig"), ("player",), arranged
    )


def replayed(*rows, header=HEADER):
    return eventlog.replayed(table(*rows, header=header), LeagueRules())


def breaches(*rows, header=HEADER):
    """(line, key) of every error in a log."""
    problems = replayed(*rows, header=header).problems
    return [(p.line, p.key) for p in problems if p.severity == "error"]


def season(text):
    """A season from the text of one protocol."""
    rules = Settings("liga").rules
    return build_season(Path("x"), Settings("liga"), protocol_table("x.csv", text.encode(), rules))


PAIR = ("1,1,Anna,Einstieg,2000", "1,1,Ben,Einstieg,2000")


def test_case_names_the_two_lines_and_the_sum(case):
    """Case 14: Ben's entry with chips (line 4), Clara's after her exit (line 8), and the sum."""
    loaded = case(14, "ereignisse.csv")
    found = [(p.severity, p.code, p.line, p.player) for p in loaded.problems if p.code != "column"]
    assert ("error", "event", 4, "Ben") in found
    assert ("error", "event", 8, "Clara") in found
    assert [f for f in found if f[0] == "error"] == found[-2:]
    (total,) = [p for p in loaded.problems if p.code == "sum"]
    assert total.values["sum"] == 8000 - 5 * 2000
    assert loaded.left_out == (2,)


def test_case_repaired_is_a_season(season_file):
    """Case 14 without the two entries and Clara's second exit: three entries, +2,000 in all."""
    lines = CASE.read_text("utf-8").splitlines()
    repaired = season_file("\n".join(lines[:3] + lines[4:7] + lines[8:10]))
    assert repaired.results["result"].tolist() == [2000, 2000, -2000]
    assert repaired.unbalanced == {2: 2000}


def test_sheet_of_the_case_is_no_log(case):
    """Case 14's other file has entries: it is a sheet."""
    with pytest.raises(DataError) as error:
        case(14).through(1)
    assert error.value.problems[0].key == "none_held"
    assert {p.code for p in case(14).problems if p.severity == "error"} == {"entries"}


@pytest.mark.parametrize(
    ("rows", "line", "key"),
    [
        (["1,2,Anna,Einstieg,2000"], 4, "event_has_chips"),
        (["1,2,Anna,Pleite,", "1,3,Anna,Ausstieg,", "1,4,Anna,Einstieg,"], 6, "event_left"),
        (
            [f"1,{k},Anna,{e}," for k in (2, 3, 4) for e in ("Pleite", "Einstieg")],
            9,
            "event_entries",
        ),
        (["1,2,,Ende,", "1,3,Clara,Einstieg,2000"], 5, "event_over"),
        (["1,2,Clara,Einstieg,1000"], 4, "event_stack"),
        (["1,2,Anna,Ausstieg,2000", "1,9,Ben,Ausstieg,2000"], 4, "event_notice"),
        (["1,2,Clara,Pleite,"], 4, "event_not_in"),
        (["1,2,Clara,Ankündigung,"], 4, "event_not_in"),
        (["1,2,Clara,Ausstieg,0"], 4, "event_not_in"),
        (["1,2,Anna,Pleite,100"], 4, "event_bust_chips"),
        (["1,2,Anna,Pleite,0", "1,9,Anna,Ausstieg,300"], 5, "event_no_chips"),
        (["1,2,Anna,Nachkauf,2000"], 4, "event_unknown"),
        (["1,2,,Einstieg,2000"], 4, "name_missing"),
        (["1,zwei,Anna,Pleite,0"], 4, "not_a_number"),
    ],
)
def test_each_breach_is_named_with_its_line(rows, line, key):
    """One breach, one error, at the line that breaks the rule."""
    assert breaches(*PAIR, *rows) == [(line, key)]


def test_an_exit_is_announced_two_rounds_before():
    """Announced in round 4, an exit in round 6 is in time, one in round 5 is not."""
    end = "1,9,Ben,Ausstieg,2000"
    notice = "1,4,Anna,Ankündigung,"
    assert breaches(*PAIR, notice, "1,6,Anna,Ausstieg,2000", end) == []
    assert breaches(*PAIR, notice, "1,5,Anna,Ausstieg,2000", end) == [(5, "event_notice")]
    back = ("1,5,Anna,Pleite,", "1,6,Anna,Einstieg,", "1,7,Anna,Ausstieg,2000")
    assert breaches(*PAIR, notice, *back, end) == [(7, "event_notice")]


@pytest.mark.parametrize(
    "rows",
    [
        ["1,9,Anna,Ausstieg,2000", "1,9,Ben,Ausstieg,2000"],  # the last round
        ["1,5,,Ende,", "1,5,Anna,Ausstieg,2000", "1,6,Ben,Ausstieg,2000"],
        ["1,5,Anna,Ende,2000", "1,5,Ben,Ende,2000"],
        ["1,5,Anna,Pleite,", "1,6,Anna,Ausstieg,0", "1,9,Ben,Ende,4000"],  # nothing to announce
    ],
)
def test_the_end_needs_no_notice(rows):
    """With the end of the evening everybody leaves, announced or not; so may who has no chips."""
    assert breaches(*PAIR, *rows) == []


def test_without_rounds_notice_is_not_judged():
    """A running number is no round: an exit nobody announced is not held against anyone."""
    rows = (
        "1,1,Anna,einstieg,",
        "1,2,Ben,einstieg,",
        "1,3,Anna,ausstieg,1500",
        "1,9,Ben,ende,2500",
    )
    assert breaches(*rows, header="abend,lfd,spieler,ereignis,chips") == []


def test_who_never_leaves_has_no_chips_at_the_exit():
    """Chips still in play at the end of the log are missing, and an error; lost ones are 0."""
    loaded = season("\n".join([HEADER, *PAIR, "1,5,Anna,Pleite,0"]))
    assert [(p.key, p.player) for p in loaded.problems if p.severity == "error"] == [
        ("chips_missing", "Ben")
    ]
    loaded = season("\n".join([HEADER, *PAIR, "1,5,Anna,Pleite,0", "1,6,Ben,Ende,4000"]))
    assert loaded.results["result"].tolist() == [-2000, 2000]


NIGHT = [
    "10.01.2025,22:30,Anna,Einstieg,2000",
    "10.01.2025,22:30,Ben,Einstieg,2000",
    "10.01.2025,23:50,Ben,Pleite,0",
    "11.01.2025,00:10,Ben,Einstieg,2000",
    "11.01.2025,01:30,Anna,Ausstieg,5000",
    "11.01.2025,01:31,Ben,Ausstieg,1000",
]


@pytest.mark.parametrize("order", [slice(None), slice(None, None, -1)])
def test_an_evening_past_midnight_is_one(order):
    """Rows after midnight belong to the day before, whatever the order of the rows."""
    loaded = season("\n".join(["datum,zeit,spieler,ereignis,chips", *NIGHT[order]]))
    assert loaded.evenings["date"].tolist() == [pd.Timestamp("2025-01-10")]
    assert loaded.results["result"].tolist() == [3000, -3000]
    assert loaded.left_out == ()


def test_a_date_may_stay_that_of_the_evening():
    """Who writes the evening's date on every row, after midnight too, means the same."""
    rows = [row.replace("11.01.", "10.01.") for row in NIGHT]
    loaded = season("\n".join(["datum,uhrzeit,spieler,ereignis,chips", *rows]))
    assert loaded.evenings["date"].tolist() == [pd.Timestamp("2025-01-10")]
    assert loaded.results["result"].tolist() == [3000, -3000]


def test_a_count_that_goes_on_is_the_same_evening():
    """Without times, rows of the next day go on the evening if their numbers go on its count."""
    header = "datum,lfd,spieler,ereignis,chips"

    def days(second):
        rows = ["10.01.2025,1,Anna,Einstieg,", "10.01.2025,2,Ben,Einstieg,"]
        return [*rows, f"11.01.2025,{second},Anna,Ausstieg,1000", "11.01.2025,9,Ben,Ausstieg,3000"]

    loaded = season("\n".join([header, *days(3)]))
    assert loaded.evenings["date"].tolist() == [pd.Timestamp("2025-01-10")]
    with pytest.raises(DataError, match="kein Abend erfasst"):
        season("\n".join([header, *days(1)])).through(1)


def test_two_dates_of_one_number_are_an_error():
    """An evening cannot last a week."""
    rows = ["1,03.01.2025,Anna,Einstieg,", "1,10.01.2025,Anna,Ende,2000"]
    rows += ["1,03.01.2025,Ben,Einstieg,", "1,03.01.2025,Ben,Ende,2000"]
    loaded = season("\n".join(["abend,datum,spieler,ereignis,chips", *rows]))
    assert [p.key for p in loaded.problems if p.severity == "error"] == ["two_dates"]


def test_presence_says_who_was_in_when():
    """A row per entry, from round to round, with the way it ended."""
    rows = [*PAIR, "1,3,Anna,Pleite,", "1,5,Anna,Einstieg,", "1,9,Anna,Ende,1000"]
    found = eventlog.presence(table(*rows), LeagueRules())
    assert found.drop(columns=["end", "unit"]).fillna({"how": "–"}).to_numpy().tolist() == [
        [1, "Anna", 1, 1, "bust"],
        [1, "Ben", 1, 1, "–"],
        [1, "Anna", 2, 5, "end"],
    ]
    np.testing.assert_array_equal(found["end"], [3, np.nan, 9])
    assert set(found["unit"]) == {"round"}


def test_presence_by_the_clock():
    """With times, minutes from the midnight before the evening: 22:30 to 01:31."""
    log = table(*NIGHT, header="datum,zeit,spieler,ereignis,chips")
    found = eventlog.presence(log, LeagueRules())
    assert found[["start", "end"]].to_numpy().tolist() == [
        [22 * 60 + 30, 25 * 60 + 30],
        [22 * 60 + 30, 23 * 60 + 50],
        [24 * 60 + 10, 25 * 60 + 31],
    ]
    assert set(found["unit"]) == {"minutes"}


def test_presence_at_an_evening_recorded(tmp_path):
    """A log kept in protocols/ tells of its evening; sheets and other evenings have none."""
    kept = tmp_path / "protocols"
    kept.mkdir()
    (kept / "abend-07-log.csv").write_text("\n".join([HEADER, *PAIR]).replace("1,1", "7,1"))
    (kept / "abend-08-zeit.csv").write_text(
        "\n".join(["datum,zeit,spieler,ereignis,chips", *NIGHT])
    )
    (kept / "abend-09-blatt.csv").write_text("abend,spieler,einstiege,chips\n9,Anna,1,2000\n")
    (kept / "abend-09-kaputt.csv").write_bytes(b"\x00\x01")
    found = presences(tmp_path, LeagueRules())
    assert sorted(found) == [7, 8]
    assert found[7]["player"].tolist() == ["Anna", "Ben"]
    assert len(found[8]) == 3


def evening(rng):
    """A legal evening: its log (rows), and entries and last chips by player."""
    names = ["Änne", "Ben", "Çem", "Dörte"][: rng.randint(2, 4)]
    entries, chips, notice = dict.fromkeys(names, 0), {}, {}
    playing, rows, pot = set(), [], 0

    def note(round, name, event, amount=""):
        rows.append(f"7,{round},{name},{event},{amount}")

    last = rng.randint(5, 25)
    for round in range(1, last):
        for name in rng.sample(names, len(names)):
            if name in chips:
                continue
            if name not in playing and entries[name] < 3 and rng.random() < 0.6:
                playing.add(name)
                notice.pop(name, None)
                entries[name] += 1
                pot += 2000
                note(round, name, "Einstieg", rng.choice(["", 2000]))
            elif name in playing and round - notice.get(name, round) >= 2 and rng.random() < 0.5:
                playing.remove(name)
                chips[name] = 10 * rng.randint(0, pot // 10)
                pot -= chips[name]
                note(round, name, "Ausstieg", chips[name])
            elif name in playing and rng.random() < 0.2:
                playing.remove(name)
                note(round, name, "Pleite", rng.choice(["", 0]))
            elif name in playing and rng.random() < 0.2:
                notice.setdefault(name, round)
                note(round, name, "Ankündigung")
    for name in sorted(playing):
        chips[name] = 10 * rng.randint(0, pot // 10)
        pot -= chips[name]
        note(last, name, rng.choice(["Ende", "Ausstieg"]), chips[name])
    return rows, {name: (n, chips.get(name, 0)) for name, n in entries.items() if n}


@given(st.integers(0, 2**32).map(random.Random))
def test_a_log_replayed_is_the_summary_sheet(rng):
    """A legal evening breaks no rule, and gives the season its summary sheet gives."""
    rows, sheet = evening(rng)
    if not sheet:
        return
    assert breaches(*rows) == []
    summary = ["abend,spieler,einstiege,chips"]
    summary += [f"7,{name},{entries},{chips}" for name, (entries, chips) in sheet.items()]
    pd.testing.assert_frame_equal(
        season("\n".join([HEADER, *rows])).results, season("\n".join(summary)).results
    )


@given(st.integers(0, 2**32).map(random.Random))
def test_a_breach_put_in_is_found(rng):
    """One line too many in a legal log is named: a second entry, or one after the exit."""
    rows, _ = evening(rng)
    places = [k for k, row in enumerate(rows) if "Einstieg" in row or "Ausstieg" in row]
    if not places:
        return
    k = rng.choice(places)
    abend, runde, name, event, _ = rows[k].split(",")
    rows.insert(k + 1, f"{abend},{runde},{name},Einstieg,2000")
    key = "event_has_chips" if event == "Einstieg" else "event_left"
    assert (k + 3, key) in breaches(*rows)


def test_a_log_loads_as_a_file(tmp_path):
    """`load_season` takes a log as it takes any protocol."""
    path = tmp_path / "log.csv"
    path.write_text("\n".join([HEADER, *PAIR, "1,9,Anna,Ende,500", "1,9,Ben,Ende,3500"]), "utf-8")
    assert load_season(path).results["result"].tolist() == [-1500, 1500]
