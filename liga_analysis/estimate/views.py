"""Parts of the estimation page: tables in, HTML out; see `views`."""

import pandas as pd

from ..model.ranking import standings
from ..pages.markup import Html
from ..pages.views import heading, section
from ..season.season import Season
from ..words import Words
from . import advice

_SYMBOLS = {"sigma": "σ", "tau": "τ", "lam": "λ"}


def figures(season: Season, record: dict) -> Html:
    """σ, τ and λ in force, by the data alone, with the prior, and as advised, side by side."""
    words, force = season.words, season.parameters
    in_force = {"sigma": force.sigma, "tau": force.sigma / force.lam**0.5, "lam": force.lam}
    rows = []
    for name, symbol in _SYMBOLS.items():
        show = words.number if name == "lam" else words.chips
        alone, points = record["reml"][name], record["posterior"][name]
        found = show(alone) if alone < float("inf") else words.text("estimate.no_lam")
        spans = (record["profile"][name], (points["0.05"], points["0.95"]))
        alone_span, prior_span = (_span(span, show, words) for span in spans)
        cells = [
            (show(in_force[name]), ""),
            (found, alone_span),
            (show(points["0.5"]), prior_span),
            (show(record["recommendation"][name]), ""),
        ]
        rows.append((symbol, words.text(f"estimate.{name}"), cells))
    values = {"caption": words.text("estimate.figures_caption", level=record["profile"]["level"])}
    values["columns"] = [
        words.text(f"estimate.{name}")
        for name in ("in_force", "data_alone", "with_prior", "advised")
    ]
    return section("figures", season, page="estimate", rows=rows, **values)


def _span(ends, show, words: Words) -> str:
    """As `advice.interval`, as short as a table needs it."""
    low, high = ends
    key = "estimate.open_span" if high == float("inf") else "estimate.span"
    return words.text(key, low=show(low), high=show(high))


def changes(season: Season, record: dict) -> Html:
    """Rank and rating under the parameters in force and under those advised, side by side."""
    words, force, advised = season.words, season.parameters, record["recommendation"]
    if advised["action"] != "move":
        return heading(season, "changes", words.text("advice.changes_none"), "estimate")
    now, then = standings(season), standings(season, advised["lam"], advised["sigma"])
    before, rows = {row.player: row for row in now.itertuples()}, []
    for new in then.itertuples():
        pair = before[new.player], new
        ranks = ["–" if pd.isna(row.rank) else row.rank for row in pair]
        ratings = [(words.chips(row.rating), words.chips(row.uncertainty)) for row in pair]
        rows.append((new.player, ranks, ratings))
    values = {"lam_now": force.lam, "sigma_now": force.sigma}
    values |= {"lam_then": advised["lam"], "sigma_then": advised["sigma"]}
    caption = words.text("estimate.changes_caption", **values)
    sentence = advice.changes(now, then, season)
    return section("changes", season, sentence, "estimate", caption=caption, rows=rows)


def next_step(season: Season, record: dict, given: str) -> Html:
    """What to do now, with the command for it; `given` is the season as typed."""
    sentence, command = advice.next_step(record, season, given, season.words)
    return section("next", season, sentence, "estimate", command=command)
