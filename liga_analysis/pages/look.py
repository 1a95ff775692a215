"""How charts look: colours, German numbers, and the parts they share.

Charts hold no configuration, so that they compose (`|`, `&`, `+`); it is added when one is drawn.
Importing this module makes the one call for the session, `set_up`.
"""

from math import ceil, floor, log10

import altair as alt
import pandas as pd
from vl_convert import get_format_locale, get_time_format_locale

from ..words import Words

MIME = "application/vnd.vegalite.v5+json"  # the version JupyterLab draws; it takes newer specs
# Card-table green first; the steps of a podium take theirs in this order, the first three told
# apart by the colour-blind.
GREEN = "#0b6b4a"
PALETTE = (GREEN, "#2f6db5", "#b0610f", "#7a4a9e", "#a8325a", "#16747c", "#6a6a10", "#85503c")
INK, GREY, FAINT = "#1f1e1b", "#5f5b53", "#c9c5bc"
# Losses orange, gains blue, zero a light grey that is still not the blank of an absence.
DIVERGING = ("#9a4a00", "#eda65c", "#eceae5", "#7fb0df", "#1d4f91")
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
LABEL = 120  # px for a name beside a chart, so that a telephone has room for the chart itself
# px. JupyterLab draws a chart as wide as its "container" again and again, without end; so the page
# alone sets that width, and beside it Vega-Lite complains of heights in steps.
WIDTH, ROW = 640, 23
STYLE = "liga-"  # and the language: the style a chart of the league names in its view
_LOCALES = {"de": "de-DE", "en": "en-US"}


def config(language: str) -> dict:
    """The look of a chart in Vega-Lite, and how a language writes numbers and dates."""
    text = {"labelColor": GREY, "titleColor": GREY, "labelFontSize": 12, "titleFontSize": 12}
    locale = _LOCALES[language]
    return {
        "font": FONT,
        "background": "white",
        "padding": 6,
        "locale": {"number": get_format_locale(locale), "time": get_time_format_locale(locale)},
        "view": {"stroke": None},
        "title": {
            "anchor": "start",
            "frame": "bounds",
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


def spec(chart) -> dict:
    """A chart as Vega-Lite, with the look of the league if one of its charts is in it."""
    made = chart if isinstance(chart, dict) else chart.to_dict()
    style = _style(made)
    if style is None:
        return made
    return made | {"config": made.get("config", {}) | config(style.removeprefix(STYLE))}


def whole(chart):
    """A chart, single or composed, with its look and the language's numbers; it composes no longer.

    For who draws it without `spec`: `whole(chart).save("table.png")`.
    """
    return chart.configure(**spec(chart)["config"])


def _style(part: dict) -> str | None:
    """The first style of the league in a chart or in what it is composed of."""
    own = part.get("view", {}).get("style", "")
    if isinstance(own, str) and own.startswith(STYLE):
        return own
    parts = [p for kind in ("layer", "hconcat", "vconcat", "concat") for p in part.get(kind, [])]
    return next(filter(None, map(_style, parts)), None)


def set_up() -> None:
    """Draw charts without a network, in JupyterLab and on exported pages, of any number of rows.

    Sets altair's renderer and row limit for the whole session. Its theme is left alone: charts of
    one's own look as they would, and those of the league bring their own look.
    """
    alt.data_transformers.disable_max_rows()
    alt.renderers.register("liga", _bundle)
    alt.renderers.enable("liga")


def _bundle(made: dict, **_) -> dict:
    # Without its version, of which JupyterLab's older Vega-Lite would complain on every drawing.
    unversioned = {key: value for key, value in spec(made).items() if key != "$schema"}
    return {MIME: unversioned, "text/plain": made.get("description", "")}


set_up()


def finished(chart, kind: str, words: Words, height: int, note=None, page="chart", **values):
    """In the reader's language, and told in words with its numbers."""
    title = words.text(f"{page}.{kind}", **values)
    note = words.text(f"{page}.{kind}_note", **values) if note is None else note
    return chart.properties(
        width=WIDTH,
        height=height,
        title=alt.Title(title, subtitle=note.splitlines()),
        description=words.text(f"{page}.{kind}_alt", title=title, **values),
        view={"style": STYLE + words.language},
    )


def numbered(players: pd.Series, numbers: pd.Series) -> str:
    return "; ".join(players + " " + numbers)


HOVER = alt.selection_point("hover", fields=["player"], on="pointerover", empty=False)
PICKED = alt.selection_point("picked", fields=["player"], empty=False)  # the page sets it too


def beside(base: alt.Chart) -> alt.Chart:
    """The labels of the rows, `label`, on the right."""
    text = base.mark_text(align="left", dx=8, fontSize=12)
    return text.encode(x=alt.XValue("width"), text=alt.Text("label:N"), color=alt.ColorValue(INK))


def written(base: alt.Chart, text, wide: str, dark: str) -> alt.Chart:
    """A text in each cell where it is wide enough for it (not on a telephone), white on dark."""
    return base.mark_text(fontSize=11).encode(
        text=alt.when(wide).then(text).otherwise(alt.value("")),
        color=alt.when(dark).then(alt.value("white")).otherwise(alt.value(INK)),
    )


def player_axis(order) -> alt.Y:
    """Names from top to bottom; as a domain, since Vega's sort fails on a name like toString."""
    scale = alt.Scale(domain=list(order))
    return alt.Y("player:N", scale=scale, title=None, axis=alt.Axis(labelLimit=LABEL))


# Vega keeps the labels of an axis that changes its width by name, and loses one called __proto__.
MARK = "\N{ZERO WIDTH SPACE}"


def others_axis(order, limit: int) -> alt.X:
    """The same names from left to right, in a column `column` in which they end in MARK."""
    axis = alt.Axis(orient="top", labelAngle=-90, labelLimit=limit, labelOverlap=True)
    return alt.X(
        "column:N", scale=alt.Scale(domain=[name + MARK for name in order]), title=None, axis=axis
    )


def evening_axis(order: list, words: Words, orient: str = "bottom") -> alt.X:
    axis = alt.Axis(orient=orient, labelAngle=0, labelOverlap=True)
    return alt.X("evening:O", sort=order, title=words.text("column.evening"), axis=axis)


def lam_axis(channel, field: str, low: float, high: float):
    """λ on a logarithmic axis from low to high; `channel` is alt.X or alt.Y."""
    steps = (1, 2, 5) if high < 1e3 * low else (1, 3)
    powers = range(floor(log10(low)), ceil(log10(high)) + 1)
    # Ends of a grid may differ from a tick in the last digit.
    ticks = [m * 10.0**k for k in powers for m in steps if low <= m * 10.0**k * (1 + 1e-9)]
    ticks = [float(f"{tick:.3g}") for tick in ticks if tick <= high * (1 + 1e-9)]
    scale = alt.Scale(type="log", domain=[float(low), float(high)], nice=False)
    axis = alt.Axis(values=ticks, format="~g", labelOverlap=True)
    return channel(f"{field}:Q", title="λ", scale=scale, axis=axis)


def rank_scale(n: int, reverse: bool = True) -> alt.Scale:
    return alt.Scale(domain=[0.5, n + 0.5], reverse=reverse, nice=False, zero=False)


def diverging(field: str, most: float, title: str, words: Words) -> alt.Color:
    """Losses orange, gains blue, from −most to most chips, the legend below."""
    legend = alt.Legend(
        title=title,
        orient="bottom",
        gradientLength=90,
        gradientThickness=10,
        format=f",.{words.digits}f",
        values=[-most, 0, most],
    )
    domain = [-most, -most / 2, 0, most / 2, most]
    scale = alt.Scale(domain=domain, range=list(DIVERGING), interpolate="rgb")
    return alt.Color(f"{field}:Q", scale=scale, legend=legend)


def podium_scale(podium: int, other: str) -> alt.Scale:
    """The colour of each step of a podium from 1, and of 0, everybody else."""
    steps = range(1, podium + 1)
    tones = [PALETTE[(step - 1) % len(PALETTE)] for step in steps]
    return alt.Scale(domain=[0, *steps], range=[other, *tones])


def tooltips(words: Words, *columns: str) -> list[alt.Tooltip]:
    """Tooltips under the names of their columns."""
    amount, day = f",.{words.digits}f", {"de": "%d.%m.%Y", "en": "%-d %b %Y"}[words.language]
    kinds = {
        "player": {"type": "nominal"},
        "other": {"type": "nominal"},
        "evening": {"type": "ordinal"},
        "evenings": {"type": "ordinal"},
        "rank": {"type": "ordinal"},
        "date": {"type": "temporal", "format": day},
        "result": {"type": "quantitative", "format": "+" + amount},
    }
    return [
        alt.Tooltip(
            field=column,
            title=words.text(f"column.{column}"),
            **kinds.get(column, {"type": "quantitative", "format": amount}),
        )
        for column in columns
    ]
