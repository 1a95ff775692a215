"""What changes with λ: the tables behind the charts and sentences of an exploration."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..season.season import Season
from ..words import Words
from . import sensitivity
from .draws import better_than, chances, sd_difference
from .likelihood import CannotEstimate
from .ranking import qualified, season_fit, standings
from .rating import Fit, fit_ratings, ranks


@dataclass(frozen=True)
class Exploration:
    """A season and its ratings at one λ; each table is made when it is first asked for."""

    season: Season
    fit: Fit
    ranked: pd.Series

    @property
    def words(self) -> Words:
        return self.season.words

    @cached_property
    def lams(self) -> np.ndarray:
        return sensitivity.lambda_grid(self.fit.lam)

    def at(self, lam: float) -> "Exploration":
        """The same at another λ, σ being what it is."""
        return replace(self, fit=fit_ratings(self.fit.graph, lam, self.fit.sigma))

    @cached_property
    def order(self) -> list[str]:
        """All players in the order of the table."""
        return list(standings(self.season, self.fit.lam, self.fit.sigma)["player"])

    @cached_property
    def inside(self) -> list[str]:
        """Those in der Wertung, in the order of the table."""
        return [player for player in self.order if self.ranked[player]]

    @cached_property
    def place(self) -> pd.Series:
        """Ranks of those in der Wertung."""
        theta = self.fit.theta[self.inside].to_numpy()
        return pd.Series(ranks(theta, self.fit.sigma), self.inside, name="rank")

    @cached_property
    def over_lambda(self) -> pd.DataFrame:
        """The table at each λ of the grid, with what belongs to it at that σ.

        Returns
        -------
        DataFrame
            `lam`, `tau`, `player`, `rank` (missing außer Wertung), `place` (line of the table,
            from 1), `rating`, `uncertainty`, chips; players in the order of the table at λ.
        """
        path = sensitivity.lambda_path(self.fit, self.ranked, self.lams)
        u = sensitivity.uncertainty_path(self.fit, self.lams)[self.order]
        theta = path.ratings[self.order].to_numpy()
        n, level = len(self.inside), np.empty(theta.shape, int)
        for part, before in ((slice(None, n), 0), (slice(n, None), n)):
            level[:, part] = ranks(theta[:, part], self.fit.sigma) + before
        place = level.argsort(1, kind="stable").argsort(1) + 1
        columns = {
            "lam": np.repeat(self.lams, len(self.order)),
            "tau": np.repeat(self.fit.sigma / np.sqrt(self.lams), len(self.order)),
            "player": self.order * len(self.lams),
            "rank": pd.array(np.where(level <= n, level, 0).ravel(), "Int64"),
            "place": place.ravel(),
            "rating": theta.ravel(),
            "uncertainty": u.to_numpy().ravel(),
        }
        return pd.DataFrame(columns).assign(rank=lambda t: t["rank"].where(t["rank"] > 0))

    @cached_property
    def swaps(self) -> pd.DataFrame:
        """Swaps as `sensitivity.swaps` finds them, with the `rank` the two then share."""
        found = sensitivity.swaps(self.fit, self.ranked, self.lams)
        at = sensitivity.lambda_path(self.fit, self.ranked, found["lam"]).ranks
        shared = [at[player].iloc[k] for k, player in enumerate(found["ahead_below"])]
        return found.assign(rank=pd.array(shared, "Int64"))

    @cached_property
    def podium_interval(self) -> tuple[float, float]:
        return sensitivity.podium_interval(self.fit, self.ranked, self.season.rules.podium)

    @cached_property
    def scores(self) -> pd.DataFrame:
        """`sensitivity.scores` on the grid; empty where the results do not tell σ from τ."""
        try:
            return sensitivity.scores(self.fit.graph, self.lams, self.season.held)
        except CannotEstimate:
            return pd.DataFrame()

    @cached_property
    def pairs(self) -> pd.DataFrame:
        """Every pair in der Wertung, both ways round.

        Returns
        -------
        DataFrame
            `player`, `other`; `p`, P(player above other); `sd` of the difference, chips;
            `evenings` both sat at; `apart`, whether no chain of evenings joins them.
        """
        p, sd, graph = better_than(self.fit), sd_difference(self.fit), self.fit.graph
        shared = pd.DataFrame((graph.seats.T @ graph.seats).toarray(), graph.players, graph.players)
        group = pd.Series(graph.group, graph.players)
        rows = [
            (i, j, p.at[i, j], sd.at[i, j], int(shared.at[i, j]), bool(group[i] != group[j]))
            for i in self.inside
            for j in self.inside
            if i != j
        ]
        return pd.DataFrame(rows, columns=["player", "other", "p", "sd", "evenings", "apart"])

    @cached_property
    def chances(self) -> pd.DataFrame:
        """`draws.chances` in the order of the table."""
        table = chances(self.fit, self.ranked, podium=self.season.rules.podium)
        return table.loc[self.inside].reset_index(names="player")

    @cached_property
    def influence(self) -> pd.DataFrame:
        """What each evening did for each player in der Wertung, in the season's order.

        Returns
        -------
        DataFrame
            `evening`, `date`, `player`, `shift` (rating with the evening less rating without it,
            chips), `rank` and `rank_without`.
        """
        without = sensitivity.path_without(self.fit, self.ranked)
        dates = self.season.evenings.set_index("evening")["date"]
        rows = [
            (
                evening,
                dates[evening],
                player,
                self.fit.theta[player] - without.ratings.at[evening, player],
                self.place[player],
                without.ranks.at[evening, player],
            )
            for evening in self.season.held
            for player in self.inside
        ]
        names = ["evening", "date", "player", "shift", "rank", "rank_without"]
        return pd.DataFrame(rows, columns=names)


def explore(season: Season, lam: float | None = None, sigma: float | None = None) -> Exploration:
    """A season at the parameters in force, or those given (σ in chips).

    Raises
    ------
    DataError
        If no evening counts.
    """
    return Exploration(season, season_fit(season, lam, sigma), qualified(season))


def changed(season: Season, results: dict | None = None, without=()) -> Season:
    """The season as it would be with other results: nothing is stored.

    Parameters
    ----------
    season : Season
    results : dict
        By (evening, player) the other result in chips, or None if the player had not come.
    without : iterable of int
        Evenings taken out whole.
    """
    rows = season.results[~season.results["evening"].isin(list(without))].copy()
    keys = list(zip(rows["evening"], rows["player"], strict=True))
    other = results or {}
    new = pd.Series([other.get(key, old) for key, old in zip(keys, rows["result"], strict=True)])
    new = new.set_axis(rows.index).astype(float)
    rows["chips_out"] += new - rows["result"]
    rows["result"] = new
    rows = rows[new.notna()]
    return replace(season, results=rows, guests=season.guests & set(rows["player"]))
