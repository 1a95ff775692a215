"""What the estimates mean, in sentences: for the command line and for the page."""

import shlex

import numpy as np
import pandas as pd

from ..model.diagnostics import reliable_evenings
from ..model.luck import far_residuals, residuals, spread_by_evening
from ..model.rating import Fit
from ..season.folder import SETTINGS
from ..season.season import Season, load_season
from ..words import Words, printable

NAMED = 5  # evenings named one by one; more are counted


def estimate_lines(record: dict, season: Season, words: Words) -> list[str]:
    """The recommendation first, then what it rests on; `record` from `records.estimate_record`."""
    lines = [answer(record, words), *league(record, words)]
    if record["reml"]:
        lines += [*findings(record, words), conclusion(season, record, words)]
    return lines


def answer(record: dict, words: Words) -> str:
    """Keep, move or wait, and why, in one or two sentences."""
    return " ".join(headline(record, words))


def headline(record: dict, words: Words) -> list[str]:
    """Keep, move or wait; and why."""
    advice = record["recommendation"]
    numbers = {name: advice[name] for name in ("sigma", "tau", "lam")}
    return [words.text(f"advice.{advice['action']}", **numbers), advice["reason"]]


def league(record: dict, words: Words) -> list[str]:
    """What the seasons linked say, what this one would have said, and whether the prior decides."""
    told, linked, own = [], record["league"], record["own_recommendation"]
    if linked:
        lam = linked["lam"]
        rho = sum(float(rho) * p for rho, p in linked["rho"].items())
        points = {"lam": lam["0.5"], "low": lam["0.05"], "high": lam["0.95"], "rho": rho}
        told.append(words.text("advice.league", **linked | points))
    if own:
        told.append(words.text(f"advice.own_{own['action']}", **own))
    if record["prior_weight"] > 0.5:
        told.append(words.text("advice.prior_weighs", weight=record["prior_weight"]))
    return told


def belief(season: Season, words: Words) -> str:
    """What was believed of λ before the season."""
    prior = season.prior
    factor = np.exp(1.645 * prior.spread)  # a normal variable is within ± 1.645 in 90 %
    ends = {"low": prior.lam / factor, "high": prior.lam * factor}
    return words.text("advice.belief", lam=prior.lam, **ends)


def findings(record: dict, words: Words) -> list[str]:
    """What the results say by themselves."""
    reml, profile, robust = record["reml"], record["profile"], record["sigma_robust"]
    level, said = profile["level"], words.text
    shows = {"sigma": words.chips, "tau": words.chips, "lam": words.number}
    spans = {name: interval(profile[name], show, words) for name, show in shows.items()}
    told = [
        said("advice.reml", **reml) if reml["tau"] else said("advice.tau_zero", **reml),
        said("advice.interval", level=level, **spans),
    ]
    if record["exact"]:
        exact = interval(record["exact"]["lam"], words.number, words)
        told.append(said("advice.exact", level=level, lam=exact))
    if robust:
        told.append(said("advice.robust", level=level, sigma=interval(robust, words.chips, words)))
    return [*told, said("advice.test", p=record["tau_zero_p"])]


def evidence(season: Season, record: dict, words: Words) -> str:
    """What was believed, and below it what the results say."""
    fit, *doubts = findings(record, words)
    return "\n".join([belief(season, words), fit, " ".join(doubts)])


def conclusion(season: Season, record: dict, words: Words) -> str:
    """What follows from the prior and the results together."""
    points = {
        name + suffix: points[p]
        for name, points in record["posterior"].items()
        if isinstance(points, dict)
        for suffix, p in (("_low", "0.05"), ("", "0.5"), ("_high", "0.95"))
    }
    return words.text("advice.posterior", prior_lam=season.prior.lam, **points)


def interval(ends, show, words: Words) -> str:
    """An interval in words, an open end said as such."""
    low, high = ends
    if high == float("inf"):
        return words.text("advice.open_above", low=show(low))
    return words.text("advice.between", low=show(low), high=show(high))


def course(by_evening: pd.DataFrame, words: Words) -> str:
    """How far the evenings have narrowed λ; from `diagnostics.estimates_by_evening`."""
    known = by_evening.dropna(subset="lam_median")
    ends = {
        f"{end}_{what}": row[f"lam_{what}"]
        for end, row in (("first", known.iloc[0]), ("last", known.iloc[-1]))
        for what in ("low", "high")
    }
    told = words.text(
        "advice.course" if len(known) > 1 else "advice.course_one",
        first=known.index[0],
        last=known.index[-1],
        **ends,
    )
    return f"{told} {words.text('advice.two_looks')}"


def weight(without: pd.DataFrame, record: dict, words: Words) -> str:
    """Which evening weighs most, and whether one alone decides; `diagnostics.estimates_without`."""
    known = without.dropna(subset="lam_median")
    if known.empty:
        return words.text("advice.weight_none")
    median = record["posterior"]["lam"]["0.5"]
    most = np.log(known["lam_median"] / median).abs().idxmax()
    told = {"evening": most, "without": known["lam_median"][most], "lam": median}
    other = known.index[known["action"] != record["recommendation"]["action"]]
    key = ["same", "one", *["few"] * (NAMED - 1), "many"][min(len(other), NAMED + 1)]
    counts = {"evenings": list(other) or ["–"], "count": len(other), "total": len(known)}
    return words.text("advice.weight", **told) + " " + words.text(f"advice.weight_{key}", **counts)


def changes(now: pd.DataFrame, then: pd.DataFrame, season: Season) -> str:
    """What the recommended values would change in the table, before and after."""
    words = season.words
    rank = now.set_index("player")["rank"]
    moved = then[then["qualified"] & (then["rank"] != then["player"].map(rank))]
    steps = [list(t.loc[t["rank"] <= season.rules.podium, "player"]) for t in (now, then)]
    if not steps[0]:
        return words.text("advice.changes_unranked")
    key = "changes_podium" if steps[0] != steps[1] else "changes_ranks"
    if moved.empty:
        key = "changes_no_rank"
    return words.text(f"advice.{key}", before=steps[0], after=steps[1], count=len(moved))


def errors(season: Season, fit: Fit) -> str:
    """Whether luck looks normal and the same on all evenings, judged by the ratings of `fit`."""
    words, table = season.words, residuals(fit)
    far = far_residuals(table)
    if not far["low"] <= far["count"] <= far["high"]:
        key = "fewer" if far["count"] < far["low"] else "more"
    else:
        key = "skewed" if far["side_p"] < 0.05 else "fit"
    worst = table.loc[table["studentised"].abs().idxmax(), ["player", "evening", "residual"]]
    told = [
        words.text("advice.errors", **far) + " " + words.text(f"advice.errors_{key}"),
        words.text("advice.errors_worst", **worst),
    ]
    results = season.results
    if (results["entries"].notna() & (results["chips_out"] == 0)).any():
        told[-1] += " " + words.text("advice.errors_steps", entry=season.rules.entry_chips)
    evenings = spread_by_evening(fit).dropna()
    outside = ~evenings["spread"].between(evenings["low"], evenings["high"])
    counts = {"count": int(outside.sum()), "total": len(evenings)}
    return "\n".join([*told, words.text("advice.spread", sigma=fit.sigma, **counts)])


def reliable(table: pd.DataFrame, record: dict, words: Words) -> str:
    """From when a rating says more than luck; `table` from `diagnostics.reliabilities`."""
    lam = record["recommendation"]["lam"]
    reached = {"count": int((table["reliability"] > 0.5).sum()), "total": len(table)}
    return words.text("advice.reliable", evenings=reliable_evenings(lam), lam=lam, **reached)


def next_step(record: dict, season: Season, given: str, words: Words) -> tuple[str, str]:
    """What to do now, and the command for it, "" if none; `given` is the season as typed."""
    advice, place = record["recommendation"], printable(shlex.quote(given))
    if advice["action"] != "move":
        return words.text(f"advice.nothing_{advice['action']}"), ""
    if season.path is None or not (season.path / SETTINGS).is_file():
        values = f"--lam {advice['lam']:.4g} --sigma {advice['sigma']:.6g}"
        return words.text("advice.to_use"), f"liga standings {place} {values}"
    # `adopt` takes what the whole season recommends under its own prior, and nothing else.
    whole = load_season(season.path)
    if whole.held != season.held or whole.prior != season.prior:
        return words.text("advice.only_a_trial"), ""
    held = season.held
    key = "advice.reason" if held else "advice.reason_before"
    reason = words.text(key, evening=held[-1] if held else 0)
    return words.text("advice.to_adopt"), f'liga adopt {place} --reason "{reason}"'
