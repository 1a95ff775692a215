"""The command `liga`, thin: what to print is computed elsewhere."""

import os
from datetime import date
from pathlib import Path

import click
import pandas as pd

from ..estimate.advice import estimate_lines, interval, next_step
from ..model.checks import problems
from ..model.decision import season_decision
from ..pages.columns import STANDINGS, in_words
from ..season.season import Season, load_season
from ..season.storage import save_season
from ..words import DataError, SeasonNotFound, Words
from . import adopt as cli_adopt
from . import evening as cli_evening
from . import pages as cli_pages
from . import records
from . import seasons as cli_seasons
from .console import (
    LEVEL,
    POSITIVE,
    WORDS,
    Commands,
    Count,
    Number,
    aligned,
    load,
    open_streams,
    options,
    print_data,
    say,
    tell,
)

CHANCES = ["player", "p_first", "p_podium", "rank_mean", "rank_low", "rank_high"]


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


def _words(season: Season) -> Words:
    """The user's language, with the decimals of the season's amounts."""
    return Words(WORDS.language, season.words.digits)


def _standing_after(season: Season) -> str:
    """Which evening a table stands for, and which evenings it goes without."""
    if season.held:
        day = season.results["date"].iloc[-1]
        after = "as_of_date" if pd.notna(day) else "as_of"
        title = say(after, evening=season.held[-1], date=day)
    else:
        title = say("before_first")
    if season.left_out:
        title += " · " + say("preliminary", evenings=season.left_out)
    return title


@main.command(help=say("new"))
@click.argument("season", metavar=say("season"))
@click.option("--from", "old", metavar=say("season"), help=say("from"))
def new(season: str, old: str | None) -> None:
    folder = Path(season)
    name = f"{folder.resolve().parent.name} {folder.name}"
    before = load_season(old) if old else None
    carried = {"licences": before.licences, "like": before.settings} if before else {}
    made = save_season(folder, name, **carried)
    click.echo(say("made", folder=made.path, next=f"liga check {season}"))


@main.command(help=say("check"))
@options("format")
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
        shown = [
            f"{WORDS.text(f'severity.{p.severity}')}: {m}"
            for p, m in zip(found, table["message"], strict=True)
        ]
        print_data(form, table, record, pd.DataFrame(), "\n".join(shown))
    else:
        click.echo(say("no_problems"))
    click.get_current_context().exit(int(any(p.severity != "hint" for p in found)))


@main.command("standings", help=say("standings"))
@options("through", "lam", "sigma", "format")
def show_standings(season: str, through, lam, sigma, form: str) -> None:
    loaded = load(season, through, sigma)
    record = records.standings_record(loaded, lam, sigma)
    table = pd.DataFrame(record["players"])
    if form == "table":
        click.echo(_standings_text(loaded, lam, sigma))
    else:
        print_data(form, table, record, table)


def _standings_text(season: Season, lam=None, sigma=None) -> str:
    """The table as printed: rounded, in words, with what it stands for."""
    record, words = records.standings_record(season, lam, sigma), _words(season)
    table = pd.DataFrame(record["players"])
    parameters = say("parameters", lam=record["lam"], sigma=record["sigma"])
    lines = [
        f"{_standing_after(season)} · {parameters}",
        aligned(in_words(table, STANDINGS, words)),
    ]
    if not table["qualified"].all():
        lines.append(say("not_ranked", attendance=season.rules.attendance))
    return "\n".join(lines)


def _rank(rank) -> str:
    return "–" if pd.isna(rank) else str(rank)


@main.command("awards", help=say("awards"))
@options("through", "lam", "sigma", "format")
def show_awards(season: str, through, lam, sigma, form: str) -> None:
    from ..report import story  # sentences are needed here alone

    loaded = load(season, through, sigma)
    record = records.award_records(loaded, lam, sigma)
    words = _words(loaded)
    shown = "\n".join(story.award_lines(record, words))
    print_data(
        form, pd.DataFrame(record), record, pd.DataFrame(), f"{_standing_after(loaded)}\n{shown}"
    )


@main.command(help=say("estimate"))
@options("through", "format")
@click.option("--level", type=LEVEL, default=0.9, help=say("level"))
@click.option("--season-only", is_flag=True, help=say("season_only"))
def estimate(season: str, through, form: str, level, season_only) -> None:
    loaded = load(season, through)
    words = _words(loaded)
    found = season_decision(loaded, season_only)
    tell(found.told, hints=True)
    record = records.estimate_record(found, words, level)
    lines = estimate_lines(record, loaded, words)
    lines.append(" ".join(filter(None, next_step(record, loaded, season, words))))
    table = pd.json_normalize(record)
    print_data(form, table, record, pd.DataFrame(), "\n".join([_standing_after(loaded), *lines]))


@main.command("lambda", help=say("lambda"))
@options("through", "lam", "sigma", "format")
def show_lambda(season: str, through, lam, sigma, form: str) -> None:
    loaded = load(season, through, sigma)
    record, words = records.lambda_record(loaded, lam, sigma), _words(loaded)
    table = pd.DataFrame(
        [
            {"player": p["player"], "lam": at, "rating": rating, "rank": rank}
            for p in record["players"]
            for at, rating, rank in zip(record["lam"], p["rating"], p["rank"], strict=True)
        ]
    )
    shown = pd.DataFrame({words.text("column.player"): [p["player"] for p in record["players"]]})
    for k in range(0, len(record["lam"]), 20):
        shown[f"λ {words.number(record['lam'][k])}"] = [
            f"{_rank(p['rank'][k])}  {words.chips(p['rating'][k])}" for p in record["players"]
        ]
    low, high = record["podium_interval"]
    span = say("podium_span", span=interval((low, high), words.number, words))
    lines = [
        say("swap", lam=s["lam"], below=s["players"][0], above=s["players"][1])
        for s in record["swaps"]
    ]
    print_data(form, table, record, shown, "\n".join([_standing_after(loaded), span, *lines]))


@main.command("influence", help=say("influence"))
@options("through", "lam", "sigma", "format")
def show_influence(season: str, through, lam, sigma, form: str) -> None:
    loaded = load(season, through, sigma)
    record, words = records.influence_record(loaded, lam, sigma), _words(loaded)
    evenings = record["evenings"]
    table = pd.DataFrame(
        [
            {"evening": e["evening"], "date": e["date"], "lam_reml": e["lam_reml"], **p}
            for e in evenings
            for p in e["players"]
        ]
    )
    shown = pd.DataFrame(
        {
            say("without"): [e["evening"] for e in evenings],
            words.text("column.date"): [words.date(e["date"]) for e in evenings],
            say("podium"): [", ".join(e["podium"]) or "–" for e in evenings],
            "λ (REML)": [words.number(e["lam_reml"]) for e in evenings],
        }
    )
    print_data(form, table, record, shown, _standing_after(loaded))


@main.command("chances", help=say("chances"))
@options("through", "lam", "sigma", "format")
@click.option("--draws", type=Count(1, 10_000_000), metavar="N", help=say("draws"))
@click.option("--seed", type=Count(0), default=1, help=say("seed"))
@click.option("--outlook", is_flag=True, help=say("outlook"))
def show_chances(season: str, through, lam, sigma, form: str, draws, seed, outlook) -> None:
    loaded = load(season, through, sigma)
    if outlook:
        title = _standing_after(loaded)
        return cli_seasons.print_outlook(loaded, lam, sigma, form, draws or 10_000, seed, title)
    record = records.chances_record(loaded, lam, sigma, draws or 40_000, seed)
    words = _words(loaded)
    table = pd.DataFrame(record["players"], columns=CHANCES)
    shown = pd.DataFrame(
        {
            words.text("column.player"): table["player"],
            say("first"): table["p_first"].map(words.chance),
            say("podium"): table["p_podium"].map(words.chance),
            say("rank_range"): [
                f"{a}–{b}" for a, b in zip(table["rank_low"], table["rank_high"], strict=True)
            ],
        }
    )
    lines = [_standing_after(loaded)]
    if record["p_podium_set"] is not None:
        lines.append(say("podium_chance", **record))
    if linked := record["linked"]:
        shown[say("podium_linked")] = [words.chance(p["p_podium"]) for p in linked["players"]]
        lines.append(say("podium_chance_linked", **linked))
    print_data(form, table, record, shown, "\n".join(lines))


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
    click.echo(say("made", folder=made.path, next=f"liga standings {season}"))


cli_adopt.add_to(main)
cli_evening.add_to(main)
cli_seasons.add_to(main)
cli_pages.add_to(main)

if __name__ == "__main__":
    main(prog_name="liga")
