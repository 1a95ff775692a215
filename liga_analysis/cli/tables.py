"""What is computed of a season, printed: table, awards, estimate, λ, influence, chances, career."""

import click
import pandas as pd

from ..estimate.advice import estimate_lines, next_step, span
from ..model.careers import find_player, load_seasons, season_paths, told_twice
from ..model.checks import problems
from ..model.decision import season_decision
from ..pages.columns import ALL_TIME, CAREER, STANDINGS, in_words
from ..report import ahead, story
from ..season.season import Season
from ..words import Words
from . import records
from .console import (
    LEVEL,
    WORDS,
    Command,
    Commands,
    Count,
    of_season,
    options,
    print_data,
    say,
    season_argument,
    standing_after,
    tell,
    words_of,
)

CHANCES = ["player", "p_first", "p_podium", "rank_mean", "rank_low", "rank_high"]


def add_to(main: Commands) -> None:
    """Register the commands."""
    for command in (standings, awards, estimate, lambda_path, influence, chances, career):
        main.add_command(command)


@click.command(cls=Command, help=say("standings"))
@of_season("lam", "sigma", "format")
def standings(season: Season, lam, sigma, form: str) -> None:
    record, words = records.standings_record(season, lam, sigma), words_of(season)
    table = pd.DataFrame(record["players"])
    parameters = say("parameters", lam=record["lam"], sigma=record["sigma"])
    below = (
        "" if table["qualified"].all() else say("not_ranked", attendance=season.rules.attendance)
    )
    title = f"{standing_after(season)} · {parameters}"
    print_data(form, record, table, title, in_words(table, STANDINGS, words), below)


@click.command(cls=Command, help=say("awards"))
@of_season("lam", "sigma", "format")
def awards(season: Season, lam, sigma, form: str) -> None:
    record = records.award_records(season, lam, sigma)
    lines = [story.award_line(award, words_of(season)) for award in record]
    print_data(form, record, pd.DataFrame(record), standing_after(season), *lines)


@click.command(cls=Command, help=say("estimate"))
@of_season("format")
@click.option("--level", type=LEVEL, default=0.9, help=say("level"))
@click.option("--season-only", is_flag=True, help=say("season_only"))
def estimate(season: Season, form: str, level, season_only) -> None:
    words = words_of(season)
    decision = season_decision(season, season_only)
    tell(decision.hints, hints=True)
    record = records.estimate_record(decision, words, level)
    answer, *details = estimate_lines(decision, words, level)
    step = " ".join(filter(None, next_step(decision, str(season.path), words)))
    lines = [answer, step, *(["\n" + say("in_detail")] if details else []), *details]
    print_data(form, record, pd.json_normalize(record), standing_after(season), *lines)


@click.command("lambda", cls=Command, help=say("lambda"))
@of_season("lam", "sigma", "format")
def lambda_path(season: Season, lam, sigma, form: str) -> None:
    record, words = records.lambda_record(season, lam, sigma), words_of(season)
    players = record["players"]
    table = pd.DataFrame(
        [
            {"player": p["player"], "lam": at, "rating": rating, "rank": rank}
            for p in players
            for at, rating, rank in zip(record["lam"], p["rating"], p["rank"], strict=True)
        ]
    )
    shown = pd.DataFrame({words.text("column.player"): [p["player"] for p in players]})
    for k in range(0, len(record["lam"]), 20):
        shown[f"λ {words.number(record['lam'][k])}"] = [
            f"{words.number(p['rank'][k])}  {words.chips(p['rating'][k])}" for p in players
        ]
    stays = say("podium_span", span=span(record["podium_interval"], "lam", words))
    lines = [
        words.text("explore.swap", lam=s["lam"], below=s["players"][0], above=s["players"][1])
        for s in record["swaps"]
    ]
    print_data(form, record, table, standing_after(season), stays, *lines, shown)


@click.command(cls=Command, help=say("influence"))
@of_season("lam", "sigma", "format")
def influence(season: Season, lam, sigma, form: str) -> None:
    record, words = records.influence_record(season, lam, sigma), words_of(season)
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
            words.text("column.p_podium"): [", ".join(e["podium"]) or "–" for e in evenings],
            "λ (REML)": [words.number(e["lam_reml"]) for e in evenings],
        }
    )
    print_data(form, record, table, standing_after(season), shown)


@click.command(cls=Command, help=say("chances"))
@of_season("lam", "sigma", "format")
@click.option("--draws", type=Count(1, 10_000_000), metavar="N", help=say("draws"))
@click.option("--seed", type=Count(0), default=1, help=say("seed"))
@click.option("--outlook", is_flag=True, help=say("outlook"))
def chances(season: Season, lam, sigma, form: str, draws, seed, outlook) -> None:
    if outlook:
        return _print_outlook(season, lam, sigma, form, draws or 10_000, seed)
    record = records.chances_record(season, lam, sigma, draws or 40_000, seed)
    words = words_of(season)
    table = pd.DataFrame(record["players"], columns=CHANCES)
    shown = pd.DataFrame(
        {
            words.text("column.player"): table["player"],
            words.text("column.p_first"): table["p_first"].map(words.chance),
            words.text("column.p_podium"): table["p_podium"].map(words.chance),
            say("rank_range"): [
                f"{a}–{b}" for a, b in zip(table["rank_low"], table["rank_high"], strict=True)
            ],
        }
    )
    lines = [standing_after(season), say("podium_chance", **record)]
    if linked := record["linked"]:
        chance = [words.chance(player["p_podium"]) for player in linked["players"]]
        shown[words.text("column.p_podium_linked")] = chance
        lines.append(say("podium_chance_linked", **linked))
    if table.empty:
        click.echo(say("nobody_ranked", attendance=season.rules.attendance), err=True)
        lines = lines[:1]
    print_data(form, record, table, *lines, "" if table.empty else shown)


def _print_outlook(season: Season, lam, sigma, form: str, draws: int, seed: int) -> None:
    """How the season may end, and what its next evening can change."""
    words = words_of(season)
    prospect = ahead.prospect(season, lam, sigma, draws, seed)
    parts = [ahead.outlook_line(prospect, words), _chances_ahead(prospect, words)]
    if prospect.next:
        steps = ahead.nearest(prospect.next.passes)
        shown = steps.assign(result=steps["chips"].map(words.signed)).drop(columns="chips")
        shown = shown.rename(columns=lambda name: words.text(f"outlook.{name}"))
        parts += [f"\n{words.text('outlook.next')}", "" if steps.empty else shown]
        parts.append(ahead.next_line(prospect, words))
    record = records.outlook_record(prospect, draws, seed)
    print_data(form, record, pd.DataFrame(record["players"]), standing_after(season), *parts)


def _chances_ahead(prospect: ahead.Prospect, words: Words) -> pd.DataFrame:
    """Chances of title and podium by player, and the evenings still needed."""

    def chance(outlook, name: str) -> list[str]:
        players = outlook.players.itertuples()
        return [ahead.chance(prospect, player, name, words) for player in players]

    shown = {"player": prospect.own.players.index, "p_title": chance(prospect.own, "p_first")}
    shown |= {name: chance(prospect.own, name) for name in ("p_podium", "p_qualified")}
    shown["needed"] = [
        ahead.needed(prospect, player, words) for player in prospect.own.players.itertuples()
    ]
    if prospect.linked:
        shown["p_podium_linked"] = chance(prospect.linked, "p_podium")
    return pd.DataFrame(shown).rename(columns=lambda name: words.text(f"column.{name}"))


@click.command(cls=Command, help=say("career"))
@options(
    "format",
    argument=season_argument("seasons", nargs=-1, required=True, metavar=say("leagues")),
)
@click.option("--player", metavar="NAME", help=say("career_player"))
@click.option("--final", is_flag=True, help=say("career_final"))
def career(seasons, player: str | None, final: bool, form: str) -> None:
    loaded = load_seasons(seasons)
    empty = set(season_paths(seasons)) - {season.path for season in loaded}
    for path in sorted(empty):
        click.echo(say("career_left_out", season=str(path)), err=True)
    for season in loaded:
        tell(problems(season))
    tell(told_twice(loaded))
    words = Words(WORDS.language, max(season.words.digits for season in loaded))
    record = records.career_record(loaded, not final)
    lines = story.career_lines(loaded, words, not final)
    if player is None:
        table = pd.DataFrame(record["players"])
        shown = in_words(table, ALL_TIME, words)
    else:
        known = find_player(loaded, player)
        if known is None:
            raise click.BadParameter(say("career_nobody", player=player), param_hint="--player")
        record = {name: [r for r in part if r["player"] == known] for name, part in record.items()}
        table = pd.DataFrame(record["seasons"])
        shown = in_words(table, CAREER, words)
        lines[0] = f"{known} · {lines[0]}"
    print_data(form, record, table, *lines, shown)
