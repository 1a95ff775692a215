"""Season folders: made, and written."""

import json
import os
from contextlib import ExitStack
from importlib.resources import files
from pathlib import Path

import pandas as pd

from ..rules import OVERRIDABLE, LeagueRules
from ..words import DataError, Problem
from .evenings import EVENING_COLUMNS
from .folder import EXPLAINED, REGISTRY, SETTINGS, TABLES, is_season, tables_of
from .journal import create, locked, snapshot
from .roster import LICENCE_COLUMNS
from .season import STORED_COLUMNS, Season, build_season, load_season, season_tables
from .settings import Settings, read_settings
from .writer import canonical, file_text, separator_of


def save_season(
    folder: str | Path,
    name: str,
    evenings: pd.DataFrame | None = None,
    results: pd.DataFrame | None = None,
    licences: pd.DataFrame | None = None,
    like: Settings | None = None,
) -> Season:
    """A new season folder, whole or not at all: settings, registry, evenings and results.

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

    Returns
    -------
    Season
        As `load_season` reads it.

    Raises
    ------
    DataError
        If the folder is not empty or lies in a season's, or the name is blank.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = liga.save_season(folder + "/liga/2026", "Testliga")
    >>> made.name
    'Testliga'
    """
    folder = Path(os.path.abspath(folder))  # without ".."
    league, like = folder.parent, like or Settings(name)
    refused = "in_season" if is_season(league) else None
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        refused = "not_empty" if folder.is_dir() else "is_file"
    if refused:
        values = {"folder": str(folder), "beside": str(league.parent / folder.name)}
        raise DataError(Problem("error", "setting", refused, values=values))
    with ExitStack() as whole:
        contents = {"protocols/": b""}
        contents |= _texts(name, like)
        read_settings(folder / SETTINGS, contents[SETTINGS])
        for file, table, columns in (
            ("evenings.csv", evenings, EVENING_COLUMNS),
            ("results.csv", results, STORED_COLUMNS),
        ):
            contents[file] = _file(table, columns, like.language)
        known = None
        if (league / REGISTRY).exists():
            whole.enter_context(locked(league))
            known = snapshot(folder, [league / REGISTRY])[league / REGISTRY]
        registry = known or _file(licences, LICENCE_COLUMNS, like.language)
        registry = _with_issued(folder, like, contents, registry)
        if known is None and league.exists():
            create(folder, contents | {REGISTRY: registry})
        elif known is None:
            inside = {f"{folder.name}/{file}": data for file, data in contents.items()}
            create(league, inside | {REGISTRY: registry})
        else:
            changed = {league / REGISTRY: registry} if registry != known else {}
            create(folder, contents, changed, {league / REGISTRY: known})
    return load_season(folder)


def _texts(name: str, like: Settings) -> dict[str, bytes]:
    """season.toml, and what explains the folder."""
    texts = files("liga_analysis").joinpath("texts")
    settings = texts.joinpath("season.toml").read_text("utf-8")
    named = {"name": json.dumps(name, ensure_ascii=False), "language": like.language}
    explained = texts.joinpath(EXPLAINED).read_text("utf-8")
    return {
        SETTINGS: settings.format(**named, rules=_changed(like.rules)).encode(),
        EXPLAINED: explained.encode("utf-8-sig"),
    }


def _file(table: pd.DataFrame | None, columns: list[str], language: str) -> bytes:
    table = (pd.DataFrame() if table is None else table).reindex(columns=columns)
    return file_text(table, pd.DataFrame(), separator_of(None, language))


def _with_issued(folder: Path, like: Settings, new: dict[str, bytes], registry: bytes) -> bytes:
    """The registry with a licence for all who have none."""
    seen = {tables_of(folder)[k]: new.get(name) for k, name in enumerate(TABLES)}
    tables = season_tables(seen | {tables_of(folder)[2]: registry})
    season = build_season(folder, like, *tables)
    known, others = canonical(tables[2], LICENCE_COLUMNS)
    issued = season.licences.iloc[len(known) :].astype(object)
    if not len(issued):
        return registry
    separator = separator_of(tables[2], like.language)
    return file_text(pd.concat([known, issued.reindex(columns=known.columns)]), others, separator)


def _changed(rules: LeagueRules) -> str:
    """The [rules] table of season.toml, where rules differ from the league's own."""
    other = {
        k: getattr(rules, k) for k in OVERRIDABLE if getattr(rules, k) != getattr(LeagueRules, k)
    }
    return "\n".join(["[rules]", *(f"{k} = {v}" for k, v in other.items()), ""]) if other else ""
