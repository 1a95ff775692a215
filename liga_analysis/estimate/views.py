"""Parts of the estimation page: tables in, HTML out; see `views`."""

import pandas as pd

from ..model.decision import Decision
from ..model.posterior import SYMBOLS
from ..model.ranking import standings
from ..pages.markup import Html
from ..pages.views import section
from ..season.season import Season
from ..words import Words
from . import advice


def heading(season: Season, key: str, sentences: str | list[str]) -> Html:
    """Title of a section and what is told below it; nothing where there is nothing to tell."""
    return section("heading", season, sentences, "estimate", key=key) if sentences else Html()


def parameters(decision: Decision, level: float = 0.9) -> pd.DataFrame:
    """σ, τ (chips) and λ by every route; NaN where the season's own estimate is missing.

    Returns
    -------
    DataFrame
        Rows `sigma`, `tau`, `lam`; columns `in_force`, `reml`, `low` and `high` (profile, at the
        level), `median`, `p05` and `p95` (posterior), `advised`.
    """
    estimate, force = decision.estimate, decision.season.parameters
    in_force = {"sigma": force.sigma, "tau": force.sigma / force.lam**0.5, "lam": force.lam}
    rows = {}
    for name in SYMBOLS:
        row = {"in_force": in_force[name], "advised": getattr(decision.recommendation, name)}
        if estimate:
            low, high = estimate.interval(name, level)
            row |= {"reml": getattr(estimate, name), "low": low, "high": high}
            points = (("p05", 0.05), ("median", 0.5), ("p95", 0.95))
            row |= {key: estimate.posterior.quantile(name, p) for key, p in points}
        rows[name] = row
    columns = ["in_force", "reml", "low", "high", "median", "p05", "p95", "advised"]
    return pd.DataFrame.from_dict(rows, "index").reindex(columns=columns)


def figures(decision: Decision, level: float = 0.9) -> Html:
    """σ, τ and λ in force, by the data alone, with the prior, and as advised, side by side."""
    season, rows = decision.season, []
    words = season.words
    for name, row in parameters(decision, level).iterrows():
        show = advice.shown(name, words)
        alone = words.text("estimate.no_lam") if row["reml"] == float("inf") else show(row["reml"])
        cells = [
            (show(row["in_force"]), ""),
            (alone, _span(row["low"], row["high"], show, words)),
            (show(row["median"]), _span(row["p05"], row["p95"], show, words)),
            (show(row["advised"]), ""),
        ]
        rows.append((SYMBOLS[name], words.text(f"estimate.{name}"), cells))
    values = {"caption": words.text("estimate.figures_caption", level=level)}
    values["columns"] = [
        words.text(f"estimate.{name}")
        for name in ("in_force", "data_alone", "with_prior", "advised")
    ]
    return section("figures", season, page="estimate", rows=rows, **values)


def _span(low: float, high: float, show, words: Words) -> str:
    """As `advice.span`, as short as a table needs it; nothing where there is none."""
    if pd.isna(low):
        return ""
    key = "estimate.open_span" if high == float("inf") else "estimate.span"
    return words.text(key, low=show(low), high=show(high))


def changes(decision: Decision) -> Html:
    """Rank and rating under the parameters in force and under those advised, side by side."""
    season, advised = decision.season, decision.recommendation
    words, force = season.words, season.parameters
    if advised.action != "move":
        return heading(season, "changes", words.text("advice.changes_none"))
    now, then = standings(season), standings(season, advised.lam, advised.sigma)
    before, rows = {row.player: row for row in now.itertuples()}, []
    for new in then.itertuples():
        pair = before[new.player], new
        ranks = ["–" if pd.isna(row.rank) else row.rank for row in pair]
        ratings = [(words.chips(row.rating), words.chips(row.uncertainty)) for row in pair]
        rows.append((new.player, ranks, ratings))
    values = {"lam_now": force.lam, "sigma_now": force.sigma}
    values |= {"lam_then": advised.lam, "sigma_then": advised.sigma}
    caption = words.text("estimate.changes_caption", **values)
    sentences = advice.changes(season, decision)
    return section("changes", season, sentences, "estimate", caption=caption, rows=rows)


def next_step(decision: Decision, given: str) -> Html:
    """What to do now, with the command for it; `given` is the season as typed."""
    sentences, command = advice.next_step(decision, given, decision.season.words)
    return section("next", decision.season, sentences, "estimate", command=command)
