"""A season as its files say it, and those files with something changed in them."""

from dataclasses import dataclass, replace
from datetime import date
from itertools import chain
from pathlib import Path

import pandas as pd

from ..season.cells import clean_name
from ..season.folder import find_season, licences_path, lost_files, seasons_in, tables_of
from ..season.journal import commit, locked, snapshot
from ..season.names import alphabetical
from ..season.protocol import read_rows
from ..season.season import (
    CORRECTION_COLUMNS,
    TABLE_COLUMNS,
    Season,
    build_season,
    load_season,
    season_settings,
    season_tables,
)
from ..season.writer import canonical, file_text, separator_of
from ..words import DataError, Problem

RESULTS, EVENINGS, LICENCES, CORRECTIONS = range(4)


def season_folder(season: str | Path) -> Path:
    """The folder of a season that is to be changed; a single table is refused."""
    folder = find_season(season).resolve()
    if not folder.is_dir():
        raise DataError(Problem("error", "order", "record_folder", file=folder.name))
    return folder


def season_lock(season: str | Path):
    """Keeps other changes in the season, and in others of its league, waiting."""
    return locked(licences_path(season_folder(season)).parent)


class Files:
    """A season's files, read at one moment: results, evenings, licences, corrections.

    `seen` holds their bytes by path, `rows` all that they say, in canonical form.
    """

    def __init__(self, season: str | Path):
        self.folder = season_folder(season)
        self.paths = tables_of(self.folder)
        self.seen = snapshot(self.folder, self.paths)
        self.settings = season_settings(self.folder)
        self.tables = season_tables(self.seen)
        results, *rest = self.tables
        self._read = None if results is None else read_rows(results, self.settings.rules)
        self.season = build_season(self.folder, self.settings, self._read, *rest)
        stored = [
            canonical(table, names) for table, names in zip(self.tables, TABLE_COLUMNS, strict=True)
        ]
        self.rows, self._others = ([pair[k] for pair in stored] for k in (0, 1))

    def rows_of(self, evening: int | None) -> list[int]:
        """Positions of an evening's rows in the results file, those in error too."""
        if self._read is None:
            return []
        of_row = self._read.evenings["evening"]
        return of_row.index[of_row == evening].tolist()

    def text(self, k: int, rows: pd.DataFrame) -> bytes:
        """One of the files with these rows; other columns and the separator stay.

        A DataError where the season has lost it: what was in it is not begun anew.
        """
        undated = self.season.evenings["date"].isna().any()  # nor does results.csv say when
        wanting = {EVENINGS: undated, LICENCES: self.season.held or self.season.left_out}
        for problem in lost_files(self.folder) if wanting.get(k) else []:
            if problem.key == ("lost_evenings" if k == EVENINGS else "lost_licences"):
                raise DataError(replace(problem, severity="error"))
        separator = separator_of(self.tables[k], self.settings.language)
        return file_text(rows, self._others[k], separator)

    def correction(self, today: date, evening: int | None, what: str, why: str) -> bytes:
        """corrections.csv with a line more."""
        known = self.rows[CORRECTIONS]
        line = [pd.Timestamp(today), evening, what, clean_name(why)]
        line = pd.DataFrame([line], [len(known)], CORRECTION_COLUMNS, dtype=object)
        return self.text(CORRECTIONS, pd.concat([known, line]))

    def changed(self, contents: dict[Path, bytes]) -> Season:
        """The season with other bytes in some of the files."""
        new = {path: contents.get(path, data) for path, data in self.seen.items()}
        return build_season(self.folder, self.settings, *season_tables(new))


def league_mates(folder: Path) -> list[Path]:
    """The other seasons of the league, which share its registry."""
    home = licences_path(folder)
    others = (part for part in seasons_in(folder.parent) if part != folder)
    return [part for part in others if licences_path(part) == home]


def unplayed(season: Season, among: set[str] | None = None) -> list[Problem]:
    """A hint about those with a licence, `among` these, and no evening in any season of it.

    None while an evening in error, or in a season that cannot be read, may be theirs.
    """
    idle = set(season.licences["player"])
    idle &= idle if among is None else among
    league = chain([season], map(load_season, league_mates(season.path.resolve())))
    try:
        while idle and (one := next(league, None)):
            if one.left_out:
                return []
            idle -= {*one.results["player"], *one.evenings["host"]}
    except DataError:
        return []
    values = {"names": sorted(idle, key=alphabetical)}
    hint = Problem("hint", "name", "licence_unplayed", file="licences.csv", values=values)
    return [hint] if idle else []


@dataclass(frozen=True, kw_only=True)
class Change:
    """A season about to be changed; nothing is written before `store`."""

    before: Season
    after: Season
    contents: dict[Path, bytes]  # of every file that changes
    seen: dict[Path, bytes | None]  # the season's files as they were
    # Folder, contents and seen of other seasons of the league that change with it.
    others: tuple[tuple[Path, dict, dict], ...] = ()
    problems: tuple[Problem, ...] = ()  # warnings and hints about it


def store(change: Change) -> list[Problem]:
    """Write a change, wholly or not at all, as `commit`; the caller holds the `season_lock`."""
    return commit((change.before.path, change.contents, change.seen), *change.others)
