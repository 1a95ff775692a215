"""The season as one picture for a messenger group, made without a browser.

What was recorded, from top to bottom: headline, who won the evening, the podium with total and
evenings, one special award, the table, disputes and corrections.
"""

import textwrap

import altair as alt

from ..pages.look import FONT, GREEN, GREY, INK, podium_scale
from ..pages.views import as_of
from ..words import Words
from . import story
from .overview import Overview

WIDTH, MARGIN = 540, 24  # px, doubled in the picture: 1080 for a telephone's screen
LINE, STEP = 22, 52  # heights of a line of the table, of a step of the podium
SHOWN = 20  # rows; a messenger makes longer pictures illegible
BREAK = 24  # characters of a name to a line
PER_LINE = 1.9 * (WIDTH - 2 * MARGIN)  # characters of size 1 to a line
SCALE = 2


def poster(report: Overview) -> dict:
    """The picture as Vega-Lite: 540 px wide, as high as what there is to say."""
    words, rules, table = report.words, report.season.rules, report.table[report.table["qualified"]]
    head, *more = story.headline(report)
    rating, total = words.text("report.strength"), words.text("column.total")
    texts, top = [], 18
    for line, size, color, weight in [
        (report.season.name, 15, GREEN, "bold"),
        (as_of(report.season), 13, GREY, "normal"),
        (head, 24, INK, "bold"),
        (" ".join([*more[:1], story.evening_won(report)]), 14, INK, "normal"),
    ]:
        texts.append(_text(line, top, size, color, weight))
        top += _height(line, size) + 8
    steps = _rows(table[table["rank"] <= rules.podium], words, STEP, top + 24)
    heads = [(steps[0]["y"] - 16, 0, f"{rating} · {total}")] if steps else []
    top = 12 + (steps[-1]["y"] + steps[-1]["height"] if steps else top)
    for line in filter(None, [story.award_told(report)]):
        texts.append(_text(line, top, 14, INK, "normal"))
        top += _height(line, 14) + 12
    others = table[table["rank"] > rules.podium].head(SHOWN)
    rows = _rows(others, words, LINE, top + 20)
    heads += [(rows[0]["y"] - 18, 110, total), (rows[0]["y"] - 18, 0, rating)] if rows else []
    top = 8 + (rows[-1]["y"] + rows[-1]["height"] if rows else top)
    left_out = len(table) - len(steps) - len(rows)
    notes = [words.text("report.poster_more", n=left_out)] if left_out else []
    notes.append(words.text("report.poster_note"))
    for line in [" · ".join(notes), *report.remarks]:
        texts.append(_text(line, top + 6, 11, GREY, "normal"))
        top += _height(line, 11) + 4
    heads = [_heading(text, y, WIDTH - MARGIN - left) for y, left, text in heads]
    layers = [*texts, *heads, *_podium(steps, rules.podium), *_table(rows)]
    picture = alt.layer(*layers).properties(
        width=WIDTH, height=top + 18, description=words.text("report.kind")
    )
    config = {"font": FONT, "background": "white", "padding": 0, "view": {"stroke": None}}
    return picture.to_dict() | {"config": config}


def picture(report: Overview) -> bytes:
    """The poster as a picture, twice as many pixels as its size."""
    from vl_convert import vegalite_to_png

    return vegalite_to_png(poster(report), scale=SCALE)


def _rows(table, words: Words, line: int, top: int) -> list[dict]:
    """Rows with their places: long names run over several lines, none is cut."""
    rows = []
    for row in table.to_dict("records"):
        name = textwrap.wrap(row["player"], BREAK) or [row["player"]]
        height = line + (len(name) - 1) * (line - 4)
        total = {"total": row["total"], "evenings": words.over_evenings(row["evenings"])}
        shown = {"rank": int(row["rank"]), "name": name, "y": top, "height": height}
        shown["label"] = f"{words.chips(row['rating'])} ± {words.chips(row['uncertainty'])}"
        rows.append(shown | {"sums": words.text("report.poster_sums", **total)})
        top += height
    return rows


def _lines(text: str, size: int) -> list[str]:
    """No more lines than there must be, and those of even length."""
    widest = int(PER_LINE / size)
    fewest = len(textwrap.wrap(text, widest))
    widths = range(widest // 2, widest + 1)
    return next(lines for n in widths if len(lines := textwrap.wrap(text, n)) == fewest)


def _height(text: str, size: int) -> int:
    return len(_lines(text, size)) * round(1.25 * size)


def _text(text: str, y: int, size: int, color: str, weight: str) -> alt.Chart:
    mark = alt.Chart(alt.Data(values=[{"text": _lines(text, size)}])).mark_text(
        align="left",
        baseline="top",
        fontSize=size,
        lineHeight=round(1.25 * size),
        color=color,
        fontWeight=weight,
    )
    return mark.encode(x=alt.value(MARGIN), y=alt.value(y), text="text:N")


def _heading(text: str, y: int, right: int) -> alt.Chart:
    mark = alt.Chart(alt.Data(values=[{"text": text}])).mark_text(
        align="right", baseline="top", fontSize=11, color=GREY
    )
    return mark.encode(x=alt.value(right), y=alt.value(y), text="text:N")


def _podium(steps: list[dict], podium: int) -> list[alt.Chart]:
    if not steps:
        return []
    base = alt.Chart(alt.Data(values=steps))
    at = alt.Y("y:Q", scale=None, axis=None)
    tone = alt.Color("rank:O", scale=podium_scale(podium, GREY), legend=None)
    name = {"baseline": "top", "fontSize": 24, "fontWeight": "bold", "lineHeight": STEP - 4}
    right = {"align": "right", "baseline": "top"}
    return [
        base.mark_text(align="center", **name).encode(
            x=alt.value(MARGIN + 10), y=at, text="rank:O", color=tone
        ),
        base.mark_text(align="left", **name).encode(
            x=alt.value(MARGIN + 40), y=at, text="name:N", color=alt.value(INK)
        ),
        base.mark_text(fontSize=16, fontWeight="bold", **right).encode(
            x=alt.value(WIDTH - MARGIN), y=at, text="label:N", color=alt.value(INK)
        ),
        base.mark_text(fontSize=13, dy=22, **right).encode(
            x=alt.value(WIDTH - MARGIN), y=at, text="sums:N", color=alt.value(GREY)
        ),
    ]


def _table(rows: list[dict]) -> list[alt.Chart]:
    if not rows:
        return []
    base = alt.Chart(alt.Data(values=rows))
    at = alt.Y("y:Q", scale=None, axis=None)
    text = {"baseline": "top", "fontSize": 14}
    return [
        base.mark_text(align="right", color=GREY, **text).encode(
            x=alt.value(MARGIN + 18), y=at, text="rank:O"
        ),
        base.mark_text(align="left", color=INK, lineHeight=LINE - 4, **text).encode(
            x=alt.value(MARGIN + 40), y=at, text="name:N"
        ),
        base.mark_text(align="right", color=GREY, **text).encode(
            x=alt.value(WIDTH - MARGIN - 110), y=at, text="sums:N"
        ),
        base.mark_text(align="right", color=INK, **text).encode(
            x=alt.value(WIDTH - MARGIN), y=at, text="label:N"
        ),
    ]
