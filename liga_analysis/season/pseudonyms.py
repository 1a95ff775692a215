"""Invented names in place of real ones, the same for a player wherever the name stands."""

import re
from dataclasses import replace

import pandas as pd

from ..words import Problem
from .roster import aliases
from .season import Season

# Values of a problem that are names, whether or not anybody of that name counts.
_NAMES = ("spelling", "spelling0", "alias", "other", "names", "apart", "spellings", "hosts")


def invented_names(season: Season) -> dict[str, str]:
    """The invented name of everybody who occurs in a season: players, hosts, aliases.

    By licence, so that a name stays the same from evening to evening; guests are only
    numbered. No invented name is, holds or is held by a real one.
    """
    by_licence = season.licences.sort_values("licence", kind="stable")
    same = {
        alias: p for p, cell in by_licence[["player", "aliases"]].values for alias in aliases(cell)
    }
    named = {name for problem in season.problems for name in _told(problem)}
    others = {*season.results["player"], *season.evenings["host"].dropna(), *named} - {""}
    real = dict.fromkeys([*by_licence["player"], *sorted(others - same.keys() - season.guests)])
    known = [name.casefold() for name in (*real, *same)]
    free = (
        f"{name} {k}" if k > 1 else name
        for k in range(1, len(real) + 2)
        for name in season.words.text("report.pseudonyms").split(", ")
        if not any(name.casefold() in other or other in name.casefold() for other in known)
    )
    invented = dict(zip(real, free, strict=False))
    aliased = {alias: invented[player] for alias, player in same.items()}
    return invented | aliased | _numbered(season)


def _numbered(season: Season) -> dict[str, str]:
    """The guests of each evening under a name that tells nothing: "Gast 1 (Abend 3)"."""
    names, word = {}, season.words.text("place.guest_word")
    rows = season.results[season.results["player"].isin(season.guests)]
    for evening, guests in rows.groupby("evening")["player"]:
        for k, guest in enumerate(guests, 1):
            name = f"{word} {k}" if len(guests) > 1 else word
            names[guest] = season.words.text("place.guest", name=name, evening=evening)
    return names


def _told(problem: Problem) -> list[str]:
    values = [problem.player, *(problem.values.get(name) for name in _NAMES)]
    listed = [v if isinstance(v, (list, tuple)) else [v] for v in values]
    return [name for names in listed for name in names if isinstance(name, str)]


def disguised(season: Season) -> Season:
    """The season under invented names; free text that might tell on somebody is left out."""
    names = invented_names(season)
    longest = sorted(names, key=len, reverse=True)
    # A name as a word of its own or in the genitive: "Annes Runde".
    pattern = re.compile(r"(?<!\w)(" + "|".join(map(re.escape, longest)) + r")(?=s?(?!\w))", re.I)
    folded = {name.casefold(): names[name] for name in longest}

    def plain(value):
        if isinstance(value, str):
            return pattern.sub(lambda match: folded[match[0].casefold()], value) if names else value
        if isinstance(value, (list, tuple)):
            return [plain(entry) for entry in value]
        return value

    def renamed(column: pd.Series) -> pd.Series:
        return column.map(lambda name: names.get(name, name))

    settings = replace(
        season.settings,
        name=plain(season.name),
        parameters=tuple(replace(p, reason="") for p in season.settings.parameters),
    )
    problems = tuple(
        replace(p, player=plain(p.player), file=plain(p.file), values=_each(p.values, plain))
        for p in season.problems
    )
    evenings, results = season.evenings, season.results
    return replace(
        season,
        path=season.path and season.path.with_name(plain(season.path.name)),
        settings=settings,
        evenings=evenings.assign(host=renamed(evenings["host"]), place="", note=""),
        results=results.assign(
            player=renamed(results["player"]), host=renamed(results["host"]), note=""
        ),
        guests=frozenset(names.get(guest, guest) for guest in season.guests),
        licences=season.licences.assign(player=renamed(season.licences["player"]), aliases=""),
        problems=problems,
    )


def _each(values: dict, change) -> dict:
    return {name: change(value) for name, value in values.items()}
