"""What the estimates mean, in sentences: for the command line and for the page."""

import shlex
from collections.abc import Iterable

import numpy as np
import pandas as pd

from ..model.decision import Decision
from ..model.diagnostics import reliable_evenings
from ..model.luck import Kurtosis, PlayerSpread
from ..model.posterior import SYMBOLS, Posterior
from ..model.ranking import standings
from ..season.folder import SETTINGS
from ..season.season import Season, load_season
from ..words import Words, printable

NAMED = 5  # evenings and players named one by one; more are counted
SURE = 0.05  # p below which luck is called uneven


def estimate_lines(decision: Decision, words: Words, level: float = 0.9) -> list[str]:
    """The recommendation first, then what it rests on."""
    lines = [answer(decision, words), *league(decision, words)]
    if decision.estimate:
        lines += by_results(decision, words, level)
        lines += intervals(decision, words, level)
        lines += conclusion(decision, words)
    return lines


def answer(decision: Decision, words: Words) -> str:
    """Keep, move or wait, and why, in one or two sentences."""
    return " ".join(headline(decision, words))


def headline(decision: Decision, words: Words) -> list[str]:
    """Keep, move or wait; and why."""
    advice = decision.recommendation
    numbers = {name: getattr(advice, name) for name in SYMBOLS}
    reasons = [words.text(f"advice.{key}", **values) for key, values in advice.reasons]
    sigma_alone = advice.action == "move" and advice.lam == decision.season.parameters.lam
    what = "move_sigma" if sigma_alone else advice.action
    return [words.text(f"advice.{what}", **numbers), " ".join(reasons)]


def league(decision: Decision, words: Words) -> list[str]:
    """What the seasons linked say, what this one would have said, and whether the prior decides."""
    sentences, linked = [], decision.linked
    if linked:
        counts = {"seasons": len(linked.seasons), "evenings": linked.n_evenings}
        counts["rho"] = linked.rho_mean
        sentences.append(
            words.text("advice.league", **counts, **_points(linked.posterior, ("lam",)))
        )
    if decision.own_differs:
        own = decision.own
        sentences.append(words.text(f"advice.own_{own.action}", lam=own.lam, sigma=own.sigma))
    if decision.posterior.prior_weight > 0.5:
        sentences.append(words.text("advice.prior_weighs", weight=decision.posterior.prior_weight))
    return sentences


def belief(season: Season) -> str:
    """What was believed of λ before the season."""
    low, high = season.prior.interval(0.9)
    return season.words.text("advice.belief", lam=season.prior.lam, low=low, high=high)


def by_results(decision: Decision, words: Words, level: float = 0.9) -> list[str]:
    """What the results say by themselves; why they say nothing, where they are too few."""
    estimate = decision.estimate
    if not estimate:
        return [problem.message(words.language) for problem in decision.refusal.problems]
    reml = {name: getattr(estimate, name) for name in SYMBOLS}
    spans = {name: span(estimate.interval(name, level), name, words) for name in SYMBOLS}
    return [
        words.text("advice.reml" if estimate.tau else "advice.tau_zero", **reml),
        words.text("advice.interval", level=level, **spans),
        words.text("advice.test", p=estimate.tau_zero_p()),
    ]


def intervals(decision: Decision, words: Words, level: float = 0.9) -> list[str]:
    """The intervals that hold whatever the shape of the likelihood, and of luck."""
    if not (estimate := decision.estimate):
        return []
    exact, robust = estimate.exact(level), estimate.sigma_robust(level)
    sentences = (
        [words.text("advice.exact", level=level, lam=span(exact, "lam", words))] if exact else []
    )
    if robust:
        sentences.append(
            words.text("advice.robust", level=level, sigma=span(robust, "sigma", words))
        )
    return sentences


def conclusion(decision: Decision, words: Words) -> list[str]:
    """What follows from the prior and the results together; the season's own if it has any."""
    if not (estimate := decision.estimate):
        return league(decision, words)[:1]
    points = _points(estimate.posterior, SYMBOLS)
    return [words.text("advice.posterior", prior_lam=estimate.prior.lam, **points)]


def _points(posterior: Posterior, names: Iterable[str]) -> dict[str, float]:
    """`lam_low`, `lam`, `lam_high`: the 5, 50 and 95 % points."""
    points = (("_low", 0.05), ("", 0.5), ("_high", 0.95))
    return {name + end: posterior.quantile(name, p) for name in names for end, p in points}


def shown(name: str, words: Words):
    """How "sigma", "tau" (chips) or "lam" are written."""
    return words.number if name == "lam" else words.chips


def span(ends: tuple[float, float], name: str, words: Words) -> str:
    """An interval in words, an open end said as such."""
    low, high = map(shown(name, words), ends)
    key = "open_above" if ends[1] == float("inf") else "between"
    return words.text(f"advice.{key}", low=low, high=high)


def prior_weight(decision: Decision) -> str:
    """How much the prior decides about λ."""
    words, table = decision.season.words, decision.prior_table
    median = table[table["spread"] == 1].set_index("lam")["lam_median"]
    ends = {"low": median.iloc[0], "high": median.iloc[-1]}
    ends |= {"from_lam": median.index[0], "to_lam": median.index[-1]}
    key = "prior_decides" if decision.posterior.prior_weight > 0.5 else "results_decide"
    sentence = words.text("advice.prior_moves", weight=decision.posterior.prior_weight, **ends)
    return f"{sentence} {words.text(f'advice.{key}')}"


def course(by_evening: pd.DataFrame, words: Words) -> list[str]:
    """How far the evenings have narrowed λ; from `diagnostics.estimates_by_evening`."""
    known = by_evening.dropna(subset="lam_median")
    if known.empty:
        return []
    ends = {
        f"{end}_{what}": row[f"lam_{what}"]
        for end, row in (("first", known.iloc[0]), ("last", known.iloc[-1]))
        for what in ("low", "high")
    }
    sentence = words.text(
        "advice.course" if len(known) > 1 else "advice.course_one",
        first=known.index[0],
        last=known.index[-1],
        **ends,
    )
    return [f"{sentence} {words.text('advice.two_looks')}", words.text("advice.what_moves")]


def weight(without: pd.DataFrame, decision: Decision, words: Words) -> str:
    """Which evening weighs most, and whether one alone decides what the season itself advises.

    `without` from `diagnostics.estimates_without`.
    """
    known = without.dropna(subset="lam_median")
    if known.empty:
        return words.text("advice.weight_none")
    median = decision.estimate.posterior.quantile("lam", 0.5)
    most = np.log(known["lam_median"] / median).abs().idxmax()
    values = {"evening": most, "without": known["lam_median"][most], "lam": median}
    sentence = words.text("advice.weight", **values)
    other = known.index[known["action"] != decision.own.action]
    key = ["same", "one", *["few"] * (NAMED - 1), "many"][min(len(other), NAMED + 1)]
    counts = {"evenings": list(other) or ["–"], "count": len(other), "total": len(known)}
    return f"{sentence} {words.text(f'advice.weight_{key}', **counts)}"


def luck(shape: Kurtosis, words: Words) -> list[str]:
    """Whether luck is even, and what it means for ± and chances."""
    if np.isnan(shape.p):
        return [words.text("advice.luck_unknown")]
    key = "uneven" if shape.p < SURE else "even"
    return [words.text(f"advice.luck_{key}", kurtosis=shape.value, p=shape.p)]


def wildness(spread: PlayerSpread, words: Words) -> list[str]:
    """Whether some play wilder than others, and who."""
    if np.isnan(spread.p):
        return [words.text("advice.players_unknown")]
    table = spread.players["spread"]
    key = "uneven" if spread.p < SURE else "even"
    ends = {"wildest": table.index[0], "calmest": table.index[-1]}
    ends |= {"most": table.iloc[0], "least": table.iloc[-1]}
    return [words.text(f"advice.players_{key}", p=spread.p, **ends)]


def changes(season: Season, decision: Decision) -> str:
    """What the recommended values would change in the table, before and after."""
    words, advised = season.words, decision.recommendation
    now, then = standings(season), standings(season, advised.lam, advised.sigma)
    rank = now.set_index("player")["rank"]
    moved = then[then["qualified"] & (then["rank"] != then["player"].map(rank))]
    steps = [list(t.loc[t["rank"] <= season.rules.podium, "player"]) for t in (now, then)]
    if not steps[0]:
        return words.text("advice.changes_unranked")
    key = "changes_podium" if steps[0] != steps[1] else "changes_ranks"
    if moved.empty:
        key = "changes_no_rank"
    return words.text(f"advice.{key}", before=steps[0], after=steps[1], count=len(moved))


def reliable(table: pd.DataFrame, lam: float, words: Words) -> str:
    """From when a rating says more than luck; `table` from `diagnostics.reliabilities`."""
    reached = {"count": int((table["reliability"] > 0.5).sum()), "total": len(table)}
    return words.text("advice.reliable", evenings=reliable_evenings(lam), lam=lam, **reached)


def next_step(decision: Decision, given: str, words: Words) -> tuple[str, str]:
    """What to do now, and the command for it, "" if none; `given` is the season as typed."""
    advice, season = decision.recommendation, decision.season
    place = printable(shlex.quote(given))
    if advice.action != "move":
        return words.text(f"advice.nothing_{advice.action}"), ""
    if season.path is None or not (season.path / SETTINGS).is_file():
        values = f"--lam {advice.lam:.4g} --sigma {advice.sigma:.6g}"
        return words.text("advice.to_use"), f"liga standings {place} {values}"
    # `adopt` takes what the whole season recommends under its own prior, and nothing else.
    whole = load_season(season.path)
    if whole.held != season.held or whole.prior != season.prior:
        return words.text("advice.only_a_trial"), ""
    held = season.held
    key = "advice.reason" if held else "advice.reason_before"
    reason = words.text(key, evening=held[-1] if held else 0)
    return words.text("advice.to_adopt"), f'liga adopt {place} --reason "{reason}"'
