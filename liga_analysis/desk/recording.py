"""An evening goes into the season: what that changes."""

import re
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pandas as pd

from ..model.checks import problems as all_problems
from ..season.folder import PROTOCOLS, hosts_files
from ..season.names import name_key
from ..season.reader import read_file
from ..season.season import Season
from ..season.writer import csv_text
from ..words import DataError, Problem
from .amendments import (
    ProtocolNames,
    changes,
    entry,
    evenings_with,
    licences_with,
    results_with,
)
from .clues import name_clues, sum_clues
from .files import CORRECTIONS, EVENINGS, LICENCES, RESULTS, Change, Files
from .submissions import Given, Submission, submissions


@dataclass(frozen=True, kw_only=True)
class Recording(Change):
    """Evenings about to be recorded.

    Attributes
    ----------
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
    """

    evenings: tuple[int, ...]
    replaced: int | None
    changes: tuple[str, ...]
    issued: pd.DataFrame
    problems: tuple[Problem, ...]


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
    stored = Files(season)
    before, paths = stored.season, stored.paths
    sent = [(path.name, read_file(path)) for path in files]
    _refuse_known(before, sent, given)
    by_file, told = submissions(before, stored.tables[LICENCES], sent, given, today)
    found = [one for evenings in by_file for one in evenings]
    if not accepted and any(one.sum for one in found):
        sums = [replace(p, key=f"sheet_{p.key}") for p in told if p.code == "sum"]
        raise DataError(*sums, *_sums_explained(found, before))

    numbers = tuple(one.evening for one in found)
    replaced = stored.rows_of(given.replace)
    rows = stored.rows[RESULTS]
    entries = [entry(one, before, accepted) for one in found]
    calendar = evenings_with(stored.rows[EVENINGS], entries, before)
    contents = {
        paths[RESULTS]: stored.text(RESULTS, results_with(rows, found, replaced)),
        paths[EVENINGS]: stored.text(EVENINGS, calendar),
    }
    after = stored.changed(contents)
    _refuse_changed(before, after, numbers)
    licences = stored.rows[LICENCES]
    issued = after.licences.iloc[len(licences) :]
    if barred := [name for name in issued["player"] if "|" in name]:  # it separates aliases
        raise _refused("rename_name", sent[0][0], new=barred[0])
    amended = licences_with(licences, before, after, given.replace)
    if len(amended):
        contents[paths[LICENCES]] = stored.text(LICENCES, amended)
    names = ProtocolNames(stored.folder / PROTOCOLS)
    for evenings, (name, data) in zip(by_file, sent, strict=True):
        contents[names.path(name, [one.evening for one in evenings])] = data
    what = ()
    if given.replace is not None:
        what = tuple(changes(before, after, given.replace))
        if not what:
            raise _refused("record_same_content", sent[0][0], given.replace)
        line = stored.correction(today, given.replace, "; ".join(what), reason or accepted)
        contents[paths[CORRECTIONS]] = line
        was = before.evenings.set_index("evening").loc[given.replace]
        old = rows.loc[replaced].assign(date=was["date"], host=was["host"])
        contents[names.path("ersetzt.csv", [given.replace])] = stored.text(RESULTS, old)
    told = [*told, *_twins(after, numbers), *name_clues(before, after, numbers)]
    told += [p for p in all_problems(after, today=today) if p.key == "no_results"]
    return Recording(
        before=before,
        after=after,
        contents={path: data for path, data in contents.items() if data != stored.seen.get(path)},
        seen=stored.seen,
        evenings=numbers,
        replaced=given.replace,
        changes=what,
        issued=issued,
        problems=tuple(told),
    )


def _refused(key: str, file: str, evening: int | None = None, **values) -> DataError:
    return DataError(Problem("error", "order", key, evening, file=file, values=values))


def _refuse_known(season: Season, sent: list[tuple[str, bytes]], given: Given) -> None:
    """Refuse the very bytes of a protocol whose evening stands in the season, or of another."""
    known, undone = {}, Path(season.words.text("record.undone_file")).stem
    if given.replace is None:
        for name, data in hosts_files(season.path):
            number = re.match(rf"abend-(\d+)(?!-{undone})", name)
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


def _sums_explained(found: list[Submission], season: Season) -> list[Problem]:
    """What may be wrong with each evening that does not add up, and the way out."""
    clues = [
        Problem("error", "sum", key, one.evening, file=one.file, values=values)
        for one in found
        if one.sum
        for key, values in sum_clues(one.rows, one.sum, season.rules)
    ]
    return [*clues, Problem("error", "sum", "record_sum")]
