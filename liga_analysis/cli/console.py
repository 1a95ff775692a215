"""How commands speak: translated, with shared options, in aligned columns; never a traceback."""

import gettext
import os
import shlex
import sys
from contextlib import suppress
from datetime import date
from functools import wraps
from importlib.resources import files
from pathlib import Path

import click
import pandas as pd

from ..model.checks import problems
from ..season.cells import clean_name
from ..season.days import clock, date_of
from ..season.journal import recovered
from ..season.played import not_held
from ..season.season import Season, find_season, load_season
from ..season.values import typed_number
from ..season.writer import csv_text
from ..words import (
    LANGUAGES,
    DataError,
    Problem,
    SeasonNotFound,
    Words,
    printable,
    system_says,
    user_language,
)
from .records import json_text

WORDS = Words(user_language())


def say(key: str, **values) -> str:
    return WORDS.text(f"cli.{key}", **values)


if WORDS.language == "de":  # click's own sentences; it asks gettext for them
    os.environ["LANGUAGE"] = "de"
    gettext.bindtextdomain("click", str(files("liga_analysis") / "texts"))
    gettext.textdomain("click")


class Count(click.IntRange):
    """A whole number within limits."""

    name = say("whole_number")


class Number(click.FloatRange):
    """A number within limits; NaN, which no limit stops, is none."""

    name = say("number")

    def convert(self, value, param, ctx):
        try:
            number = typed_number(str(value))
        except DataError as error:
            self.fail(str(error), param, ctx)
        except ValueError:
            number = float("nan")
        if number != number:
            self.fail(say("no_number", text=str(value)), param, ctx)
        return super().convert(number, param, ctx)

    def _describe_range(self) -> str:
        if self.max == 1:
            return super()._describe_range()
        return f"0{'<' if self.min else '<='}x<={self.max:g}"


class Date(click.ParamType):
    """A day, as people write it."""

    name = "date"

    def convert(self, value, param, ctx):
        day = value if isinstance(value, date) else date_of(value)
        return day or self.fail(say("bad_date", text=value), param, ctx)


class Time(click.ParamType):
    """Hours and minutes, or nothing."""

    name = "time"

    def convert(self, value, param, ctx):
        time = clock(value)
        if value and not time:
            self.fail(say("bad_start", text=value), param, ctx)
        return time or ""


POSITIVE = Number(1e-9, 1e12)
LEVEL = Number(0, 1, min_open=True, max_open=True)


def open_streams() -> None:
    """Files and pipes are UTF-8; a console that cannot show a name must not stop the command."""
    for name in ("stdin", "stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:  # closed by whoever started us
            setattr(sys, name, open(os.devnull, "r+"))  # noqa: SIM115, to the end
        elif name != "stdin":
            kept = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=kept, errors="replace")


def filled(text: str, ctx=None, param=None) -> str:
    """The text; wrong use where it is blank."""
    if not clean_name(text):
        raise click.BadParameter(say("blank"), ctx, param)
    return text


class Command(click.Command):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, options_metavar=say("options"), **kwargs)

    def invoke(self, ctx):
        for param in self.params:
            given = ctx.params.get(param.name)
            if isinstance(given, str):
                shown = given.encode("utf-8", "replace").decode()
                if shown != given:  # bytes that are no text in the terminal's encoding
                    raise click.BadParameter(say("no_text", text=shown), ctx, param)
                if given != param.default:
                    filled(given, ctx, param)
        return super().invoke(ctx)


class Commands(click.Group):
    """Commands in the order of a season's life; what the data do not allow is a sentence."""

    command_class = Command

    def list_commands(self, ctx):
        return list(self.commands)

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except DataError as error:
            click.echo(str(error), err=True)
            ctx.exit(2 if isinstance(error, SeasonNotFound) else 1)

    def main(self, *args, **kwargs):
        try:
            return super().main(*args, **kwargs)
        except OSError as error:  # also of what click prints by itself
            click.echo(system_says(error, WORDS), err=True)
            sys.exit(1)


def load(
    path: str,
    through: int | None = None,
    sigma: float | None = None,
    sheet: str | None = None,
    language: str | None = None,
) -> Season:
    """The season, with its problems told; a wrong evening is wrong use."""
    season = load_season(path, language=language, sheet=sheet)
    if through is not None and through not in season.held:
        objection = not_held(through, season.held).message(WORDS.language)
        raise click.BadParameter(objection, param_hint="--through")
    season = season.through(through) if through else season
    tell(problems(season, sigma))
    return season


def season_argument(name: str, **options):
    """An argument that names seasons; what was interrupted there is finished first, and told."""

    def finished(ctx, param, value):
        for path in [value] if isinstance(value, str) else value:
            with suppress(DataError):  # told where it is loaded
                folder = find_season(path)
                tell(recovered(folder) if folder.is_dir() else [])
        return value

    return click.argument(name, callback=finished, **options)


def number(name: str, key: str):
    """An option for the number of an evening."""
    return click.option(name, type=Count(1), metavar="N", help=say(key))


_OPTIONS = {
    "through": number("--through", "through"),
    "sheet": click.option("--sheet", metavar="NAME", help=say("sheet_name")),
    "lam": click.option("--lam", type=POSITIVE, metavar="X", help=say("lam")),
    "sigma": click.option("--sigma", type=POSITIVE, metavar="X", help=say("sigma")),
    "format": click.option(
        "--format",
        "form",
        type=click.Choice(["table", "csv", "json"]),
        default="table",
        help=say("format"),
    ),
    "language": click.option("--language", type=click.Choice(LANGUAGES), help=say("language")),
}


def options(*names, argument=None):
    """The shared options of commands, each always of the same meaning.

    They work on a SEASON, unless another `argument` is given.
    """

    def decorate(command):
        for name in reversed(names):
            command = _OPTIONS[name](command)
        return (argument or season_argument("season", metavar=say("season")))(command)

    return decorate


def of_season(*names):
    """For what computes on a season: the command gets it loaded, its problems are told."""

    def decorate(command):
        @options("through", "sheet", *names)
        @wraps(command)
        def loaded(season, through, sheet, **given):
            return command(load(season, through, given.get("sigma"), sheet), **given)

        return loaded

    return decorate


def words_of(season: Season) -> Words:
    """The user's language, with the decimals of the season's amounts."""
    return Words(WORDS.language, season.words.digits)


def typed(path: str | Path) -> str:
    """A path as it is typed in a command."""
    return printable(shlex.quote(str(path)))


def standing_after(season: Season) -> str:
    """Which evening a table stands for, and which evenings it goes without."""
    if season.held:
        day = season.results["date"].iloc[-1]
        after = "cli.as_of_date" if pd.notna(day) else "report.as_of"
        title = WORDS.text(after, evening=season.held[-1], date=day)
    else:
        title = say("before_first")
    if season.left_out:
        title += " · " + WORDS.text("report.preliminary", evenings=season.left_out)
    return title


def tell(noted: list[Problem], hints: bool = False) -> None:
    """Errors and warnings to stderr; hints are told by `check`, and where asked for."""
    for problem in noted:
        if hints or problem.severity != "hint":
            click.echo(problem.sentence(WORDS.language), err=True)


def print_data(form: str, record, table: pd.DataFrame, *shown: str | pd.DataFrame) -> None:
    """Data to stdout: raw as JSON or CSV; as a table what is shown, lines and columns of text."""
    if form == "json":
        deliver(json_text(record))
    elif form == "csv":
        deliver("\n".join(map(printable, csv_text(table).split("\n"))).removesuffix("\n"))
    else:
        parts = (part if isinstance(part, str) else aligned(part) for part in shown)
        deliver("\n".join(filter(None, parts)))


def deliver(text: str) -> None:
    """What was asked for, to stdout; an error where nobody can receive it."""
    if sys.__stdout__ is None:
        raise click.ClickException(say("no_output"))
    click.echo(text)


def aligned(table: pd.DataFrame) -> str:
    """Columns of text side by side, numbers to the right."""
    columns = [[str(name), *map(str, table[name])] for name in table.columns]
    right = [not any(c.isalpha() for cell in column[1:] for c in cell) for column in columns]
    widths = [max(map(len, column)) for column in columns]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in zip(*columns, strict=True)
    )
