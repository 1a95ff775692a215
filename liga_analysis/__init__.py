"""The analysis of a poker league's season.

>>> import liga_analysis as liga
>>> season = liga.load_season("data/beispielliga/2026")
>>> fit = liga.fit_ratings(season.results, lam=6, sigma=2400)   # fit.theta, fit.se, fit.cov
>>> est = liga.estimate_variance(season.results)                # est.sigma, est.tau, est.lam
>>> table = liga.standings(season)                              # raw numbers, in table order
>>> picture = liga.charts.ratings(table)                        # altair

The season and its table: `load_season`, `pooled`, `standings`, `awards`, `problems`. What one asks
of them: `chances`, `lambda_path`, `influence`, `season_decision`, `linked`. By hand: `explorer`,
`what_if`.
"""

import sys
from importlib import import_module
from importlib.metadata import version

from .model.careers import all_time, load_seasons, side_by_side
from .model.chain import Linked
from .model.checks import problems
from .model.decision import Decision, season_decision
from .model.diagnostics import estimates_by_evening
from .model.draws import chances, podium_chance
from .model.honours import awards
from .model.league import linked
from .model.left_out import influence, scores
from .model.likelihood import CannotEstimate
from .model.luck import attendance_slope, kurtosis, player_spread, residuals
from .model.outlook import next_evening, season_outlook
from .model.pairs import better_than, comparisons, sd_difference
from .model.prediction import forecasts
from .model.ranking import development, qualified, season_fit, standings
from .model.rating import (
    Fit,
    PlayGraph,
    field_strength,
    fit_ratings,
    play_graph,
    receipt,
    reliability,
)
from .model.sensitivity import (
    lambda_path,
    over_lambda,
    podium_interval,
    swaps,
)
from .model.simulation import simulate_results, simulate_season
from .model.stability import agreement, worlds
from .model.variance import Estimate, estimate_variance
from .report.overview import survey
from .rules import LeagueRules
from .season.pooling import pooled
from .season.season import Season, load_season
from .season.settings import Prior
from .season.storage import save_season
from .words import DataError, Problem

# jsonschema, on which altair and nbformat rest, spends a second on a grammar for IRIs where it
# finds this package; no schema in use has an IRI in it.
sys.modules.setdefault("rfc3987_syntax", None)

__version__ = version("liga_analysis")
__all__ = [
    "CannotEstimate",
    "DataError",
    "Decision",
    "Estimate",
    "Fit",
    "LeagueRules",
    "Linked",
    "PlayGraph",
    "Prior",
    "Problem",
    "Season",
    "agreement",
    "all_time",
    "attendance_slope",
    "awards",
    "better_than",
    "chances",
    "comparisons",
    "development",
    "estimate_variance",
    "estimates_by_evening",
    "field_strength",
    "fit_ratings",
    "forecasts",
    "influence",
    "kurtosis",
    "lambda_path",
    "linked",
    "load_season",
    "load_seasons",
    "next_evening",
    "over_lambda",
    "play_graph",
    "player_spread",
    "podium_chance",
    "podium_interval",
    "pooled",
    "problems",
    "qualified",
    "receipt",
    "reliability",
    "residuals",
    "save_season",
    "scores",
    "sd_difference",
    "season_decision",
    "season_fit",
    "season_outlook",
    "side_by_side",
    "simulate_results",
    "simulate_season",
    "standings",
    "survey",
    "swaps",
    "worlds",
]

# The showing half, which needs altair and Jupyter, is imported when it is first used.
_LATER = {
    "charts": "pages.charts",
    "explorer": "explore.widgets",
    "many": "report.publish",
    "what_if": "explore.by_hand",
    "widgets": "explore.widgets",
}


def __getattr__(name: str):
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{_LATER[name]}", __name__)
    return getattr(module, name, module)


def __dir__() -> list[str]:
    return sorted([*__all__, *_LATER, "__version__"])
