"""What the estimates mean, in sentences: for the command line and for the page."""

from .labels import Words
from .season import Season


def estimate_lines(record: dict, season: Season, words: Words) -> list[str]:
    """The recommendation first, then what it rests on; `record` from `records.estimate_record`."""
    reml, profile, pivot = record["reml"], record["profile"], record["pivot"]["lam"]
    points = {
        name + suffix: points[p]
        for name, points in record["posterior"].items()
        if name != "p_lam_above"
        for suffix, p in (("_low", "0.05"), ("", "0.5"), ("_high", "0.95"))
    }
    level = profile["level"]
    spans = {
        "sigma": interval(profile["sigma"], words.chips, words),
        "tau": interval(profile["tau"], words.chips, words),
        "lam": interval(profile["lam"], words.number, words),
    }
    said = words.text
    return [
        answer(record, words),
        said("advice.reml", **reml) if reml["tau"] else said("advice.tau_zero", **reml),
        said("advice.interval", level=level, **spans),
        said("advice.pivot", level=level, lam=interval(pivot, words.number, words))
        if pivot
        else said("advice.pivot_none"),
        said("advice.test", p=record["tau_zero_p"]),
        said("advice.posterior", prior_lam=season.prior.lam, **points),
    ]


def answer(record: dict, words: Words) -> str:
    """Keep, move or wait, and why, in one or two sentences."""
    advice = record["recommendation"]
    numbers = {name: advice[name] for name in ("sigma", "tau", "lam")}
    return words.text(f"advice.{advice['action']}", **numbers) + " " + advice["reason"]


def interval(ends, show, words: Words) -> str:
    """An interval in words, an open end said as such."""
    low, high = ends
    if high == float("inf"):
        return words.text("advice.open_above", low=show(low))
    return words.text("advice.between", low=show(low), high=show(high))
