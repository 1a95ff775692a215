"""The podium and the seven special awards of the rulebook."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd

from ..season.season import Season
from .graph import PlayGraph
from .large import RATING_ERROR, Blocks, solve
from .luck import simulated
from .ranking import TIE, season_fit, standings
from .rating import Fit

# A standard deviation of fewer evenings says next to nothing.
SD_EVENINGS = 4
RISE_EVENINGS, RISE_EVENINGS_A_HALF = 6, 2
RISE_SEASONS, RISE_SEED = 2000, 1

_COLUMNS = ["award", "rank", "players", "value", "evenings", "evening", "p", "reason"]
# Who has won each award, by its key; filled by `_award` in the order of the functions below.
AWARDS: dict[str, Callable[["Entrants"], dict]] = {}


def awards(season: Season, lam: float | None = None, sigma: float | None = None) -> pd.DataFrame:
    """Podium and special awards; equal winners are all named.

    Parameters
    ----------
    season : Season
    lam, sigma : float, optional
        In place of the parameters in force; σ in chips.

    Returns
    -------
    DataFrame
        `award`, `rank` (podium only), `players`, `value` (chips; a count for `most_evenings`),
        `evenings` (each winner's number), `evening` (the single one, for `biggest_comeback` and
        `highest_result`), `p` (for `strongest_rise`) and `reason` where nobody is awarded; lists
        run parallel to `players`. One row per occupied step of the podium, then AWARDS in order.

    Raises
    ------
    DataError
        If no evening counts.

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2026")
    >>> table = liga.awards(season).set_index("award")
    >>> table.loc["largest_total", "players"]
    ['Helene']
    """
    entrants = Entrants(season, standings(season, lam, sigma), season_fit(season, lam, sigma))
    ranked = entrants.ranked
    steps = ranked[ranked["rank"] <= season.rules.podium].groupby("rank")
    podium = [
        {"rank": int(rank)} | _won(step, float(step["rating"].iloc[0])) for rank, step in steps
    ]
    rows = [{"award": "podium"} | row for row in podium or [_nobody("nobody_ranked")]]
    rows += [{"award": name} | judge(entrants) for name, judge in AWARDS.items()]
    table = pd.DataFrame(rows, columns=_COLUMNS, dtype=object)
    return table.where(table.notna(), None)


@dataclass(frozen=True)
class Entrants:
    """What awards are judged by: the season, its table and the fit behind it."""

    season: Season
    table: pd.DataFrame
    fit: Fit

    @property
    def ranked(self) -> pd.DataFrame:
        """The rows of the table in der Wertung."""
        return self.table[self.table["qualified"]]

    @property
    def people(self) -> pd.DataFrame:
        """The rows of all but guests."""
        return self.table[~self.table["player"].isin(self.season.guests)]

    @property
    def results(self) -> pd.DataFrame:
        """The results of all but guests, with the number of each one's `evenings`."""
        mine = self.people[["player", "evenings"]]
        return self.season.results.merge(mine, on="player")


def _won(winners: pd.DataFrame, value: float, p: float | None = None) -> dict:
    """An award given; `winners` has `player`, `evenings`, and `evening` if a single one won it."""
    names = [name for name in ("evenings", "evening") if name in winners]
    listed = {name: winners[name].tolist() for name in names}
    return {"players": winners["player"].tolist(), "value": value, "p": p} | listed


def _nobody(reason: str) -> dict:
    return {"players": [], "evenings": [], "reason": reason}


def _best(
    candidates: pd.DataFrame,
    column: str,
    reason: str = "nobody",
    tolerance: float = 0.0,
    p: float | None = None,
) -> dict:
    """The candidates with the largest value, each once; chips and counts are equal only exactly."""
    if candidates.empty:
        return _nobody(reason)
    value = candidates[column].max()
    winners = candidates[candidates[column] >= value - tolerance].drop_duplicates("player")
    return _won(winners, float(value), p)


def _award(judge: Callable[[Entrants], dict]) -> Callable[[Entrants], dict]:
    """An award of the season: the function's name is its key, and its texts' in `award.…`."""
    AWARDS[judge.__name__] = judge
    return judge


@_award
def most_evenings(entrants: Entrants) -> dict:
    return _best(entrants.people, "evenings")


@_award
def best_newcomer(entrants: Entrants) -> dict:
    """Best rating among those whose licence was not issued before the season's first evening."""
    issued = entrants.season.licences.set_index("player")["issued"]
    old = issued.index[issued < entrants.season.evenings["date"].min()]
    new = entrants.ranked[~entrants.ranked["player"].isin(old)]
    return _best(new, "rating", "no_newcomer", TIE * entrants.fit.sigma)


def first_season(season: Season) -> bool:
    """Whether no licence is older than the season, so that everybody is a newcomer."""
    return not (season.licences["issued"] < season.evenings["date"].min()).any()


@_award
def biggest_comeback(entrants: Entrants) -> dict:
    """Best result of an evening with a second entry."""
    if entrants.season.results["entries"].isna().all():
        return _nobody("entries_unknown")
    return _best(entrants.results[entrants.results["entries"] >= 2], "result", "no_reentry")


@_award
def lowest_sd(entrants: Entrants) -> dict:
    """Smallest sample standard deviation of the evening results."""
    season, ranked = entrants.season, entrants.ranked
    often = ranked["evenings"].ge(SD_EVENINGS) & (2 * ranked["evenings"]).ge(len(season.held))
    sd = season.results.groupby("player")["result"].std(ddof=1)
    candidates = ranked[often].assign(sd=lambda t: -t["player"].map(sd))
    won = _best(candidates, "sd", "too_few_evenings", TIE * entrants.fit.sigma)
    return won | {"value": -won["value"]} if won["players"] else won


@_award
def strongest_rise(entrants: Entrants) -> dict:
    """Largest damped rise β̂ > 0, and how often luck alone brings as much."""
    fit, ranked, held = entrants.fit, entrants.ranked, entrants.season.held
    if len(held) < RISE_EVENINGS:
        return _nobody("too_few_evenings")
    trend = Trend(fit.graph, held, fit.lam)
    half = np.sign(trend.x)[fit.graph.evening]
    seats = [
        np.bincount(fit.graph.player[half == side], minlength=fit.graph.n_players)
        for side in (-1, 1)
    ]
    both = pd.Series(np.min(seats, axis=0) >= RISE_EVENINGS_A_HALF, fit.graph.players)
    candidates = ranked[ranked["player"].map(both).astype(bool)].assign(
        rise=lambda t: t["player"].map(trend.rises)
    )
    if candidates.empty or candidates["rise"].max() <= 0:
        return _nobody("too_few_evenings" if candidates.empty else "nobody_rose")
    eligible = fit.graph.players.isin(candidates["player"])
    p = trend.luck(candidates["rise"].max(), eligible, fit.sigma)
    return _best(candidates, "rise", tolerance=TIE * fit.sigma, p=p)


@_award
def highest_result(entrants: Entrants) -> dict:
    return _best(entrants.results, "result")


@_award
def largest_total(entrants: Entrants) -> dict:
    return _best(entrants.people, "total", tolerance=TIE * entrants.fit.sigma)


@dataclass(frozen=True)
class Trend:
    """The penalised model with a slope for each player.

    y_s = M_s (α + x_s β + e) with x_s from −½ to ½ over the season's evenings, here in `order`,
    the same penalty λ on α and β; so β_i is the player's change over the whole season, damped
    towards 0.
    """

    graph: PlayGraph
    order: list
    lam: float

    @cached_property
    def x(self) -> np.ndarray:
        """Place of each evening in the season, by the graph's numbering, shape (S,)."""
        position = pd.Series(np.linspace(-0.5, 0.5, len(self.order)), self.order)
        return position[self.graph.evenings].to_numpy()

    @cached_property
    def _levels_and_slopes(self) -> list[PlayGraph]:
        """The graph with weights w, xw and x²w: of levels, of both, of slopes."""
        return [replace(self.graph, weight=self.graph.weight * self.x**k) for k in range(3)]

    def slopes(self, y: np.ndarray) -> np.ndarray:
        """β̂ of results y of shape (N, n), centred by evening; shape (p, n), in chips.

        From (ZᵀZ + λI)(α; β) = Zᵀy, Z = [X, diag(x)X]: a Laplacian in each quarter.
        """
        graph, p = self.graph, self.graph.n_players
        weighted = graph.weight[graph.evening, None] * y
        mine = graph.of_player
        totals = np.vstack([mine @ weighted, mine @ (self.x[graph.evening, None] * weighted)])
        if graph.is_large:
            blocks = Blocks(*(part.laplacian for part in self._levels_and_slopes))
            return solve(blocks, np.full(2 * p, self.lam), totals, RATING_ERROR)[p:]
        levels, both, slopes = (part.G for part in self._levels_and_slopes)
        penalised = np.block([[levels, both], [both, slopes]]) + self.lam * np.eye(2 * p)
        return np.linalg.solve(penalised, totals)[p:]

    @property
    def rises(self) -> pd.Series:
        """β̂ by player: the damped rise over the season, in chips."""
        rise = self.slopes(self.graph.y[:, None])[:, 0]
        return pd.Series(rise, self.graph.players, name="rise")

    def luck(self, rise: float, eligible: np.ndarray, sigma: float) -> float | None:
        """Share of seasons without any change whose largest rise among `eligible` reaches `rise`.

        2,000 seeded seasons with the same attendance, α ~ N(0, σ²/λ), β = 0, e ~ N(0, σ²). None
        above 3,000 players.
        """
        if self.graph.is_large:
            return None
        fit, rng = Fit(self.graph, self.lam, sigma), np.random.default_rng(RISE_SEED)
        played = simulated(fit, RISE_SEASONS, rng)
        best = [self.slopes(y)[eligible].max(axis=0) for y in played]
        return float((np.concatenate(best) >= rise).mean())
