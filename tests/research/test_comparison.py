"""Scores, intervals and worlds of the comparison, each by another route."""

import numpy as np
import pandas as pd
import pytest
from bs4 import BeautifulSoup
from samples import DATA
from scipy.stats import norm, spearmanr, ttest_rel

from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.pages import notebooks
from liga_analysis.research import charts as comparison_charts
from liga_analysis.research import comparison
from liga_analysis.research import story as comparison_story
from liga_analysis.research.systems import SYSTEMS
from liga_analysis.season.season import load_season
from liga_analysis.words import DataError, Words

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
    assert list(comparison.judged(table, "error")["side"]) == ["worse", "better"]
    rank = comparison.judged(table, "rank")
    assert list(rank["side"]) == ["better", "worse", "open"]
    assert "mean_raw" not in set(rank["system"])


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
    side = comparison.judged(table, "truth_r").set_index("system")["side"]
    assert side["mean"] == side["total"] == "worse"


def test_simulated_worlds_have_every_system():
    """All worlds, and nothing at all where no seasons are asked for."""
    tables = comparison.simulated_worlds(2)
    for table in tables.values():
        assert set(table["system"]) == set(SYSTEMS)
    assert all(t.empty for t in comparison.simulated_worlds(0).values())


@pytest.mark.parametrize("language", ["de", "en"])
def test_every_system_and_measure_has_its_words(table, language):
    """All sections and charts are told in both languages, and the numbers are the table's."""
    words = Words(language)
    told = comparison_story.headline(table, words)
    assert words.chips(of(table, "error", "league")["value"]) in told[0]
    for measure in ("rank", "log_score"):
        assert len(comparison_story.section(table, measure, words)) == 3
    chart = comparison_charts.differences(table, "error", words).to_dict()
    assert all(words.text(f"compare.{n}") in chart["description"] for n in SYSTEMS)


def test_chart_stands_in_order_and_holds_the_shrunk_systems(table):
    """Best first; the axis reaches all intervals but those of raw figures and of the constant."""
    chart = comparison_charts.differences(table, "error").to_dict()
    order = [chart["layer"][k]["encoding"]["y"]["sort"] for k in (1, 2, 3)]
    assert order[0] == order[1] == order[2]
    values = comparison.judged(table, "error").set_index("system")["value"].sort_values()
    assert order[0] == [Words().text(f"compare.{name}") for name in values.index]
    low, high = chart["layer"][1]["encoding"]["x"]["scale"]["domain"]
    near = comparison.judged(table, "error").query("system not in ('mean_raw', 'drop_two_raw')")
    near = near[near["system"] != "floor"]
    assert low < near["low"].min() and high > near["high"].max()


def test_there_is_no_chart_of_nothing():
    """Where no season was simulated no chart is drawn and nothing is told of it."""
    empty = comparison.simulated_worlds(0)
    assert comparison_charts.differences(empty["random"], "truth_r") is None
    assert len(comparison_story.truth(empty, Words())) == 2


def test_the_page(tmp_path):
    """The notebook runs on a plain table and says what the tables say."""
    path, options = DATA / "season_a.csv", {"simulated": 2, "language": "en"}
    page = notebooks.run("compare_systems", {"season": str(path), **options}, tmp_path)[0]
    text = BeautifulSoup(page.read_text("utf-8"), "html.parser").get_text(" ")
    season = load_season(path, language="en")
    table = comparison.differences(comparison.season_scores(season, None, QUICK), "evening")
    assert comparison_story.headline(table, season.words)[0] in text
    for world in comparison.WORLDS:
        assert f"{Words('en').text(f'compare.in_{world}')}, 2 seasons" in text


def test_conclusion_by_hand():
    """Differences and intervals are told as they stand, and every comparison is counted once."""
    rows = [
        ("error", "league", 1000, 2000.0, 0.0, 0.0, 0.0),
        ("error", "floor", 1000, 2050.0, 50.0, 40.0, 60.0),
        ("error", "mean_raw", 1000, 2300.0, 300.0, 290.0, 310.0),
        ("error", "total", 1000, 1999.0, -1.0, -2.0, -0.5),
        ("error", "mean", 1000, 2002.0, 2.0, -1.0, 5.0),
        ("truth_r", "league", 1000, 0.7, 0.0, 0.0, 0.0),
        ("truth_r", "total", 1000, 0.65, -0.05, -0.06, -0.04),
        ("truth_r", "mean", 1000, 0.6, -0.1, -0.11, -0.09),
    ]
    table = pd.DataFrame(rows, columns=comparison.COLUMNS)
    tables = dict.fromkeys(("random", "circles"), table)
    first, second, third = comparison_story.conclusion(tables, Words("en"))
    assert "1,000 simulated seasons" in first and "2,000 chips" in first
    assert "0 by 50 more (40 to 60)" in first and "300 more (290 to 310)" in first
    assert second.count("0.050 less") == 2
    assert third.startswith("Of 8 comparisons (by system, measure and world) 4 are demonstrably in")
    assert "2 against it (Random fields, error of prediction: Total; Separate" in third
