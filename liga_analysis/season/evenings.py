"""The evenings of a season: when and where, in which order, and whether each adds up."""

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import DataError, Problem
from .cells import Table, dates, understood
from .names import name_key
from .protocol import ROUNDING, evening_numbers

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
        told = ("error", "number", "evening_number")
        raise DataError(*(table.problem(k, *told, column="evening") for k in wrong))
    frame = pd.DataFrame({column: table.words(column) for column in EVENING_COLUMNS})
    frame["evening"] = number.astype(int)
    frame["date"], no_date = dates(table, "date")
    twice = frame.duplicated("evening")

    def told(mask, code, key, **values):
        rows = zip(np.flatnonzero(mask), frame["evening"][mask], strict=True)
        return [table.problem(k, "error", code, key, evening=int(s), **values) for k, s in rows]

    problems = told(no_date, "date", "no_date", column="date")
    problems += told(twice, "duplicate", "evening_twice")
    return frame[~twice], problems + understood(table, "date", frame["date"].to_numpy())


def calendar(rows: pd.DataFrame, announced: pd.DataFrame, file: str):
    """All evenings in order (date, evening), each with its one date and host.

    Parameters
    ----------
    rows : DataFrame
        `evening`, `date`, `host` of the results.
    announced : DataFrame
        As from `announced_evenings`.
    file : str
        Of the results, for messages.

    Returns
    -------
    evenings : DataFrame
        Columns EVENING_COLUMNS.
    problems : list of Problem
    """
    known = announced.set_index("evening").to_dict("index")
    of_rows = dict(list(rows.groupby("evening")))
    nothing = rows.iloc[:0]
    found, problems = [], []
    for evening in sorted({*known, *of_rows}):
        entry, seen = known.get(evening, {}), of_rows.get(evening, nothing)
        days = pd.Series([entry.get("date"), *seen["date"]], dtype="datetime64[s]").dropna()
        days = sorted(days.unique())
        hosts = {name_key(h): h for h in [*seen["host"][::-1], entry.get("host", "")] if h}
        if len(days) > 1:
            told = {"dates": days}
            problems.append(Problem("error", "date", "two_dates", evening, file=file, values=told))
        if len(hosts) > 1:
            told = {"hosts": list(hosts.values())}
            problems.append(Problem("error", "host", "two_hosts", evening, file=file, values=told))
        if known and not entry:
            problems.append(Problem("warning", "date", "not_announced", evening, file=file))
        day = days[0] if len(days) else pd.NaT
        host = next(reversed(hosts.values()), "")
        blank = {"start": "", "place": "", "note": ""}
        found.append(blank | entry | {"evening": evening, "date": day, "host": host})
    table = pd.DataFrame(found, columns=EVENING_COLUMNS).astype({"evening": int})
    table["date"] = table["date"].astype("datetime64[s]")
    if table["date"].isna().any():
        problems.append(Problem("hint", "order", "no_dates", file=file))
        return table, problems + _passed_over(table, set(of_rows))
    if not table["date"].is_monotonic_increasing:
        problems.append(Problem("hint", "order", "number_against_date", file=file))
    for _, evenings in table.groupby("date")["evening"]:
        if len(evenings) > 1:
            told = {"evenings": list(evenings)}
            last = int(evenings.iloc[-1])
            problems.append(Problem("hint", "date", "same_date", last, file=file, values=told))
    table = table.sort_values(["date", "evening"], ignore_index=True)
    return table, problems + _passed_over(table, set(of_rows))


def _passed_over(table: pd.DataFrame, noted: set[int]) -> list[Problem]:
    """Evenings announced before the last one of which something is noted, without results."""
    order = table["evening"].tolist()
    last = max((k for k, evening in enumerate(order) if evening in noted), default=0)
    return [
        Problem("warning", "order", "no_results", evening, file="evenings.csv")
        for evening in order[:last]
        if evening not in noted
    ]


def told_of_evenings(
    rows: pd.DataFrame, rules: LeagueRules, file: str, notes: dict[int, str]
) -> list[Problem]:
    """Warnings about evenings as a whole: sums that are not zero, lone players, no chip counts.

    An evening balances when |Σ result| ≤ 1e-6 × its largest |result| or stake. What the evening's
    note says (why the sum was accepted) is told along with it.
    """
    problems = []
    for evening, seats in rows.groupby("evening", sort=False):
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
            problems.append(Problem("warning", "sum", key, values=values, **place))
    unknown = rows[rows["entries"].isna()]
    if len(unknown) == len(rows) > 0:
        problems.append(Problem("hint", "entries", "no_entries", file=file))
    else:
        for evening, seats in unknown.groupby("evening", sort=False):
            told = {"names": seats["player"].tolist()}
            problems.append(
                Problem("hint", "entries", "no_entries_of", int(evening), file=file, values=told)
            )
    return problems
