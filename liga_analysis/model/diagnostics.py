"""Whether σ, τ and λ can be trusted: evening by evening, and how much of a rating is settled."""

from contextlib import suppress

import numpy as np
import pandas as pd

from ..season.season import Season
from .decision import recommendation
from .likelihood import CannotEstimate
from .ranking import season_fit
from .rating import reliability
from .variance import estimate_variance

_NAMES = ("sigma", "tau", "lam")
_POINTS = {"low": 0.05, "median": 0.5, "high": 0.95}
_COLUMNS = [*_NAMES, *(f"{name}_{point}" for name in _NAMES for point in _POINTS), "action"]


def estimates_by_evening(season: Season) -> pd.DataFrame:
    """What the season said about σ, τ and λ after each evening.

    Parameters
    ----------
    season : Season

    Returns
    -------
    DataFrame
        By evening, in order: REML `sigma`, `tau` (chips), `lam` (∞ where τ̂ = 0); the posterior's
        5, 50 and 95 % points of each as `lam_low`, `lam_median`, `lam_high` and so on; `action`,
        the recommendation against the parameters in force now. Missing where the evenings so far
        allow no estimate.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> liga.estimates_by_evening(season)["action"].iloc[-1]
    'keep'
    """
    held = season.held
    return _estimates(season, {evening: held[: k + 1] for k, evening in enumerate(held)})


def estimates_without(season: Season) -> pd.DataFrame:
    """The same figures with each evening left out in turn."""
    held = season.held
    return _estimates(season, {evening: [e for e in held if e != evening] for evening in held})


def _estimates(season: Season, kept: dict[int, list[int]]) -> pd.DataFrame:
    force, rows = season.parameters, {}
    for evening, evenings in kept.items():
        results, rows[evening] = season.results[season.results["evening"].isin(evenings)], {}
        with suppress(CannotEstimate, ValueError):
            estimate = estimate_variance(results, season.prior)
            rows[evening] = {name: getattr(estimate, name) for name in _NAMES} | {
                f"{name}_{point}": estimate.posterior.quantile(name, p)
                for name in _NAMES
                for point, p in _POINTS.items()
            }
            rows[evening]["action"] = recommendation(estimate, force.lam, force.sigma).action
    index = pd.Index(kept, name="evening")
    return pd.DataFrame(list(rows.values()), index, _COLUMNS).astype(
        dict.fromkeys(_COLUMNS[:-1], float)
    )


def reliable_evenings(lam: float) -> int:
    """Evenings from which a rating says more of the player than of luck: n/(n + λ) > ½."""
    return int(np.floor(lam)) + 1


def reliabilities(season: Season, lam: float) -> pd.DataFrame:
    """`reliability` of each rating at λ and the player's `evenings`; best first, without guests."""
    fit = season_fit(season, lam)  # whatever σ: it cancels
    evenings = pd.Series(fit.graph.n_evenings, fit.graph.players, name="evenings")
    table = pd.concat([reliability(fit), evenings], axis=1).drop(index=list(season.guests))
    table = table.dropna().round({"reliability": 9})  # equal ones by name, not by rounding errors
    return table.sort_values("reliability", ascending=False, kind="stable")
