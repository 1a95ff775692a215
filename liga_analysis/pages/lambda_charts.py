"""Charts over λ: tables of `sensitivity` and `left_out` in, Vega-Lite out.

They can be moved without Python by their parameter `step`, the number of a λ in the grid;
a page moves all of them together. Where there is nothing to draw a chart is None.
"""

import json
from functools import partial

import altair as alt
import numpy as np
import pandas as pd

from ..model.sensitivity import LambdaPath
from ..rules import LeagueRules
from ..words import Words
from .look import (
    FAINT,
    GREEN,
    GREY,
    HOVER,
    INK,
    LABEL,
    PALETTE,
    PICKED,
    ROW,
    STYLE,
    WIDTH,
    beside,
    finished,
    lam_axis,
    podium_scale,
    rank_scale,
    tooltips,
)

STEP = "step"  # the parameter: number of a λ in the grid, from 0
CLEAR = 2  # log units below the best λ, about the end of a 95 % interval (χ²/2 = 1.92)
DEEP = 3 * CLEAR  # how far down scores are drawn
_GERMAN = Words()
_finished = partial(finished, page="explore")


def over_lambda(table: pd.DataFrame, lam: float, words: Words = _GERMAN) -> alt.LayerChart:
    """The table at the λ chosen: ratings ±u in the order they then have.

    `table` from `sensitivity.over_lambda`, `lam` the λ to start from. Each row of the data is a
    player with his values at every λ, so that the page finds them by number.
    """
    lams, n = table["lam"].unique(), table["player"].nunique()
    short = table.round({"rating": words.digits + 4, "uncertainty": words.digits + 4})
    short["rank"] = short["rank"].astype(object).where(short["rank"].notna(), "")
    columns = ["rating", "uncertainty", "place", "rank"]
    rows = [
        {"player": player} | {column: part[column].tolist() for column in columns}
        for player, part in short.groupby("player", sort=False)
    ]
    now, number = int(np.abs(lams - lam).argmin()), f",.{words.digits}f"
    steps = [
        words.text("explore.at", lam=at, tau=tau)
        for at, tau in table[["lam", "tau"]].drop_duplicates().itertuples(index=False)
    ]
    label = "format(datum.{0}, '{1}') + ' ± ' + format(datum.{2}, '{1}')"
    y = alt.Y("row:Q", axis=None, scale=alt.Scale(domain=[n + 0.5, 0.5], nice=False, zero=False))
    tip = [
        alt.Tooltip(f"{field}:{kind}", title=words.text(f"column.{title}"), **form)
        for field, kind, title, form in (
            ("player", "N", "player", {}),
            ("now", "Q", "rating", {"format": number}),
            ("u", "Q", "uncertainty", {"format": number}),
        )
    ]
    base = alt.Chart().encode(y=y, tooltip=tip)
    ink = alt.when("datum.qualified").then(alt.value(GREEN)).otherwise(alt.value(GREY))
    # On a narrow screen its numbers have no room; one stands beside every dot.
    x = alt.X("low:Q", title=None, axis=alt.Axis(labelExpr="width > 110 ? datum.label : ''"))
    size = alt.when(PICKED).then(alt.value(220)).otherwise(alt.value(70))
    layers = [
        base.mark_rule(opacity=0).encode(x=alt.X("least:Q", title=None), x2="most:Q"),
        alt.Chart(alt.Data(values=[{}])).mark_rule(color=FAINT).encode(x=alt.datum(0)),
        base.mark_circle(size=40, color=FAINT, opacity=1).encode(x="before:Q"),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=x, x2="high:Q", color=ink),
        base.mark_circle(opacity=1).encode(x="now:Q", color=ink, size=size).add_params(PICKED),
        base.mark_text(align="right", dx=-8, fontSize=12, limit=LABEL).encode(
            x=alt.value(0),
            text="name:N",
            color=alt.when("datum.qualified").then(alt.value(INK)).otherwise(alt.value(GREY)),
        ),
        beside(base),
        # Room for the longest label, which the chart is not given later.
        base.mark_text(align="left", dx=8, fontSize=12, opacity=0).encode(
            x=alt.value("width"), text="widest:N"
        ),
    ]
    title = words.text("explore.ratings", at="\0").split("\0")
    title = " + ".join([_quoted(title[0]), f"{_quoted(steps)}[{STEP}]", _quoted(title[1])])
    at_now = table[table["lam"] == lams[now]]
    shown = (at_now["player"] + " " + at_now["rating"].map(words.chips)).head(20)
    note = words.text("explore.ratings_note", lam=lam).splitlines()
    derived = {
        "now": f"datum.rating[{STEP}]",
        "u": f"datum.uncertainty[{STEP}]",
        "row": f"datum.place[{STEP}]",
        "low": "datum.now - datum.u",
        "high": "datum.now + datum.u",
        "before": f"datum.rating[{now}]",
        "least": f"datum.before - datum.uncertainty[{now}]",
        "most": f"datum.before + datum.uncertainty[{now}]",
        "label": label.format("now", number, "u"),
        "widest": label.format("rating[0]", number, "uncertainty[0]"),
        "qualified": "datum.rank[0] != ''",
        "name": f"datum.rank[{STEP}] + (datum.qualified ? '  ' : '') + datum.player",
    }
    # All at once: each step of a chain of calls copies every layer.
    made = [alt.CalculateTransform(**{"as": name, "calculate": derived[name]}) for name in derived]
    return (
        alt.layer(*layers, transform=made)
        .add_params(_step(steps, now, words))
        .properties(
            data=alt.Data(values=rows),  # last: each step before copies all there is
            width=WIDTH,
            height=ROW * n,
            title=alt.Title(alt.expr(title), subtitle=note),
            usermeta={"title": words.text("column.rating")},  # a page says λ beside the slider
            description=words.text("explore.ratings_alt", lam=lam, numbers="; ".join(shown)),
            view={"style": STYLE + words.language},
        )
    )


def rank_lines(
    path: LambdaPath,
    swaps: pd.DataFrame | None = None,
    interval: tuple[float, float] | None = None,
    words: Words = _GERMAN,
    podium: int = LeagueRules.podium,
) -> alt.LayerChart | None:
    """Ranks over λ; with the swaps, and shaded where the podium stays, if these are given.

    `path` from `lambda_path`, `swaps` and `interval` from `swaps` and `podium_interval`. The λ in
    force is the middle one of the path.
    """
    lams, ranked = path.ranks.index.to_numpy(), path.ranks.dropna(axis=1)
    if ranked.empty:
        return None
    now = len(lams) // 2
    in_force = ranked.iloc[now].sort_values(kind="stable")
    rows = ranked[in_force.index].rename_axis("player", axis=1).unstack()
    rows = rows.rename("rank").reset_index()
    by_player = rows.groupby("player", sort=False)["rank"]
    still = (by_player.diff() == 0) & (by_player.diff(-1) == 0)  # missing at both ends
    lines = rows.loc[~still.fillna(False)].assign(
        number=lambda t: t["player"].map({player: k for k, player in enumerate(in_force.index)}),
        place=lambda t: t["player"].map(in_force.where(in_force <= podium, 0)).astype(int),
    )
    names = lines[lines["lam"] == lams[-1]].sort_values("rank", kind="stable")
    # Players of equal rank share a line of the chart, and so must their names.
    names = names.groupby("rank", as_index=False).agg({"player": ", ".join})
    n = len(in_force)
    axis = alt.Axis(values=list(range(1, n + 1)), grid=False, labelOverlap=False)
    x = lam_axis(alt.X, "lam", *lams[[0, -1]])
    y = alt.Y("rank:Q", title=None, scale=rank_scale(n), axis=axis)
    lit = alt.when(HOVER | PICKED)
    tone = alt.Color("place:O", scale=podium_scale(podium, FAINT), legend=None)
    line = alt.Chart(lines).encode(x=x, y=y, detail="number:N")
    layers = [
        _rule(lams),
        line.mark_line(interpolate="monotone").encode(
            color=lit.then(alt.value(INK)).otherwise(tone),
            strokeWidth=lit.then(alt.value(4)).otherwise(alt.value(2.5)),
        ),
        line.mark_line(strokeWidth=15, opacity=0)
        .encode(tooltip=tooltips(words, "player"))
        .add_params(HOVER, PICKED),
        alt.Chart(names)
        .mark_text(align="left", dx=8, fontSize=12, limit=LABEL)
        .encode(x=alt.value("width"), y=y, text="player:N", color=alt.value(INK)),
    ]
    if interval is not None:
        low, high = max(interval[0], lams[0]), min(interval[1], lams[-1])
        stays = alt.Chart(pd.DataFrame({"low": [low], "high": [high]}))
        shade = stays.mark_rect(color="#f1efe9").encode(
            x=lam_axis(alt.X, "low", *lams[[0, -1]]), x2="high:Q"
        )
        layers.insert(0, shade)
    if swaps is not None and len(swaps):
        layers.append(_crossings(swaps, path, words).encode(x=x, y=y))
    numbers = "; ".join(f"{rank}. {player}" for player, rank in in_force.items())
    chart = alt.layer(*layers).add_params(_step(_named(lams, words), now, words))
    return _finished(chart, "ranks", words, max(ROW * n, 60), lam=lams[now], numbers=numbers)


def _crossings(swaps: pd.DataFrame, path: LambdaPath, words: Words) -> alt.Chart:
    """A circle where the lines of two cross: half way between the ranks on either side."""
    step = path.ranks.index.searchsorted(swaps["lam"]).clip(1, len(path.ranks) - 1)
    pairs = zip(swaps["ahead_below"], step, strict=True)
    rank = [float(path.ranks[player].iloc[[k - 1, k]].mean()) for player, k in pairs]
    names = zip(swaps["ahead_below"], swaps["ahead_above"], strict=True)
    crossings = [words.text("explore.swap_at", below=below, above=above) for below, above in names]
    rows = pd.DataFrame({"lam": swaps["lam"], "rank": rank, "told": crossings})
    tip = [
        alt.Tooltip("lam:Q", title="λ", format=".2~f"),
        alt.Tooltip("told:N", title=words.text("column.rank")),
    ]
    circle = alt.Chart(rows).mark_circle(size=36, color="white", opacity=1)
    return circle.encode(stroke=alt.value(INK), strokeWidth=alt.value(1.2), tooltip=tip)


def scores(table: pd.DataFrame, lam: float, words: Words = _GERMAN) -> alt.LayerChart | None:
    """Log scores over λ, each below its best; `table` from `left_out.scores`."""
    if table.empty:
        return None
    curves = table[["left_out_log_score", "log_likelihood"]]
    low = alt.Chart(alt.Data(values=[{}])).mark_rule(color=FAINT, strokeDash=[4, 4])
    low = low.encode(y=alt.datum(-CLEAR, title=None))
    curves = curves - curves.max()
    return _curves(curves, "scores", lam, words, (-DEEP, 0), [low], limit=CLEAR)


def errors(table: pd.DataFrame, lam: float, words: Words = _GERMAN) -> alt.LayerChart | None:
    """Errors of prediction over λ, each above its smallest; `table` from `left_out.scores`."""
    if table.empty:
        return None
    curves = table[["left_out_rmse", "ahead_rmse"]]
    curves = curves - curves.min()
    return _curves(curves, "errors", lam, words, (0, float(curves.max().max()) or 1.0))


def _curves(curves, kind, lam, words, domain, below=(), **values) -> alt.LayerChart:
    lams = curves.index.to_numpy()
    now = int(np.abs(lams - lam).argmin())
    best = curves.idxmax() if kind == "scores" else curves.idxmin()
    names = [words.text(f"explore.{column}") for column in curves]
    rows = curves.round(4).set_axis(names, axis=1).rename_axis("lam").reset_index()
    rows = rows.melt("lam", var_name="score", value_name="value")
    color = alt.Color(
        "score:N",
        scale=alt.Scale(domain=names, range=list(PALETTE[:2])),
        legend=alt.Legend(title=None, orient="top", symbolType="stroke", labelLimit=0),
    )
    x = lam_axis(alt.X, "lam", *lams[[0, -1]])
    y = alt.Y("value:Q", title=None, scale=alt.Scale(domain=list(domain), nice=False, clamp=False))
    tip = [alt.Tooltip("lam:Q", title="λ", format=".2~f"), alt.Tooltip("value:Q", format=".2f")]
    line = alt.Chart(rows).encode(x=x, y=y, color=color)
    marks = pd.DataFrame({"lam": best.to_numpy(), "score": names})
    marks["value"] = [float(curves.at[at, column]) for column, at in best.items()]
    layers = [
        _rule(lams),
        *below,
        line.mark_line(clip=True, strokeWidth=2.5).encode(tooltip=["score:N", *tip]),
        alt.Chart(marks).mark_circle(size=70, opacity=1).encode(x=x, y=y, color=color),
    ]
    numbers = "; ".join(
        f"{name} λ = {words.number(at)}" for name, at in zip(names, best, strict=True)
    )
    chart = alt.layer(*layers).add_params(_step(_named(lams, words), now, words))
    return _finished(chart, kind, words, 200, numbers=numbers, **values)


def _quoted(value) -> str:
    """A text or a list of them as a Vega expression."""
    return json.dumps(value, ensure_ascii=False)


def _step(labels: list[str], now: int, words: Words) -> alt.Parameter:
    """The number of a λ, moved by a list of all of them, of which a page makes a slider."""
    options = list(range(len(labels)))
    bind = alt.binding_select(options=options, labels=labels, name=words.text("column.lam"))
    return alt.param(name=STEP, value=now, bind=bind)


def _named(lams, words: Words) -> list[str]:
    return [f"λ = {words.number(lam)}" for lam in lams]


def _rule(lams) -> alt.Chart:
    """A line at the λ of the slider; the grid is geometric."""
    ratio = (lams[-1] / lams[0]) ** (1 / (len(lams) - 1))
    at = alt.Chart(alt.Data(values=[{}])).transform_calculate(
        lam=f"{float(lams[0])!r} * pow({float(ratio)!r}, {STEP})"
    )
    return at.mark_rule(color=INK, strokeWidth=1.5).encode(x=lam_axis(alt.X, "lam", *lams[[0, -1]]))
