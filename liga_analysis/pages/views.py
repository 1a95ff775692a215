"""Parts of a page: tables in, HTML out, in the season's language; templates escape all texts."""

import hashlib
from datetime import datetime
from importlib.metadata import version

import pandas as pd

from ..model.rating import Fit
from ..season.names import as_written
from ..season.season import Season
from ..season.writer import csv_text
from ..words import Problem
from .markup import TEMPLATE, Html, html

SHOWN = 5  # problems told at once; the rest unfolds


def section(
    part: str, season: Season, above: str | list[str] = "", page: str = "report", **values
) -> Html:
    """A part below its heading, the sentences above it and the season's reservation if any."""
    lines = above.splitlines() if isinstance(above, str) else above
    heading = {"page": page, "key": part, "lines": lines, "reservation": reservation(season)}
    return html(part, season.words, **(heading | values))


def style() -> Html:
    """How the parts look in JupyterLab, whose own rules they outrank there; a page has another."""
    rules = "".join((TEMPLATE / f"{name}.css").read_text("utf-8") for name in ("lab", "views"))
    return Html(f"<style>:is(.jp-RenderedHTMLCommon, .jupyter-widgets) {{ {rules} }}</style>")


def reservation(season: Season) -> str:
    """Which evenings all tables go without: "vorläufig, ohne Abend 3"; "" where none."""
    if not season.left_out:
        return ""
    return season.words.text("report.preliminary", evenings=season.left_out)


def masthead(season: Season, fit: Fit, kind: str = "report") -> Html:
    """Kind of page, name of the season and the evening it stands at."""
    facts = list(filter(None, [as_of(season), other_parameters(season, fit)]))
    return html("masthead", season.words, kind=kind, name=season.name, facts=facts)


def as_of(season: Season) -> str:
    """Which evening all tables stand for, and which they go without."""
    day = season.results["date"].iloc[-1]
    key = "report.as_of" if pd.isna(day) else "report.as_of_date"
    standing = season.words.text(key, evening=season.held[-1], date=day)
    return " · ".join(filter(None, [standing, reservation(season)]))


def other_parameters(season: Season, fit: Fit) -> str:
    """By which parameters the ratings are, where these are not in force; else ""."""
    words = season.words
    used, force = (
        f"λ = {words.number(lam)}, σ = {words.number(sigma)}"
        for lam, sigma in [(fit.lam, fit.sigma), (season.parameters.lam, season.parameters.sigma)]
    )
    return words.text("report.other_parameters", given=used, force=force) if used != force else ""


def problems(season: Season, problems: list[Problem]) -> Html:
    """Errors and warnings in a red band; nothing where there are none."""
    sentences = [p.message(season.language) for p in problems if p.severity != "hint"]
    if not sentences:
        return Html()
    return html("problems", season.words, first=sentences[:SHOWN], rest=sentences[SHOWN:])


def headline(season: Season, sentences: list[str]) -> Html:
    """The main sentence large, the others below."""
    return html("headline", season.words, sentences=sentences)


def heading(
    season: Season, key: str, sentences: str | list[str] = "", page: str = "report"
) -> Html:
    """Title of a section, and what is told below it."""
    return section("heading", season, sentences, page, key=key)


def comparison(season: Season, before: pd.DataFrame, after: pd.DataFrame) -> Html:
    """Two `standings` side by side, in the order of the second; "–" for who is not in one."""
    words, old = season.words, before.set_index("player")
    new = after.set_index("player")
    rows = []
    for player in [*new.index, *old.index.difference(new.index)]:
        ranks, (was, now) = (
            [t[column].get(player, pd.NA) for t in (old, new)] for column in ("rank", "rating")
        )
        shown = {"before": words.chips(was), "after": words.chips(now)}
        ranks = dict(zip(("rank_before", "rank"), map(_place, ranks), strict=True))
        rows.append({"player": player, **ranks, **shown, "change": words.signed(now - was)})
    return html("comparison", words, rows=rows)


def _place(rank) -> str:
    return "–" if pd.isna(rank) else str(rank)


def method(season: Season, fit: Fit, foretold: str = "") -> Html:
    """How the ratings come about, what ± means, how far luck reaches, and the parameters.

    `foretold` says how well earlier evenings foretold later ones.
    """
    field = fit.graph.field_size.mean()
    # σ is the scatter before an evening is balanced; a result scatters by σ√(1 − 1/n).
    spread = fit.sigma * (1 - 1 / field) ** 0.5
    parameters = {"lam": fit.lam, "sigma": fit.sigma, "tau": fit.tau}
    values = {**parameters, "field": field, "spread": spread}
    return section("method", season, values=values, foretold=foretold)


def provenance(season: Season, made: datetime | None = None, changes=None) -> Html:
    """Where the numbers come from: data, evenings, parameters, version, time of making.

    `changes` are the corrections made, as rows of texts under their headings, if they are told.
    """
    earlier = [_parameters(season, p) for p in season.settings.parameters if p != season.parameters]
    return section(
        "provenance",
        season,
        facts=facts(season),
        earlier=earlier,
        corrections=None if changes is None or changes.empty else changes,
        made=made or datetime.now(),
    )


def facts(season: Season, fit: Fit | None = None) -> dict[str, str | int]:
    """What the numbers rest on, by the keys of their names; `fit` if by other parameters."""
    other = other_parameters(season, fit) if fit else ""
    return ({"used": other} if other else {}) | {
        "season": season.name,
        "data": season.file,
        "fingerprint": fingerprint(season),
        "through": season.words.text("report.through_value", evening=season.held[-1]),
        "evenings_counted": len(season.held),
        "parameters": _parameters(season, season.parameters),
        "version": f"liga_analysis {version('liga_analysis')}",
    }


def fingerprint(season: Season) -> str:
    """The same for the same results, in whatever order they were stored and in every language."""
    names = season.results["player"]
    names = names.mask(names.isin(season.guests), names.map(as_written))
    return hashlib.sha256(csv_text(season.results.assign(player=names)).encode()).hexdigest()[:16]


def _parameters(season: Season, force) -> str:
    """λ and σ, since when and why."""
    words = season.words
    since = "parameters_since" if force.from_evening else "parameters_from_start"
    values = {"lam": force.lam, "sigma": force.sigma, "evening": force.from_evening}
    facts = [
        words.text(f"report.{since}", **values),
        words.text("report.adopted", date=force.adopted) if force.adopted else "",
        words.text("report.why", reason=force.reason) if force.reason else "",
    ]
    return "; ".join(filter(None, facts))
