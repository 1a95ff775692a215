"""Who is who: spellings, aliases, guests and licences."""

import re

import pandas as pd

from .labels import Problem, text
from .protocol import is_placeholder, name_key
from .reader import Table, clean_name, dates

LICENCE_COLUMNS = ["licence", "player", "issued", "aliases"]


def registered(table: Table | None) -> tuple[pd.DataFrame, list[Problem]]:
    """The licences of licences.csv, and what is wrong with them.

    An alias must not be anybody's licensed name (a chain or cycle) nor stand at two players.
    """
    if table is None:
        return pd.DataFrame(columns=LICENCE_COLUMNS).astype({"issued": "datetime64[s]"}), []
    cells, problems = table.cells, []
    frame = pd.DataFrame(
        {c: [clean_name(v) for v in cells[c]] if c in cells else "" for c in LICENCE_COLUMNS}
    )
    frame["issued"] = pd.Series(pd.NaT, frame.index, "datetime64[s]")
    if "issued" in cells:
        frame["issued"], bad = dates(table, "issued")
        told = ("error", "date", "no_date")
        problems += [table.problem(k, *told, column="issued") for k in frame.index[bad]]
    owner: dict[str, str] = {}
    for k, name in enumerate(frame["player"]):
        if name_key(name) in owner:
            problems.append(table.problem(k, "error", "duplicate", "licence_twice", player=name))
        owner.setdefault(name_key(name), name)
    players = dict(owner)
    for k, name in enumerate(frame["player"]):
        for alias in aliases(frame["aliases"][k]):
            key = name_key(alias)
            if key in players:
                told = {"player": name, "alias": alias, "other": players[key]}
                problems.append(table.problem(k, "error", "alias", "alias_chain", **told))
            elif owner.setdefault(key, name) != name:
                told = {"player": name, "alias": alias, "other": owner[key]}
                problems.append(table.problem(k, "error", "alias", "alias_clash", **told))
    return frame, problems


def aliases(cell: str) -> list[str]:
    """The aliases in a cell of licences.csv, split by "|"."""
    return [alias for alias in map(clean_name, cell.split("|")) if alias]


def name_players(rows: pd.DataFrame, licences: pd.DataFrame, language: str, file: str):
    """The rows under each player's one name, sorted as before, with `key` for sorting.

    A player is shown as licensed, else as first written. A placeholder is a new person every
    evening: "Gast (Abend 3)".

    Returns
    -------
    rows : DataFrame
    guests : set of str
    problems : list of Problem
        Joined spellings, placeholders, and players twice at one evening.
    """
    owner = {
        name_key(alias): name
        for name, cell in zip(licences["player"], licences["aliases"], strict=True)
        for alias in [name, *aliases(cell)]
    }
    shown = {name_key(name): name for name in licences["player"]}
    names, guests, problems, spellings = [], set(), [], {}
    for evening, written in zip(rows["evening"], rows["player"], strict=True):
        if is_placeholder(written):
            name = text("place.guest", language, name=written, evening=evening)
            guests.add(name)
        else:
            licensed = owner.get(name_key(written), written)
            name = shown.setdefault(name_key(licensed), licensed)
            spellings.setdefault(name, {})[written] = None
        names.append(name)
    for name, written in spellings.items():
        if len(written) > 1:
            told = {"spellings": list(written)}
            problems.append(Problem("hint", "name", "joined", player=name, file=file, values=told))
    if guests:
        told = {"guests": sorted(guests)}
        problems.append(Problem("hint", "placeholder", "placeholder", file=file, values=told))
    written = rows["player"]
    rows = rows.assign(player=names, key=[name_key(name) for name in names])
    first: dict[tuple, tuple] = {}
    for evening, key, line, name, spelling in zip(
        rows["evening"], rows["key"], rows["line"], rows["player"], written, strict=True
    ):
        line0, spelling0 = first.setdefault((evening, key), (line, spelling))
        if line0 != line:
            aliased = name_key(spelling) != name_key(spelling0)
            code = "alias" if aliased else "placeholder" if name in guests else "duplicate"
            told = {"other": line0, "spelling": spelling, "spelling0": spelling0}
            problem = Problem("error", code, f"twice_{code}", evening, name, line, file, values=told)
            problems.append(problem)
    return rows, guests, problems


def issued(licences: pd.DataFrame, results: pd.DataFrame) -> pd.DataFrame:
    """The licences, with new ones (L001, …) for all who have none, dated by their first evening."""
    known = {name_key(name) for name in licences["player"]}
    numbers = [int(m[1]) for m in map(re.compile(r"L(\d+)").fullmatch, licences["licence"]) if m]
    first = results.drop_duplicates("player")
    new = first[~first["player"].map(name_key).isin(known)]
    start = max(numbers, default=0) + 1
    added = pd.DataFrame(
        {
            "licence": [f"L{start + k:03}" for k in range(len(new))],
            "player": new["player"].array,
            "issued": new["date"].array,
            "aliases": "",
        }
    )
    return pd.concat([licences, added], ignore_index=True) if len(licences) else added
