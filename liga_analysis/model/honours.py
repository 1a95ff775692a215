"""The podium and the seven special awards of the rulebook."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.sparse import csr_array

from ..season.season import Season
from .graph import PlayGraph
from .large import RATING_ERROR, Blocks, solve
from .luck import PIECE, simulated
from .ranking import season_fit, standings
from .rating import TIE, Fit

# A standard deviation of fewer evenings says next to nothing.
SD_EVENINGS = 4
RISE_EVENINGS, RISE_EVENINGS_A_HALF = 6, 2
RISE_SEASONS, RISE_SEED = 2000, 1

AWARDS = (
    "most_evenings",
    "best_newcomer",
    "biggest_comeback",
    "lowest_sd",
    "strongest_rise",
    "highest_result",
    "largest_total",
)
_COLUMNS = ["award", "rank", "players", "value", "evenings", "evening", "p", "reason"]


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
    table = standings(season, lam, sigma)
    fit = season_fit(season, lam, sigma)
    ranked = table[table["qualified"]]
    steps = ranked[ranked["rank"] <= season.rules.podium].groupby("rank")
    rows = [
        _row("podium", step, float(step["rating"].iloc[0]), rank=int(rank)) for rank, step in steps
    ] or [_row("podium", None, reason="nobody_ranked")]

    people = table[~table["player"].isin(season.guests)]
    single = season.results[~season.results["player"].isin(season.guests)]
    evenings = table.set_index("player")["evenings"]
    single = single.assign(evenings=single["player"].map(evenings))
    rows.append(_best("most_evenings", people, "evenings"))
    rows.append(_newcomer(season, ranked, fit))
    if season.results["entries"].isna().all():
        rows.append(_row("biggest_comeback", None, reason="entries_unknown"))
    else:
        again = single[single["entries"] >= 2]
        rows.append(_best("biggest_comeback", again, "result", reason="no_reentry"))
    rows.append(_steadiest(season, ranked, fit))
    rows.append(_rise(season, ranked, fit))
    rows.append(_best("highest_result", single, "result", reason="nobody"))
    rows.append(_best("largest_total", people, "total", TIE * fit.sigma, reason="nobody"))
    return pd.DataFrame(rows, columns=_COLUMNS, dtype=object)


def _row(award, winners, value=None, rank=None, p=None, reason=None) -> dict:
    """One award; `winners` has `player`, `evenings`, and `evening` if a single evening won it."""
    listed = {"players": [], "evenings": [], "evening": None}
    if winners is not None:
        listed = {"players": list(winners["player"]), "evenings": list(winners["evenings"])}
        single = "evening" in winners
        listed["evening"] = list(winners["evening"]) if single else None
    return {"award": award, "rank": rank, "value": value, "p": p, "reason": reason, **listed}


def _best(award, candidates, column, tolerance=0.0, p=None, reason="nobody") -> dict:
    """The candidates with the largest value, each once; chips and counts are equal only exactly."""
    if candidates.empty:
        return _row(award, None, reason=reason)
    value = candidates[column].max()
    winners = candidates[candidates[column] >= value - tolerance].drop_duplicates("player")
    return _row(award, winners, float(value), p=p)


def _newcomer(season: Season, ranked: pd.DataFrame, fit: Fit) -> dict:
    """Best rating among those whose licence was not issued before the season's first evening."""
    issued = season.licences.set_index("player")["issued"]
    old = issued.index[issued < season.evenings["date"].min()]
    new = ranked[~ranked["player"].isin(old)]
    return _best("best_newcomer", new, "rating", TIE * fit.sigma, reason="no_newcomer")


def first_season(season: Season) -> bool:
    """Whether no licence is older than the season, so that everybody is a newcomer."""
    return not (season.licences["issued"] < season.evenings["date"].min()).any()


def _steadiest(season: Season, ranked: pd.DataFrame, fit: Fit) -> dict:
    """Smallest sample standard deviation of the evening results."""
    often = ranked["evenings"].ge(SD_EVENINGS) & (2 * ranked["evenings"]).ge(len(season.held))
    sd = season.results.groupby("player")["result"].std(ddof=1)
    candidates = ranked[often].assign(sd=lambda t: -t["player"].map(sd))
    row = _best("lowest_sd", candidates, "sd", TIE * fit.sigma, reason="too_few_evenings")
    return row if row["value"] is None else {**row, "value": -row["value"]}


def _rise(season: Season, ranked: pd.DataFrame, fit: Fit) -> dict:
    """Largest damped rise β̂ > 0, and how often luck alone brings as much."""
    if len(season.held) < RISE_EVENINGS:
        return _row("strongest_rise", None, reason="too_few_evenings")
    trend = Trend(fit.graph, season.held, fit.lam)
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
        reason = "too_few_evenings" if candidates.empty else "nobody_rose"
        return _row("strongest_rise", None, reason=reason)
    eligible = fit.graph.players.isin(candidates["player"])
    p = trend.luck(candidates["rise"].max(), eligible, fit.sigma)
    return _best("strongest_rise", candidates, "rise", TIE * fit.sigma, p=p)


@dataclass(frozen=True)
class Trend:
    """The penalised model with a slope for each player.

    y_s = M_s (α + x_s β + e) with x_s from −½ to ½ over the season's evenings, the same penalty
    λ on α and β; so β_i is the player's change over the whole season, damped towards 0.

    Parameters
    ----------
    graph : PlayGraph
    order : list
        The evenings in the order of the season.
    lam : float
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
        mine = csr_array((np.ones(len(y)), (graph.player, np.arange(len(y)))), (p, len(y)))
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
        reached, piece = 0, max(1, PIECE // len(self.graph.y))
        for start in range(0, RISE_SEASONS, piece):
            played = simulated(fit, min(piece, RISE_SEASONS - start), rng)
            reached += int((self.slopes(played)[eligible].max(axis=0) >= rise).sum())
        return reached / RISE_SEASONS
