"""What an exploration of λ finds, in sentences; of each section the question first."""

import numpy as np
import pandas as pd

from ..model.checks import problems
from ..model.draws import bridges, comparisons, groups
from ..model.exploration import Exploration
from ..model.likelihood import CannotEstimate
from ..model.rating import TIE
from ..model.sensitivity import influence
from ..model.variance import estimate_variance
from ..words import Words

SHOWN = 5  # swaps, names and evenings told in one sentence; charts show them all
FACTOR = 2  # "what if 3 or 12": the λ in force, divided and multiplied by it


def headline(found: Exploration) -> list[str]:
    """Where the podium stays, then what the data want."""
    return [stays(found), *([_wanted(found)] if found.inside else [])]


def in_short(found: Exploration) -> str:
    """What λ is, and how far it may move before the podium changes: a line each."""
    return "\n".join([found.words.text("explore.what", lam=found.fit.lam), stays(found)])


def stays(found: Exploration) -> str:
    """For which λ the podium stays as it is."""
    if not found.inside:
        return found.words.text("story.nobody")
    low, high = found.podium_interval
    key = ("always", "to", "from", "between")[2 * (low > 0) + (high < np.inf)]
    key = "tied" if low == high else key
    return found.words.text(f"explore.podium_{key}", low=low, high=high, lam=found.fit.lam)


def why(found: Exploration) -> list[str]:
    """What λ is."""
    lam, sigma, tau = found.fit.lam, found.fit.sigma, found.fit.tau
    n = int(np.median(found.fit.graph.n_evenings))
    usual = found.words.evenings(n)
    return [
        found.words.text("explore.why", lam=lam),
        found.words.text("explore.damping", lam=lam, evenings=usual, share=n / (n + lam)),
        found.words.text("explore.ratio", lam=lam, sigma=sigma, tau=tau),
    ]


def what_if(found: Exploration) -> list[str]:
    """The podium at half and at twice λ, and the swaps nearest to the λ in force."""
    lams = [found.fit.lam / FACTOR, found.fit.lam * FACTOR]
    told = [found.words.text("explore.what_if", half=lams[0], double=lams[1])]
    if found.inside:
        told += [_podium_at(found, found.at(lam)) for lam in lams]
        told.append(_swaps(found))
    return told


def _podium_at(found: Exploration, other: Exploration) -> str:
    key = "same" if _podium(found) == _podium(other) else "other"
    podium = "; ".join(_podium(other))
    values = {"lam": other.fit.lam, "tau": other.fit.tau, "podium": podium}
    return found.words.text(f"explore.at_{key}", **values)


def _podium(found: Exploration) -> list[str]:
    """As in "1. Anna", "2. Ben und Clara"."""
    place = found.place
    steps = place[place <= found.season.rules.podium].groupby(place)
    return [f"{rank}. {found.words.listing(step.index)}" for rank, step in steps]


def _swaps(found: Exploration) -> str:
    if found.swaps.empty:
        return found.words.text("explore.no_swaps")
    far = np.log(found.swaps["lam"] / found.fit.lam).abs()
    near = found.swaps.loc[far.nsmallest(SHOWN).index].sort_values("lam")
    told = [
        found.words.text("explore.swap", lam=row.lam, below=row.ahead_below, above=row.ahead_above)
        for row in near.itertuples()
    ]
    key = "swaps" if len(near) == len(found.swaps) else "swaps_near"
    return found.words.text(f"explore.{key}", n=len(found.swaps), told="; ".join(told))


def want(found: Exploration) -> list[str]:
    """Which λ the data want, by likelihood, by prediction, and without each evening."""
    words, lam, table = found.words, found.fit.lam, found.scores
    told = [words.text("explore.want"), _wanted(found)]
    if table.empty:
        return told
    left, ahead = (_best(found, table[column]) for column in ("left_out_rmse", "ahead_rmse"))
    told.append(words.text("explore.predict", left=left, ahead=ahead))
    near = table.loc[lam / FACTOR / (1 + TIE) : lam * FACTOR * (1 + TIE), "left_out_rmse"]
    values = {"half": lam / FACTOR, "double": lam * FACTOR, "gap": near.max() - near.min()}
    told.append(words.text("explore.flat", **values, error=table["left_out_rmse"][lam]))
    without = influence(found.fit, found.ranked).lam_reml.dropna()
    if len(without) > 1 and np.isfinite(without.min()):
        span = _span(without.min(), without.max(), words)
        told.append(words.text("explore.lam_without", span=span))
    return told


def _best(found: Exploration, score: pd.Series) -> str:
    """The λ with the smallest error; where that is an end of the grid, said so."""
    best = score.idxmin()
    end = {found.lams[0]: "or_less", found.lams[-1]: "or_more"}.get(best)
    shown = found.words.number(best)
    return found.words.text(f"explore.{end}", lam=shown) if end else shown


def _wanted(found: Exploration) -> str:
    words, prior = found.words, found.season.prior
    try:
        estimate = estimate_variance(found.fit.graph, prior.lam, prior.spread)
    except CannotEstimate as refusal:
        return words.text(f"problem.{refusal.key}")
    low, high = estimate.interval("lam", 0.9)
    inside = "inside" if low <= found.fit.lam <= high else "outside"
    best = "reml" if np.isfinite(estimate.lam) else "reml_infinite"
    told = [
        words.text(f"explore.{best}", best=estimate.lam),
        words.text(f"explore.{inside}", span=_span(low, high, words), lam=found.fit.lam),
    ]
    return " ".join(told)


def _span(low: float, high: float, words: Words) -> str:
    return words.text(f"explore.span{'' if high < np.inf else '_open'}", low=low, high=high)


def evenings(found: Exploration) -> list[str]:
    """Which evenings hold up place 1 and the podium, and which one moved most."""
    words, table = found.words, found.influence
    told = [words.text("explore.evenings")]
    if table.empty:
        return told
    changed = table["rank"] != table["rank_without"]
    places = table[["rank", "rank_without"]].min(axis=1)
    for key, last in (("first", 1), ("podium", found.season.rules.podium)):
        needed = list(table.loc[changed & (places <= last), "evening"].drop_duplicates())
        told.append(_depends(found, key, needed))
    most = table.loc[table["shift"].abs().idxmax()]
    shown = words.text("place.evening", evening=most["evening"])
    if pd.notna(most["date"]):
        shown += f" ({words.date(most['date'])})"
    key = "lower" if most["shift"] > 0 else "higher"
    values = {"evening": shown, "player": most["player"], "shift": abs(most["shift"])}
    told.append(words.text(f"explore.without_{key}", **values))
    return told


def _depends(found: Exploration, key: str, needed: list[int]) -> str:
    if not needed:
        return found.words.text(f"explore.{key}_none")
    if len(needed) > SHOWN:
        values = {"n": len(needed), "held": len(found.season.held)}
        return found.words.text(f"explore.{key}_many", **values)
    *most, last = map(str, needed)
    evenings = found.words.text("explore.or").join(filter(None, [", ".join(most), last]))
    return found.words.text(f"explore.{key}_some", evenings=evenings)


def sure(found: Exploration) -> list[str]:
    """How sure place 1 is; not told where σ does not fit the results."""
    words = found.words
    told = [words.text("explore.sure")]
    if len(found.inside) < 2:
        return told + [words.text("story.alone", leader=p) for p in found.inside]
    if any(p.code == "scale" for p in problems(found.season, found.fit.sigma)):
        told.append(words.text("story.scale", sigma=found.fit.sigma))
        return told
    leader, second = found.inside[:2]
    first = found.chances.iloc[0]
    values = {"leader": leader, "low": first["rank_low"], "high": first["rank_high"]}
    chance = words.in_100(first["p_first"])
    told.append(words.text("explore.first", chance=chance, **values))
    pair, gap = found.pairs.iloc[0], found.fit.theta[leader] - found.fit.theta[second]
    values = {"leader": leader, "second": second, "p": pair["p"], "sd": pair["sd"]}
    key = "pair_apart" if pair["apart"] else "pair"
    told.append(words.text(f"explore.{key}", gap=gap, **values))
    return told


def connections(found: Exploration) -> list[str]:
    """Who can be compared with whom, in chips: groups, bridges, the weakest pair."""
    words, parts = found.words, groups(found.fit)
    told = [words.text("explore.connections")]
    if len(parts) == 1:
        told.append(words.text("explore.one_group", n=len(found.order)))
    else:
        told.append(words.text("explore.groups", n=len(parts)))
        for k, (players, sd) in enumerate(parts.itertuples(index=False), 1):
            told.append(words.text("explore.group", k=k, players=_some(found, players), sd=sd))
        told.append(words.text("explore.apart", tau=found.fit.tau, level=2**0.5 * found.fit.tau))
    for row in bridges(found.fit).head(SHOWN).itertuples():
        values = {"players": _some(found, row.players), "rest": row.rest, "sd": row.sd}
        bridge = {row.kind: row.bridge}
        told.append(words.text(f"explore.bridge_{row.kind}", **bridge, **values))
    return told + _weakest(found)


def _weakest(found: Exploration) -> list[str]:
    """The two in der Wertung whom the results compare worst."""
    table = comparisons(found.fit)
    known = np.isfinite(table["steps"])
    table = table[known & table["player"].isin(found.inside) & table["other"].isin(found.inside)]
    if table.empty:
        return []
    pair = table.iloc[0]
    together = found.words.evenings(pair["evenings"]) if pair["evenings"] else ""
    key = "weakest_met" if together else "weakest_never"
    values = {"player": pair["player"], "other": pair["other"], "sd": pair["sd"]}
    return [found.words.text(f"explore.{key}", together=together, **values)]


def _some(found: Exploration, players: list[str]) -> str:
    """Names, the first of many."""
    rest = len(players) - SHOWN
    if rest < 2:
        return found.words.listing(players)
    return found.words.listing([*players[:SHOWN], found.words.text("explore.others", n=rest)])
