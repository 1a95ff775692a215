"""A season with those of its league that came before it, on one scale and under one name each."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.folder import seasons_in
from ..season.names import name_key
from ..season.roster import owners
from ..season.season import Season, load_season
from ..words import DataError, Problem
from .chain import Linked, link
from .draws import PodiumChance, podium_share, rank_chances
from .graph import PlayGraph, play_graph
from .likelihood import CannotEstimate
from .ranking import contest, qualified, ranks, season_fit
from .variance import LEAST_EVENINGS, estimate_variance

NOTABLE_FACTOR = 1.25  # one beyond it, either way, is told
LARGEST = 3000  # pairs of season and player, beyond which twenty spectra take too long


class League(NamedTuple):
    """The seasons before one, in order of time, and why others of its league are not among them."""

    earlier: tuple[Season, ...]
    left_out: tuple[Problem, ...]


def league_of(season: Season) -> League:
    """The seasons of a season's league whose last evening lies before its first.

    The first is the first one held, else the first announced; without any, all other seasons count
    as earlier. A folder that overlaps this season or an earlier one linked, has no dates, no spread
    (q = 0) or cannot be read is named and left out; one that came later, or has no results, is not
    spoken of.
    """
    if season.path is None or not season.path.is_dir():
        return League((), ())
    home, played, left_out = season.path.resolve(), [], []
    for folder in seasons_in(home.parent):
        if folder == home:
            continue
        try:
            other = load_season(folder, language=season.language)
        except (DataError, OSError) as error:
            left_out.append(_left_out(folder.name, "unreadable", detail=str(error)))
            continue
        if other.held:
            played.append((*_span(other), other))
    (first, last), earlier = _span(season), []
    for start, end, other in sorted(played, key=lambda one: (pd.isna(one[0]), one[0])):
        if pd.isna(start) or pd.isna(first):
            left_out.append(_left_out(other.path.name, "undated"))
        elif start > last:
            continue
        elif end >= first:
            left_out.append(_left_out(other.path.name, "overlaps", other=home.name))
        elif earlier and start <= _span(earlier[-1])[1]:
            before = earlier[-1].path.name
            left_out.append(_left_out(other.path.name, "overlaps", other=before))
        elif not other.results["result"].any():
            left_out.append(_left_out(other.path.name, "no_spread"))
        else:
            earlier.append(other)
    return League(tuple(earlier), tuple(left_out))


def _span(season: Season) -> tuple[pd.Timestamp, pd.Timestamp]:
    """First and last evening, held or else announced; a season to come lies beyond all others."""
    dates = (season.results if season.held else season.announced)["date"].dropna()
    if season.held or len(dates):
        return dates.min(), dates.max()
    return pd.Timestamp.max, pd.Timestamp.max


def _left_out(name: str, why: str, **values) -> Problem:
    return Problem("hint", "setting", f"league_{why}", file=name, values=values)


def linked(seasons: Sequence[Season], lam: float | None = None, rho: float | None = None) -> Linked:
    """Ratings of the last of several seasons, and λ and ρ, from all of them; see `chain`.

    Parameters
    ----------
    seasons : sequence of Season
        In order of time. Seasons without results change nothing; if the last one has none, nobody
        is rated. Persons are the same by name and alias, placeholders are strangers every time.
    lam, rho : float, optional
        In place of their posterior; with both given nothing is averaged but σ.

    Returns
    -------
    Linked
        `theta`, `se`, `cov` (chips) by player of the last season, `posterior`, `rho`.

    Raises
    ------
    CannotEstimate
        If all seasons together cannot tell skill from luck.
    ValueError
        If no season has results, λ is not positive or ρ not within 0 and 1.

    Notes
    -----
    The prior of λ is the first season's. Earlier results are put on the last season's scale: times
    the ratio of the posterior medians of σ where both seasons have five evenings that can be left
    out, else of their entry chips.

    Examples
    --------
    >>> seasons = [liga.load_season(f"data/beispielliga/{year}") for year in (2025, 2026)]
    >>> league = liga.linked(seasons)
    >>> round(league.posterior.quantile("lam", 0.5), 1)
    5.2
    """
    played = [season for season in seasons if season.held]
    if not played:
        raise ValueError("no season has results")
    prior, last = played[0].prior, played[-1] is seasons[-1]
    factors = scale_factors(played)
    graphs = league_graphs(played)
    chained = link(graphs, factors, lam, rho, prior, last)
    names = tuple(season.name for season in played)
    return replace(chained, seasons=names, factors=tuple(factors))


def league_linked(season: Season, league: League | None = None) -> Linked | None:
    """A season linked with the earlier ones of its league; None where nothing can be linked.

    That is without earlier seasons, where nobody sat in one of them, and beyond 3,000 pairs of
    season and player.
    """
    earlier = (league or league_of(season)).earlier
    before = {key for one in earlier for key in _persons(one, [*earlier, season]).values()}
    here = set(_persons(season, [*earlier, season]).values())
    nodes = sum(one.results["player"].nunique() for one in [*earlier, season])
    if not earlier or (here and not here & before) or nodes > LARGEST:
        return None
    try:
        return linked([*earlier, season])
    except CannotEstimate:
        return None


class LinkedChances(NamedTuple):
    """`draws.chances` and `draws.podium_chance` of the table, by the seasons linked."""

    seasons: int
    players: pd.DataFrame
    podium: PodiumChance


def linked_chances(
    season: Season,
    lam: float | None = None,
    sigma: float | None = None,
    draws: int = 40_000,
    seed: int = 1,
    league: Linked | None = None,
) -> LinkedChances | None:
    """Chances of the season's players with the seasons before; None where nothing is linked.

    Judged are the names and the podium of the table, which may be one of another λ and σ; the
    ratings drawn are those of `league`, by default of the season with its league.
    """
    league = league or league_linked(season)
    if league is None or not len(league.players):
        return None
    fit, inside, podium = contest(season_fit(season, lam, sigma), qualified(season))
    place = ranks(fit.theta.to_numpy()[inside], fit.sigma)
    inside, place = (x[np.argsort(place, kind="stable")] for x in (inside, place))

    def pieces():
        return (piece[:, inside] for piece in league.pieces(draws, seed))

    table = rank_chances(pieces, league.players[inside], fit.sigma, podium)
    together = podium_share(pieces, place, fit.sigma, podium)
    return LinkedChances(len(league.seasons), table, together)


def scale_factors(seasons: Sequence[Season], sigma: Sequence[float | None] = ()) -> list[float]:
    """What each season's results are multiplied by, to be on the last one's scale.

    `sigma` is `own_sigma` of the first of them, where it is at hand.
    """
    sigma = [*sigma, *map(own_sigma, seasons[len(sigma) :])]
    chips = [season.rules.entry_chips for season in seasons]
    return [
        sigma[-1] / own if own and sigma[-1] else chips[-1] / entry
        for own, entry in zip(sigma, chips, strict=True)
    ]


def own_sigma(season: Season) -> float | None:
    """The posterior median of σ, in chips, where there are evenings enough to trust it."""
    if len(season.held) < LEAST_EVENINGS:
        return None
    try:
        estimate = estimate_variance(season.results, season.prior)
    except CannotEstimate:
        return None
    enough = len(estimate.without) >= LEAST_EVENINGS
    return estimate.posterior.quantile("sigma", 0.5) if enough else None


def _persons(season: Season, seasons: Sequence[Season]) -> dict[str, str]:
    """The key of each player who is no placeholder, by any season's aliases."""
    owner = {key: name for one in seasons for key, name in owners(one.licences).items()}
    names = season.results["player"].unique()
    return {
        name: name_key(owner.get(name_key(name), name))
        for name in names
        if name not in season.guests
    }


def league_graphs(seasons: Sequence[Season]) -> list[PlayGraph]:
    """The play graphs, a person under the last season's name in all of them."""
    shown = {key: name for name, key in _persons(seasons[-1], seasons).items()}
    graphs = []
    for t, season in enumerate(seasons):
        persons, label = _persons(season, seasons), {}
        for name in season.results["player"].unique():
            # No name holds a "\0": nobody is taken for somebody else.
            other = f"\0{persons[name]}" if name in persons else f"\0{t}\0{name}"
            label[name] = name if t == len(seasons) - 1 else shown.get(persons.get(name), other)
        results = season.results[["evening", "player", "result"]]
        graphs.append(play_graph(results.assign(player=results["player"].map(label))))
    return graphs
