"""Who is who: spellings, aliases, guests and licences."""

import re

import numpy as np
import pandas as pd

from ..words import Problem, Words
from .cells import Table, clean_name
from .days import date_of
from .headings import is_total
from .names import is_placeholder, looks, name_key, persons
from .values import dates, plain_numbers

LICENCE_COLUMNS = ["licence", "player", "issued", "aliases"]


def is_nobody(name: str) -> bool:
    """Whether what is called so is never a licensed player: a guest, or what adds up others."""
    return is_placeholder(name) or is_total(name)


def is_name(name: str) -> bool:
    """Whether a player can be called so: not as what a table's reader takes for something else.

    Nor with a "|", which separates aliases.
    """
    name = clean_name(name)
    if not name or name[0] == "=" or "|" in name or is_nobody(name):
        return False
    return date_of(name) is None and bool(plain_numbers([name])[1][0])


def registered(table: Table | None) -> tuple[pd.DataFrame, list[Problem]]:
    """The licences of licences.csv, and what is wrong with them.

    An alias must not be anybody's licensed name (a chain or cycle) nor stand at two players.
    """
    if table is None:
        return pd.DataFrame(columns=LICENCE_COLUMNS).astype({"issued": "datetime64[s]"}), []
    frame = pd.DataFrame({column: table.words(column) for column in LICENCE_COLUMNS})
    frame["issued"], bad = dates(table, "issued")
    undated = ("error", "date", "no_date")
    problems = [table.problem(k, *undated, column="issued") for k in frame.index[bad]]
    owner: dict[str, str] = {}
    for k, name in enumerate(frame["player"]):
        for alias in filter(is_nobody, [name, *aliases(frame["aliases"][k])]):
            what = ("warning", "placeholder", "nobody_licensed")
            problems.append(table.problem(k, *what, player=name, alias=alias))
        if not name:
            problems.append(table.problem(k, "error", "name", "name_missing"))
        elif name_key(name) in owner:
            problems.append(table.problem(k, "error", "duplicate", "licence_twice", player=name))
        owner.setdefault(name_key(name), name)
    holder: dict[str, str] = {}
    for k, (licence, name) in enumerate(zip(frame["licence"], frame["player"], strict=True)):
        other = holder.setdefault(licence.casefold(), name) if licence else name
        if name_key(other) != name_key(name):
            facts = {"player": name, "other": other, "licence": licence}
            problems.append(table.problem(k, "warning", "duplicate", "licence_shared", **facts))
    players = dict(owner)
    for k, name in enumerate(frame["player"]):
        for alias in aliases(frame["aliases"][k]):
            other = owner.setdefault(name_key(alias), name)
            if other != name:
                key = "alias_chain" if name_key(alias) in players else "alias_clash"
                facts = {"player": name, "alias": alias, "other": other}
                problems.append(table.problem(k, "error", "alias", key, **facts))
    return frame, problems


def aliases(cell: str) -> list[str]:
    """The aliases in a cell of licences.csv, split by "|"."""
    return [alias for alias in map(clean_name, cell.split("|")) if alias]


def owners(licences: pd.DataFrame) -> dict[str, str]:
    """Licensed names by the key of each spelling, aliases included."""
    return {
        name_key(alias): name
        for name, cell in zip(licences["player"], licences["aliases"], strict=True)
        for alias in [name, *aliases(cell)]
    }


def name_players(
    rows: pd.DataFrame,
    licences: pd.DataFrame,
    language: str,
    file: str,
    sheets: tuple[str, ...] = (),
):
    """The rows under each player's one name, sorted as before, with `key` for sorting.

    `sheets` is what each row's sheet is called, by the rows' index. A player is shown as licensed,
    else as first written. A placeholder is a new person every
    evening: "Gast (Abend 3)".

    Returns
    -------
    rows : DataFrame
    guests : set of str
    problems : list of Problem
        Joined spellings, placeholders, and players twice at one evening.
    """
    owner = owners(licences)
    shown = {name_key(name): name for name in licences["player"]}
    codes, all_written = pd.factorize(rows["player"])
    guest, names, spellings = np.zeros(len(all_written), bool), [], {}
    for k, written in enumerate(all_written):
        if is_placeholder(written):
            guest[k] = True
            names.append(written)
        else:
            licensed = owner.get(name_key(written), written)
            names.append(shown.setdefault(name_key(licensed), licensed))
            spellings.setdefault(names[k], []).append(written)
    keys = pd.Categorical(list(map(name_key, names)))
    keys = pd.Categorical.from_codes(keys.codes[codes], dtype=keys.dtype)
    names = np.array(names, object)[codes]
    evening = rows["evening"].to_numpy()
    words = Words(language)
    for k in np.flatnonzero(guest[codes]):
        names[k] = words.text("place.guest", name=names[k], evening=evening[k])
    guests = set(names[guest[codes]])
    problems = _twice(rows, names, keys, guest[codes], file, sheets)
    for name, written in spellings.items():
        if len(written) > 1:
            facts = {"spellings": written}
            problems.append(Problem("hint", "name", "joined", player=name, file=file, values=facts))
    problems += _doubtful(list(spellings), file)
    if guests:
        facts = {"guests": sorted(guests)}
        problems.append(Problem("hint", "placeholder", "placeholder", file=file, values=facts))
    return rows.assign(player=names, key=keys), guests, problems


def _doubtful(names: list[str], file: str) -> list[Problem]:
    """Warnings about names that look the same, and about two persons in one name."""
    alike: dict[str, list[str]] = {}
    for name in names:
        alike.setdefault(looks(name), []).append(name)
    problems = [
        Problem("warning", "name", "look_alike", player=same[0], file=file, values={"names": same})
        for same in alike.values()
        if len(same) > 1
    ]
    known = {*map(name_key, names)}
    for name in names:
        listed = [part for part in map(clean_name, name.split(",")) if name_key(part) in known]
        if two := persons(name) or (listed if len(listed) > 1 else []):
            place = {"player": name, "file": file, "values": {"names": two}}
            problems.append(Problem("warning", "name", "two_in_one", **place))
    return problems


def _twice(rows: pd.DataFrame, names, keys, guest, file: str, sheets) -> list[Problem]:
    """Errors of players who stand at one evening twice."""
    seats = rows["evening"].to_numpy(int) * len(keys.categories) + keys.codes
    ordered, problems, first = np.sort(seats, kind="stable"), [], {}  # fast where nearly in order
    for k in np.flatnonzero(np.isin(seats, ordered[1:][np.diff(ordered) == 0])):
        other = first.setdefault(seats[k], k)
        if other != k:
            # By line, or sheet after sheet.
            first_row, row = sorted([other, k], key=lambda j: rows.index[j])
            (line0, spelling0), (line, spelling) = (
                (int(rows["line"].iat[j]), rows["player"].iat[j]) for j in (first_row, row)
            )
            where = file
            if sheets:
                where, before = sheets[rows.index[row]], sheets[rows.index[first_row]]
                line0 = line0 if where == before else f"{line0}, {before}"
            aliased = name_key(spelling) != name_key(spelling0)
            kind = "alias" if aliased else "placeholder" if guest[k] else "duplicate"
            facts = {"other": line0, "spelling": spelling, "spelling0": spelling0}
            place = (int(rows["evening"].iat[k]), names[k], line, where)
            code = "alias" if aliased else "duplicate"
            problems.append(Problem("error", code, f"twice_{kind}", *place, values=facts))
    return problems


def issued(licences: pd.DataFrame, results: pd.DataFrame, guests: set[str]) -> pd.DataFrame:
    """The licences, with new ones (L001, …) for all who have none, dated by their first evening."""
    known = {name_key(name) for name in licences["player"]}
    numbers = [int(m[1]) for m in map(re.compile(r"L(\d+)").fullmatch, licences["licence"]) if m]
    first = results.drop_duplicates("player")
    new = first[[p not in guests and name_key(p) not in known for p in first["player"]]]
    if new.empty:
        return licences
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
