"""Loading, looking back and saving a season."""

import random
from datetime import date

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from samples import DATA

from liga_analysis.rules import LeagueRules
from liga_analysis.season import folder
from liga_analysis.season.season import Season, load_season
from liga_analysis.season.settings import Settings
from liga_analysis.season.storage import save_season
from liga_analysis.words import DataError, SeasonNotFound

EVENINGS = "evening,date,start,host,place,note\n"
RESULTS = "evening,player,entries,chips_out,result,note\n"


def played(*evenings):
    """Results of two players at each evening."""
    return RESULTS + "".join(f"{s},Anna,1,2500,,\n{s},Ben,1,1500,,\n" for s in evenings)


def dated(*evenings):
    return EVENINGS + "".join(f"{s},2025-{s:02}-01,,,,\n" for s in evenings)


def errors(season):
    return [(p.code, p.key, p.evening) for p in season.problems if p.severity == "error"]


# Case by case: one file


def test_case_03_absent_as_zero(case):
    """Rows of 0 entries and 0 chips do not count as evenings, and are told with their lines."""
    season = case("03")
    evenings = season.results.groupby("player").size()
    assert (evenings["Frida"], evenings["David"]) == (2, 2)
    told = [(p.evening, p.player, p.line) for p in season.problems if p.severity == "warning"]
    assert told == [(2, "Frida", 13), (3, "David", 19)]


@pytest.mark.parametrize("file", ["protokoll.csv", "protokoll_cp1252.csv"])
def test_case_10_german_excel(case, file):
    """Thousands points, odd blanks and minus signs give whole chips that add up."""
    season = case("10", file)
    chips = dict(zip(season.results["player"], season.results["chips_out"], strict=True))
    assert chips == {
        "Anna": 4100,
        "Ben": 2500,
        "Clara": 0,
        "Emil": 2000,
        "Frida": 6000,
        "Jürgen": 3400,
    }
    assert season.results["result"].tolist() == [2100, -1500, -2000, -4000, 4000, 1400]
    assert season.results["entries"].sum() * 2000 == season.results["chips_out"].sum() == 18000
    assert {p.severity for p in season.problems} == {"hint"}


def test_single_file_is_a_season(season_file):
    """A table alone is a season by the rulebook, named after its file."""
    season = season_file("date;player;result\n1.2.2025;B;2,5\n1.2.2025;A;-2,5\n", "Küche 2025.csv")
    assert (season.name, season.language, season.rules) == ("Küche 2025", "de", LeagueRules())
    assert (season.parameters.sigma, season.parameters.lam) == (2400, 6)
    expected = {
        "evening": [1, 1],
        "date": pd.to_datetime(["2025-02-01"] * 2),
        "host": ["", ""],
        "player": ["A", "B"],
        "entries": pd.array([pd.NA, pd.NA], "Int64"),
        "chips_out": [np.nan, np.nan],
        "result": [-2.5, 2.5],
        "note": ["", ""],
    }
    pd.testing.assert_frame_equal(season.results, pd.DataFrame(expected), check_dtype=False)
    assert season.words.digits == 2
    assert (
        season_file("evening,player,result\n1,A,2\n1,B,-2\n", language="en").words.language == "en"
    )


# A folder


def test_folder(season_folder):
    """Settings, evenings and results come together; notes and dates are kept."""
    season = season_folder(
        season='name = "Küche"\nlanguage = "en"\n[rules]\nentry_chips = 1000\n',
        evenings=EVENINGS + "1,10.01.2025,19:30,Anna,Küche,\n",
        results=RESULTS + "1,Ben,1,500,-500,müde\n1,Anna,1,1500,,\n",
    )
    assert (season.name, season.language) == ("Küche", "en")
    assert season.results["result"].tolist() == [500, -500]
    assert season.results["note"].tolist() == ["", "müde"]
    assert set(season.results["host"]) == {"Anna"}
    assert season.evenings["start"].tolist() == ["19:30"]
    assert season.results["date"].iloc[0] == pd.Timestamp("2025-01-10")


def test_new_season_has_no_results(season_folder):
    """A season before its first evening loads: nothing held, everything announced."""
    season = season_folder(evenings=dated(1, 2), results=RESULTS)
    assert season.held == []
    assert season.announced["evening"].tolist() == [1, 2]
    assert season.results.empty
    assert (season.parameters.sigma, season.unbalanced, season.left_out) == (2400, {}, ())


def test_results_alone_are_a_season(season_folder):
    """Of the files of a folder, any one is enough."""
    assert season_folder(results=played(1)).held == [1]


def test_evening_in_error_is_left_out_whole(season_folder):
    """An error at an evening takes all its rows away; the others stay, and all errors are told."""
    results = played(1, 3) + "2,Anna,4,2500,,\n2,Ben,,1500,,\n2,Cem,1,0,,\n"
    season = season_folder(evenings=dated(1, 2, 3), results=results)
    assert season.held == [1, 3]
    assert season.left_out == (2,)
    assert "Cem" not in set(season.results["player"])
    assert errors(season) == [("entries", "entries_many", 2), ("entries", "entries_missing", 2)]


def test_row_without_evening_stops_everything(season_file):
    """A row with neither number nor date: nothing is computed, and every error is told."""
    text = "evening,date,player,entries,chips_out\n1,2025-01-01,A,1,2000\n,,B,1,2000\n1,,C,7,0\n"
    with pytest.raises(DataError, match="Zeile 3: Die Zeile hat weder") as error:
        season_file(text)
    assert [p.key for p in error.value.problems] == ["no_evening", "entries_many"]


# Looking back


def test_through(season_folder):
    """The season through an evening is the season of the evenings up to it, by date."""
    evenings = EVENINGS + "1,2025-03-01,,,,\n2,2025-01-01,,,,\n3,2025-02-01,,,,\n4,2025-04-01,,,,\n"
    results = played(1, 2, 3) + "3,Cem,1,2010,,\n"
    season = season_folder(evenings=evenings, results=results)
    assert season.held == [2, 3, 1]
    assert season.through(2).held == [2]
    assert season.through(3).held == [2, 3]
    assert season.through(3).announced["evening"].tolist() == [1, 4]
    assert season.through(2).unbalanced == {}
    assert season.through(3).unbalanced == {3: 10}
    pd.testing.assert_frame_equal(season.through(1).results, season.results)
    assert season_folder(3).held == [2, 3]


def test_through_an_evening_not_held(season_folder):
    """Only evenings held can be looked back to; those held are named."""
    results = played(1, 3) + "2,Anna,9,0,,\n"
    season = season_folder(evenings=dated(1, 2, 3, 4), results=results)
    for number in (0, 2, 4, 99):
        with pytest.raises(DataError, match=rf"Abend {number} wurde nicht .*: 1 und 3\."):
            season.through(number)
        with pytest.raises(DataError, match=f"Abend {number} wurde nicht gespielt"):
            season_folder(number)


def test_through_takes_problems_and_guests_along(season_folder):
    """Problems, guests and evenings left out are those up to the evening."""
    results = played(1, 3) + "1,Gast,1,2000,,\n3,Gast,1,2000,,\n2,Anna,9,0,,\n4,Anna,9,0,,\n"
    season = season_folder(evenings=dated(1, 2, 3, 4), results=results)
    assert season.left_out == (2, 4)
    assert season.through(3).left_out == (2,)
    assert season.through(1).left_out == ()
    assert season.through(1).guests == {"Gast (Abend 1)"}
    assert errors(season.through(3)) == [("entries", "entries_many", 2)]


# Parameters in force


@pytest.mark.parametrize(
    ("sets", "evenings", "sigma"),
    [
        ("0 2400, 3 2200, 3 2100", (1, 2, 3, 4), {1: 2400, 2: 2400, 3: 2100, 4: 2100}),
        ("0 2400, 3 2200, 3 2100", (2, 3, 4, 1), {2: 2400, 3: 2100, 4: 2100, 1: 2100}),
        ("3 2100, 3 2200, 0 2300", (1, 2, 3), {1: 2300, 2: 2300, 3: 2200}),
        ("2 1", (1, 2), {1: 2400, 2: 1}),
        ("25 2, 99 3", (10, 20, 30, 40), {10: 2400, 20: 2400, 30: 2, 40: 2}),
    ],
    ids=["last", "dates", "any order", "before the first", "no evening"],
)
def test_parameters_by_evening(season_folder, sets, evenings, sigma):
    """A set rules from its evening on by date, of two for one evening the last; before, the rules.

    From a number that is no evening it holds from the next one; beyond the last, that is told.
    """
    pairs = [pair.split() for pair in sets.split(", ")]
    written = "[[parameters]]\nfrom_evening = {}\nsigma = {}\nlam = 6\n"
    season = season_folder(
        season="".join(written.format(*pair) for pair in pairs),
        results=played(*evenings),
        evenings=EVENINGS + "".join(f"{n},2025-{m:02}-01,,,,\n" for m, n in enumerate(evenings, 1)),
    )
    assert {n: season.through(n).parameters.sigma for n in season.held} == sigma
    told = [(p.severity, p.values) for p in season.problems if p.code == "setting"]
    assert told == [("warning", {"from": 99, "last": 40})] * ("99" in sets)


# The same bits


def as_bits(season):
    """Everything computed from the season's rows, exactly."""
    tables = (season.results, season.evenings, season.licences)
    numbers = [
        season.results[column].to_numpy(float, na_value=np.nan).tobytes()
        for column in ("entries", "chips_out", "result")
    ]
    return [table.to_csv() for table in tables], numbers, season.guests, season.held


@pytest.mark.parametrize("seed", range(10))
def test_row_order_changes_no_bit(season_file, seed):
    """Shuffled rows give the identical season."""
    rng = np.random.default_rng(1)
    lines = [
        f"{s},2025-{s:02}-01,{name},{rng.normal():.17g},{name if name == 'Zoë' else ''}"
        for s in range(1, 8)
        for name in ("Zoë", "anna" if s % 2 else "Anna", "Çelik", "Gast", "Ben\N{NO-BREAK SPACE}")
    ]
    header = "evening,date,player,result,note\n"
    straight = season_file(header + "\n".join(lines))
    random.Random(seed).shuffle(lines)
    assert as_bits(season_file(header + "\n".join(lines))) == as_bits(straight)


@pytest.mark.parametrize("seed", range(5))
def test_row_order_of_a_season_with_errors(case, season_file, seed):
    """Also with two spellings at one evening in error, the same is shown."""
    text = (DATA / "cases" / "05-doppelte-zeile-am-abend" / "protokoll.csv").read_text("utf-8")
    header, *lines = text.splitlines()
    random.Random(seed).shuffle(lines)
    shuffled = season_file("\n".join([header, *lines]))
    assert as_bits(shuffled) == as_bits(case("05"))
    assert errors(shuffled) == [("duplicate", "twice_duplicate", 1)]


def test_case_08_mixed_rows(case):
    """The same season in another row order is the same season."""
    assert as_bits(case("08")) == as_bits(case("08", "protokoll_gemischt.csv"))


# Saving


def test_save_and_load(tmp_path, season_folder):
    """What was saved loads as the same season."""
    first = season_folder(
        season="[rules]\nattendance = 50\n",
        evenings=EVENINGS + '1,2025-01-10,19:30,Änne,"Küche, hinten",\n2,2025-02-10,,Ben,,neu\n',
        results=RESULTS
        + "1,=Ben,1,500,-1500,müde\n1,Änne,2,5500,1500,\n2,=Ben,,,0.1,\n2,Änne,,,-0.1,\n",
    )
    saved = save_season(
        tmp_path / "andere" / "2025",
        'Liga "Küche"',
        first.evenings,
        first.results,
        first.licences,
        like=first.settings,
    )
    assert saved.name == 'Liga "Küche"'
    assert saved.rules == first.rules
    pd.testing.assert_frame_equal(saved.results, first.results)
    pd.testing.assert_frame_equal(saved.evenings, first.evenings)
    pd.testing.assert_frame_equal(saved.licences, first.licences)
    assert [problem.key for problem in saved.problems] == ["no_entries_of"]
    raw = (tmp_path / "andere" / "2025" / "results.csv").read_bytes()
    assert raw.startswith(b"\xef\xbb\xbfevening;player;entries;chips_out;result;note\n")
    assert b"'=Ben" in raw
    assert (tmp_path / "andere" / "licences.csv").exists()


def test_saved_season_carries_the_rulebook(tmp_path):
    """A new season has the rulebook's parameters, an empty folder for protocols and no problems."""
    new = save_season(tmp_path / "liga" / "2027", "Neu", like=Settings("Alt", "en"))
    assert (new.language, new.rules, new.problems) == ("en", LeagueRules(), ())
    assert new.settings.parameters[0].sigma == 2400
    assert list((new.path / "protocols").iterdir()) == []


def test_save_never_overwrites(tmp_path):
    """A folder with anything in it or in a season's, or a file, is refused and left alone, as is
    a season without a name.
    """
    (tmp_path / "x").write_text("y")
    save_season(tmp_path / "2026", "Alt")
    before = sorted(tmp_path.rglob("*"))
    for place, name, reason in (
        (tmp_path, "Neu", "ist nicht leer"),
        (tmp_path / "x", "Neu", "ist eine Datei"),
        (tmp_path / "2026" / "2027", "Neu", rf"daneben anlegen: liga new {tmp_path / '2027'}"),
        (tmp_path / "2027", " ", "„name“ kann nicht"),
    ):
        with pytest.raises(DataError, match=reason):
            save_season(place, name)
    assert sorted(tmp_path.rglob("*")) == before


def test_league_registry_stays(tmp_path, season_folder):
    """A second season goes on with the league's licences."""
    season_folder(
        licences="licence,player,issued,aliases\nL005,Anna,2024-01-01,\n", results=RESULTS
    )
    results = pd.DataFrame({"evening": [1, 1], "player": ["Anna", "Ben"], "entries": 1})
    new = save_season(tmp_path / "liga" / "2027", "Neu", results=results.assign(chips_out=2000))
    assert new.licences["licence"].tolist() == ["L005", "L006"]
    assert b"L006,Ben" in (tmp_path / "liga" / "licences.csv").read_bytes()


# Finding


def test_found_from_the_checkout(monkeypatch, tmp_path):
    """A path is taken as given, else from the checkout's root."""
    monkeypatch.chdir(tmp_path)
    assert load_season("data/beispielliga/2026").held
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "beispielliga").write_text("evening,player,result\n1,Nah,0\n")
    assert load_season("data/beispielliga").results["player"].tolist() == ["Nah"]


def test_not_found(monkeypatch, tmp_path):
    """A miss names both places."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SeasonNotFound, match="Nicht gefunden"):
        load_season("x" * 5000)  # no system has such names
    with pytest.raises(SeasonNotFound, match="~niemand"):
        load_season("~niemand/2026")
    with pytest.raises(SeasonNotFound, match="Nicht gefunden") as error:
        load_season("gibt/es/nicht")
    assert str(tmp_path / "gibt/es/nicht") in str(error.value)
    assert str(folder._CHECKOUT / "gibt/es/nicht") in str(error.value)


def test_folder_that_is_no_season(tmp_path):
    """A folder without any of the files is refused with the way to a new season."""
    with pytest.raises(DataError, match=r"liegt keine Saison .*liga new"):
        load_season(tmp_path)


def test_settings_in_error(season_folder):
    """A wrong settings file stops everything, before any table is read."""
    with pytest.raises(DataError, match=r"season\.toml: .*„rules\.podest“"):
        season_folder(season="[rules]\npodest = 3\n", results="x")


# Anything at all

PLAIN = """evening Abend date player Spieler entries chips_out result buy_in_chips host 1 2 3 -3 1,5
    1.850 2000 2.000 −100 1e9 1e999 2025-01-10 31.02.2025 10.01.2025 9999-12-31 Anna Gast ? =1+1 " '
    nan NaT None ∞ ß"""
ODD = ["9" * 30, "anna ", "", " ", "\u200b", "\N{NO-BREAK SPACE}", "\u202e"]
WORDS = st.sampled_from(PLAIN.split() + ODD)
HEADERS = st.sampled_from(
    [
        "evening,player,result",
        "Abend;Spieler;Einstiege;Chips",
        "date\tplayer\tentries\tchips_out\tresult",
        "evening,date,host,player,entries,chips_out,result",
        "player,date,buy_in_chips,chips_out",
    ]
)


@st.composite
def tables(draw):
    """Tables that nearly make sense."""
    header = draw(HEADERS)
    separator = next(s for s in ";\t," if s in header)
    width = header.count(separator) + 1
    rows = draw(st.lists(st.lists(WORDS, min_size=1, max_size=width + 1), max_size=8))
    newline = draw(st.sampled_from(["\n", "\r\n", "\r"]))
    encoding = draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))
    return newline.join([header, *(separator.join(row) for row in rows)]).encode(encoding)


@settings(deadline=2000)
@given(
    tables()
    | st.binary(max_size=200)
    | st.text(max_size=200).map(lambda t: t.encode("utf-8", "replace"))
)
@example(b"\xff\xfe")
@example(b"PK\x03\x04")
@example(b"evening,player,result\n1,\xe2\x80\x8b,1\n")
def test_any_bytes(season_file, content):
    """Whatever a file holds, it is a season or a DataError with a sentence in both languages."""
    try:
        season = season_file(content)
    except DataError as error:
        problems = error.problems
        assert any(p.severity == "error" for p in problems)
    else:
        assert isinstance(season, Season)
        assert np.isfinite(season.results["result"]).all()
        assert not season.results.duplicated(["evening", "player"]).any()
        problems = season.problems
    for problem in problems:
        assert problem.message("de")
        assert problem.message("en")


TOML = st.recursive(
    st.integers() | st.floats() | st.booleans() | st.text(max_size=5) | st.dates(),
    lambda inner: st.lists(inner, max_size=2),
    max_leaves=3,
)


@settings(deadline=2000)
@given(
    st.sampled_from(["name", "language", "rules", "prior", "parameters", "x"])
    | st.sampled_from(["rules.podium", "rules.attendance", "prior.lam", "prior.x"]),
    TOML,
)
def test_any_setting(season_folder, key, value):
    """Whatever a setting is, it is taken, or a DataError names it."""
    shown = str(value) if isinstance(value, date) else repr(value).replace("True", "true")
    try:
        season = season_folder(
            season=f"{key} = {shown.replace('False', 'false')}", results=played(1)
        )
    except DataError as error:
        codes = {p.code for p in error.problems}
    else:
        codes = {"setting"} if season.held == [1] else {}
    assert codes == {"setting"}
