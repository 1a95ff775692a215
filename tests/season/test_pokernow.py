"""PokerNow ledgers: settled by hand, and everything they may not be taken for."""

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from samples import DATA

from liga_analysis.rules import LeagueRules
from liga_analysis.season.layouts import arranged
from liga_analysis.season.pokernow import settled
from liga_analysis.season.reader import parse_table
from liga_analysis.season.season import load_season
from liga_analysis.season.sources import protocol_table
from liga_analysis.words import DataError

CASE = DATA / "cases" / "15-pokernow-ledger" / "ledger_pglBeispiel.csv"
HEADER = "player_nickname,player_id,session_start_at,session_end_at,buy_in,buy_out,stack,net"
REGISTRY = pd.DataFrame({"player": ["Ben", "Çem"], "aliases": ["ben2", ""]})
START = "2025-01-10T19:30:00.000Z"


def ledger(*rows, header=HEADER, licences=REGISTRY, **options):
    """The ledger with these rows, settled."""
    text = "\n".join([header, *rows]).encode()
    table = parse_table("ledger.csv", text, ("player",), arranged)
    return settled(table, LeagueRules(), licences, **options)


def row(name, buy_in, buy_out, stack, key=None, start=START, net=None):
    net = buy_out + stack - buy_in if net is None else net
    return f"{name},{key or name},{start},,{buy_in},{buy_out},{stack},{net}"


def results(table):
    return dict(zip(table.words("player"), table.cells["result"].cells, strict=True))


def errors(table):
    return [(p.key, p.line) for p in table.problems if p.severity == "error"]


def case_table(licences=REGISTRY, **options):
    table = parse_table(CASE.name, CASE.read_bytes(), ("player",), arranged)
    return settled(table, LeagueRules(), licences, **options)


def test_case_is_settled_by_person():
    """Case 15: Anna +1,200, Ben with ben2 −1,100, Clara −100; sum 0; local date; entries blank."""
    table = case_table()
    assert results(table) == {"Anna": 1200, "Ben": -1100, "Clara, die Erste": -100}
    assert {day.isoformat() for day in table.cells["date"].cells} == {"2025-01-10"}
    assert table.column("entries").blank.all()
    assert errors(table) == []


def test_cancelled_seat_is_absent_unless_confirmed():
    """David was never dealt in: a warning, no row; confirmed, he came and has 0."""
    (told,) = [p for p in case_table().problems if p.key == "ledger_cancelled"]
    assert (told.severity, told.code, told.player, told.line) == ("warning", "absent", "David", 8)
    assert results(case_table(present=("david",)))["David"] == 0


def test_case_without_aliases_has_two_bens(case):
    """A file by itself knows no aliases: ben2 stays a player of its own, entries unknown."""
    loaded = case(15, CASE.name)
    won = loaded.results.set_index("player")["result"].to_dict()
    assert won == {"Anna": 1200, "Ben": -1900, "ben2": 800, "Clara, die Erste": -100}
    assert loaded.results["entries"].isna().all()
    assert loaded.evenings["date"].tolist() == [pd.Timestamp("2025-01-10")]
    assert {"no_entries", "ledger_entries"} <= {p.key for p in loaded.problems}


@pytest.mark.parametrize(
    ("start", "day"),
    [
        ("2025-01-10T22:30:00Z", "2025-01-10"),  # 23:30 in winter
        ("2025-07-10T21:59:00Z", "2025-07-10"),  # 23:59 in summer
        ("2025-07-10T22:00:00Z", "2025-07-11"),  # midnight
    ],
)
def test_the_evening_is_that_of_the_first_sitting(start, day):
    """UTC becomes the local date of the first start; who joins after midnight came that evening."""
    later = (pd.Timestamp(start) + pd.Timedelta(hours=4)).isoformat()
    table = ledger(row("Eva", 2000, 0, 1500, start=later), row("Çem", 2000, 0, 2500, start=start))
    assert [found.isoformat() for found in table.cells["date"].cells] == [day, day]


def test_two_evenings_are_refused():
    """A room used again next week is two evenings."""
    week = row("Eva", 2000, 0, 2000, start="2025-01-17T19:30:00.000Z")
    assert errors(ledger(row("Çem", 2000, 0, 2000), week)) == [("ledger_days", None)]


def test_one_id_is_one_person_under_any_name():
    """A nickname changed in between is the same person, under the licensed name if there is one."""
    rows = [row("cemster", 2000, 0, 0, "id1"), row("çem", 2000, 0, 5000, "id1")]
    table = ledger(*rows, row("Eva", 2000, 0, 1000))
    assert results(table) == {"Çem": 1000, "Eva": -1000}
    assert [p.values["spellings"] for p in table.problems if p.key == "joined"] == [
        ["cemster", "çem"]
    ]


def test_one_id_of_two_players_is_an_error():
    """An id that two licensed players used belongs to neither."""
    later = START.replace("19:30", "20:30")
    rows = [row("Ben", 2000, 0, 0, "id1"), row("Çem", 2000, 0, 4000, "id1", later)]
    assert errors(ledger(*rows)) == [("ledger_two", None)]


@pytest.mark.parametrize(
    ("first", "second"),
    [("Ben,id1", "Tom,id1"), ("Ben,", "ben,"), ("Ben,id1", "Ben,id2"), ("Ben,id1", "ben2,id2")],
    ids=["one id", "no id", "one nickname", "an alias"],
)
def test_two_at_the_same_time_are_two(first, second):
    """Who sits twice at once is two people, an error that names both rows; in turn it is one."""
    early, late = "{},2025-01-10T19:30Z,2025-01-10T22:00Z", "{},2025-01-10T{}Z,"
    rows = [f"{early},2000,,3000,1000".format(first), f"{late},2000,,1000,-1000"]
    (told,) = [
        p
        for p in ledger(rows[0], rows[1].format(second, "21:30")).problems
        if p.severity == "error"
    ]
    assert (told.key, told.line, told.values["other"]) == ("ledger_at_once", 3, 2)
    assert list(results(ledger(rows[0], rows[1].format(second, "22:00"))).values()) == [0]


def test_guests_of_one_name_stay_apart():
    """Two guests under two ids are two people; the season asks to tell them apart."""
    table = ledger(row("Gast", 2000, 0, 1000, "a"), row("Gast", 2000, 0, 3000, "b"))
    assert list(table.cells["result"].cells) == [-1000, 1000]


def test_a_net_that_differs_is_an_error():
    """Each row must agree with its net, also that of nobody."""
    assert errors(ledger(row("Çem", 2000, 0, 2500, net=400), row("Eva", 2000, 0, 1500))) == [
        ("ledger_net", 2)
    ]
    nobody = ledger(row("Çem", 2000, 0, 2500, net=400), row("", 2000, 0, 1500, "id2", net=-400))
    told = [p.message("de") for p in nobody.problems if p.key == "ledger_net"]
    assert len(told) == 2
    assert "None" not in " ".join(told)


ESCROW = HEADER.replace("stack,net", "stack,nit_escrow,net")


def test_a_new_column_is_refused_only_if_the_sums_do_not_match():
    """nit_escrow at 0 changes nothing; with chips in it, the ledger is refused by its name."""

    def two(escrow, net):
        rows = [f"Çem,a,{START},,2000,0,1900,{escrow},{net}", f"Eva,b,{START},,2000,0,2100,0,100"]
        return ledger(*rows, header=ESCROW)

    assert results(two(0, -100)) == {"Çem": -100, "Eva": 100}
    (problem,) = [p for p in two(50, -50).problems if p.severity == "error"]
    assert (problem.key, problem.line) == ("ledger_columns", 2)
    assert problem.values["columns"] == ["nit_escrow"]


def test_a_file_that_does_not_add_up_is_told(season_file):
    """Chips that are missing in all are the season's usual warning; with a new column an error."""
    rows = [row("Çem", 2000, 0, 1900), row("Eva", 2000, 0, 2000)]
    loaded = season_file("\n".join([HEADER, *rows]))
    assert loaded.unbalanced == {1: -100}
    escrow = [f"Çem,a,{START},,2000,0,1900,100,-100", f"Eva,b,{START},,2000,0,2000,0,0"]
    assert errors(ledger(*escrow, header=ESCROW)) == [("ledger_columns", None)]


def test_entries_that_somebody_added(season_file):
    """A column of entries counts for each person once over all sittings, and is checked."""
    later = START.replace("19:", "21:")
    rows = [
        row("Çem", 2000, 0, 0),
        row("Çem", 2000, 0, 5000, start=later),
        row("Eva", 2000, 0, 1000),
    ]
    loaded = season_file("\n".join([HEADER + ",Einstiege", *map("{},{}".format, rows, [2, "", 1])]))
    assert dict(zip(loaded.results["player"], loaded.results["entries"], strict=True)) == {
        "Çem": 2,
        "Eva": 1,
    }
    wrong = season_file("\n".join([HEADER + ",Einstiege", *map("{},{}".format, rows, [1, "", 1])]))
    assert [p.key for p in wrong.problems if p.severity == "error"] == ["result_differs"]


def test_cents_or_chips_is_asked():
    """Without any buy-in of one entry the unit is asked for; given, amounts are made chips."""
    rows = [row("Çem", 200_000, 0, 150_000), row("Eva", 200_000, 0, 250_000)]
    assert errors(ledger(*rows)) == [("ledger_unit", None)]
    table = ledger(*rows, unit=0.01)
    assert errors(table) == []
    assert results(table) == {"Çem": -500, "Eva": 500}
    assert list(table.cells["buy_in_chips"].cells) == [2000, 2000]


def test_a_log_of_hands_is_refused():
    """PokerNow's other file is named for what it is."""
    text = 'entry,at,order\n"-- starting hand #1 --",2025-01-10T19:30:00.000Z,1\n'
    with pytest.raises(DataError, match="Spielprotokoll von PokerNow"):
        protocol_table("log.csv", text.encode(), LeagueRules())


def test_times_that_are_none_are_an_error():
    """A start that cannot be read is named, not dropped."""
    assert errors(ledger(row("Çem", 2000, 0, 2000, start="gestern"))) == [("no_date", 2)]


@given(
    st.lists(
        st.tuples(
            st.sampled_from("abcd"),
            st.sampled_from([2000, 4000, 2100]),
            st.integers(0, 600),
            st.integers(0, 600),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_sittings_add_up_by_person(sittings):
    """However often somebody sits down: won = all that was taken and is left − all bought."""
    rows = [row(name, buy, 10 * out, 10 * left) for name, buy, out, left in sittings]
    truth = {}
    for name, buy, out, left in sittings:
        truth[name] = truth.get(name, 0) + 10 * (out + left) - buy
    assert results(ledger(*rows, unit=1)) == truth


def test_a_ledger_loads_as_a_file(tmp_path):
    """`load_season` takes a ledger saved again by a spreadsheet as well."""
    path = tmp_path / "ledger.csv"
    path.write_text(
        CASE.read_text("utf-8").replace('"Clara, die Erste"', "Clara").replace(",", ";")
    )
    assert load_season(path).results["result"].sum() == 0
