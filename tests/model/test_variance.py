"""σ, τ and λ, against other software, a dense likelihood and brute-force integration."""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import rows
from scipy.linalg import block_diag, helmert
from scipy.optimize import minimize_scalar
from scipy.stats import chi2, t

from liga_analysis.model.graph import play_graph
from liga_analysis.model.likelihood import CannotEstimate
from liga_analysis.model.variance import estimate_variance
from liga_analysis.season.settings import Prior

EXACT = 1e-9  # closed forms
REML = 1e-5  # the other programs stop their search about there
ENDS = 1e-3  # ends of intervals, as published with three to four digits
POSTERIOR = 0.01  # integration on a coarse grid


def season(seed=1, players=8, evenings=6, tau=1000.0, field=5):
    """A simulated season; every evening sums to zero."""
    rng = np.random.default_rng(seed)
    theta = rng.normal(0, tau, players)
    rows = []
    for evening in range(1, evenings + 1):
        present = rng.choice(players, field, replace=False)
        result = theta[present] + rng.normal(0, 2400, field)
        rows += [
            (evening, f"P{i:03}", x) for i, x in zip(present, result - result.mean(), strict=True)
        ]
    return pd.DataFrame(rows, columns=["evening", "player", "result"])


class Dense:
    """−2 log L of the Σ(n_s − 1) Helmert contrasts, by dense matrices."""

    def __init__(self, results):
        rows = results.sort_values(["evening", "player"])
        contrasts = block_diag(*(helmert(n) for n in rows.groupby("evening").size()))
        self.u = contrasts @ rows["result"].to_numpy(float)
        self.Z = contrasts @ pd.get_dummies(rows["player"]).to_numpy(float)
        self.K = self.Z @ self.Z.T

    def parts(self, lam):
        V = np.eye(len(self.u)) + self.K / lam
        return np.linalg.slogdet(V)[1], self.u @ np.linalg.solve(V, self.u)

    def deviance(self, sigma, lam):
        log_det, R = self.parts(lam)
        return len(self.u) * np.log(2 * np.pi * sigma**2) + log_det + R / sigma**2

    def best(self, deviance):
        """Least value of a function of log λ, searched piece by piece."""
        pieces = [(a, a + 3) for a in range(-9, 24, 3)]
        return min(minimize_scalar(deviance, bounds=ab, method="bounded").fun for ab in pieces)

    def profile(self, lam):
        log_det, R = self.parts(lam)
        nu = len(self.u)
        return nu * np.log(2 * np.pi * R / nu) + log_det + nu


@pytest.fixture(scope="module")
def season_a():
    return pd.read_csv(Path(__file__).parents[1] / "data" / "season_a.csv")


@pytest.fixture(scope="module")
def estimate_a(season_a):
    return estimate_variance(season_a)


@pytest.fixture(scope="module")
def same_totals():
    """Six players with the same six results in another order: all totals are 0."""
    stacks = [1200, 2400, 1000, 2700, 1500, 3200]
    order = [[0, 1, 5, 2, 4, 3], [1, 2, 0, 3, 5, 4], [2, 3, 1, 4, 0, 5]]
    order += [[3, 4, 2, 5, 1, 0], [4, 5, 3, 0, 2, 1], [5, 0, 4, 1, 3, 2]]
    return rows(
        *({name: stacks[k] - 2000 for name, k in zip("ABCDEF", o, strict=True)} for o in order)
    )


# Source of the numbers of season_a: lme4, mgcv and statsmodels reference.


def test_reml_agrees_with_the_reference(estimate_a):
    """σ̂, τ̂, λ̂ and −2 log L are those of lme4, mgcv and statsmodels."""
    assert estimate_a.sigma == pytest.approx(2288.0795919, rel=REML)
    assert estimate_a.tau == pytest.approx(959.5866625, rel=REML)
    assert estimate_a.lam == pytest.approx(5.6855679, rel=REML)
    likelihood = estimate_a.profile(np.array([estimate_a.lam, np.inf]))["log_likelihood"]
    assert -2 * likelihood[0] == pytest.approx(1805.139194115, rel=EXACT)
    assert 2 * (likelihood[0] - likelihood[1]) == pytest.approx(4.253013743, rel=1e-8)
    sizes = estimate_a.n_evenings, estimate_a.nu, estimate_a.df, estimate_a.groups
    assert sizes == (12, 98, 85, 1)


def test_intervals_agree_with_the_reference(estimate_a):
    """The 90 % profile intervals are the reference's."""
    assert estimate_a.interval("lam") == pytest.approx((1.80565006, 43.93208447), rel=ENDS)
    assert estimate_a.interval("sigma") == pytest.approx((2025.56666, 2612.71852), rel=ENDS)
    assert estimate_a.interval("tau") == pytest.approx((364.924348, 1660.550254), rel=ENDS)


def test_posterior_agrees_with_the_reference(estimate_a):
    """The 5, 50 and 95 % points, P(λ > 6) and the SD of log λ are the reference's."""
    points = {
        "lam": (2.34014961, 6.29640943, 21.54498158),
        "sigma": (2047.361009, 2307.153239, 2622.680325),
        "tau": (511.943948, 918.942367, 1480.14725),
    }
    posterior = estimate_a.posterior
    for name, expected in points.items():
        found = [posterior.quantile(name, p) for p in (0.05, 0.5, 0.95)]
        assert found == pytest.approx(expected, rel=POSTERIOR)
    assert posterior.p_lam_above(6) == pytest.approx(0.52960917, abs=1e-3)
    assert posterior.sd_log_lam == pytest.approx(0.67855004, rel=ENDS)


def test_tau_zero_agrees_with_the_reference(estimate_a):
    """The exact test of τ = 0 gives p = 0.0152 but for the draws, and the seed fixes it."""
    p = estimate_a.tau_zero_p()
    assert p == pytest.approx(0.0152, abs=0.005)  # 4 SE of two runs of 20,000
    assert p == estimate_a.tau_zero_p()


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_likelihood_is_that_of_the_contrasts(seed):
    """The profile over λ is the normal density of the contrasts at its best σ; REML its top."""
    results = season(seed)
    dense, estimate = Dense(results), estimate_variance(results)
    lam = np.array([0.01, 0.5, 6.0, 80.0, 1e9])
    expected = [-dense.profile(x) / 2 for x in lam]
    assert estimate.profile(lam)["log_likelihood"].to_numpy() == pytest.approx(expected, rel=EXACT)
    top = dense.best(lambda x: dense.profile(np.exp(x)))
    assert dense.profile(min(estimate.lam, 1e12)) == pytest.approx(top, abs=1e-6)


@pytest.mark.parametrize("seed", [1, 2, 3, 4])
@pytest.mark.parametrize("level", [0.5, 0.9, 0.999])
def test_ends_of_intervals_lie_on_the_limit(seed, level):
    """At a finite end the best −2 log L, over the other parameter, is χ²₁ above the least."""
    results = season(seed, tau=3000)
    dense, estimate = Dense(results), estimate_variance(results)
    rise = chi2.ppf(level, 1) + dense.profile(min(estimate.lam, 1e12))
    for end in estimate.interval("sigma", level):
        best = dense.best(lambda x, end=end: dense.deviance(end, np.exp(x)))
        assert best == pytest.approx(rise, abs=1e-5)
    for end in estimate.interval("tau", level):
        if end > 0:
            best = dense.best(lambda x, end=end: dense.deviance(end * np.exp(x / 2), np.exp(x)))
            assert best == pytest.approx(rise, abs=1e-5)
    for end in estimate.interval("lam", level):
        assert end == np.inf or dense.profile(end) == pytest.approx(rise, abs=1e-6)


def test_open_ends():
    """λ reaches to ∞ exactly where τ reaches to 0; a wider level contains a narrower one."""
    seen = set()
    for seed in range(12):
        estimate = estimate_variance(season(seed, evenings=8, tau=2000))
        (lo, hi), (tau_lo, _) = estimate.interval("lam"), estimate.interval("tau")
        assert 0 < lo < hi
        assert (hi == np.inf) == (tau_lo == 0)
        wide = estimate.interval("lam", 0.99)
        assert wide[0] < lo and wide[1] >= hi
        seen.add(hi == np.inf)
    assert seen == {True, False}


def test_same_totals_say_nothing_of_tau(same_totals):
    """Without any sign of skill: σ̂ = 892.19 (one degree lost an evening), τ̂ = 0, λ open above."""
    estimate = estimate_variance(same_totals)
    assert estimate.sigma == pytest.approx(np.sqrt((same_totals["result"] ** 2).sum() / 30))
    assert round(estimate.sigma, 2) == 892.19
    assert (estimate.tau, estimate.lam) == (0, np.inf)
    assert estimate.tau_zero_p() == 1
    assert estimate.exact()[1] == np.inf
    assert estimate.interval("tau")[0] == 0 and estimate.interval("lam")[1] == np.inf


def test_scaling_chips_scales_sigma_and_tau(season_a, estimate_a):
    """Counting in other chips scales σ and τ alone, and the order of rows is nothing."""
    c = 1e-3
    scaled = estimate_variance(season_a.assign(result=season_a["result"] * c))
    for name, factor in (("sigma", c), ("tau", c), ("lam", 1)):
        # A maximum found by values alone is good to half the digits.
        expected = factor * getattr(estimate_a, name)
        assert getattr(scaled, name) == pytest.approx(expected, rel=1e-6)
        expected = [factor * x for x in estimate_a.interval(name)]
        assert scaled.interval(name) == pytest.approx(expected, rel=1e-7)
        expected = factor * estimate_a.posterior.quantile(name, 0.2)
        assert scaled.posterior.quantile(name, 0.2) == pytest.approx(expected, rel=EXACT)
    shuffled = estimate_variance(season_a.sample(frac=1, random_state=1))
    assert (shuffled.sigma, shuffled.lam) == (estimate_a.sigma, estimate_a.lam)


def test_tau_zero_null_is_that_of_whole_seasons():
    """P is the share of seasons without skill whose likelihood ratio is as large."""
    results = season(11, evenings=6, tau=1500)
    rng = np.random.default_rng(1)

    def ratio(results):
        estimate = estimate_variance(results)
        likelihood = estimate.profile(np.array([estimate.lam, np.inf]))["log_likelihood"]
        return 2 * (likelihood[0] - likelihood[1])

    seen = ratio(results)
    null = [ratio(results.assign(result=rng.normal(size=len(results)))) for _ in range(400)]
    share = np.mean(np.array(null) >= seen)
    assert 0.1 < share < 0.4
    # 4 SE of 400 seasons
    assert estimate_variance(results).tau_zero_p() == pytest.approx(share, abs=0.08)


@pytest.fixture(scope="module", params=[(2, 6.0, 1.0), (5, 2.0, 0.5)])
def brute(request):
    """A season's estimate, and its posterior on a plain grid of (log λ, log σ)."""
    seed, prior_lam, spread = request.param
    results = season(seed)
    dense = Dense(results)
    log_lam = np.linspace(-6, 6, 400) * spread + np.log(prior_lam)
    log_sigma = np.linspace(np.log(500), np.log(12000), 400)
    lam, sigma = np.exp(log_lam)[:, None], np.exp(log_sigma)
    log_det, R = np.array([dense.parts(x) for x in lam[:, 0]]).T[..., None]
    deviance = 2 * len(dense.u) * log_sigma + log_det + R / sigma**2
    log_p = -((np.log(lam / prior_lam) / spread) ** 2 + deviance) / 2
    p = np.exp(log_p - log_p.max())
    return estimate_variance(results, Prior(prior_lam, spread)), lam, sigma, p / p.sum()


def test_posterior_is_that_of_brute_force(brute):
    """Quantiles, P(λ > λ₀) and the SD of log λ are those of the joint density on a grid."""
    estimate, lam, sigma, p = brute
    draws = {"lam": lam + 0 * sigma, "sigma": sigma + 0 * lam, "tau": sigma / np.sqrt(lam)}
    for name, values in draws.items():
        order = values.ravel().argsort()
        cdf = p.ravel()[order].cumsum()
        for level in (0.05, 0.5, 0.95):
            expected = values.ravel()[order][cdf.searchsorted(level)]
            found = estimate.posterior.quantile(name, level)
            assert found == pytest.approx(expected, rel=0.02)  # one step of the grid is 0.02
    by_lam, x = p.sum(1), np.log(lam[:, 0])
    expected = by_lam[lam[:, 0] > 4].sum()
    assert estimate.posterior.p_lam_above(4) == pytest.approx(expected, abs=0.01)
    sd = np.sqrt(by_lam @ (x - by_lam @ x) ** 2)
    assert estimate.posterior.sd_log_lam == pytest.approx(sd, rel=1e-3)


def test_posterior_densities_integrate_to_one(estimate_a):
    """Over log λ, posterior and prior have area 1."""
    x = np.log(estimate_a.posterior.lam)
    assert np.trapezoid(estimate_a.posterior.density, x) == pytest.approx(1, abs=1e-6)
    assert np.trapezoid(estimate_a.posterior.prior, x) == pytest.approx(1, abs=1e-2)


def test_almost_no_luck_and_hopeless_priors_are_no_trouble():
    """Far out, λ̂ → 0 or a prior miles away, everything stays finite and in order."""
    base = rows(*({"A": 3000, "B": -1000, "C": -2000} for _ in range(6)))
    noise = np.random.default_rng(1).normal(0, 0.1, len(base))
    estimate = estimate_variance(base.assign(result=base["result"] + noise))
    lo, hi = estimate.interval("lam", 0.999)
    assert 0 < lo < estimate.lam < hi < np.inf
    assert estimate.lam < 1e-6
    far = estimate_variance(season(1), Prior(1e8, 0.01)).posterior
    assert far.quantile("lam", 0.5) == pytest.approx(1e8, rel=0.02)
    assert far.sd_log_lam == pytest.approx(0.01, rel=1e-3)
    assert np.isfinite([estimate.posterior.quantile(x, 0.5) for x in ("lam", "sigma", "tau")]).all()


def test_a_large_league_gives_back_what_made_it():
    """200 players over 400 evenings: the 99.9 % intervals hold σ = 2400, τ = 1000, λ = 5.76."""
    estimate = estimate_variance(season(1, players=200, evenings=400, field=8))
    for name, truth in (("sigma", 2400), ("tau", 1000), ("lam", 5.76)):
        lo, hi = estimate.interval(name, 0.999)
        assert lo < truth < hi < 4 * lo


def test_nobody_is_lost_when_groups_never_met():
    """Two groups give one σ and τ; a player alone at an evening changes nothing."""
    a, b = season(1), season(2).assign(player=lambda t: "Q" + t["player"])
    both = pd.concat([a, b.assign(evening=b["evening"] + 100)])
    estimate = estimate_variance(both)
    assert (estimate.groups, estimate.df) == (2, estimate.nu - play_graph(both).rank)
    alone = pd.DataFrame({"evening": [300], "player": ["Z"], "result": [500.0]})
    more = estimate_variance(pd.concat([both, alone]))
    assert more.sigma == pytest.approx(estimate.sigma, rel=1e-6)
    assert more.groups == 3


@pytest.mark.parametrize(
    ("results", "key", "words"),
    [
        (rows({"A": 100, "B": -100}), "no_cycle", "met again .* r = 1"),
        (rows({"A": 100, "B": -100}, {"B": 50, "C": -50}), "no_cycle", "met again .* r = 2"),
        (rows({"A": 0}), "no_cycle", "met again .* r = 0"),
        (rows({"A": 0, "B": 0}, {"A": 0, "B": 0}), "all_zero", "all results are 0"),
        (rows(*[{"A": 0.1, "B": 0.1, "C": 0.1}] * 2), "all_zero", "all results are 0"),
        (rows(*[{"A": 70, "B": -30, "C": -40}] * 3), "no_residual", "every result exactly"),
    ],
)
def test_refusals(results, key, words):
    """Where σ and τ cannot be told apart the estimate is refused, with the reason."""
    with pytest.raises(CannotEstimate, match=words) as refused:
        estimate_variance(results)
    assert refused.value.key == key
    assert isinstance(refused.value, ValueError)


def test_wrong_arguments(season_a, estimate_a):
    """Levels beyond 0 to 1 and priors that are not positive are refused."""
    for level in (0, 1, 90):
        with pytest.raises(ValueError, match=f"between 0 and 1, not {level}"):
            estimate_a.interval("lam", level)
        with pytest.raises(ValueError, match=f"between 0 and 1, not {level}"):
            estimate_a.exact(level)
        with pytest.raises(ValueError, match=f"between 0 and 1, not {level}"):
            estimate_a.sigma_robust(level)
    for prior in ((0, 1), (6, -1), (np.nan, 1), (6, np.inf)):
        with pytest.raises(ValueError, match="positive numbers"):
            Prior(*prior)
    for asked in (estimate_a.interval, partial(estimate_a.posterior.quantile, p=0.5)):
        with pytest.raises(ValueError, match="\"lam\", not 'lambda'"):
            asked("lambda")


def test_the_jackknife_leaves_each_evening_out(estimate_a, season_a):
    """By its formula from estimates of the tables without each evening, and as the reference."""
    low, high = estimate_a.sigma_robust(0.9)
    assert (low, high) == pytest.approx((2047.8141490, 2599.3355252), rel=ENDS)
    rest = [season_a[season_a["evening"] != s] for s in season_a["evening"].unique()]
    psi = np.log([estimate_variance(one).posterior.quantile("sigma", 0.5) for one in rest])
    error = np.sqrt(11 / 12 * ((psi - psi.mean()) ** 2).sum())
    middle = np.log(estimate_a.posterior.quantile("sigma", 0.5))
    expected = np.exp(middle + t.ppf([0.05, 0.95], 11) * error)
    assert (low, high) == pytest.approx(expected, rel=EXACT)


def test_the_jackknife_needs_five_evenings():
    """Four evenings allow none; of more than fifty, groups are left out."""
    assert estimate_variance(season(1, evenings=4)).sigma_robust() is None
    many = season(1, evenings=53)
    groups = [many[(many["evening"] - 1) % 50 != k] for k in range(50)]
    psi = [np.log(estimate_variance(one).posterior.quantile("sigma", 0.5)) for one in groups]
    error = np.sqrt(49 * np.var(psi))
    low, high = estimate_variance(many).sigma_robust()
    assert np.log(high / low) / 2 == pytest.approx(t.ppf(0.95, 49) * error, rel=1e-7)


def test_the_prior_table_has_the_priors(estimate_a, season_a):
    """Each row is the posterior under its own prior; the weight is read off spread 1."""
    table = estimate_a.posterior.prior_table
    assert table["lam"].tolist() == [3, 3, 6, 6, 12, 12, 18, 18]
    for lam, spread, *medians in table.itertuples(index=False):
        posterior = estimate_variance(season_a, Prior(lam, spread)).posterior
        expected = [posterior.quantile(name, 0.5) for name in ("lam", "sigma")]
        assert medians == pytest.approx(expected, rel=EXACT)
    wide = table[table["spread"] == 1].set_index("lam")["lam_median"]
    assert estimate_a.posterior.prior_weight == pytest.approx(
        np.log(wide[18] / wide[3]) / np.log(6)
    )


def test_sigma_at_lambda(estimate_a):
    """√(R(λ)/ν) is σ̂ at the REML λ."""
    assert estimate_a.sigma_at(estimate_a.lam) == pytest.approx(estimate_a.sigma, rel=EXACT)
