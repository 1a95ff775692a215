"""Charts: tables in, Vega-Lite out. Nothing is computed but where labels find room."""

import altair as alt
import pandas as pd

from ..rules import LeagueRules
from ..words import Words
from .lambda_charts import errors, over_lambda, rank_lines, scores
from .look import (
    FAINT,
    GREEN,
    GREY,
    HOVER,
    INK,
    LABEL,
    MARK,
    PICKED,
    ROW,
    beside,
    diverging,
    evening_axis,
    finished,
    numbered,
    others_axis,
    player_axis,
    podium_scale,
    set_up,
    tooltips,
    whole,
    written,
)
from .trust_charts import chances, influence, pairs

__all__ = [
    "chances",
    "development",
    "encounters",
    "errors",
    "influence",
    "over_lambda",
    "pairs",
    "rank_lines",
    "ratings",
    "results",
    "scores",
    "set_up",
    "whole",
]
LINE = 15  # px from one label to the next
HOVER_ROWS = 2500  # every point reacts to the pointer up to here; larger charts answer by line
_GERMAN = Words()


def ratings(table: pd.DataFrame, words: Words = _GERMAN) -> alt.LayerChart:
    """Every rating of a `standings` table as a dot with its ±u on a common scale."""
    shown = table[["rating", "uncertainty"]].map(words.chips)
    rows = table[["player", "rating", "uncertainty", "qualified"]].assign(
        low=table["rating"] - table["uncertainty"],
        high=table["rating"] + table["uncertainty"],
        label=shown["rating"] + " ± " + shown["uncertainty"],
    )
    base = alt.Chart(rows).encode(
        y=player_axis(table["player"]),
        color=alt.when("datum.qualified").then(alt.value(GREEN)).otherwise(alt.value(GREY)),
        tooltip=tooltips(words, "player", "rating", "uncertainty"),
    )
    zero = alt.Chart(rows.head(1)).mark_rule(color=FAINT).encode(x=alt.datum(0))
    line = base.mark_rule(strokeWidth=2, opacity=0.5).encode(
        x=alt.X("low:Q", title=None), x2="high:Q"
    )
    dot = base.mark_circle(size=70, opacity=1).encode(x="rating:Q")
    numbers, chart = numbered(rows["player"], rows["label"]), zero + line + dot + beside(base)
    return finished(chart, "ratings", words, ROW * len(rows), numbers=numbers)


def development(
    table: pd.DataFrame, words: Words = _GERMAN, podium: int = LeagueRules.podium
) -> alt.LayerChart:
    """Every rating over the evenings, from the table `ranking.development`.

    The steps of the podium are coloured, the others are grey until pointed at or picked.
    """
    order = list(table["evening"].drop_duplicates())
    last = table[table["evening"] == order[-1]].set_index("player")
    step = last["rank"].where(last["rank"] <= podium).fillna(0).astype(int)
    rows = table[["evening", "player", "rating", "rank"]].assign(
        rating=table["rating"].round(6),  # beyond what is shown, shorter in the page
        step=table["player"].map(step),
        line=pd.factorize(table["player"])[0],  # Vega loses lines that are called like __proto__
    )
    height = min(max(22 * len(last), 260), 520)
    low, high = table["rating"].min(), table["rating"].max()
    margin = 0.04 * (high - low) or 100.0
    low, high = low - margin, high + margin
    ends, room = rows[rows["evening"] == order[-1]], height // LINE
    labels = ends if len(ends) <= room else ends[ends["rank"].notna()].head(room)
    places = _spread(labels["rating"], low, high, LINE * (high - low) / height)

    lit = alt.when(HOVER | PICKED)
    tones = alt.Color("step:O", scale=podium_scale(podium, GREY), legend=None)
    x = evening_axis(order, words).scale(padding=0.1)
    y = alt.Y("rating:Q", title=None, scale=alt.Scale(domain=[low, high], nice=False))
    line = alt.Chart(rows).mark_line(strokeJoin="round").encode(x=x, y=y, detail="line:N")
    others = line.transform_filter("datum.step == 0").encode(
        color=lit.then(alt.value(INK)).otherwise(alt.value(FAINT)),
        strokeWidth=lit.then(alt.value(3)).otherwise(alt.value(1.5)),
    )
    ahead = line.transform_filter("datum.step > 0").encode(
        color=tones, strokeWidth=lit.then(alt.value(4)).otherwise(alt.value(2.5))
    )
    tips = tooltips(words, "player", "evening", "rating", "rank")
    # Lines too thin to hit are felt along a broad invisible one.
    felt = line.mark_line(strokeWidth=LINE, opacity=0).encode(tooltip=tips[:1])
    points = line.mark_circle(size=80, opacity=0).encode(tooltip=tips)
    tone = lit.then(alt.value(INK)).otherwise(tones)
    end = alt.Chart(ends).mark_circle(size=24, opacity=1).encode(x=x, y=y, color=tone, tooltip=tips)
    named = alt.Chart(labels.assign(place=places)).encode(color=tone, tooltip=tips)
    edge = alt.value("width")
    lead = alt.Chart(_lead(table)).mark_area(color=GREEN, opacity=0.12)
    layers = [
        lead.encode(x=x, y=y, y2="second:Q"),
        others,
        ahead,
        felt.add_params(HOVER, PICKED),
        *[points] * (len(rows) <= HOVER_ROWS),
        end,
        named.mark_rule(x2Offset=14, opacity=0.5).encode(x=edge, x2=edge, y=y, y2="place:Q"),
        named.mark_text(align="left", dx=18, fontSize=12, limit=LABEL).encode(
            x=edge, y="place:Q", text="player:N"
        ),
    ]
    numbers = numbered(ends["player"], ends["rating"].map(words.chips))
    return finished(alt.layer(*layers), "development", words, height, numbers=numbers)


def _lead(table: pd.DataFrame) -> pd.DataFrame:
    """The best and the second rating in der Wertung after each evening."""
    ranked = table[table["rank"].notna()].groupby("evening", sort=False)["rating"]
    ends = ranked.nlargest(2).round(6).groupby("evening", sort=False)
    return pd.DataFrame({"rating": ends.max(), "second": ends.min()}).reset_index()


def results(
    results: pd.DataFrame, words: Words = _GERMAN, players: list | None = None
) -> alt.LayerChart:
    """Every result, players by evenings; blank where somebody was absent.

    `results` has `evening`, `player`, `result` and perhaps `date`; `players` is the order of the
    rows, by default as they first appear.
    """
    order = list(results["evening"].drop_duplicates())
    players = list(results["player"].drop_duplicates() if players is None else players)
    columns = ["evening", "player", "result"]
    if "date" in results and results["date"].notna().any():
        columns.append("date")
    most = float(results["result"].abs().max()) or 1.0
    base = alt.Chart(results[columns]).encode(
        x=evening_axis(order, words, "top"),
        y=player_axis(players),
        tooltip=tooltips(words, "player", "evening", *columns[2:]),
    )
    height, gap = ROW * len(players), min(1, 12 / len(order))
    cells = _pickable(base.mark_rect(strokeWidth=gap)).encode(
        color=diverging("result", most, words.text("chart.results_legend"), words)
    )
    wide, dark = f"width > {42 * len(order)}", f"abs(datum.result) > {0.6 * most}"
    numbers = written(base, alt.Text("result:Q", format=f",.{words.digits}f"), wide, dark)
    ends = [results.loc[getattr(results["result"], end)()] for end in ("idxmax", "idxmin")]
    high, low = (words.text("chart.one_result", **end[columns[:3]]) for end in ends)
    return finished(cells + numbers, "results", words, height, high=high, low=low)


def encounters(table: pd.DataFrame, words: Words = _GERMAN) -> alt.LayerChart | None:
    """How often each two sat together, from the table `chronicle.encounters`; None of nobody."""
    if table.empty:
        return None
    players = list(table["player"].drop_duplicates())
    size = max(min(ROW, 1200 // len(players)), 9)
    met = table[table["evenings"] > 0]
    pairs = table[table["player"].map(players.index) < table["other"].map(players.index)]
    often = pairs[pairs["evenings"] == pairs["evenings"].max()]
    names = [words.text("chart.encounters_pair", **row) for row in often.head(3).to_dict("records")]
    first, more = names[0] if names else "–", len(often) - 1
    if more > 0:
        first = words.text(
            f"chart.encounters_{'one' if more == 1 else 'many'}", first=first, n=more
        )
    top = max(int(table["evenings"].max()), 1)
    scale = alt.Scale(domain=[0, top], range=["#f3f6f4", GREEN], interpolate="rgb")
    base = alt.Chart(met.assign(column=met["other"] + MARK)).encode(
        x=others_axis(players, LABEL),
        y=player_axis(players),
        tooltip=tooltips(words, "player", "other", "evenings"),
    )
    cells = _pickable(base.mark_rect(strokeWidth=min(1, 12 / len(players)))).encode(
        color=alt.Color("evenings:Q", scale=scale, legend=None)
    )
    wide, dark = f"width > {16 * len(players)}", f"datum.evenings > {0.55 * top}"
    numbers = written(base, "evenings:Q", wide, dark)
    return finished(
        cells + numbers,
        "encounters",
        words,
        size * len(players),
        most="; ".join(names) or "–",
        first=first,
        never=int((pairs["evenings"] == 0).sum()),
    )


def _pickable(chart: alt.Chart) -> alt.Chart:
    """A click on a player frames his row."""
    frame = alt.when(PICKED).then(alt.value(INK)).otherwise(alt.value("white"))
    return chart.add_params(PICKED).encode(stroke=frame)


def _spread(values: pd.Series, low: float, high: float, gap: float) -> pd.Series:
    """Places as near the values as `gap` between neighbours allows, from `low` to `high`."""
    places = values.sort_values(ascending=False, kind="stable")
    ceiling, floor = high, low
    for k in range(len(places)):
        places.iloc[k] = ceiling = min(places.iloc[k], ceiling)
        ceiling -= gap
    for k in reversed(range(len(places))):
        places.iloc[k] = floor = max(places.iloc[k], floor)
        floor += gap
    return places
