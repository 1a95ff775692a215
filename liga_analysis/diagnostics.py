"""Whether σ, τ and λ can be trusted: evening by evening, and what the ratings leave unexplained."""

from contextlib import suppress

import numpy as np
import pandas as pd
from scipy.special import ndtri

from .rating import Fit
from .season import Season
from .variance import CannotEstimate, estimate_variance

_COLUMNS = ["sigma", "tau", "lam", "lam_low", "lam_median", "lam_high", "sigma_median"]


def estimates_by_evening(season: Season) -> pd.DataFrame:
    """What the season said about σ, τ and λ after each evening.

    Returns
    -------
    DataFrame
        By evening, in order: REML `sigma`, `tau` (chips), `lam` (∞ where τ̂ = 0); posterior
        `lam_low`, `lam_median`, `lam_high` (5, 50, 95 %), `sigma_median`; missing where the
        evenings so far allow no estimate.
    """
    held = season.held
    return _estimates(season, {evening: held[: k + 1] for k, evening in enumerate(held)})


def estimates_without(season: Season) -> pd.DataFrame:
    """The same figures with each evening left out in turn."""
    held = season.held
    return _estimates(season, {evening: [e for e in held if e != evening] for evening in held})


def _estimates(season: Season, kept: dict[int, list[int]]) -> pd.DataFrame:
    table = pd.DataFrame(index=pd.Index(kept, name="evening"), columns=_COLUMNS, dtype=float)
    for evening, evenings in kept.items():
        results = season.results[season.results["evening"].isin(evenings)]
        with suppress(CannotEstimate, ValueError):
            estimate = estimate_variance(results, season.prior.lam, season.prior.spread)
            lam = [estimate.posterior.quantile("lam", p) for p in (0.05, 0.5, 0.95)]
            sigma = estimate.posterior.quantile("sigma", 0.5)
            table.loc[evening] = [estimate.sigma, estimate.tau, estimate.lam, *lam, sigma]
    return table


def residuals(fit: Fit) -> pd.DataFrame:
    """What the ratings leave unexplained, and where a normal error would put it.

    r = y − Xθ̂ has covariance σ²(M − H) with H = X(G + λI)⁻¹Xᵀ, so it is studentised by
    σ√(1 − 1/n_s − H_ii).

    Returns
    -------
    DataFrame
        One row per result: `evening`, `player`, `residual` (chips), `studentised`, `normal` (the
        normal quantile of its place). Players alone at an evening have none.
    """
    graph = fit.graph
    X = graph.design
    d, V, _ = graph.spectrum
    leverage = ((X @ V) ** 2 / (d + fit.lam)).sum(axis=1)
    residual = graph.y - X @ fit.theta.to_numpy()
    spread = 1 - 1 / graph.field_size[graph.evening] - leverage
    table = pd.DataFrame(
        {
            "evening": graph.evenings[graph.evening],
            "player": graph.players[graph.player],
            "residual": residual,
            "studentised": residual
            / (fit.sigma * np.sqrt(np.where(spread > 1e-9, spread, np.nan))),
        }
    ).dropna(ignore_index=True)
    place = table["studentised"].rank(method="first") - 0.5
    return table.assign(normal=ndtri(place / len(table)))


def spread_by_evening(fit: Fit) -> pd.DataFrame:
    """Spread of each evening, √(Σ r²/(n_s − 1)) in chips, beside its field size.

    Returns
    -------
    DataFrame
        By evening: `field_size`, `spread`; missing for a lone player.
    """
    graph = fit.graph
    residual = graph.y - graph.design @ fit.theta.to_numpy()
    squares = np.bincount(graph.evening, residual**2)
    freedom = np.where(graph.field_size > 1, graph.field_size - 1, np.nan)
    return pd.DataFrame(
        {"field_size": graph.field_size, "spread": np.sqrt(squares / freedom)}, graph.evenings
    )


def reliable_evenings(fit: Fit) -> int:
    """Evenings from which a rating says more of the player than of luck: n/(n + λ) > ½."""
    return int(np.floor(fit.lam)) + 1
