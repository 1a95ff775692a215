"""σ, τ and λ from a season's results: REML, intervals, posterior.

All of it by the likelihood of `likelihood`, in x = log λ; x = ∞ is τ = 0. It is REML with a fixed
effect for every evening, as lme4, mgcv and statsmodels have it.
"""

from contextlib import suppress
from dataclasses import dataclass
from functools import cache, cached_property, partial

import numpy as np
import pandas as pd
import scipy  # loads scipy.optimize when it is asked
from scipy.special import chdtrc, chdtri, lambertw, stdtrit

from ..season.settings import Prior
from .exact import LikelihoodRatio
from .graph import PlayGraph, play_graph
from .likelihood import CannotEstimate, Likelihood, likelihood, peak
from .posterior import Posterior, known, posterior

GROUPS = 50  # evenings beyond are left out together, so that the jackknife's work is bounded
LEAST_EVENINGS = 5  # of which each can be left out, for the jackknife to say anything


@dataclass(frozen=True, repr=False)
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
    prior: Prior
    graph: PlayGraph
    _likelihood: Likelihood
    _grid: tuple[np.ndarray, np.ndarray]  # log λ, −2 log L

    def __repr__(self) -> str:
        numbers = f"sigma={self.sigma:.5g}, tau={self.tau:.5g}, lam={self.lam:.3g}"
        return f"Estimate({numbers}; {self.n_evenings} evenings)"

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
        return self._intervals(level)[known(name)]

    @cached_property
    def _intervals(self):
        grid, deviance = self._grid
        return cache(partial(_profile_intervals, self._likelihood, self.lam, grid, deviance))

    @property
    def method(self) -> str:
        """How the likelihood is computed: "spectrum", above 3,000 players "quadrature"."""
        return "spectrum" if self._likelihood.t is None else "quadrature"

    @property
    def error(self) -> float | None:
        """Standard error of log λ̂ by quadrature, as a share of that of log λ; None by spectrum."""
        return self._likelihood.error

    def exact(self, level: float = 0.9) -> tuple[float, float] | None:
        """Exact interval of λ, ∞ where open, by the likelihood ratio's own null; see `exact`.

        None above 3,000 players, where the profile interval is as good.
        """
        _check(level)
        return self._ratio.interval(level) if self.method == "spectrum" else None

    def tau_zero_p(self) -> float:
        """P-value of τ = 0 by the draws of `exact`: above 1 − level where that is open.

        Above 3,000 players by its limit, half a χ² of one degree of freedom.
        """
        if self.method == "spectrum":
            return self._ratio.p(np.inf)
        ratio = self._likelihood.deviance(np.inf) - self._likelihood.deviance(np.log(self.lam))
        return float(chdtrc(1, ratio) / 2) if ratio > 0 else 1.0

    @cached_property
    def _ratio(self) -> LikelihoodRatio:
        return LikelihoodRatio(self._likelihood)

    @cached_property
    def posterior(self) -> Posterior:
        """What the results make of the prior."""
        return posterior([self._likelihood], self.prior)

    @cached_property
    def without(self) -> list[Likelihood]:
        """The likelihoods with each evening left out, where they still tell σ from τ.

        Beyond 50 evenings groups are left out, evening k (from 0) in group k mod 50.
        """
        group, models = np.arange(self.n_evenings) % GROUPS, []
        for k in np.unique(group):
            with suppress(CannotEstimate):
                models.append(likelihood(self.graph.at_evenings(group != k)))
        return models

    def sigma_robust(self, level: float = 0.9) -> tuple[float, float] | None:
        """Interval of σ, in chips, that holds also where luck is not normal: the jackknife.

        exp(ψ ± t·SE) with ψ the log of the posterior median of σ, ψ₋ₛ the same without evening s,
        SE² = (S′ − 1)/S′ · Σ(ψ₋ₛ − mean)² and t of S′ − 1 degrees of freedom; None where fewer than
        five evenings can be left out.
        """
        _check(level)
        if len(self.without) < LEAST_EVENINGS:
            return None
        t = stdtrit(len(self.without) - 1, (1 + level) / 2)
        posteriors = (posterior([one], self.prior) for one in self.without)
        left = [np.log(one.quantile("sigma", 0.5)) for one in posteriors]
        error = np.sqrt((len(left) - 1) * np.var(left))
        middle = self.posterior.quantile("sigma", 0.5)
        return float(middle * np.exp(-t * error)), float(middle * np.exp(t * error))

    def sigma_at(self, lam):
        """σ̂ at λ, √(R(λ)/ν), in chips; number or array."""
        return np.sqrt(self._likelihood.R(np.log(lam)) / self.nu)


def estimate_variance(results: pd.DataFrame | PlayGraph, prior: Prior | None = None) -> Estimate:
    """σ, τ and λ by REML from `evening`, `player`, `result` (chips) or the graph made of them.

    The prior, that of λ and log σ flat, bears on the posterior alone.

    Parameters
    ----------
    results : DataFrame or PlayGraph
        One row per player and evening; a column `weight` is not known here.
    prior : Prior, optional
        What is believed of λ before the season; by default log λ ~ N(log 6, 1).

    Returns
    -------
    Estimate

    Raises
    ------
    CannotEstimate
        If ν = r (no cycle), q = 0, or RSS₀ ≤ 1e-12·q.
    ValueError
        If the table is unusable (see `play_graph`).

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> est = liga.estimate_variance(season.results)
    >>> est
    Estimate(sigma=2469.1, tau=1308.1, lam=3.56; 12 evenings)
    """
    graph = results if isinstance(results, PlayGraph) else play_graph(results)
    model = likelihood(graph)
    grid = model.grid()
    deviance = model.deviance(grid)
    x, highest = peak(lambda x: -model.deviance(x), grid, -deviance)
    lam = float(np.exp(x)) if model.deviance(np.inf) + highest > 1e-8 else np.inf
    sigma = float(np.sqrt(model.R(np.log(lam)) / model.nu))
    sizes = len(graph.evenings), model.nu, model.nu - graph.rank, graph.n_players - graph.rank
    given = *sizes, prior or Prior(), graph, model, (grid, deviance)
    return Estimate(sigma, sigma / lam**0.5, lam, *given)


def _profile_intervals(model: Likelihood, lam: float, grid, deviance, level: float) -> dict:
    """Profile-likelihood intervals by name, from λ̂ and −2 log L over a grid of log λ."""
    best = np.log(lam)
    limit = model.deviance(best) + chdtri(1, 1 - level)

    def excess(x):
        return model.deviance(x) - limit

    # The outermost crossings, should the likelihood have two humps.
    inside = np.append(grid[deviance <= limit], min(best, grid[-1]))
    low, high = inside.min(), inside.max()
    is_open = high == grid[-1]
    low = scipy.optimize.brentq(excess, grid[grid < low][-1], low)
    high = high if is_open else scipy.optimize.brentq(excess, high, grid[grid > high][0])
    # The least and the most of σ², the least and the most of τ²:
    sign, branch, power = np.array([[-1, -1, 0], [1, 0, 0], [-1, -1, 1], [1, 0, 1]]).T[..., None]

    def log_square(angle):
        # Given λ, σ² = R/(νu) is inside while u − log u ≤ 1 − excess/ν, that is between the two
        # u = −W(−exp(excess/ν − 1)), which scipy cannot do at 0; and τ² = σ²/λ. Towards the ends u
        # goes like a root: even steps in an angle see that.
        x = low + (high - low) * np.sin(angle) ** 2
        R, log_det = model.sums(x)
        over = np.log(2 * np.pi * R / model.nu) + 1 + (log_det - limit) / model.nu
        u = -lambertw(-np.exp(np.minimum(over, -1e-12) - 1), branch).real
        return sign * (np.log(R / (model.nu * u)) - power * x)

    angle, row, step = np.linspace(0, np.pi / 2, 61)[None], np.arange(4), np.pi / 120
    y, around = log_square(angle), np.linspace(-1, 1, 11)
    for _ in range(3):  # grids that close in, then the top of a parabola
        centre = (angle + 0 * power)[row, y.argmax(1), None]
        angle = centre + step * around
        y, step = log_square(angle), step / 5
    k = y.argmax(1).clip(1, 9)
    before, at, after = (y[row, k + i] for i in (-1, 0, 1))
    bend = np.minimum(before - 2 * at + after, -1e-300)
    least_sigma, sigma, least_tau, tau = np.exp(
        sign[:, 0] * (at - (after - before) ** 2 / (8 * bend)) / 2
    )
    return {
        "lam": (float(np.exp(low)), np.inf if is_open else float(np.exp(high))),
        "sigma": (float(least_sigma), float(sigma)),
        "tau": (0.0 if is_open else float(least_tau), float(tau)),
    }


def _check(level):
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not {level}")
