"""The evenings of a season: when and where, in which order, and whether each adds up."""

import numpy as np
import pandas as pd

from .labels import DataError, Problem
from .protocol import ROUNDING, name_key
from .reader import Table, clean_name, dates, numbers
from .rules import LeagueRules

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
    cells, n = table.cells, len(table.cells)
    number, _ = numbers(table, "evening", whole=True)
    bad_number = np.flatnonzero(~((number >= 1) & (number % 1 == 0)))
    if len(bad_number):
        told = ("error", "number", "evening_number")
        raise DataError(*(table.problem(k, *told, column="evening") for k in bad_number))
    frame = pd.DataFrame({"evening": number.astype(int)})
    for column in EVENING_COLUMNS[1:]:
        frame[column] = [clean_name(c) for c in cells[column]] if column in cells else ""
    frame["date"], bad_date = np.full(n, np.datetime64("NaT"), "datetime64[s]"), np.zeros(n, bool)
    if "date" in cells:
        frame["date"], bad_date = dates(table, "date")
    twice = frame.duplicated("evening")
    problems = [
        table.problem(k, "error", "date", "no_date", column="date", evening=int(frame["evening"][k]))
        for k in np.flatnonzero(bad_date)
    ] + [
        table.problem(k, "error", "duplicate", "evening_twice", evening=int(frame["evening"][k]))
        for k in np.flatnonzero(twice)
    ]
    return frame[~twice], problems


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
        days = pd.Series([entry.get("date"), *seen["date"]], dtype="datetime64[s]").dropna().unique()
        hosts = {name_key(h): h for h in [*seen["host"][::-1], entry.get("host", "")] if h}
        if len(days) > 1:
            told = {"dates": sorted(days)}
            problems.append(Problem("error", "date", "two_dates", evening, file=file, values=told))
        if len(hosts) > 1:
            told = {"hosts": list(hosts.values())}
            problems.append(Problem("error", "host", "two_hosts", evening, file=file, values=told))
        if known and not entry:
            problems.append(Problem("warning", "date", "not_announced", evening, file=file))
        day = days[0] if len(days) else pd.NaT
        host = next(reversed(hosts.values()), "")
        found.append({"start": "", "place": "", "note": "", **entry} | {"evening": evening, "date": day, "host": host})
    table = pd.DataFrame(found, columns=EVENING_COLUMNS).astype({"evening": int})
    table["date"] = table["date"].astype("datetime64[s]")
    if table["date"].isna().any():
        return table, [*problems, Problem("hint", "order", "no_dates", file=file)]
    if not table["date"].is_monotonic_increasing:
        problems.append(Problem("hint", "order", "number_against_date", file=file))
    for _, evenings in table.groupby("date")["evening"]:
        if len(evenings) > 1:
            told = {"evenings": list(evenings)}
            last = int(evenings.iloc[-1])
            problems.append(Problem("hint", "date", "same_date", last, file=file, values=told))
    return table.sort_values(["date", "evening"], ignore_index=True), problems


def told_of_evenings(rows: pd.DataFrame, rules: LeagueRules, file: str) -> list[Problem]:
    """Warnings about evenings as a whole: sums that are not zero, lone players, no chip counts.

    An evening balances when |Σ result| ≤ 1e-6 × its largest |result| or stake.
    """
    problems = []
    for evening, seats in rows.groupby("evening", sort=False):
        total = float(seats["result"].sum())
        largest = np.nanmax(np.abs(seats[["result", "stake"]].to_numpy(float)), initial=0)
        place = {"evening": int(evening), "file": file}
        if len(seats) == 1:
            player = seats["player"].iloc[0]
            problems.append(Problem("warning", "lone_player", "lone_player", player=player, **place))
        if abs(total) > ROUNDING * largest:
            pile, stake = seats["chips_out"].sum(), seats["stake"].sum()
            counted = not seats[["chips_out", "stake"]].isna().any(axis=None)
            values = {"sum": total, "mean": total / len(seats), "players": len(seats)}
            key = "sum_chips" if counted else "sum"
            values |= {"pile": float(pile), "stake": float(stake)} if counted else {}
            problems.append(Problem("warning", "sum", key, values=values, **place))
    if len(rows) and rows["entries"].isna().all():
        problems.append(Problem("hint", "entries", "no_entries", file=file))
    return problems
