"""The rest of the season: by brute force, by closed forms, and against how seasons ended."""

import numpy as np
import outlook as study
import pandas as pd
import pytest
from scipy.special import ndtr
from study import replicate

from liga_analysis.model import outlook as module
from liga_analysis.model.graph import play_graph
from liga_analysis.model.outlook import (
    attendance,
    attended,
    evenings_to_come,
    final_places,
    next_evening,
    refitted,
    season_outlook,
)
from liga_analysis.model.pairs import sd_difference
from liga_analysis.model.ranking import season_fit, standings
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results, simulate_season
from liga_analysis.research.calibration import by_tenth

EXACT = 1e-9  # closed forms
ERRORS = 4  # standard errors allowed: one honest run in 16,000 is further out


@pytest.fixture
def running(season_folder):
    """A season of ten evenings, seen after some; a guest among its players."""
    calendar, results, _ = simulate_season(8, 10, seed=3)
    calendar["date"] = calendar["date"].dt.date
    files = {"evenings": calendar.to_csv(index=False), "results": results.to_csv(index=False)}
    return lambda through: season_folder(through, **files)


def test_a_season_that_is_over_is_decided(running):
    """Without an evening to come, chances are 0 and 1, as the table has it."""
    season = running(10)
    found = season_outlook(season, draws=50)
    table = standings(season).set_index("player").drop(index=list(season.guests))
    players = found.players
    assert found.remaining == 0
    assert players.index.tolist() == table.index.tolist()
    np.testing.assert_array_equal(players["p_first"], (table["rank"] == 1).fillna(False))
    np.testing.assert_array_equal(players["p_podium"], (table["rank"] <= 3).fillna(False))
    np.testing.assert_array_equal(players["p_qualified"], table["qualified"])


def test_equal_players_share_the_title(season_folder):
    """Two who are equal at the end have both won: chance 1 each."""
    rows = ["evening,player,result"]
    rows += [f"{s},{p},{y}" for s in (1, 2) for p, y in (("a", 100), ("b", 100), ("c", -200))]
    season = season_folder(results="\n".join(rows))
    assert season_outlook(season, draws=9).players["p_first"].to_dict() == {"a": 1, "b": 1, "c": 0}


def test_one_evening_to_go_is_a_count(running):
    """The chances are the share of endings, each made by hand: rows added, fitted, sorted."""
    season, draws = running(9), 300
    fit = season_fit(season)
    players, rules = fit.graph.players, season.rules
    comes, y = evenings_to_come(fit, attended(season, fit), 1, draws, seed=5)
    counts = {name: np.zeros(2) for name in players}
    for k in range(draws):
        there = np.flatnonzero(comes[k, 0])
        last = pd.DataFrame({"evening": 99, "player": players[there], "result": y[k, 0, there]})
        results = pd.concat([season.results[["evening", "player", "result"]], last])
        theta = fit_ratings(results, fit.lam, fit.sigma).theta
        evenings = results["player"].value_counts()
        ranked = [p for p in players if p not in season.guests and 10 * evenings[p] >= 4 * 10]
        for place, name in enumerate(sorted(ranked, key=lambda p: -theta[p])):
            counts[name] += (place == 0, place < rules.podium)
    found = season_outlook(season, draws=draws, seed=5).players
    truth = pd.DataFrame(counts, ["p_first", "p_podium"]).T.loc[found.index] / draws
    np.testing.assert_array_equal(found[["p_first", "p_podium"]], truth)
    assert found["p_podium"].between(0, 1, inclusive="neither").any()


def test_two_players_have_a_closed_form(monkeypatch):
    """Both come: a stays ahead with Φ(gap/sd), the next result being N(θ̂_a − θ̂_b, sd² + 2σ²)/2."""
    results = pd.DataFrame({"evening": [1, 1], "player": ["a", "b"], "result": [1500.0, -1500]})
    fit, draws = fit_ratings(results, 2.0, 2400.0), 20_000
    monkeypatch.setattr(module, "attendance", lambda came, *_: np.ones((draws, 2)))
    came = np.ones((1, 2), bool)
    places = final_places(fit, came, 1, draws)
    # h_a = 1500 + r with 2r ~ N(gap, sd² + 2σ²): a is ahead if r > −1500.
    gap, sd = fit.theta["a"] - fit.theta["b"], sd_difference(fit).loc["a", "b"]
    p = ndtr((1500 + gap / 2) / (np.sqrt(sd**2 + 2 * 2400**2) / 2))
    share = (places[:, 0] == 1).mean()
    assert abs(share - p) < ERRORS * np.sqrt(p * (1 - p) / draws)


def test_results_to_come_add_up_and_scatter_as_the_model_says():
    """Each evening sums to 0; y_i − y_j of two who come has variance sd_ij² + 2σ²."""
    results, _ = simulate_results(6, 5, seed=2, fields=(4, 6))
    fit, draws = fit_ratings(results), 40_000
    came = fit.graph.seats.toarray() > 0
    comes, y = evenings_to_come(fit, came, 2, draws)
    np.testing.assert_allclose(y.sum(-1), 0, atol=1e-8)  # thousands of chips, 1e-16 relative
    assert (y[~comes] == 0).all()
    both = comes[:, 0, 0] & comes[:, 0, 1]
    square = sd_difference(fit).iloc[0, 1] ** 2 + 2 * fit.sigma**2
    found = (y[both, 0, 0] - y[both, 0, 1]).var()
    assert abs(found / square - 1) < ERRORS * np.sqrt(2 / both.sum())  # of a normal's variance


def test_strength_may_come_from_elsewhere():
    """With all luck gone, given strengths alone decide the evenings to come."""
    fit = fit_ratings(simulate_results(5, 4, seed=2, fields=(3, 5))[0], sigma=1e-6)
    theta = np.tile(np.arange(5.0), (50, 1))
    comes, y = evenings_to_come(fit, fit.graph.seats.toarray() > 0, 2, 50, theta=theta)
    field = comes.sum(-1, keepdims=True)
    expected = theta[:, None] - (theta[:, None] * comes).sum(-1, keepdims=True) / field
    np.testing.assert_allclose(y, np.where(comes, expected, 0), atol=1e-4)


def test_at_least_two_come(monkeypatch):
    """Where hardly anybody comes, the two nearest to it do, and never a guest."""
    results, _ = simulate_results(5, 4, seed=1, fields=(3, 5))
    fit = fit_ratings(results)
    came = fit.graph.seats.toarray() > 0
    came[:, 4] = False  # a guest
    monkeypatch.setattr(module, "attendance", lambda came, n, _: np.full((n, 5), 1e-12))
    comes, _ = evenings_to_come(fit, came, 3, 500)
    assert (comes.sum(-1) == 2).all()
    assert not comes[..., 4].any()


def test_more_evenings_are_fitted_as_if_they_were_rows():
    """The ratings with evenings added are those of the longer table."""
    results, _ = simulate_results(7, 6, seed=4, fields=(3, 7))
    fit = fit_ratings(results, 5.0)
    comes, y = evenings_to_come(fit, fit.graph.seats.toarray() > 0, 3, 4)
    theta = refitted(fit, comes, y)
    for k in range(4):
        evening, player = np.nonzero(comes[k])
        more = {"evening": 100 + evening, "player": fit.graph.players[player]}
        longer = pd.concat([results, pd.DataFrame(more | {"result": y[k][evening, player]})])
        np.testing.assert_allclose(theta[k], fit_ratings(longer, 5.0).theta, rtol=EXACT)


def test_attendance_is_a_share_drawn_towards_the_mean(monkeypatch):
    """With the mean's weight c, a chance has mean (c·m + k)/(c + n), counted from the first one."""
    came = np.array([[1, 1, 0, 1], [1, 0, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0], [0, 1, 1, 0]], bool)
    came[:, 3] = False  # a guest
    k, n = np.array([3, 2, 2]), np.array([4, 4, 2])
    m, draws = (k.sum() + 0.5) / (n.sum() + 1), 20_000
    monkeypatch.setattr(module, "HABITS", np.array([3.0]))
    found = attendance(came, draws)
    error = found[:, :3].std(0) / np.sqrt(draws)
    assert (abs(found[:, :3].mean(0) - (3 * m + k) / (3 + n)) < ERRORS * error).all()
    assert (found[:, 3] == 0).all()


def test_those_who_are_alike_are_held_alike():
    """Where all come about as often, shares are drawn together; where some always do, apart."""
    rng = np.random.default_rng(1)
    alike = rng.random((40, 12)) < 0.6
    apart = rng.random((40, 12)) < np.where(np.arange(12) < 6, 0.95, 0.25)
    spread = [attendance(came).mean(0).std() / came.mean(0).std() for came in (alike, apart)]
    assert spread[0] < 0.6 < 0.9 < spread[1]


def test_needed_evenings(season_folder):
    """40 % of 3 + 4 evenings are 3: who came once needs two more; of 3 alone 2, too late."""
    calendar = ["evening,date", *(f"{s},2026-0{s}-01" for s in range(1, 8))]
    rows = [f"{s},{p},{y}" for s in (1, 2, 3) for p, y in (("a", 100), ("b", -100))]
    rows += ["1,c,0"]
    results = "\n".join(["evening,player,result", *rows])
    players = season_outlook(season_folder(evenings="\n".join(calendar), results=results)).players
    assert players.loc[["a", "c"], "needed"].tolist() == [0, 2]
    assert players["reachable"].all()
    players = season_outlook(
        season_folder(evenings="\n".join(calendar[:4]), results=results)
    ).players
    assert players.loc["c", ["needed", "reachable", "p_qualified"]].tolist() == [1, False, 0]


def test_the_next_result_that_passes(running):
    """A chip less does not pass, a chip more does: the evening played out both ways."""
    season = running(8)
    fit, found = season_fit(season), next_evening(season)
    assert len(found.passes) > 3
    for player, other, result, chips in found.passes.itertuples(index=False):
        assert 0 < chips - result <= season.rules.smallest_chip
        assert chips % season.rules.smallest_chip == 0
        field = [*dict.fromkeys([*found.field, player])]
        ahead = []
        for r in (result - 1, result + 1):
            won = [r if name == player else -r / (len(field) - 1) for name in field]
            more = pd.DataFrame({"evening": 99, "player": field, "result": won})
            longer = pd.concat([season.results[["evening", "player", "result"]], more])
            theta = fit_ratings(longer, fit.lam, fit.sigma).theta
            ahead.append(theta[player] > theta[other])
        assert ahead == [False, True]
    assert not set(found.passes["player"]) & season.guests


def test_the_same_seed_gives_the_same_chances(running):
    """Chances are seeded: once more the same, with another seed others."""
    season = running(6)
    one, two, other = (season_outlook(season, draws=200, seed=s).players for s in (2, 2, 3))
    pd.testing.assert_frame_equal(one, two)
    assert not one["p_first"].equals(other["p_first"])


def test_chances_come_true():
    """In forty simulated seasons titles and podiums come as often as chances at half time say."""
    tables = replicate(lambda seed: study.season(study.PLAIN, seed), (12, 1), 40, 1, 1)
    seasons = pd.concat(tables, keys=range(len(tables)), names=["season", None]).reset_index()
    for name in study.CHANCES:
        chance = seasons.rename(columns={f"p_{name}": "p", f"hit_{name}": "hit"})
        table = by_tenth(chance.astype({"hit": float}))
        assert (table["z"].abs()[table["chances"] > 20] < ERRORS).all()


def test_the_study_knows_how_seasons_end():
    """The benchmark's hits are place 1 and the podium of the whole season, sorted by hand."""
    found = study.season(study.PLAIN, np.random.SeedSequence(7))
    rng = np.random.default_rng(np.random.SeedSequence(7))
    results, _ = simulate_results(14, 12, rng, 2400.0, 1000.0)
    theta = fit_ratings(results, 5.76, 2400.0).theta
    evenings = results.groupby("player").size()
    order = sorted((p for p in theta.index if evenings[p] >= 5), key=lambda p: -theta[p])
    half = sorted(results.loc[results["evening"] <= 6, "player"].unique(), key=str)
    assert found["hit_title"].tolist() == [p == order[0] for p in half]
    assert found["hit_podium"].tolist() == [p in order[:3] for p in half]


def test_a_league_of_one_table_has_a_graph():
    """A player alone and a guest alone break nothing."""
    results = pd.DataFrame({"evening": [1], "player": ["a"], "result": [0.0]})
    fit = fit_ratings(play_graph(results))
    places = final_places(fit, np.ones((1, 1), bool), 2, 20)
    assert set(places.ravel()) <= {0, 1}
    assert (final_places(fit, np.zeros((1, 1), bool), 2, 20) == 0).all()
