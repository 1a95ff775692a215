"""The commands round an evening: `liga invite`, `sheet` and `record`."""

import os
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

import click

from ..desk import invitation, sheets
from ..desk.amendments import safe_stem
from ..desk.files import Change, season_lock, store
from ..desk.preview import effect, moves, remarks
from ..desk.recording import Given, Recording, prepare
from ..desk.renaming import Renaming, UnknownName, renamed
from ..desk.undoing import Undoing, undone
from ..season.cells import date_of
from ..season.season import Season, load_season
from ..season.writer import write_bytes
from ..words import Problem, Words
from .console import POSITIVE, WORDS, Command, Commands, Count, aligned, options, say, tell


class _Date(click.ParamType):
    name = "date"

    def convert(self, value, param, ctx):
        found = value if isinstance(value, date) else date_of(value)
        return found or self.fail(say("bad_date", text=value), param, ctx)


class _Time(click.ParamType):
    name = "time"

    def convert(self, value, param, ctx):
        if value and not re.fullmatch(r"([01]?\d|2[0-3]):[0-5]\d", value):
            self.fail(say("bad_start", text=value), param, ctx)
        return value


def add_to(main: Commands) -> None:
    """Register the commands."""
    for command in (invite, sheet, record, rename, undo):
        main.add_command(command)


def _number(name: str, key: str):
    return click.option(name, type=Count(1), metavar="N", help=say(key))


_YES = click.option("--yes", is_flag=True, help=say("record_yes"))
_OUTPUT = click.option(
    "--output",
    default="reports",
    metavar=say("folder"),
    type=click.Path(file_okay=False, path_type=Path),
    help=say("output"),
)


def _written(season: Season, name: str, data: bytes, folder: Path) -> None:
    """Write a file for a host under the season's name, and say where."""
    folder.mkdir(parents=True, exist_ok=True)
    stem = safe_stem(f"{season.path.resolve().parent.name}-{season.path.resolve().name}")
    first = path = folder / f"{stem}-{name}"
    others = (first.with_stem(f"{first.stem}-{k}") for k in count(2))
    while path.suffix != ".ics" and path.exists():  # a sheet may be filled in already
        path = next(others)
    write_bytes(data, path)
    click.echo(WORDS.text("sheet.made", path=path), err=True)


@click.command(cls=Command, help=say("invite"))
@options()
@click.option("--date", "day", type=_Date(), metavar="D", help=say("invite_date"))
@click.option("--start", type=_Time(), default="", metavar="19:30", help=say("invite_start"))
@click.option("--host", default="", metavar="H", help=say("invite_host"))
@click.option("--place", default="", metavar="TEXT", help=say("invite_place"))
@click.option("--players", type=Count(2, 500), metavar="N", help=say("invite_players"))
@_number("--evening", "invite_evening")
@_OUTPUT
def invite(season: str, day, start, host, place, players, evening, output: Path) -> None:
    today = date.today()
    with season_lock(season):
        found = invitation.announce(season, today, day, start, host, place, evening)
    tell(found.told)
    name = found.season.words.text("invite.file", evening=found.evening)
    data = invitation.calendar_file(found, today)
    _written(found.season, f"{name}.ics", data, output)
    click.echo(invitation.message(found, players))


@click.command(cls=Command, help=say("sheet"))
@options()
@_number("--evening", "sheet_evening")
@_OUTPUT
def sheet(season: str, evening, output: Path) -> None:
    loaded = load_season(season)
    evening = sheets.evening_of(loaded, evening)
    name = loaded.words.text("sheet.file", evening=evening)
    _written(loaded, name, sheets.host_sheet(loaded, evening), output)


@click.command(cls=Command, help=say("record"))
@options("sheet")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar=say("files"),
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--date", "day", type=_Date(), metavar="D", help=say("record_date"))
@click.option("--host", default="", metavar="H", help=say("record_host"))
@_number("--evening", "record_evening")
@_number("--replace", "record_replace")
@click.option("--reason", default="", metavar="TEXT", help=say("record_reason"))
@click.option("--accept-imbalance", default="", metavar="TEXT", help=say("accept_imbalance"))
@click.option("--unit", type=POSITIVE, metavar="X", help=say("unit"))
@_YES
def record(
    season: str, files, day, host, evening, replace, reason, accept_imbalance, unit, sheet, yes
) -> None:
    given = Given(day, host, evening, replace, unit, sheet)
    if replace and evening:
        raise click.UsageError(say_record("both"))
    if replace and not (reason or accept_imbalance):
        if yes or not at_terminal():
            raise click.UsageError(say_record("no_reason"))
        reason = click.prompt(say_record("why"))

    def prepared() -> Recording:
        return prepare(season, list(files), given, date.today(), reason, accept_imbalance)

    recording, told = changed(season, prepared, _show, yes)
    done(say_record("stored", evenings=recording.evenings), told)


def _show(recording: Recording) -> None:
    for line in remarks(recording.problems, WORDS):
        click.echo(line, err=True)
    blocks = effect(recording, Words(WORDS.language, recording.after.words.digits))
    texts = (
        "\n".join([*lines, *([] if table is None else [aligned(table)])]) for lines, table in blocks
    )
    click.echo("\n\n".join(texts))


@click.command(cls=Command, help=say("rename"))
@options()
@click.argument("old", metavar=say("old_name"))
@click.argument("new", metavar=say("new_name"))
@_YES
def rename(season: str, old: str, new: str, yes: bool) -> None:
    try:
        change, told = changed(
            season, lambda: renamed(season, old, new, date.today()), _show_renaming, yes
        )
    except UnknownName as error:
        raise click.UsageError(str(error)) from None
    done(say_record("done", what=change.what), told)


def _show_renaming(change: Renaming) -> None:
    click.echo(change.what)
    click.echo(say_record("rewritten", seasons=change.seasons))
    _show_moves(change)


@click.command(cls=Command, help=say("undo"))
@options()
@click.argument("evening", metavar=say("evening"), type=click.IntRange(1))
@click.option("--reason", required=True, metavar="TEXT", help=say("record_reason"))
@_YES
def undo(season: str, evening: int, reason: str, yes: bool) -> None:
    change, told = changed(
        season, lambda: undone(season, evening, reason, date.today()), _show_undoing, yes
    )
    back = say_record("undo_back", command=f'liga record {season} "{change.kept}"')
    done(f"{say_record('done', what=change.what)}\n{back}", told)


def _show_undoing(change: Undoing) -> None:
    click.echo(change.what)
    _show_moves(change)


def _show_moves(change: Change) -> None:
    """The rows of the table that change."""
    words = Words(WORDS.language, change.before.words.digits)
    rows = moves(change.before, change.after, words, changed=True)
    told = [say_record("rows"), aligned(rows)] if len(rows) else [WORDS.text("advice.no_rows")]
    click.echo("\n" + "\n".join(told))


def say_record(key: str, **values) -> str:
    return WORDS.text(f"record.{key}", **values)


def at_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return bool(sys.stdin and sys.stdout and sys.stdin.isatty() and sys.stdout.isatty())


def agreed(question: str, refused: str) -> None:
    """Ask; the command ends unless the answer is yes."""
    answer = click.prompt("\n" + question, default="", show_default=False)
    if answer.strip()[:1].casefold() not in ("j", "y"):
        click.echo(refused, err=True)
        click.get_current_context().exit(1)


def changed(
    season: str, prepared: Callable[[], Change], show: Callable[[Any], None], yes: bool
) -> tuple[Any, list[Problem]]:
    """Prepare a change, show it, ask, and store it; where nobody is to ask, only with `yes`."""
    asks = not yes and at_terminal()
    with ExitStack() as until_stored:
        if not asks:
            until_stored.enter_context(season_lock(season))
        change = prepared()
        show(change)
        if asks:
            agreed(say_record("ask"), say_record("not_stored"))
            until_stored.enter_context(season_lock(season))
        elif not yes:
            raise click.UsageError(say_record("nobody"))
        return change, store(change)


def done(sentence: str, told: list[Problem]) -> None:
    """Say that it is stored; whoever does not listen any more changes nothing about that."""
    try:
        tell(told)
        click.echo("\n" + sentence)
    except OSError:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
