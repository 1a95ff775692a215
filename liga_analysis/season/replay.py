"""The rulebook replayed: the events of one evening, and every one of them that breaks a rule.

Entry only without chips, at most three times, never after the exit; exit announced two rounds
ahead, unless the evening ends. Whether it was announced in time is judged where the log knows
rounds; a running number or the time of day does not tell. Who has no chips has nothing to announce.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from ..rules import LeagueRules
from ..words import Problem
from .cells import Table
from .names import name_key

DAY = pd.Timedelta(days=1)


@dataclass
class _Seat:
    """A player in the course of an evening."""

    player: str
    entries: int = 0
    chips: bool = False  # in play
    left: bool = False
    notice: float = np.nan  # round in which the exit was announced
    taken: float = 0.0  # chips at the exit
    row: int = 0  # of the last event


class Replay:
    """One evening, event by event.

    Attributes
    ----------
    rows : dict
        The summary sheet, by the line of each player's last event.
    stints : list of list
        `evening`, `player`, `entry`, `start`, `end`, `how`, one for each entry.
    problems : list of Problem
    """

    def __init__(self, table: Table, events: pd.DataFrame, rules: LeagueRules):
        self.table, self.rules = table, rules
        number = events["evening"].iloc[0]
        self.evening = None if np.isnan(number) else int(number)
        self.events = events
        self.problems: list[Problem] = []
        self.stints: list[list] = []
        self.seats: dict[str, _Seat] = {}
        closing = events.loc[(events["event"] == "end") & (events["player"] == ""), "round"].min()
        self.last_round = events["round"].max() if np.isnan(closing) else closing
        self.over = False
        for event in events.itertuples():
            self._take(event)
        if self.problems:
            self._tell_sum()

    @property
    def rows(self) -> dict[int, tuple]:
        """The rows of a summary sheet, by the line of each player's last event."""
        hosts, lines, day = self.table.words("host"), self.table.lines, self.events["day"]
        host = next((hosts[k] for k in self.events.index if hosts[k]), "")
        if day.max() - day.min() <= DAY:  # else no evening has both; the season tells of it
            day = pd.Series(day.min(), day.index)
        return {
            int(lines[seat.row]): (
                "" if self.evening is None else float(self.evening),
                "" if pd.isna(day[seat.row]) else day[seat.row].date(),
                host,
                seat.player,
                float(seat.entries),
                "" if seat.chips or np.isnan(seat.taken) else float(seat.taken),
            )
            for seat in self.seats.values()
            if seat.entries
        }

    def _take(self, event) -> None:
        if not event.event:
            return  # told when it was read
        if event.player:
            seat = self.seats.setdefault(name_key(event.player), _Seat(event.player))
            seat.row = event.Index
            getattr(self, f"_{event.event}")(event, seat)
        elif event.event == "end":
            self.over = True
        else:
            self._tell(event, "name_missing", code="name")

    def _tell(self, event, key: str, code: str = "event", **values) -> None:
        place = {"evening": self.evening, "player": event.player or None}
        self.problems.append(self.table.problem(event.Index, "error", code, key, **place, **values))

    def _entry(self, event, seat: _Seat) -> None:
        stack, limit = self.rules.entry_chips, self.rules.max_entries
        if self.over:
            self._tell(event, "event_over")
        if seat.left:
            self._tell(event, "event_left")
        if seat.chips:
            self._tell(event, "event_has_chips")
        if seat.entries >= limit:
            self._tell(event, "event_entries", limit=limit)
        if event.chips_out != stack and not np.isnan(event.chips_out):
            self._tell(event, "event_stack", chips=event.chips_out, stack=stack)
        seat.entries, seat.chips, seat.left = seat.entries + 1, True, False
        seat.notice = np.nan  # who enters again has changed plans
        self.stints.append([self.evening, seat.player, seat.entries, event.at, np.nan, None])

    def _notice(self, event, seat: _Seat) -> None:
        if self._is_in(event, seat):
            seat.notice = np.fmin(seat.notice, event.round)

    def _bust(self, event, seat: _Seat) -> None:
        if self._is_in(event, seat):
            if event.chips_out > 0:
                self._tell(event, "event_bust_chips", chips=event.chips_out)
            self._stop(event, seat)

    def _exit(self, event, seat: _Seat) -> None:
        notice = self.rules.exit_notice
        early = event.round < self.last_round and not event.round - seat.notice >= notice
        if seat.chips and early:
            self._tell(event, "event_notice", rounds=notice)
        if seat.entries == 0 or seat.left:
            self._tell(event, "event_not_in")
        elif not seat.chips and event.chips_out > 0:
            self._tell(event, "event_no_chips", chips=event.chips_out)
        # Who has gone bust leaves with nothing, noted or not.
        seat.taken += event.chips_out if seat.chips else np.nan_to_num(event.chips_out)
        if seat.chips:
            self._stop(event, seat)
        seat.left = True

    _end = _exit

    def _is_in(self, event, seat: _Seat) -> bool:
        if not seat.chips:
            self._tell(event, "event_not_in")
        return seat.chips

    def _stop(self, event, seat: _Seat) -> None:
        seat.chips = False
        stint = next(s for s in reversed(self.stints) if s[1] == seat.player)
        stint[4:] = event.at, event.event

    def _tell_sum(self) -> None:
        """The sum, which the season does not tell of an evening it leaves out."""
        seats = [seat for seat in self.seats.values() if seat.entries]
        stake = self.rules.entry_chips * sum(seat.entries for seat in seats)
        pile = sum(np.nan if seat.chips else seat.taken for seat in seats)
        if pile != stake and not np.isnan(pile):
            values = {"sum": pile - stake, "mean": (pile - stake) / len(seats)}
            values |= {"players": len(seats), "pile": pile, "stake": float(stake)}
            place = {"evening": self.evening, "file": self.table.file}
            self.problems.append(Problem("warning", "sum", "sum_chips", **place, values=values))
