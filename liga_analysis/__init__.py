"""The analysis of a poker league's season.

>>> import liga_analysis as liga
>>> season = liga.load_season("data/beispielliga/2026")
>>> fit = liga.fit_ratings(season.results, lam=6, sigma=2400)   # fit.theta, fit.se, fit.cov
>>> table = liga.standings(season)                              # raw numbers, in table order
>>> liga.awards(season)
>>> liga.charts.ratings(table)
"""

from importlib import import_module
from importlib.metadata import version

from .checks import problems
from .honours import awards
from .labels import DataError, Problem
from .ranking import development, standings
from .rating import Fit, PlayGraph, field_strength, fit_ratings, play_graph, receipt
from .rules import LeagueRules
from .season import Season, load_season
from .simulation import simulate_results, simulate_season
from .storage import save_season

__version__ = version("liga_analysis")
__all__ = [
    "DataError",
    "Fit",
    "LeagueRules",
    "PlayGraph",
    "Problem",
    "Season",
    "awards",
    "development",
    "field_strength",
    "fit_ratings",
    "load_season",
    "play_graph",
    "problems",
    "receipt",
    "save_season",
    "simulate_results",
    "simulate_season",
    "standings",
]


def __getattr__(name: str):
    """The showing half, which needs altair and Jupyter, is imported when it is first used."""
    if name in ("charts", "report", "story", "views"):
        return import_module(f".{name}", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
