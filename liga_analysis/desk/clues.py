"""What may have gone wrong: names that are nearly known, sums that are off."""

import pandas as pd

from ..rules import LeagueRules
from ..season.names import is_placeholder, meant, name_key
from ..season.roster import owners
from ..season.season import Season
from ..words import Problem


def name_clues(before: Season, after: Season, evenings: tuple[int, ...]) -> list[Problem]:
    """New players and hosts who are nearly called like somebody known."""
    known = owners(before.licences)
    players = after.licences["player"].iloc[len(before.licences) :]
    hosts = after.evenings["host"][after.evenings["evening"].isin(evenings)]
    known_hosts = {name_key(host): host for host in before.evenings["host"] if host} | known
    found = [("record_meant", name, meant(name, known.values())) for name in players]
    found += [
        ("record_meant_host", host, meant(host, known_hosts.values()))
        for host in dict.fromkeys(hosts)
        if host and name_key(host) not in known_hosts and host not in set(players)
    ]
    return [
        Problem("warning", "name", key, player=name, values={"other": other})
        for key, name, other in found
        if other and not is_placeholder(name)
    ]


def sum_clues(seats: pd.DataFrame, total: float, rules: LeagueRules) -> list[tuple[str, dict]]:
    """What would explain a sum that is not zero: key and values of each sentence.

    Parameters
    ----------
    seats : DataFrame
        `player`, `entries`, `chips_out` of an evening.
    total : float
        The sum of its results, in chips.
    """
    found = []
    for player, chips in seats[["player", "chips_out"]].dropna().itertuples(index=False):
        if _turned(int(chips), int(chips - total)):
            found.append(("sum_digits", {"player": player, "chips": chips, "right": chips - total}))
    count, rest = divmod(abs(total), rules.entry_chips)
    if not rest and seats["entries"].notna().any():
        found.append((f"sum_entry_{'more' if total > 0 else 'less'}", {"count": int(count)}))
    elif not found and rules.entry_chips <= 20 * abs(total):  # less is a slip in counting
        found.append(("sum_seat", {"result": -total}))
    return found


def _turned(a: int, b: int) -> bool:
    """Whether two numbers are the same but for two neighbouring digits changed round."""
    a, b = str(a), str(b)
    at = [k for k, (x, y) in enumerate(zip(a, b, strict=False)) if x != y]
    return len(a) == len(b) and len(at) == 2 and at[1] == at[0] + 1 and sorted(a) == sorted(b)
