"""The ledger of a PokerNow game: sittings at a table on the net, settled by person.

A row is a sitting, and a sitting is no entry: who changes seats sits down again with chips in
hand. How often somebody entered, a ledger does not say, if nobody adds a column of entries.
"""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import Problem
from .cells import Table
from .headings import known_as
from .names import is_placeholder, name_key
from .roster import owners
from .values import ROUNDING, numbers

HEADERS = {
    "player_id": "playerid",
    "started": "sessionstartat",
    "ended": "sessionendat",
    "buy_out": "buyout",
    "stack": "stack",
}
ZONE = "Europe/Berlin"  # where the league plays; PokerNow writes UTC
DAY = pd.Timedelta(days=1)


def is_ledger(table: Table) -> bool:
    """Whether a table has the columns of a PokerNow ledger."""
    cells = known_as(table, HEADERS).cells
    return {"player", "player_id", "started", "buy_in_chips", "buy_out", "stack"} <= set(cells)


def settled(
    table: Table,
    rules: LeagueRules,
    licences: pd.DataFrame | None = None,
    unit: float | None = None,
    present: tuple[str, ...] = (),
) -> Table:
    """A ledger as the results of one evening, a row per person, entries where somebody added them.

    A sitting is worth buy_out + stack − buy_in (blank = 0), which its `net` must agree with. An id
    is one person under whatever nickname, and so is a nickname, or the licensed name it is an alias
    of, under whatever id; nobody sits twice at the same time.

    Parameters
    ----------
    table : Table
    rules : LeagueRules
    licences : DataFrame, optional
        `player` and `aliases`.
    unit : float, optional
        Chips that 1 in the ledger is worth, 0.01 for cents of a chip. Without it the amounts are
        chips, if some buy-in is just one entry; else it is asked for.
    present : tuple of str
        Players known to have come although they were never dealt in.

    Returns
    -------
    Table
        Columns `date` (local, of the first sitting), `player`, `entries`, `buy_in_chips`,
        `chips_out`, `result`; doubts among its problems.
    """
    table = known_as(table, HEADERS)
    amounts, problems = _amounts(table)
    started, ended, doubts = _times(table)
    problems += doubts
    value = amounts["buy_out"] + amounts["stack"] - amounts["buy_in_chips"]
    problems += _against_sums(table, value, amounts)
    if unit is None and rules.entry_chips not in (buy_ins := amounts["buy_in_chips"].tolist()):
        facts = {"common": Counter(buy_ins).most_common(1)[0][0], "stack": rules.entry_chips}
        asked = Problem("error", "number", "ledger_unit", file=table.file, values=facts)
        problems.append(asked)
    first = started.min() if started.notna().any() else ended.min()
    day = "" if pd.isna(first) else first.tz_convert(ZONE).date()
    sittings, doubts = _persons(table, licences)
    problems += [*doubts, *_at_once(table, sittings, started, ended)]

    welcome, rows = {name_key(name) for name in present}, {}
    for name, k in sittings:
        # Never dealt in and nothing won or lost: a seat that was cancelled.
        if (started[k].isna() & (value[k] == 0)).all() and name_key(name) not in welcome:
            absent = table.problem(k[0], "warning", "absent", "ledger_cancelled", player=name)
            problems.append(absent)
            continue
        bought, won = (float(a[k].sum()) * (unit or 1) for a in (amounts["buy_in_chips"], value))
        noted = amounts["entries"][k]
        entries = "" if np.isnan(noted).all() else float(np.nansum(noted))
        rows[table.lines[k[0]]] = (day, name, entries, bought, bought + won, won)
    if np.isnan(amounts["entries"]).all():
        problems.append(Problem("hint", "entries", "ledger_entries", file=table.file))
    columns = ["date", "player", "entries", "buy_in_chips", "chips_out", "result"]
    cells = dict(zip(columns, zip(*rows.values(), strict=True) if rows else [()] * 6, strict=True))
    table = replace(table, cells={}, lines=[*rows], problems=(*table.problems, *problems))
    return table.having(**cells)


def _amounts(table: Table) -> tuple[dict[str, np.ndarray], list[Problem]]:
    """The amounts of each sitting, blank = 0, and cells that are no number."""
    amounts, problems = {}, []
    for column in ("buy_in_chips", "buy_out", "stack", "result", "entries"):
        noted, bad = numbers(table, column, whole=False)
        amounts[column] = noted if column in ("result", "entries") else np.nan_to_num(noted)
        what = ("error", "number", "not_a_number")
        problems += [table.problem(k, *what, column=column) for k in np.flatnonzero(bad)]
    return amounts, problems


def _times(table: Table) -> tuple[pd.Series, pd.Series, list[Problem]]:
    """Start and end of each sitting, and what is no time, or no single evening."""
    problems, times = [], []
    for column in ("started", "ended"):
        text = pd.Series(table.words(column), dtype=object)
        time = pd.to_datetime(text.where(text != ""), format="ISO8601", utc=True, errors="coerce")
        bad = np.flatnonzero(time.isna() & (text != ""))
        problems += [table.problem(k, "error", "date", "no_date", column=column) for k in bad]
        times.append(time)
    started = times[0].dropna()
    if len(started) and started.max() - started.min() > DAY:
        facts = {"dates": [started.min().tz_convert(ZONE), started.max().tz_convert(ZONE)]}
        problems.append(Problem("error", "date", "ledger_days", file=table.file, values=facts))
    return *times, problems


def _against_sums(table: Table, value: np.ndarray, amounts: dict) -> list[Problem]:
    """Sittings whose net differs; columns nobody knows are blamed where the sums do not match."""
    names, net = table.words("player"), amounts["result"]
    slack = ROUNDING * np.abs([amount for c, amount in amounts.items() if c != "entries"]).max(0)
    differ = np.flatnonzero(np.abs(net - value) > slack)
    unknown = [name for name, _ in table.others if name]
    if unknown and (len(differ) or abs(value.sum()) > slack.max()):
        line = int(table.lines[differ[0]]) if len(differ) else None
        facts = {"columns": unknown}
        place = {"line": line, "file": table.file}
        return [Problem("error", "column", "ledger_columns", **place, values=facts)]
    return [
        table.problem(
            k, "error", "result", "ledger_net", player=names[k], net=net[k], value=value[k]
        )
        for k in differ
    ]


def _at_once(
    table: Table,
    sittings: list[tuple[str, list[int]]],
    started: pd.Series,
    ended: pd.Series,
) -> list[Problem]:
    """Sittings of one person at the same time: two people under one id or nickname."""
    problems, ended = [], ended.fillna(ended.max())  # who still sits left last
    for name, rows in sittings:
        timed = sorted((k for k in rows if pd.notna(started[k])), key=lambda k: started[k])
        for k, following in pairwise(timed):
            if started[following] < ended[k] or started[following] == started[k]:
                facts = {"player": name, "other": int(table.lines[k])}
                place = (following, "error", "alias", "ledger_at_once")
                problems.append(table.problem(*place, **facts))
    return problems


def _persons(
    table: Table, licences: pd.DataFrame | None
) -> tuple[list[tuple[str, list[int]]], list[Problem]]:
    """Each person with their sittings: nicknames and ids that belong together."""
    owner = {} if licences is None else owners(licences)
    names, root = table.words("player"), {}

    def find(node):
        while root.setdefault(node, node) != node:
            node = root[node]
        return node

    nodes = [("id", i or f"row {k}") for k, i in enumerate(table.words("player_id"))]
    for name, node in zip(names, nodes, strict=True):
        if not is_placeholder(name):  # two guests may be called the same
            root[find(node)] = find(("name", name_key(owner.get(name_key(name), name))))
    sittings: dict[tuple, list[int]] = {}
    for k, node in enumerate(nodes):
        sittings.setdefault(find(node), []).append(k)
    persons, problems = [], []
    for rows in sittings.values():
        own = list(dict.fromkeys(names[k] for k in rows))
        licensed = list(dict.fromkeys(owner[name_key(n)] for n in own if name_key(n) in owner))
        persons.append(((licensed or own)[0], rows))
        if len(licensed) > 1:
            facts = {"names": licensed}
            problems.append(Problem("error", "alias", "ledger_two", file=table.file, values=facts))
        elif len(own) > 1:
            place = {"player": persons[-1][0], "file": table.file}
            problems.append(Problem("hint", "name", "joined", **place, values={"spellings": own}))
    return persons, problems
