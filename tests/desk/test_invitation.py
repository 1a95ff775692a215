"""Announcing an evening: the row in evenings.csv, the calendar file, the message, the chips."""

import re
from datetime import date, datetime

import pandas as pd
import pytest
from click.testing import CliRunner

from liga_analysis import load_season
from liga_analysis.cli.main import main
from liga_analysis.desk.invitation import announce, calendar_file, field_size, message
from liga_analysis.season.storage import save_season
from liga_analysis.words import DataError

TODAY = date(2026, 1, 20)
EVENINGS = (
    "evening,date,start,host,place,note\n1,2026-01-09,,,,\n2,2026-02-06,19:30,Änne,Keller,x\n"
)
RESULTS = "evening,player,entries,chips_out\n1,A,1,3000\n1,B,1,1000\n1,C,1,2000\n"


@pytest.fixture
def folder(season_folder):
    return season_folder(results=RESULTS, evenings=EVENINGS).path


def fields(data):
    """Names and values of a calendar file, unfolded and unescaped as RFC 5545 says."""
    text = data.decode()
    assert text.endswith("\r\n")
    lines = text.replace("\r\n ", "").removesuffix("\r\n").split("\r\n")
    assert not any(re.search(r"[\r\n]", line) for line in lines)
    pairs = [line.split(":", 1) for line in lines]
    return {name: re.sub(r"\\([\\;,])", r"\1", value) for name, value in pairs}


def test_the_next_evening_by_itself(folder):
    """Without a date it is the next one announced, and nothing is written."""
    before = (folder / "evenings.csv").read_bytes()
    found = announce(folder, TODAY)
    assert (found.evening, found.entry["host"], found.entry["note"]) == (2, "Änne", "x")
    assert (folder / "evenings.csv").read_bytes() == before


def test_a_new_evening(folder):
    """A new date gets the highest number + 1 and its row; the others stay."""
    found = announce(folder, TODAY, date(2026, 3, 6), "20:00", "=B", "Bar; hinten, links")
    assert found.evening == 3
    season = load_season(folder)
    assert season.announced["evening"].tolist() == [2, 3]
    assert season.evenings.iloc[2].tolist() == [
        3,
        pd.Timestamp("2026-03-06"),
        "20:00",
        "=B",
        "Bar; hinten, links",
        "",
    ]
    assert ",'=B," in (folder / "evenings.csv").read_text("utf-8-sig")


def test_an_announcement_changed(folder):
    """By its number an announced evening is moved; what is not said anew stays."""
    first = fields(calendar_file(announce(folder, TODAY), TODAY))
    found = announce(folder, TODAY, date(2026, 2, 7), evening=2)
    assert found.entry | {"date": None} == {
        "date": None,
        "start": "19:30",
        "host": "Änne",
        "place": "Keller",
        "note": "x",
    }
    second = fields(calendar_file(found, TODAY))
    assert first["UID"] == second["UID"]
    assert second["DTSTART"] == "20260207T193000"


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"day": date(2026, 1, 9)}, "liegt in der Vergangenheit"),
        ({"evening": 1, "day": date(2026, 3, 1)}, "Abend 1 ist schon erfasst"),
        ({"evening": 5}, "Es ist kein Abend angekündigt"),
    ],
)
def test_refused(folder, given, told):
    """Only evenings to come are announced."""
    with pytest.raises(DataError, match=told):
        announce(folder, TODAY, **given)


def test_calendar_file(folder):
    """RFC 5545: line ends, escapes, lines of 75 bytes, floating time, no clock but today's."""
    place = "Bar „Zum Würfel“, Hinterhof; 2. Stock\\links, bitte klingeln 🃏🃏🃏🃏🃏🃏🃏🃏🃏🃏"
    found = announce(folder, TODAY, date(2026, 3, 6), "8:05", "Zoë", place)
    text = calendar_file(found, TODAY)
    assert all(len(line.encode()) <= 75 for line in text.decode().split("\r\n"))
    read = fields(text)
    assert read["LOCATION"] == f"{place}, Zoë"
    assert read["DTSTART"] == "20260306T080500"
    assert datetime.strptime(read["DTSTAMP"], "%Y%m%dT%H%M%SZ").date() == TODAY
    assert re.fullmatch(r"[0-9a-f]{32}@liga-analysis", read["UID"])
    assert list(read)[:3] == ["BEGIN", "VERSION", "PRODID"]
    assert text == calendar_file(found, TODAY)
    at_hers = announce(folder, TODAY, date(2026, 3, 7), "20:00", "Anna", "Anna, Küche")
    assert fields(calendar_file(at_hers, TODAY))["LOCATION"] == "Anna, Küche"  # and not Anna again


@pytest.mark.parametrize(
    ("start", "begins", "said"),
    [
        ("19.30 Uhr", ":20260306T193000", ", um 19:30 Uhr."),
        ("20 Uhr", ":20260306T200000", ", um 20:00 Uhr."),
        ("19:30–23:00", ":20260306T193000", ", 19:30–23:00."),
        ("abends", ";VALUE=DATE:20260306", ", abends."),
        ("", ";VALUE=DATE:20260306", "06.03.2026."),
        ("25:00", ";VALUE=DATE:20260306", ", 25:00."),
    ],
)
def test_start_of_any_spelling(folder, start, begins, said):
    """A start as people write it is understood; without one it is the whole day."""
    found = announce(folder, TODAY, date(2026, 3, 6), start)
    assert f"DTSTART{begins}" in calendar_file(found, TODAY).decode().split("\r\n")
    assert said in message(found, 8)


def test_message(folder):
    """The message names day, time, host and place, and the chips for the largest field so far."""
    announced = announce(folder, TODAY)
    text = message(announced, field_size(announced.season))
    assert "am Freitag, 06.02.2026, um 19:30 Uhr, bei Änne." in text
    assert "Ort: Keller" in text
    assert "Chips für 3 Spieler" in text
    assert "weiß 10: 30 (90)" in text
    ten = message(announced, 10).splitlines()[-5:]  # 20,000 chips by the rulebook
    chips = ["weiß 10: 100", "rot 20: 100", "blau 50: 60", "grün 100: 40", "gelb 500: 20"]
    assert [line.partition(" (")[0] for line in ten] == chips


def test_chips_are_told_only_where_they_are_the_rulebooks(season_folder):
    """With entries of another size, or nobody to count, there is no list of chips."""
    other = season_folder(
        results=RESULTS, evenings=EVENINGS, season="[rules]\nentry_chips = 3000\n"
    )
    assert "Chips" not in message(announce(other.path, TODAY), 8)


def test_command(folder, tmp_path):
    """The message alone on stdout, and the calendar file, written over none changed by hand."""
    words = ["invite", str(folder), "--date", "24.12.2099", "--start", "19:30"]
    result = CliRunner().invoke(main, [*words, "--output", str(tmp_path / "x")])
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("Hallo zusammen")
    path = tmp_path / "x" / "liga-2026-einladung-abend-3.ics"
    assert str(path) in result.stderr
    assert path.read_bytes().count(b"\r\n") == path.read_bytes().count(b"\n")
    again = CliRunner().invoke(main, [*words, "--place", "Bar", "--output", str(tmp_path / "x")])
    assert str(path) in again.stderr  # nobody has changed it
    path.write_bytes(by_hand := path.read_bytes().replace(b"Bar", b"Keller"))
    again = CliRunner().invoke(main, [*words, "--output", str(tmp_path / "x")])
    assert str(path.with_stem(path.stem + "-v2")) in again.stderr
    assert path.read_bytes() == by_hand
    for start, kept in (("20", "20:00"), ("19.30", "19:30"), ("18.15 Uhr", "18:15")):
        spelled = [*words[:-1], start, "--output", str(tmp_path)]
        assert CliRunner().invoke(main, spelled).exit_code == 0
        assert load_season(folder).evenings["start"].iloc[-1] == kept
    for wrong in (["--date", "31.2.2099"], ["--start", "halb acht"]):
        result = CliRunner().invoke(main, ["invite", str(folder), *wrong])
        assert result.exit_code == 2
        assert "Bitte so schreiben" in result.stderr


def test_doubts_about_an_announcement(folder):
    """A host nearly called like a player, and another evening within a week, are asked about."""
    found = announce(folder, TODAY, date(2026, 2, 9), host="Anne")
    assert [p.key for p in found.problems] == ["invite_near", "record_meant_host"]
    assert "--evening 2 --date 09.02.2026" in found.problems[0].message("de")
    assert announce(folder, TODAY, date(2026, 2, 13), host="Änne", evening=2).problems == ()


def test_the_first_evening_can_be_announced(tmp_path):
    """A season without results invites too; how chips are counted then is told, or why not."""
    season = save_season(tmp_path / "liga" / "2027", "Liga 2027")
    words = f"invite {season.path} --date 12.03.2099 --host Anna --output {tmp_path}".split()
    shown = CliRunner().invoke(main, words)
    assert "12.03.2099, bei Anna." in shown.stdout
    assert "mit --players ZAHL" in shown.stderr
    shown = CliRunner().invoke(main, [*words, "--players", "8"])
    assert "Chips für 8 Spieler" in shown.stdout
    assert "--players" not in shown.stderr
    with (season.path / "season.toml").open("a", encoding="utf-8") as settings:
        settings.write("[rules]\nentry_chips = 3000\n")
    assert "hier sind es 3.000" in CliRunner().invoke(main, [*words, "--players", "8"]).stderr
