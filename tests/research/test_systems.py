"""Each system by hand, by its authors' example, or by its package; and none knows the future."""

import numpy as np
import openskill.models
import pandas as pd
import pytest

from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.simulation import simulate_results
from liga_analysis.research import glicko2, systems
from liga_analysis.research.comparison import evenings_in_turn
from liga_analysis.research.systems import SYSTEMS

EXACT = 1e-9  # closed forms
PRINTED = 0.02  # Glickman rounds on the way to 1464.06, 151.52
LAM = 6.0


def graph(results=None, seed=1, **options):
    if results is None:
        results = simulate_results(seed=seed, **options)[0]
    return evenings_in_turn(results)


def table(*rows):
    return pd.DataFrame(rows, columns=["evening", "player", "result"])


DUEL = table((1, "a", 100.0), (1, "b", -100.0), (2, "a", -300.0), (2, "b", 300.0))
THREE = table(
    *((1, p, y) for p, y in (("a", 900.0), ("b", -300.0), ("c", -600.0))),
    *((2, p, y) for p, y in (("a", -100.0), ("b", 100.0))),
    *((3, p, y) for p, y in (("a", 300.0), ("b", 300.0), ("c", -600.0))),
)


def test_elo_of_two_by_hand():
    """The first game of equals moves K/2; the second, 16 against −16, by K(0 − 1/(1+10^−0.08))."""
    score = SYSTEMS["elo"](graph(DUEL), LAM).score
    expected = 1 / (1 + 10 ** (-32 / 400))
    second = 16 - 32 * expected
    np.testing.assert_allclose(score, [[0, 0], [16, -16], [second, -second]], rtol=EXACT)


def test_elo_of_a_table_by_hand():
    """Three equals: 2, 1 and 0 of two games against 1 expected, each game worth K/2."""
    score = SYSTEMS["elo"](graph(THREE), LAM).score
    np.testing.assert_allclose(score[1], [16, 0, -16], rtol=EXACT)


def test_ties_and_margins_by_hand():
    """Equal results are half a game; a margin of s√2 is worth Φ(1) of one."""
    y = np.array([5.0, 5.0, -10.0])
    np.testing.assert_array_equal(systems.by_order(y, 1.0)[0], [0.5, 0.5, 1])
    games = systems.by_margin(np.array([2**0.5, 0.0]) * 7, 7.0)
    np.testing.assert_allclose(games[0], [0.5, 0.8413447460685429], rtol=EXACT)
    assert (systems.by_margin(np.zeros(3), 0.0) == 0.5).all()


def test_glicko_2_has_glickmans_example():
    """1500, 200, 0.06 against 1400, 1550 and 1700: 1464.06, 151.52, 0.05999 (Glickman 2013)."""
    other = (np.array([1400, 1550, 1700]) - 1500) / glicko2.POINTS
    phi = np.array([30, 100, 300]) / glicko2.POINTS
    one = np.array([0.0]), np.array([200 / glicko2.POINTS]), np.array([0.06])
    mu, phi, volatility = glicko2.period(*one, other, phi, np.array([[1.0, 0.0, 0.0]]))
    assert 1500 + glicko2.POINTS * mu[0] == pytest.approx(1464.06, abs=PRINTED)
    assert glicko2.POINTS * phi[0] == pytest.approx(151.52, abs=PRINTED)
    assert volatility[0] == pytest.approx(0.05999, abs=1e-5)


def test_glicko_2_grows_unsure_of_the_absent():
    """Whoever stays away keeps his rating, φ² grows by σ²; a newcomer keeps 350 points."""
    results = table(*THREE.itertuples(index=False), (4, "d", 50.0), (4, "a", -50.0))
    course = SYSTEMS["glicko"](graph(results), LAM)
    c, d = course.cov[:, 2, 2], course.cov[:, 3, 3]
    assert course.score[2, 2] == course.score[1, 2]
    assert c[2] - c[1] == pytest.approx(0.06**2, rel=1e-3)  # σ has hardly moved from 0.06
    np.testing.assert_allclose(d[:4], (350 / glicko2.POINTS) ** 2, rtol=EXACT)


def test_league_predicts_by_the_ratings_of_the_past():
    """θ̂ of `fit_ratings` on the evenings before, less the mean of the field; slope 1."""
    results = simulate_results(seed=3)[0]
    played = graph(results)
    course = SYSTEMS["league"](played, LAM)
    told = systems.predicted(played, course.score, np.ones(13))
    for s in (1, 5, 11):
        fit = fit_ratings(results[results["evening"] <= s], LAM)
        here = results[results["evening"] == s + 1]
        theta = fit.theta.reindex(here["player"]).fillna(0.0)
        np.testing.assert_allclose(
            told[played.evening == s], theta - theta.mean(), rtol=1e-7, atol=1e-7
        )
    np.testing.assert_allclose(systems.slopes(played, course.score, LAM)[1:], 1, rtol=EXACT)


def test_league_has_the_covariance_of_the_fit():
    """σ²(G + λI)⁻¹ of `fit_ratings`, at σ² = λ/(1 + λ)·Σy²/ν of the past."""
    results = simulate_results(seed=3)[0]
    past = graph(results[results["evening"] <= 6])
    sigma = (past.q / past.nu * LAM / (1 + LAM)) ** 0.5
    cov = SYSTEMS["league"](past, LAM).cov[-1]
    np.testing.assert_allclose(cov, fit_ratings(past, LAM, sigma).cov, rtol=1e-7, atol=1e-6)


def test_slope_is_the_best_multiple():
    """No other multiple of the scores has a smaller Σ(y − M bx)² + λ Σ(bx)² on the past."""
    played = graph(seed=4)
    score = SYSTEMS["elo"](played, LAM).score
    best = systems.slopes(played, score, LAM)[-1]
    X, x = played.design, score[-1]

    def criterion(b):
        return ((played.y - X @ (b * x)) ** 2).sum() + LAM * (b * x @ (b * x))

    step = 1e-3 * best
    assert criterion(best) < min(criterion(best - step), criterion(best + step))


def test_total_mean_and_drop_two_by_hand():
    """After 100, −200, 400 and 900 the total is 1200, the mean 300, without the worst two 650."""
    mine = (100.0, -200.0, 400.0, 900.0)
    results = table(*((s, p, k * y) for s, y in enumerate(mine) for p, k in (("a", 1), ("b", -1))))
    for name, expected in {
        "total": [0, 100, -100, 300, 1200],
        "mean": [0, 100, -50, 100, 300],
        "drop_two": [0, 0, 0, 400, 650],
        "floor": [0, 0, 0, 0, 0],
    }.items():
        np.testing.assert_allclose(SYSTEMS[name](graph(results), LAM).score[:, 0], expected)


def test_chosen_k_is_the_one_that_predicted_best():
    """Its scores are those of the K with the smallest error of the evenings before, 32 at first."""
    played = graph(seed=7)
    chosen = SYSTEMS["elo_chosen"](played, LAM).score
    scores = {k: systems.elo(played, LAM, k=k).score for k in systems.STEPS}
    errors = {
        k: (played.y - systems.predicted(played, x, systems.slopes(played, x, LAM))) ** 2
        for k, x in scores.items()
    }
    for s in range(13):
        past = played.evening < s
        best = min(systems.STEPS, key=lambda k: errors[k][past].sum())
        np.testing.assert_array_equal(chosen[s], scores[best][s])


def test_openskill_is_the_package_itself():
    """An evening of three, the tie told as one, is what openskill makes of it."""
    course = SYSTEMS["openskill_pl"](graph(THREE), LAM)
    model = openskill.models.PlackettLuce()
    a, b, c = ([model.rating()] for _ in range(3))
    a, b, c = model.rate([a, b, c], ranks=[1, 2, 3])
    b, a = model.rate([b, a], ranks=[1, 2])
    a, b, c = model.rate([a, b, c], ranks=[1, 1, 3])
    told = [[one.mu - 25, one.sigma**2] for (one,) in (a, b, c)]
    mine = np.column_stack([course.score[-1], np.diag(course.cov[-1])])
    np.testing.assert_allclose(mine, told, rtol=EXACT)


def test_trueskill_of_two_has_the_published_start():
    """A first win of equals gives 29.396 and 20.604, both ± 7.171 (trueskill.org)."""
    course = SYSTEMS["trueskill"](graph(DUEL), LAM)
    np.testing.assert_allclose(course.score[1] + 25, [29.396, 20.604], atol=5e-4)
    np.testing.assert_allclose(np.sqrt(np.diag(course.cov[1])), [7.171, 7.171], atol=5e-4)


def test_plackett_luce_is_at_the_maximum():
    """By hand for two who won once each against once, and a third: the gradient is zero."""
    score = SYSTEMS["plackett_luce"](graph(THREE), LAM).score
    orders = [("abc", 1), ("ba", 1), ("abc", 0.5), ("bac", 0.5)]
    theta = dict(zip("abc", score[-1], strict=True))
    gradient = {p: -2 * LAM * 3 / np.pi**2 * theta[p] for p in "abc"}
    for order, weight in orders:
        for k in range(len(order) - 1):
            gradient[order[k]] += weight
            total = sum(np.exp(theta[p]) for p in order[k:])
            for p in order[k:]:
                gradient[p] -= weight * np.exp(theta[p]) / total
    assert max(map(abs, gradient.values())) < 1e-4  # where the search stops
    assert not score[0].any()


@pytest.mark.parametrize("name", SYSTEMS)
def test_no_system_knows_the_future(name):
    """Other results from evening 7 on leave all scores and slopes before it as they were."""
    results = simulate_results(seed=5)[0]
    other = results.copy()
    late = other["evening"] >= 7
    other.loc[late, "result"] = -2 * other.loc[late, "result"]
    one, two = graph(results), graph(other)
    a, b = (SYSTEMS[name](g, LAM) for g in (one, two))
    np.testing.assert_array_equal(a.score[:7], b.score[:7])
    if a.cov is not None:
        np.testing.assert_array_equal(a.cov[:7], b.cov[:7])
    slopes = [systems.slopes(g, c.score, LAM)[:7] for g, c in ((one, a), (two, b))]
    np.testing.assert_array_equal(*slopes)


@pytest.mark.parametrize("name", SYSTEMS)
def test_the_unit_of_chips_does_not_matter(name):
    """Ten times the chips, ten times the prediction."""
    results = simulate_results(seed=6, n_evenings=6)[0]
    told = []
    for factor in (1, 10):
        played = graph(results.assign(result=factor * results["result"]))
        course = SYSTEMS[name](played, LAM)
        slope = systems.slopes(played, course.score, LAM)
        slope = np.ones(7) if name in systems.IN_CHIPS else slope
        told.append(systems.predicted(played, course.score, slope))
    np.testing.assert_allclose(10 * told[0], told[1], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("name", SYSTEMS)
def test_newcomers_are_equal(name):
    """Before the first evening, and for whoever has not come yet, every score is 0."""
    course = SYSTEMS[name](graph(THREE), LAM)
    assert not course.score[0].any()
