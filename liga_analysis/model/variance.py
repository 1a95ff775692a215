"""σ, τ and λ from the results: REML, intervals, posterior, and what to do about them.

All of it by the likelihood of `likelihood`, in x = log λ; x = ∞ is τ = 0. It is REML with a fixed
effect for every evening, as lme4, mgcv and statsmodels have it.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import chdtri, fdtri, gammaincc, lambertw

from .likelihood import Likelihood, likelihood, peak
from .rating import PlayGraph, play_graph

LEAST_DF = 15  # comparisons beyond the ratings, below which nothing is advised


@dataclass(frozen=True)
class Posterior:
    """p(λ | y) ∝ N(log λ; log prior_lam, spread²) Π(1 + d_k/λ)^(−½) R(λ)^(−ν/2), σ² | λ = R/χ²_ν.

    `lam` is a grid, even in log λ, of all that has e⁻²⁵ of the peak or more; `density` and `prior`
    are per unit of log λ; `R` in chips².
    """

    lam: np.ndarray
    density: np.ndarray
    prior: np.ndarray
    R: np.ndarray
    nu: int

    @property
    def weight(self) -> np.ndarray:
        """Probability of each λ of the grid."""
        return self.density / self.density.sum()

    @property
    def sd_log_lam(self) -> float:
        """Standard deviation of log λ."""
        x = np.log(self.lam)
        return float(np.sqrt(self.weight @ (x - self.weight @ x) ** 2))

    def p_lam_above(self, lam: float) -> float:
        """P(λ > lam | y)."""
        return float(1 - np.interp(np.log(lam), np.log(self.lam), self._cdf))

    def quantile(self, name: str, p: float) -> float:
        """The p-quantile of "sigma", "tau" (chips) or "lam"; exact mixtures over λ, no draws."""
        if name == "lam":
            return float(np.exp(np.interp(p, self._cdf, np.log(self.lam))))
        # σ² = R/χ²_ν and τ² = σ²/λ, so P(σ² ≤ s) = Σ_λ p(λ) P(χ²_ν ≥ R/s).
        # Sums of a smooth density over an even grid converge fast: each second point will do.
        scale = (self.R / {"sigma": 1.0, "tau": self.lam}[name])[::2]
        weight = self.weight[::2] / self.weight[::2].sum()
        given_lam = np.log(scale / chdtri(self.nu, p))  # the mixture's quantile lies among these

        def miss(x):
            return weight @ gammaincc(self.nu / 2, scale * np.exp(-x) / 2) - p

        x = brentq(miss, given_lam.min() - 1e-6, given_lam.max() + 1e-6)
        return float(np.exp(x / 2))

    @property
    def _cdf(self) -> np.ndarray:
        return self.weight.cumsum() - self.weight / 2


@dataclass(frozen=True)
class Estimate:
    """REML estimates, and on demand all else the results say about σ, τ and λ.

    `sigma` and `tau` are in chips; `lam` is ∞ where τ̂ = 0, which is "this season cannot tell", not
    "no skill". `nu` = Σ(n_s − 1), `df` = ν − r; `groups` of players have never met one another.
    """

    sigma: float
    tau: float
    lam: float
    n_evenings: int
    nu: int
    df: int
    groups: int
    prior_lam: float
    prior_spread: float
    graph: PlayGraph = field(repr=False)
    _likelihood: Likelihood = field(repr=False)

    def profile(self, lam: np.ndarray) -> pd.DataFrame:
        """Columns `lam` and `log_likelihood`, the best over σ at each λ."""
        log_likelihood = -self._likelihood.deviance(np.log(lam)) / 2
        return pd.DataFrame({"lam": lam, "log_likelihood": log_likelihood})

    def interval(self, name: str, level: float = 0.9) -> tuple[float, float]:
        """Profile-likelihood interval of "sigma", "tau" (chips) or "lam".

        All values with −2 log L within the χ²₁ quantile of its minimum; where τ = 0 is among them,
        λ reaches to ∞ and τ from 0.
        """
        _check(level)
        model, grid, best = self._likelihood, self._likelihood.grid(), np.log(self.lam)
        limit = model.deviance(best) + chdtri(1, 1 - level)

        def excess(x):
            return model.deviance(x) - limit

        # The outermost crossings, should the likelihood have two humps.
        inside = np.append(grid[excess(grid) <= 0], min(best, grid[-1]))
        low, high = inside.min(), inside.max()
        is_open = high == grid[-1]
        low = brentq(excess, grid[grid < low][-1], low)
        high = high if is_open else brentq(excess, high, grid[grid > high][0])
        if name == "lam":
            return float(np.exp(low)), np.inf if is_open else float(np.exp(high))
        power = {"sigma": 0, "tau": 1}[name]

        def log_square(x, branch):
            # Given λ, σ² = R/(νu) is inside while u − log u ≤ 1 − excess/ν, that is between the
            # two u = −W(−exp(excess/ν − 1)), which scipy cannot do at 0; and τ² = σ²/λ.
            u = -lambertw(-np.exp(np.minimum(excess(x) / self.nu, -1e-12) - 1), branch).real
            return np.log(model.R(x) / (self.nu * u)) - power * x

        least = -peak(lambda x: -log_square(x, -1), np.linspace(low, high, 61))[1]
        most = peak(lambda x: log_square(x, 0), np.linspace(low, high, 61))[1]
        return 0.0 if power and is_open else float(np.exp(least / 2)), float(np.exp(most / 2))

    def pivot(self, level: float = 0.9) -> tuple[float, float] | None:
        """Exact interval of λ, ∞ where open; None if empty: players more alike than luck allows.

        F(γ) = [Σ w_k/(1 + γd_k)/r] / [RSS₀/(ν − r)] ~ F(r, ν − r) at the true γ.
        """
        _check(level)
        model, r = self._likelihood, len(self._likelihood.d)

        def F(x):
            return (model.R(x) / model.rss - 1) / r * self.df

        def crossing(f):
            # F(0)/(1 + γd) at the smallest and at the largest d has F(γ) in between.
            ends = np.log(model.d[[0, -1]] / (F(np.inf) / f - 1)) + [-1e-6, 1e-6]
            return float(np.exp(brentq(lambda x: F(x) - f, *ends)))

        low, high = fdtri(r, self.df, [(1 - level) / 2, (1 + level) / 2])
        if F(np.inf) <= low:
            return None
        return crossing(low), crossing(high) if F(np.inf) > high else np.inf

    def tau_zero_p(self, draws: int = 20_000, seed: int = 1) -> float:
        """P-value of τ = 0: likelihood ratio against its exact null, drawn from the spectrum.

        If τ = 0, w_k ~ σ²χ²₁ and RSS₀ ~ σ²χ²_(ν−r), independent, and σ cancels. One grid of λ
        maximises data and draws alike, so that its step costs no exactness.
        """
        model, rng, r = self._likelihood, np.random.default_rng(seed), len(self._likelihood.d)
        reach = np.log(self.nu) + 7
        x = np.arange(np.log(model.d[0]) - reach, np.log(model.d[-1]) + reach, 0.1)
        shrunk, log_det = 1 / (1 + np.outer(model.d, np.exp(-x))), model.log_det(x)

        def ratio(w, rss):
            gain = np.log(rss + w.sum(1, keepdims=True)) - np.log(rss + w @ shrunk)
            return np.maximum((self.nu * gain - log_det).max(1), 0)

        observed, reached = ratio(model.w[None], model.rss), 0
        for start in range(0, draws, 1000):  # in pieces, to bound the memory
            n = min(1000, draws - start)
            w, rss = rng.standard_normal((n, r)) ** 2, rng.chisquare(self.df, (n, 1))
            reached += int((ratio(w, rss) >= observed).sum())
        return (1 + reached) / (1 + draws)

    @cached_property
    def posterior(self) -> Posterior:
        """What the results make of the prior."""
        model, centre, spread = self._likelihood, np.log(self.prior_lam), self.prior_spread
        reach = [*model.grid()[[0, -1]], centre - 10 * spread, centre + 10 * spread]
        low, high = min(reach), max(reach)
        for _ in range(3):  # closes in on where the density is
            x, step = np.linspace(low, high, 401, retstep=True)
            log_prior = -(((x - centre) / spread) ** 2) / 2
            R = model.R(x)
            log_p = log_prior - (self.nu * np.log(R) + model.log_det(x)) / 2
            log_p -= log_p.max()
            kept = x[log_p > -25]
            low, high = kept[0] - step, kept[-1] + step
        density = np.exp(log_p) / np.exp(log_p).sum() / step
        prior = np.exp(log_prior) / (spread * np.sqrt(2 * np.pi))
        return Posterior(np.exp(x), density, prior, R, self.nu)


class Recommendation(NamedTuple):
    """What to do (`action`: "keep", "move", "wait") and what would then be in force.

    `reason` is a key, `values` what its text needs. wait: too_few_evenings (evenings, needed),
    too_few_df (df, needed), pivot_empty, nothing_learned (sd, prior_sd of log λ). move: lam_above,
    lam_below (p: probability of that side of the λ in force), sigma_outside (low, high: 90 %
    posterior interval). keep: in_keeping (p: P(λ > λ in force)).
    """

    action: str
    sigma: float
    tau: float
    lam: float
    reason: str
    values: dict


def estimate_variance(
    results: pd.DataFrame | PlayGraph, prior_lam: float = 6.0, prior_spread: float = 1.0
) -> Estimate:
    """σ, τ and λ by REML from `evening`, `player`, `result` (chips) or the graph made of them.

    The prior, log λ ~ N(log prior_lam, prior_spread²) and log σ flat, bears on the posterior alone.

    Raises
    ------
    CannotEstimate
        If ν = r (no cycle), q = 0, or RSS₀ ≤ 1e-12·q.
    ValueError
        If the table is unusable (see `play_graph`) or the prior not positive.
    """
    if not (0 < prior_lam < np.inf and 0 < prior_spread < np.inf):
        raise ValueError(f"the prior needs positive numbers, not {prior_lam} and {prior_spread}")
    graph = results if isinstance(results, PlayGraph) else play_graph(results)
    model = likelihood(graph)
    x, highest = peak(lambda x: -model.deviance(x), model.grid())
    lam = float(np.exp(x)) if model.deviance(np.inf) + highest > 1e-8 else np.inf
    sigma = float(np.sqrt(model.R(np.log(lam)) / model.nu))
    sizes = len(graph.evenings), model.nu, model.nu - graph.rank, graph.n_players - graph.rank
    return Estimate(sigma, sigma / lam**0.5, lam, *sizes, prior_lam, prior_spread, graph, model)


def averaged_ratings(estimate: Estimate) -> pd.DataFrame:
    """`theta` and `se` by player (chips), averaged over the posterior of λ and σ.

    Mixture mean; variance = mean of the variances (infinite at ν = 2) + variance of the means.
    """
    graph, posterior = estimate.graph, estimate.posterior
    d, V, z = graph.spectrum
    inverse = 1 / (d[:, None] + posterior.lam)
    theta = V @ (z[:, None] * inverse)  # by player and λ
    mean = theta @ posterior.weight
    within = V**2 @ (inverse @ (posterior.R * posterior.weight))
    within = within / (graph.nu - 2) if graph.nu > 2 else np.inf  # E[σ² | λ] = R/(ν − 2)
    between = (theta - mean[:, None]) ** 2 @ posterior.weight
    return pd.DataFrame({"theta": mean, "se": np.sqrt(within + between)}, graph.players)


def recommendation(estimate: Estimate, lam: float, sigma: float) -> Recommendation:
    """What the written rule says about the λ and σ (chips) in force; it adopts nothing."""

    def advice(action, reason, lam=lam, sigma=sigma, **values):
        return Recommendation(action, sigma, sigma / lam**0.5, lam, reason, values)

    if estimate.n_evenings < 5:
        return advice("wait", "too_few_evenings", evenings=estimate.n_evenings, needed=5)
    if estimate.df < LEAST_DF:
        return advice("wait", "too_few_df", df=estimate.df, needed=LEAST_DF)
    if estimate.pivot() is None:
        return advice("wait", "pivot_empty")
    posterior = estimate.posterior
    low, median, high = (posterior.quantile("sigma", p) for p in (0.05, 0.5, 0.95))
    above, sd = posterior.p_lam_above(lam), posterior.sd_log_lam
    if max(above, 1 - above) >= 0.75:  # odds of 3 to 1
        reason, p = ("lam_above", above) if above > 0.5 else ("lam_below", 1 - above)
        return advice("move", reason, posterior.quantile("lam", 0.5), median, p=p)
    if sd > 0.9 * estimate.prior_spread:
        return advice("wait", "nothing_learned", sd=sd, prior_sd=estimate.prior_spread)
    if not low <= sigma <= high:
        return advice("move", "sigma_outside", sigma=median, low=low, high=high)
    return advice("keep", "in_keeping", p=above)


def _check(level):
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
