"""Whatever comes from a table, as one results table: sheets, event logs, PokerNow ledgers."""

import re
from contextlib import suppress
from pathlib import Path

import pandas as pd

from .cells import Table
from .eventlog import is_log, presence, replayed
from .labels import DataError
from .layouts import arranged
from .pokernow import is_ledger, settled
from .protocol import REQUIRED
from .reader import parse_table, read_file
from .rules import LeagueRules


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


def presence_at(folder: Path, evening: int, rules: LeagueRules) -> pd.DataFrame | None:
    """Who was in when on a recorded evening, as `presence`; None where no event log was kept."""
    kept = sorted(folder.glob("protocols/abend-*"), key=lambda p: (len(p.name), p.name))
    for path in reversed(kept):  # a correction has the longer name
        first = re.match(r"abend-(\d+)", path.name)
        if not first or int(first[1]) > evening:
            continue
        with suppress(DataError):
            table = parse_table(path.name, read_file(path), ("player",), arranged)
            found = presence(table, rules) if is_log(table) else pd.DataFrame({"evening": []})
            if int(first[1]) == evening and found["evening"].isna().all():
                found["evening"] = evening
            if (found["evening"] == evening).any():
                return found[found["evening"] == evening].reset_index(drop=True)
    return None
