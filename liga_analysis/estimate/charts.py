"""Charts of the estimation page: what the results say about σ, τ and λ, and about luck."""

import altair as alt
import numpy as np
import pandas as pd

from ..model.decision import Decision
from ..model.luck import Kurtosis, PlayerSpread
from ..model.posterior import SYMBOLS, Posterior
from ..model.variance import Estimate
from ..pages.look import (
    FAINT,
    GREEN,
    GREY,
    INK,
    ROW,
    beside,
    evening_axis,
    finished,
    lam_axis,
    numbered,
    player_axis,
    tooltips,
)
from ..words import Words
from .advice import shown, span

POINTS = 241  # of a curve over λ
_GERMAN = Words()


def profile(decision: Decision, level: float = 0.9) -> alt.LayerChart | None:
    """How well each λ fits: the profile likelihood with its interval and REML point."""
    season, estimate = decision.season, decision.estimate
    if estimate is None:
        return None
    force, words = season.parameters.lam, season.words
    low, high = estimate.interval("lam", level)
    lam = np.geomspace(*_ends(estimate.posterior, force), POINTS)
    curve = pd.DataFrame({"lam": lam, "likelihood": likelihood(estimate, lam)})
    base = _over_lam(curve, "likelihood", words)
    dot = alt.Chart(pd.DataFrame({"lam": [estimate.lam], "likelihood": [1.0]}))
    dot = dot.mark_circle(size=80, color=GREEN, opacity=1).encode(x="lam:Q", y="likelihood:Q")
    is_open = not lam[0] <= estimate.lam <= lam[-1]
    layers = [
        base.transform_filter(f"datum.lam >= {low} && datum.lam <= {min(high, 1e300)}").mark_area(
            color=GREEN, opacity=0.25
        ),
        base.mark_line(color=GREEN),
        *[dot] * (not is_open),
        *mark("x", force, words.text("chart.in_force", value=words.number(force))),
    ]
    values = {"level": level, "span": span((low, high), "lam", words)}
    key = "chart.profile_open" if np.isinf(estimate.lam) else "chart.profile_best"
    values["best"] = words.text(key, lam=estimate.lam)
    return finished(alt.layer(*layers), "profile", words, 200, force=force, **values)


def posterior(decision: Decision) -> alt.LayerChart:
    """How likely each λ is: the prior, and what the results made of it; the one that counts."""
    season, now = decision.season, decision.posterior
    force, words = season.parameters.lam, season.words
    low, median, high = (now.quantile("lam", p) for p in (0.05, 0.5, 0.95))
    lam = np.geomspace(*_ends(now, force), POINTS)
    curves = pd.DataFrame({"lam": lam, **densities(now, lam)})
    base = _over_lam(curves, "posterior", words)
    inside = base.transform_filter(f"datum.lam >= {low} && datum.lam <= {high}")
    centre = alt.Chart(curves.iloc[[(curves["lam"] - median).abs().argmin()]])
    layers = [
        base.mark_area(color=GREEN, opacity=0.15),
        inside.mark_area(color=GREEN, opacity=0.3),
        base.mark_line(color=GREEN),
        _over_lam(curves, "prior", words).mark_line(color=GREY, strokeDash=[5, 3]),
        centre.mark_rule(color=GREEN, strokeWidth=2).encode(
            x="lam:Q", y="posterior:Q", y2=alt.datum(0)
        ),
        *mark("x", force, words.text("chart.in_force", value=words.number(force))),
    ]
    values = {"low": low, "median": median, "high": high, "force": force}
    values["of"] = words.text("chart.posterior_all") if decision.linked else ""
    return finished(alt.layer(*layers), "posterior", words, 200, **values)


def likelihood(estimate: Estimate, lam: np.ndarray) -> np.ndarray:
    """The best over σ at each λ, 1 at the REML estimate, be it τ = 0."""
    best = estimate.profile(np.array([estimate.lam]))["log_likelihood"].iloc[0]
    return np.exp(estimate.profile(lam)["log_likelihood"].to_numpy() - best)


def densities(posterior: Posterior, lam: np.ndarray) -> dict[str, np.ndarray]:
    """`posterior` and `prior` at each λ."""
    x, known = np.log(lam), np.log(posterior.lam)
    pairs = (("posterior", posterior.density), ("prior", posterior.prior))
    return {name: np.interp(x, known, density, 0, 0) for name, density in pairs}


def _ends(posterior: Posterior, force: float) -> tuple[float, float]:
    """Of an axis that shows nearly all of the posterior and of the prior, and the λ in force."""
    inside = posterior.prior > posterior.prior.max() / 20
    points = [posterior.quantile("lam", p) for p in (0.001, 0.999)]
    known = [*points, *posterior.lam[inside][[0, -1]], force]
    return min(known), max(known)


def prior_weight(decision: Decision) -> alt.LayerChart:
    """What other priors would make of the same results.

    On the dashed line the prior alone would decide; a level line is what the results insist on.
    """
    words = decision.season.words
    table = decision.prior_table.assign(spread=lambda t: t["spread"].map(words.number))
    ends = table[["lam", "lam_median"]].to_numpy()
    low, high = ends.min() / 1.3, ends.max() * 1.3
    x = lam_axis(alt.X, "lam", low, high).title(words.text("chart.prior_lam"))
    y = lam_axis(alt.Y, "lam_median", low, high).title(words.text("chart.prior_median"))
    base = alt.Chart(table).encode(
        x=x,
        y=y,
        color=alt.Color(
            "spread:N",
            scale=alt.Scale(domain=list(table["spread"].unique()), range=[GREY, GREEN]),
            legend=alt.Legend(title=words.text("chart.prior_spread"), orient="top"),
        ),
    )
    same = alt.Chart(pd.DataFrame({"lam": [low, high], "lam_median": [low, high]}))
    layers = [
        same.mark_line(color=FAINT, strokeDash=[4, 4]).encode(x=x, y=y),
        base.mark_line(point=True),
    ]
    weight = decision.posterior.prior_weight
    return finished(alt.layer(*layers), "prior_weight", words, 240, weight=weight)


def intervals(decision: Decision, name: str, level: float = 0.9) -> alt.LayerChart | None:
    """The intervals of σ or λ ("sigma", "lam") one below the other, with the value in force."""
    estimate, words = decision.estimate, decision.season.words
    force = getattr(decision.season.parameters, name)
    if estimate is None:
        return None
    ways = {
        "by_profile": estimate.interval(name, level),
        "by_posterior": tuple(estimate.posterior.quantile(name, p) for p in (0.05, 0.95)),
    }
    own = estimate.exact(level) if name == "lam" else estimate.sigma_robust(level)
    if own:
        ways["by_exact" if name == "lam" else "by_jackknife"] = own
    table = pd.DataFrame(ways.values(), columns=["low", "high"])
    table["way"] = [words.text(f"chart.{way}") for way in ways]
    table["label"] = [span(ends, name, words) for ends in ways.values()]
    most = table["high"][np.isfinite(table["high"])].max()
    edge = 3 * max(table["low"].max(), force, 0 if np.isnan(most) else most / 2)
    table["high"] = table["high"].clip(upper=edge)
    if name == "lam":
        x = lam_axis(alt.X, "low", min(table["low"].min(), force) / 1.2, edge).title(None)
    else:
        x = alt.X("low:Q", title=None, scale=alt.Scale(zero=False))
    axis = alt.Axis(labelLimit=0)
    base = alt.Chart(table).encode(y=alt.Y("way:N", sort=None, title=None, axis=axis))
    layers = [
        base.mark_rule(strokeWidth=6, opacity=0.4, color=GREEN).encode(x=x, x2="high:Q"),
        beside(base),
        *mark("x", force),
    ]
    numbers = numbered(table["way"], table["label"])
    values = {"symbol": SYMBOLS[name], "force": shown(name, words)(force), "numbers": numbers}
    return finished(alt.layer(*layers), "intervals", words, ROW * len(table), level=level, **values)


def estimates(
    table: pd.DataFrame, name: str, force: float, words: Words = _GERMAN
) -> alt.LayerChart | None:
    """σ, τ or λ ("sigma", "tau", "lam") after each evening, with the value in force.

    `table` from `diagnostics.estimates_by_evening`.
    """
    order, show = list(table.index), shown(name, words)
    parts = {point: f"{name}_{point}" for point in ("low", "median", "high")}
    rows = table.dropna(subset=parts["median"]).reset_index()
    if rows.empty:
        return None
    low = min(rows[[parts["low"], name]].min().min(), force)
    high = max(rows[parts["high"]].max(), force)  # REML may be ∞
    points = pd.DataFrame({"evening": rows["evening"]} | {p: rows[c] for p, c in parts.items()})
    points = points.assign(alone=rows[name], told=_spans(points, name, words))
    if name == "lam":
        points["alone"] = rows[name].clip(upper=high)
        y = lam_axis(alt.Y, "median", low, high).title(None)
    else:
        y = alt.Y("median:Q", title=None, scale=alt.Scale(zero=name == "tau"))
    base = alt.Chart(points).encode(x=evening_axis(order, words), y=y)
    tips = [*tooltips(words, "evening"), alt.Tooltip("told:N", title=SYMBOLS[name])]
    layers = [
        base.mark_area(color=GREEN, opacity=0.2).encode(y="low:Q", y2="high:Q"),
        base.mark_line(
            color=GREEN, point={"color": GREEN, "size": min(30, 750 / len(points))}
        ).encode(tooltip=tips),
        base.mark_point(color=INK, size=min(40, 1000 / len(points))).encode(y="alone:Q"),
        *mark("y", force),
    ]
    edge = words.text("chart.estimates_edge") if (rows[name] > high).any() and name == "lam" else ""
    last = dict(zip(parts, rows[list(parts.values())].iloc[-1].map(show), strict=True))
    values = {"symbol": SYMBOLS[name], "edge": edge, "force": show(force), **last}
    return finished(alt.layer(*layers), "estimates", words, 180, **values)


def without(table: pd.DataFrame, decision: Decision) -> alt.LayerChart | None:
    """λ with each evening left out in turn, beside that of all; nothing if none can be spared.

    `table` from `diagnostics.estimates_without`.
    """
    order, columns = list(table.index), ["lam_low", "lam_median", "lam_high"]
    rows = table[columns].set_axis(["low", "median", "high"], axis=1).dropna().reset_index()
    if rows.empty:
        return None
    words, lam = decision.season.words, decision.estimate.posterior.quantile("lam", 0.5)
    rows = rows.assign(told=_spans(rows, "lam", words))
    x = evening_axis(order, words).title(words.text("chart.without_axis"))
    ends = min(rows["low"].min(), lam), max(rows["high"].max(), lam)
    y = lam_axis(alt.Y, "low", *ends).title(None)
    base = alt.Chart(rows).encode(
        x=x, tooltip=[*tooltips(words, "evening"), alt.Tooltip("told:N", title="λ")]
    )
    layers = [
        base.mark_rule(color=GREEN, opacity=0.5, strokeWidth=2).encode(y=y, y2="high:Q"),
        base.mark_circle(color=GREEN, size=min(50, 1250 / len(rows)), opacity=1).encode(
            y="median:Q"
        ),
        *mark("y", lam),
    ]
    by_median = rows.set_index("evening")["median"]
    ends = {"low": by_median.min(), "high": by_median.max()}
    ends |= {"least": by_median.idxmin(), "most": by_median.idxmax()}
    return finished(alt.layer(*layers), "without", words, 180, lam=lam, **ends)


def kurtosis(shape: Kurtosis, words: Words = _GERMAN) -> alt.LayerChart | None:
    """The season's kurtosis among those of seasons with even, normal luck."""
    if np.isnan(shape.p):
        return None
    count, edges = np.histogram(shape.null, bins=40, range=(2, max(*shape.null, shape.value)))
    bars = pd.DataFrame({"low": edges[:-1], "high": edges[1:], "seasons": count})
    base = (
        alt.Chart(bars)
        .mark_bar(color=GREEN, opacity=0.4)
        .encode(
            x=alt.X("low:Q", title=words.text("chart.kurtosis_axis"), scale=alt.Scale(zero=False)),
            x2="high:Q",
            y=alt.Y("seasons:Q", title=None, axis=None),
            y2=alt.datum(0),
        )
    )
    own = mark("x", shape.value, words.text("chart.kurtosis_own"))
    values = {"value": shape.value, "p": shape.p}
    return finished(alt.layer(base, *own), "kurtosis", words, 160, **values)


def player_spread(spread: PlayerSpread, words: Words = _GERMAN) -> alt.LayerChart | None:
    """How wild each player plays, against all together."""
    rows = spread.players.reset_index(names="player")
    if rows.empty:
        return None
    rows["label"] = rows["spread"].map(words.number)
    x = alt.X("spread:Q", title=None, scale=alt.Scale(zero=False))
    base = alt.Chart(rows).encode(y=player_axis(rows["player"]), x=x)
    all_alike = alt.Chart(rows.head(1)).mark_rule(color=FAINT).encode(x=alt.datum(1))
    dots = base.mark_circle(size=70, color=GREEN, opacity=1).encode(
        tooltip=tooltips(words, "player", "evenings")
    )
    numbers = numbered(rows["player"], rows["label"])
    chart = all_alike + dots + beside(base)
    return finished(chart, "player_spread", words, ROW * len(rows), numbers=numbers)


def reliability(table: pd.DataFrame, words: Words = _GERMAN):
    """Share of the differences that the results have settled; from `diagnostics.reliabilities`."""
    rows = table.reset_index()
    rows["label"] = [
        words.text("chart.settled", share=r.reliability, n=r.evenings) for r in rows.itertuples()
    ]
    x = alt.X("reliability:Q", scale=alt.Scale(domain=[0, 1]), axis=None, stack=None)
    base = alt.Chart(rows).encode(y=player_axis(rows["player"]))
    half = alt.Chart(rows.head(1)).mark_rule(color=INK, strokeDash=[2, 3]).encode(x=alt.datum(0.5))
    bars = base.mark_bar(color=GREEN, opacity=0.7).encode(x=x)
    numbers = numbered(rows["player"], rows["label"])
    chart = bars + half + beside(base)
    return finished(chart, "reliability", words, ROW * len(rows), numbers=numbers)


def _over_lam(curves: pd.DataFrame, column: str, words: Words) -> alt.Chart:
    x = lam_axis(alt.X, "lam", curves["lam"].iloc[0], curves["lam"].iloc[-1])
    y = alt.Y(f"{column}:Q", title=None, axis=None, scale=alt.Scale(nice=False))
    return alt.Chart(curves[["lam", column]]).encode(x=x.title(words.text("chart.lam_axis")), y=y)


def mark(axis: str, value: float, label: str = "") -> list[alt.Chart]:
    """A dashed line across the chart at a value, with its label at the end if it has one."""
    base = alt.Chart(pd.DataFrame({"label": [label]})).encode(**{axis: alt.datum(value)})
    rule = base.mark_rule(color=INK, strokeDash=[2, 3])
    if not label:
        return [rule]
    place = {"x": {"y": alt.value(0)}, "y": {"x": alt.value("width")}}[axis]
    look = {"align": {"x": "center", "y": "right"}[axis], "dy": -7}
    halo = base.mark_text(stroke="white", strokeWidth=4, **look)  # legible across other lines
    text = base.mark_text(color=INK, **look)
    return [rule, *(mark.encode(text="label:N", **place) for mark in (halo, text))]


def _spans(rows: pd.DataFrame, name: str, words: Words) -> list[str]:
    """Each row's median with its low and high: "4,7 (1,7 bis 16)"."""
    return [
        f"{shown(name, words)(row.median)} ({span((row.low, row.high), name, words)})"
        for row in rows[["low", "median", "high"]].itertuples(index=False)
    ]
