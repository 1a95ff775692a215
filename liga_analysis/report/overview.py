"""All that a season report says, computed once: what its page, its files and its JSON share."""

from dataclasses import dataclass, replace
from functools import cached_property

import pandas as pd

from ..model.careers import all_time, side_by_side
from ..model.chain import Linked
from ..model.checks import problems
from ..model.draws import chances, podium_chance
from ..model.honours import awards
from ..model.league import League, LinkedChances, league_linked, league_of, linked_chances
from ..model.left_out import path_without
from ..model.outlook import NextEvening, next_evening
from ..model.pairs import better_than
from ..model.prediction import forecasts
from ..model.ranking import development, qualified, season_fit
from ..model.rating import Fit
from ..pages.columns import table_of
from ..season.names import is_placeholder, name_key
from ..season.pseudonyms import disguised
from ..season.roster import owners
from ..season.season import Season
from ..season.sources import presences
from ..words import DataError, Problem, Words
from . import chronicle
from .ahead import Prospect, prospect
from .cards import moves, player_cards

CORRECTIONS = ["when", "evening", "what", "why"]


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
    final : bool
        Whether the season is over and the podium won.
    """

    season: Season
    lam: float | None = None
    sigma: float | None = None
    pseudonyms: bool = False
    final: bool = False

    @property
    def words(self) -> Words:
        return self.season.words

    @cached_property
    def fit(self) -> Fit:
        return season_fit(self.season, self.lam, self.sigma)

    @cached_property
    def _standings(self) -> pd.DataFrame:
        return table_of(self.season, self.lam, self.sigma)

    @cached_property
    def table(self) -> pd.DataFrame:
        """`columns.table_of`, with `move`, the places won since the evening before."""
        return self._standings.join(moves(self.development), on="player")

    @cached_property
    def doubts(self) -> list[Problem]:
        """`checks.problems`, but for sums the round has accepted; `remarks` tells those."""
        return [
            problem
            for problem in problems(self.season, self.sigma)
            if problem.key != "sum_accepted"
        ]

    @cached_property
    def remarks(self) -> list[str]:
        """Accepted sums and corrections in plain lines; corrections not under invented names."""
        season = self.season
        changes = season.corrections.iloc[:0] if self.pseudonyms else season.corrections
        return chronicle.remarks(replace(season, corrections=changes))

    @property
    def sure(self) -> bool:
        """Whether σ fits the results, so that chances can be told."""
        return not any(problem.code == "scale" for problem in self.doubts)

    @property
    def contested(self) -> bool:
        """Whether that a player is on the podium can be told, and is not certain of all."""
        table = self.table[self.table["qualified"]]
        return self.sure and bool((table["rank"] > self.season.rules.podium).any())

    @property
    def goes_on(self) -> bool:
        """Whether evenings are to come whose chances can be told."""
        return self.sure and not self.season.announced.empty

    @cached_property
    def chances(self) -> pd.DataFrame:
        """`draws.chances` by player in der Wertung."""
        return chances(self.fit, qualified(self.season))

    @cached_property
    def _league(self) -> League:
        return League((), ()) if self.pseudonyms else league_of(self.season)

    @cached_property
    def linked(self) -> Linked | None:
        """The season with its league's earlier ones, if any; under invented names it is alone."""
        return league_linked(self.season, self._league)

    @cached_property
    def _linked(self) -> LinkedChances | None:
        if self.linked is None:
            return None
        return linked_chances(self.season, self.lam, self.sigma, league=self.linked)

    @property
    def truly(self) -> pd.DataFrame:
        """Chances of who is really how good, as `chances`: with the earlier seasons, if any."""
        return self.chances if self._linked is None else self._linked.players

    @cached_property
    def better(self) -> pd.DataFrame:
        """`pairs.better_than`: who is really stronger than whom, as in `truly`."""
        return better_than(self.linked or self.fit)

    @cached_property
    def together(self) -> float:
        """How likely those on the podium are the best, in any order; of `truly`."""
        if self._linked is not None:
            return self._linked.podium.together
        return podium_chance(self.fit, qualified(self.season)).together

    @cached_property
    def outlook(self) -> Prospect | None:
        """How the season may end, while evenings are to come."""
        return prospect(self.season, self.lam, self.sigma) if self.goes_on else None

    @cached_property
    def next(self) -> NextEvening | None:
        """`outlook.next_evening`, announced or not; None once the season is over."""
        if self.outlook:
            return self.outlook.next
        return None if self.final else next_evening(self.season, self.lam, self.sigma)

    @cached_property
    def dropping(self) -> list[str]:
        """Who is in der Wertung and no longer, having missed one more evening; in table order."""
        ranked = self._standings[self._standings["qualified"]]
        stays = self.season.rules.qualifies(ranked["evenings"], len(self.season.held) + 1)
        return [] if self.final else list(ranked.loc[~stays, "player"])

    def _coming(self, player: str) -> dict | None:
        """The least result on the next evening to pass somebody; to be passed, if nobody is."""
        if self.next is None:
            return None
        passes = self.next.passes
        mine = passes[passes["player"] == player]
        if mine.empty:
            mine = self._against_leaders.query("player == @player")
        if mine.empty:
            mine = passes[passes["other"] == player]
        return None if mine.empty else mine.loc[mine["result"].idxmin()].to_dict()

    @cached_property
    def _against_leaders(self) -> pd.DataFrame:
        """`passes` of leaders who leave the ranking unless they come: that they do is assumed."""
        leaders = self._standings.loc[self._standings["rank"] == 1, "player"]
        coming = leaders[leaders.isin(self.dropping)]
        passes = self.next.passes
        if len(coming):
            passes = next_evening(self.season, self.lam, self.sigma, coming).passes
        return passes[passes["other"].isin(coming)]

    @cached_property
    def forecasts(self) -> pd.DataFrame:
        """`prediction.forecasts`: the scores of each evening forecast from those before it."""
        season = replace(self.season, path=None) if self.pseudonyms else self.season
        return forecasts(season).scores

    @cached_property
    def development(self) -> pd.DataFrame:
        return development(self.season, self.lam, self.sigma)

    @cached_property
    def awards(self) -> pd.DataFrame:
        """`honours.awards`."""
        return awards(self.season, self.lam, self.sigma)

    @cached_property
    def cards(self) -> list[dict]:
        """`cards.player_cards`: one for everybody but guests, with what is to come."""
        cards = player_cards(self.season, self.fit, self._standings, self.truly, self.better)
        end = self.outlook.players["p_podium"] if self.outlook else {}
        own = self.chances[["p_first", "p_podium"]].T if self._linked is not None else {}
        return [
            card
            | {"p_end": end.get(name), "own": dict(own.get(name, {})) or None}
            | {"coming": self._coming(name)}
            for card in cards
            for name in [card["player"]]
        ]

    @cached_property
    def evenings(self) -> pd.DataFrame:
        """`chronicle.evenings_table`."""
        return chronicle.evenings_table(self.season)

    @cached_property
    def encounters(self) -> pd.DataFrame:
        """`chronicle.encounters` of all but guests, in the order of the table."""
        return chronicle.encounters(self.fit, [card["player"] for card in self.cards])

    @cached_property
    def chronicle(self) -> dict:
        """The season's story: `reigns`, `swing`, `biggest` (evening), `decisive`, `hosts`."""
        evenings = self.evenings
        without = path_without(self.fit, qualified(self.season))
        return {
            "reigns": chronicle.reigns(self.development),
            "swing": chronicle.largest_swing(self.development, self.season.guests),
            "biggest": evenings.loc[evenings["moved"].idxmax()].to_dict(),
            "decisive": chronicle.decisive_evening(self.season, self._standings, without),
            "hosts": chronicle.hosts(self.season).to_dict("records"),
        }

    @cached_property
    def corrections(self) -> pd.DataFrame:
        """Corrections made, as stored; under invented names not what was changed and why."""
        return self.season.corrections[["when", "evening"] if self.pseudonyms else CORRECTIONS]

    @property
    def seasons(self) -> list[Season]:
        """The league's seasons up to this one; this one alone where names are invented."""
        return [*self._league.earlier, self.season]

    @cached_property
    def league(self) -> pd.DataFrame:
        """`careers.all_time` of these seasons."""
        return all_time(self.seasons, not self.final)

    @cached_property
    def earlier(self) -> dict[str, list[dict]]:
        """Rows of `careers.side_by_side` from the seasons before, by player of this one."""
        if len(self.seasons) == 1:
            return {}
        rows = side_by_side(self.seasons[:-1])
        names = {name_key(name): name for name in self.table["player"]}
        rows["player"] = [names.get(name_key(name)) for name in rows["player"]]
        return {name: mine.to_dict("records") for name, mine in rows.groupby("player")}

    @cached_property
    def presence(self) -> dict[int, pd.DataFrame]:
        """`eventlog.presence` by evening, where a log was kept and the entries still agree."""
        season = self.season
        if self.pseudonyms or season.path is None or not season.path.is_dir():
            return {}
        names, seats, kept = owners(season.licences), season.results.set_index("evening"), {}
        for evening, stints in presences(season.path, season.rules).items():
            shown = [
                season.words.text("place.guest", name=name, evening=evening)
                if is_placeholder(name)
                else names.get(name_key(name), name)
                for name in stints["player"]
            ]
            stints = stints.assign(player=shown)
            entries = stints.groupby("player")["entry"].max().to_dict()
            rows = seats.loc[seats.index == evening, ["player", "entries"]]
            if entries == dict(rows.itertuples(index=False)):
                kept[evening] = stints
        return kept


def survey(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    pseudonyms: bool = False,
    final: bool = False,
) -> Overview:
    """Everything a report tells of a season.

    Parameters
    ----------
    season : Season
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.
    pseudonyms : bool
        Under invented names.
    final : bool
        The season is over and won.

    Returns
    -------
    Overview
        Tables and numbers of the report, by its parts.

    Raises
    ------
    DataError
        If no evening counts, or evenings are to come in a season said to be over.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> liga.survey(season).table["player"].iloc[0]
    'Mareike'
    """
    if final and not season.announced.empty:
        ahead = {"evenings": season.announced["evening"].tolist()}
        raise DataError(Problem("error", "order", "not_over", values=ahead))
    season = disguised(season) if pseudonyms else season
    report = Overview(season, lam, sigma, pseudonyms, final)
    _ = report.fit  # refuses at once
    return report
