"""What the results make of the prior of λ: one-dimensional, exact but for the grid.

    p(λ | y) ∝ p(λ) Π(1 + d_k/λ)^(−½) R(λ)^(−ν/2),   σ² | λ, y = R/χ²_ν

with p(λ) the `Prior`, per unit of log λ, and σ flat in log σ: nothing depends on the unit of the
chips. Seasons that are linked have a likelihood for each ρ (see `linked`); their posterior is one
of λ and ρ together, ρ uniform.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import chdtri, gammaincc, gammaln, ndtri

from ..season.settings import Prior
from .likelihood import Likelihood, log_joint

SYMBOLS = {"sigma": "σ", "tau": "τ", "lam": "λ"}  # of the parameters, by name
# Other priors the posterior is held against, and the spread at which its weight is told.
PRIOR_LAMS, PRIOR_SPREADS = (3.0, 6.0, 12.0, 18.0), (0.5, 1.0)


@dataclass(frozen=True, repr=False)
class Posterior:
    """Of λ, and of σ and τ given λ.

    `lam`, shape (n,), is a grid, even in log λ, of all that has e⁻²⁵ of the peak or more;
    `density` and `prior` are per unit of log λ. `joint`, shape (k, n), is the probability of each
    of the k `models` (each ρ; a single season has one) and λ, `R` their R(λ) in chips².
    """

    lam: np.ndarray
    density: np.ndarray
    prior: np.ndarray
    joint: np.ndarray
    R: np.ndarray
    models: Sequence[Likelihood]

    def __repr__(self) -> str:
        low, mid, high = (self.quantile("lam", p) for p in (0.05, 0.5, 0.95))
        return f"Posterior(lam={mid:.3g}, 90 % within {low:.3g} and {high:.3g})"

    @property
    def nu(self) -> int:
        """ν, the observations."""
        return self.models[0].nu

    @cached_property
    def weight(self) -> np.ndarray:
        """Probability of each λ of the grid."""
        return self.joint.sum(0)

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
        if known(name) == "lam":
            return float(np.exp(np.interp(p, self._cdf, np.log(self.lam))))
        # σ² = R/χ²_ν and τ² = σ²/λ, so P(σ² ≤ s) = Σ_λ p(λ) P(χ²_ν ≥ R/s).
        # Sums of a smooth density over an even grid converge fast: each second point will do.
        scale = (self.R / (self.lam if name == "tau" else 1.0))[:, ::2].ravel()
        weight = self.joint[:, ::2].ravel() / self.joint[:, ::2].sum()
        given_lam = np.log(scale / chdtri(self.nu, p))
        low, high = given_lam.min() - 1e-6, given_lam.max() + 1e-6  # the mixture's lies between
        a, middle, step = self.nu / 2, np.log(scale / self.nu), 1.0
        mean = weight @ middle
        spread = np.sqrt(weight @ (middle - mean) ** 2 + 1 / a)
        x = min(max(mean + ndtri(p) * spread, low), high)
        while abs(step) > 1e-5:  # Halley's steps: what is left is its cube
            half = scale * np.exp(-x) / 2
            miss = weight @ gammaincc(a, half) - p
            mass = weight * np.exp(a * np.log(half) - half - gammaln(a))
            slope = mass.sum()
            low, high = (x, high) if miss < 0 else (low, x)
            step = miss / (slope - miss * (mass @ (half - a)) / (2 * slope)) if slope else np.inf
            if not low <= x - step <= high:
                step = x - (low + high) / 2
            x -= step
        return float(np.exp(x / 2))

    @cached_property
    def prior_table(self) -> pd.DataFrame:
        """What other priors lead to: `lam`, `spread`, `lam_median`, `sigma_median` (chips)."""
        cells = [(lam, spread) for lam in PRIOR_LAMS for spread in PRIOR_SPREADS]
        others = [posterior(self.models, Prior(*cell)) for cell in cells]
        medians = [[one.quantile(name, 0.5) for name in ("lam", "sigma")] for one in others]
        columns = ["lam", "spread", "lam_median", "sigma_median"]
        return pd.DataFrame(np.hstack([cells, medians]), columns=columns)

    @property
    def prior_weight(self) -> float:
        """How much the prior decides about λ: 0 the results alone, 1 the prior alone.

        [log med(18) − log med(3)]/log 6 at spread 1, med the posterior median under that prior.
        """
        table = self.prior_table
        wide = np.log(table[table["spread"] == 1].set_index("lam")["lam_median"])
        low, high = PRIOR_LAMS[0], PRIOR_LAMS[-1]
        return float((wide[high] - wide[low]) / np.log(high / low))

    @cached_property
    def _cdf(self) -> np.ndarray:
        return self.weight.cumsum() - self.weight / 2


def known(name: str) -> str:
    """The name of a parameter, if it is one; else ValueError."""
    if name not in SYMBOLS:
        raise ValueError(f'the parameters are called "sigma", "tau" and "lam", not {name!r}')
    return name


def posterior(models: Sequence[Likelihood], prior: Prior) -> Posterior:
    """The posterior under a prior of λ, all models equally likely."""
    ends = [*prior.reach, *(end for model in models for end in model.grid()[[0, -1]])]
    low, high = min(ends), max(ends)
    for _ in range(3):  # closes in on where the density is
        x, step = np.linspace(low, high, 401, retstep=True)
        R, log_p = log_joint(models, x, prior.log_density(x))
        kept = x[(log_p > -25).any(0)]
        low, high = kept[0] - step, kept[-1] + step
    joint = np.exp(log_p) / np.exp(log_p).sum()
    before = np.exp(prior.log_density(x))
    return Posterior(np.exp(x), joint.sum(0) / step, before, joint, R, models)
