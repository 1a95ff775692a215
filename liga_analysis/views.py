"""Parts of a page: tables in, HTML out, in the season's language; templates escape all texts."""

import hashlib
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

import pandas as pd
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from . import story
from .labels import Problem, Words
from .rating import TIE, Fit, receipt
from .season import Season
from .writer import csv_text

SHOWN = 5  # problems told at once; the rest unfolds
_TEMPLATE = Path(__file__).with_name("template")
_PARTS = Environment(
    loader=FileSystemLoader(_TEMPLATE / "views"),
    autoescape=True,
    trim_blocks=True,
    lstrip_blocks=True,
    undefined=StrictUndefined,
)


class Html(Markup):
    """HTML that IPython shows as such."""

    def _repr_html_(self) -> str:
        return str(self)

    def __repr__(self) -> str:
        return "HTML"


def _html(part: str, words: Words, **values) -> Html:
    return Html(_PARTS.get_template(f"{part}.html").render(w=words, **values))


def _section(part: str, season: Season, sentence: str = "", **values) -> Html:
    """A part below its own heading."""
    above = {"key": part, "sentence": sentence, "reservation": reservation(season)}
    return _html(part, season.words, **above, **values)


def _names(players: list[str], words: Words) -> Markup:
    """Names set apart: one written from right to left leaves its surroundings alone."""
    return Markup(words.listing([Markup("<bdi>{}</bdi>").format(player) for player in players]))


def style() -> Html:
    """How the parts look in JupyterLab; a page brings the same."""
    return Html(f"<style>{(_TEMPLATE / 'views.css').read_text('utf-8')}</style>")


def reservation(season: Season) -> str:
    """Which evenings all tables go without: "vorläufig, ohne Abend 3"; "" where none."""
    if not season.left_out:
        return ""
    return season.words.text("report.preliminary", evenings=season.left_out)


def masthead(season: Season, fit: Fit, kind: str = "report") -> Html:
    """Kind of page, name of the season and the evening it stands at."""
    words, day = season.words, season.results["date"].iloc[-1]
    key = "report.as_of" if pd.isna(day) else "report.as_of_date"
    told = [words.text(key, evening=season.held[-1], date=day), reservation(season)]
    used, force = (
        f"λ = {words.number(lam)}, σ = {words.chips(sigma)}"
        for lam, sigma in [(fit.lam, fit.sigma), (season.parameters.lam, season.parameters.sigma)]
    )
    if used != force:
        told.append(words.text("report.other_parameters", given=used, force=force))
    return _html("masthead", words, kind=kind, name=season.name, told=list(filter(None, told)))


def problems(season: Season, problems: list[Problem]) -> Html:
    """Errors and warnings in a red band; nothing where there are none."""
    told = [p.message(season.language) for p in problems if p.severity != "hint"]
    if not told:
        return Html()
    return _html("problems", season.words, first=told[:SHOWN], rest=told[SHOWN:])


def headline(season: Season, sentences: list[str]) -> Html:
    """The main sentence large, the others below."""
    return _html("headline", season.words, sentences=sentences)


def heading(season: Season, key: str, sentence: str = "") -> Html:
    """Title of a section, with a sentence and the season's reservation if there are any."""
    values = {"key": key, "sentence": sentence, "reservation": reservation(season)}
    return _html("heading", season.words, **values)


def podium(season: Season, table: pd.DataFrame) -> Html:
    """The steps of the podium; players of equal rank stand on one."""
    words = season.words
    on_it = table[table["qualified"] & (table["rank"] <= season.rules.podium)]
    steps = []
    for rank, step in on_it.groupby("rank"):
        shown = zip(
            step["rating"].map(words.chips), step["uncertainty"].map(words.chips), strict=True
        )
        steps.append((rank, _names(list(step["player"]), words), list(dict.fromkeys(shown))))
    empty = words.text("report.nobody_ranked", attendance=season.rules.attendance)
    return _section("podium", season, "" if steps else empty, steps=steps)


def standings(season: Season, table: pd.DataFrame) -> Html:
    """The table, each rating drawn with its ±u on one scale; whoever is not ranked below a rule."""
    words, rules = season.words, season.rules
    low = min((table["rating"] - table["uncertainty"]).min(), 0)
    high = max((table["rating"] + table["uncertainty"]).max(), 0)

    def x(value: float) -> str:
        # In percent of the cell, so that the picture grows with the page.
        return f"{4 + 92 * (value - low) / (high - low):.2f}%"

    rows = [_row(season, row, x) for row in table.itertuples()]
    ranked = int(table["qualified"].sum())
    needed = story.evenings(rules.evenings_needed(len(season.held)), words)
    note = "report.average_note" if rules.dropped else "report.average_note_none"
    return _section(
        "standings",
        season,
        ranked=rows[:ranked],
        others=rows[ranked:],
        out=words.text("report.out", attendance=rules.attendance, needed=needed),
        average=words.text(note, dropped=rules.dropped),
        zero=x(0),
    )


def _row(season: Season, row, x) -> dict:
    words, evenings = season.words, story.evenings(row.evenings, season.words)
    return {
        "rank": "–" if pd.isna(row.rank) else row.rank,
        "name": row.player,
        "sums": words.text("report.sums", total=row.total, average=row.average, evenings=evenings),
        "missing": _missing(season, row),
        "low": x(row.rating - row.uncertainty),
        "high": x(row.rating + row.uncertainty),
        "dot": x(row.rating),
        "rating": words.chips(row.rating),
        "uncertainty": words.chips(row.uncertainty),
        "total": words.signed(row.total),
        "average": words.signed(row.average),
        "evenings": row.evenings,
    }


def _missing(season: Season, row) -> str:
    """With how many of the evenings announced next a player is ranked; "" where never."""
    if row.qualified or row.player in season.guests:
        return ""
    for more in range(1, len(season.announced) + 1):
        if season.rules.qualifies(row.evenings + more, len(season.held) + more):
            return season.words.text(f"report.next_one{'s' if more > 1 else ''}", n=more)
    return ""


def awards(season: Season, awards: pd.DataFrame) -> Html:
    """A tile each for the special awards, also for those not awarded, with the reason."""
    words = season.words
    tiles = [
        {
            "name": words.text(f"award.{award['award']}.name"),
            "players": _names(award["players"], words) if award["players"] else "",
            "value": story.award_value(award, words),
            "sentence": story.award_sentence(award, season),
        }
        for award in awards[awards["award"] != "podium"].to_dict("records")
    ]
    return _section("awards", season, tiles=tiles)


def receipts(season: Season, table: pd.DataFrame, fit: Fit) -> Html:
    """What every rating is made of: (total + field strength) ÷ (evenings + λ)."""
    words, parts = season.words, receipt(fit).loc[table["player"]]
    columns = {
        "receipt_total": parts["total"].map(words.signed),
        "imbalance": parts["imbalance"].map(words.signed),
        "field_strength": parts["field_strength"].map(words.signed),
        "shared": [f"{n} + {words.number(fit.lam)}" for n in parts["evenings"]],
        "receipt_rating": parts["rating"].map(words.chips),
    }
    caption = "report.receipts_caption_imbalance"
    if parts["imbalance"].abs().max() <= TIE * fit.sigma:  # not but for rounding
        caption = "report.receipts_caption"
        del columns["imbalance"]
    return _section(
        "receipts",
        season,
        words.text("report.receipts_note", lam=fit.lam),
        caption=words.text(caption),
        columns=list(columns),
        rows=list(zip(table["player"], zip(*columns.values(), strict=True), strict=True)),
    )


def method(season: Season, fit: Fit) -> Html:
    """How the ratings come about, what ± means, how far luck reaches, and the parameters."""
    field = fit.graph.field_size.mean()
    # σ is the scatter before an evening is balanced; a result scatters by σ√(1 − 1/n).
    spread = fit.sigma * (1 - 1 / field) ** 0.5
    parameters = {"lam": fit.lam, "sigma": fit.sigma, "tau": fit.tau}
    return _section("method", season, values={**parameters, "field": field, "spread": spread})


def provenance(season: Season, made: datetime | None = None) -> Html:
    """Where the numbers come from: data, evenings, parameters, version, time of making."""
    words, force = season.words, season.parameters
    since = "parameters_since" if force.from_evening else "parameters_from_start"
    values = {"lam": force.lam, "sigma": force.sigma, "evening": force.from_evening}
    parameters = [
        words.text(f"report.{since}", **values),
        words.text("report.adopted", date=force.adopted) if force.adopted else "",
        words.text("report.why", reason=force.reason) if force.reason else "",
    ]
    facts = {
        "season": season.name,
        "data": season.path.name,
        "fingerprint": hashlib.sha256(csv_text(season.results).encode()).hexdigest()[:16],
        "evenings_counted": len(season.held),
        "parameters": "; ".join(filter(None, parameters)),
        "version": f"liga_analysis {version(__package__)}",
    }
    return _section("provenance", season, facts=facts, made=made or datetime.now())
