"""Charts of the estimation page: what the results say about σ, τ and λ, and about their errors."""

from math import ceil, floor, inf, log10

import altair as alt
import pandas as pd

from ..pages.look import (
    FAINT,
    GREEN,
    GREY,
    INK,
    LABEL,
    ROW,
    evening_axis,
    finished,
    numbered,
    player_axis,
    tooltips,
)
from ..words import Words
from .advice import NAMED, interval

SYMBOLS = {"sigma": "σ", "tau": "τ", "lam": "λ"}
_GERMAN = Words()


def profile(curves: pd.DataFrame, record: dict, force: float, words: Words = _GERMAN):
    """How well each λ fits: the profile likelihood with its interval and REML point.

    `curves` from `diagnostics.lambda_curves`, `record` from `records.estimate_record`; `force` is
    the λ in force.
    """
    low, high = record["profile"]["lam"]
    best, is_open = record["reml"]["lam"], record["reml"]["lam"] == inf
    base = _over_lam(curves, force, "likelihood", words)
    inside = base.transform_filter(f"datum.lam >= {low} && datum.lam <= {min(high, 1e300)}")
    dot = alt.Chart(pd.DataFrame({"lam": [best], "likelihood": [1.0]}))
    dot = dot.mark_circle(size=80, color=GREEN, opacity=1).encode(x="lam:Q", y="likelihood:Q")
    in_force = words.text("chart.in_force", value=words.number(force))
    layers = [
        inside.mark_area(color=GREEN, opacity=0.25),
        base.mark_line(color=GREEN),
        *[dot] * (not is_open),
        *_mark("x", force, in_force),
    ]
    told = {
        "level": record["profile"]["level"],
        "span": interval((low, high), words.number, words),
        "best": words.text("chart.profile_open" if is_open else "chart.profile_best", lam=best),
    }
    return finished(alt.layer(*layers), "profile", words, 200, force=force, **told)


def posterior(curves: pd.DataFrame, record: dict, force: float, words: Words = _GERMAN):
    """How likely each λ is: the prior, and what the results made of it; arguments as `profile`."""
    low, median, high = (record["posterior"]["lam"][p] for p in ("0.05", "0.5", "0.95"))
    base = _over_lam(curves, force, "posterior", words)
    inside = base.transform_filter(f"datum.lam >= {low} && datum.lam <= {high}")
    centre = alt.Chart(curves.iloc[[(curves["lam"] - median).abs().argmin()]])
    in_force = words.text("chart.in_force", value=words.number(force))
    layers = [
        base.mark_area(color=GREEN, opacity=0.15),
        inside.mark_area(color=GREEN, opacity=0.3),
        base.mark_line(color=GREEN),
        _over_lam(curves, force, "prior", words).mark_line(color=GREY, strokeDash=[5, 3]),
        centre.mark_rule(color=GREEN, strokeWidth=2).encode(
            x="lam:Q", y="posterior:Q", y2=alt.datum(0)
        ),
        *_mark("x", force, in_force),
    ]
    told = {"low": low, "median": median, "high": high, "force": force}
    return finished(alt.layer(*layers), "posterior", words, 200, **told)


def estimates(table: pd.DataFrame, name: str, force: float, words: Words = _GERMAN):
    """σ, τ or λ ("sigma", "tau", "lam") after each evening, with the value in force.

    `table` from `diagnostics.estimates_by_evening`.
    """
    order, show = list(table.index), words.number if name == "lam" else words.chips
    parts = {point: f"{name}_{point}" for point in ("low", "median", "high")}
    rows = table.dropna(subset=parts["median"]).reset_index()
    low = min(rows[[parts["low"], name]].min().min(), force)
    high = max(rows[parts["high"]].max(), force)  # REML may be ∞
    shown = pd.DataFrame({"evening": rows["evening"]} | {p: rows[c] for p, c in parts.items()})
    shown = shown.assign(alone=rows[name], told=_spans(shown, show, words))
    if name == "lam":
        shown["alone"] = rows[name].clip(upper=high)
        y = _lam(alt.Y, "median:Q", low, high).title(None)
    else:
        y = alt.Y("median:Q", title=None, scale=alt.Scale(zero=name == "tau"))
    base = alt.Chart(shown).encode(x=evening_axis(order, words), y=y)
    tips = [*tooltips(words, "evening"), alt.Tooltip("told:N", title=SYMBOLS[name])]
    layers = [
        base.mark_area(color=GREEN, opacity=0.2).encode(y="low:Q", y2="high:Q"),
        base.mark_line(
            color=GREEN, point={"color": GREEN, "size": min(30, 750 / len(shown))}
        ).encode(tooltip=tips),
        base.mark_point(color=INK, size=min(40, 1000 / len(shown))).encode(y="alone:Q"),
        *_mark("y", force),
    ]
    edge = words.text("chart.estimates_edge") if (rows[name] > high).any() and name == "lam" else ""
    last = dict(zip(parts, rows[list(parts.values())].iloc[-1].map(show), strict=True))
    told = {"symbol": SYMBOLS[name], "edge": edge, "force": show(force), **last}
    return finished(alt.layer(*layers), "estimates", words, 180, **told)


def without(table: pd.DataFrame, lam: float, words: Words = _GERMAN):
    """λ with each evening left out in turn, beside the `lam` of all; nothing if none can be spared.

    `table` from `diagnostics.estimates_without`.
    """
    order, columns = list(table.index), ["lam_low", "lam_median", "lam_high"]
    rows = table[columns].set_axis(["low", "median", "high"], axis=1).dropna().reset_index()
    if rows.empty:
        return None
    rows = rows.assign(told=_spans(rows, words.number, words))
    x = evening_axis(order, words).title(words.text("chart.without_axis"))
    y = _lam(alt.Y, "low:Q", min(rows["low"].min(), lam), max(rows["high"].max(), lam)).title(None)
    base = alt.Chart(rows).encode(
        x=x, tooltip=[*tooltips(words, "evening"), alt.Tooltip("told:N", title="λ")]
    )
    layers = [
        base.mark_rule(color=GREEN, opacity=0.5, strokeWidth=2).encode(y=y, y2="high:Q"),
        base.mark_circle(color=GREEN, size=min(50, 1250 / len(rows)), opacity=1).encode(
            y="median:Q"
        ),
        *_mark("y", lam),
    ]
    by_median = rows.set_index("evening")["median"]
    told = {"low": by_median.min(), "high": by_median.max(), "lam": lam}
    told |= {"least": by_median.idxmin(), "most": by_median.idxmax()}
    return finished(alt.layer(*layers), "without", words, 180, **told)


def qq(residuals: pd.DataFrame, words: Words = _GERMAN):
    """Studentised residuals against normal quantiles; `residuals` from `luck.residuals`."""
    found, normal = residuals["studentised"], residuals["normal"]
    ends = pd.DataFrame({"at": [normal.min(), normal.max()]})
    axis = alt.Axis(tickMinStep=1)
    x = alt.X("normal:Q", title=words.text("chart.qq_x"), axis=axis)
    y = alt.Y("studentised:Q", title=words.text("chart.qq_y"), axis=axis)
    base = alt.Chart(residuals).encode(x=x, y=y)
    tips = tooltips(words, "player", "evening", "residual")
    layers = [
        alt.Chart(ends).mark_line(color=GREY).encode(x="at:Q", y="at:Q"),
        base.mark_circle(color=GREEN, size=40, opacity=0.6).encode(tooltip=tips),
    ]
    for place, align in ((found.idxmin(), "left"), (found.idxmax(), "right")):
        name = alt.Chart(residuals.loc[[place]]).encode(x=x, y=y, text="player:N")
        layers.append(name.mark_text(align=align, dx=8 if align == "left" else -8, limit=LABEL))
    told = {"low": found.min(), "high": found.max(), "total": len(found)}
    told |= {"low_normal": normal.min(), "high_normal": normal.max()}
    return finished(alt.layer(*layers), "qq", words, 280, **told)


def spread(table: pd.DataFrame, sigma: float, words: Words = _GERMAN):
    """Spread of each evening by the size of its field; from `luck.spread_by_evening`."""
    rows = table.dropna().reset_index()
    sizes = rows["field_size"]
    x = alt.X(
        "field_size:Q",
        title=words.text("chart.field_size"),
        scale=alt.Scale(domain=[sizes.min() - 0.5, sizes.max() + 0.5], nice=False),
        axis=alt.Axis(values=list(range(sizes.min(), sizes.max() + 1)), format="d", grid=False),
    )
    base = alt.Chart(rows).encode(x=x, tooltip=tooltips(words, "evening", "spread"))
    y = alt.Y("spread:Q", title=None, scale=alt.Scale(zero=False))
    outside = rows[~rows["spread"].between(rows["low"], rows["high"])].copy()
    outside["label"] = [words.text("place.evening", evening=e) for e in outside["evening"]]
    named = alt.Chart(outside).mark_text(align="left", dx=12).encode(x=x, y=y, text="label:N")
    layers = [
        base.mark_rule(color=FAINT, strokeWidth=16, opacity=0.5).encode(y="low:Q", y2="high:Q"),
        base.mark_circle(color=GREEN, size=60, opacity=0.8).encode(y=y),
        *[named] * (0 < len(outside) <= NAMED),
        *_mark("y", sigma, f"σ = {words.chips(sigma)}"),
    ]
    by_evening = table["spread"].dropna()
    told = {"low": by_evening.min(), "high": by_evening.max(), "sigma": sigma}
    told |= {"least": by_evening.idxmin(), "most": by_evening.idxmax()}
    return finished(alt.layer(*layers), "spread", words, 220, **told)


def reliability(table: pd.DataFrame, words: Words = _GERMAN):
    """Share of the differences that the results have settled; from `diagnostics.reliabilities`."""
    rows = table.reset_index()
    rows["label"] = [
        words.text("chart.settled", share=r.reliability, n=r.evenings) for r in rows.itertuples()
    ]
    x = alt.X("reliability:Q", scale=alt.Scale(domain=[0, 1]), axis=None, stack=None)
    base = alt.Chart(rows).encode(y=player_axis(rows["player"]))
    number = base.mark_text(align="left", dx=8, fontSize=12, color=INK).encode(
        x=alt.value("width"), text="label:N"
    )
    half = alt.Chart(rows.head(1)).mark_rule(color=INK, strokeDash=[2, 3]).encode(x=alt.datum(0.5))
    bars = base.mark_bar(color=GREEN, opacity=0.7).encode(x=x)
    numbers = numbered(rows["player"], rows["label"])
    height = ROW * len(rows)
    return finished(bars + half + number, "reliability", words, height, numbers=numbers)


def _over_lam(curves: pd.DataFrame, force: float, column: str, words: Words) -> alt.Chart:
    ends = [*curves["lam"], force]
    x = _lam(alt.X, "lam:Q", min(ends), max(ends)).title(words.text("chart.lam_axis"))
    y = alt.Y(f"{column}:Q", title=None, axis=None, scale=alt.Scale(nice=False))
    return alt.Chart(curves[["lam", column]]).encode(x=x, y=y)


def _lam(channel, field: str, low: float, high: float):
    """λ on a logarithmic axis, with ticks at 1, 2 and 5."""
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    ticks = [m * 10.0**k for k in powers for m in (1, 2, 5) if low <= m * 10.0**k <= high]
    scale = alt.Scale(type="log", domain=[low, high], nice=False)
    return channel(field, scale=scale, axis=alt.Axis(values=ticks, format="~g", labelOverlap=True))


def _mark(axis: str, value: float, label: str = "") -> list[alt.Chart]:
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


def _spans(rows: pd.DataFrame, show, words: Words) -> list[str]:
    """Each row's median with its low and high: "4,7 (1,7 bis 16)"."""
    return [
        f"{show(row.median)} ({interval((row.low, row.high), show, words)})"
        for row in rows[["low", "median", "high"]].itertuples(index=False)
    ]
