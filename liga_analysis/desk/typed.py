"""An evening as it is typed in: the sheet it makes, what it adds up to, what recording it does."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd

from ..rules import CHIP_SET, LeagueRules
from ..season.cells import Column, Table, clean_name
from ..season.names import is_placeholder, meant, name_key
from ..season.roster import is_name, owners
from ..season.season import Season
from ..season.values import amounts
from ..season.writer import csv_text
from ..words import DataError, Problem, Words
from .files import RESULTS, Files
from .recording import Recording, prepare
from .submissions import Given

# Sentences that name options of `liga record`; the form says which of its fields helps.
_OWN = {"record_held", "record_no_date", "record_same_content", "record_sum"}
_OWN |= {"record_date", "record_year", "record_no_date_ahead", "record_unannounced"}
COLOURS = [chip.colour for chip in CHIP_SET]


@dataclass(frozen=True)
class Seat:
    """One line of the form, as typed; `counts` of the chips by colour, in the rules' order."""

    player: str = ""
    entries: str = ""
    chips: str = ""
    counts: tuple[str, ...] = ("",) * len(CHIP_SET)
    note: str = ""


@dataclass(frozen=True)
class Typed:
    """An evening as typed: which it is, who sat there, why it is corrected or need not balance."""

    given: Given
    seats: tuple[Seat, ...]
    reason: str = ""
    accepted: str = ""


def _cells(seats: tuple[Seat, ...]) -> pd.DataFrame:
    """The lines as a results table; colours and notes only where there are any."""
    rows = [
        {"player": seat.player, "entries": seat.entries}
        | dict(zip(COLOURS, seat.counts, strict=True))
        | {"chips_out": seat.chips, "note": seat.note}
        for seat in seats
    ]
    columns = ["player", "entries", *COLOURS, "chips_out", "note"]
    table = pd.DataFrame(rows, columns=columns, dtype=object)
    unused = [] if any(any(seat.counts) for seat in seats) else COLOURS
    return table.drop(columns=[*unused, *([] if any(table["note"]) else ["note"])])


def sheet(typed: Typed, words: Words) -> bytes:
    """The evening as a host's sheet: a CSV whose line k + 2 is the seat k."""
    table, given = _cells(typed.seats), typed.given
    day = given.date and pd.Timestamp(given.date)
    place = {"evening": given.replace or given.evening, "date": day, "host": given.host}
    for at, (column, value) in enumerate((c, v) for c, v in place.items() if v):
        table.insert(at, column, value)
    table.columns = [words.text(f"column.{column}") for column in table]
    return csv_text(table, ";").encode("utf-8-sig")


def prepared(season: Season, typed: Typed, today: date) -> Recording:
    """What recording it would change, or a DataError, as `prepare` says of the sheet."""
    with TemporaryDirectory() as folder:
        file = Path(folder, season.words.text("form.file"))
        file.write_bytes(sheet(typed, season.words))
        return prepare(season.path, [file], typed.given, today, typed.reason, typed.accepted)


def counted(seats: tuple[Seat, ...], rules: LeagueRules) -> pd.DataFrame:
    """Chips out, also by colour, stake and result of each seat, in chips; NaN where unknown."""
    table = _cells(seats)
    cells = {column: Column(table[column].tolist()) for column in table}
    read = amounts(Table("", cells, range(len(table)), ";"))
    noted = pd.DataFrame({column: values for column, (values, _) in read.items()})
    values = [chip.value for chip in CHIP_SET]
    worth = (noted.reindex(columns=COLOURS) * values).sum(axis=1, min_count=1)
    chips, stake = worth.fillna(noted["chips_out"]), rules.entry_chips * noted["entries"]
    return pd.DataFrame({"chips_out": chips, "stake": stake, "result": chips - stake})


def balance(chips: pd.DataFrame, words: Words) -> tuple[str, bool]:
    """Whether the chips of `counted` add up, in words, and as such."""
    pile, stake = chips["chips_out"].sum(), chips["stake"].sum()
    key = "even" if pile == stake else "missing" if pile < stake else "surplus"
    return words.text(f"form.{key}", gap=abs(pile - stake), pile=pile, stake=stake), key == "even"


def in_form(problems: Iterable[Problem]) -> list[Problem]:
    """Problems by the lines of the form, and by which of its fields helps."""
    told = []
    for p in problems:
        key = f"form_{p.key.removesuffix('_ahead')}" if p.key in _OWN else p.key
        # The sheet's line 1 is its header.
        line, other = (k - 1 if isinstance(k, int) else k for k in (p.line, p.values.get("other")))
        values = p.values | ({"other": other} if key.startswith("twice_") else {})
        told.append(replace(p, file=None, key=key, line=line, values=values))
    return told


def sentences(problems: Iterable[Problem], words: Words) -> list[str]:
    """What is wrong, as `in_form` tells it."""
    return [problem.message(words.language) for problem in in_form(problems)]


def seats_of(season: Season, evening: int) -> tuple[Seat, ...]:
    """The lines of an evening held, as results.csv has them, those in error too.

    A DataError where a line has a result but no entries or chips.
    """
    files = Files(season.path)
    columns = ("player", "entries", "chips_out", "result", "note")
    lines = list(zip(*map(files.tables[RESULTS].words, columns), strict=True))
    lines = [lines[k] for k in files.rows_of(evening)]
    if any(result and not (entries and chips) for _, entries, chips, result, _ in lines):
        raise DataError(Problem("error", "entries", "form_results", evening))
    return tuple(Seat(*line[:3], note=line[4]) for line in lines)


def evenings(season: Season) -> list[tuple[str, tuple[int | None, bool]]]:
    """What can be recorded, in words and as (number, held): evenings ahead, another, those held."""
    words, noted = season.words, {*season.held, *season.left_out}
    ahead, held = [], []
    for row in season.evenings.itertuples():
        parts = [words.text("record.title", evening=row.evening)]
        parts += [] if pd.isna(row.date) else [words.date(row.date)]
        parts += [words.text("record.host", host=row.host)] if row.host else []
        option = " · ".join(parts), (int(row.evening), row.evening in noted)
        (held if row.evening in noted else ahead).append(option)
    corrected = [(words.text("form.correct", evening=shown), key) for shown, key in held[::-1]]
    return [*ahead, (words.text("form.other"), (None, False)), *corrected]


def name_note(season: Season, name: str) -> str:
    """Whose alias a name is, or that it is a guest's or new, and then whose it is like; else ""."""
    words, licences, name = season.words, season.licences, clean_name(name)
    if not name or is_placeholder(name):
        return words.text("form.guest", name=name) if name else ""
    if player := owners(licences).get(name_key(name)):
        alias = name_key(player) != name_key(name)
        return words.text("form.alias", name=name, player=player) if alias else ""
    if other := meant(name, licences["player"]):
        return words.text("form.alike", name=name, other=other)
    if not is_name(name):
        return words.text("problem.no_name", player=name)
    return words.text("form.new", name=name)
