"""The evenings of a season: when and where, in which order, and whether each adds up."""

import re

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import LANGUAGES, DataError, Problem, Words, template
from .cells import Table
from .days import clock
from .names import name_key
from .values import ROUNDING, dates, evening_numbers, understood

# At the end of an evening's note, why the round accepted its sum.
ACCEPTED = re.compile(r"(?:; )?(?:Summe|Sum) ([+−]\S+) (?:angenommen|accepted): (.*)")
_TEXTS = ("start", "place", "note")
_NO_DATE = np.iinfo(np.int64).min  # as numpy stores it
EVENING_COLUMNS = ["evening", "date", "start", "host", "place", "note"]


def announced_evenings(table: Table | None) -> tuple[pd.DataFrame, list[Problem]]:
    """The rows of evenings.csv, one per evening, and what is wrong with them.

    Raises
    ------
    DataError
        If a row has no evening number.
    """
    if table is None:
        return pd.DataFrame(columns=EVENING_COLUMNS), []
    number, bad = evening_numbers(table)
    wrong = np.flatnonzero(bad | np.isnan(number))
    if len(wrong):
        what = ("error", "number", "evening_number")
        raise DataError(*(table.problem(k, *what, column="evening") for k in wrong))
    frame = pd.DataFrame({column: table.words(column) for column in EVENING_COLUMNS})
    frame["start"] = [clock(start) or start for start in frame["start"]]
    frame["evening"] = number.astype(int)
    frame["date"], no_date = dates(table, "date")
    twice = frame.duplicated("evening")

    def errors(mask, code, key, **values):
        rows = zip(np.flatnonzero(mask), frame["evening"][mask], strict=True)
        return [table.problem(k, "error", code, key, evening=int(s), **values) for k, s in rows]

    problems = errors(no_date, "date", "no_date", column="date")
    problems += errors(twice, "duplicate", "evening_twice")
    return frame[~twice], problems + understood(table, "date", frame["date"].to_numpy())


def calendar(
    rows: pd.DataFrame, announced: pd.DataFrame, owner: dict[str, str], file: str
) -> tuple[pd.DataFrame, list[Problem]]:
    """All evenings in order (date, evening), each with its one date and host.

    Parameters
    ----------
    rows : DataFrame
        `evening`, `date`, `host` of the results.
    announced : DataFrame
        As from `announced_evenings`.
    owner : dict
        Licensed names by the key of each spelling: hosts are shown by these.
    file : str
        Of the results, for messages.

    Returns
    -------
    evenings : DataFrame
        Columns EVENING_COLUMNS.
    problems : list of Problem
    """
    rows, known = rows[_changes(rows)], announced.to_dict("list")
    noted = set(rows["evening"].tolist())
    at = {evening: k for k, evening in enumerate(known["evening"])}
    numbers = sorted({*at, *noted})
    days: dict[int, set] = {}
    for frame in (rows, announced):
        frame = frame[frame["date"].notna()]
        dated = frame["date"].to_numpy("datetime64[s]").astype(np.int64)
        for evening, day in {*zip(frame["evening"].tolist(), dated.tolist(), strict=True)}:
            days.setdefault(int(evening), set()).add(day)
    problems = []
    for evening, own in days.items():
        if len(own) > 1:
            facts = {"dates": [pd.Timestamp(day, unit="s") for day in sorted(own)]}
            problems.append(Problem("error", "date", "two_dates", evening, file=file, values=facts))
    written: dict[int, dict] = {}  # the first row's spelling counts, or what was announced
    named = rows[rows["host"] != ""][::-1]
    for frame in (named, announced[announced["host"] != ""]):
        for evening, host in zip(frame["evening"].tolist(), frame["host"], strict=True):
            host = owner.get(name_key(host), host)
            written.setdefault(evening, {})[name_key(host)] = host
    for evening, hosts in written.items():
        if len(hosts) > 1:
            facts = {"hosts": list(hosts.values())}
            problems.append(Problem("error", "host", "two_hosts", evening, file=file, values=facts))
    if at:
        problems += [
            Problem("warning", "date", "not_announced", evening, file=file)
            for evening in numbers
            if evening not in at
        ]
    problems.sort(key=lambda problem: problem.evening)
    first = {n: min(own) for n, own in days.items()}
    first = np.array([first.get(n, _NO_DATE) for n in numbers], np.int64)
    texts = {c: dict(zip(known["evening"], known[c], strict=True)) for c in _TEXTS}
    texts["host"] = {n: next(reversed(hosts.values())) for n, hosts in written.items()}
    texts = {
        c: [said.get(n, "") for n in numbers] if said else [""] * len(numbers)
        for c, said in texts.items()
    }
    table = {"evening": np.array(numbers, int), "date": first.astype("datetime64[s]"), **texts}
    table = pd.DataFrame(table)[EVENING_COLUMNS].astype(dict.fromkeys((*_TEXTS, "host"), "str"))
    if (first == _NO_DATE).any():
        problems.append(Problem("hint", "order", "no_dates", file=file))
        return table, problems + _passed_over(numbers, noted)
    if (np.diff(first) < 0).any():
        problems.append(Problem("hint", "order", "number_against_date", file=file))
    if len({*first.tolist()}) < len(first):
        shared = table[table.duplicated("date", keep=False)]
        for _, evenings in shared.groupby("date")["evening"]:
            facts, last = {"evenings": list(evenings)}, int(evenings.iloc[-1])
            problems.append(Problem("hint", "date", "same_date", last, file=file, values=facts))
    table = table.iloc[np.argsort(first, kind="stable")].reset_index(drop=True)
    return table, problems + _passed_over(table["evening"].tolist(), noted)


def _changes(rows: pd.DataFrame) -> np.ndarray:
    """Where a row says another evening, date or host than the row before it."""
    columns = [rows[column].to_numpy() for column in ("evening", "date", "host")]
    columns[1] = columns[1].astype("datetime64[s]").astype(np.int64)  # NaT is no change
    changes = np.ones(len(rows), bool)
    changes[1:] = np.any([values[1:] != values[:-1] for values in columns], axis=0)
    return changes


def _passed_over(order: list[int], noted: set[int]) -> list[Problem]:
    """Evenings announced before the last one of which something is noted, without results."""
    last = next((k for k in range(len(order) - 1, -1, -1) if order[k] in noted), 0)
    return [
        Problem("warning", "order", "no_results", evening, file="evenings.csv")
        for evening in order[:last]
        if evening not in noted
    ]


def _accepted(note: str, total: float) -> str | None:
    """Why the round accepted that an evening sums to `total`; None where its note does not say."""
    match = ACCEPTED.search(note)
    shown = {Words(language, d).signed(total) for language in LANGUAGES for d in (0, 2)}
    return match[2].strip() if match and match[1] in shown else None


def fate(what: str, evening: int) -> tuple[str, str]:
    """Whether a correction says that an evening was taken out ("undone") or counts again
    ("back"), and the day it tells; else "" twice.
    """
    for language in LANGUAGES:
        for happened in ("undone", "back"):
            said = template(f"record.{happened}", language)
            opening = said.split("{day:date}")[0].format(evening=evening)
            if what.startswith(opening) and said.split(")")[1].split(";")[0] in what:
                return happened, re.split("[,)]", what.removeprefix(opening))[0]
    return "", ""


def told_of_evenings(
    rows: pd.DataFrame, rules: LeagueRules, file: str, notes: dict[int, str]
) -> list[Problem]:
    """Warnings about evenings as a whole: sums that are not zero, lone players, no chip counts.

    The rows of an evening stand together. It balances when |Σ result| ≤ 1e-6 × its largest |result|
    or stake. Where its note says why the round accepted the sum, that is told in place of what
    might be done.
    """
    problems = []
    held = rows["evening"].to_numpy(int)
    first = np.flatnonzero(np.diff(held, prepend=0))
    result, stake = (rows[column].to_numpy(float) for column in ("result", "stake"))
    amounts = np.fmax(np.abs(result), np.abs(stake))
    largest, sums = np.fmax.reduceat(amounts, first), np.add.reduceat(result, first)
    # A sum that may not be zero is taken again, in the order of the rows.
    alone = np.diff(first, append=len(rows)) == 1
    doubtful = held[first][alone | (np.abs(sums) > 0.5 * ROUNDING * largest)]
    doubtful = rows[rows["evening"].isin(doubtful)]
    for evening, seats in doubtful.groupby("evening", sort=False):
        total = float(seats["result"].sum())
        largest = np.nanmax(np.abs(seats[["result", "stake"]].to_numpy(float)), initial=0)
        place = {"evening": int(evening), "file": file}
        if len(seats) == 1:
            player = seats["player"].iloc[0]
            alone = Problem("warning", "lone_player", "lone_player", player=player, **place)
            problems.append(alone)
        if abs(total) > ROUNDING * largest:
            pile, stake = seats["chips_out"].sum(), seats["stake"].sum()
            counted = not seats[["chips_out", "stake"]].isna().any(axis=None)
            values = {"sum": total, "mean": total / len(seats), "players": len(seats)}
            values["note"] = notes.get(int(evening), "")
            key = "sum_chips" if counted else "sum"
            values |= {"pile": float(pile), "stake": float(stake)} if counted else {}
            if (reason := _accepted(values["note"], total)) is not None:
                key, values = "sum_accepted", values | {"reason": reason, "note": ""}
            problems.append(Problem("warning", "sum", key, values=values, **place))
    unknown = rows["entries"].isna()
    if len(rows) and unknown.all():
        problems.append(Problem("hint", "entries", "no_entries", file=file))
    else:
        for evening, seats in rows[unknown].groupby("evening", sort=False):
            facts = {"names": seats["player"].tolist()}
            problems.append(
                Problem("hint", "entries", "no_entries_of", int(evening), file=file, values=facts)
            )
    return problems
