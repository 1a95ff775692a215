"""The analysis of a poker league's season.

>>> import liga_analysis as liga
>>> season = liga.load_season("data/beispielliga/2026")
>>> fit = liga.fit_ratings(season.results, lam=6, sigma=2400)   # fit.theta, fit.se, fit.cov
>>> est = liga.estimate_variance(season.results)                # est.sigma, est.tau, est.lam
>>> table = liga.standings(season)                              # raw numbers, in table order
>>> liga.awards(season)
>>> liga.charts.ratings(table)
"""

from importlib import import_module
from importlib.metadata import version

from .careers import all_time, carried_prior, load_seasons, side_by_side
from .checks import problems
from .draws import better_than, chances, sd_difference
from .honours import awards
from .labels import DataError, Problem
from .outlook import next_evening, season_outlook
from .overview import Overview, survey
from .ranking import development, standings
from .rating import Fit, PlayGraph, field_strength, fit_ratings, play_graph, receipt
from .rules import LeagueRules
from .season import Season, load_season
from .sensitivity import influence, lambda_path, podium_interval, scores, swaps
from .simulation import simulate_results, simulate_season
from .storage import save_season
from .variance import (
    CannotEstimate,
    Estimate,
    averaged_ratings,
    estimate_variance,
    recommendation,
    reliability,
)

__version__ = version("liga_analysis")
__all__ = [
    "CannotEstimate",
    "DataError",
    "Estimate",
    "Fit",
    "LeagueRules",
    "Overview",
    "PlayGraph",
    "Problem",
    "Season",
    "all_time",
    "averaged_ratings",
    "awards",
    "better_than",
    "carried_prior",
    "chances",
    "development",
    "estimate_variance",
    "field_strength",
    "fit_ratings",
    "influence",
    "lambda_path",
    "load_season",
    "load_seasons",
    "next_evening",
    "play_graph",
    "podium_interval",
    "problems",
    "receipt",
    "recommendation",
    "reliability",
    "save_season",
    "scores",
    "sd_difference",
    "season_outlook",
    "side_by_side",
    "simulate_results",
    "simulate_season",
    "standings",
    "survey",
    "swaps",
]

_SHOWING = {
    "career_views",
    "charts",
    "comparison_charts",
    "comparison_story",
    "estimate_charts",
    "estimate_views",
    "lambda_charts",
    "model_views",
    "outlook_views",
    "story",
    "report_views",
    "views",
    "report",
    "many",
    "widgets",
    "evening_form",
    "lambda_story",
    "exploration",
}


def __getattr__(name: str):
    """The showing half, which needs altair and Jupyter, is imported when it is first used."""
    if name in _SHOWING:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
