"""Worlds that agree: the podium under every defensible choice of λ, evenings, ranking and past."""

from dataclasses import replace
from itertools import product
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..season.season import Season
from .chain import link
from .decision import season_decision
from .league import league_graphs
from .ranking import qualified, ranks, season_fit

POINTS = (0.05, 0.275, 0.5, 0.725, 0.95)  # of the posterior of λ that counts
ATTENDANCES = (30, 40, 50)  # percent of the evenings needed to be ranked
FACTORS = ["lam", "without", "attendance", "linked"]


class Agreement(NamedTuple):
    """Shares of worlds with the table's names on the podium, and with its order as well.

    `factor` is the column of `worlds` between whose levels (`shares`, a Series) the first differs
    most; None where it differs with nothing.
    """

    names: float
    order: float
    factor: str | None
    shares: pd.Series | None


def worlds(season: Season) -> pd.DataFrame:
    """The podium in every world: a small multiverse.

    λ at five points of its posterior (the one that counts) × each evening left out or none ×
    30, 40 or 50 % of the evenings needed × the season alone or linked with the earlier ones, at the
    posterior mean of ρ, where there are any. Who is ranked is judged by all evenings held.

    Parameters
    ----------
    season : Season

    Returns
    -------
    DataFrame
        A row a world: `lam`, `without` (evening, missing if none), `attendance`, `linked`,
        `podium` (tuple of names), `same_names`, `same_order` (as in the season's table).

    Raises
    ------
    DataError
        If no evening counts, or neither the season nor its league tells anything of λ.

    Examples
    --------
    >>> table = liga.worlds(liga.load_season("data/beispielliga/2026"))
    >>> len(table)  # 5 λ, 12 evenings and none, 3 levels of attendance, alone and linked
    390
    """
    fit, decision = season_fit(season), season_decision(season)
    graph, league = fit.graph, decision.linked
    lams = np.array([decision.posterior.quantile("lam", p) for p in POINTS])
    graphs = league_graphs([*decision.league.earlier, season]) if league else []
    rankings = {}
    for share in ATTENDANCES:
        settings = replace(season.settings, rules=replace(season.rules, attendance=share))
        rankings[share] = qualified(replace(season, settings=settings))[graph.players].to_numpy()
    table = _podium(fit.theta.to_numpy(), graph, qualified(season)[graph.players], season, fit)
    rows = []
    for without in [None, *season.held]:
        kept = graph.evenings != without
        d, V, z = graph.at_evenings(kept).spectrum
        ratings = {False: (z / (d + lams[:, None])) @ V.T}
        if league:
            parts = [*graphs[:-1], graphs[-1].at_evenings(kept)]
            (chain,) = link(parts, league.factors, rho=league.rho_mean).chains
            ratings[True] = (chain.z / (chain.d + lams[:, None])) @ chain.last.T
        for (is_linked, theta), share in product(ratings.items(), ATTENDANCES):
            for lam, row in zip(lams, theta, strict=True):
                podium = _podium(row, graph, rankings[share], season, fit)
                same = set(podium) == set(table), podium == table
                rows.append((lam, without, share, is_linked, tuple(podium), *same))
    columns = [*FACTORS, "podium", "same_names", "same_order"]
    return pd.DataFrame(rows, columns=columns).astype({"without": "Int64"})


def agreement(worlds: pd.DataFrame) -> Agreement:
    """How many of the `worlds` agree with the table, and on what it depends most.

    Parameters
    ----------
    worlds : DataFrame
        As `worlds` makes it.

    Returns
    -------
    Agreement

    Examples
    --------
    >>> agreed = liga.agreement(liga.worlds(liga.load_season("data/beispielliga/2026")))
    >>> agreed.order <= agreed.names
    True
    """
    shares = {f: worlds.groupby(f, dropna=False)["same_names"].mean() for f in FACTORS}
    reach = {factor: levels.max() - levels.min() for factor, levels in shares.items()}
    factor = max(reach, key=reach.get) if max(reach.values()) else None
    total = worlds[["same_names", "same_order"]].mean()
    return Agreement(float(total.iloc[0]), float(total.iloc[1]), factor, shares.get(factor))


def _podium(theta, graph, ranked, season, fit) -> dict:
    """Names on the podium and their ranks, in order."""
    inside = np.flatnonzero(ranked)
    place = ranks(theta[inside], fit.sigma)
    on = np.flatnonzero(place <= season.rules.podium)
    on = on[np.argsort(place[on], kind="stable")]
    return dict(zip(graph.players[inside[on]], place[on], strict=True))
