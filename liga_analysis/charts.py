"""Charts: tables in, Vega-Lite out. Nothing is computed but where labels find room.

Importing this module sets altair up for the whole session: the league's look, German numbers and
dates, and a renderer that draws without a network in JupyterLab and in exported pages.
"""

import sys

# jsonschema, on which altair rests, spends 0.9 s on a grammar for IRIs if it finds this package;
# no schema in use has an IRI in it.
sys.modules.setdefault("rfc3987_syntax", None)

import altair as alt  # noqa: E402
import pandas as pd  # noqa: E402
from vl_convert import get_format_locale, get_time_format_locale  # noqa: E402

from .labels import Words  # noqa: E402

MIME = "application/vnd.vegalite.v5+json"  # the version JupyterLab draws; it takes newer specs
# Card-table green, blue and ochre for steps 1 to 3 of the podium: told apart by the colour-blind.
PODIUM = ("#0b6b4a", "#2f6db5", "#b0610f")
INK, GREY, FAINT = "#1f1e1b", "#5f5b53", "#c9c5bc"
# Losses orange, gains blue, zero a light grey that is still not the blank of an absence.
DIVERGING = ("#9a4a00", "#eda65c", "#eceae5", "#7fb0df", "#1d4f91")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
LABEL = 120  # px for a name beside a chart, so that a telephone has room for the chart itself
LINE = 15  # px from one label to the next
HOVER_ROWS = 2500  # every point reacts to the pointer up to here; larger charts answer by line
_LOCALES = {"de": "de-DE", "en": "en-US"}
_GERMAN = Words()


def _locale(language: str) -> dict:
    name = _LOCALES[language]
    return {"number": get_format_locale(name), "time": get_time_format_locale(name)}


@alt.theme.register("liga", enable=True)
def _theme() -> alt.theme.ThemeConfig:
    text = {"labelColor": GREY, "titleColor": GREY, "labelFontSize": 12, "titleFontSize": 12}
    return {
        "config": {
            "font": FONT,
            "background": "white",
            "padding": 6,
            "locale": _locale("de"),
            "view": {"stroke": None},
            "title": {
                "anchor": "start",
                "frame": "group",
                "color": INK,
                "fontSize": 14,
                "subtitleColor": GREY,
                "subtitleFontSize": 12,
                "offset": 12,
            },
            # The chart's description says it all; a screen reader need not hear every mark.
            "axis": {**text, "gridColor": "#e8e5de", "domain": False, "ticks": False, "aria": False}
            | {"titleFontWeight": "normal", "labelPadding": 6},
            "legend": {**text, "titleFontWeight": "normal", "aria": False},
            "mark": {"aria": False},
        }
    }


alt.data_transformers.disable_max_rows()
alt.renderers.register("liga", lambda spec, **_: {MIME: spec, "text/plain": spec["description"]})
alt.renderers.enable("liga")


def ratings(table: pd.DataFrame, words: Words = _GERMAN) -> alt.LayerChart:
    """Every rating as a dot with its ±u on a common scale, in table order.

    Parameters
    ----------
    table : DataFrame
        What `standings` returns.
    words : Words
        Language, and decimals of amounts.
    """
    rows = table[["player", "rating", "uncertainty", "qualified"]].assign(
        low=table["rating"] - table["uncertainty"],
        high=table["rating"] + table["uncertainty"],
        label=[_plus_minus(row, words) for row in table.itertuples()],
    )
    y = alt.Y("player:N", sort=list(rows["player"]), title=None, axis=alt.Axis(labelLimit=LABEL))
    tone = alt.when(alt.datum.qualified).then(alt.value(PODIUM[0])).otherwise(alt.value(GREY))
    base = alt.Chart(rows).encode(
        y=y,
        color=tone,
        tooltip=[
            alt.Tooltip("player:N", title=words.text("column.player")),
            _amount("rating", words),
            _amount("uncertainty", words),
        ],
    )
    zero = alt.Chart(rows.head(1)).mark_rule(color=FAINT).encode(x=alt.datum(0))
    line = base.mark_rule(strokeWidth=2, opacity=0.5).encode(
        x=alt.X("low:Q", title=None), x2="high:Q"
    )
    dot = base.mark_circle(size=70, opacity=1).encode(x="rating:Q")
    number = base.mark_text(align="left", dx=8, fontSize=12).encode(
        x=alt.value("width"), text="label:N", color=alt.value(INK)
    )
    title = words.text("chart.ratings")
    numbers = "; ".join(f"{row.player} {row.label}" for row in rows.itertuples())
    described = words.text("chart.ratings_alt", title=title, numbers=numbers)
    return _finished(zero + line + dot + number, words, title, described, height=alt.Step(24))


def development(table: pd.DataFrame, words: Words = _GERMAN) -> alt.LayerChart:
    """Every rating over the evenings: the podium coloured, the others grey until pointed at.

    Parameters
    ----------
    table : DataFrame
        What `ranking.development` returns.
    words : Words
    """
    order = table["evening"].drop_duplicates().tolist()
    last = table[table["evening"] == order[-1]]
    last = last.sort_values(["rank", "rating"], ascending=[True, False], kind="stable")
    step = last.set_index("player")["rank"].fillna(0).astype(int)
    rows = table[["evening", "player", "rating", "rank"]].assign(
        rating=table["rating"].round(words.digits + 1),  # finer than a pixel, shorter in the page
        step=table["player"].map(step.where(step <= len(PODIUM), 0)),
    )
    height = min(max(20 * len(last), 260), 520)
    low, high = table["rating"].min(), table["rating"].max()
    margin = 0.04 * (high - low) or 1.0
    low, high = low - margin, high + margin
    shown = last.head(height // LINE)
    ends = last.assign(step=last["player"].map(rows.set_index("player")["step"].groupby(level=0).first()))
    ends = ends[["evening", "player", "rating", "step"]].assign(
        label=last["player"].where(last["player"].isin(shown["player"]), ""),
        place=_spread(shown["rating"], low, high, LINE * (high - low) / height),
    )

    hover = alt.selection_point("hover", fields=["player"], on="pointerover", empty=False)
    picked = alt.selection_point("picked", fields=["player"], empty=False)
    lit = hover | picked
    colour = alt.when(alt.datum.step > 0).then(
        alt.Color("step:O", scale=alt.Scale(domain=[1, 2, 3], range=list(PODIUM)), legend=None)
    )
    line_colour = colour.otherwise(alt.when(lit).then(alt.value(INK)).otherwise(alt.value(FAINT)))
    x = alt.X(
        "evening:O",
        sort=order,
        title=words.text("column.evening"),
        axis=alt.Axis(labelAngle=0, labelOverlap=True),
    )
    scale = alt.Scale(domain=[low, high], nice=False)
    base = alt.Chart(rows).encode(x=x, y=alt.Y("rating:Q", title=None, scale=scale), detail="player:N")
    return base, ends, hover, picked, line_colour, height
