"""Results as plain records, the same for programs and for pages: what `--format json` prints."""

import json
import math

import numpy as np
import pandas as pd

from ..model.careers import all_time, side_by_side
from ..model.chain import Linked
from ..model.decision import Decision, Recommendation
from ..model.draws import PodiumChance, chances, podium_chance
from ..model.honours import awards
from ..model.league import linked_chances
from ..model.left_out import influence
from ..model.luck import kurtosis, player_spread
from ..model.outlook import Outlook
from ..model.posterior import SYMBOLS, Posterior
from ..model.ranking import qualified, season_fit, standings
from ..model.sensitivity import lambda_path, podium_interval, swaps
from ..model.variance import Estimate
from ..pages.columns import table_of
from ..report.ahead import Prospect
from ..report.overview import Overview
from ..season.season import Season
from ..words import Problem, Words

# Where a problem is.
PLACES = ("file", "evening", "player", "line")
QUANTILES = (0.05, 0.5, 0.95)
# What a season says by itself.
OWN = "evenings nu df groups reml profile exact sigma_robust tau_zero_p posterior".split()


def json_text(record) -> str:
    """JSON of a record in ASCII, unrounded; null for what is undefined, infinite or missing."""
    return json.dumps(_plain(record), allow_nan=False, indent=1)


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


def estimate_record(decision: Decision, words: Words, level: float = 0.9) -> dict:
    """σ, τ and λ by every route, and the recommendation with its reason in the reader's words.

    The season's own fields are null where it allows no estimate but its league does.
    """
    lam = decision.season.parameters.lam
    return {
        **_own_estimate(decision.estimate, lam, level),
        "prior_table": rows(decision.prior_table),
        "prior_weight": decision.posterior.prior_weight,
        "normal": _normal(decision) if decision.estimate else None,
        "league": decision.linked and _league(decision.linked, lam),
        "recommendation": _advice(decision.recommendation, words),
        "own_recommendation": _advice(decision.own, words) if decision.own_differs else None,
    }


def _own_estimate(estimate: Estimate | None, lam: float, level: float) -> dict:
    if estimate is None:
        return dict.fromkeys(OWN)
    posterior, exact = estimate.posterior, estimate.exact(level)
    values = (
        estimate.n_evenings,
        estimate.nu,
        estimate.df,
        estimate.groups,
        {name: getattr(estimate, name) for name in SYMBOLS},
        {"level": level} | {name: estimate.interval(name, level) for name in SYMBOLS},
        exact and {"level": level, "lam": exact},
        estimate.sigma_robust(level),
        estimate.tau_zero_p(),
        {name: _points(posterior, name) for name in SYMBOLS}
        | {"p_lam_above": posterior.p_lam_above(lam), "sd_log_lam": posterior.sd_log_lam},
    )
    return dict(zip(OWN, values, strict=True))


def _normal(decision: Decision) -> dict | None:
    """Whether luck is even, and the same for everybody, by the λ in force; None if too large."""
    if decision.estimate.method != "spectrum":
        return None
    fit = season_fit(decision.season)
    shape = kurtosis(fit)
    return {"kurtosis": shape.value, "p": shape.p, "players_p": player_spread(fit).p}


def _league(linked: Linked, lam: float) -> dict:
    factors = list(zip(linked.seasons, linked.factors, strict=True))
    earlier = factors[:-1] if len(linked.players) else factors
    ratings = pd.DataFrame({"rating": linked.theta, "uncertainty": linked.se})
    return {
        "seasons": len(factors),
        "evenings": linked.n_evenings,
        "nu": linked.nu,
        "df": linked.df,
        "lam": _points(linked.posterior, "lam"),
        "rho": {f"{rho:.2f}": p for rho, p in linked.rho.items()},
        "p_lam_above": linked.posterior.p_lam_above(lam),
        "sd_log_lam": linked.posterior.sd_log_lam,
        "scaled": [{"season": name, "factor": factor} for name, factor in earlier],
        "ratings": rows(ratings.reset_index(names="player")),
    }


def _points(posterior: Posterior, name: str) -> dict:
    return {str(p): posterior.quantile(name, p) for p in QUANTILES}


def _advice(advice: Recommendation, words: Words) -> dict:
    reasons = [words.text(f"advice.{key}", **values) for key, values in advice.reasons]
    return {
        "action": advice.action,
        **{name: getattr(advice, name) for name in SYMBOLS},
        "reason": " ".join(reasons),
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
        "podium_interval": podium_interval(fit, ranked),
    }


def influence_record(season: Season, lam: float | None = None, sigma: float | None = None) -> dict:
    """The table without each evening in turn."""
    fit, ranked = season_fit(season, lam, sigma), qualified(season)
    without = influence(fit, ranked)
    order = standings(season, lam, sigma)["player"]
    dates = season.evenings.set_index("evening")["date"]

    def players(evening: int) -> list[dict]:
        ratings, ranks = without.ratings.loc[evening, order], without.ranks.loc[evening, order]
        return rows(pd.DataFrame({"player": order, "rating": ratings.array, "rank": ranks.array}))

    return {
        "evenings": [
            {
                "evening": evening,
                "date": dates[evening],
                "podium": without.podium[evening],
                "lam_reml": without.lam_reml[evening],
                "players": players(evening),
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
    """Chances of places from joint draws, and with the earlier seasons of the league."""
    source = season_fit(season, lam, sigma), qualified(season), draws, seed
    order = standings(season, lam, sigma).query("qualified")["player"]

    def of_source(table: pd.DataFrame, podium: PodiumChance) -> dict:
        ordered = table.loc[order].reset_index(names="player")
        names = ("p_podium_order", "p_podium_set")
        return dict(zip(names, podium, strict=True)) | {"players": rows(ordered)}

    linked = linked_chances(season, lam, sigma, draws, seed)
    return {
        "draws": draws,
        "seed": seed,
        **of_source(chances(*source), podium_chance(*source)),
        "linked": linked and {"seasons": linked.seasons} | of_source(linked.players, linked.podium),
    }


def outlook_record(ahead: Prospect, draws: int = 10_000, seed: int = 1) -> dict:
    """Chances at the season's end, with the league's earlier seasons too, and the next evening."""

    def players(outlook: Outlook | None) -> list[dict] | None:
        return outlook and rows(outlook.players.reset_index(names="player"))

    return {
        "draws": draws,
        "seed": seed,
        "remaining": ahead.remaining,
        "players": players(ahead.own),
        "linked": players(ahead.linked),
        "next": ahead.next and {"field": ahead.next.field, "passes": rows(ahead.next.passes)},
    }


def career_record(seasons: list[Season], running: bool = False) -> dict:
    """The all-time table and every player's seasons; `running` as for `side_by_side`."""
    table = all_time(seasons, running).reset_index(names="player")
    return {"players": rows(table), "seasons": rows(side_by_side(seasons, running))}


def report_record(overview: Overview) -> dict:
    """Every number of the season report, by its parts; null for a part it does not have."""
    season, earlier = overview.season, overview.earlier
    several = len(overview.seasons) > 1
    return {
        **standings_record(season, overview.lam, overview.sigma),
        "players": rows(overview.table),
        "chances": rows(overview.chances.reset_index(names="player")) if overview.sure else [],
        "truly": rows(overview.truly.reset_index(names="player")) if overview.sure else [],
        "together": overview.together if overview.sure else None,
        "cards": [card | {"earlier": earlier.get(card["player"], [])} for card in overview.cards],
        "awards": rows(overview.awards),
        "evenings_held": rows(overview.evenings),
        "chronicle": overview.chronicle,
        "outlook": overview.outlook and outlook_record(overview.outlook),
        "remarks": overview.remarks,
        "forecasts": rows(overview.forecasts) if overview.sure else [],
        "league": rows(overview.league.reset_index(names="player")) if several else None,
        "presence": {evening: rows(stints) for evening, stints in overview.presence.items()},
    }
