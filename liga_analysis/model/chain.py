"""What the seasons before say: the rulebook's penalty, extended over the seasons of a league.

Players independent, Cov(θ_ti, θ_t′i) = τ²ρ^|t−t′| over seasons t = 1 … T; ρ = 0 is each season by
itself, ρ → 1 all seasons as one. With G = blockdiag(G_t), h stacked and K = R_ρ ⊗ I,

    θ̂ = (G + λK⁻¹)⁻¹h,   Cov(θ | y) = σ²(G + λK⁻¹)⁻¹.

Only pairs (season, player who sat in it) are needed: K restricted to them is exact. With K = LLᵀ
and LᵀGL = U diag(d) Uᵀ, z = UᵀLᵀh, that is θ̂ = LU z/(d + λ), and the likelihood is the one of a
single season with this spectrum: one decomposition a ρ serves all λ.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.settings import Prior
from .graph import PlayGraph
from .likelihood import CannotEstimate, Likelihood, log_joint
from .posterior import Posterior, posterior

RHOS = np.arange(20) / 20  # equally likely before the results; the last stands for "0.95 or more"
AT_ONCE = 400_000  # draws of λ and ρ


class Chain(NamedTuple):
    """The seasons linked at one ρ: spectrum, and the last season's players in it."""

    rho: float
    d: np.ndarray
    z: np.ndarray
    U: np.ndarray  # shape (nodes, nodes)
    last: np.ndarray  # LU at the last season's players, shape (p, nodes)
    model: Likelihood


@dataclass(frozen=True, repr=False)
class Linked:
    """Ratings of the last of several seasons, and λ and ρ, from all of them.

    Averaged over the posterior of λ and ρ, ρ uniform on `RHOS`, σ flat in log σ and the same in all
    seasons. Σθ̂ = 0 no longer holds.

    Attributes
    ----------
    players : Index
        Those of the last season; none if it has no results yet.
    n_evenings, nu, df : int
        Of all seasons together: evenings, ν, ν − r.
    prior : Prior
        Of λ.
    lam : float or None
        λ where it is given and not averaged over.
    chains : tuple of Chain
    seasons : tuple of str
        Names, in order of time.
    factors : tuple of float
        What each season's results were multiplied by, to be on the last one's scale.
    """

    players: pd.Index
    n_evenings: int
    nu: int
    df: int
    prior: Prior
    lam: float | None
    chains: tuple[Chain, ...]
    seasons: tuple[str, ...] = ()
    factors: tuple[float, ...] = ()

    def __repr__(self) -> str:
        seasons = ", ".join(map(repr, self.seasons))
        return f"Linked({len(self.players)} players, {self.n_evenings} evenings of {seasons})"

    @cached_property
    def posterior(self) -> Posterior:
        """Of λ and ρ together, a row of `joint` for each ρ."""
        models = [chain.model for chain in self.chains]
        if self.lam is None:
            return posterior(models, self.prior)
        R, log_p = log_joint(models, np.log([self.lam]))
        lam, ones, joint = np.array([self.lam]), np.ones(1), np.exp(log_p)
        return Posterior(lam, ones, ones, joint / joint.sum(), R, models)

    @property
    def rho(self) -> pd.Series:
        """Probability of each ρ."""
        rhos = pd.Index([chain.rho for chain in self.chains], name="rho")
        return pd.Series(self.posterior.joint.sum(1), rhos, name="p")

    @property
    def rho_mean(self) -> float:
        """Posterior mean of ρ."""
        return float(self.rho.index @ self.rho)

    @property
    def theta(self) -> pd.Series:
        """θ̂ by player of the last season, in chips."""
        return pd.Series(self._moments[0], self.players, name="theta")

    @property
    def se(self) -> pd.Series:
        """Uncertainty by player, in chips: all of it, also that of λ, ρ and σ."""
        return pd.Series(np.sqrt(np.diag(self._moments[1])), self.players, name="se")

    @property
    def cov(self) -> pd.DataFrame:
        """Covariance of the last season's ratings, in chips²."""
        return pd.DataFrame(self._moments[1], self.players, self.players)

    def pieces(self, draws: int = 40_000, seed: int = 1) -> Iterator[np.ndarray]:
        """Joint draws of the ratings, in chips, piece by piece: arrays (n, players).

        (λ, ρ) from the posterior, then σ² = R/χ²_ν, then θ.
        """
        rng = np.random.default_rng(seed)
        for start in range(0, draws, AT_ONCE):
            yield from self._pieces(min(AT_ONCE, draws - start), rng)

    def _pieces(self, draws, rng):
        of_lam = self.posterior
        cells = np.sort(rng.choice(of_lam.joint.size, draws, p=of_lam.joint.ravel()))
        sigma = np.sqrt(of_lam.R.ravel()[cells] / rng.chisquare(self.nu, draws))
        rho, lam = np.divmod(cells, len(of_lam.lam))
        for k, (_, d, z, U, last, _) in enumerate(self.chains):
            of_rho = np.flatnonzero(rho == k)
            for some in np.split(of_rho, range(4000, len(of_rho), 4000)):
                over = 1 / (d + of_lam.lam[lam[some]][:, None])
                # The symmetric root U diag(…) Uᵀ: the same whatever basis the solver found.
                noise = (rng.standard_normal((len(some), len(d))) @ U) * np.sqrt(over)
                yield (z * over + sigma[some, None] * noise) @ last.T

    @cached_property
    def _moments(self) -> tuple[np.ndarray, np.ndarray]:
        """Mean of θ; covariance of the means + mean of the covariances, E[σ² | λ] = R/(ν − 2)."""
        of_lam, p = self.posterior, len(self.players)
        inverse = [1 / (chain.d[:, None] + of_lam.lam) for chain in self.chains]
        means = [
            c.last @ (c.z[:, None] * over) for c, over in zip(self.chains, inverse, strict=True)
        ]
        mean = sum(theta @ weight for theta, weight in zip(means, of_lam.joint, strict=True))
        if self.nu <= 2:
            return mean, np.full((p, p), np.inf)
        cov, square = np.zeros((p, p)), of_lam.R * of_lam.joint / (self.nu - 2)
        for k, (_, _, _, _, last, _) in enumerate(self.chains):
            off = means[k] - mean[:, None]
            cov += (last * (inverse[k] @ square[k])) @ last.T + (off * of_lam.joint[k]) @ off.T
        return mean, cov


def link(
    graphs: Sequence[PlayGraph],
    factors: Sequence[float] | None = None,
    lam: float | None = None,
    rho: float | None = None,
    prior: Prior | None = None,
    last: bool = True,
) -> Linked:
    """The seasons of these graphs linked; players of one name are one person.

    `factors` put each season's results on the last one's scale. With `last` false, nobody's
    ratings are asked for: the season they would be of has no results yet. ValueError if λ is not
    positive or ρ not within 0 and 1; CannotEstimate if ν = r or Σ RSS₀ ≤ 1e-12·Σ q: nothing tells
    skill from luck.
    """
    if lam is not None and not 0 < lam < np.inf:
        raise ValueError(f"lam must be a positive number, not {lam}")
    if rho is not None and not 0 <= rho <= 1:
        raise ValueError(f"rho must lie between 0 and 1, not {rho}")
    factors = np.ones(len(graphs)) if factors is None else np.asarray(factors, float)
    sizes = [graph.n_players for graph in graphs]
    season = np.repeat(np.arange(len(graphs)), sizes)
    person = pd.factorize(np.concatenate([graph.players for graph in graphs]))[0]
    ends = np.cumsum([0, *sizes])
    G, h = np.zeros((ends[-1], ends[-1])), np.zeros(ends[-1])
    for graph, factor, a, b in zip(graphs, factors, ends, ends[1:], strict=False):
        G[a:b, a:b], h[a:b] = graph.G, factor * graph.h
    total = sum(f**2 * graph.q for graph, f in zip(graphs, factors, strict=True))
    squares = sum(f**2 * _residual(graph) for graph, f in zip(graphs, factors, strict=True))
    nu, rank = sum(graph.nu for graph in graphs), sum(graph.rank for graph in graphs)
    if nu == rank:
        raise CannotEstimate("no_cycle", nu=nu)
    if squares <= 1e-12 * total:
        raise CannotEstimate("no_residual")
    asked = slice(ends[-2], ends[-1] if last else ends[-2])
    # Seasons since, and since the player's season before; ∞ where there is none.
    apart = np.where(person[:, None] == person, season[:, None] - season, -1.0)
    gap = np.where(apart > 0, apart, np.inf).min(1)
    rhos = [rho] if rho is not None else RHOS if len(graphs) > 1 else RHOS[:1]
    chains = []
    for one in rhos:
        # θ of a season is ρ^gap of the one before plus what is new: K = LLᵀ, exact also at ρ = 1.
        new = np.sqrt(1 - np.where(np.isinf(gap), 0, one) ** (2 * gap))
        L = np.where(apart >= 0, float(one) ** apart.clip(0), 0) * new
        d, U = np.linalg.eigh(L.T @ G @ L)
        zeros = len(d) - rank if one < 1 else int((d < 1e-9 * d[-1]).sum())
        d[:zeros] = 0.0
        z = U.T @ (L.T @ h)
        z[:zeros] = 0.0
        w = z[zeros:] ** 2 / d[zeros:]
        # q − Σw cancels where luck is small, Σ RSS₀ does not; only at ρ = 1 they differ.
        rss = squares if one < 1 else total - w.sum()
        model = Likelihood(nu, d[zeros:], w, rss)
        chains.append(Chain(float(one), d, z, U, (L @ U)[asked], model))
    n_evenings = sum(len(graph.evenings) for graph in graphs)
    players = graphs[-1].players[: asked.stop - asked.start]
    return Linked(players, n_evenings, nu, nu - rank, prior or Prior(), lam, tuple(chains))


def _residual(graph: PlayGraph) -> float:
    """RSS₀ of a season: what no ratings explain."""
    d, _, z = graph.spectrum
    some = d > 0
    return graph.q - float((z[some] ** 2 / d[some]).sum())
