"""An evening goes into the season: what that changes."""

import re
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import pandas as pd

from ..model.checks import problems as all_problems
from ..rules import LeagueRules
from ..season.evenings import fate
from ..season.folder import hosts_files, lost_files
from ..season.headings import says_a_name
from ..season.names import as_written, is_placeholder, meant, name_key, turned
from ..season.reader import read_file
from ..season.roster import is_name, owners
from ..season.season import Season
from ..season.writer import csv_text
from ..words import DataError, Problem
from .amendments import (
    changes,
    entry,
    evenings_with,
    licences_with,
    protocol_path,
    results_with,
    seat_changes,
)
from .files import CORRECTIONS, EVENINGS, LICENCES, RESULTS, Change, Files, unplayed
from .submissions import Given, Submission, evenings_of, submissions


@dataclass(frozen=True, kw_only=True)
class Recording(Change):
    """Evenings about to be recorded."""

    evenings: tuple[int, ...]  # in the order of the files
    replaced: int | None  # the evening that is corrected
    issued: pd.DataFrame  # new licences


def prepare(
    season: str | Path,
    files: list[Path],
    given: Given,
    today: date,
    reason: str = "",
    accepted: str = "",
) -> Recording:
    """What recording hosts' files would change; nothing is written.

    `reason` says why an evening is replaced, or counts again, and goes into corrections.csv;
    `accepted` why one that does not sum to zero is recorded all the same, and goes into its note.

    Raises
    ------
    DataError
        If anything is wrong with any file, or nothing would change; everything is named.
    """
    stored = Files(season)
    before, paths = stored.season, stored.paths
    sent = [(path.name, read_file(path)) for path in files]
    _refuse_known(before, sent, given)
    by_file, doubts = submissions(before, stored.tables[LICENCES], sent, given, today)
    evenings = [one for sheet in by_file for one in sheet]
    if not accepted and any(one.sum for one in evenings):
        sums = [replace(p, key=f"sheet_{p.key}") for p in doubts if p.code == "sum"]
        lost = [p for p in doubts if p.key in ("total_row", "total_no_sum")]
        raise DataError(*sums, *lost, *_sums_explained(evenings, before))

    numbers = tuple(one.evening for one in evenings)
    replaced = stored.rows_of(given.replace)
    rows = stored.rows[RESULTS]
    back = [] if given.replace else _back(before, evenings)
    entries = [entry(one, before, accepted) for one in evenings]
    calendar = evenings_with(stored.rows[EVENINGS], entries, before)
    contents = {
        paths[RESULTS]: stored.text(RESULTS, results_with(rows, evenings, replaced, before)),
        paths[EVENINGS]: stored.text(EVENINGS, calendar),
    }
    after = stored.changed(contents)
    _refuse_changed(before, after, numbers)
    licences = stored.rows[LICENCES]
    issued = after.licences.iloc[len(licences) :]
    new = issued["player"][~issued["player"].isin(before.licences["player"])]
    if barred := [Problem("error", "name", "no_name", player=n) for n in new if not is_name(n)]:
        raise DataError(*barred)
    amended = licences_with(licences, before, after, given.replace)
    if len(amended):
        contents[paths[LICENCES]] = stored.text(LICENCES, amended)
    for sheet, (name, data) in zip(by_file, sent, strict=True):
        sheet_numbers = [one.evening for one in sheet]
        contents[protocol_path(stored.folder, name, sheet_numbers, contents)] = data
    if given.replace is not None:
        what = changes(before, after, given.replace, before.words)
        if not what:
            raise _refused("record_same_content", sent[0][0], given.replace)
        doubts += _gone(before, after, given.replace)
        doubts += unplayed(after, set(before.results["player"]))
        line = stored.correction(today, given.replace, "; ".join(what), reason or accepted)
        contents[paths[CORRECTIONS]] = line
        was = before.evenings.set_index("evening").loc[given.replace]
        old = rows.loc[replaced].assign(date=was["date"], host=was["host"])
        kept = protocol_path(stored.folder, "ersetzt.csv", [given.replace], contents)
        contents[kept] = stored.text(RESULTS, old)
    elif back:
        what = []
        for one, was in back:
            what.append(before.words.text("record.back", evening=one.evening, day=one.date))
            if differs := _otherwise(one, was, after):
                what.append(differs)
                facts = "hint", "order", "record_otherwise", one.evening
                doubts.append(Problem(*facts, values={"changes": differs}))
        line = stored.correction(today, back[0][0].evening, " ".join(what), reason)
        contents[paths[CORRECTIONS]] = line
    elif reason:
        raise _refused("record_reason", sent[0][0])
    # A sum is accepted, as `after` says; a blank row of who sat there by another name is nobody's.
    owner = owners(before.licences)
    there = {owner.get(name_key(name)) for one in evenings for name in one.rows["player"]} - {None}
    absent = [p for p in doubts if p.key == "absent" and owner.get(name_key(p.player)) in there]
    doubts = [p for p in doubts if p.code != "sum" and p not in absent]
    doubts += [p for p in after.problems if p.code == "sum" and p.evening in numbers]
    doubts = [*doubts, *_twins(after, numbers), *name_clues(before, after, numbers)]
    doubts += [p for p in all_problems(after, today=today) if p.key == "no_results"]
    doubts += lost_files(stored.folder)
    if accepted and given.replace is None and not any(one.sum for one in evenings):
        doubts.append(Problem("hint", "sum", "record_balanced", file=sent[0][0]))
    return Recording(
        before=before,
        after=after,
        contents={path: data for path, data in contents.items() if data != stored.seen.get(path)},
        seen=stored.seen,
        evenings=numbers,
        replaced=given.replace,
        issued=issued,
        problems=tuple(doubts),
    )


def _refused(key: str, file: str, evening: int | None = None, **values) -> DataError:
    return DataError(Problem("error", "order", key, evening, file=file, values=values))


def _gone(before: Season, after: Season, evening: int) -> list[Problem]:
    """A warning if a correction leaves out half of those who sat there, or more."""
    then, now = (s.results["player"][s.results["evening"] == evening] for s in (before, after))
    gone = [name for name in then if name not in set(now)]
    told = Problem("warning", "absent", "record_gone", evening, values={"names": gone})
    return [told] if gone and 2 * len(gone) >= len(then) else []


def _back(season: Season, evenings: list[Submission]) -> list[tuple[Submission, list[Submission]]]:
    """The evenings that were taken out and count again, each with what was taken out.

    What its sheet does not say of start, host and place stays as it was.
    """
    out = {}
    for row in season.corrections.itertuples():
        number, what = pd.to_numeric(row.evening, errors="coerce"), str(row.what)
        happened, day = ("", "") if pd.isna(number) else fate(what, int(number))
        out |= {day: what if happened == "undone" else ""} if happened else {}
    back = []
    for one in evenings:
        if what := out.get(season.words.date(one.date)):
            kept = next((data for name, data in hosts_files(season.path) if name in what), None)
            was = []
            with suppress(DataError):  # somebody changed it
                was = evenings_of("", kept, season) if kept is not None else []
            for place in ("start", "host", "place") if was else ():
                setattr(one, place, getattr(one, place) or getattr(was[0], place))
            back.append((one, was))
    return back


def _otherwise(one: Submission, was: list[Submission], after: Season) -> str:
    """What of an evening that counts again is not as it was when it was taken out."""
    now = after.results[after.results["evening"] == one.evening]
    now, owner = now.assign(player=now["player"].map(as_written)), owners(after.licences)
    told = []
    for then in (sheet.read.table for sheet in was):
        names = then["player"].map(lambda name: owner.get(name_key(name), name))
        told += seat_changes(then.assign(player=names), now, after.words)
    return "; ".join(told)


def _refuse_known(season: Season, sent: list[tuple[str, bytes]], given: Given) -> None:
    """Refuse the very bytes of a protocol whose evening stands in the season, or of another."""
    known, undone = {}, Path(season.words.text("record.undone_file")).stem
    if given.replace is None:
        for name, data in hosts_files(season.path):
            number = re.match(rf"abend-(\d+)(?!\d|-{undone})", name)
            if number and int(number[1]) in {*season.held, *season.left_out}:
                known[data] = name
    problems, here = [], {}
    for name, data in sent:
        if other := known.get(data) or here.get(data):
            key = "record_same" if data in known else "record_same_sent"
            facts = {"other": other}
            problems.append(Problem("error", "duplicate", key, file=name, values=facts))
        here.setdefault(data, name)
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
    seats = {
        evening: csv_text(rows.assign(player=rows["player"].map(as_written)).sort_values(columns))
        for evening, rows in evenings
    }
    return [
        Problem("warning", "duplicate", "record_twin", evening, values={"other": other})
        for evening in recorded
        for other in seats
        if other != evening and seats[other] == seats.get(evening)
    ]


def _sums_explained(evenings: list[Submission], season: Season) -> list[Problem]:
    """What may be wrong with each evening that does not add up, and the way out."""
    clues = [
        Problem("error", "sum", key, one.evening, file=one.file, values=values)
        for one in evenings
        if one.sum
        for key, values in sum_clues(one.rows, one.sum, season.rules)
    ]
    return [*clues, Problem("error", "sum", "record_sum")]


def name_clues(before: Season, after: Season, evenings: tuple[int, ...]) -> list[Problem]:
    """New players and hosts who are nearly called like somebody known, or like a guest."""
    known = owners(before.licences)
    players = after.licences["player"].iloc[len(before.licences) :]
    hosts = after.evenings["host"][after.evenings["evening"].isin(evenings)]
    known_hosts = {name_key(host): host for host in before.evenings["host"] if host} | known
    likely = [("record_meant", name, meant(name, known.values())) for name in players]
    likely += [
        ("record_meant_host", host, meant(host, known_hosts.values()))
        for host in dict.fromkeys(hosts)
        if host and name_key(host) not in known_hosts and host not in set(players)
    ]
    guests = {guest: name_key(as_written(guest)) for guest in sorted(before.guests)}
    likely += [
        ("record_was_guest", name, guest)
        for name in players
        for guest, key in guests.items()
        if re.search(rf"\b{re.escape(name_key(name))}\b", key)
    ]
    nobody = [host for host in dict.fromkeys(hosts) if host and not says_a_name(host)]
    return [Problem("warning", "host", "record_no_host", player=host) for host in nobody] + [
        Problem("warning", "name", key, player=name, values={"other": other})
        for key, name, other in likely
        if other and not is_placeholder(name)
    ]


def sum_clues(seats: pd.DataFrame, total: float, rules: LeagueRules) -> list[tuple[str, dict]]:
    """What would explain that an evening's results add up to `total`: key and values of sentences.

    Of the seats are needed `player`, `entries`, `chips_out`.
    """
    clues = []
    for player, chips in seats[["player", "chips_out"]].dropna().itertuples(index=False):
        if (chips - total) % rules.smallest_chip == 0 and _slip(int(chips), int(chips - total)):
            clues.append(("sum_digits", {"player": player, "chips": chips, "right": chips - total}))
    count, rest = divmod(abs(total), rules.entry_chips)
    if not rest and seats["entries"].notna().any():
        clues.append((f"sum_entry_{'more' if total > 0 else 'less'}", {"count": int(count)}))
    elif not clues and rules.entry_chips <= 20 * abs(total):  # less is a slip in counting
        clues.append(("sum_seat", {"result": -total}))
    return clues


def _slip(a: int, b: int) -> bool:
    """Whether two numbers are the same but for two neighbouring digits changed round, or one more.

    Of less than three digits nothing is left to know a number by.
    """
    a, b = sorted([str(a), str(b)], key=len)
    if len(b) == len(a) + 1 > 3:
        return a in {b[:k] + b[k + 1 :] for k in range(len(b))}
    return turned(a, b)
