"""An evening goes into the season: what that changes, and the writing of it."""

import re
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import date
from pathlib import Path

import pandas as pd

from ..model.checks import problems as all_problems
from ..season.canonical import canonical, file_text, separator_of
from ..season.cells import clean_name
from ..season.evenings import EVENING_COLUMNS
from ..season.folder import find_season, hosts_files, licences_path, tables_of
from ..season.journal import commit, locked, snapshot
from ..season.names import name_key
from ..season.reader import read_file
from ..season.roster import LICENCE_COLUMNS
from ..season.season import (
    CORRECTION_COLUMNS,
    STORED_COLUMNS,
    Season,
    build_season,
    season_settings,
    season_tables,
)
from ..season.writer import csv_text
from ..words import DataError, Problem
from .amendments import (
    ProtocolNames,
    changes,
    entry,
    evenings_with,
    licences_with,
    results_with,
    rows_of,
)
from .submissions import Given, submissions

PROTOCOLS = "protocols"


@dataclass(frozen=True)
class Recording:
    """Evenings about to be recorded; nothing is written before `store`.

    Attributes
    ----------
    before, after : Season
    evenings : tuple of int
        Those recorded, in the order of the files.
    replaced : int or None
        The evening that is corrected.
    changes : tuple of str
        What the correction changes.
    issued : DataFrame
        New licences.
    problems : tuple of Problem
        Warnings and hints about the files sent.
    contents : dict
        The new bytes of every file that changes, by path.
    seen : dict
        The season's files as they were.
    told : tuple of Problem
        What there is to tell once it is stored.
    """

    before: Season
    after: Season
    evenings: tuple[int, ...]
    replaced: int | None
    changes: tuple[str, ...]
    issued: pd.DataFrame
    problems: tuple[Problem, ...]
    contents: dict[Path, bytes]
    seen: dict[Path, bytes | None]
    told: tuple[Problem, ...] = ()


def season_lock(season: str | Path) -> AbstractContextManager:
    """Keeps other recordings in the season, and in others of its league, waiting."""
    return locked(licences_path(season_folder(season)).parent)


def season_folder(season: str | Path) -> Path:
    """The folder of a season that is to be changed.

    Raises
    ------
    DataError
        If it is a single table.
    """
    folder = find_season(season).resolve()
    if not folder.is_dir():
        raise _refused("record_folder", folder.name)
    return folder


def prepare(
    season: str | Path,
    files: list[Path],
    given: Given,
    today: date,
    reason: str = "",
    accepted: str = "",
) -> Recording:
    """What recording hosts' files would change; nothing is written.

    Parameters
    ----------
    season : str or Path
        A season folder.
    files : list of Path
        As the hosts sent them.
    given : Given
        Date, host and number of the evening where they do not speak for themselves, or the
        evening to replace.
    today : date
    reason : str
        Why an evening is replaced; goes into corrections.csv.
    accepted : str
        Why an evening that does not sum to zero is recorded all the same; goes into its note.

    Raises
    ------
    DataError
        If anything is wrong with any file, or nothing would change; everything is named.
    """
    folder = season_folder(season)
    paths = tables_of(folder)
    seen = snapshot(folder, paths)
    tables = season_tables(seen)
    settings = season_settings(folder)
    before = build_season(folder, settings, *tables)
    sent = [(path.name, read_file(path)) for path in files]
    _refuse_known(before, sent, given)
    by_file, told = submissions(before, tables[2], sent, given, today)
    if not accepted and (sums := [p for p in told if p.code == "sum"]):
        raise DataError(*sums, Problem("error", "sum", "record_sum"))

    found = [one for evenings in by_file for one in evenings]
    numbers = tuple(one.evening for one in found)
    columns = (STORED_COLUMNS, EVENING_COLUMNS, LICENCE_COLUMNS, CORRECTION_COLUMNS)
    stored = [canonical(table, names) for table, names in zip(tables, columns, strict=True)]
    (rows, _), (calendar, _), (licences, _), (corrections, _) = stored
    replaced = rows_of(tables[0], before, given.replace)

    def text(k: int, table: pd.DataFrame) -> bytes:
        return file_text(table, stored[k][1], separator_of(tables[k], settings.language))

    new = dict(seen)
    new[paths[0]] = text(0, results_with(rows, found, replaced))
    entries = [entry(one, before, accepted) for one in found]
    new[paths[1]] = text(1, evenings_with(calendar, entries, before))
    after = build_season(folder, settings, *season_tables(new))
    _refuse_changed(before, after, numbers)
    issued = after.licences.iloc[len(licences) :]
    amended = licences_with(licences, before, after, given.replace)
    if len(amended):
        new[paths[2]] = text(2, amended)
    names = ProtocolNames(folder / PROTOCOLS)
    protocols = {
        names.path(name, [one.evening for one in evenings]): data
        for evenings, (name, data) in zip(by_file, sent, strict=True)
    }
    what = ()
    if given.replace is not None:
        what = changes(before, after, given.replace)
        if not what:
            raise _refused("record_same_content", sent[0][0], given.replace)
        line = [pd.Timestamp(today), given.replace, "; ".join(what), clean_name(reason or accepted)]
        line = pd.DataFrame([line], [len(corrections)], CORRECTION_COLUMNS, dtype=object)
        new[paths[3]] = text(3, pd.concat([corrections, line]))
        was = before.evenings.set_index("evening").loc[given.replace]
        old = rows.loc[replaced].assign(date=was["date"], host=was["host"])
        protocols[names.path("ersetzt.csv", [given.replace])] = text(0, old)
    after = build_season(folder, settings, *season_tables(new))
    contents = {path: data for path, data in (new | protocols).items() if data != seen.get(path)}
    told = (*told, *_twins(after, numbers), *_alike(after, issued))
    return Recording(
        before, after, numbers, given.replace, tuple(what), issued, told, contents, seen
    )


def store(recording: Recording) -> list[Problem]:
    """Write a recording, wholly or not at all, as `commit`; the caller holds the `season_lock`."""
    return commit(recording.before.path, recording.contents, recording.seen)


def _refused(key: str, file: str, evening: int | None = None, **values) -> DataError:
    return DataError(Problem("error", "order", key, evening, file=file, values=values))


def _refuse_known(season: Season, sent: list[tuple[str, bytes]], given: Given) -> None:
    """Refuse the very bytes of a protocol whose evening stands in the season, or of another."""
    known = {}
    if given.replace is None:
        for name, data in hosts_files(season.path):
            number = re.match(r"abend-(\d+)", name)
            if number and int(number[1]) in {*season.held, *season.left_out}:
                known[data] = name
    problems = []
    for name, data in sent:
        if data in known:
            told = {"other": known[data]}
            problems.append(Problem("error", "duplicate", "record_same", file=name, values=told))
        known.setdefault(data, name)
    if problems:
        raise DataError(*problems)


def _refuse_changed(before: Season, after: Season, recorded: tuple[int, ...]) -> None:
    """Refuse what would put an evening in error, or change one that was not recorded."""
    lost = [e for e in after.left_out if e in recorded or e not in before.left_out]
    if lost:
        raise DataError(*(p for p in after.problems if p.severity == "error" and p.evening in lost))
    others = []
    for season in (before, after):
        rows = season.results[~season.results["evening"].isin(recorded)]
        names = rows["player"].map(name_key)
        others.append(csv_text(rows.assign(player=names).drop(columns="note")))
    if others[0] != others[1]:
        raise _refused("record_others", after.path.name)


def _twins(season: Season, recorded: tuple[int, ...]) -> list[Problem]:
    """Evenings recorded that have the very results of another: the same sheet under a new date."""
    columns = ["player", "entries", "result"]
    evenings = season.results.groupby("evening", sort=False)[columns]
    seats = {evening: csv_text(rows.sort_values("player")) for evening, rows in evenings}
    return [
        Problem("warning", "duplicate", "record_twin", evening, values={"other": other})
        for evening in recorded
        for other in seats
        if other != evening and seats[other] == seats.get(evening)
    ]


def _alike(season: Season, issued: pd.DataFrame) -> list[Problem]:
    """Whether a new player is nearly called like another."""
    new = set(issued["player"])
    found = all_problems(season) if new else []
    return [p for p in found if p.key == "similar" and new & {p.player, p.values["other"]}]
