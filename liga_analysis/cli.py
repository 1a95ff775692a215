"""The command `liga`: thin, in the user's language, never a traceback."""

import sys
import tomllib
from datetime import date
from importlib.resources import files
from pathlib import Path

import click
import pandas as pd

from . import records
from .checks import problems
from .labels import LANGUAGES, DataError, SeasonNotFound, Words, user_language
from .season import Season, load_season, save_season
from .writer import csv_text

WORDS = Words(user_language())


def _say(key: str, **values) -> str:
    return WORDS.text(f"cli.{key}", **values)


def _translate_click() -> None:
    """Give click's own sentences in German; it looks them up as `_` in each of its modules."""
    source = files(__package__).joinpath("texts", "click_de.toml").read_text("utf-8")
    german = tomllib.loads(source)

    def translated(sentence: str) -> str:
        return german.get(sentence, sentence)

    def translated_plural(one: str, many: str, n: int) -> str:
        return translated(one if n == 1 else many)

    for name, module in list(sys.modules.items()):
        if name.startswith("click."):
            if hasattr(module, "_"):
                module._ = translated
            if hasattr(module, "ngettext"):
                module.ngettext = translated_plural


if WORDS.language == "de":
    _translate_click()


class _Command(click.Command):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, options_metavar=_say("options"), **kwargs)


class _Commands(click.Group):
    """Commands in the order of a season's life; what the data do not allow is a sentence."""

    command_class = _Command

    def list_commands(self, ctx):
        return list(self.commands)

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except DataError as error:
            click.echo(str(error), err=True)
            ctx.exit(2 if isinstance(error, SeasonNotFound) else 1)
        except PermissionError as error:
            click.echo(_say("no_permission", path=error.filename), err=True)
            ctx.exit(1)


@click.group(
    cls=_Commands,
    help=_say("liga"),
    options_metavar=_say("options"),
    subcommand_metavar=_say("commands"),
    context_settings={"max_content_width": 100},
)
@click.version_option(package_name="liga_analysis", prog_name="liga")
def main() -> None:
    for stream in (sys.stdout, sys.stderr):
        # A console that cannot show a name must not stop the command.
        stream.reconfigure(errors="replace")


def _options(*names):
    """The shared options of the commands that compute, each always of the same meaning."""
    positive = click.FloatRange(min=0, min_open=True)
    known = {
        "through": click.option("--through", type=int, metavar="N", help=_say("through")),
        "lam": click.option("--lam", type=positive, metavar="X", help=_say("lam")),
        "sigma": click.option("--sigma", type=positive, metavar="X", help=_say("sigma")),
        "format": click.option(
            "--format",
            "form",
            type=click.Choice(["table", "csv", "json"]),
            default="table",
            help=_say("format"),
        ),
        "language": click.option("--language", type=click.Choice(LANGUAGES), help=_say("language")),
    }

    def decorate(command):
        for name in reversed(names):
            command = known[name](command)
        return click.argument("season", metavar=_say("season"))(command)

    return decorate


def _load(path: str, through: int | None = None, sigma: float | None = None) -> Season:
    """The season, with its problems told; a wrong evening is wrong use."""
    season = load_season(path)
    if through is not None and through not in season.held:
        held = ", ".join(map(str, season.held)) or "–"
        raise click.BadParameter(_say("not_held", number=through, held=held), param_hint="--through")
    season = season.through(through) if through else season
    for problem in problems(season, sigma):
        if problem.severity != "hint":
            severity = WORDS.text(f"severity.{problem.severity}")
            click.echo(f"{severity}: {problem.message(WORDS.language)}", err=True)
    return season


def _print(form: str, table: pd.DataFrame, record, shown: pd.DataFrame, title: str = "") -> None:
    """Data to stdout: raw as CSV or JSON, rounded and in words as a table."""
    if form == "json":
        click.echo(records.json_text(record))
    elif form == "csv":
        click.echo(csv_text(table), nl=False)
    else:
        click.echo("\n".join(filter(None, [title, _aligned(shown)])))


def _aligned(table: pd.DataFrame) -> str:
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


def _standing_after(season: Season) -> str:
    """Which evening a table stands for, and which evenings it goes without."""
    day = season.results["date"].iloc[-1]
    after = "as_of_date" if pd.notna(day) else "as_of"
    title = _say(after, evening=season.held[-1], date=day)
    if season.left_out:
        title += " · " + _say("preliminary", evenings=season.left_out)
    return title


@main.command(help=_say("new"))
@click.argument("season", metavar=_say("season"))
@click.option("--from", "old", metavar=_say("season"), help=_say("from"))
def new(season: str, old: str | None) -> None:
    folder = Path(season)
    name = f"{folder.resolve().parent.name} {folder.name}"
    if old:
        before = load_season(old)
        made = save_season(folder, name, licences=before.licences, like=before.settings)
    else:
        made = save_season(folder, name)
    click.echo(_say("made", folder=made.path, next=f"liga check {season}"))


@main.command(help=_say("check"))
@_options("format")
def check(season: str, form: str) -> None:
    try:
        found = problems(load_season(season), today=date.today())
    except SeasonNotFound:
        raise
    except DataError as error:
        found = error.problems
    record = records.problem_records(found, WORDS.language)
    table = pd.DataFrame(record, columns=["severity", "code", *records.PLACES, "message"])
    if found or form != "table":
        shown = [f"{WORDS.text(f'severity.{p.severity}')}: {m}" for p, m in zip(found, table["message"], strict=True)]
        _print(form, table, record, pd.DataFrame(), "\n".join(shown))
    else:
        click.echo(_say("no_problems"))
    click.get_current_context().exit(int(any(p.severity != "hint" for p in found)))


@main.command("standings", help=_say("standings"))
@_options("through", "lam", "sigma", "format")
def show_standings(season: str, through, lam, sigma, form: str) -> None:
    loaded = _load(season, through, sigma)
    record = records.standings_record(loaded, lam, sigma)
    table = pd.DataFrame(record["players"])
    words = Words(WORDS.language, loaded.words.digits)
    shown = pd.DataFrame(
        {
            words.text(f"column.{column}"): [show(value) for value in table[column]]
            for column, show in {
                "rank": lambda rank: "–" if pd.isna(rank) else rank,
                "player": str,
                "rating": words.chips,
                "uncertainty": words.chips,
                "total": words.signed,
                "average": words.signed,
                "evenings": str,
            }.items()
        }
    )
    title = _say("parameters", lam=record["lam"], sigma=record["sigma"])
    _print(form, table, record, shown, f"{_standing_after(loaded)} · {title}")
    if form == "table" and not table["qualified"].all():
        click.echo(_say("not_ranked", attendance=loaded.rules.attendance))


@main.command("awards", help=_say("awards"))
@_options("through", "lam", "sigma", "format")
def show_awards(season: str, through, lam, sigma, form: str) -> None:
    from . import story  # sentences are needed here alone

    loaded = _load(season, through, sigma)
    record = records.award_records(loaded, lam, sigma)
    words = Words(WORDS.language, loaded.words.digits)
    shown = "\n".join(story.award_lines(record, words))
    _print(form, pd.DataFrame(record), record, pd.DataFrame(), f"{_standing_after(loaded)}\n{shown}")


@main.command(help=_say("report"))
@_options("through", "lam", "sigma", "language")
def report(season: str, through, lam, sigma, language) -> None:
    from . import report as reports  # altair and Jupyter take a second to import

    _load(season, through, sigma)
    files = reports.season_report(season, through, lam, sigma, language)
    click.echo("\n".join(map(str, files)))


@main.command(help=_say("run"))
@click.argument("notebook", metavar="NOTEBOOK")
@_options("language")
@click.option("-p", "parameters", nargs=2, multiple=True, metavar=_say("name_value"), help=_say("parameter"))
def run(notebook: str, season: str, language, parameters) -> None:
    from . import report as reports

    given = {"season": season, **dict(parameters)} | ({"language": language} if language else {})
    _load(season)
    click.echo("\n".join(map(str, reports.run(notebook, given))))


@main.command(help=_say("simulate"))
@click.argument("season", metavar=_say("season"))
@click.option("--players", default=14, type=click.IntRange(2, 500), help=_say("players"))
@click.option("--evenings", default=12, type=click.IntRange(1, 500), help=_say("evenings"))
@click.option("--seed", default=1, type=click.IntRange(0), help=_say("seed"))
@click.option("--sigma", default=2400.0, type=click.FloatRange(0, min_open=True), help=_say("sigma"))
@click.option("--tau", default=1000.0, type=click.FloatRange(0), help=_say("tau"))
def simulate(season: str, players, evenings, seed, sigma, tau) -> None:
    from .simulation import simulate_season

    calendar, results, _ = simulate_season(players, evenings, seed, sigma, tau)
    calendar["note"] = _say("simulated_note")
    made = save_season(season, _say("simulated", seed=seed), calendar, results)
    click.echo(_say("made", folder=made.path, next=f"liga standings {season}"))
