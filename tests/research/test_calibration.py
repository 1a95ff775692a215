"""Seasons played again: centred ratings, coverage and chances by other routes, and the worlds."""

import numpy as np
import pandas as pd
import pytest
from samples import random_season
from scipy import stats

from liga_analysis.model.chain import link
from liga_analysis.model.graph import play_graph
from liga_analysis.model.pairs import sd_difference
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.model.variance import estimate_variance
from liga_analysis.research import calibration
from liga_analysis.research.calibration import (
    WORLDS,
    Calibration,
    by_tenth,
    calibrate,
    centred,
    checkable,
    judged,
    replay,
    signs,
)
from liga_analysis.rules import LeagueRules
from liga_analysis.season.season import load_season
from liga_analysis.words import DataError

EXACT = 1e-9  # closed forms
ERRORS = 4  # standard errors allowed: one honest run in 16,000 is further out
EXAMPLE = "data/beispielliga/2026"
SIGMA, RULES = 2400.0, LeagueRules()


def graph(evenings=6, tau=1000.0, seed=1):
    """A season of fourteen players."""
    return play_graph(simulate_results(14, evenings, seed, SIGMA, tau, (6, 10))[0])


def again(seats, world, theta, seed=1, rules=RULES):
    """The same seats in a world."""
    return replay(seats, world, theta, SIGMA, rules, np.random.default_rng(seed))


@pytest.fixture(scope="module")
def found():
    """The example season, forty times in each world."""
    return calibrate(load_season(EXAMPLE), 40)


def test_one_parameter_set_gives_the_ratings_and_their_centred_spread():
    """Under one λ and σ, these are θ̂, √(u² − τ²/K) and the product's SD of a difference."""
    fit = fit_ratings(graph(), 6.0, 2400.0)
    mean, cov = centred(fit.graph, *np.array([[6.0], [2400.0**2], [1.0]]))
    variance = np.diag(cov)
    np.testing.assert_allclose(mean, fit.theta, rtol=EXACT)
    np.testing.assert_allclose(variance, fit.se**2 - fit.tau**2 / fit.graph.n_players, rtol=EXACT)
    between = variance[:, None] + variance - 2 * cov
    np.testing.assert_allclose(between, sd_difference(fit) ** 2, rtol=EXACT, atol=1e-6)


def test_groups_that_never_met_have_their_own_means():
    """With two groups, each has its own mean: the other's players bear on nothing."""
    one, two = [(1, p, 100.0 * p) for p in "ab" for p in (ord(p),)], [(2, 1, 5.0), (2, 2, 8.0)]
    table = [
        pd.DataFrame(t, columns=["evening", "player", "result"]) for t in (two, one, one + two)
    ]
    way = np.array([[3.0], [4.0], [1.0]])
    means, covs = zip(*(centred(play_graph(t), *way) for t in table), strict=True)
    np.testing.assert_allclose(means[2], np.concatenate(means[:2]), rtol=EXACT)
    np.testing.assert_allclose(covs[2][:2, :2], covs[0], rtol=EXACT)
    np.testing.assert_allclose(covs[2][2:, 2:], covs[1], rtol=EXACT)
    assert abs(covs[2][:2, 2:]).max() < EXACT


def test_posterior_average_is_a_mixture_over_lambda():
    """Centred covariance of the average = Σ p(λ) C Σ_λ C + covariance of the means, λ by λ."""
    estimate = estimate_variance(graph())
    posterior = estimate.posterior
    lam, square, weight = posterior.lam, posterior.R[0] / (posterior.nu - 2), posterior.weight
    mean, cov = centred(estimate.graph, lam, square, weight)
    p, G, h = estimate.graph.n_players, estimate.graph.G, estimate.graph.h
    C = np.eye(p) - 1 / p
    means = np.array([C @ np.linalg.solve(G + x * np.eye(p), h) for x in lam])
    within = sum(
        w * s * C @ np.linalg.inv(G + x * np.eye(p)) @ C
        for w, s, x in zip(weight, square, lam, strict=True)
    )
    between = np.cov(means.T, aweights=weight, ddof=0)
    np.testing.assert_allclose(mean, weight @ means, rtol=1e-7)  # eigenvectors against solving
    np.testing.assert_allclose(cov, within + between, rtol=1e-7)
    product = link([graph()])
    np.testing.assert_allclose(mean, product.theta, rtol=EXACT)
    common = weight @ (square / lam) / p  # E[τ²]/K, the level that moves no rank
    np.testing.assert_allclose(np.diag(cov), product.se**2 - common, rtol=EXACT)


def test_a_season_that_cannot_tell_has_intervals_without_width():
    """At τ̂ = 0 (λ̂ = ∞), REML gives ratings of 0 and no spread."""
    mean, cov = centred(graph(), *np.array([[np.inf], [2400.0**2], [1.0]]))
    assert not mean.any()
    assert not cov.any()


def test_calibration_by_hand():
    """Two seasons, two tenths: means, shares and errors are those of the pocket calculator."""
    chance = pd.DataFrame(
        {
            "season": [0, 0, 1, 1, 1],
            "p": [0.25, 0.25, 0.2, 1.0, 0.9],
            "hit": [True, False, False, True, False],
        }
    )
    table = by_tenth(chance)
    assert list(table.index) == [2, 9]
    assert list(table["chances"]) == [3, 2]
    np.testing.assert_allclose(table["predicted"], [0.7 / 3, 0.95], rtol=EXACT)
    np.testing.assert_allclose(table["share"], [1 / 3, 0.5], rtol=EXACT)
    # Season sums of hit − p: 0.5 and −0.2 below, −0.9 above.
    np.testing.assert_allclose(table["error"], [np.sqrt(0.29) / 3, 0.9 / 2], rtol=EXACT)
    np.testing.assert_allclose(table["z"], [0.3 / np.sqrt(0.29), -1.0], rtol=EXACT)


def test_calibration_finds_what_is_wrong():
    """Right chances stay within sampling error in every tenth; chances too sure do not."""
    rng = np.random.default_rng(1)
    p = rng.random(8000)
    chance = pd.DataFrame({"season": np.arange(8000) // 8, "p": p, "hit": rng.random(8000) < p})
    assert by_tenth(chance)["z"].abs().max() < ERRORS
    sure = chance.assign(p=p**2 / (p**2 + (1 - p) ** 2))
    assert by_tenth(sure)["z"].abs().max() > 2 * ERRORS


@pytest.mark.parametrize("world", WORLDS)
def test_the_seats_stay_and_chips_add_up(world):
    """Players, evenings and G are those of the season; results are new and sum to zero."""
    seats = graph(12)
    played = again(seats, world, np.zeros(14))
    np.testing.assert_array_equal(played.G, seats.G)
    assert played.players.equals(seats.players) and not np.allclose(played.y, seats.y)
    assert abs(np.bincount(played.evening, played.y)).max() < 1e-6  # chips, sums of thousands


@pytest.mark.parametrize("world", WORLDS)
def test_every_world_has_its_expectation_and_spread(world):
    """Over many evenings results go up with θ_i one to one, and Σy²/ν is σ² where all are equal."""
    n = 600
    table = pd.DataFrame({"evening": np.repeat(np.arange(n), 8), "player": [*range(8)] * n})
    seats = play_graph(table.assign(result=0.0))
    level = again(seats, world, np.zeros(8))
    squares = np.bincount(seats.evening, level.y**2) / 7
    if world != "tails":  # whose squares have no variance
        error = squares.std() / np.sqrt(len(squares))
        assert abs(squares.mean() - SIGMA**2) < ERRORS * error
    theta = 500.0 * np.arange(-3.5, 4)
    slope = theta @ np.bincount(seats.player, again(seats, world, theta).y) / n / (theta @ theta)
    error = SIGMA / np.sqrt(n * (theta @ theta))
    # Who is out of entries loses no more: played by the rules, large differences fall short.
    assert (0.75 if world == "played" else 1 - ERRORS * error) < slope < 1 + ERRORS * error


def test_tails_are_students():
    """One huge evening shows the distribution of luck: t with 3 degrees of freedom, variance σ²."""
    table = pd.DataFrame({"evening": 1, "player": range(20_000), "result": 0.0})
    y = again(play_graph(table), "tails", np.zeros(20_000)).y / SIGMA * np.sqrt(3)
    assert stats.kstest(y, stats.t(3).cdf).pvalue > 0.001
    assert stats.kstest(y / np.sqrt(3), stats.norm.cdf).pvalue < 1e-9


def test_uneven_evenings_are_lognormal():
    """The spreads of huge evenings are lognormal: SD of the log 0.5, mean square σ²."""
    table = pd.DataFrame({"evening": np.repeat(np.arange(2000), 60), "player": [*range(60)] * 2000})
    seats = play_graph(table.assign(result=0.0))
    y = again(seats, "uneven", np.zeros(60)).y
    log_spread = np.log(np.bincount(seats.evening, y**2) / 59 / SIGMA**2) / 2
    noise = 1 / (2 * 59)  # variance of the log of a standard deviation from 59
    assert log_spread.std() == pytest.approx(np.sqrt(0.25 + noise), rel=ERRORS / np.sqrt(4000))
    error = ERRORS * log_spread.std() / np.sqrt(2000)
    assert log_spread.mean() == pytest.approx(-0.25 - noise / 2, abs=error)


def test_played_evenings_keep_the_rules():
    """Whole chips, and nobody loses more than all entries, whatever the season's rules."""
    rules = LeagueRules(entry_chips=500, max_entries=2, smallest_chip=25)
    y = again(graph(12), "played", np.zeros(14), rules=rules).y
    assert (y % 25 == 0).all() and y.min() == -1000
    with pytest.raises(ValueError, match="entry of 510 in chips of 25"):
        again(graph(), "played", np.zeros(14), rules=LeagueRules(entry_chips=510, smallest_chip=25))


def test_coverage_one_by_one():
    """Shares and error are those of the product's u and SD of a difference, player by player."""
    seats, rng = graph(), np.random.default_rng(5)
    theta = rng.normal(0, 1500, 14)
    fit, truth = fit_ratings(seats, 6.0, SIGMA), theta - theta.mean()
    error = fit.theta.to_numpy() - truth
    u = np.sqrt(fit.se.to_numpy() ** 2 - fit.tau**2 / 14)
    sd = sd_difference(fit).to_numpy()
    pairs = [
        abs(error[i] - error[j]) <= stats.norm.ppf(0.95) * sd[i, j]
        for i in range(14)
        for j in range(i)
    ]
    one = np.array([[6.0], [SIGMA**2], [1.0]])
    square, holds, pair_holds = judged(seats, theta, one)
    assert square == pytest.approx((error**2).mean(), rel=EXACT)
    assert holds == pytest.approx((abs(error) <= stats.norm.ppf(0.95) * u).mean(), rel=EXACT)
    assert pair_holds == pytest.approx(np.mean(pairs), rel=EXACT)
    assert 0 < holds < 1 and 0 < pair_holds < 1


def test_who_met_nobody_does_not_count():
    """A player alone at an evening changes no share."""
    table, _ = simulate_results(6, 5, 2)
    alone = pd.DataFrame({"evening": [99], "player": [99], "result": [0.0]})
    one, theta = np.array([[6.0], [SIGMA**2], [1.0]]), np.array([3e3, -3e3, 0, 1e3, 5e3, 0])
    two = judged(play_graph(pd.concat([table, alone])), np.append(theta, 1e4), one)
    assert two == pytest.approx(judged(play_graph(table), theta, one), rel=EXACT)


def test_signs_know_no_scale():
    """Chips times a hundred, σ wrong: the signs stay; an evening blown up shows in both."""
    table = random_season(3, 9, 14, 6)
    calm = signs(fit_ratings(table, 6.0, SIGMA))
    large = table.assign(result=100 * table["result"])
    np.testing.assert_allclose(signs(fit_ratings(large, 6.0, 1.0)), calm, rtol=EXACT)
    wild = table.assign(result=table["result"].where(table["evening"] != 4, 5 * table["result"]))
    assert (signs(fit_ratings(wild, 6.0, SIGMA)) > 1.3 * calm).all()


def test_the_model_covers_as_promised(found):
    """Under the model, 88 to 92 % of both intervals hold the truth, give or take two errors."""
    rows = found.coverage[found.coverage["world"] == "model"]
    assert len(rows) == 4
    for row in rows.itertuples():
        assert 0.88 - 2 * row.error <= row.share <= 0.92 + 2 * row.error
    assert "model" not in found.off("force") + found.off("average")


def test_chances_come_true_under_the_model(found):
    """In forty seasons podiums come as often as chances say; three are on each."""
    chances = found.chances[found.chances["world"] == "model"]
    table = by_tenth(chances)
    assert (table["z"].abs()[table["chances"] > 20] < ERRORS).all()
    sums = chances.groupby("season")[["p", "hit"]].sum()
    np.testing.assert_allclose(sums, 3, rtol=EXACT)


def test_worlds_leave_their_signs(found):
    """Outliers show in the kurtosis, uneven evenings in the spreads; the example has neither."""
    middle = found.signs.groupby("world").median()
    assert middle["kurtosis"]["tails"] > 4 > 3.3 > middle["kurtosis"]["model"]
    assert middle["uneven"]["uneven"] > 1.4 * middle["uneven"]["model"]
    assert "data" not in middle.index
    assert found.alike == ["model", "played"]


def test_more_seasons_only_add(found):
    """Each season has its own seed: three are the first of forty, another seed has others."""
    season = load_season(EXAMPLE)
    few, other = calibrate(season, 3), calibrate(season, 3, seed=2)
    first = found.chances[found.chances["season"] < 3]
    pd.testing.assert_frame_equal(few.chances, first)
    assert not np.allclose(few.signs, other.signs)
    with pytest.raises(ValueError, match="at least 2"):
        calibrate(season, 1)


def test_verdicts_by_hand():
    """Off is beyond 88 to 92 % by two errors; alike is inside both ranges; sparse tenths go."""
    kinds = pd.MultiIndex.from_product(
        [WORLDS, ["force", "average"], ["rating", "difference"]], names=["world", "way", "of"]
    )
    coverage = pd.DataFrame({"share": 0.9, "error": 0.01}, kinds.sort_values())
    for world, of, share in (("tails", "difference", 0.85), ("played", "rating", 0.95)):
        coverage.loc[(world, "force", of), "share"] = share
    coverage.loc[("uneven", "force", "rating"), "share"] = 0.861  # within two errors of 88 %
    chances = [("model", k, 0.33, k < 7) for k in range(20)] + [("model", 1, 0.95, True)] * 9
    worlds = pd.MultiIndex.from_product([["model", "tails"], range(101)], names=["world", "season"])
    seen = pd.DataFrame({"kurtosis": [*range(101), *range(50, 151)], "uneven": 1.0}, worlds)
    own = pd.Series({"kurtosis": 50.0, "uneven": 1.0})
    table = pd.DataFrame(chances, columns=["world", "season", "p", "hit"])
    found = Calibration(coverage.reset_index(), table, seen, own, 101)
    assert set(found.off("force")) == {"tails", "played"}
    assert found.off("average") == []
    assert found.alike == ["model"]
    assert found.sign_range.loc["tails", "kurtosis"].tolist() == [55, 145]
    assert found.tenths[["world", "tenth", "chances"]].values.tolist() == [["model", 3, 20]]


def test_too_little_is_refused(season_file):
    """Below 15 comparisons beyond the ratings the answer is a sentence; from there on a fit."""
    table = random_season(1, 8, 4, 5)
    evenings = {n: table[table["evening"] <= n] for n in (2, 4)}
    df = {n: (g := play_graph(rows)).nu - g.rank for n, rows in evenings.items()}
    assert df[2] < calibration.LEAST_DF <= df[4]
    for task in (checkable, calibrate):
        with pytest.raises(DataError, match=f"15 unabhängige Vergleiche .* bisher sind es {df[2]}"):
            task(season_file(evenings[2].to_csv(index=False)))
    fit = checkable(season_file(evenings[4].to_csv(index=False)))
    assert (fit.lam, fit.sigma) == (6, 2400)
