"""The form for an evening in JupyterLab: widgets round `typed`, stored as `recording` has it."""

import asyncio
from collections.abc import Callable
from datetime import date
from functools import partial
from html import escape
from pathlib import Path

import ipywidgets as ipw
import pandas as pd

from ..pages import views
from ..pages.live import seen
from ..pages.markup import Html, html
from ..season.folder import PROTOCOLS
from ..season.names import alphabetical
from ..season.season import load_season
from ..words import DataError, Problem, Words, system_says, user_language
from .files import season_folder, season_lock, store
from .preview import effect, remarks
from .seat_lines import SeatLines
from .submissions import Given
from .typed import (
    Typed,
    balance,
    counted,
    evenings,
    in_form,
    name_note,
    prepared,
    seats_of,
    sentences,
)

PAUSE = 0.4  # seconds without a key after which all is judged
LEAST = 480  # px: with it the form and what it changes stand side by side in JupyterLab
_NOTED = ("date", "host", "second", "reason", "accepted")


def place(season: str | Path) -> Html:
    """Which folder the form writes to; or why it cannot be used."""
    try:
        folder, loaded = season_folder(season), load_season(season)
    except DataError as error:
        words = Words(user_language())
        return html("problems", words, first=[p.message() for p in error.problems], rest=[])
    words = loaded.words
    lines = [loaded.name, words.text("form.place", folder=str(folder))]
    if folder.parent.name == "beispielliga":
        lines.append(words.text("form.example"))
    lines.append(words.text("form.lab"))
    return html("preview", words, blocks=[(lines, None)])


def form(season: str | Path, today: Callable[[], date]) -> ipw.VBox:
    """A form that records evenings in a season folder; empty where `place` says that it cannot.

    Nothing is written before its button is pressed, and nothing typed is lost if that fails.
    """
    try:
        return _Form(season_folder(season), today).box
    except DataError:
        return ipw.VBox()


class _Form:
    def __init__(self, folder: Path, today: Callable[[], date]):
        self.folder, self.today = folder, today
        self.season = load_season(folder)
        self.words = words = self.season.words
        self.recording = self.waiting = self.choice = None
        self.noted, self.drafts = {}, {}  # what is typed of evenings not in sight
        wide, half = (
            {"layout": {"width": width}, "style": {"description_width": "96px"}}
            for width in ("440px", "290px")
        )

        def say(key):
            return words.text(f"form.{key}")

        self.evening = ipw.Dropdown(description=say("evening"), **wide)
        self.date = ipw.DatePicker(description=words.text("column.date"), **half)
        self.host = ipw.Combobox(description=words.text("column.host"), **half)
        self.second = ipw.Checkbox(description=say("second"), indent=False)
        self.colours = ipw.Checkbox(description=say("colours"), indent=False)
        self.reason = ipw.Text(description=say("reason"), placeholder=say("why"), **wide)
        self.accepted = ipw.Text(description=say("accepted"), placeholder=say("agreed"), **wide)
        self.save = ipw.Button(button_style="success", layout={"width": "max-content"})
        self.sum, self.names, self.objections, self.done, self.effect = (
            ipw.HTML() for _ in range(5)
        )
        self.accepted.layout.display = "none"
        self.failed = ipw.Output()
        self._seen = partial(seen, self.failed)
        self.changed, self.check = self._seen(self._changed), self._seen(self._check)
        self.choose = self._seen(self._choose)
        self.lines = SeatLines(self.season.rules, words, self.changed, self._seen)
        left = [self.evening, self.date, self.host, self.second, self.colours]
        left += [self.lines.box, self.sum, self.names]
        left += [self.accepted, self.reason, self.objections, self.save, self.done]
        self.left = ipw.VBox([*left, self.failed], layout={"max_width": "100%"})
        self.effect.layout = {"flex": "1 1 330px", "max_width": "560px"}
        beside = {"flex_flow": "row wrap", "grid_gap": "0 24px"}
        columns = ipw.HBox([self.left, self.effect], layout=beside)
        self.box = ipw.VBox([ipw.HTML(str(views.style())), columns])
        self.evening.observe(self.choose, "value")
        for name in _NOTED:
            getattr(self, name).observe(self.changed, "value")
        self.colours.observe(self._seen(self._colours), "value")
        self.save.on_click(self._seen(self._save))
        self._begin()

    def _begin(self) -> None:
        """Offer the season's evenings, the next one first."""
        self.season = load_season(self.folder)
        self.players = sorted(self.season.licences["player"], key=alphabetical)
        self.host.options = self.players
        self.choice, self.effect.value = None, ""
        self.evening.unobserve(self.choose, "value")
        self.evening.options = evenings(self.season)
        self.evening.value = self.evening.options[0][1]
        self.evening.observe(self.choose, "value")
        self._choose()

    def _choose(self, _=None) -> None:
        """Bring an evening into sight: as it was left, else as it is announced or held."""
        if self.choice:
            self.noted[self.choice] = [getattr(self, name).value for name in _NOTED]
            self.drafts[self.draft] = self.lines.seats()
        self.choice = evening, held = self.evening.value
        self.draft = evening if held else None  # new evenings share what is typed
        calendar = self.season.evenings.set_index("evening")
        known = [None, "", False, "", ""]
        if evening:
            day, host = calendar.loc[evening, ["date", "host"]]
            known[:2] = None if pd.isna(day) else day.date(), host
        for name, value in zip(_NOTED, self.noted.get(self.choice, known), strict=True):
            getattr(self, name).value = value
        self.second.layout.display = None if evening is None else "none"
        self.reason.layout.display = None if held else "none"
        key = "form.save_correction" if held else "form.save"
        self.save.description = self.words.text(key, name=self.season.name)
        seats, self.unread = self.drafts.get(self.draft, ()), []
        try:
            seats = seats or (seats_of(self.season, evening) if held else ())
        except DataError as error:
            self.unread = error.problems
        self.lines.fill(seats, self.players)
        self._colours()

    def _colours(self, _=None) -> None:
        width = self.lines.show(self.colours.value)
        self.left.layout.width = f"{max(width, LEAST)}px"
        self._changed()

    def _typed(self) -> Typed:
        evening, held = self.choice
        if evening is None and self.second.value:
            evening = int(max(self.season.evenings["evening"], default=0)) + 1
        numbers = (None, evening) if held else (evening, None)
        given = Given(self.date.value, self.host.value.strip(), *numbers)
        reason = self.reason.value if held else ""
        return Typed(given, self.lines.seats(), reason, self.accepted.value.strip())

    def _changed(self, _=None) -> None:
        """Add up at once; judge when nothing more is typed."""
        self.recording, self.save.disabled, self.done.value = None, True, ""
        seats = self.lines.seats()
        chips = counted(seats, self.season.rules)
        self.lines.show_results(chips)
        self.sum.value = self._balance(chips) if seats else ""
        notes = (name_note(self.season, seat.player) for seat in seats)
        self.names.value = "<br>".join(escape(note) for note in notes if note)
        if self.waiting:
            self.waiting.cancel()
        self.waiting = asyncio.get_running_loop().call_later(PAUSE, self.check)

    def _balance(self, chips: pd.DataFrame) -> str:
        sentence, even = balance(chips, self.words)
        colour = "accent" if even else "signal"
        return f'<b style="color: var(--{colour}); font-size: 15px">{sentence}</b>'

    def _check(self, _=None) -> None:
        """Judge what is typed, and show what recording it would change."""
        typed, problems, shown = self._typed(), self.unread, ""
        try:
            if typed.seats:
                problems = []
                self.recording = prepared(self.season, typed, self.today())
        except DataError as error:
            problems = error.problems
        wanted = any(p.code == "sum" for p in problems) or typed.accepted
        self.accepted.layout.display = None if wanted else "none"
        if self.recording:
            words = self.recording.after.words
            doubts = remarks(in_form(self.recording.problems), words)
            blocks = [(doubts, None), *effect(self.recording, words)]
            shown = str(html("preview", words, blocks=blocks))
            if typed.given.replace and not typed.reason.strip():
                problems = [Problem("error", "order", "form_reason", typed.given.replace)]
                self.recording = None
        self._refuse(problems)
        self.effect.value, self.save.disabled = shown, self.recording is None

    def _refuse(self, problems: list[Problem]) -> None:
        self.objections.value = self._band(sentences(problems, self.words)) if problems else ""

    def _band(self, lines: list[str]) -> str:
        """Sentences in red, their lines as close as on a page."""
        band = html("problems", self.words, first=lines, rest=[])
        return f'<div style="line-height: 1.4">{band}</div>'

    def _save(self, _) -> None:
        """Store what is shown; of two clicks the second finds nothing to store."""
        recording, self.recording = self.recording, None
        if recording is None:
            return
        self.save.disabled = True
        try:
            with season_lock(self.folder):
                kept = [problem.message(self.words.language) for problem in store(recording)]
        except (DataError, OSError) as error:
            self._check()  # of the season as it is now
            why = str(error) if isinstance(error, DataError) else system_says(error, self.words)
            self.done.value = self._band([self.words.text("form.failed", reason=why)])
            return
        sheet = next(p for p in recording.contents if p.parent.name == PROTOCOLS)
        stored = self.words.text("record.stored", evenings=recording.evenings)
        saved = self.words.text("form.saved", stored=stored, sheet=sheet.name)
        self.drafts.pop(self.draft, None)
        self.noted.pop(self.choice, None)
        self._begin()
        band = self._band(kept) if kept else ""
        self.done.value = f'{band}<b style="color: var(--accent)">{saved}</b>'
