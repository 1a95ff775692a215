"""The ranking over λ: by scans, by refits, by hand."""

from functools import partial
from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from samples import MIRROR, design, everybody, random_season
from sklearn.linear_model import Ridge

from liga_analysis.model import sensitivity
from liga_analysis.model.left_out import influence
from liga_analysis.model.rating import fit_ratings
from liga_analysis.model.sensitivity import lambda_grid, lambda_path, podium_interval, swaps

pytestmark = pytest.mark.filterwarnings("error")

ROUNDING = 1e-9  # closed forms by two routes, relative to ratings of about 1000 chips
CHIP = 1e-6  # the same in chips


season = partial(random_season, n_players=12, n_evenings=10, least=4)


def test_grid():
    """121 values from λ/60 to 60λ in equal ratios, λ itself among them to the bit."""
    for lam in (6.0, 3.7, 1e-3, 14.27):
        grid = lambda_grid(lam)
        assert len(grid) == 121 and grid[60] == lam
        np.testing.assert_allclose(grid, np.geomspace(lam / 60, lam * 60, 121), rtol=1e-13)


@pytest.mark.parametrize("seed", range(4))
def test_path_equals_refits(seed):
    """At every λ the ratings are those of ridge regression on the rulebook's X."""
    results = season(seed)
    fit = fit_ratings(results)
    path = lambda_path(fit, everybody(fit), [0.1, 2.0, 6.0, 40.0])
    X, y = design(results, fit.graph.players)
    for lam, row in path.ratings.iterrows():
        ridge = Ridge(alpha=lam, fit_intercept=False, solver="cholesky").fit(X, y)
        np.testing.assert_allclose(row, ridge.coef_, rtol=ROUNDING, atol=CHIP)
    np.testing.assert_allclose(path.ratings.loc[6.0], fit.theta, rtol=ROUNDING)
    expected = path.ratings.rank(axis=1, ascending=False).astype("Int64")
    pd.testing.assert_frame_equal(path.ranks, expected)


def test_players_out_of_the_ranking_have_ratings_but_no_rank():
    """Außer Wertung: rank NA, the others close up; the order of `ranked` does not matter."""
    fit = fit_ratings(season(5))
    ranked = pd.Series(fit.graph.n_evenings >= 5, fit.graph.players)
    path = lambda_path(fit, ranked.sort_index(ascending=False))
    assert 1 < ranked.sum() < len(ranked)
    assert path.ranks.loc[:, ~ranked].isna().all(axis=None) and path.ratings.notna().all(axis=None)
    expected = path.ratings.loc[:, ranked].rank(axis=1, ascending=False)
    assert (path.ranks.loc[:, ranked] == expected).all(axis=None)
    pd.testing.assert_frame_equal(path.ranks, lambda_path(fit, ranked.to_numpy()).ranks)
    assert lambda_path(fit, ~ranked & ranked).ranks.isna().all(axis=None)


def test_one_lambda_is_needed():
    """Over λ there is nothing to show where every player has a λ of his own."""
    fit = fit_ratings(season(1), pd.Series(range(1, 13), [f"P{i:02d}" for i in range(12)]))
    for ask in (lambda_path, swaps, podium_interval):
        with pytest.raises(ValueError, match="one λ is needed"):
            ask(fit)


def crossings(fit, players, lams):
    """Sign changes on a dense grid: (position in the grid, player, player)."""
    theta = lambda_path(fit, everybody(fit), lams).ratings
    for a, b in combinations(players, 2):
        for at in np.flatnonzero(np.diff(np.sign(theta[a] - theta[b]))):
            yield at, *((a, b) if theta[a].iloc[at] > theta[b].iloc[at] else (b, a))


@pytest.mark.parametrize("seed", range(12))
def test_swaps_are_complete_and_exact(seed):
    """The swaps are those of a scan over 20,000 λ, and just below and above the lead changes."""
    fit = fit_ratings(season(seed, n_players=16, n_evenings=6 + seed))
    ranked = fit.graph.n_evenings >= 3
    lams = np.geomspace(0.1, 360, 20_000)
    found = swaps(fit, ranked)
    scan = sorted(crossings(fit, fit.graph.players[ranked], lams))
    at = np.searchsorted(lams, found.lam) - 1
    assert list(zip(at, found.ahead_below, found.ahead_above, strict=True)) == scan
    assert found.lam.is_monotonic_increasing
    for swap in found.itertuples():
        for side, first, second in (
            (1 - 1e-9, swap.ahead_below, swap.ahead_above),
            (1 + 1e-9, swap.ahead_above, swap.ahead_below),
        ):
            theta = fit_ratings(fit.graph, swap.lam * side).theta
            assert theta[first] > theta[second]


def test_some_season_has_swaps():
    """The seasons of the test above do have swaps to find."""
    count = []
    for seed in range(12):
        fit = fit_ratings(season(seed, n_players=16, n_evenings=6 + seed))
        count.append(len(swaps(fit, fit.graph.n_evenings >= 3)))
    assert sum(count) > 40


@pytest.mark.parametrize("apart", [1e-3, 1e-4, 1.2e-5])
def test_swaps_a_hundred_thousandth_apart_are_found(apart):
    """θ̂_a − θ̂_b = Σ c/(d + λ) with two zeros that far apart, relative, its residues by hand."""
    d, roots = np.array([1.0, 2.0, 3.0]), 6 * np.array([1, 1 + apart])
    top = [np.prod(-x - roots) for x in d]
    c = 1e9 * np.array([top[0] / 2, -top[1], top[2] / 2])
    graph = SimpleNamespace(spectrum=(d, np.array([c, 0 * c]), np.ones(3)))
    fit = SimpleNamespace(graph=graph, sigma=1.0)
    lam, _, falls = sensitivity._crossings(fit, np.array([0]), np.array([1]), 0.1, 360)
    assert sorted(lam) == pytest.approx(roots, rel=1e-8)
    assert sorted(falls) == [False, True]


def test_equal_players_never_swap():
    """Mirror-image players share a rank at every λ and never swap, whatever else does."""
    fit = fit_ratings(MIRROR)
    path = lambda_path(fit, everybody(fit))
    assert (path.ranks.A == path.ranks.B).all()
    found = swaps(fit, everybody(fit))
    assert not (found.ahead_below.isin(["A", "B"]) & found.ahead_above.isin(["A", "B"])).any()
    zero = fit_ratings(MIRROR.assign(result=0))
    assert swaps(zero, everybody(zero)).empty
    assert podium_interval(zero, everybody(zero)) == (0, np.inf)


def test_nobody_or_one_in_the_ranking():
    """With nobody or one player in der Wertung there is no swap and the podium never changes."""
    fit = fit_ratings(season(1))
    for ranked in (fit.theta < -np.inf, fit.theta == fit.theta.max()):
        assert swaps(fit, ranked).empty
        assert podium_interval(fit, ranked) == (0, np.inf)
        assert influence(fit, ranked).podium.str.len().eq(ranked.sum()).all()


def podiums(fit, ranked, lams, podium):
    """The ordered podium at each λ, as the ranks on it by player, 0 for the others."""
    place = lambda_path(fit, ranked, lams).ranks.to_numpy(float, na_value=np.inf)
    return np.where(place <= podium, place, 0)


@pytest.mark.parametrize("podium", [1, 3])
@pytest.mark.parametrize("seed", range(8))
def test_podium_interval_equals_a_scan(seed, podium):
    """The ends are where a scan over λ from 1e-6 to 1e6 first shows another podium."""
    fit = fit_ratings(season(seed, n_evenings=8))
    ranked = fit.graph.n_evenings >= 4
    low, high = podium_interval(fit, ranked, podium)
    lams = np.geomspace(1e-6, 1e6, 4001)
    equal = (podiums(fit, ranked, lams, podium) == podiums(fit, ranked, [6.0], podium)).all(1)
    below, above = lams[(lams < 6) & ~equal], lams[(lams > 6) & ~equal]
    step = lams[1] / lams[0]
    assert low == 0 if below.size == 0 else below[-1] <= low <= below[-1] * step
    assert high == np.inf if above.size == 0 else above[0] / step <= high <= above[0]


def test_podium_interval_reaches_beyond_the_grid():
    """Ends far outside λ/60 … 60λ are found, from both sides and with any λ in force."""
    fit = fit_ratings(season(0, n_players=16, n_evenings=8))
    low, high = podium_interval(fit, everybody(fit))
    assert low > 0 and high < np.inf
    lam = np.sqrt(low * high)
    again = podium_interval(fit_ratings(fit.graph, lam), everybody(fit))
    np.testing.assert_allclose(again, (low, high), rtol=ROUNDING)
    at_zero = podium_interval(fit_ratings(fit.graph, 1e-4), everybody(fit))
    at_infinity = podium_interval(fit_ratings(fit.graph, 1e5), everybody(fit))
    assert at_zero[0] == 0 and at_zero[1] > 60e-4 and at_zero[1] <= low * (1 + ROUNDING)
    assert at_infinity[1] == np.inf and high * (1 - ROUNDING) <= at_infinity[0] < 1e5 / 60


def test_podium_tied_at_one_lambda_only():
    """At a λ where two of the podium swap, the podium (a tie) holds at that λ alone."""
    fit = fit_ratings(season(0, n_players=16, n_evenings=8))
    low, _ = podium_interval(fit, everybody(fit))
    tied = fit_ratings(fit.graph, low)
    assert podium_interval(tied, everybody(tied)) == (low, low)


def test_podium_tied_for_good():
    """Two mirror-image winners share rank 1 over the whole of an interval, as one step."""
    fit = fit_ratings(MIRROR)
    ranked = fit.theta.index.isin(["A", "B", "D"])
    low, high = podium_interval(fit, ranked)
    lams = np.geomspace(max(low, 1e-5) * 1.001, min(high, 1e5) * 0.999, 50)
    assert low < 6 < high
    assert (podiums(fit, ranked, lams, 3) == [1, 1, 0, 3]).all()


def test_same_table_same_bits():
    """Whatever the order of the rows, path, swaps and influence agree to the bit."""
    results = season(8)
    a, b = (fit_ratings(r) for r in (results, results.sample(frac=1, random_state=1)))
    everyone = everybody(a)
    pd.testing.assert_frame_equal(
        lambda_path(a, everyone).ratings, lambda_path(b, everyone).ratings, check_exact=True
    )
    pd.testing.assert_frame_equal(swaps(a, everyone), swaps(b, everyone), check_exact=True)
    for left, right in zip(influence(a, everyone), influence(b, everyone), strict=True):
        assert left.equals(right)
