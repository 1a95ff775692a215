"""Whatever comes from a table, as one results table: sheets, event logs, PokerNow ledgers."""

import re
from contextlib import suppress
from pathlib import Path

import pandas as pd

from ..rules import LeagueRules
from ..words import DataError
from .cells import Table
from .eventlog import is_log, presence, replayed
from .folder import hosts_files
from .layouts import arranged
from .pokernow import is_ledger, settled
from .protocol import REQUIRED
from .reader import parse_table


def protocol_table(
    file: str,
    data: bytes,
    rules: LeagueRules,
    licences: pd.DataFrame | None = None,
    unit: float | None = None,
    required: tuple[str, ...] = REQUIRED,
) -> Table:
    """The results table in a protocol; which kind it is, its columns say.

    Parameters
    ----------
    file : str
        Name of the file, for messages.
    data : bytes
    rules : LeagueRules
        An event log is judged by.
    licences : DataFrame, optional
        `player` and `aliases`, to join a person's ids in a ledger.
    unit : float, optional
        Chips that 1 in a ledger is worth.
    required : tuple of str
        Columns a sheet must have.

    Raises
    ------
    DataError
        As `parse_table`.
    """
    table = parse_table(file, data, ("player",), arranged)
    if is_log(table):
        return replayed(table, rules)
    if is_ledger(table):
        return settled(table, rules, licences, unit)
    return parse_table(file, data, required, arranged)


def presences(folder: Path, rules: LeagueRules) -> dict[int, pd.DataFrame]:
    """Who was in when, as `presence`, of each evening recorded whose event log was kept."""
    found = {}
    for name, data in hosts_files(folder):
        first = re.match(r"abend-(\d+)", name)
        with suppress(DataError):
            table = parse_table(name, data, ("player",), arranged)
            if not first or not is_log(table):
                continue
            stints = presence(table, rules)
            stints["evening"] = stints["evening"].fillna(int(first[1])).astype(int)
            evenings = stints[stints["evening"] >= int(first[1])].groupby("evening")
            found |= {evening: rows.reset_index(drop=True) for evening, rows in evenings}
    return found
