"""An evening is announced: its row in evenings.csv, a calendar file, a message, the chips."""

import datetime
import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from ..rules import CHIP_SET
from ..season.cells import clean_name
from ..season.days import clock
from ..season.journal import commit
from ..season.season import Season
from ..season.writer import csv_text
from ..words import DataError, Problem
from .amendments import evenings_with
from .files import EVENINGS, Files
from .recording import name_clues

ENTRY = sum(chip.value * chip.count for chip in CHIP_SET)  # that the rulebook's chips make
_NEAR = pd.Timedelta(days=7)  # leagues meet once a week at most
_MOST = 100_000  # bytes of a calendar file of ours, and more
_FIRST, _SEAL = b"\r\nBEGIN:VEVENT", b"X-LIGA-DIGEST:"


@dataclass(frozen=True)
class Announcement:
    """An evening to come."""

    season: Season  # with the evening announced in it
    evening: int
    entry: dict  # date, start, host, place
    problems: tuple[Problem, ...] = ()  # what somebody else wrote meanwhile, and what is doubtful


def announce(
    season: str | Path,
    today: datetime.date,
    day: datetime.date | None = None,
    start: str = "",
    host: str = "",
    place: str = "",
    evening: int | None = None,
) -> Announcement:
    """Write an evening to come into evenings.csv; the caller holds the `season_lock`.

    Without a date and number it is the next one announced; what is given goes before what stands
    there. A DataError if there is no date, or it is past, or the evening is held already.
    """
    files = Files(season)
    before, folder = files.season, files.folder
    calendar, held = before.evenings.set_index("evening"), {*before.held, *before.left_out}
    ahead = before.announced.set_index("evening")
    if evening is None:
        same_day = ahead.index if day is None else ahead.index[ahead["date"] == pd.Timestamp(day)]
        following = max(calendar.index, default=0) + 1
        evening = same_day[0] if len(same_day) else following
    day = pd.Timestamp(day) if day else calendar["date"].get(evening)
    if day is None or pd.isna(day):
        raise _refused("invite_no_evening", folder.name)
    if evening not in held and day < pd.Timestamp(today):
        raise _refused("invite_past", folder.name, day=day)
    if taken := held & {evening, *calendar.index[calendar["date"] == day]}:
        raise _refused("invite_held", folder.name, number=min(taken))
    texts = {"start": start, "host": host, "place": place}
    entry = {"evening": int(evening), "date": day, **{k: clean_name(t) for k, t in texts.items()}}
    rows = evenings_with(files.rows[EVENINGS], [entry], before)
    contents = {files.paths[EVENINGS]: files.text(EVENINGS, rows)}
    after, kept = files.changed(contents), []
    if csv_text(after.evenings) != csv_text(before.evenings):
        kept = commit((folder, contents, files.seen))
    near = ahead["date"][(ahead["date"] - day).abs() < _NEAR]
    doubts = [
        Problem("warning", "date", "invite_near", int(evening), date=day, values=values)
        for number, other in ({} if evening in ahead.index else near).items()
        for values in [{"announced": number, "other": other, "day": day}]
    ]
    doubts += name_clues(before, after, (evening,))
    entry = after.evenings.set_index("evening").loc[evening].to_dict()
    return Announcement(after, int(evening), entry, (*kept, *doubts))


def _refused(key: str, file: str, **values) -> DataError:
    return DataError(Problem("error", "date", key, file=file, values=values))


def field_size(season: Season) -> int:
    """The largest field so far; before the first evening, all who have a licence."""
    seats = season.results.groupby("evening").size()
    return int(seats.max() if len(seats) else len(season.licences))


def message(announced: Announcement, players: int) -> str:
    """The invitation as text, with the chips for so many players.

    For none, or with other entries than the rulebook's, chips are not told.
    """
    season, entry, words = announced.season, announced.entry, announced.season.words
    weekday = words.text("invite.weekdays").split()[entry["date"].weekday()]
    start = entry["start"] and f", {entry['start']}"
    time = words.text("invite.time", start=entry["start"]) if clock(entry["start"]) else start
    host = words.text("invite.host", host=entry["host"]) if entry["host"] else ""
    when = {"evening": announced.evening, "weekday": weekday, "day": entry["date"]}
    lines = [words.text("invite.greeting"), ""]
    lines.append(words.text("invite.when", **when, time=time, host=host))
    lines += [words.text("invite.place", place=entry["place"])] if entry["place"] else []
    lines.append(words.text("invite.reply"))
    rules = season.rules
    if players and rules.entry_chips == ENTRY:
        limit = rules.max_entries
        lines += ["", words.text("invite.chips", players=players, limit=limit)]
        for chip in CHIP_SET:
            colour, count = words.text(f"column.{chip.colour}"), chip.count * players
            chips = {"colour": colour, "value": chip.value, "count": count, "most": count * limit}
            lines.append(words.text("invite.chip", **chips))
    return "\n".join(lines)


def calendar_file(announced: Announcement, today: datetime.date) -> bytes:
    """The evening as an iCalendar file (RFC 5545), in local time wherever it is opened.

    Invited again, the evening keeps its identity, so that a calendar moves it.
    """
    from icalendar import Calendar, Event  # only when one is written

    season, entry, words = announced.season, announced.entry, announced.season.words
    key = f"{season.path.parent.name}/{season.path.name}/{announced.evening}"
    begins = entry["date"].date()  # the whole day where the start is not known
    if time := clock(re.split(" ?[-–]", entry["start"])[0]):  # 19:30-23:00
        begins = datetime.datetime.combine(begins, datetime.time(*map(int, time.split(":"))))
    event = Event()
    event.add("uid", f"{hashlib.sha256(key.encode()).hexdigest()[:32]}@liga-analysis")
    event.add("dtstamp", datetime.datetime(*today.timetuple()[:3], tzinfo=datetime.UTC))
    event.add("dtstart", begins)
    event.add("summary", words.text("invite.title", season=season.name, evening=announced.evening))
    named = re.search(rf"\b{re.escape(entry['host'])}\b", entry["place"], re.IGNORECASE)
    if place := ", ".join(filter(None, [entry["place"], "" if named else entry["host"]])):
        event.add("location", place)
    calendar = Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//liga_analysis//DE")
    calendar.add("method", "PUBLISH")
    calendar.add_component(event)
    data = calendar.to_ical()
    return data.replace(_FIRST, b"\r\n%s%s%s" % (_SEAL, _digest(data), _FIRST), 1)


def is_ours(path: Path) -> bool:
    """Whether a calendar file is as `calendar_file` made it: nobody has changed it since."""
    if not path.is_file() or path.stat().st_size > _MOST:
        return False
    head, seal, rest = path.read_bytes().partition(b"\r\n" + _SEAL)
    return bool(seal) and _digest(head + rest[32:]) == rest[:32]


def _digest(data: bytes) -> bytes:
    return hashlib.sha256(data).hexdigest()[:32].encode()
