"""The likelihood of σ, τ and λ, by its sufficient statistics.

With G = V diag(d) Vᵀ, z = Vᵀh, γ = 1/λ = τ²/σ² (see `rating`) and w_k = z_k²/d_k over the d_k > 0,

    R(γ) = q − Σ z_k²/(d_k + λ) = RSS₀ + Σ w_k/(1 + γd_k),   RSS₀ = q − Σ w_k
    −2 log L = ν log(2πσ²) + Σ log(1 + γd_k) + R(γ)/σ²,      σ̂²(γ) = R(γ)/ν

so that each λ costs O(p). Inside, x = log λ; x = ∞ is γ = 0.

Both sums are of the form vᵀf(G)v. In a group of players too large for its spectrum they come from
the few nodes and weights of a quadrature that serves all λ at once: from v = h for R, and for
Σ log = tr log(I + γG) from probes v of ±1, whose number decides how exact it is.
"""

from collections.abc import Sequence
from functools import partial
from itertools import chain
from typing import NamedTuple

import numpy as np

from ..season.settings import Prior
from .graph import PlayGraph
from .large import PIECE, PROBE_ERROR, STEPS, Lanczos, solve

STEADY = 1e-6  # change of ν log R and of Σ log by which the steps are enough
PROBE_SHARE = 0.05  # what the probes may move λ by, in standard deviations of log λ,
PROBE_MOVE = 0.002  # and as a share of λ
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
    """The likelihood by its sufficient statistics, at x = log λ (number or array).

    R = rss + Σ w/(1 + γd); Σ log(1 + γd_k) is Σ c log(1 + γt) where it has nodes t and weights c of
    its own, and `error` then what the probes leave open of log λ, as a share of its own standard
    deviation.
    """

    nu: int
    d: np.ndarray
    w: np.ndarray
    rss: float
    t: np.ndarray | None = None
    c: np.ndarray | None = None
    error: float | None = None

    def R(self, x):
        return self.rss + _in_pieces(lambda gamma: (1 / (1 + gamma * self.d)) @ self.w, x, self.d)

    def log_det(self, x):
        if self.t is None:
            return self.sums(x)[1]
        return _in_pieces(lambda gamma: np.log1p(gamma * self.t) @ self.c, x, self.t)

    def sums(self, x):  # R and log_det
        if self.t is not None:
            return self.R(x), self.log_det(x)

        def both(gamma):
            rise, sums = gamma * self.d, np.empty((2, *gamma.shape[:-1]))
            np.log1p(rise).sum(-1, out=sums[1, ...])
            rise += 1
            np.matmul(np.divide(1, rise, out=rise), self.w, out=sums[0, ...])
            return sums

        R, log_det = _in_pieces(both, x, self.d)
        return self.rss + R, log_det

    def deviance(self, x):  # −2 log L at σ̂²(γ)
        R, log_det = self.sums(x)
        return self.nu * (np.log(2 * np.pi * R / self.nu) + 1) + log_det

    def grid(self):
        # Below, R ≤ RSS₀(1 + 1/ν) while log det grows; above, it is γ = 0 to 1e-8. Every term is a
        # logistic curve in x, so a step of 0.2 misses nothing.
        low = np.log(self.d.min() * self.rss / self.R(np.inf) / self.nu) - 50
        return np.arange(low, np.log(self.d.max() * self.nu) + 18, 0.2)


def _in_pieces(f, x, d):
    """F at γ = e⁻ˣ, a last axis for the nodes d; a bounded number of x at a time."""
    gamma = np.exp(-x)[..., None]
    if gamma.size * len(d) <= PIECE:
        return f(gamma)
    parts = np.array_split(gamma.reshape(-1, 1), gamma.size * len(d) // PIECE + 1)
    values = np.concatenate([f(part) for part in parts], -1)
    return values.reshape(values.shape[:-1] + np.shape(x))


def likelihood(graph: PlayGraph) -> Likelihood:
    """The likelihood of a graph; CannotEstimate if ν = r (no cycle), q = 0, or RSS₀ ≤ 1e-12·q."""
    nu, r = graph.nu, graph.rank
    if nu == r:
        raise CannotEstimate("no_cycle", nu=nu)
    if graph.q <= 1e-24 * (graph.imbalance @ graph.imbalance):  # 0.1 less the mean of 0.1s is 1e-17
        raise CannotEstimate("all_zero")
    if graph.is_large:
        model = _by_group(graph)
    else:
        d, z = graph.spectrum.d[-r:], graph.spectrum.z[-r:]
        w = z**2 / d
        model = Likelihood(nu, d, w, graph.q - w.sum())
    if model.rss <= 1e-12 * graph.q:
        raise CannotEstimate("no_residual")
    return model


def log_joint(models: Sequence[Likelihood], x, log_prior=0.0) -> tuple[np.ndarray, np.ndarray]:
    """R and log p(y, λ) less its maximum, a row for each likelihood; σ flat in log σ."""
    R, log_det = np.stack([model.sums(x) for model in models], 1)
    log_p = log_prior - (models[0].nu * np.log(R) + log_det) / 2
    return R, log_p - log_p.max()


def _by_group(graph: PlayGraph) -> Likelihood:
    """By quadrature: of a group of players too large for its spectrum, else of the spectra."""
    rng, steps, times = np.random.default_rng(1), STEPS, partial(partial, np.multiply)
    large = [part for part in graph.parts if part.is_large]
    probes = [[_probe(part, rng)] for part in large]
    own, whole = [Lanczos(part.laplacian, part.h) for part in large if part.h.any()], []
    small = [part.spectrum for part in graph.parts if part.n_players > 1 and not part.is_large]
    if small:
        d, z = (np.concatenate([part[k][1:] for part in small]) for k in (0, 2))
        own.append(Lanczos(times(d), z))
        whole.append(Lanczos(times(d), np.ones_like(d)))

    def model(steps: int, error: float | None = None) -> Likelihood:
        d, z2 = np.hstack([run.nodes(steps) for run in own])
        runs = [(run, 1) for run in whole] + [(run, len(of)) for of in probes for run in of]
        t, c = np.hstack([np.divide(run.nodes(steps), [[1], [n]]) for run, n in runs])
        return Likelihood(graph.nu, d, z2 / d, graph.q - (z2 / d).sum(), t, c, error)

    while True:
        for run in chain(own, whole, *probes):
            run.extend(steps)
        better, good = model(steps), model(steps // 2)
        x, density = _sketch(better)
        ends = x[[0, -1]]
        change = np.append(
            graph.nu * np.log(better.R(ends) / good.R(ends)),
            better.log_det(ends) - good.log_det(ends),
        )
        if abs(change).max() < STEADY or steps > graph.n_players:
            break
        steps *= 2

    centre = x @ density
    sd = np.sqrt((x - centre) ** 2 @ density)
    # The slope of Σ log in log λ is −tr M, M = G(G + λI)⁻¹ = I − λA. A probe's vᵀMv has variance
    # 2Σ_{i≠j} M_ij², and v∘Av − v′∘Av′ has at player i the mean square 2Σ_{j≠i} A_ij².
    lam, variance = np.exp(centre), 0.0
    for part in large:
        V = rng.choice((-1.0, 1.0), (part.n_players, 2))
        A = solve(part.laplacian, np.full(part.n_players, lam), V, PROBE_ERROR)
        variance += lam**2 * (np.diff(V * A) ** 2).sum()
    share = min(PROBE_SHARE, PROBE_MOVE / sd)
    needed = max(1, int(np.ceil(variance * (sd / 2 / share) ** 2)))
    for part, runs in zip(large, probes, strict=True):
        while len(runs) < needed:
            runs.append(_probe(part, rng))
            runs[-1].extend(steps)
            runs[-1].forget()
    return model(steps, float(sd / 2 * np.sqrt(variance / needed)))


def _probe(part, rng):
    """Lanczos from a vector of ±1, less the constant that G does not see."""
    v = rng.choice((-1.0, 1.0), part.n_players)
    return Lanczos(part.laplacian, v - v.mean())


def _sketch(model):
    """Where λ may lie: x = log λ and its density under the rulebook's prior, 0 below e⁻²⁵."""
    x = model.grid()
    for _ in range(4):  # closes in on where the density is
        density = np.exp(log_joint([model], x, Prior().log_density(x))[1])[0]
        inside, step = x[density > np.exp(-25)], x[1] - x[0]
        grid, x = x, np.linspace(inside[0] - step, inside[-1] + step, 201)
    return grid, density / density.sum()


def peak(f, x, y):
    """Where f is largest and how large, zooming in from the best point of a grid, y = f(x)."""
    for _ in range(5):  # each narrows the gap to a twentieth
        i = int(y.argmax())
        x = np.linspace(x[max(i - 1, 0)], x[min(i + 1, len(x) - 1)], 41)
        y = f(x)
    return x[y.argmax()], y.max()
