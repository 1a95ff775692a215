"""Charts of how far a table can be trusted: chances, pairs of players, single evenings."""

from functools import partial

import altair as alt
import numpy as np
import pandas as pd

from ..model.left_out import Influence
from ..words import Words
from .look import (
    DIVERGING,
    GREEN,
    GREY,
    INK,
    MARK,
    ROW,
    beside,
    diverging,
    evening_axis,
    finished,
    others_axis,
    player_axis,
    rank_scale,
    tooltips,
    written,
)

_GERMAN = Words()
_finished = partial(finished, page="explore")


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
    tips = [
        *tooltips(words, "player", "other"),
        alt.Tooltip("label:N", title=words.text("column.p")),
        *tooltips(words, "sd"),
        alt.Tooltip("evenings:O", title=words.text("column.evenings")),
    ]
    base = alt.Chart(rows.assign(column=rows["other"] + MARK)).encode(
        x=others_axis(order, 90), y=player_axis(order), tooltip=tips
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
    layers = [
        cell.encode(color=alt.Color("p:Q", scale=scale, legend=None)),
        apart,
        written(base.transform_filter("!datum.apart"), "label:N", wide, dark),
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
    tips = [
        *tooltips(words, "player"),
        *(
            alt.Tooltip(f"{column}:Q", title=words.text(f"column.{column}"), format=form)
            for column, form in (("p_first", ".1%"), ("p_podium", ".1%"), ("rank_mean", ".1f"))
        ),
    ]
    base = alt.Chart(rows).encode(y=player_axis(order), tooltip=tips)
    x = alt.X("rank_low:Q", title=words.text("column.rank"), scale=rank_scale(len(order), False))
    x = x.axis(values=list(range(1, len(order) + 1)), labelOverlap=True)
    layers = [
        base.mark_rule(strokeWidth=6, opacity=0.3, color=GREEN, strokeCap="round").encode(
            x=x, x2="rank_high:Q"
        ),
        base.mark_circle(size=70, opacity=1, color=GREEN).encode(x="rank_mean:Q"),
        beside(base),
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
    base = alt.Chart(rows[[*columns, "moved"]]).encode(
        x=evening_axis(order, words, "top"),
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
