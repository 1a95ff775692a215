"""The lines of the form for an evening: a seat each, as many as are needed."""

from collections.abc import Callable
from dataclasses import replace

import ipywidgets as ipw
import numpy as np
import pandas as pd

from ..rules import CHIP_SET, LeagueRules
from ..words import Words
from .typed import Seat, counted

LEAST = 6  # lines before anything is typed
SPARE = 2  # lines below what is typed: one is there when the next is still being made
_WIDTHS = {"line": 24, "player": 170, "entries": 76, "count": 66, "chips": 80, "result": 66}  # px
_GREY = '<span style="color: var(--grey)">{}</span>'
_RIGHT = '<div style="text-align: right">{}</div>'


class SeatLines:
    """Lines with the same columns; `changed` is called when one was edited.

    `visible` makes a callback's error seen.
    """

    def __init__(self, rules: LeagueRules, words: Words, changed: Callable, visible: Callable):
        self.rules, self.words, self.changed, self.visible = rules, words, changed, visible
        self.players, self.lines, self.colours = [], [], False
        self.head, self.body = _beside([]), ipw.VBox(layout={"overflow": "visible"})
        self.box = ipw.VBox([self.head, self.body], layout={"overflow": "auto"})

    def fill(self, seats: tuple[Seat, ...], players: list[str]) -> None:
        """Lines of these seats, with these players to choose from."""
        self.players = players
        self.lines = [_Line(self, seat) for seat in seats]

    def show(self, colours: bool) -> int:
        """Fields for the chips' colours, or none, and headings that fit; their width in px."""
        self.colours, text = colours, self.words.text
        columns = [("line", "")]
        columns += [(name, text(f"column.{name}")) for name in ("player", "entries")]
        counts = [("count", f"{text(f'column.{chip.colour}')} {chip.value}") for chip in CHIP_SET]
        columns += counts if colours else []
        columns += [("chips", text("form.chips")), ("result", _RIGHT.format(text("column.result")))]
        self.head.children = [
            ipw.HTML(f"<b>{title}</b>", layout=_width(name)) for name, title in columns
        ]
        for line in self.lines:
            line.show()
        return sum(_WIDTHS[name] + 4 for name, _ in columns)

    def seats(self) -> tuple[Seat, ...]:
        """What is typed, down to the last line with anything in it."""
        seats = [line.seat() for line in self.lines]
        while seats and seats[-1] == Seat():
            seats.pop()
        return tuple(seats)

    def show_results(self, chips: pd.DataFrame) -> None:
        """Number the lines and give them their results, with some to spare below."""
        while len(self.lines) < max(len(chips) + SPARE, LEAST):
            self.lines.append(_Line(self, Seat()))
        self.body.children = [line.box for line in self.lines]
        results = chips["result"].reindex(range(len(self.lines)))
        for k, (line, result) in enumerate(zip(self.lines, results, strict=True)):
            line.number.value = _GREY.format(k + 1)
            shown = "" if np.isnan(result) else self.words.signed(result)
            line.result.value = _RIGHT.format(shown)


class _Line:
    def __init__(self, lines: SeatLines, seat: Seat):
        self.lines, self.note = lines, seat.note
        entries = ["", *map(str, range(1, lines.rules.max_entries + 1))]
        entries += [seat.entries] * (seat.entries not in entries)  # of an evening in error
        self.number, self.result = (
            ipw.HTML(layout=_width("line")),
            ipw.HTML(layout=_width("result")),
        )
        self.player = ipw.Combobox(
            value=seat.player,
            options=lines.players,
            continuous_update=False,
            layout=_width("player"),
        )
        self.entries = ipw.Dropdown(options=entries, value=seat.entries, layout=_width("entries"))
        self.counts = [ipw.Text(value=count, layout=_width("count")) for count in seat.counts]
        self.chips = ipw.Text(value=seat.chips, layout=_width("chips"))
        for count in self.counts:
            count.observe(lines.visible(self._add_up), "value")
        for field in (self.player, self.entries, self.chips):
            field.observe(lines.changed, "value")
        fields = [self.number, self.player, self.entries, *self.counts, self.chips, self.result]
        self.box = _beside(fields).add_class("liga-line")
        self.show()

    def show(self) -> None:
        for count in self.counts:
            count.layout.display = None if self.lines.colours else "none"

    def seat(self) -> Seat:
        counts = [count.value if self.lines.colours else "" for count in self.counts]
        fields = (self.player.value, self.entries.value, self.chips.value)
        return Seat(*fields, tuple(counts), self.note)

    def _add_up(self, _) -> None:
        """The chips that the counts are worth, put into their field."""
        worth = counted((replace(self.seat(), chips=""),), self.lines.rules)["chips_out"][0]
        self.chips.value = "" if np.isnan(worth) else f"{worth:.0f}"
        self.lines.changed()


def _width(name: str) -> dict[str, str]:
    return {"width": f"{_WIDTHS[name]}px", "flex": "0 0 auto"}


def _beside(fields: list[ipw.Widget]) -> ipw.HBox:
    """Fields side by side; where the window is narrow all lines are moved together."""
    return ipw.HBox(fields, layout={"width": "max-content", "overflow": "visible"})
