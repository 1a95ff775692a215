"""What is still to come of a season, and how it is told on the page and in a terminal."""

from typing import NamedTuple

import pandas as pd

from ..model.league import league_linked
from ..model.outlook import NextEvening, Outlook, next_evening, season_outlook
from ..season.season import Season
from ..words import Words


class Prospect(NamedTuple):
    """How the season may end.

    `own` by the season alone, `linked` with the earlier ones of its league, if any, and what the
    `next` evening could change; these two only while evenings are to come.
    """

    own: Outlook
    linked: Outlook | None
    next: NextEvening | None

    @property
    def remaining(self) -> int:
        """How many evenings are to come."""
        return self.own.remaining

    @property
    def players(self) -> pd.DataFrame:
        """Everybody's chances at the end, with the earlier seasons, if any."""
        return (self.linked or self.own).players


def prospect(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    draws: int = 10_000,
    seed: int = 1,
) -> Prospect:
    """The `season_outlook` of a season and of its league, and its `next_evening`."""
    own = season_outlook(season, lam, sigma, draws, seed)
    if not own.remaining:
        return Prospect(own, None, None)
    league = league_linked(season)
    linked = league and season_outlook(season, lam, sigma, draws, seed, league)
    return Prospect(own, linked, next_evening(season, lam, sigma))


def chance(ahead: Prospect, player, name: str, words: Words) -> str:
    """A player's chance: what was never drawn is rare; impossible it is only where it must be."""
    open_ = ahead.remaining and player.reachable
    drawn = open_ and (player.needed or name != "p_qualified")
    return (words.chance if drawn else words.percent)(getattr(player, name))


def needed(ahead: Prospect, player, words: Words) -> str:
    """How many evenings a player still has to come to, to be in der Wertung at the end."""
    if not player.needed:
        return words.text("outlook.enough")
    key = "needed" if player.reachable else "too_late"
    return words.text(f"outlook.{key}", n=player.needed, remaining=ahead.remaining)


def nearest(passes: pd.DataFrame) -> pd.DataFrame:
    """Of each player's rows the one with the smallest result."""
    return passes.loc[passes.groupby("player", sort=False)["result"].idxmin()]


def outlook_line(ahead: Prospect, words: Words) -> str:
    """How many evenings are to come, and what was assumed of them."""
    n = ahead.remaining
    if not n:
        return words.text("outlook.over")
    coming = words.text("outlook.one_to_come") if n == 1 else words.text("outlook.to_come", n=n)
    return f"{coming} {words.text('outlook.assumed')}"


def next_line(ahead: Prospect, words: Words) -> str:
    """What is assumed of the next evening; that nobody can pass, if so."""
    if ahead.next.passes.empty:
        return words.text("outlook.nobody_passes")
    return words.text("outlook.field", field=ahead.next.field)
