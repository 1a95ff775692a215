"""What changes a season: `liga record`, `rename`, `undo` and `adopt`, shown and asked before."""

import os
import sys
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import click

from ..desk.corrections import Correction, UnknownName, renamed, undone
from ..desk.files import Change, season_folder, season_lock, store
from ..desk.preview import effect, heading, moves, remarks
from ..desk.recording import Given, Recording, prepare
from ..estimate.advice import answer
from ..model.checks import slips
from ..model.decision import season_decision
from ..season.folder import SETTINGS, find_season, tables_of
from ..season.journal import snapshot
from ..season.season import Season
from ..season.settings import Parameters, read_settings, with_parameters
from ..words import DataError, Problem
from .console import (
    POSITIVE,
    WORDS,
    Command,
    Commands,
    Count,
    Date,
    aligned,
    filled,
    load,
    number,
    options,
    say,
    tell,
    typed,
    words_of,
)

text = WORDS.text
_YES = click.option("--yes", is_flag=True, help=say("record_yes"))


def add_to(main: Commands) -> None:
    """Register the commands."""
    for command in (record, rename, undo, adopt):
        main.add_command(command)


@click.command(cls=Command, help=say("record"))
@options("sheet")
@click.argument(
    "files",
    nargs=-1,
    required=True,
    metavar=say("files"),
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--date", "day", type=Date(), metavar="D", help=say("record_date"))
@click.option("--host", default="", metavar="H", help=say("record_host"))
@number("--evening", "record_evening")
@number("--replace", "record_replace")
@click.option("--reason", default="", metavar="TEXT", help=say("record_reason"))
@click.option("--accept-imbalance", default="", metavar="TEXT", help=say("accept_imbalance"))
@click.option("--unit", type=POSITIVE, metavar="X", help=say("unit"))
@_YES
def record(
    season: str, files, day, host, evening, replace, reason, accept_imbalance, unit, sheet, yes
) -> None:
    given = Given(day, host, evening, replace, unit, sheet)
    if replace and evening:
        raise click.UsageError(text("record.both"))
    if replace and not (reason or accept_imbalance):
        if yes or not at_terminal():
            raise click.UsageError(text("record.no_reason"))
        reason = click.prompt(text("record.why"), value_proc=filled)

    prepared = partial(prepare, season, list(files), given, date.today(), reason, accept_imbalance)
    recording, kept = changed(season, prepared, _show_recording, yes)
    done(text("record.stored", evenings=recording.evenings), kept)


def _tell_remarks(change: Change) -> None:
    for line in remarks(change.problems, WORDS):
        click.echo(line, err=True)


def _show_recording(recording: Recording) -> None:
    _tell_remarks(recording)
    blocks = effect(recording, words_of(recording.after))
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
    prepared = partial(renamed, season, old, new, date.today())
    try:
        change, kept = changed(season, prepared, _show_correction, yes)
    except UnknownName as error:
        raise click.UsageError(str(error)) from None
    done(text("record.done", what=change.sentence(WORDS)), kept)


@click.command(cls=Command, help=say("undo"))
@options()
@click.argument("evening", metavar=say("evening"), type=Count(1), required=False)
@click.option("--reason", required=True, metavar="TEXT", help=say("record_reason"))
@_YES
def undo(season: str, evening: int | None, reason: str, yes: bool) -> None:
    if evening is None:
        calendar = load(season).evenings.set_index("evening")["date"]
        days = [f"{number} ({WORDS.date(day)})" for number, day in calendar.items()]
        raise click.UsageError(text("record.undo_which", evenings=days or ["–"]))
    prepared = partial(undone, season, evening, reason, date.today())
    change, meanwhile = changed(season, prepared, _show_correction, yes)
    kept, here = change.kept, Path.cwd().resolve()
    kept = kept.relative_to(here) if kept.is_relative_to(here) else kept
    command = f"liga record {typed(season)} {typed(kept)}"
    if evening in change.before.unbalanced:
        accepted = (p for p in change.before.problems if p.key == "sum_accepted")
        why = next((p.values["reason"] for p in accepted if p.evening == evening), "")
        command += f" --accept-imbalance {typed(why or '…')}"
    back = text("record.undo_back", command=command)
    done(f"{text('record.done', what=change.sentence(WORDS))}\n{back}", meanwhile)


def _show_correction(change: Correction) -> None:
    _tell_remarks(change)
    click.echo(change.sentence(WORDS))
    if change.seasons:
        click.echo(text("record.rewritten", seasons=change.seasons))
    if change.said[0] == "joined":
        click.echo(text("record.for_good"))
    _show_moves(change, called=change.called)


def _show_moves(change: Change, third: str = "evenings", called: dict | None = None) -> None:
    """The rows of the table that change."""
    columns, words = ("rank", "rating", third), words_of(change.before)
    rows = moves(change.before, change.after, words, columns, changed=True, called=called)
    above = heading("rows", change.after, WORDS)
    shown = [*above, aligned(rows)] if len(rows) else [text("advice.no_rows")]
    click.echo("\n" + "\n".join(shown))


@click.command(cls=Command, help=say("adopt"))
@options()
@click.option("--reason", required=True, metavar="TEXT", help=say("reason"))
@click.option("--season-only", is_flag=True, help=say("season_only"))
@click.option("--sigma", type=POSITIVE, metavar="X", help=say("new_sigma"))
@click.option("--tau", type=POSITIVE, metavar="X", help=say("new_tau"))
def adopt(season: str, reason: str, season_only: bool, sigma, tau) -> None:
    if (sigma is None) != (tau is None):
        raise click.UsageError(text("advice.both"))
    if season_only and sigma is not None:
        raise click.UsageError(text("advice.season_only"))
    if not ((path := find_season(season)) / SETTINGS).is_file():
        raise click.ClickException(text("advice.no_folder", path=str(path)))

    def prepared() -> Change:
        folder = season_folder(season)
        settings = folder / SETTINGS
        seen = snapshot(folder, [settings, *tables_of(folder)])
        before = load(str(folder))
        chosen = _chosen(before, sigma, tau, reason, season_only)
        new = with_parameters(seen[settings], chosen, settings)
        after = replace(before, settings=read_settings(settings, new))
        return Change(before=before, after=after, contents={settings: new}, seen=seen)

    show, asked = (
        partial(_show_moves, third="uncertainty"),
        (text("advice.ask"), text("advice.not_adopted")),
    )
    change, kept = changed(season, prepared, show, not at_terminal(), *asked)
    new = change.after.settings.parameters[-1]
    when = "advice.reason" if new.from_evening else "advice.reason_before"
    when = text(when, evening=new.from_evening)
    done(text("advice.adopted", when=when, **_numbers(new)), kept)


def _chosen(season: Season, sigma, tau, reason: str, season_only: bool) -> Parameters:
    """The set to adopt; where there is none, why, and the command ends."""
    refused, force = None, season.parameters
    if sigma is None:
        decision = season_decision(season, season_only)
        advised = decision.recommendation
        click.echo(answer(decision, words_of(season)))
        sigma, lam = advised.sigma, advised.lam
        refused = "nothing_to_adopt" if advised.action != "move" else None
    else:
        if slip := slips(season, sigma, tau):
            raise DataError(*slip)
        lam = sigma**2 / tau**2
        with suppress(DataError):  # where nothing can be estimated yet
            advised = answer(season_decision(season), words_of(season))
            click.echo(text("advice.estimate_says", answer=advised))
    chosen = Parameters(season.held[-1] if season.held else 0, sigma, lam, date.today(), reason)
    if not refused and max(abs(sigma / force.sigma - 1), abs(lam / force.lam - 1)) < 1e-9:
        refused = "in_force"
    if refused:
        click.echo(text(f"advice.{refused}", **_numbers(force)), err=True)
        click.get_current_context().exit(1)
    return chosen


def _numbers(parameters: Parameters) -> dict[str, float]:
    lam, sigma = parameters.lam, parameters.sigma
    return {"lam": lam, "sigma": sigma, "tau": sigma / lam**0.5}


def at_terminal() -> bool:
    """Whether somebody is there to be asked."""
    return bool(sys.stdin and sys.stdout and sys.stdin.isatty() and sys.stdout.isatty())


def changed(
    season: str,
    prepared: Callable[[], Change],
    show: Callable[[Any], None],
    yes: bool,
    question: str = text("record.ask"),
    refused: str = text("record.not_stored"),
) -> tuple[Any, list[Problem]]:
    """Prepare a change, show it, ask, and store it; where nobody is to ask, only with `yes`.

    What somebody else wrote meanwhile, and is kept, is told with it.
    """
    asks = not yes and at_terminal()
    with ExitStack() as until_stored:
        if not asks:
            until_stored.enter_context(season_lock(season))
        change = prepared()
        show(change)
        if asks:
            said = click.prompt("\n" + question, default="", show_default=False)
            if said.strip()[:1].casefold() not in ("j", "y"):
                click.echo(refused, err=True)
                click.get_current_context().exit(1)
            until_stored.enter_context(season_lock(season))
        elif not yes:
            raise click.UsageError(text("record.nobody"))
        return change, store(change)


def done(sentence: str, kept: list[Problem]) -> None:
    """Say that it is stored; whoever does not listen any more changes nothing about that."""
    try:
        tell(kept)
        click.echo("\n" + sentence)
    except OSError:
        sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
