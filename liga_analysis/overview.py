"""All that a season report says, computed once: what its page, its files and its JSON share."""

from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from . import chronicle
from .cards import moves, player_cards
from .checks import problems
from .draws import chances
from .honours import awards
from .labels import Problem, Words
from .pseudonyms import disguised
from .ranking import development, qualified, season_fit, standings
from .rating import Fit
from .season import Season
from .sensitivity import path_without

# Chips lost and won, by the names they have in tables and records: what `hide_totals` leaves out.
TOTALS = frozenset(["total", "average", "result", "best", "worst", "moved", "chips_out", "receipt"])
CORRECTIONS = ["when", "evening", "what", "why"]
TOTAL_AWARDS = frozenset({"biggest_comeback", "highest_result", "largest_total"})


@dataclass(frozen=True)
class Overview:
    """A season and everything told of it; each table is made when it is first asked for.

    Attributes
    ----------
    season : Season
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.
    pseudonyms : bool
        Whether the season's names are invented ones; `survey` sees to it.
    hide_totals : bool
        Whether chips lost and won are missing from all tables; ratings rest on them as ever.
    """

    season: Season
    lam: float | None = None
    sigma: float | None = None
    pseudonyms: bool = False
    hide_totals: bool = False

    @property
    def words(self) -> Words:
        return self.season.words

    @cached_property
    def fit(self) -> Fit:
        return season_fit(self.season, self.lam, self.sigma)

    @cached_property
    def _standings(self) -> pd.DataFrame:
        return standings(self.season, self.lam, self.sigma)

    @cached_property
    def table(self) -> pd.DataFrame:
        """`ranking.standings`, with `move`, the places won since the evening before."""
        moved = self._standings["player"].map(moves(self.development))
        return self._discreet(self._standings.assign(move=moved))

    @cached_property
    def doubts(self) -> list[Problem]:
        """`checks.problems`; where totals are hidden, a player's amounts are not told either."""
        found = problems(self.season, self.sigma)
        if not self.hide_totals:
            return found
        return [
            replace(p, key="hidden", player=None, values={})
            if p.severity != "hint" and p.player is not None
            else p
            for p in found
        ]

    @property
    def sure(self) -> bool:
        """Whether σ fits the results, so that chances can be told."""
        return not any(problem.code == "scale" for problem in self.doubts)

    @cached_property
    def chances(self) -> pd.DataFrame:
        """`draws.chances` by player in der Wertung."""
        ranked = qualified(self.season)
        return chances(self.fit, ranked, podium=self.season.rules.podium)

    @cached_property
    def development(self) -> pd.DataFrame:
        return development(self.season, self.lam, self.sigma)

    @cached_property
    def awards(self) -> pd.DataFrame:
        """`honours.awards`."""
        table = awards(self.season, self.lam, self.sigma)
        if self.hide_totals:
            table.loc[table["award"].isin(TOTAL_AWARDS), "value"] = None
        return table

    @cached_property
    def cards(self) -> list[dict]:
        """`cards.player_cards`: one for everybody but guests."""
        found = player_cards(self.season, self.fit, self._standings, self.chances)
        return _without_totals(found) if self.hide_totals else found

    @cached_property
    def evenings(self) -> pd.DataFrame:
        """`chronicle.evenings_table`."""
        return self._discreet(chronicle.evenings_table(self.season))

    @cached_property
    def results(self) -> pd.DataFrame:
        return self._discreet(self.season.results)

    @cached_property
    def encounters(self) -> pd.DataFrame:
        """`chronicle.encounters` of all but guests, in the order of the table."""
        return chronicle.encounters(self.fit, [card["player"] for card in self.cards])

    @cached_property
    def chronicle(self) -> dict:
        """The season's story: `reigns`, `swing`, `biggest` (evening), `decisive`, `hosts`."""
        evenings = self.evenings
        moved = chronicle.evenings_table(self.season)["moved"]
        without = path_without(self.fit, qualified(self.season))
        return {
            "reigns": chronicle.reigns(self.development),
            "swing": chronicle.largest_swing(self.development, self.season.guests),
            "biggest": evenings.loc[moved.idxmax()].to_dict(),
            "decisive": chronicle.decisive_evening(self.season, self._standings, without),
            "hosts": chronicle.hosts(self.season).to_dict("records"),
        }

    @cached_property
    def corrections(self) -> pd.DataFrame:
        """Corrections made, as stored; of what was changed nothing where that would tell on it."""
        discreet = self.pseudonyms or self.hide_totals
        return self.season.corrections[["when", "evening"] if discreet else CORRECTIONS]

    def _discreet(self, table: pd.DataFrame) -> pd.DataFrame:
        hidden = [name for name in table if name in TOTALS and self.hide_totals]
        return table.assign(**dict.fromkeys(hidden, float("nan")))


def survey(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    pseudonyms: bool = False,
    hide_totals: bool = False,
) -> Overview:
    """Everything a report tells of a season, under invented names if `pseudonyms`.

    Raises
    ------
    DataError
        If no evening counts.
    """
    season = disguised(season) if pseudonyms else season
    found = Overview(season, lam, sigma, pseudonyms, hide_totals)
    _ = found.fit  # refuses at once
    return found


def _without_totals(value):
    if isinstance(value, dict):
        return {k: None if k in TOTALS else _without_totals(v) for k, v in value.items()}
    return [_without_totals(entry) for entry in value] if isinstance(value, list) else value
