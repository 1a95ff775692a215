"""Seasons as one: evenings and guests kept apart, persons joined by name."""

from collections.abc import Iterable
from dataclasses import replace

import pandas as pd

from ..words import Words
from .names import as_written, name_key
from .season import Season


def pooled(seasons: Iterable[Season]) -> Season:
    """All evenings of some seasons as one season, under rules and parameters of the last.

    Evenings are numbered anew by date, or in the order given where a date is missing. A player is
    whoever has the same name; a guest is another person on every evening.

    Parameters
    ----------
    seasons : iterable of Season

    Returns
    -------
    Season
        `path` None, the names joined by " + ".

    Raises
    ------
    ValueError
        If there is no season.

    Examples
    --------
    >>> both = liga.pooled(liga.load_seasons(["data/beispielliga"]))
    >>> len(both.held)
    24
    """
    seasons = list(seasons)
    if not seasons:
        raise ValueError("no season to pool")
    last, shown = seasons[-1], {}
    words = Words(last.language)
    evenings = pd.concat([s.evenings.assign(season=k) for k, s in enumerate(seasons)])
    if evenings["date"].notna().all():
        evenings = evenings.sort_values("date", kind="stable")
    keys = zip(evenings["season"], evenings["evening"], strict=True)
    number = {key: n for n, key in enumerate(keys, 1)}

    parts, problems = [], []
    for k, season in enumerate(seasons):
        rows = season.results
        new = rows["evening"].map(lambda evening, k=k: number[k, evening]).astype(int)
        names = [
            words.text("place.guest", name=as_written(name), evening=evening)
            if name in season.guests
            else shown.setdefault(name_key(name), name)
            for name, evening in zip(rows["player"], new, strict=True)
        ]
        guest = rows["player"].isin(season.guests)
        keyed = rows["player"].where(~guest, rows["player"].map(as_written)).map(name_key)
        parts.append(rows.assign(evening=new, player=names, guest=guest, key=keyed))
        problems += [replace(p, evening=number.get((k, p.evening))) for p in season.problems]
    results = pd.concat(parts).sort_values(["evening", "key"], kind="stable", ignore_index=True)
    licences = pd.concat([season.licences for season in seasons], ignore_index=True)
    licences = licences.sort_values("issued", kind="stable")
    first = ~licences["player"].map(name_key).duplicated()
    force = replace(last.parameters, from_evening=0)
    name = " + ".join(season.name for season in seasons)
    return Season(
        None,
        replace(last.settings, name=name, parameters=(force,)),
        evenings.assign(evening=range(1, len(evenings) + 1))
        .drop(columns="season")
        .reset_index(drop=True),
        results[last.results.columns],
        licences[first].sort_index().reset_index(drop=True),
        pd.concat(
            [_moved(season.corrections, k, number) for k, season in enumerate(seasons)],
            ignore_index=True,
        ),
        frozenset(results["player"][results["guest"]]),
        tuple(sorted(number[k, e] for k, season in enumerate(seasons) for e in season.left_out)),
        tuple(sorted(problems, key=lambda p: p.evening or 0)),
    )


def _moved(corrections: pd.DataFrame, k: int, number: dict) -> pd.DataFrame:
    new = [number.get((k, evening), evening) for evening in corrections["evening"]]
    return corrections.assign(evening=new)
