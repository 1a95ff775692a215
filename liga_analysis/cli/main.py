"""The command `liga`: a season made, simulated and checked; the rest is added to it."""

import os
from datetime import date
from pathlib import Path

import click
import pandas as pd

from ..desk.files import unplayed
from ..model.checks import problems
from ..season.season import load_season
from ..season.storage import save_season
from ..words import DataError, SeasonNotFound
from . import changes, pages, records, tables
from .console import (
    POSITIVE,
    WORDS,
    Commands,
    Count,
    Number,
    open_streams,
    options,
    print_data,
    say,
    typed,
)


@click.group(
    cls=Commands,
    help=say("liga"),
    options_metavar=say("options"),
    subcommand_metavar=say("commands"),
    context_settings={"max_content_width": 100},
)
@click.version_option(package_name="liga_analysis", prog_name="liga")
def main() -> None:
    # Nothing that lies in the current folder is imported by a kernel or any other process of ours.
    os.environ["PYTHONSAFEPATH"] = "1"
    open_streams()


@main.command(help=say("new"))
@click.argument("season", metavar=say("season"))
@click.option("--from", "old", metavar=say("season"), help=say("from"))
def new(season: str, old: str | None) -> None:
    folder = Path(season).resolve()
    league, name = folder.parent.name, folder.name
    typed_too = len(Path(season).parts) > 1 and league != "data"
    if typed_too and league.casefold() not in name.casefold():
        name = f"{league} {name}"
    before = load_season(old) if old else None
    if lost := [p for p in before.problems if p.key == "lost_licences"] if before else []:
        raise DataError(*lost)
    carried = {"licences": before.licences, "like": before.settings} if before else {}
    made = save_season(season, name, **carried)
    left = set(before.licences["player"]) - set(made.licences["player"]) if before else set()
    if left:
        click.echo(say("licences_left", players=sorted(left)), err=True)
    next_step = f"liga check {typed(season)}"
    click.echo(say("made", folder=made.path, name=made.name, next=next_step))


@main.command(help=say("check"))
@options("sheet", "format")
def check(season: str, sheet: str | None, form: str) -> None:
    try:
        loaded = load_season(season, sheet=sheet)
        noted = problems(loaded, today=date.today())
        noted += unplayed(loaded) if loaded.held and loaded.path.is_dir() else []
    except SeasonNotFound:
        raise
    except DataError as error:
        noted = error.problems
    record = records.problem_records(noted, WORDS.language)
    table = pd.DataFrame(record, columns=["severity", "code", *records.PLACES, "message"])
    lines = [problem.sentence(WORDS.language) for problem in noted]
    print_data(form, record, table, *lines or [say("no_problems")])
    click.get_current_context().exit(int(any(p.severity != "hint" for p in noted)))


@main.command(help=say("simulate"))
@click.argument("season", metavar=say("season"))
@click.option("--players", default=14, type=Count(2, 500), help=say("players"))
@click.option("--evenings", default=12, type=Count(1, 500), help=say("evenings"))
@click.option("--seed", default=1, type=Count(0), help=say("seed"))
@click.option("--sigma", default=2400.0, type=POSITIVE, help=say("sigma"))
@click.option("--tau", default=1000.0, type=Number(0, 1e12), help=say("tau"))
def simulate(season: str, players, evenings, seed, sigma, tau) -> None:
    from ..model.simulation import simulate_season

    calendar, results, _ = simulate_season(players, evenings, seed, sigma, tau)
    calendar["note"] = say("simulated_note")
    made = save_season(season, say("simulated", seed=seed), calendar, results)
    next_step = f"liga standings {typed(season)}"
    click.echo(say("made", folder=made.path, name=made.name, next=next_step))


for commands in (tables, changes, pages):
    commands.add_to(main)

if __name__ == "__main__":
    main(prog_name="liga")
