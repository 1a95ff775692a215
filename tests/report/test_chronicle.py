"""The season by its evenings: small tables by hand, and evenings really left out."""

import pandas as pd
import pytest
from samples import DATA

from liga_analysis.model.left_out import path_without
from liga_analysis.model.ranking import development, qualified, season_fit, standings
from liga_analysis.model.rating import fit_ratings
from liga_analysis.report import chronicle
from liga_analysis.season.season import load_season
from liga_analysis.words import Words

RESULTS = """evening,player,entries,chips_out,result,note
1,Anna,1,3000,,
1,Ben,2,3000,,
2,Anna,1,1500,,
2,Cem,1,2500,,
3,Ben,1,2300,,
3,Cem,1,1700,,
"""
EVENINGS = """evening,date,start,host,place,note
1,2026-01-10,,Anna,Küche,
2,2026-01-17,,Ben,,
3,2026-01-24,,Anna,,
4,2026-01-31,,Cem,,
"""


@pytest.fixture
def season(season_folder):
    return season_folder(evenings=EVENINGS, results=RESULTS)


@pytest.fixture(scope="module")
def longer():
    return load_season(DATA / "season_a.csv")


def test_evenings_are_told_with_their_chips(season):
    """Players, entries, chips on the table, chips that changed hands, the winner; by hand."""
    table = chronicle.evenings_table(season)
    assert table["evening"].tolist() == [1, 2, 3]
    assert table["host"].tolist() == ["Anna", "Ben", "Anna"]
    assert table["players"].tolist() == [2, 2, 2]
    assert table["entries"].tolist() == [3, 2, 2]
    assert table["chips"].tolist() == [6000, 4000, 4000]
    assert table["moved"].tolist() == [1000, 500, 300]
    assert table["winners"].tolist() == [["Anna"], ["Cem"], ["Ben"]]
    assert table["result"].tolist() == [1000, 500, 300]


def test_chips_are_unknown_where_entries_are(season_file):
    """Results only: no chips on the table."""
    table = chronicle.evenings_table(season_file("evening,player,result\n1,A,5\n1,B,-5\n"))
    assert table["chips"].isna().all()


def test_hosts_are_counted(season):
    """Of evenings held, not of those announced."""
    assert chronicle.hosts(season).values.tolist() == [["Anna", 2], ["Ben", 1]]


def test_who_met_whom(season):
    """Each pair both ways round, in the order given."""
    table = chronicle.encounters(season_fit(season), ["Cem", "Anna", "Ben"])
    assert table.values.tolist() == [
        ["Cem", "Anna", 1],
        ["Cem", "Ben", 1],
        ["Anna", "Cem", 1],
        ["Anna", "Ben", 1],
        ["Ben", "Cem", 1],
        ["Ben", "Anna", 1],
    ]


def ranked(rows):
    table = pd.DataFrame(rows, columns=["evening", "player", "rating", "rank"])
    return table.assign(rank=table["rank"].astype("Int64"))


def test_reigns_follow_one_another():
    """A shared lead and an evening without anybody ranked are reigns of their own."""
    table = ranked(
        [(2, "A", 5.0, None), (4, "A", 5.0, 1), (4, "B", 4.0, 2), (5, "A", 3.0, 1)]
        + [(5, "B", 3.0, 1), (7, "B", 6.0, 1), (7, "A", 2.0, 2), (9, "B", 6.0, 1)]
    )
    found = chronicle.reigns(table)
    assert [reign["players"] for reign in found] == [[], ["A"], ["A", "B"], ["B"]]
    assert [(r["first"], r["last"]) for r in found] == [(2, 2), (4, 4), (5, 5), (7, 9)]
    assert [(r["start"], r["evenings"]) for r in found] == [(0, 1), (1, 1), (2, 1), (3, 2)]


def test_the_largest_swing_is_found():
    """Up or down, between one evening and the next; guests and first evenings do not count."""
    table = ranked(
        [(1, "A", 100.0, 1), (1, "B", 50.0, 2), (2, "A", -300.0, 2), (2, "B", 90.0, 1)]
        + [(2, "C", 900.0, None), (3, "A", -200.0, 3), (3, "C", 2000.0, None)]
    )
    swing = chronicle.largest_swing(table, {"C"})
    assert (swing["player"], swing["evening"], swing["change"]) == ("A", 2, -400)
    assert (swing["rank_before"], swing["rank"]) == (1, 2)
    assert chronicle.largest_swing(table[table["evening"] == 1]) is None


def test_the_decisive_evening_makes_another_leader(longer):
    """Each evening really taken out and the ratings fitted anew."""
    table, fit = standings(longer), season_fit(longer)
    names = table.loc[table["qualified"], "player"]
    before, moved, podiums = table.set_index("player").loc[names], {}, {}
    for evening in longer.held:
        rest = longer.results[longer.results["evening"] != evening]
        theta = fit_ratings(rest).theta.reindex(names, fill_value=0.0)
        place = theta.rank(ascending=False)
        moved[evening] = (theta - before["rating"]).abs().sum()
        podiums[evening] = list(place[place <= 3].sort_values().index)
    without = path_without(fit, qualified(longer))
    found = chronicle.decisive_evening(longer, table, without)
    others = {e: m for e, m in moved.items() if podiums[e][0] != names.iloc[0]}
    assert found["evening"] == max(others, key=others.get)
    assert found["shift"] == pytest.approx(max(others.values()), rel=1e-9)
    assert found["podium"] == podiums[found["evening"]]
    assert found["changed"] == (found["podium"] != list(names[:3]))


def test_one_evening_decides_nothing(longer):
    """There is nothing to compare with."""
    first = longer.through(longer.held[0])
    without = path_without(season_fit(first), qualified(first))
    assert chronicle.decisive_evening(first, standings(first), without) is None


def test_the_story_fits_the_table(longer):
    """The last reign is that of the table's leader."""
    last = chronicle.reigns(development(longer))[-1]
    table = standings(longer)
    assert last["players"] == list(table.loc[table["rank"] == 1, "player"])
    assert last["last"] == longer.held[-1]


def test_a_number_used_again_bears_no_correction(season_folder):
    """An evening taken out is told by its day: another one may bear its number."""
    what = Words().text(
        "record.undone", evening=3, day=pd.Timestamp("2026-01-19"), players=["A", "B"], kept="x"
    )
    change = "2026-01-{},3,Ben: Einstiege 2 → 1,{}\n"
    rows = change.format(19, "zuvor") + f'2026-01-20,3,"{what}",abgebrochen\n'
    gone, corrected = (
        "Herausgenommen: der Abend vom 19.01.2026 (abgebrochen).",
        "Berichtigt: Abend 3 (Zahlendreher).",
    )
    for rest, lines in (("", [gone]), (change.format(21, "Zahlendreher"), [gone, corrected])):
        table = f"when,evening,what,why\n{rows}{rest}"
        season = season_folder(evenings=EVENINGS, results=RESULTS, corrections=table)
        assert chronicle.remarks(season) == lines
