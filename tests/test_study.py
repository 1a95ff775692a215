"""The simulation study in small: its arithmetic by other routes, its findings in a few seasons."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
import study

from liga_analysis.draws import sd_difference
from liga_analysis.rating import fit_ratings, play_graph
from liga_analysis.simulation import simulate_results
from liga_analysis.variance import averaged_ratings, estimate_variance, recommendation

EXACT = 1e-9  # closed forms
ERRORS = 4  # standard errors allowed: one honest run in 16,000 is further out


def graph(evenings=6, tau=1000.0, seed=1):
    """A season of the study."""
    return play_graph(simulate_results(14, evenings, seed, 2400.0, tau, (6, 10))[0])


def outcome(evenings, tau, seasons):
    """Seasons by ways by measures, as the study has them."""
    run = partial(study.season, tau, evenings)
    return np.array(study.replicate(run, (evenings, tau), seasons, seed=1, jobs=1))


def test_one_parameter_set_gives_the_ratings_and_their_centred_spread():
    """Under one λ and σ, the study has θ̂, √(u² − τ²/K) and the product's SD of a difference."""
    fit = fit_ratings(graph(), 6.0, 2400.0)
    mean, cov = study.centred(fit.graph, *np.array([[6.0], [2400.0**2], [1.0]]))
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
    means, covs = zip(*(study.centred(play_graph(t), *way) for t in table), strict=True)
    np.testing.assert_allclose(means[2], np.concatenate(means[:2]), rtol=EXACT)
    np.testing.assert_allclose(covs[2][:2, :2], covs[0], rtol=EXACT)
    np.testing.assert_allclose(covs[2][2:, 2:], covs[1], rtol=EXACT)
    assert abs(covs[2][:2, 2:]).max() < EXACT


def test_posterior_average_is_a_mixture_over_lambda():
    """Centred covariance of the average = Σ p(λ) C Σ_λ C + covariance of the means, λ by λ."""
    estimate = estimate_variance(graph())
    lam, square, weight = study.ways(estimate)[study.WAYS.index("posterior average")]
    mean, cov = study.centred(estimate.graph, lam, square, weight)
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
    product = averaged_ratings(estimate)
    np.testing.assert_allclose(mean, product["theta"], rtol=EXACT)
    common = weight @ (square / lam) / p  # E[τ²]/K, the level that moves no rank
    np.testing.assert_allclose(np.diag(cov), product["se"] ** 2 - common, rtol=EXACT)


def test_a_season_that_cannot_tell_has_intervals_without_width():
    """At τ̂ = 0 (λ̂ = ∞), REML gives ratings of 0 and no spread."""
    mean, cov = study.centred(graph(), *np.array([[np.inf], [2400.0**2], [1.0]]))
    assert not mean.any()
    assert not cov.any()


@pytest.mark.parametrize("tau", [0.0, 3000.0])
def test_the_rule_moves_or_keeps(tau):
    """The way "rule" has the recommendation's λ and σ, and 6 and 2400 where it does not move."""
    seen = set()
    for seed in range(12):
        estimate = estimate_variance(graph(12, tau, seed))
        advice = recommendation(estimate, 6.0, 2400.0)
        lam, square, weight = study.ways(estimate)[study.WAYS.index("rule")]
        expected = (advice.lam, advice.sigma) if advice.action == "move" else (6.0, 2400.0)
        assert (lam[0], square[0] ** 0.5, weight[0]) == pytest.approx((*expected, 1.0), rel=EXACT)
        seen.add(advice.action)
    assert "move" in seen


@pytest.mark.parametrize("tau", [0, 1000, 2500])
def test_error_of_keeping_six_is_the_expected_one(tau):
    """For λ = 6, p times a season's mean square error is Σ a_k χ²₁, a_k from the spectrum."""
    seasons, expected, variance = 60, [], []
    for seed in range(60):
        played = graph(6, tau, seed)
        d = played.spectrum.d[1:]
        # In direction k the error is −λ/(d + λ) of θ and √d/(d + λ) of the noise.
        a = (36 * tau**2 + 2400**2 * d) / (d + 6) ** 2 / played.n_players
        expected.append(a.sum())
        variance.append(2 * a @ a)
    # The error estimated from 60 seasons is no yardstick: skewed, it is small where the mean is.
    error = np.sqrt((np.mean(variance) + np.var(expected)) / seasons)
    square = outcome(6, tau, seasons)[:, study.WAYS.index("keep 6"), 0]
    assert abs(square.mean() - np.mean(expected)) < ERRORS * error


@pytest.fixture(scope="module")
def sixty():
    """Sixty seasons of six evenings at τ = 1000."""
    return outcome(6, 1000, 60)


def test_published_errors_are_met_in_a_few_seasons(sixty):
    """Sixty seasons of a cell agree with the published errors within sampling error."""
    value, error = study.rmse(sixty[:, :, 0])
    for way, given in zip(study.PUBLISHED_WAYS, study.PUBLISHED[6, 1000], strict=True):
        k = study.WAYS.index(way)
        assert abs(value[k] - given) < ERRORS * error[k]


def test_posterior_average_covers_and_reml_does_not(sixty):
    """At τ = 1000, 90 % intervals hold the truth under the average, far less often under REML."""
    share, error = study.mean_and_error(sixty[:, :, 1])
    average, reml = (study.WAYS.index(way) for way in ("posterior average", "REML"))
    assert 0.88 - 2 * error[average] <= share[average] <= 0.92 + 2 * error[average]
    assert share[reml] < 0.8


def test_seasons_depend_on_the_seed_and_not_on_the_jobs():
    """One job and two give the same seasons, and more seasons leave the first as they were."""
    run = partial(study.season, 1000, 6)
    one = study.replicate(run, (6, 1000), 3, seed=5, jobs=1)
    two = study.replicate(run, (6, 1000), 4, seed=5, jobs=2)
    np.testing.assert_allclose(one, two[:3], rtol=EXACT)  # threads may add in another order
    assert not np.allclose(one, study.replicate(run, (6, 1000), 3, seed=6, jobs=1))
    assert not np.allclose(one[0], one[1])


def test_standard_error_of_a_root_mean_square():
    """The formula agrees with leaving out one season at a time (jackknife)."""
    squares = np.random.default_rng(1).chisquare(5, 400)
    left_out = np.sqrt((squares.sum() - squares) / 399)
    jackknife = np.sqrt(399 / 400 * ((left_out - left_out.mean()) ** 2).sum())
    value, error = study.rmse(squares)
    assert value == pytest.approx(np.sqrt(np.mean(squares)), rel=EXACT)
    assert error == pytest.approx(jackknife, rel=0.01)  # the two differ by O(1/seasons)


def test_calibration_by_hand():
    """Two seasons, two tenths: means, shares and errors are those of the pocket calculator."""
    chance = pd.DataFrame(
        {
            "season": [0, 0, 1, 1, 1],
            "p": [0.25, 0.25, 0.2, 1.0, 0.9],
            "hit": [True, False, False, True, False],
        }
    )
    table = study.calibration(chance)
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
    assert study.calibration(chance)["z"].abs().max() < ERRORS
    sure = chance.assign(p=p**2 / (p**2 + (1 - p) ** 2))
    assert study.calibration(sure)["z"].abs().max() > 2 * ERRORS


def test_podium_chances_sum_to_the_podium():
    """In each season and at each λ, three are on the true podium, and the chances sum to 3."""
    chance = study.podium((5.76, 6.0), 12, np.random.SeedSequence(4))
    sums = chance.groupby("lam")[["p", "hit"]].sum()
    assert list(sums.index) == [5.76, 6.0]
    assert list(sums["hit"]) == [3, 3]
    np.testing.assert_allclose(sums["p"], 3, rtol=EXACT)


def test_the_study_prints_its_tables(capsys):
    """A run of six seasons a cell prints all tables, with all cells and without a gap."""
    study.main(["--seasons", "6", "--jobs", "1"])
    text = capsys.readouterr().out
    lines = text.splitlines()
    cells = [line for line in lines if line.startswith(("| 6 | ", "| 12 | "))]
    assert len(cells) == 2 * len(study.EVENINGS) * len(study.TAUS)
    assert sum(line.startswith("| θ_i − ") for line in lines) == 4
    assert "Chances of the podium at λ = 5.76" in lines
    assert "Chances of the podium at λ = 6" in lines
    assert "nan" not in text
