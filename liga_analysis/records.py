"""Results as plain records, the same for programs and for pages: what `--format json` prints."""

import json
import math

import numpy as np
import pandas as pd

from .honours import awards
from .labels import Problem
from .ranking import season_fit, standings
from .season import Season

# Where a problem is.
PLACES = ("file", "evening", "player", "line")


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
        "players": rows(standings(season, lam, sigma)),
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
