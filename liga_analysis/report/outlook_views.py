"""The outlook as rows and in words, for terminal, page and JSON."""

import numpy as np
import pandas as pd

from ..model.league import league_linked
from ..model.outlook import next_evening, season_outlook
from ..season.season import Season
from ..words import Words


def outlook_record(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    draws: int = 10_000,
    seed: int = 1,
) -> dict:
    """Chances at the end of the season, and what the next evening could change (else None).

    `linked` has the same chances by the season and the earlier ones of its league, if any.
    """
    found = season_outlook(season, lam, sigma, draws, seed)
    linked = league_linked(season) if found.remaining else None
    if linked:
        linked = season_outlook(season, lam, sigma, draws, seed, linked).players
    return {
        "draws": draws,
        "seed": seed,
        "remaining": found.remaining,
        "players": _rows(found.players),
        "linked": None if linked is None else _rows(linked),
        "next": next_record(season, lam, sigma) if found.remaining else None,
    }


def next_record(season: Season, lam: float | None = None, sigma: float | None = None) -> dict:
    """`outlook.next_evening`; `chips` is the first result beyond that can be laid down."""
    found, chip = next_evening(season, lam, sigma), season.rules.smallest_chip
    steps = found.passes.assign(chips=chip * (np.floor(found.passes["result"] / chip) + 1))
    return {"field": found.field, "passes": steps.to_dict("records")}


def _rows(players: pd.DataFrame) -> list[dict]:
    return players.reset_index(names="player").to_dict("records")


def chance_table(record: dict, words: Words) -> pd.DataFrame:
    """Chances of title and podium by player, and the evenings still needed."""
    players = record["players"]
    shown = {
        "player": [p["player"] for p in players],
        "p_title": [chance(record, p, "p_first", words) for p in players],
        "p_podium": [chance(record, p, "p_podium", words) for p in players],
        "p_qualified": [chance(record, p, "p_qualified", words) for p in players],
        "needed": [needed(record, p, words) for p in players],
    }
    if record["linked"]:
        linked = [chance(record, p, "p_podium", words) for p in record["linked"]]
        shown = {**shown, "p_podium_linked": linked}
    return pd.DataFrame(shown).rename(columns=lambda name: words.text(f"column.{name}"))


def chance(record: dict, player: dict, name: str, words: Words) -> str:
    """A player's chance: what was never drawn is rare; impossible it is only where it must be."""
    open_ = record["remaining"] and player["reachable"]
    drawn = open_ and (player["needed"] or name != "p_qualified")
    return (words.chance if drawn else words.percent)(player[name])


def needed(record: dict, player: dict, words: Words) -> str:
    """How many evenings a player still has to come to, to be in der Wertung at the end."""
    if not player["needed"]:
        return words.text("outlook.enough")
    key = "needed" if player["reachable"] else "too_late"
    return words.text(f"outlook.{key}", n=player["needed"], remaining=record["remaining"])


def next_passes(record: dict) -> dict[str, dict]:
    """By player, the smallest result on the next evening that brings a player past another."""
    nearest: dict[str, dict] = {}
    for step in (record["next"] or {"passes": []})["passes"]:
        best = nearest.setdefault(step["player"], step)
        if step["result"] < best["result"]:
            nearest[step["player"]] = step
    return nearest


def pass_table(record: dict, words: Words) -> pd.DataFrame:
    """The result that brings each player past the next one."""
    shown = [
        {"player": player, "other": step["other"], "result": words.signed(step["chips"])}
        for player, step in next_passes(record).items()
    ]
    columns = ["player", "other", "result"]
    table = pd.DataFrame(shown, columns=columns)
    return table.rename(columns=lambda name: words.text(f"outlook.{name}"))


def outlook_line(record: dict, words: Words) -> str:
    """How many evenings are to come, and what was assumed of them."""
    n = record["remaining"]
    if not n:
        return words.text("outlook.over")
    coming = words.text("outlook.one_to_come") if n == 1 else words.text("outlook.to_come", n=n)
    return f"{coming} {words.text('outlook.assumed')}"


def next_line(record: dict, words: Words) -> str:
    """What is assumed of the next evening; that nobody can pass, if so."""
    if not record["next"]["passes"]:
        return words.text("outlook.nobody_passes")
    return words.text("outlook.field", field=record["next"]["field"])
