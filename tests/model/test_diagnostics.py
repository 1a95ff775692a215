"""Diagnostics against dense formulas, single estimates and simulated seasons."""

import pytest
from samples import DATA

from liga_analysis.model import diagnostics
from liga_analysis.model.decision import recommendation, season_estimate
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.variance import estimate_variance
from liga_analysis.season.season import load_season
from liga_analysis.words import DataError

EXACT = 1e-9  # two routes to one number, in floating point
TABLE = "evening,date,player,result\n"


@pytest.fixture(scope="module")
def season():
    return load_season(DATA / "season_a.csv")


@pytest.fixture(scope="module")
def fit(season):
    return fit_ratings(season.results, lam=4.0, sigma=2100.0)


def test_each_evening_says_what_a_season_up_to_it_says(season):
    """A row of the course is the estimate of that season; nothing where there is none."""
    table = diagnostics.estimates_by_evening(season)
    assert list(table.index) == season.held
    assert table.loc[:2].isna().all(axis=None)  # before the third evening there is no cycle
    for evening in season.held[2:]:
        expect(table.loc[evening], season.through(evening).results, season)


def test_each_evening_is_left_out_whole(season):
    """A row is the estimate of the season without that evening."""
    table = diagnostics.estimates_without(season)
    assert list(table.index) == season.held
    for evening in season.held:
        expect(table.loc[evening], season.results.query("evening != @evening"), season)


def expect(row, results, season):
    estimate = estimate_variance(results)
    for name in ("sigma", "tau", "lam"):
        assert row[name] == getattr(estimate, name)
        for point, p in (("low", 0.05), ("median", 0.5), ("high", 0.95)):
            assert row[f"{name}_{point}"] == estimate.posterior.quantile(name, p)
    force = season.parameters
    assert row["action"] == recommendation(estimate, force.lam, force.sigma).action


def test_reliability_of_a_full_field_is_the_rule_of_thumb(season_file):
    """If everybody is at all S evenings, each rating's reliability is S/(S + λ)."""
    table = diagnostics.reliabilities(season_file(TABLE + "\n".join(rows_of(4, 4))), lam=6.0)
    assert table["reliability"].to_list() == pytest.approx([0.4] * 4, rel=EXACT)
    assert list(table.index) == ["P0", "P1", "P2", "P3"]
    assert list(table["evenings"]) == [4] * 4


def rows_of(evenings, players):
    return [
        f"{e},2026-01-{e:02},P{k},{100 * (-1) ** (e + k)}"
        for e in range(1, evenings + 1)
        for k in range(players)
    ]


def test_guests_have_no_reliability_of_their_own(season_file):
    """A placeholder stays in the fit and off the list."""
    rows = [*rows_of(3, 4), "1,2026-01-01,Gast,0"]
    table = diagnostics.reliabilities(season_file(TABLE + "\n".join(rows)), lam=6.0)
    assert set(table.index) == {"P0", "P1", "P2", "P3"}


@pytest.mark.parametrize(("lam", "evenings"), [(6.0, 7), (5.5, 6), (0.4, 1)])
def test_reliable_from_the_first_whole_evening_above_lambda(lam, evenings):
    """n/(n + λ) > ½ from n = evenings on, and not one before."""
    assert diagnostics.reliable_evenings(lam) == evenings
    assert evenings / (evenings + lam) > 0.5 >= (evenings - 1) / (evenings - 1 + lam)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        (rows_of(1, 4), "Erst wenn dieselben Spieler"),
        ([f"{e},2026-01-0{e},{p},0" for e in (1, 2) for p in "AB"], "Alle Ergebnisse sind 0"),
        (
            [f"{e},2026-01-0{e},{p},{r}" for e in (1, 2) for p, r in (("A", 70), ("B", -70))],
            "erklären jedes Ergebnis",
        ),
    ],
)
def test_no_estimate_has_a_reason(season_file, rows, reason):
    """What cannot be estimated is refused in the reader's words."""
    with pytest.raises(DataError, match=reason):
        season_estimate(season_file(TABLE + "\n".join(rows)))
