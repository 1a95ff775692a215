"""The likelihood of σ, τ and λ, by its sufficient statistics.

With G = V diag(d) Vᵀ, z = Vᵀh, γ = 1/λ = τ²/σ² (see `rating`) and w_k = z_k²/d_k over the d_k > 0,

    R(γ) = q − Σ z_k²/(d_k + λ) = RSS₀ + Σ w_k/(1 + γd_k),   RSS₀ = q − Σ w_k
    −2 log L = ν log(2πσ²) + Σ log(1 + γd_k) + R(γ)/σ²,      σ̂²(γ) = R(γ)/ν

so that each λ costs O(p). Inside, x = log λ; x = ∞ is γ = 0.
"""

from typing import NamedTuple

import numpy as np

from .rating import PlayGraph

REFUSALS = {
    "no_cycle": "nobody met again in a way that tells skill from luck (ν = r = {nu})",
    "all_zero": "all results are 0: there is no spread to estimate",
    "no_residual": "ratings explain every result exactly: there is no luck left to estimate",
}


class CannotEstimate(ValueError):
    """The results allow no estimate; `key` (one of REFUSALS) and `values` say why."""

    def __init__(self, key: str, **values):
        super().__init__(REFUSALS[key].format(**values))
        self.key, self.values = key, values


class Likelihood(NamedTuple):
    """The likelihood by its sufficient statistics, at x = log λ (number or array)."""

    nu: int
    d: np.ndarray
    w: np.ndarray
    rss: float

    def R(self, x):
        return self.rss + (1 / (1 + np.exp(-x)[..., None] * self.d)) @ self.w

    def log_det(self, x):
        return np.log1p(np.exp(-x)[..., None] * self.d).sum(-1)

    def deviance(self, x):  # −2 log L at σ̂²(γ)
        return self.nu * (np.log(2 * np.pi * self.R(x) / self.nu) + 1) + self.log_det(x)

    def grid(self):
        # Below, R ≤ RSS₀(1 + 1/ν) while log det grows; above, it is γ = 0 to 1e-8. Every term is a
        # logistic curve in x, so a step of 0.2 misses nothing.
        low = np.log(self.d[0] * self.rss / self.R(np.inf) / self.nu) - 50
        return np.arange(low, np.log(self.d[-1] * self.nu) + 18, 0.2)


def likelihood(graph: PlayGraph) -> Likelihood:
    """The likelihood of a play graph.

    Raises
    ------
    CannotEstimate
        If ν = r (no cycle), q = 0, or RSS₀ ≤ 1e-12·q.
    """
    nu, r = graph.nu, graph.rank
    if nu == r:
        raise CannotEstimate("no_cycle", nu=nu)
    if graph.q <= 1e-24 * (graph.imbalance @ graph.imbalance):  # 0.1 less the mean of 0.1s is 1e-17
        raise CannotEstimate("all_zero")
    d, z = graph.spectrum.d[-r:], graph.spectrum.z[-r:]
    rss = graph.q - (z**2 / d).sum()
    if rss <= 1e-12 * graph.q:
        raise CannotEstimate("no_residual")
    return Likelihood(nu, d, z**2 / d, rss)


def peak(f, x):
    """Where f is largest and how large, zooming in from the best point of the grid x."""
    y = f(x)
    for _ in range(5):  # each narrows the gap to a twentieth
        i = int(y.argmax())
        x = np.linspace(x[max(i - 1, 0)], x[min(i + 1, len(x) - 1)], 41)
        y = f(x)
    return x[y.argmax()], y.max()
