"""What others get: invitation and sheet for the host, reports, and pages of any notebook."""

from datetime import date
from itertools import count
from pathlib import Path

import click

from ..desk import invitation, sheets
from ..desk.amendments import safe_stem
from ..desk.files import season_lock
from ..model.decision import season_decision
from ..model.ranking import season_fit
from ..report.overview import survey
from ..season.folder import output_folder
from ..season.season import Season, load_season
from ..season.writer import write_bytes
from ..words import DataError
from . import records
from .console import (
    WORDS,
    Command,
    Commands,
    Count,
    Date,
    Time,
    deliver,
    load,
    number,
    options,
    say,
    season_argument,
    tell,
)


def add_to(main: Commands) -> None:
    """Register the commands."""
    for command in (invite, sheet, report, run):
        main.add_command(command)


_OUTPUT = click.option(
    "--output",
    default="reports",
    metavar=say("folder"),
    type=click.Path(file_okay=False, path_type=Path),
    help=say("output"),
)


def _written(season: Season, name: str, data: bytes, folder: Path) -> None:
    """Write a file for a host under the season's name, over none that may be changed; say where."""
    output_folder(folder)
    stem = safe_stem(f"{season.path.resolve().parent.name}-{season.path.resolve().name}")
    first = path = folder / f"{stem}-{name}"
    others = (first.with_stem(f"{first.stem}-v{k}") for k in count(2))
    while path.exists() and not (path.suffix == ".ics" and invitation.is_ours(path)):
        path = next(others)
    write_bytes(data, path)
    click.echo(WORDS.text("sheet.made", path=path), err=True)


@click.command(cls=Command, help=say("invite"))
@options()
@click.option("--date", "day", type=Date(), metavar="D", help=say("invite_date"))
@click.option("--start", type=Time(), default="", metavar="19:30", help=say("invite_start"))
@click.option("--host", default="", metavar="H", help=say("invite_host"))
@click.option("--place", default="", metavar="TEXT", help=say("invite_place"))
@click.option("--players", type=Count(2, 500), metavar="N", help=say("invite_players"))
@number("--evening", "invite_evening")
@_OUTPUT
def invite(season: str, day, start, host, place, players, evening, output: Path) -> None:
    today = date.today()
    with season_lock(season):
        announced = invitation.announce(season, today, day, start, host, place, evening)
    tell(announced.problems)
    seats, entry = invitation.field_size(announced.season), announced.season.rules.entry_chips
    deliver(invitation.message(announced, players or seats))
    if players and entry != invitation.ENTRY:
        click.echo(WORDS.text("invite.no_chips", entry=entry, usual=invitation.ENTRY), err=True)
    elif not (players or seats) and entry == invitation.ENTRY:
        click.echo(WORDS.text("invite.no_players"), err=True)
    name = announced.season.words.text("invite.file", evening=announced.evening)
    data = invitation.calendar_file(announced, today)
    _written(announced.season, f"{name}.ics", data, output)


@click.command(cls=Command, help=say("sheet"))
@options()
@number("--evening", "sheet_evening")
@_OUTPUT
def sheet(season: str, evening, output: Path) -> None:
    loaded = load_season(season)
    if evening and evening not in loaded.announced["evening"].tolist():
        click.echo(WORDS.text("sheet.not_announced", evening=evening), err=True)
    evening = sheets.evening_of(loaded, evening)
    name = loaded.words.text("sheet.file", evening=evening)
    _written(loaded, name, sheets.host_sheet(loaded, evening), output)


@click.command(cls=Command, help=say("report"))
@options(
    *("through", "lam", "sigma", "language", "sheet"),
    argument=season_argument("seasons", nargs=-1, required=True, metavar=say("seasons")),
)
@click.option("--pseudonyms", is_flag=True, help=say("pseudonyms"))
@click.option("--final", is_flag=True, help=say("final"))
@click.option("--pdf", is_flag=True, help=say("pdf"))
@click.option("--png", is_flag=True, help=say("png"))
@click.option("--jobs", type=Count(1), metavar="N", help=say("jobs"))
@click.option(
    "--format", "form", type=click.Choice(["html", "json"]), default="html", help=say("page_format")
)
def report(
    seasons, through, lam, sigma, language, sheet, pdf, png, jobs, form, **discretion
) -> None:
    forms = {"pdf": pdf, "png": png, "sheet": sheet, **discretion}
    if len(seasons) > 1 and form == "json":
        raise click.UsageError(say("one_json"))
    if len(seasons) > 1:
        given = {"through": through, "lam": lam, "sigma": sigma, **forms}
        return _report_many(seasons, language, jobs or -1, given)
    season = seasons[0]
    shown = survey(load(season, through, sigma, sheet, language), lam, sigma, **discretion)
    if form == "json":
        return deliver(records.json_text(records.report_record(shown)))
    from ..report import publish, story  # altair and Jupyter take a second to import

    files = publish.season_report(season, through, lam, sigma, language, overview=shown, **forms)
    click.echo("\n".join([*map(str, files), "", *story.chat_lines(shown)]))
    for flag in ("pdf", "png"):
        older = files[0].with_suffix(f".{flag}")
        if older not in files and older.exists():
            click.echo(say("older", file=older, flag=flag), err=True)
    if pdf and not any(file.suffix == ".pdf" for file in files):
        browser = publish.find_browser()
        key = "browser_failed" if browser else "no_browser"
        click.echo(WORDS.text(f"report.{key}", browser=browser), err=True)


def _report_many(seasons, language, jobs: int, given: dict) -> None:
    """Each page by its season; why others failed, on stderr."""
    from ..report import publish  # altair and Jupyter take a second to import

    table = publish.reports(seasons, language=language, n_jobs=jobs, **given)
    for season, files, error in table.itertuples(index=False):
        click.echo(f"{season}: {error or files[0]}", err=bool(error))
    made = int((table["error"] == "").sum())
    click.echo(say("reported", made=made, all=len(table)))
    click.get_current_context().exit(int(made < len(table)))


@click.command(cls=Command, help=say("run"))
@click.argument("notebook", metavar="NOTEBOOK")
@options("language", "sheet")
@click.option(
    "-p", "parameters", nargs=2, multiple=True, metavar=say("name_value"), help=say("parameter")
)
def run(notebook: str, season: str, language, sheet, parameters) -> None:
    from ..pages import notebooks
    from ..research import calibration, comparison

    # What a notebook cannot do without; the others need an evening that counts.
    needed = {
        "estimate_parameters": season_decision,
        "check_model": calibration.checkable,
        "compare_systems": comparison.comparable,
    }
    given = {"language": language, "sheet": sheet}
    given = {name: value for name, value in given.items() if value}
    given |= {"season_path": season, **dict(parameters)}
    try:
        given = notebooks.checked(notebook, given)
    except DataError as error:
        raise click.UsageError(str(error)) from None
    load(season, sheet=sheet)
    needs = needed.get(Path(notebook).stem, season_fit)
    click.echo("\n".join(map(str, notebooks.run(notebook, given, needs=needs))))
