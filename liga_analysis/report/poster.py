"""Podium and standings as one picture for a messenger group: made without a browser."""

import textwrap

import altair as alt
import pandas as pd

from ..pages.look import FONT, GREEN, GREY, INK, podium_scale
from ..pages.views import reservation
from ..words import Words
from .overview import Overview

WIDTH, MARGIN = 540, 24  # px, doubled in the picture: 1080 for a telephone's screen
LINE, HEAD, STEP = 22, 104, 46  # heights of a line of the table, the heading, a step of the podium
SHOWN = 24  # rows; a messenger makes longer pictures illegible
BREAK = 24, 24  # characters of a name to a line, in the table and on the podium
SCALE = 2


def poster(found: Overview) -> alt.LayerChart:
    """Who stands on the podium, and the table below it."""
    words, season = found.words, found.season
    table = found.table[found.table["qualified"]]
    steps = _rows(table[table["rank"] <= season.rules.podium], words, BREAK[1], STEP, HEAD)
    top = HEAD + sum(row["height"] for row in steps) + 28
    rows = _rows(table.head(SHOWN), words, BREAK[0], LINE, top)
    left_out = len(table) - len(rows)
    height = top + sum(row["height"] for row in rows) + 44
    day = season.results["date"].iloc[-1]
    key = "report.as_of" if pd.isna(day) else "report.as_of_date"
    after = words.text(key, evening=season.held[-1], date=day)
    if reservation(season):
        after += " · " + reservation(season)
    texts = [
        _text(season.name, MARGIN, 40, 24, weight="bold"),
        _text(after, MARGIN, 62, 13, GREY),
    ]
    if not steps:
        nobody = words.text("report.nobody_ranked", attendance=season.rules.attendance)
        texts.append(_text(nobody, MARGIN, HEAD + 10, 15))
    more = [words.text("report.poster_more", n=left_out)] if left_out else []
    more.append(words.text("report.poster_note", evenings=words.evenings(len(season.held))))
    texts.append(_text(" · ".join(more), MARGIN, height - 16, 11, GREY))
    layers = [*texts, *_podium(steps, season.rules.podium), *_table(rows, found)]
    return (
        alt.layer(*layers)
        .properties(width=WIDTH, height=height, description=words.text("report.kind"))
        .configure(font=FONT, background="white", padding=0)
        .configure_view(stroke=None)
    )


def picture(found: Overview) -> bytes:
    """The poster as a picture, twice as many pixels as its size."""
    from vl_convert import vegalite_to_png

    return vegalite_to_png(poster(found).to_dict(), scale=SCALE)


def _rows(table: pd.DataFrame, words: Words, width: int, line: int, top: int) -> list[dict]:
    """Rows with their places: long names run over several lines, none is cut."""
    rows = []
    for row in table.to_dict("records"):
        name = textwrap.wrap(row["player"], width) or [row["player"]]
        height = line + (len(name) - 1) * (line - 4)
        shown = {k: row[k] for k in ("rating", "uncertainty")} | {"rank": int(row["rank"])}
        label = f"{words.chips(row['rating'])} ± {words.chips(row['uncertainty'])}"
        rows.append(shown | {"name": name, "label": label, "y": top, "height": height})
        top += height
    return rows


def _text(text: str, x: int, y: int, size: int, color: str = INK, weight: str = "normal"):
    data = alt.Data(values=[{"text": textwrap.wrap(text, int(1.7 * (WIDTH - 2 * MARGIN) / size))}])
    mark = alt.Chart(data).mark_text(
        align="left", baseline="bottom", fontSize=size, color=color, fontWeight=weight
    )
    return mark.encode(x=alt.value(x), y=alt.value(y), text="text:N")


def _podium(steps: list[dict], podium: int) -> list[alt.Chart]:
    if not steps:
        return []
    base = alt.Chart(alt.Data(values=steps))
    at = alt.Y("y:Q", scale=None, axis=None)
    tone = alt.Color("rank:O", scale=podium_scale(podium, GREY), legend=None)
    name = {"baseline": "top", "fontSize": 24, "fontWeight": "bold", "lineHeight": STEP - 4}
    return [
        base.mark_text(align="center", **name).encode(
            x=alt.value(MARGIN + 10), y=at, text="rank:O", color=tone
        ),
        base.mark_text(align="left", **name).encode(
            x=alt.value(MARGIN + 40), y=at, text="name:N", color=alt.value(INK)
        ),
        base.mark_text(align="right", baseline="top", fontSize=15, dy=6).encode(
            x=alt.value(WIDTH - MARGIN), y=at, text="label:N", color=alt.value(INK)
        ),
    ]


def _table(rows: list[dict], found: Overview) -> list[alt.Chart]:
    if not rows:
        return []
    low = min(row["rating"] - row["uncertainty"] for row in rows)
    high = max(row["rating"] + row["uncertainty"] for row in rows)
    left, right = 250, WIDTH - MARGIN - 108

    def x(value: float) -> float:
        return left + (right - left) * (value - low) / (high - low)

    drawn = [
        row
        | {"dot": x(row["rating"]), "from": x(row["rating"] - row["uncertainty"])}
        | {"to": x(row["rating"] + row["uncertainty"]), "middle": row["y"] + 7}
        for row in rows
    ]
    base = alt.Chart(alt.Data(values=drawn))
    at, middle = (alt.Y(f"{y}:Q", scale=None, axis=None) for y in ("y", "middle"))
    text = {"baseline": "top", "fontSize": 14}
    return [
        base.mark_text(align="right", color=GREY, **text).encode(
            x=alt.value(MARGIN + 18), y=at, text="rank:O"
        ),
        base.mark_text(align="left", color=INK, lineHeight=LINE - 4, **text).encode(
            x=alt.value(MARGIN + 28), y=at, text="name:N"
        ),
        base.mark_rule(color=GREEN, strokeWidth=2, opacity=0.5).encode(
            x=alt.X("from:Q", scale=None, axis=None), x2="to:Q", y=middle
        ),
        base.mark_circle(color=GREEN, size=60, opacity=1).encode(
            x=alt.X("dot:Q", scale=None, axis=None), y=middle
        ),
        base.mark_text(align="right", color=INK, **text).encode(
            x=alt.value(WIDTH - MARGIN), y=at, text="label:N"
        ),
    ]
