"""What an exploration of λ finds, in sentences: of a season and its ratings at one λ."""

import numpy as np
import pandas as pd

from ..model.checks import problems
from ..model.draws import chances, podium_chance
from ..model.left_out import influence, scores
from ..model.likelihood import CannotEstimate
from ..model.pairs import better_than, bridges, comparisons, groups, sd_difference
from ..model.ranking import TIE, qualified, standings
from ..model.rating import Fit, fit_ratings
from ..model.sensitivity import lambda_grid, podium_interval, swaps
from ..model.variance import estimate_variance
from ..season.season import Season
from ..words import Words

SHOWN = 5  # swaps, names and evenings told in one sentence; charts show them all
FACTOR = 2  # "what if half or twice": the λ in force, divided and multiplied by it


def headline(season: Season, fit: Fit) -> list[str]:
    """Where the podium stays, then what the data want."""
    stays = [podium_stays(season, fit)]
    return [*stays, _wanted(season, fit)] if qualified(season).any() else stays


def in_short(season: Season, fit: Fit) -> list[str]:
    """What λ is, and how far it may move before the podium changes."""
    return [season.words.text("explore.what", lam=fit.lam), podium_stays(season, fit)]


def podium_stays(season: Season, fit: Fit) -> str:
    """For which λ the podium stays as it is, and how likely it is the true one."""
    words, ranked = season.words, qualified(season)
    if not ranked.any():
        return words.text("story.nobody")
    low, high = podium_interval(fit, ranked)
    key = ("always", "to", "from", "between")[2 * (low > 0) + (high < np.inf)]
    key = "tied" if low == high else key
    stays = words.text(f"explore.podium_{key}", low=low, high=high, lam=fit.lam)
    if scale_fails(season, fit):
        return stays
    true = podium_chance(fit, ranked).order
    return f"{stays} {words.text('explore.podium_true', p=true)}"


def what_lambda_does(season: Season, fit: Fit) -> list[str]:
    """By how much it damps, and what it says about τ."""
    n, words = int(np.median(fit.graph.n_evenings)), season.words
    usual = {"evenings": words.evenings(n), "share": n / (n + fit.lam)}
    return [
        words.text("explore.damping", lam=fit.lam, **usual),
        words.text("explore.ratio", lam=fit.lam, sigma=fit.sigma, tau=fit.tau),
    ]


def half_and_double(season: Season, fit: Fit) -> list[str]:
    """The podium at half and at twice λ, and the swaps nearest to it."""
    if not qualified(season).any():
        return []
    now, sentences = _podium(season, fit), []
    for lam in (fit.lam / FACTOR, fit.lam * FACTOR):
        other = fit_ratings(fit.graph, lam, fit.sigma)
        then = _podium(season, other)
        values = {"lam": lam, "tau": other.tau, "podium": "; ".join(then)}
        sentences.append(
            season.words.text(f"explore.at_{'same' if then == now else 'other'}", **values)
        )
    return [*sentences, _swaps(season, fit)]


def _podium(season: Season, fit: Fit) -> list[str]:
    """As in "1. Anna", "2. Ben und Clara"."""
    table = standings(season, fit.lam, fit.sigma)
    steps = table[table["rank"] <= season.rules.podium].groupby("rank")["player"]
    return [f"{rank}. {season.words.listing(players)}" for rank, players in steps]


def _swaps(season: Season, fit: Fit) -> str:
    words, table = season.words, swaps(fit, qualified(season))
    if table.empty:
        return words.text("explore.no_swaps")
    far = np.log(table["lam"] / fit.lam).abs()
    near = table.loc[far.nsmallest(SHOWN).index].sort_values("lam")
    crossings = [
        words.text("explore.swap", lam=row.lam, below=row.ahead_below, above=row.ahead_above)
        for row in near.itertuples()
    ]
    key = "swaps" if len(near) == len(table) else "swaps_near"
    return words.text(f"explore.{key}", n=len(table), swaps=". ".join(crossings))


def wanted_lambda(season: Season, fit: Fit) -> list[str]:
    """Which λ the data want, by likelihood, by prediction, and without each evening."""
    words, lam = season.words, fit.lam
    sentences, lams = [_wanted(season, fit)], lambda_grid(lam)
    try:
        table = scores(fit.graph, lams, season.held)
    except CannotEstimate:
        return sentences
    left, ahead = (_best(table[column], words) for column in ("left_out_rmse", "ahead_rmse"))
    sentences.append(words.text("explore.predict", left=left, ahead=ahead))
    near = table.loc[lam / FACTOR / (1 + TIE) : lam * FACTOR * (1 + TIE), "left_out_rmse"]
    values = {"half": lam / FACTOR, "double": lam * FACTOR, "gap": near.max() - near.min()}
    sentences.append(words.text("explore.flat", **values, error=table["left_out_rmse"][lam]))
    without = influence(fit, qualified(season)).lam_reml.dropna()
    if len(without) > 1 and np.isfinite(without.min()):
        span = _span(without.min(), without.max(), words)
        sentences.append(words.text("explore.lam_without", span=span))
    return sentences


def _best(error: pd.Series, words: Words) -> str:
    """The λ with the smallest error; where that is an end of the grid, said so."""
    best = error.idxmin()
    end = {error.index[0]: "or_less", error.index[-1]: "or_more"}.get(best)
    shown = words.number(best)
    return words.text(f"explore.{end}", lam=shown) if end else shown


def _wanted(season: Season, fit: Fit) -> str:
    words = season.words
    try:
        estimate = estimate_variance(fit.graph, season.prior)
    except CannotEstimate as refusal:
        return words.text(f"problem.{refusal.key}")
    low, high = estimate.interval("lam", 0.9)
    inside = "inside" if low <= fit.lam <= high else "outside"
    best = "reml" if np.isfinite(estimate.lam) else "reml_infinite"
    sentences = [
        words.text(f"explore.{best}", best=estimate.lam),
        words.text(f"explore.{inside}", span=_span(low, high, words), lam=fit.lam),
    ]
    return " ".join(sentences)


def _span(low: float, high: float, words: Words) -> str:
    return words.text(f"explore.span{'' if high < np.inf else '_open'}", low=low, high=high)


def decisive_evenings(season: Season, fit: Fit) -> list[str]:
    """Which evenings hold up place 1 and the podium, and which one moved most."""
    words, ranked = season.words, qualified(season)
    if not ranked.any():
        return []
    without, sentences, inside = influence(fit, ranked), [], list(ranked.index[ranked])
    now, then = without.table["rank"][inside], without.ranks[inside]
    for key, last in (("first", 1), ("podium", season.rules.podium)):
        changed = (then.ne(now) & (then.le(last) | now.le(last))).any(axis=1)
        sentences.append(_depends(season, key, [e for e in season.held if changed[e]]))
    shift = (without.table["rating"] - without.ratings)[inside].stack()
    evening, player = shift.abs().idxmax()
    shown = words.text("place.evening", evening=evening)
    date = season.evenings.set_index("evening")["date"][evening]
    shown += "" if pd.isna(date) else f" ({words.date(date)})"
    key, by = "lower" if shift[evening, player] > 0 else "higher", abs(shift[evening, player])
    sentences.append(words.text(f"explore.without_{key}", evening=shown, player=player, shift=by))
    return sentences


def _depends(season: Season, key: str, needed: list[int]) -> str:
    words = season.words
    if not needed:
        return words.text(f"explore.{key}_none")
    if len(needed) > SHOWN:
        return words.text(f"explore.{key}_many", n=len(needed), held=len(season.held))
    *most, last = map(str, needed)
    evenings = words.text("story.or").join(filter(None, [", ".join(most), last]))
    return words.text(f"explore.{key}_some", evenings=evenings)


def sureness(season: Season, fit: Fit) -> list[str]:
    """How sure place 1 is; not told where σ does not fit the results."""
    words, table = season.words, chances(fit, qualified(season))
    if len(table) < 2:
        return [words.text("story.alone", leader=player) for player in table.index]
    if scale_fails(season, fit):
        return [words.text("story.scale", sigma=fit.sigma)]
    (leader, second), first = table.index[:2], table.iloc[0]
    ends = {"low": int(first["rank_low"]), "high": int(first["rank_high"])}
    sentences = [
        words.text("explore.first", leader=leader, chance=words.in_100(first["p_first"]), **ends)
    ]
    values = {"p": better_than(fit).at[leader, second], "sd": sd_difference(fit).at[leader, second]}
    group = pd.Series(fit.graph.group, fit.graph.players)
    key = "pair" if group[leader] == group[second] else "pair_apart"
    values |= {"leader": leader, "second": second, "gap": fit.theta[leader] - fit.theta[second]}
    return [*sentences, words.text(f"explore.{key}", **values)]


def scale_fails(season: Season, fit: Fit) -> bool:
    """Whether σ does not fit the results, so that no chance can be told."""
    return any(problem.code == "scale" for problem in problems(season, fit.sigma))


def connections(season: Season, fit: Fit) -> list[str]:
    """Who can be compared with whom, in chips: groups, bridges, the weakest pair."""
    words, parts, sentences = season.words, groups(fit), []
    if len(parts) == 1:
        sentences.append(words.text("explore.one_group", n=fit.graph.n_players))
    else:
        sentences.append(words.text("explore.groups", n=len(parts)))
        for k, (players, sd) in enumerate(parts.itertuples(index=False), 1):
            sentences.append(words.text("explore.group", k=k, players=_some(players, words), sd=sd))
        sentences.append(words.text("explore.apart", tau=fit.tau, level=2**0.5 * fit.tau))
    for row in bridges(fit).head(SHOWN).itertuples():
        values = {"players": _some(row.players, words), "rest": row.rest, "sd": row.sd}
        bridge = {row.kind: row.bridge}
        sentences.append(words.text(f"explore.bridge_{row.kind}", **bridge, **values))
    return sentences + _weakest(season, fit)


def _weakest(season: Season, fit: Fit) -> list[str]:
    """The two in der Wertung whom the results compare worst."""
    table, ranked = comparisons(fit), qualified(season)
    known = np.isfinite(table["steps"]) & table["player"].map(ranked) & table["other"].map(ranked)
    if not known.any():
        return []
    pair, words = table[known].iloc[0], season.words
    together = words.evenings(pair["evenings"]) if pair["evenings"] else ""
    key = "weakest_met" if together else "weakest_never"
    values = {"player": pair["player"], "other": pair["other"], "sd": pair["sd"]}
    return [words.text(f"explore.{key}", together=together, **values)]


def _some(players: list[str], words: Words) -> str:
    """Names, the first of many."""
    rest = len(players) - SHOWN
    if rest < 2:
        return words.listing(players)
    return words.listing([*players[:SHOWN], words.text("explore.others", n=rest)])
