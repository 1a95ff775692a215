"""The outlook in words: what `liga chances --outlook` and the report show."""

import numpy as np
import pandas as pd

from .labels import Words
from .outlook import next_evening, season_outlook
from .records import rows
from .season import Season


def outlook_record(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    draws: int = 10_000,
    seed: int = 1,
) -> dict:
    """Chances at the end of the season, and what the next evening could change (else None)."""
    found = season_outlook(season, lam, sigma, draws, seed)
    coming = next_evening(season, lam, sigma) if found.remaining else None
    return {
        "draws": draws,
        "seed": seed,
        "remaining": found.remaining,
        "players": rows(found.players.reset_index(names="player")),
        "next": coming and {"field": coming.field, "passes": rows(coming.passes)},
    }


def chance_table(record: dict, words: Words) -> pd.DataFrame:
    """Chances of title and podium by player, and the evenings still needed."""
    players, remaining = record["players"], record["remaining"]
    least = 0.5 / record["draws"]  # what was never drawn is rare; impossible it is only at the end

    def chance(player, name):
        p = player[name]
        if remaining and player["reachable"] and (player["needed"] or name != "p_qualified"):
            p = min(max(p, least), 1 - least)
        return words.percent(p)

    def needed(player):
        if not player["needed"]:
            return words.text("outlook.enough")
        key = "needed" if player["reachable"] else "too_late"
        return words.text(f"outlook.{key}", n=player["needed"], remaining=remaining)

    shown = {
        "player": [p["player"] for p in players],
        "p_title": [chance(p, "p_first") for p in players],
        "p_podium": [chance(p, "p_podium") for p in players],
        "p_qualified": [chance(p, "p_qualified") for p in players],
        "needed": list(map(needed, players)),
    }
    return pd.DataFrame(shown).rename(columns=lambda name: words.text(f"column.{name}"))


def pass_table(record: dict, season: Season, words: Words) -> pd.DataFrame:
    """The result that brings each player past the next one, in chips that can be laid down."""
    nearest: dict[str, dict] = {}
    for step in (record["next"] or {"passes": []})["passes"]:
        best = nearest.setdefault(step["player"], step)
        if step["result"] < best["result"]:
            nearest[step["player"]] = step
    chip = season.rules.smallest_chip
    shown = {
        "player": [step["player"] for step in nearest.values()],
        "other": [step["other"] for step in nearest.values()],
        "result": [
            words.signed(chip * (np.floor(step["result"] / chip) + 1)) for step in nearest.values()
        ],
    }
    return pd.DataFrame(shown).rename(columns=lambda name: words.text(f"outlook.{name}"))


def outlook_line(record: dict, words: Words) -> str:
    """How many evenings are to come, and what was assumed of them."""
    n = record["remaining"]
    if not n:
        return words.text("outlook.over")
    coming = words.text("outlook.one_to_come") if n == 1 else words.text("outlook.to_come", n=n)
    return f"{coming} {words.text('outlook.assumed')}"


def attendance_lines(record: dict, season: Season, words: Words) -> list[str]:
    """Who still has to come, how often, and who cannot be ranked any more."""
    return [
        words.text(
            "outlook.can" if player["reachable"] else "outlook.cannot",
            player=player["player"],
            n=player["needed"],
            remaining=record["remaining"],
            attendance=season.rules.attendance,
            p=player["p_qualified"],
        )
        for player in record["players"]
        if player["needed"]
    ]


def next_line(record: dict, words: Words) -> str:
    """What is assumed of the next evening; that nobody can pass, if so."""
    if not record["next"]["passes"]:
        return words.text("outlook.nobody_passes")
    return words.text("outlook.field", field=record["next"]["field"])
