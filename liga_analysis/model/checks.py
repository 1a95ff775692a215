"""Every problem of a season in one list: those of the data, and those only the model sees."""

import math
from datetime import date

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..season.names import alike_pairs, meant, name_key
from ..season.season import Season
from ..words import DataError, Problem
from .decision import outside, season_estimate
from .graph import play_graph


def problems(
    season: Season, sigma: float | None = None, today: date | None = None
) -> list[Problem]:
    """All problems of a season, in the order of its evenings.

    Parameters
    ----------
    season : Season
        As loaded; its own problems come along.
    sigma : float, optional
        In place of the σ in force, in chips.
    today : date, optional
        Results dated later are an error, evenings before it without results a warning; without
        it neither is looked for.

    Returns
    -------
    list of Problem

    Examples
    --------
    >>> season = liga.load_season("data/beispielliga/2025")
    >>> [p.code for p in liga.problems(season) if p.severity == "warning"]
    ['scale']
    """
    seen = [*_groups(season), *_scale(season, sigma), *_alike(season)]
    if today is not None:
        late = season.results[season.results["date"] > pd.Timestamp(today)]
        for evening, day in late.groupby("evening", sort=False)["date"].first().items():
            seen.append(Problem("error", "date", "future", evening, file=season.file, date=day))
        ahead = season.announced
        for evening in ahead["evening"][ahead["date"] < pd.Timestamp(today)]:
            seen.append(Problem("warning", "order", "no_results", evening, file="evenings.csv"))
    order = {evening: k for k, evening in enumerate(season.evenings["evening"])}
    return sorted([*season.problems, *seen], key=lambda p: order.get(p.evening, -1))


def _groups(season: Season) -> list[Problem]:
    """Groups of players never joined by an evening."""
    if season.results.empty:
        return []
    graph = play_graph(season.results)
    sizes = np.bincount(graph.group)
    if len(sizes) == 1:
        return []
    apart = graph.players[graph.group != sizes.argmax()]
    values = {"count": len(sizes), "largest": int(sizes.max()), "apart": list(apart)}
    return [Problem("warning", "groups", "groups", file=season.file, values=values)]


def _scale(season: Season, sigma: float | None) -> list[Problem]:
    """Whether σ or τ was typed wrong, or σ lies outside its 90 % intervals: the posterior's and,
    but above 3,000 players, the jackknife's.
    """
    sigma = season.parameters.sigma if sigma is None else sigma
    if slip := slips(season, sigma, sigma / math.sqrt(season.parameters.lam)):
        return slip
    try:
        misfit = outside(season_estimate(season), sigma, quick=True)
    except DataError:  # nothing to hold it against
        return []
    key = "scale" if misfit is None or "robust_low" in misfit else "scale_posterior"
    return [Problem("warning", "scale", key, file=season.file, values=misfit)] * bool(misfit)


def slips(season: Season, sigma: float, tau: float) -> list[Problem]:
    """Whether σ or τ was typed wrong: σ far from the chips of an entry, where chips are counted,
    or τ far from σ.
    """
    entry, usual = season.rules.entry_chips, LeagueRules.sigma / LeagueRules.entry_chips
    counted = len(season.results) == season.results["entries"].count()
    # One evening's result is of the size of an entry; a slip of a dot is a factor of 1,000.
    if counted and not entry / 10 <= sigma <= 10 * entry:
        return [_slip(season, "sigma", sigma, entry, usual, entry=entry)]
    if not sigma / 100 <= tau <= 10 * sigma:
        values = {"sigma": sigma, "lam": sigma**2 / tau**2}
        return [_slip(season, "tau", tau, sigma, LeagueRules.lam**-0.5, **values)]
    return []


def _slip(season: Season, name: str, value: float, scale: float, usual: float, **facts) -> Problem:
    """A warning about a number, and which it may be, as usual beside a scale."""
    likely = value * 10.0 ** round(math.log10(usual * scale / value))
    key = f"{name}_small" if value < scale else f"{name}_large"
    values = {**facts, name: value, "likely": f"{likely:.12g}"}
    return Problem("warning", "scale", key, file=season.file, values=values)


def _alike(season: Season) -> list[Problem]:
    """Nearly equal names of players who never sat together, the later one first; hosts likewise."""
    together = season.results.groupby("player", sort=False)["evening"].agg(set)
    players = [name for name in together.index if name not in season.guests]
    pairs = [("similar", b, a) for a, b in alike_pairs(players) if not together[a] & together[b]]
    known = set(map(name_key, together.index))
    hosts = {host for host in season.evenings["host"] if name_key(host) not in known} - {""}
    hosts = [(host, meant(host, players)) for host in sorted(hosts)]
    pairs += [("similar_host", host, other) for host, other in hosts if other]
    return [
        Problem("hint", "name", key, player=a, file=season.file, values={"other": b})
        for key, a, b in pairs
    ]
