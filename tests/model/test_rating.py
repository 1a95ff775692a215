"""Ratings, against the rulebook's formulas written out densely, scikit-learn and mixed models."""

import json

import numpy as np
import pandas as pd
import pytest
from samples import DATA, design, fields
from sklearn.linear_model import Ridge

from liga_analysis.model.graph import play_graph
from liga_analysis.model.luck import residuals
from liga_analysis.model.rating import field_strength, fit_ratings, receipt, reliability

EXACT = 1e-9  # closed forms by another route, relative to ratings of hundreds of chips
PRINTED = 1e-6  # digits of the reference file


def season(seed=1, n_players=9, n_evenings=7, balanced=True):
    """Results with fields of any size, in mixed row order; balanced evenings sum to zero."""
    rng = np.random.default_rng(seed)
    rows = []
    for evening in range(1, n_evenings + 1):
        field = rng.choice(n_players, rng.integers(2, n_players + 1), replace=False)
        y = rng.normal(0, 2400, len(field))
        rows += [(evening, f"P{i}", r) for i, r in zip(field, y - balanced * y.mean(), strict=True)]
    table = pd.DataFrame(rows, columns=["evening", "player", "result"])
    return table.sample(frac=1, random_state=seed, ignore_index=True)


SEASONS = [season(1), season(2, 14, 12), fields("AB", "BC", "XYZ", "ABC", "W")]


@pytest.fixture(params=[*SEASONS, season(3, balanced=False)])
def results(request):
    return request.param


# The reference season


def test_reference_values():
    """Ratings and uncertainties of the reference season, as lme4 and mgcv have them."""
    table = pd.read_csv(DATA / "season_a.csv")
    reference = json.loads((DATA / "season_a.json").read_text())
    fit = fit_ratings(table, lam=6, sigma=reference["lam6_sigma"])
    known = pd.DataFrame(reference["lam6"], index=["theta", "se"]).T
    assert fit.theta.index.tolist() == known.index.tolist()
    np.testing.assert_allclose(fit.theta, known["theta"], rtol=0, atol=PRINTED)
    np.testing.assert_allclose(fit.se, known["se"], rtol=0, atol=PRINTED)
    graph = fit.graph
    assert (graph.nu, graph.nu - graph.rank) == (reference["nu"], reference["df"])
    assert (len(graph.evenings), graph.n_players) == (reference["evenings"], reference["players"])


# The estimate, by other routes


@pytest.mark.parametrize("lam", [0.01, 1, 6, 500])
def test_ridge(results, lam):
    """θ̂ is scikit-learn's ridge regression on X."""
    players = sorted(set(results["player"]))
    X, y = design(results, players)
    ridge = Ridge(alpha=lam, fit_intercept=False, solver="cholesky").fit(X, y)
    theta = fit_ratings(results, lam).theta
    assert theta.index.tolist() == players
    np.testing.assert_allclose(theta, ridge.coef_, rtol=EXACT, atol=EXACT)


def test_mixed_model(results):
    """θ̂, u and all covariances are those of result ~ factor(evening) + (1 | player)."""
    E = pd.get_dummies(results["evening"]).to_numpy(float)
    Z = pd.get_dummies(results["player"]).to_numpy(float)
    W, k = np.hstack([E, Z]), E.shape[1]
    # Henderson's mixed model equations; the inverse holds the prediction error variances.
    penalty = np.diag([0.0] * k + [6.0] * Z.shape[1])
    inverse = np.linalg.inv(W.T @ W + penalty)
    fit = fit_ratings(results, lam=6, sigma=2400)
    theta = (inverse @ W.T @ results["result"])[k:]
    np.testing.assert_allclose(fit.theta, theta, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(fit.se, 2400 * np.sqrt(np.diag(inverse)[k:]), rtol=EXACT)
    np.testing.assert_allclose(fit.cov, 2400**2 * inverse[k:, k:], rtol=EXACT, atol=1e-6)
    assert fit.cov.index.equals(fit.theta.index) and fit.cov.columns.equals(fit.theta.index)


# The play graph


def test_design(results):
    """The graph's X is the rulebook's, its rows sum to zero, and G = XᵀX, h = Xᵀy."""
    graph = play_graph(results)
    ordered = results.sort_values(["evening", "player"], ignore_index=True)
    X, y = design(ordered, graph.players)
    np.testing.assert_allclose(graph.design, X, atol=1e-15)
    np.testing.assert_allclose(graph.design.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(graph.G, X.T @ X, atol=1e-12)
    np.testing.assert_allclose(graph.h, X.T @ y, rtol=EXACT, atol=EXACT)


def test_h_is_the_totals():
    """Where evenings sum to zero, h is each player's total."""
    results = season()
    total = results.groupby("player")["result"].sum()
    np.testing.assert_allclose(play_graph(results).h, total, rtol=EXACT, atol=EXACT)


def test_sums_of_squares():
    """ν = Σ(n_s − 1) and q = Σ(y − ȳ_s)²."""
    results = season(balanced=False)
    by_evening = results.groupby("evening")["result"]
    graph = play_graph(results)
    assert graph.nu == (by_evening.size() - 1).sum()
    assert graph.q == pytest.approx((by_evening.var(ddof=0) * by_evening.size()).sum(), rel=EXACT)
    np.testing.assert_allclose(graph.imbalance, by_evening.sum(), rtol=EXACT)
    assert graph.field_size.tolist() == by_evening.size().tolist()
    assert graph.n_evenings.tolist() == results.groupby("player").size().tolist()


def test_groups():
    """Players never joined by an evening are groups; each is a zero eigenvalue of G."""
    graph = play_graph(fields("AB", "BC", "XYZ", "W"))
    group = dict(zip(graph.players, graph.group, strict=True))
    assert group["A"] == group["B"] == group["C"]
    assert group["X"] == group["Y"] == group["Z"]
    assert len(set(group.values())) == 3
    assert graph.rank == 7 - 3 == np.linalg.matrix_rank(graph.G)
    assert (graph.spectrum.d[:3] == 0).all()
    assert (graph.spectrum.d[3:] > 0.1).all()


def test_spectrum(results):
    """G = V diag(d) Vᵀ with orthonormal V, and z = Vᵀh."""
    graph = play_graph(results)
    d, V, z = graph.spectrum
    np.testing.assert_allclose((V * d) @ V.T, graph.G, atol=1e-12)
    np.testing.assert_allclose(V @ V.T, np.eye(graph.n_players), atol=1e-12)
    np.testing.assert_allclose(V @ z, graph.h, rtol=EXACT, atol=EXACT * 1e3)


# Identities


def test_lone_player():
    """Without an informative evening, θ̂ = 0 and u = σ/√λ."""
    results = pd.concat(
        [season(), pd.DataFrame({"evening": [99], "player": "Solo", "result": 500.0})]
    )
    fit = fit_ratings(results, 6, 2400)
    assert fit.theta["Solo"] == pytest.approx(0, abs=EXACT)
    assert fit.se["Solo"] == pytest.approx(2400 / 6**0.5, rel=EXACT)
    pd.testing.assert_series_equal(
        fit.theta.drop("Solo"), fit_ratings(season(), 6, 2400).theta, rtol=EXACT, check_freq=False
    )


@pytest.mark.parametrize("c", [0.01, 5])
def test_unit(results, c):
    """Chips c times as large scale θ̂, u and σ by c at the same λ."""
    fit = fit_ratings(results, 6, 2400)
    scaled = fit_ratings(results.assign(result=c * results["result"]), 6, c * 2400)
    np.testing.assert_allclose(scaled.theta, c * fit.theta, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(scaled.se, c * fit.se, rtol=EXACT)


@pytest.mark.parametrize("seed", range(5))
def test_row_order(results, seed):
    """Permuted rows change not a bit."""
    mixed = results.sample(frac=1, random_state=seed)
    assert fit_ratings(mixed).theta.tolist() == fit_ratings(results).theta.tolist()
    assert fit_ratings(mixed).se.tolist() == fit_ratings(results).se.tolist()


def test_infinite_penalty(results):
    """λ → ∞ gives 0, like 1/λ."""
    graph = play_graph(results)
    np.testing.assert_allclose(1e9 * fit_ratings(results, 1e9).theta, graph.h, rtol=1e-6, atol=1e-3)


def test_seven_average_opponents():
    """A true θ of 1000 is expected to earn 875 against seven average opponents."""
    graph = play_graph(fields("ABCDEFGH"))
    assert (graph.design @ [1000, 0, 0, 0, 0, 0, 0, 0])[0] == 875


# Receipt


@pytest.mark.parametrize("balanced", [True, False])
def test_receipt(balanced):
    """θ̂_i = (total − evening means + field strengths)/(evenings + λ), item by item."""
    results = season(4, balanced=balanced)
    fit = fit_ratings(results, lam=6)
    slip = receipt(fit)
    items = slip["total"] + slip["imbalance"] + slip["field_strength"]
    np.testing.assert_allclose(items / (slip["evenings"] + 6), fit.theta, rtol=EXACT, atol=EXACT)
    by_player = results.groupby("player")["result"]
    np.testing.assert_allclose(slip["total"], by_player.sum(), rtol=EXACT, atol=EXACT * 1e3)
    mean = results.groupby("evening")["result"].transform("mean")
    np.testing.assert_allclose(
        slip["imbalance"], -mean.groupby(results["player"]).sum(), rtol=EXACT, atol=EXACT
    )
    faced = results["evening"].map(field_strength(fit)).groupby(results["player"]).sum()
    np.testing.assert_allclose(slip["field_strength"], faced, rtol=EXACT, atol=EXACT)
    assert slip["evenings"].tolist() == by_player.size().tolist()


def test_field_strength():
    """θ̄_s is the mean rating of those present."""
    results = season(5)
    fit = fit_ratings(results)
    by_hand = results["player"].map(fit.theta).groupby(results["evening"]).mean()
    np.testing.assert_allclose(field_strength(fit), by_hand, rtol=EXACT, atol=EXACT)


# λ by player, weights by evening


def by_hand(results, lam, weights):
    """θ̂ = (XᵀWX + diag λ)⁻¹XᵀWy and the inverse, by the rulebook's X."""
    players = sorted(set(results["player"]))
    X, y = design(results, players)
    W = np.diag(weights[results["evening"]])
    inverse = np.linalg.inv(X.T @ W @ X + np.diag(lam[players]))
    return inverse @ X.T @ W @ y, inverse


@pytest.fixture
def uneven(results):
    """λ by player from 1 to 20, and a weight from 0.5 to 2 for every evening."""
    players, evenings = sorted(set(results["player"])), sorted(set(results["evening"]))
    lam = pd.Series(np.geomspace(1, 20, len(players)), players)
    return lam, pd.Series(np.linspace(0.5, 2, len(evenings)), evenings)


def everything(fit):
    """All that follows from a fit."""
    cov, draws = fit.cov, fit.draws(5, np.random.default_rng(1))
    told = [receipt(fit), field_strength(fit), reliability(fit), residuals(fit)]
    return [fit.theta, fit.se, cov, pd.DataFrame(draws), *told]


def test_weights_of_one_and_one_lambda_change_nothing(results):
    """Weights 1 and the same λ for everybody, said at length, change not a bit."""
    ones = pd.Series(1, set(results["evening"]))
    six = pd.Series(6.0, sorted(set(results["player"]), reverse=True))
    plain, told = fit_ratings(results), fit_ratings(results, six, weights=ones)
    for a, b in zip(everything(plain), everything(told), strict=True):
        assert a.equals(b)


def test_lambda_by_player_and_weights_by_hand(results, uneven):
    """θ̂, u and covariance are those of (G + diag λ)⁻¹; the draws have that covariance."""
    lam, weights = uneven
    fit = fit_ratings(results, lam.sample(frac=1, random_state=1), 2000, weights)
    theta, inverse = by_hand(results, lam, weights)
    np.testing.assert_allclose(fit.theta, theta, rtol=EXACT, atol=EXACT)
    np.testing.assert_allclose(fit.cov, 2000**2 * inverse, rtol=EXACT, atol=1e-6)
    np.testing.assert_allclose(fit.se, 2000 * np.sqrt(np.diag(inverse)), rtol=EXACT)
    np.testing.assert_allclose(fit.tau, 2000 / np.sqrt(lam), rtol=EXACT)
    root = fit.draws(len(lam), NoNoise(len(lam))) - fit.theta.to_numpy()
    np.testing.assert_allclose(root.T @ root, fit.cov, rtol=EXACT, atol=1e-6)


class NoNoise:
    """In place of random numbers the unit vectors: draws are then the rows of the root."""

    def __init__(self, p):
        self.p = p

    def standard_normal(self, shape):
        return np.eye(self.p)


def test_lambda_by_player_identities(results, uneven):
    """Σλ_iθ̂_i = 0 in each group, and the receipt adds up with weighted sums."""
    lam, weights = uneven
    fit = fit_ratings(results, lam, weights=weights)
    np.testing.assert_allclose(np.bincount(fit.graph.group, lam * fit.theta), 0, atol=1e-8)
    slip = receipt(fit)
    items = slip["total"] + slip["imbalance"] + slip["field_strength"]
    np.testing.assert_allclose(items / (slip["evenings"] + lam), fit.theta, rtol=EXACT, atol=EXACT)
    weight = results["evening"].map(weights).groupby(results["player"]).sum()
    np.testing.assert_allclose(slip["evenings"], weight, rtol=EXACT)


def test_weight_zero_is_as_if_not_held(results):
    """An evening of weight 0 leaves its players in the table and nothing else of itself."""
    weights = pd.Series(1, sorted(set(results["evening"])))
    weights[1] = 0
    kept = results[results["evening"] != 1]
    fit, rest = fit_ratings(results, weights=weights), fit_ratings(kept)
    assert list(fit.theta.index) == sorted(set(results["player"]))
    pd.testing.assert_series_equal(fit.theta[rest.theta.index], rest.theta, rtol=EXACT)
    pd.testing.assert_frame_equal(residuals(fit), residuals(rest), rtol=1e-8)
    pd.testing.assert_series_equal(field_strength(fit), field_strength(rest), rtol=EXACT)
    gone = fit.theta.index.difference(rest.theta.index)
    assert (fit.theta[gone] == 0).all() and np.allclose(fit.se[gone], fit.tau)


def test_weighted_residuals_have_unit_variance():
    """Luck N(0, σ²/w_s): the studentised residuals of simulated evenings have variance 1."""
    results, rng = season(1, 9, 7), np.random.default_rng(1)
    weights, graph = pd.Series(np.geomspace(0.2, 5, 7), range(1, 8)), play_graph(season(1, 9, 7))
    lam, squares = pd.Series(np.geomspace(2, 9, 9), graph.players), 0
    order = results.sort_values(["evening", "player"], ignore_index=True)
    for _ in range(400):
        theta = rng.normal(0, 2400 / np.sqrt(lam.to_numpy()))
        luck = rng.normal(0, 2400, len(order)) / np.sqrt(weights[order["evening"]].to_numpy())
        played = order.assign(result=theta[graph.player] + luck)
        squares += residuals(fit_ratings(played, lam, 2400, weights))["studentised"] ** 2
    # 400 squares of variance 2: no mean of some 40 strays beyond 4.5 standard errors.
    assert abs(squares / 400 - 1).max() < 4.5 * np.sqrt(2 / 400)


def test_reliability_is_about_differences(uneven, results):
    """It is 1 − Var(θ_i − m | y)/Var(θ_i − m), m the group's mean weighted by λ."""
    lam, _ = uneven
    fit = fit_ratings(results, lam)
    group = fit.graph.group[:, None] == fit.graph.group
    share = group * lam.to_numpy()
    centre = np.eye(len(lam)) - share / share.sum(1, keepdims=True)
    after = np.diag(centre @ fit.cov.to_numpy() @ centre.T)
    before = np.diag(centre @ np.diag(fit.tau**2) @ centre.T)
    known = group.sum(1) > 1
    expected = 1 - after[known] / before[known]
    np.testing.assert_allclose(reliability(fit)[known], expected, rtol=EXACT)
    assert np.isnan(reliability(fit)[~known]).all()


# Refusals


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"lam": pd.Series({"P1": 6.0})}, "lam lacks the player P0"),
        ({"lam": pd.Series([6.0] * 10, [f"P{i % 9}" for i in range(10)])}, "lam names P0 twice"),
        ({"lam": pd.Series([6.0] * 8 + [0], [f"P{i}" for i in range(9)])}, "not 0"),
        ({"weights": pd.Series(1.0, range(2, 8))}, "weights lacks the evening 1"),
        ({"weights": pd.Series([-1.0] + [1] * 6, range(1, 8))}, "weights must be numbers from 0"),
        ({"weights": pd.Series(0.0, range(1, 8))}, "weights leaves no evening"),
        ({"weights": [1.0] * 7}, "must be a Series by evening"),
    ],
)
def test_unusable_series(given, message):
    """A λ or weight is missing, double or out of range: refused with the name."""
    with pytest.raises(ValueError, match=message):
        fit_ratings(season(), **given)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda t: t.drop(columns="result"), r"lacks the column\(s\) result"),
        (lambda t: t.drop(columns=["evening", "player"]), r"column\(s\) evening, player"),
        (lambda t: t.iloc[:0], "has no rows"),
        (lambda t: t.assign(result=np.nan), "finite"),
        (lambda t: t.assign(result=np.inf), "finite"),
        (lambda t: pd.concat([t, t.iloc[[0]]]), r"evening \d: P\d stands there twice"),
    ],
)
def test_unusable_table(change, message):
    """A table that cannot be rated is refused with the reason."""
    with pytest.raises(ValueError, match=message):
        fit_ratings(change(season()))


def test_no_table():
    """What is no table is refused by its kind."""
    with pytest.raises(TypeError, match=r"results is a table.*not a list"):
        fit_ratings([1, 2])
    for asked in (receipt, field_strength, reliability):
        with pytest.raises(TypeError, match=r"a fit is needed.*not a DataFrame"):
            asked(season())


@pytest.mark.parametrize("value", [0, -1, np.nan, np.inf])
@pytest.mark.parametrize("name", ["lam", "sigma"])
def test_unusable_parameter(name, value):
    """λ and σ are positive numbers."""
    with pytest.raises(ValueError, match=f"{name} must be a positive number, not {value}"):
        fit_ratings(season(), **{name: value})
