"""Results as plain records, the same for programs and for pages: what `--format json` prints."""

import json
import math

import numpy as np
import pandas as pd

from ..model.careers import all_time, side_by_side
from ..model.diagnostics import season_estimate
from ..model.draws import chances
from ..model.honours import awards
from ..model.ranking import qualified, season_fit, standings
from ..model.sensitivity import influence, lambda_path, podium_interval, swaps
from ..model.variance import recommendation
from ..pages.columns import table_of
from ..report.outlook_views import outlook_record
from ..report.overview import Overview
from ..season.season import Season
from ..words import Problem, Words

# Where a problem is.
PLACES = ("file", "evening", "player", "line")
PARAMETERS = ("sigma", "tau", "lam")
QUANTILES = (0.05, 0.5, 0.95)


def json_text(record) -> str:
    """JSON of a record, unrounded; null for what is undefined, infinite or missing."""
    return json.dumps(_plain(record), ensure_ascii=False, allow_nan=False, indent=1)


def _plain(value):
    if isinstance(value, dict):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, np.ndarray, pd.Series)):
        return [_plain(entry) for entry in value]
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        value = value.item()
    if isinstance(value, pd.Timestamp):
        return value.date().isoformat()
    if value is pd.NA or value is pd.NaT or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return value


def rows(table: pd.DataFrame) -> list[dict]:
    """One dict per row."""
    return [dict(zip(table.columns, row, strict=True)) for row in table.itertuples(index=False)]


def standings_record(season: Season, lam: float | None = None, sigma: float | None = None) -> dict:
    """The table with the evening and parameters it stands for, and its reservations."""
    fit = season_fit(season, lam, sigma)
    return {
        "evenings": len(season.held),
        "through": season.held[-1],
        "sigma": fit.sigma,
        "lam": fit.lam,
        "unbalanced": [{"evening": e, "sum": chips} for e, chips in season.unbalanced.items()],
        "left_out": list(season.left_out),
        "players": rows(table_of(season, lam, sigma)),
    }


def problem_records(problems: list[Problem], language: str | None = None) -> list[dict]:
    """What `check` found, each with its sentence."""
    return [
        {
            "severity": p.severity,
            "code": p.code,
            **{place: getattr(p, place) for place in PLACES},
            "message": p.message(language),
        }
        for p in problems
    ]


def award_records(
    season: Season, lam: float | None = None, sigma: float | None = None
) -> list[dict]:
    """Podium and awards."""
    return rows(awards(season, lam, sigma))


def estimate_record(season: Season, words: Words, level: float = 0.9) -> dict:
    """σ, τ and λ by every route, and the recommendation with its reason in the reader's words.

    Raises
    ------
    DataError
        If no evening counts, or the results allow no estimate.
    """
    force = season.parameters
    estimate = season_estimate(season)
    posterior = estimate.posterior
    advice = recommendation(estimate, force.lam, force.sigma)
    return {
        "evenings": estimate.n_evenings,
        "nu": estimate.nu,
        "df": estimate.df,
        "groups": estimate.groups,
        "reml": {name: getattr(estimate, name) for name in PARAMETERS},
        "profile": {"level": level} | {n: estimate.interval(n, level) for n in PARAMETERS},
        "pivot": {"lam": estimate.pivot(level)},
        "tau_zero_p": estimate.tau_zero_p(),
        "posterior": {n: {str(p): posterior.quantile(n, p) for p in QUANTILES} for n in PARAMETERS}
        | {"p_lam_above": posterior.p_lam_above(force.lam)},
        "recommendation": {
            "action": advice.action,
            **{name: getattr(advice, name) for name in PARAMETERS},
            "reason": words.text(f"advice.{advice.reason}", **advice.values),
        },
    }


def lambda_record(season: Season, lam: float | None = None, sigma: float | None = None) -> dict:
    """Ratings and ranks over λ, swaps, and where the podium stays as it is."""
    fit, ranked = season_fit(season, lam, sigma), qualified(season)
    path = lambda_path(fit, ranked)
    changes = swaps(fit, ranked)
    order = standings(season, lam, sigma)["player"]
    return {
        "lam": path.ratings.index.tolist(),
        "players": [
            {"player": p, "rating": path.ratings[p].tolist(), "rank": path.ranks[p].tolist()}
            for p in order
        ],
        "swaps": [
            {"lam": at, "players": [below, above]}
            for at, below, above in changes.itertuples(index=False)
        ],
        "podium_interval": podium_interval(fit, ranked, season.rules.podium),
    }


def influence_record(season: Season, lam: float | None = None, sigma: float | None = None) -> dict:
    """The table without each evening in turn."""
    fit, ranked = season_fit(season, lam, sigma), qualified(season)
    without = influence(fit, ranked, season.rules.podium)
    order = standings(season, lam, sigma)["player"]
    dates = season.evenings.set_index("evening")["date"]
    return {
        "evenings": [
            {
                "evening": evening,
                "date": dates[evening],
                "podium": without.podium[evening],
                "lam_reml": without.lam_reml[evening],
                "players": [
                    {
                        "player": p,
                        "rating": without.ratings.at[evening, p],
                        "rank": without.ranks.at[evening, p],
                    }
                    for p in order
                ],
            }
            for evening in season.held
        ]
    }


def chances_record(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    draws: int = 40_000,
    seed: int = 1,
) -> dict:
    """Chances of places from joint draws."""
    fit = season_fit(season, lam, sigma)
    table = chances(fit, qualified(season), draws, seed, season.rules.podium)
    order = standings(season, lam, sigma).query("qualified")["player"]
    table = table.loc[order].reset_index(names="player")
    return {"draws": draws, "seed": seed, "players": rows(table)}


def career_record(seasons: list[Season], running: bool = False) -> dict:
    """The all-time table and every player's seasons; `running` as for `side_by_side`."""
    table = all_time(seasons, running).reset_index(names="player")
    return {"players": rows(table), "seasons": rows(side_by_side(seasons, running))}


def report_record(found: Overview) -> dict:
    """Every number of the season report, by its parts; null for a part it does not have."""
    season, earlier = found.season, found.earlier
    several = len(found.seasons) > 1
    return {
        **standings_record(season, found.lam, found.sigma),
        "players": rows(found.table),
        "chances": rows(found.chances.reset_index(names="player")) if found.sure else [],
        "cards": [card | {"earlier": earlier.get(card["player"], [])} for card in found.cards],
        "awards": rows(found.awards),
        "evenings_held": rows(found.evenings),
        "chronicle": found.chronicle,
        "outlook": outlook_record(season, found.lam, found.sigma) if found.goes_on else None,
        "league": rows(found.league.reset_index(names="player")) if several else None,
        "presence": {evening: rows(stints) for evening, stints in found.presence.items()},
    }
