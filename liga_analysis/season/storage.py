"""Season folders: made, and written."""

import json
from importlib.resources import files
from pathlib import Path

import pandas as pd

from ..rules import OVERRIDABLE, LeagueRules
from ..words import DataError, Problem
from .evenings import EVENING_COLUMNS
from .folder import SETTINGS, licences_path
from .roster import LICENCE_COLUMNS
from .season import STORED_COLUMNS, Season, load_season
from .settings import Settings
from .writer import write_table, write_text


def save_season(
    folder: str | Path,
    name: str,
    evenings: pd.DataFrame | None = None,
    results: pd.DataFrame | None = None,
    licences: pd.DataFrame | None = None,
    like: Settings | None = None,
) -> Season:
    """A new season folder: settings, registry, evenings and results in the canonical files.

    The registry goes beside the season if the league has one there or the league is new (its
    folder did not exist), else into the season's own folder.

    Parameters
    ----------
    folder : str or Path
        Must not exist, or be empty.
    name : str
        As shown on the season's pages.
    evenings, results, licences : DataFrame, optional
        With the columns of the files; missing ones stay blank. A registry that is there already
        stays as it is; licences are issued to all who have none.
    like : Settings, optional
        Language and rules to take over; never the prior or the parameters.

    Raises
    ------
    DataError
        If the folder is not empty.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        key = "not_empty" if folder.is_dir() else "is_file"
        raise DataError(Problem("error", "setting", key, values={"folder": str(folder)}))
    new_league = not folder.parent.exists()
    (folder / "protocols").mkdir(parents=True)
    registry = folder.parent / "licences.csv" if new_league else licences_path(folder)
    like = like or Settings(name)
    texts = files("liga_analysis").joinpath("texts")
    settings = (
        texts.joinpath("season.toml")
        .read_text("utf-8")
        .format(
            name=json.dumps(name, ensure_ascii=False),
            language=like.language,
            rules=_changed(like.rules),
        )
    )
    write_text(settings, folder / SETTINGS)
    write_text(texts.joinpath("LIESMICH.txt").read_text("utf-8"), folder / "LIESMICH.txt", bom=True)
    tables = {
        folder / "evenings.csv": (evenings, EVENING_COLUMNS),
        folder / "results.csv": (results, STORED_COLUMNS),
    }
    if not registry.exists():
        tables[registry] = (licences, LICENCE_COLUMNS)
    for path, (table, columns) in tables.items():
        table = pd.DataFrame() if table is None else table
        write_table(table.reindex(columns=columns), path)
    season = load_season(folder)
    write_table(season.licences, registry)
    return season


def _changed(rules: LeagueRules) -> str:
    """The [rules] table of season.toml, where rules differ from the league's own."""
    other = {
        k: getattr(rules, k) for k in OVERRIDABLE if getattr(rules, k) != getattr(LeagueRules, k)
    }
    return "\n".join(["[rules]", *(f"{k} = {v}" for k, v in other.items()), ""]) if other else ""
