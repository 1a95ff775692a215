"""Several seasons as one."""

import numpy as np
import pandas as pd
import pytest

import liga_analysis as liga

ONE = (
    "evening,date,player,result\n1,2025-01-01,Anna,5\n1,,Ben,-5\n2,2025-03-01,anna,1\n2,,Gast,-1\n"
)
TWO = "evening,date,player,result\n1,2025-02-01,ANNA,7\n1,,Gast,-7\n"


def test_pooled(season_file):
    """Evenings by date, each guest another person, whoever has the same name one person."""
    one, two = season_file(ONE, "eins.csv"), season_file(TWO, "zwei.csv")
    both = liga.pooled([one, two])
    assert both.held == [1, 2, 3]
    assert both.results["player"].tolist() == [
        *("Anna", "Ben"),
        *("Anna", "Gast (Abend 2)"),
        *("Anna", "Gast (Abend 3)"),
    ]
    assert both.guests == {"Gast (Abend 2)", "Gast (Abend 3)"}
    assert (both.path, both.name) == (None, "eins + zwei")
    assert both.licences["player"].tolist() == ["Anna", "Ben"]
    assert repr(both) == "<Season 'eins + zwei': 3 evenings, 4 players>"
    assert liga.standings(both.through(2))["evenings"].max() == 2


def test_pooled_with_itself_halves_the_variance(season_file):
    """Twice the same evenings under λ are once the evenings under λ/2: (2G + λ) = 2(G + λ/2)."""
    one = season_file(ONE.replace("Gast", "Clara"))
    both = liga.fit_ratings(liga.pooled([one, one]).results, lam=6)
    half = liga.fit_ratings(one.results, lam=3)
    np.testing.assert_allclose(both.theta[half.theta.index], half.theta, rtol=1e-9)


def test_nothing_to_pool():
    """No season is no answer."""
    with pytest.raises(ValueError, match="no season"):
        liga.pooled([])


# A table in memory


def test_a_table_in_memory(season_file):
    """A DataFrame is read as a file with the same cells; NaN is blank."""
    df = pd.DataFrame(
        {
            "Session": [1, 1, 2, 2],
            "Wann": pd.to_datetime(["2025-01-01", None, "2025-02-01", None]),
            "Name": ["Anna", "Ben", "Anna", "Ben"],
            "Net": [2.5, -2.5, np.nan, np.nan],
            "egal": ["x", None, "", "y"],
        }
    )
    season = liga.load_season(df, columns={"Session": "evening", "Net": "result", "Wann": "date"})
    rows = "1,2025-01-01,Anna,2.5\n1,,Ben,-2.5\n2,2025-02-01,Anna,\n2,,Ben,\n"
    pd.testing.assert_frame_equal(
        season.results, season_file("evening,date,player,result\n" + rows).results
    )
    assert (season.path, season.name, season.held) == (None, "Tabelle", [1])
    assert {p.key for p in season.problems} >= {"absent", "unknown"}
    assert len(liga.standings(season)) == 2
    assert liga.load_season(df.set_index("Session"), columns={"Net": "result"}).held == [1]
    with_slip = df.replace({"Net": {-2.5: "x"}}).set_axis([10, 20, 30, 40])
    (error,) = [
        p
        for p in liga.load_season(
            with_slip, columns={"Session": "evening", "Net": "result"}
        ).problems
        if p.severity == "error"
    ]
    assert error.line == 20  # as the frame shows its rows


def test_a_wide_table_in_memory():
    """Players down, dates across, as a pivot gives it."""
    df = pd.DataFrame(
        {"Anna": [5.0, np.nan], "Ben": [-5.0, 3.0], "Clara": [0.0, -3.0]},
        index=pd.Index(pd.to_datetime(["2025-01-01", "2025-02-01"]), name="Datum"),
    ).T.rename_axis("Spieler")
    season = liga.load_season(df)
    assert season.held == [1, 2]
    assert season.results["result"].tolist() == [5, -5, 0, 3, -3]


@pytest.mark.parametrize(
    "columns", [{"nix": "result"}, {"Net": "result", "Brutto": "result"}], ids=["none", "twice"]
)
def test_columns_that_are_none(columns):
    """A key that is no column, or two for one."""
    df = pd.DataFrame({"evening": [1], "player": ["Anna"], "Net": [0], "Brutto": [0]})
    with pytest.raises(ValueError, match=r"no such columns|meant twice"):
        liga.load_season(df, columns=columns)


def test_language_that_is_none(season_file):
    """Another language is refused with a sentence, not a KeyError."""
    with pytest.raises(liga.DataError, match="language"):
        season_file(ONE, language="fr")
