"""Scores, intervals and worlds of the comparison, each by another route."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm, spearmanr, ttest_rel

from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.research import comparison, systems
from liga_analysis.research.systems import SYSTEMS
from liga_analysis.words import DataError

EXACT = 1e-9  # closed forms
QUICK = ("league", "mean", "mean_raw", "total", "floor")
LAM = 6.0


@pytest.fixture(scope="module")
def results():
    return simulate_results(seed=2)[0]


@pytest.fixture(scope="module")
def scores(results):
    graph = comparison.evenings_in_turn(results)
    return comparison.evening_scores(graph, LAM)


@pytest.fixture(scope="module")
def table(scores):
    return comparison.differences(scores, "evening")


def of(table, measure, system):
    rows = table[(table["measure"] == measure) & (table["system"] == system)]
    return rows.squeeze(axis=0)


def test_error_of_the_floor_is_the_results_themselves(results, table):
    """The constant 0 misses by the result: the root of the evenings' mean squares, from the 2nd."""
    late = results[results["evening"] > 1]
    squares = (late["result"] ** 2).groupby(late["evening"]).mean()
    floor = of(table, "error", "floor")
    assert floor["value"] == pytest.approx(squares.mean() ** 0.5, rel=EXACT)
    assert floor["units"] == 11


def test_scores_of_an_evening_by_scipy(results, scores):
    """Error, log score and rank of the league's rating at evening 8, from the fit before it."""
    past, now = results[results["evening"] < 8], results[results["evening"] == 8]
    squares, nu = (past["result"] ** 2).sum(), len(past) - 7
    sigma = (squares / nu * LAM / (1 + LAM)) ** 0.5
    fit = fit_ratings(past, LAM, sigma)
    C = np.eye(14) * sigma**2 / LAM  # a newcomer has the prior
    seen = fit.graph.players.to_numpy() - 1
    C[np.ix_(seen, seen)] = fit.cov
    theta = fit.theta.reindex(range(1, 15), fill_value=0.0).to_numpy()
    field, y = now["player"].to_numpy() - 1, now["result"].to_numpy()
    M = np.eye(len(y)) - 1 / len(y)
    told, v = M @ theta[field], M @ (C[np.ix_(field, field)] + sigma**2 * np.eye(len(y))) @ M
    row = scores[(scores["system"] == "league") & (scores["evening"] == 8)].squeeze(axis=0)
    assert row["error"] == pytest.approx(np.mean((y - told) ** 2), rel=1e-7)
    density = norm.logpdf(y, told, np.sqrt(np.diag(v))).mean()
    assert row["log_score"] == pytest.approx(density, rel=1e-7)
    assert row["rank"] == pytest.approx(spearmanr(told, y)[0], rel=EXACT)


def test_correlation_with_ties_is_spearmans():
    """Mid-ranks where results are equal; 0 where there is no order."""
    a, b = np.array([3.0, 1, 1, 0, 5]), np.array([2.0, 2, 2, -1, 0])
    assert comparison.correlation(a, b) == pytest.approx(spearmanr(a, b)[0], rel=EXACT)
    assert comparison.correlation(a, np.zeros(5)) == 0


@pytest.mark.parametrize("measure", ["rank", "error"])
def test_interval_is_that_of_the_paired_t_test(scores, table, measure):
    """Scipy's ttest_rel, of the mean squares for errors: those over the sum of the two roots."""
    wide = scores.pivot(index="evening", columns="system", values=measure)
    low, high = ttest_rel(wide["elo"], wide["league"]).confidence_interval(0.95)
    row, scale = of(table, measure, "elo"), 1.0
    if measure == "error":
        scale = wide["elo"].mean() ** 0.5 + wide["league"].mean() ** 0.5
        roots = wide["elo"].mean() ** 0.5 - wide["league"].mean() ** 0.5
        assert row["difference"] == pytest.approx(roots, rel=1e-7)
    assert [row["low"], row["high"]] == pytest.approx([low / scale, high / scale], rel=1e-7)


def test_sides_are_those_of_the_intervals():
    """Less error is better, more correlation is; an interval that holds 0 leaves it open."""
    rows = [(m, "elo", 9, 1.0, 0.0, *e) for m in ("error", "rank") for e in ((1, 2), (-2, -1))]
    rows += [("rank", "mean_raw", 9, 1.0, 0.0, -1, 1), ("rank", "mean", 9, 1.0, 0.0, -1, 1)]
    table = pd.DataFrame(rows, columns=comparison.COLUMNS)
    sides = comparison.verdicts(table)
    assert list(sides["side"]) == ["worse", "better", "better", "worse", "open"]
    assert "mean_raw" not in set(sides["system"])


def test_evenings_count_in_the_order_played(season_file):
    """By date, not by number; and the same as if they had been numbered so."""
    days = {1: "05.03.2026", 2: "01.02.2026", 3: "02.02.2026", 4: "03.02.2026", 5: "04.02.2026"}
    lines = [
        f"{s};{day};{p};{k * s * 100}" for s, day in days.items() for p, k in (("A", 1), ("B", -1))
    ]
    season = season_file("evening;date;player;result\n" + "\n".join(lines))
    errors = comparison.season_scores(season, LAM, ("floor",))["error"]
    assert list(errors**0.5) == pytest.approx([300, 400, 500, 100])


def test_evenings_of_one_player_do_not_count(results):
    """A lone player tells nothing: the scores are those without him."""
    lone = pd.DataFrame({"evening": [99], "player": [1], "result": [0.0]})
    graphs = [comparison.evenings_in_turn(r) for r in (results, pd.concat([results, lone]))]
    tables = [comparison.evening_scores(g, LAM, QUICK) for g in graphs]
    pd.testing.assert_frame_equal(*tables)


def test_evenings_that_all_broke_even(results):
    """No gain and no loss so far tells no spread: scoring starts after the first that has some."""
    flat = results.assign(result=results["result"].where(results["evening"] > 3, 0.0))
    graph = comparison.evenings_in_turn(flat)
    table = comparison.evening_scores(graph, LAM)
    assert table["evening"].min() == 5
    assert np.isfinite(table[["error", "rank"]]).all(axis=None)


def test_too_few_evenings(season_file):
    """Too few, lone players, or never a chip won: refused, with the number needed."""
    lone = "1,A,0\n2,A,0\n"
    flat = "".join(f"{s},{p},0\n" for s in range(1, 9) for p in "AB")
    for rows in ("1,A,100\n1,B,-100\n", lone, flat):
        season = season_file(f"evening,player,result\n{rows}")
        with pytest.raises(DataError, match="mindestens 5 Abende"):
            comparison.comparable(season)


def test_circles_are_sorted_and_joined_by_two():
    """Two play everywhere, the stronger of them stronger than all weak; the others keep apart."""
    results, theta = comparison.world("circles", 3)
    evenings = results.groupby("player")["evening"].agg(set)
    everywhere = [p for p, seen in evenings.items() if len(seen) == 12]
    assert len(everywhere) == 2
    assert (np.diff(theta) < 0).all()
    for player, seen in evenings.drop(everywhere).items():
        assert {s % 2 for s in seen} == {1 if player < 7 else 0}
    assert set(results.groupby("evening").size()) <= {6, 7}
    assert results.groupby("evening")["result"].sum().abs().max() < 1e-9


def test_guests_of_played_seasons_are_different_people():
    """Each has his evening and no true rating."""
    for seed in range(8):
        results, theta = comparison.world("played", seed)
        guests = results[~results["player"].isin(theta.index)]
        assert guests["player"].is_unique
        if len(guests) > 1:
            return
    pytest.fail("no season with two guests")


def test_truth_by_numpy():
    """Correlation and error of the league's rating at the end, from its fit."""
    results, theta = comparison.world("circles", 9)
    fit = fit_ratings(results, LAM)
    truth = theta[fit.theta.index]
    row = comparison.simulated("circles", 9, QUICK).set_index("system").loc["league"]
    assert row["truth_r"] == pytest.approx(np.corrcoef(fit.theta, truth)[0, 1], rel=1e-7)
    apart = fit.theta - fit.theta.mean() - truth + truth.mean()
    assert row["truth_error"] == pytest.approx((apart**2).mean(), rel=1e-7)


def test_field_strength_pays_in_circles():
    """Sixty seasons: there total and mean are demonstrably farther from the truth."""
    made = [comparison.simulated("circles", k, QUICK).assign(season=k) for k in range(60)]
    table = comparison.differences(pd.concat(made), "season")
    sides = comparison.verdicts(table[table["measure"] == "truth_r"])
    side = sides.set_index("system")["side"]
    assert side["mean"] == side["total"] == "worse"


def test_simulated_worlds_have_every_system():
    """In all worlds; one season has no interval and is refused."""
    table = comparison.simulated_worlds(2)
    assert set(table["world"]) == set(comparison.WORLDS)
    assert all(set(part["system"]) == set(SYSTEMS) for _, part in table.groupby("world"))
    with pytest.raises(ValueError, match="at least 2"):
        comparison.simulated_worlds(1)


def test_a_system_without_its_package_is_left_out(monkeypatch):
    """The others run."""
    monkeypatch.setattr(systems, "find_spec", lambda name: None)
    assert set(SYSTEMS) - set(systems.installed()) == set(systems.PACKAGES)
