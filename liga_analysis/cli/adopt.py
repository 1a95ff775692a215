"""The command `liga adopt`: other parameters, by the recommendation or by the league."""

from contextlib import ExitStack
from dataclasses import replace
from datetime import date

import click

from ..desk.files import season_folder, season_lock
from ..desk.preview import moves
from ..estimate.advice import answer
from ..model.decision import season_decision
from ..season.folder import SETTINGS, find_season, tables_of
from ..season.journal import commit, snapshot
from ..season.season import Season
from ..season.settings import Parameters, read_settings, with_parameters
from ..words import Words
from .console import POSITIVE, WORDS, Command, Commands, aligned, load, options, say
from .evening import agreed, at_terminal, done


def add_to(main: Commands) -> None:
    """Register the command."""
    main.add_command(adopt)


def advice(key: str, **values) -> str:
    return WORDS.text(f"advice.{key}", **values)


@click.command(cls=Command, help=say("adopt"))
@options()
@click.option("--reason", required=True, metavar="TEXT", help=say("reason"))
@click.option("--season-only", is_flag=True, help=say("season_only"))
@click.option("--sigma", type=POSITIVE, metavar="X", help=say("new_sigma"))
@click.option("--tau", type=POSITIVE, metavar="X", help=say("new_tau"))
def adopt(season: str, reason: str, season_only: bool, sigma, tau) -> None:
    if (sigma is None) != (tau is None):
        raise click.UsageError(advice("both"))
    if season_only and sigma is not None:
        raise click.UsageError(advice("season_only"))
    asks, path = at_terminal(), find_season(season)
    if not (path / SETTINGS).is_file():
        raise click.ClickException(advice("no_folder", path=str(path)))
    with ExitStack() as until_stored:
        if not asks:
            until_stored.enter_context(season_lock(season))
        folder = season_folder(season)
        paths = [folder / SETTINGS, *tables_of(folder)]
        seen = snapshot(folder, paths)
        before = load(season)
        chosen = _chosen(before, sigma, tau, reason, season_only)
        new = with_parameters(seen[paths[0]], chosen, paths[0])
        after = replace(before, settings=read_settings(paths[0], new))
        _show(before, after, Words(WORDS.language, before.words.digits))
        if asks:
            agreed(advice("ask"), advice("not_adopted"))
            until_stored.enter_context(season_lock(season))
        told = commit((folder, {paths[0]: new}, seen))
    done(advice("adopted", evening=chosen.from_evening, **_numbers(chosen)), told)


def _show(before: Season, after: Season, words: Words) -> None:
    """The rows of the table that change."""
    rows = moves(before, after, words, ("rank", "rating", "uncertainty"), changed=True)
    click.echo("\n" + advice("rows" if len(rows) else "no_rows"))
    click.echo(aligned(rows) if len(rows) else "")


def _chosen(season: Season, sigma, tau, reason: str, season_only: bool) -> Parameters:
    """The set to adopt; where there is none, why, and the command ends."""
    refused, force = None, season.parameters
    if sigma is None:
        words = Words(WORDS.language, season.words.digits)
        decision = season_decision(season, season_only)
        advised = decision.recommendation
        click.echo(answer(decision, words))
        sigma, lam = advised.sigma, advised.lam
        refused = "nothing_to_adopt" if advised.action != "move" else None
    else:
        lam = sigma**2 / tau**2
    chosen = Parameters(season.held[-1] if season.held else 0, sigma, lam, date.today(), reason)
    if not refused and max(abs(sigma / force.sigma - 1), abs(lam / force.lam - 1)) < 1e-9:
        refused = "in_force"
    if refused:
        click.echo(advice(refused, **_numbers(force)), err=True)
        click.get_current_context().exit(1)
    return chosen


def _numbers(found: Parameters) -> dict[str, float]:
    return {"lam": found.lam, "sigma": found.sigma, "tau": found.sigma / found.lam**0.5}
