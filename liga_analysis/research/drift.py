"""Does skill drift within a season? Ratings that walk, tested against ratings that stand still.

θ_i ~ N(0, τ²) at the first evening, then steps N(0, ω²·gap) from evening to evening. Orthonormal
contrasts within each evening, y* = Qy, take its level away and leave ν observations with

    Cov y* = σ² (I + g K),   K = (1 − m) A + m B,   g = (τ² + ω²T)/σ²,   m = ω²T/(τ² + ω²T)

T is the time from first to last evening. A says which seats are the same player's, B the same times
the share of T that had gone by at the earlier of the two. ω = 0 is the REML of `variance`.
"""

from dataclasses import dataclass

import numpy as np
from scipy.linalg import block_diag, helmert
from scipy.special import chdtri

from ..model.graph import PlayGraph
from ..model.variance import estimate_variance
from ..season.season import Season
from .calibration import checkable

SHARES = np.linspace(0, 1, 21) ** 2  # of m: even in ω/τ where that is small
RATIOS = np.append(0, np.geomspace(1e-3, 1e3, 121))  # of g times the mean of K's diagonal


@dataclass(frozen=True)
class Drift:
    """σ, τ and ω by REML on a grid of m and g, and whether ω = 0 would do.

    Chips; τ at the first evening, ω per unit of time, `low` and `high` its 90 % profile-likelihood
    interval, `span` is T. `p` is how often ω = 0 loses as much likelihood where it is true
    (likelihood-ratio test), of `draws` seasons simulated.
    """

    sigma: float
    tau: float
    omega: float
    low: float
    high: float
    span: float
    p: float
    draws: int


def season_drift(season: Season) -> Drift:
    """`estimate_drift` of a season that `checkable` lets pass, its evenings as they followed."""
    return estimate_drift(checkable(season).graph, np.argsort(season.held))


def estimate_drift(graph: PlayGraph, time=None, draws: int = 999, seed: int = 1) -> Drift:
    """The drift of skill in a season, estimated and tested; CannotEstimate as `estimate_variance`.

    `time` is that of each evening, by default 0, 1, 2, … The test compares `draws` seasons with ω
    = 0 and τ/σ as estimated, each searched on the same grid as the real one, so that its steps
    cost no exactness (parametric bootstrap). Matrices are dense: ν = Σ(n_s − 1) up to about 1,000.
    """
    still = 1 / estimate_variance(graph).lam  # τ²/σ² where ω = 0
    time = np.arange(len(graph.evenings)) if time is None else np.asarray(time, float)
    A, B, y = covariances(graph, time)
    d, V = np.linalg.eigh(A)
    noise = np.random.default_rng(seed).standard_normal((len(y), draws))
    seasons = np.column_stack([y, V @ (np.sqrt(1 + still * d.clip(0))[:, None] * noise)])
    span, lowest, rows = float(np.ptp(time)), [], []
    for m in SHARES:
        d, V = np.linalg.eigh((1 - m) * A + m * B)
        g = RATIOS / d.mean()
        off, square = deviance(d.clip(0), (V.T @ seasons) ** 2, g)
        lowest.append(off.min(0))
        rows.append((off[:, 0], square[:, 0], (1 - m) * g, m * g / span))
    gain = lowest[0] - np.min(lowest, axis=0)  # SHARES begin with ω = 0
    off, square, tau, omega = np.array(rows).swapaxes(0, 1)
    inside, top = off <= off.min() + chdtri(1, 0.1), off.argmin()
    omega = np.sqrt(omega * square)
    return Drift(
        float(np.sqrt(square.flat[top])),
        float(np.sqrt(tau.flat[top] * square.flat[top])),
        float(omega.flat[top]),
        float(omega[inside].min()),
        float(omega[inside].max()),
        span,
        float((gain >= gain[0]).mean()),
        draws,
    )


def covariances(graph: PlayGraph, time: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A and B, shape (ν, ν), and y*, shape (ν,), in chips."""
    Q = block_diag(*(helmert(n) for n in graph.field_size))
    same = graph.player[:, None] == graph.player
    gone = ((time - time.min()) / np.ptp(time))[graph.evening]
    A, B = (Q @ C @ Q.T for C in (same, same * np.minimum.outer(gone, gone)))
    return A, B, Q @ graph.y


def deviance(d: np.ndarray, w: np.ndarray, g: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """−2 log L at the best σ², and that σ² (chips²), for each g (rows) and season (columns).

    σ̂² = R/ν with R = Σ w_k/(1 + gd_k); d are the eigenvalues of K and w_k = (v_k·y*)².
    """
    scale = 1 + np.multiply.outer(g, d)
    square = (1 / scale) @ w / len(d)
    return len(d) * (np.log(2 * np.pi * square) + 1) + np.log(scale).sum(1)[:, None], square
