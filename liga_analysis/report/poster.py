"""The season as one picture for a messenger group, made without a browser.

What was recorded, from top to bottom: headline, who won the evening, the podium with total and
evenings, one special award, the table, disputes and corrections.
"""

import textwrap

from ..pages.look import FONT, GREEN, GREY, INK, PALETTE
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
        texts.append(_text(_lines(line, size), top, size, color, weight))
        top += _height(line, size) + 8
    on_it = table["rank"] <= rules.podium
    if on_it.any():
        texts.append(_text(f"{rating} · {total}", top + 8, 11, GREY, right=0))
        steps, top = _rows(table[on_it], words, STEP, top + 24)
        texts += steps
    top += 12
    if line := story.award_told(report):
        texts.append(_text(_lines(line, 14), top, 14))
        top += _height(line, 14) + 12
    others = table[~on_it].head(SHOWN)
    if len(others):
        heads = [(total, 110), (rating, 0)]
        texts += [_text(name, top + 2, 11, GREY, right=right) for name, right in heads]
        rows, top = _rows(others, words, LINE, top + 20)
        texts += rows
    left_out = len(table) - int(on_it.sum()) - len(others)
    notes = [words.text("report.poster_more", n=left_out)] if left_out else []
    notes.append(words.text("report.poster_note"))
    top += 8
    for line in [" · ".join(notes), *report.remarks]:
        texts.append(_text(_lines(line, 11), top + 6, 11, GREY))
        top += _height(line, 11) + 4
    own = {"align": "align", "fontSize": "size", "fontWeight": "weight", "lineHeight": "line"}
    mark = {"type": "text", "baseline": "top"}
    place = {"type": "quantitative", "scale": None, "axis": None}
    return {
        "width": WIDTH,
        "height": top + 18,
        "description": words.text("report.kind"),
        "data": {"values": texts},
        "mark": mark | {name: {"expr": f"datum.{field}"} for name, field in own.items()},
        "encoding": {
            "x": {"field": "x"} | place,
            "y": {"field": "y"} | place,
            "text": {"field": "text", "type": "nominal"},
            "color": {"field": "color", "type": "nominal", "scale": None},
        },
        "config": {"font": FONT, "background": "white", "padding": 0, "view": {"stroke": None}},
    }


def picture(report: Overview) -> bytes:
    """The poster as a picture, twice as many pixels as its size."""
    from vl_convert import vegalite_to_png

    return vegalite_to_png(poster(report), scale=SCALE)


def _rows(table, words: Words, line: int, top: int) -> tuple[list[dict], int]:
    """Texts of rows `line` apart, and where they end; long names run over several lines."""
    texts, large = [], line == STEP
    for row in table.to_dict("records"):
        name, rank = textwrap.wrap(row["player"], BREAK) or [row["player"]], int(row["rank"])
        rating = f"{words.chips(row['rating'])} ± {words.chips(row['uncertainty'])}"
        total = {"total": row["total"], "evenings": words.over_evenings(row["evenings"])}
        sums = words.text("report.poster_sums", **total)
        size, weight = (24, "bold") if large else (14, "normal")
        tone = PALETTE[(rank - 1) % len(PALETTE)] if large else GREY
        texts += [
            _text(str(rank), top, size, tone, weight, right=WIDTH - 2 * MARGIN - 18),
            _text(name, top, size, INK, weight, left=40, line=line - 4),
            _text(rating, top, 16 if large else 14, INK, weight, right=0),
            _text(sums, top + 22 * large, 13 if large else 14, GREY, right=0 if large else 110),
        ]
        top += line + (len(name) - 1) * (line - 4)
    return texts, top


def _lines(text: str, size: int) -> list[str]:
    """No more lines than there must be, and those of even length."""
    widest = int(PER_LINE / size)
    fewest = len(textwrap.wrap(text, widest))
    widths = range(widest // 2, widest + 1)
    return next(lines for n in widths if len(lines := textwrap.wrap(text, n)) == fewest)


def _height(text: str, size: int) -> int:
    return len(_lines(text, size)) * round(1.25 * size)


def _text(text, y: int, size: int, color=INK, weight="normal", left=0, right=None, line=None):
    """A text, in lines if it is a list, so far from the left margin or from the right one."""
    x, align = (MARGIN + left, "left") if right is None else (WIDTH - MARGIN - right, "right")
    values = {"text": text, "x": x, "y": y, "size": size, "color": color, "weight": weight}
    return values | {"align": align, "line": line or round(1.25 * size)}
