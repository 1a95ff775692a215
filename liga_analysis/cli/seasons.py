"""What lies beyond one table: `liga career`, the outlook of `liga chances`."""

import click
import pandas as pd

from ..model.careers import find_player, load_seasons
from ..model.checks import problems
from ..report import career_views, outlook_views
from ..season.season import Season
from ..words import Words
from . import records
from .console import (
    WORDS,
    Command,
    Commands,
    aligned,
    options,
    print_data,
    say,
    season_argument,
    tell,
)


def add_to(main: Commands) -> None:
    """Register the commands."""
    main.add_command(career)


@click.command(cls=Command, help=say("career"))
@options(
    "format",
    argument=season_argument("seasons", nargs=-1, required=True, metavar=say("leagues")),
)
@click.option("--player", metavar="NAME", help=say("career_player"))
@click.option("--final", is_flag=True, help=say("career_final"))
def career(seasons, player: str | None, final: bool, form: str) -> None:
    loaded = load_seasons(seasons)
    for season in loaded:
        tell(problems(season))
    words = Words(WORDS.language, max(season.words.digits for season in loaded))
    record = records.career_record(loaded, not final)
    lines = career_views.career_lines(loaded, words, not final)
    if player is None:
        table = pd.DataFrame(record["players"])
        shown = career_views.all_time_table(record, words)
    else:
        known = find_player(loaded, player)
        if known is None:
            told = say("career_nobody", player=player)
            raise click.BadParameter(told, param_hint="--player")
        record = {name: [r for r in part if r["player"] == known] for name, part in record.items()}
        table = pd.DataFrame(record["seasons"])
        shown = career_views.season_table(record, known, words)
        lines[0] = f"{known} · {lines[0]}"
    print_data(form, table, record, shown, "\n".join(lines))


def print_outlook(season: Season, lam, sigma, form: str, draws: int, seed: int, title: str) -> None:
    """How the season may end, and what its next evening can change."""
    words = Words(WORDS.language, season.words.digits)
    record = outlook_views.outlook_record(season, lam, sigma, draws, seed)
    title = f"{title}\n{outlook_views.outlook_line(record, words)}"
    shown = outlook_views.chance_table(record, words)
    print_data(form, pd.DataFrame(record["players"]), record, shown, title)
    if form == "table" and record["next"]:
        steps = outlook_views.pass_table(record, words)
        lines = [words.text("outlook.next"), *[aligned(steps)] * (not steps.empty)]
        click.echo("\n" + "\n".join([*lines, outlook_views.next_line(record, words)]))
