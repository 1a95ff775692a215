"""Charts of what λ and single evenings do: tables of `sensitivity` and `draws` in, Vega-Lite out.

Charts over λ can be moved without Python by their parameter `step`, the number of a λ in the grid;
a page moves all of them together. Where there is nothing to draw a chart is None.
"""

import json
from functools import partial

import altair as alt
import numpy as np
import pandas as pd

from ..model.left_out import Influence
from ..model.sensitivity import LambdaPath
from ..words import Words
from .look import (
    DIVERGING,
    FAINT,
    GREEN,
    GREY,
    INK,
    LABEL,
    MARK,
    PALETTE,
    ROW,
    STYLE,
    WIDTH,
    diverging,
    finished,
    lam_axis,
    others_axis,
    player_axis,
    podium_scale,
    tooltips,
)

STEP = "step"  # the parameter: number of a λ in the grid, from 0
CLEAR = 2  # log units below the best λ, about the end of a 95 % interval (χ²/2 = 1.92)
DEEP = 3 * CLEAR  # how far down scores are drawn
_GERMAN = Words()
_finished = partial(finished, page="explore")


def over_lambda(
    table: pd.DataFrame, lam: float, words: Words = _GERMAN, slider: bool = True
) -> alt.LayerChart:
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
    told = [
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
    x = alt.X("low:Q", title=None)
    picked = alt.selection_point("picked", fields=["player"], empty=False)
    size = alt.when(picked).then(alt.value(220)).otherwise(alt.value(70))
    layers = [
        base.mark_rule(opacity=0).encode(x=alt.X("least:Q", title=None), x2="most:Q"),
        alt.Chart(alt.Data(values=[{}])).mark_rule(color=FAINT).encode(x=alt.datum(0)),
        base.mark_circle(size=40, color=FAINT, opacity=1).encode(x="before:Q"),
        base.mark_rule(strokeWidth=2, opacity=0.5).encode(x=x, x2="high:Q", color=ink),
        base.mark_circle(opacity=1).encode(x="now:Q", color=ink, size=size).add_params(picked),
        base.mark_text(align="right", dx=-8, fontSize=12, limit=LABEL).encode(
            x=alt.value(0),
            text="name:N",
            color=alt.when("datum.qualified").then(alt.value(INK)).otherwise(alt.value(GREY)),
        ),
        base.mark_text(align="left", dx=8, fontSize=12, color=INK).encode(
            x=alt.value("width"), text="label:N"
        ),
        # Room for the longest label, which the chart is not given later.
        base.mark_text(align="left", dx=8, fontSize=12, opacity=0).encode(
            x=alt.value("width"), text="widest:N"
        ),
    ]
    title = words.text("explore.ratings", at="\0").split("\0")
    title = " + ".join([_quoted(title[0]), f"{_quoted(told)}[{STEP}]", _quoted(title[1])])
    at_now = table[table["lam"] == lams[now]]
    shown = (at_now["player"] + " " + at_now["rating"].map(words.chips)).head(20)
    note = words.text("explore.ratings_note", lam=lam).splitlines()
    return (
        alt.layer(*layers, data=alt.Data(values=rows))
        .transform_calculate(
            now=f"datum.rating[{STEP}]",
            u=f"datum.uncertainty[{STEP}]",
            row=f"datum.place[{STEP}]",
            low="datum.now - datum.u",
            high="datum.now + datum.u",
            before=f"datum.rating[{now}]",
            least=f"datum.before - datum.uncertainty[{now}]",
            most=f"datum.before + datum.uncertainty[{now}]",
            label=label.format("now", number, "u"),
            widest=label.format("rating[0]", number, "uncertainty[0]"),
            qualified="datum.rank[0] != ''",
            name=f"datum.rank[{STEP}] + (datum.qualified ? '  ' : '') + datum.player",
        )
        .add_params(_step(told, now, words, slider))
        .properties(
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
    slider: bool = True,
    podium: int = 3,
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
    ends = lines[lines["lam"] == lams[-1]].sort_values("rank", kind="stable")
    # Players of equal rank share a line of the chart, and so must their names.
    ends = ends.groupby("rank", as_index=False).agg({"player": ", ".join})
    n = len(in_force)
    axis = alt.Axis(values=list(range(1, n + 1)), grid=False, labelOverlap=False)
    x, y = _lam_axis(lams), alt.Y("rank:Q", title=None, scale=_rank_scale(n), axis=axis)
    hover = alt.selection_point("hover", fields=["player"], on="pointerover", empty=False)
    picked = alt.selection_point("picked", fields=["player"], empty=False)
    lit = alt.when(hover | picked)
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
        .add_params(hover, picked),
        alt.Chart(ends)
        .mark_text(align="left", dx=8, fontSize=12, limit=LABEL)
        .encode(x=alt.value("width"), y=y, text="player:N", color=alt.value(INK)),
    ]
    if interval is not None:
        low, high = max(interval[0], lams[0]), min(interval[1], lams[-1])
        stays = alt.Chart(pd.DataFrame({"low": [low], "high": [high]}))
        shade = stays.mark_rect(color="#f1efe9").encode(x=_lam_axis(lams, "low"), x2="high:Q")
        layers.insert(0, shade)
    if swaps is not None and len(swaps):
        layers.append(_crossings(swaps, path, words).encode(x=x, y=y))
    numbers = "; ".join(f"{rank}. {player}" for player, rank in in_force.items())
    chart = alt.layer(*layers).add_params(_step(_named(lams, words), now, words, slider))
    return _finished(chart, "ranks", words, max(ROW * n, 60), lam=lams[now], numbers=numbers)


def _crossings(swaps: pd.DataFrame, path: LambdaPath, words: Words) -> alt.Chart:
    """A circle where the lines of two cross: half way between the ranks on either side."""
    step = path.ranks.index.searchsorted(swaps["lam"]).clip(1, len(path.ranks) - 1)
    pairs = zip(swaps["ahead_below"], step, strict=True)
    rank = [float(path.ranks[player].iloc[[k - 1, k]].mean()) for player, k in pairs]
    names = zip(swaps["ahead_below"], swaps["ahead_above"], strict=True)
    told = [words.text("explore.swap_at", below=below, above=above) for below, above in names]
    rows = pd.DataFrame({"lam": swaps["lam"], "rank": rank, "told": told})
    tip = [
        alt.Tooltip("lam:Q", title="λ", format=".2~f"),
        alt.Tooltip("told:N", title=words.text("column.rank")),
    ]
    circle = alt.Chart(rows).mark_circle(size=36, color="white", opacity=1)
    return circle.encode(stroke=alt.value(INK), strokeWidth=alt.value(1.2), tooltip=tip)


def scores(
    table: pd.DataFrame, lam: float, words: Words = _GERMAN, slider: bool = True
) -> alt.LayerChart | None:
    """Log scores over λ, each below its best; `table` from `left_out.scores`."""
    if table.empty:
        return None
    curves = table[["left_out_log_score", "log_likelihood"]]
    low = alt.Chart(alt.Data(values=[{}])).mark_rule(color=FAINT, strokeDash=[4, 4])
    low = low.encode(y=alt.datum(-CLEAR, title=None))
    curves = curves - curves.max()
    return _curves(curves, "scores", lam, words, slider, (-DEEP, 0), [low], limit=CLEAR)


def errors(
    table: pd.DataFrame, lam: float, words: Words = _GERMAN, slider: bool = True
) -> alt.LayerChart | None:
    """Errors of prediction over λ, each above its smallest; `table` from `left_out.scores`."""
    if table.empty:
        return None
    curves = table[["left_out_rmse", "ahead_rmse"]]
    curves = curves - curves.min()
    return _curves(curves, "errors", lam, words, slider, (0, float(curves.max().max()) or 1.0))


def _curves(curves, kind, lam, words, slider, domain, below=(), **values) -> alt.LayerChart:
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
    x = _lam_axis(lams)
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
    chart = alt.layer(*layers).add_params(_step(_named(lams, words), now, words, slider))
    return _finished(chart, kind, words, 200, numbers=numbers, **values)


def pairs(
    comparisons: pd.DataFrame, players: list[str], words: Words = _GERMAN
) -> alt.LayerChart | None:
    """P(left above top) of every pair of the players, in their order.

    `comparisons` from `pairs.comparisons`. Pairs of groups that never met stay blank, framed.
    """
    turned = comparisons.rename(columns={"player": "other", "other": "player"})
    rows = pd.concat([comparisons, turned.assign(p=1 - turned["p"])])
    rows = rows[rows["player"].isin(players) & rows["other"].isin(players)]
    if rows.empty:
        return None
    place, order = {player: k for k, player in enumerate(players)}, list(players)
    rows = rows.assign(apart=np.isinf(rows["steps"]), label=rows["p"].map(words.percent))
    rows = rows.sort_values(["player", "other"], key=lambda names: names.map(place))
    rows = rows[["player", "other", "p", "sd", "evenings", "apart", "label"]]
    told = [
        *tooltips(words, "player", "other"),
        alt.Tooltip("label:N", title=words.text("column.p")),
        *tooltips(words, "sd"),
        alt.Tooltip("evenings:O", title=words.text("column.evenings")),
    ]
    base = alt.Chart(rows.assign(column=rows["other"] + MARK)).encode(
        x=others_axis(order, 90),
        y=player_axis(order),
        tooltip=told,
    )
    scale = alt.Scale(
        domain=[0, 0.25, 0.5, 0.75, 1], range=list(DIVERGING), interpolate="rgb", clamp=True
    )
    cell = base.transform_filter("!datum.apart").mark_rect(
        stroke="white", strokeWidth=min(1, 12 / len(order))
    )
    apart = base.transform_filter("datum.apart").mark_rect(
        fill="white", stroke=GREY, strokeDash=[2, 2], strokeWidth=1
    )
    wide, dark = f"width > {38 * len(order)}", "abs(datum.p - 0.5) > 0.3"
    text = base.transform_filter("!datum.apart").mark_text(fontSize=11)
    layers = [
        cell.encode(color=alt.Color("p:Q", scale=scale, legend=None)),
        apart,
        text.encode(
            text="label:N",
            color=alt.when(dark).then(alt.value("white")).otherwise(alt.value(INK)),
            opacity=alt.when(wide).then(alt.value(1)).otherwise(alt.value(0)),
        ),
    ]
    near = rows.drop_duplicates("player")
    numbers = "; ".join(
        f"{row.player} – {row.other} {words.percent(row.p)}" for row in near.itertuples()
    )
    note = words.text("explore.matrix_note")
    if rows["apart"].any():
        note += "\n" + words.text("explore.matrix_apart")
    return _finished(
        alt.layer(*layers), "matrix", words, ROW * len(order), note=note, numbers=numbers
    )


def chances(table: pd.DataFrame, words: Words = _GERMAN) -> alt.LayerChart | None:
    """Rank intervals with the chances beside them; `table` from `chances`."""
    if len(table) < 2:
        return None
    order = list(table.index)
    rows = table.reset_index(names="player").assign(
        label=[
            words.text("explore.chances_label", first=a, podium=b)
            for a, b in zip(table["p_first"], table["p_podium"], strict=True)
        ]
    )
    told = [
        *tooltips(words, "player"),
        *(
            alt.Tooltip(f"{column}:Q", title=words.text(f"column.{column}"), format=form)
            for column, form in (("p_first", ".1%"), ("p_podium", ".1%"), ("rank_mean", ".1f"))
        ),
    ]
    base = alt.Chart(rows).encode(y=player_axis(order), tooltip=told)
    x = alt.X("rank_low:Q", title=words.text("column.rank"), scale=_rank_scale(len(order), False))
    x = x.axis(values=list(range(1, len(order) + 1)), labelOverlap=True)
    layers = [
        base.mark_rule(strokeWidth=6, opacity=0.3, color=GREEN, strokeCap="round").encode(
            x=x, x2="rank_high:Q"
        ),
        base.mark_circle(size=70, opacity=1, color=GREEN).encode(x="rank_mean:Q"),
        base.mark_text(align="left", dx=8, fontSize=12, color=INK).encode(
            x=alt.value("width"), text="label:N"
        ),
    ]
    numbers = "; ".join(rows["player"] + " " + rows["label"])
    return _finished(alt.layer(*layers), "chances", words, ROW * len(order), numbers=numbers)


def influence(without: Influence, words: Words = _GERMAN) -> alt.LayerChart | None:
    """What each evening did for those in der Wertung; `without` from `influence`.

    A dot where the rank would be another without the evening.
    """
    now = without.table.dropna().sort_values("rank", kind="stable")
    if now.empty:
        return None
    order, players = list(without.ratings.index), list(now.index)
    shift = now["rating"] - without.ratings[players]
    shift = shift.rename_axis("evening").rename_axis("player", axis=1)
    table = shift.stack().rename("shift").reset_index()
    table["rank"] = table["player"].map(now["rank"])
    table["rank_without"] = without.ranks[players].stack().array
    rows = table.assign(moved=(table["rank"] != table["rank_without"]).astype(bool))
    columns = ["player", "evening", "shift", "rank", "rank_without"]
    most = float(table["shift"].abs().max()) or 1.0
    axis = alt.Axis(orient="top", labelAngle=0, labelOverlap=True)
    base = alt.Chart(rows[[*columns, "moved"]]).encode(
        x=alt.X("evening:O", sort=order, title=words.text("column.evening"), axis=axis),
        y=player_axis(players),
        tooltip=[
            *tooltips(words, *columns[:-1]),
            alt.Tooltip("rank_without:O", title=words.text("column.rank_without")),
        ],
    )
    layers = [
        base.mark_rect(stroke="white", strokeWidth=min(1, 12 / len(order))).encode(
            color=diverging("shift", most, words.text("explore.influence_legend"), words)
        ),
        base.transform_filter("datum.moved").mark_circle(size=16, color=INK, opacity=1),
    ]
    top = table.loc[table["shift"].abs().nlargest(3).index]
    numbers = "; ".join(
        words.text("chart.one_result", player=r.player, result=r.shift, evening=r.evening)
        for r in top.itertuples()
    )
    return _finished(alt.layer(*layers), "influence", words, ROW * len(players), numbers=numbers)


def _quoted(value) -> str:
    """A text or a list of them as a Vega expression."""
    return json.dumps(value, ensure_ascii=False)


def _step(labels: list[str], now: int, words: Words, slider: bool) -> alt.Parameter:
    """The number of a λ, moved by a list of all of them, of which a page makes a slider."""
    if not slider:
        return alt.param(name=STEP, value=now)
    name, options = words.text("explore.slider"), list(range(len(labels)))
    bind = alt.binding_select(options=options, labels=labels, name=name)
    return alt.param(name=STEP, value=now, bind=bind)


def _named(lams, words: Words) -> list[str]:
    return [f"λ = {words.number(lam)}" for lam in lams]


def _rule(lams) -> alt.Chart:
    """A line at the λ of the slider; the grid is geometric."""
    ratio = (lams[-1] / lams[0]) ** (1 / (len(lams) - 1))
    at = alt.Chart(alt.Data(values=[{}])).transform_calculate(
        lam=f"{float(lams[0])!r} * pow({float(ratio)!r}, {STEP})"
    )
    return at.mark_rule(color=INK, strokeWidth=1.5).encode(x=_lam_axis(lams))


def _lam_axis(lams, field: str = "lam") -> alt.X:
    return lam_axis(alt.X, field, lams[0], lams[-1])


def _rank_scale(n: int, reverse: bool = True) -> alt.Scale:
    return alt.Scale(domain=[0.5, n + 0.5], reverse=reverse, nice=False, zero=False)
